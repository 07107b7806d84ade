//! Batches in order, several of which are read and computed concurrently.

use crate::answers::Answers;
use crate::encoding::{detected_encodings, fields_without_encoding};
use crate::error::{Error, caught};
use crate::operation::TableOperation;
use crate::pool::Pool;
use crate::read::Batches;
use crate::size::held;
use arrow_array::RecordBatch;
use gecc::Engine;
use gecc::fields::Mapping;
use gecc::pipeline::{Demand, MemoryBudget, Sender, Stages};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

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
    mut take: impl FnMut(T) -> ControlFlow<B>,
) -> Result<Option<B>, Error> {
    let computing = computing.max(1);
    let room = MemoryBudget::new(batches.max_memory());
    let progress = batches.progress();
    let demand = Demand::until(stop);
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
    let stages = Stages {
        workers: computing,
        items: 0,
        // Twice as many batches are in memory: one is being taken, and one waits to be submitted.
        results: 2 * computing - 2,
        demand: &demand,
        budgets: &[&room],
    };
    let ended = stages.run(
        |read| read_batches(first, batches, &room, &demand, read),
        |read| Some(caught(|| job.compute(read, &make))),
        |computed: BatchResult<T>| {
            let computed = match computed {
                Ok(computed) => computed,
                Err(problem) => return ControlFlow::Break(Err(problem)),
            };
            if let ControlFlow::Break(end) = take(computed.made) {
                return ControlFlow::Break(Ok(end));
            }
            room.release(computed.bytes);
            progress.set(computed.place, computed.rows);
            ControlFlow::Continue(())
        },
    )?;
    ended.transpose()
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

/// Reads batches until there are no more, one is an error, or no more are wanted. The size of a
/// batch is known only after it was read, so one batch in addition to those within the budget waits
/// for memory. `next` is the first batch if it was read before.
fn read_batches<T>(
    next: Option<Option<Result<RecordBatch, Error>>>,
    mut batches: Batches,
    room: &MemoryBudget,
    demand: &Demand,
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
