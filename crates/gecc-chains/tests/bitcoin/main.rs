//! Inputs of real blocks, of blocks made here, and of files that are damaged, on every engine.

#[path = "../../../../tests/harness/mod.rs"]
mod harness;

#[path = "../../../../tests/harness/random.rs"]
mod random;

#[path = "../support/mod.rs"]
mod support;

mod damaged;
mod made;
mod real;

use gecc_chains::Settings;
use harness::{Named, named};
use std::process::ExitCode;
use support::on_every_engine;

fn main() -> ExitCode {
    let tests: [Named<fn(&Settings)>; _] = named![
        real::block_300025,
        real::block_of_testnet,
        real::block_866342,
        real::folder_of_bitcoin_core,
        made::inputs_of_every_template,
        made::spoiled_inputs,
        made::rules_by_height,
        damaged::witnesses_with_changed_bytes,
        damaged::spent_outputs_with_changed_bytes,
        damaged::files_cut_anywhere,
        damaged::files_with_changed_bytes,
        damaged::blocks_of_another_network,
        damaged::missing_files,
    ];
    harness::run(on_every_engine(tests))
}
