//! The device code of hashing and signing, compiled as plain C++ by the system's compiler and
//! compared with the RustCrypto crates, big integers and the CPU engine.

mod harness;
// The sessions there are of numbers.
#[allow(dead_code)]
mod host_build;

use elliptic_curve::sec1::{FromSec1Point, ModulusSize, ToSec1Point};
use elliptic_curve::{AffinePoint, Curve, CurveArithmetic, FieldBytesSize, Group, ProjectivePoint};
use gecc::{Curve as _, EcdsaCurve, Engine, Rejection, SecretKey, ecdsa, sm2};
use harness::needs::CXX;
use harness::{named, tests};
use host_build::{ByteSession, bytes, coordinates, curve_value, edge_values, number, scalar};
use num_bigint::BigUint;
use rfc6979::KGenerator;
use rfc6979::bigint::Encoding;
use rfc6979::hmac::digest::block_api::BlockSizeUser;
use sha2::{Digest, Sha256};
use sha3::Keccak256;
use sm3::Sm3;
use std::process::ExitCode;

const RANDOM_ITEMS: usize = 200;

fn main() -> ExitCode {
    macro_rules! tests_of {
        ([$test:ident] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
            tests(Some(&CXX), [$((stringify!($name), || $test::<gecc::$curve, $($reference)*>())),*])
        };
    }
    let of_curves = [
        gecc::for_each_ecdsa_curve!(tests_of! of_ecdsa),
        gecc::for_each_sm2_curve!(tests_of! of_sm2),
    ];
    harness::run(
        of_curves
            .into_iter()
            .flatten()
            .chain(tests(Some(&CXX), named![hashes, bip340]))
            .collect(),
    )
}

fn session_of(name: &str) -> ByteSession {
    ByteSession::new("hash", name)
}

fn hashes() {
    let mut session = session_of(gecc::Secp256k1::NAME);
    hash_cases(&mut session);
    session.run();
}

fn bip340() {
    let mut session = session_of(gecc::Secp256k1::NAME);
    let n = order::<k256::Secp256k1>();
    for length in (0..=150).chain([300, 4096]) {
        let key = if length % 2 == 0 {
            random_below(&n)
        } else {
            &n - random_below(&n)
        };
        bip340_signature(&mut session, &n, &key, &random_bytes(length));
    }
    for key in [number(1), number(2), &n - 2u32, &n - 1u32] {
        bip340_signature(&mut session, &n, &key, &random_bytes(32));
    }
    bip340_ranges(&mut session, &n);
    for _ in 0..20 {
        let key = random_bytes(32);
        let root = random_bytes(32);
        session.expect(
            "tap_tweak",
            &[&key, &root],
            &[&tagged("TapTweak", &[&key, &root])],
        );
        session.expect("tap_tweak", &[&key, &[]], &[&tagged("TapTweak", &[&key])]);
    }
    for _ in 0..20 {
        silent_payment(&mut session, &n);
    }
    session.run();
}

/// The hashes of silent payments, of a random point.
fn silent_payment(session: &mut ByteSession, n: &BigUint) {
    let point = ProjectivePoint::<k256::Secp256k1>::mul_by_generator(&scalar::<k256::Secp256k1>(
        &random_below(n),
    ))
    .to_affine();
    let compressed = point.to_sec1_point(true);
    let plain = point.to_sec1_point(false);
    let compressed = compressed.as_bytes();
    let (x, y) = plain.as_bytes()[1..].split_at(32);
    let counter = random_bytes(4);
    let outpoint = random_bytes(36);
    let tweak = tagged("BIP0352/SharedSecret", &[compressed, &counter]);
    session.expect("silent_tweak", &[x, y, &counter], &[&tweak]);
    let hash = tagged("BIP0352/Inputs", &[&outpoint, compressed]);
    session.expect("silent_input_hash", &[&outpoint, x, y], &[&hash]);
}

fn tagged(tag: &str, parts: &[&[u8]]) -> [u8; 32] {
    let tag = Sha256::digest(tag);
    Sha256::digest([&[&*tag, &*tag], parts].concat().concat()).into()
}

