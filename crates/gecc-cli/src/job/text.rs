//! The job over text: lines are read, parsed into columns, computed, written as lines, all at the same time.
//!
//! Each step has a thread that keeps the order of batches, and spreads the work of a batch over a pool that all steps share. Batches
//! go from step to step through channels, whose lengths and the arenas bound what is in memory. A step whose successor is gone ends.

use super::Operation;
use super::arena::Arena;
use super::compute::{Batch, compute};
use super::limits::{Limits, of_engine};
use super::parse::{Rules, fill, key_form};
use super::report::Tally;
use super::write::{Spares, Wanted, Written, write_batch};
use crate::flags::StreamOptions;
use crate::input::cut::{Cutter, Unit, measure};
use crate::input::keyfile::warn_if_exposed;
use crate::input::layout::Layout;
use crate::input::open::{Input, open};
use crate::input::source::{Next, Source};
use crate::input::text::Buffers;
use crate::output::{Failure, Output, note, refuse_overwriting};
use crate::{ALL_PASSED, CLOSED_PIPE, INTERRUPTED, SOME_REJECTED};
use gecc::{Engine, stack};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvError, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How often an idle input is asked whether the job was interrupted.
const PATIENCE: Duration = Duration::from_millis(100);
/// By how much more rows a batch has than the one before, as long as input is waiting.
const GROWTH: usize = 8;

/// Units of the input that came together.
struct Window {
    units: Vec<Unit>,
    layout: Arc<Layout>,
    bytes: u64,
}

/// What comes next, in order.
enum Ordered<T> {
    Next(T),
    /// Nothing comes after it.
    Failed(Failure),
}

/// A batch on its way through the engine.
type Computed = Receiver<Result<Batch, gecc::Error>>;

/// Answers of a batch, and the bytes of input that it took.
struct Answers {
    units: Vec<Written>,
    bytes: u64,
}

/// Why the job ended.
enum End {
    Input,
    Rejection,
    ClosedPipe,
    Interrupted,
    Failed(Failure),
}

/// What all steps know.
struct Job<'a, O> {
    operation: &'a O,
    engine: &'a Engine,
    pool: &'a ThreadPool,
    limits: Limits,
    /// Bytes of the input, where that is known.
    length: Option<u64>,
    /// Whether nobody takes answers any more.
    stopped: AtomicBool,
    interrupted: &'static AtomicBool,
}

/// Runs an operation over the whole input and prints the summary. Gives the exit code. With `keys` the input is private keys, which may
/// come bare, one a line.
pub fn run<O: Operation>(operation: &O, mut options: StreamOptions, keys: bool) -> Result<u8, Failure> {
    refuse_overwriting(&options.input, options.output.as_deref())?;
    let input = open(&options.input).map_err(|problem| format!("{}: {problem}", options.input.display()))?;
    if keys {
        warn_if_exposed(&options.input);
    }
    let max_memory = options.engine.max_memory;
    options.engine.max_memory = of_engine(max_memory);
    let engine = options.engine.start()?;
    options.engine.max_memory = max_memory;
    let pool = pool(options.engine.threads)?;
    let limits = Limits::new(&options, &engine, operation, pool.current_num_threads());
    let output = Output::open(options.output.as_deref(), O::GIVES_SECRETS)?;
    let interrupted = watch_interrupts()?;
    let (length, stopped) = (input.length(), AtomicBool::new(false));
    let job = Job { operation, engine: &engine, pool: &pool, limits, length, stopped, interrupted };
    job.run(input, output, &options, keys)
}

