//! The GPU engine: computes batches in chunks over the streams of all devices.
//!
//! Layers, each using only those listed before it: `interface`, `columns` (contents of device
//! arrays), `runtime` (one GPU, through cudarc), `kernels` (the functions of the device code),
//! `transfer` (conversion between the caller's rows and columns), `buckets` (multi-scalar
//! multiplication), `tables` (tables kept on a device), and `schedule` (chunks over devices). The
//! launches of an operation are defined with the operation.

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
use crate::host::workers::DeviceThreads;
use crate::host::{lock, trace};
use crate::types::ResultSink;
pub use interface::{Failure, FaultKind, KernelOrigin, Limits, LoadedKernels, Unavailable};
use runtime::{Bytes, CallersContext, Device, Unit, count, sources};
pub use runtime::{Fault, PageLock};
use schedule::execution::{self, Chunk};
pub use schedule::{
    Computation, CpuComputation, GpuThreshold, Launch, Running, SelfTest, SelfTestRun,
};
use schedule::{DeviceCache, DevicePool, Machine, StreamSlot, run, self_tests};
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

/// All GPUs of the machine.
pub struct GpuEngine {
    devices: Vec<DeviceState>,
    /// Devices that could not be opened.
    unopened: Vec<(String, Fault)>,
    largest_chunk: Option<usize>,
    /// Stream slots per device that work at a time. It is 1 if kernels are timed, so that no two
    /// share the device.
    slots_per_device: usize,
    /// The engine's threads: per device as many as it has stream slots.
    threads: DeviceThreads,
    /// Maximum bytes of pinned memory for all stream slots.
    pinned: usize,
}

/// A device, its stream slots, and the fault that disabled it, if any.
struct DeviceState {
    device: Arc<Device>,
    cache: Arc<DeviceCache>,
    slots: Mutex<SlotPool>,
    /// Notified when a stream slot is returned.
    returned: Condvar,
    failure: Mutex<Option<Fault>>,
}

/// The stream slots of a device. There are never more than can work at a time, however many calls
/// run concurrently, because their memory is the limited resource of a device.
#[derive(Default)]
struct SlotPool {
    idle: Vec<StreamSlot>,
    /// The number of slots in use.
    reserved: usize,
    /// Ticket numbers of the threads that wait for a stream slot: the next to be issued, and the
    /// next to be served. They let a small batch take its turn while a large one is running.
    next_turn: u64,
    served: u64,
}

/// A reserved stream slot, which is released when this is dropped.
struct ReservedSlot<'a> {
    owner: &'a DeviceState,
    slot: Option<StreamSlot>,
    /// True if the work has succeeded, so that the stream slot is returned to the pool. Otherwise
    /// it is dropped.
    is_reusable: bool,
}

impl Drop for ReservedSlot<'_> {
    fn drop(&mut self) {
        let reusable = self
            .slot
            .take()
            .filter(|_| self.is_reusable && lock(&self.owner.failure).is_none());
        let mut slots = lock(&self.owner.slots);
        slots.idle.extend(reusable);
        slots.reserved -= 1;
        drop(slots);
        self.owner.returned.notify_all();
    }
}

impl DeviceState {
    fn new(device: Device) -> Self {
        DeviceState {
            device: Arc::new(device),
            cache: Arc::default(),
            slots: Mutex::default(),
            returned: Condvar::new(),
            failure: Mutex::default(),
        }
    }

    /// Reserves one of `most` stream slots, waiting until one is free, and runs `work` on it. A
    /// slot on which something fails is not reused: dropping it waits for everything that it has
    /// started and wipes its memory.
    fn with_slot(
        &self,
        most: usize,
        work: impl FnOnce(&mut StreamSlot) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        // From here on, the reservation is released on every path.
        let mut reserved = self.reserve(most);
        if lock(&self.failure).is_some() {
            return Err(Fault::device("it has failed meanwhile".to_owned()));
        }
        let slot = match &mut reserved.slot {
            Some(idle) => idle,
            none => none.insert(StreamSlot::new(self.device.clone(), self.cache.clone())?),
        };
        work(slot)?;
        reserved.is_reusable = true;
        Ok(())
    }

