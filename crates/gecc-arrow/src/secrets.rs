//! The private keys of a batch.

use crate::cells::Cells;
use crate::columns::{BatchInputs, EngineColumn};
use crate::error::Error;
use crate::keys::LONGEST;
use crate::operation::Key;
use crate::reason::Reason;
use gecc::fields::Field;
use gecc::{Engine, SecretKey, SecretKeys, stack};
use gecc_keys::{KeyKind, SecretKeyPerFile};
use zeroize::Zeroizing;

/// A key for each row. Those of rows with problems are unspecified.
pub(crate) enum SecretKeyColumn<'a> {
    All(&'a SecretKey),
    Each(&'a [SecretKey]),
    Column(EngineColumn<'a, 32>),
}

impl<'a> SecretKeyColumn<'a> {
    /// Reads the keys of a batch whose first row has the index `first`, counted from 0. Rows
    /// without a key get a problem. Keys in formats that state a purpose must match `kind`, and are
    /// checked against their public keys by the engine, or by a new one.
    pub fn of<'c: 'a>(
        inputs: &mut BatchInputs<'c>,
        key: &'a Key,
        first: u64,
        kind: KeyKind,
        engine: Option<&Engine>,
    ) -> Result<Self, Error> {
        let keys = match key {
            Key::Column => return of_column(inputs, kind, engine).map(SecretKeyColumn::Column),
            Key::All(key) => return Ok(SecretKeyColumn::All(key)),
            Key::Each(keys) => keys.as_slice(),
        };
        let left = usize::try_from(first)
            .ok()
            .and_then(|first| keys.get(first..))
            .unwrap_or_default();
        if let Some(keys) = left.get(..inputs.rows()) {
            return Ok(SecretKeyColumn::Each(keys));
        }
        let mut rows = Zeroizing::new(vec![[0; 32]; inputs.rows()]);
        for (row, key) in rows.iter_mut().zip(left) {
            row.copy_from_slice(key.expose_bytes());
        }
        (left.len()..inputs.rows()).for_each(|row| inputs.note(row, Reason::NoKey));
        Ok(SecretKeyColumn::Column(EngineColumn::Secret(rows)))
    }

    /// Returns the keys in the form that calls take.
    pub fn keys(&self) -> SecretKeys<'_> {
        match self {
            SecretKeyColumn::All(key) => SecretKeys::all(key),
            SecretKeyColumn::Each(keys) => SecretKeys::each(keys),
            SecretKeyColumn::Column(column) => SecretKeys::rows(column.rows()),
        }
    }
}

/// Reads keys of 32 bytes, and those in PEM, DER and JSON Web Keys.
fn of_column<'a>(
    inputs: &mut BatchInputs<'a>,
    kind: KeyKind,
    engine: Option<&Engine>,
) -> Result<EngineColumn<'a, 32>, Error> {
    let cells = inputs.required(Field::SecretKey)?;
    let named: Vec<usize> = (0..inputs.rows())
        .filter(|row| is_named(&cells, *row))
        .collect();
    if named.is_empty() {
        return inputs.bytes(Field::SecretKey, &cells);
    }
    let texts = named.iter().filter_map(|row| cells.get(*row).ok());
    let keys = stack::wiped(|| SecretKeyPerFile::read(texts, kind, engine.cloned()))
        .map_err(Error::Columns)?;
    let rows = inputs.fill(true, |row, to| match named.binary_search(&row) {
        Ok(place) => {
            if let Ok(key) = keys.get(place) {
                to.copy_from_slice(key.expose_bytes());
            }
            Ok(())
        }
        Err(_) => cells
            .read(row, to)
            .map_err(|problem| (Field::SecretKey, problem)),
    })?;
    for (_, row) in named
        .iter()
        .enumerate()
        .filter(|(place, _)| keys.get(*place).is_err())
    {
        inputs.note(*row, Reason::UnusableKey);
    }
    Ok(EngineColumn::Secret(rows.into()))
}

fn is_named(cells: &Cells, row: usize) -> bool {
    // 32 bytes may begin like DER, but text cannot.
    (cells.is_text() || cells.len(row) != Ok(32))
        && cells
            .get(row)
            .is_ok_and(|cell| cell.len() <= LONGEST && gecc_keys::are_secret_keys(cell))
}