impl<O: Operation> Job<'_, O> {
    fn run(&self, input: Input, mut output: Output, options: &StreamOptions, keys: bool) -> Result<u8, Failure> {
        let progress = if options.quiet { ProgressBar::hidden() } else { progress_bar(self.length) };
        let started = Instant::now();
        let mut tally = Tally::default();
        let end = self.answer_all(input, &mut output, options, keys, &progress, &mut tally);
        progress.finish_and_clear();
        let is_complete = matches!(end, End::Input | End::Rejection);
        let kept =
            if is_complete { output.finish().map(|()| String::new()) } else { Ok(output.abandon(tally.items > 0)) };
        let says_nothing = options.quiet || (matches!(end, End::Failed(_)) && tally.items == 0);
        if !says_nothing {
            tally.print(O::PASSED, started.elapsed().as_secs_f64(), self.engine);
        }
        for failure in self.engine.failures() {
            note(&format!("gecc: warning: {failure}"));
        }
        let kept = kept?;
        match end {
            End::Failed(Failure::Problem(problem)) => return Err((problem + &kept).into()),
            End::Failed(failure) => return Err(failure),
            End::Interrupted if !kept.is_empty() => note(&format!("gecc: interrupted{kept}")),
            End::Input => {
                if let Some(warning) = self.operation.warning(tally.items) {
                    note(&format!("gecc: warning: {warning}"));
                }
            }
            End::Rejection | End::ClosedPipe | End::Interrupted => {}
        }
        Ok(match end {
            End::Interrupted => INTERRUPTED,
            End::ClosedPipe => CLOSED_PIPE,
            _ if tally.rejected() == 0 => ALL_PASSED,
            _ => SOME_REJECTED,
        })
    }

    /// Starts the steps, and writes what they give.
    fn answer_all(
        &self,
        input: Input,
        output: &mut Output,
        options: &StreamOptions,
        keys: bool,
        progress: &ProgressBar,
        tally: &mut Tally,
    ) -> End {
        let (spares, wanted) = (Spares::default(), Wanted::new(options));
        let (to_parser, windows) = sync_channel(1);
        let (to_engine, batches) = sync_channel(1);
        let batches = Mutex::new(batches);
        let (to_writer, computed) = sync_channel(self.limits.batches);
        let (to_output, answers) = sync_channel(1);
        let (free, arenas) = channel();
        let buffers = Buffers::new(self.limits.piece, keys);
        let waits = matches!(input, Input::Stream(_));
        std::thread::scope(|scope| {
            scope.spawn(|| self.read(Source::new(input, buffers, self.limits.window), options, keys, to_parser));
            scope.spawn(move || self.parse(windows, waits, arenas, to_engine, to_writer));
            for _ in 0..self.limits.computing {
                scope.spawn(|| self.compute(&batches));
            }
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
    fn read(&self, mut source: Source, options: &StreamOptions, keys: bool, to: SyncSender<Ordered<Window>>) {
        let mut cutter = Cutter::new(options.format, keys);
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
        to_engine: SyncSender<(Batch, SyncSender<Result<Batch, gecc::Error>>)>,
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
    fn compute(&self, batches: &Mutex<Receiver<(Batch, SyncSender<Result<Batch, gecc::Error>>)>>) {
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
                        batch.arena.wipe();
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
            for unit in units {
                if self.interrupted.load(Ordering::Relaxed) {
                    return End::Interrupted;
                }
                match output.write(&unit.text).map_err(Failure::from) {
                    Ok(()) => tally.add(&unit.tally),
                    Err(Failure::ClosedPipe) => return End::ClosedPipe,
                    Err(failure) => return End::Failed(failure),
                }
                spares.give_back(unit.text, O::GIVES_SECRETS);
            }
            progress.inc(bytes);
            if wanted.check && tally.rejected() > 0 {
                return End::Rejection;
            }
        }
        if self.interrupted.load(Ordering::Relaxed) { End::Interrupted } else { End::Input }
    }
}

/// Fills arenas with units.
struct Filler<'a, O> {
    job: &'a Job<'a, O>,
    rules: Rules,
    /// Arenas that were written out.
    free: Receiver<Arena>,
    /// Arenas that there are.
    arenas: usize,
    /// Items of a full batch, and the most of any.
    rows: usize,
    most_rows: Option<usize>,
    /// The batch that is being filled.
    batch: Option<Batch>,
    /// The number of the next item.
    number: u64,
}

impl<'a, O: Operation> Filler<'a, O> {
    fn new(job: &'a Job<'a, O>, free: Receiver<Arena>) -> Self {
        let rules = Rules { reads: job.operation.reads(), limit: job.operation.limit() };
        let rows = job.limits.first_rows;
        Filler { job, rules, free, arenas: 0, rows, most_rows: None, batch: None, number: 0 }
    }

    /// Adds units to batches, and hands on those that are full. `None` where a later step has ended.
    fn add(&mut self, window: Window, hand_on: &impl Fn(Option<Batch>) -> Option<()>) -> Option<()> {
        let Window { mut units, layout, bytes } = window;
        let rows: usize = units.iter().map(|unit| unit.rows).sum();
        let Job { limits, length, .. } = self.job;
        let most_rows = *self.most_rows.get_or_insert_with(|| {
            length.map_or(*limits, |length| limits.for_file(length, bytes, rows as u64)).most_rows
        });
        let mut bytes = Some(bytes);
        while !units.is_empty() {
            let mut batch = match self.batch.take() {
                Some(batch) => batch,
                None => self.begin(&units[0], &layout)?,
            };
            let room = self.rows.min(batch.arena.capacity()) - batch.rows;
            let mut rows = 0;
            let fitting = units.iter().take_while(|unit| {
                rows += unit.rows;
                rows <= room
            });
            let fitting = fitting.count();
            let rest = units.split_off(fitting);
            self.fill(&mut batch, &units, &layout);
            // Text is not kept for longer.
            units = rest;
            batch.bytes += bytes.take().unwrap_or(0);
            if units.is_empty() && batch.rows < self.rows {
                self.batch = Some(batch);
            } else {
                hand_on(Some(batch))?;
                self.rows = most_rows.min(self.rows * GROWTH).max(self.job.limits.unit_rows);
            }
        }
        Some(())
    }

    /// A batch without items, of which the next unit is the first.
    fn begin(&mut self, first: &Unit, layout: &Layout) -> Option<Batch> {
        let mut arena = self.arena()?;
        if self.rules.reads.public_keys {
            arena.set_form(key_form(first, layout));
        }
        Some(Batch { arena, number: self.number, rows: 0, units: Vec::new(), bytes: 0 })
    }

    /// An arena with room for a full batch. Waits for one where there are as many as there may be.
    fn arena(&mut self) -> Option<Arena> {
        let Job { operation, engine, pool, limits, .. } = self.job;
        let free = match self.free.try_recv() {
            Ok(arena) => Some(arena),
            Err(_) if self.arenas < limits.batches => None,
            Err(_) => Some(self.free.recv().ok()?),
        };
        match free {
            Some(arena) if arena.capacity() >= self.rows => return Some(arena),
            // Too small: another takes its place.
            Some(_) => {}
            None => self.arenas += 1,
        }
        Some(pool.install(|| Arena::new(engine, *operation, self.rows)))
    }

    /// Parses units side by side.
    fn fill(&mut self, batch: &mut Batch, units: &[Unit], layout: &Layout) {
        let rows: Vec<usize> = units.iter().map(|unit| unit.rows).collect();
        let mut parts: Vec<_> = Vec::with_capacity(units.len());
        for ((unit, part), rows) in units.iter().zip(batch.arena.parts(batch.rows, &rows)).zip(&rows) {
            parts.push((unit, part, self.number));
            self.number += *rows as u64;
        }
        let rules = &self.rules;
        let origins: Vec<_> = self.job.pool.install(|| {
            let parts = parts.into_par_iter();
            // Private keys pass through.
            parts
                .map(|(unit, mut part, number)| stack::wiped(|| fill(unit, layout, rules, number, &mut part)))
                .collect()
        });
        batch.units.extend(origins);
        batch.rows += rows.iter().sum::<usize>();
    }
}

/// Threads for what is done to text.
fn pool(threads: Option<usize>) -> Result<ThreadPool, String> {
    let builder = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).thread_name(|_| "gecc-text".to_owned());
    builder.build().map_err(|problem| format!("threads cannot be started: {problem}"))
}

/// A flag that the first Ctrl-C sets; the second ends the program at once.
fn watch_interrupts() -> Result<&'static AtomicBool, String> {
    static INTERRUPT: AtomicBool = AtomicBool::new(false);
    // A process has one handler, and tests run several commands in one.
    static HANDLED: OnceLock<Result<(), String>> = OnceLock::new();
    let handle = || {
        ctrlc::set_handler(|| {
            if INTERRUPT.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(INTERRUPTED));
            }
        })
        .map_err(|problem| format!("Ctrl-C cannot be handled: {problem}"))
    };
    HANDLED.get_or_init(handle).clone()?;
    Ok(&INTERRUPT)
}

fn progress_bar(length: Option<u64>) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template = match length {
        Some(_) => "{bar:40} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
        None => "{spinner} {bytes} {bytes_per_sec}",
    };
    let style = ProgressStyle::with_template(template).expect("the template is well-formed");
    length.map_or_else(ProgressBar::new_spinner, ProgressBar::new).with_style(style)
}
