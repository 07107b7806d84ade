//! Columns of a batch: borrowed rows of equal width.

use super::Error;
use std::fmt;
use std::ops::Range;

/// A column of a batch: `W` bytes per item, borrowed. Rows may be contiguous, or at a constant
/// distance (fields of records), or a single row is used for every item.
///
/// GPUs read rows in page-locked memory ([`crate::PageLocked`]) directly, without a copy by the
/// host.
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
    /// Takes contiguous rows.
    pub fn new(rows: &'a [[u8; W]]) -> Self {
        Rows(ByteRows::new(rows.as_flattened(), W))
    }

    /// Takes `items` rows at a distance of `stride` bytes, the first at the first byte.
    ///
    /// # Errors
    /// [`Error::InvalidColumn`] if the stride is below `W` or the last row exceeds the bytes.
    pub fn strided(bytes: &'a [u8], stride: usize, items: usize) -> Result<Self, Error> {
        let needed = items
            .checked_sub(1)
            .map_or(Some(0), |before| before.checked_mul(stride)?.checked_add(W));
        if stride < W || needed.is_none_or(|needed| needed > bytes.len()) {
            let problem = format!(
                "{items} rows of {W} bytes at a distance of {stride} do not fit {} bytes",
                bytes.len()
            );
            return Err(Error::InvalidColumn(problem));
        }
        Ok(Rows(ByteRows {
            bytes,
            width: W,
            stride,
            items,
        }))
    }

    /// Uses one row for every item.
    pub fn all(row: &'a [u8; W]) -> Self {
        Rows(ByteRows {
            bytes: row,
            width: W,
            stride: 0,
            items: ANY,
        })
    }

    /// Returns the number of rows, or `None` for one row for every item.
    pub fn len(&self) -> Option<usize> {
        self.0.len()
    }

    /// Returns `true` if there are no items.
    pub fn is_empty(&self) -> bool {
        self.0.items == 0
    }

    /// Returns the row of an item.
    ///
    /// # Panics
    /// If there is no such item.
    pub fn get(&self, item: usize) -> &'a [u8; W] {
        self.0.get(item).try_into().expect("rows of this width")
    }

    /// Returns the number of rows, or `items` for one row for every item.
    pub(crate) fn len_for(&self, items: usize) -> usize {
        self.len().unwrap_or(items)
    }

    /// Returns the rows of a range of items. One row for all items is kept.
    ///
    /// # Panics
    /// If the range is out of bounds.
    pub fn slice(&self, items: Range<usize>) -> Self {
        Rows(self.0.slice(items))
    }

    /// Returns the rows with their width as a value instead of a type parameter.
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

/// The number of items of a column with one row for all.
const ANY: usize = usize::MAX;

/// Rows whose width is a run-time value. Row i is at `i * stride`; all rows are within the bytes.
#[derive(Clone, Copy)]
pub struct ByteRows<'a> {
    bytes: &'a [u8],
    width: usize,
    stride: usize,
    items: usize,
}

impl<'a> ByteRows<'a> {
    /// Takes contiguous rows.
    pub fn new(bytes: &'a [u8], width: usize) -> Self {
        ByteRows {
            bytes,
            width,
            stride: width,
            items: bytes.len() / width,
        }
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

    /// Returns the number of rows, or `None` for one row for all items.
    pub fn len(&self) -> Option<usize> {
        Some(self.items).filter(|items| *items != ANY)
    }

    /// Returns `true` if one row is used for all items.
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
        assert!(
            items.start <= items.end && items.end <= self.items,
            "the items {items:?} are there"
        );
        // For an empty range at the end there may be no byte at `start`.
        let start = (items.start * self.stride).min(self.bytes.len());
        ByteRows {
            bytes: &self.bytes[start..],
            items: items.len(),
            ..*self
        }
    }

    /// Returns all bytes from the first row to the end of the last, with the gaps between them.
    pub fn span(&self) -> &'a [u8] {
        match self.items {
            0 => &[],
            ANY => self.bytes,
            items => &self.bytes[..(items - 1) * self.stride + self.width],
        }
    }

    /// Copies rows into `to` until it is full, starting at row `start`.
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
    /// Omits the rows, which may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows")
            .field("width", &self.width)
            .field("items", &self.len())
            .finish_non_exhaustive()
    }
}

/// A function that fills a buffer with rows, starting at a given row.
pub(crate) type Fill<'a> = dyn Fn(usize, &mut [u8]) + Sync + 'a;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_the_stride() {
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
            assert!(
                copied
                    .chunks(4)
                    .enumerate()
                    .all(|(item, row)| row == rows.get(item))
            );
        }
        for (stride, items) in [(3, 1), (4, 26), (97, 2), (usize::MAX, 3)] {
            assert!(
                Rows::<4>::strided(&bytes, stride, items).is_err(),
                "{stride} {items}"
            );
        }
    }

    #[test]
    fn single_row_is_used_for_all_items() {
        let rows = Rows::all(&[1, 2, 3]);
        assert_eq!(
            (
                rows.len(),
                rows.len_for(7),
                rows.get(12345),
                rows.slice(5..9).len_for(3)
            ),
            (None, 7, &[1, 2, 3], 3)
        );
        assert_eq!(format!("{rows:?}"), "Rows { width: 3, items: None, .. }");
    }
}
