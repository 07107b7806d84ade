//! A job that runs: what it works with, and how it ends.

use super::limits::{Limits, of_engine};
use super::report::Tally;
use crate::flags::StreamOptions;
use crate::input::open::is_standard_stream;
use crate::operation::Operation;
use crate::output::{Failure, Output, debug, info, note, warn};
use crate::{ALL_PASSED, CLOSED_PIPE, SOME_REJECTED, interrupt};
use gecc::Engine;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
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

/// What all steps know.
pub struct Job<'a> {
    pub operation: &'a Operation,
    pub engine: &'a Engine,
    pub options: &'a StreamOptions,
    /// Where the input is.
    pub path: &'a Path,
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

impl Job<'_> {
    /// What is wrong with the input.
    pub fn unreadable(&self, problem: &dyn Display) -> Failure {
        match is_standard_stream(self.path) {
            true => format!("standard input: {problem}").into(),
            false => format!("{}: {problem}", self.path.display()).into(),
        }
    }
}

/// What works on the input.
pub struct Started {
    pub engine: Engine,
    pub pool: Arc<ThreadPool>,
    pub interrupted: &'static AtomicBool,
    pub at: Instant,
}

impl Started {
    /// For inputs of this many bytes, where that is known.
    pub fn new(options: &StreamOptions, bytes: Option<u64>) -> Result<Self, String> {
        let at = Instant::now();
        let engine = options.engine.start_for(bytes, options.engine.max_memory.map(of_engine))?;
        info(|| format!("engine: {engine}, started in {:.3} s", at.elapsed().as_secs_f64()));
        let pool = Arc::new(pool(options.engine.threads)?);
        Ok(Started { engine, pool, interrupted: interrupt::watch()?, at: Instant::now() })
    }

    /// Ends the output, says what became of the items, and gives the exit code.
    pub fn conclude(
        &self,
        operation: &Operation,
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
                Ok(interrupt::code())
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
    fn say(&self, operation: &Operation, options: &StreamOptions, end: &End, tally: &Tally) {
        debug(|| loaded_from(&self.engine));
        let says_nothing = matches!(end, End::Failed(_)) && tally.items == 0;
        if !options.said.quiet && !says_nothing {
            tally.print(options.said.summary, operation.passed(), self.at.elapsed().as_secs_f64(), &self.engine);
        }
        let is_whole = matches!(end, End::Input);
        let empty = (is_whole && tally.items == 0).then(|| "the input has no items".to_owned());
        let suspicion = if is_whole { tally.suspicion().map(str::to_owned) } else { None };
        let warning = if is_whole { operation.warning(tally.items) } else { None };
        let failures = self.engine.failures();
        let warnings = failures.iter().map(ToString::to_string).chain(warning);
        for warning in warnings.chain(empty).chain(suspicion) {
            warn(&warning);
        }
    }
}

/// Threads for what is done to text.
pub fn pool(threads: Option<usize>) -> Result<ThreadPool, String> {
    let builder = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).thread_name(|_| "gecc-text".to_owned());
    builder.build().map_err(|problem| format!("threads cannot be started: {problem}"))
}

/// Where the kernels came from that were used.
pub fn loaded_from(engine: &Engine) -> String {
    let loaded = engine.loaded_kernels();
    let each = loaded.iter().map(|kernels| format!("{} for {} from {}", kernels.file, kernels.curve, kernels.origin));
    if loaded.is_empty() {
        return "kernels: none".to_owned();
    }
    format!("kernels: {}", each.collect::<Vec<_>>().join(", "))
}
