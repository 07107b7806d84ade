//! The job: items are read into columns, computed, and written as lines, all at the same time.
//!
//! Each step has a thread that keeps the order of batches, and spreads the work of a batch over a pool that all steps share. Batches
//! go from step to step through channels, whose lengths and the arenas bound what is in memory. A step whose successor is gone ends.
//! What fills the arenas depends on the input: `text` or `rows`.

use super::Operation;
use super::arena::Arena;
use super::compute::{Batch, compute};
use super::limits::{Limits, of_engine};
use super::report::Tally;
use super::rows::{RowSource, fields_of};
use super::tables::{self, Opened};
use super::write::{Spares, Wanted, Written, write_batch};
use crate::flags::{Format, StreamOptions};
use crate::input::keyfile::warn_if_exposed;
use crate::input::open::{Input, open};
use crate::input::source::Source;
use crate::input::text::Buffers;
use crate::output::{Failure, Output, note, refuse_overwriting};
use crate::{ALL_PASSED, CLOSED_PIPE, INTERRUPTED, SOME_REJECTED};
use gecc::{Engine, stack};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How often an idle input is asked whether the job was interrupted.
pub const PATIENCE: Duration = Duration::from_millis(100);
/// By how much more rows a batch has than the one before, as long as input is waiting.
pub const GROWTH: usize = 8;

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
            // Too small: another takes its place.
            Some(_) => {}
            None => self.count += 1,
        }
        Some(new())
    }
}

/// Answers of a batch, and the bytes of input that it took.
struct Answers {
    units: Vec<Written>,
    bytes: u64,
}

/// Why the job ended.
pub enum End {
    Input,
    Rejection,
    ClosedPipe,
    Interrupted,
    Failed(Failure),
}

/// Where items come from.
enum Items {
    Text(Input),
    Rows(RowSource),
}

/// What all steps know.
pub struct Job<'a, O> {
    pub operation: &'a O,
    pub engine: &'a Engine,
    pub pool: &'a ThreadPool,
    pub limits: Limits,
    /// Bytes of the input, where that is known.
    pub length: Option<u64>,
    /// Whether nobody takes answers any more.
    stopped: AtomicBool,
    interrupted: &'static AtomicBool,
}

/// What works on the input.
pub struct Started {
    pub engine: Engine,
    pub pool: Arc<ThreadPool>,
    pub interrupted: &'static AtomicBool,
    pub at: Instant,
}

impl Started {
    fn new(options: &StreamOptions) -> Result<Self, String> {
        let mut builder = options.engine.builder();
        if let Some(limit) = of_engine(options.engine.max_memory) {
            builder = builder.max_memory(limit);
        }
        let engine = builder.build().map_err(|problem| problem.to_string())?;
        let pool = Arc::new(pool(options.engine.threads)?);
        Ok(Started { engine, pool, interrupted: watch_interrupts()?, at: Instant::now() })
    }

    /// Ends the output, says what became of the items, and gives the exit code.
    pub fn conclude<O: Operation>(
        &self,
        operation: &O,
        options: &StreamOptions,
        end: End,
        tally: &Tally,
        output: Output,
    ) -> Result<u8, Failure> {
        let is_complete = matches!(end, End::Input | End::Rejection);
        let kept =
            if is_complete { output.finish().map(|()| String::new()) } else { Ok(output.abandon(tally.items > 0)) };
        let says_nothing = options.quiet || (matches!(end, End::Failed(_)) && tally.items == 0);
        if !says_nothing {
            tally.print(O::PASSED, self.at.elapsed().as_secs_f64(), &self.engine);
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
                if let Some(warning) = operation.warning(tally.items) {
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
}

/// Runs an operation over the whole input and prints the summary. Gives the exit code. With `keys` the input is private keys, which may
/// come bare, one a line.
pub fn run<O: Operation>(operation: &O, options: &StreamOptions, keys: bool) -> Result<u8, Failure> {
    refuse_overwriting(&options.input, options.output.as_deref())?;
    let named = |problem: String| format!("{}: {problem}", options.input.display());
    let input = open(&options.input).map_err(|problem| named(problem.to_string()))?;
    let opened = tables::open(input, options).map_err(named)?;
    options.check_formats(matches!(opened, Opened::Table(_)))?;
    if keys {
        warn_if_exposed(&options.input);
    }
    let started = Started::new(options)?;
    let input = match opened {
        Opened::Table(table) => return tables::run(operation, table, options, started),
        Opened::Other(input) => input,
    };
    let row_bytes = Arena::row_bytes(operation, options.layout.as_ref());
    let Started { engine, pool, interrupted, .. } = &started;
    let limits = Limits::new(options, engine, operation.width(), row_bytes, pool.current_num_threads());
    let length = input.length();
    let items = match (options.format, &options.layout) {
        (Some(Format::Rows), Some(layout)) => {
            layout.require(&fields_of(operation.reads()))?;
            Items::Rows(RowSource::new(input, layout.clone(), &limits, keys).map_err(named)?)
        }
        _ => Items::Text(input),
    };
    let mut output = Output::open(options.output.as_deref(), O::GIVES_SECRETS)?;
    let job = Job { operation, engine, pool, limits, length, stopped: AtomicBool::new(false), interrupted };
    let progress = if options.quiet { ProgressBar::hidden() } else { progress_bar(length) };
    let mut tally = Tally::default();
    let end = job.answer_all(items, &mut output, options, keys, &progress, &mut tally);
    progress.finish_and_clear();
    started.conclude(operation, options, end, &tally, output)
}

impl<O: Operation> Job<'_, O> {
    /// Starts the steps, and writes what they give.
    fn answer_all(
        &self,
        items: Items,
        output: &mut Output,
        options: &StreamOptions,
        keys: bool,
        progress: &ProgressBar,
        tally: &mut Tally,
    ) -> End {
        let spares = Spares::default();
        let wanted = Wanted::new(options, if matches!(items, Items::Rows(_)) { "row" } else { "line" });
        let (to_engine, batches) = sync_channel(1);
        let batches = Mutex::new(batches);
        let (to_writer, computed) = sync_channel(self.limits.batches);
        let (to_output, answers) = sync_channel(1);
        let (to_free, free) = channel();
        let filled = Filled { engine: to_engine, writer: to_writer };
        let arenas = Arenas { free, count: 0, most: self.limits.batches };
        std::thread::scope(|scope| {
            match items {
                Items::Rows(source) => {
                    scope.spawn(move || self.read_rows(source, arenas, &filled));
                }
                Items::Text(input) => {
                    let (to_parser, windows) = sync_channel(1);
                    let waits = matches!(input, Input::Stream(_));
                    let buffers = Buffers::new(self.limits.piece, keys);
                    let source = Source::new(input, buffers, self.limits.window);
                    scope.spawn(move || self.read(source, options.format, keys, to_parser));
                    scope.spawn(move || self.parse(windows, waits, arenas, &filled));
                }
            }
            for _ in 0..self.limits.computing {
                scope.spawn(|| self.compute(&batches));
            }
            let spares = &spares;
            scope.spawn(move || self.write(computed, wanted, spares, to_free, to_output));
            let end = self.put_out(answers, output, wanted, spares, progress, tally);
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

    /// Writes the answers of batches, into memory.
    fn write(
        &self,
        computed: Receiver<Ordered<Receiver<Computed>>>,
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
