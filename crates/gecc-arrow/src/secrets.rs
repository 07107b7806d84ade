//! The private keys of a batch.

use crate::columns::{Column, Inputs};
use crate::error::Error;
use crate::operation::Key;
use crate::reason::Reason;
use gecc::fields::Field;
use gecc::{SecretKey, SecretKeys};

/// A key for each row. Those of rows with problems mean nothing.
pub(crate) enum Secrets<'a> {
    All(&'a SecretKey),
    Each(&'a [SecretKey]),
    Column(Column<'a, 32>),
}

impl<'a> Secrets<'a> {
    /// Of a batch whose first row has this number, counted from 0. Rows that have no key get a problem.
    pub fn of<'c: 'a>(inputs: &mut Inputs<'c>, key: &'a Key, first: u64) -> Result<Self, Error> {
        let keys = match key {
            Key::Column => {
                let cells = inputs.required(Field::SecretKey)?;
                return inputs.bytes(Field::SecretKey, &cells).map(Secrets::Column);
            }
            Key::All(key) => return Ok(Secrets::All(key)),
            Key::Each(keys) => keys.as_slice(),
        };
        let left = usize::try_from(first).ok().and_then(|first| keys.get(first..)).unwrap_or_default();
        if let Some(keys) = left.get(..inputs.rows()) {
            return Ok(Secrets::Each(keys));
        }
        let mut rows = vec![[0; 32]; inputs.rows()];
        for (row, key) in rows.iter_mut().zip(left) {
            row.copy_from_slice(key.expose_bytes());
        }
        (left.len()..inputs.rows()).for_each(|row| inputs.note_reason(row, Reason::NoKey));
        Ok(Secrets::Column(Column::Secret(rows)))
    }

    /// As calls take them.
    pub fn keys(&self) -> SecretKeys<'_> {
        match self {
            Secrets::All(key) => SecretKeys::all(key),
            Secrets::Each(keys) => SecretKeys::each(keys),
            Secrets::Column(column) => SecretKeys::rows(column.rows()),
        }
    }
}
