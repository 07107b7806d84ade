//! Tables that a device keeps: multiples of the base point, and of frequent keys.

mod base_point;
pub mod form;
mod key_cache;
pub mod key_tables;

pub use base_point::{BasePoint, PublicTable};
pub use key_cache::KeyCache;
