//! Failures of a GPU, provoked: too little memory, too many callers, a device that fails. The
//! results must be those of the CPU, and missing devices must be reported. (Kernels that cannot be
//! kept or compiled: `crates/gecc-cli/tests/kernels.rs`.)
//!
//! Device memory is measured and taken away, so one test runs at a time, and nothing else may use
//! the GPU.

#[path = "../harness/mod.rs"]
mod harness;
#[allow(dead_code, reason = "the suite needs more of it")]
#[path = "../support/mod.rs"]
mod support;

use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, LaunchConfig, result, sys};
use cudarc::nvrtc::Ptx;
use gecc::ecdsa::{Policy, SForm};
use gecc::{
    Backend, Engine, EngineBuilder, Error, P256, Point, PublicKeys, Secp256k1, SecretKey, Verdict,
};
use gecc::{ecdh, ecdsa, keys, point};
use harness::needs::{GPU, SEVERAL_GPUS};
use harness::{Named, named, test};
use rayon::prelude::*;
use std::env;
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Instant;
use support::random::Random;
use support::report::announce;
use support::shared::shared_points;

const MIB: usize = 1 << 20;
/// Different items; larger batches repeat them.
const ITEMS: usize = 4096;

const TESTS: [Named<fn()>; 9] = named![
    batches_larger_than_the_memory,
    results_do_not_depend_on_chunks,
    many_threads_share_an_engine,
    calls_from_inside_a_pool,
    two_engines_at_once,
    calls_release_device_memory,
    short_device_memory,
    shared_secrets_in_tiny_chunks,
    a_kernel_faults,
];

fn main() -> ExitCode {
    let mut tests = Vec::from(TESTS.map(|(name, run)| test(name, Some(&GPU), move || alone(run))));
    tests.push(test("a_device_is_lost", Some(&SEVERAL_GPUS), || {
        alone(a_device_is_lost)
    }));
    harness::run(tests)
}

/// Runs tests one at a time; a failed test leaves the GPU to the others.
fn alone(run: fn()) {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    run();
}

fn gpu() -> EngineBuilder {
    Engine::builder().backend(Backend::Gpu)
}

fn context() -> Arc<CudaContext> {
    CudaContext::new(0).expect("there is a GPU")
}

fn free_memory() -> usize {
    context().mem_get_info().expect("the GPU answers").0
}

/// Items of every kind with the CPU's results: good ones, some rejected for different reasons.
struct Batch {
    digests: Vec<[u8; 32]>,
    secrets: Vec<SecretKey>,
    public: Vec<Point>,
    signatures: Vec<[u8; 64]>,
    verdicts: Vec<Verdict>,
    scalars: Vec<[u8; 32]>,
    multiples: Vec<Result<Point, gecc::Rejection>>,
    shared: Vec<Result<Point, gecc::Rejection>>,
    signed: Vec<Result<[u8; 64], gecc::Rejection>>,
}

