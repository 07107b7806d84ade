//! The GPU engine: computes batches in chunks over the streams of all devices.
//!
//! Layers, each using only those listed before it: `interface`, `columns` (contents of device arrays),
//! `runtime` (one GPU, through cudarc), `kernels` (the functions of the device code), `transfer`
//! (conversion between the caller's rows and columns), `buckets` (multi-scalar multiplication),
//! `tables` (tables kept on a device), and `schedule` (chunks over devices). The launches of an
//! operation are defined with the operation.

pub mod buckets;
pub mod codes;
pub mod columns;
pub mod interface;
pub mod kernels;
pub mod runtime;
pub mod schedule;
pub mod tables;
pub mod transfer;

use crate::cpu::CpuEngine;
use crate::host::workers::{Crew, Loan};
use crate::host::{lock, trace};
use crate::types::Place;
pub use interface::{Failure, FaultKind, KernelOrigin, Limits, LoadedKernels, Unavailable};
use runtime::{Bytes, CallersContext, Device, Unit, count, sources};
pub use runtime::{Fault, PageLock};
use schedule::execution::{self, Chunk};
use schedule::{Fleet, Kept, Lane, Machine, OnCpu, run, self_tests};
pub use schedule::{Launch, OnGpu, Running, Test, Trial};
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

/// All GPUs of the machine.
pub struct GpuEngine {
    devices: Vec<Slot>,
    /// Devices that could not be opened.
    unopened: Vec<(String, Fault)>,
    largest_chunk: Option<usize>,
    /// Stream slots per device that work at a time. It is 1 if kernels are timed, so that no two
    /// share the device.
    lanes: usize,
    /// The engine's threads: per device as many as it has stream slots.
    crew: Crew,
    /// Maximum bytes of pinned memory for all stream slots.
    pinned: usize,
}

/// A device, its stream slots, and the fault that disabled it, if any.
struct Slot {
    device: Arc<Device>,
    kept: Arc<Kept>,
    lanes: Mutex<Lanes>,
    /// Notified when a stream slot is returned.
    returned: Condvar,
    failure: Mutex<Option<Fault>>,
}

/// The stream slots of a device. There are never more than can work at a time, however many calls
/// run concurrently, because their memory is the limited resource of a device.
#[derive(Default)]
struct Lanes {
    idle: Vec<Lane>,
    lent: usize,
    /// Ticket numbers of the threads that wait for a stream slot: the next to be issued, and the
    /// next to be served. They let a small batch take its turn while a large one is running.
    next_turn: u64,
    served: u64,
}

/// A reserved stream slot, which is released when this is dropped.
struct LentLane<'a> {
    slot: &'a Slot,
    lane: Option<Lane>,
    /// True if the work has succeeded, so that the stream slot is returned to the pool. Otherwise
    /// it is dropped.
    keep: bool,
}

impl Drop for LentLane<'_> {
    fn drop(&mut self) {
        let kept = self.lane.take().filter(|_| self.keep && lock(&self.slot.failure).is_none());
        let mut lanes = lock(&self.slot.lanes);
        lanes.idle.extend(kept);
        lanes.lent -= 1;
        drop(lanes);
        self.slot.returned.notify_all();
    }
}

impl Slot {
    fn new(device: Device) -> Self {
        let lanes = Mutex::default();
        let returned = Condvar::new();
        let failure = Mutex::default();
        Slot { device: Arc::new(device), kept: Arc::default(), lanes, returned, failure }
    }

    /// Reserves one of `most` stream slots, waiting until one is free, and runs `work` on it. A
    /// slot on which something fails is not reused: dropping it waits for everything that it has
    /// started and wipes its memory.
    fn with_lane(&self, most: usize, work: impl FnOnce(&mut Lane) -> Result<(), Fault>) -> Result<(), Fault> {
        let mut lanes = lock(&self.lanes);
        let turn = lanes.next_turn;
        lanes.next_turn += 1;
        while lanes.served != turn || lanes.lent >= most {
            lanes = self.returned.wait(lanes).unwrap_or_else(PoisonError::into_inner);
        }
        lanes.served += 1;
        lanes.lent += 1;
        let idle = lanes.idle.pop();
        drop(lanes);
        self.returned.notify_all();
        // From here on, the reservation is released on every path.
        let mut lent = LentLane { slot: self, lane: idle, keep: false };
        if lock(&self.failure).is_some() {
            return Err(Fault::device("it has failed meanwhile".to_owned()));
        }
        let lane = match &mut lent.lane {
            Some(idle) => idle,
            none => none.insert(Lane::new(self.device.clone(), self.kept.clone())?),
        };
        work(lane)?;
        lent.keep = true;
        Ok(())
    }
}

