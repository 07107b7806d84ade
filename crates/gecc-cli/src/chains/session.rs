//! Runs a command over files: opens the inputs, writes answers as they arrive, and prints the
//! summary.

use super::AnswerRow;
use super::sink::{
    AnswerFormatter, AnswerSink, BatchContent, CurrentFile, FinishedFile, FormattedAnswers,
};
use super::state::{DoneFiles, FileOutcome, StateFile, StateRecord};
use super::summary::{Summary, count_problems, print_timings};
use crate::allocator;
use crate::flags::ChainOptions;
use crate::input::fields::counted;
use crate::input::paths::without_patterns;
use crate::job::{JobEnd, loaded_from, pool, warn_of_failures};
use crate::messages::warn;
use crate::output::{
    Failure, Output, Progress, debug, info, is_replaced, is_same_place, note, refuse_overwriting,
};
use crate::{ALL_PASSED, CLOSED_PIPE, COULD_NOT_RUN, NOT_CHECKED, SOME_REJECTED, interrupt};
use gecc::Engine;
use gecc_chains::bitcoin::companion_files;
use gecc_chains::{Paths, Settings, Timings, files_of};
use rayon::ThreadPool;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// The time for which the engine waits for the list of files, to learn whether they are few: enough
/// to find some thousand.
const FOUND_SOON: Duration = Duration::from_millis(20);

/// A run over files.
pub struct Session<'a> {
    /// Set by the thread that starts the engine; `None` if it did not start.
    engine: &'a OnceLock<Option<Engine>>,
    pool: Arc<ThreadPool>,
    interrupted: &'static AtomicBool,
    /// The memory limit for files and answers.
    max_memory: Option<usize>,
    timings: Timings,
    /// The files that are not recorded as done.
    pub paths: Paths,
}

impl Session<'_> {
    pub fn settings(&self) -> Settings<'_> {
        let settings = Settings::starting(self.engine, &self.pool, self.interrupted);
        Settings {
            max_memory: self.max_memory,
            timings: Some(&self.timings),
            ..settings
        }
    }
}

/// Starts the engine and publishes it to the waiting threads, which also learn of a failure. The
/// thread that finds the files sends their size, if known, unless that takes long; if it hangs up,
/// there is nothing to compute.
fn start(
    to: &OnceLock<Option<Engine>>,
    options: &ChainOptions,
    max_memory: Option<usize>,
    found: &Receiver<Option<u64>>,
) -> Result<(), String> {
    let failed = NotStarted(to);
    let bytes = match found.recv_timeout(FOUND_SOON) {
        Ok(bytes) => bytes,
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => return Ok(()),
    };
    let engine = options.engine.start_for(bytes, max_memory)?;
    info(|| format!("engine: {engine}"));
    let _ = to.set(Some(engine));
    drop(failed);
    Ok(())
}

/// Publishes on drop that there is no engine, unless one was set.
struct NotStarted<'a>(&'a OnceLock<Option<Engine>>);

impl Drop for NotStarted<'_> {
    fn drop(&mut self) {
        let _ = self.0.set(None);
    }
}

/// The consumer of the output of a batch.
pub type BatchConsumer<'a> = dyn FnMut(FormattedAnswers<BatchContent>) -> ControlFlow<Failure> + 'a;

/// Returns the share of a memory limit for files and answers: half of the limit, or a quarter if a
/// node takes the other quarter.
pub fn memory_for_files(limit: Option<usize>, has_node: bool) -> Option<usize> {
    limit.map(|bytes| if has_node { bytes / 4 } else { bytes / 2 })
}

/// The options about blocks.
#[derive(Clone, Copy, Default)]
pub struct BlockOptions {
    /// True if blocks are requested from a node.
    pub has_node: bool,
    /// True if only some blocks are requested. The input may be empty then.
    pub selects_some: bool,
    /// True if the rules of a block are requested for items that state no block, of which there has
    /// to be one.
    pub at_block: bool,
}

