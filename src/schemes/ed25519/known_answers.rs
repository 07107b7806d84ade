//! Known answers for the vector code and for devices: signatures made by the portable code, valid
//! and corrupted.

use super::batch::{CURVE, PublicKeysOfSeeds, SignEd25519, VerifyEd25519};
use super::keys::{Secrets, SigningKeys};
use super::rule::Rule;
use super::sign::{Signing, sign};
use super::variant::{MAX_CONTEXT_LEN, Variant};
use super::verify::batch_verification::verify_group;
use super::verify::{Verification, verify};
use crate::cpu::CpuEngine;
use crate::cpu::edwards::curves::Ed25519;
use crate::gpu::schedule::operation::ITEMS;
use crate::gpu::tables::key_tables;
use crate::gpu::{Fault, SelfTest, SelfTestRun};
use crate::known_answers::repeat;
use crate::ops::hash::SizedTexts;
use crate::schemes::common::Chunks;
use crate::schemes::common::known_answers::rows;
use crate::types::{PublicKeys, Rejection, ResultsMut, Rows, SecretKeys, Verdict, bytes_of};

/// The number of keys, more than there are lanes, and the number of uses of each in tests of key
/// tables.
const KEYS: usize = 9;
const USES: usize = 60;

/// Messages, keys and signatures, with the codes that they get under every rule.
struct SignedItems {
    variant: Variant,
    messages: [Vec<u8>; KEYS],
    public: [[u8; 32]; KEYS],
    signatures: [[u8; 64]; KEYS],
    expected: [u8; KEYS],
}

fn seeds() -> [[u8; 32]; KEYS] {
    std::array::from_fn(|item| [item as u8; 32])
}

/// Returns a variant with a prefix to hash whose length is not a multiple of words and spans
/// several blocks.
fn with_context() -> Variant {
    Variant::context(&[0x63; MAX_CONTEXT_LEN]).expect("it is not longer")
}

/// Returns messages signed by the portable code on this engine's threads.
fn signed(engine: &CpuEngine, variant: Variant) -> SignedItems {
    let seeds = seeds();
    // Messages of one hash block and of several.
    let messages: [Vec<u8>; KEYS] = std::array::from_fn(|item| vec![item as u8; 3 + 37 * item]);
    let secrets = SecretKeys::rows(Rows::new(&seeds));
    let mut public = [[0; 32]; KEYS];
    let mut signatures = [[0; 64]; KEYS];
    let mut codes = [0; KEYS];
    Secrets::Seeds(secrets).public_keys(
        engine,
        |item| item,
        &mut ResultsMut::rows(&mut codes, &mut public).into(),
    );
    let keys = SigningKeys::from(secrets);
    let signing = Signing {
        variant,
        message: &|item| messages[item].as_slice(),
        bytes: 0,
        keys,
        is_checked: false,
    };
    sign(
        engine,
        &signing,
        &mut ResultsMut::rows(&mut codes, &mut signatures).into(),
    );
    SignedItems {
        variant,
        messages,
        public,
        signatures,
        expected: codes,
    }
}

/// Returns items, some of which are corrupted.
fn items(engine: &CpuEngine, variant: Variant) -> SignedItems {
    let SignedItems {
        messages,
        mut public,
        mut signatures,
        mut expected,
        ..
    } = signed(engine, variant);
    // Every third signature has another S, one has another R, and one key is not a point: its y is
    // 2.
    for item in (1..KEYS).step_by(3) {
        signatures[item][32] ^= 1;
        expected[item] = Rejection::Mismatch.code();
    }
    signatures[2] = [signatures[3].split_at(32).0, signatures[2].split_at(32).1]
        .concat()
        .try_into()
        .expect("64 bytes");
    expected[2] = Rejection::Mismatch.code();
    public[5] = std::array::from_fn(|byte| if byte == 0 { 2 } else { 0 });
    expected[5] = Rejection::NotOnCurve.code();
    SignedItems {
        variant,
        messages,
        public,
        signatures,
        expected,
    }
}

