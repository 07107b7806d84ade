//! Output of answers as lines of JSON or CSV, or as columns. Many threads format them, one writes
//! them in order.

#[cfg(feature = "arrow")]
use super::columns::{AnswerTable, ColumnEncoder};
use super::state::FileOutcome;
use super::summary::Summary;
use super::{AnswerGroup, AnswerRow};
use crate::flags::{AnswerFormat, ChainOptions};
use crate::output::{Failure, Line, Output, WriteOutcome};
use crate::secrets::buffers::Wiped;
#[cfg(feature = "arrow")]
use arrow_array::RecordBatch;
use gecc_chains::{FormatAnswers, Progress};
use rayon::ThreadPool;
use std::path::Path;
use std::sync::Arc;

/// The approximate length of a line in bytes.
const LINE: usize = 208;

/// The destination of answers.
pub enum AnswerSink {
    Lines(Output),
    #[cfg(feature = "arrow")]
    Columns(Box<AnswerTable>),
}

/// Formats answers for a sink.
pub struct AnswerFormatter {
    only_rejected: bool,
    form: FormatterKind,
}

enum FormatterKind {
    /// Lines of JSON, or of CSV if columns are given.
    Lines(Option<Vec<&'static str>>),
    #[cfg(feature = "arrow")]
    Columns(Box<ColumnEncoder>),
}

/// Formatted answers, with their counts.
pub struct FormattedAnswers<T> {
    content: T,
    /// The counts of each part.
    summaries: Vec<Summary>,
    /// The files that end with each part.
    finished: Vec<Vec<Arc<Path>>>,
    pub progress: Progress,
}

/// A file whose answers have all been written, and its outcome.
pub type FinishedFile = (Arc<Path>, FileOutcome);

/// The outcome so far of the file whose answers are being written. Files are answered in order.
#[derive(Default)]
pub struct CurrentFile(FileOutcome);

impl CurrentFile {
    /// Adds a part, and returns the files that end with it.
    pub fn add(&mut self, outcome: FileOutcome, finished: Vec<Arc<Path>>) -> Vec<FinishedFile> {
        self.0.add(outcome);
        if finished.is_empty() {
            return Vec::new();
        }
        let outcome = std::mem::take(&mut self.0);
        finished.into_iter().map(|path| (path, outcome)).collect()
    }
}

pub enum PartContent {
    Text(Wiped),
    #[cfg(feature = "arrow")]
    Columns(RecordBatch),
}

pub enum BatchContent {
    Texts(Vec<Wiped>),
    #[cfg(feature = "arrow")]
    Columns(Result<Option<gecc_arrow::EncodedBatch>, gecc_arrow::Error>),
}

impl AnswerSink {
    /// Makes the sink and the formatter for an output.
    pub fn new<R: AnswerRow>(
        options: &ChainOptions,
        mut output: Output,
        pool: &Arc<ThreadPool>,
    ) -> Result<(Self, AnswerFormatter), Failure> {
        let only_rejected = options.only_rejected;
        let csv: Option<Vec<&str>> = match options.answers() {
            AnswerFormat::Jsonl => None,
            AnswerFormat::Csv => Some(
                R::FIELDS
                    .iter()
                    .map(|field| field.name)
                    .chain(["valid", "reason"])
                    .collect(),
            ),
            AnswerFormat::Parquet | AnswerFormat::Arrow => {
                return Self::columns::<R>(options, output, pool);
            }
        };
        if let Some(columns) = &csv {
            output
                .write(vec![Wiped::new((columns.join(",") + "\n").into_bytes())])
                .outcome?;
        }
        Ok((
            AnswerSink::Lines(output),
            AnswerFormatter {
                only_rejected,
                form: FormatterKind::Lines(csv),
            },
        ))
    }

    #[cfg(feature = "arrow")]
    fn columns<R: AnswerRow>(
        options: &ChainOptions,
        output: Output,
        pool: &Arc<ThreadPool>,
    ) -> Result<(Self, AnswerFormatter), Failure> {
        let (table, maker) = AnswerTable::new::<R>(options, output, Arc::clone(pool))?;
        let former = AnswerFormatter {
            only_rejected: options.only_rejected,
            form: FormatterKind::Columns(Box::new(maker)),
        };
        Ok((AnswerSink::Columns(Box::new(table)), former))
    }

    #[cfg(not(feature = "arrow"))]
    fn columns<R: AnswerRow>(
        _: &ChainOptions,
        _: Output,
        _: &Arc<ThreadPool>,
    ) -> Result<(Self, AnswerFormatter), Failure> {
        Err(crate::WITHOUT_TABLES.to_owned().into())
    }

