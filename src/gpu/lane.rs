//! A lane: one stream of a device with memory of its own. A chunk goes through one lane: up, computed, down.

use super::device::Device;
use super::fault::Fault;
use super::key_cache::KeyTables;
use super::memory::{Address, DeviceMemory, PinnedMemory};
use super::plan::{Bytes, Download, Plan, Upload};
use super::sources::Unit;
use super::turn::Turn;
use cudarc::driver::sys;
use cudarc::driver::{CudaEvent, CudaStream, LaunchConfig, PushKernelArg, result};
use std::ffi::c_void;
use std::hint;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes of a prefix product.
pub const PREFIX: usize = 32;
/// A wait that is longer leaves the core to other threads, which costs some tens of microseconds at its end: much where the
/// chunk is small, and then no other lane has much to copy.
const SPIN: Duration = Duration::from_micros(50);
const SPIN_IF_SMALL: Duration = Duration::from_millis(3);
/// Pinned bytes of a chunk that is small.
const SMALL: usize = 4 << 20;

/// A stream, an arena on the device and a pinned arena on the host, kept between calls.
#[derive(Debug)]
pub struct Lane {
    pub device: Arc<Device>,
    stream: Arc<CudaStream>,
    /// Occurs when what was started is done. A thread that waits for it leaves its core to others, as with `sent`.
    done: CudaEvent,
    /// Occurs when the secrets are on the device.
    sent: CudaEvent,
    arena: Option<DeviceMemory>,
    pinned: Option<PinnedMemory>,
    /// What the chunk takes of them.
    used: Bytes,
    /// Tables that the chunk uses beside its own memory: not overwritten before the lane has let them go.
    key_tables: Vec<Arc<KeyTables>>,
    /// The chunk's turn at computing, where it has one.
    computing: Option<Turn>,
    /// Results of the chunk that are to be copied.
    downloads: Vec<Download>,
    /// Whether kernels whose threads loop get one block of them.
    one_block: bool,
    /// Kernels of the chunk with the events around them, where they are timed.
    timed: Vec<(&'static str, CudaEvent, CudaEvent)>,
    /// Whether the chunk's memory holds secrets: then it is wiped when the chunk ends, however it ends.
    secret: bool,
    /// Whether the wiping on the device has begun.
    wiping: bool,
    /// Pinned ranges that hold secrets, likewise: those for the device, and those from it.
    secrets_up: Vec<Range<usize>>,
    secrets_down: Vec<Range<usize>>,
}

/// A buffer that is filled with others.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    pub to: &'a Upload,
    /// Where they are, if that is page-locked: then the device copies from there.
    pub locked: Option<&'a [u8]>,
}

impl Part<'_> {
    /// The pinned memory through which the bytes take their way, if they do.
    fn staged(&self) -> Option<Range<usize>> {
        self.locked.is_none().then(|| self.to.pinned.clone())
    }
}

/// Memory of the first size that there is.
fn first_that_fits<T>(sizes: [usize; 2], allocate: impl Fn(usize) -> Result<T, Fault>) -> Result<T, Fault> {
    let [most, needed] = sizes;
    match allocate(most) {
        Err(fault) if fault.is_memory() && needed < most => allocate(needed),
        allocated => allocated,
    }
}

/// A kernel's argument.
#[derive(Clone, Copy, Debug)]
pub enum Argument {
    /// An address or a count.
    Long(u64),
    Word(u32),
    /// A structure of words that the kernel takes by value, and what follows it; the kernel knows the structure's size.
    #[cfg(feature = "lab")]
    Block([u32; 17]),
}

impl From<u64> for Argument {
    fn from(value: u64) -> Self {
        Argument::Long(value)
    }
}

impl From<u32> for Argument {
    fn from(value: u32) -> Self {
        Argument::Word(value)
    }
}

/// How many blocks of how many threads.
#[derive(Clone, Copy, Debug)]
pub enum Grid {
    /// One thread per item.
    PerItem { block: u32 },
    /// At most so many blocks per multiprocessor, whose threads loop over the items.
    Resident { block: u32, blocks: u32 },
}

impl Lane {
    pub fn new(device: Arc<Device>) -> Result<Self, Fault> {
        let stream = device.stream()?;
        let event = || device.context.new_event(Some(sys::CUevent_flags::CU_EVENT_BLOCKING_SYNC));
        let (done, sent) = (event()?, event()?);
        Ok(Lane {
            device,
            stream,
            done,
            sent,
            arena: None,
            pinned: None,
            used: Bytes::default(),
            key_tables: Vec::new(),
            computing: None,
            downloads: Vec::new(),
            one_block: false,
            timed: Vec::new(),
            secret: false,
            wiping: false,
            secrets_up: Vec::new(),
            secrets_down: Vec::new(),
        })
    }

