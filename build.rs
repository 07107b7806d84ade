//! Derives every constant of every curve from `curves/NAME.toml`, and lists the device code that the crate embeds: plain
//! Rust, no network, no CUDA. Unit tests that need what is missing here are told so.

#[path = "curves/derive.rs"]
mod derive;
#[path = "curves/emit_cuda.rs"]
mod emit_cuda;
#[path = "curves/emit_rust.rs"]
mod emit_rust;
#[path = "curves/params.rs"]
mod params;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=curves");
    println!("cargo::rerun-if-changed=cuda");
    tell_tests("gecc_tests_without_gpu", "GECC_REQUIRE_GPU", has_gpu());
    tell_tests("gecc_tests_without_avx512", "GECC_REQUIRE_AVX512", has_avx512());
    // To find out would mean to load it.
    tell_tests("gecc_tests_without_nvrtc", "GECC_REQUIRE_NVRTC", false);
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let curves = read_curves(Path::new("curves"));
    let constants: String = curves.iter().map(emit_rust::constants).collect();
    fs::write(out.join("constants.rs"), constants).expect("OUT_DIR is writable");
    let types: String = curves.iter().map(emit_rust::curve_type).collect();
    fs::write(out.join("curve_types.rs"), types).expect("OUT_DIR is writable");
    let moduli: String = curves.iter().map(emit_rust::moduli).collect();
    fs::write(out.join("moduli.rs"), moduli).expect("OUT_DIR is writable");
    fs::write(out.join("curve_lists.rs"), emit_rust::lists(&curves)).expect("OUT_DIR is writable");
    for curve in &curves {
        let folder = out.join("cuda").join(&curve.name);
        fs::create_dir_all(&folder).expect("OUT_DIR is writable");
        fs::write(folder.join("curve.cuh"), emit_cuda::emit_cuda(curve)).expect("OUT_DIR is writable");
    }
    fs::write(out.join("device_sources.rs"), device_sources(&curves)).expect("OUT_DIR is writable");
}

/// Unit tests cannot be ignored when they run, but when they are built: `cfg` says what this machine lacks, unless `variable`
/// asks for the tests all the same. Nothing but tests may depend on it.
fn tell_tests(cfg: &str, variable: &str, is_here: bool) {
    println!("cargo::rerun-if-env-changed={variable}");
    if !is_here && env::var(variable).as_deref() != Ok("1") {
        println!("cargo::rustc-cfg={cfg}");
    }
}

fn has_gpu() -> bool {
    fs::read_dir("/proc/driver/nvidia/gpus").is_ok_and(|mut gpus| gpus.next().is_some())
}

/// Whether this processor, and what is built, has the lanes of `src/cpu/lanes`.
fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    if env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("x86_64") && env::var_os("CARGO_CFG_GECC_NO_LANES").is_none()
    {
        return is_x86_feature_detected!("avx512ifma") && is_x86_feature_detected!("avx512vbmi2");
    }
    false
}

/// Rust that embeds every file of `cuda/`, and the header of each curve, as (name, text).
fn device_sources(curves: &[params::Curve]) -> String {
    let mut files = Vec::new();
    for folder in subfolders(Path::new("cuda")) {
        files.extend(files_in(&folder));
    }
    let (kernels, headers): (Vec<_>, Vec<_>) =
        files.iter().partition(|file| file.extension().is_some_and(|e| e == "cu"));
    let mut text = String::new();
    for (list, files, prefix) in [("HEADERS", headers, "cuda/"), ("KERNELS", kernels, "cuda/kernels/")] {
        writeln!(text, "pub const {list}: &[(&str, &str)] = &[").expect("a String takes all");
        for file in files {
            let path = file.to_str().expect("the project's file names are UTF-8").replace('\\', "/");
            let name = path.strip_prefix(prefix).expect("kernels lie in cuda/kernels").trim_end_matches(".cu");
            writeln!(text, "    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{path}\"))),")
                .expect("a String takes all");
        }
        text.push_str("];\n");
    }
    text.push_str("pub const CURVES: &[(&str, &str)] = &[\n");
    for curve in curves {
        let name = &curve.name;
        writeln!(text, "    ({name:?}, include_str!(concat!(env!(\"OUT_DIR\"), \"/cuda/{name}/curve.cuh\"))),")
            .expect("a String takes all");
    }
    text.push_str("];\n");
    text
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.is_dir()).collect()
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.is_file()).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is part of the package");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder is readable").path()).collect();
    paths.sort();
    paths
}

/// All curves, in the order of their file names.
fn read_curves(folder: &Path) -> Vec<params::Curve> {
    let files = files_in(folder).into_iter().filter(|path| path.extension().is_some_and(|e| e == "toml"));
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("a curve file is UTF-8");
        params::Curve::parse(&text).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()))
    };
    files.map(|file| read(&file)).collect()
}
