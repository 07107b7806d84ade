//! The job as a whole: what it needs is opened, the steps run, and what became of the items is said.

use super::arena::Arena;
#[cfg(feature = "arrow")]
use super::columns;
use super::limits::Limits;
use super::report::Tally;
use super::rows::{self, fields_of};
use super::running::{End, Job, Started};
use super::steps::Items;
use super::tables::{self, Opened, ReadyTable};
use super::write::{LineForm, LineSink, Lines, Spares, Wanted};
use crate::flags::{Format, StreamOptions};
use crate::input::keyfile::{as_lines, warn_if_exposed};
use crate::input::open::open;
use crate::input::paths::{bytes_of, inputs};
use crate::operation::Operation;
use crate::output::{Failure, Output, Progress, info, refuse_overwriting};
use rayon::ThreadPool;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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

/// Runs an operation over all inputs and prints the summary. Gives the exit code. Where private keys are read, they may
/// come bare, one a line.
pub fn run(operation: &Operation, options: &StreamOptions) -> Result<u8, Failure> {
    let paths = inputs(&options.inputs)?;
    for path in &paths {
        refuse_overwriting(path, options.output.as_deref())?;
    }
    if paths.len() > 1 && !options.answers().is_lines() {
        return Err("several inputs go with answers in lines: -o FILE.jsonl or FILE.csv".to_owned().into());
    }
    // What can be refused is refused before an engine is started.
    let opened = open_input(operation, &paths[0], options)?;
    let started = Started::new(options, bytes_of(&paths))?;
    let mut next = Some(ready(operation, &paths[0], opened, options, &started)?);
    let mut output = Output::open(options.output.as_deref(), operation.gives_secrets(), started.interrupted)?;
    let (mut tally, mut end, mut has_header) = (Tally::default(), End::Input, false);
    for path in &paths {
        let input = next.take().map_or_else(
            || open_input(operation, path, options).and_then(|input| ready(operation, path, input, options, &started)),
            Ok,
        );
        info(|| format!("input: {}", path.display()));
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

fn open_input(operation: &Operation, path: &Path, options: &StreamOptions) -> Result<Opened, Failure> {
    let keys = operation.reads().secret_keys;
    let named = |problem: String| format!("{}: {problem}", path.display());
    let input = open(path).map_err(|problem| named(problem.to_string()))?;
    let opened = match tables::open(input, path, options).map_err(named)? {
        Opened::Other(input) if operation.reads_keys_alone() && options.format.is_none() => {
            Opened::Other(as_lines(input, operation.call.into()).map_err(named)?)
        }
        opened => opened,
    };
    options.check_formats(matches!(opened, Opened::Table(_)))?;
    if keys {
        warn_if_exposed(path);
    }
    Ok(opened)
}

fn ready(
    operation: &Operation,
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
            layout.require_widths(operation.reads())?;
            Items::Rows(rows::reader(input, layout, &limits).map_err(named)?)
        }
        _ => Items::Text(input),
    };
    Ok(Ready::Items(items, limits, length))
}

#[expect(clippy::too_many_arguments, reason = "what one input needs of the whole")]
fn answer(
    operation: &Operation,
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
    let job = Job { operation, engine, options, path, keys, pool, limits, length, stopped, interrupted };
    let progress = Progress::new(length, options.said.quiet);
    let ended = job.answer(items, pool, output, wanted, &progress, tally);
    progress.end();
    ended
}

impl Job<'_> {
    /// Answers all items in the form that is asked for.
    fn answer(
        &self,
        items: Items,
        pool: &Arc<ThreadPool>,
        mut output: Output,
        wanted: Wanted,
        progress: &Progress,
        tally: &mut Tally,
    ) -> (End, Output) {
        #[cfg(feature = "arrow")]
        if !self.options.answers().is_lines() {
            return columns::answer_all(self, items, pool, output, progress, tally);
        }
        let spares = Spares::default();
        let form = Lines { operation: self.operation, wanted, spares: &spares, pool };
        let mut sink = LineSink { output: &mut output, spares: &spares, secret: self.operation.gives_secrets() };
        let end = self.answer_all(items, &form, &mut sink, progress, tally);
        (end, output)
    }
}
