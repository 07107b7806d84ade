//! A stream of a device with its own memory. A chunk runs on one stream: upload, computation,
//! download.

use super::at_work;
use super::device::Device;
use super::fault::Fault;
use super::gates::Turn;
use super::memory::{DeviceMemory, PinnedMemory};
use super::plan::{Bytes, Download, Input, InputSource, Occasion, Output, Plan};
use super::sources::Unit;
use crate::gpu::columns::{Address, Column, Content, Prefixes};
use crate::types::ResultsMut;
use cudarc::driver::sys;
use cudarc::driver::{CudaEvent, CudaStream, LaunchConfig, PushKernelArg, result};
use std::any::Any;
use std::ffi::c_void;
use std::hint;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time to spin before a waiting thread yields its core to others. Waking up takes some tens of
/// microseconds, which is much for a small chunk; but then the other stream slots have little to
/// copy.
const SPIN: Duration = Duration::from_micros(50);
const SPIN_IF_SMALL: Duration = Duration::from_millis(3);
/// Maximum pinned bytes of a small chunk.
const SMALL: usize = 4 << 20;

/// A stream, a device arena and a pinned arena on the host, kept between calls.
pub struct Stream {
    pub device: Arc<Device>,
    stream: Arc<CudaStream>,
    /// Occurs when all started work is done. A thread that waits for it, or for `sent`, yields its
    /// core.
    done: CudaEvent,
    /// Occurs when the secrets are on the device.
    sent: CudaEvent,
    arena: Option<DeviceMemory>,
    pinned: Option<PinnedMemory>,
    /// The part of the memory that the chunk uses.
    used: Bytes,
    /// Objects that the chunk uses in addition to its own memory. They are neither freed nor
    /// overwritten before the stream releases them.
    kept: Vec<Arc<dyn Any + Send + Sync>>,
    /// The chunk's turn at computing, if it has one.
    computing: Option<Turn>,
    /// Copies to pinned memory, and copies to the final place of results.
    downloads: Vec<(Address, Range<usize>)>,
    direct: Vec<(Address, RawBytes)>,
    /// True if kernels whose threads loop are launched with a single block.
    one_block: bool,
    /// Kernels of the chunk with the events around them, if kernels are timed.
    timed: Vec<(&'static str, CudaEvent, CudaEvent)>,
    /// True if the chunk's memory holds secrets. It is then wiped whenever the chunk ends, on
    /// success or failure.
    secret: bool,
    /// True once wiping on the device has started.
    wiping: bool,
    /// Pinned ranges that hold secrets and are wiped likewise: those sent to the device, and those
    /// received from it.
    secrets_up: Vec<Range<usize>>,
    secrets_down: Vec<Range<usize>>,
}

/// Grows memory of `has` bytes to the bytes needed. If it is too small it is freed, and then `most`
/// bytes are allocated if available, and otherwise `needed`.
fn grow<T>(
    memory: &mut Option<T>,
    has: usize,
    (needed, most): (usize, usize),
    allocate: impl Fn(usize) -> Result<T, Fault>,
) -> Result<(), Fault> {
    if has < needed.max(1) {
        *memory = None;
        let allocated = match allocate(most.max(needed)) {
            Err(fault) if fault.is_memory() && needed < most => allocate(needed),
            allocated => allocated,
        };
        *memory = Some(allocated?);
    }
    Ok(())
}

/// A kernel's argument.
#[derive(Clone, Copy, Debug)]
pub enum Argument {
    /// An address or a count.
    Long(u64),
    Word(u32),
    /// A structure of words that the kernel takes by value, possibly with unused words at the end;
    /// the kernel determines the structure's size.
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

/// The number of blocks and threads of a launch.
#[derive(Clone, Copy, Debug)]
pub enum Grid {
    /// One thread per item.
    PerItem { block: u32 },
    /// At most `blocks` blocks per multiprocessor, whose threads loop over the items.
    Resident { block: u32, blocks: u32 },
}

impl<T> From<Column<T>> for Argument {
    fn from(column: Column<T>) -> Self {
        Argument::Long(column.address())
    }
}

/// An absent column becomes a null pointer.
impl<T> From<Option<Column<T>>> for Argument {
    fn from(column: Option<Column<T>>) -> Self {
        Argument::Long(column.map_or(0, Column::address))
    }
}

#[cfg(feature = "lab")]
impl From<[u32; 17]> for Argument {
    fn from(words: [u32; 17]) -> Self {
        Argument::Block(words)
    }
}

/// Memory of the caller to which a device writes while its borrower waits.
struct RawBytes(*mut [u8]);

// SAFETY: the holder of the stream has exclusive access, and the memory's borrower waits for it.
unsafe impl Send for RawBytes {}

impl Stream {
    pub fn new(device: Arc<Device>) -> Result<Self, Fault> {
        let stream = device.stream()?;
        let done = device
            .context
            .new_event(Some(sys::CUevent_flags::CU_EVENT_BLOCKING_SYNC))?;
        let sent = device
            .context
            .new_event(Some(sys::CUevent_flags::CU_EVENT_BLOCKING_SYNC))?;
        Ok(Stream {
            device,
            stream,
            done,
            sent,
            arena: None,
            pinned: None,
            used: Bytes::default(),
            kept: Vec::new(),
            computing: None,
            downloads: Vec::new(),
            direct: Vec::new(),
            one_block: false,
            timed: Vec::new(),
            secret: false,
            wiping: false,
            secrets_up: Vec::new(),
            secrets_down: Vec::new(),
        })
    }

