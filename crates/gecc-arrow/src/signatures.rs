//! Signatures of every form and their recovery ids, from the columns of a batch.

use crate::cells::{Cells, Integers, LONG, NO_RECOVERY_ID};
use crate::columns::BatchInputs;
use crate::error::Error;
use crate::mapping::column_of;
use crate::reason::{CellProblem, Reason};
use gecc::Rows;
use gecc::call::RecoveryIds;
use gecc::fields::{Field, FormCounts, SignatureForm, SignatureReader, take_parity};

/// Length of a row in bytes: `r || s`, a recovery id, and the kind of a signature of 65 bytes.
const ROW: usize = 66;
/// Position of the recovery id in a row.
const ID: usize = 64;
/// Position of the kind in a row.
const KIND: usize = 65;
/// Kinds of signatures of 65 bytes: those that end with a v, and those that could also begin with a
/// header.
const RSV: u8 = 1;
const EITHER: u8 = 2;

/// The signatures of a batch, and the recovery ids in them.
pub(crate) struct SignatureColumn<'a> {
    rows: SignatureRows<'a>,
    /// An id for each row, or [`NO_RECOVERY_ID`]; `None` if the form of the column has no ids.
    ids: Option<Vec<u8>>,
    counts: FormCounts,
}

enum SignatureRows<'a> {
    /// The `r || s` of each row, borrowed from the column.
    Borrowed(Rows<'a, 64>),
    Owned(Vec<[u8; ROW]>),
}

impl SignatureColumn<'_> {
    /// Returns the `r || s` of each row. Rows with problems are unspecified.
    pub fn rows(&self) -> Rows<'_, 64> {
        match &self.rows {
            SignatureRows::Borrowed(rows) => *rows,
            SignatureRows::Owned(rows) => Rows::strided(rows.as_flattened(), ROW, rows.len())
                .expect("a row for each signature"),
        }
    }

    fn id(&self, row: usize) -> Option<u8> {
        self.ids
            .as_ref()
            .map(|ids| ids[row])
            .filter(|id| *id != NO_RECOVERY_ID)
    }
}

