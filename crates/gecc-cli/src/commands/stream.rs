//! The loop that all commands share: take a chunk, compute it, write it, while the next is being read.

use crate::flags::StreamOptions;
use crate::input::fields::Fields;
use crate::input::keyfile::warn_if_exposed;
use crate::input::queue::{Queue, Taken};
use crate::input::records::{Record, Records, open};
use crate::output::{Answer, Failure, Output, note, refuse_overwriting};
use crate::{ALL_PASSED, SOME_REJECTED};
use gecc::Engine;
use gecc::stack;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How often an idle loop looks whether it was interrupted.
const PATIENCE: Duration = Duration::from_millis(100);
/// What a shell expects of a program that ended by Ctrl-C.
const INTERRUPTED: u8 = 130;

/// What a command does with a chunk.
pub trait Operation {
    /// What it needs of an item.
    type Item;
    /// Whether the input is private keys, which may come bare, one a line.
    const READS_KEYS: bool = false;
    /// Whether its answers are secret.
    const GIVES_SECRETS: bool = false;
    /// Takes the item with the given index from a line's fields.
    fn parse(&self, index: u64, fields: &Fields) -> Result<Self::Item, String>;
    /// One answer per item.
    fn compute(&self, engine: &Engine, items: Vec<Self::Item>) -> Result<Vec<Answer>, gecc::Error>;
    /// The answer for a line that could not be used.
    fn unusable(&self, reason: String) -> Answer {
        Answer::error(reason)
    }
    /// What to say after so many items.
    fn warning(&self, _items: u64) -> Option<String> {
        None
    }
}

#[derive(Default)]
struct Counts {
    items: u64,
    passed: u64,
}

/// Why the loop ended.
enum End {
    Input,
    ClosedPipe,
    Interrupted,
}

/// Runs an operation over the whole input and prints the summary. Gives the exit code.
pub fn run<O: Operation>(operation: &O, options: StreamOptions) -> Result<u8, Failure> {
    refuse_overwriting(&options.input, options.output.as_deref())?;
    let engine = options.engine.start()?;
    let (queue, length) = start_reader(&options, O::READS_KEYS)?;
    let mut output = Output::open(options.output.as_deref(), O::GIVES_SECRETS)?;
    let progress = progress_bar(length);
    let interrupted = watch_interrupts()?;
    let started = Instant::now();
    let mut counts = Counts::default();
    let result = work(operation, &engine, &queue, &mut output, &progress, interrupted, &mut counts);
    progress.finish_and_clear();
    print_summary(&counts, started.elapsed().as_secs_f64(), &engine);
    let end = result?;
    if let (End::Input, Some(warning)) = (&end, operation.warning(counts.items)) {
        note(&format!("gecc: warning: {warning}"));
    }
    Ok(match end {
        End::Interrupted => INTERRUPTED,
        End::Input | End::ClosedPipe if counts.passed == counts.items => ALL_PASSED,
        End::Input | End::ClosedPipe => SOME_REJECTED,
    })
}

fn work<O: Operation>(
    operation: &O,
    engine: &Engine,
    queue: &Queue,
    output: &mut Output,
    progress: &ProgressBar,
    interrupted: &AtomicBool,
    counts: &mut Counts,
) -> Result<End, Failure> {
    loop {
        if interrupted.load(Ordering::Relaxed) {
            return Ok(End::Interrupted);
        }
        let chunk = match queue.take(PATIENCE) {
            Taken::Chunk(chunk) => chunk,
            Taken::Nothing => continue,
            Taken::End(Ok(())) => return Ok(End::Input),
            Taken::End(Err(problem)) => return Err(format!("reading the input: {problem}").into()),
        };
        let bytes: usize = chunk.iter().map(|record| record.bytes).sum();
        // Keys and shared secrets pass through.
        match stack::wiped(|| write_chunk(operation, engine, chunk, output, counts)) {
            Ok(()) => progress.inc(bytes as u64),
            Err(Failure::ClosedPipe) => return Ok(End::ClosedPipe),
            Err(problem) => return Err(problem),
        }
    }
}

/// Computes a chunk and writes its answers in input order.
fn write_chunk<O: Operation>(
    operation: &O,
    engine: &Engine,
    records: Vec<Record>,
    output: &mut Output,
    counts: &mut Counts,
) -> Result<(), Failure> {
    let mut items = Vec::with_capacity(records.len());
    let mut lines = Vec::with_capacity(records.len());
    for (record, index) in records.into_iter().zip(counts.items..) {
        let (parsed, tag) = match record.fields {
            Ok(mut fields) => (operation.parse(index, &fields), fields.tag.take()),
            Err(problem) => (Err(problem), None),
        };
        let unusable = match parsed {
            Ok(item) => {
                items.push(item);
                None
            }
            Err(problem) => Some(operation.unusable(format!("line {}: {problem}", record.line))),
        };
        lines.push((unusable, tag));
    }
    let computed = operation.compute(engine, items)?;
    let mut computed = computed.into_iter();
    for (unusable, tag) in lines {
        let answer = unusable.or_else(|| computed.next()).expect("one answer per item");
        output.write(&answer, tag.as_deref())?;
        counts.items += 1;
        counts.passed += u64::from(answer.passed);
    }
    Ok(output.flush()?)
}

/// Starts the thread that reads. Gives the input's length where it is known.
fn start_reader(options: &StreamOptions, keys: bool) -> Result<(Arc<Queue>, Option<u64>), String> {
    let (source, length) = open(&options.input).map_err(|problem| format!("{}: {problem}", options.input.display()))?;
    if keys {
        warn_if_exposed(&options.input);
    }
    let format = options.format;
    let queue = Arc::new(Queue::new(options.engine.max_memory));
    let filled = Arc::clone(&queue);
    std::thread::spawn(move || {
        let read = || -> io::Result<()> {
            let mut records = Records::new(source, format, keys)?;
            while let Some(record) = records.next()? {
                filled.push(record);
            }
            Ok(())
        };
        // What was read before an error is still answered.
        filled.close(read());
    });
    Ok((queue, length))
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

fn print_summary(counts: &Counts, seconds: f64, engine: &Engine) {
    let rate = counts.items as f64 / seconds.max(1e-9);
    note(&format!(
        "{} items, {} valid, {} rejected, {seconds:.3} s, {rate:.0} items/s, {engine}",
        counts.items,
        counts.passed,
        counts.items - counts.passed,
    ));
    for failure in engine.failures() {
        note(&format!("gecc: warning: {failure}"));
    }
}
