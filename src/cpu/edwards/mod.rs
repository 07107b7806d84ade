//! Twisted Edwards curves: what differs from short Weierstrass curves, from the field to products of points.

pub mod curves;
pub mod decode;
pub mod field;
pub mod multiply;
pub mod point;
pub mod scalar;
pub mod tables;
