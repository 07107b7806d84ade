//! Splits long batches into pieces, for callers that need control between them.

use super::Engine;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Items per CPU thread of the first piece: about half a second of the slowest operation on a
/// processor without AVX-512.
const FIRST_PER_THREAD: usize = 1 << 10;

/// Maximum number of items per thread of a piece: many of the engine's chunks, so that its threads
/// finish at about the same time.
const PER_THREAD: usize = 1 << 14;

/// The target duration of each piece after the first.
const PIECE: Duration = Duration::from_millis(500);

/// Items of a piece per GPU. A large GPU computes them in a tenth of a second, and loses little of
/// it at the ends of a piece.
const PER_GPU: usize = 1 << 23;

/// Bytes of messages in a piece: about half a second of one thread.
const BYTES: usize = 1 << 27;

/// An iterator over the items of a batch in pieces that take about half a second each. It lets a
/// program stop a long call or show its progress: make one call per piece, with
/// [`crate::Rows::slice`] and similar functions. Pieces cost little throughput on GPUs, and none on
/// CPUs.
///
/// The duration of each piece is measured, and the size of the next one adapted to it. A batch
/// without items has one piece, which is empty.
///
/// ```
/// use gecc::{Engine, Rows, Secp256k1, point};
/// let engine = Engine::new()?;
/// let scalars = vec![[7; 32]; 10_000];
/// let mut points = vec![[0; 64]; scalars.len()];
/// let mut codes = vec![0; scalars.len()];
/// let column = Rows::new(&scalars);
/// for piece in engine.pieces(scalars.len()) {
///     let points = &mut points[piece.clone()];
///     let codes = &mut codes[piece.clone()];
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
    /// The items of the previous piece, and the time at which it began.
    before: Option<(usize, Instant)>,
}

impl Pieces {
    pub(super) fn of(engine: &Engine, items: usize) -> Self {
        let info = engine.info();
        let [size, least, most] = match info.devices.len() {
            0 => [FIRST_PER_THREAD, FIRST_PER_THREAD / 4, PER_THREAD]
                .map(|items| items * info.threads),
            // If the GPUs fail, the CPU computes the rest.
            gpus => [
                PER_GPU * gpus,
                FIRST_PER_THREAD * info.threads,
                PER_GPU * gpus,
            ],
        };
        Pieces {
            items,
            start: 0,
            size,
            least,
            most,
            before: None,
        }
    }

    /// Returns the next piece, which is also limited by the bytes of its messages. `length` returns
    /// the length of an item's message.
    pub fn next_of_messages(&mut self, length: impl Fn(usize) -> usize) -> Option<Range<usize>> {
        let mut bytes = 0usize;
        self.next_until(|piece| {
            for item in piece.clone() {
                bytes = bytes.saturating_add(length(item));
                if bytes >= BYTES {
                    return item + 1;
                }
            }
            piece.end
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

    /// Returns the size of the piece after one whose `items` items took `took`.
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
        Pieces {
            items,
            start: 0,
            size: 10,
            least: 4,
            most: 100,
            before: None,
        }
    }

    #[test]
    fn pieces_cover_items_in_order() {
        for items in [0, 1, 9, 10, 11, 1000] {
            let all: Vec<Range<usize>> = pieces(items).collect();
            assert_eq!((all[0].start, all[all.len() - 1].end), (0, items));
            assert!(
                all.windows(2)
                    .all(|two| two[0].end == two[1].start && !two[1].is_empty()),
                "{all:?}"
            );
        }
        assert!(pieces(0).eq(std::iter::once(0..0)));
    }

    #[test]
    fn piece_sizes_follow_measured_time() {
        let sizes =
            [1, 250, 500, 10_000].map(|ms| pieces(1000).size_after(10, Duration::from_millis(ms)));
        assert_eq!(sizes, [100, 20, 10, 5]);
        assert_eq!(
            Pieces {
                size: 4,
                ..pieces(1000)
            }
            .size_after(4, Duration::from_secs(9)),
            4
        );
    }

    #[test]
    fn long_messages_end_a_piece() {
        let mut of_messages = pieces(5);
        let lengths = [BYTES / 2, usize::MAX, BYTES / 2, BYTES / 2, BYTES / 2];
        let mut all = Vec::new();
        while let Some(piece) = of_messages.next_of_messages(|item| lengths[item]) {
            all.push(piece);
        }
        assert_eq!(all, [0..2, 2..4, 4..5]);
    }
}
