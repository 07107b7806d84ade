//! Test support shared by the decoders: the example data, decoded, the example lines of its
//! signatures, and random mutations of encodings.

use crate::files::{Paths, files_of};
use crate::flow::Work;
use crate::limits::Limits;
use rand::RngExt;
use rand::rngs::StdRng;
use serde_json::Value;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Returns the path of a file in `examples/data`.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/data")
        .join(name)
}

pub fn paths(names: &[&str]) -> Paths {
    files_of(
        &names
            .iter()
            .map(|name| path(name))
            .collect::<Vec<PathBuf>>(),
    )
}

/// Decodes everything that is read.
pub fn decode<W: Work>(work: &W, sources: impl Iterator<Item = W::Source>) -> Vec<W::Decoded> {
    let mut all = Vec::new();
    let limits = Limits::new(None);
    for source in sources {
        let ended = work.read(source, &limits, &mut |piece| {
            all.push(work.decode(piece, usize::MAX).0);
            ControlFlow::Continue(())
        });
        assert_eq!(ended, ControlFlow::Continue(()));
    }
    all
}

/// A line of a `.jsonl` file: a signature as `gecc verify` reads it.
pub struct ExampleLine(Value);

impl ExampleLine {
    pub fn text(&self, name: &str) -> &str {
        self.0[name].as_str().expect("text")
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        const_hex::decode(self.text(name)).expect("hexadecimal")
    }

    pub fn number(&self, name: &str) -> u64 {
        self.0[name].as_u64().expect("a number")
    }
}

pub fn lines(name: &str) -> Vec<ExampleLine> {
    let text = std::fs::read_to_string(path(name)).expect("example data");
    text.lines()
        .map(|line| ExampleLine(serde_json::from_str(line).expect("JSON")))
        .collect()
}

/// Mutates bytes at or after `from`, for tests in which two decoders have to agree on accepting or
/// rejecting the result. `telling` are the byte values at which decoders branch.
pub fn change(bytes: &mut Vec<u8>, from: usize, telling: &[u8], random: &mut StdRng) {
    if bytes.len() == from {
        return bytes.push(random.random());
    }
    let place = random.random_range(from..bytes.len());
    match random.random_range(0..6) {
        0 => bytes[place] ^= 1 << random.random_range(0..8),
        1 => bytes[place] = telling[random.random_range(0..telling.len())],
        2 => drop(bytes.remove(place)),
        3 => bytes.insert(place, telling[random.random_range(0..telling.len())]),
        4 => bytes.truncate(place),
        _ => bytes.push(random.random()),
    }
}
