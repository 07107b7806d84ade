//! Finds the items of a batch whose key occurs often.

use crate::cpu::{CpuEngine, Part};
use crate::types::{PublicKeys, ResultSink};
use std::cmp::Reverse;
use std::hash::{BuildHasher, RandomState};
use std::iter;
use std::ops::{Range, RangeInclusive};

/// The items of a batch, grouped by the treatment of their key.
pub struct KeyPlan {
    pub singles: Vec<usize>,
    /// Items of equal keys, the most frequent key first.
    repeated: Vec<Vec<usize>>,
}

/// A window width, and repeated keys with tables of this width that exist at the same time, each as
/// a list of items.
pub type Wave<'a> = (u32, &'a [Vec<usize>]);

/// An item with the hash of its key.
type Hashed = (u64, usize);

/// The maximum size in bytes of tables of repeated keys that exist at a time, if the caller sets no
/// limit.
const TABLES: usize = 64 << 20;
/// The number of items that one thread hashes or sorts at a time.
const BLOCK: usize = 1 << 12;
/// The maximum number of items planned at a time if the caller sets no limit, and the bytes needed
/// to plan one.
const MOST_PLANNED: usize = 1 << 22;
const PLANNED_BYTES: usize = 64;
/// The number of hash bits by which many items are divided into parts.
const PART_BITS: u32 = 6;

/// Splits a destination into parts whose keys are planned at the same time.
pub fn parts<'a>(engine: &CpuEngine, out: &'a mut ResultSink) -> Vec<Part<'a>> {
    engine.planned_parts(out, MOST_PLANNED, PLANNED_BYTES)
}

/// Returns the window width of a table for a key that occurs `uses` times, or `None` if no table is
/// profitable. The costs are those of a table entry, of a term of a sum, of the doublings below a
/// table, and of a product without a table.
pub fn best_window(
    windows: RangeInclusive<u32>,
    [entry, term, doublings, without]: [usize; 4],
    uses: usize,
) -> Option<u32> {
    let costs = windows.map(|window| {
        let terms = 256usize.div_ceil(window as usize);
        (
            window,
            doublings + entry * (terms << (window - 1)) + uses * term * terms,
        )
    });
    let (window, cost) = costs.min_by_key(|(_, cost)| *cost)?;
    (cost < uses * without).then_some(window)
}

impl KeyPlan {
    /// Groups items of a batch. `is_repeated` returns `true` for numbers of uses with which a key
    /// is treated as repeated.
    pub fn new(
        engine: &CpuEngine,
        items: Range<usize>,
        keys: &PublicKeys,
        is_repeated: &(dyn Fn(usize) -> bool + Sync),
    ) -> Self {
        let hashed = hash_all(engine, items.clone(), keys);
        let parts = if hashed.len() <= BLOCK {
            vec![hashed]
        } else {
            divide(engine, &hashed)
        };
        let mut found: Vec<Vec<Vec<usize>>> = vec![Vec::new(); parts.len()];
        let tasks = parts.into_iter().zip(&mut found).collect();
        engine.pool.for_each(tasks, |(mut part, found)| {
            *found = runs(&mut part, keys, is_repeated)
        });
        let mut repeated: Vec<Vec<usize>> = found.into_iter().flatten().collect();
        repeated.sort_by_key(|run| Reverse(run.len()));
        let mut is_single = vec![true; items.len()];
        repeated
            .iter()
            .flatten()
            .for_each(|item| is_single[item - items.start] = false);
        // In input order, so that memory is read forwards.
        let singles = items
            .zip(is_single)
            .filter_map(|(item, single)| single.then_some(item))
            .collect();
        KeyPlan { singles, repeated }
    }

    /// Returns the items whose key occurs fewer times than `uses`, in input order.
    pub fn with_few_uses(&self, uses: usize) -> Vec<usize> {
        let few = self
            .repeated
            .iter()
            .filter(|run| run.len() < uses)
            .flatten();
        let mut items: Vec<usize> = self.singles.iter().chain(few).copied().collect();
        items.sort_unstable();
        items
    }

    /// Removes items for which `is_left` is false. A key with too few remaining uses is no longer
    /// treated as repeated.
    pub fn retain(&mut self, is_left: &dyn Fn(usize) -> bool, is_repeated: &dyn Fn(usize) -> bool) {
        self.singles.retain(|item| is_left(*item));
        self.repeated
            .iter_mut()
            .for_each(|run| run.retain(|item| is_left(*item)));
        let few = self.repeated.extract_if(.., |run| !is_repeated(run.len()));
        self.singles.extend(few.flatten());
        self.singles.sort_unstable();
        self.repeated.sort_by_key(|run| Reverse(run.len()));
    }

    /// Iterates over the repeated keys, with as many tables at the same time as memory allows.
    /// `window` returns the window width for a number of uses, and `bytes` the size of a table for
    /// a window width.
    pub fn key_groups(
        &self,
        engine: &CpuEngine,
        window: impl Fn(usize) -> Option<u32>,
        bytes: impl Fn(u32) -> usize,
    ) -> impl Iterator<Item = Wave<'_>> {
        // Building takes as much memory again.
        let budget = engine
            .max_memory
            .map_or(TABLES, |limit| TABLES.min(limit / 8));
        let mut waiting = self.repeated.as_slice();
        iter::from_fn(move || {
            let of_first = window(waiting.first()?.len());
            let same_window = waiting.partition_point(|run| window(run.len()) == of_first);
            let of_first = of_first.expect("a repeated key has a table");
            let (runs, rest) = waiting.split_at(same_window.min(budget / bytes(of_first)).max(1));
            waiting = rest;
            Some((of_first, runs))
        })
    }
}

