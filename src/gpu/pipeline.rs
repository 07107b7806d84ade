//! Chunks of a batch over lanes and devices.
//!
//! Every lane takes the next chunk that nobody has, so that the copies of one overlap with the computation of another, and
//! a faster device does more. A chunk that fails goes back into the queue: halved where memory was short, as it is where
//! a device failed, which then takes no further part.

use super::GpuEngine;
use super::device::Device;
use super::fault::Fault;
use super::lane::Lane;
use crate::engine::Engines;
use std::collections::VecDeque;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lanes per device: one computes, one waits for its turn, the others copy and convert (PERFORMANCE.md).
pub const LANES: usize = 5;
/// Items of a chunk are a multiple of this many threads per multiprocessor where there are enough.
const WAVE: usize = 512;
/// Chunks are not made smaller than this when memory is short.
const SMALLEST_CHUNK: usize = 64;
/// Bytes of a chunk's items that differ in size: enough that starting a kernel costs little, and no more than lanes should
/// keep pinned.
const DATA_BYTES: (usize, usize) = (4 << 20, 64 << 20);

/// Memory that a chunk needs.
#[derive(Clone, Copy, Debug)]
pub struct Footprint {
    /// Bytes on the device per item.
    pub device: usize,
    /// Bytes on the device beside, per multiprocessor.
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
        self.device * items + self.device_fixed * device.multiprocessors as usize + SLACK
    }

    fn pinned_bytes(&self, items: usize) -> usize {
        self.pinned * items + SLACK
    }

    /// Bytes of a chunk's items for which the memory of a device's lanes suffices.
    fn most_bytes(&self, device: &Device) -> usize {
        let per_lane = device.memory / 2 / LANES;
        per_lane.saturating_sub(self.device_bytes(device, 0))
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

    fn device_bytes(&self, device: &Device, items: &Range<usize>) -> usize {
        self.footprint.device_bytes(device, items.len()) + self.data_bytes(items)
    }

    fn pinned_bytes(&self, items: &Range<usize>) -> usize {
        self.footprint.pinned_bytes(items.len()) + self.data_bytes(items)
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

/// What a chunk's computation gets: a lane, its items, and where the results go, one for each item.
pub type Compute<'a, T> = dyn Fn(&mut Lane, Range<usize>, &mut [MaybeUninit<T>]) -> Result<(), Fault> + Sync + 'a;

/// Items without results: the number of the first, and the places.
struct Piece<'a, T> {
    start: usize,
    out: &'a mut [MaybeUninit<T>],
}

/// What the workers share.
struct Queue<'a, T> {
    pieces: VecDeque<Piece<'a, T>>,
    /// Ranges that have their results.
    finished: Vec<Range<usize>>,
    /// The last fault, for the case that nobody is left.
    fault: Option<Fault>,
}

impl<T> Piece<'_, T> {
    fn range(&self) -> Range<usize> {
        self.start..self.start + self.out.len()
    }
}

