//! Encodings of public keys: all of them are equivalent, and malformed ones reject their item.

use crate::declare::{apply, on_every_engine};
use crate::support::each::{each_curve, each_ecdsa_curve};
use crate::support::keys::bad_keys;
use crate::support::random::Random;
use crate::support::reference::{EcdsaReference, TestCurve, decode, decode_key};
use crate::support::scheme::{Ecdsa, Item, Scheme, Signed, Sm2Dsa, columns, progression, signed};
use crate::support::shared::shared_points;
use gecc::ecdsa::Policy;
use gecc::{Engine, Point, PublicKeys, SecretKey, Verdicts, ecdsa, sm2};

const ITEMS: usize = 150;

/// Each encoding has the same verdicts and the same shared points.
#[apply(on_every_engine)]
fn every_encoding_has_the_same_results(engine: &Engine) {
    each_ecdsa_curve!(verify_ecdsa(engine));
    verify_all::<Sm2Dsa>(|digests, signatures, keys| {
        sm2::verify(engine, digests, signatures, keys).unwrap()
    });
    each_curve!(agree_all(engine));
}

fn verify_ecdsa<C: EcdsaReference>(engine: &Engine) {
    verify_all::<Ecdsa<C>>(|digests, signatures, keys| {
        ecdsa::verify(engine, C::ID, digests, signatures, keys, Policy::default()).unwrap()
    });
}

struct Encoded {
    compressed: Vec<[u8; 33]>,
    uncompressed: Vec<[u8; 65]>,
    raw: Vec<[u8; 64]>,
    points: Vec<Point>,
    mixed: Vec<Vec<u8>>,
}

fn encoded(points: &[Point]) -> Encoded {
    let compressed: Vec<[u8; 33]> = points
        .iter()
        .map(|point| point.to_compressed().unwrap())
        .collect();
    let uncompressed: Vec<[u8; 65]> = points.iter().map(|point| *point.as_bytes()).collect();
    let raw = uncompressed
        .iter()
        .map(|bytes| bytes[1..].try_into().unwrap())
        .collect();
    let mixed = compressed
        .iter()
        .zip(&uncompressed)
        .enumerate()
        .map(|(index, (short, long))| {
            if index % 2 == 0 {
                short.to_vec()
            } else {
                long.to_vec()
            }
        })
        .collect();
    Encoded {
        compressed,
        uncompressed,
        raw,
        points: points.to_vec(),
        mixed,
    }
}

/// Calls `with` for every encoding that has one entry per key.
fn with_each(encoded: &Encoded, mut with: impl FnMut(&str, PublicKeys)) {
    let mixed: Vec<&[u8]> = encoded.mixed.iter().map(Vec::as_slice).collect();
    with("compressed", PublicKeys::compressed(&encoded.compressed));
    with(
        "uncompressed",
        PublicKeys::uncompressed(&encoded.uncompressed),
    );
    with("raw", PublicKeys::raw(&encoded.raw));
    with("points", PublicKeys::points(&encoded.points));
    with("sec1", PublicKeys::sec1(&mixed));
}

fn verify_all<S: Scheme>(verify: impl Fn(&[[u8; 32]], &[[u8; 64]], PublicKeys) -> Verdicts) {
    let mut random = Random::new();
    let mut items = signed::<S>(&mut random, ITEMS, ITEMS);
    items
        .iter_mut()
        .step_by(9)
        .for_each(|signed| random.flip_bit(&mut signed.item.digest));
    let keys: Vec<Point> = items.iter().map(|signed| signed.key).collect();
    let list: Vec<Item> = items.iter().map(|signed| signed.item.clone()).collect();
    let (digests, signatures, _) = columns(&list);
    with_each(&encoded(&keys), |name, keys| {
        for (index, verdict) in verify(&digests, &signatures, keys).iter().enumerate() {
            assert_eq!(
                verdict.is_valid(),
                index % 9 != 0,
                "{name}, item {index}: {verdict}"
            );
        }
    });
    // One key for all: its own items are valid.
    let mine = signed::<S>(&mut random, ITEMS, 1);
    let (digests, signatures): (Vec<_>, Vec<_>) = mine
        .iter()
        .map(|signed| (signed.item.digest, signed.item.signature))
        .unzip();
    let key = mine[0].key;
    for encoding in [key.as_sec1(), &key.to_compressed().unwrap()] {
        assert!(verify(&digests, &signatures, PublicKeys::all(encoding)).all_valid());
    }
    let other: &Signed = &items[1];
    assert_eq!(
        verify(&digests, &signatures, PublicKeys::all(other.key.as_sec1()))
            .rejected()
            .count(),
        ITEMS
    );
}

fn agree_all<C: TestCurve>(engine: &Engine) {
    let mut random = Random::new();
    let peers = progression::<C>(&mut random, ITEMS).1;
    let key = SecretKey::from_bytes(random.scalar_bytes::<C>());
    let expected = shared_points::<C>(engine, &key, PublicKeys::points(&peers)).unwrap();
    assert!(expected.iter().all(Result::is_ok));
    with_each(&encoded(&peers), |name, keys| {
        assert_eq!(
            shared_points::<C>(engine, &key, keys).unwrap(),
            expected,
            "{name}"
        );
    });
}

/// Every malformed key gets its own reason, and the reference rejects it too.
#[apply(on_every_engine)]
fn malformed_keys_are_rejected_with_their_reason(engine: &Engine) {
    each_curve!(reject_all(engine));
}

fn reject_all<C: TestCurve>(engine: &Engine) {
    let bad = bad_keys::<C>();
    let encodings: Vec<&[u8]> = bad
        .iter()
        .map(|(_, encoding, _)| encoding.as_slice())
        .collect();
    let key = SecretKey::from_bytes([1; 32]);
    let shared = shared_points::<C>(engine, &key, PublicKeys::sec1(&encodings)).unwrap();
    for ((name, encoding, reason), shared) in bad.iter().zip(shared) {
        assert_eq!(shared, Err(*reason), "{}: {name}", C::NAME);
        assert!(
            decode_key::<C>(encoding).is_none(),
            "{}: the reference accepts '{name}'",
            C::NAME
        );
    }
    // The forms of fixed length take the same decisions.
    let raw: Vec<[u8; 64]> = bad
        .iter()
        .filter_map(|(_, bytes, _)| bytes.get(1..)?.try_into().ok())
        .collect();
    let expected: Vec<bool> = raw
        .iter()
        .map(|raw| decode::<C>(&Point::from_raw(raw)).is_some())
        .collect();
    let shared = shared_points::<C>(engine, &key, PublicKeys::raw(&raw)).unwrap();
    assert_eq!(
        shared.iter().map(Result::is_ok).collect::<Vec<_>>(),
        expected
    );
}
