//! Kinds of requests: an operation, and its columns in an arena.

use crate::call::{Columns, Contents, Operation, RecoveryIds};
use crate::engine::Engine;
use crate::types::{
    ByteRows, Error, POINT_ROW, PublicKeys, Rows, SecretKeys, Signers, require_lengths,
};

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
enum ColumnContent {
    Digests,
    Signatures,
    SecretKeys,
    RecoveryIds,
    PublicKeys,
    AdditionalData,
}

impl ColumnContent {
    fn is_secret(self) -> bool {
        matches!(
            self,
            ColumnContent::SecretKeys | ColumnContent::AdditionalData
        )
    }
}

impl From<Operation> for RequestKind {
    fn from(operation: Operation) -> Self {
        RequestKind {
            operation,
            with_data: false,
        }
    }
}

impl RequestKind {
    pub fn of_signing(operation: Operation, signers: &Signers) -> Self {
        RequestKind {
            operation,
            with_data: signers.additional.is_some(),
        }
    }

    /// Returns the columns, each with its bytes per item.
    fn columns(self) -> [Option<(ColumnContent, usize)>; COLUMNS] {
        let reads = self.operation.reads();
        let all = [
            (reads.contents, ColumnContent::Digests, 32),
            (reads.signatures, ColumnContent::Signatures, 64),
            (reads.secret_keys, ColumnContent::SecretKeys, 32),
            (
                reads.recovery_ids != RecoveryIds::No,
                ColumnContent::RecoveryIds,
                1,
            ),
            (reads.public_keys, ColumnContent::PublicKeys, POINT_ROW),
            (self.with_data, ColumnContent::AdditionalData, 32),
        ];
        let mut read = all
            .into_iter()
            .filter(|(is_read, ..)| *is_read)
            .map(|(_, content, width)| (content, width));
        let columns = [(); COLUMNS].map(|()| read.next());
        assert!(
            read.next().is_none(),
            "operations of the coalescer have at most {COLUMNS} columns"
        );
        columns
    }

    pub fn shape(self) -> ArenaColumns {
        let columns = self.columns();
        ArenaColumns {
            inputs: columns.map(|column| column.map_or(0, |(_, width)| width)),
            secret_inputs: columns
                .map(|column| column.is_some_and(|(content, _)| content.is_secret())),
            result: self
                .operation
                .results()
                .first()
                .map_or(0, |result| result.width),
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
                Some((ColumnContent::Digests, _)) => {
                    inputs.contents = Contents::Digests(rows_of(bytes))
                }
                Some((ColumnContent::Signatures, _)) => inputs.signatures = rows_of(bytes),
                Some((ColumnContent::SecretKeys, _)) => {
                    inputs.secret_keys = SecretKeys::rows(rows_of(bytes))
                }
                Some((ColumnContent::RecoveryIds, _)) => inputs.recovery_ids = rows_of(bytes),
                Some((ColumnContent::PublicKeys, _)) => {
                    inputs.public_keys = PublicKeys::mixed(rows_of(bytes))
                }
                Some((ColumnContent::AdditionalData, _)) => {
                    inputs.additional = Some(rows_of(bytes))
                }
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
pub enum RequestColumn<'a> {
    None,
    Rows(ByteRows<'a>),
    Keys(PublicKeys<'a>),
}

impl<'a> RequestColumn<'a> {
    pub fn rows<const W: usize>(rows: Rows<'a, W>) -> Self {
        RequestColumn::Rows(rows.bytes())
    }

    pub fn secret_keys(keys: SecretKeys<'a>) -> Self {
        RequestColumn::rows(keys.expose_column())
    }

    /// Returns the number of items, or `None` if the column fits any number.
    fn items(&self) -> Option<usize> {
        match self {
            RequestColumn::None => None,
            RequestColumn::Rows(rows) => rows.len(),
            RequestColumn::Keys(keys) => keys.len(),
        }
    }

    /// Writes the rows of all items that fit into `to`.
    fn write(&self, to: &mut [u8]) {
        match self {
            RequestColumn::None => {}
            RequestColumn::Rows(rows) => rows.copy(0, to),
            RequestColumn::Keys(keys) => keys.write_mixed_rows(0, to),
        }
    }
}

/// The inputs of a request, in the order of the kind's columns.
#[derive(Clone, Copy)]
pub struct RequestInputs<'a> {
    columns: [RequestColumn<'a>; COLUMNS],
    items: usize,
}

impl<'a> RequestInputs<'a> {
    /// Checks the lengths of the columns. A request has as many items as its first column with a
    /// row per item, or one item if there is no such column.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] with the name of a column that has another number of rows.
    pub fn new(columns: [(&'static str, RequestColumn<'a>); COLUMNS]) -> Result<Self, Error> {
        let items = columns
            .iter()
            .find_map(|(_, column)| column.items())
            .unwrap_or(1);
        let lengths = columns.map(|(name, column)| (name, column.items().unwrap_or(items)));
        require_lengths(items, &lengths)?;
        Ok(RequestInputs {
            columns: columns.map(|(_, column)| column),
            items,
        })
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

    fn items_of(first: RequestColumn, second: RequestColumn) -> Option<usize> {
        let inputs = RequestInputs::new([("a", first), ("b", second), ("c", RequestColumn::None)]);
        inputs.ok().map(|inputs| inputs.items())
    }

    #[test]
    fn the_first_column_with_rows_determines_the_number_of_items() {
        let three = [[1; 32]; 3];
        let two = [[2; 64]; 2];
        let one = [3; 32];
        let rows = RequestColumn::rows(Rows::new(&three));
        let all = RequestColumn::rows(Rows::all(&one));
        assert_eq!(items_of(rows, all), Some(3));
        assert_eq!(items_of(all, rows), Some(3));
        assert_eq!(items_of(all, all), Some(1));
        let wrong = RequestInputs::new([
            ("a", rows),
            ("b", RequestColumn::rows(Rows::new(&two))),
            ("c", RequestColumn::None),
        ]);
        assert!(matches!(
            wrong.err(),
            Some(Error::LengthMismatch {
                what: "b",
                expected: 3,
                found: 2
            })
        ));
    }

    #[test]
    fn single_row_is_repeated_for_each_item() {
        let row = [7; 32];
        let inputs = RequestInputs::new([
            ("a", RequestColumn::rows(Rows::new(&[[1; 64], [2; 64]]))),
            ("b", RequestColumn::rows(Rows::all(&row))),
            ("c", RequestColumn::None),
        ])
        .unwrap();
        let mut written = [0; 64];
        inputs.write(1, &mut written);
        assert_eq!(written, [7; 64]);
    }
}
