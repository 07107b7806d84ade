//! Tables of frequent keys: finds the items of a chunk whose key is frequent, and verifies them
//! with tables of their keys, which the device keeps.

use super::base_point::PublicTable;
use super::form::{KeysOfChunk, TableForm, WEIERSTRASS};
use super::key_cache::{self, KeyCache, KeyTables, KeysToTabulate, TableSizes};
use crate::gpu::columns::{
    self, BaseTable, Column, Counters, ItemCount, ItemNumbers, KeySlots, KeyUses, TableNumbers, Xy,
};
use crate::gpu::kernels;
use crate::gpu::runtime::{Download, Fault, Plan as Buffers, Stream};
use crate::gpu::transfer::{Equations, EquationsOfChunk};
use std::sync::Arc;

/// Items of a chunk from which searching for repeated keys costs less than it may save: if tables
/// may be built, and if proven tables exist.
const MIN_CHUNK: usize = 1 << 16;
const MIN_CHUNK_IF_PROVEN: usize = 1 << 14;
/// Uses from which a key gets a table (`cuda/kernels/key_tables.cu`).
const MIN_USES: usize = 16;
/// Uses in a chunk below which a key is not expected to occur in later chunks.
const FEWEST_USES: usize = 3;
/// Items that gain a table from which the chain of launches that builds tables is profitable.
const MIN_ITEMS: u64 = 1 << 17;
/// Items with an existing table from which a separate pass for them is profitable if there are
/// other items too.
const MIN_HITS: u32 = 1 << 16;

/// Bytes of the counters.
const COUNTERS: usize = 5 * 4;

/// Units of `cost` per millisecond.
const MILLISECOND: u64 = 30_000_000;
/// The fixed cost of building tables.
const BUILD_COST: u64 = 3 * MILLISECOND / 2;

/// Items of the smallest chunk whose keys get tables, and items still to come with which they
/// certainly do.
pub const FEWEST_WITH_TABLES: (usize, usize) = (MIN_CHUNK, 1 << 19);

/// Returns whether keys of a chunk of `items` items may get tables.
pub fn may_build(items: usize) -> bool {
    items >= MIN_CHUNK
}

/// A list of items of a chunk, and its length.
pub type ItemList = (Column<ItemNumbers>, Column<ItemCount>);

/// Key tables with their window width, the list of the items that have one, and the list of the
/// others.
#[derive(Clone, Copy, Debug)]
pub struct ByTables {
    pub key_tables: Column<columns::KeyTables>,
    pub key_bits: u32,
    pub items: Column<ItemNumbers>,
    pub item_tables: Column<TableNumbers>,
    pub item_count: Column<ItemCount>,
    pub others: ItemList,
}

/// The inputs of a kernel that verifies items with tables of their keys: the table of G with its
/// window width, and the key tables.
#[derive(Clone, Copy, Debug)]
pub struct WithTables {
    pub equations: Equations,
    pub table: Column<BaseTable>,
    pub bits: u32,
    pub by: ByTables,
    pub n: u64,
}

/// Launches that kernel for a curve.
pub type CheckWithTables = fn(&mut Stream, &'static str, WithTables) -> Result<(), Fault>;

/// The buffers of the search for repeated keys.
pub struct Grouping {
    slots: Column<KeySlots>,
    slot_bits: u32,
    representative: Column<ItemNumbers>,
    /// Per representative item, the uses of its key and the table that was found.
    counts: Column<KeyUses>,
    found: Column<TableNumbers>,
    /// The keys that would get tables.
    table_keys: Column<ItemNumbers>,
    /// Five words (`cuda/kernels/key_groups.cu`), which the host reads.
    counters: Download<Counters>,
    /// Lists of items and tables.
    with_items: Column<ItemNumbers>,
    with_tables: Column<TableNumbers>,
    without: Column<ItemNumbers>,
}

/// A chunk whose items are grouped by key.
pub struct Grouped<'a> {
    chunk: KeysOfChunk,
    buffers: &'a Grouping,
    /// Uses from which a key gets a table.
    threshold: usize,
    /// Items that the device can still expect in this call, including those of this chunk.
    expected: usize,
    /// A representative item with the same key, per item.
    pub representative: Column<ItemNumbers>,
    /// The number of occurrences of each representative's key; 0 for a key that gets no table.
    pub counts: Column<KeyUses>,
}

