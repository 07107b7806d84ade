//! Operations on one record batch.

use crate::answers::{Answers, answer_schema};
use crate::byte_strings::ByteStrings;
use crate::columns::{BatchInputs, EngineColumn};
use crate::error::{Error, caught};
use crate::keys::PublicKeyColumn;
use crate::mapping::column_of;
use crate::operation::TableOperation;
use crate::pool::Pool;
use crate::secrets::SecretKeyColumn;
use crate::signatures::SignatureColumn;
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema, SchemaRef};
use gecc::call::{self, Columns, Contents};
use gecc::fields::{Field, Hash, Mapping};
use gecc::sm2::UserIds;
use gecc::{CurveId, Engine, PublicKeys, Rows, Verdict};
use std::mem;
use zeroize::Zeroizing;

/// The columns of a batch that an operation reads.
struct CallColumns<'a> {
    messages: Option<ByteStrings<'a>>,
    user_ids: Option<ByteStrings<'a>>,
    digests: Option<EngineColumn<'a, 32>>,
    /// Signatures of BIP 340 and Ed25519.
    bare_signatures: Option<EngineColumn<'a, 64>>,
    signatures: Option<SignatureColumn<'a>>,
    recovery_ids: Option<Vec<[u8; 1]>>,
    public_keys: Option<PublicKeyColumn<'a>>,
    secret_keys: Option<SecretKeyColumn<'a>>,
}

impl<'a> CallColumns<'a> {
    /// Reads the columns, in this order: the first problematic cell determines the reason of its
    /// row. The batch's first row has the index `first`.
    fn of(
        operation: &'a TableOperation,
        inputs: &mut BatchInputs<'a>,
        first: u64,
        engine: Option<&Engine>,
    ) -> Result<Self, Error> {
        let call = operation.operation;
        let reads = call.reads();
        let form = inputs.mapping.signature_form;
        let reader = call
            .signature_reader(form)
            .map_err(|problem| Error::Options(problem.to_string()))?;
        if reads.contents {
            inputs.require_one_content()?;
        }
        inputs.require_effects(operation)?;
        let mut columns = CallColumns {
            messages: None,
            user_ids: None,
            digests: None,
            bare_signatures: None,
            signatures: None,
            recovery_ids: None,
            public_keys: None,
            secret_keys: None,
        };
        let has_messages = reads.messages && inputs.has(Field::Message);
        if has_messages {
            columns.messages = Some(ByteStrings::messages(inputs)?);
        } else if reads.contents {
            columns.digests =
                Some(inputs.digests(!reads.messages, operation.options.message_hash())?);
        }
        if reads.bare_signatures && reads.signatures {
            columns.bare_signatures = Some(inputs.bare_signatures()?);
        } else if reads.signatures {
            let signatures = inputs.signatures(reader)?;
            columns.recovery_ids = inputs.recovery_ids(&signatures, reader, reads.recovery_ids)?;
            columns.signatures = Some(signatures);
        }
        if reads.public_keys {
            columns.public_keys =
                Some(PublicKeyColumn::of(inputs, call.into(), reads.x_only_keys)?);
        }
        if reads.secret_keys {
            columns.secret_keys = Some(SecretKeyColumn::of(
                inputs,
                &operation.key,
                first,
                call.into(),
                engine,
            )?);
        }
        if has_messages && reads.user_ids {
            columns.user_ids = ByteStrings::ids(inputs)?;
        }
        Ok(columns)
    }

    /// Adds signatures, recovery ids and keys to the columns of a call.
    fn borrowed<'c>(&'c self, mut columns: Columns<'c>) -> Columns<'c> {
        columns.signatures = self
            .bare_signatures
            .as_ref()
            .map_or(columns.signatures, EngineColumn::rows);
        columns.signatures = self
            .signatures
            .as_ref()
            .map_or(columns.signatures, SignatureColumn::rows);
        columns.recovery_ids = self
            .recovery_ids
            .as_deref()
            .map_or(columns.recovery_ids, Rows::new);
        columns.public_keys = self
            .public_keys
            .as_ref()
            .map_or(columns.public_keys, PublicKeyColumn::rows);
        columns.secret_keys = self
            .secret_keys
            .as_ref()
            .map_or(columns.secret_keys, SecretKeyColumn::keys);
        columns
    }
}

