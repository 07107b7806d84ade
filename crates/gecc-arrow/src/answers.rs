//! Answers of an operation about the rows of a batch, and their Arrow columns.

use crate::error::Error;
use crate::operation::KeyForm;
use crate::reason::{Reason, Texts};
use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, DictionaryArray, FixedSizeBinaryArray, Int8Array, RecordBatch,
    StringArray, UInt8Array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use gecc::{Verdict, signature_to_der};
use std::collections::BTreeMap;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The answers for a batch, one for each row, in order. Those of calls that someone else made can be put together too
/// ([`Operation::with_results`](crate::Operation::with_results)).
#[derive(Clone)]
pub struct Answers {
    codes: Vec<u8>,
    /// Names and columns of results; none for verification, whose result is the code.
    results: Vec<(&'static str, ArrayRef)>,
    /// The reasons of some rejected rows, in order, that their codes do not express.
    texts: Option<Vec<(usize, String)>>,
}

impl Answers {
    /// Answers of these codes, without results.
    pub fn new(codes: Vec<u8>) -> Self {
        Answers { codes, results: Vec::new(), texts: None }
    }

    /// Replaces the reasons of some rows, in order. Their codes may be any but
    /// [`Verdict::VALID_CODE`]. The column of reasons is then plain text.
    pub fn with_reasons(self, texts: Vec<(usize, String)>) -> Self {
        Answers { texts: Some(texts), ..self }
    }

    /// Adds public keys, given as `x || y`.
    pub(crate) fn with_keys(self, keys: Vec<u8>, form: KeyForm) -> Self {
        let points = || keys.as_chunks().0.iter();
        let rows = match form {
            KeyForm::Raw => keys,
            KeyForm::Compressed => points().map(compressed).collect::<Vec<_>>().into_flattened(),
            KeyForm::Uncompressed => points().map(uncompressed).collect::<Vec<_>>().into_flattened(),
        };
        self.with_rows("public_key", form.width() as usize, rows)
    }

    /// Adds signatures in DER.
    pub(crate) fn with_der(mut self, signatures: &[u8]) -> Self {
        let signatures = signatures.as_chunks().0;
        assert_eq!(signatures.len(), self.codes.len(), "a signature for each row");
        let passed =
            |(signature, code): (&[u8; 64], &u8)| (*code == Verdict::VALID_CODE).then(|| signature_to_der(signature));
        let column: BinaryArray = signatures.iter().zip(&self.codes).map(passed).collect();
        self.results.push(("der", Arc::new(column)));
        self
    }

    /// Adds a column of results, and wipes those of rejected rows.
    pub(crate) fn with_rows(mut self, name: &'static str, width: usize, mut rows: Vec<u8>) -> Self {
        self.clear_rejected(width, &mut rows);
        let bytes = Buffer::from_vec(rows);
        self.results.push((name, Arc::new(FixedSizeBinaryArray::new(width as i32, bytes, self.nulls()))));
        self
    }

    /// Adds a column of secrets, whose memory is wiped when the last array that holds it is
    /// dropped.
    pub(crate) fn with_secret_rows(mut self, name: &'static str, width: usize, mut rows: Zeroizing<Vec<u8>>) -> Self {
        self.clear_rejected(width, &mut rows);
        let (start, length) = (NonNull::from(&rows[..]).cast::<u8>(), rows.len());
        // SAFETY: the owner holds the vector, whose heap memory stays where it is until the owner is dropped, and
        // nothing changes it meanwhile.
        let bytes = unsafe { Buffer::from_custom_allocation(start, length, Arc::new(rows)) };
        self.results.push((name, Arc::new(FixedSizeBinaryArray::new(width as i32, bytes, self.nulls()))));
        self
    }

    /// Adds a column of small numbers.
    pub(crate) fn with_numbers(mut self, name: &'static str, numbers: Vec<u8>) -> Self {
        self.results.push((name, Arc::new(UInt8Array::new(numbers.into(), self.nulls()))));
        self
    }

