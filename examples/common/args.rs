//! The command line of the examples that check signatures.

use crate::common::shipped;
use clap::Parser;
use std::path::PathBuf;

#[derive(Parser)]
struct Args {
    /// What to check instead of what is shipped
    paths: Vec<PathBuf>,
}

/// The paths asked for, or what is shipped by this name.
pub fn paths_or(name: &str) -> Vec<PathBuf> {
    let Args { paths } = Args::parse();
    if paths.is_empty() { vec![shipped(name)] } else { paths }
}