fn even(number: &BigUint, y: &BigUint, n: &BigUint) -> BigUint {
    if y.bit(0) { n - number } else { number.clone() }
}

/// The nonce as the standard computes it, the signature as `k256` does, and the equation that it
/// satisfies.
fn bip340_signature(session: &mut ByteSession, n: &BigUint, key: &BigUint, message: &[u8]) {
    let auxiliary: [u8; 32] = random_bytes(32).try_into().unwrap();
    let start = [u8::try_from(message.len() % 7).unwrap()];
    let [px, py] = nonce_point::<k256::Secp256k1>(key).map(|number| bytes(&number));
    let d = bytes(&even(key, &BigUint::from_bytes_be(&py), n));
    let mask = tagged("BIP0340/aux", &[&auxiliary]);
    let t: Vec<u8> = d.iter().zip(mask).map(|(d, mask)| d ^ mask).collect();
    let nonce = BigUint::from_bytes_be(&tagged("BIP0340/nonce", &[&t, &px, message])) % n;
    let arguments: [&[u8]; 6] = [&bytes(key), &px, &py, &auxiliary, &start, message];
    session.expect("bip340_nonce", &arguments, &[&bytes(&nonce), &[0xff]]);
    let signer = k256::schnorr::SigningKey::from_slice(&bytes(key)).unwrap();
    let signature = signer.sign_raw(message, &auxiliary).unwrap().to_bytes();
    let (r, s) = signature.split_at(32);
    let [rx, ry] = nonce_point::<k256::Secp256k1>(&nonce).map(|number| bytes(&number));
    assert_eq!(rx, r);
    let arguments: [&[u8]; 8] = [
        &bytes(&nonce),
        &rx,
        &ry,
        &bytes(key),
        &px,
        &py,
        &start,
        message,
    ];
    session.expect("bip340_sign", &arguments, &[s]);
    let e = BigUint::from_bytes_be(&tagged("BIP0340/challenge", &[r, &px, message])) % n;
    // u2 Q for the point as it is.
    let u2 = even(&(n - e), &BigUint::from_bytes_be(&py), n);
    let arguments: [&[u8]; 6] = [r, s, &px, &py, &start, message];
    session.expect(
        "bip340_equation",
        &arguments,
        &[&[host_build::codes::PENDING], s, &bytes(&u2), r],
    );
}

/// r is compared with p and s with n; 0 is in range.
fn bip340_ranges(session: &mut ByteSession, n: &BigUint) {
    let p = BigUint::parse_bytes(curve_value("secp256k1", "p").as_bytes(), 16).unwrap();
    let [px, py] = nonce_point::<k256::Secp256k1>(&number(1)).map(|number| bytes(&number));
    let numbers: Vec<_> = edge_values(n).into_iter().chain(edge_values(&p)).collect();
    for r in &numbers {
        for s in &numbers {
            let of_r = bytes(r);
            let of_s = bytes(s);
            let message = [7; 32];
            let arguments: [&[u8]; 6] = [&of_r, &of_s, &px, &py, &[0], &message];
            let e =
                BigUint::from_bytes_be(&tagged("BIP0340/challenge", &[&of_r, &px, &message])) % n;
            let u2 = even(&(n - e), &BigUint::from_bytes_be(&py), n);
            match (r < &p, s < n) {
                (false, _) => session.expect(
                    "bip340_equation",
                    &arguments,
                    &[&[Rejection::ROutOfRange.code()]],
                ),
                (true, false) => session.expect(
                    "bip340_equation",
                    &arguments,
                    &[&[Rejection::SOutOfRange.code()]],
                ),
                (true, true) => {
                    session.expect(
                        "bip340_equation",
                        &arguments,
                        &[&[host_build::codes::PENDING], &of_s, &bytes(&u2), &of_r],
                    );
                }
            }
        }
    }
}

