//! The job as a whole: opens the inputs, runs the steps, and prints the summary.

use super::arena::Arena;
#[cfg(feature = "arrow")]
use super::columns;
use super::limits::Limits;
use super::lines::{LineFormatter, LineSelection, LineSink};
use super::stages::TextInputs;
use super::state::{Job, JobEnd, StartedJob};
use super::tables::{self, Opened, ReadyTable};
use super::tally::Tally;
use crate::flags::StreamOptions;
use crate::input::keyfile::{as_lines, warn_if_exposed};
use crate::input::open::{Input, open};
use crate::input::paths::{bytes_of, inputs};
use crate::operation::CommandOperation;
use crate::output::{Failure, Output, Progress, info, path_error, refuse_overwriting, shown_path};
use crate::secrets::buffers::Spares;
use gecc::pipeline::{Demand, MemoryBudget};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// An input whose format is known and suits the command.
enum ReadyInput {
    Table(Box<ReadyTable>),
    Text(Input, Limits),
}

impl ReadyInput {
    /// Returns the name of an item's position.
    fn place(&self) -> &'static str {
        match self {
            ReadyInput::Table(_) => "row",
            ReadyInput::Text(..) => "line",
        }
    }
}

/// The inputs that are not answered yet, in order.
struct RemainingInputs<'a> {
    operation: &'a CommandOperation,
    options: &'a StreamOptions,
    paths: std::slice::Iter<'a, PathBuf>,
    /// The next input, if it was opened already.
    opened: Option<(&'a Path, Result<Opened, Failure>)>,
}

impl<'a> RemainingInputs<'a> {
    fn next(&mut self) -> Option<(&'a Path, Result<Opened, Failure>)> {
        self.opened.take().or_else(|| {
            let path = self.paths.next()?;
            Some((path, open_input(self.operation, path, self.options)))
        })
    }

    fn next_ready(
        &mut self,
        started: &StartedJob,
    ) -> Option<(&'a Path, Result<ReadyInput, Failure>)> {
        let (path, opened) = self.next()?;
        Some((path, opened.and_then(|opened| ready(started, path, opened))))
    }

    /// Returns the next input after a text, if it is a text file too.
    fn next_text(&mut self) -> Option<(Arc<str>, Input)> {
        match self.next()? {
            (path, Ok(Opened::Other(input))) if path.is_file() => {
                info(|| format!("input: {}", shown_path(path)));
                Some((name_of(path), input))
            }
            other => {
                self.opened = Some(other);
                None
            }
        }
    }

    /// Adds the next inputs to a table, as long as the table accepts them.
    fn join(&mut self, table: &mut ReadyTable) {
        while let Some(next) = self.next() {
            match next {
                (path, Ok(Opened::Table(other))) if table.takes(&other) => {
                    info(|| format!("input: {}", shown_path(path)));
                    table.add(name_of(path), other);
                }
                other => {
                    self.opened = Some(other);
                    return;
                }
            }
        }
    }

    /// Combines a text with the text files that follow it. Also returns the total size, if known.
    fn texts<'t>(&'t mut self, path: &Path, input: Input) -> (TextInputs<'t>, Option<u64>) {
        let waits = matches!(input, Input::Stream(_)) && !path.is_file();
        let length = input.length();
        let first = iter::once((name_of(path), input));
        if waits {
            return (
                TextInputs {
                    texts: Box::new(first),
                    waits,
                },
                length,
            );
        }
        let length = length.and_then(|length| Some(length + bytes_of(self.paths.as_slice())?));
        (
            TextInputs {
                texts: Box::new(first.chain(iter::from_fn(|| self.next_text()))),
                waits,
            },
            length,
        )
    }
}

/// Returns the name of an input in answers and errors.
fn name_of(path: &Path) -> Arc<str> {
    path.display().to_string().into()
}

