//! Second forms of a signature: r + n and s + n must not pass, n - s passes by the standard and not
//! by the low-s policy.

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_ecdsa_curve;
use crate::support::numbers::{modulus, number, order, to_bytes};
use crate::support::random::Random;
use crate::support::reference::{
    EcdsaReference, Group, Scalar, TestCurve, bytes, encode, lift_x, mul_base, reduced,
};
use crate::support::scheme::{
    Ecdsa, Item, Scheme, adversarial, concatenate, halves, signed, signed_with_r, verify_ecdsa,
};
use elliptic_curve::{Field, PrimeField};
use gecc::ecdsa::Policy;
use gecc::{Engine, Rejection, Verdict};
use num_bigint::BigUint;

const REJECTED_R: Verdict = Verdict::Rejected(Rejection::ROutOfRange);
const REJECTED_S: Verdict = Verdict::Rejected(Rejection::SOutOfRange);

/// x + n, where that is below 2^256.
fn plus_n<C: TestCurve>(value: &[u8; 32]) -> Option<[u8; 32]> {
    to_bytes(&(number(value) + order::<C>()))
}

/// Valid signatures with r or s so small that adding n still fits 256 bits: a verifier that reduces
/// would take both forms.
#[apply(on_every_engine)]
fn r_and_s_increased_by_the_order_are_rejected(engine: &Engine) {
    each_ecdsa_curve!(overflowing_ecdsa(engine));
}

fn overflowing_ecdsa<C: EcdsaReference>(engine: &Engine) {
    overflowing::<Ecdsa<C>>(engine, small_s_ecdsa::<C>);
}

pub fn overflowing<S: Scheme>(engine: &Engine, small_s: impl Fn(&mut Random, u64) -> Item) {
    let mut random = Random::new();
    let mut items = Vec::new();
    for s in 1..=20 {
        let item = small_s(&mut random, s);
        let (r, s) = halves(&item.signature);
        let moved = Item {
            signature: concatenate(&r, &plus_n::<S::C>(&s).unwrap()),
            ..item.clone()
        };
        items.extend([(item, Verdict::Valid), (moved, REJECTED_S)]);
    }
    for item in small_r::<S>(&mut random, 20) {
        let (r, s) = halves(&item.signature);
        let moved = Item {
            signature: concatenate(&plus_n::<S::C>(&r).unwrap(), &s),
            ..item.clone()
        };
        items.extend([(item, Verdict::Valid), (moved, REJECTED_R)]);
    }
    let (inputs, expected): (Vec<Item>, Vec<Verdict>) = items.into_iter().unzip();
    assert_eq!(S::verify(engine, &inputs), expected, "{}", S::CURVE);
    for (item, verdict) in inputs.iter().zip(expected) {
        assert_eq!(S::reference_verifies(item), verdict.is_valid());
    }
}

/// ECDSA with a chosen s: e = s k - r d.
fn small_s_ecdsa<C: EcdsaReference>(random: &mut Random, s: u64) -> Item {
    let d = random.scalar::<C>();
    let k = random.scalar::<C>();
    let s = Scalar::<C>::from(s);
    let r = reduced::<C>(encode::<C>(&mul_base::<C>(&k)).x());
    let digest = bytes::<C>(&(s * k - r * d));
    let key = encode::<C>(&mul_base::<C>(&d)).as_sec1().to_vec();
    Item {
        digest,
        signature: concatenate(&bytes::<C>(&r), &bytes::<C>(&s)),
        key,
    }
}

/// Signatures with small r. In ECDSA r is x(R), so R is looked for; in SM2 r is t - s.
fn small_r<S: Scheme>(random: &mut Random, count: usize) -> Vec<Item> {
    let small = (1..)
        .filter_map(|x: u32| {
            Some((
                x,
                lift_x::<S::C>(&to_bytes(&x.into())?, x.is_multiple_of(2))?,
            ))
        })
        .take(count);
    let signed = small.map(|(x, r)| with_r::<S>(random, &r, x));
    signed.collect()
}

fn with_r<S: Scheme>(random: &mut Random, point: &Group<S::C>, x: u32) -> Item {
    let item = signed_with_r::<S>(random, point).item;
    let (r, _) = halves(&item.signature);
    if number(&r) == BigUint::from(x) {
        return item;
    }
    // SM2: choose s and t = s + x.
    let s = random.scalar::<S::C>();
    let d = random.scalar::<S::C>();
    let t = s + Scalar::<S::C>::from(u64::from(x));
    adversarial::<S>(&s, &t, &d).expect("neither is 0").0
}

/// n - s, at and around n / 2 as well.
#[apply(on_every_engine)]
fn negated_s_is_rejected_by_the_low_s_policy_only(engine: &Engine) {
    each_ecdsa_curve!(both_forms(engine));
}

fn both_forms<C: EcdsaReference>(engine: &Engine) {
    let mut random = Random::new();
    let mut items: Vec<Item> = signed::<Ecdsa<C>>(&mut random, 50, 50)
        .into_iter()
        .map(|signed| signed.item)
        .collect();
    items.extend(around_half::<C>(&mut random));
    let flipped: Vec<Item> = items.iter().map(|item| flip::<C>(item)).collect();
    let all = [items, flipped].concat();
    let standard = verify_ecdsa::<C>(engine, &all, Policy::default());
    assert!(
        standard.iter().all(|verdict| verdict.is_valid()),
        "{}",
        C::NAME
    );
    let by_policy = verify_ecdsa::<C>(engine, &all, Policy::low_s());
    for (item, verdict) in all.iter().zip(&by_policy) {
        let expected = if C::is_low(&item.signature) {
            Verdict::Valid
        } else {
            Verdict::Rejected(Rejection::HighS)
        };
        assert_eq!(*verdict, expected, "{} {item:02x?}", C::NAME);
    }
    // Of each signature and its other form, one has high s.
    assert_eq!(
        by_policy
            .iter()
            .filter(|verdict| verdict.is_valid())
            .count(),
        all.len() / 2
    );
}

/// Valid signatures with s = (n - 1) / 2 - j, the largest values that are low.
fn around_half<C: EcdsaReference>(random: &mut Random) -> Vec<Item> {
    let half = (order::<C>() - 1u32) / 2u32;
    assert!(half < modulus::<C>());
    (0..3_u32)
        .map(|j| {
            let d = random.scalar::<C>();
            let k = random.scalar::<C>();
            let s = Scalar::<C>::from_repr(to_bytes(&(&half - j)).unwrap().into()).unwrap();
            let r = reduced::<C>(encode::<C>(&mul_base::<C>(&k)).x());
            assert!(bool::from(!s.is_zero()));
            let key = encode::<C>(&mul_base::<C>(&d)).as_sec1().to_vec();
            Item {
                digest: bytes::<C>(&(s * k - r * d)),
                signature: concatenate(&bytes::<C>(&r), &bytes::<C>(&s)),
                key,
            }
        })
        .collect()
}

fn flip<C: TestCurve>(item: &Item) -> Item {
    let (r, s) = halves(&item.signature);
    let other = to_bytes(&(order::<C>() - number(&s))).unwrap();
    Item {
        signature: concatenate(&r, &other),
        ..item.clone()
    }
}
