//! Columns of batches.

use gecc::{Engine, PageLocked};

/// A column in memory from which a GPU copies by itself, as long as the longest that was asked for. To lock memory
/// costs more than to copy it once: it serves one batch after the other.
pub struct Column<const W: usize>(PageLocked<[u8; W]>);

impl<const W: usize> Default for Column<W> {
    fn default() -> Self {
        Column(Vec::new().into())
    }
}

impl<const W: usize> Column<W> {
    /// This many rows, with anything in them.
    pub fn rows(&mut self, engine: &Engine, rows: usize) -> &mut [[u8; W]] {
        if self.0.len() < rows {
            // Few batches are larger than the first by more.
            self.0 = engine.page_lock(vec![[0; W]; rows + rows / 4]);
        }
        &mut self.0[..rows]
    }
}

impl Column<1> {
    /// This many codes that nobody has given: none of an earlier batch counts.
    pub fn codes(&mut self, engine: &Engine, rows: usize) -> &mut [u8] {
        let codes = self.rows(engine, rows).as_flattened_mut();
        codes.fill(0);
        codes
    }
}

/// Parts of some rows, one behind the other, of this many each.
pub fn split<T>(rows: &mut [T], counts: impl IntoIterator<Item = usize>) -> impl Iterator<Item = &mut [T]> {
    let mut rest = rows;
    counts.into_iter().map(move |count| rest.split_off_mut(..count).expect("as many rows as all parts have"))
}
