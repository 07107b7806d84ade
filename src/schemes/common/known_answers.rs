//! Known answers of verification and signing, for any scheme.

use super::{
    Chunks, Scheme, SignDigests, Signing, SigningInputs, Verification, VerifyDigests,
    signature_and_id_of,
};
use crate::curve::CurveId;
use crate::gpu::schedule::operation::{ITEMS, RunSelfTest};
use crate::gpu::tables::key_tables;
use crate::gpu::{Fault, SelfTest, SelfTestRun};
use crate::known_answers::signatures::{self, SchemeAnswers, Signatures};
use crate::known_answers::{Answer, repeat};
use crate::ops::keys;
use crate::ops::point;
use crate::types::{Check, Policy, PublicKeys, Rejection, Signers, Verdict};

/// A self-test with its name. A name belongs to one scheme, because a device that passed the test
/// of one scheme on a curve has not passed that of another.
pub type Named = (&'static str, RunSelfTest);

/// The self-tests of a scheme, each of which runs one of the functions below.
pub struct SchemeTests {
    pub verification: Named,
    pub by_tables: Named,
    /// The test of batch verification, if the scheme has it.
    pub batch_verification: Option<Named>,
    pub signing: Named,
    /// Signing with additional data for the nonces.
    pub signing_with_data: Named,
    /// The test of recovery, if the scheme has it.
    pub recovery: Option<fn(CurveId) -> SelfTest>,
    /// The known answers of a curve of the scheme.
    pub answers: fn(CurveId) -> &'static SchemeAnswers,
}

pub fn of_verification(
    scheme: &Scheme,
    curve: CurveId,
    with_tables: bool,
    batch_verification: bool,
) -> Vec<SelfTest> {
    let mut tests = vec![
        point::known_answers::keys(curve),
        test(scheme.on_gpu.tests.verification, curve),
    ];
    if with_tables {
        tests.push(test(scheme.on_gpu.tests.by_tables, curve));
    }
    if batch_verification {
        tests.extend(
            scheme
                .on_gpu
                .tests
                .batch_verification
                .map(|named| test(named, curve)),
        );
    }
    tests
}

pub fn of_signing(
    scheme: &Scheme,
    curve: CurveId,
    check: Check,
    with_data: bool,
    with_tables: bool,
) -> Vec<SelfTest> {
    let SchemeTests {
        signing,
        signing_with_data,
        ..
    } = scheme.on_gpu.tests;
    let mut tests = vec![test(
        if with_data {
            signing_with_data
        } else {
            signing
        },
        curve,
    )];
    if check != Check::Nothing {
        tests.push(keys::known_answers::public_keys(curve));
    }
    match check {
        Check::Nothing => {}
        Check::Signatures => {
            tests.extend(of_verification(scheme, curve, with_tables, false).split_off(1))
        }
        Check::RecoveryIds => {
            tests.extend(scheme.on_gpu.tests.recovery.map(|recovery| recovery(curve)))
        }
    }
    tests
}

/// Returns the known answers of a scheme on one of its curves.
pub fn answers(scheme: &Scheme, curve: CurveId) -> &'static SchemeAnswers {
    (scheme.on_gpu.tests.answers)(curve)
}

/// Makes a test on a curve.
pub fn test((operation, run): Named, curve: CurveId) -> SelfTest {
    SelfTest::new(operation, curve.name(), run)
}