    /// Starts a chunk of so many items, and gives its buffers. A lane that has not enough memory takes `most` at once, where it
    /// can: taking more later stops the whole device.
    pub fn begin<B>(
        &mut self,
        items: usize,
        most: Bytes,
        secret: bool,
        plan: impl Fn(&mut Plan) -> B,
    ) -> Result<B, Fault> {
        let multiprocessors = self.device.at_work(items);
        let mut counting = Plan::counting(items, multiprocessors);
        plan(&mut counting);
        let needed = counting.bytes();
        self.device.context.bind_to_thread()?;
        (self.used, self.secret, self.wiping) = (needed, secret, false);
        self.downloads.clear();
        let context = self.device.context.clone();
        let sizes =
            |has: usize, needed: usize, most: usize| (has < needed.max(1)).then_some([most.max(needed), needed]);
        let has = self.arena.as_ref().map_or(0, |arena| arena.bytes);
        if let Some(sizes) = sizes(has, needed.device, most.device) {
            self.arena = None;
            self.arena = Some(first_that_fits(sizes, |bytes| DeviceMemory::new(&context, bytes))?);
        }
        let has = self.pinned.as_ref().map_or(0, PinnedMemory::bytes);
        if let Some(sizes) = sizes(has, needed.pinned, most.pinned) {
            self.pinned = None;
            self.pinned = Some(first_that_fits(sizes, |bytes| PinnedMemory::new(&context, bytes))?);
        }
        let base = self.arena.as_ref().map_or(0, |arena| arena.address);
        Ok(plan(&mut Plan::at(base, needed, items, multiprocessors)))
    }

    /// For kernels that share inversions and write prefix products once and read them back once: their accesses may stay in the
    /// part of the L2 cache that the device keeps for them, if it keeps one.
    pub fn keep_in_l2(&mut self, prefixes: Address, items: usize) -> Result<(), Fault> {
        if self.device.persisting_l2 > 0 { self.persist(prefixes, PREFIX * items) } else { Ok(()) }
    }

    /// From here on, on this lane's stream, a range of device memory has the first claim to the part of the L2 cache that is
    /// set aside: as much of it, spread evenly, as fits.
    fn persist(&mut self, address: Address, bytes: usize) -> Result<(), Fault> {
        let bytes = bytes.min(self.device.largest_window);
        let window = sys::CUaccessPolicyWindow {
            base_ptr: address as *mut c_void,
            num_bytes: bytes,
            hitRatio: (self.device.persisting_l2 as f32 / bytes.max(1) as f32).min(1.0),
            hitProp: sys::CUaccessProperty::CU_ACCESS_PROPERTY_PERSISTING,
            missProp: sys::CUaccessProperty::CU_ACCESS_PROPERTY_STREAMING,
        };
        let value = sys::CUstreamAttrValue { accessPolicyWindow: window };
        let attribute = sys::CUstreamAttrID::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
        // SAFETY: the stream is this lane's, and the driver copies the value, whose member is the attribute's.
        Ok(unsafe { sys::cuStreamSetAttribute(self.stream.cu_stream(), attribute, &value) }.result()?)
    }

    /// What starts from here on may read these tables, until the chunk ends.
    pub fn use_key_tables(&mut self, tables: &Arc<KeyTables>) -> Result<(), Fault> {
        self.key_tables.push(tables.clone());
        Ok(self.stream.wait(&tables.ready)?)
    }

    /// An event that occurs when all that this lane has started is done.
    pub fn event(&self) -> Result<CudaEvent, Fault> {
        Ok(self.stream.record_event(None)?)
    }

    /// Copies what `fill` writes to a buffer on the device.
    pub fn upload(&mut self, to: &Upload, fill: impl FnOnce(&mut [u8])) -> Result<(), Fault> {
        let part = Part { to, locked: None };
        // SAFETY: nothing is locked.
        unsafe { self.upload_parts([part], |[to]| fill(to)) }
    }

