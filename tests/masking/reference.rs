//! Hashing to points against the RustCrypto crates, and against the definitions of the suites that
//! try x-coordinates.

use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use crate::support::reference::{encode, lift_x};
use gecc::hash_to_curve::{self, Suite};
use gecc::{Engine, P256, Point, Secp256k1, Sm2};
use hash2curve::GroupDigest;
use sha2::{Digest, Sha256};
use sm3::Sm3;

/// Lengths of tags: the shortest, the longest that is hashed as it is, and longer ones.
const TAGS: [usize; 5] = [1, 40, 255, 256, 700];
const LONGEST_MESSAGE: usize = 300;

/// Returns the point of a message, computed one at a time.
pub fn point_of(suite: Suite, dst: &[u8], message: &[u8]) -> Point {
    match suite {
        Suite::P256SswuRo => {
            encode::<P256>(&p256::NistP256::hash_from_bytes(&[message], &[dst]).unwrap())
        }
        Suite::P256SswuNu => {
            encode::<P256>(&p256::NistP256::encode_from_bytes(&[message], &[dst]).unwrap())
        }
        Suite::Secp256k1SswuRo => {
            encode::<Secp256k1>(&k256::Secp256k1::hash_from_bytes(&[message], &[dst]).unwrap())
        }
        Suite::Secp256k1SswuNu => {
            encode::<Secp256k1>(&k256::Secp256k1::encode_from_bytes(&[message], &[dst]).unwrap())
        }
        Suite::Sm2Rehash => sm2_rehash(message),
        _ => panic!("{suite} has no reference here"),
    }
}

/// The suites that `point_of` computes.
pub const SUITES: [Suite; 5] = [
    Suite::P256SswuRo,
    Suite::P256SswuNu,
    Suite::Secp256k1SswuRo,
    Suite::Secp256k1SswuNu,
    Suite::Sm2Rehash,
];

/// A digest is never between p and 2^256 by chance, so that none is reduced here.
fn sm2_rehash(message: &[u8]) -> Point {
    let mut digest: [u8; 32] = Sm3::digest(message).into();
    loop {
        if let Some(point) = lift_x::<Sm2>(&digest, false) {
            return encode::<Sm2>(&point);
        }
        digest = Sm3::digest(digest).into();
    }
}

/// Returns a tag of the length, or none for suites that take none.
pub fn tag(suite: Suite, length: usize) -> Vec<u8> {
    let length = if suite.takes_dst() { length } else { 0 };
    (0..length).map(|index| index as u8).collect()
}

#[apply(on_every_engine)]
fn messages_of_every_length_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let messages: Vec<Vec<u8>> = (0..=LONGEST_MESSAGE)
        .map(|length| random.vector(length))
        .collect();
    for suite in SUITES {
        let dst = tag(suite, TAGS[1]);
        let points = hash_to_curve::points(engine, suite, &dst, &messages).unwrap();
        for (point, message) in points.into_iter().zip(&messages) {
            assert_eq!(
                point,
                Ok(point_of(suite, &dst, message)),
                "{suite} {message:02x?}"
            );
        }
    }
}

#[apply(on_every_engine)]
fn tags_of_every_length_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let messages: Vec<Vec<u8>> = (0..20).map(|length| random.vector(5 * length)).collect();
    for suite in SUITES.into_iter().filter(|suite| suite.takes_dst()) {
        for length in TAGS {
            let dst = tag(suite, length);
            let points = hash_to_curve::points(engine, suite, &dst, &messages).unwrap();
            for (point, message) in points.into_iter().zip(&messages) {
                let expected = point_of(suite, &dst, message);
                assert_eq!(point, Ok(expected), "{suite}, a tag of {length} bytes");
            }
        }
    }
}

/// Messages around the length above which devices leave them to the CPU, and an even longer one.
#[apply(on_every_engine)]
fn long_messages_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let messages = [16383, 16384, 16385, 100_000].map(|length| random.vector(length));
    for suite in SUITES {
        let dst = tag(suite, TAGS[1]);
        let points = hash_to_curve::points(engine, suite, &dst, &messages).unwrap();
        for (point, message) in points.into_iter().zip(&messages) {
            let expected = point_of(suite, &dst, message);
            assert_eq!(point, Ok(expected), "{suite}, {} bytes", message.len());
        }
    }
}

/// Points of suites on different curves or with different tags have nothing in common.
#[apply(on_every_engine)]
fn tags_separate_domains(engine: &Engine) {
    for suite in Suite::ALL.iter().filter(|suite| suite.takes_dst()) {
        let of = |dst: &[u8]| hash_to_curve::points(engine, *suite, dst, &["x"]).unwrap()[0];
        let all = [
            of(b"a"),
            of(b"b"),
            of(b"ab"),
            of(&[b'a'; 256]),
            of(&[b'a'; 257]),
        ];
        for (index, point) in all.iter().enumerate() {
            assert!(!all[..index].contains(point));
        }
        // A tag above 255 bytes is its hash.
        let hash = Sha256::new_with_prefix("H2C-OVERSIZE-DST-").chain_update([b'a'; 256]);
        assert_eq!(all[3], of(&hash.finalize()));
    }
}

/// Every size around those at which engines cut batches; the last items of each are compared.
#[apply(on_every_engine)]
fn every_batch_size_matches_reference(engine: &Engine) {
    let mut random = Random::new();
    let messages: Vec<Vec<u8>> = (0..1025).map(|_| random.vector(16)).collect();
    for suite in SUITES {
        let dst = tag(suite, TAGS[1]);
        let expected: Vec<Point> = messages
            .iter()
            .map(|message| point_of(suite, &dst, message))
            .collect();
        for size in (0..20).chain([63, 64, 65, 255, 256, 257, 511, 512, 513, 1025]) {
            let points = hash_to_curve::points(engine, suite, &dst, &messages[..size]).unwrap();
            assert!(
                points
                    .into_iter()
                    .eq(expected[..size].iter().copied().map(Ok)),
                "{suite}: {size} items"
            );
        }
    }
}

/// The curves of the suites are those of their points.
#[apply(on_every_engine)]
fn points_are_on_the_curve_of_the_suite(engine: &Engine) {
    for suite in Suite::ALL {
        let dst = tag(*suite, TAGS[1]);
        let points = hash_to_curve::points(engine, *suite, &dst, &["x", "y"]).unwrap();
        let points: Vec<Point> = points.into_iter().map(Result::unwrap).collect();
        assert_ne!(points[0], points[1]);
        let sums = gecc::point::double(engine, suite.curve(), &points).unwrap();
        assert!(sums.iter().all(Result::is_ok), "{suite}");
    }
}
