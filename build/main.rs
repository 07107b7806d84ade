//! Derives the constants of every curve from `curves/NAME.toml`, for the crate and for the device
//! code: plain Rust, no network, no CUDA, and the same output on every machine.

mod derive;
mod edwards;
mod emit_cuda;
mod emit_rust;
mod params;

use edwards::EdwardsCurve;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=curves");
    // Unoptimised code needs more stack than a caller's thread may have (src/host/workers/pool.rs).
    if env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo::rustc-cfg=gecc_unoptimised");
    }
    let out = GeneratedFiles {
        folder: PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")),
    };
    let (curves, edwards_curves) = read_curves(Path::new("curves"));
    write_curves(&out, &curves, &edwards_curves);
}

/// The folder of generated files.
struct GeneratedFiles {
    folder: PathBuf,
}

impl GeneratedFiles {
    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.join(name), text).expect("OUT_DIR is writable");
    }

    /// Writes the header of a curve for the device code.
    fn write_header(&self, curve: &str, text: &str) {
        fs::create_dir_all(self.folder.join("cuda").join(curve)).expect("OUT_DIR is writable");
        self.write(&format!("cuda/{curve}/curve.cuh"), text);
    }
}

/// Writes the constants of all curves, for the crate and for the device code.
fn write_curves(out: &GeneratedFiles, curves: &[params::Curve], edwards_curves: &[EdwardsCurve]) {
    let constants = curves.iter().map(emit_rust::constants);
    let edwards_constants = edwards_curves.iter().map(EdwardsCurve::constants);
    out.write(
        "constants.rs",
        &constants.chain(edwards_constants).collect::<String>(),
    );
    for curve in curves {
        out.write_header(&curve.name, &emit_cuda::emit_cuda(curve));
    }
    for curve in edwards_curves {
        out.write_header(&curve.name, &curve.cuda_header());
    }
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    entries(folder)
        .into_iter()
        .filter(|path| path.is_file())
        .collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is part of the package");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder is readable").path())
        .collect();
    paths.sort();
    paths
}

/// Reads all curves in the order of their file names: short Weierstrass curves, and twisted Edwards
/// curves.
fn read_curves(folder: &Path) -> (Vec<params::Curve>, Vec<EdwardsCurve>) {
    let mut curves = Vec::new();
    let mut edwards_curves = Vec::new();
    let files = files_in(folder)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "toml"));
    for path in files {
        let text = fs::read_to_string(&path).expect("a curve file is UTF-8");
        let read = match edwards::states_form(&text) {
            false => params::Curve::parse(&text).map(|curve| curves.push(curve)),
            true => EdwardsCurve::parse(&text).map(|curve| edwards_curves.push(curve)),
        };
        read.unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
    }
    (curves, edwards_curves)
}