    /// Blocks until it is the caller's turn and fewer than `most` stream slots are reserved, and
    /// reserves one. It holds an idle stream slot, if there is one.
    fn reserve(&self, most: usize) -> ReservedSlot<'_> {
        let mut slots = lock(&self.slots);
        let turn = slots.next_turn;
        slots.next_turn += 1;
        while slots.served != turn || slots.reserved >= most {
            slots = self
                .returned
                .wait(slots)
                .unwrap_or_else(PoisonError::into_inner);
        }
        slots.served += 1;
        slots.reserved += 1;
        let idle = slots.idle.pop();
        drop(slots);
        self.returned.notify_all();
        ReservedSlot {
            owner: self,
            slot: idle,
            is_reusable: false,
        }
    }
}

impl GpuEngine {
    /// Opens every working device.
    ///
    /// # Errors
    /// The reasons why no device works, or why the threads could not be started.
    pub fn new(limits: Limits) -> Result<Self, Unavailable> {
        let Limits {
            max_memory,
            largest_chunk,
            time_kernels,
            ..
        } = limits;
        let count = count().map_err(Unavailable::Devices)?;
        let _kept = CallersContext::keep();
        let mut devices = Vec::new();
        let mut unopened = Vec::new();
        for (ordinal, opened) in side_by_side(0..count, |ordinal| Device::open(ordinal, &limits))
            .into_iter()
            .enumerate()
        {
            match opened {
                Ok(device) => devices.push(DeviceState::new(device)),
                Err(fault) => unopened.push((format!("GPU {ordinal}"), fault)),
            }
        }
        if devices.is_empty() {
            let problems: Vec<String> = unopened
                .into_iter()
                .map(|(device, fault)| fault.of_device(&device).message())
                .collect();
            return Err(Unavailable::Devices(problems.join("; ")));
        }
        let slots_per_device = if time_kernels { 1 } else { runtime::STREAMS };
        let threads =
            DeviceThreads::start(devices.len(), slots_per_device).map_err(Unavailable::Threads)?;
        // The rest is for the CPU engine's tables.
        let pinned = max_memory.map_or(usize::MAX, |limit| limit / 4);
        Ok(GpuEngine {
            devices,
            unopened,
            largest_chunk,
            slots_per_device,
            threads,
            pinned,
        })
    }

    /// Prepares the kernels and tables of a curve on every device, and runs self-tests there.
    ///
    /// # Errors
    /// The first fault.
    pub fn warm_up(
        &self,
        cpu: &CpuEngine,
        curve: &'static str,
        tests: &[SelfTest],
    ) -> Result<(), Fault> {
        let _kept = CallersContext::keep();
        self.working().into_iter().try_for_each(|device| {
            let state = &self.devices[device];
            state.device.prepare(curve, &sources::on_a_curve(curve))?;
            state.with_slot(self.slots_per_device, |slot| {
                slot.begin((0, false), Bytes::default(), false, |_| ())?;
                state.cache.base_point.public(slot, curve)?;
                state.cache.base_point.uniform(slot, curve)?;
                slot.end()
            })?;
            self.test(device, cpu, tests)
        })
    }

    fn test(&self, device: usize, cpu: &CpuEngine, tests: &[SelfTest]) -> Result<(), Fault> {
        self.devices[device].with_slot(self.slots_per_device, |slot| {
            self_tests::pass(slot, cpu, Bytes::default(), tests)
        })
    }