/// # Errors
/// A description of the first wrong answer of an engine with vector code.
pub(crate) fn of_lanes(engine: &CpuEngine) -> Result<(), String> {
    let SignedItems {
        variant,
        messages,
        public,
        signatures,
        expected,
    } = items(engine, Variant::PURE);
    for (items, rule) in [
        (KEYS, Rule::Strict),
        (KEYS, Rule::Zip215),
        (KEYS * USES, Rule::Strict),
    ] {
        let signatures = repeat(&signatures, items);
        let public = repeat(&public, items);
        let verification = Verification {
            rule,
            challenge: &|item| {
                variant.challenge(&signatures[item], &public[item], &messages[item % KEYS])
            },
            bytes: 0,
            signatures: (&signatures).into(),
            keys: PublicKeys::ed25519(&public),
            batch_verification: false,
        };
        let mut codes = vec![0; items];
        verify::<Ed25519>(
            engine,
            &verification,
            &mut ResultsMut::codes(&mut codes).into(),
        );
        if codes != repeat(&expected, items) {
            return Err(format!(
                "Ed25519: wrong verdicts of {items} items by the rule {rule}"
            ));
        }
        if rule.is_cofactored() && !groups_are_right(engine, &verification, &codes) {
            return Err(format!(
                "Ed25519: wrong equations of groups by the rule {rule}"
            ));
        }
    }
    Ok(())
}

/// Returns whether the equation of the valid items holds and that of all items does not.
fn groups_are_right(engine: &CpuEngine, verification: &Verification, codes: &[u8]) -> bool {
    let all: Vec<usize> = (0..codes.len()).collect();
    let valid: Vec<usize> = all
        .iter()
        .copied()
        .filter(|item| codes[*item] == Verdict::VALID_CODE)
        .collect();
    let found_in_valid = verify_group::<Ed25519>(engine, verification, &valid, &fixed_coefficients);
    let found_in_all = verify_group::<Ed25519>(engine, verification, &all, &fixed_coefficients);
    found_in_valid == Some(valid) && found_in_all.is_none()
}

/// Returns coefficients for a reproducible test.
fn fixed_coefficients(count: usize) -> Option<Vec<u128>> {
    Some(
        (1..=count as u128)
            .map(|number| number * (u128::MAX / 0xfe))
            .collect(),
    )
}

/// Returns the self-tests of verification for devices.
pub(crate) fn of_verification(with_tables: bool, batch_verification: bool) -> Vec<SelfTest> {
    let mut tests = vec![SelfTest::new("Ed25519 verification", CURVE, run_verify)];
    if with_tables {
        tests.push(SelfTest::new(
            "Ed25519 verification by tables",
            CURVE,
            run_verify_by_tables,
        ));
    }
    if batch_verification {
        tests.push(SelfTest::new(
            "Ed25519 batch verification",
            CURVE,
            run_batch_verify,
        ));
    }
    tests
}

/// Verifies a batch of `items` items; `expected` is the announced number of items to come.
fn verify_batch(
    trial: &mut SelfTestRun,
    known: &SignedItems,
    rule: Rule,
    items: usize,
    expected: Option<usize>,
) -> Result<(), Fault> {
    let signatures = repeat(&known.signatures, items);
    let public = repeat(&known.public, items);
    let verify = VerifyEd25519 {
        variant: known.variant,
        messages: SizedTexts::new(trial.cpu, items, |item| &known.messages[item % KEYS]),
        signatures: (&signatures).into(),
        keys: PublicKeys::ed25519(&public),
        rule,
        batch_verification: false,
        chunks: Chunks::all(),
        items,
    };
    trial.check_codes(&verify, expected, repeat(&known.expected, items))
}

fn run_verify(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let known = items(trial.cpu, Variant::PURE);
    let of_context = items(trial.cpu, with_context());
    Rule::ALL
        .iter()
        .try_for_each(|rule| verify_batch(trial, &known, *rule, ITEMS, None))?;
    verify_batch(trial, &of_context, Rule::Strict, ITEMS, None)
}

/// Verifies chunks that are large enough for key tables, which are dropped afterwards: with a rule
/// that compares the encoding of R, and with a context and a rule that decodes R if it has another
/// encoding.
fn run_verify_by_tables(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let (count, expected) = key_tables::FEWEST_WITH_TABLES;
    let result = [
        (Variant::PURE, Rule::Strict),
        (with_context(), Rule::Zip215),
    ]
    .into_iter()
    .try_for_each(|(variant, rule)| {
        let known = items(trial.cpu, variant);
        verify_batch(trial, &known, rule, count, Some(expected))
    });
    trial.slot.cache.key_cache.drop_idle();
    result
}