    /// Writes answers and counts them. Returns the files that end with them.
    pub fn put(
        &mut self,
        made: FormattedAnswers<BatchContent>,
        summary: &mut Summary,
        present: &mut CurrentFile,
        pool: &ThreadPool,
    ) -> Result<Vec<FinishedFile>, Failure> {
        let FormattedAnswers {
            content,
            summaries,
            finished,
            ..
        } = made;
        let ended: Vec<FinishedFile> = summaries
            .iter()
            .zip(finished)
            .flat_map(|(of_part, finished)| present.add(of_part.outcome(), finished))
            .collect();
        match (self, content) {
            (AnswerSink::Lines(output), BatchContent::Texts(texts)) => {
                let WriteOutcome {
                    parts,
                    whole,
                    outcome,
                } = output.write(texts);
                // Wiping and freeing takes time, so it is done on the pool.
                pool.spawn(move || drop(parts));
                summaries
                    .into_iter()
                    .take(whole)
                    .for_each(|of_part| summary.add(of_part));
                outcome?;
            }
            #[cfg(feature = "arrow")]
            (AnswerSink::Columns(table), BatchContent::Columns(columns)) => {
                table.put(columns)?;
                summaries
                    .into_iter()
                    .for_each(|of_part| summary.add(of_part));
            }
            #[cfg(feature = "arrow")]
            _ => unreachable!("answers are made for where they go"),
        }
        Ok(ended)
    }

    /// Returns whether the output is readable before it is complete. Columns are not, until their
    /// footer is written.
    pub fn is_readable(&self) -> bool {
        matches!(self, AnswerSink::Lines(_))
    }

    /// Ends the sink. Returns the output, to which nothing more is written, and whether it is
    /// complete.
    pub fn end(self) -> (Output, Result<(), Failure>) {
        match self {
            AnswerSink::Lines(output) => (output, Ok(())),
            #[cfg(feature = "arrow")]
            AnswerSink::Columns(table) => table.end(),
        }
    }
}

impl<A: AnswerGroup> FormatAnswers<A> for AnswerFormatter {
    type Part = FormattedAnswers<PartContent>;
    type Batch = FormattedAnswers<BatchContent>;

    fn part(&self, answers: A) -> FormattedAnswers<PartContent> {
        let (rows, progress) = answers.take();
        let mut summary = Summary::of(&rows);
        summary.add_progress(&progress);
        let finished = vec![progress.finished.clone()];
        let wanted = rows
            .iter()
            .filter(|row| !self.only_rejected || row.valid() != Some(true));
        let content = match &self.form {
            FormatterKind::Lines(csv) => PartContent::Text(lines(
                wanted,
                if self.only_rejected { 0 } else { rows.len() },
                csv.as_deref(),
            )),
            #[cfg(feature = "arrow")]
            FormatterKind::Columns(maker) => {
                PartContent::Columns(maker.columns(&wanted.collect::<Vec<_>>()))
            }
        };
        FormattedAnswers {
            content,
            summaries: vec![summary],
            finished,
            progress,
        }
    }

    fn batch(&self, parts: Vec<FormattedAnswers<PartContent>>) -> FormattedAnswers<BatchContent> {
        let mut summaries = Vec::new();
        let mut finished = Vec::new();
        let mut progress = Progress::default();
        let mut texts = Vec::new();
        #[cfg(feature = "arrow")]
        let mut columns = Vec::new();
        for part in parts {
            summaries.extend(part.summaries);
            finished.extend(part.finished);
            progress.append(part.progress);
            match part.content {
                PartContent::Text(text) => texts.push(text),
                #[cfg(feature = "arrow")]
                PartContent::Columns(of_part) => columns.push(of_part),
            }
        }
        let content = match &self.form {
            FormatterKind::Lines(_) => BatchContent::Texts(texts),
            #[cfg(feature = "arrow")]
            FormatterKind::Columns(maker) => BatchContent::Columns(maker.encode(&columns)),
        };
        FormattedAnswers {
            content,
            summaries,
            finished,
            progress,
        }
    }
}

/// Formats rows as lines of JSON, or of CSV if columns are given. `count` is a lower bound of the
/// number of rows.
fn lines<'a, R: AnswerRow + 'a>(
    rows: impl Iterator<Item = &'a R>,
    count: usize,
    csv: Option<&[&'static str]>,
) -> Wiped {
    let mut text = Wiped::new(Vec::with_capacity(LINE * count));
    for row in rows {
        let mut line = Line::begin(&mut text, csv);
        R::FIELDS
            .iter()
            .for_each(|field| field.write(row, &mut line));
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
