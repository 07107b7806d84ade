//! Splits a batch into chunks.
//!
//! Each stream slot takes the next unassigned chunk. The copies of one chunk therefore overlap with
//! the computation of another, and a faster device computes more chunks. For failed chunks, see
//! `work_queue`.

use super::operation::Computation;
use super::work_queue::SMALLEST as SMALLEST_CHUNK;
use crate::gpu::runtime::{Bytes, Occasion, Plan, STREAMS, at_work};
use std::ops::Range;

/// Threads per multiprocessor in a wave. The size of a chunk is a multiple of a wave if the batch
/// is large enough.
const WAVE: usize = 512;
/// Bounds on the bytes of variable-size data per chunk: enough that launch costs are small, and not
/// more than stream slots should keep pinned.
const DATA_BYTES: (usize, usize) = (4 << 20, 64 << 20);

/// The machine for which a batch is split.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Memory of a stream slot.
    pub limits: Bytes,
    pub devices: usize,
    /// The largest number of multiprocessors of any device.
    pub multiprocessors: usize,
    /// Maximum items per chunk, if the caller has set a limit.
    pub most_items: usize,
    /// Stream slots per device.
    pub slots: usize,
    /// True if the device writes results directly to their final place.
    pub direct: bool,
}

impl Machine {
    /// Returns the memory that a chunk of these items needs.
    pub fn bytes(&self, operation: &dyn Computation, items: &Range<usize>) -> Bytes {
        let multiprocessors = at_work(items.len(), self.multiprocessors);
        let mut plan = Plan::counting(Occasion {
            items: items.len(),
            multiprocessors,
            direct: self.direct,
        });
        drop(operation.plan_chunk(&mut plan, items.clone()));
        plan.bytes()
    }

    /// Returns the memory to allocate for a stream slot whose largest chunk takes `most`. It is
    /// rounded up, within the limits, so that batches of nearly the same size do not each enlarge
    /// the allocation, which stops the device.
    pub fn slot_memory(&self, most: Bytes) -> Bytes {
        let Bytes { device, pinned } = self.limits;
        Bytes {
            device: round_up(most.device, device),
            pinned: round_up(most.pinned, pinned),
        }
    }

    /// Returns the memory that suffices for every chunk of a batch that is split at `ends`.
    pub fn most_bytes(&self, operation: &dyn Computation, ends: &[usize]) -> Bytes {
        let starts = std::iter::once(&0).chain(ends);
        let chunks = starts
            .zip(ends)
            .map(|(start, end)| self.bytes(operation, &(*start..*end)));
        chunks.fold(Bytes::default(), Bytes::max)
    }

    /// Returns the ends of the chunks: whole waves of threads, small chunks first and last, each
    /// within the memory of a stream slot.
    pub fn cuts(&self, operation: &dyn Computation) -> Vec<usize> {
        let items = operation.items();
        let most_items = self.most_items.min(operation.most_items());
        if self.slots == 1 {
            // Small chunks exist to overlap with one another, which a single stream slot cannot do.
            return self.cut(operation, |_| most_items.min(items.max(1)), usize::MAX);
        }
        let wave = WAVE * self.multiprocessors;
        let shape = ChunkSizes {
            items,
            count: self.devices,
            wave,
            large: operation.most_waves().max(2) * wave,
        };
        let parts = (STREAMS + 1) * self.devices;
        let even_data = operation
            .data_bytes(&(0..items))
            .div_ceil(parts)
            .clamp(DATA_BYTES.0, DATA_BYTES.1);
        self.cut(
            operation,
            |start| shape.chunk_at(start).min(most_items),
            even_data,
        )
    }

