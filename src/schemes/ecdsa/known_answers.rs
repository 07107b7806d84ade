//! Known answers of ECDSA.

use super::recover::{Candidates, Recover, RecoveredForm};
use super::{ECDSA, recover_cpu};
use crate::cpu::secret::SecretCurve;
use crate::curve::{Curve, CurveId, for_each_ecdsa_curve, types};
use crate::gpu::schedule::operation::ITEMS;
use crate::gpu::{Fault, SelfTest, SelfTestRun};
use crate::known_answers::group::{
    Group, Numbered, Scalar, invert, large_x, no_x, off_curve, pseudo_random, reduced,
};
use crate::known_answers::secrets::out_of_range;
use crate::known_answers::signatures::{
    Given, Reference, SchemeAnswers, SignatureItem, SignatureNumbers, Signatures, Signing, x_of,
};
use crate::known_answers::{AnswersPerCurve, repeat};
use crate::schemes::common::Chunks;
use crate::schemes::common::known_answers::{
    Named, SchemeTests, batch_verify, sign, sign_with_data, test, verify, verify_by_tables,
};
use crate::types::{Point, Policy, PublicKeys, Rejection, bytes_of};
use elliptic_curve::Group as _;
use elliptic_curve::scalar::IsHigh;
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
    answers,
};

/// Returns the known answers of a curve of ECDSA, made on first use.
pub fn answers(curve: CurveId) -> &'static SchemeAnswers {
    static ANSWERS: AnswersPerCurve<SchemeAnswers> = AnswersPerCurve::new();
    ANSWERS.of(curve, new)
}

/// Computes the known answers of a curve.
pub fn new(curve: CurveId) -> SchemeAnswers {
    macro_rules! of_each {
        ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
            $(
                if curve == types::$curve::ID {
                    return answers_of::<types::$curve>(|key, digest, additional| {
                        let key = ecdsa::SigningKey::<$($reference)*>::from_slice(key).expect("in range");
                        let (signature, id) = match additional {
                            None => key.sign_prehash_recoverable(digest),
                            Some(data) => {
                                let Ok(signed) = key.sign_prehash_recoverable_with_rng(&mut Given(data), digest);
                                signed
                            }
                        };
                        (signature.to_bytes().into(), id.to_byte())
                    });
                }
            )*
        };
    }
    for_each_ecdsa_curve!(of_each!);
    unreachable!("ECDSA is not defined on {curve}")
}

fn answers_of<C: SecretCurve>(reference: Reference) -> SchemeAnswers {
    let numbered = Numbered::<C>::new();
    SchemeAnswers {
        signatures: signatures(&numbered),
        signing: Signing::new(&numbered, out_of_range::<C>(), reference),
    }
}

/// Makes a signature, `s R = e G + r Q`, with R = k G and Q = q G for the numbers i and j of the
/// list; e follows.
fn signed_by<C: SecretCurve>(
    Numbered {
        numbers,
        points,
        encoded,
        ..
    }: &Numbered<C>,
    i: usize,
    j: usize,
) -> SignatureNumbers<C> {
    let (r, id) = x_of::<C>(&encoded[i]);
    let s = low::<C>(pseudo_random::<C>(i as u8 + 1));
    SignatureNumbers {
        e: s * numbers[i] - r * numbers[j],
        r,
        s,
        id,
        key: points[j],
    }
}

/// Makes a signature whose R has an x-coordinate that is not below n; Q follows.
fn with_large_x<C: SecretCurve>() -> SignatureNumbers<C> {
    let (point, r) = large_x::<C>();
    let s = low::<C>(pseudo_random::<C>(0x40));
    let e = pseudo_random::<C>(0x41);
    let key = (point * s - Group::<C>::generator() * e) * invert::<C>(&r);
    SignatureNumbers {
        e,
        r,
        s,
        id: 2,
        key,
    }
}

/// Negates s, which corresponds to -R.
fn with_high_s<C: SecretCurve>(signed: SignatureNumbers<C>) -> SignatureNumbers<C> {
    SignatureNumbers {
        s: -signed.s,
        id: signed.id ^ 1,
        ..signed
    }
}

/// Replaces the digest, so that the signature belongs to another key.
fn with_digest<C: SecretCurve>(signed: SignatureNumbers<C>, e: Scalar<C>) -> SignatureNumbers<C> {
    let key = signed.key - Group::<C>::generator() * ((e - signed.e) * invert::<C>(&signed.r));
    SignatureNumbers { e, key, ..signed }
}

fn low<C: SecretCurve>(s: Scalar<C>) -> Scalar<C> {
    if s.is_high().into() { -s } else { s }
}

/// Makes the answers of verification, with the low-s policy, and of recovery.
fn signatures<C: SecretCurve>(numbered: &Numbered<C>) -> Signatures {
    let Numbered {
        numbers,
        encoded,
        opposite,
        ..
    } = numbered;
    let signed: Vec<_> = (0..6).map(|i| signed_by(numbered, i, 11 - i)).collect();
    let first = signed[0];
    let mismatch = Err(Rejection::Mismatch);
    let mut items: Vec<_> = signed
        .iter()
        .map(|signed| SignatureItem::new(*signed, Ok(())))
        .collect();
    items.push(SignatureItem::new(with_large_x(), Ok(())));
    items.push(SignatureItem::new(
        with_high_s(first),
        Err(Rejection::HighS),
    ));
    let next = with_digest(signed[1], signed[1].e + Scalar::<C>::from(1u64));
    items.push(SignatureItem::new(next, mismatch).with_key(encoded[10]));
    items.push(SignatureItem::new(signed[2], mismatch).with_key(opposite[9]));
    // e G + r Q is the identity.
    let nothing = with_digest(first, -first.r * numbers[11]);
    items.push(SignatureItem::new(nothing, Err(Rejection::IdentityResult)).with_key(encoded[11]));
    // s R = e G, so that the recovered key would be the identity.
    let without_key = SignatureItem::new(with_digest(first, first.s * numbers[0]), mismatch)
        .with_key(encoded[11]);
    items.push(without_key.not_recovered(Rejection::IdentityResult));
    // Recovery ids and an r without a point.
    for (id, rejection) in [
        (4, Rejection::RecoveryIdOutOfRange),
        (signed[4].id | 2, Rejection::NoSuchR),
    ] {
        items.push(
            SignatureItem::new(SignatureNumbers { id, ..signed[4] }, Ok(()))
                .not_recovered(rejection),
        );
    }
    let no_point = SignatureNumbers {
        r: reduced::<C>(&no_x::<C>()),
        id: 0,
        ..signed[4]
    };
    items.push(SignatureItem::new(no_point, mismatch).not_recovered(Rejection::NoSuchR));
    items.extend(signed[3].with_invalid_keys(off_curve(numbered)));
    items.extend(signed[5].with_values_out_of_range());
    Signatures::of(&items)
}

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
    let recovered = repeat(&answers(curve).signatures.recovered, ITEMS);
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
    let recovered = repeat(&answers(trial.curve()).signatures.recovered, ITEMS);
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
    } = &answers(trial.curve()).signatures;
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
