//! Known answers of BIP 340.

use super::{Messages, SignBip340, VerifyBip340};
use crate::curve::{Curve, CurveId, Secp256k1};
use crate::gpu::schedule::operation::{ITEMS, RunSelfTest};
use crate::gpu::tables::key_tables;
use crate::gpu::{Fault, SelfTest, SelfTestRun};
use crate::known_answers::{self, Schnorr, repeat};
use crate::ops::hash::SizedTexts;
use crate::ops::keys;
use crate::ops::point;
use crate::schemes::common::Chunks;
use crate::schemes::common::known_answers::{groups, rows};
use crate::types::{PublicKeys, SecretKeys, bytes_of};

const CURVE: CurveId = Secp256k1::ID;

fn test(operation: &'static str, run: RunSelfTest) -> SelfTest {
    SelfTest::new(operation, CURVE.name(), run)
}

pub fn all() -> Vec<SelfTest> {
    [
        of_verification(true, true),
        of_signing(true, true, true),
        of_signing(false, false, false),
    ]
    .concat()
}

pub fn of_verification(with_tables: bool, batch_verification: bool) -> Vec<SelfTest> {
    let mut tests = vec![
        point::known_answers::keys(CURVE),
        test("BIP 340 verification", run_verify),
    ];
    if with_tables {
        tests.push(test(
            "BIP 340 verification by tables of keys",
            run_verify_by_tables,
        ));
    }
    if batch_verification {
        tests.push(test("BIP 340 batch verification", run_batch_verify));
    }
    tests
}

pub fn of_signing(is_checked: bool, keys_are_given: bool, with_tables: bool) -> Vec<SelfTest> {
    let keys = if keys_are_given {
        point::known_answers::keys(CURVE)
    } else {
        keys::known_answers::public_keys(CURVE)
    };
    let mut tests = vec![keys, test("BIP 340 signing", run_sign)];
    if is_checked {
        tests.extend(of_verification(with_tables, false));
    }
    tests
}

/// Verifies a batch of `items` items, with messages as rows or as byte strings; `expected` is the
/// announced number of items to come.
fn verify(
    trial: &mut SelfTestRun,
    as_rows: bool,
    items: usize,
    expected: Option<usize>,
) -> Result<(), Fault> {
    let Schnorr {
        messages,
        signatures,
        keys,
        verdicts,
        ..
    } = known_answers::schnorr();
    let messages = repeat(messages, items);
    let signatures = repeat(signatures, items);
    let keys = repeat(keys, items);
    let messages = match as_rows {
        true => Messages::Rows((&messages).into()),
        false => Messages::Texts(SizedTexts::new(trial.cpu, items, |item| &messages[item])),
    };
    let keys = PublicKeys::x_only(&keys);
    let verify = VerifyBip340 {
        messages,
        signatures: (&signatures).into(),
        keys,
        batch_verification: false,
        chunks: Chunks::all(),
        items,
    };
    trial.check_codes(
        &verify,
        expected,
        repeat(verdicts, items)
            .into_iter()
            .map(|verdict| verdict.code()),
    )
}

fn run_verify(trial: &mut SelfTestRun) -> Result<(), Fault> {
    verify(trial, true, ITEMS, None)?;
    verify(trial, false, ITEMS, None)
}

/// Verifies a chunk that is large enough for key tables, which are dropped afterwards.
fn run_verify_by_tables(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let (items, expected) = key_tables::FEWEST_WITH_TABLES;
    let result = verify(trial, true, items, Some(expected));
    trial.slot.cache.key_cache.drop_idle();
    result
}

/// Verifies chunks as groups: some whose items are all valid or take no part in the equation, which
/// holds, and some in which other items make it fail.
fn run_batch_verify(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let Schnorr {
        messages,
        signatures,
        keys,
        verdicts,
        ..
    } = known_answers::schnorr();
    for (numbers, holds) in groups(verdicts) {
        let messages = rows(messages, &numbers);
        let signatures = rows(signatures, &numbers);
        let keys = rows(keys, &numbers);
        let messages = Messages::Rows((&messages).into());
        let keys = PublicKeys::x_only(&keys);
        let signatures = (&signatures).into();
        let chunks = Chunks::all();
        let verify = VerifyBip340 {
            messages,
            signatures,
            keys,
            batch_verification: true,
            chunks,
            items: ITEMS,
        };
        trial.check_codes(
            &verify,
            None,
            numbers.iter().map(|item| verdicts[*item].code()),
        )?;
        trial.compare([verify.chunks.spared() > 0], [holds])?;
    }
    Ok(())
}

/// Signs with given and with computed public keys, and messages both as rows and as byte strings of
/// other lengths.
fn run_sign(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let Schnorr {
        secret,
        public,
        texts,
        auxiliary,
        signed,
        ..
    } = known_answers::schnorr();
    let secret = repeat(secret, ITEMS);
    let public = repeat(public, ITEMS);
    let texts = repeat(texts, ITEMS);
    let auxiliary = repeat(auxiliary, ITEMS);
    for given in [None, Some(PublicKeys::compressed(&public))] {
        let sign = SignBip340 {
            messages: Messages::Texts(SizedTexts::new(trial.cpu, ITEMS, |item| &texts[item])),
            keys: (&secret).into(),
            public: given,
            auxiliary: SecretKeys::rows((&auxiliary).into()),
            is_checked: false,
            items: ITEMS,
        };
        trial.check(&sign, bytes_of, repeat(signed, ITEMS))?;
    }
    Ok(())
}
