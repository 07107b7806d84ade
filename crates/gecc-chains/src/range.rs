//! Selection of blocks.

/// An inclusive range of block numbers or heights. Blocks that do not state theirs are in every
/// range.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blocks {
    /// The first block.
    pub from: Option<u64>,
    /// The last block.
    pub to: Option<u64>,
}

impl Blocks {
    pub(crate) fn wants(&self, block: Option<u64>) -> bool {
        block.is_none_or(|block| self.from.is_none_or(|from| from <= block) && self.to.is_none_or(|to| block <= to))
    }
}
