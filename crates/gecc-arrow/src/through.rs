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

pub(crate) fn verify_rows<E: From<Error>>(
    mut inputs: Inputs,
    verify: impl Fn(Rows<32>, Rows<64>, PublicKeys, &mut [u8]) -> Result<(), E>,
) -> Result<Answers, E> {
    let digests = inputs.digests()?;
    let signatures = inputs.signatures()?;
    let keys = Keys::of(&mut inputs)?;
    let (digests, signatures) = (digests.rows(), signatures.rows());
    let mut codes = vec![0; inputs.rows()];
    verify(digests, signatures, keys.most(), &mut codes)?;
    put_others(&keys.others, &mut codes, |others, codes| {
        let (digests, signatures) = (gathered(digests, others), gathered(signatures, others));
        verify(Rows::new(&digests), Rows::new(&signatures), sec1(others).as_slice().into(), codes)
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
