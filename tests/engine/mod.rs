//! What holds for every operation: options, memory, sizes of batches, lengths of inputs.

pub mod batch_sizes;
pub mod columns;
pub mod lengths;
pub mod options;
pub mod page_locked;
