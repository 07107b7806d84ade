//! The job over text: what it needs is opened, the steps run, and what became of the items is said.

use super::Operation;
use super::limits::{Limits, of_engine};
use super::report::Tally;
use crate::flags::StreamOptions;
use crate::input::keyfile::warn_if_exposed;
use crate::input::open::{Input, open};
use crate::output::{Failure, Output, note, refuse_overwriting};
use crate::{ALL_PASSED, CLOSED_PIPE, INTERRUPTED, SOME_REJECTED};
use gecc::Engine;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Why the job ended.
pub enum End {
    Input,
    Rejection,
    ClosedPipe,
    Interrupted,
    Failed(Failure),
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

/// Runs an operation over the whole input and prints the summary. Gives the exit code. With `keys` the input is private keys, which may
/// come bare, one a line.
pub fn run<O: Operation>(operation: &O, options: StreamOptions, keys: bool) -> Result<u8, Failure> {
    refuse_overwriting(&options.input, options.output.as_deref())?;
    let input = open(&options.input).map_err(|problem| format!("{}: {problem}", options.input.display()))?;
    if keys {
        warn_if_exposed(&options.input);
    }
    let engine = options.engine.start_within(options.engine.max_memory.map(of_engine))?;
    let pool = pool(options.engine.threads)?;
    let limits = Limits::new(&options, &engine, operation, pool.current_num_threads());
    let output = Output::open(options.output.as_deref(), O::GIVES_SECRETS)?;
    let interrupted = watch_interrupts()?;
    let (length, stopped) = (input.length(), AtomicBool::new(false));
    let (engine, options, pool) = (&engine, &options, &pool);
    let job = Job { operation, engine, options, keys, pool, limits, length, stopped, interrupted };
    job.run(input, output)
}

impl<O: Operation> Job<'_, O> {
    fn run(&self, input: Input, mut output: Output) -> Result<u8, Failure> {
        let progress = if self.options.quiet { ProgressBar::hidden() } else { progress_bar(self.length) };
        let started = Instant::now();
        let mut tally = Tally::default();
        let end = self.answer_all(input, &mut output, &progress, &mut tally);
        progress.finish_and_clear();
        let kept = match end {
            End::Input | End::Rejection => output.finish().map(|()| String::new()),
            End::ClosedPipe | End::Interrupted | End::Failed(_) => Ok(output.abandon(tally.items > 0)),
        };
        self.say(&end, &tally, started.elapsed().as_secs_f64());
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
    fn say(&self, end: &End, tally: &Tally, seconds: f64) {
        let says_nothing = matches!(end, End::Failed(_)) && tally.items == 0;
        if !self.options.quiet && !says_nothing {
            tally.print(O::PASSED, seconds, self.engine);
        }
        let warning = if matches!(end, End::Input) { self.operation.warning(tally.items) } else { None };
        for warning in self.engine.failures().iter().map(ToString::to_string).chain(warning) {
            note(&format!("gecc: warning: {warning}"));
        }
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
