//! The job shared by commands that answer item by item. The `arena` holds the columns of a batch;
//! `compute` runs an [`Operation`](crate::operation::Operation) on it. `run` opens the inputs,
//! `running` is the state shared by all parts, and `steps` are the concurrent stages. `text` and
//! `rows` fill arenas: text through the `filler`, which `parse`s lines, and rows without
//! conversion. `write` formats results as lines, `columns` as Parquet and Arrow. Input in Parquet
//! or Arrow goes through `tables`, whose columns are read by another crate.

mod arena;
#[cfg(feature = "arrow")]
pub mod columns;
mod compute;
mod filler;
mod limits;
mod pages;
mod parse;
#[cfg(all(test, target_os = "linux"))]
mod rates;
mod report;
mod rows;
mod run;
mod running;
mod steps;
#[cfg(feature = "arrow")]
mod tables;
#[cfg(not(feature = "arrow"))]
#[path = "no_tables.rs"]
mod tables;
mod text;
mod write;

pub use run::run;
#[cfg(feature = "chains")]
pub use running::{End, loaded_from, pool, warn_of_failures};
