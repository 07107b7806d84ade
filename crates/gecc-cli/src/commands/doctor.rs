//! `gecc doctor`: the resources of this machine that gecc can use, and those that are missing.

use super::machine_report::{self, MachineRow};
use crate::flags::DoctorOptions;
use crate::installation;
use crate::messages::shown_path;
use crate::output::Failure;
use crate::{ALL_PASSED, SOME_REJECTED};
use gecc::{Backend, Engine, EngineBuilder, KernelOrigin, LoadedKernels, kernels};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

/// The result of one check.
struct Finding {
    what: &'static str,
    state: FindingState,
    detail: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FindingState {
    Good,
    /// Absent and not required.
    Missing,
    /// Present or requested, but not working.
    Wrong,
}

impl FindingState {
    fn name(self) -> &'static str {
        match self {
            FindingState::Good => "ok",
            FindingState::Missing => "missing",
            FindingState::Wrong => "wrong",
        }
    }
}

impl Finding {
    /// Makes a finding: good if something was found, otherwise the reason with the state
    /// `otherwise`.
    fn of(what: &'static str, found: Result<String, String>, otherwise: FindingState) -> Self {
        let state = if found.is_ok() {
            FindingState::Good
        } else {
            otherwise
        };
        Finding {
            what,
            state,
            detail: found.unwrap_or_else(|problem| problem),
        }
    }

    fn json(&self) -> Value {
        json!({"what": self.what, "state": self.state.name(), "detail": self.detail})
    }
}

/// Runs all checks. The exit code reports whether anything is wrong.
pub fn run(options: &DoctorOptions) -> Result<u8, Failure> {
    let mut reporter = FindingReporter {
        options,
        findings: Vec::new(),
    };
    [cores(), cpu_features()]
        .into_iter()
        .try_for_each(|finding| reporter.add(finding))?;
    // Starting an engine takes a while if there is a GPU, so it is started once for all checks.
    let engine = installation::engine().map(EngineBuilder::build);
    let engine = engine.and_then(|engine| engine.map_err(|problem| problem.to_string()));
    let shown = engine.as_ref().map(Engine::to_string).map_err(Clone::clone);
    reporter.add(Finding::of("engine", shown, FindingState::Wrong))?;
    reporter.add(known_answers(&engine))?;
    let loaded = engine
        .as_ref()
        .map(Engine::loaded_kernels)
        .unwrap_or_default();
    let has_gpus = gpus_shown() > 0;
    reporter.add(nvidia_devices())?;
    reporter.add(gpu_engine())?;
    reporter.add(kernels_loaded(&loaded))?;
    if options.kernels && !options.json {
        loaded.iter().try_for_each(print_kernel)?;
    }
    [kernel_packs(), nvrtc(), kernel_cache(has_gpus)]
        .into_iter()
        .try_for_each(|finding| reporter.add(finding))?;
    let measured = engine
        .as_ref()
        .ok()
        .filter(|_| options.report && reporter.is_right());
    let row = measured.map(machine_report::row).transpose()?;
    reporter.end(&loaded, row)
}

/// Reports findings one by one, or all of them as JSON at the end.
struct FindingReporter<'a> {
    options: &'a DoctorOptions,
    findings: Vec<Finding>,
}

impl FindingReporter<'_> {
    /// Returns whether nothing is wrong so far.
    fn is_right(&self) -> bool {
        self.findings
            .iter()
            .all(|finding| finding.state != FindingState::Wrong)
    }

    fn add(&mut self, finding: Finding) -> io::Result<()> {
        if !self.options.json {
            let mark = match finding.state {
                FindingState::Good => "[ok]",
                FindingState::Missing => "[--]",
                FindingState::Wrong => "[!!]",
            };
            writeln!(io::stdout(), "{mark} {}: {}", finding.what, finding.detail)?;
        }
        self.findings.push(finding);
        Ok(())
    }

    fn end(self, loaded: &[LoadedKernels], row: Option<MachineRow>) -> Result<u8, Failure> {
        let is_right = self.is_right();
        if self.options.json {
            let findings: Vec<Value> = self.findings.iter().map(Finding::json).collect();
            let mut all =
                json!({"version": env!("CARGO_PKG_VERSION"), "ok": is_right, "findings": findings});
            if self.options.kernels {
                all["kernels"] = loaded.iter().map(kernel_as_json).collect();
            }
            if let Some(row) = row {
                all["report"] = row.json();
            }
            writeln!(io::stdout(), "{all}")?;
        } else if let Some(row) = row {
            write!(io::stdout(), "\n{row}")?;
        }
        Ok(if is_right { ALL_PASSED } else { SOME_REJECTED })
    }
}

