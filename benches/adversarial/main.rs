//! The cost of adversarial batches: `cargo bench -p gecc-bench --bench adversarial`.
//!
//! The sender of a batch may choose its items so that additions meet equal or opposite points, keys
//! repeat just often enough for a table, every item is rejected, or a group that is verified
//! together contains one invalid item. For each operation this compares the rates of such batches
//! with that of a baseline one, in the same run, and exits with 1 if an adversarial batch has less
//! than `compare::FLOOR` of the baseline rate. Results are compared with those of a CPU engine on
//! all cores: the portable one, or for a GPU, whose batches are large, the fastest there is.
//!
//! Arguments choose comparisons whose name contains one of them, such as `recover` or `P-256`, or
//! `together` for groups.

mod bip340;
mod candidates;
mod compare;
mod ed25519;
mod equations;
mod modular;
mod points;
mod recoverable;
mod secrets;
mod signatures;
#[path = "../../tests/support/mod.rs"]
#[allow(dead_code, reason = "the suite needs more of it")]
mod support;

use candidates::compare as compare_candidates;
use compare::Bench;
use equations::compare as compare_equations;
use gecc::{Backend, Engine};
use points::compare as compare_points;
use secrets::compare as compare_secrets;
use signatures::{compare as compare_signatures, compare_recovery};
use std::process::ExitCode;
use support::each::{each_curve, each_ecdsa_curve, each_scheme};
use support::scheme::{Ecdsa, Sm2Dsa};

/// The comparisons on each engine.
fn benches(chosen: &[String]) -> Vec<Bench<'_>> {
    const CPU_ITEMS: [usize; 2] = [1 << 12; 2];
    // Chunks that are computed together have 2^17 items or more, and those that fail at most a
    // quarter of a batch.
    const GPU_ITEMS: [usize; 2] = [1 << 18, 1 << 22];
    let cpu = Engine::builder().backend(Backend::Cpu);
    let one_thread = cpu.clone().threads(1);
    let portable = cpu.clone().portable(true);
    let on_cpu = [
        ("CPU", one_thread.clone()),
        ("CPU (portable)", one_thread.portable(true)),
    ];
    let mut benches: Vec<Bench> = on_cpu
        .into_iter()
        .map(|(name, engine)| {
            Bench::new(name, engine, portable.clone(), CPU_ITEMS, chosen)
                .expect("threads can be started")
        })
        .collect();
    match Bench::new(
        "GPU",
        Engine::builder().backend(Backend::Gpu),
        cpu,
        GPU_ITEMS,
        chosen,
    ) {
        Ok(bench) => benches.push(bench),
        Err(problem) => println!("without a GPU: {problem}"),
    }
    benches
}

fn main() -> ExitCode {
    // Cargo passes `--bench`.
    let chosen: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let mut slow = Vec::new();
    for mut bench in benches(&chosen) {
        each_curve!(compare_points(&mut bench));
        each_scheme!(compare_signatures(&mut bench));
        each_ecdsa_curve!(compare_recovery(&mut bench));
        each_ecdsa_curve!(compare_equations(&mut bench));
        each_ecdsa_curve!(compare_candidates(&mut bench));
        bip340::compare(&mut bench);
        ed25519::compare(&mut bench);
        secrets::compare_signing(&mut bench);
        each_curve!(compare_secrets(&mut bench));
        modular::compare(&mut bench);
        slow.extend(bench.into_slow());
    }
    for line in &slow {
        println!("too slow: {line}");
    }
    if slow.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