    /// Fills buffers on the device: from page-locked memory, or with what `fill` writes for those parts that are not there (for
    /// the others it gets nothing to write to).
    ///
    /// # Safety
    /// What is locked has as many bytes as its buffer is to get, and stays borrowed until `finish` has waited or the lane is dropped.
    pub unsafe fn upload_parts<const N: usize>(
        &mut self,
        parts: [Part; N],
        fill: impl FnOnce([&mut [u8]; N]),
    ) -> Result<(), Fault> {
        for part in parts.iter().filter(|part| self.secret && part.to.secret && part.staged().is_some()) {
            // Before `fill`, which may panic.
            self.secrets_up.push(part.to.pinned.clone());
        }
        let ranges = parts.each_ref().map(|part| part.staged().unwrap_or(0..0));
        let pinned = self.pinned.as_mut().expect("`begin` comes first").as_mut_slice();
        let turn = self.device.turns.to_send(ranges.iter().map(Range::len).sum());
        fill(pinned.get_disjoint_mut(ranges).expect("the buffers of a plan are apart"));
        drop(turn);
        for part in &parts {
            let start = part.to.pinned.start;
            let bytes = part.locked.unwrap_or(&pinned[start..start + part.to.copied]);
            // SAFETY: both ends have as many bytes; the pinned range is not touched again before `finish` has waited, and for
            // what is locked the caller vouches.
            unsafe { result::memcpy_htod_async(part.to.address, bytes, self.stream.cu_stream()) }?;
        }
        if !self.secrets_up.is_empty() {
            self.sent.record(&self.stream)?;
        }
        if self.computing.is_none() {
            self.computing = self.device.turns.to_compute(parts.iter().map(|part| part.to.pinned.len()).sum());
        }
        Ok(())
    }

    /// Notes that this is to be copied to the host; `read` gives it after `finish` or `wait`.
    pub fn download(&mut self, from: &Download) {
        self.downloads.push(from.clone());
    }

    /// Like `download`, for what is secret where the chunk is.
    pub fn download_secret(&mut self, from: &Download) {
        if self.secret {
            self.secrets_down.push(from.pinned.clone());
        }
        self.download(from);
    }

    fn start_downloads(&mut self) -> Result<(), Fault> {
        let pinned = self.pinned.as_mut().expect("`begin` comes first").as_mut_slice();
        for from in self.downloads.drain(..) {
            // SAFETY: both ends have as many bytes; the pinned range is not touched before `finish` or `wait` has waited.
            unsafe { result::memcpy_dtoh_async(&mut pinned[from.pinned], from.address, self.stream.cu_stream()) }?;
        }
        Ok(())
    }

    /// Sets bytes on the device.
    pub fn fill(&mut self, address: Address, byte: u8, bytes: usize) -> Result<(), Fault> {
        // SAFETY: the buffer belongs to this lane's chunk and has that many bytes.
        Ok(unsafe { result::memset_d8_async(address, byte, bytes, self.stream.cu_stream()) }?)
    }

    /// Waits for everything started, after which the chunk starts nothing more. Where it was secret, what it had on the
    /// device is wiped while the results are read, and what was sent there while it computes.
    pub fn finish(&mut self) -> Result<(), Fault> {
        if self.used.pinned > SMALL {
            // The device takes copies in the order in which they were started: one that waits for its kernels keeps back those of
            // other lanes.
            self.done.record(&self.stream)?;
            self.wipe_sent()?;
            self.wait_for(&self.done)?;
            self.computing = None;
        }
        self.start_downloads()?;
        self.done.record(&self.stream)?;
        if self.secret && !self.wiping {
            self.start_wiping()?;
        }
        self.wipe_sent()?;
        self.wait_for(&self.done)
    }

    /// Waits for everything started and for what is to be copied to the host.
    pub fn wait(&mut self) -> Result<(), Fault> {
        self.start_downloads()?;
        self.settle()
    }

    /// Wipes the secrets in pinned memory that are on the device.
    fn wipe_sent(&mut self) -> Result<(), Fault> {
        if !self.secrets_up.is_empty() {
            self.wait_for(&self.sent)?;
            wipe_pinned(&mut self.pinned, self.secrets_up.drain(..));
        }
        Ok(())
    }

    /// Waits for everything started.
    fn settle(&mut self) -> Result<(), Fault> {
        self.done.record(&self.stream)?;
        self.wait_for(&self.done)
    }

    fn wait_for(&self, event: &CudaEvent) -> Result<(), Fault> {
        let spin = if self.used.pinned <= SMALL { SPIN_IF_SMALL } else { SPIN };
        let start = Instant::now();
        while start.elapsed() < spin {
            if event.try_is_complete()? {
                return Ok(());
            }
            hint::spin_loop();
        }
        Ok(event.synchronize()?)
    }

    /// What has been copied.
    pub fn read(&self, from: &Download) -> &[u8] {
        &self.pinned.as_ref().expect("`begin` comes first").as_slice()[from.pinned.clone()]
    }

