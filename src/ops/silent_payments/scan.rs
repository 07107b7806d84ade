//! Comparison of expected with actual outputs; counters continue as long as an output matches.

use super::expected::{Expected, NUMBER};
use super::{LIMIT, Match, Outputs, Receiver, Scan};
use crate::engine::Engine;
use crate::host::{lock, stack};
use crate::types::{
    Error, POINT_ROW, PublicKeys, ResultConsumer, ResultSink, Results, Rows, Verdict,
    require_lengths,
};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use zeroize::Zeroizing;

/// A match of an item's output.
struct Hit {
    item: usize,
    receiver: usize,
    spend_key: usize,
    output: usize,
    /// The tweak t_k, on the heap because hits are moved and sorted.
    tweak: Box<Zeroizing<[u8; NUMBER]>>,
}

/// A search of items' outputs for expected ones.
struct Search<'a> {
    receivers: &'a [&'a Receiver],
    outputs: Outputs<'a>,
    /// The row of each item; `None` if items are rows.
    rows: Option<&'a [usize]>,
    found: Mutex<Vec<Hit>>,
}

impl Search<'_> {
    /// Compares the outputs of an item with its row of expected ones.
    fn compare(&self, item: usize, mut expected: &[u8]) {
        let row = self.rows.map_or(item, |rows| rows[item]);
        for (receiver, keys) in self.receivers.iter().enumerate() {
            let (numbers, of_others) = expected
                .as_chunks::<NUMBER>()
                .0
                .split_at(1 + keys.spend_keys.len());
            expected = of_others.as_flattened();
            let tweak = &numbers[0];
            let expected_x = &numbers[1..];
            for (spend_key, x) in expected_x.iter().enumerate() {
                for output in self.outputs.of_row(row) {
                    // Zeros mean that there is no expected output.
                    if self.outputs.is(output, x) && *x != [0; NUMBER] {
                        let tweak = Box::new(Zeroizing::new(*tweak));
                        let hit = Hit {
                            item,
                            receiver,
                            spend_key,
                            output,
                            tweak,
                        };
                        lock(&self.found).push(hit);
                    }
                }
            }
        }
    }
}

/// Compares items as soon as they are computed, and stores only their codes.
struct Comparison<'a> {
    codes: Vec<AtomicU8>,
    search: &'a Search<'a>,
}

impl ResultConsumer for Comparison<'_> {
    fn consume(&self, first: usize, results: &Results) {
        for (offset, &code) in results.codes.iter().enumerate() {
            let item = first + offset;
            self.codes[item].store(code, Ordering::Relaxed);
            if code == Verdict::VALID_CODE {
                self.search.compare(item, results.row(0, offset));
            }
        }
    }
}

/// Computes the expected outputs of items and compares the actual outputs with them. Returns the
/// codes, and the hits ordered by item, receiver, spend key and output.
fn search(
    engine: &Engine,
    expected: &Expected,
    search: Search,
) -> Result<(Vec<u8>, Vec<Hit>), Error> {
    let items = expected.items;
    let comparison = Comparison {
        codes: (0..items).map(|_| AtomicU8::new(0)).collect(),
        search: &search,
    };
    engine.run(expected, ResultSink::consumed_by(&comparison, items))?;
    let codes = comparison
        .codes
        .into_iter()
        .map(AtomicU8::into_inner)
        .collect();
    let mut found = search
        .found
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    found.sort_unstable_by_key(|hit| (hit.item, hit.receiver, hit.spend_key, hit.output));
    Ok((codes, found))
}

