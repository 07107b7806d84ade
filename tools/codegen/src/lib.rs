//! Generates the Rust files that describe the kernels: structs that launch them, types of array
//! contents, and lists of the files of device code. The files are checked in.

pub mod launchers;

use launchers::{Source, emit_launchers, is_kernel_file, needs_curve};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The first lines of every file.
const HEAD: &str = "\
//! Generated from the device code by `cargo run -p gecc-codegen`; not to be edited.
//! `tests/library/generated.rs` compares.

";

/// A generated file.
#[derive(Debug)]
pub struct GeneratedFile {
    /// Its path in the repository.
    pub path: &'static str,
    /// Its contents.
    pub text: String,
}

impl GeneratedFile {
    /// Returns whether the file in a working copy has this text.
    pub fn is_current(&self, root: &Path) -> bool {
        fs::read_to_string(root.join(self.path)).is_ok_and(|text| text == self.text)
    }
}

/// Returns the root of the repository.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Returns all generated files.
///
/// # Errors
/// A description of the problem: a folder that is not readable, or a signature that is not
/// understood.
pub fn files(root: &Path) -> Result<Vec<GeneratedFile>, String> {
    let library = read_sources(&root.join("cuda"))?;
    let bench = read_sources(&root.join("crates/gecc-bench/cuda"))?;
    let all = [library.clone(), bench.clone()].concat();
    let library_launchers = emit_launchers(&library, "kernels/")?;
    let bench_launchers = emit_launchers(&all, "lab/")?;
    Ok(vec![
        GeneratedFile {
            path: "src/gpu/columns/contents.rs",
            text: file("use super::Content;\n\n", &library_launchers.contents),
        },
        GeneratedFile {
            path: "src/gpu/kernels/launchers.rs",
            text: file(
                "use crate::gpu::columns::{self, Column};\n\
                 use crate::gpu::runtime::{Argument, Fault, Grid, NO_CURVE, Stream, Unit};\n\n",
                &library_launchers.kernels,
            ),
        },
        GeneratedFile {
            path: "src/gpu/runtime/sources/files.rs",
            text: file("", &embedded(&library, &library, "kernels/")),
        },
        GeneratedFile {
            path: "crates/gecc-bench/src/kernels/generated/contents.rs",
            text: file(
                "use gecc::lab::columns::Content;\n\n",
                &bench_launchers.contents,
            ),
        },
        GeneratedFile {
            path: "crates/gecc-bench/src/kernels/generated/launchers.rs",
            text: file(
                "use super::columns::{self, Column};\n\
                 use gecc::device_kernel;\n\
                 use gecc::lab::{Argument, Fault, Grid, NO_CURVE, Stream, Unit};\n\n",
                &bench_launchers.kernels,
            ),
        },
        GeneratedFile {
            path: "crates/gecc-bench/src/kernels/generated/files.rs",
            text: file("", &embedded(&bench, &all, "lab/")),
        },
    ])
}

/// Returns the text of a file. It ends with one line break.
fn file(imports: &str, body: &str) -> String {
    format!("{HEAD}{imports}{}\n", body.trim_end())
}

/// Reads the files of a folder and of its folders, in the order of their names.
fn read_sources(folder: &Path) -> Result<Vec<Source>, String> {
    let describe = |path: &Path, problem: io::Error| format!("{}: {problem}", path.display());
    let mut sources = Vec::new();
    for path in files_below(folder).map_err(|problem| describe(folder, problem))? {
        let name = path.strip_prefix(folder).expect("it is in the folder");
        let name = name.to_str().expect("the project's file names are UTF-8");
        sources.push(Source {
            name: name.replace('\\', "/"),
            text: fs::read_to_string(&path).map_err(|problem| describe(&path, problem))?,
        });
    }
    Ok(sources)
}

fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Returns Rust code that embeds the files of a folder of device code. Kernel files are those in
/// `kernels`; `all` has every file that they may include.
fn embedded(sources: &[Source], all: &[Source], kernels: &str) -> String {
    let (kernel_files, headers): (Vec<&Source>, Vec<&Source>) =
        sources.iter().partition(|source| is_kernel_file(source));
    let without_curve = kernel_files
        .iter()
        .copied()
        .filter(|source| !needs_curve(source, all));
    let names = |files: &mut dyn Iterator<Item = &Source>| -> String {
        files
            .map(|source| format!("    {:?},\n", stem(source, kernels)))
            .collect()
    };
    format!(
        "/// Embeds headers as (path, text).
macro_rules! headers {{
    ($($path:literal,)*) => {{
        &[$(($path, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/cuda/\", $path)))),*]
    }};
}}

/// Embeds kernel files as (name, text).
macro_rules! kernels {{
    ($($name:literal,)*) => {{
        &[$(
            (
                $name,
                include_str!(concat!(
                    env!(\"CARGO_MANIFEST_DIR\"),
                    \"/cuda/{kernels}\",
                    $name,
                    \".cu\"
                )),
            )
        ),*]
    }};
}}

/// The headers, by their paths in `#include`.
pub const HEADERS: &[(&str, &str)] = headers! {{
{}}};

/// The kernel files, by their names.
pub const KERNELS: &[(&str, &str)] = kernels! {{
{}}};

/// Kernel files that do not depend on the curve.
#[rustfmt::skip]
pub const WITHOUT_CURVE: &[&str] = &[
{}];
",
        names(&mut headers.into_iter()),
        names(&mut kernel_files.iter().copied()),
        names(&mut without_curve.into_iter()),
    ) + &on_some_curves(&kernel_files, kernels)
}

/// Returns the list of kernel files that are compiled for some curves only, if there are any. Such
/// a file names them in a line `// Curves:`.
fn on_some_curves(kernel_files: &[&Source], kernels: &str) -> String {
    let mut entries = String::new();
    for source in kernel_files {
        let mut lines = source.text.lines();
        let Some(curves) = lines.find_map(|line| line.strip_prefix("// Curves: ")) else {
            continue;
        };
        let curves: Vec<&str> = curves.split_whitespace().collect();
        entries += &format!("    ({:?}, &{curves:?}),\n", stem(source, kernels));
    }
    if entries.is_empty() {
        return entries;
    }
    format!(
        "
/// Kernel files that are compiled for some curves only.
pub const ON_SOME_CURVES: &[(&str, &[&str])] = &[
{entries}];
"
    )
}

/// Returns the name that a list has for a file: that of a kernel file without folder and ending.
fn stem<'a>(source: &'a Source, kernels: &str) -> &'a str {
    let kernel = source.name.strip_prefix(kernels);
    kernel
        .and_then(|name| name.strip_suffix(".cu"))
        .unwrap_or(&source.name)
}