impl GpuEngine {
    /// Opens every working device.
    ///
    /// # Errors
    /// The reasons why no device works, or why the threads could not be started.
    pub fn new(limits: Limits) -> Result<Self, Unavailable> {
        let Limits { max_memory, largest_chunk, time_kernels, .. } = limits;
        let count = count().map_err(Unavailable::Devices)?;
        let _kept = CallersContext::keep();
        let mut devices = Vec::new();
        let mut unopened = Vec::new();
        for (ordinal, opened) in
            side_by_side(0..count, |ordinal| Device::open(ordinal, &limits)).into_iter().enumerate()
        {
            match opened {
                Ok(device) => devices.push(Slot::new(device)),
                Err(fault) => unopened.push((format!("GPU {ordinal}"), fault)),
            }
        }
        if devices.is_empty() {
            let problems: Vec<String> =
                unopened.into_iter().map(|(device, fault)| fault.of_device(&device).message()).collect();
            return Err(Unavailable::Devices(problems.join("; ")));
        }
        let lanes = if time_kernels { 1 } else { runtime::STREAMS };
        let crew = Crew::start(devices.len(), lanes).map_err(Unavailable::Threads)?;
        // The rest is for the CPU engine's tables.
        let pinned = max_memory.map_or(usize::MAX, |limit| limit / 4);
        Ok(GpuEngine { devices, unopened, largest_chunk, lanes, crew, pinned })
    }

    /// Prepares the kernels and tables of a curve on every device, and runs self-tests there.
    ///
    /// # Errors
    /// The first fault.
    pub fn warm_up(&self, cpu: &CpuEngine, curve: &'static str, tests: &[Test]) -> Result<(), Fault> {
        let _kept = CallersContext::keep();
        self.working().into_iter().try_for_each(|device| {
            let slot = &self.devices[device];
            slot.device.prepare(curve, &sources::on_a_curve(curve))?;
            slot.with_lane(self.lanes, |lane| {
                lane.begin((0, false), Bytes::default(), false, |_| ())?;
                slot.kept.base_point.public(lane, curve)?;
                slot.kept.base_point.uniform(lane, curve)?;
                lane.end()
            })?;
            self.test(device, cpu, tests)
        })
    }

    fn test(&self, device: usize, cpu: &CpuEngine, tests: &[Test]) -> Result<(), Fault> {
        self.devices[device].with_lane(self.lanes, |lane| self_tests::pass(lane, cpu, Bytes::default(), tests))
    }

