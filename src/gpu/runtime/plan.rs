//! The device and pinned memory of a chunk, buffer by buffer, and its uploads and downloads.
//!
//! An operation defines the buffers of its chunk once. Before a stream is taken, this definition
//! yields the bytes they need, by which batches are split and memory is bounded. On a stream, it
//! yields the buffers themselves. So no sizes are added up by hand, and a chunk that takes more
//! memory than planned is detected at once.

use super::page_lock::is_locked;
use crate::gpu::columns::{Address, Column, Content};
use crate::host::workers::Pool;
use crate::types::{ByteRows, Fill};
use std::ops::Range;

/// The alignment of every buffer, a multiple of that of all vector accesses of kernels.
pub const ALIGNMENT: usize = 256;

/// Minimum size of a copy of secrets to the device. The driver writes smaller copies into its
/// command queue, where they remain. A search of the process's memory found copies of up to 24 KiB
/// there.
pub const SMALLEST_SECRET_COPY: usize = 64 << 10;

/// Memory on the device and pinned memory on the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    pub device: usize,
    pub pinned: usize,
}

impl Bytes {
    /// Returns the maximum of both in each component.
    pub fn max(self, other: Self) -> Self {
        Bytes {
            device: self.device.max(other.device),
            pinned: self.pinned.max(other.pinned),
        }
    }

    pub fn fit(self, limits: Self) -> bool {
        self.device <= limits.device && self.pinned <= limits.pinned
    }
}

/// The chunk for which memory is planned.
#[derive(Clone, Copy, Debug)]
pub struct Occasion {
    pub items: usize,
    /// Multiprocessors that compute its items.
    pub multiprocessors: usize,
    /// True if results go from the device to their final place without a copy by the host.
    pub direct: bool,
}

/// The consecutive buffers of a chunk, with its uploads and downloads.
pub struct Plan<'a> {
    base: Address,
    limits: Bytes,
    used: Bytes,
    occasion: Occasion,
    inputs: Vec<Input<'a>>,
    codes: Option<Output>,
    results: [Option<Output>; 2],
}

/// A buffer on the device that is filled before kernels start.
pub struct Input<'a> {
    pub address: Address,
    /// The staging range in pinned memory; empty if the device copies directly from the source.
    pub pinned: Range<usize>,
    /// Number of bytes that are copied. Secrets shorter than `SMALLEST_SECRET_COPY` are padded to
    /// it.
    pub copied: usize,
    /// True if the bytes are secret, provided that the chunk has secrets at all.
    pub secret: bool,
    pub source: InputSource<'a>,
}

