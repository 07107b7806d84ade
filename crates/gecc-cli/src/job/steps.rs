//! The steps of a job over text: lines are read, parsed into columns, computed, written as lines, all at the same time.
//!
//! Each step has a thread that keeps the order of batches, and spreads the work of a batch over a pool that all steps share. Batches
//! go from step to step through channels, whose lengths and the arenas bound what is in memory. A step whose successor is gone ends.

use super::Operation;
use super::arena::Arena;
use super::compute::{Batch, compute};
use super::filler::{Filler, Window};
use super::report::Tally;
use super::text::{End, Job};
use super::write::{Spares, Wanted, Written, write_batch};
use crate::input::cut::{Cutter, measure};
use crate::input::open::Input;
use crate::input::source::{Next, Source};
use crate::input::text::Buffers;
use crate::output::{Failure, Output};
use gecc::stack;
use indicatif::ProgressBar;
use rayon::prelude::*;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvError, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often an idle input is asked whether the job was interrupted.
const PATIENCE: Duration = Duration::from_millis(100);

/// What comes next, in order.
enum Ordered<T> {
    Next(T),
    /// Nothing comes after it.
    Failed(Failure),
}

/// A batch for the engine, and where it goes then.
type Work = (Batch, SyncSender<Result<Batch, gecc::Error>>);

/// A batch on its way through the engine.
type Computed = Receiver<Result<Batch, gecc::Error>>;

/// Answers of a batch, and the bytes of input that it took.
struct Answers {
    units: Vec<Written>,
    bytes: u64,
}

