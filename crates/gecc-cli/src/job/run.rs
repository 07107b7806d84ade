//! The job as a whole: what it needs is opened, the steps run, and what became of the items is said.

use super::Operation;
use super::arena::Arena;
#[cfg(feature = "arrow")]
use super::columns;
use super::limits::{Limits, of_engine};
use super::report::Tally;
use super::rows::{RowSource, fields_of};
use super::tables::{self, Opened, ReadyTable};
use super::write::{LineForm, LineSink, Lines, Spares, Wanted};
use crate::flags::{Format, StreamOptions};
use crate::input::keyfile::{as_lines, warn_if_exposed};
use crate::input::open::{Input, open};
use crate::input::paths::inputs;
use crate::output::{Failure, Output, note, refuse_overwriting};
use crate::{ALL_PASSED, CLOSED_PIPE, INTERRUPTED, SOME_REJECTED};
use gecc::Engine;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io::{self, IsTerminal};
use std::path::Path;
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
            End::Input if tally.one_fault().is_some() => {
                let reason = tally.one_fault().unwrap_or_default();
                let hint = "are the columns and the encoding the right ones (--columns, --encoding, --curve)?";
                Err(format!("no item has the right form: {reason}; {hint}").into())
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
        let is_whole = matches!(end, End::Input);
        let empty = (is_whole && tally.items == 0).then(|| "the input has no items".to_owned());
        let suspicion = if is_whole { tally.suspicion().map(str::to_owned) } else { None };
        let warning = if is_whole { operation.warning(tally.items) } else { None };
        let failures = self.engine.failures();
        let warnings = failures.iter().map(ToString::to_string).chain(warning);
        for warning in warnings.chain(empty).chain(suspicion) {
            note(&format!("gecc: warning: {warning}"));
        }
    }
}

/// An input whose form is known and fits the command.
enum Ready {
    Table(Box<ReadyTable>),
    Items(Items, Limits, Option<u64>),
}

impl Ready {
    /// What the number of an item's place is called.
    fn place(&self) -> &'static str {
        if matches!(self, Ready::Items(Items::Text(_), ..)) { "line" } else { "row" }
    }
}

/// Runs an operation over all inputs and prints the summary. Gives the exit code. Where private keys are read, they may come
/// bare, one a line.
pub fn run<O: Operation>(operation: &O, options: &StreamOptions) -> Result<u8, Failure> {
    let paths = inputs(&options.inputs)?;
    for path in &paths {
        refuse_overwriting(path, options.output.as_deref())?;
    }
    if paths.len() > 1 && !options.answers().is_lines() {
        return Err("several inputs go with answers in lines: -o FILE.jsonl or FILE.csv".to_owned().into());
    }
    // What can be refused is refused before an engine is started.
    let opened = open_input(operation, &paths[0], options)?;
    let started = Started::new(options)?;
    let mut next = Some(ready(operation, &paths[0], opened, options, &started)?);
    let mut output = Output::open(options.output.as_deref(), O::GIVES_SECRETS, started.interrupted)?;
    let (mut tally, mut end, mut has_header) = (Tally::default(), End::Input, false);
    for path in &paths {
        let input = next.take().map_or_else(
            || open_input(operation, path, options).and_then(|input| ready(operation, path, input, options, &started)),
            Ok,
        );
        let input = match input {
            Ok(input) => input,
            Err(failure) => {
                end = End::Failed(failure);
                break;
            }
        };
        let file = (paths.len() > 1).then(|| path.display().to_string());
        let form = LineForm::new(operation, options, file, input.place());
        if let Some(header) = form.header().filter(|_| !has_header) {
            has_header = true;
            if let Err(problem) = output.write(vec![header]).outcome {
                end = End::of(problem.into());
                break;
            }
        }
        (end, output) = answer(operation, input, options, &started, &form, path, output, &mut tally);
        if !matches!(end, End::Input) {
            break;
        }
    }
    started.conclude(operation, options, end, &tally, output)
}

fn open_input<O: Operation>(operation: &O, path: &Path, options: &StreamOptions) -> Result<Opened, Failure> {
    let keys = operation.reads().secret_keys;
    let named = |problem: String| format!("{}: {problem}", path.display());
    let input = open(path).map_err(|problem| named(problem.to_string()))?;
    let opened = match tables::open(input, path, options).map_err(named)? {
        Opened::Other(input) if operation.reads().are_keys_alone() && options.format.is_none() => {
            Opened::Other(as_lines(input, operation.curve()).map_err(named)?)
        }
        opened => opened,
    };
    options.check_formats(matches!(opened, Opened::Table(_)))?;
    if keys {
        warn_if_exposed(path);
    }
    Ok(opened)
}

fn ready<O: Operation>(
    operation: &O,
    path: &Path,
    opened: Opened,
    options: &StreamOptions,
    started: &Started,
) -> Result<Ready, Failure> {
    let named = |problem: String| format!("{}: {problem}", path.display());
    let input = match opened {
        Opened::Table(table) => {
            let table = tables::ready(operation, table, options, started).map_err(named)?;
            return Ok(Ready::Table(Box::new(table)));
        }
        Opened::Other(input) => input,
    };
    let row_bytes = Arena::row_bytes(operation, options.layout.as_ref());
    let threads = started.pool.current_num_threads();
    let limits = Limits::new(options, &started.engine, operation.width(), row_bytes, threads);
    let length = input.length();
    let items = match (options.format, &options.layout) {
        (Some(Format::Rows), Some(layout)) => {
            layout.require(&fields_of(operation.reads()))?;
            layout.require_key_width(operation.reads().x_only_keys)?;
            Items::Rows(RowSource::new(input, layout.clone(), &limits).map_err(named)?)
        }
        _ => Items::Text(input),
    };
    Ok(Ready::Items(items, limits, length))
}

#[expect(clippy::too_many_arguments, reason = "what one input needs of the whole")]
fn answer<O: Operation>(
    operation: &O,
    input: Ready,
    options: &StreamOptions,
    started: &Started,
    form: &LineForm,
    path: &Path,
    output: Output,
    tally: &mut Tally,
) -> (End, Output) {
    let wanted = Wanted::new(options, input.place(), form);
    let (items, limits, length) = match input {
        Ready::Table(table) => return tables::answer(operation, *table, options, started, wanted, path, output, tally),
        Ready::Items(items, limits, length) => (items, limits, length),
    };
    let Started { engine, pool, interrupted, .. } = started;
    let (stopped, keys) = (AtomicBool::new(false), operation.reads().secret_keys);
    let job = Job { operation, engine, options, keys, pool, limits, length, stopped, interrupted };
    let progress = if options.quiet { ProgressBar::hidden() } else { progress_bar(length) };
    let ended = job.answer(items, pool, output, wanted, &progress, tally);
    progress.finish_and_clear();
    ended
}

impl<O: Operation> Job<'_, O> {
    /// Answers all items in the form that is asked for.
    fn answer(
        &self,
        items: Items,
        pool: &Arc<ThreadPool>,
        mut output: Output,
        wanted: Wanted,
        progress: &ProgressBar,
        tally: &mut Tally,
    ) -> (End, Output) {
        #[cfg(feature = "arrow")]
        if !self.options.answers().is_lines() {
            return columns::answer_all(self, items, pool, output, progress, tally);
        }
        let spares = Spares::default();
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
