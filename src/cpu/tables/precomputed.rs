//! Tables of G, computed once per curve and process.
//!
//! No thread waits for another. A thread that lacks something small computes it, and the first to
//! finish stores it for all. The large table is built by a separate thread, while calculations
//! continue with the small one.

use crate::cpu::point::comb::Comb;
use crate::cpu::simd::{Lanes, UniformTable};
use crate::cpu::uniform::BaseTable;
use crate::cpu::{CpuCurve, CpuEngine, generator};
use crate::curve::for_each_curve;
use crate::curve::types::*;
use crate::host::process::get_or_compute;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// The window widths of the two tables of G: 260 KiB, which pays off in a batch of one, and 32 MiB,
/// which pays off after thousands of items.
const SMALL_WINDOW: u32 = 8;
const LARGE_WINDOW: u32 = 16;
/// The number of items, over all calls, above which building the large table (about 60 ms on one
/// core) takes less time than it saves.
const LARGE_TABLE_FROM: usize = 1 << 15;

/// The size in bytes of the large tables of all curves that exist or are being built.
static LARGE_TABLES: AtomicUsize = AtomicUsize::new(0);

/// A curve with tables of its base point, one set per process.
pub trait BaseTables: CpuCurve {
    fn tables() -> &'static Precomputed<Self>;
}

/// Gives every curve its tables. A static in the trait would be one for all curves.
macro_rules! base_tables {
    ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
        $(
            impl BaseTables for $curve {
                fn tables() -> &'static Precomputed<Self> {
                    static TABLES: Precomputed<$curve> = Precomputed::new();
                    &TABLES
                }
            }
        )*
    };
}
for_each_curve!(base_tables!);

/// Computes the tables that calls on this engine use.
pub fn warm_up<C: BaseTables>(engine: &CpuEngine) {
    C::tables().warm_up(engine);
}

/// The tables of one curve.
pub struct Precomputed<C: CpuCurve> {
    /// Small tables built by the portable code and by the vector code. They are separate, so that
    /// an error in the vector code cannot affect portable code.
    small: [OnceLock<Comb<C>>; 2],
    large: OnceLock<Comb<C>>,
    /// Tables for secret scalars, of the vector code and of the portable code.
    uniform: OnceLock<UniformTable<C>>,
    portable_uniform: OnceLock<BaseTable<C>>,
    /// True once a thread has started to build the large table.
    large_begun: AtomicBool,
    /// The number of items that tables have been requested for.
    items: AtomicUsize,
}

impl<C: CpuCurve> Precomputed<C> {
    /// Creates an empty set of tables.
    pub const fn new() -> Self {
        Precomputed {
            small: [OnceLock::new(), OnceLock::new()],
            large: OnceLock::new(),
            uniform: OnceLock::new(),
            portable_uniform: OnceLock::new(),
            large_begun: AtomicBool::new(false),
            items: AtomicUsize::new(0),
        }
    }

    /// Returns the vector code's table of G for secret scalars.
    pub fn uniform(&self, lanes: Lanes) -> &UniformTable<C> {
        get_or_compute(&self.uniform, || UniformTable::new(lanes))
    }

    /// Returns the portable code's table of G for secret scalars.
    pub fn portable_uniform(&self) -> &BaseTable<C> {
        get_or_compute(&self.portable_uniform, BaseTable::new)
    }

    /// Returns the best available table of G for public scalars. `items` is the number of
    /// additional items that will use it. Tables are requested per chunk, not per batch, so that a
    /// large batch benefits from a table that is completed meanwhile.
    pub fn table(&'static self, engine: &CpuEngine, items: usize) -> &'static Comb<C> {
        if let Some(large) = self.large.get() {
            return large;
        }
        let seen = self
            .items
            .fetch_add(items, Ordering::Relaxed)
            .saturating_add(items);
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

    /// Computes the tables that calls on this engine use, as far as its memory limit allows, except
    /// those that another thread is computing.
    pub fn warm_up(&'static self, engine: &CpuEngine) {
        self.small(engine.lanes);
        if let Some(lanes) = engine.lanes {
            self.uniform(lanes);
        }
        // Also for batches that are too small for the vector code.
        self.portable_uniform();
        if self.may_begin(engine) {
            self.build_large(engine.lanes);
        }
    }

    fn small(&self, lanes: Option<Lanes>) -> &Comb<C> {
        get_or_compute(&self.small[usize::from(lanes.is_some())], || {
            Comb::new(lanes, &generator::<C>(), SMALL_WINDOW)
        })
    }

    /// Returns `true` if the engine's memory limit allows the large table and no other thread has
    /// started to build it.
    fn may_begin(&self, engine: &CpuEngine) -> bool {
        let bytes = Comb::<C>::bytes(LARGE_WINDOW);
        let others = LARGE_TABLES.load(Ordering::Relaxed);
        if !Self::large_table_fits(engine, others) || self.large_begun.swap(true, Ordering::AcqRel)
        {
            return false;
        }
        // Other curves may have started meanwhile.
        let others = LARGE_TABLES.fetch_add(bytes, Ordering::Relaxed);
        let claimed = Self::large_table_fits(engine, others);
        if !claimed {
            self.give_up();
        }
        claimed
    }

    /// Returns whether the engine's memory limit allows a large table in addition to `others` bytes
    /// of those of other curves.
    fn large_table_fits(engine: &CpuEngine, others: usize) -> bool {
        let bytes = Comb::<C>::bytes(LARGE_WINDOW);
        engine
            .max_memory
            .is_none_or(|limit| others.saturating_add(bytes) <= limit / 2)
    }

    /// Cancels building the large table, so that another thread can do so later.
    fn give_up(&self) {
        LARGE_TABLES.fetch_sub(Comb::<C>::bytes(LARGE_WINDOW), Ordering::Relaxed);
        self.large_begun.store(false, Ordering::Release);
    }

    fn build_large(&self, lanes: Option<Lanes>) {
        let built = self
            .large
            .set(Comb::new(lanes, &generator::<C>(), LARGE_WINDOW));
        debug_assert!(built.is_ok(), "whoever has begun is alone");
    }
}
