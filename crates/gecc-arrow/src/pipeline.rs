//! Batches in order, several of which are read and computed concurrently.

use crate::answers::Answers;
use crate::encoding::{detected_encodings, fields_without_encoding};
use crate::error::{Error, caught};
use crate::operation::TableOperation;
use crate::pool::Pool;
use crate::read::{Batches, Progress};
use crate::size::held;
use arrow_array::RecordBatch;
use gecc::Engine;
use gecc::fields::Mapping;
use gecc::pipeline::{MemoryBudget, Results, Sender, pipeline};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Scope};

/// A computation and its parameters.
pub struct BatchJob<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The operation to apply to each row.
    pub operation: &'a TableOperation,
    /// The mapping of columns to fields.
    pub mapping: &'a Mapping,
    /// The threads that read cells and encode columns.
    pub pool: &'a Pool,
}

impl BatchJob<'_> {
    /// Computes a batch, and passes its answers to `make`.
    fn compute<T>(
        &self,
        read: ReadBatch,
        make: impl Fn(AnsweredBatch) -> Result<T, Error>,
    ) -> Result<ComputedBatch<T>, Error> {
        let ReadBatch {
            first,
            batch,
            bytes,
            place,
        } = read;
        let answers =
            self.operation
                .apply_at(self.engine, first, &batch, self.mapping, self.pool)?;
        let made = make(AnsweredBatch {
            first,
            batch: &batch,
            answers,
        })?;
        Ok(ComputedBatch {
            made,
            bytes,
            place,
            rows: first + batch.num_rows() as u64,
        })
    }
}

/// A batch and its answers.
pub struct AnsweredBatch<'a> {
    /// The number of its first row, counted from 0.
    pub first: u64,
    /// The input batch.
    pub batch: &'a RecordBatch,
    /// An answer for each row.
    pub answers: Answers,
}

/// Computes the answers for all batches, `computing` at a time, and passes the result of `make` for
/// each batch to `take`, in order. `make` runs on the computing threads, `take` on the calling one.
/// Ends early if `take` breaks, with its value, or if `stop` becomes true. If the mapping does not
/// specify the encodings of byte strings in text, they are detected from the first rows.
///
/// # Errors
/// [`Error::Columns`] if the first rows contain both encodings, and the first error of reading,
/// computing or `make`. All earlier batches have been taken.
pub fn answer_batches<T: Send, B>(
    job: &BatchJob,
    mut batches: Batches,
    computing: usize,
    stop: &AtomicBool,
    make: impl Fn(AnsweredBatch) -> Result<T, Error> + Sync,
    take: impl FnMut(T) -> ControlFlow<B>,
) -> Result<Option<B>, Error> {
    let computing = computing.max(1);
    // Twice as many batches are in memory: one is being taken, and one waits to be submitted.
    let (read, workers, results) = pipeline(2 * computing - 2, 0);
    let room = MemoryBudget::new(batches.max_memory());
    let progress = batches.progress();
    let is_over = AtomicBool::new(false);
    let demand = Demand {
        stop,
        is_over: &is_over,
    };
    let undetected = fields_without_encoding(job.operation, job.mapping, batches.schema())?;
    let first = if undetected.is_empty() {
        None
    } else {
        Some(batches.next_while(&|| demand.continues()))
    };
    let mut mapping = job.mapping.clone();
    if let Some(Some(Ok(first))) = &first {
        mapping.encodings =
            detected_encodings(&undetected, first, mapping.encodings, mapping.text_messages)?;
    }
    let job = BatchJob {
        mapping: &mapping,
        ..*job
    };
    let ending = ReaderGuard {
        is_over: &is_over,
        room: &room,
    };
    thread::scope(|scope| {
        // Owned by the scope, which waits for its threads.
        let _ending = ending;
        spawn(scope, "gecc-batches".to_owned(), || {
            read_batches(first, batches, &room, demand, read)
        })?;
        for index in 0..computing {
            let workers = workers.clone();
            let job = &job;
            let make = &make;
            let spawned = spawn(scope, format!("gecc-compute-{index}"), move || {
                workers.work(|read| {
                    demand
                        .continues()
                        .then(|| caught(|| job.compute(read, make)))
                });
            });
            match spawned {
                Err(problem) if index == 0 => return Err(problem),
                // Fewer threads are sufficient.
                Err(_) => break,
                Ok(()) => {}
            }
        }
        drop(workers);
        take_in_order(results, &room, &progress, take)
    })
}

/// Ends the reading thread, which may be waiting for memory or for a stream, even if `take` panics.
struct ReaderGuard<'a> {
    is_over: &'a AtomicBool,
    room: &'a MemoryBudget,
}

impl Drop for ReaderGuard<'_> {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.room.close();
    }
}

/// The conditions under which batches are read and computed.
#[derive(Clone, Copy)]
struct Demand<'a> {
    /// Set by the caller to end early.
    stop: &'a AtomicBool,
    /// Set when no more results are taken.
    is_over: &'a AtomicBool,
}

impl Demand<'_> {
    fn continues(self) -> bool {
        !self.stop.load(Ordering::Relaxed) && !self.is_over.load(Ordering::Relaxed)
    }
}

/// A batch that was read, the index of its first row, and its share of the memory budget.
struct ReadBatch {
    first: u64,
    batch: RecordBatch,
    bytes: u64,
    /// The byte position of the input after it.
    place: u64,
}

/// The result of a batch, its share of the memory budget, and the byte and row of the input after
/// it.
struct ComputedBatch<T> {
    made: T,
    bytes: u64,
    place: u64,
    rows: u64,
}

type BatchResult<T> = Result<ComputedBatch<T>, Error>;

fn spawn<'s, 'e>(
    scope: &'s Scope<'s, 'e>,
    name: String,
    work: impl FnOnce() + Send + 's,
) -> Result<(), Error> {
    thread::Builder::new()
        .name(name)
        .spawn_scoped(scope, work)?;
    Ok(())
}

/// Reads batches until there are no more, one is an error, or no more are wanted. The size of a
/// batch is known only after it was read, so one batch in addition to those within the budget waits
/// for memory. `next` is the first batch if it was read before.
fn read_batches<T>(
    next: Option<Option<Result<RecordBatch, Error>>>,
    mut batches: Batches,
    room: &MemoryBudget,
    demand: Demand,
    read: Sender<ReadBatch, BatchResult<T>>,
) {
    let mut first = 0;
    let mut next = next.unwrap_or_else(|| batches.next_while(&|| demand.continues()));
    while let Some(batch) = next {
        let goes_on = match batch {
            Ok(batch) => {
                let rows = batch.num_rows() as u64;
                let bytes = held(&batch);
                let goes_on = room.acquire(bytes)
                    && read.send(ReadBatch {
                        first,
                        batch,
                        bytes,
                        place: batches.place(),
                    });
                first += rows;
                goes_on
            }
            Err(problem) => read.send_result(Err(problem)),
        };
        if !goes_on {
            return;
        }
        next = batches.next_while(&|| demand.continues());
    }
}

/// Takes results in order until there are no more, one is an error, or no more are wanted.
fn take_in_order<T, B>(
    results: Results<BatchResult<T>>,
    room: &MemoryBudget,
    progress: &Progress,
    mut take: impl FnMut(T) -> ControlFlow<B>,
) -> Result<Option<B>, Error> {
    for done in results {
        let ComputedBatch {
            made,
            bytes,
            place,
            rows,
        } = done?;
        if let ControlFlow::Break(end) = take(made) {
            return Ok(Some(end));
        }
        room.release(bytes);
        progress.set(place, rows);
    }
    Ok(None)
}
