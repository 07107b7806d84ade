//! Rows of fixed width: fields at the same place in each, as a `layout` says, without anything between. A `reader` puts
//! them into memory, where they are `columns` as they are.
//!
//! Files are read at positions by several threads, in large blocks, and not mapped. Where another program shortens a
//! file that is mapped, this process is ended by a signal; a read that comes too late is an error like any other.
//! Reading copies once, to memory that is page-locked and from which a GPU then copies by itself. Mapped memory would
//! be copied there too.

pub mod columns;
pub mod layout;
pub mod reader;
#[cfg(test)]
mod tests;
