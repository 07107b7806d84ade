//! Computes a batch on the engine.

use super::arena::Arena;
use super::parser::{IrregularItem, Origins, placed};
use crate::input::keyfile::ItemNumbers;
use crate::operation::{CommandOperation, OperationInputs, OperationResults};
use gecc::call::{Columns, Contents};
use gecc::sm2::{DEFAULT_USER_ID, UserIds};
use gecc::{Engine, Error, PublicKeys, Rows, SecretKeys};
use zeroize::Zeroizing;

/// A batch of items whose columns are filled.
pub struct Batch {
    pub arena: Arena,
    /// The number of the first item.
    pub number: u64,
    pub rows: usize,
    pub units: Vec<Origins>,
    /// The size in bytes of the tags, keys and messages in the units.
    pub notes: usize,
    /// The number of input bytes consumed for the batch.
    pub bytes: u64,
    /// The size in bytes of its long rows, which count against the limit until they are written.
    pub long_rows: u64,
}

/// Computes a batch: the items in the columns with one call, and irregular items, which do not fit
/// the columns, with further calls.
pub fn compute(
    operation: &CommandOperation,
    engine: &Engine,
    batch: &mut Batch,
) -> Result<(), Error> {
    let Batch {
        arena,
        number,
        rows,
        units,
        ..
    } = batch;
    let limit = operation
        .keys
        .limit()
        .map_or(u64::MAX, |(limit, _)| limit.saturating_sub(*number));
    let computable = usize::try_from(limit).unwrap_or(usize::MAX).min(*rows);
    let left_out: usize = units
        .iter()
        .map(|unit| unit.faults.len() + unit.irregular.items.len())
        .sum();
    arena.results(*rows).codes.fill(0);
    if left_out < *rows {
        let (items, results) = arena.items(*number, computable);
        operation.compute(engine, &items, results)?;
    }
    for has_message in [false, true] {
        let items = irregular_items(units, |item| item.message.is_some() == has_message);
        if !items.is_empty() {
            let secret_keys = arena.secret_keys(items.iter().map(|(row, ..)| *row));
            compute_irregular(
                operation,
                engine,
                &items,
                *number,
                &secret_keys,
                &mut arena.results(*rows),
            )?;
        }
    }
    Ok(())
}

/// An irregular item: its row in the batch, the item, and the bytes that its ranges refer to.
type PlacedItem<'a> = (usize, &'a IrregularItem, &'a [u8]);

fn irregular_items(
    units: &[Origins],
    is_wanted: impl Fn(&IrregularItem) -> bool,
) -> Vec<PlacedItem<'_>> {
    let mut items = Vec::new();
    for (start, unit) in placed(units) {
        let wanted = unit.irregular.items.iter().filter(|item| is_wanted(item));
        items.extend(wanted.map(|item| (start + item.row, item, unit.irregular.bytes.as_slice())));
    }
    items
}

/// Computes irregular items, which either all have messages or all have digests.
fn compute_irregular(
    operation: &CommandOperation,
    engine: &Engine,
    items: &[PlacedItem],
    number: u64,
    secret_keys: &[[u8; 32]],
    results: &mut OperationResults,
) -> Result<(), Error> {
    let width = operation.width();
    let numbers: Vec<u64> = items.iter().map(|(row, ..)| number + *row as u64).collect();
    let digests: Vec<_> = items.iter().map(|(_, item, _)| item.digest).collect();
    let signatures: Vec<_> = items.iter().map(|(_, item, _)| item.signature).collect();
    let keys: Vec<_> = items.iter().map(|(_, item, _)| item.public_key).collect();
    let (messages, ids): (Vec<&[u8]>, Vec<&[u8]>) = items.iter().filter_map(message).unzip();
    let contents = if messages.is_empty() {
        Contents::Digests(Rows::new(&digests))
    } else {
        Contents::Messages {
            messages: &messages,
            user_ids: UserIds::each(&ids),
        }
    };
    let columns = Columns {
        contents,
        signatures: Rows::new(&signatures),
        public_keys: PublicKeys::mixed(&keys),
        secret_keys: SecretKeys::rows(Rows::new(secret_keys)),
        ..Columns::default()
    };
    let columns = OperationInputs {
        numbers: ItemNumbers::Each(&numbers),
        columns,
    };
    // Results may be secret.
    let mut codes = vec![0; items.len()];
    let mut rows = Zeroizing::new(vec![0; width * items.len()]);
    operation.compute(
        engine,
        &columns,
        OperationResults {
            codes: &mut codes,
            rows: &mut rows,
        },
    )?;
    for (index, (row, ..)) in items.iter().enumerate() {
        results.codes[*row] = codes[index];
        results.rows[row * width..][..width].copy_from_slice(&rows[index * width..][..width]);
    }
    Ok(())
}

/// Returns the message of an item, and its user id.
fn message<'a>((_, item, bytes): &PlacedItem<'a>) -> Option<(&'a [u8], &'a [u8])> {
    let (message, id) = item.message.clone()?;
    let id = id.map_or(DEFAULT_USER_ID, |id| &bytes[id]);
    Some((&bytes[message], id))
}