/// Verifies a batch of `items` items; `expected` is the announced number of items to come.
fn run_batch(
    trial: &mut SelfTestRun,
    scheme: &'static Scheme,
    policy: Policy,
    items: usize,
    expected: Option<usize>,
) -> Result<(), Fault> {
    let Signatures {
        digests,
        signatures,
        keys,
        verdicts,
        ..
    } = &answers(scheme, trial.curve()).signatures;
    let digests = repeat(digests, items);
    let signatures = repeat(signatures, items);
    let keys = repeat(keys, items);
    let inputs = Verification::new(
        (&digests).into(),
        (&signatures).into(),
        PublicKeys::points(&keys),
    );
    let verify = VerifyDigests {
        scheme,
        curve: trial.curve(),
        inputs,
        policy,
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

pub fn verify(
    trial: &mut SelfTestRun,
    scheme: &'static Scheme,
    policy: Policy,
) -> Result<(), Fault> {
    run_batch(trial, scheme, policy, ITEMS, None)
}

/// Verifies a chunk that is large enough for key tables, which are dropped afterwards.
pub fn verify_by_tables(
    trial: &mut SelfTestRun,
    scheme: &'static Scheme,
    policy: Policy,
) -> Result<(), Fault> {
    let (items, expected) = key_tables::FEWEST_WITH_TABLES;
    let result = run_batch(trial, scheme, policy, items, Some(expected));
    trial.slot.cache.key_cache.drop_idle();
    result
}

/// Verifies chunks as groups: some whose items are all valid or take no part in the equation, which
/// holds, and some in which other items make it fail.
pub fn batch_verify(
    trial: &mut SelfTestRun,
    scheme: &'static Scheme,
    policy: Policy,
) -> Result<(), Fault> {
    let curve = trial.curve();
    let Signatures {
        digests,
        signatures,
        keys,
        verdicts,
        recovery_ids,
        ..
    } = &answers(scheme, curve).signatures;
    for (numbers, holds) in groups(verdicts) {
        let digests = rows(digests, &numbers);
        let signatures = rows(signatures, &numbers);
        let keys = rows(keys, &numbers);
        let ids = rows(recovery_ids.as_chunks::<1>().0, &numbers);
        let inputs = Verification {
            recovery_ids: Some((&ids).into()),
            ..Verification::new(
                (&digests).into(),
                (&signatures).into(),
                PublicKeys::points(&keys),
            )
        };
        let verify = VerifyDigests {
            scheme,
            curve,
            inputs,
            policy,
            chunks: Chunks::all(),
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

/// Returns two lists of item indices, each with the expected outcome of its equation: one whose
/// items are all valid or take no part, so that the equation holds, and one with which it fails.
pub fn groups(verdicts: &[Verdict]) -> [(Vec<usize>, bool); 2] {
    // These verdicts are about R.
    let fails = |item: usize| {
        [Rejection::Mismatch, Rejection::IdentityResult]
            .map(Verdict::Rejected)
            .contains(&verdicts[item])
    };
    [true, false].map(|holds| {
        let chosen: Vec<usize> = (0..verdicts.len())
            .filter(|item| !holds || !fails(*item))
            .collect();
        (repeat(&chosen, ITEMS), holds)
    })
}

/// Returns the rows of the given items.
pub fn rows<T: Copy>(rows: &[T], numbers: &[usize]) -> Vec<T> {
    numbers.iter().map(|item| rows[*item]).collect()
}

pub fn sign(trial: &mut SelfTestRun, scheme: &'static Scheme) -> Result<(), Fault> {
    let signatures::Signing {
        keys,
        digests,
        signed,
        ..
    } = &answers(scheme, trial.curve()).signing;
    let keys = repeat(keys, ITEMS);
    sign_by(trial, scheme, (&keys).into(), digests, signed)
}

pub fn sign_with_data(trial: &mut SelfTestRun, scheme: &'static Scheme) -> Result<(), Fault> {
    let signatures::Signing {
        keys,
        digests,
        additional,
        signed_with_data,
        ..
    } = &answers(scheme, trial.curve()).signing;
    let keys = repeat(keys, ITEMS);
    let additional = repeat(additional, ITEMS);
    let signers = Signers::with_additional_data(&keys, &additional);
    sign_by(trial, scheme, signers, digests, signed_with_data)
}

fn sign_by(
    trial: &mut SelfTestRun,
    scheme: &'static Scheme,
    signers: Signers,
    digests: &[[u8; 32]],
    signed: &[Answer<([u8; 64], u8)>],
) -> Result<(), Fault> {
    let digests = repeat(digests, ITEMS);
    let inputs = SigningInputs {
        digests: (&digests).into(),
        signers,
    };
    let low_s = trial.curve().has_low_s_by_default();
    let widths = [64, usize::from(scheme.has_recovery)];
    let signing = Signing {
        inputs,
        low_s,
        check: Check::Nothing,
        widths,
    };
    let sign = SignDigests {
        scheme,
        curve: trial.curve(),
        signing,
        items: ITEMS,
    };
    trial.check(&sign, signature_and_id_of, repeat(signed, ITEMS))
}
