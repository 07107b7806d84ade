//! Chunks of a batch over lanes and devices.
//!
//! Every lane takes the next chunk that nobody has, so that the copies of one overlap with the computation of another, and
//! a faster device does more. What becomes of a chunk that fails: `queue`.

use super::GpuEngine;
use super::device::Device;
use super::fault::Fault;
use super::lane::Lane;
use super::memory::CallersContext;
use super::queue::{self, Fleet, Rescue, SMALLEST as SMALLEST_CHUNK};
use crate::engine::Engines;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Lanes per device: one computes, one waits for its turn, the others copy and convert (PERFORMANCE.md).
pub const LANES: usize = 5;
/// Items of a chunk are a multiple of this many threads per multiprocessor where there are enough.
const WAVE: usize = 512;
/// Bytes of a chunk's items that differ in size: enough that starting a kernel costs little, and no more than lanes should
/// keep pinned.
const DATA_BYTES: (usize, usize) = (4 << 20, 64 << 20);

/// Memory that a chunk needs.
#[derive(Clone, Copy, Debug)]
pub struct Footprint {
    /// Bytes on the device per item.
    pub device: usize,
    /// Bytes on the device beside, per multiprocessor at work.
    pub device_fixed: usize,
    /// Waves of the largest chunk. More of them make less of what a chunk costs besides its items, fewer overlap better with
    /// copies.
    pub most_waves: usize,
    /// Pinned bytes per item.
    pub pinned: usize,
    /// Whether the chunk's memory is wiped.
    pub secret: bool,
}

/// Alignment of a chunk's buffers, beside their bytes.
const SLACK: usize = 16 << 10;

impl Footprint {
    fn device_bytes(&self, device: &Device, items: usize) -> usize {
        self.device * items + self.device_fixed * device.at_work(items) + SLACK
    }

    fn pinned_bytes(&self, items: usize) -> usize {
        self.pinned * items + SLACK
    }

    /// Bytes of a chunk's items for which the memory of a device's lanes suffices.
    fn most_bytes(&self, device: &Device) -> usize {
        let per_lane = (device.memory / 2 / LANES).saturating_sub(SLACK);
        let fixed = self.device_fixed * device.at_work(usize::MAX);
        // A chunk that does not put all multiprocessors to work needs less than all of them take.
        let per_item = self.device + self.device_fixed.div_ceil(WAVE);
        let small = (per_lane / per_item).saturating_sub(WAVE) * self.device;
        per_lane.saturating_sub(fixed).max(small)
    }
}

/// Bytes that each item needs beside the footprint's, on the device and pinned alike: for items that differ in size.
#[derive(Debug)]
pub struct Sizes {
    /// Entry i: the bytes of the items before i; one entry more than there are items.
    starts: Vec<usize>,
    /// Bytes of every chunk.
    shared: usize,
}

impl Sizes {
    pub fn new(sizes: impl Iterator<Item = usize>, shared: usize) -> Self {
        Sizes { starts: starts(sizes), shared }
    }

    fn items(&self) -> usize {
        self.starts.len() - 1
    }

    fn of(&self, items: &Range<usize>) -> usize {
        self.starts[items.end] - self.starts[items.start] + self.shared
    }
}

