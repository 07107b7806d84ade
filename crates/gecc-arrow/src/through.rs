//! Operations whose calls the caller makes, such as through a coalescer.

use crate::answers::Answers;
use crate::columns::Inputs;
use crate::error::Error;
use crate::keys::Keys;
use crate::operation::KeyForm;
use crate::pool::Pool;
use crate::texts::Texts;
use arrow_array::RecordBatch;
use gecc::fields::{Field, Mapping};
use gecc::{PublicKeys, Rows};

/// [`crate::Operation::Verify`] over digests, where `verify` makes the calls. It gets digests, signatures, public keys and
/// a place for the code of each item, as [`gecc::ecdsa::verify_into`] does.
///
/// # Errors
/// [`Error::Columns`] when a column that is needed is missing or has a wrong type, and what the calls say.
pub fn verify_through<E: From<Error>>(
    batch: &RecordBatch,
    mapping: &Mapping,
    pool: &Pool,
    verify: impl FnOnce(Rows<32>, Rows<64>, PublicKeys, &mut [u8]) -> Result<(), E>,
) -> Result<Answers, E> {
    verify_rows(Inputs::new(batch, mapping, pool), verify)
}

/// The messages of a batch, as BIP 340 is computed of them.
#[derive(Clone, Copy, Debug)]
pub enum Bip340Messages<'a> {
    /// All of 32 bytes.
    Rows(Rows<'a, 32>),
    /// Of any length.
    Texts(&'a [&'a [u8]]),
}

/// [`crate::Operation::VerifyBip340`], where `verify` makes the calls. It gets messages, signatures, public keys and a place for
/// the code of each item, as [`gecc::bip340::verify_into`] does, or [`gecc::bip340::verify_messages_into`]. Messages are rows
/// unless one that can be read has another length than 32 bytes.
///
/// # Errors
/// As for [`verify_through`].
pub fn verify_bip340_through<E: From<Error>>(
    batch: &RecordBatch,
    mapping: &Mapping,
    pool: &Pool,
    verify: impl FnOnce(Bip340Messages, Rows<64>, PublicKeys, &mut [u8]) -> Result<(), E>,
) -> Result<Answers, E> {
    verify_bip340_rows(Inputs::new(batch, mapping, pool), verify)
}

/// [`crate::Operation::Recover`] of public keys, where `recover` makes the call. It gets digests, signatures, recovery ids
/// and places for keys `x || y` and codes, as [`gecc::ecdsa::recover_into`] does.
///
/// # Errors
/// As for [`verify_through`].
pub fn recover_through<E: From<Error>>(
    batch: &RecordBatch,
    mapping: &Mapping,
    pool: &Pool,
    form: KeyForm,
    recover: impl FnOnce(Rows<32>, Rows<64>, Rows<1>, &mut [[u8; 64]], &mut [u8]) -> Result<(), E>,
) -> Result<Answers, E> {
    let (keys, codes) = recover_rows(Inputs::new(batch, mapping, pool), recover)?;
    Ok(Answers::new(codes).with_keys(keys, form))
}

/// Public keys in any encoding as `x || y`, and a code for each row, where `decode` makes the calls. It gets keys and places
/// for points and codes, as [`gecc::point::decode_keys_into`] does.
/// The point of a row that is rejected means nothing.
///
/// # Errors
/// As for [`verify_through`].
pub fn decode_keys_through<E: From<Error>>(
    batch: &RecordBatch,
    mapping: &Mapping,
    pool: &Pool,
    decode: impl FnOnce(PublicKeys, &mut [[u8; 64]], &mut [u8]) -> Result<(), E>,
) -> Result<(Vec<[u8; 64]>, Vec<u8>), E> {
    let mut inputs = Inputs::new(batch, mapping, pool);
    let keys = Keys::of(&mut inputs)?;
    let mut codes = vec![0; inputs.rows()];
    let mut points = vec![[0; 64]; codes.len()];
    decode(keys.rows(), &mut points, &mut codes)?;
    Ok((points, inputs.merged(codes)))
}