impl TableOperation {
    /// Computes the answers for all rows of a batch.
    ///
    /// A null or malformed cell rejects only its row. The batch is computed with one call of the
    /// engine. Secret keys and the results derived from them are computed in constant time; parsing
    /// them from hexadecimal text is not constant-time.
    ///
    /// # Errors
    /// [`Error::Columns`] if a required column is missing or has a wrong type, and
    /// [`Error::Engine`], also if the curve does not have the operation.
    pub fn apply(
        &self,
        engine: &Engine,
        batch: &RecordBatch,
        mapping: &Mapping,
        pool: &Pool,
    ) -> Result<Answers, Error> {
        self.apply_at(engine, 0, batch, mapping, pool)
    }

    /// Applies the operation to a batch whose first row has the index `first`, counted from 0. Keys
    /// are selected by row index ([`Key::Each`](crate::Key::Each)).
    ///
    /// # Errors
    /// The same as for [`TableOperation::apply`].
    pub fn apply_at(
        &self,
        engine: &Engine,
        first: u64,
        batch: &RecordBatch,
        mapping: &Mapping,
        pool: &Pool,
    ) -> Result<Answers, Error> {
        self.answers(
            first,
            BatchInputs::new(batch, mapping, pool),
            Some(engine),
            |call, columns, first, second, codes| {
                call.run(engine, columns, first, second, codes)
                    .map_err(Error::from)
            },
        )
    }

    /// Applies the operation with `run` making the call, for example through a coalescer. It
    /// receives the operation, the columns, and buffers for results and codes, like
    /// [`call::Operation::run`].
    ///
    /// # Errors
    /// [`Error::Columns`] if a required column is missing or has a wrong type, [`Error::Engine`] if
    /// the curve does not have the operation, and errors of the call.
    pub fn apply_through<E: From<Error>>(
        &self,
        batch: &RecordBatch,
        mapping: &Mapping,
        pool: &Pool,
        run: impl FnOnce(call::Operation, &Columns, &mut [u8], &mut [u8], &mut [u8]) -> Result<(), E>,
    ) -> Result<Answers, E> {
        self.answers(0, BatchInputs::new(batch, mapping, pool), None, run)
    }

