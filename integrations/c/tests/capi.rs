//! The C interface, through the functions that it exports.

#[path = "../src/lib.rs"]
#[allow(
    dead_code,
    reason = "tests call functions by their C signatures and use what they need"
)]
mod capi;
#[path = "../../../tests/harness/mod.rs"]
mod harness;
#[path = "../../../tests/harness/random.rs"]
mod random;
#[path = "../../../tests/cases/mod.rs"]
mod shared_cases;
#[path = "capi/mod.rs"]
#[allow(
    clippy::undocumented_unsafe_blocks,
    reason = "pointers are of vectors and arrays with a row for each item"
)]
mod suite;

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::run(suite::tests())
}
