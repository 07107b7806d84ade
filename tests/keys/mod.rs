//! Keys: pairs, encodings, tweaks.

pub mod batch_sizes;
pub mod columns;
pub mod encodings;
pub mod isolation;
pub mod nist;
pub mod pairs;
pub mod tweaks;
