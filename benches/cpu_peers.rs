//! The CPU engine on one thread against the best single-item libraries, all in one run: `cargo bench --bench cpu_peers`.
//!
//! Batches of 4096 and 65536 items with fresh random keys, digests and signatures. gecc's figures include decoding and
//! every check; the peers get parsed keys and signatures where their interface allows, which favours them.

use criterion::{
    BatchSize, BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use gecc::ecdsa::{Policy, SForm};
use gecc::{Backend, Curve, EcdsaCurve, Engine, P256, Point, PublicKeys, Secp256k1, SecretKey, Sm2};
use gecc::{ecdsa, keys, point, sm2};
use std::time::Duration;

const BATCHES: [usize; 2] = [4096, 65536];
/// Signers in the benchmarks of repeated keys.
const SIGNERS: usize = 100;
/// Items that a single-item peer works through in one measurement.
const PEER_ITEMS: usize = 256;

/// Signed items, made by the engine itself: what is measured is verification.
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

/// `signers` key pairs in turn sign `items` digests.
fn signed<C: Curve>(
    engine: &Engine,
    items: usize,
    signers: usize,
    sign: impl Fn(&[[u8; 32]], &[SecretKey]) -> Vec<[u8; 64]>,
) -> Signed {
    let (secret, public) = keys::generate::<C>(engine, signers).expect("the operating system gives randomness");
    let digests: Vec<[u8; 32]> = (0..items).map(|_| random_bytes()).collect();
    let secret: Vec<SecretKey> = secret.iter().cycle().take(items).cloned().collect();
    let signatures = sign(&digests, &secret);
    Signed { digests, signatures, keys: public.into_iter().cycle().take(items).collect() }
}

fn signed_ecdsa<C: EcdsaCurve>(engine: &Engine, items: usize, signers: usize) -> Signed {
    signed::<C>(engine, items, signers, |digests, secret| {
        let signed = ecdsa::sign::<C>(engine, digests, secret, SForm::Low).expect("lengths agree");
        signed.into_iter().map(|signature| signature.expect("the key is in range")).collect()
    })
}

fn signed_sm2(engine: &Engine, items: usize, signers: usize) -> Signed {
    signed::<Sm2>(engine, items, signers, |digests, secret| {
        let signed = sm2::sign(engine, digests, secret).expect("lengths agree");
        signed.into_iter().map(|signature| signature.expect("the key is in range")).collect()
    })
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3));
    group
}

fn engines() -> (Engine, Engine) {
    let cpu = Engine::builder().backend(Backend::Cpu);
    (cpu.clone().threads(1).build().expect("one thread"), cpu.build().expect("all cores"))
}

fn fixed_base<C: Curve>(criterion: &mut Criterion, name: &str) {
    let (engine, _) = engines();
    let mut group = group(criterion, &format!("fixed base, {name}"));
    // The large table is built once per process, outside the measurement.
    point::mul_base::<C>(&engine, &vec![[1; 32]; 1 << 16]).expect("no GPU is asked for");
    for items in BATCHES {
        group.throughput(Throughput::Elements(items as u64));
        group.bench_function(format!("gecc/{items}"), |bencher| {
            let scalars = || -> Vec<[u8; 32]> {
                (0..items).map(|_| *SecretKey::generate::<C>().unwrap().expose_bytes()).collect()
            };
            bencher.iter_batched(scalars, |scalars| point::mul_base::<C>(&engine, &scalars), BatchSize::LargeInput);
        });
    }
    group.finish();
}

/// gecc's verification, with distinct and with repeated keys.
fn bench_gecc(
    group: &mut BenchmarkGroup<WallTime>,
    sign: impl Fn(&Engine, usize, usize) -> Signed,
    verify: impl Fn(&Engine, &Signed) -> bool,
) {
    let (engine, all_cores) = engines();
    for (label, signers) in [("distinct keys", usize::MAX), ("100 keys", SIGNERS)] {
        for items in BATCHES {
            // Two sets in turn, so that no run finds its inputs in the cache of the run before.
            let sets: Vec<Signed> = (0..2).map(|_| sign(&all_cores, items, signers.min(items))).collect();
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
    ecdsa::verify::<C>(engine, &set.digests, &set.signatures, keys, Policy::default())
        .expect("lengths agree")
        .all_valid()
}

fn secp256k1(criterion: &mut Criterion) {
    use secp256k1::ffi::{self, CPtr};
    fixed_base::<Secp256k1>(criterion, "secp256k1");
    let mut group = group(criterion, "verify, secp256k1");
    bench_gecc(&mut group, signed_ecdsa::<Secp256k1>, verify_ecdsa::<Secp256k1>);

    let set = signed_ecdsa::<Secp256k1>(&engines().1, PEER_ITEMS, PEER_ITEMS);
    let parsed: Vec<_> = (0..PEER_ITEMS)
        .map(|item| {
            let key = secp256k1::PublicKey::from_slice(set.keys[item].as_sec1()).expect("a valid key");
            (secp256k1::ecdsa::Signature::from_compact(&set.signatures[item]).expect("in range"), key)
        })
        .collect();
    group.throughput(Throughput::Elements(PEER_ITEMS as u64));
    group.bench_function("libsecp256k1 (raw FFI, parsed keys)", |bencher| {
        bencher.iter(|| {
            for (digest, (signature, key)) in set.digests.iter().zip(&parsed) {
                // SAFETY: verification reads a digest of 32 bytes, a signature and a key, all alive and initialised; the
                // static context is what the library provides for it.
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
        .map(|key| signature::ParsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, key.as_sec1()).expect("valid"))
        .collect();
    group.throughput(Throughput::Elements(PEER_ITEMS as u64));
    group.bench_function("aws-lc-rs (parsed keys)", |bencher| {
        bencher.iter(|| {
            for ((digest, signature), key) in set.digests.iter().zip(&set.signatures).zip(&parsed) {
                let digest = digest::Digest::import_less_safe(digest, &digest::SHA256).expect("32 bytes");
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
        sm2::verify(engine, &set.digests, &set.signatures, PublicKeys::points(&set.keys))
            .expect("lengths agree")
            .all_valid()
    });

    let set = signed_sm2(&engines().1, PEER_ITEMS, PEER_ITEMS);
    let parsed: Vec<_> = (0..PEER_ITEMS)
        .map(|item| {
            let key = VerifyingKey::from_sec1_bytes("1234567812345678", set.keys[item].as_sec1()).expect("a valid key");
            (Signature::from_slice(&set.signatures[item]).expect("in range"), key)
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

criterion_group!(benches, secp256k1, p256, sm2_curve);
criterion_main!(benches);