/// The source of an input's bytes.
pub enum InputSource<'a> {
    /// Rows in the caller's memory.
    Rows(ByteRows<'a>),
    /// Rows of this width, written by several threads.
    Written(usize, Box<Fill<'a>>),
    /// Bytes written as a whole, with the help of a thread pool.
    Whole(Box<dyn Fn(&Pool, &mut [u8]) + Sync + 'a>),
}

/// A buffer on the device that is copied to the host when the kernels are done.
#[derive(Clone, Debug)]
pub struct Output {
    pub address: Address,
    pub bytes: usize,
    /// The range in pinned memory; empty if the device writes to the final place.
    pub pinned: Range<usize>,
    pub secret: bool,
}

/// A buffer on the device that is copied to pinned memory while the chunk is computed.
#[derive(Clone, Debug)]
pub struct Download<T> {
    pub column: Column<T>,
    pub pinned: Range<usize>,
}

impl<'a> Plan<'a> {
    /// Creates a plan that only counts bytes. Its addresses are meaningless.
    pub fn counting(occasion: Occasion) -> Self {
        Self::at(
            0,
            Bytes {
                device: usize::MAX,
                pinned: usize::MAX,
            },
            occasion,
        )
    }

    /// Creates a plan that assigns buffers in device memory, beginning at `base`, and in pinned
    /// memory.
    pub fn at(base: Address, limits: Bytes, occasion: Occasion) -> Self {
        let used = Bytes::default();
        Plan {
            base,
            limits,
            used,
            occasion,
            inputs: Vec::new(),
            codes: None,
            results: [None, None],
        }
    }

    /// Returns the number of items of the chunk.
    pub fn items(&self) -> usize {
        self.occasion.items
    }

    /// Returns the number of multiprocessors that compute them.
    pub fn multiprocessors(&self) -> usize {
        self.occasion.multiprocessors
    }

    /// Returns the sizes of the buffers planned so far.
    pub fn bytes(&self) -> Bytes {
        self.used
    }

    pub fn inputs(&self) -> &[Input<'a>] {
        &self.inputs
    }

    /// Returns the codes and the columns of results.
    pub fn outputs(&self) -> [Option<&Output>; 3] {
        [
            self.codes.as_ref(),
            self.results[0].as_ref(),
            self.results[1].as_ref(),
        ]
    }

    /// Plans a buffer of `bytes` bytes on the device.
    pub fn buffer<T>(&mut self, bytes: usize) -> Column<T> {
        let range = next(self.used.device, bytes);
        self.used.device = range.end;
        assert!(
            range.end <= self.limits.device,
            "a chunk takes more than the {} bytes planned",
            self.limits.device
        );
        Column::at(self.base + range.start as u64)
    }

    /// Plans the buffers of the `items` parts of which the chunk's items consist.
    pub fn for_items<R>(&mut self, items: usize, plan: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.occasion.items, items);
        let planned = plan(self);
        self.occasion.items = before;
        planned
    }

    /// Plans a buffer with a `T` per item.
    pub fn column<T: Content>(&mut self) -> Column<T> {
        self.each(T::BYTES)
    }

    /// Plans a buffer of `bytes` bytes per item.
    pub fn each<T>(&mut self, bytes: usize) -> Column<T> {
        self.buffer(bytes * self.items())
    }

    fn pinned(&mut self, bytes: usize) -> Range<usize> {
        let range = next(self.used.pinned, bytes);
        self.used.pinned = range.end;
        let planned = self.limits.pinned;
        assert!(
            range.end <= planned,
            "a chunk takes more than the {planned} pinned bytes planned"
        );
        range
    }

    /// Plans an input of rows from the caller, one per item.
    pub fn input<T: Content>(&mut self, rows: ByteRows<'a>) -> Column<T> {
        assert_eq!(rows.width(), T::BYTES, "rows of what the column holds");
        self.input_of(self.items() * rows.width(), InputSource::Rows(rows))
    }

    /// Plans an input of `bytes` bytes from some source.
    pub fn input_of<T>(&mut self, bytes: usize, source: InputSource<'a>) -> Column<T> {
        let column = self.buffer(bytes);
        let pinned = if is_locked_source(&source, bytes) {
            0..0
        } else {
            self.pinned(bytes)
        };
        self.inputs.push(Input {
            address: column.address(),
            pinned,
            copied: bytes,
            secret: false,
            source,
        });
        column
    }

    /// Plans an input of `bytes` secret bytes.
    pub fn secret_input_of<T>(&mut self, bytes: usize, source: InputSource<'a>) -> Column<T> {
        let copied = bytes.max(SMALLEST_SECRET_COPY);
        let column = self.buffer(copied);
        // From the caller's memory, only the rows themselves can be copied.
        let pinned = if bytes == copied && is_locked_source(&source, bytes) {
            0..0
        } else {
            let start = self.pinned(copied).start;
            start..start + bytes
        };
        self.inputs.push(Input {
            address: column.address(),
            pinned,
            copied,
            secret: true,
            source,
        });
        column
    }

    /// Plans the download of the items' codes, a byte each, to the place of the results.
    pub fn codes<T: Content>(&mut self, column: Column<T>) {
        assert_eq!(T::BYTES, 1, "a code is a byte");
        self.codes = Some(self.output(column.address(), 1, false));
    }

    /// Plans a result column of `width` bytes per item.
    pub fn result<T>(&mut self, which: usize, column: Column<T>, width: usize) {
        self.results[which] = Some(self.output(column.address(), width, false));
    }

    /// Plans a result column that holds secrets.
    pub fn secret_result<T>(&mut self, which: usize, column: Column<T>, width: usize) {
        self.results[which] = Some(self.output(column.address(), width, true));
    }

    fn output(&mut self, address: Address, width: usize, secret: bool) -> Output {
        let bytes = width * self.items();
        let pinned = if self.occasion.direct {
            0..0
        } else {
            self.pinned(bytes)
        };
        Output {
            address,
            bytes,
            pinned,
            secret,
        }
    }

    /// Plans a copy of the first `bytes` bytes of a buffer for the host to read before the chunk is
    /// done.
    pub fn download<T>(&mut self, column: Column<T>, bytes: usize) -> Download<T> {
        Download {
            column,
            pinned: self.pinned(bytes),
        }
    }

    /// Plans a copy of a column for the host to read before the chunk is done.
    pub fn download_column<T: Content>(&mut self, column: Column<T>) -> Download<T> {
        self.download(column, T::BYTES * self.items())
    }
}

/// Returns whether a device may copy the whole source from where it is.
fn is_locked_source(source: &InputSource, bytes: usize) -> bool {
    match source {
        InputSource::Rows(rows) => {
            rows.stride() == rows.width() && rows.span().len() == bytes && is_locked(rows.span())
        }
        InputSource::Written(..) | InputSource::Whole(_) => false,
    }
}

fn next(used: usize, bytes: usize) -> Range<usize> {
    let start = used.next_multiple_of(ALIGNMENT);
    start..start + bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::columns::{ByteRows as Rows, NextTile, RecoveryIds, SecretKeys};

    const TEN: Occasion = Occasion {
        items: 10,
        multiprocessors: 1,
        direct: false,
    };

    fn plan<'a>(plan: &mut Plan<'a>, rows: &'a [u8]) -> [Address; 3] {
        let rows = plan.input::<Rows<33>>(ByteRows::new(rows, 33));
        let out = plan.column::<Rows<7>>();
        plan.result(0, out, 7);
        let [_, Some(result), _] = plan.outputs() else {
            panic!("it was just planned")
        };
        assert_eq!((plan.inputs()[0].pinned.len(), result.bytes), (33 * 10, 70));
        [
            rows.address(),
            out.address(),
            plan.buffer::<NextTile>(1).address(),
        ]
    }

    /// Returns a source of rows that are not written.
    fn written() -> InputSource<'static> {
        InputSource::Written(32, Box::new(|_, _| ()))
    }

    #[test]
    fn short_secret_is_copied_with_bytes_after_it() {
        let mut plan = Plan::counting(TEN);
        plan.secret_input_of::<SecretKeys>(320, written());
        let public: Column<RecoveryIds> = plan.input_of(10, written());
        plan.secret_input_of::<SecretKeys>(SMALLEST_SECRET_COPY + 1, written());
        let [secret, second, many] = plan.inputs() else {
            panic!("three inputs")
        };
        assert_eq!(
            (&secret.pinned, secret.copied, secret.secret),
            (&(0..320), SMALLEST_SECRET_COPY, true)
        );
        // No copy extends into the next buffer.
        assert_eq!(
            (public.address(), second.pinned.start),
            (SMALLEST_SECRET_COPY as u64, SMALLEST_SECRET_COPY)
        );
        assert_eq!((second.copied, second.secret), (10, false));
        assert_eq!(many.copied, many.pinned.len());
    }

    #[test]
    fn planned_buffers_match_the_count() {
        let rows = [0; 330];
        let mut counting = Plan::counting(TEN);
        assert_eq!(plan(&mut counting, &rows), [0, 512, 768]);
        let bytes = counting.bytes();
        assert_eq!(
            bytes,
            Bytes {
                device: 769,
                pinned: 512 + 70
            }
        );
        let mut real = Plan::at(1 << 20, bytes, TEN);
        assert_eq!(
            plan(&mut real, &rows),
            [0, 512, 768].map(|offset| (1 << 20) + offset)
        );
        assert_eq!(real.bytes(), bytes);
    }

    #[test]
    fn direct_results_take_no_pinned_memory() {
        let mut direct = Plan::counting(Occasion {
            direct: true,
            ..TEN
        });
        let codes = direct.column::<RecoveryIds>();
        direct.codes(codes);
        direct.result(0, codes, 1);
        assert_eq!(
            direct.bytes(),
            Bytes {
                device: 10,
                pinned: 0
            }
        );
    }

    #[test]
    fn for_items_plans_buffers_of_another_length() {
        let rows = [0; 33 * 640];
        let mut plan = Plan::counting(TEN);
        let planned = plan.for_items(640, |plan| {
            let column: Column<Rows<33>> = plan.input(ByteRows::new(&rows, 33));
            // Nested calls.
            let inner = plan.for_items(3, |plan| plan.column::<Rows<7>>());
            (
                plan.items(),
                column.address(),
                inner.address(),
                plan.column::<RecoveryIds>().address(),
            )
        });
        assert_eq!(planned, (640, 0, 33 * 640 + 128, 33 * 640 + 128 + 256));
        assert_eq!(
            (plan.inputs()[0].pinned.len(), plan.inputs()[0].copied),
            (33 * 640, 33 * 640)
        );
        // Subsequent buffers are planned for the chunk's items again.
        let codes = plan.column::<RecoveryIds>();
        plan.codes(codes);
        let [Some(codes), None, None] = plan.outputs() else {
            panic!("they were just planned")
        };
        assert_eq!((plan.items(), codes.bytes), (10, 10));
    }

    #[test]
    #[should_panic(expected = "rows of what the column holds")]
    fn input_with_rows_of_another_width_panics() {
        Plan::counting(TEN).input::<Rows<32>>(ByteRows::new(&[0; 330], 33));
    }

    #[test]
    #[should_panic(expected = "more than the 768 bytes planned")]
    fn exceeding_the_planned_memory_panics() {
        plan(
            &mut Plan::at(
                0,
                Bytes {
                    device: 768,
                    pinned: 1000,
                },
                TEN,
            ),
            &[0; 330],
        );
    }
}
