//! The work queue of a batch. Device threads take pieces from it one at a time; a piece whose
//! device fails is returned to the queue and retried on another device.
//!
//! Devices are abstracted by `DevicePool`, so that the scheduler can be tested without a GPU.

use crate::gpu::interface::FaultKind;
use crate::gpu::runtime::Fault;
use crate::host::lock;
use crate::host::workers::{DeviceThreads, Job, with_scoped_job};
use crate::types::ResultSink;
use std::any::Any;
use std::collections::VecDeque;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// When memory is short, pieces with more items than this are halved.
pub const SMALLEST: usize = 64;
/// Adjacent pieces are joined for the CPU if they begin in the same range of `CPU_RANGE` items.
const CPU_RANGE: usize = 1 << 16;

/// Devices, identified by number. Several threads compute on each at the same time.
pub trait DevicePool: Sync {
    /// Returns the devices that have not failed, the preferred ones first.
    fn working(&self) -> Vec<usize>;
    fn is_working(&self, device: usize) -> bool;
    /// Marks a device as failed, so that it is not used any more.
    fn fail(&self, device: usize, fault: Fault);
    /// Returns the number of threads per device.
    fn threads_per_device(&self) -> usize;
    /// Returns the threads of all devices.
    fn threads(&self) -> &DeviceThreads;
    /// Returns the fault to report when no device works.
    fn all_failed(&self) -> Fault;
}

/// Computes some items on a device. On success, all their results have been stored.
pub type OnDevice<'f> =
    dyn Fn(usize, Range<usize>, &mut ResultSink) -> Result<(), Fault> + Sync + 'f;
/// Computes some items without a device.
pub type OnCpu<'f> = dyn Fn(Range<usize>, &mut ResultSink) + Sync + 'f;

/// Items without results: the index of the first, and the destination of their results.
struct Piece<'a> {
    start: usize,
    results: ResultSink<'a>,
}

impl<'a> Piece<'a> {
    fn range(&self) -> Range<usize> {
        self.start..self.start + self.results.items()
    }

    fn halves(self) -> [Self; 2] {
        let half = self.results.items() / 2;
        let (first, second) = self.results.split_at(half);
        [
            Piece {
                start: self.start,
                results: first,
            },
            Piece {
                start: self.start + half,
                results: second,
            },
        ]
    }
}

/// The state shared by the threads.
struct QueueState<'a> {
    pieces: VecDeque<Piece<'a>>,
    /// Pieces that are being computed.
    computing: usize,
    /// Threads that may still take pieces.
    workers: usize,
    /// Pieces whose results are written.
    finished: usize,
    /// The fault to report if results are missing: the first that is not a lack of memory, if any.
    fault: Option<Fault>,
    /// The payload of a panic in one of the threads. The other threads then stop, and the caller's
    /// thread resumes the panic.
    panic: Option<Box<dyn Any + Send>>,
}

impl QueueState<'_> {
    /// Returns whether no thread computes or will take another piece.
    fn is_idle(&self) -> bool {
        self.computing == 0 && (self.pieces.is_empty() || self.workers == 0 || self.panic.is_some())
    }
}

struct Queue<'a, 'f, F> {
    state: Mutex<QueueState<'a>>,
    /// Notified when `QueueState::is_idle` becomes true.
    idle: Condvar,
    device_pool: &'f F,
    compute: &'f OnDevice<'f>,
}

/// Writes every result to its position, computing the batch in pieces that end at `ends`. Pieces
/// that no device could compute are passed to `cpu_fallback`, if given.
///
/// # Errors
/// A fault, if results are missing.
///
/// # Panics
/// Resumes a panic of `compute` or `cpu_fallback` after everything else has stopped.
pub fn run(
    device_pool: &impl DevicePool,
    results: &mut ResultSink,
    ends: &[usize],
    compute: &OnDevice,
    cpu_fallback: Option<&OnCpu>,
) -> Result<(), Fault> {
    let queue = Queue::new(device_pool, compute, results.reborrow(), ends);
    queue.run_on_devices();
    let QueueState {
        pieces,
        fault,
        panic,
        ..
    } = queue
        .state
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let left: Vec<Range<usize>> = pieces.iter().map(Piece::range).collect();
    drop(pieces);
    match (panic, cpu_fallback) {
        (Some(panic), _) => resume_unwind(panic),
        (None, _) if left.is_empty() => Ok(()),
        (None, Some(compute)) => {
            run_on_cpu(compute, left, results);
            Ok(())
        }
        (None, None) => Err(fault.unwrap_or_else(|| device_pool.all_failed())),
    }
}

