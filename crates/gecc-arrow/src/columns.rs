//! Conversion of cells to the columns that the engine takes: borrowed if possible, or copied in
//! parallel.

use crate::cells::Cells;
use crate::error::Error;
use crate::mapping::{column_of, names, of_other_type};
use crate::operation::TableOperation;
use crate::pool::{Pool, wiped_if};
use crate::reason::{CellProblem, Reason};
use arrow_array::RecordBatch;
use gecc::Rows;
use gecc::call::Operation;
use gecc::fields::{Encoding, Field, FieldForm, Hash, Mapping, ecdsa_digest, is_ecdsa_digest};
use zeroize::Zeroizing;

/// A record batch, the mapping of its columns, and the problems of its rows.
pub(crate) struct BatchInputs<'a> {
    pub batch: &'a RecordBatch,
    pub mapping: &'a Mapping,
    pub pool: &'a Pool,
    /// A code for each row: 0 if no problem was found in its cells.
    pub problems: Vec<u8>,
}

/// A column for the engine. Rows with problems are unspecified.
pub(crate) enum EngineColumn<'a, const W: usize> {
    Borrowed(Rows<'a, W>),
    Owned(Vec<[u8; W]>),
    /// Copies of secrets.
    Secret(Zeroizing<Vec<[u8; W]>>),
}

impl<const W: usize> EngineColumn<'_, W> {
    pub fn rows(&self) -> Rows<'_, W> {
        match self {
            EngineColumn::Borrowed(rows) => *rows,
            EngineColumn::Owned(rows) => Rows::new(rows),
            EngineColumn::Secret(rows) => Rows::new(rows),
        }
    }
}

/// The name of the option in errors: that of the command, and the parameter in Python.
const HASH: &str = "--hash (`hash` in Python)";

impl<'a> BatchInputs<'a> {
    pub fn new(batch: &'a RecordBatch, mapping: &'a Mapping, pool: &'a Pool) -> Self {
        BatchInputs {
            batch,
            mapping,
            pool,
            problems: vec![0; batch.num_rows()],
        }
    }

    pub fn rows(&self) -> usize {
        self.batch.num_rows()
    }

    pub fn has(&self, field: Field) -> bool {
        self.mapping.column(field).is_some()
    }

