//! Derives every constant of every curve from `curves/NAME.toml`, and embeds the device code in the
//! crate: plain Rust, no network, no CUDA, and the same output on every machine.

#[path = "curves/derive.rs"]
mod derive;
#[path = "curves/edwards.rs"]
mod edwards;
#[path = "cuda/emit_codes.rs"]
mod emit_codes;
#[path = "curves/emit_cuda.rs"]
mod emit_cuda;
#[path = "cuda/emit_launchers.rs"]
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
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let (curves, edwards_curves) = read_curves(Path::new("curves"));
    for scheme in emit_rust::schemes(&curves) {
        let folder = Path::new("src/schemes").join(scheme);
        assert!(folder.is_dir(), "a curve offers the scheme {scheme}, and there is no {}", folder.display());
    }
    let write = |name: &str, text: String| fs::write(out.join(name), text).expect("OUT_DIR is writable");
    let each = |text: fn(&params::Curve) -> String| curves.iter().map(text).collect::<String>();
    let each_edwards = |text: fn(&EdwardsCurve) -> String| edwards_curves.iter().map(text).collect::<String>();
    write("constants.rs", each(emit_rust::constants) + &each_edwards(EdwardsCurve::constants));
    write("curve_types.rs", each(emit_rust::curve_type));
    write("curve_list.rs", emit_rust::curve_list(&curves));
    write("cpu_curves.rs", each(emit_rust::cpu_curve));
    write("cpu_tables.rs", each(|curve| emit_rust::tables(&curve.type_name)));
    write("cpu_edwards_curves.rs", each_edwards(EdwardsCurve::cpu_curve));
    write("cpu_edwards_tables.rs", each_edwards(|curve| emit_rust::tables(&curve.type_name)));
    write("cpu_references.rs", each(emit_rust::reference));
    write("moduli.rs", each(emit_rust::moduli));
    write("curve_lists.rs", emit_rust::lists(&curves));
    let headers = curves.iter().map(|curve| (&curve.name, emit_cuda::emit_cuda(curve)));
    for (name, header) in headers.chain(edwards_curves.iter().map(|curve| (&curve.name, curve.cuda_header()))) {
        fs::create_dir_all(out.join("cuda").join(name)).expect("OUT_DIR is writable");
        write(&format!("cuda/{name}/curve.cuh"), header);
    }
    // The codes in `cuda/codes.toml`, for the device code, the crate and the tests.
    let text = fs::read_to_string("cuda/codes.toml").expect("the file is part of the package");
    let codes = emit_codes::Codes::parse(&text).unwrap_or_else(|problem| panic!("cuda/codes.toml: {problem}"));
    write("cuda/codes.cuh", codes.cuda());
    write("verdicts.rs", codes.rust_verdicts());
    write("codes.rs", codes.rust_codes());
    write("test_codes.rs", codes.rust_tests());
    let sources = read_sources(Path::new("cuda"));
    write("device_sources.rs", device_sources(&sources, &curves, &edwards_curves));
    let launchers = emit_launchers(&sources, "kernels/").unwrap_or_else(|problem| panic!("{problem}"));
    write("contents.rs", launchers.contents);
    write("launchers.rs", launchers.kernels);
}

/// Reads the files in the folders of `cuda/`.
fn read_sources(folder: &Path) -> Vec<Source> {
    let files = subfolders(folder).into_iter().flat_map(|folder| files_in(&folder));
    let source = |path: PathBuf| {
        let name = path.strip_prefix(folder).expect("it is in the folder");
        let name = name.to_str().expect("the project's file names are UTF-8").replace('\\', "/");
        Source { name, text: fs::read_to_string(&path).expect("device code is UTF-8") }
    };
    files.map(source).collect()
}

/// Returns Rust code that embeds every file of device code, and the header of each curve, as (name,
/// text).
fn device_sources(sources: &[Source], curves: &[params::Curve], edwards_curves: &[EdwardsCurve]) -> String {
    let kernel = |source: &Source| {
        // A header is named by its path, as in `#include`; a kernel file by its file name.
        source.name.strip_suffix(".cu").and_then(|name| Some(name.rsplit_once('/')?.1.to_owned()))
    };
    let mut text = String::new();
    for (list, is_kernel) in [("HEADERS", false), ("KERNELS", true)] {
        writeln!(text, "pub const {list}: &[(&str, &str)] = &[").expect("a String takes all");
        for source in sources.iter().filter(|source| kernel(source).is_some() == is_kernel) {
            let name = kernel(source).unwrap_or_else(|| source.name.clone());
            let path = &source.name;
            writeln!(text, "    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/cuda/{path}\"))),")
                .expect("a String takes all");
        }
        if !is_kernel {
            text.push_str("    (\"codes.cuh\", include_str!(concat!(env!(\"OUT_DIR\"), \"/cuda/codes.cuh\"))),\n");
        }
        text.push_str("];\n");
    }
    let without_curve: Vec<String> =
        sources.iter().filter(|source| !needs_curve(source, sources)).filter_map(kernel).collect();
    writeln!(text, "pub const WITHOUT_CURVE: &[&str] = &{without_curve:?};").expect("a String takes all");
    // A file whose name begins with that of a scheme belongs to the scheme.
    text.push_str("pub const OF_A_SCHEME: &[(&str, &[&str])] = &[\n");
    for file in sources.iter().filter_map(kernel) {
        if let Some(scheme) = emit_rust::schemes(curves).into_iter().find(|scheme| file.starts_with(scheme)) {
            let offering: Vec<&str> =
                curves.iter().filter(|curve| curve.offers(scheme)).map(|curve| curve.name.as_str()).collect();
            writeln!(text, "    ({file:?}, &{offering:?}),").expect("a String takes all");
        }
        // The scheme of a twisted Edwards curve has the curve's name.
        if let Some(curve) = edwards_curves.iter().find(|curve| file.starts_with(&curve.name)) {
            writeln!(text, "    ({file:?}, &[{:?}]),", curve.name).expect("a String takes all");
        }
    }
    text.push_str("];\n");
    text.push_str("pub const CURVES: &[(&str, &str)] = &[\n");
    let edwards_names: Vec<&String> = edwards_curves.iter().map(|curve| &curve.name).collect();
    for name in curves.iter().map(|curve| &curve.name).chain(edwards_names.iter().copied()) {
        writeln!(text, "    ({name:?}, include_str!(concat!(env!(\"OUT_DIR\"), \"/cuda/{name}/curve.cuh\"))),")
            .expect("a String takes all");
    }
    text.push_str("];\n");
    writeln!(text, "pub const EDWARDS_CURVES: &[&str] = &{edwards_names:?};").expect("a String takes all");
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

/// Reads all curves in the order of their file names: short Weierstrass curves, and twisted Edwards
/// curves.
fn read_curves(folder: &Path) -> (Vec<params::Curve>, Vec<EdwardsCurve>) {
    let mut curves = Vec::new();
    let mut edwards_curves = Vec::new();
    let files = files_in(folder).into_iter().filter(|path| path.extension().is_some_and(|e| e == "toml"));
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
