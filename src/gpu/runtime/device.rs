//! One GPU: its context, its kernels and its streams.

use super::STREAMS;
use super::fault::{Fault, describe};
use super::gates::Gates;
use super::machine_code::{CodePlaces, FoundCode};
use super::sources::Unit;
use crate::gpu::interface::{FaultKind, KernelOrigin, Limits, LoadedKernels};
use crate::host::{lock, trace};
use cudarc::driver::sys::{CUdevice_attribute as Attribute, CUlimit};
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, CudaStream, result};
use cudarc::nvrtc::Ptx;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{fmt, thread};

/// A kernel unit that is compiled and loaded once. The first caller loads it while the others wait.
type ModuleSlot = Arc<Mutex<Loaded>>;

/// The kernels of a unit.
#[derive(Debug, Default)]
struct Loaded {
    ready: Option<Ready>,
    /// The last failure and its time.
    failure: Option<(Fault, Instant)>,
}

/// Loaded kernels, and how they were obtained.
#[derive(Debug)]
struct Ready {
    module: Arc<CudaModule>,
    origin: KernelOrigin,
    architecture: String,
    /// Time to obtain the machine code, and time the driver took to load it.
    got: Duration,
    loaded: Duration,
}

/// Time after which unavailable kernels are tried again. A full disk, a missing folder or a lack of
/// memory may have been temporary.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// A GPU and the kernels loaded on it.
pub struct Device {
    pub context: Arc<CudaContext>,
    /// The device's number and name, for messages.
    pub label: String,
    /// The architecture, such as `sm_90`.
    pub architecture: String,
    pub multiprocessors: u32,
    /// Bytes that were free when the engine started, or fewer if the caller set a limit.
    pub memory: usize,
    /// Bytes of the L2 cache that are set aside for a range that a stream selects, or 0; and the
    /// maximum length of such a range.
    pub persisting_l2: usize,
    pub largest_window: usize,
    pub places: CodePlaces,
    modules: Mutex<HashMap<Unit, ModuleSlot>>,
    functions: Mutex<HashMap<(Unit, &'static str), CudaFunction>>,
    /// Turns of streams at the host's cores and at the device.
    pub gates: Gates,
    /// The number of streams created so far.
    streams: AtomicUsize,
    /// Seconds and launches of each kernel, if kernels are timed.
    kernel_times: Option<Mutex<BTreeMap<&'static str, (f64, u64)>>>,
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label)
    }
}

/// Returns the number of GPUs.
///
/// # Errors
/// The reason why none can be used.
pub fn count() -> Result<usize, String> {
    // SAFETY: the call only tries to load the library; the driver has no initialisation code with
    // preconditions.
    if !unsafe { cudarc::driver::sys::is_culib_present() } {
        return Err("the NVIDIA driver (libcuda) is not installed".to_owned());
    }
    result::init()
        .map_err(|problem| format!("the NVIDIA driver does not start: {}", describe(&problem)))?;
    match result::device::get_count() {
        Ok(0) => Err("the NVIDIA driver reports no device".to_owned()),
        Ok(count) => Ok(usize::try_from(count).unwrap_or(0)),
        Err(problem) => Err(describe(&problem)),
    }
}

/// Sets aside as much of the L2 cache as the device allows. Returns the number of bytes, or 0 if
/// the device does not support it, and the maximum length of a memory range that may use them.
fn set_l2_aside(context: &CudaContext) -> Result<(usize, usize), Fault> {
    let bytes = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE)?;
    let window = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE)?;
    let bytes = usize::try_from(bytes).unwrap_or(0);
    let window = usize::try_from(window).unwrap_or(0);
    if bytes == 0 || window == 0 {
        return Ok((0, 0));
    }
    context.set_limit(CUlimit::CU_LIMIT_PERSISTING_L2_CACHE_SIZE, bytes)?;
    Ok((bytes, window))
}

impl Device {
    pub fn open(ordinal: usize, limits: &Limits) -> Result<Self, Fault> {
        let &Limits {
            max_memory,
            time_kernels,
            l2_persistence,
            ..
        } = limits;
        let context = CudaContext::new(ordinal)?;
        // SAFETY: no two streams share a buffer: each has its own, and tables are complete before
        // they are shared.
        unsafe { context.disable_event_tracking() };
        let (major, minor) = context.compute_capability()?;
        let (free, _) = context.mem_get_info()?;
        let multiprocessors =
            context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let (persisting_l2, largest_window) = if l2_persistence {
            set_l2_aside(&context)?
        } else {
            (0, 0)
        };
        Ok(Device {
            persisting_l2,
            largest_window,
            label: format!("GPU {ordinal} ({})", context.name()?),
            architecture: format!("sm_{major}{minor}"),
            multiprocessors: u32::try_from(multiprocessors).unwrap_or(1),
            // The rest is left for allocations by others and for the driver's own needs.
            memory: max_memory.unwrap_or(usize::MAX).min(free / 10 * 8),
            places: CodePlaces::new(limits.kernels.clone()),
            modules: Mutex::default(),
            functions: Mutex::default(),
            gates: Gates::new(),
            streams: AtomicUsize::new(0),
            kernel_times: time_kernels.then(Mutex::default),
            context,
        })
    }