/// Where each of several things begins that lie one after the other, and where the last ends.
pub fn starts(sizes: impl Iterator<Item = usize>) -> Vec<usize> {
    let ends = sizes.scan(0, |end, size| {
        *end += size;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

/// Memory of a chunk.
#[derive(Clone, Copy, Debug, Default)]
struct Bytes {
    device: usize,
    pinned: usize,
}

/// What a batch needs: per item, and where items differ in size each its own.
#[derive(Clone, Copy, Debug)]
struct Load<'a> {
    footprint: Footprint,
    sizes: Option<&'a Sizes>,
}

impl Load<'_> {
    fn data_bytes(&self, items: &Range<usize>) -> usize {
        self.sizes.map_or(0, |sizes| sizes.of(items))
    }

    fn bytes(&self, device: &Device, items: &Range<usize>) -> Bytes {
        let (data, footprint) = (self.data_bytes(items), self.footprint);
        Bytes {
            device: footprint.device_bytes(device, items.len()) + data,
            pinned: footprint.pinned_bytes(items.len()) + data,
        }
    }

    /// What the largest of the chunks that end at `ends` needs. A lane takes that much at once, where it can: taking more
    /// memory later stops the whole device.
    fn most_bytes(&self, device: &Device, ends: &[usize]) -> Bytes {
        let starts = std::iter::once(&0).chain(ends);
        let each = starts.zip(ends).map(|(start, end)| self.bytes(device, &(*start..*end)));
        each.fold(Bytes::default(), |most, bytes| Bytes {
            device: most.device.max(bytes.device),
            pinned: most.pinned.max(bytes.pinned),
        })
    }

    /// Where to cut a batch so that a chunk has at most so many items (by the number of its first), so many bytes of data, and
    /// so many bytes on the device in all; but not below `SMALLEST_CHUNK` for lack of memory. Gives the end of each chunk.
    fn cuts(
        &self,
        items: usize,
        most_items: impl Fn(usize) -> usize,
        most_data: usize,
        most_bytes: usize,
    ) -> Vec<usize> {
        let fits = |range: Range<usize>| {
            let data = self.data_bytes(&range);
            data <= most_data && data + self.footprint.device * range.len() <= most_bytes
        };
        let (mut cuts, mut start) = (Vec::new(), 0);
        while start < items {
            let most = most_items(start);
            let (mut end, mut too_far) = (start + SMALLEST_CHUNK.min(most), items.min(start + most) + 1);
            // A chunk may end at `end`, and not at `too_far`.
            while end + 1 < too_far {
                let middle = end.midpoint(too_far);
                if fits(start..middle) { end = middle } else { too_far = middle }
            }
            start = end.min(items);
            cuts.push(start);
        }
        cuts
    }
}

/// What says how large chunks are where memory does not: the batch's items, the devices that share them, the items of a wave
/// of threads, and those of the largest chunk.
#[derive(Clone, Copy, Debug)]
struct Shape {
    items: usize,
    count: usize,
    wave: usize,
    large: usize,
}

impl Shape {
    /// Items of the chunk that begins at item `start`: whole waves.
    fn chunk_at(self, start: usize) -> usize {
        let Shape { items, count, wave, large } = self;
        // At first lanes copy and devices wait, most of all for their first chunk; at last devices wait for the slowest.
        let (small, before, left) = (2 * wave, start / count, (items - start) / (2 * count));
        let share = if before < LANES * small { before.min(small) } else { left.clamp(small, large) };
        (share / wave * wave).max(wave)
    }
}

/// What a chunk's computation gets: a lane, its items, and where the results go, one for each item.
pub type Compute<'a, T> = dyn Fn(&mut Lane, Range<usize>, &mut [MaybeUninit<T>]) -> Result<(), Fault> + Sync + 'a;

impl Engines<'_> {
    /// One result per item, in order; from the CPU's `rescue` where no GPU could compute it and the CPU may.
    pub fn run<T: Send>(
        &self,
        items: usize,
        footprint: Footprint,
        compute: &Compute<T>,
        rescue: &Rescue<T>,
    ) -> Result<Vec<T>, Fault> {
        let load = Load { footprint, sizes: None };
        self.gpu.run(items, load, compute, self.rescue.then_some(rescue))
    }

    /// The same for items that differ in size: chunks are then bounded in bytes too.
    pub fn run_sized<T: Send>(
        &self,
        sizes: &Sizes,
        footprint: Footprint,
        compute: &Compute<T>,
        rescue: &Rescue<T>,
    ) -> Result<Vec<T>, Fault> {
        let load = Load { footprint, sizes: Some(sizes) };
        self.gpu.run(sizes.items(), load, compute, self.rescue.then_some(rescue))
    }
}

