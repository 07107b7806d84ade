//! Batches in order, several of which are read and computed concurrently.

use crate::answers::Answers;
use crate::encoding::{detected_encodings, fields_without_encoding};
use crate::error::{Error, caught};
use crate::operation::Operation;
use crate::pool::Pool;
use crate::read::{Batches, Progress};
use crate::size::held;
use arrow_array::RecordBatch;
use gecc::Engine;
use gecc::fields::Mapping;
use gecc::steps::{Entrance, Results, Room, line};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Scope};

/// A computation and its parameters.
pub struct Job<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The operation to apply to each row.
    pub operation: &'a Operation,
    /// The mapping of columns to fields.
    pub mapping: &'a Mapping,
    /// The threads that read cells and encode columns.
    pub pool: &'a Pool,
}

/// A batch and its answers.
pub struct Answered<'a> {
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
pub fn answer_each<T: Send, B>(
    job: &Job,
    mut batches: Batches,
    computing: usize,
    stop: &AtomicBool,
    make: impl Fn(Answered) -> Result<T, Error> + Sync,
    take: impl FnMut(T) -> ControlFlow<B>,
) -> Result<Option<B>, Error> {
    let computing = computing.max(1);
    // Twice as many batches are in memory: one is being taken, and one waits to be submitted.
    let (read, workers, results) = line(2 * computing - 2, 0);
    let room = Room::new(batches.max_memory());
    let progress = batches.progress();
    let is_over = AtomicBool::new(false);
    let wanted = || !stop.load(Ordering::Relaxed) && !is_over.load(Ordering::Relaxed);
    let undetected = fields_without_encoding(job.operation, job.mapping, batches.schema())?;
    let first = if undetected.is_empty() { None } else { Some(batches.next_while(&wanted)) };
    let mut mapping = job.mapping.clone();
    if let Some(Some(Ok(first))) = &first {
        mapping.encodings = detected_encodings(&undetected, first, mapping.encodings, mapping.text_messages)?;
    }
    let mapping = &mapping;
    let work = |ReadBatch { first, batch, bytes, place }: ReadBatch| {
        let Job { engine, operation, pool, .. } = job;
        let made = || {
            let answers = operation.apply_at(engine, first, &batch, mapping, pool)?;
            let made = make(Answered { first, batch: &batch, answers })?;
            Ok(ComputedBatch { made, bytes, place, rows: first + batch.num_rows() as u64 })
        };
        wanted().then(|| caught(made))
    };
    let ending = ReaderGuard { is_over: &is_over, room: &room };
    thread::scope(|scope| {
        // Owned by the scope, which waits for its threads.
        let _ending = ending;
        let reading = || read_batches(first, batches, &room, &wanted, read);
        spawn(scope, "gecc-batches".to_owned(), reading)?;
        for index in 0..computing {
            let workers = workers.clone();
            let work = &work;
            match spawn(scope, format!("gecc-compute-{index}"), move || workers.work(work)) {
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
    room: &'a Room,
}

impl Drop for ReaderGuard<'_> {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.room.close();
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

fn spawn<'s, 'e>(scope: &'s Scope<'s, 'e>, name: String, work: impl FnOnce() + Send + 's) -> Result<(), Error> {
    thread::Builder::new().name(name).spawn_scoped(scope, work)?;
    Ok(())
}

/// Reads batches until there are no more, one is an error, or no more are wanted. The size of a
/// batch is known only after it was read, so one batch in addition to those within the budget waits
/// for memory. `next` is the first batch if it was read before.
fn read_batches<T>(
    next: Option<Option<Result<RecordBatch, Error>>>,
    mut batches: Batches,
    room: &Room,
    wanted: &impl Fn() -> bool,
    read: Entrance<ReadBatch, BatchResult<T>>,
) {
    let mut first = 0;
    let mut next = next.unwrap_or_else(|| batches.next_while(wanted));
    while let Some(batch) = next {
        let goes_on = match batch {
            Ok(batch) => {
                let rows = batch.num_rows() as u64;
                let bytes = held(&batch);
                let goes_on =
                    room.enter(bytes) && read.hand_in(ReadBatch { first, batch, bytes, place: batches.place() });
                first += rows;
                goes_on
            }
            Err(problem) => read.put(Err(problem)),
        };
        if !goes_on {
            return;
        }
        next = batches.next_while(wanted);
    }
}

/// Takes results in order until there are no more, one is an error, or no more are wanted.
fn take_in_order<T, B>(
    results: Results<BatchResult<T>>,
    room: &Room,
    progress: &Progress,
    mut take: impl FnMut(T) -> ControlFlow<B>,
) -> Result<Option<B>, Error> {
    for done in results {
        let ComputedBatch { made, bytes, place, rows } = done?;
        if let ControlFlow::Break(end) = take(made) {
            return Ok(Some(end));
        }
        room.leave(bytes);
        progress.set(place, rows);
    }
    Ok(None)
}
