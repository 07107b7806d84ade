//! The columns of a batch, in memory that is reused by later batches.

use super::pages::Pages;
use crate::input::keyfile::ItemNumbers;
use crate::operation::{CommandOperation, OperationInputs, OperationResults};
use gecc::call::{Columns, Contents, Reads, RecoveryIds};
use gecc::{Engine, PublicKeys, Rows, SecretKeys};
use zeroize::Zeroizing;

/// Memory for `capacity` rows of inputs and for their results.
pub struct Arena {
    capacity: usize,
    inputs: ColumnPages,
    codes: Pages,
    results: Pages,
    width: usize,
}

/// One column for each field that the operation reads.
struct ColumnPages {
    digests: Pages,
    signatures: Pages,
    public_keys: Pages,
    recovery_ids: Pages,
    secret_keys: Pages,
    form: KeyColumn,
}

/// The encoding of the public keys of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyColumn {
    #[default]
    Compressed,
    XOnly,
    /// Any encoding, as rows of `PublicKeys::mixed`.
    Mixed,
}

impl KeyColumn {
    /// Returns the width of a key in bytes.
    pub fn width(self) -> usize {
        match self {
            KeyColumn::Compressed => 33,
            KeyColumn::XOnly => 32,
            KeyColumn::Mixed => 65,
        }
    }
}

/// A range of rows of each column, for one thread to fill. Columns that are not read are empty.
pub struct ColumnsPart<'a> {
    pub digests: &'a mut [[u8; 32]],
    pub signatures: &'a mut [[u8; 64]],
    pub public_keys: &'a mut [u8],
    pub recovery_ids: &'a mut [u8],
    pub secret_keys: &'a mut [[u8; 32]],
    pub form: KeyColumn,
}

impl ColumnsPart<'_> {
    /// Fills a row with zeros, which are rejected early.
    pub fn clear(&mut self, row: usize) {
        self.clear_public(row);
        self.secret_keys
            .get_mut(row)
            .unwrap_or(&mut [0; 32])
            .fill(0);
    }

    /// Clears a row except for its private key.
    pub fn clear_public(&mut self, row: usize) {
        let width = self.form.width();
        self.digests.get_mut(row).unwrap_or(&mut [0; 32]).fill(0);
        self.signatures.get_mut(row).unwrap_or(&mut [0; 64]).fill(0);
        self.public_keys
            .get_mut(row * width..(row + 1) * width)
            .unwrap_or_default()
            .fill(0);
        self.recovery_ids
            .get_mut(row..=row)
            .unwrap_or_default()
            .fill(0);
    }
}

impl ColumnPages {
    fn new(engine: &Engine, reads: Reads, capacity: usize) -> Self {
        let [digests, signatures, public_keys, recovery_ids, secret_keys] = widths(reads);
        ColumnPages {
            digests: Pages::new(engine, digests * capacity, false),
            signatures: Pages::new(engine, signatures * capacity, false),
            public_keys: Pages::new(engine, public_keys * capacity, false),
            recovery_ids: Pages::new(engine, recovery_ids * capacity, false),
            secret_keys: Pages::new(engine, secret_keys * capacity, true),
            form: KeyColumn::default(),
        }
    }

    fn parts(&mut self, start: usize, rows: &[usize]) -> Vec<ColumnsPart<'_>> {
        let form = self.form;
        let mut digests = rest(self.digests.bytes_mut().as_chunks_mut().0, start);
        let mut signatures = rest(self.signatures.bytes_mut().as_chunks_mut().0, start);
        let mut public_keys = rest(self.public_keys.bytes_mut(), start * form.width());
        let mut recovery_ids = rest(self.recovery_ids.bytes_mut(), start);
        let mut secret_keys = rest(self.secret_keys.bytes_mut().as_chunks_mut().0, start);
        let mut parts = Vec::with_capacity(rows.len());
        for &rows in rows {
            parts.push(ColumnsPart {
                digests: take(&mut digests, rows),
                signatures: take(&mut signatures, rows),
                public_keys: take(&mut public_keys, rows * form.width()),
                recovery_ids: take(&mut recovery_ids, rows),
                secret_keys: take(&mut secret_keys, rows),
                form,
            });
        }
        parts
    }

    fn columns(&self, rows: usize) -> Columns<'_> {
        let keys = first(self.public_keys.bytes(), rows * self.form.width());
        Columns {
            contents: Contents::Digests(first_rows(&self.digests, rows)),
            signatures: first_rows(&self.signatures, rows),
            public_keys: match self.form {
                KeyColumn::Compressed => PublicKeys::compressed(keys.as_chunks().0),
                KeyColumn::XOnly => PublicKeys::x_only(keys.as_chunks().0),
                KeyColumn::Mixed => PublicKeys::mixed(keys.as_chunks().0),
            },
            recovery_ids: first_rows(&self.recovery_ids, rows),
            secret_keys: SecretKeys::rows(first_rows(&self.secret_keys, rows)),
            ..Columns::default()
        }
    }
}

