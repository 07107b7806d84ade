//! Keys that repeat within a chunk: a table for each that occurs often, and verification by it.

use super::Fault;
use super::kernels;
use super::lane::Lane;
use super::memory::{Address, DeviceMemory};
use super::rows::Points;
use super::tables::PublicTable;
use super::verify::Equations;
use cudarc::driver::CudaContext;
use std::sync::Arc;

/// Items of a chunk from which looking for repeated keys costs less than it may save.
const CHUNK_WORTH: usize = 1 << 17;
/// Uses from which a key gets a table (`cuda/kernels/key_tables.cu`).
const USES_WORTH: u32 = 16;
/// Items with a table from which the chain of launches pays.
const ITEMS_WORTH: u32 = 1 << 17;
/// A lane's tables take at most this part of the device's memory.
const MEMORY_SHARE: usize = 24;

/// Window widths, each for keys with at most so many uses on average (`cuda/kernels/key_tables.cu`).
const WIDTHS: &[(u32, u32)] = &[(5, 70), (6, 220), (7, 800), (9, 2500), (10, 7000), (11, 13_000), (12, 23_000)];
const WIDEST: u32 = 13;

/// Device memory of the grouping.
pub struct Grouping;

impl Grouping {
    /// Bytes per item: hash slots (up to 16), five lists of words, and the keys that get a table.
    pub const BYTES: usize = 16 + 5 * 4 + 4;
}

/// Checks the items whose keys repeat, and gives the list of the others with the address of its length: two nulls for
/// all items.
pub fn check_repeated(
    lane: &mut Lane,
    curve: &'static str,
    equations: Equations,
    points: Points,
    table: &PublicTable,
    n: usize,
) -> Result<(Address, Address), Fault> {
    const ALL: (Address, Address) = (0, 0);
    if n < CHUNK_WORTH {
        return Ok(ALL);
    }
    let count = n as u64;
    let Equations { u1, u2, x, verdicts } = equations;
    let slot_bits = usize::BITS - (2 * n - 1).leading_zeros();
    let slots = lane.buffer(4 << slot_bits)?;
    let mut words = || lane.buffer(4 * n);
    let (representative, counts, with_items, with_tables, without) = (words()?, words()?, words()?, words()?, words()?);
    let most_tables = (n as u32 / USES_WORTH).min(most_tables(lane));
    let table_keys = lane.buffer(4 * most_tables as usize)?;
    let counters = lane.buffer(16)?;
    lane.fill(slots, 0xff, 4 << slot_bits)?;
    lane.fill(counts, 0, 4 * n)?;
    lane.fill(counters, 0, 16)?;
    let seed = getrandom::u64().unwrap_or(0);
    let Points { xy, kinds } = points;
    kernels::group_keys(lane, curve, xy, kinds, verdicts, seed, slots, slot_bits, representative, counts, count)?;
    kernels::pick_keys(lane, curve, counts, USES_WORTH, most_tables, table_keys, counters, count)?;
    let read = lane.download(counters, 16)?;
    lane.finish()?;
    let counter = |i: usize| u32::from_ne_bytes(lane.read(read.clone())[4 * i..4 * i + 4].try_into().expect("4 bytes"));
    let (tables, items) = (counter(0).min(most_tables), counter(1));
    if tables == 0 || items < ITEMS_WORTH {
        return Ok(ALL);
    }
    let bits = width(lane, tables, items / tables);
    let Some(key_tables) = build(lane, curve, points, table_keys, tables, bits, n)? else { return Ok(ALL) };
    kernels::split_items(
        lane,
        curve,
        representative,
        counts,
        kinds,
        with_items,
        with_tables,
        without,
        counters,
        verdicts,
        count,
    )?;
    kernels::verify_with_tables(
        lane,
        curve,
        u1,
        u2,
        x,
        table.address(),
        table.bits,
        key_tables,
        bits,
        with_items,
        with_tables,
        counters + 8,
        verdicts,
        count,
    )?;
    Ok((without, counters + 12))
}

fn windows(bits: u32) -> usize {
    256usize.div_ceil(bits as usize)
}

fn table_bytes(bits: u32) -> usize {
    (windows(bits) * 64) << (bits - 1)
}

fn memory_share(lane: &Lane) -> usize {
    lane.device.memory / MEMORY_SHARE
}

fn most_tables(lane: &Lane) -> u32 {
    u32::try_from(memory_share(lane) / (2 * table_bytes(WIDTHS[0].0))).unwrap_or(u32::MAX).max(1)
}

/// The window width for so many tables of keys with so many uses.
fn width(lane: &Lane, tables: u32, uses: u32) -> u32 {
    let best = WIDTHS.iter().find(|(_, most)| uses <= *most).map_or(WIDEST, |(bits, _)| *bits);
    let fits = |bits: &u32| table_bytes(*bits) * tables as usize * 2 <= memory_share(lane);
    WIDTHS.iter().map(|(bits, _)| *bits).chain([WIDEST]).filter(|bits| *bits <= best).rfind(fits).unwrap_or(WIDTHS[0].0)
}

/// The tables of all picked keys, in the lane's side memory; `None` where there is not enough.
fn build(
    lane: &mut Lane,
    curve: &'static str,
    points: Points,
    table_keys: Address,
    tables: u32,
    bits: u32,
    n: usize,
) -> Result<Option<Address>, Fault> {
    let rows = tables as usize * windows(bits);
    let entries = 1usize << (bits - 1);
    let sizes = [64 * rows * entries, 96 * rows, 32 * rows, 16 * rows * entries];
    let Some([memory, xyz, row_prefixes, prefixes]) = lane.side_buffers(sizes)? else { return Ok(None) };
    kernels::key_table_start(lane, curve, points.xy, table_keys, xyz, [tables, bits], n as u64)?;
    kernels::key_table_rows(lane, curve, xyz, memory, [tables, bits], row_prefixes)?;
    let mut known = 1;
    while known < entries {
        let shape = [entries as u64, known as u64];
        kernels::table_extend(lane, curve, memory, rows as u32, shape, prefixes)?;
        known *= 2;
    }
    Ok(Some(memory))
}

/// Memory for tables beside a lane's arena, kept between chunks.
#[derive(Debug, Default)]
pub struct SideMemory(Option<DeviceMemory>);

impl SideMemory {
    /// Buffers of these sizes, or `None` where the device has not enough.
    pub fn buffers<const N: usize>(
        &mut self,
        context: &Arc<CudaContext>,
        sizes: [usize; N],
    ) -> Result<Option<[Address; N]>, Fault> {
        let total: usize = sizes.iter().map(|size| size.next_multiple_of(256)).sum();
        if self.0.as_ref().is_none_or(|memory| memory.bytes < total) {
            self.0 = None;
            match DeviceMemory::new(context, total) {
                Ok(memory) => self.0 = Some(memory),
                Err(fault) if fault.is_memory() => return Ok(None),
                Err(fault) => return Err(fault),
            }
        }
        let mut next = self.0.as_ref().map_or(0, |memory| memory.address);
        Ok(Some(sizes.map(|size| {
            let start = next;
            next += size.next_multiple_of(256) as u64;
            start
        })))
    }
}
