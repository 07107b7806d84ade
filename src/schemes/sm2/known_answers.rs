//! Known answers of SM2: signatures and digests of messages.

use super::SM2;
use super::digest::{MessageDigests, za_of_point};
use crate::cpu::secret::SecretCurve;
use crate::curve::{Curve, CurveId, Sm2, for_each_sm2_curve, types};
use crate::gpu::schedule::operation::ITEMS;
use crate::gpu::{Fault, SelfTest, SelfTestRun};
use crate::known_answers::group::{
    Group, Numbered, Scalar, invert, large_x, last, off_curve, pseudo_random,
};
use crate::known_answers::secrets::{key, out_of_range};
use crate::known_answers::signatures::{
    Given, Reference, SchemeAnswers, SignatureItem, SignatureNumbers, Signatures, Signing, x_of,
};
use crate::known_answers::{self, AnswersPerCurve, repeat};
use crate::ops::hash::SizedTexts;
use crate::ops::hash::known_answers::message;
use crate::ops::point;
use crate::schemes::common::known_answers::{
    SchemeTests, sign, sign_with_data, verify, verify_by_tables,
};
use crate::types::{Policy, PublicKeys, Rejection, bytes_of};
use elliptic_curve::Group as _;
use sm3::{Digest, Sm3};

pub const TESTS: SchemeTests = SchemeTests {
    verification: ("SM2 verification", |trial| {
        verify(trial, &SM2, Policy::default())
    }),
    by_tables: ("SM2 verification by tables of keys", |trial| {
        verify_by_tables(trial, &SM2, Policy::default())
    }),
    batch_verification: None,
    signing: ("SM2 signing", |trial| sign(trial, &SM2)),
    signing_with_data: ("SM2 signing with additional data", |trial| {
        sign_with_data(trial, &SM2)
    }),
    recovery: None,
    answers,
};

/// Returns the known answers of a curve of SM2, made on first use.
pub fn answers(curve: CurveId) -> &'static SchemeAnswers {
    static ANSWERS: AnswersPerCurve<SchemeAnswers> = AnswersPerCurve::new();
    ANSWERS.of(curve, new)
}

/// Computes the known answers of a curve.
fn new(curve: CurveId) -> SchemeAnswers {
    macro_rules! of_each {
        ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
            $(
                if curve == types::$curve::ID {
                    return answers_of::<types::$curve>(|key, digest, additional| {
                        use $($module)*::dsa::SigningKey;
                        use $($module)*::dsa::signature::hazmat::{PrehashSigner, RandomizedPrehashSigner};
                        let key = SigningKey::from_slice("", key).expect("in range");
                        let signature = match additional {
                            None => key.sign_prehash(digest),
                            Some(data) => key.sign_prehash_with_rng(&mut Given(data), digest),
                        };
                        (signature.expect("32 bytes").to_bytes().into(), 0)
                    });
                }
            )*
        };
    }
    for_each_sm2_curve!(of_each!);
    unreachable!("SM2 is not defined on {curve}")
}

fn answers_of<C: SecretCurve>(reference: Reference) -> SchemeAnswers {
    let numbered = Numbered::<C>::new();
    // In SM2, n - 1 is not a key.
    let rejected = out_of_range::<C>()
        .into_iter()
        .chain([key::<C>(&last::<C>())]);
    SchemeAnswers {
        signatures: signatures(&numbered),
        signing: Signing::new(&numbered, rejected, reference),
    }
}

/// Makes a signature, `R = s G + t Q` with `r = e + x(R)` and `t = r + s`, with R = k G and Q = q G
/// for the numbers i and j of the list; t and e follow.
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
    let s = pseudo_random::<C>(i as u8 + 1);
    let (x, id) = x_of::<C>(&encoded[i]);
    let r = (numbers[i] - s) * invert::<C>(&numbers[j]) - s;
    SignatureNumbers {
        e: r - x,
        r,
        s,
        id,
        key: points[j],
    }
}

/// Makes a signature whose R has an x-coordinate that is not below n; Q follows.
fn with_large_x<C: SecretCurve>() -> SignatureNumbers<C> {
    let (point, x) = large_x::<C>();
    let s = pseudo_random::<C>(0x40);
    let t = pseudo_random::<C>(0x41);
    let key = (point - Group::<C>::generator() * s) * invert::<C>(&t);
    SignatureNumbers {
        e: t - s - x,
        r: t - s,
        s,
        id: 2,
        key,
    }
}

/// Makes the answers of verification.
fn signatures<C: SecretCurve>(numbered: &Numbered<C>) -> Signatures {
    let Numbered {
        numbers, opposite, ..
    } = numbered;
    let valid = (0..6)
        .map(|i| signed_by(numbered, i, 11 - i))
        .chain([with_large_x()]);
    let mut items: Vec<_> = valid
        .map(|signed| SignatureItem::new(signed, Ok(())))
        .collect();
    let item = signed_by(numbered, 1, 3);
    let mismatch = Err(Rejection::Mismatch);
    let next = SignatureNumbers {
        e: item.e + Scalar::<C>::from(1u64),
        ..item
    };
    // s G + t Q is the identity if s = -t q.
    let t = numbers[5];
    let s = -numbers[5] * numbers[3];
    items.extend([
        SignatureItem::new(next, mismatch),
        SignatureItem::new(item, mismatch).with_key(opposite[3]),
        SignatureItem::new(
            SignatureNumbers { s: -item.r, ..item },
            Err(Rejection::ZeroT),
        ),
        SignatureItem::new(
            SignatureNumbers {
                r: t - s,
                s,
                ..item
            },
            Err(Rejection::IdentityResult),
        ),
    ]);
    items.extend(item.with_invalid_keys(off_curve(numbered)));
    items.extend(item.with_values_out_of_range());
    Signatures::of(&items)
}

/// Returns the self-tests of message digests.
pub fn of_digests() -> Vec<SelfTest> {
    vec![
        point::known_answers::keys(Sm2::ID),
        SelfTest::new("SM3 of messages", Sm2::NAME, check_digests),
    ]
}

/// Tests SM3(Z_A || M) with ids of several lengths.
fn check_digests(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let texts: Vec<_> = (0..ITEMS).map(message).collect();
    let ids: Vec<_> = (0..ITEMS).map(|item| message(item / 2)).collect();
    let keys: Vec<_> = known_answers::of(Sm2::ID)
        .private_keys
        .public
        .iter()
        .flatten()
        .copied()
        .collect();
    let keys = repeat(&keys, ITEMS);
    let known = ids.iter().zip(&keys).zip(&texts).map(|((id, key), text)| {
        Ok(Sm3::new_with_prefix(za_of_point(id, key))
            .chain_update(text)
            .finalize()
            .into())
    });
    let known = known.collect();
    let operation = MessageDigests {
        messages: SizedTexts::new(trial.cpu, ITEMS, |item| &texts[item]),
        ids: SizedTexts::new(trial.cpu, ITEMS, |item| &ids[item]),
        keys: PublicKeys::points(&keys),
    };
    trial.check(&operation, bytes_of::<32>, known)
}
