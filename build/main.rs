//! Derives the constants of every curve from `curves/NAME.toml`, for the crate and for the device
//! code: plain Rust, no network, no CUDA, and the same output on every machine.

mod derive;
mod edwards;
mod emit_cuda;
mod emit_rust;
mod map_to_curve;
mod params;

use edwards::EdwardsCurve;
use params::Curve;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=curves");
    // Unoptimised code needs more stack than a caller's thread may have (src/host/workers/pool.rs).
    if env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo::rustc-cfg=gecc_unoptimised");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut constants = String::new();
    for file in curve_files() {
        let text = fs::read_to_string(&file).expect("a curve file is UTF-8");
        let derived = Derived::from_file(&text)
            .unwrap_or_else(|problem| panic!("{}: {problem}", file.display()));
        constants.push_str(&derived.constants);
        let folder = out.join("cuda").join(&derived.name);
        fs::create_dir_all(&folder).expect("OUT_DIR is writable");
        write(&folder.join("curve.cuh"), &derived.header);
    }
    write(&out.join("constants.rs"), &constants);
}

/// The texts that are derived from the file of a curve.
struct Derived {
    name: String,
    /// A module of constants in Rust.
    constants: String,
    /// The header for the device code.
    header: String,
}

impl Derived {
    /// Derives the texts of a short Weierstrass or twisted Edwards curve. The error describes the
    /// problem.
    fn from_file(text: &str) -> Result<Self, String> {
        if edwards::states_form(text) {
            let curve = EdwardsCurve::parse(text)?;
            return Ok(Derived {
                constants: curve.constants(),
                header: curve.cuda_header(),
                name: curve.name,
            });
        }
        let curve = Curve::parse(text)?;
        Ok(Derived {
            constants: emit_rust::constants(&curve),
            header: emit_cuda::emit_cuda(&curve),
            name: curve.name,
        })
    }
}

/// Returns the files of all curves, in the order of their names.
fn curve_files() -> Vec<PathBuf> {
    let entries = fs::read_dir("curves").expect("the folder is part of the package");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder is readable").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    files
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("OUT_DIR is writable");
}