/// What is verified with some keys.
#[derive(Clone, Copy)]
pub(crate) struct Signed<'a> {
    pub digests: Rows<'a, 32>,
    pub signatures: Rows<'a, 64>,
    /// Where a row of the batch has one.
    pub ids: Option<Rows<'a, 1>>,
}

pub(crate) fn verify_rows<E: From<Error>>(
    mut inputs: Inputs,
    verify: impl FnOnce(Rows<32>, Rows<64>, PublicKeys, &mut [u8]) -> Result<(), E>,
) -> Result<Answers, E> {
    let (digests, signatures) = (inputs.digests()?, inputs.signatures()?);
    let signed = Signed { digests: digests.rows(), signatures: signatures.rows(), ids: None };
    verify_signed(inputs, signed, |signed, keys, codes| verify(signed.digests, signed.signatures, keys, codes))
}

/// With recovery ids.
pub(crate) fn verify_recoverable_rows<E: From<Error>>(
    mut inputs: Inputs,
    verify: impl FnOnce(Signed, PublicKeys, &mut [u8]) -> Result<(), E>,
) -> Result<Answers, E> {
    let (digests, signatures) = (inputs.digests()?, inputs.signatures()?);
    let ids = inputs.optional_recovery_ids()?;
    let ids = ids.as_deref().map(Rows::new);
    verify_signed(inputs, Signed { digests: digests.rows(), signatures: signatures.rows(), ids }, verify)
}

fn verify_signed<E: From<Error>>(
    mut inputs: Inputs,
    signed: Signed,
    verify: impl FnOnce(Signed, PublicKeys, &mut [u8]) -> Result<(), E>,
) -> Result<Answers, E> {
    let keys = Keys::of(&mut inputs)?;
    let mut codes = vec![0; inputs.rows()];
    verify(signed, keys.rows(), &mut codes)?;
    Ok(Answers::new(inputs.merged(codes)))
}

pub(crate) fn verify_bip340_rows<E: From<Error>>(
    mut inputs: Inputs,
    verify: impl FnOnce(Bip340Messages, Rows<64>, PublicKeys, &mut [u8]) -> Result<(), E>,
) -> Result<Answers, E> {
    inputs.require_one_content()?;
    if !inputs.has(Field::Message) {
        let digests = inputs.digests()?;
        let (signatures, keys) = (inputs.signatures()?, Keys::of_bip340(&mut inputs)?);
        return verify_bip340_items(inputs, Bip340Messages::Rows(digests.rows()), signatures.rows(), &keys, verify);
    }
    let texts = Texts::messages(&mut inputs)?;
    let (signatures, keys) = (inputs.signatures()?, Keys::of_bip340(&mut inputs)?);
    let texts = texts.slices();
    // What is read for rows with problems does not matter.
    let is_row = |(text, problem): (&&[u8], &u8)| *problem != 0 || text.len() == 32;
    let are_rows = texts.iter().zip(&inputs.problems).all(is_row);
    let rows: Vec<[u8; 32]> = match are_rows {
        true => texts.iter().map(|text| (*text).try_into().unwrap_or_default()).collect(),
        false => Vec::new(),
    };
    let messages = if are_rows { Bip340Messages::Rows(Rows::new(&rows)) } else { Bip340Messages::Texts(&texts) };
    verify_bip340_items(inputs, messages, signatures.rows(), &keys, verify)
}

fn verify_bip340_items<E: From<Error>>(
    inputs: Inputs,
    messages: Bip340Messages,
    signatures: Rows<64>,
    keys: &Keys,
    verify: impl FnOnce(Bip340Messages, Rows<64>, PublicKeys, &mut [u8]) -> Result<(), E>,
) -> Result<Answers, E> {
    let mut codes = vec![0; inputs.rows()];
    verify(messages, signatures, keys.rows(), &mut codes)?;
    Ok(Answers::new(inputs.merged(codes)))
}

