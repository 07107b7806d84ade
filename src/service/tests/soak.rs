//! Ten minutes of load with faults: an engine that sometimes fails or panics, callers that die, and
//! tasks that are aborted.

use super::{Coalescer, ServiceError, Shutdown, WhenFull};
use crate::curve::CurveId;
use crate::engine::{Backend, Device, Engine, PageLocked};
use crate::ops::keys;
use crate::schemes::{bip340, ecdsa};
use crate::service::compute::{Compute, OnEngine};
use crate::service::kind::{COLUMNS, RequestKind};
use crate::types::{Error, Point, Policy, PublicKeys, SForm, Verdict};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const ITEMS: usize = 4096;
/// Tolerated growth in bytes of a process without a leak.
const SLACK: usize = 16 << 20;

/// A device that fails from time to time.
struct Flaky {
    engine: OnEngine,
    random: Mutex<StdRng>,
}

impl Compute for Flaky {
    fn only(&self) -> Option<Device> {
        self.engine.only()
    }

    fn first_choice(&self, kind: RequestKind, items: usize) -> Device {
        self.engine.first_choice(kind, items)
    }

    fn compute(
        &self,
        device: Device,
        kind: RequestKind,
        columns: [&[u8]; COLUMNS],
        codes: &mut [u8],
        rows: &mut [u8],
    ) -> Result<(), Error> {
        let number = self.random.lock().unwrap().random_range(0..1000);
        match number {
            0..20 => Err(Error::Device("on purpose".to_owned())),
            20..30 => std::panic::resume_unwind(Box::new("on purpose")),
            30..40 => {
                thread::sleep(Duration::from_millis(20));
                self.engine.compute(device, kind, columns, codes, rows)
            }
            _ => self.engine.compute(device, kind, columns, codes, rows),
        }
    }

    fn memory(&self, bytes: usize) -> PageLocked<u8> {
        self.engine.memory(bytes)
    }
}

/// Signatures of ECDSA and BIP 340, every eleventh of which is corrupted.
struct Items {
    digests: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    schnorr: Vec<[u8; 64]>,
    keys: Vec<Point>,
}

const CURVE: CurveId = CurveId::Secp256k1;

impl Items {
    fn new(engine: &Engine) -> Self {
        let (secret, keys) = keys::generate(engine, CURVE, ITEMS).unwrap();
        let digests: Vec<[u8; 32]> = (0..ITEMS).map(|item| [item as u8; 32]).collect();
        let signed = ecdsa::sign(engine, CURVE, &digests, &secret, SForm::default()).unwrap();
        let schnorr = bip340::sign(engine, &digests, &secret, Default::default()).unwrap();
        let [signatures, schnorr] = [signed, schnorr].map(|signed| {
            let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
            signatures
                .iter_mut()
                .step_by(11)
                .for_each(|signature| signature[40] ^= 4);
            signatures
        });
        Items {
            digests,
            signatures,
            schnorr,
            keys,
        }
    }

    /// Makes a request; a third of the requests are for BIP 340.
    fn request<'a>(
        &'a self,
        caller: &'a super::Caller,
        at: Range<usize>,
    ) -> super::super::Request<'a, crate::Verdicts> {
        let keys = PublicKeys::points(&self.keys[at.clone()]);
        if at.start.is_multiple_of(3) {
            return caller.bip340_verify(&self.digests[at.clone()], &self.schnorr[at], keys);
        }
        caller.ecdsa_verify(
            CURVE,
            &self.digests[at.clone()],
            &self.signatures[at],
            keys,
            Policy::default(),
        )
    }

    fn check(&self, at: Range<usize>, verdicts: &crate::Verdicts) {
        assert_eq!(verdicts.len(), at.len());
        for (item, verdict) in at.zip(verdicts.iter()) {
            assert_eq!(
                *verdict == Verdict::Valid,
                !item.is_multiple_of(11),
                "item {item}: {verdict}"
            );
        }
    }
}

#[derive(Default)]
struct Counts {
    made: AtomicU64,
    answered: AtomicU64,
    failed: AtomicU64,
    refused: AtomicU64,
    dropped: AtomicU64,
}

