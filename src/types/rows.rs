//! Columns of a batch: rows of one width, borrowed from wherever they lie.

use super::Error;
use std::fmt;
use std::ops::Range;

/// A column of a batch: `W` bytes for each item, borrowed. Rows may lie one after the other, at any distance from each
/// other (records of which they are a part), or one row may serve every item.
///
/// GPUs copy rows from page-locked memory ([`crate::PageLocked`]) without help of the host.
///
/// ```
/// use gecc::Rows;
/// let digests = vec![[7; 32]; 100];
/// let column = Rows::from(&digests);
/// assert_eq!((column.len(), column.get(99)), (Some(100), &[7; 32]));
/// // Records of digest, key and signature: the signatures begin at byte 65 of each.
/// let records = vec![0; 129 * 100];
/// let signatures = Rows::<64>::strided(&records[65..], 129, 100)?;
/// assert_eq!(signatures.len(), Some(100));
/// # Ok::<(), gecc::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Rows<'a, const W: usize>(ByteRows<'a>);

impl<'a, const W: usize> Rows<'a, W> {
    /// Rows one after the other.
    pub fn new(rows: &'a [[u8; W]]) -> Self {
        Rows(ByteRows::new(rows.as_flattened(), W))
    }

    /// `items` rows, each beginning `stride` bytes after the one before, the first at the first byte.
    ///
    /// # Errors
    /// [`Error::InvalidColumn`] when the stride is below `W` or the bytes end before the last row does.
    pub fn strided(bytes: &'a [u8], stride: usize, items: usize) -> Result<Self, Error> {
        let needed = items.checked_sub(1).map_or(Some(0), |before| before.checked_mul(stride)?.checked_add(W));
        if stride < W || needed.is_none_or(|needed| needed > bytes.len()) {
            let problem =
                format!("{items} rows of {W} bytes at a distance of {stride} do not fit {} bytes", bytes.len());
            return Err(Error::InvalidColumn(problem));
        }
        Ok(Rows(ByteRows { bytes, width: W, stride, items }))
    }

    /// Makes one row serve every item.
    pub fn all(row: &'a [u8; W]) -> Self {
        Rows(ByteRows { bytes: row, width: W, stride: 0, items: ANY })
    }

    /// Items; `None` where one row serves every item.
    pub fn len(&self) -> Option<usize> {
        self.0.len()
    }

    /// Returns whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.0.items == 0
    }

    /// The row of an item.
    ///
    /// # Panics
    /// When there is no such item.
    pub fn get(&self, item: usize) -> &'a [u8; W] {
        self.0.get(item).try_into().expect("rows of this width")
    }

    /// Rows given, or `items` where one serves all.
    pub(crate) fn len_for(&self, items: usize) -> usize {
        self.len().unwrap_or(items)
    }

    /// The rows of some items. One that serves all serves these.
    ///
    /// # Panics
    /// When there are no such items.
    pub fn slice(&self, items: Range<usize>) -> Self {
        Rows(self.0.slice(items))
    }

    /// Without their width as a type.
    pub(crate) fn bytes(&self) -> ByteRows<'a> {
        self.0
    }
}

impl<const W: usize> fmt::Debug for Rows<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

column_from!(Rows<'a, W>, new, [const W: usize,] [u8; W]);

/// Items of a row that serves all.
const ANY: usize = usize::MAX;

/// Rows of a width that only their maker knows. Row i is at `i * stride`; all are within the bytes.
#[derive(Clone, Copy)]
pub struct ByteRows<'a> {
    bytes: &'a [u8],
    width: usize,
    stride: usize,
    items: usize,
}

impl<'a> ByteRows<'a> {
    /// Rows one after the other.
    pub fn new(bytes: &'a [u8], width: usize) -> Self {
        ByteRows { bytes, width, stride: width, items: bytes.len() / width }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn stride(&self) -> usize {
        self.stride
    }

    pub fn items(&self) -> usize {
        self.items
    }

    /// Items; `None` where one row serves all.
    pub fn len(&self) -> Option<usize> {
        Some(self.items).filter(|items| *items != ANY)
    }

    /// Returns whether one row serves all items.
    pub fn is_one_for_all(&self) -> bool {
        self.items == ANY
    }

    pub fn get(&self, item: usize) -> &'a [u8] {
        assert!(item < self.items, "there is an item {item}");
        &self.bytes[item * self.stride..][..self.width]
    }

    pub fn slice(&self, items: Range<usize>) -> Self {
        if self.is_one_for_all() {
            return *self;
        }
        assert!(items.start <= items.end && items.end <= self.items, "the items {items:?} are there");
        // Where no item is left there may be no byte at its place.
        let start = (items.start * self.stride).min(self.bytes.len());
        ByteRows { bytes: &self.bytes[start..], items: items.len(), ..*self }
    }

    /// All bytes from the first row to the end of the last, with what lies between them.
    pub fn span(&self) -> &'a [u8] {
        match self.items {
            0 => &[],
            ANY => self.bytes,
            items => &self.bytes[..(items - 1) * self.stride + self.width],
        }
    }

    /// Copies rows from number `start` on, as many as there is room for.
    pub fn copy(&self, start: usize, to: &mut [u8]) {
        if self.stride == self.width {
            return to.copy_from_slice(&self.bytes[start * self.width..][..to.len()]);
        }
        for (offset, to) in to.chunks_exact_mut(self.width).enumerate() {
            to.copy_from_slice(self.get(start + offset));
        }
    }
}

impl fmt::Debug for ByteRows<'_> {
    /// Shows nothing of the rows, which may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").field("width", &self.width).field("items", &self.len()).finish_non_exhaustive()
    }
}

/// Writes rows from number `start` on, as many as there is room for.
pub(crate) type Fill<'a> = dyn Fn(usize, &mut [u8]) + Sync + 'a;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_where_their_stride_says() {
        let bytes: Vec<u8> = (0..100).collect();
        for (stride, items) in [(4, 0), (4, 1), (4, 25), (7, 14), (32, 4), (96, 2)] {
            let rows = Rows::<4>::strided(&bytes, stride, items).unwrap();
            assert_eq!(rows.len(), Some(items));
            for item in 0..items {
                assert_eq!(rows.get(item), &bytes[item * stride..][..4]);
                assert_eq!(rows.slice(item..items).get(0), rows.get(item));
            }
            assert!(rows.slice(items..items).is_empty());
            let mut copied = vec![0; 4 * items];
            rows.bytes().copy(0, &mut copied);
            assert!(copied.chunks(4).enumerate().all(|(item, row)| row == rows.get(item)));
        }
        for (stride, items) in [(3, 1), (4, 26), (97, 2), (usize::MAX, 3)] {
            assert!(Rows::<4>::strided(&bytes, stride, items).is_err(), "{stride} {items}");
        }
    }

    #[test]
    fn one_row_serves_all() {
        let rows = Rows::all(&[1, 2, 3]);
        assert_eq!(
            (rows.len(), rows.len_for(7), rows.get(12345), rows.slice(5..9).len_for(3)),
            (None, 7, &[1, 2, 3], 3)
        );
        assert_eq!(format!("{rows:?}"), "Rows { width: 3, items: None, .. }");
    }
}
