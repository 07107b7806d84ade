//! The CPU engine on one thread against the best single-item libraries, all in one run:
//! `cargo bench -p gecc-bench --bench cpu_peers`.
//!
//! Batches of 4096 and 65536 items with fresh random keys, digests and signatures. gecc's figures
//! include decoding and every check; the peers get parsed keys and signatures where their interface
//! allows, which favours them.

use criterion::{
    BatchSize, BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use elliptic_curve::ops::LinearCombination;
use elliptic_curve::sec1::ToSec1Point;
use gecc::bip340::{self, Auxiliary, SigningKeys};
use gecc::ecdsa::{Policy, SForm};
use gecc::ed25519::{self, Rule, Variant};
use gecc::{
    Backend, Curve, EcdsaCurve, Engine, P256, Point, PublicKeys, Secp256k1, SecretKey, Sm2,
};
use gecc::{ecdsa, keys, point, sm2};
use secp256k1::ffi::{self, CPtr};
use std::time::Duration;

const BATCHES: [usize; 2] = [4096, 65536];
/// Signers in the benchmarks of repeated keys.
const SIGNERS: usize = 100;
/// Items that a single-item peer works through in one measurement.
const PEER_ITEMS: usize = 256;

/// Signed items, made by the engine itself: only verification is measured.
struct Signed {
    digests: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    keys: Vec<Point>,
}

fn random_bytes() -> [u8; 32] {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("the operating system gives randomness");
    bytes
}

fn random_rows(items: usize) -> Vec<[u8; 32]> {
    (0..items).map(|_| random_bytes()).collect()
}

fn random_scalars(curve: gecc::CurveId, items: usize) -> Vec<[u8; 32]> {
    (0..items)
        .map(|_| {
            *SecretKey::generate(curve)
                .expect("randomness")
                .expose_bytes()
        })
        .collect()
}

/// `signers` key pairs in turn sign `items` digests.
fn signed<C: Curve>(
    engine: &Engine,
    items: usize,
    signers: usize,
    sign: impl Fn(&[[u8; 32]], &[SecretKey]) -> Vec<[u8; 64]>,
) -> Signed {
    let (secret, public) =
        keys::generate(engine, C::ID, signers).expect("the operating system gives randomness");
    let digests = random_rows(items);
    let secret: Vec<SecretKey> = secret.iter().cycle().take(items).cloned().collect();
    let signatures = sign(&digests, &secret);
    Signed {
        digests,
        signatures,
        keys: public.into_iter().cycle().take(items).collect(),
    }
}

fn signed_ecdsa<C: EcdsaCurve>(engine: &Engine, items: usize, signers: usize) -> Signed {
    signed::<C>(engine, items, signers, |digests, secret| {
        let signed =
            ecdsa::sign(engine, C::ID, digests, secret, SForm::Low).expect("lengths agree");
        signed
            .into_iter()
            .map(|signature| signature.expect("the key is in range"))
            .collect()
    })
}

fn signed_sm2(engine: &Engine, items: usize, signers: usize) -> Signed {
    signed::<Sm2>(engine, items, signers, |digests, secret| {
        let signed = sm2::sign(engine, digests, secret).expect("lengths agree");
        signed
            .into_iter()
            .map(|signature| signature.expect("the key is in range"))
            .collect()
    })
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .sample_size(10)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3));
    group
}

fn engines() -> (Engine, Engine) {
    let cpu = Engine::builder().backend(Backend::Cpu);
    (
        cpu.clone().threads(1).build().expect("one thread"),
        cpu.build().expect("all cores"),
    )
}