/// Verifies chunks as groups: some whose items are all valid or take no part in the equation, which
/// holds, and some in which other items make it fail.
fn run_batch_verify(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let SignedItems {
        variant,
        messages,
        public,
        signatures,
        expected,
    } = items(trial.cpu, Variant::PURE);
    for (rule, fails) in [
        (Rule::Zip215, false),
        (Rule::Rfc8032Cofactored, false),
        (Rule::Zip215, true),
    ] {
        let chosen: Vec<usize> = (0..KEYS)
            .filter(|item| fails || expected[*item] != Rejection::Mismatch.code())
            .collect();
        let numbers: Vec<usize> = repeat(&chosen, ITEMS);
        let signatures = rows(&signatures, &numbers);
        let public = rows(&public, &numbers);
        let verify = VerifyEd25519 {
            variant,
            messages: SizedTexts::new(trial.cpu, ITEMS, |item| &messages[numbers[item]]),
            signatures: (&signatures).into(),
            keys: PublicKeys::ed25519(&public),
            rule,
            batch_verification: true,
            chunks: Chunks::all(),
            items: ITEMS,
        };
        trial.check_codes(&verify, None, numbers.iter().map(|item| expected[*item]))?;
        trial.compare([verify.chunks.spared() > 0], [!fails])?;
    }
    Ok(())
}

/// Returns the self-tests of signing.
pub(crate) fn of_signing(is_checked: bool, with_tables: bool) -> Vec<SelfTest> {
    let signing = SelfTest::new("Ed25519 signing", CURVE, run_sign);
    let check = if is_checked {
        of_verification(with_tables, false)
    } else {
        Vec::new()
    };
    [vec![signing], check].concat()
}

/// Signs with seeds, with expanded keys, with one expanded key for all, and with a context.
fn run_sign(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let SignedItems {
        variant,
        messages,
        signatures,
        ..
    } = signed(trial.cpu, Variant::PURE);
    let seeds = repeat(&seeds(), ITEMS);
    let secrets = SecretKeys::rows(Rows::new(&seeds));
    let expanded = Secrets::Seeds(secrets).expand_all(trial.cpu, ITEMS);
    for keys in [SigningKeys::from(secrets), SigningKeys::expanded(&expanded)] {
        let messages = SizedTexts::new(trial.cpu, ITEMS, |item| &messages[item % KEYS]);
        let sign = SignEd25519 {
            variant,
            messages,
            keys,
            is_checked: false,
            items: ITEMS,
        };
        trial.check(&sign, bytes_of, repeat(&signatures.map(Ok), ITEMS))?;
    }
    let messages = SizedTexts::new(trial.cpu, ITEMS, |_| &messages[3]);
    let keys = SigningKeys::expanded_for_all(&expanded[3]);
    let sign = SignEd25519 {
        variant,
        messages,
        keys,
        is_checked: false,
        items: ITEMS,
    };
    trial.check(&sign, bytes_of, vec![Ok(signatures[3]); ITEMS])?;
    let SignedItems {
        variant,
        messages,
        signatures,
        ..
    } = signed(trial.cpu, with_context());
    let messages = SizedTexts::new(trial.cpu, ITEMS, |item| &messages[item % KEYS]);
    let sign = SignEd25519 {
        variant,
        messages,
        keys: SigningKeys::expanded(&expanded),
        is_checked: false,
        items: ITEMS,
    };
    trial.check(&sign, bytes_of, repeat(&signatures.map(Ok), ITEMS))
}

/// The self-test of public keys.
pub(crate) const PUBLIC_KEYS: SelfTest =
    SelfTest::new("Ed25519 public keys", CURVE, run_public_keys);

fn run_public_keys(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let SignedItems { public, .. } = signed(trial.cpu, Variant::PURE);
    let seeds = repeat(&seeds(), ITEMS);
    let of_seeds = PublicKeysOfSeeds {
        seeds: SecretKeys::rows(Rows::new(&seeds)),
        items: ITEMS,
    };
    trial.check(&of_seeds, bytes_of, repeat(&public.map(Ok), ITEMS))
}
