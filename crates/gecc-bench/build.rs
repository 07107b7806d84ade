//! Embeds the kernels of `cuda/`, and writes the functions that start them, as the library does for
//! its own.

#[path = "../../tools/codegen/src/launchers.rs"]
mod emit_launchers;

use emit_launchers::{Source, emit_launchers, needs_curve};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    // Headers of the library's are included too.
    let folders = ["../../cuda", "cuda"];
    folders
        .iter()
        .for_each(|folder| println!("cargo::rerun-if-changed={folder}"));
    let [library, own] = folders.map(|folder| read_sources(Path::new(folder)));
    let all = [library, own.clone()].concat();
    let launchers = emit_launchers(&all, "lab/").unwrap_or_else(|problem| panic!("{problem}"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let files = [
        ("contents.rs", launchers.contents),
        ("launchers.rs", launchers.kernels),
        ("device_sources.rs", device_sources(&own, &all)),
    ];
    for (file, text) in files {
        fs::write(out.join(file), text).expect("OUT_DIR is writable");
    }
}

/// Every file below a folder's folders, by its path there.
fn read_sources(folder: &Path) -> Vec<Source> {
    let mut files: Vec<PathBuf> = entries(folder)
        .iter()
        .filter(|path| path.is_dir())
        .flat_map(|folder| entries(folder))
        .collect();
    files.sort();
    files
        .iter()
        .map(|path| {
            let name = path
                .strip_prefix(folder)
                .expect("it is in the folder")
                .to_str()
                .expect("names are UTF-8");
            Source {
                name: name.to_owned(),
                text: fs::read_to_string(path).expect("device code is UTF-8"),
            }
        })
        .collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is part of the repository");
    entries
        .map(|entry| entry.expect("the folder is readable").path())
        .collect()
}

/// Rust with the headers as (name, text), and the kernels as (stem, text, whether they need a
/// curve).
fn device_sources(own: &[Source], all: &[Source]) -> String {
    let mut headers = String::new();
    let mut kernels = String::new();
    for source in own {
        let name = &source.name;
        let text = &source.text;
        match name
            .strip_prefix("lab/")
            .and_then(|name| name.strip_suffix(".cu"))
        {
            Some(stem) => writeln!(
                kernels,
                "    ({stem:?}, {text:?}, {}),",
                needs_curve(source, all)
            ),
            None => writeln!(headers, "    ({name:?}, {text:?}),"),
        }
        .expect("a String takes all");
    }
    format!(
        "const HEADERS: &[(&str, &str)] = &[\n{headers}];\n\
         const KERNELS: &[(&str, &str, bool)] = &[\n{kernels}];\n"
    )
}