    /// Returns the cells of a field; `None` if the mapping has no column for it.
    pub fn optional(&self, field: Field) -> Result<Option<Cells<'a>>, Error> {
        let Some(place) = column_of(self.mapping, field, self.batch.schema_ref())? else {
            return Ok(None);
        };
        let encoding = self.mapping.encodings.of(field);
        let encoding = encoding
            .filter(|_| Encoding::is_of(field, self.mapping.text_messages))
            .unwrap_or_default();
        let cells = Cells::of(self.batch.column(place).as_ref()).in_encoding(encoding);
        Ok(Some(if field == Field::SecretKey {
            cells.of_secrets()
        } else {
            cells
        }))
    }

    /// Returns the cells of a required field.
    pub fn required(&self, field: Field) -> Result<Cells<'a>, Error> {
        self.optional(field)?.ok_or_else(|| self.missing(&[field]))
    }

    /// Returns the error for an operation that lacks one of these fields.
    pub fn missing(&self, fields: &[Field]) -> Error {
        let schema = self.batch.schema_ref();
        let of_other_type = fields
            .iter()
            .find_map(|field| of_other_type(*field, schema));
        of_other_type
            .unwrap_or_else(|| Error::Columns(Mapping::missing(fields, &names(schema)).to_string()))
    }

    /// Returns whether cells are messages themselves, and not their hexadecimal digits.
    pub fn holds_messages(&self, cells: &Cells) -> bool {
        !cells.is_text() || self.mapping.text_messages
    }

    /// Returns rows written by `read`, which are 0 where it fails. The first problem of a row is
    /// kept.
    pub fn fill<const W: usize, R: Into<Reason>>(
        &mut self,
        secret: bool,
        read: impl Fn(usize, &mut [u8; W]) -> Result<(), R> + Sync,
    ) -> Result<Vec<[u8; W]>, Error> {
        let mut rows = vec![[0; W]; self.rows()];
        self.pool
            .fill(&mut rows, &mut self.problems, |start, rows, problems| {
                wiped_if(secret, || {
                    for (offset, (row, problem)) in rows.iter_mut().zip(problems).enumerate() {
                        if let Err(reason) = read(start + offset, row) {
                            row.fill(0);
                            note(problem, reason.into());
                        }
                    }
                });
            })?;
        Ok(rows)
    }

    /// Marks a row, unless it already has a problem.
    pub fn note(&mut self, row: usize, reason: Reason) {
        note(&mut self.problems[row], reason);
    }

    /// Marks the rows whose cell is null.
    pub fn note_nulls(&mut self, field: Field, cells: &Cells) {
        let Some(nulls) = cells.nulls() else { return };
        for (problem, valid) in self.problems.iter_mut().zip(nulls.iter()) {
            if !valid {
                note(problem, Reason::Cell(field, CellProblem::Null));
            }
        }
    }

    /// Reads a field of `W` bytes, which is borrowed if the cells are contiguous.
    pub fn bytes<const W: usize>(
        &mut self,
        field: Field,
        cells: &Cells<'a>,
    ) -> Result<EngineColumn<'a, W>, Error> {
        if let Some(bytes) = cells.contiguous(W) {
            self.note_nulls(field, cells);
            return Ok(EngineColumn::Borrowed(Rows::strided(
                bytes,
                W,
                self.rows(),
            )?));
        }
        let secret = field == Field::SecretKey;
        let rows = self.fill(secret, |row, to| {
            cells.read(row, to).map_err(|problem| (field, problem))
        })?;
        Ok(if secret {
            EngineColumn::Secret(rows.into())
        } else {
            EngineColumn::Owned(rows)
        })
    }

    /// Returns digests, from a column, or computed from messages with `hash` for ECDSA. Those of a
    /// column may have other lengths if they are for ECDSA.
    pub fn digests(
        &mut self,
        are_for_ecdsa: bool,
        hash: Hash,
    ) -> Result<EngineColumn<'a, 32>, Error> {
        self.require_one_content()?;
        if let Some(cells) = self.optional(Field::Digest)? {
            return self.given_digests(&cells, are_for_ecdsa);
        }
        let cells = self.required(Field::Message)?;
        let is_whole = self.holds_messages(&cells);
        let digests = self.fill(false, |row, to: &mut [u8; 32]| {
            *to = message_digest(&cells, row, is_whole, hash)
                .map_err(|problem| (Field::Message, problem))?;
            Ok::<(), (Field, CellProblem)>(())
        })?;
        Ok(EngineColumn::Owned(digests))
    }

    fn given_digests(
        &mut self,
        cells: &Cells<'a>,
        are_for_ecdsa: bool,
    ) -> Result<EngineColumn<'a, 32>, Error> {
        let width = cells.width_of_type();
        if !are_for_ecdsa && let Some(width) = width.filter(|width| *width != 32) {
            let text = format!(
                "the column for `digest` is FixedSizeBinary({width}): digests of this scheme have 32 bytes"
            );
            return Err(Error::Columns(text));
        }
        if !are_for_ecdsa || width == Some(32) || cells.contiguous(32).is_some() {
            return self.bytes(Field::Digest, cells);
        }
        let digests = self.fill(false, |row, to: &mut [u8; 32]| {
            *to = read_ecdsa_digest(cells, row).map_err(|problem| (Field::Digest, problem))?;
            Ok::<(), (Field, CellProblem)>(())
        })?;
        Ok(EngineColumn::Owned(digests))
    }

    /// Returns the mapping of the batch.
    pub fn mapping(&self) -> &'a Mapping {
        self.mapping
    }

    /// Returns an error if a hash, or an option of the mapping, has no effect for this operation and
    /// these columns.
    pub fn require_effects(&self, operation: &TableOperation) -> Result<(), Error> {
        if let Some(hash) = operation.options.hash {
            require_hash_effect(hash, operation.operation, self.has(Field::Message))?;
        }
        if self.mapping.user_id.is_some() && !operation.operation.reads().user_ids {
            return Err(Error::Columns(
                "--sm2-id (`user_id` in Python) is for messages of SM2, which are signed together with it"
                    .to_owned(),
            ));
        }
        let mut forms = [FieldForm::Absent; Field::ALL.len()];
        for field in Field::ALL {
            if operation.reads(field) {
                forms[field as usize] = self.form(field)?;
            }
        }
        self.mapping
            .require_effects(&|field| forms[field as usize])
            .map_err(|problem| Error::Columns(problem.to_string()))
    }

    /// Returns the form of a field's column. Recovery ids are numbers, also in columns of text.
    fn form(&self, field: Field) -> Result<FieldForm, Error> {
        if Field::RECOVERY_IDS.contains(&field) {
            let place = column_of(self.mapping, field, self.batch.schema_ref())?;
            return Ok(place.map_or(FieldForm::Absent, |_| FieldForm::Binary));
        }
        Ok(match self.optional(field)? {
            None => FieldForm::Absent,
            Some(cells) if cells.is_text() => FieldForm::Text,
            Some(_) => FieldForm::Binary,
        })
    }

    /// Requires exactly one of `digest` and `message`, and an id only with messages.
    pub fn require_one_content(&self) -> Result<(), Error> {
        match (self.has(Field::Digest), self.has(Field::Message)) {
            (true, true) => Err(Error::Columns(
                "`digest` and `message` are both given".to_owned(),
            )),
            (false, false) => Err(self.missing(&[Field::Digest, Field::Message])),
            (true, false) if self.has(Field::Id) => Err(Error::Columns(
                "`id` goes with `message`: a digest already contains it".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// Reads signatures of 64 bytes; no other form is accepted.
    pub fn bare_signatures(&mut self) -> Result<EngineColumn<'a, 64>, Error> {
        let cells = self.required(Field::Signature)?;
        self.bytes(Field::Signature, &cells)
    }

    /// Returns the codes of all rows: those of their cells' problems, otherwise those of the
    /// engine.
    pub fn merged(self, mut codes: Vec<u8>) -> Vec<u8> {
        for (code, problem) in codes.iter_mut().zip(&self.problems) {
            if *problem != 0 {
                *code = *problem;
            }
        }
        codes
    }
}

/// Returns an error if a hash has no effect: on another scheme than ECDSA, and on digests, unless
/// nonces depend on it.
fn require_hash_effect(hash: Hash, operation: Operation, has_messages: bool) -> Result<(), Error> {
    if !operation.uses_hash() {
        return Err(Error::Columns(format!(
            "{HASH} is for ECDSA: this scheme has a hash of its own, or hashes nothing"
        )));
    }
    if !has_messages && !operation.uses_hash_for_nonces(hash) {
        return Err(Error::Columns(format!(
            "{HASH} is for a column `message`, and the table has `digest`, which is not hashed"
        )));
    }
    Ok(())
}

/// Hashes a message, which is the cell itself if `is_whole`, and otherwise what its digits encode.
fn message_digest(
    cells: &Cells,
    row: usize,
    is_whole: bool,
    hash: Hash,
) -> Result<[u8; 32], CellProblem> {
    let digest = if is_whole {
        hash.digest(cells.get(row)?)
    } else {
        let mut message = Vec::new();
        cells.append(row, &mut message)?;
        hash.digest(&message)
    };
    digest.ok_or(CellProblem::WrongLength)
}

/// Reads a digest of any length that ECDSA accepts.
fn read_ecdsa_digest(cells: &Cells, row: usize) -> Result<[u8; 32], CellProblem> {
    const LONGEST_DIGEST: usize = 64;
    let length = cells.len(row)?;
    let mut bytes = [0; LONGEST_DIGEST];
    // Reading a cell of another length determines its problem.
    let bytes = if is_ecdsa_digest(length) {
        &mut bytes[..length]
    } else {
        &mut bytes[..32]
    };
    cells.read(row, bytes)?;
    ecdsa_digest(bytes).ok_or(CellProblem::WrongLength)
}

/// Keeps the first problem of a row.
pub(crate) fn note(problem: &mut u8, reason: Reason) {
    if *problem == 0 {
        *problem = reason.code();
    }
}
