//! Throughput of verifying a Parquet file with SQL, compared with the command on the same file.
//!
//! `cargo bench --bench rate [ITEMS [cpu|gpu]]`: by default 2^20 signatures with distinct keys on
//! secp256k1, one in a thousand corrupted. The command is represented by `gecc_arrow::transform`
//! without an output, in this process. Files are in the folder for temporary files, and each
//! variant runs once before it is measured. The best of three runs counts.

use arrow_array::{ArrayRef, FixedSizeBinaryArray, RecordBatch};
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use gecc::service::Stats;
use gecc::{Backend, CurveId, Engine, call, ecdsa, keys};
use gecc_arrow::{
    BatchJob, Compression, Destination, Format, Mapping, Pool, ReadOptions, TableOperation,
    TransformOptions, Writer, complete, open, transform,
};
use gecc_datafusion::Functions;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;
use std::time::Instant;
use tokio::runtime::{Builder, Runtime};

const CURVE: CurveId = CurveId::Secp256k1;
const CORRUPTED: usize = 1000;
const RUNS: usize = 3;
/// Number of rows of a row group: many groups, and the size in DataFusion's own files.
const GROUPS: [usize; 2] = [1 << 16, 1 << 20];

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let items = arguments
        .first()
        .map_or(1 << 20, |items| items.parse().expect("a number of items"));
    let backend = match arguments.get(1).map(String::as_str) {
        None => Backend::Auto,
        Some("cpu") => Backend::Cpu,
        Some("gpu") => Backend::Gpu,
        Some(other) => panic!("{other} is neither cpu nor gpu"),
    };
    let engine = Engine::builder()
        .backend(backend)
        .build()
        .expect("an engine");
    let cores = available_parallelism().map_or(1, usize::from);
    println!("{:?}, {cores} cores, {items} items", engine.info().backend);
    let runtime = Builder::new_multi_thread()
        .worker_threads(cores)
        .build()
        .expect("a runtime");
    let table = signed(&engine, items);
    let folder = tempfile::TempDir::new().expect("a folder");
    for group in GROUPS
        .into_iter()
        .filter(|group| *group == GROUPS[0] || *group <= items)
    {
        let path = folder.path().join(format!("{group}.parquet"));
        write(&path, &table, group);
        let command = rate(items, || command(&engine, &path, items));
        println!(
            "row groups of {group}: the command {:.3} M/s",
            command / 1e6
        );
        for way in ways(cores) {
            let functions = Functions::new(&engine).expect("a coalescer");
            let context = session(&functions, &runtime, &path, &way);
            let sql = rate(items, || sql(&runtime, &context, items));
            let Stats {
                cpu_batches,
                gpu_batches,
                items: computed,
                ..
            } = functions.stats();
            let batch = computed / (cpu_batches + gpu_batches);
            println!(
                "  {way:?}: {:.3} M/s, {:.2} of the command's; {batch} items a batch",
                sql / 1e6,
                sql / command
            );
        }
    }
}

/// The configuration of DataFusion's reading.
#[derive(Debug)]
struct Way {
    partitions: usize,
    batch: usize,
    /// True if each partition reads row groups of its own. Otherwise one partition reads all, and
    /// distributes batches to the others.
    split: bool,
}

fn ways(cores: usize) -> [Way; 6] {
    let way = |partitions, batch, split| Way {
        partitions,
        batch,
        split,
    };
    [
        way(cores, 8192, true),
        way(4 * cores, 8192, true),
        way(cores, 1 << 16, true),
        way(cores, 1 << 17, true),
        way(cores, 8192, false),
        way(cores, 1 << 16, false),
    ]
}

/// Returns the items per second of the best of several runs, after a warm-up run.
fn rate(items: usize, mut run: impl FnMut()) -> f64 {
    run();
    let seconds = (0..RUNS).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    });
    items as f64 / seconds.fold(f64::INFINITY, f64::min)
}

fn signed(engine: &Engine, items: usize) -> RecordBatch {
    let (secrets, points) = keys::generate(engine, CURVE, items).expect("keys");
    let mut digests: Vec<[u8; 32]> = (0..items).map(|_| rand::random()).collect();
    let signed =
        ecdsa::sign(engine, CURVE, &digests, &secrets, Default::default()).expect("signatures");
    digests
        .iter_mut()
        .step_by(CORRUPTED)
        .for_each(|digest| digest[7] ^= 1);
    let keys = points
        .iter()
        .map(|point| point.to_compressed().expect("a key"));
    let columns: [(&str, ArrayRef); 3] = [
        ("digest", fixed(digests.into_iter())),
        ("signature", fixed(signed.into_iter().map(Result::unwrap))),
        ("public_key", fixed(keys)),
    ];
    RecordBatch::try_from_iter(columns).expect("a table")
}

fn fixed<const W: usize>(rows: impl Iterator<Item = [u8; W]>) -> ArrayRef {
    Arc::new(FixedSizeBinaryArray::try_from_iter(rows).expect("rows of one width"))
}

fn write(path: &Path, table: &RecordBatch, group: usize) {
    let output = Destination::File(path.to_owned());
    let mut writer = Writer::create(output, Format::Parquet, Compression::None, &table.schema())
        .expect("a file");
    for start in (0..table.num_rows()).step_by(group) {
        let rows = table.slice(start, group.min(table.num_rows() - start));
        writer.write(&rows, &Pool::default()).expect("a row group");
    }
    writer.finish().expect("a file");
}

fn command(engine: &Engine, path: &Path, items: usize) {
    let input = open(path, ReadOptions::default()).expect("a file");
    let (operation, pool) = (
        TableOperation::from(call::Operation::verify(CURVE, Default::default())),
        Pool::default(),
    );
    let mapping =
        complete(Mapping::new(), input.schema(), &operation).expect("columns of these names");
    let job = BatchJob {
        engine,
        operation: &operation,
        mapping: &mapping,
        pool: &pool,
    };
    let options = TransformOptions::default();
    let done = transform(
        &job,
        input,
        Destination::Nowhere,
        &options,
        &AtomicBool::new(false),
    )
    .expect("a beginning");
    assert_eq!(
        (done.counts.rows, done.counts.passed),
        (items as u64, (items - items.div_ceil(CORRUPTED)) as u64)
    );
}

fn session(functions: &Functions, runtime: &Runtime, path: &Path, way: &Way) -> SessionContext {
    let config = SessionConfig::new()
        .with_target_partitions(way.partitions)
        .with_batch_size(way.batch);
    let config = config.with_repartition_file_scans(way.split);
    let context = SessionContext::new_with_config(config);
    functions.register(&context);
    let name = path.to_str().expect("a name");
    runtime
        .block_on(context.register_parquet("signed", name, ParquetReadOptions::default()))
        .expect("a file");
    context
}

fn sql(runtime: &Runtime, context: &SessionContext, items: usize) {
    let rejected = "SELECT digest FROM signed WHERE NOT ecdsa_verify('secp256k1', digest, signature, public_key)";
    let count = runtime.block_on(async { context.sql(rejected).await?.count().await });
    assert_eq!(count.expect("an answer"), items.div_ceil(CORRUPTED));
}