fn of_ecdsa<G, C>()
where
    G: EcdsaCurve,
    C: CurveArithmetic,
    FieldBytesSize<C>: ModulusSize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    let mut session = session_of(G::NAME);
    let n = order::<C>();
    key_cases(&mut session, &n);
    nonce_cases::<C>(&mut session, &n);
    ecdsa_cases::<C>(&mut session, &n);
    engine_ecdsa_cases::<G, C>(&mut session, &n);
    session.run();
}

fn of_sm2<G: gecc::Curve, C: CurveArithmetic>() {
    let mut session = session_of(G::NAME);
    let n = order::<C>();
    key_cases(&mut session, &n);
    nonce_cases::<C>(&mut session, &n);
    sm2_cases(&mut session, &n);
    engine_sm2_cases(&mut session, &n);
    digest_cases(&mut session);
    session.run();
}

/// Every length around the ends of blocks, with every alignment in a word.
fn hash_cases(session: &mut ByteSession) {
    for length in (0..=300).chain([1000, 4096, 8191]) {
        let message = random_bytes(length);
        let start = [u8::try_from(length % 7).unwrap()];
        let arguments: [&[u8]; 2] = [&start, &message];
        session.expect("sha256", &arguments, &[&Sha256::digest(&message)]);
        session.expect(
            "sha256d",
            &arguments,
            &[&Sha256::digest(Sha256::digest(&message))],
        );
        session.expect("sm3", &arguments, &[&Sm3::digest(&message)]);
        session.expect("keccak256", &arguments, &[&Keccak256::digest(&message)]);
    }
    for _ in 0..20 {
        let point = random_bytes(64);
        session.expect(
            "keccak256_of_point",
            &[&point[..32], &point[32..]],
            &[&Keccak256::digest(&point)],
        );
    }
}

fn digest_cases(session: &mut ByteSession) {
    for length in (0..=150).chain([8190, 8191]) {
        let id = random_bytes(length);
        let message = random_bytes(3 * length % 200);
        let key = SecretKey::generate(gecc::Sm2).unwrap();
        let point = gecc::keys::public_keys(&Engine::cpu().unwrap(), gecc::Sm2, &[key]).unwrap()[0]
            .unwrap();
        let za = sm2::za(&id, &point).unwrap();
        let expected = Sm3::new_with_prefix(za).chain_update(&message).finalize();
        let starts = [
            [u8::try_from(length % 5).unwrap()],
            [u8::try_from(length % 4).unwrap()],
        ];
        let arguments: [&[u8]; 6] = [&starts[0], &id, &starts[1], &message, point.x(), point.y()];
        session.expect("sm2_digest", &arguments, &[&expected]);
    }
}

fn key_cases(session: &mut ByteSession, n: &BigUint) {
    for key in edge_values(n) {
        let usable = key != number(0) && &key < n;
        let masks = [usable, usable && key != n - 1u32].map(|holds| if holds { 0xff } else { 0 });
        let replaced = if usable { key.clone() } else { number(1) };
        session.expect("key_masks", &[&bytes(&key)], &[&masks, &bytes(&replaced)]);
    }
}

fn nonce_cases<C: Curve>(session: &mut ByteSession, n: &BigUint) {
    let mut cases: Vec<_> = edge_values(n)
        .into_iter()
        .map(|digest| (random_below(n), digest))
        .collect();
    cases.extend([number(1), number(2), n - 2u32, n - 1u32].map(|key| (key, random_below(n))));
    cases.extend((0..RANDOM_ITEMS).map(|_| (random_below(n), random_number())));
    for (key, digest) in cases {
        let [of_key, of_digest] = [bytes(&key), bytes(&digest)];
        let [sha256, sm3] = [
            nonces::<C, Sha256>(&key, &digest, &[], 3),
            nonces::<C, Sm3>(&key, &digest, &[], 3),
        ];
        for skip in 0..3u8 {
            let arguments: [&[u8]; 3] = [&of_key, &of_digest, &[skip]];
            session.expect("nonce_sha256", &arguments, &[&sha256[usize::from(skip)]]);
            session.expect("nonce_sm3", &arguments, &[&sm3[usize::from(skip)]]);
        }
        // Data are not a number: they are not reduced, and zeros are not left out.
        for data in [[0; 32], [0xff; 32], bytes(&random_number())] {
            let [sha256, sm3] = [
                nonces::<C, Sha256>(&key, &digest, &data, 3),
                nonces::<C, Sm3>(&key, &digest, &data, 3),
            ];
            for skip in 0..3u8 {
                let arguments: [&[u8]; 4] = [&of_key, &of_digest, &data, &[skip]];
                session.expect(
                    "nonce_with_data_sha256",
                    &arguments,
                    &[&sha256[usize::from(skip)]],
                );
                session.expect(
                    "nonce_with_data_sm3",
                    &arguments,
                    &[&sm3[usize::from(skip)]],
                );
            }
        }
    }
}