/// What is recovered, `W` bytes for each row, and the codes.
pub(crate) fn recover_rows<const W: usize, E: From<Error>>(
    mut inputs: Inputs,
    recover: impl FnOnce(Rows<32>, Rows<64>, Rows<1>, &mut [[u8; W]], &mut [u8]) -> Result<(), E>,
) -> Result<(Vec<[u8; W]>, Vec<u8>), E> {
    let digests = inputs.digests()?;
    let signatures = inputs.signatures()?;
    let ids = inputs.recovery_ids()?;
    let mut codes = vec![0; inputs.rows()];
    let mut rows = vec![[0; W]; codes.len()];
    recover(digests.rows(), signatures.rows(), Rows::new(&ids), &mut rows, &mut codes)?;
    Ok((rows, inputs.merged(codes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, Int64Array};
    use std::sync::Arc;

    const NONE: u8 = u8::MAX;

    fn mapping_of(batch: &RecordBatch) -> Mapping {
        let verify = crate::Operation::VerifyRecoverable(Default::default());
        crate::complete(Mapping::new(), &batch.schema(), &verify, gecc::CurveId::P256).unwrap()
    }

    /// The ids that the call gets for four rows, of which row 2 has a key of another encoding.
    fn ids_of_call(signatures: ArrayRef, ids: Option<ArrayRef>) -> Option<Vec<u8>> {
        let digests = FixedSizeBinaryArray::try_from_iter([[1; 32]; 4].into_iter()).unwrap();
        let keys = BinaryArray::from_iter_values([33, 33, 65, 33].map(|length| vec![2; length]));
        let columns: [(&str, ArrayRef); 3] =
            [("digest", Arc::new(digests)), ("signature", signatures), ("public_key", Arc::new(keys))];
        let batch = RecordBatch::try_from_iter(columns.into_iter().chain(ids.map(|ids| ("v", ids)))).unwrap();
        let (mapping, pool, mut found) = (mapping_of(&batch), Pool::default(), None);
        let answers = verify_recoverable_rows(Inputs::new(&batch, &mapping, &pool), |signed, _, codes| {
            let of_rows = |ids: Rows<1>| (0..codes.len()).map(|row| ids.get(row)[0]).collect();
            found = signed.ids.map(of_rows);
            codes.fill(gecc::Verdict::VALID_CODE);
            Ok::<(), Error>(())
        });
        assert_eq!(answers.unwrap().codes(), [gecc::Verdict::VALID_CODE; 4]);
        found
    }

    fn rows<const W: usize>() -> ArrayRef {
        Arc::new(FixedSizeBinaryArray::try_from_iter([[1; W]; 4].into_iter()).unwrap())
    }

    #[test]
    fn recovery_ids_are_read_where_rows_have_them() {
        let numbers = |numbers| Some(Arc::new(Int64Array::from_iter(numbers)) as ArrayRef);
        let of_numbers = ids_of_call(rows::<64>(), numbers([Some(27), None, Some(38), Some(4)]));
        assert_eq!(of_numbers, Some(vec![0, NONE, 1, NONE]));
        let parities = BooleanArray::from_iter([Some(true), Some(false), None, None]);
        assert_eq!(ids_of_call(rows::<64>(), Some(Arc::new(parities))), Some(vec![1, 0, NONE, NONE]));
        // A column goes before what signatures have.
        let of_numbers = ids_of_call(rows::<65>(), numbers([Some(0), Some(2), Some(3), Some(28)]));
        assert_eq!(of_numbers, Some(vec![0, 2, 3, 1]));
        let lengths: ArrayRef = Arc::new(BinaryArray::from_iter_values([65, 64, 65, 64].map(|length| vec![1; length])));
        assert_eq!(ids_of_call(lengths, None), Some(vec![1, NONE, 1, NONE]));
        assert_eq!(ids_of_call(rows::<65>(), None), Some(vec![1; 4]));
        // No row has one.
        assert_eq!(ids_of_call(rows::<64>(), None), None);
        assert_eq!(ids_of_call(rows::<64>(), numbers([None, Some(-1), Some(26), None])), None);
    }
}