/// A column of recovery ids.
enum RecoveryIdColumn<'a> {
    Numbers(Integers<'a>),
    Texts(Cells<'a>),
}

impl<'a> RecoveryIdColumn<'a> {
    fn of(inputs: &BatchInputs<'a>, field: Field) -> Result<Option<Self>, Error> {
        let Some(place) = column_of(inputs.mapping, field, inputs.batch.schema_ref())? else {
            return Ok(None);
        };
        let column = inputs.batch.column(place).as_ref();
        Ok(Some(match Integers::are_of(column.data_type()) {
            true => RecoveryIdColumn::Numbers(Integers::of(column)),
            false => RecoveryIdColumn::Texts(Cells::of(column)),
        }))
    }

    /// Returns the id of a row, or [`NO_RECOVERY_ID`] for a number that is not an id.
    fn get(&self, row: usize, reader: SignatureReader) -> Result<u8, CellProblem> {
        let id = match self {
            RecoveryIdColumn::Numbers(numbers) => {
                let v = u128::try_from(numbers.get(row)?).ok();
                v.and_then(|v| reader.recovery_id_of_v(&v.to_be_bytes()))
            }
            RecoveryIdColumn::Texts(cells) => {
                let text = str::from_utf8(cells.get(row)?)
                    .ok()
                    .filter(|text| text.len() <= LONG);
                text.and_then(|text| reader.recovery_id_of_text(text).ok())
                    .flatten()
            }
        };
        Ok(id.unwrap_or(NO_RECOVERY_ID))
    }
}

/// Returns whether all signatures have 64 bytes. In a column without rows, the type has to state
/// the width: signatures of a type without a width may contain recovery ids.
fn are_of_64_bytes(cells: &Cells) -> bool {
    cells
        .contiguous(64)
        .is_some_and(|bytes| !bytes.is_empty() || cells.width_of_type().is_some())
}

impl<'a> BatchInputs<'a> {
    /// Reads signatures of any form as `r || s`.
    pub fn signatures(&mut self, reader: SignatureReader) -> Result<SignatureColumn<'a>, Error> {
        let has_parts = self.has(Field::R) && (self.has(Field::S) || self.has(Field::YParityAndS));
        match (self.has(Field::Signature), has_parts, self.has(Field::Der)) {
            (true, false, false) => self.whole_signatures(reader),
            (false, true, false) => self.signatures_of_parts(),
            (false, false, true) => {
                let cells = self.required(Field::Der)?;
                let rows = self.read_signatures(Field::Der, &cells, reader)?;
                Ok(SignatureColumn {
                    rows,
                    ids: None,
                    counts: FormCounts::default(),
                })
            }
            (false, false, false) => Err(self.missing(&[Field::Signature, Field::R, Field::Der])),
            _ => Err(Error::Columns(
                "more than one of `signature`, `r` with `s`, and `der` is given".to_owned(),
            )),
        }
    }

    fn whole_signatures(&mut self, reader: SignatureReader) -> Result<SignatureColumn<'a>, Error> {
        let cells = self.required(Field::Signature)?;
        if let Some(signatures) = self.borrowed(&cells, reader)? {
            return Ok(signatures);
        }
        let rows = self.read_signatures(Field::Signature, &cells, reader)?;
        let SignatureRows::Owned(read) = &rows else {
            unreachable!("signatures that were read are copies")
        };
        let counts = self.counts(read.iter().map(|row| row[KIND]));
        let ids = read.iter().map(|row| row[ID]).collect();
        Ok(SignatureColumn {
            ids: Some(ids),
            rows,
            counts,
        })
    }

    /// Returns signatures of one width that can be borrowed; `None` if they cannot.
    fn borrowed(
        &mut self,
        cells: &Cells<'a>,
        reader: SignatureReader,
    ) -> Result<Option<SignatureColumn<'a>>, Error> {
        match reader.form() {
            SignatureForm::Auto | SignatureForm::Rs if are_of_64_bytes(cells) => {
                self.borrowed_of_64(cells, reader).map(Some)
            }
            SignatureForm::Auto | SignatureForm::Rsv => self.borrowed_of_65(cells, reader, 0),
            SignatureForm::HeaderFirst => self.borrowed_of_65(cells, reader, 1),
            _ => Ok(None),
        }
    }

    fn borrowed_of_64(
        &mut self,
        cells: &Cells<'a>,
        reader: SignatureReader,
    ) -> Result<SignatureColumn<'a>, Error> {
        let bytes = cells.contiguous(64).unwrap_or_default();
        let (signatures, _) = bytes.as_chunks::<64>();
        self.note_nulls(Field::Signature, cells);
        // DER has no fixed width: if the type has a width of 64 bytes, they are r || s.
        if cells.width_of_type().is_none() {
            for (row, signature) in signatures.iter().enumerate() {
                if let Err(problem) = reader.read(signature) {
                    self.note(row, (Field::Signature, problem).into());
                }
            }
        }
        let rows = SignatureRows::Borrowed(Rows::new(signatures));
        Ok(SignatureColumn {
            rows,
            ids: None,
            counts: FormCounts::default(),
        })
    }

    /// Borrows signatures of 65 bytes, in which `r || s` begins at `start`.
    fn borrowed_of_65(
        &mut self,
        cells: &Cells<'a>,
        reader: SignatureReader,
        start: usize,
    ) -> Result<Option<SignatureColumn<'a>>, Error> {
        /// The kind of DER with this length.
        const DER: u8 = 3;
        let Some(bytes) = cells.contiguous(65).filter(|bytes| !bytes.is_empty()) else {
            return Ok(None);
        };
        let (signatures, _) = bytes.as_chunks::<65>();
        self.note_nulls(Field::Signature, cells);
        let is_auto = reader.form() == SignatureForm::Auto;
        let read = self.fill(false, |row, [id, kind]: &mut [u8; 2]| {
            let signature = &signatures[row];
            let found = reader
                .read(signature)
                .map_err(|problem| Reason::from((Field::Signature, problem)))?;
            *id = found.recovery_id.unwrap_or(NO_RECOVERY_ID);
            *kind = match found.recovery_id {
                None => DER,
                Some(_) if is_auto => kind_of(signature),
                Some(_) => 0,
            };
            Ok::<(), Reason>(())
        })?;
        if read.iter().any(|[_, kind]| *kind == DER) {
            return Ok(None);
        }
        let counts = self.counts(read.iter().map(|[_, kind]| *kind));
        let rows = SignatureRows::Borrowed(Rows::strided(&bytes[start..], 65, self.rows())?);
        Ok(Some(SignatureColumn {
            rows,
            ids: Some(read.iter().map(|[id, _]| *id).collect()),
            counts,
        }))
    }

    /// Counts signatures by kind, and those that were rejected as header-first.
    fn counts(&self, kinds: impl Iterator<Item = u8>) -> FormCounts {
        let looks_header_first =
            Reason::Cell(Field::Signature, CellProblem::LooksHeaderFirst).code();
        let header_first = self
            .problems
            .iter()
            .filter(|problem| **problem == looks_header_first)
            .count() as u64;
        let mut counts = FormCounts {
            header_first,
            ..FormCounts::default()
        };
        for kind in kinds {
            counts.rsv += u64::from(kind == RSV);
            counts.either += u64::from(kind == EITHER);
        }
        counts
    }

    /// Copies the signatures of a column.
    fn read_signatures(
        &mut self,
        field: Field,
        cells: &Cells<'a>,
        reader: SignatureReader,
    ) -> Result<SignatureRows<'a>, Error> {
        /// Maximum length of a signature in bytes: DER and a hash type.
        const LONGEST: usize = 73;
        let rows = self.fill(false, |row, to: &mut [u8; ROW]| {
            let mut short = [0; LONGEST];
            let mut long = Vec::new();
            let length = cells
                .len(row)
                .map_err(|problem| Reason::Cell(field, problem))?;
            let bytes = match short.get_mut(..length) {
                Some(bytes) => bytes,
                None if length <= LONG => {
                    long.resize(length, 0);
                    &mut long[..]
                }
                None => return Err(Reason::Cell(field, CellProblem::WrongLength)),
            };
            cells
                .read(row, bytes)
                .map_err(|problem| Reason::Cell(field, problem))?;
            to[ID] = NO_RECOVERY_ID;
            if field == Field::Der {
                let signature = reader
                    .read_der(bytes)
                    .map_err(|problem| Reason::from((field, problem)))?;
                to[..ID].copy_from_slice(&signature);
                return Ok(());
            }
            let read = reader
                .read(bytes)
                .map_err(|problem| Reason::from((field, problem)))?;
            to[..ID].copy_from_slice(&read.signature);
            to[ID] = read.recovery_id.unwrap_or(NO_RECOVERY_ID);
            to[KIND] = if reader.form() == SignatureForm::Auto {
                kind_of(bytes)
            } else {
                0
            };
            Ok(())
        })?;
        Ok(SignatureRows::Owned(rows))
    }

    /// Reads signatures from columns of r and s, or of r and yParityAndS, with or without s.
    fn signatures_of_parts(&mut self) -> Result<SignatureColumn<'a>, Error> {
        let r = self.required(Field::R)?;
        let s = self.optional(Field::S)?;
        let s_and_parity = self.optional(Field::YParityAndS)?;
        let decimal = self.mapping.decimal;
        let rows = self.fill(false, |row, to: &mut [u8; ROW]| {
            read_number(Field::R, &r, row, decimal, &mut to[..32])?;
            to[ID] = NO_RECOVERY_ID;
            let given = s_and_parity
                .as_ref()
                .filter(|cells| s.is_none() || cells.get(row).is_ok());
            let Some(s_and_parity) = given else {
                let s = s
                    .as_ref()
                    .ok_or(Reason::Cell(Field::S, CellProblem::Null))?;
                return read_number(Field::S, s, row, decimal, &mut to[32..ID]);
            };
            read_number(
                Field::YParityAndS,
                s_and_parity,
                row,
                false,
                &mut to[32..ID],
            )?;
            to[ID] = take_parity(&mut to[32]);
            if let Some(s) = s.as_ref().filter(|cells| cells.get(row).is_ok()) {
                let mut given = [0; 32];
                read_number(Field::S, s, row, decimal, &mut given)?;
                if given != to[32..ID] {
                    return Err(Reason::Cell(Field::S, CellProblem::DiffersFromSignature));
                }
            }
            Ok(())
        })?;
        let ids = self
            .has(Field::YParityAndS)
            .then(|| rows.iter().map(|row| row[ID]).collect());
        Ok(SignatureColumn {
            rows: SignatureRows::Owned(rows),
            ids,
            counts: FormCounts::default(),
        })
    }

    /// Returns the recovery ids of all rows, from signatures or from columns; [`NO_RECOVERY_ID`]
    /// for a row without one. If they are required, all ids of a row must agree; otherwise, the
    /// first one is a hint. Returns `None` if no row has one, or if the operation takes none.
    pub fn recovery_ids(
        &mut self,
        signatures: &SignatureColumn,
        reader: SignatureReader,
        wanted: RecoveryIds,
    ) -> Result<Option<Vec<[u8; 1]>>, Error> {
        if wanted == RecoveryIds::No {
            return Ok(None);
        }
        let mut columns = Vec::new();
        for field in Field::RECOVERY_IDS {
            columns.extend(RecoveryIdColumn::of(self, field)?.map(|ids| (field, ids)));
        }
        let is_required = wanted == RecoveryIds::Required;
        match (&signatures.ids, columns.first()) {
            (None, None) if is_required && self.has(Field::Signature) => {
                let problem = "signatures of 64 bytes need a column for `recovery_id` (or, where s has the parity in its \
                               top bit, --signature-form eip2098, signature_form=\"eip2098\" in Python)";
                return Err(Error::Columns(problem.to_owned()));
            }
            (None, None) if is_required => return Err(self.missing(&[Field::RecoveryId])),
            (None, None) => return Ok(None),
            (Some(_), None) if is_required => {
                signatures
                    .counts
                    .check()
                    .map_err(|problem| Error::Columns(problem.to_string()))?;
            }
            _ => {}
        }
        let first = columns.first().map(|(field, _)| *field);
        let has_signatures = self.has(Field::Signature);
        let rows = self.fill(false, |row, to: &mut [u8; 1]| {
            let found = agreed_id(signatures.id(row), &columns, row, reader, is_required)?;
            *to = match (found, first) {
                (Some(id), _) => [id],
                (None, _) if !is_required => [NO_RECOVERY_ID],
                (None, Some(field)) => return Err(Reason::Cell(field, CellProblem::Null)),
                (None, None) if has_signatures => {
                    return Err(Reason::Cell(Field::Signature, CellProblem::WrongLength));
                }
                (None, None) => return Err(Reason::Cell(Field::RecoveryId, CellProblem::Null)),
            };
            Ok(())
        })?;
        let has_some = is_required || rows.iter().any(|id| *id != [NO_RECOVERY_ID]);
        Ok(has_some.then_some(rows))
    }
}