/// Hundreds of megabytes of results cost more in page faults than in copying, at 4 KiB a page.
#[cfg(target_os = "linux")]
fn ask_for_huge_pages<T>(memory: &mut [MaybeUninit<T>]) {
    use rustix::mm::{Advice, madvise};
    const HUGE_PAGE: usize = 2 << 20;
    let bytes = memory.as_mut_ptr_range();
    let (start, end) = (bytes.start.cast::<u8>(), bytes.end.cast::<u8>());
    let offset = start.align_offset(HUGE_PAGE);
    let whole = (end as usize).saturating_sub(start as usize + offset) / HUGE_PAGE * HUGE_PAGE;
    if whole > 0 {
        // SAFETY: the range lies within the slice, and this advice changes nothing of its content.
        let _ = unsafe { madvise(start.wrapping_add(offset).cast(), whole, Advice::LinuxHugepage) };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages<T>(_memory: &mut [MaybeUninit<T>]) {}

impl GpuEngine {
    /// One result per item, in order. Chunks that no device could compute go to `rescue`, where there is one.
    ///
    /// # Errors
    /// The last fault, where results are missing.
    fn run<T: Send>(
        &self,
        items: usize,
        load: Load,
        compute: &Compute<T>,
        rescue: Option<&Rescue<T>>,
    ) -> Result<Vec<T>, Fault> {
        let _kept = CallersContext::keep();
        let mut results = Vec::with_capacity(items);
        ask_for_huge_pages(results.spare_capacity_mut());
        let ends = self.cuts(items, load);
        let most: Vec<Bytes> = self.devices.iter().map(|slot| load.most_bytes(&slot.device, &ends)).collect();
        let on_device = |device: usize, range: Range<usize>, out: &mut [MaybeUninit<T>]| {
            let bytes = [most[device], load.bytes(self.device(device), &range)];
            let computed = self.with_lane(device, bytes, load.footprint.secret, |lane| compute(lane, range, out));
            computed.map_err(|fault| {
                if fault.is_memory() {
                    // What idle lanes hold may be what is missing.
                    self.drop_idle_lanes(device);
                }
                fault.of_device(&self.device(device).label)
            })
        };
        queue::run(self, &mut results, &ends, &on_device, rescue)?;
        Ok(results)
    }

    /// Lends a lane for one chunk. One on which a chunk fails is not used again: dropping it waits for what it has started
    /// and wipes what it held.
    fn with_lane(
        &self,
        device: usize,
        [most, needed]: [Bytes; 2],
        secret: bool,
        work: impl FnOnce(&mut Lane) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut lane = self.take_lane(device)?;
        match lane.begin(most.device, most.pinned, secret) {
            Err(fault) if fault.is_memory() => lane.begin(needed.device, needed.pinned, secret)?,
            begun => begun?,
        }
        work(&mut lane)?;
        match lane.end() {
            Ok(()) => lane.keep(),
            // The results are there all the same.
            Err(fault) => self.fail_device(device, fault.of_device(&self.device(device).label)),
        }
        Ok(())
    }

    /// The ends of chunks: whole waves of threads, small ones first and last, within the memory of the smallest device.
    fn cuts(&self, items: usize, load: Load) -> Vec<usize> {
        let devices = self.working();
        let most_bytes =
            devices.iter().map(|&device| load.footprint.most_bytes(self.device(device))).min().unwrap_or(0);
        let multiprocessors = devices.iter().map(|&device| self.device(device).multiprocessors as usize).max();
        let most_items = self.largest_chunk.unwrap_or(usize::MAX).max(1);
        if self.lanes == 1 {
            // Small chunks serve to overlap, and one lane has nothing to overlap with.
            return load.cuts(items, |_| most_items.min(items.max(1)), usize::MAX, most_bytes);
        }
        let (wave, count) = (WAVE * multiprocessors.unwrap_or(1), devices.len().max(1));
        let shape = Shape { items, count, wave, large: load.footprint.most_waves.max(2) * wave };
        let most = |start: usize| shape.chunk_at(start).min(most_items);
        let parts = (LANES + 1) * count;
        let even_data = load.data_bytes(&(0..items)).div_ceil(parts).clamp(DATA_BYTES.0, DATA_BYTES.1);
        load.cuts(items, most, even_data, most_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOOTPRINT: Footprint = Footprint { device: 10, device_fixed: 0, most_waves: 8, pinned: 10, secret: false };

    #[test]
    fn items_of_one_size_are_cut_evenly() {
        let load = Load { footprint: FOOTPRINT, sizes: None };
        assert_eq!(load.cuts(250, |_| 100, 0, usize::MAX), [100, 200, 250]);
        assert_eq!(load.cuts(250, |_| 100, 0, 10 * 90), [90, 180, 250]);
        assert_eq!(load.cuts(200, |_| 100, 0, 0), [64, 128, 192, 200]);
        assert_eq!(load.cuts(3, |_| 1, 0, 0), [1, 2, 3]);
        assert_eq!(load.cuts(0, |_| 100, 0, 0), [0; 0]);
    }

    #[test]
    fn chunks_are_small_at_first_and_at_last() {
        let load = Load { footprint: FOOTPRINT, sizes: None };
        let sizes = |items, count| {
            let shape = Shape { items, count, wave: 10, large: 60 };
            let ends = load.cuts(items, |start| shape.chunk_at(start), usize::MAX, usize::MAX);
            std::iter::once(&0).chain(&ends).zip(&ends).map(|(start, end)| end - start).collect::<Vec<_>>()
        };
        assert_eq!(sizes(9, 1), [9]);
        assert_eq!(sizes(19, 1), [10, 9]);
        assert_eq!(sizes(39, 1), [10, 10, 19]);
        assert_eq!(sizes(400, 1), [10, 10, 20, 20, 20, 20, 60, 60, 60, 60, 30, 20, 10]);
        assert_eq!(sizes(130, 2), [10, 10, 10, 10, 20, 20, 20, 20, 10]);
    }

    #[test]
    fn items_that_differ_in_size_are_cut_by_bytes() {
        let sizes = Sizes::new((0..300).map(|item| if item < 200 { 1 } else { 100 }), 7);
        let load = Load { footprint: FOOTPRINT, sizes: Some(&sizes) };
        assert_eq!((load.data_bytes(&(0..300)), load.data_bytes(&(199..201))), (200 + 100 * 100 + 7, 108));
        // First as many as the limit of items allows; then 50 * 1 + 70 * 100 + 7 bytes.
        assert_eq!(load.cuts(300, |_| 150, 7100, usize::MAX), [150, 270, 300]);
        for (most_items, most_data, most_bytes) in [(1000, 9000, 20_000), (90, 8000, 9000), (77, 1, 1)] {
            let cuts = load.cuts(300, |_| most_items, most_data, most_bytes);
            let mut start = 0;
            for &end in &cuts {
                let range = start..end;
                let data = load.data_bytes(&range);
                let fits = data <= most_data && data + 10 * range.len() <= most_bytes;
                assert!(!range.is_empty() && range.len() <= most_items && (fits || range.len() <= SMALLEST_CHUNK));
                start = end;
            }
            assert_eq!(start, 300);
        }
    }
}
