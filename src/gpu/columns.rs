//! Arrays on the device, by what they hold.

use std::fmt;
use std::marker::PhantomData;

/// An address on the device.
pub type Address = u64;

/// What an array holds where it has this many bytes for each item of a chunk.
pub trait Content {
    const BYTES: usize;
}

pub use contents::*;

/// What `build.rs` wrote.
mod contents {
    #![allow(dead_code, reason = "some sizes are not asked for")]
    use super::Content;
    include!(concat!(env!("OUT_DIR"), "/contents.rs"));
}

/// The address of an array that holds a `T`.
pub struct Column<T> {
    address: Address,
    content: PhantomData<T>,
}

impl<T> Column<T> {
    /// An array where memory is given out: nothing tells what lies there.
    pub fn at(address: Address) -> Self {
        Column { address, content: PhantomData }
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
    /// One of the counts: the length of a list.
    pub fn count(self, which: u64) -> Column<ItemCount> {
        Column::at(self.address + 4 * which)
    }
}

/// What some kernels take as well.
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
