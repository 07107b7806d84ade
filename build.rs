//! Derives every constant of every curve from `curves/NAME.toml`, and embeds the device code in the
//! crate: plain Rust, no network, no CUDA, and the same output on every machine.

#[path = "curves/derive.rs"]
mod derive;
#[path = "curves/edwards.rs"]
mod edwards;
#[path = "curves/emit_cuda.rs"]
mod emit_cuda;
#[path = "tools/codegen/src/launchers.rs"]
mod emit_launchers;
#[path = "curves/emit_rust.rs"]
mod emit_rust;
#[path = "curves/params.rs"]
mod params;

use edwards::EdwardsCurve;
use emit_launchers::{Source, emit_launchers, needs_curve};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=curves");
    println!("cargo::rerun-if-changed=cuda");
    // Unoptimised code needs more stack than a caller's thread may have (src/host/workers/pool.rs).
    if env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo::rustc-cfg=gecc_unoptimised");
    }
    let out = GeneratedFiles {
        folder: PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")),
    };
    let (curves, edwards_curves) = read_curves(Path::new("curves"));
    write_curves(&out, &curves, &edwards_curves);
    let sources = read_sources(Path::new("cuda"));
    out.write("device_sources.rs", &device_sources(&sources));
    let launchers =
        emit_launchers(&sources, "kernels/").unwrap_or_else(|problem| panic!("{problem}"));
    out.write("contents.rs", &launchers.contents);
    out.write("launchers.rs", &launchers.kernels);
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

/// Reads the files in the folders of `cuda/`.
fn read_sources(folder: &Path) -> Vec<Source> {
    let mut sources = Vec::new();
    for path in subfolders(folder)
        .iter()
        .flat_map(|folder| files_in(folder))
    {
        let name = path.strip_prefix(folder).expect("it is in the folder");
        let name = name
            .to_str()
            .expect("the project's file names are UTF-8")
            .replace('\\', "/");
        sources.push(Source {
            name,
            text: fs::read_to_string(&path).expect("device code is UTF-8"),
        });
    }
    sources
}

/// Returns the name of a kernel file without folder and extension, or `None` for a header.
fn kernel_name(source: &Source) -> Option<String> {
    let (_, name) = source.name.strip_suffix(".cu")?.rsplit_once('/')?;
    Some(name.to_owned())
}

/// Returns Rust code that embeds every file of device code as (name, text).
fn device_sources(sources: &[Source]) -> String {
    let (kernels, headers): (Vec<&Source>, Vec<&Source>) = sources
        .iter()
        .partition(|source| kernel_name(source).is_some());
    let mut text = String::new();
    // A header is named by its path, as in `#include`; a kernel file by its file name.
    text.push_str("pub const HEADERS: &[(&str, &str)] = &[\n");
    for header in headers {
        embed(
            &mut text,
            &header.name,
            "CARGO_MANIFEST_DIR",
            &format!("/cuda/{}", header.name),
        );
    }
    embed(
        &mut text,
        "codes.cuh",
        "CARGO_MANIFEST_DIR",
        "/cuda/codes.cuh",
    );
    text.push_str("];\n");
    text.push_str("pub const KERNELS: &[(&str, &str)] = &[\n");
    for kernel in kernels {
        let name = kernel_name(kernel).expect("it is a kernel file");
        embed(
            &mut text,
            &name,
            "CARGO_MANIFEST_DIR",
            &format!("/cuda/{}", kernel.name),
        );
    }
    text.push_str("];\n");
    let without_curve: Vec<String> = sources
        .iter()
        .filter(|source| !needs_curve(source, sources))
        .filter_map(kernel_name)
        .collect();
    writeln!(
        text,
        "pub const WITHOUT_CURVE: &[&str] = &{without_curve:?};"
    )
    .expect("a String takes all");
    text
}

/// Emits the entry of a list that embeds a file, given by its path below the folder in an
/// environment variable.
fn embed(text: &mut String, name: &str, folder: &str, path: &str) {
    writeln!(
        text,
        "    ({name:?}, include_str!(concat!(env!({folder:?}), {path:?}))),"
    )
    .expect("a String takes all");
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    entries(folder)
        .into_iter()
        .filter(|path| path.is_dir())
        .collect()
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
