//! From files and pipes to items: `lines` and `rows`, made into `records` of `fields`, which a `queue` hands over.

pub mod fields;
pub mod keyfile;
pub mod lines;
pub mod queue;
pub mod records;
pub mod rows;
