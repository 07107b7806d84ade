//! Known answers of ECDSA.

use super::recover::{Candidates, Recover, RecoveredForm};
use super::{ECDSA, recover_cpu};
use crate::curve::CurveId;
use crate::gpu::schedule::operation::ITEMS;
use crate::gpu::{Fault, SelfTest, SelfTestRun};
use crate::known_answers::{self, Signatures, repeat};
use crate::schemes::common::Chunks;
use crate::schemes::common::known_answers::{
    Named, SchemeTests, batch_verify, sign, sign_with_data, test, verify, verify_by_tables,
};
use crate::types::{Point, Policy, PublicKeys, Rejection, bytes_of};
use sha3::{Digest, Keccak256};

pub const TESTS: SchemeTests = SchemeTests {
    verification: ("ECDSA verification", |trial| {
        verify(trial, &ECDSA, Policy::low_s())
    }),
    by_tables: ("ECDSA verification by tables of keys", |trial| {
        verify_by_tables(trial, &ECDSA, Policy::low_s())
    }),
    batch_verification: Some(("ECDSA batch verification", |trial| {
        batch_verify(trial, &ECDSA, Policy::low_s())
    })),
    signing: ("ECDSA signing", |trial| sign(trial, &ECDSA)),
    signing_with_data: ("ECDSA signing with additional data", |trial| {
        sign_with_data(trial, &ECDSA)
    }),
    recovery: Some(|curve| recovery(curve, RecoveredForm::Keys)),
};

pub fn recovery(curve: CurveId, form: RecoveredForm) -> SelfTest {
    let named: Named = match form {
        RecoveredForm::Keys => ("recovery", |trial| {
            without_candidates(trial, RecoveredForm::Keys, row_of)
        }),
        RecoveredForm::Addresses => ("recovery of addresses", |trial| {
            without_candidates(trial, RecoveredForm::Addresses, address_of)
        }),
    };
    test(named, curve)
}

pub fn recovery_with_candidates(curve: CurveId, form: RecoveredForm) -> SelfTest {
    let named: Named = match form {
        RecoveredForm::Keys => ("recovery with candidates", |trial| {
            with_candidates(trial, RecoveredForm::Keys, row_of)
        }),
        RecoveredForm::Addresses => ("recovery of addresses with candidates", |trial| {
            with_candidates(trial, RecoveredForm::Addresses, address_of)
        }),
    };
    test(named, curve)
}

fn row_of(key: &Point) -> [u8; 64] {
    key.as_bytes()[1..]
        .try_into()
        .expect("64 bytes after the tag")
}

fn address_of(key: &Point) -> [u8; 20] {
    Keccak256::digest(&key.as_bytes()[1..])[12..]
        .try_into()
        .expect("the last 20 of 32 bytes")
}

/// Returns the expected result of each item.
fn known<const W: usize>(
    curve: CurveId,
    of_key: fn(&Point) -> [u8; W],
) -> Vec<Result<[u8; W], Rejection>> {
    let recovered = repeat(&known_answers::of(curve).signatures.recovered, ITEMS);
    recovered
        .iter()
        .map(|key| key.as_ref().map(of_key).map_err(|reason| *reason))
        .collect()
}

fn without_candidates<const W: usize>(
    trial: &mut SelfTestRun,
    form: RecoveredForm,
    of_key: fn(&Point) -> [u8; W],
) -> Result<(), Fault> {
    let (given, _) = recover(trial, form, None)?;
    trial.compare(given, known(trial.curve(), of_key))
}

/// Tests candidates: right ones for two of three items, none for items that would yield the
/// identity, and some for items that are rejected earlier; then with one wrong candidate in
/// addition, which makes the equation fail.
fn with_candidates<const W: usize>(
    trial: &mut SelfTestRun,
    form: RecoveredForm,
    of_key: fn(&Point) -> [u8; W],
) -> Result<(), Fault> {
    let recovered = repeat(
        &known_answers::of(trial.curve()).signatures.recovered,
        ITEMS,
    );
    let good: Vec<Point> = recovered
        .iter()
        .filter_map(|key| key.as_ref().ok().copied())
        .collect();
    let right = recovered.iter().enumerate().map(|(item, key)| match key {
        Err(Rejection::IdentityResult) => Point::IDENTITY,
        Err(_) => good[0],
        Ok(_) if item % 3 == 0 => Point::IDENTITY,
        Ok(key) => *key,
    });
    let right: Vec<Point> = right.collect();
    let mut one_wrong = right.clone();
    let place = recovered
        .iter()
        .position(Result::is_ok)
        .expect("some items are good");
    one_wrong[place] = *good
        .iter()
        .find(|key| **key != good[0])
        .expect("keys differ");
    for (candidates, holds) in [(right, true), (one_wrong, false)] {
        let candidates = Candidates {
            keys: PublicKeys::points(&candidates),
            chunks: Chunks::all(),
        };
        let (given, spared) = recover(trial, form, Some(candidates))?;
        trial.compare(given, known(trial.curve(), of_key))?;
        trial.compare([spared > 0], [holds])?;
    }
    Ok(())
}

/// Returns a device's result for each item, and the number of items that it does not recover.
fn recover<const W: usize>(
    trial: &mut SelfTestRun,
    form: RecoveredForm,
    candidates: Option<Candidates>,
) -> Result<(Vec<Result<[u8; W], Rejection>>, usize), Fault> {
    let Signatures {
        digests,
        signatures,
        recovery_ids,
        ..
    } = &known_answers::of(trial.curve()).signatures;
    let digests = repeat(digests, ITEMS);
    let signatures = repeat(signatures, ITEMS);
    let recovery_ids: Vec<[u8; 1]> = repeat(recovery_ids, ITEMS)
        .into_iter()
        .map(|id| [id])
        .collect();
    let inputs = recover_cpu::RecoveryInputs::new(&digests, &signatures, &recovery_ids);
    let recover = Recover {
        curve: trial.curve(),
        inputs,
        candidates,
        form,
        items: ITEMS,
    };
    let given = trial.compute(&recover, bytes_of::<W>)?;
    Ok((
        given,
        recover
            .candidates
            .map_or(0, |candidates| candidates.chunks.spared()),
    ))
}
