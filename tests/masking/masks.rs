//! Masks of items and of points against the reference, in every form.

use super::reference::{SUITES, point_of, tag};
use crate::declare::{apply, on_every_engine};
use crate::support::each::each_curve;
use crate::support::numbers::{edge_points, edge_scalars};
use crate::support::random::Random;
use crate::support::reference::{TestCurve, encode, shared_point};
use crate::support::scheme::progression;
use gecc::hash_to_curve::{self, Suite};
use gecc::mask::{self, Form, Masked};
use gecc::{CurveId, Engine, Point, PublicKeys, Rejection, SecretKey};

const ITEMS: usize = 150;
const FORMS: [Form; 7] = [
    Form::Compressed,
    Form::Uncompressed,
    Form::Raw,
    Form::X,
    Form::Truncated(1),
    Form::Truncated(12),
    Form::Truncated(32),
];

/// Returns a point in one form.
fn in_form(point: &Point, form: Form) -> Vec<u8> {
    match form {
        Form::Compressed => point.to_compressed().unwrap().to_vec(),
        Form::Uncompressed => point.as_sec1().to_vec(),
        Form::Raw => point.as_bytes()[1..].to_vec(),
        Form::X => point.x().to_vec(),
        Form::Truncated(bytes) => point.x()[..bytes.into()].to_vec(),
        _ => panic!("an unknown form"),
    }
}

fn rows(masked: &Masked) -> Vec<Result<Vec<u8>, Rejection>> {
    masked.iter().map(|row| row.map(<[u8]>::to_vec)).collect()
}

/// Returns the points of results in the form `x || y`.
fn raw(masked: &Masked) -> Vec<[u8; 64]> {
    assert_eq!(masked.form(), Form::Raw);
    masked
        .iter()
        .map(|row| row.unwrap().try_into().unwrap())
        .collect()
}

#[apply(on_every_engine)]
fn masked_points_match_reference_in_every_form(engine: &Engine) {
    each_curve!(points(engine));
}

fn points<C: TestCurve>(engine: &Engine) {
    let mut random = Random::new();
    let peers = progression::<C>(&mut random, ITEMS).1;
    let secrets: Vec<[u8; 32]> = peers.iter().map(|_| random.scalar_bytes::<C>()).collect();
    let keys: Vec<SecretKey> = secrets.iter().copied().map(SecretKey::from_bytes).collect();
    let product = |secret: &[u8; 32], peer: &Point| {
        encode::<C>(&shared_point::<C>(secret, peer.as_sec1()).unwrap())
    };
    for form in FORMS {
        // One key for all, and one per item.
        let masked = mask::points(engine, C::ID, &keys[0], &peers, form).unwrap();
        let expected: Vec<_> = peers
            .iter()
            .map(|peer| Ok(in_form(&product(&secrets[0], peer), form)))
            .collect();
        assert_eq!(rows(&masked), expected, "{} {form:?}", C::NAME);
        let masked = mask::points(engine, C::ID, &keys, &peers, form).unwrap();
        let expected: Vec<_> = peers
            .iter()
            .zip(&secrets)
            .map(|(peer, secret)| Ok(in_form(&product(secret, peer), form)))
            .collect();
        assert_eq!(rows(&masked), expected, "{} {form:?}", C::NAME);
    }
}

#[apply(on_every_engine)]
fn masked_items_match_reference_in_every_form(engine: &Engine) {
    let mut random = Random::new();
    let items: Vec<Vec<u8>> = (0..40).map(|length| random.vector(length)).collect();
    for suite in SUITES {
        let key = SecretKey::generate(suite.curve()).unwrap();
        let dst = tag(suite, 30);
        let hashed: Vec<Point> = items
            .iter()
            .map(|item| point_of(suite, &dst, item))
            .collect();
        for form in FORMS {
            let masked = mask::items(engine, suite, &dst, &key, &items, form).unwrap();
            let expected = mask::points(engine, suite.curve(), &key, &hashed, form).unwrap();
            assert_eq!(rows(&masked), rows(&expected), "{suite} {form:?}");
        }
    }
}

/// Items with a key each, in batches of every size around those at which engines cut batches.
#[apply(on_every_engine)]
fn every_batch_size_of_items_is_masked(engine: &Engine) {
    let mut random = Random::new();
    for suite in Suite::ALL.iter().copied() {
        let items: Vec<Vec<u8>> = (0..600).map(|_| random.vector(16)).collect();
        let dst = tag(suite, 30);
        let keys: Vec<SecretKey> = items
            .iter()
            .map(|_| SecretKey::generate(suite.curve()).unwrap())
            .collect();
        let hashed = hash_to_curve::points(engine, suite, &dst, &items).unwrap();
        let hashed: Vec<Point> = hashed.into_iter().map(Result::unwrap).collect();
        let expected = mask::points(engine, suite.curve(), &keys, &hashed, Form::X).unwrap();
        for size in [
            0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 127, 128, 129, 511, 512, 513, 600,
        ] {
            let items = &items[..size];
            let keys = &keys[..size];
            let masked = mask::items(engine, suite, &dst, keys, items, Form::X).unwrap();
            assert_eq!(
                masked.rows(),
                &expected.rows()[..32 * size],
                "{suite}: {size}"
            );
            assert_eq!(masked.codes(), &expected.codes()[..size]);
        }
    }
}

