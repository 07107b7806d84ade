//! The stages of a job over text ([`gecc::pipeline`]): text is read, cut and parsed into batches of
//! columns; workers compute batches and format their answers; the job's thread writes them.
//!
//! Each stage spreads the work of a batch over a pool shared by all. The capacities of the queues
//! and the number of arenas bound the memory.

use super::arena::Arena;
use super::batch::{Batch, compute};
use super::lines::{BatchFormatter, BatchSink};
use super::state::{Job, JobEnd};
use super::tally::Tally;
use crate::input::open::Input;
use crate::output::{Failure, Progress};
use gecc::fields::FormCounts;
use gecc::pipeline::{Demand, Sender, Stages};
use gecc::stack;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, channel, sync_channel};
use std::thread::{self, Scope};
use std::time::Duration;

/// The interval at which a waiting stage checks whether the job should stop.
pub const PATIENCE: Duration = Duration::from_millis(100);
/// The factor by which batches grow while input is waiting.
pub const GROWTH: usize = 8;

/// Text inputs with their names.
pub type Texts<'a> = Box<dyn Iterator<Item = (Arc<str>, Input)> + Send + 'a>;

/// Text inputs that are answered together.
pub struct TextInputs<'a> {
    pub texts: Texts<'a>,
    /// True if further input may take any time to arrive.
    pub waits: bool,
}

/// The queue of filled batches, whose answers are written in the same order.
pub trait BatchQueue {
    /// Queues a batch. Returns `false` if no further answers are wanted.
    #[must_use]
    fn put(&self, batch: Batch) -> bool;

    /// Ends the job with a failure after all batches that were queued before it. Returns `false` if
    /// no further answers are wanted.
    fn fail(&self, failure: Failure) -> bool;
}

impl<M> BatchQueue for Sender<Batch, Result<AnsweredBatch<M>, Failure>> {
    fn put(&self, batch: Batch) -> bool {
        self.send(batch)
    }

    fn fail(&self, failure: Failure) -> bool {
        self.send_result(Err(failure))
    }
}

/// A pool of arenas: those that are free again, and the number created.
pub struct Arenas {
    free: Receiver<Arena>,
    count: usize,
    most: usize,
    /// Arenas that are too small. They are kept until the end, because unlocking their memory waits
    /// for all work of a GPU.
    retired: Vec<Arena>,
}

impl Arenas {
    /// Returns an arena for `rows` rows. Blocks while the maximum number of arenas is in use. Returns
    /// `None` if no further answers are wanted.
    pub fn take(
        &mut self,
        rows: usize,
        demand: &Demand,
        new: impl FnOnce() -> Arena,
    ) -> Option<Arena> {
        let free = match self.free.try_recv() {
            Ok(arena) => Some(arena),
            Err(_) if self.count < self.most => None,
            Err(_) => Some(self.wait(demand)?),
        };
        match free {
            Some(arena) if arena.capacity() >= rows => return Some(arena),
            // A new arena replaces it.
            Some(arena) => self.retired.push(arena),
            None => self.count += 1,
        }
        Some(new())
    }

    /// Waits for an arena. Those of batches that are left when the demand ends do not become free.
    fn wait(&self, demand: &Demand) -> Option<Arena> {
        while demand.continues() {
            match self.free.recv_timeout(PATIENCE) {
                Err(RecvTimeoutError::Timeout) => {}
                received => return received.ok(),
            }
        }
        None
    }
}

/// The answers of a batch, with the input bytes that it consumed and the size of its long rows.
pub struct AnsweredBatch<M> {
    made: M,
    bytes: u64,
    forms: FormCounts,
    long_rows: u64,
}