impl<O: Operation> Job<'_, O> {
    /// Starts the steps, and writes what they give.
    pub fn answer_all(&self, input: Input, output: &mut Output, progress: &ProgressBar, tally: &mut Tally) -> End {
        let (spares, wanted) = (Spares::default(), Wanted::new(self.options));
        let (to_parser, windows) = sync_channel(1);
        let (to_engine, batches) = sync_channel(1);
        let batches = Arc::new(Mutex::new(batches));
        let (to_writer, computed) = sync_channel(self.limits.batches);
        let (to_output, answers) = sync_channel(1);
        let (free, arenas) = channel();
        let buffers = Buffers::new(self.limits.piece, self.keys);
        let waits = matches!(input, Input::Stream(_));
        std::thread::scope(|scope| {
            scope.spawn(|| self.read(Source::new(input, buffers, self.limits.window), to_parser));
            scope.spawn(move || self.parse(windows, waits, arenas, to_engine, to_writer));
            for _ in 0..self.limits.computing {
                let batches = Arc::clone(&batches);
                scope.spawn(move || self.compute(&batches));
            }
            // When these threads are gone, so that nobody hands on to them.
            drop(batches);
            let spares = &spares;
            scope.spawn(move || self.write(computed, wanted, spares, free, to_output));
            let end = self.put_out(answers, output, wanted, spares, progress, tally);
            self.stopped.store(true, Ordering::Relaxed);
            end
        })
    }

    /// Whether nothing more is wanted.
    fn is_over(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.interrupted.load(Ordering::Relaxed)
    }

    /// Reads the input, and cuts it into units.
    fn read(&self, mut source: Source, to: SyncSender<Ordered<Window>>) {
        let mut cutter = Cutter::new(self.options.format, self.keys);
        let mut has_ended = false;
        while !has_ended && !self.is_over() {
            let next = match &source {
                Source::File(_) => self.pool.install(|| source.next(PATIENCE)),
                Source::Stream(_) => source.next(PATIENCE),
            };
            let (mut cuts, mut bytes) = (Vec::new(), 0);
            let outcome = match next {
                Ok(Next::Nothing) => continue,
                Ok(Next::Pieces(pieces)) => pieces.into_iter().try_for_each(|piece| {
                    bytes += piece.bytes().len() as u64;
                    cutter.push(piece, &mut cuts)
                }),
                Ok(Next::End) => {
                    has_ended = true;
                    cutter.end(&mut cuts)
                }
                Err(problem) => Err(problem.to_string()),
            };
            // What was read before an error is still answered.
            if let Some(layout) = cutter.layout().cloned() {
                let measures = self
                    .pool
                    .install(|| cuts.par_iter().map(|cut| measure(cut, &layout, self.limits.unit_rows)).collect());
                let units = cutter.number(cuts, measures);
                if !units.is_empty() && to.send(Ordered::Next(Window { units, layout, bytes })).is_err() {
                    return;
                }
            }
            if let Err(problem) = outcome {
                let _ = to.send(Ordered::Failed(format!("reading the input: {problem}").into()));
                return;
            }
        }
    }

    /// Parses units into batches.
    fn parse(
        &self,
        windows: Receiver<Ordered<Window>>,
        may_wait: bool,
        arenas: Receiver<Arena>,
        to_engine: SyncSender<Work>,
        to_writer: SyncSender<Ordered<Computed>>,
    ) {
        let hand_on = |batch: Option<Batch>| -> Option<()> {
            let Some(batch) = batch else { return Some(()) };
            let (to, computed) = sync_channel(1);
            to_writer.send(Ordered::Next(computed)).ok()?;
            to_engine.send((batch, to)).ok()
        };
        let mut filler = Filler::new(self, arenas);
        let mut step = || -> Option<()> {
            loop {
                // What came is not kept waiting for what may take any time to come.
                let next = if may_wait && filler.batch.is_some() {
                    match windows.try_recv() {
                        Err(TryRecvError::Empty) => {
                            hand_on(filler.batch.take())?;
                            continue;
                        }
                        next => next.ok(),
                    }
                } else {
                    windows.recv().ok()
                };
                match next {
                    Some(Ordered::Next(window)) => filler.add(window, &hand_on)?,
                    Some(Ordered::Failed(failure)) => {
                        hand_on(filler.batch.take())?;
                        return to_writer.send(Ordered::Failed(failure)).ok();
                    }
                    None => return hand_on(filler.batch.take()),
                }
            }
        };
        // `None` where a later step has ended.
        let _ = step();
    }

    /// Computes batches.
    fn compute(&self, batches: &Mutex<Receiver<Work>>) {
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

    /// Writes the answers of batches, into memory.
    fn write(
        &self,
        computed: Receiver<Ordered<Computed>>,
        wanted: Wanted,
        spares: &Spares,
        free: Sender<Arena>,
        to: SyncSender<Ordered<Answers>>,
    ) {
        for next in computed {
            let failure = match next {
                Ordered::Failed(failure) => failure,
                Ordered::Next(batch) => match batch.recv() {
                    // It is not computed any more.
                    Err(RecvError) => return,
                    Ok(Err(problem)) => problem.into(),
                    Ok(Ok(mut batch)) => {
                        let units = self.pool.install(|| write_batch(self.operation, &batch, wanted, spares));
                        batch.arena.wipe(batch.rows);
                        let _ = free.send(batch.arena);
                        if to.send(Ordered::Next(Answers { units, bytes: batch.bytes })).is_err() {
                            return;
                        }
                        continue;
                    }
                },
            };
            let _ = to.send(Ordered::Failed(failure));
            return;
        }
    }

    /// Puts answers out, in order.
    fn put_out(
        &self,
        answers: Receiver<Ordered<Answers>>,
        output: &mut Output,
        wanted: Wanted,
        spares: &Spares,
        progress: &ProgressBar,
        tally: &mut Tally,
    ) -> End {
        for next in answers {
            let Answers { units, bytes } = match next {
                Ordered::Next(answers) => answers,
                Ordered::Failed(failure) => return End::Failed(failure),
            };
            if self.interrupted.load(Ordering::Relaxed) {
                return End::Interrupted;
            }
            let texts: Vec<&[u8]> = units.iter().map(|unit| unit.text.as_slice()).collect();
            let (written, outcome) = output.write(&texts, self.pool);
            units[..written].iter().for_each(|unit| tally.add(&unit.tally));
            units.into_iter().for_each(|unit| spares.give_back(unit.text, O::GIVES_SECRETS));
            match outcome.map_err(Failure::from) {
                Ok(()) => progress.inc(bytes),
                Err(Failure::ClosedPipe) => return End::ClosedPipe,
                Err(failure) => return End::Failed(failure),
            }
            if wanted.check && tally.rejected() > 0 {
                return End::Rejection;
            }
        }
        if self.interrupted.load(Ordering::Relaxed) { End::Interrupted } else { End::Input }
    }
}