/// The result of looking up the keys of a chunk.
#[derive(Clone, Copy, Debug)]
struct Survey {
    /// Number of items of the chunk.
    of: u32,
    /// Keys that would get a table, and the items that have one of these keys.
    keys: u32,
    items: u32,
    /// Items whose key has a table already.
    hits: u32,
}

impl Survey {
    /// Returns whether a separate pass for the items whose key has a table is faster. For a small
    /// chunk, which leaves much of the device idle in either pass, nearly all items have to
    /// qualify.
    fn hits_are_profitable(self) -> bool {
        self.hits >= MIN_HITS.min(self.of - self.of / 16)
    }
}

/// Existing tables, as far as they matter for a decision.
#[derive(Clone, Copy, Debug)]
struct KnownTables {
    bits: u32,
    proven: bool,
    /// Items verified with them so far.
    served: u64,
}

/// The use of tables for a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TableUse {
    WithoutTables,
    WithTheseTables,
    /// Build new tables with this window width.
    Build(u32),
}

impl Grouping {
    /// Plans the buffers. Returns `None` for a chunk that is too small to be searched.
    pub fn new(plan: &mut Buffers) -> Option<Self> {
        let n = plan.items();
        if n < MIN_CHUNK.min(MIN_CHUNK_IF_PROVEN) {
            return None;
        }
        let slot_bits = usize::BITS - (2 * n - 1).leading_zeros();
        let slots = plan.buffer(4 << slot_bits);
        let counters = plan.buffer(COUNTERS);
        let representative = plan.column();
        let counts = plan.column();
        let found = plan.column();
        let with_items = plan.column();
        let with_tables = plan.column();
        let without = plan.column();
        Some(Grouping {
            slots,
            slot_bits,
            representative,
            counts,
            found,
            table_keys: plan.buffer(4 * (n / FEWEST_USES)),
            counters: plan.download(counters, COUNTERS),
            with_items,
            with_tables,
            without,
        })
    }

    /// Verifies the items whose keys have tables, and returns the list of the others, or `None` if
    /// no item was verified. `expected` is the number of items that the device can still expect in
    /// this call, including those of this chunk.
    pub fn check_repeated(
        &self,
        stream: &mut Stream,
        cache: &KeyCache,
        chunk: EquationsOfChunk,
        expected: usize,
        table: &PublicTable,
        check: CheckWithTables,
    ) -> Result<Option<ItemList>, Fault> {
        let EquationsOfChunk {
            curve,
            equations,
            keys,
            n,
        } = chunk;
        let form = &WEIERSTRASS;
        let kinds = keys.kinds;
        let verdicts = equations.verdicts;
        let keys_of_chunk = KeysOfChunk {
            curve,
            form,
            keys: keys.xy.into(),
            kinds,
            verdicts,
            n,
        };
        let Some(grouped) = self.group(stream, cache, keys_of_chunk, expected)? else {
            return Ok(None);
        };
        let Some(by) = grouped.find_tables(stream, cache, keys.xy)? else {
            return Ok(None);
        };
        let bits = table.bits;
        let table = table.column();
        check(
            stream,
            curve,
            WithTables {
                equations,
                table,
                bits,
                by,
                n: n as u64,
            },
        )?;
        Ok(Some(by.others))
    }

    /// Starts grouping the items of a chunk by key, unless that would not be profitable.
    pub fn group(
        &self,
        stream: &mut Stream,
        cache: &KeyCache,
        chunk: KeysOfChunk,
        expected: usize,
    ) -> Result<Option<Grouped<'_>>, Fault> {
        let KeysOfChunk {
            curve,
            keys,
            kinds,
            verdicts,
            n,
            ..
        } = chunk;
        let proven = cache.lock().newest(curve).map(|tables| tables.proven());
        if !is_search_profitable(n, expected, proven == Some(true)) {
            return Ok(None);
        }
        // Keys may occur again in later chunks.
        let threshold = min_uses(n, expected, proven != Some(false));
        let Grouping {
            slots,
            slot_bits,
            representative,
            counts,
            ..
        } = *self;
        stream.fill(slots, 0xff, 4 << slot_bits)?;
        stream.fill(counts, 0, 4 * n)?;
        let seed = getrandom::u64().unwrap_or(0);
        let count = n as u64;
        kernels::GroupKeys {
            keys,
            kinds,
            verdicts,
            seed,
            slots,
            slot_bits,
            representative,
            counts,
            n: count,
        }
        .launch(stream, curve)?;
        Ok(Some(Grouped {
            chunk,
            buffers: self,
            threshold,
            expected,
            representative,
            counts,
        }))
    }
}

