//! Reports measurements as a table or as JSON Lines.

use super::Run;
use super::kernel_sources::KernelSource;
use super::once::Phases;
use gecc::{CurveId, Engine};
use gecc_cli::failure::Failure;
use serde_json::json;
use std::io::{self, Write};

pub struct Report {
    json: bool,
    curve: CurveId,
}

impl Report {
    pub fn new(json: bool, curve: CurveId, engine: &Engine) -> Result<Self, Failure> {
        if !json {
            writeln!(
                io::stdout(),
                "{engine}, one signature on {curve}, seconds\n"
            )?;
            write!(io::stdout(), "{:9}", "kernels")?;
            let columns = [
                "verdict", "process", "engine", "first", "next", "got", "loaded", "files",
            ];
            columns
                .iter()
                .try_for_each(|name| write!(io::stdout(), " {name:>9}"))?;
            writeln!(io::stdout())?;
        }
        Ok(Report { json, curve })
    }

    pub fn row(&self, place: KernelSource, run: &Run) -> Result<(), Failure> {
        let Run {
            verdict,
            process,
            phases,
        } = run;
        let Phases {
            engine,
            first,
            next,
            kernels,
        } = phases;
        if self.json {
            let row = json!({
                "curve": self.curve.name(), "kernels_from": place.name(), "verdict_seconds": verdict,
                "process_seconds": process, "engine_seconds": engine, "first_call_seconds": first,
                "next_call_seconds": next, "kernels": kernels,
            });
            writeln!(io::stdout(), "{row}")?;
            return Ok(());
        }
        let got: f64 = kernels.iter().map(|kernels| kernels.got).sum();
        let loaded: f64 = kernels.iter().map(|kernels| kernels.loaded).sum();
        write!(io::stdout(), "{:9}", place.name())?;
        let seconds = [*verdict, *process, *engine, *first, *next, got, loaded];
        seconds
            .iter()
            .try_for_each(|seconds| write!(io::stdout(), " {seconds:>9.4}"))?;
        writeln!(io::stdout(), " {:>9}", kernels.len())?;
        Ok(())
    }

    /// Reports why a row is missing.
    pub fn problem(&self, place: KernelSource, problem: &str) -> Result<(), Failure> {
        let name = place.name();
        match self.json {
            true => {
                let row =
                    json!({"curve": self.curve.name(), "kernels_from": name, "error": problem});
                writeln!(io::stdout(), "{row}")?;
            }
            false => writeln!(io::stdout(), "{name:9} {problem}")?,
        }
        Ok(())
    }
}
