//! Answers of an operation about the rows of a batch, as Arrow columns.

use crate::error::Error;
use crate::operation::KeyForm;
use crate::reason::{Reason, ReasonTexts};
use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, DictionaryArray, FixedSizeBinaryArray, Int8Array,
    RecordBatch, StringArray, UInt8Array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use gecc::{Verdict, signature_to_der};
use std::collections::BTreeMap;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The answers for a batch, one per row, in order. They can also be assembled from the results of
/// calls made elsewhere ([`TableOperation::with_results`](crate::TableOperation::with_results)).
#[derive(Clone)]
pub struct Answers {
    codes: Vec<u8>,
    /// Names and columns of results; empty for verification, whose result is the code.
    results: Vec<(&'static str, ArrayRef)>,
    /// Reasons of rejected rows that their codes do not express, with the row numbers, in order.
    texts: Option<Vec<(usize, String)>>,
}

impl Answers {
    /// Creates answers with these codes, without results.
    pub fn new(codes: Vec<u8>) -> Self {
        Answers {
            codes,
            results: Vec::new(),
            texts: None,
        }
    }

    /// Replaces the reasons of some rows, in order. Their codes may be any but
    /// [`Verdict::VALID_CODE`]. The column of reasons is then plain text.
    pub fn with_reasons(self, texts: Vec<(usize, String)>) -> Self {
        Answers {
            texts: Some(texts),
            ..self
        }
    }

    /// Adds public keys, given as `x || y`.
    pub(crate) fn with_keys(self, keys: Vec<u8>, form: KeyForm) -> Self {
        let rows = match form {
            KeyForm::Raw => keys,
            KeyForm::Compressed => encoded_keys(&keys, compressed),
            KeyForm::Uncompressed => encoded_keys(&keys, uncompressed),
        };
        self.with_rows("public_key", form.width() as usize, rows)
    }

    /// Adds signatures in DER.
    pub(crate) fn with_der(mut self, signatures: &[u8]) -> Self {
        let signatures = signatures.as_chunks().0;
        assert_eq!(
            signatures.len(),
            self.codes.len(),
            "a signature for each row"
        );
        let rows = signatures.iter().zip(&self.codes);
        let column: BinaryArray = rows
            .map(|(signature, code)| {
                (*code == Verdict::VALID_CODE).then(|| signature_to_der(signature))
            })
            .collect();
        self.results.push(("der", Arc::new(column)));
        self
    }

    /// Adds a column of results. Those of rejected rows are set to zero.
    pub(crate) fn with_rows(mut self, name: &'static str, width: usize, mut rows: Vec<u8>) -> Self {
        self.clear_rejected(width, &mut rows);
        let bytes = Buffer::from_vec(rows);
        self.results.push((
            name,
            Arc::new(FixedSizeBinaryArray::new(width as i32, bytes, self.nulls())),
        ));
        self
    }

    /// Adds a column of secrets, whose memory is wiped when the last array that holds it is
    /// dropped.
    pub(crate) fn with_secret_rows(
        mut self,
        name: &'static str,
        width: usize,
        mut rows: Zeroizing<Vec<u8>>,
    ) -> Self {
        self.clear_rejected(width, &mut rows);
        let start = NonNull::from(&rows[..]).cast::<u8>();
        let length = rows.len();
        // SAFETY: the owner keeps the vector, whose heap memory is neither moved nor modified until
        // the owner is dropped.
        let bytes = unsafe { Buffer::from_custom_allocation(start, length, Arc::new(rows)) };
        self.results.push((
            name,
            Arc::new(FixedSizeBinaryArray::new(width as i32, bytes, self.nulls())),
        ));
        self
    }

    /// Adds a column of small numbers.
    pub(crate) fn with_numbers(mut self, name: &'static str, numbers: Vec<u8>) -> Self {
        self.results.push((
            name,
            Arc::new(UInt8Array::new(numbers.into(), self.nulls())),
        ));
        self
    }

    fn clear_rejected(&self, width: usize, rows: &mut [u8]) {
        assert_eq!(
            rows.len(),
            width * self.codes.len(),
            "a result for each row"
        );
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

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Returns a code for each row: [`Verdict::VALID_CODE`], or that of a [`Reason`].
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }

    /// Returns the reason why a row did not pass, or `None` if it did.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn reason(&self, row: usize) -> Option<Reason> {
        reason_of(self.codes[row])
    }

