//! The C interface, through the functions that it exports.

#[path = "capi/mod.rs"]
mod suite;
#[path = "../src/lib.rs"]
#[allow(dead_code, reason = "tests call functions by their C signatures and use what they need")]
mod capi;
#[path = "../../../tests/harness/mod.rs"]
mod harness;
#[path = "../../../tests/harness/random.rs"]
mod random;

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::run(suite::tests())
}