    /// Runs self-tests on every device. Failed tests are reported by `failures`.
    ///
    /// # Errors
    /// A fault, if memory did not suffice.
    pub fn self_test(&self, cpu: &CpuEngine, tests: &[Test]) -> Result<(), Fault> {
        let _kept = CallersContext::keep();
        for device in self.working() {
            // Prepares all kernels at once; those that are not available fail their tests below.
            let _ = self.device(device).prepare_units(Unit::all());
            for test in tests {
                match self.test(device, cpu, &[*test]).map_err(|fault| fault.of_device(&self.device(device).label)) {
                    Err(fault) if fault.kind == FaultKind::Device => {
                        self.fail(device, fault);
                        break;
                    }
                    Err(fault) if fault.kind == FaultKind::Memory => return Err(fault),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Writes the results of a batch to their positions. If `rescue` permits, `on_cpu` computes the
    /// items that no device could.
    ///
    /// # Errors
    /// A fault, if results are missing.
    pub fn run(
        &self,
        cpu: &CpuEngine,
        operation: &dyn OnGpu,
        place: &mut dyn Place,
        on_cpu: &OnCpu,
        rescue: bool,
    ) -> Result<(), Fault> {
        let _kept = CallersContext::keep();
        let _calls: Vec<_> = self.devices.iter().map(|slot| slot.device.gates.enter()).collect();
        let machine = self.machine(execution::is_direct(place));
        let ends = machine.cuts(operation);
        let starts = std::iter::once(&0).chain(&ends);
        let each = starts.zip(&ends).map(|(start, end)| machine.bytes(operation, &(*start..*end)));
        let most = machine.of_lane(each.fold(Bytes::default(), Bytes::max));
        let on_device = |device: usize, items: Range<usize>, place: &mut dyn Place| {
            self.compute(device, cpu, Chunk { operation, items, most, place, on_cpu }).map_err(|fault| {
                if fault.is_memory() {
                    // The missing memory may be held by idle stream slots.
                    self.drop_idle_lanes(device);
                }
                fault.of_device(&self.device(device).label)
            })
        };
        run(self, place, &ends, &on_device, if rescue { Some(on_cpu) } else { None })
    }

    fn machine(&self, direct: bool) -> Machine {
        let working = self.working();
        let devices = || working.iter().map(|&device| self.device(device));
        let memory = devices().map(|device| device.memory).min().unwrap_or(0);
        Machine {
            limits: Bytes {
                device: memory / 2 / runtime::STREAMS,
                pinned: self.pinned / (self.lanes * self.devices.len()),
            },
            devices: working.len().max(1),
            multiprocessors: devices().map(|device| device.multiprocessors as usize).max().unwrap_or(1),
            most_items: self.largest_chunk.unwrap_or(usize::MAX).max(1),
            lanes: self.lanes,
            direct,
        }
    }

    /// Computes a chunk on a stream slot, which is reserved meanwhile.
    fn compute(&self, device: usize, cpu: &CpuEngine, chunk: Chunk) -> Result<(), Fault> {
        let operation = chunk.operation;
        let items = chunk.items.clone();
        let waiting = trace::span("lane waited for", items.len());
        self.devices[device].with_lane(self.lanes, |lane| {
            drop(waiting);
            self_tests::pass(lane, cpu, chunk.most, &operation.tests(items.len()))?;
            // An equal share of the remaining items for each device.
            let expected = (operation.items() - items.start).div_ceil(self.working().len().max(1));
            execution::compute(Running { lane, cpu, expected }, chunk)?;
            if let Err(fault) = lane.end() {
                // The results are complete nevertheless. The stream slot of a failed device is not
                // kept.
                self.fail(device, fault.of_device(&self.device(device).label));
            }
            Ok(())
        })
    }

    /// Returns the seconds and the number of launches of each kernel since the last call, over all
    /// devices.
    pub fn take_kernel_times(&self) -> BTreeMap<&'static str, (f64, u64)> {
        let mut all = BTreeMap::<_, (f64, u64)>::new();
        for (kernel, (seconds, launches)) in self.devices.iter().flat_map(|slot| slot.device.take_kernel_times()) {
            let sum = all.entry(kernel).or_default();
            *sum = (sum.0 + seconds, sum.1 + launches);
        }
        all
    }

    /// Returns the loaded kernels of all devices.
    pub fn loaded_kernels(&self) -> Vec<LoadedKernels> {
        self.devices.iter().flat_map(|slot| slot.device.loaded_kernels()).collect()
    }

    /// Page-locks memory for every device. Returns `None` if a driver refuses.
    ///
    /// # Safety
    /// As for `PageLock::new`.
    pub unsafe fn lock_pages(&self, memory: Range<*const u8>) -> Option<PageLock> {
        // SAFETY: guaranteed by the caller.
        unsafe { PageLock::new(&self.device(0).context, memory) }.ok()
    }

    /// Returns the contents of the memory used by the last chunks of idle stream slots, on the
    /// device and on the host.
    #[cfg(test)]
    pub fn contents(&self) -> Vec<[Vec<u8>; 2]> {
        let of_lane = |lane: &mut Lane| lane.contents().expect("the device answers");
        self.devices
            .iter()
            .flat_map(|slot| lock(&slot.lanes).idle.iter_mut().map(of_lane).collect::<Vec<_>>())
            .collect()
    }

    /// Returns the numbers of idle and of reserved stream slots.
    #[cfg(test)]
    pub fn count_lanes(&self) -> (usize, usize) {
        self.devices.iter().fold((0, 0), |(idle, lent), slot| {
            let lanes = lock(&slot.lanes);
            (idle + lanes.idle.len(), lent + lanes.lent)
        })
    }

    /// Returns the names of the devices.
    pub fn labels(&self) -> Vec<String> {
        self.devices.iter().map(|slot| slot.device.label.clone()).collect()
    }

    /// Returns the devices that failed and are not used any more, and the kernels that cannot be
    /// used for now, each with the reason.
    pub fn failures(&self) -> Vec<Failure> {
        let failure = |device: &str, kind, problem: String| Failure { device: device.to_owned(), kind, problem };
        let of_device = |device: &str, fault: &Fault| failure(device, FaultKind::Device, fault.problem.clone());
        let unopened = self.unopened.iter().map(|(device, fault)| of_device(device, fault));
        let working_or_not = self.devices.iter().flat_map(|slot| {
            let device = &slot.device;
            let failed = lock(&slot.failure).as_ref().map(|fault| of_device(&device.label, fault));
            let of = |kind| move |problem| failure(&device.label, kind, problem);
            let kernels = device.unusable_kernels().into_iter().map(of(FaultKind::Kernels));
            let answers = slot.kept.tested.problems().into_iter().map(of(FaultKind::Answers));
            failed.into_iter().chain(kernels).chain(answers).collect::<Vec<_>>()
        });
        unopened.chain(working_or_not).collect()
    }

    pub fn device(&self, index: usize) -> &Arc<Device> {
        &self.devices[index].device
    }

    /// Frees the memory of a device's idle stream slots, and of its key tables that no stream slot
    /// uses.
    fn drop_idle_lanes(&self, device: usize) {
        let Slot { lanes, kept, .. } = &self.devices[device];
        let idle = std::mem::take(&mut lock(lanes).idle);
        drop(idle);
        kept.key_cache.drop_idle();
    }
}

impl Fleet for GpuEngine {
    /// Returns the working devices, those with the fewest active stream slots first.
    fn working(&self) -> Vec<usize> {
        let mut devices: Vec<usize> = (0..self.devices.len()).filter(|&device| self.is_working(device)).collect();
        devices.sort_by_cached_key(|&device| lock(&self.devices[device].lanes).lent);
        devices
    }

    fn is_working(&self, device: usize) -> bool {
        lock(&self.devices[device].failure).is_none()
    }

    fn fail(&self, device: usize, fault: Fault) {
        lock(&self.devices[device].failure).get_or_insert(fault);
        self.drop_idle_lanes(device);
    }

    fn workers(&self) -> usize {
        self.lanes
    }

    fn enlist(&self, device: usize, call: &Arc<Loan>, seats: usize) {
        self.crew.enlist(device, call, seats);
    }

    fn all_failed(&self) -> Fault {
        let failures = self.failures().into_iter().filter(|failure| failure.kind == FaultKind::Device);
        let failures: Vec<String> =
            failures.map(|failure| format!("{}: {}", failure.device, failure.problem)).collect();
        Fault::device(format!("no GPU works any more: {}", failures.join("; ")))
    }
}

impl Drop for GpuEngine {
    fn drop(&mut self) {
        // Devices free their resources in their own contexts.
        let _kept = CallersContext::keep();
        side_by_side(self.devices.drain(..), drop);
    }
}

/// Returns the results of `work` for several devices in order. All but the first run on threads of
/// their own if threads can be started, because the driver takes tenths of a second to open or
/// close a device.
fn side_by_side<D: Send, T: Send>(devices: impl Iterator<Item = D>, work: impl Fn(D) -> T + Sync) -> Vec<T> {
    let devices: Vec<_> = devices.map(|device| Mutex::new(Some(device))).collect();
    let on = &|device: &Mutex<Option<D>>| work(lock(device).take().expect("each device is taken once"));
    thread::scope(|scope| {
        let start = |device| thread::Builder::new().spawn_scoped(scope, move || on(device)).map_err(|_| device);
        let started: Vec<_> =
            devices.iter().enumerate().map(|(n, device)| if n == 0 { Err(device) } else { start(device) }).collect();
        let end = |started: Result<thread::ScopedJoinHandle<'_, T>, _>| match started {
            Ok(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(device) => on(device),
        };
        started.into_iter().map(end).collect()
    })
}

impl std::fmt::Debug for GpuEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GpuEngine").field("devices", &self.labels()).finish_non_exhaustive()
    }
}
