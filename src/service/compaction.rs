//! Compaction of a batch: removes items by moving the last ones into their places.

use std::ops::Range;

/// The moves that remove dropped items from a batch.
#[derive(Debug, PartialEq, Eq)]
pub struct Moves {
    /// Number of remaining items. They are the first ones once the moves are made.
    pub left: usize,
    /// The source and destination of each item that moves.
    pub moves: Vec<(usize, usize)>,
}

impl Moves {
    /// Plans the removal of the items in these ranges, which must be disjoint.
    pub fn without(mut dropped: Vec<Range<usize>>, items: usize) -> Self {
        dropped.sort_unstable_by_key(|range| range.start);
        let left = items - dropped.iter().map(Range::len).sum::<usize>();
        let holes = dropped
            .iter()
            .flat_map(|range| range.start.min(left)..range.end.min(left));
        let mut kept = Vec::new();
        let mut start = left;
        for range in dropped.iter().filter(|range| range.end > left) {
            kept.extend(start..range.start.max(start));
            start = range.end;
        }
        kept.extend(start..items);
        Moves {
            left,
            moves: kept.into_iter().zip(holes).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn remaining_items_come_first(requests in prop::collection::vec((1usize..5, any::<bool>()), 0..40)) {
            let mut dropped = Vec::new();
            let mut is_dropped = Vec::new();
            for (size, drop) in requests {
                if drop {
                    dropped.push(is_dropped.len()..is_dropped.len() + size);
                }
                is_dropped.extend(vec![drop; size]);
            }
            dropped.reverse();
            let items = is_dropped.len();
            let Moves { left, moves } = Moves::without(dropped, items);
            let mut places: Vec<usize> = (0..items).collect();
            for (from, to) in moves {
                prop_assert!(from >= left && to < left && is_dropped[to] && !is_dropped[from]);
                places[to] = from;
            }
            let mut found = places[..left].to_vec();
            found.sort_unstable();
            let expected: Vec<usize> = (0..items).filter(|item| !is_dropped[*item]).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