/// Reads a part of a signature. Text is decimal or hexadecimal.
fn read_number(
    field: Field,
    cells: &Cells,
    row: usize,
    decimal: bool,
    to: &mut [u8],
) -> Result<(), Reason> {
    let read = match decimal && cells.is_text() {
        true => cells.read_decimal(row, to),
        false => cells.read_number(row, to),
    };
    read.map_err(|problem| Reason::Cell(field, problem))
}

/// Returns the recovery id of a row, from its signature or from the columns. If ids are required,
/// all of them must agree. Otherwise they are hints, and the first is used, whatever the others
/// are.
fn agreed_id(
    of_signature: Option<u8>,
    columns: &[(Field, RecoveryIdColumn)],
    row: usize,
    reader: SignatureReader,
    is_required: bool,
) -> Result<Option<u8>, Reason> {
    let mut found = of_signature.map(|id| (id, CellProblem::DiffersFromSignature));
    for (field, ids) in columns {
        if !is_required && found.is_some() {
            break;
        }
        let id = match ids.get(row, reader) {
            Ok(NO_RECOVERY_ID) if !is_required => continue,
            Ok(id) => id,
            Err(CellProblem::Null) => continue,
            Err(problem) => return Err(Reason::Cell(*field, problem)),
        };
        match found {
            Some((before, problem)) if before != id => return Err(Reason::Cell(*field, problem)),
            Some(_) => {}
            None => found = Some((id, differs_from(*field))),
        }
    }
    Ok(found.map(|(id, _)| id))
}

/// Returns the problem of a later field that contradicts this one.
fn differs_from(field: Field) -> CellProblem {
    match field {
        Field::V => CellProblem::DiffersFromV,
        _ => CellProblem::DiffersFromRecoveryId,
    }
}

/// Returns the kind of a signature that was read as `r || s || v`.
fn kind_of(bytes: &[u8]) -> u8 {
    let mut counts = FormCounts::default();
    counts.see(bytes);
    match (counts.rsv, counts.either) {
        (1, _) => RSV,
        (_, 1) => EITHER,
        _ => 0,
    }
}
