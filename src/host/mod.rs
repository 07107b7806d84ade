//! The process that the engine lives in: threads, forks, stacks.

pub mod fork;
pub mod once;
pub mod stack;
pub mod workers;
