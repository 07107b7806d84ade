//! Verification at the edges of its arithmetic: u1, u2 and keys at which recodings, tables and
//! additions are special.

use crate::declare::{apply, on_every_engine};
use crate::support::each::{each_ecdsa, each_ecdsa_curve};
use crate::support::numbers;
use crate::support::random::Random;
use crate::support::reference::{EcdsaReference, Scalar, TestCurve, public_key, scalar};
use crate::support::scheme::{Ecdsa, Item, Scheme, adversarial};
use elliptic_curve::{Field, Group as _, PrimeField};
use gecc::{Engine, Rejection, Verdict};

/// Verifies items whose verdicts follow from their construction, each key once and each key often.
fn check<S: Scheme>(engine: &Engine, items: &[(Item, Verdict)]) {
    let (inputs, expected): (Vec<Item>, Vec<Verdict>) = items.iter().cloned().unzip();
    for (index, verdict) in S::verify(engine, &inputs).into_iter().enumerate() {
        assert_eq!(
            verdict,
            expected[index],
            "{} item {index}: {:02x?}",
            S::CURVE,
            inputs[index]
        );
    }
}

/// The item with these u1, u2 and d and its verdict, if the scheme can express it.
fn with_scalars<S: Scheme>(
    u1: &Scalar<S::C>,
    u2: &Scalar<S::C>,
    d: &Scalar<S::C>,
) -> Option<(Item, Verdict)> {
    let (item, r) = adversarial::<S>(u1, u2, d)?;
    let identity = bool::from(r.is_identity());
    let verdict = if identity {
        Verdict::Rejected(Rejection::IdentityResult)
    } else {
        Verdict::Valid
    };
    Some((item, verdict))
}

fn scalars<C: TestCurve>() -> Vec<Scalar<C>> {
    numbers::edge_scalars::<C>()
        .iter()
        .map(|bytes| scalar::<C>(bytes).unwrap())
        .collect()
}

/// Pairs of edge scalars as u1 and u2, by keys of which some are few enough to get tables.
pub fn edge_scalars_of<S: Scheme>(engine: &Engine) {
    let mut random = Random::new();
    let scalars = scalars::<S::C>();
    let secrets: Vec<Scalar<S::C>> = (0..5).map(|_| random.scalar::<S::C>()).collect();
    let mut items = Vec::new();
    for (index, u1) in scalars.iter().enumerate() {
        // Each u1 with every eighth u2, shifted so that all differences of index occur.
        for u2 in scalars.iter().skip(index % 8).step_by(8) {
            let distinct = random.scalar::<S::C>();
            items.extend(with_scalars::<S>(u1, u2, &distinct));
            items.extend(with_scalars::<S>(u1, u2, &secrets[index % secrets.len()]));
        }
    }
    assert!(items.len() > scalars.len() * scalars.len() / 5);
    check::<S>(engine, &items);
    spot_check::<S>(&items);
}

/// Requires that the reference agrees with the construction.
fn spot_check<S: Scheme>(items: &[(Item, Verdict)]) {
    let step = (items.len() / 100).max(1);
    for (item, verdict) in items.iter().step_by(step) {
        assert_eq!(
            S::reference_verifies(item),
            verdict.is_valid(),
            "{} {item:02x?}",
            S::CURVE
        );
    }
}

#[apply(on_every_engine)]
fn edge_scalars_as_u1_and_u2_are_verified(engine: &Engine) {
    each_ecdsa!(edge_scalars_of(engine));
}

/// Keys that are small multiples of G or their negatives, with u1 and u2 such that u1 G and u2 Q
/// are equal, opposite, or meet in the middle of the computation.
#[apply(on_every_engine)]
fn keys_with_meeting_products_are_verified(engine: &Engine) {
    each_ecdsa!(meetings(engine));
    each_ecdsa_curve!(generator_signs());
}

pub fn meetings<S: Scheme>(engine: &Engine) {
    let mut random = Random::new();
    let mut items = Vec::new();
    let small = (1..=40u64).map(Scalar::<S::C>::from);
    for d in small.flat_map(|d| [d, -d]) {
        let u1 = random.scalar::<S::C>();
        let inverse = Field::invert(&d).unwrap();
        // u2 Q = u1 G, u2 Q = -u1 G, u2 Q = (u1 ± 1) G, u2 = ±u1, and u2 Q = ±G.
        let equal = u1 * inverse;
        let one = Scalar::<S::C>::ONE;
        for u2 in [
            equal,
            -equal,
            (u1 + one) * inverse,
            (u1 - one) * inverse,
            u1,
            -u1,
            inverse,
            -inverse,
        ] {
            items.extend(with_scalars::<S>(&u1, &u2, &d));
        }
        // Small u1 and u2: the partial sums of a window are small multiples of G, like the table's
        // entries.
        for (a, b) in [
            (1, 1),
            (1, 2),
            (2, 1),
            (3, 5),
            (16, 15),
            (15, 16),
            (255, 256),
            (65535, 65536),
        ] {
            items.extend(with_scalars::<S>(&a.into(), &b.into(), &d));
            items.extend(with_scalars::<S>(&a.into(), &-Scalar::<S::C>::from(b), &d));
        }
    }
    let rejected = items
        .iter()
        .filter(|(_, verdict)| !verdict.is_valid())
        .count();
    assert!(rejected >= 80, "{rejected} results are the identity");
    check::<S>(engine, &items);
    // All by one key in a row, so that a table of that key is used.
    let d = random.scalar::<S::C>();
    let u2 = (0..40u64).map(|index| Field::invert(&d).unwrap() * Scalar::<S::C>::from(index + 1));
    let same_key: Vec<_> = u2
        .flat_map(|u2| [u2, -u2].map(|u2| with_scalars::<S>(&20.into(), &u2, &d)))
        .collect();
    check::<S>(engine, &same_key.into_iter().flatten().collect::<Vec<_>>());
    spot_check::<S>(&items);
}

/// The private keys 1 and n - 1 sign like any other, as in the reference.
fn generator_signs<C: EcdsaReference>() {
    for secret in [Scalar::<C>::ONE, -Scalar::<C>::ONE] {
        let secret: [u8; 32] = secret.to_repr().into();
        let (signature, _) = C::sign(&secret, &[3; 32]).unwrap();
        let key = public_key::<C>(&secret).unwrap();
        assert!(C::verifies(&[3; 32], &signature, key.as_sec1()));
    }
}
