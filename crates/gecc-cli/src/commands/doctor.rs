//! `gecc doctor`: what this machine has for gecc, and what is missing.

use crate::ALL_PASSED;
use crate::installed;
use crate::output::Failure;
use gecc::{Backend, Engine, Error, KernelOrigin, LoadedKernels, kernels};
use std::io::{self, Write};
use std::time::Instant;

/// One thing that was looked for.
struct Finding {
    what: &'static str,
    found: bool,
    detail: String,
}

/// With `list` every kernel that is loaded is listed.
pub fn run(list: bool) -> Result<u8, Failure> {
    [cores(), cpu_features()].into_iter().try_for_each(tell)?;
    // Starting it takes a while where there is a GPU: once, for all that is said of it.
    let engine = installed::engine().build();
    tell(engine_found(&engine))?;
    tell(known_answers(&engine))?;
    let loaded = engine.as_ref().map(Engine::loaded_kernels).unwrap_or_default();
    tell(nvidia_devices())?;
    tell(gpu_engine())?;
    tell(kernels_loaded(&loaded))?;
    if list {
        loaded.iter().try_for_each(tell_kernel)?;
    }
    [kernel_packs(), nvrtc(), kernel_cache()].into_iter().try_for_each(tell)?;
    Ok(ALL_PASSED)
}

fn tell(finding: Finding) -> io::Result<()> {
    let Finding { what, found, detail } = finding;
    writeln!(io::stdout(), "{} {what}: {detail}", if found { "[ok]" } else { "[--]" })
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

fn engine_found(engine: &Result<Engine, Error>) -> Finding {
    match engine {
        Ok(engine) => Finding { what: "engine", found: true, detail: engine.to_string() },
        Err(problem) => Finding { what: "engine", found: false, detail: problem.to_string() },
    }
}

/// Whether everything gives the answers that are known, which on a GPU takes a driver, kernels and memory.
fn known_answers(engine: &Result<Engine, Error>) -> Finding {
    const WHAT: &str = "known answers";
    let started = Instant::now();
    let tested = engine.as_ref().map_err(ToString::to_string);
    match tested.and_then(|engine| engine.self_test().map_err(|problem| problem.to_string())) {
        Err(problem) => Finding { what: WHAT, found: false, detail: problem },
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
    let (found, detail) = match installed::engine().backend(Backend::Gpu).build() {
        Ok(engine) => (true, engine.info().devices.join(", ")),
        Err(problem) => (false, format!("{problem}; without a GPU everything runs on the CPU")),
    };
    Finding { what: "GPU engine", found, detail }
}

/// Where the kernels came from that the known answers were computed with.
fn kernels_loaded(loaded: &[LoadedKernels]) -> Finding {
    let from = |origin| loaded.iter().filter(|kernels| kernels.origin == origin).count();
    let (packed, cached) = (from(KernelOrigin::Pack), from(KernelOrigin::Cache));
    let compiled = loaded.len() - packed - cached;
    let detail = match loaded {
        [] => "none are loaded".to_owned(),
        _ => format!("{packed} files from packs, {cached} from the cache, {compiled} compiled just now"),
    };
    Finding { what: "kernels", found: !loaded.is_empty(), detail }
}

fn tell_kernel(kernels: &LoadedKernels) -> io::Result<()> {
    let LoadedKernels { device, file, curve, origin, architecture, seconds, load_seconds, .. } = kernels;
    let [got, loaded] = [seconds, load_seconds].map(|seconds| seconds * 1e3);
    writeln!(
        io::stdout(),
        "     {device}: {file} for {curve}: {origin}, {architecture}, got in {got:.1} ms, loaded in {loaded:.1} ms"
    )
}

/// What came with gecc, or lies where the environment says.
fn kernel_packs() -> Finding {
    const WHAT: &str = "kernel packs";
    let Some(folder) = installed::packs() else {
        let detail = "none beside this program, and GECC_KERNELS names no folder".to_owned();
        return Finding { what: WHAT, found: false, detail };
    };
    let packs: Vec<_> = kernels::packs_in(&folder).iter().map(|path| kernels::check_pack(path)).collect();
    let problems: Vec<String> = packs.iter().filter_map(|pack| Some(pack.as_ref().err()?.to_string())).collect();
    let whole: Vec<&str> = packs.iter().flatten().map(|pack| &*pack.architecture).collect();
    let detail = match whole[..] {
        [] => format!("{}, none that can be used", folder.display()),
        _ => format!("{}, {}", folder.display(), whole.join(", ")),
    };
    let found = problems.is_empty() && !whole.is_empty();
    Finding { what: WHAT, found, detail: [vec![detail], problems].concat().join("; ") }
}

fn nvrtc() -> Finding {
    let (found, detail) = match kernels::nvrtc_version() {
        Ok((major, minor)) => (true, format!("version {major}.{minor}")),
        Err(problem) => (
            false,
            format!(
                "{problem}. It compiles the kernels on first use: install the CUDA toolkit's NVRTC, or the PyPI package \
                 nvidia-cuda-nvrtc and name its folder in GECC_NVRTC_DIR, or run `gecc kernels pack` elsewhere and name \
                 the folder in GECC_KERNELS, or `gecc kernels build` and name it in GECC_KERNEL_CACHE. GPUs that a pack \
                 serves do without"
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