    /// Returns the columns of results with their names: null where a row is rejected. Verification
    /// has none.
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
        let mut counts = Counts {
            rows: rows as u64,
            ..Counts::default()
        };
        for (code, count) in (0..=u8::MAX).zip(histogram).filter(|(_, count)| *count > 0) {
            match reason_of(code) {
                None => counts.passed += count,
                Some(reason) => *counts.rejected.entry(reason.code()).or_default() += count,
            }
        }
        counts
    }

    /// Returns the answers as columns: `valid` (Boolean, never null) if there are no results,
    /// otherwise the results (null where a row is rejected), and then `reason` (a dictionary of
    /// strings, or strings; null where a row passed).
    ///
    /// # Errors
    /// Errors of Arrow's checks, which are not expected.
    pub fn to_columns(&self) -> Result<RecordBatch, Error> {
        let types = self
            .results
            .iter()
            .map(|(name, column)| (*name, column.data_type().clone()));
        let mut columns: Vec<ArrayRef> = self
            .results
            .iter()
            .map(|(_, column)| column.clone())
            .collect();
        if columns.is_empty() {
            columns.push(Arc::new(passed_bits(&self.codes)));
        }
        columns.push(match &self.texts {
            None => Arc::new(self.reasons()?),
            Some(texts) => Arc::new(self.plain_reasons(texts)),
        });
        Ok(RecordBatch::try_new(
            answer_schema(types, self.texts.is_some()),
            columns,
        )?)
    }

    fn reasons(&self) -> Result<DictionaryArray<Int8Type>, Error> {
        let texts = ReasonTexts::get();
        let keys: Int8Array = match self.nulls() {
            None => Int8Array::new_null(self.len()),
            Some(_) => self.codes.iter().map(|code| texts.key(*code)).collect(),
        };
        Ok(DictionaryArray::try_new(keys, texts.array.clone())?)
    }

    fn plain_reasons(&self, texts: &[(usize, String)]) -> StringArray {
        let of_codes = ReasonTexts::get();
        let mut texts = texts.iter().peekable();
        let rows = self.codes.iter().enumerate();
        rows.map(|(row, code)| match texts.next_if(|(of, _)| *of == row) {
            Some((_, text)) => Some(text.as_str()),
            None => of_codes
                .key(*code)
                .map(|key| of_codes.array.value(key as usize)),
        })
        .collect()
    }
}

impl fmt::Debug for Answers {
    /// Omits the results, which may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.results.iter().map(|(name, _)| name).collect();
        f.debug_struct("Answers")
            .field("rows", &self.len())
            .field("results", &names)
            .finish_non_exhaustive()
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
        self.rejected
            .iter()
            .filter_map(|(code, count)| Some((Reason::from_code(*code)?, *count)))
    }

    /// Adds the counts of another batch.
    pub fn add(&mut self, other: &Counts) {
        self.rows += other.rows;
        self.passed += other.passed;
        for (code, count) in &other.rejected {
            *self.rejected.entry(*code).or_default() += count;
        }
    }
}

/// Converts a code to a reason. A code that was never written counts as a mismatch, as in the
/// engine.
fn reason_of(code: u8) -> Option<Reason> {
    let mismatch = Reason::Rejected(gecc::Rejection::Mismatch);
    (code != Verdict::VALID_CODE).then(|| Reason::from_code(code).unwrap_or(mismatch))
}

fn passed_bits(codes: &[u8]) -> BooleanArray {
    let bits = BooleanBuffer::collect_bool(codes.len(), |row| codes[row] == Verdict::VALID_CODE);
    BooleanArray::new(bits, None)
}

/// Encodes keys, given as `x || y`, one after another.
fn encoded_keys<const W: usize>(keys: &[u8], encode: fn(&[u8; 64]) -> [u8; W]) -> Vec<u8> {
    keys.as_chunks()
        .0
        .iter()
        .map(encode)
        .collect::<Vec<_>>()
        .into_flattened()
}

/// Compresses a key (SEC 1, section 2.3.3).
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

/// Returns the schema of answers with these results, or with `valid` if there are none. Reasons are
/// plain strings or a dictionary.
pub(crate) fn answer_schema(
    results: impl Iterator<Item = (&'static str, DataType)>,
    plain_reasons: bool,
) -> SchemaRef {
    let reason = match plain_reasons {
        true => DataType::Utf8,
        false => DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8)),
    };
    let mut fields: Vec<Field> = results
        .map(|(name, data_type)| Field::new(name, data_type, true))
        .collect();
    if fields.is_empty() {
        fields.push(Field::new("valid", DataType::Boolean, false));
    }
    fields.push(Field::new("reason", reason, true));
    Arc::new(Schema::new(fields))
}
