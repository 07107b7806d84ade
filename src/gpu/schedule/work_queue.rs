//! The work queue of a batch. Device threads take pieces from it one at a time; a piece whose
//! device fails is returned to the queue and retried on another device.
//!
//! Devices are abstracted by `Fleet`, so that the scheduler can be tested without a GPU.

use crate::gpu::interface::FaultKind;
use crate::gpu::runtime::Fault;
use crate::host::lock;
use crate::host::workers::{Loan, Work, lend};
use crate::types::{Place, Results, ResultsMut};
use std::any::Any;
use std::collections::VecDeque;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// When memory is short, pieces with more items than this are halved.
pub const SMALLEST: usize = 64;
/// Pieces that the CPU computes together begin in the same range of `RESCUED` items.
const RESCUED: usize = 1 << 16;

/// Devices, identified by number. Several threads compute on each at the same time.
pub trait Fleet: Sync {
    /// Returns the devices that have not failed, the preferred ones first.
    fn working(&self) -> Vec<usize>;
    fn is_working(&self, device: usize) -> bool;
    /// Marks a device as failed, so that it is not used any more.
    fn fail(&self, device: usize, fault: Fault);
    /// Returns the number of threads per device.
    fn workers(&self) -> usize;
    /// Lets up to `seats` threads of a device serve a call. Each goes on until `Work::serve`
    /// returns false.
    fn enlist(&self, device: usize, call: &Arc<Loan>, seats: usize);
    /// Returns the fault to report when no device works.
    fn all_failed(&self) -> Fault;
}

/// Computes some items on a device. On success, all their results have been written to the place.
pub type OnDevice<'f> = dyn Fn(usize, Range<usize>, &mut dyn Place) -> Result<(), Fault> + Sync + 'f;
/// Computes some items without a device.
pub type OnCpu<'f> = dyn Fn(Range<usize>, &mut dyn Place) + Sync + 'f;

/// Items without results: the index of the first, and their place.
struct Piece<'a> {
    start: usize,
    place: Box<dyn Place<'a> + 'a>,
}

impl<'a> Piece<'a> {
    fn range(&self) -> Range<usize> {
        self.start..self.start + self.place.items()
    }

    fn halves(self) -> [Self; 2] {
        let half = self.place.items() / 2;
        let (first, second) = self.place.split_at(half);
        [Piece { start: self.start, place: first }, Piece { start: self.start + half, place: second }]
    }
}

/// The state shared by the threads.
struct State<'a> {
    pieces: VecDeque<Piece<'a>>,
    /// Pieces that are being computed.
    computing: usize,
    /// Threads that may still take pieces.
    seats: usize,
    /// Pieces whose results are written.
    finished: usize,
    /// The fault to report if results are missing: the first that is not a lack of memory, if any.
    fault: Option<Fault>,
    /// The payload of a panic in one of the threads. The other threads then stop, and the caller's
    /// thread resumes the panic.
    panic: Option<Box<dyn Any + Send>>,
}

impl State<'_> {
    /// Returns whether no thread computes or will take another piece.
    fn is_still(&self) -> bool {
        self.computing == 0 && (self.pieces.is_empty() || self.seats == 0 || self.panic.is_some())
    }
}

struct Queue<'a, 'f, F> {
    state: Mutex<State<'a>>,
    /// Notified when `State::is_still` becomes true.
    still: Condvar,
    fleet: &'f F,
    compute: &'f OnDevice<'f>,
}

/// Writes every result to its position, computing the batch in pieces that end at `ends`. Pieces
/// that no device could compute are passed to `rescue`, if given.
///
/// # Errors
/// A fault, if results are missing.
///
/// # Panics
/// Resumes a panic of `compute` or `rescue` after everything else has stopped.
pub fn run(
    fleet: &impl Fleet,
    place: &mut dyn Place,
    ends: &[usize],
    compute: &OnDevice,
    rescue: Option<&OnCpu>,
) -> Result<(), Fault> {
    let queue = Queue::new(fleet, compute, place.reborrow(), ends);
    queue.work();
    if let Some(rescue) = rescue {
        queue.rescue(rescue);
    }
    let State { pieces, fault, panic, .. } = queue.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match panic {
        Some(panic) => resume_unwind(panic),
        None if pieces.is_empty() => Ok(()),
        None => Err(fault.unwrap_or_else(|| fleet.all_failed())),
    }
}

