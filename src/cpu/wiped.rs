//! Batches of secrets: results are written to where they stay, and each task wipes the stack that it used.

use super::CpuEngine;
use crate::stack;
use std::ops::Range;

/// Items of a task, which wiping the stack delays by less than the time of one item.
const TASK: usize = 4;

impl CpuEngine {
    /// Like `map`.
    pub(super) fn map_secrets<T: Clone + Send>(
        &self,
        items: usize,
        initial: T,
        compute: impl Fn(usize) -> T + Sync,
    ) -> Vec<T> {
        let mut results = vec![initial; items];
        let task = |(index, out): (usize, &mut [T])| {
            stack::wiped(|| {
                for (offset, place) in out.iter_mut().enumerate() {
                    *place = compute(TASK * index + offset);
                }
            });
        };
        self.pool.for_each(results.chunks_mut(TASK).enumerate().collect(), task);
        results
    }

    /// Like `map_chunks`.
    pub(super) fn map_secret_chunks<T: Clone + Send>(
        &self,
        items: usize,
        initial: T,
        compute: impl Fn(Range<usize>, &mut [T]) + Sync,
    ) -> Vec<T> {
        self.map_chunks(items, initial, |range, out| stack::wiped(|| compute(range, out)))
    }
}
