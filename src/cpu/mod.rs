//! The CPU engine: batches in chunks that fit the cache, spread over cores by rayon.
//!
//! Layers, each using only those above it: `field` (modular arithmetic), `affine` and `jacobian` (points), `recode` and
//! `glv` (scalars), `comb`, `lanes` and `multiply` (multiplication), `decode`, and the operations `point`, `verify`, `recover`,
//! `secret` and `agree`; beside them `modular`, which needs no curve, and `methods`, which checks the GPU.

mod affine;
pub(crate) mod agree;
mod comb;
mod decode;
pub mod field;
mod glv;
mod jacobian;
// `--cfg gecc_no_lanes` leaves them out where they could be, so that their stand-in is compiled and tested there too.
#[cfg(all(target_arch = "x86_64", not(gecc_no_lanes)))]
mod lanes;
#[cfg(any(gecc_no_lanes, not(target_arch = "x86_64")))]
#[path = "lanes_absent.rs"]
mod lanes;
pub(crate) mod methods;
pub(crate) mod modular;
mod multiply;
pub(crate) mod point;
mod recode;
pub(crate) mod recover;
pub(crate) mod secret;
pub(crate) mod verify;

use crate::error::Error;
use affine::Affine;
use comb::Comb;
use field::{Coordinate, Field};
pub use glv::Endomorphism;
use lanes::{Lanes, UniformTable};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// What the CPU engine needs to know of a curve. Limbs are little-endian, plain (not Montgomery) numbers.
pub trait CpuCurve: Copy + Send + Sync + 'static {
    /// The field of coordinates, modulo p.
    type Base: Coordinate;
    /// The field of scalars, modulo n.
    type Scalar: Field;
    /// Whether a is 0; otherwise it is -3.
    const A_IS_ZERO: bool;
    /// The coefficient b.
    const B: [u64; 4];
    /// The base point.
    const G: ([u64; 4], [u64; 4]);
    /// The group order.
    const N: [u64; 4];
    /// The efficient endomorphism, where the curve has one.
    const ENDOMORPHISM: Option<Endomorphism>;
    /// The curve's tables, one set per process.
    fn precomputed() -> &'static Precomputed<Self>;
}

/// What is computed once per curve and process.
pub struct Precomputed<C: CpuCurve> {
    constants: OnceLock<FieldConstants<C::Base>>,
    small: OnceLock<Comb<C>>,
    large: OnceLock<Comb<C>>,
    uniform: OnceLock<UniformTable<C>>,
    /// Items that have asked for a table so far.
    items: AtomicUsize,
}

/// Constants in the field's own representation.
pub(crate) struct FieldConstants<F> {
    b: F,
    /// Zero where the curve has no endomorphism.
    beta: F,
}

/// Windows of the two tables of G: 260 KiB, which a batch of one repays, and 32 MiB, which thousands of items repay.
const SMALL_WINDOW: u32 = 8;
const LARGE_WINDOW: u32 = 16;
/// Items, over all calls, from which building the large table (about 60 ms on one core) costs less than it saves.
const LARGE_TABLE_FROM: usize = 1 << 15;

impl<C: CpuCurve> Precomputed<C> {
    /// Nothing is computed yet.
    pub const fn new() -> Self {
        Precomputed {
            constants: OnceLock::new(),
            small: OnceLock::new(),
            large: OnceLock::new(),
            uniform: OnceLock::new(),
            items: AtomicUsize::new(0),
        }
    }

    /// The table of G for secret scalars.
    fn uniform(&self, lanes: Lanes) -> &UniformTable<C> {
        self.uniform.get_or_init(|| UniformTable::new(lanes))
    }

    pub(crate) fn constants(&self) -> &FieldConstants<C::Base> {
        self.constants.get_or_init(|| FieldConstants {
            b: from_limbs(&C::B),
            beta: C::ENDOMORPHISM.map_or(C::Base::ZERO, |endomorphism| from_limbs(&endomorphism.beta)),
        })
    }

    /// The table of G that suits a batch of so many items. Call it before the batch is spread over threads: building waits for all of them.
    pub(crate) fn table(&self, engine: &CpuEngine, items: usize) -> &Comb<C> {
        let build = |window| engine.install(|| Comb::new(engine.lanes, &generator::<C>(), window));
        if let Some(large) = self.large.get() {
            return large;
        }
        let seen = self.items.fetch_add(items, Ordering::Relaxed).saturating_add(items);
        let fits = engine.max_memory.is_none_or(|limit| Comb::<C>::bytes(LARGE_WINDOW) <= limit / 2);
        if seen >= LARGE_TABLE_FROM && fits {
            self.large.get_or_init(|| build(LARGE_WINDOW))
        } else {
            self.small.get_or_init(|| build(SMALL_WINDOW))
        }
    }
}

fn generator<C: CpuCurve>() -> Affine<C::Base> {
    Affine::new(from_limbs(&C::G.0), from_limbs(&C::G.1))
}

/// The field element of a plain number below the modulus.
fn from_limbs<F: Field>(limbs: &[u64; 4]) -> F {
    F::from_be_bytes(&limbs_to_be_bytes(limbs)).expect("a curve constant is below the modulus")
}

fn limbs_to_be_bytes(limbs: &[u64; 4]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (chunk, limb) in bytes.rchunks_exact_mut(8).zip(limbs) {
        chunk.copy_from_slice(&limb.to_be_bytes());
    }
    bytes
}