impl<F: Fleet> Work for Queue<'_, '_, F> {
    /// Takes and computes one piece. A thread continues until the queue is empty, its device fails,
    /// or memory does not suffice even for the smallest piece.
    fn serve(&self, device: usize) -> bool {
        let goes_on = self.fleet.is_working(device) && self.serve_one(device);
        if !goes_on {
            let mut state = self.lock();
            state.seats -= 1;
            self.tell(&state);
        }
        goes_on
    }
}

impl<'a, 'f, F: Fleet> Queue<'a, 'f, F> {
    fn new(fleet: &'f F, compute: &'f OnDevice<'f>, mut rest: Box<dyn Place<'a> + 'a>, ends: &[usize]) -> Self {
        let mut pieces = VecDeque::with_capacity(ends.len());
        let mut start = 0;
        for &end in ends {
            let (place, behind) = rest.split_at(end - start);
            pieces.push_back(Piece { start, place });
            (rest, start) = (behind, end);
        }
        let state = State { pieces, computing: 0, seats: 0, finished: 0, fault: None, panic: None };
        Queue { state: Mutex::new(state), still: Condvar::new(), fleet, compute }
    }

    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        lock(&self.state)
    }

    fn tell(&self, state: &State) {
        if state.is_still() {
            self.still.notify_all();
        }
    }

    /// Runs the devices until everything is done or none of them can continue.
    fn work(&self) {
        loop {
            let devices = self.fleet.working();
            let before = (self.lock().finished, devices.len());
            self.work_once(&devices);
            // A device whose threads found the queue empty may still compute a piece that another
            // returned last.
            let state = self.lock();
            let progress = (state.finished, self.fleet.working().len()) != before;
            if state.pieces.is_empty() || state.panic.is_some() || !progress {
                return;
            }
        }
    }

    fn work_once(&self, devices: &[usize]) {
        let waiting = self.lock().pieces.len();
        if waiting <= 1 {
            // A single piece needs no other thread, unless its device fails.
            for &device in devices {
                while self.fleet.is_working(device) && self.serve_one(device) {}
            }
            return;
        }
        let seats = self.fleet.workers().min(waiting.div_ceil(devices.len().max(1)));
        lend(self, |call| {
            self.lock().seats = seats * devices.len();
            devices.iter().for_each(|&device| self.fleet.enlist(device, call, seats));
            let still = self.still.wait_while(self.lock(), |state| !state.is_still());
            drop(still.unwrap_or_else(PoisonError::into_inner));
        });
    }

    /// Computes a piece on a device, if one is left. Returns whether the thread may continue.
    fn serve_one(&self, device: usize) -> bool {
        let Some(mut piece) = self.take() else { return false };
        let range = piece.range();
        match catch_unwind(AssertUnwindSafe(|| (self.compute)(device, range, &mut *piece.place))) {
            Ok(Ok(())) => {
                self.done(|state| state.finished += 1);
                true
            }
            Ok(Err(fault)) => self.put_back(device, piece, fault),
            Err(panic) => {
                self.done(|state| _ = state.panic.get_or_insert(panic));
                false
            }
        }
    }

    fn take(&self) -> Option<Piece<'a>> {
        let mut state = self.lock();
        let piece = if state.panic.is_some() { None } else { state.pieces.pop_front() };
        state.computing += usize::from(piece.is_some());
        piece
    }

    /// Records the outcome of a piece in the state.
    fn done(&self, note: impl FnOnce(&mut State<'a>)) {
        let mut state = self.lock();
        note(&mut state);
        state.computing -= 1;
        self.tell(&state);
    }

    /// Returns a piece to the queue after a fault. Returns whether the thread may continue.
    fn put_back(&self, device: usize, piece: Piece<'a>, fault: Fault) -> bool {
        let kind = fault.kind;
        if kind == FaultKind::Device {
            // The device is marked before the piece is returned, so that it cannot take the piece
            // again.
            self.fleet.fail(device, fault.clone());
        }
        let halves = kind == FaultKind::Memory && piece.place.items() > SMALLEST;
        self.done(|state| {
            if state.fault.as_ref().is_none_or(Fault::is_memory) {
                state.fault = Some(fault);
            }
            if halves {
                let [first, second] = piece.halves();
                state.pieces.push_front(second);
                state.pieces.push_front(first);
            } else {
                state.pieces.push_front(piece);
            }
        });
        // The missing memory or kernels may be available to other threads of the device, or to the
        // next call.
        halves
    }

    fn rescue(&self, rescue: &OnCpu) {
        let mut state = self.lock();
        if state.panic.is_some() {
            return;
        }
        let mut pieces: Vec<Piece> = state.pieces.drain(..).collect();
        drop(state);
        pieces.sort_unstable_by_key(|piece| piece.start);
        for mut joined in join(pieces) {
            let rescued = catch_unwind(AssertUnwindSafe(|| rescue(joined.range(), &mut *joined.place)));
            if let Err(panic) = rescued {
                self.lock().panic = Some(panic);
                return;
            }
        }
    }
}

