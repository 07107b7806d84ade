//! Millions of fresh random items per curve against RustCrypto: rare carries do not show in thousands.
//!
//! `cargo test --release --test soak -- --ignored --nocapture`, with `GECC_SOAK_ITEMS` for another number than 10^7 per
//! curve and `GECC_SOAK_SEED` (printed by every run) to repeat one.
//!
//! RustCrypto multiplies points far too slowly to compute 10^7 expected results one by one, but adds them quickly. So the
//! scalars of a chunk are random arithmetic progressions, k_i = k_0 + i δ, and their points k_i G come from RustCrypto by
//! one addition each. All else follows by scalar arithmetic: signatures with nonce k_i, and multiplications of unknown
//! points d_i G by k_i / d_i, whose results are the points k_i G again.

use elliptic_curve::sec1::ToSec1Point;
use elliptic_curve::{Curve as _, CurveGroup, Field, FieldBytes, Group, PrimeField, ops::Reduce};
use gecc::ecdsa::Policy;
use gecc::{EcdsaCurve, Engine, P256, Point, PublicKeys, Rejection, Secp256k1, SecretCurve, Sm2, Verdict};
use gecc::{ecdsa, point, sm2};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use rayon::prelude::*;
use std::time::Instant;

const CHUNK: usize = 1 << 17;

type Number<C> = elliptic_curve::Scalar<<C as SecretCurve>::Reference>;
type Projective<C> = elliptic_curve::ProjectivePoint<<C as SecretCurve>::Reference>;

/// Scalars and their products with G, the products by RustCrypto's additions alone.
struct Progression<C: SecretCurve> {
    scalars: Vec<Number<C>>,
    points: Vec<Point>,
}

impl<C: SecretCurve> Progression<C> {
    fn new(rng: &mut StdRng) -> Self {
        let parts: Vec<[Number<C>; 2]> = (0..CHUNK / 1024).map(|_| [random::<C>(rng), random::<C>(rng)]).collect();
        let (scalars, points): (Vec<_>, Vec<_>) = parts
            .par_iter()
            .flat_map_iter(|[first, step]| {
                let (mut scalar, mut point) = (*first, Projective::<C>::mul_by_generator(first));
                let step_point = Projective::<C>::mul_by_generator(step);
                (0..1024).map(move |_| {
                    let pair = (scalar, encode::<C>(&point));
                    scalar += *step;
                    point += step_point;
                    pair
                })
            })
            .unzip();
        Progression { scalars, points }
    }
}

fn random<C: SecretCurve>(rng: &mut StdRng) -> Number<C> {
    loop {
        let bytes: [u8; 32] = rng.random();
        if let Some(scalar) =
            Number::<C>::from_repr(bytes.into()).into_option().filter(|scalar| !bool::from(scalar.is_zero()))
        {
            return scalar;
        }
    }
}

fn encode<C: SecretCurve>(point: &Projective<C>) -> Point {
    Point::from_uncompressed(point.to_affine().to_sec1_point(false).as_bytes().try_into().expect("not the identity"))
        .expect("uncompressed")
}

fn bytes<C: SecretCurve>(scalar: &Number<C>) -> [u8; 32] {
    scalar.to_repr().into()
}

/// A number of 256 bits modulo n.
fn reduce<C: SecretCurve>(bytes: &[u8; 32]) -> Number<C> {
    Number::<C>::reduce(&FieldBytes::<C::Reference>::from(*bytes))
}

fn signature<C: SecretCurve>(r: &Number<C>, s: &Number<C>) -> [u8; 64] {
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(&bytes::<C>(r));
    signature[32..].copy_from_slice(&bytes::<C>(s));
    signature
}

/// Flips one bit of every tenth item's digest, signature or key: no such item verifies, but for a chance of 2^-256.
fn corrupt(digests: &mut [[u8; 32]], signatures: &mut [[u8; 64]], keys: &mut [Point], rng: &mut StdRng) {
    for item in (0..digests.len()).step_by(10) {
        let bit: usize = rng.random_range(0..256);
        match rng.random_range(0..4) {
            0 => digests[item][bit / 8] ^= 1 << (bit % 8),
            1 => signatures[item][bit / 8] ^= 1 << (bit % 8),
            2 => signatures[item][32 + bit / 8] ^= 1 << (bit % 8),
            _ => {
                let mut key = *keys[item].as_bytes();
                key[1 + bit / 8] ^= 1 << (bit % 8);
                keys[item] = Point::from_uncompressed(key).expect("uncompressed");
            }
        }
    }
}

fn check_verdicts(verdicts: gecc::Verdicts) {
    for (item, verdict) in verdicts.iter().enumerate() {
        assert_eq!(*verdict == Verdict::Valid, item % 10 != 0, "item {item}: {verdict}");
    }
}

fn expect(results: Vec<Result<Point, Rejection>>, points: &[Point], what: &str) {
    assert_eq!(results.len(), points.len());
    for (item, (result, point)) in results.iter().zip(points).enumerate() {
        assert_eq!(result.as_ref(), Ok(point), "{what}, item {item}");
    }
}