fn be_bytes_to_limbs(bytes: &[u8; 32]) -> [u64; 4] {
    let mut limbs = [0; 4];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.rchunks_exact(8)) {
        *limb = u64::from_be_bytes(chunk.try_into().expect("chunks of 8 bytes"));
    }
    limbs
}

/// a || b || x_G || y_G, as Z_A of SM2 takes them.
pub(crate) fn domain_parameters<C: CpuCurve>() -> [u8; 128] {
    let a = if C::A_IS_ZERO { C::Base::ZERO } else { three::<C::Base>().neg() };
    let mut bytes = [0; 128];
    let fields = [a.to_be_bytes(), limbs_to_be_bytes(&C::B), limbs_to_be_bytes(&C::G.0), limbs_to_be_bytes(&C::G.1)];
    for (chunk, field) in bytes.chunks_exact_mut(32).zip(&fields) {
        chunk.copy_from_slice(field);
    }
    bytes
}

fn three<F: Field>() -> F {
    F::ONE.double().add(&F::ONE)
}

/// Items that one thread takes at a time: enough to share an inversion, few enough that their tables stay in L2.
const CHUNK: usize = 512;
/// Fewer items are not worth another thread.
const SMALLEST_CHUNK: usize = 64;

/// More threads than any machine has cores are a mistake, and starting them takes minutes.
const MAX_THREADS: usize = 4096;

/// The thread pool and the limits of one engine.
#[derive(Debug)]
pub struct CpuEngine {
    /// `None`: rayon's global pool, one thread per core.
    pool: Option<rayon::ThreadPool>,
    max_memory: Option<usize>,
    /// `None`: portable code.
    pub(crate) lanes: Option<Lanes>,
}

impl CpuEngine {
    pub(crate) fn new(threads: Option<usize>, max_memory: Option<usize>) -> Result<Self, Error> {
        let build = |threads| match threads {
            threads if !(1..=MAX_THREADS).contains(&threads) => {
                let problem = format!("{threads} is not in 1..={MAX_THREADS}");
                Err(Error::InvalidOption { option: "threads", problem })
            }
            _ => rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .map_err(|problem| Error::Threads(problem.to_string())),
        };
        Ok(CpuEngine { pool: threads.map(build).transpose()?, max_memory, lanes: Lanes::detect() })
    }

    /// The same engine without instructions that not every processor has.
    pub(crate) fn portable(self) -> Self {
        CpuEngine { lanes: None, ..self }
    }

    pub(crate) fn threads(&self) -> usize {
        self.pool.as_ref().map_or_else(rayon::current_num_threads, rayon::ThreadPool::current_num_threads)
    }

    pub(crate) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Does `work` for every task, on this thread at once and on the pool's as they wake up, which may take them longer than
    /// copying a megabyte.
    pub(crate) fn for_each<T: Send>(&self, tasks: Vec<T>, work: impl Fn(T) + Sync) {
        let helpers = self.threads().min(tasks.len()).saturating_sub(1);
        let tasks = Mutex::new(tasks.into_iter());
        let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
        let serve = || {
            while let Some(task) = next() {
                work(task);
            }
        };
        self.in_place_scope(|scope| {
            (0..helpers).for_each(|_| scope.spawn(|_| serve()));
            serve();
        });
    }

    fn in_place_scope<'scope, R>(&self, work: impl FnOnce(&rayon::Scope<'scope>) -> R) -> R {
        match &self.pool {
            Some(pool) => pool.in_place_scope(work),
            None => rayon::in_place_scope(work),
        }
    }

    /// One result per item, computed item by item.
    pub(crate) fn map<T: Send>(&self, items: usize, compute: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
        self.install(|| (0..items).into_par_iter().with_min_len(4).map(compute).collect())
    }

    /// One result per item, computed chunk by chunk: `compute` replaces `initial` in its range of the results.
    fn map_chunks<T: Clone + Send>(
        &self,
        items: usize,
        initial: T,
        compute: impl Fn(Range<usize>, &mut [T]) + Sync,
    ) -> Vec<T> {
        let mut results = vec![initial; items];
        if items <= SMALLEST_CHUNK {
            // One chunk needs no other thread, and waking one takes as long as several items.
            compute(0..items, &mut results);
            return results;
        }
        let chunk = items.div_ceil(self.threads()).clamp(SMALLEST_CHUNK, CHUNK);
        self.install(|| {
            results.par_chunks_mut(chunk).enumerate().for_each(|(index, out)| {
                let start = index * chunk;
                compute(start..start + out.len(), out);
            });
        });
        results
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn every_task_is_done_once() {
        for threads in [1, 2, 5] {
            let cpu = CpuEngine::new(Some(threads), None).unwrap();
            for count in [0, 1, 2, 1000] {
                let done: Vec<AtomicU32> = (0..count).map(|_| AtomicU32::new(0)).collect();
                cpu.for_each((0..count).collect(), |task: usize| _ = done[task].fetch_add(1, Ordering::Relaxed));
                assert!(done.iter().all(|times| times.load(Ordering::Relaxed) == 1));
                // Also from a thread of the pool.
                cpu.install(|| cpu.for_each(done.iter().collect(), |times| _ = times.fetch_add(1, Ordering::Relaxed)));
                assert!(done.iter().all(|times| times.load(Ordering::Relaxed) == 2));
            }
        }
    }

    #[test]
    fn a_task_that_panics_is_told() {
        let cpu = CpuEngine::new(Some(3), None).unwrap();
        let run = || cpu.for_each((0..100).collect(), |task: i32| assert_ne!(task, 50));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
    }
}
