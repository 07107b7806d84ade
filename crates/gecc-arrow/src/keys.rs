//! Public keys in any encoding: one column for the form of most rows, and a short list of the others. Keys of 32 bytes are for
//! BIP 340 alone.

use crate::cells::{Cells, LONG};
use crate::columns::{Column, Inputs};
use crate::error::Error;
use crate::mapping::Field;
use crate::reason::CellProblem;
use gecc::PublicKeys;

/// The public keys of a batch.
pub(crate) struct Keys<'a> {
    most: Most<'a>,
    /// The rows that have another encoding, in order.
    pub others: Vec<Other>,
}

enum Most<'a> {
    XOnly(Column<'a, 32>),
    Compressed(Column<'a, 33>),
    Raw(Column<'a, 64>),
    Uncompressed(Column<'a, 65>),
}

/// A key of an encoding that few have.
pub(crate) struct Other {
    pub row: usize,
    /// An octet string of SEC 1, or nothing where the length is one that no encoding has.
    key: [u8; 65],
    length: u8,
}

impl<'a> Keys<'a> {
    /// In the encodings of SEC 1, and x || y.
    pub fn of(inputs: &mut Inputs<'a>) -> Result<Self, Error> {
        Self::of_widths(inputs, &[33, 65, 64])
    }

    /// In these and x-only.
    pub fn of_bip340(inputs: &mut Inputs<'a>) -> Result<Self, Error> {
        Self::of_widths(inputs, &[32, 33, 65, 64])
    }

    fn of_widths(inputs: &mut Inputs<'a>, widths: &[usize]) -> Result<Self, Error> {
        let cells = inputs.required(Field::PublicKey)?;
        if cells.width_of_type() == Some(X_ONLY) && !widths.contains(&X_ONLY) {
            return Err(Error::Columns("a `public_key` of 32 bytes is for BIP 340 alone".to_owned()));
        }
        if let Some(width) = cells.width().filter(|width| widths.contains(width)) {
            return Ok(Keys { most: Most::of(inputs, &cells, width)?, others: Vec::new() });
        }
        let width = most_common_width(inputs, &cells, widths)?;
        let others = others(inputs, &cells, width, widths.contains(&X_ONLY))?;
        let most = Most::of(inputs, &cells, width)?;
        // They had no problem before, and another width is none.
        for other in &others {
            inputs.problems[other.row] = 0;
        }
        Ok(Keys { most, others })
    }

    /// A key for each row. Those of `others` mean nothing.
    pub fn most(&self) -> PublicKeys<'_> {
        match &self.most {
            Most::XOnly(keys) => PublicKeys::x_only(keys.rows()),
            Most::Compressed(keys) => PublicKeys::compressed(keys.rows()),
            Most::Raw(keys) => PublicKeys::raw(keys.rows()),
            Most::Uncompressed(keys) => PublicKeys::uncompressed(keys.rows()),
        }
    }
}

impl<'a> Most<'a> {
    fn of(inputs: &mut Inputs<'a>, cells: &Cells<'a>, width: usize) -> Result<Self, Error> {
        Ok(match width {
            X_ONLY => Most::XOnly(inputs.bytes(Field::PublicKey, cells)?),
            33 => Most::Compressed(inputs.bytes(Field::PublicKey, cells)?),
            64 => Most::Raw(inputs.bytes(Field::PublicKey, cells)?),
            _ => Most::Uncompressed(inputs.bytes(Field::PublicKey, cells)?),
        })
    }
}

impl Other {
    fn read(cells: &Cells, row: usize, length: usize, takes_x_only: bool) -> Result<Self, CellProblem> {
        let mut other = Other { row, key: [0; 65], length: 0 };
        match length {
            X_ONLY if takes_x_only => {
                // The point with an even y.
                cells.read(row, &mut other.key[1..33])?;
                other.key[0] = 2;
                other.length = 33;
            }
            64 => {
                cells.read(row, &mut other.key[1..])?;
                other.key[0] = 4;
                // Zeros are the identity, as in a column of raw keys.
                let is_identity = other.key[1..].iter().all(|byte| *byte == 0);
                other.length = if is_identity { 1 } else { 65 };
                if is_identity {
                    other.key[0] = 0;
                }
            }
            0..=65 => {
                cells.read(row, &mut other.key[..length])?;
                other.length = length as u8;
            }
            _ => check_digits(cells, row, length)?,
        }
        Ok(other)
    }

    /// What [`PublicKeys::sec1`] takes, which rejects an empty string.
    pub fn sec1(&self) -> &[u8] {
        &self.key[..usize::from(self.length)]
    }
}

/// A cell with too many bytes is rejected for that, unless they are no digits.
fn check_digits(cells: &Cells, row: usize, length: usize) -> Result<(), CellProblem> {
    if cells.is_text() && length <= LONG { cells.read(row, &mut vec![0; length]) } else { Ok(()) }
}

/// Bytes of a key that is x alone.
const X_ONLY: usize = 32;

/// Of some widths the one that most rows have.
fn most_common_width(inputs: &Inputs, cells: &Cells, widths: &[usize]) -> Result<usize, Error> {
    let counts = inputs.pool.map(inputs.rows(), |rows| {
        let mut counts = vec![0usize; widths.len()];
        for length in rows.filter_map(|row| cells.len(row).ok()) {
            for (count, width) in counts.iter_mut().zip(widths) {
                *count += usize::from(length == *width);
            }
        }
        counts
    })?;
    let total = |which: usize| counts.iter().map(|counts| counts[which]).sum::<usize>();
    // Of equal counts the first is taken.
    let most = (0..widths.len()).rev().max_by_key(|which| total(*which)).unwrap_or(0);
    Ok(widths[most])
}

/// The rows without problems whose keys have another width. A cell that cannot be read is left to the column of most.
fn others(inputs: &Inputs, cells: &Cells, width: usize, takes_x_only: bool) -> Result<Vec<Other>, Error> {
    let parts = inputs.pool.map(inputs.rows(), |rows| {
        let rows = rows.filter(|row| inputs.problems[*row] == 0);
        let others = rows.filter_map(|row| {
            let length = cells.len(row).ok().filter(|length| *length != width)?;
            Other::read(cells, row, length, takes_x_only).ok()
        });
        others.collect::<Vec<_>>()
    })?;
    Ok(parts.into_iter().flatten().collect())
}
