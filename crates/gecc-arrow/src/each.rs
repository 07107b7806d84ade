//! Batches in order, of which some are read and computed at a time.

use crate::answers::Answers;
use crate::error::{Error, caught};
use crate::operation::Operation;
use crate::pool::Pool;
use crate::read::Batches;
use crate::size::held;
use arrow_array::RecordBatch;
use gecc::fields::Mapping;
use gecc::{CurveId, Engine};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// What is computed, and with what.
pub struct Job<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The curve.
    pub curve: CurveId,
    /// What is done with each row.
    pub operation: &'a Operation,
    /// Which columns it reads.
    pub mapping: &'a Mapping,
    /// The threads that read cells and encode columns.
    pub pool: &'a Pool,
}

/// A batch, and what was computed of it.
pub struct Answered<'a> {
    /// The number of its first row, counted from 0.
    pub first: u64,
    /// The batch as it was read.
    pub batch: &'a RecordBatch,
    /// An answer for each row.
    pub answers: Answers,
}

/// Computes the answers for all batches, `computing` at a time, and passes what `make` makes of each to `take`, in
/// order. `make` runs on the threads that compute, `take` on this one. Ends early where `take` says so, with its value,
/// or `stop` becomes true.
///
/// # Errors
/// The first error of reading, computing or `make`. All that comes before it was taken.
pub fn answer_each<T: Send, B>(
    job: &Job,
    batches: Batches,
    computing: usize,
    stop: &AtomicBool,
    make: impl Fn(Answered) -> Result<T, Error> + Sync,
    take: impl FnMut(T) -> ControlFlow<B>,
) -> Result<Option<B>, Error> {
    let computing = computing.max(1);
    let queue = Queue::new(batches, 2 * computing);
    let work = |first: u64, batch: &RecordBatch| {
        let Job { engine, curve, operation, mapping, pool } = job;
        let answers = operation.apply_at(engine, *curve, first, batch, mapping, pool)?;
        make(Answered { first, batch, answers })
    };
    thread::scope(|scope| {
        let (send, receive) = mpsc::sync_channel(computing);
        for index in 0..computing {
            let (queue, work, send) = (&queue, &work, send.clone());
            let builder = thread::Builder::new().name(format!("gecc-compute-{index}"));
            match builder.spawn_scoped(scope, move || compute(queue, work, &send, stop)) {
                Ok(_) => {}
                Err(problem) if index == 0 => return Err(Error::Stream(problem)),
                // Fewer threads will do.
                Err(_) => break,
            }
        }
        drop(send);
        let end = take_in_order(&receive, &queue, take);
        // Threads that wait for room, in the queue or the channel, end.
        queue.stop();
        end
    })
}

/// The number of a batch and what became of it.
type Numbered<T> = (usize, Result<T, Error>);

/// Takes results in the order of the batches, until there are no more, one is an error, or no more are wanted.
fn take_in_order<T, B>(
    receive: &Receiver<Numbered<T>>,
    queue: &Queue,
    mut take: impl FnMut(T) -> ControlFlow<B>,
) -> Result<Option<B>, Error> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    for (number, done) in receive {
        waiting.insert(number, done);
        while let Some(done) = waiting.remove(&next) {
            if let ControlFlow::Break(end) = take(done?) {
                return Ok(Some(end));
            }
            next += 1;
            queue.taken(next);
        }
    }
    Ok(None)
}

/// Takes batches and sends what becomes of them, until there are no more or nobody wants them.
fn compute<T>(
    queue: &Queue,
    work: &impl Fn(u64, &RecordBatch) -> Result<T, Error>,
    send: &SyncSender<Numbered<T>>,
    stop: &AtomicBool,
) {
    while !stop.load(Ordering::Relaxed) {
        let Some((number, first, batch)) = queue.next(stop) else { return };
        let done = batch.and_then(|batch| caught(|| work(first, &batch)));
        if send.send((number, done)).is_err() {
            return;
        }
    }
}

/// Batches with their numbers, not too far ahead of what was taken, and not too many bytes of them.
struct Queue {
    source: Mutex<Source>,
    progress: Mutex<Progress>,
    changed: Condvar,
    ahead: usize,
    max_memory: u64,
}

struct Source {
    batches: Batches,
    /// The number of the next batch, and that of its first row.
    number: usize,
    row: u64,
}

#[derive(Default)]
struct Progress {
    taken: usize,
    /// Bytes of each batch that is not yet taken.
    held: BTreeMap<usize, u64>,
    stopped: bool,
}

impl Queue {
    fn new(batches: Batches, ahead: usize) -> Self {
        let max_memory = batches.max_memory();
        let source = Mutex::new(Source { batches, number: 0, row: 0 });
        Queue { source, progress: Mutex::default(), changed: Condvar::new(), ahead, max_memory }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next batch with its number and that of its first row, once there is room for it. Nothing where it is waited
    /// for and no more is wanted.
    fn next(&self, stop: &AtomicBool) -> Option<(usize, u64, Result<RecordBatch, Error>)> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, row) = (source.number, source.row);
        let mut progress = self.progress();
        // One batch more than fits: how large it is, is known when it is there.
        let is_full = |progress: &Progress| {
            number >= progress.taken + self.ahead || progress.held.values().sum::<u64>() > self.max_memory
        };
        while !progress.stopped && is_full(&progress) {
            progress = self.changed.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
        if progress.stopped {
            return None;
        }
        drop(progress);
        let batch = source.batches.next_while(&|| !stop.load(Ordering::Relaxed) && !self.progress().stopped)?;
        if let Ok(batch) = &batch {
            self.progress().held.insert(number, held(batch));
        }
        source.number += 1;
        source.row += batch.as_ref().map_or(0, |batch| batch.num_rows() as u64);
        Some((number, row, batch))
    }

    fn taken(&self, count: usize) {
        let mut progress = self.progress();
        progress.taken = count;
        progress.held = progress.held.split_off(&count);
        drop(progress);
        self.changed.notify_all();
    }

    fn stop(&self) {
        self.progress().stopped = true;
        self.changed.notify_all();
    }
}
