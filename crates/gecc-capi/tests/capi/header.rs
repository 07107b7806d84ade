//! The header that is committed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Files with what the header shows, in its order. The functions of other files would be missing.
const SOURCES: [&str; 16] = [
    "status",
    "engine",
    "choices",
    "memory",
    "codes",
    "progress",
    "der",
    "ecdsa",
    "bip340",
    "ed25519",
    "sm2",
    "keys",
    "point",
    "sums",
    "silent_payments",
    "buffer",
];

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn committed() -> String {
    fs::read_to_string(folder().join("include/gecc.h")).expect("the header is there")
}

/// The documentation of the crate as a comment.
fn head() -> String {
    let source = fs::read_to_string(folder().join("src/lib.rs")).unwrap();
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines: Vec<String> = lines.map(|line| format!(" *{line}\n")).collect();
    format!("/*\n{} *\n * Written by cbindgen from the sources of gecc-capi.\n */", lines.concat())
}

pub fn is_what_is_generated() {
    let config = cbindgen::Config::from_file(folder().join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config).with_header(head());
    for source in SOURCES {
        builder = builder.with_src(folder().join(format!("src/{source}.rs")));
    }
    let mut generated = Vec::new();
    builder.generate().expect("bindings").write(&mut generated);
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("gecc.h");
    fs::write(&path, &generated).unwrap();
    let same = generated == committed().as_bytes();
    assert!(same, "include/gecc.h is not what cbindgen makes of the sources; that is in {}", path.display());
}

pub fn names_every_function() {
    let sources = fs::read_dir(folder().join("src")).unwrap();
    let sources = sources.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let defined: BTreeSet<String> = sources.flat_map(|source| functions(&source, "fn gecc_")).collect();
    assert!(defined.contains("abi_version"));
    // What the header says of a function in a comment has no parenthesis behind the name.
    assert_eq!(defined, functions(&committed(), "gecc_").into_iter().collect());
}

/// What stands between a prefix and the parenthesis behind it, where that is the rest of a name.
fn functions(text: &str, prefix: &str) -> Vec<String> {
    let name = |from_name: &str| {
        let (name, _) = from_name.split_once('(')?;
        name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_').then(|| name.to_owned())
    };
    text.split(prefix).skip(1).filter_map(name).collect()
}
