//! The checked-in files that describe the kernels are those that the generator writes.

use crate::harness::{Test, test};

pub fn tests() -> Vec<Test> {
    vec![test(
        "generated::files_are_current",
        None,
        files_are_current,
    )]
}

fn files_are_current() {
    let root = gecc_codegen::root();
    let files = gecc_codegen::files(root).expect("the device code is understood");
    let outdated: Vec<_> = files
        .iter()
        .filter(|file| !file.is_current(root))
        .map(|file| file.path)
        .collect();
    assert!(
        outdated.is_empty(),
        "not what the device code gives: {}; write them with `cargo run -p gecc-codegen`",
        outdated.join(", ")
    );
}