impl Batch {
    fn get() -> &'static Batch {
        static BATCH: OnceLock<Batch> = OnceLock::new();
        BATCH.get_or_init(Batch::new)
    }

    fn new() -> Batch {
        let cpu = Engine::cpu().unwrap();
        let mut random = Random::new();
        let mut secrets: Vec<SecretKey> = (0..ITEMS)
            .map(|_| SecretKey::from_bytes(random.scalar_bytes::<P256>()))
            .collect();
        let digests: Vec<[u8; 32]> = (0..ITEMS).map(|_| random.bytes()).collect();
        let public = keys::public_keys(&cpu, P256, &secrets).unwrap();
        let public: Vec<Point> = public
            .into_iter()
            .map(|key| key.expect("in range"))
            .collect();
        let signed = ecdsa::sign(&cpu, P256, &digests, &secrets, SForm::Low).unwrap();
        let mut signatures: Vec<[u8; 64]> = signed
            .into_iter()
            .map(|item| item.expect("in range"))
            .collect();
        let mut scalars: Vec<[u8; 32]> =
            (0..ITEMS).map(|_| random.scalar_bytes::<P256>()).collect();
        for item in (0..ITEMS).step_by(7) {
            random.flip_bit(&mut signatures[item]);
        }
        for item in (3..ITEMS).step_by(50) {
            secrets[item] = SecretKey::from_bytes([0xff; 32]);
            scalars[item] = [0xff; 32];
        }
        let peers = PublicKeys::points(&public);
        Batch {
            verdicts: ecdsa::verify(&cpu, P256, &digests, &signatures, peers, Policy::default())
                .unwrap()
                .as_slice()
                .to_vec(),
            multiples: point::mul_base(&cpu, P256, &scalars).unwrap(),
            shared: shared_points::<P256>(&cpu, &secrets, peers).unwrap(),
            signed: ecdsa::sign(&cpu, P256, &digests, &secrets, SForm::Low).unwrap(),
            digests,
            secrets,
            public,
            signatures,
            scalars,
        }
    }

    /// One of the four operations on the first `n` items, at most all, compared with the CPU's
    /// results.
    fn check(&self, engine: &Engine, operation: usize, n: usize) {
        let digests = &self.digests[..n];
        let secrets = &self.secrets[..n];
        let peers = PublicKeys::points(&self.public[..n]);
        match operation % 4 {
            0 => {
                let policy = Policy::default();
                let verdicts =
                    ecdsa::verify(engine, P256, digests, &self.signatures[..n], peers, policy)
                        .unwrap();
                assert_eq!(verdicts.as_slice(), &self.verdicts[..n]);
            }
            1 => assert_eq!(
                ecdsa::sign(engine, P256, digests, secrets, SForm::Low).unwrap(),
                self.signed[..n]
            ),
            2 => assert_eq!(
                shared_points::<P256>(engine, secrets, peers).unwrap(),
                self.shared[..n]
            ),
            _ => assert_eq!(
                point::mul_base(engine, P256, &self.scalars[..n]).unwrap(),
                self.multiples[..n]
            ),
        }
    }

    fn check_all(&self, engine: &Engine, n: usize) {
        (0..4).for_each(|operation| self.check(engine, operation, n));
    }

    /// Verifies every item `times` times in one batch.
    fn verify_repeated(&self, engine: &Engine, times: usize) {
        let digests = self.digests.repeat(times);
        let signatures = self.signatures.repeat(times);
        let public = self.public.repeat(times);
        let keys = PublicKeys::points(&public);
        let verdicts =
            ecdsa::verify(engine, P256, &digests, &signatures, keys, Policy::default()).unwrap();
        assert!(
            verdicts
                .as_slice()
                .chunks(ITEMS)
                .all(|part| part == self.verdicts)
        );
    }

    fn multiply_repeated(&self, engine: &Engine, times: usize) {
        let multiples = point::mul_base(engine, P256, &self.scalars.repeat(times)).unwrap();
        assert!(multiples.chunks(ITEMS).all(|part| part == self.multiples));
    }
}

/// A batch whose data is several times the memory that the engine may use.
fn batches_larger_than_the_memory() {
    let batch = Batch::get();
    // Kernels and their stacks are not working memory, and stay: they are there before counting
    // begins.
    batch.check_all(&gpu().build().unwrap(), 64);
    for limit in [64 * MIB, 256 * MIB] {
        let engine = gpu().max_memory(limit).build().unwrap();
        let before = free_memory();
        batch.verify_repeated(&engine, (1 << 20) / ITEMS);
        batch.multiply_repeated(&engine, (1 << 20) / ITEMS);
        batch.check_all(&engine, ITEMS);
        let taken = before.saturating_sub(free_memory());
        announce(&format!(
            "of {} MiB allowed, {} MiB were taken",
            limit / MIB,
            taken / MIB
        ));
        assert!(taken <= limit, "{taken} bytes taken");
        assert!(engine.failures().is_empty());
    }
    let engine = gpu().max_memory(1).build().unwrap();
    batch.check_all(&engine, ITEMS);
    assert!(engine.failures().is_empty());
}

fn results_do_not_depend_on_chunks() {
    for chunk in [
        1,
        2,
        3,
        31,
        63,
        64,
        65,
        255,
        257,
        511,
        513,
        1000,
        4095,
        4096,
        usize::MAX,
    ] {
        let engine = gpu().chunk_items(chunk).build().unwrap();
        for n in [0, 1, 2, 65, 777] {
            Batch::get().check_all(&engine, n);
        }
        if chunk > 60 {
            Batch::get().check_all(&engine, ITEMS);
        }
    }
}

fn many_threads_share_an_engine() {
    let engine = gpu().build().unwrap();
    let batch = Batch::get();
    let before = free_memory();
    thread::scope(|scope| {
        for caller in 0..24 {
            let engine = &engine;
            scope.spawn(move || {
                for round in 0..12 {
                    batch.check(
                        engine,
                        caller + round,
                        [1, 64, 700, ITEMS][(caller + round / 4) % 4],
                    );
                }
            });
        }
        // A large batch at the same time.
        batch.verify_repeated(&engine, 256);
    });
    assert!(engine.failures().is_empty());
    announce(&format!(
        "24 threads on one engine took {} MiB",
        before.saturating_sub(free_memory()) / MIB
    ));
}