    fn answers<'a, E: From<Error>>(
        &'a self,
        first: u64,
        mut inputs: BatchInputs<'a>,
        engine: Option<&Engine>,
        run: impl FnOnce(call::Operation, &Columns, &mut [u8], &mut [u8], &mut [u8]) -> Result<(), E>,
    ) -> Result<Answers, E> {
        let call = self.operation;
        call.require().map_err(Error::from)?;
        let reads = call.reads();
        let read = CallColumns::of(self, &mut inputs, first, engine)?;
        let messages = read.messages.as_ref().map(ByteStrings::slices);
        let user_ids = read.user_ids.as_ref().map(ByteStrings::slices);
        let mapping = inputs.mapping();
        let user_ids = match (&user_ids, &mapping.user_id) {
            (Some(ids), _) => UserIds::each(ids),
            (None, Some(id)) => UserIds::all(id),
            (None, None) => UserIds::default(),
        };
        let as_digests = messages
            .as_ref()
            .filter(|_| !reads.user_ids)
            .and_then(|messages| as_rows(messages, &inputs.problems));
        let mut columns = read.borrowed(Columns {
            options: self.options,
            ..Columns::default()
        });
        match (&as_digests, &messages, &read.digests) {
            (Some(rows), ..) => columns.contents = Contents::Digests(Rows::new(rows)),
            (_, Some(messages), _) => columns.contents = Contents::Messages { messages, user_ids },
            (.., Some(digests)) => columns.contents = Contents::Digests(digests.rows()),
            (None, None, None) => {}
        }
        let rows = inputs.rows();
        let results = call.results();
        let mut first = Zeroizing::new(vec![
            0;
            rows * results.first().map_or(0, |column| column.width)
        ]);
        let mut second = vec![0; if results.len() > 1 { rows } else { 0 }];
        let mut codes = vec![0; rows];
        run(call, &columns, &mut first, &mut second, &mut codes)?;
        Ok(self.with_results(Answers::new(inputs.merged(codes)), first, second))
    }

    /// Adds the results of all rows to answers. They are stored one after another, as
    /// [`call::Operation::run`] writes them.
    ///
    /// # Panics
    /// If the numbers of results and answers differ.
    pub fn with_results(
        &self,
        answers: Answers,
        mut first: Zeroizing<Vec<u8>>,
        second: Vec<u8>,
    ) -> Answers {
        let Some((column, others)) = self.operation.results().split_first() else {
            return answers;
        };
        let answers = match column.name {
            name if self.operation.has_secret_results() => {
                answers.with_secret_rows(name, column.width, first)
            }
            // Public keys of Ed25519 and X25519 have only one form.
            "public_key" if column.width == 64 => {
                answers.with_keys(mem::take(&mut *first), self.key_form)
            }
            "signature" if self.der => answers.with_der(&first),
            name => answers.with_rows(name, column.width, mem::take(&mut *first)),
        };
        match others {
            [] => answers,
            [column, ..] => answers.with_numbers(column.name, second),
        }
    }

    /// Checks whether batches of this schema can be processed, before there is one.
    ///
    /// # Errors
    /// The same as for [`TableOperation::apply`], except errors of the computation.
    pub fn check(
        &self,
        engine: &Engine,
        schema: &SchemaRef,
        mapping: &Mapping,
    ) -> Result<(), Error> {
        // A file may claim types that no array has.
        let empty = caught(|| Ok(RecordBatch::new_empty(schema.clone())))?;
        self.apply(engine, &empty, mapping, &Pool::default())
            .map(drop)
    }

    /// Returns the columns that the operation reads, among those in the mapping.
    ///
    /// # Errors
    /// The same as for [`column_of`].
    pub fn columns(&self, schema: &Schema, mapping: &Mapping) -> Result<Vec<usize>, Error> {
        let read = Field::ALL.into_iter().filter(|field| self.reads(*field));
        read.filter_map(|field| column_of(mapping, field, schema).transpose())
            .collect()
    }

    /// Returns the schema of [`Answers::to_columns`].
    pub fn schema(&self) -> SchemaRef {
        self.schema_with(false)
    }

    /// Returns the output schema, with reasons as plain text or as a dictionary.
    pub(crate) fn schema_with(&self, plain_reasons: bool) -> SchemaRef {
        answer_schema(
            self.operation
                .results()
                .iter()
                .map(|column| self.result_field(column)),
            plain_reasons,
        )
    }

    /// Returns the name and the type of a result's column.
    fn result_field(&self, column: &call::Column) -> (&'static str, DataType) {
        match (column.name, column.width) {
            ("public_key", 64) => (
                column.name,
                DataType::FixedSizeBinary(self.key_form.width()),
            ),
            ("signature", _) if self.der => ("der", DataType::Binary),
            ("recovery_id", _) => (column.name, DataType::UInt8),
            (name, width) => (name, DataType::FixedSizeBinary(width as i32)),
        }
    }
}

/// Converts messages that all have 32 bytes to rows, which are computed faster. The contents of
/// rows with problems are irrelevant.
fn as_rows(messages: &[&[u8]], problems: &[u8]) -> Option<Vec<[u8; 32]>> {
    let are_rows = messages
        .iter()
        .zip(problems)
        .all(|(message, problem)| *problem != 0 || message.len() == 32);
    are_rows.then(|| {
        messages
            .iter()
            .map(|message| (*message).try_into().unwrap_or_default())
            .collect()
    })
}

/// Decodes public keys of a curve from any form to `x || y`, with a code for each row. `decode`
/// makes the calls: it receives keys and buffers for points and codes, like
/// [`gecc::point::decode_keys_into`]. The point of a rejected row is unspecified.
///
/// # Errors
/// [`Error::Columns`] if a required column is missing or has a wrong type, and errors of the calls.
pub fn decode_keys_through<E: From<Error>>(
    batch: &RecordBatch,
    mapping: &Mapping,
    pool: &Pool,
    curve: CurveId,
    decode: impl FnOnce(PublicKeys, &mut [[u8; 64]], &mut [u8]) -> Result<(), E>,
) -> Result<(Vec<[u8; 64]>, Vec<u8>), E> {
    let mut inputs = BatchInputs::new(batch, mapping, pool);
    let keys = PublicKeyColumn::of(&mut inputs, curve.into(), false)?;
    let mut codes = vec![0; inputs.rows()];
    let mut points = vec![[0; 64]; codes.len()];
    decode(keys.rows(), &mut points, &mut codes)?;
    Ok((points, inputs.merged(codes)))
}

