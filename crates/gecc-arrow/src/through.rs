//! Operations whose calls the caller makes, such as through a coalescer.

use crate::answers::Answers;
use crate::columns::Inputs;
use crate::error::Error;
use crate::keys::{Keys, Other};
use crate::mapping::{Field, Mapping};
use crate::operation::KeyForm;
use crate::pool::Pool;
use crate::texts::Texts;
use arrow_array::RecordBatch;
use gecc::{PublicKeys, Rows};

/// [`crate::Operation::Verify`] over digests, where `verify` makes the calls. It gets digests, signatures, public keys and
/// a place for the code of each item, as [`gecc::any::ecdsa::verify_into`] does. There is one call for most rows, and a
/// second one where some rows have keys in another encoding.
///
/// # Errors
/// [`Error::Columns`] when a column that is needed is missing or has a wrong type, and what the calls say.
pub fn verify_through<E: From<Error>>(
    batch: &RecordBatch,
    mapping: &Mapping,
    pool: &Pool,
    verify: impl Fn(Rows<32>, Rows<64>, PublicKeys, &mut [u8]) -> Result<(), E>,
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
/// unless one that can be read has another length than 32 bytes. There may be two calls, as for [`verify_through`].
///
/// # Errors
/// As for [`verify_through`].
pub fn verify_bip340_through<E: From<Error>>(
    batch: &RecordBatch,
    mapping: &Mapping,
    pool: &Pool,
    verify: impl Fn(Bip340Messages, Rows<64>, PublicKeys, &mut [u8]) -> Result<(), E>,
) -> Result<Answers, E> {
    verify_bip340_rows(Inputs::new(batch, mapping, pool), verify)
}

/// [`crate::Operation::Recover`] of public keys, where `recover` makes the call. It gets digests, signatures, recovery ids
/// and places for keys `x || y` and codes, as [`gecc::any::ecdsa::recover_into`] does.
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
/// for points and codes, as [`gecc::any::point::decode_keys_into`] does. There may be two calls, as for [`verify_through`].
/// The point of a row that is rejected means nothing.
///
/// # Errors
/// As for [`verify_through`].
pub fn decode_keys_through<E: From<Error>>(
    batch: &RecordBatch,
    mapping: &Mapping,
    pool: &Pool,
    decode: impl Fn(PublicKeys, &mut [[u8; 64]], &mut [u8]) -> Result<(), E>,
) -> Result<(Vec<[u8; 64]>, Vec<u8>), E> {
    let mut inputs = Inputs::new(batch, mapping, pool);
    let keys = Keys::of(&mut inputs)?;
    let mut codes = vec![0; inputs.rows()];
    let mut points = vec![[0; 64]; codes.len()];
    decode(keys.most(), &mut points, &mut codes)?;
    put_others(&keys.others, &mut codes, |others, codes| {
        let mut of_others = vec![[0; 64]; others.len()];
        decode(sec1(others).as_slice().into(), &mut of_others, codes)?;
        for (other, point) in others.iter().zip(of_others) {
            points[other.row] = point;
        }
        Ok::<(), E>(())
    })?;
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
    verify: impl Fn(Rows<32>, Rows<64>, PublicKeys, &mut [u8]) -> Result<(), E>,
) -> Result<Answers, E> {
    let (digests, signatures) = (inputs.digests()?, inputs.signatures()?);
    let signed = Signed { digests: digests.rows(), signatures: signatures.rows(), ids: None };
    verify_signed(inputs, signed, |signed, keys, codes| verify(signed.digests, signed.signatures, keys, codes))
}

/// With recovery ids.
pub(crate) fn verify_recoverable_rows<E: From<Error>>(
    mut inputs: Inputs,
    verify: impl Fn(Signed, PublicKeys, &mut [u8]) -> Result<(), E>,
) -> Result<Answers, E> {
    let (digests, signatures) = (inputs.digests()?, inputs.signatures()?);
    let ids = inputs.optional_recovery_ids()?;
    let ids = ids.as_deref().map(Rows::new);
    verify_signed(inputs, Signed { digests: digests.rows(), signatures: signatures.rows(), ids }, verify)
}

fn verify_signed<E: From<Error>>(
    mut inputs: Inputs,
    signed: Signed,
    verify: impl Fn(Signed, PublicKeys, &mut [u8]) -> Result<(), E>,
) -> Result<Answers, E> {
    let keys = Keys::of(&mut inputs)?;
    let mut codes = vec![0; inputs.rows()];
    verify(signed, keys.most(), &mut codes)?;
    put_others(&keys.others, &mut codes, |others, codes| {
        let (digests, signatures) = (gathered(signed.digests, others), gathered(signed.signatures, others));
        let ids = signed.ids.map(|ids| gathered(ids, others));
        let ids = ids.as_deref().map(Rows::new);
        let signed = Signed { digests: Rows::new(&digests), signatures: Rows::new(&signatures), ids };
        verify(signed, sec1(others).as_slice().into(), codes)
    })?;
    Ok(Answers::new(inputs.merged(codes)))
}

pub(crate) fn verify_bip340_rows<E: From<Error>>(
    mut inputs: Inputs,
    verify: impl Fn(Bip340Messages, Rows<64>, PublicKeys, &mut [u8]) -> Result<(), E>,
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
    verify: impl Fn(Bip340Messages, Rows<64>, PublicKeys, &mut [u8]) -> Result<(), E>,
) -> Result<Answers, E> {
    let mut codes = vec![0; inputs.rows()];
    verify(messages, signatures, keys.most(), &mut codes)?;
    put_others(&keys.others, &mut codes, |others, codes| {
        let (signatures, keys) = (gathered(signatures, others), sec1(others));
        let mut verify = |messages| verify(messages, Rows::new(&signatures), keys.as_slice().into(), codes);
        match messages {
            Bip340Messages::Rows(rows) => verify(Bip340Messages::Rows(Rows::new(&gathered(rows, others)))),
            Bip340Messages::Texts(texts) => verify(Bip340Messages::Texts(&picked(texts, others))),
        }
    })?;
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

/// The rows whose keys have another encoding, computed together and put in their places.
pub(crate) fn put_others<E>(
    others: &[Other],
    codes: &mut [u8],
    compute: impl FnOnce(&[Other], &mut [u8]) -> Result<(), E>,
) -> Result<(), E> {
    if others.is_empty() {
        return Ok(());
    }
    let mut of_others = vec![0; others.len()];
    compute(others, &mut of_others)?;
    for (other, code) in others.iter().zip(of_others) {
        codes[other.row] = code;
    }
    Ok(())
}

/// The rows of a column that some items have.
pub(crate) fn gathered<const W: usize>(rows: Rows<W>, others: &[Other]) -> Vec<[u8; W]> {
    others.iter().map(|other| *rows.get(other.row)).collect()
}

/// The byte strings that some items have.
pub(crate) fn picked<'t>(texts: &[&'t [u8]], others: &[Other]) -> Vec<&'t [u8]> {
    others.iter().map(|other| texts[other.row]).collect()
}

