//! Columns of a chunk in DuckDB's layout (`duckdb.h`, "Vector Interface"): arguments, which are
//! read, and results, which are written. The vectors passed to a scalar function are flat,
//! including those in lists.

use crate::api::{Handle, api};
use std::ffi::{CStr, c_void};
use std::marker::PhantomData;
use std::ops::Range;
use std::slice;

/// A type of values, `DUCKDB_TYPE`.
pub type Type = u32;

pub const BOOLEAN: Type = 1;
/// The first of the eight types of integers of at most 64 bits.
pub const TINYINT: Type = 2;
const SMALLINT: Type = 3;
pub const INTEGER: Type = 4;
pub const BIGINT: Type = 5;
const UTINYINT: Type = 6;
const USMALLINT: Type = 7;
pub const UINTEGER: Type = 8;
pub const UBIGINT: Type = 9;
pub const VARCHAR: Type = 17;
pub const BLOB: Type = 18;
const LIST: Type = 24;
pub const ANY: Type = 34;
/// The type of NULL in a statement.
pub const SQLNULL: Type = 36;

/// A logical type of DuckDB, which is destroyed when this is dropped.
pub struct LogicalType {
    pub handle: Handle,
}

impl LogicalType {
    /// # Safety
    /// The handle is that of a logical type that is not destroyed elsewhere.
    pub unsafe fn owned(handle: Handle) -> Self {
        LogicalType { handle }
    }

    pub fn simple(id: Type) -> Self {
        // SAFETY: `id` is a number of `DUCKDB_TYPE`; the result is owned.
        unsafe { Self::owned((api().create_logical_type)(id)) }
    }

    pub fn list(of: &LogicalType) -> Self {
        // SAFETY: the handle is that of a logical type; the result is owned.
        unsafe { Self::owned((api().create_list_type)(of.handle)) }
    }

    pub fn structure(members: &[(&CStr, LogicalType)]) -> Self {
        let names: Vec<_> = members.iter().map(|(name, _)| name.as_ptr()).collect();
        let types: Vec<_> = members.iter().map(|(_, of)| of.handle).collect();
        // SAFETY: there are equal numbers of names and types; DuckDB copies both, and the result is
        // owned.
        unsafe {
            Self::owned((api().create_struct_type)(
                types.as_ptr(),
                names.as_ptr(),
                members.len() as u64,
            ))
        }
    }

    pub fn type_of(&self) -> Type {
        // SAFETY: the handle is that of a logical type.
        unsafe { (api().get_type_id)(self.handle) }
    }

    /// Returns the type of a list's elements; `None` if it is not a list.
    pub fn element(&self) -> Option<LogicalType> {
        // SAFETY: it is the type of a list; the result is owned.
        (self.type_of() == LIST)
            .then(|| unsafe { Self::owned((api().list_type_child_type)(self.handle)) })
    }
}

impl Drop for LogicalType {
    fn drop(&mut self) {
        // SAFETY: the handle is owned, and not used any more.
        unsafe { (api().destroy_logical_type)(&mut self.handle) }
    }
}

/// `duckdb_string_t`: up to 12 bytes are inlined, longer strings are referenced by a pointer.
#[derive(Clone, Copy)]
#[repr(C)]
struct Text {
    length: u32,
    rest: [u8; 12],
}

const INLINED: usize = 12;

/// A column of an argument, or the elements of a column of lists.
#[derive(Clone, Copy)]
pub struct Vector<'a> {
    handle: Handle,
    rows: usize,
    of: Type,
    values: *const c_void,
    /// A bit for each row; null if all rows are valid.
    validity: *const u64,
    chunk: PhantomData<&'a ()>,
}

impl<'a> Vector<'a> {
    /// # Safety
    /// The handle is that of a flat vector with `rows` rows, which outlives the lifetime.
    pub unsafe fn new(handle: Handle, rows: usize) -> Self {
        // SAFETY: the caller guarantees that it is a vector; the type is owned.
        unsafe {
            let of = LogicalType::owned((api().vector_get_column_type)(handle)).type_of();
            let values = (api().vector_get_data)(handle).cast_const();
            let validity = (api().vector_get_validity)(handle).cast_const();
            Vector {
                handle,
                rows,
                of,
                values,
                validity,
                chunk: PhantomData,
            }
        }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn type_of(&self) -> Type {
        self.of
    }

    pub fn is_null(&self, row: usize) -> bool {
        if self.of == SQLNULL {
            return true;
        }
        assert!(row < self.rows);
        // SAFETY: if the pointer is not null, there is a bit for each row.
        !self.validity.is_null() && unsafe { *self.validity.add(row / 64) } >> (row % 64) & 1 == 0
    }

    fn values<T: Copy>(&self) -> &'a [T] {
        if self.rows == 0 {
            &[]
        } else {
            // SAFETY: callers request the type of the vector's values, and there is one value for
            // each row.
            unsafe { slice::from_raw_parts(self.values.cast(), self.rows) }
        }
    }