fn fixed_base<C: Curve>(criterion: &mut Criterion, name: &str) {
    let (engine, _) = engines();
    let mut group = group(criterion, &format!("fixed base, {name}"));
    // The large table is built once per process, outside the measurement.
    point::mul_base(&engine, C::ID, &vec![[1; 32]; 1 << 16]).expect("no GPU is required");
    for items in BATCHES {
        group.throughput(Throughput::Elements(items as u64));
        group.bench_function(format!("gecc/{items}"), |bencher| {
            bencher.iter_batched(
                || random_scalars(C::ID, items),
                |scalars| point::mul_base(&engine, C::ID, &scalars),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

/// gecc's verification, with distinct and with repeated keys.
fn bench_gecc<S>(
    group: &mut BenchmarkGroup<WallTime>,
    sign: impl Fn(&Engine, usize, usize) -> S,
    verify: impl Fn(&Engine, &S) -> bool,
) {
    let (engine, all_cores) = engines();
    for (label, signers) in [("distinct keys", usize::MAX), ("100 keys", SIGNERS)] {
        for items in BATCHES {
            // Two sets in turn, so that no run finds its inputs in the cache of the run before.
            let sets: Vec<S> = (0..2)
                .map(|_| sign(&all_cores, items, signers.min(items)))
                .collect();
            let mut next = sets.iter().cycle();
            group.throughput(Throughput::Elements(items as u64));
            group.bench_function(format!("gecc, {label}/{items}"), |bencher| {
                bencher.iter(|| assert!(verify(&engine, next.next().expect("endless"))));
            });
        }
    }
}

fn verify_ecdsa<C: EcdsaCurve>(engine: &Engine, set: &Signed) -> bool {
    let keys = PublicKeys::points(&set.keys);
    ecdsa::verify(
        engine,
        C::ID,
        &set.digests,
        &set.signatures,
        keys,
        Policy::default(),
    )
    .expect("lengths agree")
    .all_valid()
}

fn secp256k1(criterion: &mut Criterion) {
    fixed_base::<Secp256k1>(criterion, "secp256k1");
    let mut group = group(criterion, "verify, secp256k1");
    bench_gecc(
        &mut group,
        signed_ecdsa::<Secp256k1>,
        verify_ecdsa::<Secp256k1>,
    );

    let set = signed_ecdsa::<Secp256k1>(&engines().1, PEER_ITEMS, PEER_ITEMS);
    let parsed: Vec<_> = (0..PEER_ITEMS)
        .map(|item| {
            let key =
                secp256k1::PublicKey::from_slice(set.keys[item].as_sec1()).expect("a valid key");
            (
                secp256k1::ecdsa::Signature::from_compact(&set.signatures[item]).expect("in range"),
                key,
            )
        })
        .collect();
    group.throughput(Throughput::Elements(PEER_ITEMS as u64));
    group.bench_function("libsecp256k1 (raw FFI, parsed keys)", |bencher| {
        bencher.iter(|| {
            for (digest, (signature, key)) in set.digests.iter().zip(&parsed) {
                // SAFETY: verification reads a digest of 32 bytes, a signature and a key, all alive
                // and initialised; the static context is what the library provides for it.
                let valid = unsafe {
                    ffi::secp256k1_ecdsa_verify(
                        ffi::secp256k1_context_static,
                        signature.as_c_ptr(),
                        digest.as_ptr(),
                        key.as_c_ptr(),
                    )
                };
                assert_eq!(valid, 1);
            }
        });
    });
    group.finish();
}

fn p256(criterion: &mut Criterion) {
    use aws_lc_rs::{digest, signature};
    fixed_base::<P256>(criterion, "P-256");
    let mut group = group(criterion, "verify, P-256");
    bench_gecc(&mut group, signed_ecdsa::<P256>, verify_ecdsa::<P256>);

    let set = signed_ecdsa::<P256>(&engines().1, PEER_ITEMS, PEER_ITEMS);
    let parsed: Vec<_> = set
        .keys
        .iter()
        .map(|key| {
            signature::ParsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, key.as_sec1())
                .expect("valid")
        })
        .collect();
    group.throughput(Throughput::Elements(PEER_ITEMS as u64));
    group.bench_function("aws-lc-rs (parsed keys)", |bencher| {
        bencher.iter(|| {
            for ((digest, signature), key) in set.digests.iter().zip(&set.signatures).zip(&parsed) {
                let digest =
                    digest::Digest::import_less_safe(digest, &digest::SHA256).expect("32 bytes");
                key.verify_digest_sig(&digest, signature).expect("valid");
            }
        });
    });
    group.finish();
}

fn sm2_curve(criterion: &mut Criterion) {
    use ::sm2::dsa::{Signature, VerifyingKey, signature::hazmat::PrehashVerifier};
    fixed_base::<Sm2>(criterion, "SM2");
    let mut group = group(criterion, "verify, SM2");
    bench_gecc(&mut group, signed_sm2, |engine, set| {
        sm2::verify(
            engine,
            &set.digests,
            &set.signatures,
            PublicKeys::points(&set.keys),
        )
        .expect("lengths agree")
        .all_valid()
    });

    let set = signed_sm2(&engines().1, PEER_ITEMS, PEER_ITEMS);
    let parsed: Vec<_> = (0..PEER_ITEMS)
        .map(|item| {
            let key = VerifyingKey::from_sec1_bytes("1234567812345678", set.keys[item].as_sec1())
                .expect("a valid key");
            (
                Signature::from_slice(&set.signatures[item]).expect("in range"),
                key,
            )
        })
        .collect();
    group.throughput(Throughput::Elements(PEER_ITEMS as u64));
    group.bench_function("RustCrypto sm2 (parsed keys)", |bencher| {
        bencher.iter(|| {
            for (digest, (signature, key)) in set.digests.iter().zip(&parsed) {
                key.verify_prehash(digest, signature).expect("valid");
            }
        });
    });
    group.finish();
}

/// Signs messages by BIP 340, with x-only keys of 32 bytes.
fn signed_bip340(engine: &Engine, items: usize, signers: usize) -> (Signed, Vec<[u8; 32]>) {
    let set = signed::<Secp256k1>(engine, items, signers, |digests, secret| {
        let signed =
            bip340::sign(engine, digests, secret, Auxiliary::fresh()).expect("lengths agree");
        signed
            .into_iter()
            .map(|signature| signature.expect("the key is in range"))
            .collect()
    });
    let keys = set.keys.iter().map(|key| *key.x()).collect();
    (set, keys)
}

fn verify_bip340(criterion: &mut Criterion) {
    use k256::schnorr;
    let mut group = group(criterion, "verify, BIP 340");
    bench_gecc(&mut group, signed_bip340, |engine, (set, keys)| {
        bip340::verify(
            engine,
            &set.digests,
            &set.signatures,
            PublicKeys::x_only(keys),
        )
        .expect("lengths agree")
        .all_valid()
    });

    let (set, keys) = signed_bip340(&engines().1, PEER_ITEMS, PEER_ITEMS);
    let parsed: Vec<_> = keys
        .iter()
        .map(|key| secp256k1::XOnlyPublicKey::from_byte_array(*key).expect("a valid key"))
        .collect();
    group.throughput(Throughput::Elements(PEER_ITEMS as u64));
    group.bench_function("libsecp256k1 (raw FFI, parsed keys)", |bencher| {
        bencher.iter(|| {
            for ((message, signature), key) in set.digests.iter().zip(&set.signatures).zip(&parsed)
            {
                // SAFETY: verification reads a signature of 64 bytes, a message of this length and
                // a key, all alive and initialised; the static context is what the library provides
                // for it.
                let valid = unsafe {
                    ffi::secp256k1_schnorrsig_verify(
                        ffi::secp256k1_context_static,
                        signature.as_ptr(),
                        message.as_ptr(),
                        message.len(),
                        key.as_c_ptr(),
                    )
                };
                assert_eq!(valid, 1);
            }
        });
    });
    let parsed: Vec<_> = (0..PEER_ITEMS)
        .map(|item| {
            let key = schnorr::VerifyingKey::from_slice(&keys[item]).expect("a valid key");
            (
                schnorr::Signature::try_from(&set.signatures[item][..]).expect("in range"),
                key,
            )
        })
        .collect();
    group.bench_function("RustCrypto k256 (parsed keys)", |bencher| {
        bencher.iter(|| {
            for (message, (signature, key)) in set.digests.iter().zip(&parsed) {
                key.verify_raw(message, signature).expect("valid");
            }
        });
    });
    group.finish();
}

/// Signs with key pairs and given auxiliary data; all libraries must make the same signatures.
fn sign_bip340(criterion: &mut Criterion) {
    use k256::schnorr::SigningKey;
    let mut group = group(criterion, "sign, BIP 340");
    let (engine, all_cores) = engines();
    for items in BATCHES {
        let (secret, public) = keys::generate(&all_cores, Secp256k1, items)
            .expect("the operating system gives randomness");
        let messages = random_rows(items);
        let auxiliary = random_rows(items);
        group.throughput(Throughput::Elements(items as u64));
        group.bench_function(format!("gecc/{items}"), |bencher| {
            bencher.iter(|| {
                let keys = SigningKeys::with_public(&secret, &public);
                let signed = bip340::sign(&engine, &messages, keys, Auxiliary::given(&auxiliary));
                assert_eq!(signed.expect("lengths agree").len(), items);
            });
        });
    }

    let (secret, _) = keys::generate(&all_cores, Secp256k1, PEER_ITEMS)
        .expect("the operating system gives randomness");
    let messages = random_rows(PEER_ITEMS);
    let auxiliary = random_rows(PEER_ITEMS);
    let inputs = messages.iter().zip(&auxiliary);
    let signed = bip340::sign(&engine, &messages, &secret, Auxiliary::given(&auxiliary))
        .expect("lengths agree");
    let expected: Vec<[u8; 64]> = signed
        .into_iter()
        .map(|signature| signature.expect("in range"))
        .collect();
    group.throughput(Throughput::Elements(PEER_ITEMS as u64));
    // The call of the crate draws new blinding for every signature, which is left out.
    let context = secp256k1::Secp256k1::signing_only();
    let pairs: Vec<secp256k1::Keypair> = secret
        .iter()
        .map(|key| secp256k1::Keypair::from_secret_bytes(*key.expose_bytes()).expect("in range"))
        .collect();
    group.bench_function("libsecp256k1 (raw FFI, key pairs)", |bencher| {
        bencher.iter(|| {
            for (((message, auxiliary), pair), expected) in
                inputs.clone().zip(&pairs).zip(&expected)
            {
                let signature = sign_with_libsecp256k1(&context, message, auxiliary, pair);
                assert_eq!(signature, *expected);
            }
        });
    });
    let keys: Vec<_> = secret
        .iter()
        .map(|key| SigningKey::from_slice(key.expose_bytes()).expect("in range"))
        .collect();
    group.bench_function("RustCrypto k256 (key pairs)", |bencher| {
        bencher.iter(|| {
            for (((message, auxiliary), key), expected) in inputs.clone().zip(&keys).zip(&expected)
            {
                let signature = key
                    .sign_raw(message, auxiliary)
                    .expect("k is not 0")
                    .to_bytes();
                assert_eq!(signature, *expected);
            }
        });
    });
    group.finish();
}

fn sign_with_libsecp256k1(
    context: &secp256k1::Secp256k1<secp256k1::SignOnly>,
    message: &[u8; 32],
    auxiliary: &[u8; 32],
    pair: &secp256k1::Keypair,
) -> [u8; 64] {
    let mut signature = [0; 64];
    // SAFETY: signing writes 64 bytes and reads a message and auxiliary data of 32 bytes and a key
    // pair, all alive and initialised; the context was made for signing.
    let signed = unsafe {
        ffi::secp256k1_schnorrsig_sign32(
            context.ctx().as_ptr(),
            signature.as_mut_ptr(),
            message.as_ptr(),
            pair.as_c_ptr(),
            auxiliary.as_ptr(),
        )
    };
    assert_eq!(signed, 1);
    signature
}

/// Measures multi-scalar multiplication. libsecp256k1's own is not in the interface of its crate:
/// docs/peers.md explains how it was measured.
fn sum_of_products(criterion: &mut Criterion) {
    let mut group = group(criterion, "sum of products, secp256k1");
    let (engine, all_cores) = engines();
    for items in BATCHES {
        let (scalars, points) = random_terms(&all_cores, items);
        group.throughput(Throughput::Elements(items as u64));
        group.bench_function(format!("gecc/{items}"), |bencher| {
            bencher.iter(|| sum(&engine, &scalars, &points))
        });
    }
    let (scalars, points) = random_terms(&all_cores, BATCHES[0]);
    let parsed: Vec<(k256::ProjectivePoint, k256::Scalar)> = scalars
        .iter()
        .zip(&points)
        .map(|(scalar, point)| {
            let point = k256::PublicKey::from_sec1_bytes(point.as_sec1()).expect("a valid point");
            let scalar = k256::NonZeroScalar::try_from(&scalar[..]).expect("in range");
            (point.to_projective(), *scalar)
        })
        .collect();
    let of_peer = k256::ProjectivePoint::lincomb_vartime(&parsed[..]);
    let of_peer = k256::PublicKey::try_from(of_peer)
        .expect("not the identity")
        .to_sec1_point(false);
    assert_eq!(
        of_peer.as_bytes(),
        sum(&engine, &scalars, &points).as_bytes()
    );
    group.throughput(Throughput::Elements(BATCHES[0] as u64));
    group.bench_function(
        format!(
            "RustCrypto k256, variable time (parsed points)/{}",
            BATCHES[0]
        ),
        |bencher| {
            bencher.iter(|| k256::ProjectivePoint::lincomb_vartime(&parsed[..]));
        },
    );
    group.finish();
}

fn random_terms(engine: &Engine, items: usize) -> (Vec<[u8; 32]>, Vec<Point>) {
    let (_, points) =
        keys::generate(engine, Secp256k1, items).expect("the operating system gives randomness");
    (random_scalars(Secp256k1::ID, items), points)
}

fn sum(engine: &Engine, scalars: &[[u8; 32]], points: &[Point]) -> Point {
    point::msm(engine, Secp256k1, scalars, points)
        .expect("lengths agree")
        .expect("good items")
}

/// Seeds, messages of 32 bytes, and signatures that the engine makes.
struct SignedEd25519 {
    seeds: Vec<SecretKey>,
    keys: Vec<[u8; 32]>,
    messages: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
}

fn signed_ed25519(engine: &Engine, items: usize, signers: usize) -> SignedEd25519 {
    let seeds: Vec<SecretKey> = (0..signers)
        .map(|_| SecretKey::from_bytes(random_bytes()))
        .collect();
    let seeds: Vec<SecretKey> = seeds.iter().cycle().take(items).cloned().collect();
    let messages = random_rows(items);
    let keys = ed25519::public_keys(engine, &seeds).expect("lengths agree");
    let signed = ed25519::sign(engine, &messages, &seeds, Variant::PURE).expect("lengths agree");
    let signatures = signed
        .into_iter()
        .map(|signature| signature.expect("every seed is a key"))
        .collect();
    SignedEd25519 {
        seeds,
        keys,
        messages,
        signatures,
    }
}

/// Verification by the rule of dalek's `verify`, and signing with keys that are expanded, as
/// dalek's are.
fn ed25519_curve(criterion: &mut Criterion) {
    use ed25519_dalek::{Signature, Signer, SigningKey, Verifier, VerifyingKey};
    let (engine, all_cores) = engines();
    let portable = Engine::builder()
        .backend(Backend::Cpu)
        .threads(1)
        .portable(true)
        .build()
        .expect("one thread");
    let mut group = group(criterion, "Ed25519");
    for (name, engine) in [("gecc", &engine), ("gecc, portable", &portable)] {
        for (label, items, signers) in [("distinct keys", 4096, 4096), ("100 keys", 65536, SIGNERS)]
        {
            let SignedEd25519 {
                seeds,
                keys,
                messages,
                signatures,
            } = signed_ed25519(&all_cores, items, signers);
            group.throughput(Throughput::Elements(items as u64));
            group.bench_function(format!("verify, {name}, {label}/{items}"), |bencher| {
                bencher.iter(|| {
                    let keys = PublicKeys::ed25519(&keys);
                    let rule = Rule::Cofactorless;
                    let verdicts =
                        ed25519::verify(engine, &messages, &signatures, keys, Variant::PURE, rule);
                    assert!(verdicts.expect("lengths agree").all_valid());
                });
            });
            let expanded = ed25519::expand(&all_cores, &seeds).expect("threads can be started");
            let keys = ed25519::SigningKeys::expanded(&expanded);
            group.bench_function(format!("sign, {name}, {label}/{items}"), |bencher| {
                bencher.iter(|| {
                    ed25519::sign(engine, &messages, keys, Variant::PURE).expect("lengths agree")
                });
            });
        }
    }

    let SignedEd25519 {
        seeds,
        keys,
        messages,
        signatures,
    } = signed_ed25519(&all_cores, PEER_ITEMS, PEER_ITEMS);
    let parsed: Vec<(VerifyingKey, Signature)> = keys
        .iter()
        .map(|key| VerifyingKey::from_bytes(key).expect("a valid key"))
        .zip(signatures.iter().map(Signature::from_bytes))
        .collect();
    group.throughput(Throughput::Elements(PEER_ITEMS as u64));
    group.bench_function("verify, ed25519-dalek (parsed keys)", |bencher| {
        bencher.iter(|| {
            for (message, (key, signature)) in messages.iter().zip(&parsed) {
                key.verify(message, signature).expect("valid");
            }
        });
    });
    let pairs: Vec<_> = seeds
        .iter()
        .map(|seed| SigningKey::from_bytes(seed.expose_bytes()))
        .collect();
    group.bench_function("sign, ed25519-dalek (key pairs)", |bencher| {
        bencher.iter(|| {
            for ((message, pair), expected) in messages.iter().zip(&pairs).zip(&signatures) {
                assert_eq!(pair.sign(message).to_bytes(), *expected);
            }
        });
    });
    group.finish();
}

criterion_group!(
    benches,
    secp256k1,
    p256,
    sm2_curve,
    verify_bip340,
    sign_bip340,
    ed25519_curve,
    sum_of_products
);
criterion_main!(benches);
