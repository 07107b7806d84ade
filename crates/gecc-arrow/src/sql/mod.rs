//! Functions of SQL, whatever engine calls them: their names, arguments and results ([`Kind`]), and what computes them
//! ([`Service`]). `gecc-datafusion` and `gecc-duckdb` hand them to their engines.

mod kind;
mod service;

pub use kind::{Gives, Kind, Task};
pub use service::{Problem, Service};
