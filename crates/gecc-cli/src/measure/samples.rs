//! Parts of a batch that are compared with results of the CPU engine.

use std::ops::Range;

/// Returns ranges at random positions, with about a thousand items in total.
pub fn samples(items: usize) -> Vec<Range<usize>> {
    const RANGES: usize = 16;
    const LENGTH: usize = 64;
    if items <= RANGES * LENGTH {
        return std::iter::once(0..items).collect();
    }
    let mut ranges = Vec::with_capacity(RANGES);
    for _ in 0..RANGES {
        let start =
            getrandom::u64().map_or(0, |random| (random % (items - LENGTH) as u64) as usize);
        ranges.push(start..start + LENGTH);
    }
    ranges
}
