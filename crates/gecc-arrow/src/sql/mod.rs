//! SQL functions, independent of the SQL engine: their names, arguments and results
//! ([`FunctionKind`]), and the service that computes them ([`Service`]). `gecc-datafusion` and
//! `gecc-duckdb` register them with their engines.

mod kind;
mod service;

pub use kind::{FunctionKind, ResultKind, Task};
pub use service::{Service, ServiceError};