impl Counts {
    fn note(&self, items: &Items, at: Range<usize>, answer: Result<crate::Verdicts, ServiceError>) {
        let count = match answer {
            Ok(verdicts) => {
                items.check(at, &verdicts);
                &self.answered
            }
            Err(ServiceError::Engine(_) | ServiceError::Panicked(_)) => &self.failed,
            Err(ServiceError::Full { .. }) => &self.refused,
            Err(problem) => panic!("{problem}"),
        };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

fn a_range(random: &mut StdRng) -> Range<usize> {
    let count = if random.random_range(0..20) == 0 {
        random.random_range(1..800)
    } else {
        random.random_range(1..70)
    };
    let start = random.random_range(0..ITEMS - count);
    start..start + count
}

/// Runs one life of a caller, which may die with requests in flight.
fn live(items: &Items, caller: &super::Caller, random: &mut StdRng, counts: &Counts) {
    let mut tickets = Vec::new();
    for _ in 0..random.random_range(1..200) {
        let at = a_range(random);
        counts.made.fetch_add(1, Ordering::Relaxed);
        match random.random_range(0..3) {
            0 => counts.note(items, at.clone(), items.request(caller, at).wait()),
            _ => match items.request(caller, at.clone()).submit() {
                Ok(ticket) => tickets.push((at, ticket)),
                Err(problem) => counts.note(items, at, Err(problem)),
            },
        }
        if tickets.len() > 8 {
            let (at, ticket) = tickets.swap_remove(random.random_range(0..tickets.len()));
            counts.note(items, at, ticket.wait());
        }
    }
    if random.random_range(0..4) == 0 {
        counts
            .dropped
            .fetch_add(tickets.len() as u64, Ordering::Relaxed);
        // Unwinds through the tickets.
        std::panic::resume_unwind(Box::new(tickets.len()));
    }
    tickets
        .into_iter()
        .for_each(|(at, ticket)| counts.note(items, at, ticket.wait()));
}

/// Returns the resident memory in bytes.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    statm
        .split_whitespace()
        .nth(1)
        .and_then(|pages| pages.parse::<usize>().ok())
        .expect("a number")
        * 4096
}

#[test]
#[ignore = "takes ten minutes; GECC_SOAK_SECONDS sets another time"]
fn soak() {
    soak_on(Backend::Cpu);
}

#[test]
#[ignore = "takes ten minutes and needs a GPU; GECC_SOAK_SECONDS sets another time"]
fn soak_on_gpus() {
    soak_on(Backend::Gpu);
}

fn soak_on(backend: Backend) {
    let seconds = std::env::var("GECC_SOAK_SECONDS")
        .map_or(600, |text| text.parse().expect("a number of seconds"));
    let seed: u64 = rand::random();
    eprintln!("seed {seed}");
    let engine = Engine::builder()
        .backend(backend)
        .threads(2)
        .build()
        .unwrap();
    let items = &Arc::new(Items::new(&engine));
    for when_full in [WhenFull::Wait, WhenFull::Refuse] {
        let flaky = Flaky {
            engine: OnEngine::new(&engine),
            random: Mutex::new(StdRng::seed_from_u64(seed)),
        };
        let options = Coalescer::builder()
            .when_full(when_full)
            .options(1024, 2)
            .unwrap();
        let service = &Coalescer::start(Box::new(flaky), options).unwrap();
        let counts = &Arc::new(Counts::default());
        let is_over = &AtomicBool::new(false);
        thread::scope(|scope| {
            for number in 0..8 {
                scope.spawn(move || {
                    let mut random = StdRng::seed_from_u64(seed ^ (number + 1));
                    while !is_over.load(Ordering::Relaxed) {
                        let caller = service.caller();
                        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                            live(items, &caller, &mut random, counts);
                        }));
                        // A panic that is not on purpose has another payload.
                        if let Err(panic) = ended
                            && !panic.is::<usize>()
                        {
                            std::panic::resume_unwind(panic);
                        }
                    }
                });
            }
            scope.spawn(move || tasks(service, items, counts, is_over, seed));
            watch(Duration::from_secs(seconds / 2), counts);
            is_over.store(true, Ordering::Relaxed);
        });
        service.shutdown(Shutdown::Answer);
        let [made, answered, failed, refused, dropped] = [
            &counts.made,
            &counts.answered,
            &counts.failed,
            &counts.refused,
            &counts.dropped,
        ]
        .map(|count| count.load(Ordering::Relaxed));
        eprintln!(
            "{made} requests: {answered} answered, {failed} failed, {refused} refused, {dropped} dropped"
        );
        assert_eq!(made, answered + failed + refused + dropped);
        assert!(
            answered > 0 && failed > 0 && dropped > 0,
            "{:?}",
            service.stats()
        );
        assert_eq!(service.caller().dispatcher.admission.total(), 0);
    }
}

/// Runs asynchronous callers, some of which are aborted.
fn tasks(
    service: &Coalescer,
    items: &Arc<Items>,
    counts: &Arc<Counts>,
    is_over: &AtomicBool,
    seed: u64,
) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap();
    let mut random = StdRng::seed_from_u64(seed);
    while !is_over.load(Ordering::Relaxed) {
        let caller = service.caller();
        let mut handles = Vec::new();
        for _ in 0..50 {
            let at = a_range(&mut random);
            let caller = caller.clone();
            let items = items.clone();
            let counts = counts.clone();
            counts.made.fetch_add(1, Ordering::Relaxed);
            let task =
                async move { counts.note(&items, at.clone(), items.request(&caller, at).await) };
            handles.push(runtime.spawn(task));
        }
        handles
            .iter()
            .filter(|_| random.random_range(0..5) == 0)
            .for_each(|handle| handle.abort());
        for handle in handles {
            match runtime.block_on(handle) {
                Ok(()) => {}
                Err(problem) if problem.is_cancelled() => {
                    _ = counts.dropped.fetch_add(1, Ordering::Relaxed)
                }
                Err(problem) => panic!("{problem}"),
            }
        }
    }
}

/// Reports progress, and asserts that memory does not grow after a fifth of the time.
fn watch(time: Duration, counts: &Counts) {
    let start = Instant::now();
    let mut early = None;
    let mut most = 0;
    while start.elapsed() < time {
        thread::sleep(Duration::from_secs(1).min(time / 10));
        let now = resident();
        most = most.max(now);
        if start.elapsed() > time / 5 && early.is_none() {
            early = Some(most);
        }
        if start.elapsed().as_secs().is_multiple_of(10) {
            let answered = counts.answered.load(Ordering::Relaxed);
            eprintln!(
                "{} s: {answered} answered, {} MiB",
                start.elapsed().as_secs(),
                now >> 20
            );
        }
    }
    let early = early.expect("a fifth of the time is over");
    eprintln!(
        "at most {} MiB, after a fifth of the time {} MiB",
        most >> 20,
        early >> 20
    );
    assert!(
        most <= early + SLACK,
        "{most} bytes, and {early} after a fifth of the time"
    );
}