/// Computes the digests of messages, and a code for each row. The digest of
/// a rejected row is unspecified.
///
/// # Errors
/// [`Error::Columns`] if the column of messages is missing or has a wrong type.
pub(crate) fn message_digests(
    batch: &RecordBatch,
    mapping: &Mapping,
    pool: &Pool,
    hash: Hash,
) -> Result<(Vec<[u8; 32]>, Vec<u8>), Error> {
    let mut inputs = BatchInputs::new(batch, mapping, pool);
    let digests = inputs.digests(true, hash)?;
    let digests = (0..inputs.rows())
        .map(|row| *digests.rows().get(row))
        .collect();
    let codes = vec![Verdict::VALID_CODE; inputs.rows()];
    Ok((digests, inputs.merged(codes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, Int64Array};
    use std::sync::Arc;

    const NONE: u8 = u8::MAX;

    fn verify() -> TableOperation {
        call::Operation::EcdsaVerifyRecoverable(CurveId::P256, Default::default()).into()
    }

    fn mapping_of(batch: &RecordBatch) -> Mapping {
        crate::complete(Mapping::new(), &batch.schema(), &verify()).unwrap()
    }

    /// Returns the ids that the call receives for four rows, of which row 2 has a key of another
    /// encoding.
    fn ids_of_call(signatures: ArrayRef, ids: Option<ArrayRef>) -> Option<Vec<u8>> {
        let digests = FixedSizeBinaryArray::try_from_iter([[1; 32]; 4].into_iter()).unwrap();
        let keys = BinaryArray::from_iter_values([33, 33, 65, 33].map(|length| vec![2; length]));
        let columns: [(&str, ArrayRef); 3] = [
            ("digest", Arc::new(digests)),
            ("signature", signatures),
            ("public_key", Arc::new(keys)),
        ];
        let batch =
            RecordBatch::try_from_iter(columns.into_iter().chain(ids.map(|ids| ("v", ids))))
                .unwrap();
        let mapping = mapping_of(&batch);
        let pool = Pool::default();
        let mut found = None;
        let answers = verify().apply_through(&batch, &mapping, &pool, |_, columns, _, _, codes| {
            let ids = columns.recovery_ids;
            found =
                (!ids.is_empty()).then(|| (0..codes.len()).map(|row| ids.get(row)[0]).collect());
            codes.fill(gecc::Verdict::VALID_CODE);
            Ok::<(), Error>(())
        });
        assert_eq!(answers.unwrap().codes(), [gecc::Verdict::VALID_CODE; 4]);
        found
    }

    fn numbers(ids: [Option<i64>; 4]) -> Option<ArrayRef> {
        Some(Arc::new(Int64Array::from_iter(ids)))
    }

    fn rows<const W: usize>() -> ArrayRef {
        Arc::new(FixedSizeBinaryArray::try_from_iter([[1; W]; 4].into_iter()).unwrap())
    }

    #[test]
    fn recovery_ids_are_read_where_rows_have_them() {
        let of_numbers = ids_of_call(rows::<64>(), numbers([Some(27), None, Some(38), Some(4)]));
        assert_eq!(of_numbers, Some(vec![0, NONE, 1, NONE]));
        let parities = BooleanArray::from_iter([Some(true), Some(false), None, None]);
        assert_eq!(
            ids_of_call(rows::<64>(), Some(Arc::new(parities))),
            Some(vec![1, 0, NONE, NONE])
        );
        // Ids of a column agree with those in the signatures, or are missing.
        let of_numbers = ids_of_call(rows::<65>(), numbers([Some(1), Some(28), None, Some(4)]));
        assert_eq!(of_numbers, Some(vec![1; 4]));
        let lengths: ArrayRef = Arc::new(BinaryArray::from_iter_values(
            [65, 64, 65, 64].map(|length| vec![1; length]),
        ));
        assert_eq!(ids_of_call(lengths, None), Some(vec![1, NONE, 1, NONE]));
        assert_eq!(ids_of_call(rows::<65>(), None), Some(vec![1; 4]));
        // No row has an id.
        assert_eq!(ids_of_call(rows::<64>(), None), None);
        assert_eq!(
            ids_of_call(rows::<64>(), numbers([None, Some(-1), Some(26), None])),
            None
        );
    }
}
