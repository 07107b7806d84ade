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

/// Lanes per device: one copies up, one computes, one copies down.
pub const LANES: usize = 3;
/// Items of a chunk are a multiple of this many threads per multiprocessor where there are enough.
const WAVE: usize = 512;
/// Waves of the largest chunk: enough that a kernel's last, half-empty wave costs little.
const MOST_WAVES: usize = 8;
/// Chunks are not made smaller than this when memory is short.
const SMALLEST_CHUNK: usize = 64;

/// Memory that a chunk needs.
#[derive(Clone, Copy, Debug)]
pub struct Footprint {
    /// Bytes on the device per item.
    pub device: usize,
    /// Bytes on the device beside, per multiprocessor.
    pub device_fixed: usize,
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

    /// Items of a chunk for which the memory of a device's lanes suffices.
    fn most_items(&self, device: &Device) -> usize {
        let per_lane = device.memory / 2 / LANES;
        let fixed = self.device_bytes(device, 0);
        (per_lane.saturating_sub(fixed) / self.device.max(1)).max(SMALLEST_CHUNK)
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
        self.gpu.run(items, footprint, compute, self.rescue.then_some(rescue))
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
        footprint: Footprint,
        compute: &Compute<T>,
        rescue: Option<&(dyn Fn(Range<usize>) -> Vec<T> + Sync)>,
    ) -> Result<Vec<T>, Fault> {
        let mut results: Vec<T> = Vec::with_capacity(items);
        let chunk = self.chunk(items, footprint);
        let out = &mut results.spare_capacity_mut()[..items];
        ask_for_huge_pages(out);
        let mut pieces = VecDeque::new();
        for (index, out) in out.chunks_mut(chunk).enumerate() {
            pieces.push_back(Piece { start: index * chunk, out });
        }
        let queue = Mutex::new(Queue { pieces, finished: Vec::new(), fault: None });
        self.work(&queue, footprint, compute);
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

    fn work<T: Send>(&self, queue: &Mutex<Queue<T>>, footprint: Footprint, compute: &Compute<T>) {
        let waiting = lock(queue).pieces.len();
        let devices = self.working();
        if waiting <= 1 && !devices.is_empty() {
            // One chunk needs no thread of its own, unless its device fails.
            devices.iter().for_each(|&device| self.serve(device, queue, footprint, compute));
            return;
        }
        std::thread::scope(|scope| {
            for _ in 0..self.lanes.min(waiting.div_ceil(devices.len().max(1))) {
                for &device in &devices {
                    scope.spawn(move || self.serve(device, queue, footprint, compute));
                }
            }
        });
    }

    /// Takes chunks until there are none or the device fails.
    fn serve<T>(&self, device: usize, queue: &Mutex<Queue<T>>, footprint: Footprint, compute: &Compute<T>) {
        while self.failure(device).is_none() {
            let Some(piece) = lock(queue).pieces.pop_front() else { return };
            let range = piece.start..piece.start + piece.out.len();
            let computed = self.with_lane(device, footprint, range.len(), |lane| compute(lane, range.clone(), piece.out));
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
        footprint: Footprint,
        items: usize,
        work: impl FnOnce(&mut Lane) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut lane = self.take_lane(device)?;
        let bytes = footprint.device_bytes(&lane.device, items);
        lane.begin(bytes, footprint.pinned_bytes(items), footprint.secret)?;
        let worked = work(&mut lane);
        let ended = lane.end();
        worked.and(ended)?;
        self.return_lane(device, lane);
        Ok(())
    }

    /// Items in a chunk: a few chunks per lane, whole waves of threads, and within the memory of the smallest device.
    fn chunk(&self, items: usize, footprint: Footprint) -> usize {
        let devices = self.working();
        let smallest = devices.iter().map(|&device| footprint.most_items(&self.device(device))).min().unwrap_or(1);
        let multiprocessors = devices.iter().map(|&device| self.device(device).multiprocessors as usize).max();
        let wave = WAVE * multiprocessors.unwrap_or(1);
        let even = items.div_ceil((LANES + 1) * devices.len().max(1)).next_multiple_of(wave);
        even.clamp(2 * wave, MOST_WAVES * wave).min(self.largest_chunk.unwrap_or(usize::MAX)).min(smallest).max(1)
    }
}
