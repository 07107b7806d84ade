//! Callers of every kind: tasks of a pool that call by the thousand, plain threads, asynchronous
//! runtimes, processes with little memory and few threads, and processes that fork.
//!
//! Each test is a process of its own, because tables and pools belong to a process, and it must end
//! in time. In it no call may run inside another (as it would if a waiting thread ran other tasks
//! of its pool), and the number of threads must stay what the caller and one engine need.

#[path = "../harness/mod.rs"]
mod harness;

use gecc::service::{Caller, Coalescer, ServiceError};
use gecc::{
    Backend, Curve, Engine, EngineBuilder, Error, Point, Secp256k1, SecretKey, ecdsa, keys,
};
use harness::needs::{GPU, Need};
use harness::{Named, Test, test};
use rayon::prelude::*;
use std::cell::Cell;
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Names the test that this process runs.
const CHILD: &str = "GECC_TEST_CALLER";
/// A process that takes longer hangs; each takes some seconds.
const PATIENCE: Duration = Duration::from_secs(300);
/// Calls of a test.
const CALLS: usize = 4000;
/// Threads of the callers' pools.
const CALLERS: usize = 4;

/// Kinds of engines.
const ENGINES: [Named<fn() -> EngineBuilder>; 5] = [
    ("cpu", || Engine::builder().backend(Backend::Cpu).threads(2)),
    ("one_thread", || {
        Engine::builder().backend(Backend::Cpu).threads(1)
    }),
    ("portable", || {
        Engine::builder()
            .backend(Backend::Cpu)
            .threads(2)
            .portable(true)
    }),
    ("little_memory", || {
        Engine::builder()
            .backend(Backend::Cpu)
            .threads(2)
            .max_memory(1 << 20)
    }),
    ("gpu", || Engine::builder().backend(Backend::Gpu).threads(2)),
];

/// Ways of calling an engine.
const WAYS: [Named<fn(&'static Engine)>; 6] = [
    ("par_iter", |engine| {
        let global = rayon::ThreadPoolBuilder::new()
            .num_threads(CALLERS)
            .build_global();
        global.expect("the engine leaves rayon's global pool to the application");
        (0..CALLS)
            .into_par_iter()
            .for_each(|number| call(engine, number));
    }),
    ("scope", |engine| {
        rayon::scope(|scope| (0..CALLS).for_each(|i| scope.spawn(move |_| call(engine, i))))
    }),
    ("another_pool", |engine| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(CALLERS)
            .build()
            .expect("four threads");
        pool.install(|| {
            (0..CALLS)
                .into_par_iter()
                .for_each(|number| call(engine, number))
        });
    }),
    ("nested_joins", |engine| join(engine, 0..CALLS / 4)),
    ("plain_threads", |engine| {
        thread::scope(|scope| {
            for first in 0..64 {
                scope.spawn(move || {
                    (first..CALLS / 4)
                        .step_by(64)
                        .for_each(|number| call(engine, number))
                });
            }
        });
    }),
    ("spawn_blocking", |engine| {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder
            .worker_threads(CALLERS)
            .max_blocking_threads(16)
            .build()
            .expect("a runtime");
        let calls: Vec<_> = (0..CALLS)
            .map(|number| runtime.spawn_blocking(move || call(engine, number)))
            .collect();
        calls
            .into_iter()
            .for_each(|call| runtime.block_on(call).expect("the call does not panic"));
    }),
];

/// Tests about processes.
const PROCESSES: [Named<fn()>; 5] = [
    ("few_threads", few_threads),
    ("little_address_space", little_address_space),
    ("fork", fork),
    ("global_pool_is_left_alone", global_pool_is_left_alone),
    ("warm_up", warm_up),
];

fn main() -> ExitCode {
    if let Ok(name) = std::env::var(CHILD) {
        child(&name);
        return ExitCode::SUCCESS;
    }
    let mut tests = Vec::new();
    for (engine, _) in &ENGINES {
        let need = (*engine == "gpu").then_some(&GPU);
        tests.extend(WAYS.map(|(way, _)| in_process(format!("{way}::{engine}"), need)));
    }
    tests.extend(
        PROCESSES
            .iter()
            .map(|(name, _)| in_process(format!("process::{name}"), None)),
    );
    tests.push(in_process(
        "process::current_context".to_owned(),
        Some(&GPU),
    ));
    harness::run(tests)
}

