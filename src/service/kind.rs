//! Kinds of requests: an operation, and its columns in an arena.

use crate::call::{Columns, Contents, Operation, RecoveryIds};
use crate::engine::Engine;
use crate::types::{ByteRows, Error, POINT_ROW, PublicKeys, Rows, SecretKeys, Signers, require_lengths};

/// A kind of request. Requests of the same kind share batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestKind {
    pub operation: Operation,
    /// True if nonces have additional data, in a column of their own.
    pub with_data: bool,
}

/// The maximum number of columns of an operation.
pub const COLUMNS: usize = 3;

/// The columns of a kind.
#[derive(Clone, Copy)]
pub struct ArenaColumns {
    /// Bytes per item of each input; 0 if the column does not exist.
    pub inputs: [usize; COLUMNS],
    /// Marks the secret inputs.
    pub secret_inputs: [bool; COLUMNS],
    /// Bytes of an item's result in addition to its code.
    pub result: usize,
    pub has_secret_results: bool,
}

/// The contents of a column, in the order in which kinds have them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Digests,
    Signatures,
    SecretKeys,
    RecoveryIds,
    PublicKeys,
    AdditionalData,
}

impl Content {
    fn is_secret(self) -> bool {
        matches!(self, Content::SecretKeys | Content::AdditionalData)
    }
}

impl From<Operation> for RequestKind {
    fn from(operation: Operation) -> Self {
        RequestKind { operation, with_data: false }
    }
}

impl RequestKind {
    pub fn of_signing(operation: Operation, signers: &Signers) -> Self {
        RequestKind { operation, with_data: signers.additional.is_some() }
    }

    /// Returns the columns, each with its bytes per item.
    fn columns(self) -> [Option<(Content, usize)>; COLUMNS] {
        let reads = self.operation.reads();
        let all = [
            (reads.contents, Content::Digests, 32),
            (reads.signatures, Content::Signatures, 64),
            (reads.secret_keys, Content::SecretKeys, 32),
            (reads.recovery_ids != RecoveryIds::No, Content::RecoveryIds, 1),
            (reads.public_keys, Content::PublicKeys, POINT_ROW),
            (self.with_data, Content::AdditionalData, 32),
        ];
        let mut read = all.into_iter().filter(|(is_read, ..)| *is_read).map(|(_, content, width)| (content, width));
        let columns = [(); COLUMNS].map(|()| read.next());
        assert!(read.next().is_none(), "operations of the coalescer have at most {COLUMNS} columns");
        columns
    }

    pub fn shape(self) -> ArenaColumns {
        let columns = self.columns();
        ArenaColumns {
            inputs: columns.map(|column| column.map_or(0, |(_, width)| width)),
            secret_inputs: columns.map(|column| column.is_some_and(|(content, _)| content.is_secret())),
            result: self.operation.results().first().map_or(0, |result| result.width),
            has_secret_results: self.operation.has_secret_results(),
        }
    }

    /// Computes a batch from columns that `write` has filled, into a code and a row per item.
    pub fn compute(
        self,
        engine: &Engine,
        columns: [&[u8]; COLUMNS],
        codes: &mut [u8],
        rows: &mut [u8],
    ) -> Result<(), Error> {
        let mut inputs = Columns::default();
        for (column, bytes) in self.columns().into_iter().zip(columns) {
            match column {
                None => {}
                Some((Content::Digests, _)) => inputs.contents = Contents::Digests(rows_of(bytes)),
                Some((Content::Signatures, _)) => inputs.signatures = rows_of(bytes),
                Some((Content::SecretKeys, _)) => inputs.secret_keys = SecretKeys::rows(rows_of(bytes)),
                Some((Content::RecoveryIds, _)) => inputs.recovery_ids = rows_of(bytes),
                Some((Content::PublicKeys, _)) => inputs.public_keys = PublicKeys::mixed(rows_of(bytes)),
                Some((Content::AdditionalData, _)) => inputs.additional = Some(rows_of(bytes)),
            }
        }
        self.operation.run(engine, &inputs, rows, &mut [], codes)
    }
}

fn rows_of<const W: usize>(column: &[u8]) -> Rows<'_, W> {
    Rows::new(column.as_chunks().0)
}

/// An input of a request.
#[derive(Clone, Copy)]
pub enum Column<'a> {
    None,
    Rows(ByteRows<'a>),
    Keys(PublicKeys<'a>),
}

impl<'a> Column<'a> {
    pub fn rows<const W: usize>(rows: Rows<'a, W>) -> Self {
        Column::Rows(rows.bytes())
    }

    pub fn secret_keys(keys: SecretKeys<'a>) -> Self {
        Column::rows(keys.expose_column())
    }

    /// Returns the number of items, or `None` if the column fits any number.
    fn items(&self) -> Option<usize> {
        match self {
            Column::None => None,
            Column::Rows(rows) => rows.len(),
            Column::Keys(keys) => keys.len(),
        }
    }

    /// Writes the rows of all items that fit into `to`.
    fn write(&self, to: &mut [u8]) {
        match self {
            Column::None => {}
            Column::Rows(rows) => rows.copy(0, to),
            Column::Keys(keys) => keys.write_mixed_rows(0, to),
        }
    }
}

/// The inputs of a request, in the order of the kind's columns.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    columns: [Column<'a>; COLUMNS],
    items: usize,
}

impl<'a> Inputs<'a> {
    /// Checks the lengths of the columns. A request has as many items as its first column with a
    /// row per item, or one item if there is no such column.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] with the name of a column that has another number of rows.
    pub fn new(columns: [(&'static str, Column<'a>); COLUMNS]) -> Result<Self, Error> {
        let items = columns.iter().find_map(|(_, column)| column.items()).unwrap_or(1);
        let lengths = columns.map(|(name, column)| (name, column.items().unwrap_or(items)));
        require_lengths(items, &lengths)?;
        Ok(Inputs { columns: columns.map(|(_, column)| column), items })
    }

    pub fn items(&self) -> usize {
        self.items
    }

    /// Writes the rows of one column.
    pub fn write(&self, column: usize, to: &mut [u8]) {
        self.columns[column].write(to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items_of(first: Column, second: Column) -> Option<usize> {
        let inputs = Inputs::new([("a", first), ("b", second), ("c", Column::None)]);
        inputs.ok().map(|inputs| inputs.items())
    }

    #[test]
    fn the_first_column_with_rows_determines_the_number_of_items() {
        let three = [[1; 32]; 3];
        let two = [[2; 64]; 2];
        let one = [3; 32];
        let rows = Column::rows(Rows::new(&three));
        let all = Column::rows(Rows::all(&one));
        assert_eq!(items_of(rows, all), Some(3));
        assert_eq!(items_of(all, rows), Some(3));
        assert_eq!(items_of(all, all), Some(1));
        let wrong = Inputs::new([("a", rows), ("b", Column::rows(Rows::new(&two))), ("c", Column::None)]);
        assert!(matches!(wrong.err(), Some(Error::LengthMismatch { what: "b", expected: 3, found: 2 })));
    }

    #[test]
    fn a_row_for_all_is_written_for_each() {
        let row = [7; 32];
        let inputs = Inputs::new([
            ("a", Column::rows(Rows::new(&[[1; 64], [2; 64]]))),
            ("b", Column::rows(Rows::all(&row))),
            ("c", Column::None),
        ])
        .unwrap();
        let mut written = [0; 64];
        inputs.write(1, &mut written);
        assert_eq!(written, [7; 64]);
    }
}