    pub fn times_kernels(&self) -> bool {
        self.kernel_times.is_some()
    }

    pub fn add_kernel_time(&self, kernel: &'static str, seconds: f64) {
        if let Some(times) = &self.kernel_times {
            let mut times = lock(times);
            let time = times.entry(kernel).or_default();
            *time = (time.0 + seconds, time.1 + 1);
        }
    }

    /// Returns the kernel times accumulated since the last call.
    pub fn take_kernel_times(&self) -> BTreeMap<&'static str, (f64, u64)> {
        self.kernel_times
            .as_ref()
            .map_or_else(BTreeMap::new, |times| std::mem::take(&mut *lock(times)))
    }

    /// Loads the kernels of some files.
    pub fn prepare(&self, curve: &'static str, files: &[&'static str]) -> Result<(), Fault> {
        self.prepare_units(files.iter().map(|file| Unit::of(file, curve)))
    }

    /// Loads some kernels, several at a time if they have to be compiled.
    pub fn prepare_units(
        &self,
        mut units: impl Iterator<Item = Unit> + Clone,
    ) -> Result<(), Fault> {
        let mut missing = units.clone().filter(|unit| self.is_missing(*unit));
        let first = missing.next();
        thread::scope(|scope| {
            for unit in missing {
                // If the system cannot start a thread, the unit is loaded below.
                let _ = thread::Builder::new().spawn_scoped(scope, move || self.prepare_unit(unit));
            }
            first.map_or(Ok(()), |unit| self.prepare_unit(unit))
        })?;
        units.try_for_each(|unit| self.prepare_unit(unit))
    }

    /// Loads the kernels of a unit, or waits for another thread that is loading them.
    fn prepare_unit(&self, unit: Unit) -> Result<(), Fault> {
        self.module(unit).map(|_| ())
    }

    /// Returns whether a unit is neither loaded nor being loaded by another thread.
    fn is_missing(&self, unit: Unit) -> bool {
        self.slot(unit)
            .try_lock()
            .is_ok_and(|loaded| loaded.ready.is_none())
    }

    /// Returns the reasons why kernels could not be loaded. Loading them is retried from time to
    /// time.
    pub fn unusable_kernels(&self) -> Vec<String> {
        let slots: Vec<ModuleSlot> = lock(&self.modules).values().cloned().collect();
        let mut problems = BTreeSet::new();
        for slot in &slots {
            // A slot is locked while its kernels are being loaded; they may be usable in a moment.
            let Ok(loaded) = slot.try_lock() else {
                continue;
            };
            problems.extend(
                loaded
                    .failure
                    .as_ref()
                    .map(|(fault, _)| fault.problem.clone()),
            );
        }
        problems.into_iter().collect()
    }

    /// Returns a kernel by its file, its curve and its name.
    pub fn function(&self, unit: Unit, name: &'static str) -> Result<CudaFunction, Fault> {
        if let Some(function) = lock(&self.functions).get(&(unit, name)) {
            return Ok(function.clone());
        }
        let function = self.module(unit)?.load_function(name)?;
        lock(&self.functions).insert((unit, name), function.clone());
        Ok(function)
    }

    /// Returns the kernels that have been launched.
    #[cfg(test)]
    pub fn functions(&self) -> Vec<(Unit, &'static str)> {
        lock(&self.functions).keys().copied().collect()
    }

    fn slot(&self, unit: Unit) -> ModuleSlot {
        lock(&self.modules).entry(unit).or_default().clone()
    }

    fn module(&self, unit: Unit) -> Result<Arc<CudaModule>, Fault> {
        let slot = self.slot(unit);
        let mut loaded = lock(&slot);
        if let Some(ready) = &loaded.ready {
            return Ok(ready.module.clone());
        }
        if let Some((fault, _)) = loaded
            .failure
            .as_ref()
            .filter(|(_, since)| since.elapsed() < RETRY_AFTER)
        {
            return Err(fault.clone());
        }
        let ready = self.load(unit);
        let failure = ready
            .as_ref()
            .err()
            .filter(|fault| fault.kind == FaultKind::Kernels);
        loaded.failure = failure.map(|fault| (fault.clone(), Instant::now()));
        let ready = ready?;
        Ok(loaded.ready.insert(ready).module.clone())
    }

    /// Loads kernels that are not part of the library.
    #[cfg(feature = "lab")]
    pub fn add(&self, unit: Unit, cubin: Vec<u8>) -> Result<(), Fault> {
        let origin = KernelOrigin::Compiled;
        let architecture = self.architecture.clone();
        let ready = self.load_code(
            unit,
            FoundCode {
                cubin,
                origin,
                architecture,
            },
            Instant::now(),
        )?;
        lock(&self.slot(unit)).ready = Some(ready);
        Ok(())
    }

    fn load(&self, unit: Unit) -> Result<Ready, Fault> {
        let _span = trace::span(unit.file, 0);
        let started = Instant::now();
        let code = self
            .places
            .load(unit, &self.architecture)
            .map_err(Fault::kernels)?;
        let is_packed = code.origin == KernelOrigin::Pack;
        match self.load_code(unit, code, started) {
            // The driver may be older than the compiler of the pack. An installed NVRTC matches the
            // driver.
            Err(refused) if is_packed && refused.kind == FaultKind::Kernels => {
                let code = self
                    .places
                    .load_for_this_machine(unit, &self.architecture)
                    .map_err(|problem| Fault::kernels(format!("{}; {problem}", refused.problem)))?;
                self.load_code(unit, code, started)
            }
            loaded => loaded,
        }
    }

    fn load_code(&self, unit: Unit, code: FoundCode, started: Instant) -> Result<Ready, Fault> {
        let FoundCode {
            cubin,
            origin,
            architecture,
        } = code;
        let got = started.elapsed();
        let module = self
            .context
            .load_module(Ptx::from_binary(cubin))
            .map_err(|problem| {
                Fault::of_loading(&problem).of(&format!("loading {} for {}", unit.file, unit.curve))
            })?;
        Ok(Ready {
            module,
            origin,
            architecture,
            got,
            loaded: started.elapsed() - got,
        })
    }

    /// Returns the loaded kernels.
    pub fn loaded_kernels(&self) -> Vec<LoadedKernels> {
        let mut slots: Vec<(Unit, ModuleSlot)> = lock(&self.modules)
            .iter()
            .map(|(unit, slot)| (*unit, slot.clone()))
            .collect();
        slots.sort_by_key(|(unit, _)| (unit.curve, unit.file));
        slots
            .into_iter()
            .filter_map(|(unit, slot)| self.describe_loaded(unit, &slot))
            .collect()
    }

    /// Describes the kernels of a unit. Returns `None` if they are not loaded, or just being
    /// loaded.
    fn describe_loaded(&self, unit: Unit, slot: &ModuleSlot) -> Option<LoadedKernels> {
        let loaded = slot.try_lock().ok()?;
        let Ready {
            origin,
            architecture,
            got,
            loaded,
            ..
        } = loaded.ready.as_ref()?;
        Some(LoadedKernels {
            device: self.label.clone(),
            file: unit.file,
            curve: unit.curve,
            origin: *origin,
            architecture: architecture.clone(),
            seconds: got.as_secs_f64(),
            load_seconds: loaded.as_secs_f64(),
        })
    }

    /// Creates a stream with another priority than the previous one. Streams of equal priority
    /// would share the device evenly, finish their chunks at the same time, and leave the device
    /// idle while all of them copy.
    pub fn stream(&self) -> Result<Arc<CudaStream>, Fault> {
        let turn = self.streams.fetch_add(1, Ordering::Relaxed) % STREAMS;
        // Lower numbers have higher priority; the driver clamps priorities that the device does not
        // have.
        let priority = -i32::try_from(turn).unwrap_or(0);
        Ok(self.context.new_stream_with_priority(priority)?)
    }
}

