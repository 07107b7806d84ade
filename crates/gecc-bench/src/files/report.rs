//! Reports measurements as a table, as JSON and as a chart.

use crate::draw::bars::{self, Bar, Group};
use crate::flags::{FileFormat, FileOperation, FilesOptions};
use gecc::Engine;
use gecc_cli::failure::Failure;
use gecc_cli::measure::rate;
use serde_json::json;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// The measurement of an operation on a file. All durations are medians in seconds.
pub struct Row {
    pub operation: FileOperation,
    pub format: FileFormat,
    pub items: usize,
    pub bytes: u64,
    /// The durations of a run of the command, and of one on a file with one item.
    pub seconds: f64,
    pub start_seconds: f64,
    /// The durations of the engine on the same items, and of reading the same file.
    pub engine_seconds: f64,
    /// True if the engine's columns were in page-locked memory.
    pub page_locked: bool,
    pub cache_seconds: f64,
}

impl Row {
    fn items_per_second(&self, seconds: f64) -> f64 {
        self.items as f64 / seconds
    }

    fn bytes_per_second(&self, seconds: f64) -> f64 {
        self.bytes as f64 / seconds
    }
}

pub struct Report {
    json: bool,
    curve: &'static str,
    engine: String,
    rows: Vec<Row>,
}

impl Report {
    pub fn new(options: &FilesOptions, engine: &Engine) -> Result<Self, Failure> {
        let json = options.json;
        let curve = options.curve.name();
        let engine = engine.to_string();
        if !json {
            let threads = options.engine.thread_count();
            writeln!(
                io::stdout(),
                "{curve}, {} items, {engine}, files read by {threads} threads",
                options.items
            )?;
            writeln!(
                io::stdout(),
                "Seconds and rates include the start of the process.\n"
            )?;
            writeln!(
                io::stdout(),
                "{:9} {:10} {:>13} {:>9} {:>9} {:>12} {:>12} {:>10} {:>9}",
                "operation",
                "format",
                "bytes",
                "one line",
                "seconds",
                "items/s",
                "bytes/s",
                "of engine",
                "of cache"
            )?;
        }
        Ok(Report {
            json,
            curve,
            engine,
            rows: Vec::new(),
        })
    }

    pub fn row(&mut self, row: Row) -> Result<(), Failure> {
        if self.json {
            self.write_json(&row)?
        } else {
            write_row(&row)?
        }
        self.rows.push(row);
        Ok(())
    }

    fn write_json(&self, row: &Row) -> io::Result<()> {
        let Row {
            operation,
            format,
            items,
            bytes,
            seconds,
            start_seconds,
            engine_seconds,
            page_locked,
            cache_seconds,
        } = row;
        let object = json!({
            "curve": self.curve,
            "operation": operation.name(),
            "format": format.name(),
            "items": items,
            "bytes": bytes,
            "seconds": seconds,
            "one_line_seconds": start_seconds,
            "items_per_second": row.items_per_second(*seconds),
            "bytes_per_second": row.bytes_per_second(*seconds),
            "engine_items_per_second": row.items_per_second(*engine_seconds),
            "engine_page_locked": page_locked,
            "share_of_engine": engine_seconds / seconds,
            "cache_bytes_per_second": row.bytes_per_second(*cache_seconds),
            "share_of_cache": cache_seconds / seconds,
        });
        writeln!(io::stdout(), "{object}")
    }

    /// Reports why a row is missing.
    pub fn problem(
        &self,
        operation: FileOperation,
        format: FileFormat,
        problem: &str,
    ) -> Result<(), Failure> {
        let operation = operation.name();
        let format = format.name();
        if self.json {
            let object = json!({"curve": self.curve, "operation": operation, "format": format, "error": problem});
            writeln!(io::stdout(), "{object}")?;
        } else {
            writeln!(io::stdout(), "{operation:9} {format:10} {problem}")?;
        }
        Ok(())
    }

    /// Draws a group of bars for each operation: its formats, and the engine alone.
    pub fn plot(&self, path: &Path) -> Result<(), Failure> {
        let mut groups: Vec<Group> = Vec::new();
        for row in &self.rows {
            let title = row.operation.name();
            if groups.last().is_none_or(|group| group.title != title) {
                groups.push(Group {
                    title,
                    bars: vec![engine_bar(row)],
                });
            }
            groups
                .last_mut()
                .expect("it was put there")
                .bars
                .extend(file_bars(row));
        }
        let names = ["the command", "less its start", "the engine alone"];
        let subtitle = format!("{}, {}", self.curve, self.engine);
        let drawing = bars::svg("Items per second from files", &subtitle, &names, &groups);
        fs::write(path, drawing)
            .map_err(|problem| Failure::Problem(format!("{}: {problem}", path.display())))
    }
}

fn write_row(row: &Row) -> io::Result<()> {
    let operation = row.operation.name();
    let format = row.format.name();
    let Row {
        bytes,
        seconds,
        start_seconds,
        engine_seconds,
        cache_seconds,
        ..
    } = row;
    let [items, bytes_rate] = [
        row.items_per_second(*seconds),
        row.bytes_per_second(*seconds),
    ]
    .map(rate);
    let [of_engine, of_cache] =
        [engine_seconds, cache_seconds].map(|other| 100.0 * other / seconds);
    writeln!(
        io::stdout(),
        "{operation:9} {format:10} {bytes:13} {start_seconds:9.3} {seconds:9.3} {items:>12} {bytes_rate:>12} \
         {of_engine:8.1} % {of_cache:7.1} %"
    )
}

fn engine_bar(row: &Row) -> Bar {
    let value = row.items_per_second(row.engine_seconds);
    Bar {
        label: "engine".to_owned(),
        colour: 2,
        value,
        note: rate(value),
    }
}

/// Returns the bars of a file: including the start of the process and, if the rest is long enough
/// to be separated from it, excluding it.
fn file_bars(row: &Row) -> Vec<Bar> {
    let mut bars = vec![file_bar(row, 0, row.seconds)];
    let rest = row.seconds - row.start_seconds;
    if rest > row.seconds / 10.0 {
        bars.push(file_bar(row, 1, rest));
    }
    bars
}

fn file_bar(row: &Row, colour: usize, seconds: f64) -> Bar {
    let value = row.items_per_second(seconds);
    let share = 100.0 * row.engine_seconds / seconds;
    let note = format!("{}, {share:.0} % of the engine", rate(value));
    Bar {
        label: row.format.name(),
        colour,
        value,
        note,
    }
}
