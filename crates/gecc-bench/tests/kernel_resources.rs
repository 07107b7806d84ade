//! The kernels of `cuda/lab/` compile for every curve, within limits of registers and spills.

#[path = "../../../tests/harness/mod.rs"]
mod harness;
#[path = "../../../tests/harness/nvrtc.rs"]
mod nvrtc;

use gecc::kernels::KernelUsage;
use gecc::lab::compile;
use gecc_bench::kernels::sources;
use harness::{named, tests};
use nvrtc::NVRTC;
use rayon::prelude::*;
use std::process::ExitCode;

/// The only architecture for which these measurements are published.
const ARCHITECTURE: &str = "sm_90";

/// Registers and bytes of spills (stores, by the assembler's report) of a thread, for kernels whose
/// names begin so. With 128 registers two blocks of 256 fit a multiprocessor; chains and methods
/// are measured as they are.
const LIMITS: [(&str, [u32; 2]); 7] = [
    ("gecc_chain_field_inv", [168, 16]),
    ("gecc_chain_point_add", [168, 32]),
    ("gecc_chain_", [168, 0]),
    ("gecc_method_doubles_512", [255, 100]),
    ("gecc_method_", [255, 0]),
    ("gecc_ablation_fpmul_affine", [128, 64]),
    ("", [128, 0]),
];

fn main() -> ExitCode {
    harness::run(tests(Some(&NVRTC), named![kernels_compile_within_limits]))
}

fn kernels_compile_within_limits() {
    let each = sources::all().into_par_iter().map(|text| {
        let (_, usage) = compile(&text, ARCHITECTURE).unwrap_or_else(|problem| panic!("{problem}"));
        usage
            .into_iter()
            .filter(|usage| usage.registers > 0)
            .collect()
    });
    let kernels: Vec<KernelUsage> = each.collect::<Vec<Vec<_>>>().concat();
    assert!(
        kernels.len() > 100,
        "only {} kernels reported",
        kernels.len()
    );
    let excesses: Vec<String> = kernels.iter().filter_map(excess).collect();
    assert!(excesses.is_empty(), "{}", excesses.join("\n"));
}

/// Returns how far a kernel exceeds its limits.
fn excess(usage: &KernelUsage) -> Option<String> {
    let KernelUsage {
        kernel,
        curve,
        registers,
        spill_stores,
        spill_loads,
        ..
    } = usage;
    let (_, [most, spills]) = LIMITS
        .iter()
        .find(|(name, _)| kernel.starts_with(name))
        .expect("the last is for all");
    let within = registers <= most && spill_stores <= spills;
    (!within)
        .then(|| format!("{kernel} for {curve}: {registers} registers, {spill_stores} + {spill_loads} bytes spilled"))
}
