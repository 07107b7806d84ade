//! The state of a running job, and its end.

use super::limits::{Limits, of_engine};
use super::tally::Tally;
use crate::flags::StreamOptions;
use crate::input::open::is_standard_stream;
use crate::operation::CommandOperation;
use crate::output::{Failure, Output, debug, info, note, shown_path, warn};
use crate::{ALL_PASSED, CLOSED_PIPE, SOME_REJECTED, allocator, interrupt};
use gecc::Engine;
use gecc::pipeline::{Demand, MemoryBudget};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The reason why the job ended.
pub enum JobEnd {
    Input,
    Rejection,
    ClosedPipe,
    Interrupted,
    Failed(String),
}

impl JobEnd {
    /// Makes the end from a failure.
    pub fn of(failure: Failure) -> Self {
        match failure {
            Failure::ClosedPipe => JobEnd::ClosedPipe,
            Failure::Problem(problem) => JobEnd::Failed(problem),
        }
    }
}

/// The state shared by all stages.
pub struct Job<'a> {
    pub operation: &'a CommandOperation,
    pub engine: &'a Engine,
    pub options: &'a StreamOptions,
    pub pool: &'a Arc<ThreadPool>,
    pub limits: Limits,
    /// The size in bytes of long rows that were read and are not written yet.
    pub long_rows: MemoryBudget,
    /// The size of the input in bytes, if known.
    pub length: Option<u64>,
    /// Ends with an interruption, and when no further answers are written.
    pub demand: Demand<'static>,
    pub interrupted: &'static AtomicBool,
}

/// Makes the failure for an input of this name.
pub fn unreadable(name: &str, problem: &dyn Display) -> Failure {
    let path = Path::new(name);
    let name = if is_standard_stream(path) {
        "standard input".to_owned()
    } else {
        shown_path(path)
    };
    format!("{name}: {problem}").into()
}

/// The operation and the resources that all inputs share.
pub struct StartedJob<'a> {
    pub operation: &'a CommandOperation,
    pub options: &'a StreamOptions,
    pub engine: Engine,
    pub pool: Arc<ThreadPool>,
    pub interrupted: &'static AtomicBool,
    at: Instant,
}

impl<'a> StartedJob<'a> {
    /// Starts a job for inputs of `bytes` bytes, if known.
    pub fn new(
        operation: &'a CommandOperation,
        options: &'a StreamOptions,
        bytes: Option<u64>,
    ) -> Result<Self, String> {
        let at = Instant::now();
        if options.engine.max_memory.is_some() {
            allocator::give_back_freed();
        }
        let engine = options
            .engine
            .start_for(bytes, options.engine.max_memory.map(of_engine))?;
        info(|| {
            format!(
                "engine: {engine}, started in {:.3} s",
                at.elapsed().as_secs_f64()
            )
        });
        let pool = Arc::new(pool(options.engine.threads)?);
        Ok(StartedJob {
            operation,
            options,
            engine,
            pool,
            interrupted: interrupt::watch()?,
            at: Instant::now(),
        })
    }

    /// Ends the output, prints the summary, and returns the exit code.
    pub fn conclude(&self, end: JobEnd, tally: &Tally, output: Output) -> Result<u8, Failure> {
        let end = match end {
            JobEnd::Input if tally.items == 0 && !self.options.allow_empty => {
                JobEnd::Failed("the input has no items (--allow-empty accepts that)".to_owned())
            }
            end => end,
        };
        let kept = match end {
            JobEnd::Input | JobEnd::Rejection => {
                output.finish(self.options.sync).map(|()| String::new())
            }
            JobEnd::ClosedPipe | JobEnd::Interrupted | JobEnd::Failed(_) => {
                Ok(output.abandon(tally.items > 0))
            }
        };
        self.say(&end, tally);
        let kept = kept?;
        match end {
            JobEnd::Failed(problem) => Err((problem + &kept).into()),
            JobEnd::ClosedPipe => Ok(CLOSED_PIPE),
            JobEnd::Interrupted => {
                if !kept.is_empty() {
                    note(&format!("gecc: interrupted{kept}"));
                }
                Ok(interrupt::code())
            }
            JobEnd::Input if let Some(reason) = tally.formless() => {
                let hint = "are the columns and the encoding the right ones (--columns, --encoding, --curve)?";
                Err(format!("no item has the right form: {reason}; {hint}").into())
            }
            JobEnd::Input
                if tally.items > 0
                    && let Some(problem) =
                        self.operation.names(self.options).without_effect_so_far() =>
            {
                Err(problem.into())
            }
            JobEnd::Input | JobEnd::Rejection => Ok(if tally.rejected() == 0 {
                ALL_PASSED
            } else {
                SOME_REJECTED
            }),
        }
    }

    /// Prints the summary and the warnings.
    fn say(&self, end: &JobEnd, tally: &Tally) {
        debug(|| loaded_from(&self.engine));
        let messages = self.options.messages;
        let passed = self.operation.passed();
        // The reader is gone, so it is unknown how much of the output was read.
        let is_silent = matches!(end, JobEnd::ClosedPipe)
            || matches!(end, JobEnd::Failed(_)) && tally.items == 0;
        if !messages.quiet && !is_silent {
            tally.print(
                messages.summary,
                passed,
                self.at.elapsed().as_secs_f64(),
                &self.engine,
            );
        }
        warn_of_failures(&self.engine);
        if matches!(end, JobEnd::Input) {
            self.operation
                .keys
                .surplus(tally.items)
                .iter()
                .for_each(|surplus| warn(surplus));
            tally.suspicion().into_iter().for_each(warn);
            tally.forms.doubt().iter().for_each(|doubt| warn(doubt));
        }
    }
}

/// Makes the thread pool for processing text.
pub fn pool(threads: Option<usize>) -> Result<ThreadPool, String> {
    let builder = ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .thread_name(|_| "gecc-text".to_owned());
    builder
        .build()
        .map_err(|problem| format!("threads cannot be started: {problem}"))
}

/// Warns about devices that failed and were replaced by others.
pub fn warn_of_failures(engine: &Engine) {
    engine
        .failures()
        .iter()
        .for_each(|failure| warn(&failure.to_string()));
}

/// Describes the origin of the kernels that were used.
pub fn loaded_from(engine: &Engine) -> String {
    let loaded = engine.loaded_kernels();
    let each = loaded.iter().map(|kernels| {
        format!(
            "{} for {} from {}",
            kernels.file, kernels.curve, kernels.origin
        )
    });
    if loaded.is_empty() {
        return "kernels: none".to_owned();
    }
    format!("kernels: {}", each.collect::<Vec<_>>().join(", "))
}
