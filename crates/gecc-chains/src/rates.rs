//! Measures reading, decompressing and decoding. Not run by default: `cargo test --release -p
//! gecc-chains rates -- --ignored --nocapture`.

use crate::BlockRange;
use crate::files::{Paths, files_of};
use crate::flow::Work;
use crate::limits::Limits;
use crate::{bitcoin, ethereum};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const ROUNDS: usize = 200;

/// Processor time of this thread in nanoseconds, which excludes other processes.
fn processor_time() -> i64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is writable.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Measures the nanoseconds per item for reading and for decoding.
fn measure<W: Work, I: Iterator<Item = W::Source>>(
    work: &W,
    sources: impl Fn() -> I,
) -> (usize, f64, f64) {
    let mut items = 0;
    let mut reading = 0;
    let mut decoding = 0;
    let limits = Limits::new(None);
    for _ in 0..ROUNDS {
        let mut pieces = Vec::new();
        let start = processor_time();
        for source in sources() {
            let _ = work.read(source, &limits, &mut |piece| {
                pieces.push(piece);
                ControlFlow::Continue(())
            });
        }
        let read = processor_time();
        let decoded: Vec<W::Decoded> = pieces
            .into_iter()
            .map(|piece| work.decode(piece, usize::MAX).0)
            .collect();
        decoding += processor_time() - read;
        reading += read - start;
        items += decoded.iter().map(W::size).sum::<usize>();
    }
    (
        items / ROUNDS,
        reading as f64 / items as f64,
        decoding as f64 / items as f64,
    )
}

fn paths(names: &[&str]) -> Paths {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    files_of(
        &names
            .iter()
            .map(|name| folder.join(name))
            .collect::<Vec<PathBuf>>(),
    )
}

#[test]
#[ignore = "a measurement"]
fn rates_of_one_thread() {
    let sources: [(&str, &[&str]); 4] = [
        (
            "era1",
            &[
                "tests/data/made-premerge.era1",
                "tests/data/made-postmerge.e2s",
            ],
        ),
        (
            "Parquet of amp",
            &["tests/data/amp_evm_transactions.parquet"],
        ),
        (
            "Parquet of cryo",
            &["tests/data/ethereum__transactions__mixed.parquet"],
        ),
        ("JSON", &["../../examples/data/ethereum"]),
    ];
    for (name, files) in sources {
        let paths = paths(files);
        let options = ethereum::Options::default();
        let cost = measure(&ethereum::Senders::new(&options), || {
            ethereum::sources(&paths)
        });
        say(name, "signatures", &paths, cost);
    }
    let paths = paths(&["tests/data/blkrev", "../../examples/data/bitcoin"]);
    let cost = measure(
        &bitcoin::InputVerification::new(BlockRange::default()),
        || bitcoin::files(&paths, bitcoin::Magics::Known),
    );
    say("blocks of Bitcoin", "inputs", &paths, cost);
}

fn say(name: &str, what: &str, paths: &Paths, (items, reading, decoding): (usize, f64, f64)) {
    let bytes = paths.bytes() as usize / items;
    println!(
        "{name}: {items} {what} of {bytes} bytes; ns of one core: reading {reading:.0}, decoding {decoding:.0}"
    );
}
