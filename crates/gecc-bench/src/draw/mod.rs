//! Drawings as SVG.

pub mod bars;
pub mod plot;
