//! What holds for every operation: options, memory, sizes of batches, lengths of inputs.

pub mod cases;
pub mod column_lengths;
pub mod lengths;
pub mod options;
pub mod page_locked;
