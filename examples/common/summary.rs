//! The summary of a chain that the examples over `gecc-chains` print.

use crate::common::throughput;
use gecc::Engine;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::Instant;

pub struct Summary {
    start: Instant,
    /// Number of signatures by kind and, for those that are not valid, by reason.
    counts: BTreeMap<(&'static str, Option<String>), usize>,
    failed: bool,
}

impl Summary {
    /// Time begins to count here.
    pub fn new() -> Self {
        Summary {
            start: Instant::now(),
            counts: BTreeMap::new(),
            failed: false,
        }
    }

    /// Counts a signature of this kind, with the reason if it is not valid.
    pub fn count(&mut self, kind: &'static str, reason: Option<&impl Display>) {
        *self
            .counts
            .entry((kind, reason.map(ToString::to_string)))
            .or_default() += 1;
    }

    /// Reports a failure on standard error.
    pub fn fail(&mut self, what: impl Display) {
        eprintln!("{what}");
        self.failed = true;
    }

    /// Prints the counts. Returns whether there were no failures.
    pub fn print(self, what: &str, engine: &Engine) -> bool {
        let time = self.start.elapsed();
        let mut all = 0;
        let mut valid = 0;
        for ((kind, reason), count) in &self.counts {
            all += count;
            match reason {
                None => {
                    valid += count;
                    println!("{count:8} {kind}");
                }
                Some(reason) => println!("{count:8} {kind}: {reason}"),
            }
        }
        println!("{valid} of {all} {what} valid");
        println!("{}", throughput(what, all, time, engine));
        !self.failed
    }
}
