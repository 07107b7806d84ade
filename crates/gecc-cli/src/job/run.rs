//! The job as a whole: what it needs is opened, the steps run, and what became of the items is said.

use super::Operation;
use super::arena::Arena;
#[cfg(feature = "arrow")]
use super::columns;
use super::limits::{Limits, of_engine};
use super::report::Tally;
use super::rows::{RowSource, fields_of};
use super::tables::{self, Opened};
use super::write::{LineSink, Lines, Spares, Wanted};
#[cfg(feature = "arrow")]
use crate::flags::AnswerFormat;
use crate::flags::{Format, StreamOptions};
use crate::input::keyfile::warn_if_exposed;
use crate::input::open::{Input, open};
use crate::output::{Failure, Output, note, refuse_overwriting};
use crate::{ALL_PASSED, CLOSED_PIPE, INTERRUPTED, SOME_REJECTED};
use gecc::Engine;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Why the job ended.
pub enum End {
    Input,
    Rejection,
    ClosedPipe,
    Interrupted,
    Failed(Failure),
}

impl End {
    /// By what went wrong when answers were put out.
    pub fn of(failure: Failure) -> Self {
        match failure {
            Failure::ClosedPipe => End::ClosedPipe,
            failure => End::Failed(failure),
        }
    }
}

/// Where items come from.
pub enum Items {
    Text(Input),
    Rows(RowSource),
}

/// What all steps know.
pub struct Job<'a, O> {
    pub operation: &'a O,
    pub engine: &'a Engine,
    pub options: &'a StreamOptions,
    /// Whether the input is private keys.
    pub keys: bool,
    pub pool: &'a ThreadPool,
    pub limits: Limits,
    /// Bytes of the input, where that is known.
    pub length: Option<u64>,
    /// Whether nobody takes answers any more.
    pub stopped: AtomicBool,
    pub interrupted: &'static AtomicBool,
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
        let engine = options.engine.start_within(options.engine.max_memory.map(of_engine))?;
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
        let kept = match end {
            End::Input | End::Rejection => output.finish(options.sync).map(|()| String::new()),
            End::ClosedPipe | End::Interrupted | End::Failed(_) => Ok(output.abandon(tally.items > 0)),
        };
        self.say(operation, options, &end, tally);
        let kept = kept?;
        match end {
            End::Failed(Failure::Problem(problem)) => Err((problem + &kept).into()),
            End::Failed(failure) => Err(failure),
            End::ClosedPipe => Ok(CLOSED_PIPE),
            End::Interrupted => {
                if !kept.is_empty() {
                    note(&format!("gecc: interrupted{kept}"));
                }
                Ok(INTERRUPTED)
            }
            End::Input | End::Rejection => Ok(if tally.rejected() == 0 { ALL_PASSED } else { SOME_REJECTED }),
        }
    }

    /// Prints the summary and the warnings.
    fn say<O: Operation>(&self, operation: &O, options: &StreamOptions, end: &End, tally: &Tally) {
        let says_nothing = matches!(end, End::Failed(_)) && tally.items == 0;
        if !options.quiet && !says_nothing {
            tally.print(O::PASSED, self.at.elapsed().as_secs_f64(), &self.engine);
        }
        let warning = if matches!(end, End::Input) { operation.warning(tally.items) } else { None };
        for warning in self.engine.failures().iter().map(ToString::to_string).chain(warning) {
            note(&format!("gecc: warning: {warning}"));
        }
    }
}

/// Runs an operation over the whole input and prints the summary. Gives the exit code. Where private keys are read, they may come
/// bare, one a line.
pub fn run<O: Operation>(operation: &O, options: &StreamOptions) -> Result<u8, Failure> {
    let keys = operation.reads().secret_keys;
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
            layout.require_key_width(operation.reads().x_only_keys)?;
            Items::Rows(RowSource::new(input, layout.clone(), &limits).map_err(named)?)
        }
        _ => Items::Text(input),
    };
    let output = Output::open(options.output.as_deref(), O::GIVES_SECRETS, interrupted)?;
    let stopped = AtomicBool::new(false);
    let job = Job { operation, engine, options, keys, pool, limits, length, stopped, interrupted };
    let progress = if options.quiet { ProgressBar::hidden() } else { progress_bar(length) };
    let mut tally = Tally::default();
    let (end, output) = job.answer(items, pool, output, &progress, &mut tally);
    progress.finish_and_clear();
    started.conclude(operation, options, end, &tally, output)
}

impl<O: Operation> Job<'_, O> {
    /// Answers all items in the form that is asked for.
    fn answer(
        &self,
        items: Items,
        pool: &Arc<ThreadPool>,
        mut output: Output,
        progress: &ProgressBar,
        tally: &mut Tally,
    ) -> (End, Output) {
        #[cfg(feature = "arrow")]
        if self.options.answers() != AnswerFormat::Jsonl {
            return columns::answer_all(self, items, pool, output, progress, tally);
        }
        let place = if matches!(items, Items::Rows(_)) { "row" } else { "line" };
        let (wanted, spares) = (Wanted::new(self.options, place), Spares::default());
        let form = Lines { operation: self.operation, wanted, spares: &spares, pool };
        let mut sink = LineSink { output: &mut output, spares: &spares, secret: O::GIVES_SECRETS };
        let end = self.answer_all(items, &form, &mut sink, progress, tally);
        (end, output)
    }
}

/// Threads for what is done to text.
pub fn pool(threads: Option<usize>) -> Result<ThreadPool, String> {
    let builder = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).thread_name(|_| "gecc-text".to_owned());
    builder.build().map_err(|problem| format!("threads cannot be started: {problem}"))
}

/// A flag that the first Ctrl-C sets; the second ends the program at once.
pub fn watch_interrupts() -> Result<&'static AtomicBool, String> {
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
