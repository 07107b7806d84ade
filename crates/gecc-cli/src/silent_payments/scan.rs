//! `gecc bitcoin scan`.

use super::table::{TableColumns, Transaction, TweakRows};
use crate::flags::ScanOptions;
use crate::input::keyfile::warn_if_exposed;
use crate::input::paths::{bytes_of, inputs};
use crate::job::warn_of_failures;
use crate::output::{Failure, Line, Output, note, path_error, refuse_overwriting};
use crate::secrets::buffers::Wiped;
use crate::{ALL_PASSED, CLOSED_PIPE, SOME_REJECTED, interrupt};
use arrow_array::RecordBatch;
use gecc::pipeline::{Demand, Sender, Stages};
use gecc::silent_payments::{self, Match, Receiver};
use gecc::{Engine, Verdict, stack};
use gecc_arrow::ReadOptions;
use gecc_chains::bitcoin::ReceiverKeys;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The number of rows in a batch: enough for a GPU.
const ROWS: usize = 1 << 18;
/// The maximum number of batches that are scanned at a time, or wait for output: while a GPU
/// computes one, columns of others are read. One if memory is limited.
const SCANNED: usize = 6;
/// The maximum number of tables that are read at a time, since a table of a single batch is read by
/// a single thread. One if memory is limited.
const READ: usize = 4;

pub fn run(options: &ScanOptions) -> Result<u8, Failure> {
    let tables = inputs(&options.tables)?;
    for path in tables.iter().chain([&options.key_file]) {
        refuse_overwriting(path, options.output.as_deref())?;
    }
    let started = Instant::now();
    warn_if_exposed(&options.key_file);
    let receiver = ReceiverKeys::read(&options.key_file).and_then(|keys| {
        keys.receiver(&options.labels)
            .map_err(|reason| reason.to_string())
    });
    let receiver = receiver.map_err(|problem| path_error(&options.key_file, problem))?;
    let engine = options.engine.start_for(bytes_of(&tables), None)?;
    let interrupted = interrupt::watch()?;
    let mut output = Output::open(options.output.as_deref(), true, interrupted)?;
    let max_memory = options.engine.max_memory;
    let scan = Scan {
        engine: &engine,
        receiver: [receiver],
        interrupted,
        max_memory,
    };
    let mut counts = ScanCounts::default();
    let scanned = scan.tables(&tables, &mut |part: ScannedBatch| {
        counts.add(&part.counts);
        Ok(output.write(vec![part.text]).outcome?)
    });
    let ScanCounts {
        rows,
        found,
        bad,
        unknown,
    } = counts;
    warn_of_failures(&engine);
    if interrupted.load(Ordering::Relaxed) {
        note(&format!("gecc: interrupted{}", output.abandon(found > 0)));
        return Ok(interrupt::code());
    }
    match scanned {
        Ok(()) => output.finish(false)?,
        Err(Failure::ClosedPipe) => return Ok(CLOSED_PIPE),
        Err(Failure::Problem(problem)) => {
            return Err(Failure::Problem(problem + &output.abandon(found > 0)));
        }
    }
    if !options.quiet {
        let seconds = started.elapsed().as_secs_f64();
        let nulls = match unknown {
            0 => String::new(),
            count => format!(", {count} whose `outputs` is null, in which nothing was looked for"),
        };
        note(&format!(
            "{found} outputs found in {rows} rows, {bad} without a tweak point{nulls}, in {seconds:.2} s, by {engine}"
        ));
    }
    Ok(if bad + unknown > 0 {
        SOME_REJECTED
    } else {
        ALL_PASSED
    })
}

#[derive(Default)]
struct ScanCounts {
    rows: usize,
    found: usize,
    /// Rows without a tweak point.
    bad: usize,
    /// Rows with a tweak point but without known outputs.
    unknown: usize,
}

impl ScanCounts {
    fn add(&mut self, more: &ScanCounts) {
        self.rows += more.rows;
        self.found += more.found;
        self.bad += more.bad;
        self.unknown += more.unknown;
    }
}

/// The output of a batch.
struct ScannedBatch {
    /// A line for each output found, including its tweak.
    text: Wiped,
    counts: ScanCounts,
}

/// The sender of batches, each with the path of its table, and the type of their results.
type Batches<'a> = Sender<(&'a Path, RecordBatch), Result<ScannedBatch, Failure>>;

