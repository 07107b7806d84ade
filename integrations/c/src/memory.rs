//! Memory passed by callers, which is validated before it is accessed.

use super::caller_values::require_aligned;
use super::choices::{GeccKeyEncoding, key_encoding};
use super::progress::{Piece, in_pieces};
use super::status::Failure;
use gecc::{Engine, PublicKeys, Rows};
use std::marker::PhantomData;
use std::ops::Range;
use std::slice;
use zeroize::Zeroize;

/// A column that a call reads: one row of bytes per item. The parameter of the call determines the
/// width of a row.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GeccRows {
    /// The first row. May be null if there are no items. Needs no alignment.
    pub data: *const u8,
    /// The distance in bytes from the beginning of a row to the next: the width of a row if rows
    /// are adjacent, more if they are fields of records, 0 if all items have the same row.
    pub stride: usize,
}

/// A column of public keys or other points.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GeccKeys {
    /// The first key. May be null if there are no items. Needs no alignment.
    pub data: *const u8,
    /// The distance in bytes from the beginning of a key to the next, or 0 if all items have the
    /// same key.
    pub stride: usize,
    /// A `GeccKeyEncoding`, the same for all keys.
    pub encoding: i32,
}

/// A byte string of any length: a message, or a user id.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GeccBytes {
    /// The bytes. May be null if there are none. Needs no alignment.
    pub data: *const u8,
    /// The number of bytes.
    pub length: usize,
}

impl GeccRows {
    /// Returns keys of 32 bytes, such as those of Ed25519 and X25519.
    pub(crate) fn as_x_only(self) -> GeccKeys {
        GeccKeys {
            data: self.data,
            stride: self.stride,
            encoding: GeccKeyEncoding::XOnly as i32,
        }
    }
}

/// The memory of one call. Memory that the call writes is registered first, and must not overlap
/// memory that is checked later.
///
/// Pointers are converted to references only after that is known.
pub(crate) struct Memory {
    items: usize,
    written: Vec<(&'static str, Range<usize>)>,
}

impl Memory {
    pub fn of(items: usize) -> Self {
        Memory {
            items,
            written: Vec::with_capacity(3),
        }
    }

    /// Returns the addresses of `bytes` bytes, after checking that they are in the address space
    /// and do not overlap memory that is written.
    fn checked(&self, name: &str, data: *const u8, bytes: usize) -> Result<Range<usize>, Failure> {
        if bytes == 0 {
            return Ok(0..0);
        }
        if data.is_null() {
            return Err(Failure::null(name));
        }
        let start = data.addr();
        // In Rust, no object is larger than isize::MAX bytes.
        let end = start
            .checked_add(bytes)
            .filter(|_| isize::try_from(bytes).is_ok());
        let end = end.ok_or_else(|| too_large(name))?;
        match self
            .written
            .iter()
            .find(|(_, other)| start < other.end && other.start < end)
        {
            None => Ok(start..end),
            Some((other, _)) => Err(Failure::invalid(format!("{name} and {other} overlap"))),
        }
    }

