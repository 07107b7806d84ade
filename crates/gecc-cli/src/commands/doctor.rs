//! `gecc doctor`: what this machine has for gecc, and what is missing.

use crate::ALL_PASSED;
use crate::output::Failure;
use gecc::{Backend, Engine, kernels};
use std::io::{self, Write};
use std::time::Instant;

/// One thing that was looked for.
struct Finding {
    what: &'static str,
    found: bool,
    detail: String,
}

pub fn run() -> Result<u8, Failure> {
    for check in [cores, cpu_features, engine, known_answers, nvidia_devices, gpu_engine, nvrtc, kernel_cache] {
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

/// Whether everything gives the answers that are known, which on a GPU takes a driver, kernels and memory.
fn known_answers() -> Finding {
    const WHAT: &str = "known answers";
    let started = Instant::now();
    match Engine::new().and_then(|engine| engine.self_test()) {
        Err(problem) => Finding { what: WHAT, found: false, detail: problem.to_string() },
        Ok(failures) if failures.is_empty() => {
            let detail = format!("every operation gives them, {:.1} s", started.elapsed().as_secs_f64());
            Finding { what: WHAT, found: true, detail }
        }
        Ok(failures) => {
            let detail = failures.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            Finding { what: WHAT, found: false, detail }
        }
    }
}

/// Devices that the kernel driver knows, by the folder that it keeps for each.
fn nvidia_devices() -> Finding {
    let devices = std::fs::read_dir("/proc/driver/nvidia/gpus").map_or(0, Iterator::count);
    let detail = match devices {
        0 => "none that the kernel driver shows".to_owned(),
        _ => devices.to_string(),
    };
    Finding { what: "NVIDIA GPUs", found: devices > 0, detail }
}

fn gpu_engine() -> Finding {
    let (found, detail) = match Engine::builder().backend(Backend::Gpu).build() {
        Ok(engine) => (true, engine.info().devices.join(", ")),
        Err(problem) => (false, format!("{problem}; without a GPU everything runs on the CPU")),
    };
    Finding { what: "GPU engine", found, detail }
}

fn nvrtc() -> Finding {
    let (found, detail) = match kernels::nvrtc_version() {
        Ok((major, minor)) => (true, format!("version {major}.{minor}")),
        Err(problem) => (
            false,
            format!(
                "{problem}. It compiles the kernels on first use: install the CUDA toolkit's NVRTC, or the PyPI package \
                 nvidia-cuda-nvrtc and name its folder in GECC_NVRTC_DIR, or run `gecc kernels build` elsewhere and name \
                 the folder in GECC_KERNEL_CACHE"
            ),
        ),
    };
    Finding { what: "NVRTC", found, detail }
}

fn kernel_cache() -> Finding {
    let Some(folder) = kernels::cache_folder() else {
        let detail = "no folder: set GECC_KERNEL_CACHE, or kernels are compiled anew in each process".to_owned();
        return Finding { what: "kernel cache", found: false, detail };
    };
    let files = std::fs::read_dir(&folder).map_or(0, Iterator::count);
    Finding { what: "kernel cache", found: true, detail: format!("{}, {files} files", folder.display()) }
}
