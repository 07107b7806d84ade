//! What crafted batches cost: `cargo bench --bench crafted`.
//!
//! Who sends the items of a batch may choose them so that additions meet equal or opposite points, keys repeat just often enough for
//! a table, every item is rejected, or a group that is verified together has one that is invalid. For each operation this compares
//! the rates of such batches with that of an honest one, in the same run, and exits with 1 where a crafted batch has less than
//! `compare::FLOOR` of the honest rate. Results are compared with those of the portable CPU engine.
//!
//! Arguments choose comparisons whose name contains one of them, such as `recover` or `P-256`, or `together` for groups. These have such
//! large batches on a GPU that the portable engine takes minutes for their results.

mod bip340;
mod candidates;
mod compare;
mod equations;
mod modular;
mod points;
mod recoverable;
mod secrets;
mod signatures;
#[path = "../../tests/suite/support/mod.rs"]
#[allow(dead_code, reason = "the suite needs more of it")]
mod support;

use candidates::compare as compare_candidates;
use compare::Bench;
use equations::compare as compare_equations;
use gecc::{Backend, Engine, EngineBuilder, Error};
use points::compare as compare_points;
use secrets::compare as compare_secrets;
use signatures::{compare as compare_signatures, compare_recovery};
use std::process::ExitCode;
use support::each::{each_curve, each_ecdsa_curve, each_scheme};
use support::scheme::{Ecdsa, Sm2Dsa};

/// An engine under test, and one like it without batch equations.
fn engines_of(builder: EngineBuilder) -> Result<[Engine; 2], Error> {
    Ok([builder.clone().batch_equations(true).build()?, builder.build()?])
}

/// The engines under test by name, with the items of their batches, and of those that are computed together.
fn engines() -> Vec<(&'static str, [Engine; 2], [usize; 2])> {
    const CPU_ITEMS: [usize; 2] = [1 << 12; 2];
    // Chunks that are computed together have 2^17 items or more, and those that fail at most a quarter of a batch.
    const GPU_ITEMS: [usize; 2] = [1 << 18, 1 << 22];
    let cpu = || Engine::builder().backend(Backend::Cpu).threads(1);
    let mut engines = vec![
        ("CPU", engines_of(cpu()).expect("one thread"), CPU_ITEMS),
        ("CPU (portable)", engines_of(cpu().portable(true)).expect("one thread"), CPU_ITEMS),
    ];
    match engines_of(Engine::builder().backend(Backend::Gpu)) {
        Ok(gpu) => engines.push(("GPU", gpu, GPU_ITEMS)),
        Err(problem) => println!("without a GPU: {problem}"),
    }
    engines
}

fn main() -> ExitCode {
    // Cargo passes `--bench`.
    let chosen: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let mut slow = Vec::new();
    for (name, [engine, alone], items) in engines() {
        let mut bench = Bench::new(name, engine, items, &chosen);
        each_curve!(compare_points(&mut bench));
        each_scheme!(compare_signatures(&mut bench));
        each_ecdsa_curve!(compare_recovery(&mut bench));
        each_ecdsa_curve!(compare_equations(&mut bench));
        each_ecdsa_curve!(compare_candidates(&mut bench));
        bip340::compare(&mut bench, &alone);
        secrets::compare_signing(&mut bench);
        each_curve!(compare_secrets(&mut bench));
        modular::compare(&mut bench);
        slow.extend(bench.into_slow());
    }
    for line in &slow {
        println!("too slow: {line}");
    }
    if slow.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
