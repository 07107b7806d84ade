//! Long batches in pieces, for callers that want to look around between them.

use super::Engine;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Items of the first piece for each thread of the CPU: half a second or so of the slowest operation, by a processor
/// without AVX-512.
const FIRST_PER_THREAD: usize = 1 << 10;

/// The most items of a piece for each thread: many of the engine's chunks, so that its threads end at about the same
/// time.
const PER_THREAD: usize = 1 << 14;

/// The target duration of each piece after the first.
const PIECE: Duration = Duration::from_millis(500);

/// Items of a piece for each GPU: a large one works on them for a tenth of a second, of which it loses little at the
/// ends.
const PER_GPU: usize = 1 << 23;

/// Bytes of messages in a piece: half a second or so of one thread.
const BYTES: usize = 1 << 27;

/// The items of a batch in pieces that take about half a second each, so that a program can stop a long call, or show
/// how far it is: a call for each piece, of [`crate::Rows::slice`] and the like. On GPUs it loses little by that, on
/// CPUs nothing.
///
/// How long pieces take is seen between them: each is larger or smaller by that. Without items there is one piece,
/// which is empty.
///
/// ```
/// use gecc::{Engine, Rows, Secp256k1, point};
/// let (engine, scalars) = (Engine::new()?, vec![[7; 32]; 10_000]);
/// let (mut points, mut codes) = (vec![[0; 64]; scalars.len()], vec![0; scalars.len()]);
/// let column = Rows::new(&scalars);
/// for piece in engine.pieces(scalars.len()) {
///     let (points, codes) = (&mut points[piece.clone()], &mut codes[piece.clone()]);
///     point::mul_base_into(&engine, Secp256k1, column.slice(piece.clone()), points, codes)?;
///     println!("{} of {}", piece.end, scalars.len());    // or ends here
/// }
/// # Ok::<(), gecc::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pieces {
    items: usize,
    start: usize,
    /// Items of the next piece.
    size: usize,
    least: usize,
    most: usize,
    /// The piece before, and when it began.
    before: Option<(usize, Instant)>,
}

impl Pieces {
    pub(super) fn of(engine: &Engine, items: usize) -> Self {
        let info = engine.info();
        let [size, least, most] = match info.devices.len() {
            0 => [FIRST_PER_THREAD, FIRST_PER_THREAD / 4, PER_THREAD].map(|items| items * info.threads),
            // Where GPUs fail the CPU goes on.
            gpus => [PER_GPU * gpus, FIRST_PER_THREAD * info.threads, PER_GPU * gpus],
        };
        Pieces { items, start: 0, size, least, most, before: None }
    }

    /// The next piece, where `length` says how long an item's message is: many bytes end a piece as many items do.
    pub fn next_of_messages(&mut self, length: impl Fn(usize) -> usize) -> Option<Range<usize>> {
        let mut bytes = 0usize;
        self.next_until(|piece| {
            let is_enough = |item: &usize| {
                bytes = bytes.saturating_add(length(*item));
                bytes >= BYTES
            };
            piece.clone().find(is_enough).map_or(piece.end, |last| last + 1)
        })
    }

    fn next_until(&mut self, end: impl FnOnce(Range<usize>) -> usize) -> Option<Range<usize>> {
        if let Some((items, began)) = self.before {
            if self.start == self.items {
                return None;
            }
            self.size = self.size_after(items, began.elapsed());
        }
        let start = self.start;
        self.start = end(start..self.items.min(start.saturating_add(self.size)));
        self.before = Some((self.start - start, Instant::now()));
        Some(start..self.start)
    }

    /// The size after this many items have taken this long.
    fn size_after(&self, items: usize, took: Duration) -> usize {
        let size = match items as f64 * PIECE.as_secs_f64() / took.as_secs_f64().max(1e-9) {
            fit if fit < self.size as f64 => self.size / 2,
            fit => fit as usize,
        };
        size.clamp(self.least, self.most)
    }
}

impl Iterator for Pieces {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        self.next_until(|piece| piece.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(items: usize) -> Pieces {
        Pieces { items, start: 0, size: 10, least: 4, most: 100, before: None }
    }

    #[test]
    fn pieces_are_all_items_in_their_order() {
        for items in [0, 1, 9, 10, 11, 1000] {
            let all: Vec<Range<usize>> = pieces(items).collect();
            assert_eq!((all[0].start, all[all.len() - 1].end), (0, items));
            assert!(all.windows(2).all(|two| two[0].end == two[1].start && !two[1].is_empty()), "{all:?}");
        }
        assert!(pieces(0).eq(std::iter::once(0..0)));
    }

    #[test]
    fn sizes_follow_the_time_within_their_bounds() {
        let sizes = [1, 250, 500, 10_000].map(|ms| pieces(1000).size_after(10, Duration::from_millis(ms)));
        assert_eq!(sizes, [100, 20, 10, 5]);
        assert_eq!(Pieces { size: 4, ..pieces(1000) }.size_after(4, Duration::from_secs(9)), 4);
    }

    #[test]
    fn long_messages_end_a_piece() {
        let mut of_messages = pieces(5);
        let length = |item| if item == 1 { usize::MAX } else { BYTES / 2 };
        let mut all = Vec::new();
        while let Some(piece) = of_messages.next_of_messages(length) {
            all.push(piece);
        }
        assert_eq!(all, [0..2, 2..4, 4..5]);
    }
}