impl Grouped<'_> {
    /// Returns the tables of frequent keys and the list of the items that have one, or `None` if
    /// verifying all items without tables is faster. `xy` holds the points of representative items.
    pub fn find_tables(
        &self,
        stream: &mut Stream,
        cache: &KeyCache,
        xy: Column<Xy>,
    ) -> Result<Option<ByTables>, Fault> {
        let most_tables = self.pick(stream)?;
        let Some((key_tables, served)) = self.choose_tables(stream, cache, xy, most_tables)? else {
            return Ok(None);
        };
        key_tables.serve(served);
        let KeysOfChunk {
            curve,
            kinds,
            verdicts,
            n,
            ..
        } = self.chunk;
        let Grouping {
            representative,
            found,
            with_items,
            with_tables,
            without,
            ..
        } = *self.buffers;
        let counters = self.buffers.counters.column;
        kernels::SplitItems {
            representative,
            found,
            kinds,
            with_items,
            with_tables,
            without_items: without,
            counters,
            verdicts,
            n: n as u64,
        }
        .launch(stream, curve)?;
        Ok(Some(ByTables {
            key_tables: key_tables.places.key_tables,
            key_bits: key_tables.shape.bits,
            items: with_items,
            item_tables: with_tables,
            item_count: counters.count(2),
            others: (without, counters.count(3)),
        }))
    }

    /// Launches the selection of frequent keys. Returns the maximum number of tables.
    fn pick(&self, stream: &mut Stream) -> Result<u32, Fault> {
        let KeysOfChunk { curve, form, n, .. } = self.chunk;
        let max_tables = most_tables(form, key_cache::share(stream.device.memory))
            .min(n / self.threshold) as u32;
        let table_keys = self.buffers.table_keys;
        let counters = self.buffers.counters.column;
        stream.fill(counters, 0, COUNTERS)?;
        let counts = self.counts;
        let threshold = self.threshold as u32;
        kernels::PickKeys {
            counts,
            threshold,
            max_tables,
            table_keys,
            counters,
            n: n as u64,
        }
        .launch(stream, curve)?;
        Ok(max_tables)
    }

    /// Chooses tables for a chunk and looks up its keys in them. Returns the tables and the number
    /// of items to be verified with them, or `None` if verification without tables is faster.
    fn choose_tables(
        &self,
        stream: &mut Stream,
        cache: &KeyCache,
        xy: Column<Xy>,
        most_tables: u32,
    ) -> Result<Option<(Arc<KeyTables>, u32)>, Fault> {
        let KeysOfChunk {
            curve,
            form,
            keys,
            n,
            ..
        } = self.chunk;
        let most = key_cache::share(stream.device.memory);
        let chunks = (self.expected / n).max(1) as u64;
        let mut retry = true;
        loop {
            let newest = cache.lock().newest(curve);
            let survey = self.survey(stream, newest.as_ref(), most_tables)?;
            let known = newest.as_ref().map(|tables| KnownTables {
                bits: tables.shape.bits,
                proven: tables.proven(),
                served: tables.served(),
            });
            let bits = match plan(form, survey, known, chunks, most) {
                TableUse::WithoutTables => return Ok(None),
                TableUse::WithTheseTables => return Ok(newest.map(|tables| (tables, survey.hits))),
                TableUse::Build(bits) => bits,
            };
            let mut sets = cache.lock();
            let same =
                sets.newest(curve).as_ref().map(Arc::as_ptr) == newest.as_ref().map(Arc::as_ptr);
            if retry && !same {
                // Another stream has built tables meanwhile, perhaps for the same keys.
                retry = false;
                continue;
            }
            let keys = KeysToTabulate {
                words: keys,
                xy,
                items: self.buffers.table_keys,
                n: n as u64,
            };
            let built = sets.build(
                stream,
                curve,
                keys,
                TableSizes {
                    form,
                    tables: survey.keys,
                    bits,
                },
            )?;
            drop(sets);
            let Some(built) = built else {
                return Ok(newest
                    .filter(|_| survey.hits_are_profitable())
                    .map(|tables| (tables, survey.hits)));
            };
            self.find(stream, &built)?;
            return Ok(Some((built, survey.items)));
        }
    }

    /// Counts the frequent keys of the chunk, and looks up all its keys in the existing tables.
    fn survey(
        &self,
        stream: &mut Stream,
        newest: Option<&Arc<KeyTables>>,
        most_tables: u32,
    ) -> Result<Survey, Fault> {
        if let Some(tables) = newest {
            self.find(stream, tables)?;
        }
        let of = self.chunk.n as u32;
        let counters = &self.buffers.counters;
        stream.download(counters);
        stream.wait()?;
        let (counters, _) = stream.read(counters).as_chunks();
        let [keys, items, hits] = [0, 1, 4].map(|counter| u32::from_ne_bytes(counters[counter]));
        Ok(Survey {
            of,
            keys: keys.min(most_tables),
            items,
            hits,
        })
    }

    /// Looks up the keys of the chunk in a set of tables.
    fn find(&self, stream: &mut Stream, tables: &Arc<KeyTables>) -> Result<(), Fault> {
        stream.keep(tables.clone(), &tables.ready)?;
        let Grouped {
            chunk: KeysOfChunk { curve, keys, n, .. },
            buffers,
            counts,
            ..
        } = *self;
        let places = tables.places;
        let counters = buffers.counters.column;
        stream.fill(counters.count(4), 0, 4)?;
        kernels::FindKeys {
            keys,
            counts,
            index_keys: places.index_keys,
            tables: tables.shape.tables,
            index_seed: places.index_seed,
            index_slots: places.index_slots,
            index_slot_bits: places.index_slot_bits,
            found: buffers.found,
            counters,
            n: n as u64,
        }
        .launch(stream, curve)
    }
}