    /// Starts a chunk, and returns its buffers and its plan. A stream without enough memory
    /// allocates `most` at once if possible, because another allocation later would stop the whole
    /// device.
    pub fn begin<'a, B>(
        &mut self,
        (items, direct): (usize, bool),
        most: Bytes,
        secret: bool,
        plan: impl Fn(&mut Plan<'a>) -> B,
    ) -> Result<(B, Plan<'a>), Fault> {
        let multiprocessors = at_work(items, self.device.multiprocessors as usize);
        let occasion = Occasion {
            items,
            multiprocessors,
            direct,
        };
        let mut counting = Plan::counting(occasion);
        plan(&mut counting);
        let needed = counting.bytes();
        self.device.context.bind_to_thread()?;
        (self.used, self.secret, self.wiping) = (needed, secret, false);
        self.downloads.clear();
        self.direct.clear();
        let context = self.device.context.clone();
        let has = self.arena.as_ref().map_or(0, |arena| arena.bytes);
        grow(
            &mut self.arena,
            has,
            (needed.device, most.device),
            |bytes| DeviceMemory::new(&context, bytes),
        )?;
        let has = self.pinned.as_ref().map_or(0, PinnedMemory::bytes);
        grow(
            &mut self.pinned,
            has,
            (needed.pinned, most.pinned),
            |bytes| PinnedMemory::new(&context, bytes),
        )?;
        let base = self.arena.as_ref().map_or(0, |arena| arena.address);
        let mut planned = Plan::at(base, needed, occasion);
        let buffers = plan(&mut planned);
        Ok((buffers, planned))
    }

    /// Keeps the prefix products of kernels that share inversions in L2: they are written once and
    /// read back once, and may use the part of the cache that the device sets aside, if any.
    pub fn keep_in_l2(&mut self, prefixes: Column<Prefixes>, items: usize) -> Result<(), Fault> {
        let bytes = Prefixes::BYTES * items;
        if self.device.persisting_l2 > 0 {
            self.persist(prefixes.address(), bytes)
        } else {
            Ok(())
        }
    }

    /// Gives a range of device memory priority, from here on in this stream, in the part of L2 that
    /// is set aside: as much of the range, evenly spread, as fits.
    fn persist(&mut self, address: Address, bytes: usize) -> Result<(), Fault> {
        let bytes = bytes.min(self.device.largest_window);
        let window = sys::CUaccessPolicyWindow {
            base_ptr: address as *mut c_void,
            num_bytes: bytes,
            hitRatio: (self.device.persisting_l2 as f32 / bytes.max(1) as f32).min(1.0),
            hitProp: sys::CUaccessProperty::CU_ACCESS_PROPERTY_PERSISTING,
            missProp: sys::CUaccessProperty::CU_ACCESS_PROPERTY_STREAMING,
        };
        let value = sys::CUstreamAttrValue {
            accessPolicyWindow: window,
        };
        let attribute = sys::CUstreamAttrID::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
        // SAFETY: the stream handle is valid, and the driver copies the value, whose active member
        // belongs to the attribute.
        Ok(
            unsafe { sys::cuStreamSetAttribute(self.stream.cu_stream(), attribute, &value) }
                .result()?,
        )
    }

