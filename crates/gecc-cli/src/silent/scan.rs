//! `gecc bitcoin scan`.

use super::table::{Places, Rows, Transaction};
use crate::flags::ScanOptions;
use crate::input::keyfile::warn_if_exposed;
use crate::output::{Failure, Line, Output, note, refuse_overwriting};
use crate::secrets::wiped::Wiped;
use crate::{ALL_PASSED, CLOSED_PIPE, SOME_REJECTED, interrupt};
use arrow_array::RecordBatch;
use gecc::silent_payments::{self, Match, Receiver};
use gecc::{Engine, Verdict, stack};
use gecc_arrow::ReadOptions;
use gecc_chains::bitcoin::ReceiverKeys;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Rows of a batch: enough for a GPU.
const ROWS: usize = 1 << 20;

pub fn run(options: &ScanOptions) -> Result<u8, Failure> {
    for path in options.tables.iter().chain([&options.key_file]) {
        refuse_overwriting(path, options.output.as_deref())?;
    }
    let started = Instant::now();
    warn_if_exposed(&options.key_file);
    let receiver = ReceiverKeys::read(&options.key_file)
        .and_then(|keys| keys.receiver(&options.labels).map_err(|reason| reason.to_string()));
    let receiver = receiver.map_err(|problem| format!("{}: {problem}", options.key_file.display()))?;
    let (engine, interrupted) = (options.engine.start()?, interrupt::watch()?);
    let mut output = Output::open(options.output.as_deref(), true, interrupted)?;
    let mut scan = Scan { engine: &engine, receiver: [receiver], interrupted, counts: Counts::default() };
    let mut scanned = Ok(());
    for path in &options.tables {
        let named = |failure| match failure {
            Failure::Problem(problem) => Failure::Problem(format!("{}: {problem}", path.display())),
            closed => closed,
        };
        scanned = scan.table(path, options, &mut output).map_err(named);
        if scanned.is_err() || interrupted.load(Ordering::Relaxed) {
            break;
        }
    }
    let Counts { rows, found, bad } = scan.counts;
    if interrupted.load(Ordering::Relaxed) {
        note(&format!("gecc: interrupted{}", output.abandon(found > 0)));
        return Ok(interrupt::code());
    }
    match scanned {
        Ok(()) => output.finish(false)?,
        Err(Failure::ClosedPipe) => return Ok(CLOSED_PIPE),
        Err(Failure::Problem(problem)) => return Err(Failure::Problem(problem + &output.abandon(found > 0))),
    }
    if !options.quiet {
        let seconds = started.elapsed().as_secs_f64();
        note(&format!(
            "{found} outputs found in {rows} rows, {bad} without a tweak point, in {seconds:.2} s, by {engine}"
        ));
    }
    Ok(if bad > 0 { SOME_REJECTED } else { ALL_PASSED })
}

#[derive(Default)]
struct Counts {
    rows: usize,
    found: usize,
    /// Rows without a tweak point.
    bad: usize,
}

struct Scan<'a> {
    engine: &'a Engine,
    receiver: [Receiver; 1],
    interrupted: &'a AtomicBool,
    counts: Counts,
}

impl Scan<'_> {
    fn table(&mut self, path: &Path, options: &ScanOptions, output: &mut Output) -> Result<(), Failure> {
        let said = |problem: gecc_arrow::Error| Failure::Problem(problem.to_string());
        let mut reading = ReadOptions { rows: ROWS, ..ReadOptions::default() };
        if let Some(bytes) = options.engine.max_memory {
            reading.max_memory = bytes as u64 / 4;
        }
        let input = gecc_arrow::open(path, reading).map_err(said)?;
        let places = Places::find(input.schema())?;
        for batch in input.batches(&places.columns()).map_err(said)? {
            if self.interrupted.load(Ordering::Relaxed) {
                break;
            }
            // Tweaks pass through.
            let text = stack::wiped(|| self.batch(&batch.map_err(said)?))?;
            output.write(vec![text]).outcome?;
        }
        Ok(())
    }

    /// A line for each output that is found.
    fn batch(&mut self, batch: &RecordBatch) -> Result<Wiped, Failure> {
        let rows = Rows::of(batch)?;
        let found = silent_payments::scan(self.engine, &self.receiver, rows.keys(), rows.outputs()?)?;
        self.counts.rows += batch.num_rows();
        self.counts.found += found.matches.len();
        self.counts.bad += found.codes.iter().filter(|code| **code != Verdict::VALID_CODE).count();
        let mut text = Wiped::default();
        for of in &found.matches {
            write(&mut text, of, &Transaction::of(batch, of.row), rows.are_prefixes());
        }
        Ok(text)
    }
}

fn write(text: &mut Wiped, of: &Match, transaction: &Transaction, is_candidate: bool) {
    let mut line = Line::begin(text);
    if let Some(txid) = &transaction.txid {
        line.hex("txid", "", txid);
    }
    if let Some(height) = transaction.height {
        line.json("height", height.to_string().as_bytes());
    }
    line.number("output", of.output as u64);
    line.number("k", of.k.into());
    match of.label {
        Some(label) => line.number("label", label.into()),
        None => line.json("label", b"null"),
    }
    line.hex("tweak", "", of.tweak.expose_bytes());
    line.json("candidate", if is_candidate { b"true" } else { b"false" });
    line.end();
}
