//! Test support for all chains.

use crate::harness::needs::GPU;
use crate::harness::{self, Named, Test};
use gecc::{Backend, Engine};
use gecc_chains::{Paths, Settings, files_of};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

static CPU: LazyLock<Engine> =
    LazyLock::new(|| Engine::builder().backend(Backend::Cpu).build().unwrap());
static GPUS: LazyLock<Engine> =
    LazyLock::new(|| Engine::builder().backend(Backend::Gpu).build().unwrap());
static POOL: LazyLock<ThreadPool> =
    LazyLock::new(|| ThreadPoolBuilder::new().num_threads(3).build().unwrap());
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Returns the tests of a subject, on the CPU and on the GPUs.
pub fn on_every_engine<const N: usize>(
    subject: &str,
    tests: [Named<fn(&Settings)>; N],
) -> Vec<Test> {
    let on = |engine: &'static LazyLock<Engine>, run: fn(&Settings)| move || run(&settings(engine));
    let trials = tests.into_iter().flat_map(|(name, run)| {
        [
            harness::test(format!("cpu::{subject}::{name}"), None, on(&CPU, run)),
            harness::test(
                format!("gpu::{subject}::{name}"),
                Some(&GPU),
                on(&GPUS, run),
            ),
        ]
    });
    trials.collect()
}

/// Small batches, so that files become several.
fn settings(engine: &'static Engine) -> Settings<'static> {
    Settings {
        batch: Some(100),
        ..Settings::new(engine, &POOL, &INTERRUPTED)
    }
}

/// Returns the path of a test data file.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// Returns the path of a file or folder of the example data.
pub fn of_examples(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/data")
        .join(name)
}

pub fn paths(paths: &[PathBuf]) -> Paths {
    files_of(paths)
}

/// Creates a file with this content in a folder that is deleted when the value is dropped.
pub fn file(content: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, content).unwrap();
    (folder, path)
}
