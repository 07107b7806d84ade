//! Public keys in any encoding: the column itself if all rows have the same encoding, otherwise a
//! column of the library's mixed form. Keys of 32 bytes are for BIP 340, Ed25519 and X25519. PEM,
//! DER and JSON Web Keys are supported too.

use crate::cells::Cells;
use crate::columns::{BatchInputs, EngineColumn};
use crate::error::Error;
use crate::reason::CellProblem;
use gecc::PublicKeys;
use gecc::fields::Field;
use gecc_keys::KeyKind;

/// The public keys of a batch.
pub(crate) enum PublicKeyColumn<'a> {
    XOnly(EngineColumn<'a, 32>),
    Compressed(EngineColumn<'a, 33>),
    Raw(EngineColumn<'a, 64>),
    Uncompressed(EngineColumn<'a, 65>),
    Mixed(Vec<[u8; 65]>),
}

impl<'a> PublicKeyColumn<'a> {
    /// Reads keys in SEC 1 encodings, as x || y, in formats that state a purpose, which must match,
    /// and x-only if permitted.
    pub fn of(
        inputs: &mut BatchInputs<'a>,
        kind: KeyKind,
        takes_x_only: bool,
    ) -> Result<Self, Error> {
        let cells = inputs.required(Field::PublicKey)?;
        let takes_hybrid = inputs.mapping.hybrid_keys && kind != KeyKind::Ed25519;
        if cells.width_of_type() == Some(X_ONLY) && !takes_x_only {
            return Err(Error::Columns(
                "a `public_key` of 32 bytes is for BIP 340, Ed25519 and X25519".to_owned(),
            ));
        }
        let width = match cells.width() {
            Some(width) => Some(width),
            None => common_width(inputs, &cells)?,
        };
        Ok(match width {
            Some(X_ONLY) if takes_x_only => {
                PublicKeyColumn::XOnly(inputs.bytes(Field::PublicKey, &cells)?)
            }
            Some(33) if kind.has_points() => {
                PublicKeyColumn::Compressed(inputs.bytes(Field::PublicKey, &cells)?)
            }
            Some(64) => PublicKeyColumn::Raw(inputs.bytes(Field::PublicKey, &cells)?),
            // Hybrid keys have this width, too.
            Some(65) if !takes_hybrid => {
                PublicKeyColumn::Uncompressed(inputs.bytes(Field::PublicKey, &cells)?)
            }
            _ => PublicKeyColumn::Mixed(inputs.fill(false, |row, to| {
                *to = mixed_row(&cells, row, kind, takes_x_only, takes_hybrid)
                    .map_err(|problem| (Field::PublicKey, problem))?;
                Ok::<(), (Field, CellProblem)>(())
            })?),
        })
    }

    /// Returns a key for each row. Those of rows with problems are unspecified.
    pub fn rows(&self) -> PublicKeys<'_> {
        match self {
            PublicKeyColumn::XOnly(keys) => PublicKeys::x_only(keys.rows()),
            PublicKeyColumn::Compressed(keys) => PublicKeys::compressed(keys.rows()),
            PublicKeyColumn::Raw(keys) => PublicKeys::raw(keys.rows()),
            PublicKeyColumn::Uncompressed(keys) => PublicKeys::uncompressed(keys.rows()),
            PublicKeyColumn::Mixed(keys) => PublicKeys::mixed(keys),
        }
    }
}

/// Reads a key of any form. If it has none, the row is not a key, and the library rejects it.
fn mixed_row(
    cells: &Cells,
    row: usize,
    kind: KeyKind,
    takes_x_only: bool,
    takes_hybrid: bool,
) -> Result<[u8; 65], CellProblem> {
    if let Some(text) = cells.text_without_digits(row)? {
        let text = Some(text).filter(|text| text.len() <= LONGEST);
        return text
            .and_then(|text| file_format_row(text, kind, takes_x_only, takes_hybrid))
            .ok_or(CellProblem::NotHexadecimal);
    }
    let mut short = [0; 65];
    let mut long = Vec::new();
    let length = cells.len(row)?;
    let key = match short.get_mut(..length) {
        Some(key) => key,
        None if length <= LONGEST => {
            long.resize(length, 0);
            &mut long[..]
        }
        None => return Ok(PublicKeys::mixed_row(&[])),
    };
    cells.read(row, key)?;
    // Keys of 32 bytes are not examined for other formats, as they may look like anything.
    let is_x = takes_x_only && key.len() == X_ONLY;
    let row = if is_x {
        None
    } else {
        file_format_row(key, kind, takes_x_only, takes_hybrid)
    };
    Ok(row.unwrap_or_else(|| row_of(key, kind, takes_x_only, takes_hybrid)))
}

/// Reads a key in PEM, DER or JSON; `None` for other formats. An invalid key becomes a row that is
/// not a key.
fn file_format_row(
    key: &[u8],
    kind: KeyKind,
    takes_x_only: bool,
    takes_hybrid: bool,
) -> Option<[u8; 65]> {
    let key = gecc_keys::public_key(key, kind)?.unwrap_or_default();
    Some(row_of(&key, kind, takes_x_only, takes_hybrid))
}

/// Returns the row of a key in SEC 1, as `x || y` or, if accepted, in another encoding of points.
fn row_of(key: &[u8], kind: KeyKind, takes_x_only: bool, takes_hybrid: bool) -> [u8; 65] {
    gecc_keys::hybrid_row(key)
        .filter(|_| takes_hybrid)
        .unwrap_or_else(|| kind.row(key, takes_x_only))
}

/// Maximum length of a key in bytes or characters, which allows for certificates. A dictionary may
/// contain one key for very many rows.
pub(crate) const LONGEST: usize = 16 << 10;

/// Length in bytes of an x-only key.
const X_ONLY: usize = 32;

/// Returns the width of all readable cells, if they have the same. Text other than digits has no
/// width.
fn common_width(inputs: &BatchInputs, cells: &Cells) -> Result<Option<usize>, Error> {
    let Some(first) = (0..inputs.rows()).find_map(|row| cells.len(row).ok()) else {
        return Ok(None);
    };
    let parts = inputs.pool.map(inputs.rows(), |mut rows| {
        rows.all(|row| {
            let is_other = cells
                .text_without_digits(row)
                .is_ok_and(|text| text.is_some());
            cells.len(row).map_or(true, |width| width == first) && !is_other
        })
    })?;
    Ok(parts.into_iter().all(|same| same).then_some(first))
}
