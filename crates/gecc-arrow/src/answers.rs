//! What an operation says of the rows of a batch, and as columns of Arrow.

use crate::error::Error;
use crate::reason::{Reason, Texts};
use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, FixedSizeBinaryArray, Int8Array, RecordBatch, UInt8Array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use gecc::Verdict;
use std::collections::BTreeMap;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The answers for a batch, one for each row, in order.
#[derive(Clone)]
pub struct Answers {
    codes: Vec<u8>,
    /// Names and columns of results; none for verification, whose result is the code.
    results: Vec<(&'static str, ArrayRef)>,
}

impl Answers {
    pub(crate) fn of(codes: Vec<u8>) -> Self {
        Answers { codes, results: Vec::new() }
    }

    /// With a column of results, of which those of rejected rows are wiped.
    pub(crate) fn with_rows<const W: usize>(mut self, name: &'static str, mut rows: Vec<[u8; W]>) -> Self {
        self.clear_rejected(&mut rows);
        let bytes = Buffer::from_vec(rows.into_flattened());
        self.results.push((name, Arc::new(FixedSizeBinaryArray::new(W as i32, bytes, self.nulls()))));
        self
    }

    /// With a column of secrets, whose memory is wiped when the last array that holds it is dropped.
    pub(crate) fn with_secret_rows(mut self, name: &'static str, mut rows: Zeroizing<Vec<[u8; 32]>>) -> Self {
        self.clear_rejected(&mut rows);
        let bytes = rows.as_flattened();
        let (start, length) = (NonNull::from(bytes).cast::<u8>(), bytes.len());
        // SAFETY: the owner holds the vector, whose heap memory stays where it is until the owner is dropped, and
        // nothing changes it meanwhile.
        let bytes = unsafe { Buffer::from_custom_allocation(start, length, Arc::new(rows)) };
        self.results.push((name, Arc::new(FixedSizeBinaryArray::new(32, bytes, self.nulls()))));
        self
    }

    /// With a column of small numbers.
    pub(crate) fn with_numbers(mut self, name: &'static str, numbers: Vec<u8>) -> Self {
        self.results.push((name, Arc::new(UInt8Array::new(numbers.into(), self.nulls()))));
        self
    }

    fn clear_rejected<const W: usize>(&self, rows: &mut [[u8; W]]) {
        for (row, code) in rows.iter_mut().zip(&self.codes) {
            if *code != Verdict::VALID_CODE {
                *row = [0; W];
            }
        }
    }

    fn nulls(&self) -> Option<NullBuffer> {
        let valid = passed_bits(&self.codes);
        (valid.true_count() < valid.len()).then(|| NullBuffer::new(valid.values().clone()))
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// A code for each row: [`Verdict::VALID_CODE`], or that of a [`Reason`].
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// Why a row did not pass; `None` where it did.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn reason(&self, row: usize) -> Option<Reason> {
        reason_of(self.codes[row])
    }

    /// The columns of results with their names: null where a row is rejected. Verification has none.
    pub fn results(&self) -> &[(&'static str, ArrayRef)] {
        &self.results
    }

    /// How many rows passed, and how many were rejected for what.
    pub fn counts(&self) -> Counts {
        let mut histogram = [0u64; 256];
        for code in &self.codes {
            histogram[usize::from(*code)] += 1;
        }
        let mut counts = Counts { rows: self.codes.len() as u64, ..Counts::default() };
        for (code, count) in (0..=u8::MAX).zip(histogram).filter(|(_, count)| *count > 0) {
            match reason_of(code) {
                None => counts.passed += count,
                Some(reason) => *counts.rejected.entry(reason.code()).or_default() += count,
            }
        }
        counts
    }

    /// The answers as columns: `valid` (Boolean, never null) where there are no results, or else the results (null
    /// where a row is rejected), and then `reason` (a dictionary of text, null where a row passed).
    ///
    /// # Errors
    /// None that is known; those of Arrow's checks.
    pub fn to_columns(&self) -> Result<RecordBatch, Error> {
        let mut fields = Vec::new();
        let mut columns: Vec<ArrayRef> = Vec::new();
        if self.results.is_empty() {
            fields.push(valid_field());
            columns.push(Arc::new(passed_bits(&self.codes)));
        }
        for (name, column) in &self.results {
            fields.push(Field::new(*name, column.data_type().clone(), true));
            columns.push(column.clone());
        }
        fields.push(reason_field());
        columns.push(Arc::new(self.reasons()?));
        Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?)
    }

    fn reasons(&self) -> Result<DictionaryArray<Int8Type>, Error> {
        let texts = Texts::get();
        let keys: Int8Array = match self.nulls() {
            None => Int8Array::new_null(self.len()),
            Some(_) => self.codes.iter().map(|code| texts.key(*code)).collect(),
        };
        Ok(DictionaryArray::try_new(keys, texts.array.clone())?)
    }
}

impl fmt::Debug for Answers {
    /// Shows nothing of the results, which may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.results.iter().map(|(name, _)| name).collect();
        f.debug_struct("Answers").field("rows", &self.len()).field("results", &names).finish_non_exhaustive()
    }
}

/// Sums over batches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rows that have an answer.
    pub rows: u64,
    /// Rows that passed.
    pub passed: u64,
    /// Rows that were rejected, by the code of the reason.
    rejected: BTreeMap<u8, u64>,
}

impl Counts {
    /// Why rows were rejected, and how many, in the order of the codes.
    pub fn rejected(&self) -> impl Iterator<Item = (Reason, u64)> {
        self.rejected.iter().filter_map(|(code, count)| Some((Reason::from_code(*code)?, *count)))
    }

    /// Adds those of another batch.
    pub fn add(&mut self, other: &Counts) {
        self.rows += other.rows;
        self.passed += other.passed;
        for (code, count) in &other.rejected {
            *self.rejected.entry(*code).or_default() += count;
        }
    }
}

/// A code that nobody wrote counts as a mismatch, as in the engine.
fn reason_of(code: u8) -> Option<Reason> {
    let mismatch = Reason::Rejected(gecc::Rejection::Mismatch);
    (code != Verdict::VALID_CODE).then(|| Reason::from_code(code).unwrap_or(mismatch))
}

fn passed_bits(codes: &[u8]) -> BooleanArray {
    let bits = BooleanBuffer::collect_bool(codes.len(), |row| codes[row] == Verdict::VALID_CODE);
    BooleanArray::new(bits, None)
}

fn valid_field() -> Field {
    Field::new("valid", DataType::Boolean, false)
}

fn reason_field() -> Field {
    Field::new("reason", DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8)), true)
}

/// The columns that answers have: `valid` alone where there are no results.
pub(crate) fn answer_schema(results: &[(&'static str, DataType)]) -> SchemaRef {
    let mut fields: Vec<Field> =
        results.iter().map(|(name, data_type)| Field::new(*name, data_type.clone(), true)).collect();
    if fields.is_empty() {
        fields.push(valid_field());
    }
    fields.push(reason_field());
    Arc::new(Schema::new(fields))
}