fn cores() -> Finding {
    let detail = match std::thread::available_parallelism() {
        Ok(cores) => cores.to_string(),
        Err(problem) => format!("unknown ({problem}); set --threads"),
    };
    Finding {
        what: "cores",
        state: FindingState::Good,
        detail,
    }
}

#[cfg(target_arch = "x86_64")]
fn cpu_features() -> Finding {
    let features = [
        ("bmi2", is_x86_feature_detected!("bmi2")),
        ("adx", is_x86_feature_detected!("adx")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("avx512ifma", is_x86_feature_detected!("avx512ifma")),
    ];
    let detail = features
        .map(|(name, found)| format!("{name} {}", if found { "yes" } else { "no" }))
        .join(", ");
    Finding {
        what: "processor features",
        state: FindingState::Good,
        detail,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn cpu_features() -> Finding {
    let detail = format!("{}: the portable code is used", std::env::consts::ARCH);
    Finding {
        what: "processor features",
        state: FindingState::Good,
        detail,
    }
}

/// Runs all self-tests, which on a GPU need a driver, kernels and memory.
fn known_answers(engine: &Result<Engine, String>) -> Finding {
    let started = Instant::now();
    let tested = engine.as_ref().map_err(Clone::clone);
    let tested =
        tested.and_then(|engine| engine.self_test().map_err(|problem| problem.to_string()));
    let given = tested.and_then(|failures| match failures[..] {
        [] => Ok(format!(
            "every operation computes them, {:.1} s",
            started.elapsed().as_secs_f64()
        )),
        _ => Err(failures
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("; ")),
    });
    Finding::of("known answers", given, FindingState::Wrong)
}

/// Returns the number of devices known to the kernel driver, which keeps a folder for each.
fn gpus_shown() -> usize {
    std::fs::read_dir("/proc/driver/nvidia/gpus").map_or(0, Iterator::count)
}

fn nvidia_devices() -> Finding {
    let shown = match gpus_shown() {
        0 => Err("none that the kernel driver shows".to_owned()),
        devices => Ok(devices.to_string()),
    };
    Finding::of("NVIDIA GPUs", shown, FindingState::Missing)
}

fn gpu_engine() -> Finding {
    let engine = installation::engine().and_then(|builder| {
        builder
            .backend(Backend::Gpu)
            .build()
            .map_err(|problem| problem.to_string())
    });
    let devices = engine
        .map(|engine| engine.info().devices.join(", "))
        .map_err(|problem| format!("{problem}; without a GPU everything runs on the CPU"));
    Finding::of("GPU engine", devices, FindingState::Missing)
}

/// Reports the origin of the kernels used by the self-tests.
fn kernels_loaded(loaded: &[LoadedKernels]) -> Finding {
    let packed = loaded
        .iter()
        .filter(|kernels| kernels.origin == KernelOrigin::Pack)
        .count();
    let cached = loaded
        .iter()
        .filter(|kernels| kernels.origin == KernelOrigin::Cache)
        .count();
    let compiled = loaded.len() - packed - cached;
    let counts = match loaded {
        [] => Err("none are loaded".to_owned()),
        _ => Ok(format!(
            "{packed} files from packs, {cached} from the cache, {compiled} compiled just now"
        )),
    };
    Finding::of("kernels", counts, FindingState::Missing)
}

fn print_kernel(kernels: &LoadedKernels) -> io::Result<()> {
    let LoadedKernels {
        device,
        file,
        curve,
        origin,
        architecture,
        seconds,
        load_seconds,
        ..
    } = kernels;
    let [obtained, loaded] = [seconds, load_seconds].map(|seconds| seconds * 1e3);
    writeln!(
        io::stdout(),
        "     {device}: {file} for {curve}: {origin}, {architecture}, obtained in {obtained:.1} ms, loaded in {loaded:.1} ms"
    )
}

fn kernel_as_json(kernels: &LoadedKernels) -> Value {
    let LoadedKernels {
        device,
        file,
        curve,
        origin,
        architecture,
        seconds,
        load_seconds,
        ..
    } = kernels;
    json!({
        "device": device.to_string(), "file": file.to_string(), "curve": curve.to_string(), "origin": origin.to_string(),
        "architecture": architecture.to_string(), "seconds": seconds, "load_seconds": load_seconds,
    })
}

/// Reports the kernel packs that are installed with gecc or named in the environment.
fn kernel_packs() -> Finding {
    const WHAT: &str = "kernel packs";
    const NONE: &str = "none next to this program, and GECC_KERNELS names no folder";
    let folder = match installation::packs() {
        Ok(Some(folder)) => folder,
        Ok(None) => return Finding::of(WHAT, Err(NONE.to_owned()), FindingState::Missing),
        Err(problem) => return Finding::of(WHAT, Err(problem), FindingState::Wrong),
    };
    let packs: Vec<_> = kernels::packs_in(&folder)
        .iter()
        .map(|path| kernels::check_pack(path))
        .collect();
    let problems: Vec<String> = packs
        .iter()
        .filter_map(|pack| Some(pack.as_ref().err()?.to_string()))
        .collect();
    let whole: Vec<&str> = packs
        .iter()
        .flatten()
        .map(|pack| &*pack.architecture)
        .collect();
    let detail = match whole[..] {
        [] => format!("{}, none that can be used", shown_path(&folder)),
        _ => format!("{}, {}", shown_path(&folder), whole.join(", ")),
    };
    let state = if problems.is_empty() && !whole.is_empty() {
        FindingState::Good
    } else {
        FindingState::Wrong
    };
    Finding {
        what: WHAT,
        state,
        detail: [vec![detail], problems].concat().join("; "),
    }
}

fn nvrtc() -> Finding {
    let version = kernels::nvrtc_version().map(|(major, minor)| format!("version {major}.{minor}"));
    let version = version.map_err(|problem| {
        const REMEDY: &str = "install the CUDA toolkit or `pip install nvidia-cuda-nvrtc`, or set GECC_NVRTC_DIR to its \
                              folder; GPUs do without where `gecc kernels pack` or `gecc kernels build` has run and \
                              GECC_KERNELS or GECC_KERNEL_CACHE names the folder";
        match problem {
            gecc::Error::Kernels(problem) if problem.contains("is not installed") => format!("not found ({REMEDY})"),
            gecc::Error::Kernels(problem) => format!("{problem} ({REMEDY})"),
            other => format!("{other} ({REMEDY})"),
        }
    });
    Finding::of("NVRTC", version, FindingState::Missing)
}

/// Checks the kernel cache. If there is a GPU, or a folder was named, it has to be writable;
/// otherwise each process compiles kernels anew.
fn kernel_cache(has_gpus: bool) -> Finding {
    const NONE: &str =
        "no folder: set GECC_KERNEL_CACHE, or kernels are compiled anew in each process";
    let is_needed = has_gpus || std::env::var_os("GECC_KERNEL_CACHE").is_some();
    let files = kernels::cache_folder()
        .ok_or_else(|| NONE.to_owned())
        .and_then(|folder| {
            let written = try_to_write(&folder);
            let folder = shown_path(&folder);
            written
                .map(|files| format!("{folder}, {files} files"))
                .map_err(|problem| {
                    format!(
                        "{folder} cannot be written: {problem}; name another in GECC_KERNEL_CACHE"
                    )
                })
        });
    Finding::of(
        "kernel cache",
        files,
        if is_needed {
            FindingState::Wrong
        } else {
            FindingState::Missing
        },
    )
}

/// Creates the folder if necessary, checks that a file can be written there, and returns the number
/// of other entries.
fn try_to_write(folder: &Path) -> io::Result<usize> {
    std::fs::create_dir_all(folder)?;
    tempfile::tempfile_in(folder)?;
    Ok(std::fs::read_dir(folder)?.count())
}
