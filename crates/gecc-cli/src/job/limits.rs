//! Limits on memory in use.

use crate::flags::StreamOptions;
use crate::input::layout::MAX_LINE;
use crate::input::splitter::MAX_ROWS;
use gecc::{Backend, Engine};

const MIB: usize = 1 << 20;
/// The minimum memory for text, columns and answers, however small the configured limit: the
/// command's own share, which may exceed the limit as described in docs/using.md.
const OWN: usize = 8 * MIB;
/// The divisor that gives this share of a larger limit.
const SHARE: usize = 8;
/// The maximum number of items per batch if memory is not limited.
const MOST_ROWS_ON_GPU: usize = 1 << 18;
const MOST_ROWS_ON_CPU: usize = 1 << 16;
/// The maximum sizes in bytes of the first batch and of any batch, if rows are long.
const FIRST_BYTES: usize = 16 * MIB;
const MOST_BYTES: usize = 256 * MIB;
/// The minimum number of batches of a large file, so that reading, computing and writing overlap.
const BATCHES: u64 = 16;
const LEAST_ROWS: usize = 1 << 14;
/// The maximum size in bytes of the notes of a batch, which are stored outside its columns, if
/// memory is not limited.
const MOST_NOTES: usize = 128 * MIB;
/// The smallest limit on the length of a row, however small the memory limit.
const LEAST_LINE: usize = MIB;
/// The largest buffer of answers in bytes that is kept for reuse, if memory is not limited.
const MOST_KEPT: usize = 4 * MIB;
/// The typical sizes in bytes of the notes on a row, with its text, and of its answer.
const NOTES: usize = 64;
const ANSWER: usize = 64;

/// Limits on the memory of a job.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The number of bytes that are read at once.
    pub piece: usize,
    /// The number of pieces that are read in parallel.
    pub window: usize,
    /// The maximum number of items in a unit.
    pub unit_rows: usize,
    /// The number of items in the first batch, and the maximum for any batch.
    pub first_rows: usize,
    pub most_rows: usize,
    /// The size in bytes of the tags, keys and messages outside the columns at which a batch is
    /// full.
    pub notes: usize,
    /// The number of batches that are filled, computed and written at a time.
    pub batches: usize,
    /// The number of batches that are computed, or whose answers are formatted, at a time.
    pub computing: usize,
    /// The maximum length of a row in bytes.
    pub longest: usize,
    /// The total size in bytes of rows longer than a piece that have been read and not yet written.
    /// A larger row is processed alone.
    pub long_rows: usize,
    /// The largest buffer in bytes that is kept for reuse.
    pub kept: usize,
}

/// Returns the engine's share of a limit.
pub fn of_engine(limit: usize) -> usize {
    limit - (budget(limit) - OWN)
}

/// Returns the number of bytes of tables that are read at a time under a memory limit, and the rows
/// per batch.
#[cfg(feature = "arrow")]
pub fn of_tables(limit: usize) -> (usize, usize) {
    /// The number of bytes per row: several batches are read, computed and written at a time, each
    /// with inputs, results and answers.
    const ROW: usize = 1536;
    let bytes = budget(limit);
    (bytes, bytes / ROW)
}

/// Returns the command's share of a limit, which is at least `OWN`.
fn budget(limit: usize) -> usize {
    OWN.max(limit / SHARE)
}

impl Limits {
    /// Makes limits for results of `width` bytes and rows that take `row_bytes` bytes in an arena.
    pub fn new(
        options: &StreamOptions,
        engine: &Engine,
        width: usize,
        row_bytes: usize,
        threads: usize,
    ) -> Self {
        let has_gpu = engine.info().backend == Backend::Gpu;
        let (batches, computing) = if has_gpu { (4, 3) } else { (3, 2) };
        let most_rows = if has_gpu {
            MOST_ROWS_ON_GPU
        } else {
            MOST_ROWS_ON_CPU
        };
        let unlimited = Limits {
            piece: MIB / 2,
            window: (2 * threads).clamp(4, 32),
            unit_rows: MAX_ROWS,
            first_rows: MAX_ROWS.min((FIRST_BYTES / row_bytes).max(1)),
            most_rows: most_rows.min((MOST_BYTES / row_bytes).max(1)),
            notes: MOST_NOTES,
            batches,
            computing,
            longest: MAX_LINE,
            long_rows: MOST_NOTES,
            kept: MOST_KEPT,
        };
        match options.engine.max_memory {
            None => unlimited,
            Some(limit) => Limits {
                longest: (limit / 2).clamp(LEAST_LINE, MAX_LINE),
                ..unlimited.within(budget(limit), width, row_bytes)
            },
        }
    }

    /// Reduces the limits so that everything fits into `bytes` bytes: half for the rows, a quarter
    /// for text.
    fn within(self, bytes: usize, width: usize, row_bytes: usize) -> Self {
        // Four windows exist at a time: one being read, one being cut, one waiting, and one being
        // parsed.
        let window_bytes = bytes / 4 / 4;
        let piece = (window_bytes / 4).clamp(1 << 14, self.piece);
        let window = (window_bytes / piece).clamp(1, self.window);
        // The answers of some batches are formatted, or wait, while those of another are written.
        let answered = self.computing + 1;
        let row = self.batches * (row_bytes + NOTES) + answered * (ANSWER + 2 * width);
        let most_rows = (bytes / 2 / row).clamp(1 << 8, self.most_rows);
        let unit_rows = self.unit_rows.min(most_rows);
        let first_rows = self.first_rows.min(most_rows);
        let notes = bytes / 8 / self.batches;
        let long_rows = bytes / 4;
        let kept = bytes / 8;
        Limits {
            piece,
            window,
            unit_rows,
            first_rows,
            most_rows,
            notes,
            long_rows,
            kept,
            ..self
        }
    }

    /// Adjusts the limits to a file of `bytes` bytes, of which `some` bytes contained `items`
    /// items.
    pub fn for_file(self, bytes: u64, some: u64, items: u64) -> Self {
        let all_items = bytes.saturating_mul(items) / some.max(1);
        let part = usize::try_from(all_items / BATCHES).unwrap_or(usize::MAX);
        let most_rows = self.most_rows.min(part.max(LEAST_ROWS));
        // All rows are available: nobody waits for the first, and arenas of one size serve all
        // batches.
        Limits {
            first_rows: most_rows,
            most_rows,
            ..self
        }
    }
}
