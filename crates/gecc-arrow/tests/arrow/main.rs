//! Tests of the crate as its users see it: against the calls of the library, on real files, and on
//! files made to harm.

mod cases;
mod columns;
mod counts;
mod files;
mod headers;
mod hostile;
mod imported;
mod items;
mod live;
mod operations;
#[path = "../../../../tests/cases/mod.rs"]
mod shared_cases;
mod signature_forms;
mod synthetic;
mod transforms;
mod x25519;
