//! How much is in memory at a time.

const MIB: usize = 1 << 20;
/// The least that a limit of memory leaves, however small it is.
const LEAST: usize = 24 * MIB;

/// Sizes of what is in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Bytes of pieces that wait or are decoded, with what becomes of them.
    pub ahead: usize,
    /// Bytes that are decoded of a piece at a time.
    pub part: usize,
    /// Bytes with which a batch is full. Some batches are gathered, computed and put out at a time, and what becomes of
    /// them takes several times as much.
    pub batch: usize,
    /// Bytes of what can only be read as a whole, beside the limit of its format.
    pub whole: u64,
    /// Bytes of what is kept until the end, where all of it has to be there.
    pub kept: usize,
}

impl Limits {
    /// Where nothing is asked for this bounds what files that are made for it would take.
    pub fn new(max_memory: Option<usize>) -> Self {
        let Some(bytes) = max_memory.map(|bytes| bytes.max(LEAST)) else {
            return Limits { ahead: 2048 * MIB, part: 4 * MIB, batch: 256 * MIB, whole: u64::MAX, kept: 4096 * MIB };
        };
        Limits { ahead: bytes / 2, part: bytes / 32, batch: bytes / 32, whole: (bytes / 4) as u64, kept: bytes / 2 }
    }

    /// Bytes of what has to be read as a whole, and has a limit of its own.
    pub fn whole_of(&self, longest: u64) -> u64 {
        self.whole.min(longest)
    }
}
