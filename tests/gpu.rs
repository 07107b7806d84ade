//! The suite on the GPUs.

mod harness;
mod suite;

use gecc::{Backend, Engine};
use harness::needs::GPU;
use std::process::ExitCode;
use std::sync::LazyLock;

/// All GPUs.
static ENGINE: LazyLock<Engine> =
    LazyLock::new(|| Engine::builder().backend(Backend::Gpu).build().expect("the GPUs can be used"));

fn main() -> ExitCode {
    let on_gpus = suite::tests().map(|(name, run)| harness::test(name, Some(&GPU), move || run(&ENGINE)));
    harness::run(on_gpus.collect())
}