    /// Lets subsequent work of the chunk read the memory that this object owns, once it is ready.
    /// The object is kept until the chunk ends.
    pub fn keep(
        &mut self,
        what: Arc<dyn Any + Send + Sync>,
        ready: &CudaEvent,
    ) -> Result<(), Fault> {
        self.kept.push(what);
        Ok(self.stream.wait(ready)?)
    }

    /// Returns an event that occurs when everything that this stream has started is done.
    pub fn event(&self) -> Result<CudaEvent, Fault> {
        Ok(self.stream.record_event(None)?)
    }

    /// Fills the buffers of inputs on the device: directly from page-locked memory, or from pinned
    /// memory that `fill` writes.
    ///
    /// # Safety
    /// Page-locked sources must stay borrowed until `finish` has waited or the stream is dropped.
    pub unsafe fn send<'a>(
        &mut self,
        inputs: &[Input<'a>],
        fill: impl FnOnce(Vec<(&Input<'a>, &mut [u8])>),
    ) -> Result<(), Fault> {
        let staged = inputs.iter().filter(|input| !input.pinned.is_empty());
        if self.secret {
            // Recorded before `fill`, which may panic.
            let secrets = staged.clone().filter(|input| input.secret);
            self.secrets_up
                .extend(secrets.map(|input| input.pinned.clone()));
        }
        let pinned = self
            .pinned
            .as_mut()
            .expect("`begin` comes first")
            .as_mut_slice();
        let turn = self
            .device
            .gates
            .sending
            .take(staged.clone().map(|input| input.pinned.len()).sum());
        fill(parts(pinned, staged));
        drop(turn);
        for input in inputs.iter().filter(|input| input.copied > 0) {
            let bytes = match &input.source {
                InputSource::Rows(rows) if input.pinned.is_empty() => rows.span(),
                _ => &pinned[input.pinned.start..][..input.copied],
            };
            // SAFETY: source and destination have the same length. The pinned range is not touched
            // again before `finish` has waited, and the caller guarantees the same for page-locked
            // sources.
            unsafe { result::memcpy_htod_async(input.address, bytes, self.stream.cu_stream()) }?;
        }
        if !self.secrets_up.is_empty() {
            self.sent.record(&self.stream)?;
        }
        if self.computing.is_none() {
            self.computing = self
                .device
                .gates
                .computing
                .take(inputs.iter().map(|input| input.copied).sum());
        }
        Ok(())
    }

    /// Schedules a copy to the host, which `read` returns after `wait`.
    pub fn download<T>(&mut self, from: &Download<T>) {
        self.downloads
            .push((from.column.address(), from.pinned.clone()));
    }

    /// Schedules the copies of results to the host when the kernels are done: to pinned memory, or
    /// to their final place `to`.
    ///
    /// # Safety
    /// The memory of `to`, if given, must be page-locked and stay borrowed until `finish` has
    /// waited or the stream is dropped.
    pub unsafe fn receive(&mut self, outputs: [Option<&Output>; 3], to: Option<ResultsMut>) {
        if let Some(ResultsMut {
            codes,
            columns: [first, second],
            ..
        }) = to
        {
            for (output, to) in outputs.into_iter().zip([codes, first, second]) {
                let Some(output) = output else { continue };
                assert_eq!(
                    output.bytes,
                    to.len(),
                    "results are planned as they are wanted"
                );
                self.direct.push((output.address, RawBytes(to)));
            }
            return;
        }
        for output in outputs.into_iter().flatten() {
            if self.secret && output.secret {
                self.secrets_down.push(output.pinned.clone());
            }
            self.downloads.push((output.address, output.pinned.clone()));
        }
    }

    fn start_downloads(&mut self) -> Result<(), Fault> {
        let pinned = self
            .pinned
            .as_mut()
            .expect("`begin` comes first")
            .as_mut_slice();
        for (address, range) in self.downloads.drain(..) {
            // SAFETY: source and destination have the same length; the pinned range is not touched
            // before `finish` or `wait` has waited.
            unsafe {
                result::memcpy_dtoh_async(&mut pinned[range], address, self.stream.cu_stream())
            }?;
        }
        Ok(())
    }

    fn start_direct_downloads(&mut self) -> Result<(), Fault> {
        for (address, RawBytes(to)) in self.direct.drain(..) {
            // SAFETY: source and destination have the same length, and the caller of `receive`
            // keeps the memory borrowed until `finish` has waited.
            unsafe { result::memcpy_dtoh_async(&mut *to, address, self.stream.cu_stream()) }?;
        }
        Ok(())
    }

    /// Sets the first `bytes` bytes of a column on the device to `byte`.
    pub fn fill<T>(&mut self, column: Column<T>, byte: u8, bytes: usize) -> Result<(), Fault> {
        self.fill_memory(column.address(), byte, bytes)
    }

    fn fill_memory(&mut self, address: Address, byte: u8, bytes: usize) -> Result<(), Fault> {
        // SAFETY: the buffer belongs to this stream's chunk and has that many bytes.
        Ok(unsafe { result::memset_d8_async(address, byte, bytes, self.stream.cu_stream()) }?)
    }

    /// Copies to a buffer that no input fills, after everything started before.
    #[cfg(feature = "lab")]
    pub fn write<T>(&mut self, to: Column<T>, bytes: &[u8]) -> Result<(), Fault> {
        // SAFETY: the buffer belongs to this stream's chunk and has that many bytes; the copy is
        // done before this returns.
        unsafe { result::memcpy_htod_async(to.address(), bytes, self.stream.cu_stream()) }?;
        self.settle()
    }

    /// Returns a copy of the first `bytes` bytes of a buffer, made after everything started before.
    #[cfg(feature = "lab")]
    pub fn copy_of<T>(&mut self, from: Column<T>, bytes: usize) -> Result<Vec<u8>, Fault> {
        let mut copy = vec![0; bytes];
        // SAFETY: buffer and vector both have `bytes` bytes; the copy is done before this returns.
        let copied = unsafe {
            result::memcpy_dtoh_async(&mut copy, from.address(), self.stream.cu_stream())
        };
        // The vector may be freed after this, whether the copy succeeded or not.
        self.settle_twice()?;
        copied?;
        Ok(copy)
    }

    /// Downloads the results and waits for everything started. The chunk must not start anything
    /// afterwards. If it holds secrets, its device memory is wiped while the results are read, and
    /// the pinned memory of its inputs is wiped while the device computes.
    pub fn finish(&mut self) -> Result<(), Fault> {
        if self.used.pinned > SMALL || !self.direct.is_empty() {
            // The device executes copies in the order in which they were started: one that waits
            // for its kernels would delay those of other stream slots.
            self.done.record(&self.stream)?;
            self.wipe_sent()?;
            self.wait_for(&self.done)?;
            self.computing = None;
        }
        self.start_downloads()?;
        self.start_direct_downloads()?;
        self.done.record(&self.stream)?;
        if self.secret && !self.wiping {
            self.start_wiping()?;
        }
        self.wipe_sent()?;
        self.wait_for(&self.done)
    }

    /// Starts the scheduled downloads, and waits for everything started.
    pub fn wait(&mut self) -> Result<(), Fault> {
        self.start_downloads()?;
        self.settle()
    }

    /// Wipes secrets in pinned memory once they are on the device.
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
        let spin = if self.used.pinned <= SMALL {
            SPIN_IF_SMALL
        } else {
            SPIN
        };
        let start = Instant::now();
        while start.elapsed() < spin {
            if event.try_is_complete()? {
                return Ok(());
            }
            hint::spin_loop();
        }
        Ok(event.synchronize()?)
    }

    /// Returns the bytes of a completed download.
    pub fn read<T>(&self, from: &Download<T>) -> &[u8] {
        self.received(&from.pinned)
    }

    /// Returns the bytes of a completed download in a range of pinned memory.
    pub fn received(&self, pinned: &Range<usize>) -> &[u8] {
        &self
            .pinned
            .as_ref()
            .expect("`begin` comes first")
            .as_slice()[pinned.clone()]
    }

    /// Launches a kernel on `items` items.
    ///
    /// # Safety
    /// The arguments must be those of the kernel's launch contract, in its order. `super::kernels`
    /// guarantees that.
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
        // SAFETY: the caller guarantees that the arguments are right.
        let events = unsafe { launch.launch(self.shape(grid, items)) }?;
        self.timed
            .extend(events.map(|(start, end)| (name, start, end)));
        Ok(())
    }

