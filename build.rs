//! Derives every constant of every curve from `curves/NAME.toml`: plain Rust, no network, no CUDA.

#[path = "curves/derive.rs"]
mod derive;
#[path = "curves/emit_cuda.rs"]
mod emit_cuda;
#[path = "curves/emit_rust.rs"]
mod emit_rust;
#[path = "curves/params.rs"]
mod params;

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=curves");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let curves = read_curves(Path::new("curves"));
    let constants: String = curves.iter().map(emit_rust::constants).collect();
    fs::write(out.join("constants.rs"), constants).expect("OUT_DIR is writable");
    let types: String = curves.iter().map(emit_rust::curve_type).collect();
    fs::write(out.join("curve_types.rs"), types).expect("OUT_DIR is writable");
    for curve in &curves {
        let folder = out.join("cuda").join(&curve.name);
        fs::create_dir_all(&folder).expect("OUT_DIR is writable");
        fs::write(folder.join("curve.cuh"), emit_cuda::emit_cuda(curve)).expect("OUT_DIR is writable");
    }
}

/// All curves, in the order of their file names.
fn read_curves(folder: &Path) -> Vec<params::Curve> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("curves/ is part of the package")
        .map(|entry| entry.expect("curves/ is readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("a curve file is UTF-8");
        params::Curve::parse(&text).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()))
    };
    files.iter().map(read).collect()
}