fn in_process(name: String, need: Option<&'static Need>) -> Test {
    let run = {
        let name = name.clone();
        move || run_child(&name)
    };
    test(name, need, run)
}

fn run_child(name: &str) {
    let mut command = Command::new(std::env::current_exe().expect("a running test has a file"));
    command
        .env(CHILD, name)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("this test can be started");
    let start = Instant::now();
    while child.try_wait().expect("the child can be polled").is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().expect("the child can be ended");
            panic!("{name} hangs");
        }
        thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("the child has ended");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {}\n{text}", output.status);
}

fn child(name: &str) {
    let (first, second) = name.split_once("::").expect("two names");
    if first == "process" {
        return match PROCESSES.iter().find(|(name, _)| *name == second) {
            Some((_, run)) => run(),
            None => current_context(),
        };
    }
    let (_, way) = WAYS
        .iter()
        .find(|(name, _)| *name == first)
        .expect("a way of calling");
    let (_, engine) = ENGINES
        .iter()
        .find(|(name, _)| *name == second)
        .expect("an engine");
    let engine: &Engine = Box::leak(Box::new(engine().build().expect("the engine starts")));
    expected();
    let most = watch_threads(|| way(engine));
    // The engine's own, the callers' (16 of tokio besides 4, or 64), this one, the one that watches
    // and one that builds a table.
    let engine_threads = 2 + 5 * engine.info().devices.len();
    let callers = if first == "plain_threads" { 64 } else { 20 };
    // While kernels are compiled each has a thread, and the driver has some of its own.
    let of_gpu = if second == "gpu" { 40 } else { 0 };
    assert!(
        most <= engine_threads + callers + 3 + of_gpu,
        "{most} threads"
    );
    assert!(engine.failures().is_empty());
}

/// Items of a call: small and large ones, of which the latter go to the engine's threads.
fn items_of(number: usize) -> usize {
    [1, 2, 3, 1, 7, 1, 66, 1, 2, 130][number % 10]
}

/// Signatures and the keys that made them.
struct Expected {
    digests: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    recovery_ids: Vec<u8>,
    keys: Vec<Point>,
}

fn expected() -> &'static Expected {
    static EXPECTED: OnceLock<Expected> = OnceLock::new();
    EXPECTED.get_or_init(|| {
        const ITEMS: usize = 256;
        let engine = Engine::builder()
            .backend(Backend::Cpu)
            .threads(1)
            .build()
            .expect("one thread");
        let (secret, public) =
            keys::generate(&engine, Secp256k1, ITEMS).expect("there is randomness");
        let digests: Vec<[u8; 32]> = (0..ITEMS).map(|item| [item as u8; 32]).collect();
        let signed =
            ecdsa::sign_recoverable(&engine, Secp256k1, &digests, &secret, Default::default());
        let signed = signed
            .expect("lengths agree")
            .into_iter()
            .map(|item| item.expect("a key in range"));
        let (signatures, recovery_ids) = signed
            .map(|item| (item.signature, item.recovery_id))
            .unzip();
        Expected {
            digests,
            signatures,
            recovery_ids,
            keys: public,
        }
    })
}

thread_local!(static DEPTH: Cell<usize> = const { Cell::new(0) });

/// One call, whose results are checked.
fn call(engine: &Engine, number: usize) {
    let depth = DEPTH.replace(DEPTH.get() + 1);
    assert_eq!(depth, 0, "a call runs inside another");
    let start = number % 100;
    let items = items_of(number);
    let Expected {
        digests,
        signatures,
        recovery_ids,
        keys,
    } = expected();
    let range = start..start + items;
    let digests = &digests[range.clone()];
    let signatures = &signatures[range.clone()];
    let recovered = ecdsa::recover(
        engine,
        Secp256k1,
        digests,
        signatures,
        &recovery_ids[range.clone()],
    );
    assert!(
        recovered
            .expect("lengths agree")
            .into_iter()
            .eq(keys[range].iter().map(|key| Ok(*key)))
    );
    DEPTH.set(depth);
}