/// Masks commute, and removing one leaves the other.
#[apply(on_every_engine)]
fn masks_commute_and_are_removed(engine: &Engine) {
    let mut random = Random::new();
    let items: Vec<Vec<u8>> = (0..100).map(|_| random.vector(20)).collect();
    for suite in Suite::ALL.iter().copied() {
        let curve = suite.curve();
        let dst = tag(suite, 30);
        let [ours, theirs] = [(); 2].map(|()| SecretKey::generate(curve).unwrap());
        let mask_items =
            |key| raw(&mask::items(engine, suite, &dst, key, &items, Form::Raw).unwrap());
        let mask_points = |key, points: &[[u8; 64]]| {
            raw(&mask::points(engine, curve, key, PublicKeys::raw(points), Form::Raw).unwrap())
        };
        let unmask = |key, points: &[[u8; 64]]| {
            raw(&mask::unmask(engine, curve, key, PublicKeys::raw(points), Form::Raw).unwrap())
        };
        let of_ours = mask_items(&ours);
        let of_theirs = mask_items(&theirs);
        let both = mask_points(&theirs, &of_ours);
        assert_eq!(both, mask_points(&ours, &of_theirs), "{suite}");
        assert_eq!(unmask(&ours, &both), of_theirs, "{suite}");
        assert_eq!(unmask(&theirs, &both), of_ours, "{suite}");
        let hashed = hash_to_curve::points(engine, suite, &dst, &items).unwrap();
        let hashed = hashed
            .into_iter()
            .map(|point| Ok(in_form(&point.unwrap(), Form::Raw)));
        let unmasked =
            mask::unmask(engine, curve, &ours, PublicKeys::raw(&of_ours), Form::Raw).unwrap();
        assert!(rows(&unmasked).into_iter().eq(hashed), "{suite}");
    }
}

#[apply(on_every_engine)]
fn edge_keys_and_points_are_masked_and_unmasked(engine: &Engine) {
    each_curve!(edges(engine));
}

fn edges<C: TestCurve>(engine: &Engine) {
    let secrets: Vec<[u8; 32]> = edge_scalars::<C>()
        .into_iter()
        .filter(|secret| *secret != [0; 32])
        .collect();
    let keys: Vec<SecretKey> = secrets.iter().copied().map(SecretKey::from_bytes).collect();
    let points: Vec<Point> = edge_points::<C>()
        .iter()
        .map(|point| encode::<C>(point))
        .filter(|point| !point.is_identity())
        .cycle()
        .take(keys.len())
        .collect();
    let masked = mask::points(engine, C::ID, &keys, &points, Form::Raw).unwrap();
    for ((row, secret), point) in masked.iter().zip(&secrets).zip(&points) {
        let expected = encode::<C>(&shared_point::<C>(secret, point.as_sec1()).unwrap());
        assert_eq!(row.unwrap(), &expected.as_bytes()[1..], "{secret:02x?}");
    }
    let masked = raw(&masked);
    let unmasked = mask::unmask(
        engine,
        C::ID,
        &keys,
        PublicKeys::raw(&masked),
        Form::Uncompressed,
    )
    .unwrap();
    for (row, point) in unmasked.iter().zip(&points) {
        assert_eq!(row.unwrap(), point.as_sec1());
    }
}

/// One point for all keys, in every encoding of points.
#[apply(on_every_engine)]
fn every_encoding_of_points_is_masked(engine: &Engine) {
    let curve = CurveId::Sm2;
    let hashed = hash_to_curve::points(engine, Suite::Sm2Rehash, b"", &["x", "y", "z"]).unwrap();
    let points: Vec<Point> = hashed.into_iter().map(Result::unwrap).collect();
    let key = SecretKey::generate(curve).unwrap();
    let expected = mask::points(engine, curve, &key, &points, Form::Compressed).unwrap();
    let compressed: Vec<[u8; 33]> = points
        .iter()
        .map(|point| point.to_compressed().unwrap())
        .collect();
    let uncompressed: Vec<[u8; 65]> = points.iter().map(|point| *point.as_bytes()).collect();
    let mixed = [&compressed[0][..], &uncompressed[1], &compressed[2]];
    for keys in [
        PublicKeys::compressed(&compressed),
        PublicKeys::uncompressed(&uncompressed),
        PublicKeys::sec1(&mixed),
    ] {
        let masked = mask::points(engine, curve, &key, keys, Form::Compressed).unwrap();
        assert_eq!(rows(&masked), rows(&expected));
    }
    let keys = [key.clone(), key.clone()];
    let masked = mask::points(engine, curve, &keys, &points[0], Form::Compressed).unwrap();
    assert_eq!(
        rows(&masked),
        [expected.get(0), expected.get(0)].map(|row| row.map(<[u8]>::to_vec))
    );
    // One key with one point is a batch of one.
    let masked = mask::points(engine, curve, &key, &points[1], Form::Compressed).unwrap();
    assert_eq!((masked.len(), masked.get(0)), (1, expected.get(1)));
}
