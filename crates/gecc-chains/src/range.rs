//! Selection of blocks.

/// Numbers or heights of blocks, with both ends. Blocks that do not say theirs are in every range.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blocks {
    /// The first.
    pub from: Option<u64>,
    /// The last.
    pub to: Option<u64>,
}

impl Blocks {
    pub(crate) fn wants(&self, block: Option<u64>) -> bool {
        block.is_none_or(|block| self.from.is_none_or(|from| from <= block) && self.to.is_none_or(|to| block <= to))
    }
}
