//! Published test vectors of other projects, through the library, the keys' crate, the chains' crate
//! and the command. docs/conformance.md has the results as tables, which are compared here with the
//! counts of this run: a table that is not current fails.
//!
//! `GECC_CONFORMANCE_WRITE=1` writes the tables instead. The vectors are in
//! `tests/vectors/conformance`, with their origin.

mod acvp;
mod bip;
mod bitcoin;
mod cctv;
mod command;
mod cryptography;
mod ethereum;
#[path = "../../../../tests/harness/mod.rs"]
mod harness;
mod hashes;
mod report;
mod script;
mod signatures;
mod vectors;
mod wycheproof;

use gecc::{Backend, Engine};
use harness::Test;
use report::Row;
use std::process::ExitCode;
use std::sync::LazyLock;

/// The engine of all calls of the library.
static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    Engine::builder()
        .backend(Backend::Cpu)
        .build()
        .expect("threads can be started")
});

/// A source of vectors, by the name of its table in docs/conformance.md.
type Source = (&'static str, fn() -> Vec<Row>);

const SOURCES: [Source; 8] = [
    ("wycheproof", wycheproof::rows),
    ("acvp", acvp::rows),
    ("cryptography", cryptography::rows),
    ("cctv", cctv::rows),
    ("bip", bip::rows),
    ("bitcoin", bitcoin::rows),
    ("taproot", bitcoin::taproot_rows),
    ("ethereum", ethereum::rows),
];

fn main() -> ExitCode {
    let tests: Vec<Test> = SOURCES
        .into_iter()
        .map(|(name, rows)| harness::test(name, None, move || report::check(name, &rows())))
        .collect();
    harness::run(tests)
}