#[cfg(test)]
mod gpu_tests {
    use super::super::kernel_files::tests::Folder;
    use super::super::nvrtc::Nvrtc;
    use super::super::pack::{self, Packed};
    use super::*;

    /// Returns the origin of a unit's kernels when a pack contains `code` for it.
    fn origin_of(folder: &Folder, unit: Unit, code: &[u8]) -> KernelOrigin {
        let limits = Limits {
            kernels: Some(folder.0.clone()),
            ..Limits::default()
        };
        let device = Device::open(0, &limits).expect("there is a GPU");
        let kernel = Packed::new(unit, &device.architecture, code).unwrap();
        pack::write(
            &folder.0,
            &device.architecture,
            Nvrtc::find().unwrap(),
            &[kernel],
        )
        .unwrap();
        device.prepare_units(std::iter::once(unit)).unwrap();
        let [loaded] = &device.loaded_kernels()[..] else {
            panic!("one is loaded")
        };
        assert_eq!(
            (loaded.file, loaded.curve, &loaded.architecture),
            (unit.file, unit.curve, &device.architecture)
        );
        loaded.origin
    }

    /// If the driver refuses the code of a pack, the kernel is compiled by NVRTC.
    #[test]
    #[ignore = "needs a GPU: --ignored gpu_tests"]
    fn kernel_is_compiled_if_the_driver_refuses_its_pack() {
        let folder = Folder::new("refused");
        let unit = Unit::of("rows", "");
        let places = CodePlaces::new(Some(folder.0.clone()));
        count().expect("there is a GPU");
        let architecture = Device::open(0, &Limits::default())
            .expect("there is a GPU")
            .architecture;
        let code = places
            .load_for_this_machine(unit, &architecture)
            .unwrap()
            .cubin;
        assert_ne!(
            origin_of(&folder, unit, b"no machine code\0"),
            KernelOrigin::Pack
        );
        assert_eq!(origin_of(&folder, unit, &code), KernelOrigin::Pack);
    }
}
