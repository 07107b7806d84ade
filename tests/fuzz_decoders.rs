//! Mutated encodings against the reference and against the rules written out: keys, signatures,
//! scalars.
//!
//! A stand-in for cargo-fuzz, which needs a nightly compiler. Runs for 20 seconds of one core,
//! spread evenly over the decoders; `GECC_FUZZ_SECONDS` sets another time, and `GECC_TEST_SEED`
//! repeats a run that failed.

#[allow(dead_code, reason = "the suite needs more of it")]
#[path = "support/mod.rs"]
mod support;

use elliptic_curve::Group as _;
use gecc::{Engine, P256, Point, Rejection, SecretKey, Verdict};
use gecc::{keys, point, signature_from_der, signature_to_der};
use num_bigint::BigUint;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use support::each::{each_curve, each_scheme};
use support::keys::bad_keys;
use support::numbers::{
    edge_points, edge_scalars, modulus, modulus_plus, number, order, order_plus,
};
use support::random::Random;
use support::reference::{TestCurve, decode, decode_key, encode, public_key};
use support::scheme::{Ecdsa, Item, Scheme, Sm2Dsa, concatenate, halves, progression, signed};

/// Inputs of one call.
const BATCH: usize = 512;
/// Public keys, signatures and private keys on three curves each, and DER.
const DECODERS: u32 = 10;

/// Makes new inputs of old ones.
struct Mutator {
    random: Random,
    corpus: Vec<Vec<u8>>,
    /// Numbers at which decoders decide.
    fields: Vec<[u8; 32]>,
}

impl Mutator {
    fn new<C: TestCurve>(corpus: Vec<Vec<u8>>) -> Self {
        let mut fields: Vec<[u8; 32]> = (0..3)
            .map(modulus_plus::<C>)
            .chain((0..3).map(order_plus::<C>))
            .collect();
        fields.extend(edge_scalars::<C>().into_iter().step_by(5));
        fields.extend(
            edge_points::<C>()
                .iter()
                .map(|point| *encode::<C>(point).x()),
        );
        Mutator {
            random: Random::new(),
            corpus,
            fields,
        }
    }

    fn input(&mut self) -> Vec<u8> {
        let mut input = self.corpus[self.random.below(self.corpus.len())].clone();
        for _ in 0..self.random.below(4) {
            self.mutate(&mut input);
        }
        input
    }

    fn mutate(&mut self, input: &mut Vec<u8>) {
        const TELLING: [u8; 18] = [
            0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x20, 0x21, 0x30, 0x44, 0x45, 0x46,
            0x7f, 0x80, 0x81, 0xff,
        ];
        let place = self.random.below(input.len() + 1);
        let telling = TELLING[self.random.below(TELLING.len())];
        match self.random.below(9) {
            0 if !input.is_empty() => self.random.flip_bit(input),
            1 if place < input.len() => input[place] = telling,
            2 => input.insert(place, telling),
            3 if place < input.len() => drop(input.remove(place)),
            4 => input.truncate(place),
            5 => input.push(telling),
            6 => self.overwrite_field(input),
            7 => self.splice(input, place),
            _ if !input.is_empty() => input[0] = telling,
            _ => {}
        }
    }

    /// Writes a special number over 32 bytes: the first or second coordinate, or anywhere.
    fn overwrite_field(&mut self, input: &mut [u8]) {
        let Some(last) = input.len().checked_sub(32) else {
            return;
        };
        let places = [0, 1, 32, 33, self.random.below(last + 1)];
        let place = places[self.random.below(places.len())].min(last);
        input[place..place + 32]
            .copy_from_slice(&self.fields[self.random.below(self.fields.len())]);
    }

    /// Continues with another input from some place on.
    fn splice(&mut self, input: &mut Vec<u8>, place: usize) {
        let other = &self.corpus[self.random.below(self.corpus.len())];
        input.truncate(place);
        input.extend_from_slice(other.get(place..).unwrap_or_default());
    }
}

fn time_per_decoder() -> Duration {
    let seconds = std::env::var("GECC_FUZZ_SECONDS")
        .map(|text| text.parse().expect("GECC_FUZZ_SECONDS is a number"));
    Duration::from_secs(seconds.unwrap_or(20)) / DECODERS
}

/// Feeds batches of mutated inputs to `check` until the time is over; `check` returns how many
/// inputs it tried and how many of them were accepted.
fn fuzz(mut mutator: Mutator, name: &str, check: impl Fn(&[Vec<u8>]) -> (usize, usize)) {
    let end = Instant::now() + time_per_decoder();
    let mut inputs = 0;
    let mut accepted = 0;
    while inputs == 0 || Instant::now() < end {
        let batch: Vec<Vec<u8>> = (0..BATCH).map(|_| mutator.input()).collect();
        let (tried, good) = check(&batch);
        accepted += good;
        inputs += tried;
    }
    println!("{name}: {inputs} inputs, {accepted} accepted");
    // A mutator that only ever makes good inputs, or bad ones, tests half of a decoder.
    assert!(
        accepted > inputs / 100 && accepted < inputs * 99 / 100,
        "{name}: {accepted} of {inputs} accepted"
    );
}

fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| Engine::cpu().expect("threads can be started"))
}

/// The verdict of SEC 1, section 2.3.4, on an octet string as a public key.
fn expected_of_key<C: TestCurve>(p: &BigUint, bytes: &[u8]) -> Result<Point, Rejection> {
    match (bytes.first(), bytes.len()) {
        (Some(0), 1) => return Err(Rejection::IdentityKey),
        (Some(2 | 3), 33) | (Some(4), 65) => {}
        _ => return Err(Rejection::MalformedPoint),
    }
    if bytes[1..]
        .chunks_exact(32)
        .any(|coordinate| BigUint::from_bytes_be(coordinate) >= *p)
    {
        return Err(Rejection::MalformedPoint);
    }
    decode_key::<C>(bytes)
        .map(|point| encode::<C>(&point))
        .ok_or(Rejection::NotOnCurve)
}

fn keys_of<S: Scheme>() {
    let mut random = Random::new();
    let points = progression::<S::C>(&mut random, 20).1;
    let special = edge_points::<S::C>()
        .into_iter()
        .map(|point| encode::<S::C>(&point));
    let mut corpus: Vec<Vec<u8>> = Vec::new();
    for point in points.into_iter().chain(special) {
        corpus.extend([
            point.as_sec1().to_vec(),
            point.to_compressed().expect("not the identity").to_vec(),
        ]);
    }
    corpus.extend(bad_keys::<S::C>().into_iter().map(|(_, bytes, _)| bytes));
    // A signature that fits no key of the corpus: only the key's own checks differ from item to
    // item.
    let item = signed::<S>(&mut random, 1, 1).remove(0).item;
    let p = modulus::<S::C>();
    fuzz(
        Mutator::new::<S::C>(corpus),
        &format!("keys on {}", S::CURVE),
        |batch| {
            let items: Vec<Item> = batch
                .iter()
                .map(|key| Item {
                    key: key.clone(),
                    ..item.clone()
                })
                .collect();
            let expected: Vec<_> = batch
                .iter()
                .map(|key| expected_of_key::<S::C>(&p, key))
                .collect();
            for ((key, expected), verdict) in
                batch.iter().zip(&expected).zip(S::verify(engine(), &items))
            {
                let found = Verdict::Rejected(expected.err().unwrap_or(Rejection::Mismatch));
                assert_eq!(verdict, found, "{} key {key:02x?}", S::CURVE);
            }
            points_of::<S::C>(&p, batch);
            let good = expected.iter().filter(|expected| expected.is_ok()).count();
            (batch.len(), good)
        },
    );
}

/// Checks the bytes as compressed keys and as points.
fn points_of<C: TestCurve>(p: &BigUint, batch: &[Vec<u8>]) {
    let compressed: Vec<[u8; 33]> = batch
        .iter()
        .filter_map(|bytes| bytes.as_slice().try_into().ok())
        .collect();
    let found = point::decompress(engine(), C::ID, &compressed).unwrap();
    for (bytes, found) in compressed.iter().zip(found) {
        assert_eq!(
            found,
            expected_of_key::<C>(p, bytes),
            "{} {bytes:02x?}",
            C::NAME
        );
    }
    let fixed: Vec<[u8; 65]> = batch
        .iter()
        .filter_map(|bytes| bytes.as_slice().try_into().ok())
        .collect();
    let points: Vec<Point> = fixed
        .iter()
        .filter_map(|bytes| Point::from_uncompressed(*bytes).ok())
        .collect();
    let tagged = fixed
        .iter()
        .filter(|bytes| bytes[0] == 4 || **bytes == [0; 65])
        .count();
    assert_eq!(points.len(), tagged);
    for (point, found) in points
        .iter()
        .zip(point::double(engine(), C::ID, &points).unwrap())
    {
        let expected = decode::<C>(point).map(|group| encode::<C>(&group.double()));
        assert_eq!(found.ok(), expected, "{} {point:?}", C::NAME);
    }
}

mod public_keys {
    use super::*;

    macro_rules! of_ecdsa {
        ([] $($curve:ident $name:ident $module:tt $reference:tt;)*) => {
            $(
                #[test]
                fn $name() {
                    keys_of::<Ecdsa<gecc::$curve>>();
                }
            )*
        };
    }
    gecc::for_each_ecdsa_curve!(of_ecdsa!);

    #[test]
    fn sm2() {
        keys_of::<Sm2Dsa>();
    }
}