fn join(engine: &Engine, calls: std::ops::Range<usize>) {
    if calls.len() == 1 {
        return call(engine, calls.start);
    }
    let middle = calls.start.midpoint(calls.end);
    rayon::join(
        || join(engine, calls.start..middle),
        || join(engine, middle..calls.end),
    );
}

/// Returns the maximum number of threads of the process while something runs.
fn watch_threads(run: impl FnOnce()) -> usize {
    let most = AtomicUsize::new(0);
    let running = AtomicUsize::new(1);
    thread::scope(|scope| {
        scope.spawn(|| {
            while running.load(Ordering::Relaxed) == 1 {
                most.fetch_max(threads(), Ordering::Relaxed);
                thread::sleep(Duration::from_millis(2));
            }
        });
        run();
        running.store(0, Ordering::Relaxed);
    });
    most.into_inner()
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

/// A refused thread is an error, and an engine works within the number of threads that the system
/// allows.
#[cfg(unix)]
fn few_threads() {
    use rustix::process::{Resource, Rlimit, getuid, setrlimit};
    expected();
    // Nothing limits root: the process continues as nobody, who has no other process.
    const NOBODY: u32 = 65534;
    if getuid().is_root() {
        // SAFETY: the process has this thread alone.
        assert_eq!(unsafe { libc::setuid(NOBODY) }, 0, "root may become nobody");
    }
    setrlimit(
        Resource::Nproc,
        Rlimit {
            current: Some(24),
            maximum: Some(24),
        },
    )
    .expect("a limit may be lowered");
    let builder = Engine::builder().backend(Backend::Cpu);
    for _ in 0..3 {
        let problem = builder
            .clone()
            .threads(1000)
            .build()
            .expect_err("1000 threads are refused");
        assert!(matches!(problem, Error::Threads(_)), "{problem}");
    }
    // Those that had started end, which takes them a moment.
    let start = Instant::now();
    let engine = loop {
        match builder.clone().threads(2).build() {
            Ok(engine) => break engine,
            Err(problem) => assert!(start.elapsed() < Duration::from_secs(20), "{problem}"),
        }
        thread::sleep(Duration::from_millis(10));
    };
    // None may be started for a table.
    setrlimit(
        Resource::Nproc,
        Rlimit {
            current: Some(1),
            maximum: Some(1),
        },
    )
    .expect("a limit may be lowered");
    works(&engine);
}

/// An engine needs little of the process's address space.
#[cfg(unix)]
fn little_address_space() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    expected();
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let size = status
        .lines()
        .find_map(|line| line.strip_prefix("VmSize:"))
        .expect("a size");
    let kilobytes: u64 = size
        .trim()
        .trim_end_matches("kB")
        .trim()
        .parse()
        .expect("a number");
    let most = Some((kilobytes << 10) + (512 << 20));
    setrlimit(
        Resource::As,
        Rlimit {
            current: most,
            maximum: most,
        },
    )
    .expect("a limit may be lowered");
    works(
        &Engine::builder()
            .backend(Backend::Cpu)
            .threads(2)
            .build()
            .expect("two threads"),
    );
}

/// Makes small calls, and one with enough items that a table is profitable.
fn works(engine: &Engine) {
    (0..1000).for_each(|number| call(engine, number));
    let many: Vec<[u8; 32]> = (1..=40_000u32).map(|item| [item as u8; 32]).collect();
    assert_eq!(
        gecc::point::mul_base(engine, Secp256k1, &many)
            .expect("it works")
            .len(),
        many.len()
    );
    (0..1000).for_each(|number| call(engine, number));
}

