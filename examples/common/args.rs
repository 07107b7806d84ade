//! The command line of the examples that check signatures.

use crate::common::example_data;
use clap::Parser;
use std::path::PathBuf;

#[derive(Parser)]
struct Args {
    /// Files or folders to check instead of the example data
    paths: Vec<PathBuf>,
}

/// The requested paths, or the example data of this name.
pub fn paths_or(name: &str) -> Vec<PathBuf> {
    let Args { paths } = Args::parse();
    if paths.is_empty() {
        vec![example_data(name)]
    } else {
        paths
    }
}