    /// Returns the bytes of a row of a BLOB or a VARCHAR; `None` if it is null.
    pub fn bytes(&self, row: usize) -> Option<&'a [u8]> {
        if self.is_null(row) {
            return None;
        }
        assert!(matches!(self.of, BLOB | VARCHAR));
        let text = &self.values::<Text>()[row];
        let length = text.length as usize;
        if length <= INLINED {
            return Some(&text.rest[..length]);
        }
        let (_, pointer) = text.rest.split_last_chunk::<8>().expect("12 bytes");
        let pointer = usize::from_ne_bytes(*pointer) as *const u8;
        // SAFETY: a string of more than 12 bytes has a pointer to its bytes, after a prefix of four
        // of them.
        Some(unsafe { slice::from_raw_parts(pointer, length) })
    }

    /// Returns the number of a row; `None` if it is null, or not of one of these types.
    pub fn integer(&self, row: usize) -> Option<i128> {
        if self.is_null(row) {
            return None;
        }
        Some(match self.of {
            TINYINT => self.values::<i8>()[row].into(),
            SMALLINT => self.values::<i16>()[row].into(),
            INTEGER => self.values::<i32>()[row].into(),
            BIGINT => self.values::<i64>()[row].into(),
            UTINYINT => self.values::<u8>()[row].into(),
            USMALLINT => self.values::<u16>()[row].into(),
            UINTEGER => self.values::<u32>()[row].into(),
            UBIGINT => self.values::<u64>()[row].into(),
            _ => return None,
        })
    }

    /// Returns whether a row is true; `None` if it is null.
    pub fn boolean(&self, row: usize) -> Option<bool> {
        assert_eq!(self.of, BOOLEAN);
        // Bytes other than 0 and 1 would not be a valid `bool`.
        (!self.is_null(row)).then(|| self.values::<u8>()[row] != 0)
    }

    /// Returns the range of a row's elements in [`Vector::elements`]; `None` if the list is null.
    pub fn list(&self, row: usize) -> Option<Range<usize>> {
        if self.is_null(row) {
            return None;
        }
        assert_eq!(self.of, LIST);
        // `duckdb_list_entry`: an offset and a length.
        let [offset, length] = self.values::<[u64; 2]>()[row];
        Some(offset as usize..(offset + length) as usize)
    }

    /// Returns the elements of all lists; `None` if the vector has no lists.
    pub fn elements(&self) -> Option<Vector<'a>> {
        // SAFETY: it is a vector of lists, whose elements live equally long.
        (self.of == LIST).then(|| unsafe {
            let size = (api().list_vector_get_size)(self.handle) as usize;
            Vector::new((api().list_vector_get_child)(self.handle), size)
        })
    }
}

/// The column of a result, or the elements of a column of lists.
pub struct Results<'a> {
    handle: Handle,
    rows: usize,
    place: PhantomData<&'a mut ()>,
}

impl Results<'_> {
    /// # Safety
    /// The handle is that of a vector with room for `rows` rows, to which no one else writes.
    pub unsafe fn new(handle: Handle, rows: usize) -> Self {
        Results {
            handle,
            rows,
            place: PhantomData,
        }
    }

    fn values<T>(&mut self) -> &mut [T] {
        // SAFETY: callers request the type of the vector's values, which are plain numbers, and
        // there is room for one value per row.
        unsafe {
            let values = (api().vector_get_data)(self.handle).cast::<T>();
            if self.rows == 0 {
                &mut []
            } else {
                slice::from_raw_parts_mut(values, self.rows)
            }
        }
    }

    pub fn set_null(&mut self, row: usize) {
        assert!(row < self.rows);
        // SAFETY: the handle is that of a vector; once its validity is writable, it has a bit for
        // each row.
        unsafe {
            (api().vector_ensure_validity_writable)(self.handle);
            let bits = (api().vector_get_validity)(self.handle);
            *bits.add(row / 64) &= !(1 << (row % 64));
        }
    }

    pub fn set_boolean(&mut self, row: usize, value: bool) {
        self.values::<u8>()[row] = value.into();
    }

    pub fn set_integer(&mut self, row: usize, value: i32) {
        self.values::<i32>()[row] = value;
    }

    pub fn set_bigint(&mut self, row: usize, value: i64) {
        self.values::<i64>()[row] = value;
    }

    /// Writes a BLOB, or a VARCHAR, which must be UTF-8.
    pub fn set_bytes(&mut self, row: usize, value: &[u8]) {
        assert!(row < self.rows);
        // SAFETY: DuckDB copies `length` bytes.
        unsafe {
            let length = value.len() as u64;
            (api().vector_assign_string_element_len)(
                self.handle,
                row as u64,
                value.as_ptr().cast(),
                length,
            );
        }
    }

    /// Writes a list whose elements are in [`Results::elements`].
    pub fn set_list(&mut self, row: usize, elements: Range<usize>) {
        self.values::<[u64; 2]>()[row] = [elements.start as u64, elements.len() as u64];
    }

    /// Allocates `count` elements for all lists.
    pub fn elements(&mut self, count: usize) -> Result<Results<'_>, String> {
        // SAFETY: it is a vector of lists.
        unsafe {
            let states = [
                (api().list_vector_reserve)(self.handle, count as u64),
                (api().list_vector_set_size)(self.handle, count as u64),
            ];
            if states != [0, 0] {
                return Err("there is no memory for a list".to_owned());
            }
            Ok(Results::new(
                (api().list_vector_get_child)(self.handle),
                count,
            ))
        }
    }

    /// Returns a member of a column of structs.
    pub fn member(&mut self, which: usize) -> Results<'_> {
        // SAFETY: it is a vector of structs with more than `which` members, each of which has
        // `rows` rows.
        unsafe {
            Results::new(
                (api().struct_vector_get_child)(self.handle, which as u64),
                self.rows,
            )
        }
    }
}
