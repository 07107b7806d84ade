//! Combines units of text into batches: fills arenas and passes them on when they are full.

use super::arena::Arena;
use super::batch::Batch;
use super::parser::{Origins, ParsingRules, fill, key_form};
use super::stages::{Arenas, BatchQueue, GROWTH};
use super::state::{Job, unreadable};
use crate::input::encodings::detect;
use crate::input::fields::SignatureRules;
use crate::input::layout::TextLayout;
use crate::input::splitter::Unit;
use crate::output::{Failure, info};
use crate::secrets::buffers::wiped_if;
use gecc::fields::Field;
use gecc::pipeline::map;
use std::sync::Arc;

/// Units of an input that arrived together.
pub struct Window {
    pub name: Arc<str>,
    pub units: Vec<Unit>,
    pub layout: Arc<TextLayout>,
    pub bytes: u64,
}

/// Fills arenas with units.
pub struct Filler<'a> {
    job: &'a Job<'a>,
    /// The rules of the input whose units arrive.
    rules: ParsingRules,
    arenas: Arenas,
    /// The queue of filled batches.
    pub batches: &'a dyn BatchQueue,
    /// The number of items in a full batch, and its maximum for all batches once that is known.
    rows: usize,
    most_rows: Option<usize>,
    /// The batch that is being filled.
    pub batch: Option<Batch>,
    /// The number of the next item.
    number: u64,
}

impl<'a> Filler<'a> {
    pub fn new(job: &'a Job<'a>, arenas: Arenas, batches: &'a dyn BatchQueue) -> Self {
        let reads = job.operation.reads();
        let options = job.options;
        let rules = ParsingRules {
            reads,
            limit: job.operation.keys.limit(),
            kind: job.operation.operation.into(),
            names: job.operation.names(options),
            signatures: SignatureRules {
                reader: options.signature_reader(job.operation.operation),
                decimal: options.signatures.decimal,
            },
            encodings: options.encoding.unwrap_or_default(),
            hybrid_keys: options.hybrid_keys,
            user_id: options.sm2_id.as_ref().map(|id| id.as_bytes().into()),
            hash: job.operation.options.message_hash(),
            text_messages: options.text_messages,
            file: Arc::default(),
        };
        let rows = job.limits.first_rows;
        Filler {
            job,
            rules,
            arenas,
            batches,
            rows,
            most_rows: None,
            batch: None,
            number: 0,
        }
    }

    /// Examines the first units of an input to determine the settings that are not configured.
    pub fn look_at(&mut self, window: &Window) -> Result<(), Failure> {
        if Arc::ptr_eq(&self.rules.file, &window.name) {
            return Ok(());
        }
        self.rules.file = Arc::clone(&window.name);
        let given = self.job.options.encoding.unwrap_or_default();
        if Field::ALL.iter().any(|field| given.of(*field).is_none()) {
            let ParsingRules {
                names,
                text_messages,
                ..
            } = &self.rules;
            let found = detect(&window.units, &window.layout, names, given, *text_messages);
            self.rules.encodings = found.map_err(|problem| unreadable(&window.name, &problem))?;
        }
        info(|| {
            format!(
                "text: {}; bytes in {}",
                window.layout,
                self.rules.described_encodings()
            )
        });
        Ok(())
    }

    /// Hands on the batch that is being filled, if any. Returns `None` if a later stage has ended.
    pub fn hand_on(&mut self) -> Option<()> {
        match self.batch.take() {
            Some(batch) => self.batches.put(batch).then_some(()),
            None => Some(()),
        }
    }

    /// Adds units to batches, and hands on full batches. Returns `None` if a later stage has ended.
    pub fn add(&mut self, window: Window) -> Option<()> {
        let Window {
            mut units,
            layout,
            bytes,
            ..
        } = window;
        let rows: usize = units.iter().map(|unit| unit.rows).sum();
        let Job { limits, length, .. } = self.job;
        let most_rows = match self.most_rows {
            Some(rows) => rows,
            None => {
                let limits = length.map_or(*limits, |length| {
                    limits.for_file(length, bytes, rows as u64)
                });
                self.rows = limits.first_rows;
                *self.most_rows.insert(limits.most_rows)
            }
        };
        let mut bytes = Some(bytes);
        while !units.is_empty() {
            let mut batch = match self.batch.take() {
                Some(batch) => batch,
                None => self.begin(&units[0], &layout)?,
            };
            let room = self.rows.min(batch.arena.capacity()) - batch.rows;
            let mut rows = 0;
            let fitting = units.iter().take_while(|unit| {
                rows += unit.rows;
                rows <= room
            });
            let fitting = fitting.count();
            let rest = units.split_off(fitting);
            self.fill(&mut batch, &units, &layout);
            // The text is not needed any more.
            units = rest;
            batch.bytes += bytes.take().unwrap_or(0);
            let is_full = batch.rows >= self.rows || batch.notes >= limits.notes;
            let has_more = !units.is_empty();
            self.batch = Some(batch);
            if is_full || has_more {
                self.hand_on()?;
                self.rows = most_rows
                    .min(self.rows * GROWTH)
                    .max(self.job.limits.unit_rows);
            }
        }
        Some(())
    }

    /// Begins an empty batch, for which the public keys of the first unit determine the encoding.
    fn begin(&mut self, first: &Unit, layout: &TextLayout) -> Option<Batch> {
        let Job {
            operation,
            engine,
            demand,
            ..
        } = self.job;
        let rows = self.rows;
        let mut arena = self
            .arenas
            .take(rows, demand, || Arena::new(engine, operation, rows))?;
        if self.rules.reads.public_keys {
            arena.set_form(key_form(first, layout, &self.rules));
        }
        Some(Batch {
            arena,
            number: self.number,
            rows: 0,
            units: Vec::new(),
            notes: 0,
            bytes: 0,
            long_rows: 0,
        })
    }

    /// Parses units in parallel.
    fn fill(&mut self, batch: &mut Batch, units: &[Unit], layout: &TextLayout) {
        let rows: Vec<usize> = units.iter().map(|unit| unit.rows).collect();
        let mut parts: Vec<_> = Vec::with_capacity(units.len());
        for ((unit, part), rows) in units
            .iter()
            .zip(batch.arena.parts(batch.rows, &rows))
            .zip(&rows)
        {
            parts.push((unit, part, self.number));
            self.number += *rows as u64;
        }
        let rules = &self.rules;
        let origins = map(self.job.pool, parts, |(unit, mut part, number)| {
            wiped_if(rules.reads.secret_keys, || {
                fill(unit, layout, rules, number, &mut part)
            })
        });
        batch.notes += origins.iter().map(Origins::notes).sum::<usize>();
        batch.long_rows += units.iter().map(Unit::long_row).sum::<usize>() as u64;
        batch.units.extend(origins);
        batch.rows += rows.iter().sum::<usize>();
    }
}