/// Runs `check` over the `named` files and writes the answers that it hands on. Returns the exit
/// code. `state` names the file that records which files are done. The engine starts while files
/// are being found and read.
pub fn run<R: AnswerRow>(
    named: &[PathBuf],
    blocks: BlockOptions,
    options: &ChainOptions,
    state: Option<StateFile>,
    check: impl FnOnce(
        &Session,
        &AnswerFormatter,
        &mut BatchConsumer,
    ) -> Result<Option<Failure>, gecc::Error>,
) -> Result<u8, Failure> {
    let started = Instant::now();
    let limit = options.engine.max_memory;
    let of_engine = limit.map(|bytes| bytes / 2);
    let max_memory = memory_for_files(limit, blocks.has_node);
    if limit.is_some() {
        allocator::give_back_freed();
    }
    let interrupted = interrupt::watch()?;
    let pool = Arc::new(pool(options.engine.threads)?);
    let engine = OnceLock::new();
    thread::scope(|scope| {
        let (to_start, found) = channel();
        let engine = &engine;
        let starting = thread::Builder::new()
            .spawn_scoped(scope, move || start(engine, options, of_engine, &found))
            .map_err(|problem| gecc::Error::Threads(problem.to_string()))?;
        let (paths, state, repeated) = find::<R>(named, options, state)?;
        let is_nothing_left = paths.files.is_empty() && paths.problems.is_empty();
        // The engine may have started without it.
        let _ = to_start.send(paths.known_bytes());
        let session = Session {
            engine,
            pool,
            interrupted,
            max_memory,
            timings: Timings::default(),
            paths,
        };
        let output = Output::open(options.output.as_deref(), false, interrupted)?;
        output.require_sync(options.sync)?;
        let bar = Progress::new(Some(session.paths.bytes()), options.messages.quiet);
        info(|| {
            format!(
                "input: {} files, {} bytes",
                session.paths.files.len(),
                session.paths.bytes()
            )
        });
        let (sink, former) = AnswerSink::new::<R>(options, output, &session.pool)?;
        let mut writing = AnswerWriter {
            options,
            pool: &session.pool,
            sink,
            state,
            present: CurrentFile::default(),
            finished: Vec::new(),
            summary: Summary::default(),
            repeated,
            reported: (0, 0),
            bar,
            what: R::WHAT,
        };
        let checked = check(&session, &former, &mut |made| match writing.put(made) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => ControlFlow::Break(failure),
        });
        writing.bar.end();
        let Some(engine) = engine.wait() else {
            return Err(starting
                .join()
                .unwrap_or_else(|panic| resume_unwind(panic))
                .unwrap_err()
                .into());
        };
        let end = match checked {
            _ if interrupted.load(Ordering::Relaxed) => JobEnd::Interrupted,
            Ok(None) => JobEnd::Input,
            Ok(Some(failure)) => JobEnd::of(failure),
            Err(problem) => JobEnd::Failed(problem.to_string()),
        };
        // The formatter is not needed to end the output.
        drop(former);
        let is_without_items = R::COUNTS_BLOCKS && !is_nothing_left && writing.is_without_items();
        let is_at_block_unused =
            blocks.at_block && writing.summary.answers() > 0 && writing.summary.without_block == 0;
        let code = conclude(end, engine, &session.timings, writing, started)?;
        if is_at_block_unused && matches!(code, ALL_PASSED | SOME_REJECTED | NOT_CHECKED) {
            return Err(
                "--at-block has no effect: every transaction states its block"
                    .to_owned()
                    .into(),
            );
        }
        if code == ALL_PASSED && is_without_items && !blocks.selects_some {
            return Err("the input has no items: neither blocks nor transactions"
                .to_owned()
                .into());
        }
        Ok(code)
    })
}

/// Finds the `named` files, leaves out those that the state records as done, and returns the
/// outcome of the latter.
fn find<R: AnswerRow>(
    named: &[PathBuf],
    options: &ChainOptions,
    state: Option<StateFile>,
) -> Result<(Paths, Option<StateRecord>, FileOutcome), Failure> {
    let mut paths = files_of(&without_patterns(named)?);
    R::require_input(&paths)?;
    let output = options.output.as_deref();
    refuse_overwriting_any(&paths, output)?;
    let Some(noted) = state else {
        return Ok((paths, None, FileOutcome::default()));
    };
    let done = noted.path;
    if output.is_some_and(|output| is_same_place(done, output)) {
        return Err(format!(
            "{}: --state and -o have to be different files",
            done.display()
        )
        .into());
    }
    let (
        state,
        DoneFiles {
            done: files,
            flawed,
            with_other_options,
            outcome,
        },
    ) = StateRecord::open(&noted, &mut paths)?;
    if files > 0 {
        output.map_or(Ok(()), |output| refuse_losing(output, done))?;
        if !options.messages.quiet {
            note(&format!(
                "{} {} done already",
                counted(files, "file"),
                if files == 1 { "is" } else { "are" }
            ));
        }
    }
    if flawed > 0 {
        let FileOutcome {
            rejected,
            not_checked,
            problems,
        } = outcome;
        warn(&format!(
            "of the files that are done already, {flawed} had {rejected} rejected, {not_checked} not checked, and {problems} places that \
            could not be read; this counts for the exit code again"
        ));
    }
    if with_other_options > 0 {
        warn(&format!(
            "{with_other_options} files were done with other options, and are done again"
        ));
    }
    Ok((paths, Some(state), outcome))
}

