//! Tables that a device keeps: of the base point, and of keys that occur often.

mod base_point;
pub mod form;
mod key_cache;
pub mod key_tables;

pub use base_point::{BasePoint, PublicTable};
pub use key_cache::KeyCache;
