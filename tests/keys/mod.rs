//! Keys: pairs, encodings, tweaks.

pub mod encodings;
pub mod isolation;
pub mod pairs;
pub mod tweaks;