    /// Starts a kernel on `items` items.
    ///
    /// # Safety
    /// The arguments are those of the kernel's launch contract, in its order: `super::kernels` is where they are matched.
    pub unsafe fn launch(
        &mut self,
        unit: Unit,
        name: &'static str,
        grid: Grid,
        items: u64,
        arguments: &[Argument],
    ) -> Result<(), Fault> {
        let function = self.device.function(unit, name)?;
        let mut launch = self.stream.launch_builder(&function);
        for argument in arguments {
            match argument {
                Argument::Long(value) => launch.arg(value),
                Argument::Word(value) => launch.arg(value),
                #[cfg(feature = "lab")]
                Argument::Block(words) => launch.arg(words),
            };
        }
        if self.device.times_kernels() {
            launch.record_kernel_launch(sys::CUevent_flags::CU_EVENT_DEFAULT);
        }
        // SAFETY: the caller vouches for the arguments.
        let events = unsafe { launch.launch(self.shape(grid, items)) }?;
        self.timed.extend(events.map(|(start, end)| (name, start, end)));
        Ok(())
    }

    /// Has few items computed as many are, by threads that have several each, or as usual again. Gives how it was.
    pub fn use_one_block(&mut self, one: bool) -> bool {
        std::mem::replace(&mut self.one_block, one)
    }

    /// Has `end` tell no times of the kernels that ran.
    pub fn forget_times(&mut self) {
        self.timed.clear();
    }

    fn shape(&self, grid: Grid, items: u64) -> LaunchConfig {
        let (block, limit) = match grid {
            Grid::PerItem { block } => (block, u64::from(u32::MAX >> 1)),
            Grid::Resident { block, .. } if self.one_block => (block, 1),
            Grid::Resident { block, blocks } => (block, u64::from(blocks * self.device.multiprocessors)),
        };
        let blocks = items.div_ceil(u64::from(block)).clamp(1, limit);
        let blocks = u32::try_from(blocks).expect("the limit is below 2^31");
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (block, 1, 1), shared_mem_bytes: 0 }
    }

    /// Ends a chunk: tells the times of its kernels, lets the tables of keys go, and wipes what held secrets.
    pub fn end(&mut self) -> Result<(), Fault> {
        for (name, start, end) in std::mem::take(&mut self.timed) {
            if let Ok(milliseconds) = start.elapsed_ms(&end) {
                self.device.add_kernel_time(name, f64::from(milliseconds) / 1e3);
            }
        }
        self.computing = None;
        if !self.key_tables.is_empty() {
            self.settle()?;
            self.key_tables.clear();
        }
        self.wipe()
    }

    /// Wipes what held secrets, also of a chunk that failed.
    fn wipe(&mut self) -> Result<(), Fault> {
        if !std::mem::take(&mut self.secret) {
            return Ok(());
        }
        // After an error copies may still be under way; on a device that does not answer there is nothing left to wipe.
        let wiped = self.settle_whatever_was().and_then(|()| if self.wiping { Ok(()) } else { self.wipe_device() });
        wipe_pinned(&mut self.pinned, self.secrets_up.drain(..).chain(self.secrets_down.drain(..)));
        wiped
    }

    fn wipe_device(&mut self) -> Result<(), Fault> {
        self.start_wiping()?;
        self.settle()
    }

    fn start_wiping(&mut self) -> Result<(), Fault> {
        let Some(arena) = &self.arena else { return Ok(()) };
        let (address, bytes) = (arena.address, self.used.device.min(arena.bytes));
        self.fill(address, 0, bytes)?;
        self.wiping = true;
        Ok(())
    }

    /// What lies in the memory that the last chunk used, on the device and on the host.
    #[cfg(test)]
    pub fn contents(&mut self) -> Result<[Vec<u8>; 2], Fault> {
        let mut on_device = vec![0; self.used.device];
        if let Some(arena) = &self.arena {
            self.device.context.bind_to_thread()?;
            // SAFETY: the arena has at least the bytes that were used.
            unsafe { result::memcpy_dtoh_sync(&mut on_device, arena.address) }?;
        }
        let pinned =
            self.pinned.as_ref().map_or_else(Vec::new, |pinned| pinned.as_slice()[..self.used.pinned].to_vec());
        Ok([on_device, pinned])
    }

    /// Waits, whatever errors the context has kept from elsewhere: asked again, the stream answers for itself.
    fn settle_whatever_was(&mut self) -> Result<(), Fault> {
        self.settle().or_else(|_| self.settle())
    }
}

fn wipe_pinned(pinned: &mut Option<PinnedMemory>, ranges: impl Iterator<Item = Range<usize>>) {
    let Some(pinned) = pinned else { return };
    let memory = pinned.as_mut_slice();
    for range in ranges {
        // The driver knows this memory's address, so no compiler may take these writes for dead ones.
        let end = range.end.min(memory.len());
        memory[range.start.min(end)..end].fill(0);
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        // The arenas are freed after this: nothing may still use them, and no secrets may be left in them. An error here
        // means that the device is gone, and with it whatever used them.
        let _ = self.wipe();
        let _ = self.settle_whatever_was();
    }
}