/// Returns the codes and matches of all rows.
pub fn scan(
    engine: &Engine,
    receivers: &[Receiver],
    tweak_points: PublicKeys,
    outputs: Outputs,
) -> Result<Scan, Error> {
    let items = outputs.rows();
    require_lengths(items, &[("tweak points", tweak_points.len_for(items))])?;
    let all: Vec<&Receiver> = receivers.iter().collect();
    let expected = Expected {
        tweak_points,
        counters: Rows::all(&[0; 4]),
        receivers: &all,
        items,
    };
    let of = Search {
        receivers: &all,
        outputs,
        rows: None,
        found: Mutex::default(),
    };
    let (codes, hits) = search(engine, &expected, of)?;
    let mut found: Vec<(usize, u32, Hit)> =
        hits.into_iter().map(|hit| (hit.item, 0, hit)).collect();
    for (which, receiver) in receivers.iter().enumerate() {
        let mut rows: Vec<usize> = found
            .iter()
            .filter(|(.., hit)| hit.receiver == which)
            .map(|(row, ..)| *row)
            .collect();
        rows.dedup();
        go_on(
            engine,
            (which, receiver),
            tweak_points,
            outputs,
            rows,
            &mut found,
        )?;
    }
    found.sort_unstable_by_key(|(row, k, hit)| (*row, hit.receiver, *k, hit.spend_key, hit.output));
    // Allocated once: moving matches would leave copies behind.
    let mut matches = Vec::with_capacity(found.len());
    stack::wiped(|| {
        matches.extend(found.into_iter().map(|(row, k, hit)| Match {
            row,
            receiver: hit.receiver,
            output: hit.output - outputs.of_row(row).start,
            k,
            label: all[hit.receiver].label(hit.spend_key),
            tweak: all[hit.receiver].output_tweak(&hit.tweak, hit.spend_key),
        }));
    });
    Ok(Scan { codes, matches })
}

/// Adds a receiver's matches with k = 1 and above in rows that match with k = 0. Each round
/// examines twice as many k as the round before; those before the first k without a match count. A
/// row of m outputs has at most m of them.
fn go_on(
    engine: &Engine,
    (which, receiver): (usize, &Receiver),
    tweak_points: PublicKeys,
    outputs: Outputs,
    mut open: Vec<usize>,
    found: &mut Vec<(usize, u32, Hit)>,
) -> Result<(), Error> {
    let mut start = 1;
    while start < LIMIT {
        let end = LIMIT.min(2 * start);
        open.retain(|row| start < outputs.most_matches(*row));
        let items: Vec<(usize, u32)> = open
            .iter()
            .flat_map(|row| (start..end.min(outputs.most_matches(*row))).map(|k| (*row, k)))
            .collect();
        if items.is_empty() {
            break;
        }
        let mut keys = vec![[0; POINT_ROW]; items.len()];
        for ((row, _), key) in items.iter().zip(&mut keys) {
            tweak_points.write_mixed_rows(*row, key);
        }
        let counters: Vec<[u8; 4]> = items.iter().map(|(_, k)| k.to_be_bytes()).collect();
        let rows: Vec<usize> = items.iter().map(|(row, _)| *row).collect();
        let tweak_points = PublicKeys::mixed(&keys);
        let receivers = [receiver];
        let counters = Rows::from(&counters);
        let expected = Expected {
            tweak_points,
            counters,
            receivers: &receivers,
            items: items.len(),
        };
        let of = Search {
            receivers: &receivers,
            outputs,
            rows: Some(&rows),
            found: Mutex::default(),
        };
        let (_, hits) = search(engine, &expected, of)?;
        let matched = take_consecutive(&items, hits, start, |row, k, hit| {
            found.push((
                row,
                k,
                Hit {
                    receiver: which,
                    ..hit
                },
            ));
        });
        open.retain(|row| matched.binary_search(row).is_ok());
        start = end;
    }
    Ok(())
}

/// Takes the hits of each row up to its first k without one. Returns the rows, in order, in which
/// every k has a hit.
fn take_consecutive(
    items: &[(usize, u32)],
    hits: Vec<Hit>,
    start: u32,
    mut take: impl FnMut(usize, u32, Hit),
) -> Vec<usize> {
    let mut hits = hits.into_iter().peekable();
    let mut complete = Vec::new();
    let mut item = 0;
    for of_row in items.chunk_by(|(a, _), (b, _)| a == b) {
        let row = of_row[0].0;
        let mut next = start;
        for (offset, (_, k)) in of_row.iter().enumerate() {
            while let Some(hit) = hits.next_if(|hit| hit.item == item + offset) {
                if *k <= next {
                    next = k + 1;
                    take(row, *k, hit);
                }
            }
        }
        item += of_row.len();
        if next == start + of_row.len() as u32 {
            complete.push(row);
        }
    }
    complete
}
