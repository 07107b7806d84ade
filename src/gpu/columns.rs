//! Arrays on the device, typed by their contents.

use std::fmt;
use std::marker::PhantomData;

/// An address on the device.
pub type Address = u64;

/// The contents of an array, with their size in bytes per item of a chunk.
pub trait Content {
    const BYTES: usize;
}

pub use contents::*;

#[allow(dead_code, reason = "some sizes are not asked for")]
mod contents;

/// The address of an array that holds a `T`.
pub struct Column<T> {
    address: Address,
    content: PhantomData<T>,
}

impl<T> Column<T> {
    /// Creates the column of an array at `address`. Its contents are not checked, so this is for
    /// code that allocates memory.
    pub fn at(address: Address) -> Self {
        Column {
            address,
            content: PhantomData,
        }
    }

    pub fn address(self) -> Address {
        self.address
    }
}

impl<T> Clone for Column<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Column<T> {}

impl<T> fmt::Debug for Column<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.address)
    }
}

impl Column<Counters> {
    /// Returns one of the counts, such as the length of a list.
    pub fn count(self, which: u64) -> Column<ItemCount> {
        Column::at(self.address + 4 * which)
    }
}

/// Declares conversions to the more general contents that some kernels accept.
macro_rules! also {
    ($($from:ty => $to:ty),*) => {$(
        impl From<Column<$from>> for Column<$to> {
            fn from(column: Column<$from>) -> Self {
                Column::at(column.address)
            }
        }
    )*};
}

also!(
    Scalars => AnyNumbers,
    ByteRows<32> => AnyRows,
    Signatures => AnyRows,
    Digests => Texts,
    BaseTable => AnyTables,
    KeyTables => AnyTables,
    Xy => KeyColumns,
    NumberKinds => AnyStatuses,
    SignStatuses => AnyStatuses
);