impl Arena {
    /// Makes an arena for columns that are filled part by part.
    pub fn new(engine: &Engine, operation: &CommandOperation, capacity: usize) -> Self {
        let width = operation.width();
        let inputs = ColumnPages::new(engine, operation.reads(), capacity);
        let codes = Pages::new(engine, capacity, false);
        let results = Pages::new(engine, width * capacity, operation.gives_secrets());
        Arena {
            capacity,
            inputs,
            codes,
            results,
            width,
        }
    }

    /// Returns the number of bytes per row.
    pub fn row_bytes(operation: &CommandOperation) -> usize {
        let inputs: usize = widths(operation.reads()).iter().sum();
        inputs + operation.width() + 1
    }

    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Sets the encoding of the public keys in the next batch.
    pub fn set_form(&mut self, form: KeyColumn) {
        self.inputs.form = form;
    }

    /// Returns consecutive parts with the given numbers of rows, starting at row `start`.
    pub fn parts(&mut self, start: usize, rows: &[usize]) -> Vec<ColumnsPart<'_>> {
        self.inputs.parts(start, rows)
    }

    /// Returns the first `rows` rows as inputs, and the destination of their results. `number` is
    /// the number of the first item.
    pub fn items(
        &mut self,
        number: u64,
        rows: usize,
    ) -> (OperationInputs<'_>, OperationResults<'_>) {
        let columns = self.inputs.columns(rows);
        let width = self.width;
        let codes = self.codes.bytes_mut();
        let results = self.results.bytes_mut();
        (
            OperationInputs {
                numbers: ItemNumbers::From(number),
                columns,
            },
            OperationResults {
                codes: &mut codes[..rows],
                rows: &mut results[..rows * width],
            },
        )
    }

    /// Returns the private keys of some rows, if private keys are read.
    pub fn secret_keys(
        &self,
        rows: impl ExactSizeIterator<Item = usize>,
    ) -> Zeroizing<Vec<[u8; 32]>> {
        // Allocated once, because a growing vector would leave its old contents behind.
        let mut keys = Zeroizing::new(Vec::with_capacity(rows.len()));
        let all: &[[u8; 32]] = self.inputs.secret_keys.bytes().as_chunks().0;
        keys.extend(rows.filter_map(|row| all.get(row).copied()));
        keys
    }

    /// Returns the codes and results of the first rows, as computed.
    #[cfg(feature = "arrow")]
    pub fn computed(&self, rows: usize) -> (&[u8], &[u8]) {
        (
            &self.codes.bytes()[..rows],
            &self.results.bytes()[..rows * self.width],
        )
    }

    /// Returns the codes and results of the first rows for writing.
    pub fn results(&mut self, rows: usize) -> OperationResults<'_> {
        let width = self.width;
        OperationResults {
            codes: &mut self.codes.bytes_mut()[..rows],
            rows: &mut self.results.bytes_mut()[..rows * width],
        }
    }

    /// Returns the code and the result of a row.
    pub fn result(&self, row: usize) -> (u8, &[u8]) {
        (
            self.codes.bytes()[row],
            &self.results.bytes()[row * self.width..][..self.width],
        )
    }

    /// Wipes the secrets in the first rows, before the next batch.
    pub fn wipe(&mut self, rows: usize) {
        self.inputs.secret_keys.wipe(rows * 32);
        self.results.wipe(rows * self.width);
    }
}

/// Returns the maximum width in bytes of each column, which is 0 for columns that are not read.
fn widths(reads: Reads) -> [usize; 5] {
    let Reads {
        contents,
        signatures,
        public_keys,
        recovery_ids,
        secret_keys,
        ..
    } = reads;
    [
        (contents, 32),
        (signatures, 64),
        (public_keys, KeyColumn::Mixed.width()),
        (recovery_ids != RecoveryIds::No, 1),
        (secret_keys, 32),
    ]
    .map(|(is_read, width)| if is_read { width } else { 0 })
}

/// Returns the rows starting at `start`; none if the column is not read.
fn rest<T>(rows: &mut [T], start: usize) -> &mut [T] {
    let start = start.min(rows.len());
    &mut rows[start..]
}

/// Splits off the first `count` rows; none if the column is not read.
fn take<'a, T>(rows: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let count = count.min(rows.len());
    rows.split_off_mut(..count)
        .expect("the count is at most the length")
}

fn first(bytes: &[u8], length: usize) -> &[u8] {
    &bytes[..length.min(bytes.len())]
}

fn first_rows<const W: usize>(pages: &Pages, rows: usize) -> Rows<'_, W> {
    Rows::new(first(pages.bytes(), rows * W).as_chunks().0)
}
