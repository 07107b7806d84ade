//! `gecc-bench start`: the time from the start of a process to its first verdict.

mod kernel_sources;
mod once;
mod report;

use crate::flags::StartOptions;
use crate::schemes;
use crate::{ALL_PASSED, SOME_REJECTED};
use gecc::keys;
use gecc::{Backend, CurveId, Engine};
use gecc_cli::failure::Failure;
use kernel_sources::KernelSource;
use once::{Item, Phases};
use report::Report;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

pub fn run(options: &StartOptions) -> Result<u8, Failure> {
    if options.once {
        return once::run(options);
    }
    // Checks that the engine exists, and determines the rows.
    let engine = options.engine.start()?;
    let on_gpu = engine.info().backend == Backend::Gpu;
    let report = Report::new(options.json, options.curve, &engine)?;
    drop(engine);
    let item = signed(options.curve)?;
    let mut all_measured = true;
    for place in KernelSource::all(on_gpu) {
        match median(options, place, &item) {
            Ok(run) => report.row(place, &run)?,
            Err(problem) => {
                all_measured = false;
                report.problem(place, &problem)?;
            }
        }
    }
    Ok(if all_measured {
        ALL_PASSED
    } else {
        SOME_REJECTED
    })
}

/// A process that has ended: wall-clock seconds since its start, and its own report.
struct Run {
    verdict: f64,
    process: f64,
    phases: Phases,
}

/// Makes a signature by a new key.
fn signed(curve: CurveId) -> Result<Item, Failure> {
    let engine = Engine::cpu()?;
    let (secret, public) = keys::generate(&engine, curve, 1)?;
    let mut digest = [0; 32];
    getrandom::fill(&mut digest).map_err(|problem| format!("random numbers: {problem}"))?;
    let signature = schemes::sign(&engine, curve, &[digest], &secret)?;
    let signature = signature[0].map_err(|reason| format!("a signature: {reason}"))?;
    Ok(Item::new(digest, signature, &public[0]))
}

/// Returns the median run.
fn median(options: &StartOptions, place: KernelSource, item: &Item) -> Result<Run, String> {
    let mut folders = place.prepare(options, item)?;
    let mut runs = Vec::new();
    for _ in 0..options.runs {
        let mut command = command(options)?;
        folders.enter(&mut command)?;
        runs.push(measure(command, item)?);
    }
    runs.sort_by(|a, b| a.verdict.total_cmp(&b.verdict));
    let run = runs.swap_remove(runs.len() / 2);
    place.check(&run.phases)?;
    Ok(run)
}

/// Returns the command that runs this program as a measured process.
fn command(options: &StartOptions) -> Result<Command, String> {
    let program =
        std::env::current_exe().map_err(|problem| format!("this program's file: {problem}"))?;
    let mut command = Command::new(program);
    command
        .args(["start", "--once", "--curve", options.curve.name()])
        .args(options.engine.arguments());
    Ok(command)
}

/// Runs a process, and measures the time until its first verdict.
fn measure(mut command: Command, item: &Item) -> Result<Run, String> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let started = Instant::now();
    let mut child = command.spawn().map_err(process_problem)?;
    let talked = talk(&mut child, item);
    let verdict = started.elapsed().as_secs_f64();
    let mut output = String::new();
    let rest = talked.and_then(|mut lines| lines.read_to_string(&mut output).map(|_| ()));
    let ended = child.wait_with_output().map_err(process_problem)?;
    let process = started.elapsed().as_secs_f64();
    if !ended.status.success() {
        return Err(String::from_utf8_lossy(&ended.stderr).trim().to_owned());
    }
    rest.map_err(process_problem)?;
    let phases = serde_json::from_str(&output)
        .map_err(|problem| format!("unexpected output of a process: {problem}"))?;
    Ok(Run {
        verdict,
        process,
        phases,
    })
}

fn process_problem(problem: std::io::Error) -> String {
    format!("a process: {problem}")
}

/// Sends the item to a process, waits for the line that it writes at its first verdict, and returns
/// the reader of the remaining lines.
fn talk(child: &mut Child, item: &Item) -> std::io::Result<BufReader<std::process::ChildStdout>> {
    let input = child.stdin.take().expect("piped");
    let output = child.stdout.take().expect("piped");
    serde_json::to_writer(&input, item)?;
    (&input).write_all(b"\n")?;
    drop(input);
    let mut lines = BufReader::new(output);
    lines.read_line(&mut String::new())?;
    Ok(lines)
}