/// Threads of the pool that the engine itself uses wait for batches that need that pool.
fn calls_from_inside_a_pool() {
    let engine = gpu().build().unwrap();
    let batch = Batch::get();
    (0..4 * rayon::current_num_threads())
        .into_par_iter()
        .for_each(|call| {
            batch.check(&engine, call, ITEMS);
            batch.multiply_repeated(&engine, 5);
        });
}

fn two_engines_at_once() {
    let one = gpu().build().unwrap();
    let two = gpu().chunk_items(1000).build().unwrap();
    thread::scope(|scope| {
        for engine in [&one, &two, &one, &two] {
            scope.spawn(move || {
                Batch::get().check_all(engine, ITEMS);
                Batch::get().verify_repeated(engine, 100);
            });
        }
    });
    assert!(one.failures().is_empty() && two.failures().is_empty());
}

fn calls_release_device_memory() {
    // Tables of keys that stay in use take more memory, up to their share: here the narrowest ones
    // fill it.
    let engine = gpu().max_memory(8192 * MIB).build().unwrap();
    let batch = Batch::get();
    let mut before = 0;
    for round in 0..43 {
        // The first rounds allocate the arenas and fill the tables.
        if round == 3 {
            before = free_memory();
        }
        batch.check_all(&engine, ITEMS);
        batch.verify_repeated(&engine, 64);
    }
    let after = free_memory();
    assert!(
        after + 4 * MIB >= before,
        "{} MiB more are taken",
        before.saturating_sub(after) / MIB
    );
    drop(engine);
    assert!(free_memory() > after, "an engine gives its memory back");
}

/// Allocates all but `bytes` bytes of the device's memory.
fn take_all_but(bytes: usize) -> Vec<CudaSlice<u8>> {
    let stream = context().default_stream();
    let mut taken = Vec::new();
    let mut size = free_memory();
    while size >= MIB && free_memory() > bytes {
        size = size.min(free_memory() - bytes);
        // SAFETY: nobody reads this memory.
        match unsafe { stream.alloc::<u8>(size) } {
            Ok(slice) => taken.push(slice),
            Err(_) => size /= 2,
        }
    }
    stream.synchronize().expect("the GPU answers");
    taken
}

/// Other processes take the memory that was free when the engine started.
fn short_device_memory() {
    let batch = Batch::get();
    for left in [700 * MIB, 200 * MIB] {
        let engine = gpu().build().unwrap();
        let taken = take_all_but(left);
        announce(&format!("{} MiB are left", free_memory() / MIB));
        batch.check_all(&engine, ITEMS);
        batch.verify_repeated(&engine, 128);
        assert!(engine.failures().is_empty());
        drop(taken);
    }
    // Hardly any, of which the driver may need all, and none: the results, a clear message, or the
    // CPU; and when there is memory again, so is the GPU.
    let strict = gpu().build().unwrap();
    let automatic = Engine::new().unwrap();
    for left in [60 * MIB, 0] {
        let taken = take_all_but(left);
        let peers = PublicKeys::points(&batch.public);
        match ecdsa::verify(
            &strict,
            P256,
            &batch.digests,
            &batch.signatures,
            peers,
            Policy::default(),
        ) {
            Err(Error::Device(problem)) => {
                announce(&format!("with {} MiB left: {problem}", free_memory() / MIB));
                assert!(
                    problem.contains("GPU 0") && problem.contains("out of memory"),
                    "{problem}"
                );
            }
            other => assert_eq!(other.unwrap().as_slice(), batch.verdicts),
        }
        batch.verify_repeated(&automatic, 64);
        drop(taken);
    }
    assert!(strict.failures().is_empty() && automatic.failures().is_empty());
    batch.check_all(&strict, ITEMS);
    batch.check_all(&automatic, ITEMS);
}

/// Secrets survive every way in which chunks end: nothing here may crash while results that own
/// secrets are dropped.
fn shared_secrets_in_tiny_chunks() {
    let engine = gpu().chunk_items(7).build().unwrap();
    let mut random = Random::new();
    let secret = SecretKey::from_bytes(random.scalar_bytes::<Secp256k1>());
    let scalars: Vec<[u8; 32]> = (0..200)
        .map(|_| random.scalar_bytes::<Secp256k1>())
        .collect();
    let peers = point::mul_base(&engine, Secp256k1, &scalars).unwrap();
    let peers: Vec<Point> = peers
        .into_iter()
        .map(|peer| peer.expect("in range"))
        .collect();
    let [found, expected] = [engine, Engine::cpu().unwrap()].map(|engine| {
        let secrets =
            ecdh::shared_secrets(&engine, Secp256k1, &secret, PublicKeys::points(&peers)).unwrap();
        secrets
            .into_iter()
            .map(|item| *item.expect("in range").expose_bytes())
            .collect::<Vec<_>>()
    });
    assert_eq!(found, expected);
}

