//! The steps of a job: items are read into columns, computed, and written as lines, all
//! concurrently.
//!
//! Each step has a thread that keeps batches in order and spreads the work of a batch over a pool
//! shared by all steps. Batches pass between steps through channels. The capacities of the channels
//! and the number of arenas bound the memory. A step ends when its successor is gone.

use super::arena::Arena;
use super::batch::{Batch, compute};
use super::lines::{BatchFormatter, BatchSink};
use super::state::{Job, JobEnd};
use super::tally::Tally;
use crate::input::open::Input;
use crate::output::{Failure, Progress};
use gecc::fields::FormCounts;
use gecc::pipeline::{self, Results, Workers, pipeline};
use gecc::stack;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, Scope};
use std::time::Duration;

/// The interval at which a waiting input checks whether the job was interrupted.
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

/// A computed batch, delivered in order.
type ComputedBatch = Result<Batch, Failure>;
/// The sender of filled batches, which are then computed and written.
pub type FilledBatches = pipeline::Sender<Batch, ComputedBatch>;

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
    /// Returns an arena for `rows` rows. Blocks if the maximum number of arenas is in use. Returns
    /// `None` if no arena will become free.
    pub fn take(&mut self, rows: usize, new: impl FnOnce() -> Arena) -> Option<Arena> {
        let free = match self.free.try_recv() {
            Ok(arena) => Some(arena),
            Err(_) if self.count < self.most => None,
            Err(_) => Some(self.free.recv().ok()?),
        };
        match free {
            Some(arena) if arena.capacity() >= rows => return Some(arena),
            // A new arena replaces it.
            Some(arena) => self.retired.push(arena),
            None => self.count += 1,
        }
        Some(new())
    }
}

/// The answers of a batch, with the input bytes that it consumed and the size of its long rows.
struct FormattedBatch<M> {
    made: M,
    bytes: u64,
    forms: FormCounts,
    long_rows: u64,
}

fn spawn<'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() + Send + 'scope,
) -> io::Result<()> {
    thread::Builder::new().spawn_scoped(scope, work).map(drop)
}

impl Job<'_> {
    /// Starts the steps, and writes their answers.
    pub fn answer_all<F: BatchFormatter>(
        &self,
        inputs: TextInputs<'_>,
        form: &F,
        sink: &mut impl BatchSink<F::Made>,
        progress: &Progress,
        tally: &mut Tally,
    ) -> JobEnd {
        let (filled, batches, computed) = pipeline(self.limits.batches, 1);
        let (to_output, answers) = sync_channel(1);
        let (to_free, free) = channel();
        let arenas = Arenas {
            free,
            count: 0,
            most: self.limits.batches,
            retired: Vec::new(),
        };
        thread::scope(|scope| {
            let started = self
                .start_reading(scope, inputs, arenas, filled)
                .and_then(|()| {
                    self.start_computing(scope, batches)?;
                    spawn(scope, move || {
                        self.write(computed, form, to_free, to_output)
                    })
                });
            let end = match started {
                Ok(()) => self.put_out(answers, sink, progress, tally),
                Err(problem) => JobEnd::of(format!("threads cannot be started: {problem}").into()),
            };
            self.stopped.store(true, Ordering::Relaxed);
            self.long_rows.close();
            end
        })
    }

    /// Starts the stages that fill batches. Like the following functions, it takes the ends of
    /// channels by value: those that are not moved to a thread are dropped, so that nothing waits
    /// for them.
    fn start_reading<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        inputs: TextInputs<'scope>,
        arenas: Arenas,
        filled: FilledBatches,
    ) -> io::Result<()> {
        let TextInputs { texts, waits } = inputs;
        let (to_splitter, read) = sync_channel(0);
        let (to_parser, windows) = sync_channel(1);
        spawn(scope, move || self.read(texts, to_splitter))?;
        spawn(scope, move || self.cut(read, to_parser))?;
        spawn(scope, move || self.parse(windows, waits, arenas, &filled))
    }

    /// Starts the threads that compute batches.
    fn start_computing<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        batches: Workers<Batch, ComputedBatch>,
    ) -> io::Result<()> {
        for _ in 0..self.limits.computing {
            let batches = batches.clone();
            spawn(scope, move || batches.work(|batch| self.compute(batch)))?;
        }
        Ok(())
    }

    /// Returns whether the job should stop.
    pub fn is_over(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.interrupted.load(Ordering::Relaxed)
    }

    /// Computes a batch, unless the job should stop.
    fn compute(&self, mut batch: Batch) -> Option<ComputedBatch> {
        if self.is_over() {
            return None;
        }
        // Keys and shared secrets are on the stack during the work.
        let computed = stack::wiped(|| compute(self.operation, self.engine, &mut batch));
        Some(computed.map(|()| batch).map_err(Failure::from))
    }

    /// Formats the answers of batches in memory.
    fn write<F: BatchFormatter>(
        &self,
        computed: Results<ComputedBatch>,
        form: &F,
        free: Sender<Arena>,
        to: SyncSender<Result<FormattedBatch<F::Made>, Failure>>,
    ) {
        for batch in computed {
            let answers = batch.and_then(|mut batch| {
                let made = form.make(&batch);
                let mut forms = FormCounts::default();
                batch.units.iter().for_each(|unit| forms.add(unit.forms));
                batch.arena.wipe(batch.rows);
                let _ = free.send(batch.arena);
                Ok(FormattedBatch {
                    made: made?,
                    bytes: batch.bytes,
                    forms,
                    long_rows: batch.long_rows,
                })
            });
            let is_last = answers.is_err();
            if to.send(answers).is_err() || is_last {
                return;
            }
        }
    }

    /// Writes answers, in order.
    fn put_out<M>(
        &self,
        answers: Receiver<Result<FormattedBatch<M>, Failure>>,
        sink: &mut impl BatchSink<M>,
        progress: &Progress,
        tally: &mut Tally,
    ) -> JobEnd {
        for next in answers {
            let FormattedBatch {
                made,
                bytes,
                forms,
                long_rows,
            } = match next {
                Ok(answers) => answers,
                // The interruption may be what ended reading.
                Err(_) if self.interrupted.load(Ordering::Relaxed) => return JobEnd::Interrupted,
                Err(failure) => return JobEnd::of(failure),
            };
            if self.interrupted.load(Ordering::Relaxed) {
                return JobEnd::Interrupted;
            }
            tally.forms.add(forms);
            if let Some(unclear) = Some(forms.either)
                .filter(|count| *count > 0)
                .and_then(|_| tally.forms.check().err())
            {
                return JobEnd::of(unclear.to_string().into());
            }
            let put_out = sink.put_out(made, tally);
            self.long_rows.release(long_rows);
            match put_out {
                Ok(()) => progress.add(bytes, || format!("{} items", tally.items)),
                // After an interruption, an output that accepts nothing is not waited for.
                Err(_) if self.interrupted.load(Ordering::Relaxed) => return JobEnd::Interrupted,
                Err(failure) => return JobEnd::of(failure),
            }
            if self.options.check && tally.rejected() > 0 {
                return JobEnd::Rejection;
            }
        }
        if self.interrupted.load(Ordering::Relaxed) {
            JobEnd::Interrupted
        } else {
            JobEnd::Input
        }
    }
}
