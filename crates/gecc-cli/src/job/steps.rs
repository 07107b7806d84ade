//! The steps of a job: items are read into columns, computed, and written as lines, all at the same time.
//!
//! Each step has a thread that keeps the order of batches, and spreads the work of a batch over a pool that all steps share. Batches
//! go from step to step through channels, whose lengths and the arenas bound what is in memory. A step whose successor is gone ends.
//! What fills the arenas depends on the input: `text` or `rows`.

use super::arena::Arena;
use super::compute::{Batch, compute};
use super::report::Tally;
use super::running::{End, Job};
use super::write::{Form, Sink};
use crate::input::binary::reader::RowReader;
use crate::input::open::Input;
use crate::output::Failure;
use gecc::stack;
use indicatif::ProgressBar;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often an idle input is asked whether the job was interrupted.
pub const PATIENCE: Duration = Duration::from_millis(100);
/// By how much more rows a batch has than the one before, as long as input is waiting.
pub const GROWTH: usize = 8;

/// Where items come from.
pub enum Items {
    Text(Input),
    Rows(RowReader),
}

/// What comes next, in order.
pub enum Ordered<T> {
    Next(T),
    /// Nothing comes after it.
    Failed(Failure),
}

/// What became of a batch that went to the engine.
type Computed = Result<Batch, gecc::Error>;
/// A batch, and where it goes then.
type ToCompute = (Batch, SyncSender<Computed>);

/// Where filled batches go.
pub struct Filled {
    engine: SyncSender<ToCompute>,
    writer: SyncSender<Ordered<Receiver<Computed>>>,
}

impl Filled {
    /// Hands a batch on, to be computed and then written. `None` where a later step has ended.
    pub fn hand_on(&self, batch: Batch) -> Option<()> {
        let (to, computed) = sync_channel(1);
        self.writer.send(Ordered::Next(computed)).ok()?;
        self.engine.send((batch, to)).ok()
    }

    /// Says that nothing comes any more.
    pub fn fail(&self, failure: Failure) -> Option<()> {
        self.writer.send(Ordered::Failed(failure)).ok()
    }
}

/// Arenas that were written out, and how many there are.
pub struct Arenas {
    free: Receiver<Arena>,
    count: usize,
    most: usize,
    /// Those that are too small. Kept to the end: unlocking memory waits for all that a GPU does.
    retired: Vec<Arena>,
}

impl Arenas {
    /// An arena with room for so many rows. Waits for one where there are as many as there may be; `None` where none comes any more.
    pub fn take(&mut self, rows: usize, new: impl FnOnce() -> Arena) -> Option<Arena> {
        let free = match self.free.try_recv() {
            Ok(arena) => Some(arena),
            Err(_) if self.count < self.most => None,
            Err(_) => Some(self.free.recv().ok()?),
        };
        match free {
            Some(arena) if arena.capacity() >= rows => return Some(arena),
            // Another takes its place.
            Some(arena) => self.retired.push(arena),
            None => self.count += 1,
        }
        Some(new())
    }
}

/// Answers of a batch, and the bytes of input that it took.
struct Answers<M> {
    made: M,
    bytes: u64,
}

impl Job<'_> {
    /// Starts the steps, and puts out what they give.
    pub fn answer_all<F: Form>(
        &self,
        items: Items,
        form: &F,
        sink: &mut impl Sink<F::Made>,
        progress: &ProgressBar,
        tally: &mut Tally,
    ) -> End {
        let (to_engine, batches) = sync_channel(1);
        let batches = Arc::new(Mutex::new(batches));
        let (to_writer, computed) = sync_channel(self.limits.batches);
        let (to_output, answers) = sync_channel(1);
        let (to_free, free) = channel();
        let filled = Filled { engine: to_engine, writer: to_writer };
        let arenas = Arenas { free, count: 0, most: self.limits.batches, retired: Vec::new() };
        std::thread::scope(|scope| {
            match items {
                Items::Rows(source) => {
                    scope.spawn(move || self.read_rows(source, arenas, &filled));
                }
                Items::Text(input) => {
                    let ((to_cutter, pieces), (to_parser, windows)) = (sync_channel(0), sync_channel(1));
                    let waits = matches!(input, Input::Stream(_));
                    scope.spawn(move || self.read(input, to_cutter));
                    scope.spawn(move || self.cut(pieces, to_parser));
                    scope.spawn(move || self.parse(windows, waits, arenas, &filled));
                }
            }
            for _ in 0..self.limits.computing {
                let batches = Arc::clone(&batches);
                scope.spawn(move || self.compute(&batches));
            }
            // When these threads are gone, so that nobody hands on to them.
            drop(batches);
            scope.spawn(move || self.write(computed, form, to_free, to_output));
            let end = self.put_out(answers, sink, progress, tally);
            self.stopped.store(true, Ordering::Relaxed);
            end
        })
    }

    /// Whether nothing more is wanted.
    pub fn is_over(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.interrupted.load(Ordering::Relaxed)
    }

    /// Computes batches.
    fn compute(&self, batches: &Mutex<Receiver<ToCompute>>) {
        loop {
            let next = batches.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((mut batch, to)) = next else { return };
            if !self.is_over() {
                // Keys and shared secrets pass through.
                let computed = stack::wiped(|| compute(self.operation, self.engine, &mut batch));
                let _ = to.send(computed.map(|()| batch));
            }
        }
    }

    /// Makes the answers of batches, in memory.
    fn write<F: Form>(
        &self,
        computed: Receiver<Ordered<Receiver<Computed>>>,
        form: &F,
        free: Sender<Arena>,
        to: SyncSender<Ordered<Answers<F::Made>>>,
    ) {
        for next in computed {
            let failure = match next {
                Ordered::Failed(failure) => failure,
                Ordered::Next(batch) => match batch.recv() {
                    // It is not computed any more.
                    Err(RecvError) => return,
                    Ok(Err(problem)) => problem.into(),
                    Ok(Ok(mut batch)) => {
                        let made = form.make(&batch);
                        batch.arena.wipe(batch.rows);
                        let _ = free.send(batch.arena);
                        match made {
                            Err(failure) => failure,
                            Ok(made) => match to.send(Ordered::Next(Answers { made, bytes: batch.bytes })) {
                                Ok(()) => continue,
                                Err(_) => return,
                            },
                        }
                    }
                },
            };
            let _ = to.send(Ordered::Failed(failure));
            return;
        }
    }

    /// Puts answers out, in order.
    fn put_out<M>(
        &self,
        answers: Receiver<Ordered<Answers<M>>>,
        sink: &mut impl Sink<M>,
        progress: &ProgressBar,
        tally: &mut Tally,
    ) -> End {
        for next in answers {
            let Answers { made, bytes } = match next {
                Ordered::Next(answers) => answers,
                Ordered::Failed(failure) => return End::Failed(failure),
            };
            if self.interrupted.load(Ordering::Relaxed) {
                return End::Interrupted;
            }
            match sink.put_out(made, tally) {
                Ok(()) => progress.inc(bytes),
                // An output that takes nothing is not waited for any more.
                Err(_) if self.interrupted.load(Ordering::Relaxed) => return End::Interrupted,
                Err(failure) => return End::of(failure),
            }
            if self.options.check && tally.rejected() > 0 {
                return End::Rejection;
            }
        }
        if self.interrupted.load(Ordering::Relaxed) { End::Interrupted } else { End::Input }
    }
}
