//! Items as columns, from which files are made.

/// A field of all items.
pub struct Column<'a> {
    name: &'static str,
    width: usize,
    bytes: &'a [u8],
}

impl<'a> Column<'a> {
    pub fn new<const W: usize>(name: &'static str, rows: &'a [[u8; W]]) -> Self {
        Column {
            name,
            width: W,
            bytes: rows.as_flattened(),
        }
    }

    /// Returns the name of the JSON member and of the column.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the width of a row in bytes.
    pub fn width(&self) -> usize {
        self.width
    }

    pub fn row(&self, item: usize) -> &'a [u8] {
        &self.bytes[item * self.width..][..self.width]
    }

    /// Returns whether the value is a number in text formats.
    pub fn is_number(&self) -> bool {
        self.name == "recovery_id"
    }
}

pub struct Table<'a>(pub Vec<Column<'a>>);