/// A forked child can neither use its parent's engine nor hang because of it, and may make its own.
#[cfg(unix)]
fn fork() {
    let engine = Engine::builder()
        .backend(Backend::Cpu)
        .threads(2)
        .build()
        .expect("two threads");
    let locked = engine.page_lock(vec![[1; 32]; 10]);
    let service = Coalescer::new(&engine).expect("threads");
    let caller = service.caller();
    by_service(&caller).expect("it answers");
    (0..100).for_each(|number| call(&engine, number));
    // SAFETY: the child computes and ends; the C library makes its allocator usable there.
    match unsafe { libc::fork() } {
        -1 => panic!("the process cannot fork"),
        0 => {
            let one = [SecretKey::from_bytes([1; 32])];
            let calls = [1, 5000]
                .map(|items| keys::public_keys(&engine, Secp256k1, &vec![one[0].clone(); items]));
            let refused = calls.iter().all(|call| matches!(call, Err(Error::Forked)));
            let warm_up = matches!(engine.warm_up(gecc::CurveId::Secp256k1), Err(Error::Forked));
            let lock = !engine.page_lock(vec![[1; 32]; 10]).is_locked();
            let no_service = matches!(by_service(&caller), Err(ServiceError::Forked))
                && matches!(Coalescer::new(&engine), Err(Error::Forked));
            drop((caller, service));
            drop((engine, locked));
            let own = Engine::builder()
                .backend(Backend::Cpu)
                .threads(2)
                .build()
                .expect("two threads");
            (0..100).for_each(|number| call(&own, number));
            // SAFETY: ends the child at once, without the parent's exit handlers.
            unsafe {
                libc::_exit(if refused && warm_up && lock && no_service {
                    0
                } else {
                    1
                })
            }
        }
        child => {
            let mut status = -1;
            // SAFETY: the status is a writable integer.
            assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
            assert_eq!(status, 0, "the child has failed");
        }
    }
    by_service(&caller).expect("it still answers");
    (0..100).for_each(|number| call(&engine, number));
}

/// One request to a coalescer.
fn by_service(caller: &Caller) -> Result<(), ServiceError> {
    let keys = [SecretKey::from_bytes([1; 32])];
    caller
        .public_keys(Secp256k1::ID, &keys)
        .wait()
        .map(|points| assert!(points[0].is_ok()))
}

/// The application may still build rayon's global pool.
fn global_pool_is_left_alone() {
    for engine in [Engine::new(), Engine::cpu()] {
        let engine = engine.expect("threads can be started");
        (0..20).for_each(|number| call(&engine, number));
        keys::generate(&engine, Secp256k1, 5000).expect("there is randomness");
        engine
            .warm_up(gecc::CurveId::Secp256k1)
            .expect("tables are built");
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(3)
        .build_global()
        .expect("nobody else has built it");
}

/// Processor time of this thread.
#[cfg(unix)]
fn processor_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the time is writable.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// A caller of single items does not build the large table, which takes some tens of milliseconds.
#[cfg(unix)]
fn warm_up() {
    let engine = Engine::builder()
        .backend(Backend::Cpu)
        .threads(1)
        .build()
        .expect("one thread");
    let mut times: Vec<Duration> = (0..40_000)
        .map(|number: u32| {
            let start = processor_time();
            let mut scalar = [0; 32];
            scalar[28..].copy_from_slice(&number.to_be_bytes());
            assert_eq!(
                gecc::point::mul_base(&engine, Secp256k1, &[scalar])
                    .expect("it works")
                    .len(),
                1
            );
            processor_time() - start
        })
        .collect();
    // Not the first, which computes the small table.
    let slowest = times.split_off(1).into_iter().max().expect("many calls");
    assert!(
        slowest < Duration::from_millis(10),
        "a call took {slowest:?}"
    );
    let start = Instant::now();
    engine
        .warm_up(gecc::CurveId::P256)
        .expect("tables are built");
    let building = start.elapsed();
    let again = Instant::now();
    engine
        .warm_up(gecc::CurveId::P256)
        .expect("tables are there");
    assert!(
        again.elapsed() < building,
        "existing tables are not built again"
    );
}

fn current_cuda_context() -> Option<cudarc::driver::sys::CUcontext> {
    cudarc::driver::result::ctx::get_current().expect("the driver is there")
}

/// The caller's thread keeps its CUDA context, here none.
fn current_context() {
    let engine = Engine::builder()
        .backend(Backend::Gpu)
        .build()
        .expect("there is a GPU");
    assert!(current_cuda_context().is_none());
    (0..20).for_each(|number| call(&engine, number));
    let locked = engine.page_lock(vec![[7; 32]; 1 << 17]);
    engine
        .warm_up(gecc::CurveId::Secp256k1)
        .expect("kernels are compiled");
    let points = gecc::point::mul_base(&engine, Secp256k1, &locked).expect("it works");
    assert_eq!((points.len(), current_cuda_context()), (1 << 17, None));
    drop((locked, engine));
    assert!(current_cuda_context().is_none());
}
