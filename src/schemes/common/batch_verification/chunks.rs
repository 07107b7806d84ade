//! Selects the chunks of a batch that GPUs verify as groups, with one equation each.
//!
//! Several chunks are computed at a time. Therefore the possible loss of an equation is reserved in
//! advance from what the batch may lose, a quarter of the cost of verifying all items individually,
//! and released if the equation holds.

use super::groups::MAY_BE_LOST;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

/// The loss per item of a failed equation and the gain per item of one that holds, in hundredths of
/// the cost of verifying or recovering the item individually. Both are estimated to the
/// disadvantage of batch verification (docs/design/gpu.md).
const LOST: i64 = 70;
const SAVED: i64 = 20;
/// The number of items in the smallest chunk for which a failed equation costs no more than `LOST`:
/// part of the time of the sums is independent of the number of items.
const FEWEST: usize = 1 << 17;

/// The chunks of one batch.
#[derive(Debug)]
pub struct Chunks {
    fewest: usize,
    largest: usize,
    /// The loss that is still permitted, in hundredths of an item.
    credit: AtomicI64,
    /// The number of items that are not verified individually.
    spared: AtomicUsize,
}

impl Chunks {
    /// Starts a batch of `items` items.
    pub fn new(items: usize) -> Self {
        let credit = MAY_BE_LOST * items as i64;
        let affordable = (credit / LOST) as usize;
        // A batch in which no chunk is tried is planned as without batch verification.
        let (fewest, largest) = if affordable < FEWEST {
            (usize::MAX, usize::MAX)
        } else {
            (FEWEST, affordable)
        };
        Chunks {
            fewest,
            largest,
            credit: AtomicI64::new(credit),
            spared: AtomicUsize::new(0),
        }
    }

    /// Allows every chunk to be tried, regardless of the cost.
    pub fn all() -> Self {
        Chunks {
            fewest: 1,
            largest: usize::MAX,
            credit: AtomicI64::new(i64::MAX / 4),
            spared: AtomicUsize::new(0),
        }
    }

    /// Returns the size of the largest chunk that may be tried at first.
    pub fn largest(&self) -> usize {
        self.largest
    }

    /// Returns `true` if a chunk of this size qualifies at all.
    pub fn may_try(&self, items: usize) -> bool {
        items >= self.fewest
    }

    /// Returns `true` if a chunk of this size is tried now. Its possible loss is deducted from the
    /// permitted loss, for good unless [`Chunks::held`] follows.
    pub fn begin(&self, items: usize) -> bool {
        let cost = LOST * items as i64;
        if !self.may_try(items) {
            return false;
        }
        let spent = self
            .credit
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |credit| {
                (credit >= cost).then(|| credit - cost)
            });
        spent.is_ok()
    }

    /// Records that the equation of a chunk holds, and that `items` of its items need no individual
    /// verification.
    pub fn held(&self, items: usize) {
        self.credit
            .fetch_add((LOST + SAVED) * items as i64, Ordering::Relaxed);
        self.spared.fetch_add(items, Ordering::Relaxed);
    }

    /// Returns the number of items that were not verified individually.
    pub fn spared(&self) -> usize {
        self.spared.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    const CHUNK: usize = 1 << 17;

    /// Simulates a batch with chunks of `CHUNK` items, `at_a_time` of them concurrently. Returns
    /// the cost, in hundredths of an individual verification, and the number of items that were not
    /// verified individually.
    fn cost(items: usize, at_a_time: usize, is_valid: impl Fn(usize) -> bool) -> (i64, usize) {
        let chunks = Chunks::new(items);
        let mut running = VecDeque::new();
        let mut cost = 100 * items as i64;
        for (chunk, start) in (0..items).step_by(CHUNK).enumerate() {
            let size = CHUNK.min(items - start);
            if running.len() == at_a_time
                && let Some((size, is_valid)) = running.pop_front()
            {
                cost += end_chunk(&chunks, size, is_valid);
            }
            if chunks.begin(size) {
                running.push_back((size, is_valid(chunk)));
            }
        }
        for (size, is_valid) in running {
            cost += end_chunk(&chunks, size, is_valid);
        }
        (cost, chunks.spared())
    }

    /// Ends a chunk, and returns how much it adds to the cost.
    fn end_chunk(chunks: &Chunks, size: usize, is_valid: bool) -> i64 {
        if is_valid {
            chunks.held(size);
            -SAVED * size as i64
        } else {
            LOST * size as i64
        }
    }

    /// Holds wherever the invalid items are.
    #[test]
    fn cost_is_bounded() {
        for items in [0, 1, FEWEST, 3 * CHUNK, 1 << 20, 1 << 24] {
            for at_a_time in [1, 5, 20] {
                for one_in in [1, 2, 3, 10, 100] {
                    for first in [0, 5, 50] {
                        let (cost, _) = cost(items, at_a_time, |chunk| {
                            chunk < first || chunk % one_in != 0
                        });
                        let bound = (100 + MAY_BE_LOST) * items as i64;
                        assert!(
                            cost <= bound,
                            "{items} items, {at_a_time} at a time, one in {one_in}: {cost}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn valid_items_are_verified_together() {
        for (items, at_a_time) in [(1 << 20, 1), (1 << 22, 5), (1 << 24, 20)] {
            let (cost, spared) = cost(items, at_a_time, |_| true);
            assert_eq!((cost, spared), ((100 - SAVED) * items as i64, items));
        }
    }

    /// Few chunks are tried if all items are invalid.
    #[test]
    fn failures_end_attempts() {
        let (cost, spared) = cost(1 << 24, 5, |_| false);
        assert!(spared == 0 && cost <= 125 << 24);
    }

    #[test]
    fn small_batches_are_verified_one_by_one() {
        for items in [0, 1, FEWEST, 2 * FEWEST] {
            let chunks = Chunks::new(items);
            assert!(
                !chunks.may_try(items) && !chunks.begin(items) && chunks.largest() == usize::MAX
            );
        }
        let chunks = Chunks::new(1 << 20);
        assert!(
            chunks.may_try(chunks.largest())
                && chunks.begin(chunks.largest())
                && !chunks.begin(FEWEST)
        );
        assert!(!Chunks::new(1 << 20).begin(FEWEST - 1));
    }
}
