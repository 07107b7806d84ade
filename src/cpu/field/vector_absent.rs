//! The replacement of `vector` for processors without its instructions.

/// A type without values.
#[derive(Clone, Copy, Debug)]
pub enum Lanes {}

impl Lanes {
    pub fn detect() -> Option<Self> {
        None
    }
}

/// A trait without requirements: there is no vector code for a field to support.
pub trait Prime {}

impl<F> Prime for F {}
