//! Reads rows of fixed width into batches, where they serve as columns.

use super::arena::Arena;
use super::batch::Batch;
use super::limits::Limits;
use super::parser::Origins;
use super::stages::{Arenas, FilledBatches, GROWTH, PATIENCE};
use super::state::{Job, unreadable};
use crate::input::binary::layout::RowLayout;
use crate::input::binary::reader::{ReadRows, RowReader};
use crate::input::open::Input;
use crate::input::text::Buffers;
use crate::operation::NO_RECOVERY_ID;
use gecc::call::{Reads, RecoveryIds};
use gecc::fields::{Field, SignatureForm};
use gecc::pipeline::map;
use std::sync::Arc;

/// Makes a reader for an input of rows. Its buffers are wiped if rows contain private keys.
pub fn reader(input: Input, layout: &RowLayout, limits: &Limits) -> Result<RowReader, String> {
    let buffers = Buffers::new(limits.piece, layout.place(Field::SecretKey).is_some());
    RowReader::new(input, layout.clone(), buffers, limits.window)
}

/// Returns the fields that an operation needs.
pub fn fields_of(reads: Reads) -> Vec<Field> {
    let Reads {
        contents,
        signatures,
        public_keys,
        recovery_ids,
        secret_keys,
        ..
    } = reads;
    let needed = [
        (contents, Field::Digest),
        (signatures, Field::Signature),
        (recovery_ids == RecoveryIds::Required, Field::RecoveryId),
        (public_keys, Field::PublicKey),
        (secret_keys, Field::SecretKey),
    ];
    needed
        .into_iter()
        .filter_map(|(is_read, field)| is_read.then_some(field))
        .collect()
}

impl Job<'_> {
    /// Reads rows into batches, until the input ends or a later stage has ended.
    pub fn read_rows(
        &self,
        name: &Arc<str>,
        mut reader: RowReader,
        mut arenas: Arenas,
        filled: &FilledBatches,
    ) {
        let limits = match reader.rows() {
            Some(rows) => self.limits.for_rows(rows),
            None => self.limits,
        };
        let mut rows = limits.first_rows;
        let mut number = 0;
        while !self.is_over() {
            let arena = arenas.take(rows, || {
                Arena::of_rows(self.engine, self.operation, reader.layout(), rows)
            });
            let Some(mut arena) = arena else { return };
            let memory = &mut arena.memory()[..rows * reader.layout().width()];
            let read = match self.read_into(memory, &mut reader) {
                Ok(Some(read)) => read,
                Ok(None) => return,
                Err(problem) => {
                    filled.send_result(Err(unreadable(name, &problem)));
                    return;
                }
            };
            let bytes = (read * reader.layout().width()) as u64;
            let mut units = self.units(name, number, read);
            self.read_signatures(reader.layout(), &mut arena, &mut units);
            let batch = Batch {
                arena,
                number,
                rows: read,
                units,
                notes: 0,
                bytes,
                long_rows: 0,
            };
            if !filled.send(batch) {
                return;
            }
            number += read as u64;
            if read == rows {
                rows = limits.most_rows.min(rows * GROWTH);
            }
        }
    }

    /// Reads rows into memory, and returns their number. Returns `None` at the end of the input, or
    /// if the job should stop while nothing arrives.
    fn read_into(
        &self,
        memory: &mut [u8],
        reader: &mut RowReader,
    ) -> Result<Option<usize>, String> {
        loop {
            // Waiting for a stream must not occupy a thread of the pool.
            let read = match reader.rows() {
                Some(_) => self.pool.install(|| reader.read(memory, PATIENCE)),
                None => reader.read(memory, PATIENCE),
            };
            match read? {
                ReadRows::Nothing if self.is_over() => return Ok(None),
                ReadRows::Nothing => {}
                ReadRows::End => return Ok(None),
                ReadRows::Rows(read) => return Ok(Some(read)),
            }
        }
    }

    /// Reads signatures whose content has to be examined: records malformed ones, and writes
    /// recovery ids if these are read.
    fn read_signatures(&self, layout: &RowLayout, arena: &mut Arena, units: &mut [Origins]) {
        let reads = self.operation.reads();
        let Some(place) = layout
            .signature()
            .filter(|_| reads.signatures && !reads.bare_signatures)
        else {
            return;
        };
        let reader = self.options.signature_reader(self.operation.operation);
        let v = layout.v().map(|v| v.offset);
        if v.is_none() && !layout.has_parities() {
            return;
        }
        let (memory, parities) = arena.rows_and_parities();
        let mut rest = memory;
        let mut rest_of_parities = parities;
        let mut parts = Vec::with_capacity(units.len());
        for unit in units {
            let bytes = unit.rows() * layout.width();
            let of_parities = unit.rows().min(rest_of_parities.len());
            let rows = rest
                .split_off_mut(..bytes)
                .expect("the memory has the rows");
            let parities = rest_of_parities
                .split_off_mut(..of_parities)
                .expect("the count is at most the length");
            parts.push((unit, rows, parities));
        }
        let counts =
            reads.recovery_ids == RecoveryIds::Required && reader.form() == SignatureForm::Auto;
        map(self.pool, parts, |(unit, rows, parities)| {
            for (number, row) in rows.chunks_exact_mut(layout.width()).enumerate() {
                let signature = &mut row[place.offset..][..place.width];
                if counts {
                    unit.forms.see(signature);
                }
                let id = match reader.read(signature) {
                    Ok(read) => {
                        if layout.has_parities() {
                            signature.copy_from_slice(&read.signature);
                        }
                        read.recovery_id.unwrap_or(NO_RECOVERY_ID)
                    }
                    Err(problem) => {
                        unit.refuse(number, format!("`signature` {problem}"));
                        NO_RECOVERY_ID
                    }
                };
                match (v, parities.get_mut(number)) {
                    (Some(v), _) => row[v] = id,
                    (None, Some(parity)) => *parity = id,
                    (None, None) => {}
                }
            }
        });
    }

    /// Returns the origins of rows, in units that are written in parallel.
    fn units(&self, name: &Arc<str>, first: u64, rows: usize) -> Vec<Origins> {
        let limit = self.operation.keys.limit();
        let unit = self.limits.unit_rows;
        let mut units = Vec::with_capacity(rows.div_ceil(unit));
        for start in (0..rows).step_by(unit) {
            let count = unit.min(rows - start);
            units.push(Origins::of_rows(
                Arc::clone(name),
                first + start as u64,
                count,
                limit.as_ref(),
            ));
        }
        units
    }
}