struct Scan<'a> {
    engine: &'a Engine,
    receiver: [Receiver; 1],
    interrupted: &'a AtomicBool,
    max_memory: Option<usize>,
}

impl Scan<'_> {
    /// Hands on the outputs found in tables, in order, until `hand_on` fails.
    fn tables(
        &self,
        tables: &[PathBuf],
        hand_on: &mut dyn FnMut(ScannedBatch) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let scanned = if self.max_memory.is_some() {
            1
        } else {
            SCANNED
        };
        let demand = Demand::until(self.interrupted);
        let stages = Stages {
            workers: scanned,
            items: 0,
            results: scanned,
            demand: &demand,
            budgets: &[],
        };
        let ended = stages.run(
            |batches| {
                if let Err(failure) = self.read(tables, &batches) {
                    batches.send_result(Err(failure));
                }
            },
            |(path, batch)| Some(self.part(path, &batch)),
            |part: Result<ScannedBatch, Failure>| {
                if !demand.continues() {
                    return ControlFlow::Break(Ok(()));
                }
                match part.and_then(&mut *hand_on) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(failure) => ControlFlow::Break(Err(failure)),
                }
            },
        );
        match ended {
            Ok(ended) => ended.unwrap_or(Ok(())),
            Err(problem) => Err(gecc::Error::Threads(problem.to_string()).into()),
        }
    }

    /// Submits the batches of tables, until no more are wanted.
    fn read<'t>(&self, tables: &'t [PathBuf], batches: &Batches<'t>) -> Result<(), Failure> {
        let at_a_time = if self.max_memory.is_some() { 1 } else { READ };
        let mut tables = tables.iter().map(|path| (path, self.open(path)));
        let mut open: VecDeque<_> = tables.by_ref().take(at_a_time).collect();
        while let Some((path, table)) = open.pop_front() {
            for batch in table.map_err(|failure| of_table(path, failure))? {
                let batch = batch.map_err(|problem| of_table(path, failure_of(problem)))?;
                if self.interrupted.load(Ordering::Relaxed) || !batches.send((path, batch)) {
                    return Ok(());
                }
            }
            open.extend(tables.next());
        }
        Ok(())
    }

    /// Starts reading a table.
    fn open(&self, path: &Path) -> Result<gecc_arrow::Batches, Failure> {
        let mut reading = ReadOptions {
            rows: ROWS,
            ..ReadOptions::default()
        };
        if let Some(bytes) = self.max_memory {
            reading.max_memory = bytes as u64 / 4;
        }
        let input = gecc_arrow::open(path, reading).map_err(failure_of)?;
        let places = TableColumns::find(input.schema())?;
        input.batches(&places.columns()).map_err(failure_of)
    }

    fn part(&self, path: &Path, batch: &RecordBatch) -> Result<ScannedBatch, Failure> {
        // Tweaks are on the stack during the work.
        stack::wiped(|| self.batch(batch)).map_err(|failure| of_table(path, failure))
    }

    fn batch(&self, batch: &RecordBatch) -> Result<ScannedBatch, Failure> {
        let rows = TweakRows::of(batch)?;
        let found =
            silent_payments::scan(self.engine, &self.receiver, rows.keys(), rows.outputs()?)?;
        let mut counts = ScanCounts {
            rows: batch.num_rows(),
            found: found.matches.len(),
            ..ScanCounts::default()
        };
        for (row, code) in found.codes.iter().enumerate() {
            if *code != Verdict::VALID_CODE {
                counts.bad += 1;
            } else if rows.lacks_outputs(row) {
                counts.unknown += 1;
            }
        }
        let mut text = Wiped::default();
        for of in &found.matches {
            write(
                &mut text,
                of,
                &Transaction::of(batch, of.row),
                rows.are_prefixes(),
            );
        }
        Ok(ScannedBatch { text, counts })
    }
}

fn failure_of(problem: gecc_arrow::Error) -> Failure {
    Failure::Problem(problem.to_string())
}

/// Adds the name of a table to its failure.
fn of_table(path: &Path, failure: Failure) -> Failure {
    match failure {
        Failure::Problem(problem) => Failure::Problem(path_error(path, problem)),
        closed => closed,
    }
}

fn write(text: &mut Wiped, of: &Match, transaction: &Transaction, is_candidate: bool) {
    let mut line = Line::begin(text, None);
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
