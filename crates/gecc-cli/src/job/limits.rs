//! Limits on memory in use.

use crate::flags::StreamOptions;
use crate::input::cut::MAX_ROWS;
use crate::input::layout::MAX_LINE;
use gecc::{Backend, Engine};

const MIB: usize = 1 << 20;
/// What a limit of memory leaves to text, columns and answers, however small it is: the command's own share, which goes
/// beyond the limit as docs/using.md says.
const OWN: usize = 8 * MIB;
/// The part of a larger limit that these get.
const SHARE: usize = 8;
/// Items of a batch where memory is not limited.
const MOST_ROWS_ON_GPU: usize = 1 << 18;
const MOST_ROWS_ON_CPU: usize = 1 << 16;
/// Bytes of the first batch, and of any, where rows are long.
const FIRST_BYTES: usize = 16 * MIB;
const MOST_BYTES: usize = 256 * MIB;
/// A file is cut into this many batches or more, so that reading, computing and writing overlap.
const BATCHES: u64 = 16;
const LEAST_ROWS: usize = 1 << 14;
/// Bytes beside the columns of a batch where memory is not limited.
const MOST_NOTES: usize = 128 * MIB;
/// The least that the longest row may have, however small the limit is.
const LEAST_LINE: usize = MIB;
/// Bytes of a buffer of answers that is kept for the next ones, where memory is not limited.
const MOST_KEPT: usize = 4 * MIB;
/// Text and answers of a row, and notes on it, as most inputs have them.
const NOTES: usize = 64;
const ANSWER: usize = 64;

/// Sizes of what is in memory.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes that are read at once.
    pub piece: usize,
    /// Pieces that are read side by side.
    pub window: usize,
    /// Items of a unit.
    pub unit_rows: usize,
    /// Items of the first batch, and of any.
    pub first_rows: usize,
    pub most_rows: usize,
    /// Bytes of tags, keys and messages beside the columns with which a batch is full.
    pub notes: usize,
    /// Batches that are filled, computed and written at a time.
    pub batches: usize,
    /// Batches that are computed at a time.
    pub computing: usize,
    /// Bytes of the longest row.
    pub longest: usize,
    /// Bytes of rows longer than a piece that are between being read and being written. A row above this is alone.
    pub long_rows: usize,
    /// Bytes of a buffer that is kept to be used again.
    pub kept: usize,
}

/// Returns the engine's share of a limit.
pub fn of_engine(limit: usize) -> usize {
    limit - (budget(limit) - OWN)
}

/// Bytes of tables that are read at a time under a limit of memory, and rows of a batch.
#[cfg(feature = "arrow")]
pub fn of_tables(limit: usize) -> (usize, usize) {
    /// Bytes for a row: some batches are read, computed and written at a time, each with inputs, results and answers.
    const ROW: usize = 1536;
    let bytes = budget(limit);
    (bytes, bytes / ROW)
}

/// Returns the command's share of a limit: at most `OWN` more than what the engine is denied.
fn budget(limit: usize) -> usize {
    OWN.max(limit / SHARE)
}

impl Limits {
    /// Makes limits for results of this width and rows that take this many bytes in an arena.
    pub fn new(options: &StreamOptions, engine: &Engine, width: usize, row_bytes: usize, threads: usize) -> Self {
        let has_gpu = engine.info().backend == Backend::Gpu;
        let (batches, computing) = if has_gpu { (4, 2) } else { (3, 1) };
        let most_rows = if has_gpu { MOST_ROWS_ON_GPU } else { MOST_ROWS_ON_CPU };
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

    /// Smaller, so that all fits this many bytes: half of them for the rows, a quarter for text.
    fn within(self, bytes: usize, width: usize, row_bytes: usize) -> Self {
        // A window is read, one cut, one waits, and one is parsed.
        let window_bytes = bytes / 4 / 4;
        let piece = (window_bytes / 4).clamp(1 << 14, self.piece);
        let window = (window_bytes / piece).clamp(1, self.window);
        // Answers are made of one batch while those of another are written.
        let row = self.batches * (row_bytes + NOTES) + 2 * (ANSWER + 2 * width);
        let most_rows = (bytes / 2 / row).clamp(1 << 8, self.most_rows);
        let (unit_rows, first_rows) = (self.unit_rows.min(most_rows), self.first_rows.min(most_rows));
        let (notes, long_rows, kept) = (bytes / 8 / self.batches, bytes / 4, bytes / 8);
        Limits { piece, window, unit_rows, first_rows, most_rows, notes, long_rows, kept, ..self }
    }

    /// Adjusts the limits to a file of this many bytes, some of which took this many items.
    pub fn for_file(self, bytes: u64, some: u64, items: u64) -> Self {
        self.for_rows(bytes.saturating_mul(items) / some.max(1))
    }

    /// Adjusts the limits to a file of this many items.
    pub fn for_rows(self, items: u64) -> Self {
        let part = usize::try_from(items / BATCHES).unwrap_or(usize::MAX);
        let most_rows = self.most_rows.min(part.max(LEAST_ROWS));
        // Its rows are all there: nobody waits for the first, and one arena serves all batches.
        Limits { first_rows: most_rows, most_rows, ..self }
    }
}