/// The first nonces of RFC 6979 with additional data.
fn nonces<C: Curve, H: Digest + BlockSizeUser>(
    key: &BigUint,
    digest: &BigUint,
    data: &[u8],
    count: usize,
) -> Vec<[u8; 32]> {
    let order = C::ORDER;
    let mut generator = KGenerator::<H, _>::new(&bytes(key), &bytes(digest), data, order.as_ref());
    let mut nonces = vec![[0; 32]; count];
    nonces
        .iter_mut()
        .for_each(|nonce| generator.fill_next_k(nonce));
    nonces
}

/// Signs with any nonce, also such that r or s is zero, and with any x, also above n.
fn ecdsa_cases<C>(session: &mut ByteSession, n: &BigUint)
where
    C: CurveArithmetic,
    FieldBytesSize<C>: ModulusSize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    for (d, k, e, x, y) in sign_operands::<C>(n) {
        let r = &x % n;
        // e = -r d makes s = 0.
        for e in [e, (n - &r * &d % n) % n] {
            let s = (&e + &r * &d) * k.modinv(n).unwrap() % n;
            let usable = if r == number(0) || s == number(0) {
                0
            } else {
                0xff
            };
            for low_s in [false, true] {
                let flip = low_s && s > n >> 1;
                let s = if flip { n - &s } else { s.clone() };
                let id = u8::from(&x >= n) << 1 | (u8::from(y.bit(0)) ^ u8::from(flip));
                let arguments: [&[u8]; 6] = [
                    &bytes(&e),
                    &bytes(&d),
                    &bytes(&k),
                    &bytes(&x),
                    &bytes(&y),
                    &[u8::from(low_s)],
                ];
                session.expect(
                    "ecdsa_sign",
                    &arguments,
                    &[&bytes(&r), &bytes(&s), &[id, usable]],
                );
            }
        }
    }
}

/// A number that is congruent to -value modulo n.
fn minus(value: &BigUint, n: &BigUint) -> BigUint {
    n - value % n
}

fn sm2_cases(session: &mut ByteSession, n: &BigUint) {
    for (d, k, e, x, _) in sign_operands::<::sm2::Sm2>(n) {
        let d = if d == n - 1u32 { number(1) } else { d };
        // r = 0; r + k = n; s = 0, where k = r d.
        let rejected = [
            minus(&x, n),
            minus(&(&x + &k), n),
            &k * d.modinv(n).unwrap() + minus(&x, n),
        ];
        for (i, e) in [e].into_iter().chain(rejected.map(|e| e % n)).enumerate() {
            let r = (&e + &x) % n;
            let s = (&k + minus(&(&r * &d), n)) * (&d + 1u32).modinv(n).unwrap() % n;
            let usable = r != number(0) && (&r + &k) % n != number(0) && s != number(0);
            assert!(i == 0 || !usable);
            let arguments: [&[u8]; 4] = [&bytes(&e), &bytes(&d), &bytes(&k), &bytes(&x)];
            session.expect(
                "sm2_sign",
                &arguments,
                &[&bytes(&r), &bytes(&s), &[if usable { 0xff } else { 0 }]],
            );
        }
    }
}

