//! Public keys and other points, in any of their encodings.

use super::arrow::{self, Chunks};
use super::column::RowColumn;
use super::{Argument, LONGEST, ReadResult, Strings, array};
use crate::memory;
use crate::reasons::ArgumentRole;
use gecc::PublicKeys;
use gecc_arrow::Field;
use gecc_keys::KeyKind;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::Range;
use zeroize::Zeroizing;

/// Accepted lengths of a key in bytes, and the expected shape, for errors.
struct KeyWidths {
    widths: &'static [usize],
    shapes: &'static str,
    of_text: &'static str,
}

impl KeyWidths {
    /// Returns the encodings of an argument: those of Ed25519 and X25519, or of points: compressed,
    /// `x || y`, and uncompressed.
    fn of(argument: Argument) -> Self {
        match argument.kind {
            Some(KeyKind::Ed25519 | KeyKind::X25519) => {
                let shapes = "(n, 32), or a single row of 32 for all items";
                KeyWidths {
                    widths: &[32],
                    shapes,
                    of_text: "of 32",
                }
            }
            Some(KeyKind::Curve(_)) | None => {
                let shapes = "(n, 33), (n, 64) or (n, 65), or a single row of these for all items";
                KeyWidths {
                    widths: &[33, 64, 65],
                    shapes,
                    of_text: "of 33, 64 or 65",
                }
            }
        }
    }
}

/// Returns the only width for which an array of this length has a number of rows, which is that of
/// `items` if it is known. An empty array has no rows of any width.
fn width_of_flat(widths: &[usize], length: usize, items: Option<usize>) -> Option<usize> {
    let mut fitting = widths.iter().copied().filter(|width| match items {
        Some(items) => items.checked_mul(*width) == Some(length),
        None => length.is_multiple_of(*width),
    });
    let width = fitting.next()?;
    (length == 0 || fitting.next().is_none()).then_some(width)
}

/// The keys of a batch.
pub enum PublicKeyColumn {
    /// Keys in one encoding, which is determined by the width.
    Column(RowColumn),
    /// Keys in several encodings, as mixed rows.
    Mixed(Vec<[u8; 65]>),
}

impl PublicKeyColumn {
    /// Reads keys in an array. In one dimension, their width follows from the number of items, if
    /// it is known.
    pub fn of_array(
        argument: Argument,
        items: Option<usize>,
        bytes: &array::Bytes<'_>,
    ) -> PyResult<Self> {
        let KeyWidths { widths, shapes, .. } = KeyWidths::of(argument);
        let found = match *bytes.shape() {
            [items, width] if widths.contains(&width) => Some((Some(items), width)),
            [width] if widths.contains(&width) => Some((None, width)),
            [length] => {
                width_of_flat(widths, length, items).map(|width| (Some(length / width), width))
            }
            _ => None,
        };
        let (items, width) = found.ok_or_else(|| argument.shape(&bytes.shape_text(), shapes))?;
        let rows = bytes.rows(argument, items.unwrap_or(1), width)?;
        Ok(PublicKeyColumn::Column(RowColumn::of_rows(
            width, items, rows,
        )))
    }

    /// Creates one key for all items.
    pub fn of_row(argument: Argument, row: Zeroizing<Vec<u8>>) -> PyResult<Self> {
        let KeyWidths {
            widths, of_text, ..
        } = KeyWidths::of(argument);
        if !widths.contains(&row.len()) {
            return Err(argument.shape(&format!("a text of {} bytes", row.len()), of_text));
        }
        Ok(PublicKeyColumn::Column(RowColumn::of_copy(
            row.len(),
            None,
            row,
        )))
    }

    /// Copies byte strings, which may be in several encodings.
    pub fn of_strings(argument: Argument, strings: &Strings) -> ReadResult<Self> {
        let first = (0..strings.len())
            .find_map(|item| strings.get(item).ok())
            .map(<[u8]>::len);
        let KeyWidths { widths, .. } = KeyWidths::of(argument);
        let width = first
            .filter(|width| widths.contains(width))
            .unwrap_or(widths[0]);
        if (0..strings.len()).all(|item| strings.get(item).map_or(true, |key| key.len() == width)) {
            let (column, problems) = RowColumn::of_strings(argument, width, strings)?;
            return Ok((PublicKeyColumn::Column(column), problems));
        }
        let mut keys = memory::room(strings.len())?;
        let octets = (0..strings.len()).map(|item| strings.get(item).unwrap_or_default());
        match argument
            .kind
            .filter(|_| argument.role == ArgumentRole::Field(Field::PublicKey))
        {
            None => keys.extend(octets.map(PublicKeys::mixed_row)),
            Some(kind) => {
                let mut reader = gecc_keys::Reader::new(kind);
                keys.extend(octets.map(|key| reader.row(key)));
                reader.finish().map_err(|problem| {
                    PyValueError::new_err(format!("{}: {problem}", argument.name))
                })?;
            }
        }
        Ok((PublicKeyColumn::Mixed(keys), strings.problems(argument)?))
    }

    /// Reads keys of an Arrow array: borrowed if it is in one piece with contiguous values,
    /// otherwise copied.
    pub fn of_arrow(py: Python<'_>, argument: Argument, chunks: &Chunks) -> ReadResult<Self> {
        let KeyWidths { widths, .. } = KeyWidths::of(argument);
        arrow::require_bytes(argument, chunks, widths)?;
        if let Some(width) = arrow::common_width(chunks).filter(|width| widths.contains(width)) {
            let (column, problems) = RowColumn::of_arrow(py, argument, width, chunks)?;
            return Ok((PublicKeyColumn::Column(column), problems));
        }
        Self::of_strings(
            argument,
            &Strings::of_arrow(argument, chunks.clone(), LONGEST)?,
        )
    }

    /// Returns the number of items; `None` if one key is for all.
    pub fn items(&self) -> Option<usize> {
        match self {
            PublicKeyColumn::Column(column) => column.items(),
            PublicKeyColumn::Mixed(keys) => Some(keys.len()),
        }
    }

    /// Returns the addresses of all keys; `None` for copies.
    pub fn span(&self) -> Option<Range<usize>> {
        match self {
            PublicKeyColumn::Column(column) => Some(column.span()),
            PublicKeyColumn::Mixed(_) => None,
        }
    }

    /// Returns the first key as a SEC 1 octet string.
    pub fn sec1_of_first(&self) -> Vec<u8> {
        match self {
            PublicKeyColumn::Mixed(keys) => keys.first().map_or_else(Vec::new, |key| key.to_vec()),
            PublicKeyColumn::Column(column) => match column.width() {
                33 => column.rows::<33>(0..1).get(0).to_vec(),
                64 => [&[4], &column.rows::<64>(0..1).get(0)[..]].concat(),
                _ => column.rows::<65>(0..1).get(0).to_vec(),
            },
        }
    }

    /// Returns the keys of a range of items.
    pub fn part(&self, range: Range<usize>) -> PublicKeys<'_> {
        match self {
            PublicKeyColumn::Column(column) => match column.width() {
                32 => PublicKeys::x_only(column.rows::<32>(range)),
                33 => PublicKeys::compressed(column.rows::<33>(range)),
                64 => PublicKeys::raw(column.rows::<64>(range)),
                _ => PublicKeys::uncompressed(column.rows::<65>(range)),
            },
            PublicKeyColumn::Mixed(keys) => PublicKeys::mixed(&keys[range]),
        }
    }
}