impl<T> Queue<'_, T> {
    /// Bytes on the device and pinned that the largest of the waiting chunks needs. A lane takes that many at once: taking
    /// more memory later stops the whole device.
    fn most_bytes(&self, device: &Device, load: Load) -> (usize, usize) {
        let bytes = |piece: &Piece<T>| (load.device_bytes(device, &piece.range()), load.pinned_bytes(&piece.range()));
        self.pieces.iter().map(bytes).fold((0, 0), |most, bytes| (most.0.max(bytes.0), most.1.max(bytes.1)))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engines<'_> {
    /// One result per item, in order; from the CPU's `rescue` where no GPU could compute it and the CPU may.
    pub fn run<T: Send>(
        &self,
        items: usize,
        footprint: Footprint,
        compute: &Compute<T>,
        rescue: &(dyn Fn(Range<usize>) -> Vec<T> + Sync),
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
        rescue: &(dyn Fn(Range<usize>) -> Vec<T> + Sync),
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
        rescue: Option<&(dyn Fn(Range<usize>) -> Vec<T> + Sync)>,
    ) -> Result<Vec<T>, Fault> {
        let mut results: Vec<T> = Vec::with_capacity(items);
        let mut rest = &mut results.spare_capacity_mut()[..items];
        ask_for_huge_pages(rest);
        let (mut pieces, mut start) = (VecDeque::new(), 0);
        for end in self.cuts(items, load) {
            let (out, behind) = rest.split_at_mut(end - start);
            pieces.push_back(Piece { start, out });
            (rest, start) = (behind, end);
        }
        let queue = Mutex::new(Queue { pieces, finished: Vec::new(), fault: None });
        self.work(&queue, load, compute);
        let Queue { mut pieces, mut finished, fault } = queue.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(rescue) = rescue {
            for Piece { start, out } in pieces.drain(..) {
                let range = start..start + out.len();
                out.iter_mut().zip(rescue(range.clone())).for_each(|(place, value)| _ = place.write(value));
                finished.push(range);
            }
        }
        if pieces.is_empty() {
            // SAFETY: the pieces cover all items and each is finished: its results are written.
            unsafe { results.set_len(items) };
            return Ok(results);
        }
        drop(pieces);
        // Results may be secrets, which wipe themselves when dropped.
        let out = results.spare_capacity_mut();
        for place in finished.into_iter().flat_map(|range| range.into_iter()) {
            // SAFETY: finished ranges are disjoint and written.
            unsafe { out[place].assume_init_drop() };
        }
        Err(fault.unwrap_or_else(Fault::panicked))
    }

    fn work<T: Send>(&self, queue: &Mutex<Queue<T>>, load: Load, compute: &Compute<T>) {
        let waiting = lock(queue).pieces.len();
        let devices = self.working();
        if waiting <= 1 && !devices.is_empty() {
            // One chunk needs no thread of its own, unless its device fails.
            devices.iter().for_each(|&device| self.serve(device, queue, load, compute));
            return;
        }
        std::thread::scope(|scope| {
            for _ in 0..self.lanes.min(waiting.div_ceil(devices.len().max(1))) {
                for &device in &devices {
                    scope.spawn(move || self.serve(device, queue, load, compute));
                }
            }
        });
    }

    /// Takes chunks until there are none or the device fails.
    fn serve<T>(&self, device: usize, queue: &Mutex<Queue<T>>, load: Load, compute: &Compute<T>) {
        while self.failure(device).is_none() {
            let (piece, bytes) = {
                let mut queue = lock(queue);
                let bytes = queue.most_bytes(self.device(device), load);
                let Some(piece) = queue.pieces.pop_front() else { return };
                (piece, bytes)
            };
            let range = piece.range();
            let computed =
                self.with_lane(device, bytes, load.footprint.secret, |lane| compute(lane, range.clone(), piece.out));
            let Err(fault) = computed else {
                lock(queue).finished.push(range);
                continue;
            };
            let mut queue = lock(queue);
            queue.fault = Some(fault.clone());
            if fault.is_memory() && range.len() > SMALLEST_CHUNK {
                let (first, second) = piece.out.split_at_mut(range.len() / 2);
                queue.pieces.push_front(Piece { start: piece.start + first.len(), out: second });
                queue.pieces.push_front(Piece { start: piece.start, out: first });
            } else {
                queue.pieces.push_front(piece);
                self.fail(device, fault);
            }
        }
    }

    fn with_lane(
        &self,
        device: usize,
        (device_bytes, pinned_bytes): (usize, usize),
        secret: bool,
        work: impl FnOnce(&mut Lane) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut lane = self.take_lane(device)?;
        lane.begin(device_bytes, pinned_bytes, secret)?;
        let worked = work(&mut lane);
        let ended = lane.end();
        worked.and(ended)?;
        self.return_lane(device, lane);
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
        let (smallest, largest) = (2 * wave, load.footprint.most_waves.max(2) * wave);
        let most = |start: usize| {
            // At first every lane copies and no device computes; at last devices wait for the slowest.
            let at_first = start < LANES * count * smallest;
            let share = (items - start) / (2 * count) / wave * wave;
            (if at_first { smallest } else { share.clamp(smallest, largest) }).min(most_items)
        };
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
