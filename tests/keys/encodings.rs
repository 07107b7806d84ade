//! Encodings of public keys and points: all of them are equivalent, and malformed ones reject their
//! item.

use crate::declare::{apply, on_every_engine, once};
use crate::support::each::{each_curve, each_ecdsa_curve};
use crate::support::keys::bad_keys;
use crate::support::numbers::{edge_points, modulus_plus, to_bytes};
use crate::support::random::Random;
use crate::support::reference::{
    EcdsaReference, TestCurve, decode, decode_key, encode, encode_all,
};
use crate::support::scheme::{Ecdsa, Item, Scheme, Signed, Sm2Dsa, columns, progression, signed};
use crate::support::shared::shared_points;
use gecc::ecdsa::Policy;
use gecc::{Engine, Point, PublicKeys, Rejection, SecretKey, Verdicts, ecdsa, point, sm2};

const ITEMS: usize = 150;

/// Each encoding has the same verdicts and the same shared points.
#[apply(on_every_engine)]
fn every_encoding(engine: &Engine) {
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
fn malformed_keys(engine: &Engine) {
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

/// Decompression of random x-coordinates, half of which belong to no point, and of special ones.
#[apply(on_every_engine)]
fn decompression(engine: &Engine) {
    each_curve!(decompress(engine));
}

fn decompress<C: TestCurve>(engine: &Engine) {
    let mut random = Random::new();
    let mut coordinates: Vec<[u8; 32]> = (0..300).map(|_| random.bytes()).collect();
    coordinates.extend((0..10u32).map(|small| to_bytes(&small.into()).unwrap()));
    coordinates.extend(
        edge_points::<C>()
            .iter()
            .map(|point| *encode::<C>(point).x()),
    );
    coordinates.extend((0..5).map(modulus_plus::<C>));
    let mut compressed: Vec<[u8; 33]> = Vec::new();
    for x in coordinates {
        for tag in [2, 3] {
            compressed.push(std::array::from_fn(|i| if i == 0 { tag } else { x[i - 1] }));
        }
    }
    compressed.push([4; 33]);
    compressed.push([0; 33]);
    let mut found = 0;
    for (bytes, result) in compressed
        .iter()
        .zip(point::decompress(engine, C::ID, &compressed).unwrap())
    {
        let expected = decode_key::<C>(bytes).map(|point| encode::<C>(&point));
        assert_eq!(
            result.ok(),
            expected,
            "{} {bytes:02x?}: {result:?}",
            C::NAME
        );
        found += usize::from(expected.is_some());
    }
    assert!(
        (200..compressed.len() - 200).contains(&found),
        "{found} of {} are points",
        compressed.len()
    );
}

/// The conversions of `Point`, and those from and to the reference's types.
#[apply(once)]
fn points_round_trip() {
    each_curve!(round_trip());
}

fn round_trip<C: TestCurve>() {
    let mut random = Random::new();
    let points = encode_all::<C>(&edge_points::<C>())
        .into_iter()
        .chain(progression::<C>(&mut random, 20).1);
    for point in points {
        assert_eq!(Point::from_coordinates(point.x(), point.y()), point);
        assert_eq!(Point::from_uncompressed(*point.as_bytes()), Ok(point));
        assert_eq!(
            Point::from_raw(point.as_bytes()[1..].try_into().unwrap()),
            point
        );
        let theirs = elliptic_curve::PublicKey::<C::Theirs>::try_from(&point).unwrap();
        assert_eq!(Point::from(&theirs), point);
        let compressed = point.to_compressed().unwrap();
        assert_eq!(
            decode_key::<C>(&compressed).map(|group| encode::<C>(&group)),
            Some(point)
        );
        assert_eq!(
            format!("{point:?}"),
            format!("Point({})", hex::encode(point.as_sec1()))
        );
    }
    assert_eq!(Point::IDENTITY.as_sec1(), [0]);
    assert_eq!(Point::IDENTITY.to_compressed(), None);
    let rejected = elliptic_curve::PublicKey::<C::Theirs>::try_from(&Point::IDENTITY);
    assert_eq!(rejected.map(|_| ()), Err(Rejection::IdentityKey));
    let off_curve = Point::from_coordinates(&[1; 32], &[1; 32]);
    let rejected = elliptic_curve::PublicKey::<C::Theirs>::try_from(&off_curve);
    assert_eq!(rejected.map(|_| ()), Err(Rejection::NotOnCurve));
}
