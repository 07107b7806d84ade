//! The process that the engine lives in: threads, forks, stacks, pages of memory.

pub mod fork;
pub mod notes;
pub mod once;
pub mod pages;
pub mod stack;
pub mod workers;