/// Set in the process in which devices fail: they stay failed until it ends.
const FAILS_HERE: &str = "GECC_TEST_DEVICES_FAIL";

/// One of several is lost in the middle of a batch: the others compute the rest of it, and the
/// batches that follow.
fn a_device_is_lost() {
    in_a_process_of_its_own("a_device_is_lost", || {
        let engine = gpu().build().unwrap();
        let last = engine.info().devices.len() - 1;
        let failed = while_computing(&engine, || lose(last));
        assert!(
            matches!(&failed[..], [one] if one.starts_with(&format!("GPU {last} "))),
            "{failed:?}"
        );
    });
}

/// After a kernel that faults the driver ends all work of its process on any GPU
/// (`CUDA_ERROR_LAUNCH_FAILED`): the cores compute the rest of the batch, and the batches that
/// follow.
fn a_kernel_faults() {
    in_a_process_of_its_own("a_kernel_faults", || {
        let engine = Engine::new().unwrap();
        let fault = Faulting::new();
        let failed = while_computing(&engine, || fault.start());
        assert_eq!(failed.len(), engine.info().devices.len(), "{failed:?}");
    });
}

fn in_a_process_of_its_own(test: &str, run: impl FnOnce()) {
    if env::var_os(FAILS_HERE).is_some() {
        return run();
    }
    let mut child = Command::new(env::current_exe().expect("this program is a file"));
    let child = child
        .args([test, "--exact", "--nocapture"])
        .env(FAILS_HERE, "1")
        .output()
        .expect("it starts");
    let log = [child.stdout, child.stderr]
        .map(|stream| String::from_utf8_lossy(&stream).into_owned())
        .concat();
    announce(&log);
    assert!(child.status.success(), "{log}");
}

/// Computes a batch, calls `fail` in the middle of it, and computes another. Returns the devices
/// that have failed.
fn while_computing(engine: &Engine, fail: impl FnOnce()) -> Vec<String> {
    let batch = Batch::get();
    let products =
        point::mul(&Engine::cpu().unwrap(), P256, &batch.scalars, &batch.public).unwrap();
    let scalars = batch.scalars.repeat(2048);
    let public = batch.public.repeat(2048);
    let agree = || {
        let started = Instant::now();
        let points = point::mul(engine, P256, &scalars, &public).unwrap();
        let seconds = started.elapsed();
        assert!(points.par_chunks(ITEMS).all(|part| part == products));
        seconds
    };
    let before = (0..3).map(|_| agree()).min().expect("there is a call");
    let during = thread::scope(|scope| {
        let call = scope.spawn(agree);
        thread::sleep(before / 3);
        fail();
        call.join().expect("the results are right")
    });
    let rates =
        [before, during, agree()].map(|call| scalars.len() as f64 / call.as_secs_f64() / 1e6);
    announce(&format!("before, during and after, M/s: {rates:.1?}"));
    engine
        .failures()
        .into_iter()
        .map(|failure| failure.device)
        .collect()
}

/// Makes a device unusable for this process.
fn lose(ordinal: usize) {
    let device = result::device::get(ordinal as i32).expect("there is such a GPU");
    // SAFETY: no call of this thread uses the context, and what others do with it afterwards the
    // driver refuses.
    unsafe { sys::cuDevicePrimaryCtxReset_v2(device) }
        .result()
        .expect("the context ends");
}

struct Faulting {
    kernel: CudaFunction,
    stream: Arc<CudaStream>,
}

impl Faulting {
    fn new() -> Self {
        let source =
            ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry fault() { trap; }\n";
        let module = context()
            .load_module(Ptx::from_src(source))
            .expect("the driver compiles it");
        Faulting {
            kernel: module.load_function("fault").expect("it is there"),
            stream: context().default_stream(),
        }
    }

    fn start(&self) {
        // SAFETY: the kernel takes nothing and touches no memory.
        unsafe {
            self.stream
                .launch_builder(&self.kernel)
                .launch(LaunchConfig::for_num_elems(1))
        }
        .expect("it starts");
        self.stream.synchronize().expect_err("it faults");
    }
}