    /// Selects whether a few items are computed as many are, by threads with several items each.
    /// Returns the previous setting.
    pub fn use_one_block(&mut self, one: bool) -> bool {
        std::mem::replace(&mut self.one_block, one)
    }

    /// Discards the times of the kernels that ran, so that `end` does not report them.
    pub fn forget_times(&mut self) {
        self.timed.clear();
    }

    fn shape(&self, grid: Grid, items: u64) -> LaunchConfig {
        let (block, limit) = match grid {
            Grid::PerItem { block } => (block, u64::from(u32::MAX >> 1)),
            Grid::Resident { block, .. } if self.one_block => (block, 1),
            Grid::Resident { block, blocks } => {
                (block, u64::from(blocks * self.device.multiprocessors))
            }
        };
        let blocks = items.div_ceil(u64::from(block)).clamp(1, limit);
        let blocks = u32::try_from(blocks).expect("the limit is below 2^31");
        LaunchConfig {
            grid_dim: (blocks, 1, 1),
            block_dim: (block, 1, 1),
            shared_mem_bytes: 0,
        }
    }

    /// Ends a chunk: records the times of its kernels, releases the objects it kept, and wipes
    /// memory that held secrets.
    pub fn end(&mut self) -> Result<(), Fault> {
        for (name, start, end) in std::mem::take(&mut self.timed) {
            if let Ok(milliseconds) = start.elapsed_ms(&end) {
                self.device
                    .add_kernel_time(name, f64::from(milliseconds) / 1e3);
            }
        }
        self.computing = None;
        if !self.kept.is_empty() {
            self.settle()?;
            self.kept.clear();
        }
        self.wipe()
    }

