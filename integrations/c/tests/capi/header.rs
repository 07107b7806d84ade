//! Tests of the committed header.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The source files from which the header is generated, in its order. Functions of other files
/// would be missing in it.
const SOURCES: [&str; 19] = [
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
    "ed25519_variant",
    "x25519",
    "sm2",
    "keys",
    "masking",
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

/// Returns the documentation of the crate as a comment.
fn head() -> String {
    let source = fs::read_to_string(folder().join("src/lib.rs")).unwrap();
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines: Vec<String> = lines.map(|line| format!(" *{line}\n")).collect();
    format!(
        "/*\n{} *\n * Written by cbindgen from the sources of gecc-capi.\n */",
        lines.concat()
    )
}

pub fn header_equals_output_of_cbindgen() {
    let config = cbindgen::Config::from_file(folder().join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new()
        .with_config(config)
        .with_header(head());
    for source in SOURCES {
        builder = builder.with_src(folder().join(format!("src/{source}.rs")));
    }
    let mut generated = Vec::new();
    builder.generate().expect("bindings").write(&mut generated);
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("gecc.h");
    fs::write(&path, &generated).unwrap();
    let same = generated == committed().as_bytes();
    assert!(
        same,
        "include/gecc.h differs from the output of cbindgen for the sources: copy {}",
        path.display()
    );
}

pub fn header_declares_every_function() {
    let sources = fs::read_dir(folder().join("src")).unwrap();
    let sources = sources.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let defined: BTreeSet<String> = sources
        .flat_map(|source| functions(&source, "fn gecc_"))
        .collect();
    assert!(defined.contains("abi_version"));
    // In comments, names of functions are not followed by a parenthesis.
    assert_eq!(
        defined,
        functions(&committed(), "gecc_").into_iter().collect()
    );
}

/// Returns the names of functions that follow a prefix, up to the parenthesis, without the prefix.
fn functions(text: &str, prefix: &str) -> Vec<String> {
    let names = text
        .split(prefix)
        .skip(1)
        .filter_map(|rest| rest.split_once('('));
    let names = names.map(|(name, _)| name);
    names
        .filter(|name| is_identifier(name))
        .map(str::to_owned)
        .collect()
}

fn is_identifier(name: &str) -> bool {
    name.chars()
        .all(|char| char.is_ascii_alphanumeric() || char == '_')
}
