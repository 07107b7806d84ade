//! The job shared by commands that answer item by item. The `arena` holds the columns of a `batch`,
//! on which a [`CommandOperation`](crate::operation::CommandOperation) is run. `run` opens the
//! inputs, `state` holds what all parts share, and `stages` run concurrently. `text` fills arenas
//! through the `filler` and the `parser`. `lines` formats results as JSON Lines and CSV, `columns` as
//! Parquet and Arrow, and `tally` counts them. Input in Parquet or Arrow goes through `tables`,
//! whose columns are read by another crate.

mod arena;
mod batch;
#[cfg(feature = "arrow")]
pub mod columns;
mod filler;
mod limits;
mod lines;
mod pages;
mod parser;
#[cfg(all(test, target_os = "linux"))]
mod rates;
mod run;
mod stages;
mod state;
#[cfg(feature = "arrow")]
mod tables;
#[cfg(not(feature = "arrow"))]
#[path = "no_tables.rs"]
mod tables;
mod tally;
mod text;

pub use run::run;
#[cfg(feature = "chains")]
pub use state::{JobEnd, loaded_from, pool, warn_of_failures};
