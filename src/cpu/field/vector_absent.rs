//! Replaces `vector` on processors without its instructions.

/// There is none.
#[derive(Clone, Copy, Debug)]
pub enum Lanes {}

impl Lanes {
    pub fn detect() -> Option<Self> {
        None
    }
}

/// Lanes ask nothing of a field.
pub trait Prime {}

impl<F> Prime for F {}