/// Hashes the keys of items with a random seed, so that keys cannot be chosen to collide in one
/// part.
fn hash_all(engine: &CpuEngine, items: Range<usize>, keys: &PublicKeys) -> Vec<Hashed> {
    let seed = RandomState::new();
    let mut hashed: Vec<Hashed> = items.map(|item| (0, item)).collect();
    engine.pool.for_each(
        hashed.chunks_mut(BLOCK).collect(),
        |block: &mut [Hashed]| {
            block
                .iter_mut()
                .for_each(|(hash, item)| *hash = seed.hash_one(keys.get(*item)));
        },
    );
    hashed
}

/// Divides items into parts by hash; equal hashes go to the same part.
fn divide(engine: &CpuEngine, hashed: &[Hashed]) -> Vec<Vec<Hashed>> {
    let block = hashed.len().div_ceil(engine.threads()).max(BLOCK);
    let blocks: Vec<&[Hashed]> = hashed.chunks(block).collect();
    let mut divided: Vec<Vec<Vec<Hashed>>> = vec![Vec::new(); blocks.len()];
    engine.pool.for_each(
        blocks.into_iter().zip(&mut divided).collect(),
        |(block, parts)| {
            *parts = (0..1 << PART_BITS)
                .map(|_| Vec::with_capacity(block.len() >> (PART_BITS - 1)))
                .collect();
            block
                .iter()
                .for_each(|entry| parts[part_of(entry.0)].push(*entry));
        },
    );
    let mut joined = vec![Vec::new(); 1 << PART_BITS];
    engine.pool.for_each(
        joined.iter_mut().enumerate().collect(),
        |(part, joined): (usize, &mut Vec<Hashed>)| {
            divided
                .iter()
                .for_each(|parts| joined.extend_from_slice(&parts[part]));
        },
    );
    joined
}

/// Returns the part to which a hash belongs, which is given by its highest bits.
fn part_of(hash: u64) -> usize {
    (hash >> (u64::BITS - PART_BITS)) as usize
}

/// Returns runs of items with equal keys that are long enough to be profitable.
fn runs(
    part: &mut [Hashed],
    keys: &PublicKeys,
    is_repeated: &dyn Fn(usize) -> bool,
) -> Vec<Vec<usize>> {
    // Sorting uses only the hashes, because it may panic if keys in the caller's memory change
    // meanwhile. Two keys with one hash, which has negligible probability, would split their items
    // into several runs.
    part.sort_unstable();
    let runs = part
        .chunk_by(|a, b| a.0 == b.0 && keys.get(a.1) == keys.get(b.1))
        .filter(|run| is_repeated(run.len()));
    runs.map(|run| run.iter().map(|(_, item)| *item).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> [u8; 33] {
        std::array::from_fn(|i| (number >> (8 * (i % 4))) as u8)
    }

    /// Returns whether a key is treated as repeated.
    fn is_repeated(uses: usize) -> bool {
        uses >= 4
    }

    fn uses(keys: &[[u8; 33]], key: &[u8; 33]) -> usize {
        keys.iter().filter(|other| *other == key).count()
    }

    /// Keeps every third item.
    fn is_left(item: usize) -> bool {
        item.is_multiple_of(3)
    }

    #[test]
    fn every_item_is_planned_once() {
        let engine = CpuEngine::new(Some(3), None).unwrap();
        for (count, distinct) in [
            (0, 1),
            (1, 1),
            (2, 1),
            (700, 3),
            (5000, 1),
            (5000, 5000),
            (20_000, 150),
            (20_000, 9000),
        ] {
            let keys: Vec<[u8; 33]> = (0..count + 10)
                .map(|item| key(item * item % distinct))
                .collect();
            let items = 10..count + 10;
            let mut plan = KeyPlan::new(
                &engine,
                items.clone(),
                &PublicKeys::compressed(&keys),
                &is_repeated,
            );
            assert!(
                plan.singles.is_sorted()
                    && plan.repeated.is_sorted_by_key(|run| Reverse(run.len()))
            );
            let mut all: Vec<usize> = plan
                .singles
                .iter()
                .chain(plan.repeated.iter().flatten())
                .copied()
                .collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(items.clone()), "{count} items");
            for run in &plan.repeated {
                assert!(run.len() >= 4 && run.iter().all(|item| keys[*item] == keys[run[0]]));
                assert_eq!(run.len(), uses(&keys[items.clone()], &keys[run[0]]));
            }
            assert!(
                plan.singles
                    .iter()
                    .take(50)
                    .all(|item| uses(&keys[items.clone()], &keys[*item]) < 4)
            );
            for limit in [0, 4, 6, usize::MAX] {
                let few = plan.with_few_uses(limit);
                let many = plan
                    .repeated
                    .iter()
                    .filter(|run| run.len() >= limit)
                    .flatten();
                assert!(few.is_sorted() && few.len() + many.count() == count);
                assert!(
                    few.iter()
                        .take(50)
                        .all(|item| uses(&keys[items.clone()], &keys[*item]) < limit.max(4))
                );
            }
            plan.retain(&is_left, &is_repeated);
            assert!(
                plan.singles.is_sorted()
                    && plan.repeated.is_sorted_by_key(|run| Reverse(run.len()))
            );
            assert!(plan.repeated.iter().all(|run| run.len() >= 4));
            let mut left: Vec<usize> = plan
                .singles
                .iter()
                .chain(plan.repeated.iter().flatten())
                .copied()
                .collect();
            left.sort_unstable();
            assert!(
                left.into_iter().eq(items.filter(|item| is_left(*item))),
                "{count} items"
            );
        }
    }
}
