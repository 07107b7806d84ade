//! Tables of frequent keys, kept on a device between chunks and calls and shared by all its
//! streams.
//!
//! The newest tables of a curve are used until they lack too many keys of a chunk; the stream that
//! computes this chunk then builds new ones. Streams that still read older tables hold a reference
//! to them, so their memory is neither freed nor overwritten before it is released.

use super::form::{StartKeys, TableForm};
use crate::gpu::columns::{
    self, Address, Column, Content, IndexSlots, ItemNumbers, KeyColumns, Prefixes, Xy, Xyz,
};
use crate::gpu::kernels;
use crate::gpu::runtime::{ALIGNMENT, Context, DeviceMemory, Event, Fault, STREAMS, Stream};
use crate::host::{lock, trace};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// A set of tables takes at most 1/`MEMORY_SHARE` of the device's memory.
const MEMORY_SHARE: usize = 24;
/// Maximum number of sets on a device: one per stream, since each may need its own.
const MOST_SETS: usize = STREAMS;
/// Number of chunks served from which tables are expected to be used again.
const PROVEN: u32 = 2;

/// Returns the maximum size of a set of tables on a device with `memory` bytes.
pub fn share(memory: usize) -> usize {
    memory / MEMORY_SHARE
}

/// The number of tables in a set, and their window width.
#[derive(Clone, Copy, Debug)]
pub struct TableSizes {
    pub form: &'static TableForm,
    pub tables: u32,
    pub bits: u32,
}

impl TableSizes {
    pub fn windows(self) -> usize {
        self.form.windows(self.bits) as usize
    }

    pub fn entries(self) -> usize {
        1 << (self.bits - 1)
    }

    /// Returns the number of first entries, one for each window of each table.
    fn rows(self) -> usize {
        self.tables as usize * self.windows()
    }

    /// Returns the binary logarithm of the number of index slots, which is at least four times the
    /// number of keys.
    fn slot_bits(self) -> u32 {
        usize::BITS - (4 * self.tables as usize - 1).leading_zeros()
    }

    /// Returns the bytes of the tables, the keys, the index, and the scratch memory for building:
    /// points, and the prefix products of both kernels.
    fn sizes(self) -> [usize; 6] {
        let rows = self.rows();
        let entries = self.entries();
        let keys = self.form.key * self.tables as usize;
        let prefixes = Prefixes::BYTES * rows;
        // The last extension computes half of the rows.
        let tables = [
            self.form.entry * rows * entries,
            Prefixes::BYTES * rows * entries / 2,
        ];
        [
            tables[0],
            keys,
            4 << self.slot_bits(),
            Xyz::BYTES * rows,
            prefixes,
            tables[1],
        ]
    }

    pub fn bytes(self) -> usize {
        self.sizes()
            .iter()
            .map(|size| size.next_multiple_of(ALIGNMENT))
            .sum()
    }
}

/// The keys that get tables, as items of a chunk.
#[derive(Clone, Copy, Debug)]
pub struct KeysToTabulate {
    pub words: Column<KeyColumns>,
    /// The points from which tables are computed.
    pub xy: Column<Xy>,
    /// A list of items, one for each table.
    pub items: Column<ItemNumbers>,
    /// Number of items of the chunk.
    pub n: u64,
}

/// The positions of tables, and the index by which their keys are found
/// (`cuda/kernels/key_groups.cu`).
#[derive(Clone, Copy, Debug)]
pub struct TablePlaces {
    pub key_tables: Column<columns::KeyTables>,
    pub index_keys: Column<KeyColumns>,
    pub index_slots: Column<IndexSlots>,
    pub index_slot_bits: u32,
    pub index_seed: u64,
}

/// A set of tables.
#[derive(Debug)]
pub struct KeyTables {
    curve: &'static str,
    pub shape: TableSizes,
    pub places: TablePlaces,
    /// Occurs when the tables are complete.
    pub ready: Event,
    /// Numbers of chunks and items that were verified with them.
    chunks: AtomicU32,
    items: AtomicU64,
    memory: DeviceMemory,
}

impl KeyTables {
    /// Records that `items` items of a chunk are verified with these tables.
    pub fn serve(&self, items: u32) {
        self.chunks.fetch_add(1, Ordering::Relaxed);
        self.items.fetch_add(items.into(), Ordering::Relaxed);
    }