/// Returns whether to search for repeated keys, in order to use existing tables or to build new
/// ones.
fn is_search_profitable(n: usize, expected: usize, proven: bool) -> bool {
    (proven && n >= MIN_CHUNK_IF_PROVEN) || (n >= MIN_CHUNK && expected as u64 >= MIN_ITEMS)
}

/// Returns the number of uses in a chunk from which a key gets a table. It is lower if similar
/// chunks are expected.
fn min_uses(n: usize, expected: usize, hopeful: bool) -> usize {
    let chunks = if hopeful { (expected / n).max(1) } else { 1 };
    MIN_USES.div_ceil(chunks).max(FEWEST_USES)
}

/// Returns the number of tables, with the narrowest windows, for which the memory suffices,
/// including their index and scratch memory.
fn most_tables(form: &'static TableForm, memory: usize) -> usize {
    (memory
        / TableSizes {
            form,
            tables: 1,
            bits: form.key_widths[0],
        }
        .bytes())
    .clamp(1, u32::MAX as usize)
}

/// Returns the cost of building tables and verifying `items` items with them, in thirtieths of a
/// nanosecond.
fn cost(shape: TableSizes, items: u64) -> u64 {
    building(shape) + verifying(shape.form, shape.bits, items)
}

fn building(shape: TableSizes) -> u64 {
    shape.form.entry_cost * (shape.windows() * shape.entries()) as u64 * u64::from(shape.tables)
}

fn verifying(form: &TableForm, bits: u32, items: u64) -> u64 {
    form.window_cost * u64::from(form.windows(bits)) * items
}

/// Returns the best window width for `tables` keys with `items` uses in total, if one fits the
/// memory.
fn width(form: &'static TableForm, tables: u32, items: u64, memory: usize) -> Option<u32> {
    let shapes = form.key_widths.iter().map(|bits| TableSizes {
        form,
        tables,
        bits: *bits,
    });
    let best = shapes
        .filter(|shape| shape.bytes() <= memory)
        .min_by_key(|shape| cost(*shape, items));
    best.map(|shape| shape.bits)
}

/// Plans a chunk that may be the first of `chunks` similar ones.
fn plan(
    form: &'static TableForm,
    survey: Survey,
    known: Option<KnownTables>,
    chunks: u64,
    memory: usize,
) -> TableUse {
    let Survey {
        keys, items, hits, ..
    } = survey;
    // If the last tables have served only one chunk, the next ones may do the same.
    let hopeful = known.is_none_or(|known| known.proven);
    let chunks = if hopeful { chunks } else { 1 };
    let misses = items.saturating_sub(hits);
    let coming = u64::from(items) * chunks;
    if keys > 0 && misses > items / 4 && u64::from(misses) * chunks >= MIN_ITEMS {
        // Keys that repeat within one call may also occur in the next.
        let hoped = if hopeful { 2 * coming } else { coming };
        if let Some(bits) = width(form, keys, hoped, memory) {
            return TableUse::Build(bits);
        }
    }
    if let Some(wider) = known.and_then(|known| wider(form, survey, known, coming, memory)) {
        return TableUse::Build(wider);
    }
    if survey.hits_are_profitable() {
        TableUse::WithTheseTables
    } else {
        TableUse::WithoutTables
    }
}

