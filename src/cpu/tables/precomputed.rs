//! Tables of G, computed once per curve and process.
//!
//! Nobody waits for anybody here. Whoever lacks something small computes it, and the first to be done keeps it for all.
//! The large table is built by a thread of its own beside the work, which goes on with the small one.

use crate::cpu::point::comb::Comb;
use crate::cpu::simd::{Lanes, UniformTable};
use crate::cpu::{CpuCurve, CpuEngine, generator};
use crate::curve::types::*;
use crate::host::once::get_or_compute;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Windows of the two tables of G: 260 KiB, which a batch of one repays, and 32 MiB, which thousands of items repay.
const SMALL_WINDOW: u32 = 8;
const LARGE_WINDOW: u32 = 16;
/// Items, over all calls, from which building the large table (about 60 ms on one core) costs less than it saves.
const LARGE_TABLE_FROM: usize = 1 << 15;

/// Bytes of the large tables of all curves that are there or being built.
static LARGE_TABLES: AtomicUsize = AtomicUsize::new(0);

/// A curve with tables of its base point, one set per process.
pub trait BaseTables: CpuCurve {
    fn tables() -> &'static Precomputed<Self>;
}

include!(concat!(env!("OUT_DIR"), "/cpu_tables.rs"));

/// Computes what calls on this engine use.
pub fn warm_up<C: BaseTables>(engine: &CpuEngine) {
    C::tables().warm_up(engine);
}

/// The tables of one curve.
pub struct Precomputed<C: CpuCurve> {
    /// Computed by the portable code, and in lanes: where lanes err, nothing of theirs serves the other.
    small: [OnceLock<Comb<C>>; 2],
    large: OnceLock<Comb<C>>,
    uniform: OnceLock<UniformTable<C>>,
    /// True once a thread has started to build the large table.
    large_begun: AtomicBool,
    /// Items that have asked for a table so far.
    items: AtomicUsize,
}

impl<C: CpuCurve> Precomputed<C> {
    /// Nothing is computed yet.
    pub const fn new() -> Self {
        Precomputed {
            small: [OnceLock::new(), OnceLock::new()],
            large: OnceLock::new(),
            uniform: OnceLock::new(),
            large_begun: AtomicBool::new(false),
            items: AtomicUsize::new(0),
        }
    }

    /// The table of G for secret scalars.
    pub fn uniform(&self, lanes: Lanes) -> &UniformTable<C> {
        get_or_compute(&self.uniform, || UniformTable::new(lanes))
    }

    /// The table of G for public scalars, for this many more items: the best that is there. A chunk asks for it, not a
    /// batch, so that a large batch gains by a table that is done meanwhile.
    pub fn table(&'static self, engine: &CpuEngine, items: usize) -> &'static Comb<C> {
        if let Some(large) = self.large.get() {
            return large;
        }
        let seen = self.items.fetch_add(items, Ordering::Relaxed).saturating_add(items);
        if seen >= LARGE_TABLE_FROM && self.may_begin(engine) {
            let lanes = engine.lanes;
            let builder = thread::Builder::new().name("gecc-table".to_owned());
            if builder.spawn(move || self.build_large(lanes)).is_err() {
                self.give_up();
            }
        }
        self.small(engine.lanes)
    }

    /// Makes all calls use this table instead of the curve's own.
    #[cfg(test)]
    #[allow(dead_code, reason = "for tests/small_groups.rs")]
    pub fn serve_by(&self, table: impl FnOnce() -> Comb<C>) {
        get_or_compute(&self.large, table);
    }

    /// Computes what calls on this engine use, as far as its memory allows; not what another thread is computing.
    pub fn warm_up(&'static self, engine: &CpuEngine) {
        self.small(engine.lanes);
        if let Some(lanes) = engine.lanes {
            self.uniform(lanes);
        }
        if self.may_begin(engine) {
            self.build_large(engine.lanes);
        }
    }

    fn small(&self, lanes: Option<Lanes>) -> &Comb<C> {
        get_or_compute(&self.small[usize::from(lanes.is_some())], || Comb::new(lanes, &generator::<C>(), SMALL_WINDOW))
    }

    /// Returns whether the engine's memory has room for the large table and nobody else has started
    /// it.
    fn may_begin(&self, engine: &CpuEngine) -> bool {
        let bytes = Comb::<C>::bytes(LARGE_WINDOW);
        let fits = |all: usize| engine.max_memory.is_none_or(|limit| all.saturating_add(bytes) <= limit / 2);
        if !fits(LARGE_TABLES.load(Ordering::Relaxed)) || self.large_begun.swap(true, Ordering::AcqRel) {
            return false;
        }
        // Other curves may have begun meanwhile.
        let claimed = fits(LARGE_TABLES.fetch_add(bytes, Ordering::Relaxed));
        if !claimed {
            self.give_up();
        }
        claimed
    }

    /// Leaves the large table to somebody else, later.
    fn give_up(&self) {
        LARGE_TABLES.fetch_sub(Comb::<C>::bytes(LARGE_WINDOW), Ordering::Relaxed);
        self.large_begun.store(false, Ordering::Release);
    }

    fn build_large(&self, lanes: Option<Lanes>) {
        let built = self.large.set(Comb::new(lanes, &generator::<C>(), LARGE_WINDOW));
        debug_assert!(built.is_ok(), "whoever has begun is alone");
    }
}