    fn clear_rejected(&self, width: usize, rows: &mut [u8]) {
        assert_eq!(rows.len(), width * self.codes.len(), "a result for each row");
        for (row, code) in rows.chunks_exact_mut(width).zip(&self.codes) {
            if *code != Verdict::VALID_CODE {
                row.fill(0);
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

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// A code for each row: [`Verdict::VALID_CODE`], or that of a [`Reason`].
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// Returns the reason why a row did not pass, or `None` if it did.
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

    /// Returns the number of rows that passed, and of rejections by reason.
    pub fn counts(&self) -> Counts {
        self.counts_of(self.len())
    }

    /// Counts the first rows only.
    pub(crate) fn counts_of(&self, rows: usize) -> Counts {
        let mut histogram = [0u64; 256];
        for code in &self.codes[..rows] {
            histogram[usize::from(*code)] += 1;
        }
        let mut counts = Counts { rows: rows as u64, ..Counts::default() };
        for (code, count) in (0..=u8::MAX).zip(histogram).filter(|(_, count)| *count > 0) {
            match reason_of(code) {
                None => counts.passed += count,
                Some(reason) => *counts.rejected.entry(reason.code()).or_default() += count,
            }
        }
        counts
    }

    /// The answers as columns: `valid` (Boolean, never null) where there are no results, or else the results (null
    /// where a row is rejected), and then `reason` (a dictionary of text, or text, null where a row passed).
    ///
    /// # Errors
    /// None that is known; those of Arrow's checks.
    pub fn to_columns(&self) -> Result<RecordBatch, Error> {
        let types = self.results.iter().map(|(name, column)| (*name, column.data_type().clone()));
        let mut columns: Vec<ArrayRef> = self.results.iter().map(|(_, column)| column.clone()).collect();
        if columns.is_empty() {
            columns.push(Arc::new(passed_bits(&self.codes)));
        }
        columns.push(match &self.texts {
            None => Arc::new(self.reasons()?),
            Some(texts) => Arc::new(self.plain_reasons(texts)),
        });
        Ok(RecordBatch::try_new(answer_schema(types, self.texts.is_some()), columns)?)
    }

    fn reasons(&self) -> Result<DictionaryArray<Int8Type>, Error> {
        let texts = Texts::get();
        let keys: Int8Array = match self.nulls() {
            None => Int8Array::new_null(self.len()),
            Some(_) => self.codes.iter().map(|code| texts.key(*code)).collect(),
        };
        Ok(DictionaryArray::try_new(keys, texts.array.clone())?)
    }

    fn plain_reasons(&self, texts: &[(usize, String)]) -> StringArray {
        let of_codes = Texts::get();
        let mut texts = texts.iter().peekable();
        let reason = |(row, code): (usize, &u8)| match texts.next_if(|(of, _)| *of == row) {
            Some((_, text)) => Some(text.as_str()),
            None => of_codes.key(*code).map(|key| of_codes.array.value(key as usize)),
        };
        self.codes.iter().enumerate().map(reason).collect()
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
    /// Returns the reasons of rejections with their numbers, in the order of the codes.
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

/// SEC 1, section 2.3.3.
fn compressed(key: &[u8; 64]) -> [u8; 33] {
    let mut row = [2 + (key[63] & 1); 33];
    row[1..].copy_from_slice(&key[..32]);
    row
}

fn uncompressed(key: &[u8; 64]) -> [u8; 65] {
    let mut row = [4; 65];
    row[1..].copy_from_slice(key);
    row
}

/// The columns that answers have with these results, `valid` where there are none, and reasons as plain text or as a
/// dictionary of it.
pub(crate) fn answer_schema(results: impl Iterator<Item = (&'static str, DataType)>, plain_reasons: bool) -> SchemaRef {
    let dictionary = || DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    let mut fields: Vec<Field> = results.map(|(name, data_type)| Field::new(name, data_type, true)).collect();
    if fields.is_empty() {
        fields.push(Field::new("valid", DataType::Boolean, false));
    }
    fields.push(Field::new("reason", if plain_reasons { DataType::Utf8 } else { dictionary() }, true));
    Arc::new(Schema::new(fields))
}
