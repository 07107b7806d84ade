//! A command over files: what it needs is opened, answers are put out as they come, and what became of all is said.

use super::Row;
use super::put::Sink;
use super::state::State;
use super::summary::Summary;
use crate::flags::ChainOptions;
use crate::job::{End, pool, watch_interrupts};
use crate::memory;
use crate::output::{Failure, Output, note, refuse_overwriting};
use crate::{ALL_PASSED, CLOSED_PIPE, INTERRUPTED, NOT_CHECKED, SOME_REJECTED};
use gecc::Engine;
use gecc_chains::{Paths, Progress, Settings, files_of};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::ThreadPool;
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Problems of files that are said one by one.
const SAID: u64 = 100;

/// What works on files.
pub struct Session {
    engine: Engine,
    pool: Arc<ThreadPool>,
    interrupted: &'static AtomicBool,
    /// What files and answers may take in memory.
    max_memory: Option<usize>,
    /// The files that are not done yet.
    pub paths: Paths,
}

impl Session {
    pub fn settings(&self) -> Settings<'_> {
        let settings = Settings::new(&self.engine, &self.pool, self.interrupted);
        Settings { max_memory: self.max_memory, ..settings }
    }
}

/// What the library hands on.
pub type Answered<R> = (Vec<R>, Progress);

/// Checks files by `check`, which hands on what it finds, and puts the answers out. Gives the exit code. `done` is the
/// file that notes which files are done.
pub fn run<R: Row>(
    options: &ChainOptions,
    done: Option<&Path>,
    check: impl FnOnce(
        &Session,
        &mut dyn FnMut(Answered<R>) -> ControlFlow<Failure>,
    ) -> Result<Option<Failure>, gecc::Error>,
) -> Result<u8, Failure> {
    let mut paths = files_of(&options.paths);
    for (path, _) in &paths.files {
        refuse_overwriting(path, options.output.as_deref())?;
    }
    let mut state = None;
    if let Some(path) = done {
        let (opened, files) = State::open(path, &mut paths)?;
        state = Some(opened);
        if files > 0 && !options.quiet {
            note(&format!("{files} files are done already"));
        }
    }
    let started = Instant::now();
    // One half is the engine's.
    let max_memory = options.engine.max_memory.map(|bytes| bytes / 2);
    if max_memory.is_some() {
        memory::give_back_freed();
    }
    let (engine, interrupted) = (options.engine.start_within(max_memory)?, watch_interrupts()?);
    let session = Session { engine, pool: Arc::new(pool(options.engine.threads)?), interrupted, max_memory, paths };
    let output = Output::open(options.output.as_deref(), false, interrupted)?;
    let bar = if options.quiet { ProgressBar::hidden() } else { progress_bar(session.paths.bytes()) };
    let sink = Sink::new::<R>(options, output, &session.pool)?;
    let summary = Summary::default();
    let mut writing = Writing { options, pool: &session.pool, sink, state, finished: Vec::new(), summary, bar };
    let checked = check(&session, &mut |answered| match writing.put(answered) {
        Ok(()) => ControlFlow::Continue(()),
        Err(failure) => ControlFlow::Break(failure),
    });
    let end = match checked {
        _ if interrupted.load(Ordering::Relaxed) => End::Interrupted,
        Ok(None) => End::Input,
        Ok(Some(failure)) => End::of(failure),
        Err(problem) => End::Failed(problem.into()),
    };
    writing.bar.finish_and_clear();
    conclude::<R>(end, &session, writing, started)
}

/// What answers go through.
struct Writing<'a> {
    options: &'a ChainOptions,
    pool: &'a ThreadPool,
    sink: Sink,
    state: Option<State>,
    /// Files whose answers are put out, and which the state does not note yet.
    finished: Vec<Arc<Path>>,
    summary: Summary,
    bar: ProgressBar,
}

impl Writing<'_> {
    fn put<R: Row>(&mut self, (rows, progress): Answered<R>) -> Result<(), Failure> {
        for problem in &progress.problems {
            self.summary.problems += 1;
            if self.summary.problems <= SAID {
                self.bar.suspend(|| note(&format!("gecc: {problem}")));
            }
        }
        self.summary.add(self.sink.put(&rows, self.options.only_rejected, self.pool)?);
        self.finished.extend(progress.finished);
        if self.sink.is_readable() {
            self.note_finished()?;
        }
        self.bar.inc(progress.bytes);
        self.bar.set_message(format!("{} {}", self.summary.answers(), R::WHAT));
        Ok(())
    }

    fn note_finished(&mut self) -> Result<(), Failure> {
        let finished = std::mem::take(&mut self.finished);
        Ok(self.state.as_mut().map_or(Ok(()), |state| state.add(&finished))?)
    }
}

/// Ends the output, says what became of all, and gives the exit code.
fn conclude<R: Row>(end: End, session: &Session, writing: Writing, started: Instant) -> Result<u8, Failure> {
    let Writing { options, sink, mut state, finished, summary, .. } = writing;
    let (output, whole) = sink.end();
    let noted = match (&whole, &mut state) {
        (Ok(()), Some(state)) => state.add(&finished),
        _ => Ok(()),
    };
    let end = match (end, whole) {
        (End::Input, Err(failure)) => End::of(failure),
        (end, _) => end,
    };
    let kept = match end {
        End::Input => output.finish(options.sync).map(|()| String::new()),
        _ => Ok(output.abandon(summary.answers() > 0)),
    };
    if !options.quiet {
        summary.print(R::WHAT, started.elapsed().as_secs_f64(), &session.engine);
    }
    for warning in session.engine.failures() {
        note(&format!("gecc: warning: {warning}"));
    }
    let kept = kept?;
    noted?;
    match end {
        End::Failed(Failure::Problem(problem)) => Err((problem + &kept).into()),
        End::Failed(failure) => Err(failure),
        End::ClosedPipe => Ok(CLOSED_PIPE),
        End::Interrupted => {
            note(&format!("gecc: interrupted{kept}"));
            Ok(INTERRUPTED)
        }
        End::Input | End::Rejection if summary.rejected() > 0 || summary.problems > 0 => Ok(SOME_REJECTED),
        End::Input | End::Rejection if summary.unchecked() > 0 => Ok(NOT_CHECKED),
        End::Input | End::Rejection => Ok(ALL_PASSED),
    }
}

fn progress_bar(bytes: u64) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template = "{bar:40} {bytes}/{total_bytes} {bytes_per_sec} {eta} {msg}";
    ProgressBar::new(bytes).with_style(ProgressStyle::with_template(template).expect("the template is well-formed"))
}
