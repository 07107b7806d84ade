//! The GPU engine: batches in chunks over the streams of every device.
//!
//! Layers, each using only those above it: `terms`, `columns` (what arrays on a device hold), `runtime` (one GPU, by
//! way of cudarc), `kernels` (the device code's functions), `transfer` (between the caller's rows and columns),
//! `buckets` (sums of products), `tables` (what a device keeps), and `schedule` (chunks over devices). What operations
//! launch stands with the operations.

pub mod buckets;
pub mod codes;
pub mod columns;
pub mod kernels;
pub mod runtime;
pub mod schedule;
pub mod tables;
pub mod terms;
pub mod transfer;

use crate::cpu::CpuEngine;
use crate::host::workers::{Crew, Loan};
use crate::host::{lock, notes};
use crate::types::Place;
use runtime::{Bytes, CallersContext, Device, Unit, count, sources};
pub use runtime::{Fault, PageLock};
use schedule::deliver::{self, Chunk};
use schedule::{Fleet, Kept, Lane, Machine, OnCpu, run, trial};
pub use schedule::{Launch, OnGpu, Running, Test, Trial};
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
pub use terms::{Failure, FaultKind, KernelOrigin, Limits, LoadedKernels, Unavailable};

/// Every GPU of the machine.
pub struct GpuEngine {
    devices: Vec<Slot>,
    /// Devices that could not be opened.
    unopened: Vec<(String, Fault)>,
    largest_chunk: Option<usize>,
    /// Lanes of a device that work at a time: one where kernels are timed, so that no two share the device.
    lanes: usize,
    /// The engine's threads: for each device as many as it has stream slots.
    crew: Crew,
    /// Bytes of pinned memory for all lanes.
    pinned: usize,
}

/// A device, its lanes, and what made it fail.
struct Slot {
    device: Arc<Device>,
    kept: Arc<Kept>,
    lanes: Mutex<Lanes>,
    /// A lane has come back.
    returned: Condvar,
    failure: Mutex<Option<Fault>>,
}

/// The lanes of a device. There are never more than work at a time, however many calls there are at once: their memory
/// is what a device has to give.
#[derive(Default)]
struct Lanes {
    idle: Vec<Lane>,
    lent: usize,
    /// Numbers of those who want a lane: the next to be given out, and the next to be served. A small batch gets its
    /// turn beside a large one.
    next_turn: u64,
    served: u64,
}

/// The place of a lane that is lent, until it is dropped.
struct LentLane<'a> {
    slot: &'a Slot,
    lane: Option<Lane>,
    /// Nothing of the lane's work has failed: it goes back, and is not gone.
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
        let (lanes, returned, failure) = (Mutex::default(), Condvar::new(), Mutex::default());
        Slot { device: Arc::new(device), kept: Arc::default(), lanes, returned, failure }
    }

    /// Works on one of `most` lanes, for which it waits. A lane on which something fails is not used again: dropping it
    /// waits for what it has started and wipes what it held.
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
        // From here on the place is given back whatever happens.
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
    /// Opens every device that works.
    ///
    /// # Errors
    /// Why there is none, or why its threads do not start.
    pub fn new(limits: Limits) -> Result<Self, Unavailable> {
        let Limits { max_memory, largest_chunk, time_kernels, .. } = limits;
        let count = count().map_err(Unavailable::Devices)?;
        let _kept = CallersContext::keep();
        let (mut devices, mut unopened) = (Vec::new(), Vec::new());
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

    /// Makes kernels of a curve and tables ready on every device, and tests operations on it.
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
        self.devices[device].with_lane(self.lanes, |lane| trial::pass(lane, cpu, Bytes::default(), tests))
    }

    /// Tests operations on every device. What fails is among `failures`.
    ///
    /// # Errors
    /// Where memory did not suffice.
    pub fn self_test(&self, cpu: &CpuEngine, tests: &[Test]) -> Result<(), Fault> {
        let _kept = CallersContext::keep();
        for device in self.working() {
            // All at once; what cannot be had fails its tests below.
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

    /// Writes the results of a batch to their positions. If `rescue` permits, `on_cpu` computes
    /// what no device could.
    ///
    /// # Errors
    /// The last fault, where results are missing.
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
        let machine = self.machine(deliver::is_direct(place));
        let ends = machine.cuts(operation);
        let starts = std::iter::once(&0).chain(&ends);
        let each = starts.zip(&ends).map(|(start, end)| machine.bytes(operation, &(*start..*end)));
        let most = machine.of_lane(each.fold(Bytes::default(), Bytes::max));
        let on_device = |device: usize, items: Range<usize>, place: &mut dyn Place| {
            self.compute(device, cpu, Chunk { operation, items, most, place, on_cpu }).map_err(|fault| {
                if fault.is_memory() {
                    // What idle lanes hold may be what is missing.
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

    /// Computes a chunk on a lane that is lent for it.
    fn compute(&self, device: usize, cpu: &CpuEngine, chunk: Chunk) -> Result<(), Fault> {
        let (operation, items) = (chunk.operation, chunk.items.clone());
        let waiting = notes::span("lane waited for", items.len());
        self.devices[device].with_lane(self.lanes, |lane| {
            drop(waiting);
            trial::pass(lane, cpu, chunk.most, &operation.tests(items.len()))?;
            // What each device may expect of the items that are left.
            let expected = (operation.items() - items.start).div_ceil(self.working().len().max(1));
            deliver::compute(Running { lane, cpu, expected }, chunk)?;
            if let Err(fault) = lane.end() {
                // The results are there all the same. A lane of a device that has failed is not kept.
                self.fail(device, fault.of_device(&self.device(device).label));
            }
            Ok(())
        })
    }

    /// Seconds and launches of each kernel since the last call, over all devices.
    pub fn take_kernel_times(&self) -> BTreeMap<&'static str, (f64, u64)> {
        let mut all = BTreeMap::<_, (f64, u64)>::new();
        for (kernel, (seconds, launches)) in self.devices.iter().flat_map(|slot| slot.device.take_kernel_times()) {
            let sum = all.entry(kernel).or_default();
            *sum = (sum.0 + seconds, sum.1 + launches);
        }
        all
    }

    /// The kernels that are loaded, of all devices.
    pub fn loaded_kernels(&self) -> Vec<LoadedKernels> {
        self.devices.iter().flat_map(|slot| slot.device.loaded_kernels()).collect()
    }

    /// Locks memory for every device; `None` where a driver refuses.
    ///
    /// # Safety
    /// As for `PageLock::new`.
    pub unsafe fn lock_pages(&self, memory: Range<*const u8>) -> Option<PageLock> {
        // SAFETY: the caller's promise.
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

    /// Lanes that are idle, and those that are lent.
    #[cfg(test)]
    pub fn count_lanes(&self) -> (usize, usize) {
        self.devices.iter().fold((0, 0), |(idle, lent), slot| {
            let lanes = lock(&slot.lanes);
            (idle + lanes.idle.len(), lent + lanes.lent)
        })
    }

    /// The names of the devices.
    pub fn labels(&self) -> Vec<String> {
        self.devices.iter().map(|slot| slot.device.label.clone()).collect()
    }

    /// Devices that failed and are not used any more, and kernels that cannot be used for now, with what happened.
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

    /// Frees their memory, and that of the tables of keys that no lane uses.
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
        // What devices own is freed in their contexts.
        let _kept = CallersContext::keep();
        side_by_side(self.devices.drain(..), drop);
    }
}

/// Returns the results of `work` for several devices in order. All but the first run on threads of
/// their own where there are threads, because the driver takes tenths of a second to open or close
/// a device.
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