/// Refuses an output that is one of the input files, or one of the files next to Bitcoin's block
/// files: the spent outputs, and the obfuscation key.
pub fn refuse_overwriting_any(paths: &Paths, output: Option<&Path>) -> Result<(), String> {
    for (path, _) in &paths.files {
        refuse_overwriting(path, output)?;
        companion_files(path)
            .iter()
            .try_for_each(|accompanying| refuse_overwriting(accompanying, output))?;
    }
    Ok(())
}

/// Refuses an output that would replace the answers to files that are already done, since these are
/// not computed again.
fn refuse_losing(output: &Path, done: &Path) -> Result<(), String> {
    if std::fs::metadata(output)
        .is_ok_and(|before| before.len() > 0 && is_replaced(output, Some(&before)))
    {
        let output = output.display();
        let done = done.display();
        return Err(format!(
            "{output}: would be lost, and files that are done according to {done} are not answered again: name another output"
        ));
    }
    Ok(())
}

/// The stage that writes answers.
struct AnswerWriter<'a> {
    options: &'a ChainOptions,
    pool: &'a ThreadPool,
    sink: AnswerSink,
    state: Option<StateRecord>,
    present: CurrentFile,
    /// Files whose answers are written but not yet recorded in the state.
    finished: Vec<FinishedFile>,
    summary: Summary,
    /// The outcome of files that were left out because they are done.
    repeated: FileOutcome,
    /// The number of reported problems: places that could not be read, and parts that were not
    /// checked.
    reported: (u64, u64),
    bar: Progress,
    /// The name of the counted items.
    what: &'static str,
}

impl AnswerWriter<'_> {
    fn put(&mut self, mut made: FormattedAnswers<BatchContent>) -> Result<(), Failure> {
        let progress = std::mem::take(&mut made.progress);
        let (problems, lacking) = &mut self.reported;
        count_problems(&progress.problems, problems, lacking, |text| {
            self.bar.note(text)
        });
        self.finished.extend(self.sink.put(
            made,
            &mut self.summary,
            &mut self.present,
            self.pool,
        )?);
        if self.sink.is_readable() {
            self.note_finished()?;
        }
        self.bar.add(progress.bytes, || {
            format!("{} {}", self.summary.answers(), self.what)
        });
        Ok(())
    }

    /// Returns whether there was neither an answer nor a block nor a problem.
    fn is_without_items(&self) -> bool {
        let Summary {
            problems,
            lacking,
            blocks,
            ..
        } = &self.summary;
        self.summary.answers() == 0
            && *problems + *lacking + blocks.compared + blocks.not_compared == 0
    }

    fn note_finished(&mut self) -> Result<(), Failure> {
        let finished = std::mem::take(&mut self.finished);
        Ok(self
            .state
            .as_mut()
            .map_or(Ok(()), |state| state.add(&finished))?)
    }
}

/// Ends the output, prints the summary, and returns the exit code.
fn conclude(
    end: JobEnd,
    engine: &Engine,
    timings: &Timings,
    writing: AnswerWriter,
    started: Instant,
) -> Result<u8, Failure> {
    let AnswerWriter {
        options,
        sink,
        mut state,
        finished,
        summary,
        repeated,
        what,
        ..
    } = writing;
    let (output, whole) = sink.end();
    let noted = match (&whole, &mut state) {
        (Ok(()), Some(state)) => state.add(&finished),
        _ => Ok(()),
    };
    let end = match (end, whole) {
        (JobEnd::Input, Err(failure)) => JobEnd::of(failure),
        (end, _) => end,
    };
    let kept = match end {
        JobEnd::Input => output.finish(options.sync).map(|()| String::new()),
        _ => Ok(output.abandon(summary.answers() > 0)),
    };
    debug(|| loaded_from(engine));
    // The reader is gone, so it is unknown how much of the output was read.
    if !options.messages.quiet && !matches!(end, JobEnd::ClosedPipe) {
        summary.print(
            options.messages.summary,
            what,
            started.elapsed().as_secs_f64(),
            engine,
        );
        if options.timings {
            print_timings(timings);
        }
    }
    warn_of_failures(engine);
    let kept = kept?;
    noted?;
    match end {
        JobEnd::Failed(problem) => Err((problem + &kept).into()),
        JobEnd::ClosedPipe => Ok(CLOSED_PIPE),
        JobEnd::Interrupted => {
            note(&format!("gecc: interrupted{kept}"));
            Ok(interrupt::code())
        }
        JobEnd::Input | JobEnd::Rejection => {
            let mut outcome = summary.outcome();
            outcome.add(repeated);
            Ok(match outcome {
                FileOutcome { rejected: 1.., .. } => SOME_REJECTED,
                FileOutcome { problems: 1.., .. } => COULD_NOT_RUN,
                FileOutcome {
                    not_checked: 1.., ..
                } => NOT_CHECKED,
                FileOutcome { .. } => ALL_PASSED,
            })
        }
    }
}
