//! Limits on memory in use.

const MIB: usize = 1 << 20;
/// The minimum memory limit. Smaller limits are raised to it.
const LEAST: usize = 24 * MIB;
/// Maximum number of files read concurrently.
const MOST_READERS: usize = 8;
/// The maximum read ahead by one of several concurrent files: more than any single value takes.
const READER: usize = 2048 * MIB;

/// Sizes of the data held in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Bytes of pieces of a file that wait or are being decoded, including their decoded form.
    pub ahead: usize,
    /// Bytes of a piece that are decoded at a time.
    pub part: usize,
    /// Bytes at which a batch is full. Several batches are gathered, computed and output at a time,
    /// and their results take several times as much.
    pub batch: usize,
    /// The number of batches computed concurrently, and of those that wait for output.
    pub batches: (usize, usize),
    /// Maximum size of values that can only be read as a whole, in addition to the limit of their
    /// format.
    pub whole: u64,
    /// Maximum size of data that has to be kept until the end.
    pub kept: usize,
    /// The number of files read concurrently.
    pub readers: usize,
    /// Threads that parse one file together, where its format requires several.
    #[cfg_attr(
        not(feature = "arrow"),
        expect(dead_code, reason = "tables alone are read by several threads")
    )]
    pub threads: usize,
}

impl Limits {
    /// Creates the limits. Without a requested limit, they bound the memory that adversarial files
    /// can take.
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

    /// Divides the limits among `files` files and `threads` threads: each file that is read
    /// concurrently gets a share.
    pub fn shared(self, files: usize, threads: usize) -> Self {
        let readers = self.readers.min(threads).min(files).max(1);
        Limits {
            readers,
            ahead: self.ahead / readers,
            threads: (threads / readers).max(1),
            ..self
        }
    }

    /// Returns the limit in bytes for values that have to be read as a whole, and that also have a
    /// limit of their own.
    pub fn whole_of(&self, longest: u64) -> u64 {
        self.whole.min(longest)
    }
}