    /// Returns the number of items verified with these tables so far.
    pub fn served(&self) -> u64 {
        self.items.load(Ordering::Relaxed)
    }

    /// Returns whether keys have repeated before, and are therefore likely to repeat in later
    /// chunks.
    pub fn proven(&self) -> bool {
        self.chunks.load(Ordering::Relaxed) >= PROVEN
    }
}

/// The key tables of one device.
#[derive(Debug, Default)]
pub struct KeyCache(Mutex<Sets>);

impl KeyCache {
    /// Locks the cache for building; only the holder builds.
    pub fn lock(&self) -> MutexGuard<'_, Sets> {
        lock(&self.0)
    }

    /// Frees the tables that no stream uses.
    pub fn drop_idle(&self) {
        self.lock().drop_idle();
    }
}

/// The sets of tables, oldest first.
#[derive(Debug, Default)]
pub struct Sets(Vec<Arc<KeyTables>>);

impl Sets {
    /// Returns the newest tables of a curve. They may still be under construction; a stream waits
    /// for them before it uses them.
    pub fn newest(&self, curve: &str) -> Option<Arc<KeyTables>> {
        self.0.iter().rfind(|set| set.curve == curve).cloned()
    }

    /// Starts to build new tables of a curve on the stream. Returns `None` if there is no memory
    /// for them.
    pub fn build(
        &mut self,
        stream: &mut Stream,
        curve: &'static str,
        keys: KeysToTabulate,
        shape: TableSizes,
    ) -> Result<Option<Arc<KeyTables>>, Fault> {
        let _span = trace::span("tables of keys", shape.bytes());
        let most = share(stream.device.memory);
        let Some(memory) = self.memory(&stream.device.context, shape.bytes(), most)? else {
            return Ok(None);
        };
        let started = start(stream, curve, keys, shape, memory.address)
            .and_then(|places| Ok((places, stream.event()?)));
        let (places, ready) = match started {
            Ok(started) => started,
            Err(fault) => {
                // The memory is freed after this.
                let _ = stream.wait();
                return Err(fault);
            }
        };
        let chunks = AtomicU32::new(0);
        let items = AtomicU64::new(0);
        let tables = Arc::new(KeyTables {
            curve,
            shape,
            places,
            ready,
            chunks,
            items,
            memory,
        });
        self.0.push(tables.clone());
        Ok(Some(tables))
    }

    /// Returns the memory of tables that are not needed any more, or else new device memory, whose
    /// allocation stops all streams of the device.
    fn memory(
        &mut self,
        context: &Arc<Context>,
        bytes: usize,
        most: usize,
    ) -> Result<Option<DeviceMemory>, Fault> {
        while let Some(idle) = self.take_idle(false) {
            if idle.memory.bytes >= bytes {
                return Ok(Some(idle.memory));
            }
        }
        if self.0.len() >= MOST_SETS && self.take_idle(true).is_none() {
            return Ok(None);
        }
        // The allocation is rounded up, so that later tables can reuse it.
        for size in [bytes.next_power_of_two().min(most).max(bytes), bytes] {
            match DeviceMemory::new(context, size) {
                Err(fault) if fault.is_memory() => self.drop_idle(),
                memory => return memory.map(Some),
            }
        }
        Ok(None)
    }

    /// Removes the oldest set that no stream uses and that a newer set of its curve has replaced,
    /// or if `any`, the oldest that no stream uses.
    fn take_idle(&mut self, any: bool) -> Option<KeyTables> {
        // Nobody else can take a reference while the lock is held.
        let sets: Vec<_> = self
            .0
            .iter()
            .map(|set| (set.curve, Arc::strong_count(set) > 1))
            .collect();
        Arc::into_inner(self.0.remove(idle(&sets, any)?))
    }

    fn drop_idle(&mut self) {
        while self.take_idle(true).is_some() {}
    }
}

/// Returns the index of the first set that is not in use and, unless `any`, is followed by a newer
/// set of its curve. Each set is given as its curve and whether it is in use.
fn idle(sets: &[(&str, bool)], any: bool) -> Option<usize> {
    (0..sets.len()).find(|&at| {
        let (curve, in_use) = sets[at];
        !in_use && (any || sets[at + 1..].iter().any(|(newer, _)| *newer == curve))
    })
}

