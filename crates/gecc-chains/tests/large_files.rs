//! Throughput with large files in the page cache. Not run by default:
//! `cargo test --release --test large_files -- --ignored --nocapture`.
//!
//! The files are the small ones of the tests many times over, in a folder that is gone afterwards,
//! or in `GECC_LARGE_FILES`, where they stay and the command can be tried on them. The engine is
//! the default one. `GECC_LARGE_ITEMS` is how many signatures a file has at least, 2^20 by default.

use gecc::Engine;
use gecc_chains::{BlockRange, Paths, Settings, bitcoin, ethereum, files_of};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

const ITEMS: usize = 1 << 20;
const MAGIC: [u8; 4] = [0xf9, 0xbe, 0xb4, 0xd9];
/// Signatures in the small files.
const ERA1: usize = 1121;
const TABLE: usize = 1120;
const BLOCK: usize = 7972;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// Writes a file of some bytes many times over.
fn write_many(path: &Path, content: &[u8], times: usize) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    (0..times).for_each(|_| file.write_all(content).unwrap());
    file.flush().unwrap();
}

#[cfg(feature = "arrow")]
fn write_table(path: &Path, of: &str, times: usize) {
    use gecc_arrow::{
        Compression, Destination, Format, Pool, Projection, ReadOptions, Writer, open,
    };
    const BATCHES: usize = 64;
    let input = open(data(of), ReadOptions::default()).unwrap();
    let schema = input.schema().clone();
    let batch = input
        .batches(&Projection::All)
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let output = Destination::File(path.to_owned());
    let mut writer = Writer::create(output, Format::Parquet, Compression::Zstd, &schema).unwrap();
    // Row groups of a usual size, some ten thousand rows.
    let large = arrow_select::concat::concat_batches(&schema, std::iter::repeat_n(&batch, BATCHES))
        .unwrap();
    (0..times.div_ceil(BATCHES)).for_each(|_| writer.write(&large, &Pool::default()).unwrap());
    writer.finish().unwrap();
}

fn decompressed(name: &str) -> Vec<u8> {
    zstd::decode_all(File::open(data(name)).unwrap()).unwrap()
}

/// Writes the input files of each kind, and returns them with the name of the kind.
fn write_all(folder: &Path, items: usize) -> Vec<(&'static str, Vec<PathBuf>)> {
    let at = |name: &str| folder.join(name);
    let mut files = Vec::new();
    let era1 = [data("made-premerge.era1"), data("made-postmerge.e2s")]
        .map(|path| std::fs::read(path).unwrap());
    write_many(&at("large.era1"), &era1.concat(), items.div_ceil(ERA1));
    files.push(("era1", vec![at("large.era1")]));
    #[cfg(feature = "arrow")]
    for (name, of) in [
        ("amp.parquet", "amp_evm_transactions.parquet"),
        ("cryo.parquet", "ethereum__transactions__mixed.parquet"),
    ] {
        write_table(&at(name), of, items.div_ceil(TABLE));
        files.push((name, vec![at(name)]));
    }
    let block = decompressed("block866342.raw.zst");
    let block = [&MAGIC[..], &(block.len() as u32).to_le_bytes(), &block].concat();
    let times = items.div_ceil(BLOCK);
    write_many(&at("blk00000.dat"), &block, times);
    write_many(
        &at("rev00000.dat"),
        &decompressed("block866342-rev.raw.zst"),
        times,
    );
    files.push((
        "blocks of Bitcoin",
        ["blk00000.dat", "rev00000.dat"].map(at).to_vec(),
    ));
    files
}

/// Answers, and how many of them are not valid.
fn count(settings: &Settings, paths: &Paths, is_bitcoin: bool) -> (usize, usize) {
    let mut answers = 0;
    let mut others = 0;
    let mut add = |valid: &mut dyn Iterator<Item = Option<bool>>, problems: usize| {
        assert_eq!(problems, 0);
        for valid in valid {
            answers += 1;
            others += usize::from(valid != Some(true));
        }
        ControlFlow::<()>::Continue(())
    };
    let ended = if is_bitcoin {
        bitcoin::verify(settings, paths, BlockRange::default(), |batch| {
            add(
                &mut batch.answers.iter().map(|answer| answer.valid()),
                batch.progress.problems.len(),
            )
        })
    } else {
        ethereum::senders(settings, paths, &ethereum::Options::default(), |batch| {
            add(
                &mut batch.answers.iter().map(|answer| answer.valid()),
                batch.progress.problems.len(),
            )
        })
    };
    ended.unwrap();
    (answers, others)
}

#[test]
#[ignore = "a measurement"]
fn rates_of_large_files() {
    let items = std::env::var("GECC_LARGE_ITEMS").map_or(ITEMS, |text| text.parse().unwrap());
    let temporary = tempfile::tempdir().unwrap();
    let folder =
        std::env::var_os("GECC_LARGE_FILES").map_or(temporary.path().to_owned(), PathBuf::from);
    let engine = Engine::new().unwrap();
    let pool = pool();
    let interrupted = AtomicBool::new(false);
    let settings = Settings::new(&engine, &pool, &interrupted);
    println!("{engine}");
    for (name, files) in write_all(&folder, items) {
        let paths = files_of(&files);
        let is_bitcoin = name.contains("Bitcoin");
        // The first run reads the files into the page cache, and builds tables and kernels.
        for run in 0..4 {
            let start = Instant::now();
            let (answers, others) = count(&settings, &paths, is_bitcoin);
            let seconds = start.elapsed().as_secs_f64();
            let rate = answers as f64 / seconds;
            if run > 0 {
                println!(
                    "{name}: {answers} signatures, {others} not valid, {} bytes, {seconds:.3} s, {rate:.0}/s",
                    paths.bytes()
                );
            }
        }
    }
}

fn pool() -> ThreadPool {
    ThreadPoolBuilder::new().build().unwrap()
}
