//! What a chunk takes of device and pinned memory, buffer by buffer.
//!
//! An operation says once which buffers its chunk has. Before a lane is taken that gives their bytes, by which batches are cut
//! and memory is bounded; on a lane it gives the buffers themselves. So nothing is summed up by hand, and a chunk that took
//! more than was planned is a defect that shows at once.

use super::columns::{Column, Content};
use super::memory::Address;
use std::ops::Range;

/// Every buffer starts at a multiple of this, which all kernels' vector accesses divide.
pub const ALIGNMENT: usize = 256;

/// Bytes of the smallest copy of secrets to the device. The driver writes what is smaller into its queue of commands, where it
/// stays: up to 24 KiB, by a search of the process's memory.
pub const SMALLEST_SECRET_COPY: usize = 64 << 10;

/// Memory on the device and pinned memory on the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    pub device: usize,
    pub pinned: usize,
}

impl Bytes {
    /// The larger of each.
    pub fn max(self, other: Self) -> Self {
        Bytes { device: self.device.max(other.device), pinned: self.pinned.max(other.pinned) }
    }

    pub fn fit(self, limits: Self) -> bool {
        self.device <= limits.device && self.pinned <= limits.pinned
    }
}

/// The buffers of a chunk, one after the other.
#[derive(Debug)]
pub struct Plan {
    base: Address,
    limits: Bytes,
    used: Bytes,
    items: usize,
    multiprocessors: usize,
}

/// A buffer on the device that is filled from the host, by way of pinned memory unless it is filled from locked memory.
#[derive(Clone, Debug)]
pub struct Upload<T> {
    pub column: Column<T>,
    pub staging: Staging,
}

/// The copy from the host to a buffer, whatever that holds.
#[derive(Clone, Debug)]
pub struct Staging {
    pub address: Address,
    pub pinned: Range<usize>,
    /// Bytes that are copied: for secrets more than there are, where these are few.
    pub copied: usize,
    /// Whether it is for secrets, where the chunk has some.
    pub secret: bool,
}

/// A buffer on the device that is copied to the host's pinned memory.
#[derive(Clone, Debug)]
pub struct Download<T> {
    pub column: Column<T>,
    pub pinned: Range<usize>,
}

impl Plan {
    /// Counts bytes, for a chunk of so many items on so many multiprocessors. Its addresses mean nothing.
    pub fn counting(items: usize, multiprocessors: usize) -> Self {
        let limits = Bytes { device: usize::MAX, pinned: usize::MAX };
        Plan { base: 0, limits, used: Bytes::default(), items, multiprocessors }
    }

    /// Gives buffers of memory on the device that begins at `base`, and of pinned memory.
    pub fn at(base: Address, limits: Bytes, items: usize, multiprocessors: usize) -> Self {
        Plan { base, limits, ..Self::counting(items, multiprocessors) }
    }

    /// Items of the chunk.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Multiprocessors that work on them.
    pub fn multiprocessors(&self) -> usize {
        self.multiprocessors
    }

    /// What the buffers take so far.
    pub fn bytes(&self) -> Bytes {
        self.used
    }

    /// A buffer on the device.
    pub fn buffer<T>(&mut self, bytes: usize) -> Column<T> {
        let range = next(self.used.device, bytes);
        self.used.device = range.end;
        assert!(range.end <= self.limits.device, "a chunk takes more than the {} bytes planned", self.limits.device);
        Column::at(self.base + range.start as u64)
    }

    /// A buffer for what each item has.
    pub fn column<T: Content>(&mut self) -> Column<T> {
        self.each(T::BYTES)
    }

    /// A buffer of so many bytes for each item.
    pub fn each<T>(&mut self, bytes: usize) -> Column<T> {
        self.buffer(bytes * self.items)
    }

    fn pinned(&mut self, bytes: usize) -> Range<usize> {
        let range = next(self.used.pinned, bytes);
        self.used.pinned = range.end;
        let planned = self.limits.pinned;
        assert!(range.end <= planned, "a chunk takes more than the {planned} pinned bytes planned");
        range
    }

    pub fn upload<T>(&mut self, bytes: usize) -> Upload<T> {
        let (column, pinned) = (self.buffer(bytes), self.pinned(bytes));
        Upload { column, staging: Staging { address: column.address(), pinned, copied: bytes, secret: false } }
    }

    /// For secrets.
    pub fn upload_secret<T>(&mut self, bytes: usize) -> Upload<T> {
        let copied = bytes.max(SMALLEST_SECRET_COPY);
        let (column, start) = (self.buffer(copied), self.pinned(copied).start);
        let pinned = start..start + bytes;
        Upload { column, staging: Staging { address: column.address(), pinned, copied, secret: true } }
    }

    /// Rows from the host, one for each item.
    pub fn rows<T: Content>(&mut self) -> Upload<T> {
        self.upload(T::BYTES * self.items)
    }

    /// The copy of so many bytes of a buffer.
    pub fn download<T>(&mut self, column: Column<T>, bytes: usize) -> Download<T> {
        Download { column, pinned: self.pinned(bytes) }
    }

    /// The copy of a buffer with what each item has.
    pub fn download_column<T: Content>(&mut self, column: Column<T>) -> Download<T> {
        self.download(column, T::BYTES * self.items)
    }
}

fn next(used: usize, bytes: usize) -> Range<usize> {
    let start = used.next_multiple_of(ALIGNMENT);
    start..start + bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::columns::{ByteRows, NextTile, RecoveryIds, SecretKeys};

    fn plan(plan: &mut Plan) -> [Address; 3] {
        let (rows, out) = (plan.rows::<ByteRows<33>>(), plan.column::<ByteRows<7>>());
        assert_eq!((rows.staging.pinned.len(), plan.download_column(out).pinned.len()), (33 * 10, 70));
        [rows.column.address(), out.address(), plan.buffer::<NextTile>(1).address()]
    }

    #[test]
    fn few_secrets_are_copied_with_what_follows_them() {
        let mut plan = Plan::counting(10, 1);
        let secret = plan.upload_secret::<SecretKeys>(320).staging;
        let public = plan.rows::<RecoveryIds>().staging;
        let many = plan.upload_secret::<SecretKeys>(SMALLEST_SECRET_COPY + 1).staging;
        assert_eq!((secret.pinned, secret.copied, secret.secret), (0..320, SMALLEST_SECRET_COPY, true));
        // No copy reaches the next buffer.
        assert_eq!((public.address, public.pinned.start), (SMALLEST_SECRET_COPY as u64, SMALLEST_SECRET_COPY));
        assert_eq!((public.copied, public.secret), (10, false));
        assert_eq!(many.copied, many.pinned.len());
    }

    #[test]
    fn buffers_are_those_that_were_counted() {
        let mut counting = Plan::counting(10, 1);
        assert_eq!(plan(&mut counting), [0, 512, 768]);
        let bytes = counting.bytes();
        assert_eq!(bytes, Bytes { device: 769, pinned: 512 + 70 });
        let mut real = Plan::at(1 << 20, bytes, 10, 1);
        assert_eq!(plan(&mut real), [0, 512, 768].map(|offset| (1 << 20) + offset));
        assert_eq!(real.bytes(), bytes);
    }

    #[test]
    #[should_panic(expected = "more than the 768 bytes planned")]
    fn more_than_planned_is_a_defect() {
        plan(&mut Plan::at(0, Bytes { device: 768, pinned: 1000 }, 10, 1));
    }
}