/// Runs an operation over all inputs, prints the summary, and returns the exit code. If private
/// keys are read, the input may be bare keys, one per line.
pub fn run(operation: &CommandOperation, options: &StreamOptions) -> Result<u8, Failure> {
    let paths = inputs(&options.inputs)?;
    for path in &paths {
        refuse_overwriting(path, options.output.as_deref())?;
    }
    if paths.len() > 1 && !options.answers().is_lines() {
        return Err(
            "several inputs require answers in lines: -o FILE.jsonl or FILE.csv"
                .to_owned()
                .into(),
        );
    }
    if paths.len() > 1 && operation.keys.limit().is_some() {
        return Err(
            "several keys require a single input, to whose items they belong"
                .to_owned()
                .into(),
        );
    }
    operation.names(options).require_read()?;
    // Errors in the arguments and the first input are reported before an engine is started.
    let mut rest = RemainingInputs {
        operation,
        options,
        paths: paths.iter(),
        opened: None,
    };
    let (path, opened) = rest.next().expect("there is an input");
    let opened = opened?;
    let started = StartedJob::new(operation, options, bytes_of(&paths))?;
    let mut next = Some((path, Ok(ready(&started, path, opened)?)));
    let mut output = Output::open(
        options.output.as_deref(),
        operation.gives_secrets(),
        started.interrupted,
    )?;
    output.require_sync(options.sync)?;
    let mut tally = Tally::default();
    let mut end = JobEnd::Input;
    let mut has_header = false;
    while let Some((path, input)) = next.take().or_else(|| rest.next_ready(&started)) {
        info(|| format!("input: {}", shown_path(path)));
        let input = match input {
            Ok(input) => input,
            Err(failure) => {
                let is_interrupted = started.interrupted.load(Ordering::Relaxed);
                end = if is_interrupted {
                    JobEnd::Interrupted
                } else {
                    JobEnd::of(failure)
                };
                break;
            }
        };
        let wanted = LineSelection::new(operation, options, paths.len() > 1, input.place());
        if let Some(header) = wanted.header().filter(|_| !has_header) {
            has_header = true;
            if let Err(problem) = output.write(vec![header]).outcome {
                end = JobEnd::of(problem.into());
                break;
            }
        }
        (end, output) = answer(
            &started,
            (path, input),
            &mut rest,
            &wanted,
            output,
            &mut tally,
        );
        if !matches!(end, JobEnd::Input) {
            break;
        }
    }
    started.conclude(end, &tally, output)
}

fn open_input(
    operation: &CommandOperation,
    path: &Path,
    options: &StreamOptions,
) -> Result<Opened, Failure> {
    let input = open(path).map_err(|problem| path_error(path, problem))?;
    let may_be_key_file =
        operation.reads_keys_alone() && options.format.is_none() && options.columns.is_none();
    let opened =
        match tables::open(input, path, options).map_err(|problem| path_error(path, problem))? {
            Opened::Other(input) if may_be_key_file => {
                let lines = as_lines(input, operation.operation.into());
                Opened::Other(lines.map_err(|problem| path_error(path, problem))?)
            }
            opened => opened,
        };
    options.check_formats(matches!(opened, Opened::Table(_)))?;
    if operation.reads().secret_keys {
        warn_if_exposed(path);
    }
    Ok(opened)
}

fn ready(started: &StartedJob, path: &Path, opened: Opened) -> Result<ReadyInput, Failure> {
    let StartedJob {
        operation,
        options,
        engine,
        pool,
        ..
    } = started;
    let input = match opened {
        Opened::Table(table) => {
            options.seen.note_all();
            let table = tables::ready(started, name_of(path), table);
            return Ok(ReadyInput::Table(Box::new(
                table.map_err(|problem| path_error(path, problem))?,
            )));
        }
        Opened::Other(input) => input,
    };
    let row_bytes = Arena::row_bytes(operation);
    let limits = Limits::new(
        options,
        engine,
        operation.width(),
        row_bytes,
        pool.current_num_threads(),
    );
    Ok(ReadyInput::Text(input, limits))
}

/// Answers an input, together with the following inputs that continue it.
fn answer(
    started: &StartedJob,
    (path, input): (&Path, ReadyInput),
    rest: &mut RemainingInputs<'_>,
    wanted: &LineSelection,
    output: Output,
    tally: &mut Tally,
) -> (JobEnd, Output) {
    let (limits, (inputs, length)) = match input {
        ReadyInput::Table(mut table) => {
            rest.join(&mut table);
            return tables::answer(started, *table, wanted, output, tally);
        }
        ReadyInput::Text(input, limits) => (limits, rest.texts(path, input)),
    };
    let StartedJob {
        operation,
        options,
        engine,
        pool,
        interrupted,
        ..
    } = started;
    let long_rows = MemoryBudget::new(limits.long_rows as u64);
    let job = Job {
        operation,
        engine,
        options,
        pool,
        limits,
        long_rows,
        length,
        demand: Demand::until(interrupted),
        interrupted,
    };
    let progress = Progress::new(length, options.messages.quiet);
    let ended = job.answer(inputs, output, wanted, &progress, tally);
    progress.end();
    ended
}

impl Job<'_> {
    /// Answers all items in the requested format.
    fn answer(
        &self,
        inputs: TextInputs<'_>,
        mut output: Output,
        wanted: &LineSelection,
        progress: &Progress,
        tally: &mut Tally,
    ) -> (JobEnd, Output) {
        #[cfg(feature = "arrow")]
        if !self.options.answers().is_lines() {
            return columns::answer_all(self, inputs, output, progress, tally);
        }
        let spares = &Spares::new(self.operation.gives_secrets(), self.limits.kept);
        let form = LineFormatter {
            operation: self.operation,
            wanted,
            spares,
            pool: self.pool,
        };
        let mut sink = LineSink {
            output: &mut output,
            spares,
        };
        let end = self.answer_all(inputs, &form, &mut sink, progress, tally);
        (end, output)
    }
}