/// r and s of raw signatures: out of range exactly from n on and for 0.
fn ranges_of<S: Scheme>() {
    let mut random = Random::new();
    let items = signed::<S>(&mut random, 20, 20);
    let item = items[0].item.clone();
    let mut corpus: Vec<Vec<u8>> = items
        .iter()
        .map(|signed| signed.item.signature.to_vec())
        .collect();
    corpus.push(concatenate(&order_plus::<S::C>(0), &[1; 32]).to_vec());
    let n = order::<S::C>();
    fuzz(
        Mutator::new::<S::C>(corpus),
        &format!("signatures on {}", S::CURVE),
        |batch| {
            let signatures: Vec<[u8; 64]> = batch
                .iter()
                .filter_map(|bytes| bytes.as_slice().try_into().ok())
                .collect();
            let items: Vec<Item> = signatures
                .iter()
                .map(|signature| Item {
                    signature: *signature,
                    ..item.clone()
                })
                .collect();
            let mut accepted = 0;
            for (signature, verdict) in signatures.iter().zip(S::verify(engine(), &items)) {
                let (r, s) = halves(signature);
                let [r_in_range, s_in_range] =
                    [r, s].map(|value| value != [0; 32] && number(&value) < n);
                let r_rejected = verdict == Verdict::Rejected(Rejection::ROutOfRange);
                let s_rejected = verdict == Verdict::Rejected(Rejection::SOutOfRange);
                assert_eq!(
                    r_rejected,
                    !r_in_range,
                    "{} {signature:02x?}: {verdict}",
                    S::CURVE
                );
                assert_eq!(
                    s_rejected,
                    r_in_range && !s_in_range,
                    "{} {signature:02x?}: {verdict}",
                    S::CURVE
                );
                accepted += usize::from(!r_rejected && !s_rejected);
            }
            (signatures.len(), accepted)
        },
    );
}

#[test]
fn raw_signatures() {
    each_scheme!(ranges_of());
}

/// The rules of X.690 for a sequence of two integers that fit 32 bytes, in their shortest
/// formulation.
fn expected_of_der(der: &[u8]) -> Option<[u8; 64]> {
    let [0x30, length, content @ ..] = der else {
        return None;
    };
    // At most 70 bytes follow, so the length has its short form.
    if usize::from(*length) != content.len() || *length > 127 {
        return None;
    }
    let (r, rest) = expected_of_integer(content)?;
    let (s, rest) = expected_of_integer(rest)?;
    rest.is_empty().then(|| concatenate(&r, &s))
}

fn expected_of_integer(der: &[u8]) -> Option<([u8; 32], &[u8])> {
    let [0x02, length, rest @ ..] = der else {
        return None;
    };
    let (value, rest) = rest.split_at_checked(usize::from(*length))?;
    let digits = match value {
        // A zero byte first only where the number would look negative without it; and 0 itself is
        // one byte.
        [0] => value,
        [0, digits @ ..] if digits[0] >= 0x80 => digits,
        [] | [0, ..] => return None,
        _ if value[0] >= 0x80 => return None,
        _ => value,
    };
    let mut bytes = [0; 32];
    bytes
        .get_mut(32usize.checked_sub(digits.len())?..)?
        .copy_from_slice(digits);
    Some((bytes, rest))
}

#[test]
fn der_signatures() {
    let mut random = Random::new();
    let mut corpus: Vec<Vec<u8>> = Vec::new();
    for length in 0..=32 {
        let [r, s] = [(); 2].map(|()| {
            let mut number: [u8; 32] = random.bytes();
            number[..32 - length].fill(0);
            number
        });
        corpus.push(signature_to_der(&concatenate(&r, &s)));
    }
    fuzz(Mutator::new::<P256>(corpus), "DER", |batch| {
        let mut accepted = 0;
        for der in batch {
            let found = signature_from_der(der);
            assert_eq!(
                found,
                expected_of_der(der).ok_or(Rejection::MalformedSignature),
                "{der:02x?}"
            );
            // The reference also checks the ranges of r and s, so it may refuse more, never less.
            if let Ok(theirs) = p256::ecdsa::Signature::from_der(der) {
                assert_eq!(found, Ok(theirs.to_bytes().into()), "{der:02x?}");
            }
            if let Ok(signature) = found {
                assert_eq!(&signature_to_der(&signature), der);
                accepted += 1;
            }
        }
        (batch.len(), accepted)
    });
}

fn secrets_of<C: TestCurve>() {
    let corpus = edge_scalars::<C>()
        .iter()
        .map(|scalar| scalar.to_vec())
        .collect();
    fuzz(
        Mutator::new::<C>(corpus),
        &format!("private keys on {}", C::NAME),
        |batch| {
            // The constant-time arithmetic is slow: a few of each batch.
            let secrets: Vec<[u8; 32]> = batch
                .iter()
                .filter_map(|bytes| bytes.as_slice().try_into().ok())
                .take(64)
                .collect();
            let given: Vec<SecretKey> = secrets
                .iter()
                .map(|secret| SecretKey::from_bytes(*secret))
                .collect();
            let found = keys::public_keys(engine(), C::ID, &given).unwrap();
            for (secret, found) in secrets.iter().zip(&found) {
                let expected = public_key::<C>(secret).ok_or(Rejection::SecretKeyOutOfRange);
                assert_eq!(*found, expected, "{} {secret:02x?}", C::NAME);
            }
            (
                found.len(),
                found.iter().filter(|found| found.is_ok()).count(),
            )
        },
    );
}

#[test]
fn private_keys() {
    each_curve!(secrets_of());
}
