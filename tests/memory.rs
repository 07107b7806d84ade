//! Memory of calls in addition to their inputs and results: never more than the limit and the
//! excess that docs/using.md states.
//!
//! Each test is a process of its own, whose peak the operating system reports.

mod harness;

use gecc::{
    Backend, Engine, P256, Point, PublicKeys, Secp256k1, SecretKey, Sm2, ecdsa, keys, point, sm2,
};
use harness::test;
use std::process::{Command, ExitCode, Stdio};

const CHILD: &str = "GECC_TEST_MEMORY";
const MIB: usize = 1 << 20;
/// Limits in MiB: below and above those that allow the large tables of one, two and three curves.
const LIMITS: [usize; 8] = [0, 8, 63, 64, 65, 128, 192, 256];
const THREADS: usize = 2;
/// The memory of every call: a few MiB, and one for each thread.
const BASE: usize = (6 + THREADS) * MIB;
const ITEMS: usize = 150_000;
/// Private keys, and signatures, which are used over and over.
const KEYS: usize = 1000;

fn main() -> ExitCode {
    if let Ok(limit) = std::env::var(CHILD) {
        library(limit.parse().expect("a limit"));
        return ExitCode::SUCCESS;
    }
    harness::run(
        LIMITS
            .map(|limit| test(format!("library::{limit}_mib"), None, move || child(limit)))
            .into(),
    )
}

fn child(limit: usize) {
    let this = std::env::current_exe().expect("a running test has a file");
    let output = Command::new(this)
        .env(CHILD, limit.to_string())
        .stderr(Stdio::piped())
        .output();
    let output = output.expect("this test can be started");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A figure of this process in bytes.
fn status(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
        .expect("a figure");
    line.trim()
        .trim_end_matches("kB")
        .trim()
        .parse::<usize>()
        .expect("a number")
        << 10
}

/// Checks the memory of a call in addition to its results.
fn check(name: &str, limit: usize, results: usize, call: impl FnOnce()) {
    // From here on the peak counts anew.
    std::fs::write("/proc/self/clear_refs", "5").expect("Linux");
    let before = status("VmRSS");
    call();
    let taken = status("VmHWM").saturating_sub(before + results);
    eprintln!(
        "{name}: {:.1} MiB of {}",
        taken as f64 / MIB as f64,
        limit / MIB
    );
    assert!(
        taken <= limit + BASE,
        "{name}: {taken} bytes with a limit of {limit}"
    );
}

/// Different scalars: this byte repeated, and a number.
fn scalars(byte: u8, count: usize) -> Vec<[u8; 32]> {
    let mut scalars = vec![[byte; 32]; count];
    for (scalar, number) in scalars.iter_mut().zip(0_u64..) {
        scalar[24..].copy_from_slice(&number.to_be_bytes());
    }
    scalars
}

/// The memory of the results of a call: `bytes` bytes per item, and a few fresh pages.
fn results(items: usize, bytes: usize) -> usize {
    bytes * items + (64 << 10)
}

/// Repeats the values, one for each item.
fn repeated<T: Clone>(values: &[T]) -> Vec<T> {
    values.iter().cycle().take(ITEMS).cloned().collect()
}

fn library(limit: usize) {
    let limit = limit * MIB;
    let few = Engine::builder()
        .backend(Backend::Cpu)
        .threads(THREADS)
        .max_memory(0)
        .build()
        .expect("two threads");
    let engine = Engine::builder()
        .backend(Backend::Cpu)
        .threads(THREADS)
        .max_memory(limit)
        .build()
        .expect("two threads");
    let secret: Vec<SecretKey> = scalars(0x11, KEYS)
        .into_iter()
        .map(SecretKey::from_bytes)
        .collect();
    let digests: Vec<[u8; 32]> = secret.iter().map(|key| *key.expose_bytes()).collect();
    let signed =
        ecdsa::sign_recoverable(&few, Secp256k1, &digests, &secret, Default::default()).unwrap();
    let (signatures, ids): (Vec<[u8; 64]>, Vec<u8>) = signed
        .into_iter()
        .flatten()
        .map(|signed| (signed.signature, signed.recovery_id))
        .unzip();
    let public: Vec<Point> = keys::public_keys(&few, Secp256k1, &secret)
        .unwrap()
        .into_iter()
        .flatten()
        .collect();
    // Making one per item takes minutes.
    let secret = repeated(&secret);
    let digests = repeated(&digests);
    let signatures = repeated(&signatures);
    let ids = repeated(&ids);
    let repeated_keys = repeated(&public);
    // Different keys, of which none is the signer's.
    let others = point::mul_base(&few, Secp256k1, &scalars(0x22, ITEMS)).unwrap();
    let others: Vec<Point> = others.into_iter().flatten().collect();

    let verify = |keys: &[Point]| {
        let keys = PublicKeys::points(keys);
        let verdicts = ecdsa::verify(
            &engine,
            Secp256k1,
            &digests,
            &signatures,
            keys,
            Default::default(),
        )
        .unwrap();
        verdicts.rejected().count()
    };
    check("verify", limit, results(ITEMS, 2), || {
        assert_eq!(verify(&others), ITEMS)
    });
    // A thousand keys, each with its table where there is room.
    check("verify with 1000 keys", limit, results(ITEMS, 2), || {
        assert_eq!(verify(&repeated_keys), 0)
    });
    check("recover", limit, results(ITEMS, 66), || {
        assert_eq!(
            ecdsa::recover(&engine, Secp256k1, &digests, &signatures, &ids)
                .unwrap()
                .len(),
            ITEMS
        );
    });
    // Signing takes longest. The least limit shows the memory per item best.
    let to_sign = if limit == 0 { ITEMS } else { ITEMS / 10 };
    let messages = &digests[..to_sign];
    let signers = &secret[..to_sign];
    check("sign", limit, results(to_sign, 66), || {
        assert_eq!(
            ecdsa::sign(&engine, P256, messages, signers, Default::default())
                .unwrap()
                .len(),
            to_sign
        );
    });
    // The large tables of all curves together.
    check("mul_base", limit, results(ITEMS, 66), || {
        assert_eq!(
            point::mul_base(&engine, P256, &digests).unwrap().len(),
            ITEMS
        );
        engine.warm_up(gecc::CurveId::P256).unwrap();
    });
    check("mul_base", limit, results(ITEMS, 66), || {
        assert_eq!(
            point::mul_base(&engine, Sm2, &digests).unwrap().len(),
            ITEMS
        );
        engine.warm_up(gecc::CurveId::Sm2).unwrap();
    });
    check("sm2", limit, results(to_sign, 66), || {
        assert_eq!(
            sm2::sign(&engine, messages, signers).unwrap().len(),
            to_sign
        )
    });
}
