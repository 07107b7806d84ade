//! Division of a multi-scalar multiplication into windows, and of these into tasks for threads.

use std::ops::Range;

/// The supported window widths.
const WIDTHS: std::ops::RangeInclusive<u32> = 2..=16;
/// The cost of a task in addition to its point additions, in point additions: about 40 rounds with
/// an inversion each.
const TASK: usize = 3000;
/// The maximum product of a task's terms and windows, if it has several windows: their sums stay in
/// the L2 cache.
const LARGEST: usize = 1 << 16;
/// The maximum number of terms in a part: its points, which windows access at random, stay near the
/// L2 cache.
const LARGEST_PART: usize = 1 << 16;
/// The maximum number of additional parts per part that `LARGEST_PART` requires.
const MOST_PARTS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucketing {
    /// Bits per window.
    pub width: u32,
    /// Windows per scalar.
    pub windows: u32,
    /// Windows per task.
    group: u32,
    terms: usize,
    parts: usize,
}

impl Bucketing {
    /// Returns the fastest plan for `terms` terms with scalars of `bits` bits on `threads` threads.
    pub fn new(terms: usize, bits: u32, threads: usize) -> Self {
        let plans = WIDTHS.flat_map(|width| Self::of_width(width, terms, bits, threads));
        plans
            .min_by_key(|plan| plan.cost(threads))
            .expect("the range of widths is not empty")
    }

    /// Iterates over the plans with windows of this width.
    fn of_width(width: u32, terms: usize, bits: u32, threads: usize) -> impl Iterator<Item = Self> {
        let fewest = terms.div_ceil(LARGEST_PART).max(1);
        let windows = bits / width + 1;
        (0..=MOST_PARTS.ilog2()).flat_map(move |more| {
            let parts = fewest << more;
            let most = (LARGEST * parts / terms.max(1)).clamp(1, windows as usize) as u32;
            // Even groups, no more than are required by `LARGEST` or by the number of threads.
            let groups = [
                windows.div_ceil(most),
                windows.min(threads as u32).max(windows.div_ceil(most)),
            ];
            groups.map(|groups| Bucketing {
                width,
                windows,
                group: windows.div_ceil(groups),
                terms,
                parts,
            })
        })
    }

    /// Returns the number of point additions of the busiest thread: those of its terms, and two per
    /// bucket.
    fn cost(&self, threads: usize) -> usize {
        let tasks = self.windows.div_ceil(self.group) as usize * self.parts;
        let additions = self.terms.div_ceil(self.parts) + (1 << self.width);
        tasks.div_ceil(threads) * (self.group as usize * additions + TASK)
    }

    /// Returns the windows and the terms of each task.
    pub fn tasks(&self) -> Vec<(Range<u32>, Range<usize>)> {
        let mut tasks = Vec::new();
        for first in (0..self.windows).step_by(self.group as usize) {
            let windows = first..self.windows.min(first + self.group);
            tasks.extend((0..self.parts).map(|part| (windows.clone(), self.terms_of(part))));
        }
        tasks
    }

    fn terms_of(&self, part: usize) -> Range<usize> {
        part * self.terms / self.parts..(part + 1) * self.terms / self.parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_have_every_window_of_every_term_once() {
        for terms in [1, 2, 31, 1000, 70_000, 3 << 17] {
            for (bits, threads) in [(0, 1), (1, 3), (128, 2), (129, 64), (255, 1), (255, 7)] {
                let plan = Bucketing::new(terms, bits, threads);
                assert!(WIDTHS.contains(&plan.width) && plan.windows * plan.width > bits);
                let mut seen = 0;
                for (windows, part) in plan.tasks() {
                    assert!(
                        windows.end <= plan.windows
                            && part.end <= terms
                            && part.len() <= LARGEST_PART
                    );
                    seen += windows.len() * part.len();
                }
                assert_eq!(seen, plan.windows as usize * terms, "{plan:?}");
            }
        }
    }

    /// The busiest thread has little more work than its share.
    #[test]
    fn threads_share_the_work() {
        for terms in [2000, 1 << 17, 1 << 20] {
            let alone = Bucketing::new(terms, 255, 1).cost(1);
            for threads in [2, 5, 16, 64] {
                let cost = Bucketing::new(terms, 255, threads).cost(threads);
                assert!(
                    cost * threads < 2 * alone + 64 * threads * TASK,
                    "{terms} terms, {threads} threads"
                );
            }
        }
    }
}
