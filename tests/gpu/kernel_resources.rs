//! Every kernel compiles for every curve and for three generations of GPUs, within limits of
//! registers and spills.
//!
//! Needs NVRTC but no GPU.

#[path = "../harness/mod.rs"]
mod harness;
#[path = "../harness/nvrtc.rs"]
mod nvrtc;

use gecc::kernels::{self, KernelUsage};
use harness::{named, tests};
use nvrtc::NVRTC;
use std::process::ExitCode;

/// The folder of compiled kernels, shared with `constant_time`.
const KEPT: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/kernels");

/// Ampere, Hopper and Blackwell.
const ARCHITECTURES: &[&str] = &["sm_80", "sm_90", "sm_120"];

/// Registers of a thread with which two blocks of 256 fit a multiprocessor.
const REGISTERS: u32 = 128;

/// Kernels that may take more: they run in blocks of 128.
const MORE_REGISTERS: &[(&str, u32)] = &[
    ("gecc_fpmul", 168),
    ("gecc_msm_", 255),
    ("gecc_batch_verify_compare", 168),
    ("gecc_modexp", 255),
    ("gecc_mul_mod", 255),
    ("gecc_square_mod", 255),
];

/// Bytes that a thread of these kernels may spill (stores, by the assembler's report); any other
/// may spill nothing. All are spills outside the inner loops, or arrays that are indexed at run
/// time.
const SPILLS: &[(&str, u32)] = &[
    ("gecc_upmul", 192),
    ("gecc_normalize", 24),
    ("gecc_key_table_start", 16),
    ("gecc_key_table_rows", 16),
    ("gecc_ecdsa_sign", 8),
    ("gecc_fpmul_var", 40),
    ("gecc_fpmul_uniform", 32),
    ("gecc_recover_equations", 16),
    ("gecc_verify", 260),
    ("gecc_multiply_add", 260),
    ("gecc_verify_with_tables", 40),
    ("gecc_bip340_verify", 260),
    ("gecc_ed25519_verify", 264),
    ("gecc_ed25519_verify_with_tables", 40),
    ("gecc_ed25519_batch_verify_items", 48),
    ("gecc_ed25519_multiply", 8),
    ("gecc_edwards_multiply", 32),
    ("gecc_ristretto255_encode", 96),
    ("gecc_ristretto255_map", 96),
    ("gecc_sm3_za", 16),
    ("gecc_msm_windows", 64),
    ("gecc_msm_segments", 8),
    ("xyzz_add_var", 32),
    ("gecc_hash_to_curve", 260),
    ("gecc_encode_to_curve", 64),
    ("map_to_curve", 24),
    ("gecc_modexp", 600),
];

fn main() -> ExitCode {
    harness::run(tests(Some(&NVRTC), named![kernels_compile_within_limits]))
}

fn kernels_compile_within_limits() {
    let mut excesses = Vec::new();
    for architecture in ARCHITECTURES {
        let usage = kernels::usage(architecture, KEPT.as_ref())
            .unwrap_or_else(|problem| panic!("{architecture}: {problem}"));
        let kernels = usage.iter().filter(|usage| usage.registers > 0).count();
        assert!(
            kernels > 100,
            "{architecture}: only {kernels} kernels reported"
        );
        println!("{architecture}: {kernels} kernels");
        excesses.extend(
            usage
                .iter()
                .filter_map(excess)
                .map(|excess| format!("{architecture}: {excess}")),
        );
    }
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
    let within = *spill_stores <= limit_of(kernel, SPILLS, 0)
        && *registers <= limit_of(kernel, MORE_REGISTERS, REGISTERS);
    (!within)
        .then(|| format!("{kernel} for {curve}: {registers} registers, {spill_stores} + {spill_loads} bytes spilled"))
}

/// The largest limit of a kernel in a list, or the default.
fn limit_of(kernel: &str, limits: &[(&str, u32)], default: u32) -> u32 {
    limits
        .iter()
        .filter(|(name, _)| kernel.contains(name))
        .map(|(_, most)| *most)
        .max()
        .unwrap_or(default)
}