/// Key, nonce, digest, and x and y of R or of no point.
fn sign_operands<C>(n: &BigUint) -> Vec<(BigUint, BigUint, BigUint, BigUint, BigUint)>
where
    C: CurveArithmetic,
    FieldBytesSize<C>: ModulusSize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    let keys = [number(1), number(2), n - 2u32, n - 1u32];
    let mut operands = Vec::new();
    for digest in edge_values(n) {
        let [x, y] = nonce_point::<C>(&number(1));
        operands.push((random_below(n), number(1), digest, x, y));
    }
    for key in keys.iter().cloned().chain((0..20).map(|_| random_below(n))) {
        let nonce = random_below(n);
        let [x, y] = nonce_point::<C>(&nonce);
        operands.push((key, nonce, random_number(), x, y));
    }
    for x in [number(0), n - 1u32, n.clone(), n + 1u32, n + 0x1234_5678u32] {
        operands.push((
            random_below(n),
            random_below(n),
            random_number(),
            x,
            random_number(),
        ));
    }
    operands
}

/// Signatures of the CPU engine, from the nonces of RFC 6979.
fn engine_ecdsa_cases<G, C>(session: &mut ByteSession, n: &BigUint)
where
    G: EcdsaCurve,
    C: CurveArithmetic,
    FieldBytesSize<C>: ModulusSize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    let engine = Engine::cpu().unwrap();
    for digest in edge_values(n)
        .into_iter()
        .chain((0..RANDOM_ITEMS).map(|_| random_number()))
    {
        let key = random_below(n);
        let secret = SecretKey::from_bytes(bytes(&key));
        let nonce = nonces::<C, Sha256>(&key, &digest, &[], 1)[0];
        let [x, y] = nonce_point::<C>(&BigUint::from_bytes_be(&nonce));
        for (form, low_s) in [(ecdsa::SForm::Low, 1), (ecdsa::SForm::AsComputed, 0)] {
            let signed = ecdsa::sign_recoverable(&engine, G::ID, &[bytes(&digest)], &secret, form)
                .unwrap()[0]
                .unwrap();
            let arguments: [&[u8]; 6] = [
                &bytes(&digest),
                &bytes(&key),
                &nonce,
                &bytes(&x),
                &bytes(&y),
                &[low_s],
            ];
            session.expect(
                "ecdsa_sign",
                &arguments,
                &[&signed.signature, &[signed.recovery_id, 0xff]],
            );
        }
    }
}

fn engine_sm2_cases(session: &mut ByteSession, n: &BigUint) {
    let engine = Engine::cpu().unwrap();
    for digest in edge_values(n)
        .into_iter()
        .chain((0..RANDOM_ITEMS).map(|_| random_number()))
    {
        let key = random_below(&(n - 1u32));
        let secret = SecretKey::from_bytes(bytes(&key));
        let nonce = nonces::<::sm2::Sm2, Sm3>(&key, &digest, &[], 1)[0];
        let [x, _] = nonce_point::<::sm2::Sm2>(&BigUint::from_bytes_be(&nonce));
        let signed = sm2::sign(&engine, &[bytes(&digest)], &secret).unwrap()[0].unwrap();
        let arguments: [&[u8]; 4] = [&bytes(&digest), &bytes(&key), &nonce, &bytes(&x)];
        session.expect("sm2_sign", &arguments, &[&signed, &[0xff]]);
    }
}

fn nonce_point<C>(nonce: &BigUint) -> [BigUint; 2]
where
    C: CurveArithmetic,
    FieldBytesSize<C>: ModulusSize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    coordinates::<C>(&(ProjectivePoint::<C>::generator() * scalar::<C>(nonce)))
}

fn order<C: Curve>() -> BigUint {
    BigUint::from_bytes_be(C::ORDER.as_ref().to_be_bytes().as_ref())
}

fn random_bytes(length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    bytes
}

fn random_number() -> BigUint {
    BigUint::from_bytes_be(&random_bytes(32))
}

/// A random number in 1 .. n - 1.
fn random_below(n: &BigUint) -> BigUint {
    random_number() % (n - 1u32) + 1u32
}