/// Returns a window width with which new tables of the same keys would soon recover their cost, if
/// there is one. Tables that have served many items are expected to serve as many again.
fn wider(
    form: &'static TableForm,
    survey: Survey,
    known: KnownTables,
    coming: u64,
    memory: usize,
) -> Option<u32> {
    let Survey {
        keys, items, hits, ..
    } = survey;
    if !known.proven || keys == 0 || items <= hits / 8 * 7 {
        return None;
    }
    let expected = coming + known.served;
    let bits = width(form, keys, expected, memory)?;
    let with_new = cost(
        TableSizes {
            form,
            tables: keys,
            bits,
        },
        expected,
    ) + BUILD_COST;
    (bits > known.bits && with_new < verifying(form, known.bits, expected)).then_some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::tables::form::EDWARDS;

    const PLENTY: usize = 4 << 30;

    fn width(tables: u32, items: u64, memory: usize) -> Option<u32> {
        super::width(&WEIERSTRASS, tables, items, memory)
    }

    fn plan(survey: Survey, known: Option<KnownTables>, chunks: u64, memory: usize) -> TableUse {
        super::plan(&WEIERSTRASS, survey, known, chunks, memory)
    }

    fn known(bits: u32, proven: bool) -> Option<KnownTables> {
        Some(KnownTables {
            bits,
            proven,
            served: 0,
        })
    }

    #[test]
    fn width_grows_with_uses() {
        let uses = [
            16, 75, 90, 210, 230, 800, 900, 2500, 2700, 7000, 8000, 13_000, 14_000, 24_000, 25_000,
        ];
        let bits = uses.map(|uses| width(100, 100 * uses, PLENTY).unwrap());
        assert_eq!(bits, [5, 5, 6, 6, 7, 7, 9, 9, 10, 10, 11, 11, 12, 12, 13]);
    }

    #[test]
    fn width_is_limited_by_memory() {
        let memory_of = [5, 7].map(|bits| {
            TableSizes {
                form: &WEIERSTRASS,
                tables: 1000,
                bits,
            }
            .bytes()
        });
        assert_eq!(width(1000, 1 << 30, memory_of[1]), Some(7));
        assert_eq!(width(1000, 1 << 30, memory_of[1] - 1), Some(6));
        assert_eq!(width(1000, 1 << 30, memory_of[0] - 1), None);
        for memory in [0, 1 << 10, 1 << 20, 1 << 26, PLENTY] {
            for form in [&WEIERSTRASS, &EDWARDS] {
                let most = most_tables(form, memory);
                assert!(
                    most == 1
                        || TableSizes {
                            form,
                            tables: most as u32,
                            bits: 5
                        }
                        .bytes()
                            <= memory
                );
            }
        }
    }

    #[test]
    fn search_for_keys_depends_on_size_and_use_of_tables() {
        let chunks = [
            (1 << 16, 1 << 17),
            ((1 << 16) - 1, 1 << 30),
            (1 << 17, (1 << 17) - 1),
            (1 << 14, 1),
            (16_383, 1 << 30),
        ];
        let unproven = chunks.map(|(n, expected)| is_search_profitable(n, expected, false));
        assert_eq!(unproven, [true, false, false, false, false]);
        let proven = chunks.map(|(n, expected)| is_search_profitable(n, expected, true));
        assert_eq!(proven, [true, true, true, true, false]);
    }

    #[test]
    fn fewer_uses_suffice_if_more_items_are_expected() {
        assert_eq!(min_uses(1 << 17, 1 << 17, true), 16);
        assert_eq!(min_uses(1 << 17, 1 << 18, true), 8);
        assert_eq!(min_uses(1 << 17, 1 << 18, false), 16);
        assert_eq!(min_uses(1 << 17, 1 << 30, true), FEWEST_USES);
        assert_eq!(min_uses(1 << 17, 100, true), 16);
    }

    /// Returns the survey of a chunk of 135,000 items.
    fn survey(keys: u32, items: u32, hits: u32) -> Survey {
        Survey {
            of: 135_000,
            keys,
            items,
            hits,
        }
    }

    #[test]
    fn tables_are_built_if_faster_for_the_expected_chunks() {
        assert_eq!(
            plan(survey(0, 0, 0), None, 30, PLENTY),
            TableUse::WithoutTables
        );
        assert_eq!(
            plan(survey(1000, 135_000, 0), None, 1, PLENTY),
            TableUse::Build(7)
        );
        assert_eq!(
            plan(survey(1000, 135_000, 0), None, 30, PLENTY),
            TableUse::Build(11)
        );
        assert_eq!(
            plan(survey(1000, 100_000, 0), None, 1, PLENTY),
            TableUse::WithoutTables
        );
        assert_eq!(
            plan(survey(100, 5_000, 0), None, 30, PLENTY),
            TableUse::Build(10)
        );
        assert_eq!(
            plan(survey(100, 4_000, 0), None, 30, PLENTY),
            TableUse::WithoutTables
        );
        assert_eq!(
            plan(survey(1000, 135_000, 0), None, 30, 1 << 20),
            TableUse::WithoutTables
        );
    }

    /// Plans a chunk of 135,000 items after tables of 10 bits for 1,000 keys.
    fn plan_with_known(proven: bool, items: u32, hits: u32) -> TableUse {
        plan(survey(1000, items, hits), known(10, proven), 20, PLENTY)
    }

    #[test]
    fn tables_are_used_while_enough_items_have_one() {
        for proven in [false, true] {
            assert_eq!(
                plan_with_known(proven, 135_000, 135_000),
                TableUse::WithTheseTables
            );
            assert_eq!(
                plan_with_known(proven, 135_000, 110_000),
                TableUse::WithTheseTables
            );
            // Items whose keys would not get a table count too.
            assert_eq!(
                plan_with_known(proven, 100_000, 135_000),
                TableUse::WithTheseTables
            );
            assert_eq!(
                plan_with_known(proven, 0, 1 << 16),
                TableUse::WithTheseTables
            );
            assert_eq!(
                plan_with_known(proven, 0, (1 << 16) - 1),
                TableUse::WithoutTables
            );
            for (hits, expected) in [
                (15_360, TableUse::WithTheseTables),
                (15_359, TableUse::WithoutTables),
            ] {
                let small = Survey {
                    of: 16_384,
                    keys: 0,
                    items: 0,
                    hits,
                };
                assert_eq!(plan(small, known(10, proven), 1, 0), expected);
            }
        }
        // Not enough memory for any table.
        assert_eq!(
            plan(survey(1000, 135_000, 90_000), known(5, true), 20, 0),
            TableUse::WithTheseTables
        );
    }

    /// Tables for other keys are built optimistically after tables that have served several chunks,
    /// and cautiously otherwise.
    #[test]
    fn tables_for_other_keys_depend_on_use_of_the_last_ones() {
        assert_eq!(plan_with_known(true, 135_000, 0), TableUse::Build(10));
        assert_eq!(plan_with_known(false, 135_000, 0), TableUse::Build(6));
        assert_eq!(plan_with_known(true, 135_000, 90_000), TableUse::Build(10));
        assert_eq!(
            plan_with_known(false, 135_000, 90_000),
            TableUse::WithTheseTables
        );
        assert_eq!(plan_with_known(false, 100_000, 0), TableUse::WithoutTables);
    }

    #[test]
    fn tables_used_for_many_items_are_widened() {
        let all = Survey {
            of: 540_000,
            keys: 1000,
            items: 540_000,
            hits: 540_000,
        };
        assert_eq!(plan(all, known(6, true), 8, PLENTY), TableUse::Build(10));
        assert_eq!(
            plan(all, known(6, false), 8, PLENTY),
            TableUse::WithTheseTables
        );
        assert_eq!(
            plan(all, known(6, true), 1, PLENTY),
            TableUse::WithTheseTables
        );
        assert_eq!(
            plan(all, known(9, true), 8, PLENTY),
            TableUse::WithTheseTables
        );
        assert_eq!(
            plan(all, known(12, true), 8, PLENTY),
            TableUse::WithTheseTables
        );
        // Not if only a part of the keys has tables.
        let part = Survey {
            items: 400_000,
            ..all
        };
        assert_eq!(
            plan(part, known(6, true), 8, PLENTY),
            TableUse::WithTheseTables
        );
        // Wider tables are built once the served items, expected again, would recover their cost.
        for (bits, served, expected) in [
            (10, 10_000_000, TableUse::WithTheseTables),
            (10, 20_000_000, TableUse::Build(12)),
            // No wider tables fit.
            (12, 1 << 40, TableUse::WithTheseTables),
        ] {
            assert_eq!(
                plan(
                    all,
                    Some(KnownTables {
                        bits,
                        proven: true,
                        served
                    }),
                    8,
                    PLENTY
                ),
                expected
            );
        }
    }
}