/// Verification and recovery: s = (e + r d) / k.
fn ecdsa_chunk<C: EcdsaCurve>(engine: &Engine, nonces: &Progression<C>, keys: &Progression<C>, rng: &mut StdRng) {
    let mut digests: Vec<[u8; 32]> = (0..CHUNK).map(|_| rng.random()).collect();
    let mut signatures: Vec<[u8; 64]> = (0..CHUNK)
        .into_par_iter()
        .map(|item| {
            let r = reduce::<C>(nonces.points[item].x());
            let e = reduce::<C>(&digests[item]);
            let inverse = Field::invert(&nonces.scalars[item]).expect("not zero");
            signature::<C>(&r, &((e + r * keys.scalars[item]) * inverse))
        })
        .collect();
    let order = num_bigint::BigUint::from_bytes_be(
        elliptic_curve::bigint::Encoding::to_be_bytes(C::Reference::ORDER.as_ref()).as_ref(),
    );
    let recovery_id = |point: &Point| {
        let reduced = num_bigint::BigUint::from_bytes_be(point.x()) >= order;
        u8::from(reduced) << 1 | (point.y()[31] & 1)
    };
    let ids: Vec<u8> = nonces.points.iter().map(recovery_id).collect();
    let recovered = ecdsa::recover::<C>(engine, &digests, &signatures, &ids).expect("lengths agree");
    expect(recovered, &keys.points, "recover");
    let mut public = keys.points.clone();
    corrupt(&mut digests, &mut signatures, &mut public, rng);
    let public = PublicKeys::points(&public);
    check_verdicts(
        ecdsa::verify::<C>(engine, &digests, &signatures, public, Policy::default()).expect("lengths agree"),
    );
}

/// Verification: r = e + x, s = (k - r d) / (1 + d).
fn sm2_chunk(engine: &Engine, nonces: &Progression<Sm2>, keys: &Progression<Sm2>, rng: &mut StdRng) {
    let mut digests: Vec<[u8; 32]> = (0..CHUNK).map(|_| rng.random()).collect();
    let mut signatures: Vec<[u8; 64]> = (0..CHUNK)
        .into_par_iter()
        .map(|item| {
            let (k, d) = (&nonces.scalars[item], &keys.scalars[item]);
            let r = reduce::<Sm2>(&digests[item]) + reduce::<Sm2>(nonces.points[item].x());
            let inverse = Field::invert(&(Number::<Sm2>::ONE + d)).expect("not zero");
            signature::<Sm2>(&r, &((*k - r * d) * inverse))
        })
        .collect();
    let mut public = keys.points.clone();
    corrupt(&mut digests, &mut signatures, &mut public, rng);
    check_verdicts(sm2::verify(engine, &digests, &signatures, PublicKeys::points(&public)).expect("lengths agree"));
}

/// FPMUL, UPMUL and PADD.
fn points_chunk<C: SecretCurve>(engine: &Engine, a: &Progression<C>, b: &Progression<C>) {
    let scalars: Vec<[u8; 32]> = a.scalars.iter().map(bytes::<C>).collect();
    expect(point::mul_base::<C>(engine, &scalars).expect("one input"), &a.points, "mul_base");
    let quotients: Vec<[u8; 32]> = (0..CHUNK)
        .into_par_iter()
        .map(|item| bytes::<C>(&(a.scalars[item] * Field::invert(&b.scalars[item]).expect("not zero"))))
        .collect();
    expect(point::mul::<C>(engine, &quotients, &b.points).expect("lengths agree"), &a.points, "mul");
    let sums: Vec<[u8; 32]> = a.scalars.iter().zip(&b.scalars).map(|(a, b)| bytes::<C>(&(*a + b))).collect();
    let sums: Vec<Point> =
        point::mul_base::<C>(engine, &sums).expect("one input").into_iter().map(Result::unwrap).collect();
    expect(point::add::<C>(engine, &a.points, &b.points).expect("lengths agree"), &sums, "add");
}

fn soak<C: SecretCurve>(schemes: impl Fn(&Engine, &Progression<C>, &Progression<C>, &mut StdRng)) {
    let number = |name: &str| std::env::var(name).ok().map(|value| value.parse::<u64>().expect("a number"));
    let items = number("GECC_SOAK_ITEMS").unwrap_or(10_000_000);
    let seed = number("GECC_SOAK_SEED").unwrap_or_else(|| rand::rng().random());
    println!("{}: {items} items, GECC_SOAK_SEED={seed}", C::NAME);
    let engine = Engine::new().expect("an engine starts");
    let mut rng = StdRng::seed_from_u64(seed);
    let started = Instant::now();
    let mut done = 0;
    while done < items {
        let (nonces, keys) = (Progression::<C>::new(&mut rng), Progression::<C>::new(&mut rng));
        schemes(&engine, &nonces, &keys, &mut rng);
        points_chunk::<C>(&engine, &nonces, &keys);
        done += CHUNK as u64;
        println!("{}: {done} items, {:.0} s", C::NAME, started.elapsed().as_secs_f64());
    }
}

#[test]
#[ignore = "takes minutes per million items; run it before a release"]
fn secp256k1() {
    soak::<Secp256k1>(ecdsa_chunk);
}

#[test]
#[ignore = "takes minutes per million items; run it before a release"]
fn p256() {
    soak::<P256>(ecdsa_chunk);
}

#[test]
#[ignore = "takes minutes per million items; run it before a release"]
fn sm2p256v1() {
    soak::<Sm2>(sm2_chunk);
}
