//! Selects the items of a batch that are verified in groups by one equation each, and those
//! verified individually.
//!
//! An equation that holds saves a part of the cost of verifying its items individually. The cost of
//! one that fails is lost. The loss minus the savings, by the estimates below, never exceeds a
//! quarter of the cost of verifying all items individually, whichever items are invalid. Groups
//! shrink when equations fail and grow when they hold.

/// The loss per item of a failed equation and the gain per item of one that holds, in hundredths of
/// the cost of verifying the item individually. Both are estimated to the disadvantage of batch
/// verification (docs/design/cpu.md).
const LOST: i64 = 90;
const SAVED: i64 = 20;
/// The permitted loss per item of a batch.
pub(super) const MAY_BE_LOST: i64 = 25;
/// The size of the first group, as a multiple of the smallest.
const FIRST: usize = 4;

/// The groups of one batch.
pub struct Groups {
    smallest: usize,
    largest: usize,
    /// The size of the next group.
    size: usize,
    /// The loss minus the gain so far, and its permitted maximum.
    lost: i64,
    may_be_lost: i64,
    /// The number of items before the next group, and the number after a smallest group that fails.
    pause: usize,
    next_pause: usize,
}

/// The next step of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Group(usize),
    OneByOne(usize),
}

impl Groups {
    /// Starts a batch of `items` items. No group is smaller than the smallest; the last one may
    /// exceed the largest by less than that.
    pub fn new(items: usize, smallest: usize, largest: usize) -> Self {
        let may_be_lost = MAY_BE_LOST * items as i64;
        let size = (FIRST * smallest).min(largest);
        Groups {
            smallest,
            largest,
            size,
            lost: 0,
            may_be_lost,
            pause: 0,
            next_pause: smallest,
        }
    }

    /// Returns the next step if `left` items are left: at least one.
    pub fn next(&mut self, left: usize) -> Step {
        if self.pause > 0 {
            return Step::OneByOne(std::mem::take(&mut self.pause).min(left));
        }
        let affordable = usize::try_from((self.may_be_lost - self.lost) / LOST).unwrap_or(0);
        // At most half of that, but not less than the smallest group.
        let size = self.size.min((affordable / 2).max(self.smallest)).min(left);
        // The items left after this group would be too few for a group.
        let size = if left - size < self.smallest && left <= affordable {
            left
        } else {
            size
        };
        if size < self.smallest || size > affordable {
            Step::OneByOne(left)
        } else {
            Step::Group(size)
        }
    }

    /// Records that the last group's equation held for `valid` items; the others of the group took
    /// no part in it.
    pub fn held(&mut self, valid: usize, others: usize) {
        self.lost += LOST * others as i64 - SAVED * valid as i64;
        self.size = (2 * self.size).min(self.largest);
        self.next_pause = self.smallest;
    }

    /// Records that the equation of the last group, with `items` items, failed.
    pub fn failed(&mut self, items: usize) {
        self.lost += LOST * items as i64;
        if items > self.smallest {
            self.size = (items / 2).max(self.smallest);
        } else {
            self.pause = self.next_pause;
            self.next_pause *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::field::random::Random;

    const SMALLEST: usize = 512;
    const LARGEST: usize = 4096;

    /// Simulates the groups of a batch. Returns the cost, in hundredths of an individual
    /// verification, and the number of items that are verified in groups.
    fn cost(is_valid: &[bool]) -> (i64, usize) {
        let mut groups = Groups::new(is_valid.len(), SMALLEST, LARGEST);
        let mut done = 0;
        let mut cost = 0;
        let mut batch_verification = 0;
        while done < is_valid.len() {
            let step = groups.next(is_valid.len() - done);
            let (Step::Group(items) | Step::OneByOne(items)) = step;
            assert!(items > 0);
            let group = &is_valid[done..done + items];
            cost += 100 * items as i64;
            if let Step::Group(_) = step {
                assert!((SMALLEST..LARGEST + SMALLEST).contains(&items));
                if group.iter().all(|valid| *valid) {
                    groups.held(items, 0);
                    cost -= SAVED * items as i64;
                    batch_verification += items;
                } else {
                    groups.failed(items);
                    cost += LOST * items as i64;
                }
            }
            done += items;
        }
        assert_eq!(done, is_valid.len());
        (cost, batch_verification)
    }

    fn bound(items: usize) -> i64 {
        (100 + MAY_BE_LOST) * items as i64
    }

    /// Tests every fraction of invalid items, both at random positions and at the worst positions
    /// for a known schedule.
    #[test]
    fn cost_is_bounded() {
        let mut random = Random::fresh();
        for items in [0, 1, 255, 256, 700, 1000, 5000, 20_000, 300_000] {
            for one_in in [1, 2, 10, 100, 300, 1000, 10_000, 100_000, u64::MAX] {
                let is_valid: Vec<bool> = (0..items)
                    .map(|_| !random.word().is_multiple_of(one_in))
                    .collect();
                let (cost, _) = cost(&is_valid);
                assert!(
                    cost <= bound(items),
                    "{items} items, one in {one_in}: {cost}"
                );
            }
            // Valid items first, so that groups become large, and then one invalid item in each
            // group.
            for valid in [0, items / 3, items / 2] {
                let is_valid: Vec<bool> = (0..items)
                    .map(|item| item < valid || item % SMALLEST != 0)
                    .collect();
                assert!(cost(&is_valid).0 <= bound(items));
            }
        }
    }

    #[test]
    fn valid_items_are_verified_together() {
        for items in [2000, 5000, 300_000] {
            let (_, batch_verification) = cost(&vec![true; items]);
            assert!(
                batch_verification + 2 * SMALLEST > items,
                "{batch_verification} of {items}"
            );
        }
        // A few invalid items only affect their own groups.
        let is_valid: Vec<bool> = (0..300_000).map(|item| item % 60_000 != 30_000).collect();
        assert!(cost(&is_valid).1 > 250_000);
    }

    /// Few groups are tried if all items are invalid.
    #[test]
    fn failures_end_attempts() {
        let (cost, batch_verification) = cost(&vec![false; 300_000]);
        assert!(batch_verification == 0 && cost < 103 * 300_000, "{cost}");
    }
}
