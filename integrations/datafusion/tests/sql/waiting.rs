//! Partitions wait for their answers on every kind of runtime, without deadlocks.

use crate::items::{Items, engine, fixed, some};
use crate::session::session;
use arrow_array::RecordBatch;
use datafusion::common::Result;
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;
use gecc::CurveId;
use gecc::service::Coalescer;
use gecc_datafusion::Functions;
use std::sync::mpsc::channel;
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::task::LocalSet;

const ROWS: usize = 4800;

/// Valid signatures.
static SIGNED: LazyLock<RecordBatch> = LazyLock::new(|| {
    let items = Items::random(CurveId::Secp256k1, ROWS);
    let keys: Vec<[u8; 65]> = items.points.iter().map(|point| *point.as_bytes()).collect();
    let column = |rows| fixed(rows).unwrap();
    RecordBatch::try_from_iter([
        ("d", column(&some(&items.digests))),
        ("s", column(&some(&items.signatures))),
        ("k", column(&some(&keys))),
    ])
    .unwrap()
});

/// A table in many partitions, in a session with a small queue, so that partitions also wait for
/// space in the queue.
fn crowded(partitions: usize) -> SessionContext {
    let part = ROWS / partitions;
    let parts = (0..partitions)
        .map(|which| vec![SIGNED.slice(which * part, part)])
        .collect();
    let table = MemTable::try_new(SIGNED.schema(), parts).unwrap();
    let coalescer = Coalescer::builder()
        .largest_batch(400)
        .queue(800)
        .build(engine())
        .unwrap();
    let context = session(&Functions::through(engine(), coalescer), partitions, 100);
    context.register_table("t", Arc::new(table)).unwrap();
    context
}

async fn valid(context: SessionContext) -> Result<usize> {
    let valid = "SELECT d FROM t WHERE ecdsa_verify('secp256k1', d, s, k)";
    context.sql(valid).await?.count().await
}

/// Returns the result of work, which must end.
fn ends<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(work()));
    receiver
        .recv_timeout(Duration::from_secs(300))
        .expect("it does not lock up")
}

#[test]
fn no_runtime_locks_up() {
    for partitions in [1, 24] {
        let one_thread = ends(move || {
            let runtime = Builder::new_current_thread().build().unwrap();
            runtime.block_on(valid(crowded(partitions)))
        });
        assert_eq!(one_thread.unwrap(), ROWS);
        for workers in [1, 3] {
            let several = ends(move || {
                let runtime = Builder::new_multi_thread()
                    .worker_threads(workers)
                    .build()
                    .unwrap();
                let on_a_worker = runtime.spawn(valid(crowded(partitions)));
                let outside = runtime.block_on(valid(crowded(partitions)));
                [runtime.block_on(on_a_worker).unwrap(), outside]
            });
            assert!(several.into_iter().all(|found| found.unwrap() == ROWS));
            // On this runtime, `block_in_place` panics.
            let local = ends(move || {
                let runtime = Builder::new_multi_thread()
                    .worker_threads(workers)
                    .build()
                    .unwrap();
                LocalSet::new().block_on(&runtime, valid(crowded(partitions)))
            });
            assert_eq!(local.unwrap(), ROWS);
        }
    }
}
