//! Items as columns, of which files are made.

/// A field of all items.
pub struct Column<'a> {
    name: &'static str,
    width: usize,
    bytes: &'a [u8],
}

impl<'a> Column<'a> {
    pub fn new<const W: usize>(name: &'static str, rows: &'a [[u8; W]]) -> Self {
        Column { name, width: W, bytes: rows.as_flattened() }
    }

    /// As a member of JSON objects, and as a column.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Bytes of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    pub fn row(&self, item: usize) -> &'a [u8] {
        &self.bytes[item * self.width..][..self.width]
    }

    /// Whether it is a number in text.
    pub fn is_number(&self) -> bool {
        self.name == "recovery_id"
    }
}

pub struct Table<'a>(pub Vec<Column<'a>>);