pub(crate) fn sec1(others: &[Other]) -> Vec<&[u8]> {
    others.iter().map(Other::sec1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, Int64Array};
    use std::cell::RefCell;
    use std::sync::Arc;

    const NONE: u8 = u8::MAX;

    /// The ids that each call gets for four rows, of which row 2 has a key of another encoding.
    fn ids_of_calls(signatures: ArrayRef, ids: Option<ArrayRef>) -> Vec<Option<Vec<u8>>> {
        let digests = FixedSizeBinaryArray::try_from_iter([[1; 32]; 4].into_iter()).unwrap();
        let keys = BinaryArray::from_iter_values([33, 33, 65, 33].map(|length| vec![2; length]));
        let columns: [(&str, ArrayRef); 3] =
            [("digest", Arc::new(digests)), ("signature", signatures), ("public_key", Arc::new(keys))];
        let batch = RecordBatch::try_from_iter(columns.into_iter().chain(ids.map(|ids| ("v", ids)))).unwrap();
        let (mapping, pool, calls) = (Mapping::by_name(&batch.schema()), Pool::default(), RefCell::new(Vec::new()));
        let answers = verify_recoverable_rows(Inputs::new(&batch, &mapping, &pool), |signed, _, codes| {
            let of_rows = |ids: Rows<1>| (0..codes.len()).map(|row| ids.get(row)[0]).collect();
            calls.borrow_mut().push(signed.ids.map(of_rows));
            codes.fill(gecc::Verdict::VALID_CODE);
            Ok::<(), Error>(())
        });
        assert_eq!(answers.unwrap().codes(), [gecc::Verdict::VALID_CODE; 4]);
        calls.into_inner()
    }

    fn rows<const W: usize>() -> ArrayRef {
        Arc::new(FixedSizeBinaryArray::try_from_iter([[1; W]; 4].into_iter()).unwrap())
    }

    #[test]
    fn recovery_ids_are_read_where_rows_have_them() {
        let numbers = |numbers| Some(Arc::new(Int64Array::from_iter(numbers)) as ArrayRef);
        let of_numbers = ids_of_calls(rows::<64>(), numbers([Some(27), None, Some(38), Some(4)]));
        assert_eq!(of_numbers, [Some(vec![0, NONE, 1, NONE]), Some(vec![1])]);
        let parities = BooleanArray::from_iter([Some(true), Some(false), None, None]);
        assert_eq!(
            ids_of_calls(rows::<64>(), Some(Arc::new(parities))),
            [Some(vec![1, 0, NONE, NONE]), Some(vec![NONE])]
        );
        // A column goes before what signatures have.
        let of_numbers = ids_of_calls(rows::<65>(), numbers([Some(0), Some(2), Some(3), Some(28)]));
        assert_eq!(of_numbers, [Some(vec![0, 2, 3, 1]), Some(vec![3])]);
        let lengths: ArrayRef = Arc::new(BinaryArray::from_iter_values([65, 64, 65, 64].map(|length| vec![1; length])));
        assert_eq!(ids_of_calls(lengths, None), [Some(vec![1, NONE, 1, NONE]), Some(vec![1])]);
        assert_eq!(ids_of_calls(rows::<65>(), None), [Some(vec![1; 4]), Some(vec![1])]);
        // No row has one.
        assert_eq!(ids_of_calls(rows::<64>(), None), [None, None]);
        assert_eq!(ids_of_calls(rows::<64>(), numbers([None, Some(-1), Some(26), None])), [None, None]);
    }
}