    /// Runs self-tests on every device. Failed tests are reported by `failures`.
    ///
    /// # Errors
    /// A fault, if memory did not suffice.
    pub fn self_test(&self, cpu: &CpuEngine, tests: &[SelfTest]) -> Result<(), Fault> {
        let _kept = CallersContext::keep();
        for device in self.working() {
            // Prepares all kernels at once; those that are not available fail their tests below.
            let _ = self.device(device).prepare_units(Unit::all());
            for test in tests {
                match self
                    .test(device, cpu, &[*test])
                    .map_err(|fault| fault.of_device(&self.device(device).label))
                {
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

    /// Writes the results of a batch to their positions. If `cpu_fallback` permits, the CPU
    /// computes the items that no device could.
    ///
    /// # Errors
    /// A fault, if results are missing.
    pub fn run(
        &self,
        cpu: &CpuEngine,
        operation: &dyn Computation,
        results: &mut ResultSink,
        cpu_fallback: bool,
    ) -> Result<(), Fault> {
        let _kept = CallersContext::keep();
        let _calls: Vec<_> = self
            .devices
            .iter()
            .map(|state| state.device.gates.enter())
            .collect();
        let machine = self.machine(execution::is_direct(results));
        let ends = machine.cuts(operation);
        let most = machine.slot_memory(machine.most_bytes(operation, &ends));
        run(
            self,
            results,
            &ends,
            &|device, items, results| {
                self.compute(
                    device,
                    cpu,
                    Chunk {
                        operation,
                        items,
                        most,
                        results,
                        completes_on_cpu: true,
                    },
                )
                .map_err(|fault| {
                    if fault.is_memory() {
                        // The missing memory may be held by idle stream slots.
                        self.drop_idle_slots(device);
                    }
                    fault.of_device(&self.device(device).label)
                })
            },
            cpu_fallback.then_some(&|items, results: &mut ResultSink| {
                operation.compute_on_cpu(cpu, items, results)
            }),
        )
    }

    fn machine(&self, direct: bool) -> Machine {
        let working: Vec<&Device> = self
            .working()
            .into_iter()
            .map(|device| &**self.device(device))
            .collect();
        let memory = working
            .iter()
            .map(|device| device.memory)
            .min()
            .unwrap_or(0);
        Machine {
            limits: Bytes {
                device: memory / 2 / runtime::STREAMS,
                pinned: self.pinned / (self.slots_per_device * self.devices.len()),
            },
            devices: working.len().max(1),
            multiprocessors: working
                .iter()
                .map(|device| device.multiprocessors as usize)
                .max()
                .unwrap_or(1),
            most_items: self.largest_chunk.unwrap_or(usize::MAX).max(1),
            slots: self.slots_per_device,
            direct,
        }
    }

    /// Computes a chunk on a stream slot, which is reserved meanwhile.
    fn compute(&self, device: usize, cpu: &CpuEngine, chunk: Chunk) -> Result<(), Fault> {
        let operation = chunk.operation;
        let items = chunk.items.clone();
        let waiting = trace::span("stream slot waited for", items.len());
        self.devices[device].with_slot(self.slots_per_device, |slot| {
            drop(waiting);
            self_tests::pass(slot, cpu, chunk.most, &operation.self_tests(items.len()))?;
            // An equal share of the remaining items for each device.
            let expected = (operation.items() - items.start).div_ceil(self.working().len().max(1));
            execution::compute(
                Running {
                    slot,
                    cpu,
                    expected,
                },
                chunk,
            )?;
            if let Err(fault) = slot.end() {
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
        for (kernel, (seconds, launches)) in self
            .devices
            .iter()
            .flat_map(|state| state.device.take_kernel_times())
        {
            let sum = all.entry(kernel).or_default();
            *sum = (sum.0 + seconds, sum.1 + launches);
        }
        all
    }

    /// Returns the loaded kernels of all devices.
    pub fn loaded_kernels(&self) -> Vec<LoadedKernels> {
        self.devices
            .iter()
            .flat_map(|state| state.device.loaded_kernels())
            .collect()
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
        let mut contents = Vec::new();
        for state in &self.devices {
            for slot in &mut lock(&state.slots).idle {
                contents.push(slot.contents().expect("the device answers"));
            }
        }
        contents
    }

    /// Returns the numbers of idle and of reserved stream slots.
    #[cfg(test)]
    pub fn count_slots(&self) -> (usize, usize) {
        self.devices.iter().fold((0, 0), |(idle, reserved), state| {
            let slots = lock(&state.slots);
            (idle + slots.idle.len(), reserved + slots.reserved)
        })
    }

    /// Returns the names of the devices.
    pub fn labels(&self) -> Vec<String> {
        self.devices
            .iter()
            .map(|state| state.device.label.clone())
            .collect()
    }

    /// Returns the devices that failed and are not used any more, and the kernels that cannot be
    /// used for now, each with the reason.
    pub fn failures(&self) -> Vec<Failure> {
        let mut failures = Vec::new();
        for (device, fault) in &self.unopened {
            failures.push(failure(device, FaultKind::Device, fault.problem.clone()));
        }
        for state in &self.devices {
            let label = &state.device.label;
            if let Some(fault) = &*lock(&state.failure) {
                failures.push(failure(label, FaultKind::Device, fault.problem.clone()));
            }
            for problem in state.device.unusable_kernels() {
                failures.push(failure(label, FaultKind::Kernels, problem));
            }
            for problem in state.cache.self_tests.problems() {
                failures.push(failure(label, FaultKind::Answers, problem));
            }
        }
        failures
    }

    pub fn device(&self, index: usize) -> &Arc<Device> {
        &self.devices[index].device
    }

    /// Frees the memory of a device's idle stream slots, and of its key tables that no stream slot
    /// uses.
    fn drop_idle_slots(&self, device: usize) {
        let DeviceState { slots, cache, .. } = &self.devices[device];
        let idle = std::mem::take(&mut lock(slots).idle);
        drop(idle);
        cache.key_cache.drop_idle();
    }
}

impl DevicePool for GpuEngine {
    /// Returns the working devices, those with the fewest active stream slots first.
    fn working(&self) -> Vec<usize> {
        let mut devices: Vec<usize> = (0..self.devices.len())
            .filter(|&device| self.is_working(device))
            .collect();
        devices.sort_by_cached_key(|&device| lock(&self.devices[device].slots).reserved);
        devices
    }

    fn is_working(&self, device: usize) -> bool {
        lock(&self.devices[device].failure).is_none()
    }

    fn fail(&self, device: usize, fault: Fault) {
        lock(&self.devices[device].failure).get_or_insert(fault);
        self.drop_idle_slots(device);
    }

    fn threads_per_device(&self) -> usize {
        self.slots_per_device
    }

    fn threads(&self) -> &DeviceThreads {
        &self.threads
    }

    fn all_failed(&self) -> Fault {
        let failures = self
            .failures()
            .into_iter()
            .filter(|failure| failure.kind == FaultKind::Device);
        let failures: Vec<String> = failures
            .map(|failure| format!("{}: {}", failure.device, failure.problem))
            .collect();
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

fn failure(device: &str, kind: FaultKind, problem: String) -> Failure {
    Failure {
        device: device.to_owned(),
        kind,
        problem,
    }
}

/// Returns the results of `work` for several devices in order. All but the first run on threads of
/// their own if threads can be started, because the driver takes tenths of a second to open or
/// close a device.
fn side_by_side<D: Send, T: Send>(
    devices: impl Iterator<Item = D>,
    work: impl Fn(D) -> T + Sync,
) -> Vec<T> {
    let devices: Vec<_> = devices.map(|device| Mutex::new(Some(device))).collect();
    let run =
        &|device: &Mutex<Option<D>>| work(lock(device).take().expect("each device is taken once"));
    thread::scope(|scope| {
        let mut threads = Vec::with_capacity(devices.len());
        for (number, device) in devices.iter().enumerate() {
            let thread = match number {
                0 => None,
                _ => thread::Builder::new()
                    .spawn_scoped(scope, move || run(device))
                    .ok(),
            };
            threads.push((device, thread));
        }
        let mut results = Vec::with_capacity(threads.len());
        for (device, thread) in threads {
            results.push(match thread {
                Some(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                None => run(device),
            });
        }
        results
    })
}

impl std::fmt::Debug for GpuEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GpuEngine")
            .field("devices", &self.labels())
            .finish_non_exhaustive()
    }
}
