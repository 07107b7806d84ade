//! Public keys in any encoding: a column as it is where all rows have one encoding, and else a column of the form that
//! the library has for that. Keys of 32 bytes are for BIP 340 and Ed25519.

use crate::cells::{Cells, LONG};
use crate::columns::{Column, Inputs};
use crate::error::Error;
use crate::reason::CellProblem;
use gecc::PublicKeys;
use gecc::fields::Field;

/// The public keys of a batch.
pub(crate) enum Keys<'a> {
    XOnly(Column<'a, 32>),
    Compressed(Column<'a, 33>),
    Raw(Column<'a, 64>),
    Uncompressed(Column<'a, 65>),
    Mixed(Vec<[u8; 65]>),
}

impl<'a> Keys<'a> {
    /// In the encodings of SEC 1, and x || y.
    pub fn of(inputs: &mut Inputs<'a>) -> Result<Self, Error> {
        Self::of_widths(inputs, &[33, 65, 64])
    }

    /// In these and x-only.
    pub fn of_bip340(inputs: &mut Inputs<'a>) -> Result<Self, Error> {
        Self::of_widths(inputs, &[33, 65, 64, X_ONLY])
    }

    fn of_widths(inputs: &mut Inputs<'a>, widths: &[usize]) -> Result<Self, Error> {
        let cells = inputs.required(Field::PublicKey)?;
        let takes_x_only = widths.contains(&X_ONLY);
        if cells.width_of_type() == Some(X_ONLY) && !takes_x_only {
            return Err(Error::Columns("a `public_key` of 32 bytes is for BIP 340 and Ed25519".to_owned()));
        }
        let width = match cells.width() {
            Some(width) => Some(width),
            None => common_width(inputs, &cells)?,
        };
        Ok(match width.filter(|width| widths.contains(width)) {
            Some(X_ONLY) => Keys::XOnly(inputs.bytes(Field::PublicKey, &cells)?),
            Some(33) => Keys::Compressed(inputs.bytes(Field::PublicKey, &cells)?),
            Some(64) => Keys::Raw(inputs.bytes(Field::PublicKey, &cells)?),
            Some(_) => Keys::Uncompressed(inputs.bytes(Field::PublicKey, &cells)?),
            None => Keys::Mixed(inputs.fill(false, |row, to| {
                *to = mixed_row(&cells, row, takes_x_only).map_err(|problem| (Field::PublicKey, problem))?;
                Ok(())
            })?),
        })
    }

    /// A key for each row. Those of rows with problems mean nothing.
    pub fn rows(&self) -> PublicKeys<'_> {
        match self {
            Keys::XOnly(keys) => PublicKeys::x_only(keys.rows()),
            Keys::Compressed(keys) => PublicKeys::compressed(keys.rows()),
            Keys::Raw(keys) => PublicKeys::raw(keys.rows()),
            Keys::Uncompressed(keys) => PublicKeys::uncompressed(keys.rows()),
            Keys::Mixed(keys) => PublicKeys::mixed(keys),
        }
    }
}

/// A key of any encoding. Where the length is one that no encoding has the row is no key, which the library rejects.
fn mixed_row(cells: &Cells, row: usize, takes_x_only: bool) -> Result<[u8; 65], CellProblem> {
    let (mut key, length) = ([0; 65], cells.len(row)?);
    match key.get_mut(..length) {
        Some(key) => cells.read(row, key)?,
        None => check_digits(cells, row, length)?,
    }
    Ok(match key.get(..length).unwrap_or_default() {
        key if takes_x_only && key.len() == X_ONLY => {
            PublicKeys::mixed_row_of_x(key.try_into().expect("so many bytes"))
        }
        key => PublicKeys::mixed_row(key),
    })
}

/// A cell with too many bytes is rejected for that, unless they are no digits.
fn check_digits(cells: &Cells, row: usize, length: usize) -> Result<(), CellProblem> {
    if cells.is_text() && length <= LONG { cells.read(row, &mut vec![0; length]) } else { Ok(()) }
}

/// Bytes of a key that is x alone.
const X_ONLY: usize = 32;

/// The width of all cells that can be read, where they have one.
fn common_width(inputs: &Inputs, cells: &Cells) -> Result<Option<usize>, Error> {
    let width = |rows: std::ops::Range<usize>| rows.filter_map(|row| cells.len(row).ok()).next();
    let Some(first) = width(0..inputs.rows()) else { return Ok(None) };
    let has_first = |row| cells.len(row).map_or(true, |width| width == first);
    let parts = inputs.pool.map(inputs.rows(), |mut rows| rows.all(has_first))?;
    Ok(parts.into_iter().all(|same| same).then_some(first))
}
