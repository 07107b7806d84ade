//! Answers as they are put out: lines of JSON, or columns.

use super::Row;
#[cfg(feature = "arrow")]
use super::columns::Table;
use super::summary::Summary;
use crate::flags::{AnswerFormat, ChainOptions};
use crate::output::{Failure, Line, Output, Put};
use crate::secrets::wiped::Wiped;
use crate::threads::map;
use rayon::ThreadPool;
use std::sync::Arc;

/// Answers that are written by one task.
const ROWS: usize = 1 << 13;

/// Where answers go.
pub enum Sink {
    Lines(Output),
    #[cfg(feature = "arrow")]
    Columns(Box<Table>),
}

impl Sink {
    #[cfg(feature = "arrow")]
    pub fn new<R: Row>(options: &ChainOptions, output: Output, pool: &Arc<ThreadPool>) -> Result<Self, Failure> {
        if options.answers() == AnswerFormat::Jsonl {
            return Ok(Sink::Lines(output));
        }
        Ok(Sink::Columns(Box::new(Table::new::<R>(options, output, Arc::clone(pool))?)))
    }

    #[cfg(not(feature = "arrow"))]
    pub fn new<R: Row>(options: &ChainOptions, output: Output, _: &Arc<ThreadPool>) -> Result<Self, Failure> {
        if options.answers() == AnswerFormat::Jsonl {
            return Ok(Sink::Lines(output));
        }
        Err("this gecc was built without Parquet and Arrow: answers are JSON Lines".to_owned().into())
    }

    /// Puts answers out. Gives what they are.
    pub fn put<R: Row>(&mut self, rows: &[R], only_rejected: bool, pool: &ThreadPool) -> Result<Summary, Failure> {
        let parts: Vec<&[R]> = rows.chunks(ROWS).collect();
        let is_wanted = |row: &&R| !only_rejected || row.valid() != Some(true);
        let mut summary = Summary::default();
        match self {
            Sink::Lines(output) => {
                let made = map(pool, parts, |rows| (lines(rows.iter().filter(is_wanted)), Summary::of(rows.iter())));
                let (texts, summaries): (Vec<Wiped>, Vec<Summary>) = made.into_iter().unzip();
                let Put { whole, outcome, .. } = output.write(texts);
                summaries.into_iter().take(whole).for_each(|of_part| summary.add(of_part));
                outcome?;
            }
            #[cfg(feature = "arrow")]
            Sink::Columns(table) => {
                map(pool, parts, |rows| Summary::of(rows.iter())).into_iter().for_each(|of_part| summary.add(of_part));
                table.put(&rows.iter().filter(is_wanted).collect::<Vec<_>>())?;
            }
        }
        Ok(summary)
    }

    /// Whether what was put out can be read before the end. Columns cannot, until their description stands behind them.
    pub fn is_readable(&self) -> bool {
        matches!(self, Sink::Lines(_))
    }

    /// The output, to which nothing more is written; and whether it is whole.
    pub fn end(self) -> (Output, Result<(), Failure>) {
        match self {
            Sink::Lines(output) => (output, Ok(())),
            #[cfg(feature = "arrow")]
            Sink::Columns(table) => table.end(),
        }
    }
}

fn lines<'a, R: Row + 'a>(rows: impl Iterator<Item = &'a R>) -> Wiped {
    let mut text = Wiped::default();
    for row in rows {
        let mut line = Line::begin(&mut text);
        row.write(&mut line);
        let valid: &[u8] = match row.valid() {
            None => b"null",
            Some(true) => b"true",
            Some(false) => b"false",
        };
        line.json("valid", valid);
        if let Some(reason) = row.reason() {
            line.text("reason", &reason);
        }
        line.end();
    }
    text
}