    /// Registers adjacent rows of `W` bytes, one per item, that the call writes.
    pub fn writes<'a, const W: usize>(
        &mut self,
        name: &'static str,
        data: *mut u8,
    ) -> Result<ResultRows<'a, W>, Failure> {
        self.writes_rows(name, data, self.items)
    }

    /// Registers adjacent rows of `W` bytes that the call writes, in a number that is independent
    /// of the items.
    pub fn writes_rows<'a, const W: usize>(
        &mut self,
        name: &'static str,
        data: *mut u8,
        items: usize,
    ) -> Result<ResultRows<'a, W>, Failure> {
        let bytes = items.checked_mul(W).ok_or_else(|| too_large(name))?;
        let addresses = self.checked(name, data, bytes)?;
        self.written.push((name, addresses));
        Ok(ResultRows {
            data,
            items,
            memory: PhantomData,
        })
    }

    /// Registers the bytes of rows of the width that the operation's result has. There are no rows
    /// if the width is 0.
    pub fn writes_wide<'a>(
        &mut self,
        (name, data): (&'static str, *mut u8),
        width: usize,
    ) -> Result<ResultRows<'a, 1>, Failure> {
        let bytes = self
            .items
            .checked_mul(width)
            .ok_or_else(|| too_large(name))?;
        self.writes_rows(name, data, bytes)
    }

    /// Refuses a number of items that is not bounded by memory: more than one if each column has a
    /// stride of 0.
    pub fn require_rows(&self, strides: &[usize]) -> Result<(), Failure> {
        match self.items > 1 && strides.iter().all(|stride| *stride == 0) {
            true => Err(Failure::invalid(format!(
                "{} items without a column that has a row for each",
                self.items
            ))),
            false => Ok(()),
        }
    }

    /// Returns rows of `W` bytes, one per item, that the call reads. If there are no items, nothing
    /// of them is examined.
    ///
    /// # Safety
    /// The caller of the interface promises that the memory may be read during `'a`.
    pub unsafe fn reads<'a, const W: usize>(
        &self,
        name: &str,
        rows: GeccRows,
    ) -> Result<Rows<'a, W>, Failure> {
        // SAFETY: passed on.
        unsafe { self.reads_many(name, rows, self.items) }
    }

    /// Returns rows of `W` bytes that the call reads, in a number that is independent of the items.
    ///
    /// # Safety
    /// See `reads`.
    pub unsafe fn reads_many<'a, const W: usize>(
        &self,
        name: &str,
        rows: GeccRows,
        count: usize,
    ) -> Result<Rows<'a, W>, Failure> {
        let Some(others) = count.checked_sub(1) else {
            return Ok(Rows::new(&[]));
        };
        // SAFETY: passed on.
        let bytes = unsafe { self.span(name, rows, W, others)? };
        match bytes.first_chunk() {
            Some(row) if rows.stride == 0 => Ok(Rows::all(row)),
            _ => Ok(Rows::strided(bytes, rows.stride.max(W), count)?),
        }
    }

    /// Returns the bytes from the beginning of the first row to the end of the last one, which
    /// `others` rows precede.
    ///
    /// # Safety
    /// See `reads`.
    unsafe fn span<'a>(
        &self,
        name: &str,
        rows: GeccRows,
        width: usize,
        others: usize,
    ) -> Result<&'a [u8], Failure> {
        let GeccRows { data, stride } = rows;
        if stride != 0 && stride < width {
            return Err(Failure::invalid(format!(
                "{name}: a stride of {stride} is below the {width} bytes of a row"
            )));
        }
        let bytes = others
            .checked_mul(stride)
            .and_then(|before| before.checked_add(width));
        let bytes = bytes.ok_or_else(|| too_large(name))?;
        self.checked(name, data, bytes)?;
        // SAFETY: passed on.
        Ok(unsafe { slice_of(data, bytes) })
    }

    /// Returns public keys or other points that the call reads. If there are no items, not even
    /// their encoding is examined.
    ///
    /// # Safety
    /// See `reads`.
    pub unsafe fn reads_keys<'a>(
        &self,
        name: &str,
        keys: GeccKeys,
    ) -> Result<PublicKeys<'a>, Failure> {
        if self.items == 0 {
            return Ok(PublicKeys::raw(Rows::new(&[])));
        }
        let rows = GeccRows {
            data: keys.data,
            stride: keys.stride,
        };
        // SAFETY: passed on.
        unsafe {
            Ok(match key_encoding(keys.encoding)? {
                GeccKeyEncoding::XOnly => PublicKeys::x_only(self.reads::<32>(name, rows)?),
                GeccKeyEncoding::Compressed => {
                    PublicKeys::compressed(self.reads::<33>(name, rows)?)
                }
                GeccKeyEncoding::Raw => PublicKeys::raw(self.reads::<64>(name, rows)?),
                GeccKeyEncoding::Uncompressed => {
                    PublicKeys::uncompressed(self.reads::<65>(name, rows)?)
                }
            })
        }
    }

    /// Returns rows that the call reads, or `None` if their data is null.
    ///
    /// # Safety
    /// See `reads`.
    pub unsafe fn reads_given<'a, const W: usize>(
        &self,
        name: &str,
        rows: GeccRows,
    ) -> Result<Option<Rows<'a, W>>, Failure> {
        if rows.data.is_null() {
            Ok(None)
        } else {
            // SAFETY: passed on.
            unsafe { self.reads(name, rows) }.map(Some)
        }
    }

    /// Returns `count` values that the call reads.
    ///
    /// # Safety
    /// See `reads`. Furthermore, every bit pattern must be a valid value of `T`.
    pub unsafe fn reads_values<'a, T>(
        &self,
        name: &str,
        values: *const T,
        count: usize,
    ) -> Result<&'a [T], Failure> {
        let bytes = count
            .checked_mul(size_of::<T>())
            .ok_or_else(|| too_large(name))?;
        self.checked(name, values.cast(), bytes)?;
        if count == 0 {
            return Ok(&[]);
        }
        require_aligned(name, values)?;
        // SAFETY: not null, aligned, in the address space, and the caller's promise.
        Ok(unsafe { slice::from_raw_parts(values, count) })
    }

    /// Returns `count` byte strings that the call reads.
    ///
    /// # Safety
    /// See `reads`, which applies to the array and to each string.
    pub unsafe fn reads_strings<'a>(
        &self,
        name: &str,
        strings: *const GeccBytes,
        count: usize,
    ) -> Result<Vec<&'a [u8]>, Failure> {
        // SAFETY: passed on.
        let strings = unsafe { self.reads_values(name, strings, count)? };
        let mut slices = Vec::with_capacity(count);
        for (item, string) in strings.iter().enumerate() {
            self.checked(name, string.data, string.length)
                .map_err(|failure| failure.of_item(item))?;
            // SAFETY: passed on.
            slices.push(unsafe { slice_of(string.data, string.length) });
        }
        Ok(slices)
    }
}