impl Job<'_> {
    /// Answers all items of text inputs.
    pub fn answer_all<F: BatchFormatter>(
        &self,
        inputs: TextInputs<'_>,
        form: &F,
        sink: &mut impl BatchSink<F::Made>,
        progress: &Progress,
        tally: &mut Tally,
    ) -> JobEnd {
        let (to_free, free) = channel();
        let arenas = Arenas {
            free,
            count: 0,
            most: self.limits.batches,
            retired: Vec::new(),
        };
        let stages = Stages {
            workers: self.limits.computing,
            items: 1,
            results: self.limits.computing,
            demand: &self.demand,
            budgets: &[&self.long_rows],
        };
        let ended = stages.run(
            |batches| self.read_all(inputs, arenas, &batches),
            |batch| Some(self.answer_batch(batch, form, &to_free)),
            |answered| self.put_out(answered, sink, progress, tally),
        );
        match ended {
            Err(problem) => JobEnd::of(not_started(&problem)),
            Ok(Some(end)) => end,
            Ok(None) => end_of_input(self.interrupted),
        }
    }

    /// Reads and cuts inputs on threads of their own, and parses them into batches on the calling
    /// thread.
    fn read_all(&self, inputs: TextInputs<'_>, arenas: Arenas, batches: &dyn BatchQueue) {
        let TextInputs { texts, waits } = inputs;
        let (to_splitter, read) = sync_channel(0);
        let (to_parser, windows) = sync_channel(1);
        thread::scope(|scope| {
            // A closure that is not moved to a thread drops its ends of channels, so that no other
            // thread waits for them.
            let started = spawn(scope, move || self.read(texts, to_splitter))
                .and_then(|()| spawn(scope, move || self.cut(read, to_parser)));
            match started {
                Ok(()) => self.parse(windows, waits, arenas, batches),
                Err(problem) => {
                    batches.fail(not_started(&problem));
                }
            }
        });
    }

    /// Returns whether the job should stop.
    pub fn is_over(&self) -> bool {
        !self.demand.continues()
    }

    /// Computes a batch, formats its answers in memory, and frees its arena.
    fn answer_batch<F: BatchFormatter>(
        &self,
        mut batch: Batch,
        form: &F,
        to_free: &mpsc::Sender<Arena>,
    ) -> Result<AnsweredBatch<F::Made>, Failure> {
        // Keys and shared secrets are on the stack during the work.
        stack::wiped(|| compute(self.operation, self.engine, &mut batch))?;
        let made = form.make(&batch);
        let mut forms = FormCounts::default();
        batch.units.iter().for_each(|unit| forms.add(unit.forms));
        batch.arena.wipe(batch.rows);
        // The receiver is gone when all input has been parsed.
        let _ = to_free.send(batch.arena);
        Ok(AnsweredBatch {
            made: made?,
            bytes: batch.bytes,
            forms,
            long_rows: batch.long_rows,
        })
    }

    /// Writes the answers of a batch, and decides whether the job goes on.
    fn put_out<M>(
        &self,
        answered: Result<AnsweredBatch<M>, Failure>,
        sink: &mut impl BatchSink<M>,
        progress: &Progress,
        tally: &mut Tally,
    ) -> ControlFlow<JobEnd> {
        let AnsweredBatch {
            made,
            bytes,
            forms,
            long_rows,
        } = match answered {
            Ok(answers) => answers,
            // The interruption may be what ended reading.
            Err(_) if is_set(self.interrupted) => return ControlFlow::Break(JobEnd::Interrupted),
            Err(failure) => return ControlFlow::Break(JobEnd::of(failure)),
        };
        tally.forms.add(forms);
        if forms.either > 0
            && let Err(unclear) = tally.forms.check()
        {
            return ControlFlow::Break(JobEnd::of(unclear.to_string().into()));
        }
        let next = put_out(made, sink, tally, self.interrupted, self.options.check);
        self.long_rows.release(long_rows);
        if next.is_continue() {
            progress.add(bytes, || format!("{} items", tally.items));
        }
        next
    }
}

/// Writes answers, and decides whether the job goes on. `check` is true if the first rejection is
/// the last answer.
pub fn put_out<M>(
    made: M,
    sink: &mut impl BatchSink<M>,
    tally: &mut Tally,
    interrupted: &AtomicBool,
    check: bool,
) -> ControlFlow<JobEnd> {
    if is_set(interrupted) {
        return ControlFlow::Break(JobEnd::Interrupted);
    }
    match sink.put_out(made, tally) {
        // After an interruption, an output that accepts nothing is not waited for.
        Err(_) if is_set(interrupted) => ControlFlow::Break(JobEnd::Interrupted),
        Err(failure) => ControlFlow::Break(JobEnd::of(failure)),
        Ok(()) if check && tally.rejected() > 0 => ControlFlow::Break(JobEnd::Rejection),
        Ok(()) => ControlFlow::Continue(()),
    }
}

/// Returns the end of a job whose answers have all been written, or which was interrupted.
pub fn end_of_input(interrupted: &AtomicBool) -> JobEnd {
    if is_set(interrupted) {
        JobEnd::Interrupted
    } else {
        JobEnd::Input
    }
}

/// Returns whether a flag is set.
pub fn is_set(flag: &AtomicBool) -> bool {
    flag.load(Ordering::Relaxed)
}

fn not_started(problem: &io::Error) -> Failure {
    gecc::Error::Threads(problem.to_string()).into()
}

fn spawn<'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() + Send + 'scope,
) -> io::Result<()> {
    thread::Builder::new().spawn_scoped(scope, work).map(drop)
}