/// Joins adjacent pieces, since single pieces may have become too small to occupy all cores.
fn join(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut groups: Vec<(usize, Vec<Box<dyn Place<'_> + '_>>, usize)> = Vec::new();
    for Piece { start, place } in pieces {
        let end = start + place.items();
        match groups.last_mut() {
            Some((first, places, last)) if *last == start && *first / RESCUED == start / RESCUED => {
                places.push(place);
                *last = end;
            }
            _ => groups.push((start, vec![place], end)),
        }
    }
    groups.into_iter().map(|(start, places, _)| Piece { start, place: Box::new(Joined(places)) }).collect()
}

/// Adjacent places that act as one.
struct Joined<'a>(Vec<Box<dyn Place<'a> + 'a>>);

impl<'a> Place<'a> for Joined<'a> {
    fn items(&self) -> usize {
        self.0.iter().map(|place| place.items()).sum()
    }

    fn split_at(self: Box<Self>, items: usize) -> (Box<dyn Place<'a> + 'a>, Box<dyn Place<'a> + 'a>) {
        let mut first = Vec::new();
        let mut second = Vec::new();
        let mut left = items;
        for place in self.0 {
            let here = left.min(place.items());
            left -= here;
            let (before, behind) = place.split_at(here);
            first.push(before);
            second.push(behind);
        }
        (Box::new(Joined(first)), Box::new(Joined(second)))
    }

    fn reborrow(&mut self) -> Box<dyn Place<'_> + '_> {
        Box::new(Joined(self.0.iter_mut().map(|place| place.reborrow()).collect()))
    }

    fn columns(&mut self) -> Option<ResultsMut<'_>> {
        None
    }

    fn take(&mut self, results: Results) {
        let mut start = 0;
        for place in &mut self.0 {
            let items = place.items();
            place.take(results.slice(start, items));
            start += items;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::workers::{Crew, Pool};
    use crate::types::collect;
    use rayon::prelude::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    /// Simulated devices that count calls, fail on request, and record why.
    struct Fakes {
        failures: Vec<Mutex<Option<Fault>>>,
        computed: Vec<AtomicUsize>,
        workers: usize,
        crew: Crew,
    }

    impl Fakes {
        fn new(devices: usize, workers: usize) -> Self {
            let failures = (0..devices).map(|_| Mutex::default()).collect();
            let computed = (0..devices).map(|_| AtomicUsize::new(0)).collect();
            Fakes { failures, computed, workers, crew: Crew::start(devices, workers).unwrap() }
        }

        /// Returns the number of pieces that the device has been given before.
        fn turn(&self, device: usize) -> usize {
            self.computed[device].fetch_add(1, Ordering::SeqCst)
        }

        fn failed(&self) -> Vec<usize> {
            (0..self.failures.len()).filter(|&device| !self.is_working(device)).collect()
        }
    }

    impl Fleet for Fakes {
        fn working(&self) -> Vec<usize> {
            (0..self.failures.len()).filter(|&device| self.is_working(device)).collect()
        }

        fn is_working(&self, device: usize) -> bool {
            self.failures[device].lock().unwrap().is_none()
        }

        fn fail(&self, device: usize, fault: Fault) {
            self.failures[device].lock().unwrap().get_or_insert(fault);
        }

        fn workers(&self) -> usize {
            self.workers
        }

        fn enlist(&self, device: usize, call: &Arc<Loan>, seats: usize) {
            self.crew.enlist(device, call, seats);
        }

        fn all_failed(&self) -> Fault {
            Fault::device("all have failed".to_owned())
        }
    }

    fn ends(items: usize, piece: usize) -> Vec<usize> {
        (0..items).step_by(piece).map(|start| items.min(start + piece)).collect()
    }

    /// Writes the 8-byte `result` of every item.
    fn write(range: Range<usize>, place: &mut dyn Place, result: impl Fn(usize) -> usize) {
        assert_eq!(range.len(), place.items());
        let rows: Vec<u8> = range.clone().flat_map(|item| (result(item) as u64).to_le_bytes()).collect();
        place.take(Results::new(&vec![1; range.len()], [&rows, &[]], [8, 0]));
    }

    fn number(results: &Results, item: usize) -> usize {
        u64::from_le_bytes(*results.get(item).unwrap()) as usize
    }

    fn run_all(fleet: &Fakes, ends: &[usize], compute: &OnDevice, rescue: Option<&OnCpu>) -> Result<Vec<usize>, Fault> {
        let items = ends.last().copied().unwrap_or(0);
        // SAFETY: every item has a result unless `run` returns an error.
        unsafe { collect(items, number, |place| run(fleet, place, ends, compute, rescue)) }
    }

    fn broken() -> Fault {
        Fault::device("broken".to_owned())
    }

    fn short() -> Fault {
        Fault::memory("short".to_owned())
    }

    /// Adjacent places are joined up to the limit, and their parts keep their positions.
    #[test]
    fn joined_places_are_split_like_one() {
        let make = |ends: &[usize], split: &[usize]| {
            let fill = |place: &mut dyn Place| {
                let mut pieces = Vec::new();
                let mut rest = place.reborrow();
                let mut start = 0;
                for &end in ends {
                    let (place, behind) = rest.split_at(end - start);
                    pieces.push(Piece { start, place });
                    (rest, start) = (behind, end);
                }
                let [mut joined] = <[Piece; 1]>::try_from(join(pieces)).ok().expect("one piece");
                assert_eq!(joined.range(), 0..100);
                assert!(joined.place.columns().is_none());
                let mut rest = joined.place.reborrow();
                let mut start = 0;
                for &end in split {
                    let (mut part, behind) = rest.split_at(end - start);
                    assert_eq!((part.items(), behind.items()), (end - start, 100 - end));
                    write(start..end, &mut *part.reborrow(), |item| 3 * item);
                    (rest, start) = (behind, end);
                }
                Ok::<_, Fault>(())
            };
            // SAFETY: all items are taken.
            unsafe { collect(100, number, fill) }.unwrap()
        };
        let all: &[&[usize]] = &[&[100], &[1, 2, 100], &[50, 100], &[10, 40, 99, 100], &[30, 30, 60, 100]];
        for ends in all {
            for split in all {
                assert!(make(ends, split).into_iter().eq((0..100).map(|item| 3 * item)), "{ends:?} {split:?}");
            }
        }
    }

    #[test]
    fn only_neighbours_are_joined() {
        let joined = |pieces: &[Range<usize>]| {
            let mut memory: Vec<Vec<u8>> = pieces.iter().map(|range| vec![0; range.len()]).collect();
            let place = |(range, codes): (&Range<usize>, _)| Piece {
                start: range.start,
                place: Box::new(ResultsMut::codes(codes)),
            };
            let pieces = pieces.iter().zip(memory.iter_mut().map(Vec::as_mut_slice)).map(place).collect();
            join(pieces).iter().map(Piece::range).collect::<Vec<_>>()
        };
        assert!(joined(&[]).is_empty());
        assert_eq!(joined(&[5..7, 7..9, 10..11, 11..30]), [5..9, 10..30]);
        // Pieces near the limit between two ranges that are computed separately.
        let limit = RESCUED;
        assert_eq!(joined(&[limit - 2..limit, limit..limit + 1]), [limit - 2..limit, limit..limit + 1]);
        assert_eq!(joined(&[limit - 2..limit + 5, limit + 5..limit + 6]), [limit - 2..limit + 5, limit + 5..limit + 6]);
        assert_eq!(joined(&[0..1, 1..limit + 9]), *std::slice::from_ref(&(0..limit + 9)));
    }

    #[test]
    fn results_are_in_order_whatever_the_pieces_and_devices() {
        for (items, piece) in [(0, 1), (1, 1), (1, 9), (63, 64), (64, 64), (1000, 1), (1000, 7), (1000, 999)] {
            for (devices, workers) in [(1, 1), (1, 5), (2, 5), (3, 2), (8, 1)] {
                let fleet = Fakes::new(devices, workers);
                let compute: &OnDevice = &|_, range, out| {
                    write(range, out, |item| item * item);
                    Ok(())
                };
                let results = run_all(&fleet, &ends(items, piece), compute, None).unwrap();
                assert!(results.into_iter().eq((0..items).map(|item| item * item)));
            }
        }
    }

    #[test]
    fn another_device_redoes_what_one_fails_at() {
        for workers in [1, 5] {
            for fails_at in [0, 1, 5, 19] {
                let fleet = Fakes::new(2, workers);
                let compute: &OnDevice = &|device, range, out| {
                    let turn = fleet.turn(device);
                    if device == 0 && turn >= fails_at {
                        return Err(broken());
                    }
                    write(range, out, |item| item + 1);
                    Ok(())
                };
                let results = run_all(&fleet, &ends(1000, 10), compute, None).unwrap();
                assert!(results.into_iter().eq(1..=1000));
                let reached = fleet.computed[0].load(Ordering::SeqCst) > fails_at;
                assert_eq!(fleet.failed(), if reached { vec![0] } else { vec![] });
            }
        }
    }

    /// The working device has long been idle when the other returns its piece.
    #[test]
    fn an_idle_device_comes_back_for_the_last_piece() {
        let fleet = Fakes::new(2, 1);
        let begun = AtomicBool::new(false);
        let idle = AtomicBool::new(false);
        let wait_for = |flag: &AtomicBool| {
            while !flag.load(Ordering::SeqCst) {
                thread::yield_now();
            }
        };
        let compute: &OnDevice = &|device, range, out| {
            if device == 0 {
                begun.store(true, Ordering::SeqCst);
                // Waits until the other device has received its piece, and gives it time to find
                // the queue empty.
                wait_for(&idle);
                thread::sleep(Duration::from_millis(30));
                return Err(broken());
            }
            // Each device has one piece.
            wait_for(&begun);
            write(range, out, |item| item);
            idle.store(true, Ordering::SeqCst);
            Ok(())
        };
        assert_eq!(run_all(&fleet, &[1, 2], compute, None).unwrap(), [0, 1]);
        assert_eq!(fleet.failed(), [0]);
    }

    #[test]
    fn where_all_fail_that_is_told() {
        for workers in [1, 4] {
            let fleet = Fakes::new(3, workers);
            let compute: &OnDevice = &|device, range, out| {
                if fleet.turn(device) >= 5 {
                    return Err(broken());
                }
                write(range, out, |item| item);
                Ok(())
            };
            let fault = run_all(&fleet, &ends(1000, 10), compute, None).err().unwrap();
            assert_eq!((fault, fleet.failed()), (broken(), vec![0, 1, 2]));
            // The next call finds no working device.
            assert_eq!(run_all(&fleet, &[10], compute, None).err().unwrap(), fleet.all_failed());
        }
    }

    #[test]
    fn what_is_left_is_rescued() {
        let fleet = Fakes::new(2, 2);
        let rescued = AtomicUsize::new(0);
        let calls = AtomicUsize::new(0);
        let compute: &OnDevice = &|device, range, out| {
            if fleet.turn(device) >= 7 {
                return Err(broken());
            }
            write(range, out, |item| item);
            Ok(())
        };
        let rescue: &OnCpu = &|range, place| {
            rescued.fetch_add(range.len(), Ordering::SeqCst);
            calls.fetch_add(1, Ordering::SeqCst);
            write(range, place, |item| item);
        };
        let results = run_all(&fleet, &ends(1000, 10), compute, Some(rescue)).unwrap();
        assert!(results.into_iter().eq(0..1000));
        assert_eq!(rescued.load(Ordering::SeqCst), 1000 - 2 * 7 * 10);
        assert!(calls.into_inner() <= 5, "what lies together is rescued together");
    }

    #[test]
    fn pieces_are_halved_until_they_fit_the_memory() {
        for most in [SMALLEST, 100, 500] {
            let fleet = Fakes::new(1, 3);
            let largest = AtomicUsize::new(0);
            let compute: &OnDevice = &|_, range, out| {
                if range.len() > most {
                    return Err(short());
                }
                largest.fetch_max(range.len(), Ordering::SeqCst);
                write(range, out, |item| item);
                Ok(())
            };
            let results = run_all(&fleet, &ends(5000, 1024), compute, None).unwrap();
            assert!(results.into_iter().eq(0..5000));
            assert!(fleet.failed().is_empty() && largest.into_inner() > most / 2);
        }
    }

    /// A lack of memory is temporary: it ends the call, or the work on this device, but does not
    /// disable the device.
    #[test]
    fn a_device_without_memory_has_not_failed() {
        let fleet = Fakes::new(2, 2);
        let compute: &OnDevice = &|device, range, out| {
            if device == 0 {
                return Err(short());
            }
            write(range, out, |item| item);
            Ok(())
        };
        assert!(run_all(&fleet, &ends(1000, 300), compute, None).unwrap().into_iter().eq(0..1000));
        assert!(fleet.failed().is_empty());
        let none: &OnDevice = &|_, range, _| {
            fleet.turn(usize::from(range.len() < SMALLEST / 2));
            Err(short())
        };
        assert_eq!(run_all(&fleet, &ends(1000, 300), none, None).unwrap_err(), short());
        assert!(fleet.failed().is_empty());
        assert_eq!(fleet.computed[1].load(Ordering::SeqCst), 0, "no piece is halved below the smallest");
        assert!(
            run_all(&fleet, &ends(9, 1), none, Some(&|range, place| write(range, place, |item| item)))
                .unwrap()
                .into_iter()
                .eq(0..9)
        );
    }

    #[test]
    fn one_worker_without_memory_leaves_its_work_to_the_others() {
        let fleet = Fakes::new(1, 4);
        let busy = AtomicUsize::new(0);
        let compute: &OnDevice = &|_, range, out| {
            let others = busy.fetch_add(1, Ordering::SeqCst);
            thread::sleep(Duration::from_micros(200));
            let enough = others < 2;
            if enough {
                write(range, out, |item| item);
            }
            busy.fetch_sub(1, Ordering::SeqCst);
            if enough { Ok(()) } else { Err(short()) }
        };
        assert!(run_all(&fleet, &ends(2000, 50), compute, None).unwrap().into_iter().eq(0..2000));
    }

    #[test]
    fn the_fault_of_a_device_is_told_before_a_lack_of_memory() {
        let fleet = Fakes::new(1, 1);
        let compute: &OnDevice = &|_, range, _| Err(if range.len() > SMALLEST { short() } else { broken() });
        assert_eq!(run_all(&fleet, &ends(400, 200), compute, None).unwrap_err(), broken());
    }

    #[test]
    fn a_panic_reaches_the_caller_and_leaves_everything_usable() {
        let fleet = Fakes::new(2, 3);
        let compute: &OnDevice = &|_, range, out| {
            if range.contains(&700) {
                panic!("item 700");
            }
            write(range, out, |item| item);
            Ok(())
        };
        for ends in [ends(1000, 10), vec![1000]] {
            let ran = catch_unwind(AssertUnwindSafe(|| run_all(&fleet, &ends, compute, None)));
            assert_eq!(ran.err().unwrap().downcast_ref::<&str>(), Some(&"item 700"));
            assert!(fleet.failed().is_empty());
        }
        assert_eq!(run_all(&fleet, &ends(600, 10), compute, None).unwrap().len(), 600);
        // A panic in `rescue` is resumed too.
        let gone: &OnDevice = &|_, range, out| {
            if range.start < 300 || (500..600).contains(&range.start) { compute(0, range, out) } else { Err(short()) }
        };
        let rescue: &OnCpu = &|range, place| {
            assert!(range.end < 1000, "item 999");
            write(range, place, |item| item);
        };
        let ran = catch_unwind(AssertUnwindSafe(|| run_all(&fleet, &ends(1000, 10), gone, Some(rescue))));
        assert!(ran.is_err());
    }

    /// A missing kernel does not disable a device.
    #[test]
    fn a_device_without_kernels_has_not_failed() {
        let fleet = Fakes::new(2, 2);
        let compute: &OnDevice = &|device, range, out| {
            if device == 0 {
                return Err(Fault::kernels("not compiled".to_owned()));
            }
            write(range, out, |item| item);
            Ok(())
        };
        assert!(run_all(&fleet, &ends(1000, 300), compute, None).unwrap().into_iter().eq(0..1000));
        let none: &OnDevice = &|_, _, _| Err(Fault::kernels("not compiled".to_owned()));
        assert_eq!(run_all(&fleet, &ends(1000, 300), none, None).unwrap_err().kind, FaultKind::Kernels);
        assert!(
            run_all(&fleet, &[1000], none, Some(&|range, place| write(range, place, |item| item)))
                .unwrap()
                .into_iter()
                .eq(0..1000)
        );
        assert!(fleet.failed().is_empty());
    }

    /// Makes thousands of calls from every thread of a pool, as tasks that other threads steal.
    /// Each call has several pieces whose computation needs another pool. No call runs nested in
    /// another, and no thread is started for a call.
    #[test]
    fn calls_from_inside_a_pool_neither_nest_nor_wait_for_each_other() {
        thread_local!(static DEPTH: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });
        let callers = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        let fleet = Fakes::new(2, 2);
        let pool = Pool::new(Some(2)).unwrap();
        let compute: &OnDevice = &|_, range, out| {
            let results = pool.map(20, range.len(), 0, |i| (range.start + i) * 3);
            write(range.clone(), out, |item| results[item - range.start]);
            Ok(())
        };
        let call = |call: usize| {
            let depth = DEPTH.replace(DEPTH.get() + 1);
            assert_eq!(depth, 0, "a call runs inside another");
            let items = 200 + call % 100;
            let results = run_all(&fleet, &ends(items, 50), compute, None).unwrap();
            assert!(results.into_iter().eq((0..items).map(|item| item * 3)));
            DEPTH.set(depth);
        };
        callers.install(|| (0..4000).into_par_iter().for_each(call));
        callers.install(|| rayon::scope(|scope| (0..4000).for_each(|number| scope.spawn(move |_| call(number)))));
    }

    #[test]
    fn a_small_call_does_not_wait_for_all_of_a_large_one() {
        let fleet = Fakes::new(1, 1);
        let begun = AtomicBool::new(false);
        let slow: &OnDevice = &|_, range, out| {
            begun.store(true, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(5));
            write(range, out, |item| item);
            Ok(())
        };
        let left = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                run_all(&fleet, &ends(400, 1), slow, None).unwrap();
                left.store(1, Ordering::SeqCst);
            });
            while !begun.load(Ordering::SeqCst) {
                thread::yield_now();
            }
            run_all(&fleet, &ends(4, 1), slow, None).unwrap();
            assert_eq!(left.load(Ordering::SeqCst), 0, "the large call is not done");
        });
    }
}
