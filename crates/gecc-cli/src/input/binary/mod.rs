//! Rows of fixed width: each has its fields at the same positions, given by a `layout`, and nothing
//! separates rows. A `reader` copies them to memory, where they serve as `columns` without
//! conversion.
//!
//! Files are read at positions by several threads, in large blocks, and are not mapped. If another
//! program truncates a mapped file, a signal terminates this process; a read beyond the new end is
//! an ordinary error. Reading copies once, to page-locked memory from which a GPU then copies by
//! itself. Mapped memory would have to be copied there too.

pub mod columns;
pub mod layout;
pub mod reader;
#[cfg(test)]
mod tests;