/// Launches the construction of the tables and of the index.
fn start(
    stream: &mut Stream,
    curve: &'static str,
    keys: KeysToTabulate,
    shape: TableSizes,
    memory: Address,
) -> Result<TablePlaces, Fault> {
    let KeysToTabulate {
        words: keys,
        xy,
        items: table_keys,
        n,
    } = keys;
    let TableSizes {
        form,
        tables,
        bits: key_bits,
    } = shape;
    let sizes = shape.sizes();
    let mut next = memory;
    let [
        key_tables,
        index_keys,
        index_slots,
        xyz,
        row_prefixes,
        prefixes,
    ] = sizes.map(|size| {
        let start = next;
        next += size.next_multiple_of(ALIGNMENT) as u64;
        start
    });
    let key_tables = Column::at(key_tables);
    let index_keys = Column::at(index_keys);
    let index_slots = Column::at(index_slots);
    let index_slot_bits = shape.slot_bits();
    let index_seed = getrandom::u64().unwrap_or(0);
    stream.fill(index_slots, 0xff, sizes[2])?;
    kernels::IndexKeys {
        keys,
        table_keys,
        index_keys,
        index_seed,
        index_slots,
        index_slot_bits,
        tables,
        n,
    }
    .launch(stream, curve)?;
    let windows = shape.windows() as u64;
    let xyz = Column::at(xyz);
    let row_prefixes = Column::at(row_prefixes);
    let start = StartKeys {
        xy,
        table_keys,
        key_tables,
        tables,
        key_bits,
        windows,
        xyz,
        prefixes: row_prefixes,
        n,
    };
    (form.start_keys)(stream, curve, start)?;
    let rows = (shape.rows() as u32, shape.entries() as u64);
    form.extend_all(stream, curve, key_tables.into(), rows, Column::at(prefixes))?;
    Ok(TablePlaces {
        key_tables,
        index_keys,
        index_slots,
        index_slot_bits,
        index_seed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::tables::form::{EDWARDS, WEIERSTRASS};

    #[test]
    fn sizes_follow_from_number_and_width_of_tables() {
        let shape = TableSizes {
            form: &EDWARDS,
            tables: 3,
            bits: 8,
        };
        assert_eq!(
            (
                shape.windows(),
                shape.entries(),
                shape.rows(),
                shape.slot_bits()
            ),
            (32, 128, 96, 4)
        );
        assert_eq!(
            shape.sizes(),
            [96 * 96 * 128, 96, 64, 96 * 96, 32 * 96, 16 * 96 * 128]
        );
        let shape = TableSizes {
            form: &WEIERSTRASS,
            tables: 3,
            bits: 5,
        };
        assert_eq!(
            (
                shape.windows(),
                shape.entries(),
                shape.rows(),
                shape.slot_bits()
            ),
            (52, 16, 156, 4)
        );
        assert_eq!(
            shape.sizes(),
            [64 * 156 * 16, 192, 64, 96 * 156, 32 * 156, 16 * 156 * 16]
        );
        assert_eq!(shape.bytes() % 256, 0);
        for tables in [1, 2, 3, 4, 5, 1000, 1 << 20] {
            let slots = 1usize
                << TableSizes {
                    form: &WEIERSTRASS,
                    tables,
                    bits: 5,
                }
                .slot_bits();
            assert!((4 * tables as usize..8 * tables as usize).contains(&slots));
        }
    }

    #[test]
    fn only_idle_sets_are_taken() {
        assert_eq!((idle(&[], false), idle(&[], true)), (None, None));
        // The newest set of a curve is kept while there is room.
        assert_eq!(
            (idle(&[("a", false)], false), idle(&[("a", false)], true)),
            (None, Some(0))
        );
        assert_eq!(
            (idle(&[("a", true)], false), idle(&[("a", true)], true)),
            (None, None)
        );
        let sets = [("a", true), ("a", false), ("b", false), ("a", true)];
        assert_eq!((idle(&sets, false), idle(&sets, true)), (Some(1), Some(1)));
        let sets = [("b", false), ("a", true), ("a", true)];
        assert_eq!((idle(&sets, false), idle(&sets, true)), (None, Some(0)));
    }
}