/// Makes a slice from a pointer.
///
/// # Safety
/// The memory may be read during `'a`. If there are no bytes, the pointer is ignored.
unsafe fn slice_of<'a>(data: *const u8, bytes: usize) -> &'a [u8] {
    if bytes == 0 {
        &[]
    } else {
        // SAFETY: the caller's promise.
        unsafe { slice::from_raw_parts(data, bytes) }
    }
}

fn too_large(name: &str) -> Failure {
    Failure::invalid(format!("{name}: the rows exceed the address space"))
}

/// Rows that a call writes, which are in the address space and disjoint from all other memory of
/// the call.
pub(crate) struct ResultRows<'a, const W: usize> {
    data: *mut u8,
    items: usize,
    memory: PhantomData<&'a mut [u8]>,
}

impl<'a, const W: usize> ResultRows<'a, W> {
    /// Returns the rows.
    ///
    /// # Safety
    /// All memory of the call was checked by its `Memory`, and the caller of the interface
    /// promises that these rows may be written during `'a`.
    pub unsafe fn rows(self) -> &'a mut [[u8; W]] {
        if self.items == 0 {
            return &mut [];
        }
        // SAFETY: not null, of a size that was checked, and not referenced elsewhere; the rest is
        // promised.
        unsafe { slice::from_raw_parts_mut(self.data.cast(), self.items) }
    }
}

impl<const W: usize> ResultRows<'_, W> {
    /// Lets `run` write all bytes of the rows. They are 0 unless it succeeds.
    ///
    /// # Safety
    /// See `rows`.
    pub unsafe fn complete(
        self,
        run: impl FnOnce(&mut [u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        // SAFETY: passed on.
        let rows = unsafe { self.rows() };
        let mut bytes = PartialResult {
            bytes: rows.as_flattened_mut(),
            complete: false,
        };
        bytes.bytes.fill(0);
        run(bytes.bytes)?;
        bytes.complete = true;
        Ok(())
    }
}

impl ResultRows<'_, 1> {
    /// Lets `run` write the codes of a call, one piece of its items at a time. They are 0 unless
    /// the call succeeds, so that codes of another call, or of half of this one, are not mistaken
    /// for its results. The lengths of messages also limit a piece.
    ///
    /// # Safety
    /// See `rows`.
    pub unsafe fn answer(
        self,
        engine: &Engine,
        messages: Option<&[&[u8]]>,
        mut run: impl FnMut(Piece, &mut [u8]) -> Result<(), gecc::Error>,
    ) -> Result<(), Failure> {
        let items = self.items;
        // SAFETY: passed on.
        unsafe {
            self.complete(|codes| {
                in_pieces(engine, items, messages, |piece| {
                    run(piece, piece.out(codes))
                })
            })
        }
    }
}

/// Bytes that are wiped when they are dropped before they are complete, which includes panics.
struct PartialResult<'a> {
    bytes: &'a mut [u8],
    complete: bool,
}

impl Drop for PartialResult<'_> {
    fn drop(&mut self) {
        if !self.complete {
            self.bytes.zeroize();
        }
    }
}