    /// Wipes memory that held secrets, also for a chunk that failed.
    fn wipe(&mut self) -> Result<(), Fault> {
        if !std::mem::take(&mut self.secret) {
            return Ok(());
        }
        // After an error, copies may still be in progress. On a device that does not respond, there
        // is nothing left to wipe.
        let wiped = self.settle_twice().and_then(|()| {
            if self.wiping {
                Ok(())
            } else {
                self.wipe_device()
            }
        });
        wipe_pinned(
            &mut self.pinned,
            self.secrets_up.drain(..).chain(self.secrets_down.drain(..)),
        );
        wiped
    }

    fn wipe_device(&mut self) -> Result<(), Fault> {
        self.start_wiping()?;
        self.settle()
    }

    fn start_wiping(&mut self) -> Result<(), Fault> {
        let Some(arena) = &self.arena else {
            return Ok(());
        };
        let address = arena.address;
        let bytes = self.used.device.min(arena.bytes);
        self.fill_memory(address, 0, bytes)?;
        self.wiping = true;
        Ok(())
    }

    /// Returns the contents of the memory used by the last chunk, on the device and on the host.
    #[cfg(test)]
    pub fn contents(&mut self) -> Result<[Vec<u8>; 2], Fault> {
        let mut on_device = vec![0; self.used.device];
        if let Some(arena) = &self.arena {
            self.device.context.bind_to_thread()?;
            // SAFETY: the arena has at least the bytes that were used.
            unsafe { result::memcpy_dtoh_sync(&mut on_device, arena.address) }?;
        }
        let pinned = self.pinned.as_ref().map_or_else(Vec::new, |pinned| {
            pinned.as_slice()[..self.used.pinned].to_vec()
        });
        Ok([on_device, pinned])
    }

    /// Waits for everything started even if the context reports an earlier error of other work: the
    /// second attempt reports the state of this stream.
    fn settle_twice(&mut self) -> Result<(), Fault> {
        self.settle().or_else(|_| self.settle())
    }
}

/// Returns the pinned ranges of inputs, which are disjoint and in order.
fn parts<'a, 'b>(
    mut pinned: &'b mut [u8],
    inputs: impl Iterator<Item = &'b Input<'a>>,
) -> Vec<(&'b Input<'a>, &'b mut [u8])>
where
    'a: 'b,
{
    let mut parts = Vec::new();
    let mut at = 0;
    for input in inputs {
        let (part, remaining) = pinned[input.pinned.start - at..].split_at_mut(input.pinned.len());
        parts.push((input, part));
        pinned = remaining;
        at = input.pinned.end;
    }
    parts
}

fn wipe_pinned(pinned: &mut Option<PinnedMemory>, ranges: impl Iterator<Item = Range<usize>>) {
    let Some(pinned) = pinned else { return };
    let memory = pinned.as_mut_slice();
    for range in ranges {
        // The driver knows the address of this memory, so no compiler may treat these writes as
        // dead.
        let end = range.end.min(memory.len());
        memory[range.start.min(end)..end].fill(0);
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // The arenas are freed after this: nothing may still use them, and they must not contain
        // secrets. An error here means that the device is gone, and all work on it too.
        let _ = self.wipe();
        let _ = self.settle_twice();
    }
}
