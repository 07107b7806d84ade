//! Functions of SQL, whatever engine calls them: their names, arguments and results ([`FunctionKind`]), and what
//! computes them ([`Service`]). `gecc-datafusion` and `gecc-duckdb` hand them to their engines.

mod kind;
mod service;

pub use kind::{FunctionKind, Gives, Task};
pub use service::{Problem, Service};