    /// Splits a batch into chunks that fit the memory of a stream slot and have at most
    /// `most_items(start)` items, where `start` is the chunk's first item, and `most_data` bytes of
    /// data. Neither memory nor `most_data` makes a chunk smaller than `SMALLEST_CHUNK`. Returns
    /// the end of each chunk.
    fn cut(
        &self,
        operation: &dyn Computation,
        most_items: impl Fn(usize) -> usize,
        most_data: usize,
    ) -> Vec<usize> {
        let items = operation.items();
        let mut cuts = Vec::new();
        let mut start = 0;
        while start < items {
            let most = most_items(start);
            let mut end = start + SMALLEST_CHUNK.min(most);
            let mut too_far = items.min(start + most) + 1;
            // Invariant: a chunk may end at `end`, but not at `too_far`.
            while end + 1 < too_far {
                let middle = end.midpoint(too_far);
                if self.fits(operation, start..middle, most_data) {
                    end = middle
                } else {
                    too_far = middle
                }
            }
            start = end.min(items);
            cuts.push(start);
        }
        cuts
    }

    fn fits(&self, operation: &dyn Computation, range: Range<usize>, most_data: usize) -> bool {
        operation.data_bytes(&range) <= most_data && self.bytes(operation, &range).fit(self.limits)
    }
}

/// Rounds a size up to one of four sizes per power of two, but not above the limit, unless the size
/// itself is.
fn round_up(bytes: usize, limit: usize) -> usize {
    let step = (bytes.next_power_of_two() / 4).max(1);
    bytes.next_multiple_of(step).min(limit).max(bytes)
}

/// Chunk sizes where memory is not the limit. They depend on the items of the batch, the devices
/// that share them, the items of a wave and the items of the largest chunk.
#[derive(Clone, Copy, Debug)]
struct ChunkSizes {
    items: usize,
    count: usize,
    wave: usize,
    large: usize,
}

impl ChunkSizes {
    /// Returns the number of items, in whole waves, of the chunk that begins at item `start`.
    fn chunk_at(self, start: usize) -> usize {
        let ChunkSizes {
            items,
            count,
            wave,
            large,
        } = self;
        // At the beginning, stream slots copy while devices wait, above all for their first chunk.
        // At the end, all devices wait for the slowest.
        let small = 2 * wave;
        let before = start / count;
        let left = (items - start) / (2 * count);
        let share = if before < STREAMS * small {
            before.min(small)
        } else {
            left.clamp(small, large)
        };
        (share / wave * wave).max(wave)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::CpuEngine;
    use crate::gpu::columns::{ByteRows, Texts};
    use crate::gpu::runtime::InputSource;
    use crate::gpu::{GpuThreshold, Launch, SelfTest};
    use crate::types::ResultSink;

    /// A batch of items that take ten bytes each in device and in pinned memory, plus their
    /// variable-size data.
    struct TestBatch {
        count: usize,
        data: fn(usize) -> usize,
    }

    impl Computation for TestBatch {
        fn items(&self) -> usize {
            self.count
        }

        fn gpu_threshold(&self) -> GpuThreshold {
            unreachable!("nothing is computed")
        }

        fn compute_on_cpu(&self, _: &CpuEngine, _: Range<usize>, _: &mut ResultSink) {
            unreachable!("nothing is computed")
        }

        fn most_waves(&self) -> usize {
            8
        }

        fn kernels(&self) -> (&'static str, Vec<&'static str>) {
            unreachable!("nothing is computed")
        }

        fn data_bytes(&self, items: &Range<usize>) -> usize {
            items.clone().map(self.data).sum()
        }

        fn self_tests(&self, _: usize) -> Vec<SelfTest> {
            unreachable!("nothing is computed")
        }

        fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
            plan.input_of::<ByteRows<10>>(
                10 * items.len(),
                InputSource::Written(10, Box::new(|_, _| ())),
            );
            plan.input_of::<Texts>(
                self.data_bytes(&items),
                InputSource::Written(1, Box::new(|_, _| ())),
            );
            Box::new(|_| unreachable!("nothing is computed"))
        }
    }

    const PLENTY: usize = usize::MAX;

    fn machine(device: usize, pinned: usize) -> Machine {
        let limits = Bytes { device, pinned };
        Machine {
            limits,
            devices: 1,
            multiprocessors: 1,
            most_items: PLENTY,
            slots: STREAMS,
            direct: false,
        }
    }

    fn of_one_size(count: usize) -> TestBatch {
        TestBatch { count, data: |_| 0 }
    }