/// Computes the items that no device could on the CPU.
fn run_on_cpu(compute: &OnCpu, left: Vec<Range<usize>>, results: &mut ResultSink) {
    let mut rest = results.reborrow();
    let mut start = 0;
    for range in join(left) {
        let (_, from) = rest.split_at(range.start - start);
        let (mut of_range, remaining) = from.split_at(range.len());
        rest = remaining;
        start = range.end;
        compute(range, &mut of_range);
    }
}

impl<F: DevicePool> Job for Queue<'_, '_, F> {
    /// Takes and computes one piece. A thread continues until the queue is empty, its device fails,
    /// or memory does not suffice even for the smallest piece.
    fn run_part(&self, device: usize) -> bool {
        let goes_on = self.device_pool.is_working(device) && self.compute_next(device);
        if !goes_on {
            let mut state = self.lock();
            state.workers -= 1;
            self.notify_if_idle(&state);
        }
        goes_on
    }
}

impl<'a, 'f, F: DevicePool> Queue<'a, 'f, F> {
    fn new(
        device_pool: &'f F,
        compute: &'f OnDevice<'f>,
        mut rest: ResultSink<'a>,
        ends: &[usize],
    ) -> Self {
        let mut pieces = VecDeque::with_capacity(ends.len());
        let mut start = 0;
        for &end in ends {
            let (results, remaining) = rest.split_at(end - start);
            pieces.push_back(Piece { start, results });
            rest = remaining;
            start = end;
        }
        let state = QueueState {
            pieces,
            computing: 0,
            workers: 0,
            finished: 0,
            fault: None,
            panic: None,
        };
        Queue {
            state: Mutex::new(state),
            idle: Condvar::new(),
            device_pool,
            compute,
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState<'a>> {
        lock(&self.state)
    }

    fn notify_if_idle(&self, state: &QueueState) {
        if state.is_idle() {
            self.idle.notify_all();
        }
    }

    /// Runs the devices until everything is done or none of them can continue.
    fn run_on_devices(&self) {
        loop {
            let devices = self.device_pool.working();
            let state = self.lock();
            let before = (state.finished, devices.len());
            let waiting = state.pieces.len();
            drop(state);
            if waiting <= 1 {
                // A single piece needs no other thread, unless its device fails.
                for &device in &devices {
                    while self.device_pool.is_working(device) && self.compute_next(device) {}
                }
            } else {
                let most = self.device_pool.threads_per_device();
                let workers = most.min(waiting.div_ceil(devices.len().max(1)));
                with_scoped_job(self, |job| {
                    self.lock().workers = workers * devices.len();
                    for &device in &devices {
                        self.device_pool.threads().submit(device, job, workers);
                    }
                    let idle = self.idle.wait_while(self.lock(), |state| !state.is_idle());
                    drop(idle.unwrap_or_else(PoisonError::into_inner));
                });
            }
            // A device whose threads found the queue empty may still compute a piece that another
            // returned last.
            let state = self.lock();
            let progress = (state.finished, self.device_pool.working().len()) != before;
            if state.pieces.is_empty() || state.panic.is_some() || !progress {
                return;
            }
        }
    }

    /// Computes a piece on a device, if one is left. Returns whether the thread may continue.
    fn compute_next(&self, device: usize) -> bool {
        let Some(mut piece) = self.take() else {
            return false;
        };
        let range = piece.range();
        match catch_unwind(AssertUnwindSafe(|| {
            (self.compute)(device, range, &mut piece.results)
        })) {
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
        let piece = if state.panic.is_some() {
            None
        } else {
            state.pieces.pop_front()
        };
        state.computing += usize::from(piece.is_some());
        piece
    }

    /// Records the outcome of a piece in the state.
    fn done(&self, record: impl FnOnce(&mut QueueState<'a>)) {
        let mut state = self.lock();
        record(&mut state);
        state.computing -= 1;
        self.notify_if_idle(&state);
    }

    /// Returns a piece to the queue after a fault. Returns whether the thread may continue.
    fn put_back(&self, device: usize, piece: Piece<'a>, fault: Fault) -> bool {
        let kind = fault.kind;
        if kind == FaultKind::Device {
            // The device is marked before the piece is returned, so that it cannot take the piece
            // again.
            self.device_pool.fail(device, fault.clone());
        }
        let halves = kind == FaultKind::Memory && piece.results.items() > SMALLEST;
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
}

/// Joins adjacent ranges of items, since single pieces may have become too small to occupy all
/// cores.
fn join(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last)
                if last.end == range.start && last.start / CPU_RANGE == range.start / CPU_RANGE =>
            {
                last.end = range.end;
            }
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::workers::Pool;
    use crate::types::{Results, collect};
    use rayon::prelude::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::thread;
    use std::time::Duration;

    /// Simulated devices that count calls, fail on request, and record why.
    struct FakeDevices {
        failures: Vec<Mutex<Option<Fault>>>,
        computed: Vec<AtomicUsize>,
        workers: usize,
        threads: DeviceThreads,
    }

    impl FakeDevices {
        fn new(devices: usize, workers: usize) -> Self {
            let failures = (0..devices).map(|_| Mutex::default()).collect();
            let computed = (0..devices).map(|_| AtomicUsize::new(0)).collect();
            FakeDevices {
                failures,
                computed,
                workers,
                threads: DeviceThreads::start(devices, workers).unwrap(),
            }
        }

        /// Returns the number of pieces that the device has been given before.
        fn turn(&self, device: usize) -> usize {
            self.computed[device].fetch_add(1, Ordering::SeqCst)
        }

        fn failed(&self) -> Vec<usize> {
            (0..self.failures.len())
                .filter(|&device| !self.is_working(device))
                .collect()
        }
    }

    impl DevicePool for FakeDevices {
        fn working(&self) -> Vec<usize> {
            (0..self.failures.len())
                .filter(|&device| self.is_working(device))
                .collect()
        }

        fn is_working(&self, device: usize) -> bool {
            self.failures[device].lock().unwrap().is_none()
        }

        fn fail(&self, device: usize, fault: Fault) {
            self.failures[device].lock().unwrap().get_or_insert(fault);
        }

        fn threads_per_device(&self) -> usize {
            self.workers
        }

        fn threads(&self) -> &DeviceThreads {
            &self.threads
        }

        fn all_failed(&self) -> Fault {
            Fault::device("all have failed".to_owned())
        }
    }

    fn ends(items: usize, piece: usize) -> Vec<usize> {
        (0..items)
            .step_by(piece)
            .map(|start| items.min(start + piece))
            .collect()
    }

    /// Writes the 8-byte `result` of every item.
    fn write(range: Range<usize>, results: &mut ResultSink, result: impl Fn(usize) -> usize) {
        assert_eq!(range.len(), results.items());
        let rows: Vec<u8> = range
            .clone()
            .flat_map(|item| (result(item) as u64).to_le_bytes())
            .collect();
        results.take(Results::new(&vec![1; range.len()], [&rows, &[]], [8, 0]));
    }

    fn number(results: &Results, item: usize) -> usize {
        u64::from_le_bytes(*results.get(item).unwrap()) as usize
    }

    fn run_all(
        devices: &FakeDevices,
        ends: &[usize],
        compute: &OnDevice,
        cpu_fallback: Option<&OnCpu>,
    ) -> Result<Vec<usize>, Fault> {
        let items = ends.last().copied().unwrap_or(0);
        // SAFETY: every item has a result unless `run` returns an error.
        unsafe {
            collect(items, number, |sink| {
                run(devices, sink, ends, compute, cpu_fallback)
            })
        }
    }

    fn broken() -> Fault {
        Fault::device("broken".to_owned())
    }

    fn short() -> Fault {
        Fault::memory("short".to_owned())
    }

    #[test]
    fn join_merges_adjacent_ranges_only() {
        assert!(join(Vec::new()).is_empty());
        assert_eq!(join(vec![11..30, 5..7, 10..11, 7..9]), [5..9, 10..30]);
        // Pieces near the limit between two ranges that are computed separately.
        let limit = CPU_RANGE;
        assert_eq!(
            join(vec![limit - 2..limit, limit..limit + 1]),
            [limit - 2..limit, limit..limit + 1]
        );
        assert_eq!(
            join(vec![limit - 2..limit + 5, limit + 5..limit + 6]),
            [limit - 2..limit + 5, limit + 5..limit + 6]
        );
        assert_eq!(
            join(vec![0..1, 1..limit + 9]),
            *std::slice::from_ref(&(0..limit + 9))
        );
    }

    #[test]
    fn work_queue_keeps_order_for_any_pieces_and_devices() {
        for (items, piece) in [
            (0, 1),
            (1, 1),
            (1, 9),
            (63, 64),
            (64, 64),
            (1000, 1),
            (1000, 7),
            (1000, 999),
        ] {
            for (count, workers) in [(1, 1), (1, 5), (2, 5), (3, 2), (8, 1)] {
                let devices = FakeDevices::new(count, workers);
                let compute: &OnDevice = &|_, range, out| {
                    write(range, out, |item| item * item);
                    Ok(())
                };
                let results = run_all(&devices, &ends(items, piece), compute, None).unwrap();
                assert!(results.into_iter().eq((0..items).map(|item| item * item)));
            }
        }
    }

    #[test]
    fn work_queue_retries_failed_piece_on_other_device() {
        for workers in [1, 5] {
            for fails_at in [0, 1, 5, 19] {
                let devices = FakeDevices::new(2, workers);
                let compute: &OnDevice = &|device, range, out| {
                    let turn = devices.turn(device);
                    if device == 0 && turn >= fails_at {
                        return Err(broken());
                    }
                    write(range, out, |item| item + 1);
                    Ok(())
                };
                let results = run_all(&devices, &ends(1000, 10), compute, None).unwrap();
                assert!(results.into_iter().eq(1..=1000));
                let reached = devices.computed[0].load(Ordering::SeqCst) > fails_at;
                assert_eq!(devices.failed(), if reached { vec![0] } else { vec![] });
            }
        }
    }

    fn wait_for(flag: &AtomicBool) {
        while !flag.load(Ordering::SeqCst) {
            thread::yield_now();
        }
    }

    /// The working device has long been idle when the other returns its piece.
    #[test]
    fn idle_device_computes_piece_that_another_returned() {
        let devices = FakeDevices::new(2, 1);
        let begun = AtomicBool::new(false);
        let idle = AtomicBool::new(false);
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
        assert_eq!(run_all(&devices, &[1, 2], compute, None).unwrap(), [0, 1]);
        assert_eq!(devices.failed(), [0]);
    }

    #[test]
    fn work_queue_reports_fault_when_all_devices_fail() {
        for workers in [1, 4] {
            let devices = FakeDevices::new(3, workers);
            let compute: &OnDevice = &|device, range, out| {
                if devices.turn(device) >= 5 {
                    return Err(broken());
                }
                write(range, out, |item| item);
                Ok(())
            };
            let fault = run_all(&devices, &ends(1000, 10), compute, None)
                .err()
                .unwrap();
            assert_eq!((fault, devices.failed()), (broken(), vec![0, 1, 2]));
            // The next call finds no working device.
            assert_eq!(
                run_all(&devices, &[10], compute, None).err().unwrap(),
                devices.all_failed()
            );
        }
    }

    #[test]
    fn work_queue_computes_remaining_pieces_on_cpu() {
        let devices = FakeDevices::new(2, 2);
        let items_on_cpu = AtomicUsize::new(0);
        let calls = AtomicUsize::new(0);
        let compute: &OnDevice = &|device, range, out| {
            if devices.turn(device) >= 7 {
                return Err(broken());
            }
            write(range, out, |item| item);
            Ok(())
        };
        let cpu_fallback: &OnCpu = &|range, results| {
            items_on_cpu.fetch_add(range.len(), Ordering::SeqCst);
            calls.fetch_add(1, Ordering::SeqCst);
            write(range, results, |item| item);
        };
        let results = run_all(&devices, &ends(1000, 10), compute, Some(cpu_fallback)).unwrap();
        assert!(results.into_iter().eq(0..1000));
        assert_eq!(items_on_cpu.load(Ordering::SeqCst), 1000 - 2 * 7 * 10);
        assert!(
            calls.into_inner() <= 5,
            "adjacent pieces are computed together"
        );
    }

    #[test]
    fn piece_is_halved_until_it_fits_in_memory() {
        for most in [SMALLEST, 100, 500] {
            let devices = FakeDevices::new(1, 3);
            let largest = AtomicUsize::new(0);
            let compute: &OnDevice = &|_, range, out| {
                if range.len() > most {
                    return Err(short());
                }
                largest.fetch_max(range.len(), Ordering::SeqCst);
                write(range, out, |item| item);
                Ok(())
            };
            let results = run_all(&devices, &ends(5000, 1024), compute, None).unwrap();
            assert!(results.into_iter().eq(0..5000));
            assert!(devices.failed().is_empty() && largest.into_inner() > most / 2);
        }
    }

    /// A lack of memory is temporary: it ends the call, or the work on this device, but does not
    /// disable the device.
    #[test]
    fn lack_of_memory_does_not_disable_the_device() {
        let devices = FakeDevices::new(2, 2);
        let compute: &OnDevice = &|device, range, out| {
            if device == 0 {
                return Err(short());
            }
            write(range, out, |item| item);
            Ok(())
        };
        assert!(
            run_all(&devices, &ends(1000, 300), compute, None)
                .unwrap()
                .into_iter()
                .eq(0..1000)
        );
        assert!(devices.failed().is_empty());
        let none: &OnDevice = &|_, range, _| {
            devices.turn(usize::from(range.len() < SMALLEST / 2));
            Err(short())
        };
        assert_eq!(
            run_all(&devices, &ends(1000, 300), none, None).unwrap_err(),
            short()
        );
        assert!(devices.failed().is_empty());
        assert_eq!(
            devices.computed[1].load(Ordering::SeqCst),
            0,
            "no piece is halved below the smallest"
        );
        assert!(
            run_all(
                &devices,
                &ends(9, 1),
                none,
                Some(&|range, results| write(range, results, |item| item))
            )
            .unwrap()
            .into_iter()
            .eq(0..9)
        );
    }

    #[test]
    fn worker_without_memory_leaves_its_piece_to_others() {
        let devices = FakeDevices::new(1, 4);
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
        assert!(
            run_all(&devices, &ends(2000, 50), compute, None)
                .unwrap()
                .into_iter()
                .eq(0..2000)
        );
    }

    #[test]
    fn device_fault_takes_precedence_over_lack_of_memory() {
        let devices = FakeDevices::new(1, 1);
        let compute: &OnDevice = &|_, range, _| {
            Err(if range.len() > SMALLEST {
                short()
            } else {
                broken()
            })
        };
        assert_eq!(
            run_all(&devices, &ends(400, 200), compute, None).unwrap_err(),
            broken()
        );
    }

    #[test]
    fn panic_reaches_the_caller_and_leaves_devices_usable() {
        let devices = FakeDevices::new(2, 3);
        let compute: &OnDevice = &|_, range, out| {
            if range.contains(&700) {
                panic!("item 700");
            }
            write(range, out, |item| item);
            Ok(())
        };
        for ends in [ends(1000, 10), vec![1000]] {
            let ran = catch_unwind(AssertUnwindSafe(|| run_all(&devices, &ends, compute, None)));
            assert_eq!(ran.err().unwrap().downcast_ref::<&str>(), Some(&"item 700"));
            assert!(devices.failed().is_empty());
        }
        assert_eq!(
            run_all(&devices, &ends(600, 10), compute, None)
                .unwrap()
                .len(),
            600
        );
        // A panic in `cpu_fallback` is resumed too.
        let gone: &OnDevice = &|_, range, out| {
            if range.start < 300 || (500..600).contains(&range.start) {
                compute(0, range, out)
            } else {
                Err(short())
            }
        };
        let cpu_fallback: &OnCpu = &|range, results| {
            assert!(range.end < 1000, "item 999");
            write(range, results, |item| item);
        };
        let ran = catch_unwind(AssertUnwindSafe(|| {
            run_all(&devices, &ends(1000, 10), gone, Some(cpu_fallback))
        }));
        assert!(ran.is_err());
    }

    /// A missing kernel does not disable a device.
    #[test]
    fn missing_kernel_does_not_disable_the_device() {
        let devices = FakeDevices::new(2, 2);
        let compute: &OnDevice = &|device, range, out| {
            if device == 0 {
                return Err(Fault::kernels("not compiled".to_owned()));
            }
            write(range, out, |item| item);
            Ok(())
        };
        assert!(
            run_all(&devices, &ends(1000, 300), compute, None)
                .unwrap()
                .into_iter()
                .eq(0..1000)
        );
        let none: &OnDevice = &|_, _, _| Err(Fault::kernels("not compiled".to_owned()));
        assert_eq!(
            run_all(&devices, &ends(1000, 300), none, None)
                .unwrap_err()
                .kind,
            FaultKind::Kernels
        );
        assert!(
            run_all(
                &devices,
                &[1000],
                none,
                Some(&|range, results| write(range, results, |item| item))
            )
            .unwrap()
            .into_iter()
            .eq(0..1000)
        );
        assert!(devices.failed().is_empty());
    }

    /// Makes thousands of calls from every thread of a pool, as tasks that other threads steal.
    /// Each call has several pieces whose computation needs another pool. No call runs nested in
    /// another, and no thread is started for a call.
    #[test]
    fn calls_from_pool_threads_neither_nest_nor_deadlock() {
        thread_local!(static DEPTH: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });
        let callers = rayon::ThreadPoolBuilder::new()
            .num_threads(4)
            .build()
            .unwrap();
        let devices = FakeDevices::new(2, 2);
        let pool = Pool::new(Some(2)).unwrap();
        let compute: &OnDevice = &|_, range, out| {
            let results = pool.map(20, range.len(), 0, |i| (range.start + i) * 3);
            write(range.clone(), out, |item| results[item - range.start]);
            Ok(())
        };
        let call: &(dyn Fn(usize) + Sync) = &|number| {
            let depth = DEPTH.replace(DEPTH.get() + 1);
            assert_eq!(depth, 0, "a call runs inside another");
            let items = 200 + number % 100;
            let results = run_all(&devices, &ends(items, 50), compute, None).unwrap();
            assert!(results.into_iter().eq((0..items).map(|item| item * 3)));
            DEPTH.set(depth);
        };
        callers.install(|| (0..4000).into_par_iter().for_each(call));
        callers.install(|| {
            rayon::scope(|scope| (0..4000).for_each(|number| scope.spawn(move |_| call(number))))
        });
    }

    #[test]
    fn small_call_does_not_wait_for_all_of_a_large_one() {
        let devices = FakeDevices::new(1, 1);
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
                run_all(&devices, &ends(400, 1), slow, None).unwrap();
                left.store(1, Ordering::SeqCst);
            });
            while !begun.load(Ordering::SeqCst) {
                thread::yield_now();
            }
            run_all(&devices, &ends(4, 1), slow, None).unwrap();
            assert_eq!(left.load(Ordering::SeqCst), 0, "the large call is not done");
        });
    }
}
