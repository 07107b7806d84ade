//! Public keys from private keys, and key generation.

use crate::declare::{apply, on_every_engine, once};
use crate::support::each::each_curve;
use crate::support::numbers::{edge_scalars, order_plus};
use crate::support::random::Random;
use crate::support::reference::{TestCurve, public_key};
use gecc::{Engine, Point, Rejection, SecretKey, keys};
use std::collections::HashSet;

#[apply(on_every_engine)]
fn public_keys_match_reference(engine: &Engine) {
    each_curve!(compare(engine));
}

fn compare<C: TestCurve>(engine: &Engine) {
    let mut random = Random::new();
    let mut secrets = edge_scalars::<C>();
    secrets.extend([order_plus::<C>(0), order_plus::<C>(1), [0xff; 32]]);
    secrets.extend((0..200).map(|_| random.scalar_bytes::<C>()));
    let given: Vec<SecretKey> = secrets
        .iter()
        .map(|secret| SecretKey::from_bytes(*secret))
        .collect();
    for (secret, public) in secrets
        .iter()
        .zip(keys::public_keys(engine, C::ID, &given).unwrap())
    {
        let expected = public_key::<C>(secret).ok_or(Rejection::SecretKeyOutOfRange);
        assert_eq!(public, expected, "{} {secret:02x?}", C::NAME);
    }
}

/// Generated pairs belong together and differ from one another.
#[apply(on_every_engine)]
fn generated_pairs_match_and_differ(engine: &Engine) {
    each_curve!(generate(engine));
}

fn generate<C: TestCurve>(engine: &Engine) {
    let (secret, public) = keys::generate(engine, C::ID, 100).unwrap();
    assert_eq!(secret.len(), 100);
    let expected: Vec<Point> = secret
        .iter()
        .map(|secret| public_key::<C>(secret.expose_bytes()).expect("in range"))
        .collect();
    assert_eq!(public, expected);
    assert_eq!(public.iter().collect::<HashSet<_>>().len(), 100);
}

/// Keys from and to the reference's types.
#[apply(once)]
fn conversions_match_types_of_reference() {
    each_curve!(convert());
}

fn convert<C: TestCurve>() {
    let mut random = Random::new();
    let bytes = random.scalar_bytes::<C>();
    let theirs =
        elliptic_curve::SecretKey::<C::Theirs>::try_from(&SecretKey::from_bytes(bytes)).unwrap();
    assert_eq!(theirs.to_bytes()[..], bytes);
    assert_eq!(*SecretKey::from(&theirs).expose_bytes(), bytes);
    for outside in [[0; 32], order_plus::<C>(0), [0xff; 32]] {
        let converted =
            elliptic_curve::SecretKey::<C::Theirs>::try_from(&SecretKey::from_bytes(outside));
        assert_eq!(converted.map(|_| ()), Err(Rejection::SecretKeyOutOfRange));
    }
}
