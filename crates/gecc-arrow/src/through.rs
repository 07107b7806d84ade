//! Operations over digests whose calls the caller makes, such as through a coalescer.

use crate::answers::Answers;
use crate::columns::Inputs;
use crate::error::Error;
use crate::keys::{Keys, Other};
use crate::mapping::Mapping;
use crate::operation::KeyForm;
use crate::pool::Pool;
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

pub(crate) fn sec1(others: &[Other]) -> Vec<&[u8]> {
    others.iter().map(Other::sec1).collect()
}