    /// Splits items of one size on a machine with this memory, without a limit on their data.
    fn cut(count: usize, most_items: usize, device: usize, pinned: usize) -> Vec<usize> {
        machine(device, pinned).cut(&of_one_size(count), |_| most_items, PLENTY)
    }

    #[test]
    fn chunks_of_items_of_equal_size_have_equal_lengths() {
        assert_eq!(cut(250, 100, PLENTY, PLENTY), [100, 200, 250]);
        assert_eq!(
            cut(250, 100, 900, PLENTY),
            [76, 152, 228, 250],
            "with the alignment of the empty buffer"
        );
        assert_eq!(cut(250, 100, PLENTY, 900), [76, 152, 228, 250]);
        assert_eq!(cut(200, 100, 0, 0), [64, 128, 192, 200]);
        assert_eq!(cut(3, 1, 0, 0), [1, 2, 3]);
        assert_eq!(cut(0, 100, PLENTY, PLENTY), [0; 0]);
    }

    #[test]
    fn memory_of_a_slot_is_rounded_up_within_limits() {
        assert_eq!(round_up(0, PLENTY), 0);
        assert_eq!(round_up(1, PLENTY), 1);
        assert_eq!(round_up(33 << 20, PLENTY), 48 << 20);
        assert_eq!(round_up(47 << 20, PLENTY), 48 << 20);
        assert_eq!(round_up(48 << 20, PLENTY), 48 << 20);
        assert_eq!(round_up((48 << 20) + 1, PLENTY), 64 << 20);
        assert_eq!(round_up(33 << 20, 40 << 20), 40 << 20);
        assert_eq!(
            round_up(33 << 20, 30 << 20),
            33 << 20,
            "the memory of a chunk exceeds the limit"
        );
        let memory = machine(40 << 20, 30 << 20).slot_memory(Bytes {
            device: 33 << 20,
            pinned: 33 << 20,
        });
        assert_eq!([memory.device, memory.pinned], [40 << 20, 33 << 20]);
    }

    /// Returns the sizes of the chunks of a batch with waves of 10 items and at most 60 items per
    /// chunk.
    fn sizes(items: usize, devices: usize) -> Vec<usize> {
        let shape = ChunkSizes {
            items,
            count: devices,
            wave: 10,
            large: 60,
        };
        let ends =
            machine(PLENTY, PLENTY).cut(&of_one_size(items), |start| shape.chunk_at(start), PLENTY);
        std::iter::once(&0)
            .chain(&ends)
            .zip(&ends)
            .map(|(start, end)| end - start)
            .collect()
    }

    #[test]
    fn first_and_last_chunks_are_small() {
        assert_eq!(sizes(9, 1), [9]);
        assert_eq!(sizes(19, 1), [10, 9]);
        assert_eq!(sizes(39, 1), [10, 10, 19]);
        assert_eq!(
            sizes(400, 1),
            [10, 10, 20, 20, 20, 20, 60, 60, 60, 60, 30, 20, 10]
        );
        assert_eq!(sizes(130, 2), [10, 10, 10, 10, 20, 20, 20, 20, 10]);
    }

    #[test]
    fn chunks_of_items_of_different_sizes_are_limited_by_bytes() {
        let items = TestBatch {
            count: 300,
            data: |item| if item < 200 { 1 } else { 100 },
        };
        // The first chunk is limited by the number of items, the second by 50 * 1 + 70 * 100 bytes.
        assert_eq!(
            machine(PLENTY, PLENTY).cut(&items, |_| 150, 7050),
            [150, 270, 300]
        );
        for (most_items, most_data, device) in [(1000, 9000, 20_000), (90, 8000, 9000), (77, 1, 1)]
        {
            let machine = machine(device, PLENTY);
            let cuts = machine.cut(&items, |_| most_items, most_data);
            let mut start = 0;
            for &end in &cuts {
                let range = start..end;
                let fits = items.data_bytes(&range) <= most_data
                    && machine.bytes(&items, &range).fit(machine.limits);
                assert!(
                    !range.is_empty()
                        && range.len() <= most_items
                        && (fits || range.len() <= SMALLEST_CHUNK)
                );
                start = end;
            }
            assert_eq!(start, 300);
        }
    }
}
