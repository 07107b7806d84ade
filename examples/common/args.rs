//! The command line of the examples that check signatures.

use crate::common::shipped;
use clap::Parser;
use std::path::PathBuf;

#[derive(Parser)]
pub struct Args {
    /// Print the signatures as input for `gecc verify` and `gecc recover` instead of the summary
    #[arg(long)]
    pub jsonl: bool,
    /// Files to check instead of the shipped ones
    files: Vec<PathBuf>,
}

impl Args {
    /// The files asked for, or the shipped ones.
    pub fn files_or(&self, names: &[&str]) -> Vec<PathBuf> {
        if self.files.is_empty() { names.iter().map(|name| shipped(name)).collect() } else { self.files.clone() }
    }
}
