//! Limits on memory in use.

const MIB: usize = 1 << 20;
/// The least that a limit of memory leaves, however small it is.
const LEAST: usize = 24 * MIB;
/// Files that are read side by side, at most.
const MOST_READERS: usize = 8;
/// The maximum read ahead by one of several concurrent files: more than any single value takes.
const READER: usize = 2048 * MIB;

/// Sizes of what is in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Bytes of pieces of a file that wait or are decoded, with what becomes of them.
    pub ahead: usize,
    /// Bytes that are decoded of a piece at a time.
    pub part: usize,
    /// Bytes with which a batch is full. Some batches are gathered, computed and put out at a time, and what becomes of
    /// them takes several times as much.
    pub batch: usize,
    /// Batches that are computed at a time, and that wait to be put out.
    pub batches: (usize, usize),
    /// Bytes of what can only be read as a whole, beside the limit of its format.
    pub whole: u64,
    /// Bytes of what is kept until the end, where all of it has to be there.
    pub kept: usize,
    /// Files that are read side by side.
    pub readers: usize,
    /// Threads that take a file apart which has to be read by several.
    #[cfg_attr(not(feature = "arrow"), expect(dead_code, reason = "tables alone are read by several threads"))]
    pub threads: usize,
}

impl Limits {
    /// Makes the limits. Without a requested limit, this bounds what adversarial files could take.
    pub fn new(max_memory: Option<usize>) -> Self {
        let Some(bytes) = max_memory.map(|bytes| bytes.max(LEAST)) else {
            return Limits {
                ahead: 4096 * MIB,
                part: 8 * MIB,
                batch: 256 * MIB,
                batches: (6, 4),
                whole: u64::MAX,
                kept: 4096 * MIB,
                readers: MOST_READERS,
                threads: 1,
            };
        };
        Limits {
            ahead: bytes / 2,
            part: bytes / 32,
            batch: bytes / 32,
            batches: (2, 1),
            whole: (bytes / 4) as u64,
            kept: bytes / 2,
            readers: (bytes / 2 / READER).clamp(1, MOST_READERS),
            threads: 1,
        }
    }

    /// Divides the limits among this many files and threads: each file that is read concurrently
    /// gets a share.
    pub fn shared(self, files: usize, threads: usize) -> Self {
        let readers = self.readers.min(threads).min(files).max(1);
        Limits { readers, ahead: self.ahead / readers, threads: (threads / readers).max(1), ..self }
    }

    /// Bytes of what has to be read as a whole, and has a limit of its own.
    pub fn whole_of(&self, longest: u64) -> u64 {
        self.whole.min(longest)
    }
}
