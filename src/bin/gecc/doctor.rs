//! `gecc doctor`: what this machine has for gecc, and what is missing.

use crate::ALL_PASSED;
use crate::output::Failure;
use gecc::Engine;
use std::io::{self, Write};

/// One thing that was looked for.
struct Finding {
    what: &'static str,
    found: bool,
    detail: String,
}

pub fn run() -> Result<u8, Failure> {
    for check in [cores, cpu_features, engine, nvidia_devices, cuda_driver, nvrtc] {
        let Finding { what, found, detail } = check();
        writeln!(io::stdout(), "{} {what}: {detail}", if found { "[ok]" } else { "[--]" })?;
    }
    Ok(ALL_PASSED)
}

fn cores() -> Finding {
    let detail = match std::thread::available_parallelism() {
        Ok(cores) => cores.to_string(),
        Err(problem) => format!("unknown ({problem}); set --threads"),
    };
    Finding { what: "cores", found: true, detail }
}

#[cfg(target_arch = "x86_64")]
fn cpu_features() -> Finding {
    let features = [
        ("bmi2", is_x86_feature_detected!("bmi2")),
        ("adx", is_x86_feature_detected!("adx")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("avx512ifma", is_x86_feature_detected!("avx512ifma")),
    ];
    let detail = features.map(|(name, found)| format!("{name} {}", if found { "yes" } else { "no" })).join(", ");
    Finding { what: "processor features", found: true, detail }
}

#[cfg(not(target_arch = "x86_64"))]
fn cpu_features() -> Finding {
    let detail = format!("{}: the portable code is used", std::env::consts::ARCH);
    Finding { what: "processor features", found: true, detail }
}

fn engine() -> Finding {
    match Engine::new() {
        Ok(engine) => Finding { what: "engine", found: true, detail: engine.to_string() },
        Err(problem) => Finding { what: "engine", found: false, detail: problem.to_string() },
    }
}

/// Devices that the kernel driver knows, by the folder that it keeps for each.
fn nvidia_devices() -> Finding {
    let devices = std::fs::read_dir("/proc/driver/nvidia/gpus").map_or(0, Iterator::count);
    let detail = match devices {
        0 => "none; needed only for the GPU engine, which this version does not have".to_owned(),
        _ => format!("{devices}, not used: this version has no GPU engine"),
    };
    Finding { what: "NVIDIA GPUs", found: devices > 0, detail }
}

fn cuda_driver() -> Finding {
    library("CUDA driver", &["libcuda.so.1", "libcuda.so"], "install the NVIDIA driver")
}

fn nvrtc() -> Finding {
    let names = ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"];
    library("NVRTC", &names, "install the CUDA toolkit's NVRTC, such as the PyPI package nvidia-cuda-nvrtc")
}

/// Looks for a shared library where the loader would find it.
fn library(what: &'static str, names: &[&str], missing: &str) -> Finding {
    // SAFETY: NVIDIA's libraries have no initialisation code with preconditions, and nothing is called in them.
    let loads = |name: &&&str| unsafe { libloading::Library::new(**name) }.is_ok();
    match names.iter().find(loads) {
        Some(name) => Finding { what, found: true, detail: format!("{name}, not used by this version") },
        None => Finding { what, found: false, detail: format!("not found; for the GPU engine to come: {missing}") },
    }
}
