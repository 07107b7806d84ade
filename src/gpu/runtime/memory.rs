//! Device memory and pinned host memory, both freed on drop.

use super::fault::Fault;
use crate::gpu::columns::Address;
use crate::host::trace;
use cudarc::driver::{CudaContext, result, sys};
use std::ffi::c_void;
use std::sync::Arc;

/// The context that was current on this thread. Dropping this makes it current again, because the
/// caller's thread must keep the caller's context.
#[derive(Debug)]
pub struct CallersContext(sys::CUcontext);

impl CallersContext {
    /// Saves the current context. The driver must have been found; if it is not initialised, a
    /// context does not exist.
    pub fn keep() -> Self {
        let mut context = std::ptr::null_mut();
        // SAFETY: the argument is a writable pointer.
        let _ = unsafe { sys::cuCtxGetCurrent(&mut context) };
        CallersContext(context)
    }

    /// Makes a context current until this is dropped. Returns `None` if the context has been
    /// destroyed. The first attempt may fail because of an earlier error that the context reports
    /// late.
    pub fn lend_to(context: &CudaContext) -> Option<Self> {
        let kept = Self::keep();
        context
            .bind_to_thread()
            .or_else(|_| context.bind_to_thread())
            .is_ok()
            .then_some(kept)
    }
}

impl Drop for CallersContext {
    fn drop(&mut self) {
        // SAFETY: the context was current before. If its owner has destroyed it since, the driver
        // refuses.
        let _ = unsafe { sys::cuCtxSetCurrent(self.0) };
    }
}

/// Device memory from a plain allocation: 256-byte aligned and uninitialised.
#[derive(Debug)]
pub struct DeviceMemory {
    pub address: Address,
    pub bytes: usize,
    context: Arc<CudaContext>,
}

impl DeviceMemory {
    pub fn new(context: &Arc<CudaContext>, bytes: usize) -> Result<Self, Fault> {
        let _span = trace::span("device memory taken", bytes);
        context.bind_to_thread()?;
        // SAFETY: the context is current; the memory is freed once, by `drop`.
        let address = unsafe { result::malloc_sync(bytes.max(1)) }.map_err(|problem| {
            let fault = Fault::from(problem);
            Fault {
                problem: format!("{} ({} MiB)", fault.problem, bytes.div_ceil(1 << 20)),
                ..fault
            }
        })?;
        Ok(DeviceMemory {
            address,
            bytes,
            context: context.clone(),
        })
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        let _span = trace::span("device memory freed", self.bytes);
        // A destroyed context has freed everything.
        if let Some(_kept) = CallersContext::lend_to(&self.context) {
            // SAFETY: all users of the memory have waited for their streams (`Stream`, `BasePoint`,
            // `KeyCache`).
            let _ = unsafe { result::free_sync(self.address) };
        }
    }
}

/// Host memory that the device copies from and to without the host's help. It is cacheable, so that
/// reading results back is fast.
#[derive(Debug)]
pub struct PinnedMemory {
    pointer: *mut u8,
    bytes: usize,
    context: Arc<CudaContext>,
}

// SAFETY: the memory belongs to this value alone; access goes through `&self` and `&mut self`.
unsafe impl Send for PinnedMemory {}
// SAFETY: as above; shared access only reads.
unsafe impl Sync for PinnedMemory {}

impl PinnedMemory {
    pub fn new(context: &Arc<CudaContext>, bytes: usize) -> Result<Self, Fault> {
        let _span = trace::span("pinned memory taken", bytes);
        context.bind_to_thread()?;
        // SAFETY: the context is current; the memory is freed once, by `drop`.
        let pointer = unsafe { result::malloc_host(bytes.max(1), 0) }?.cast::<u8>();
        // Initialised, so that slices of it may exist.
        // SAFETY: the allocation has that many bytes.
        unsafe { pointer.write_bytes(0, bytes) };
        Ok(PinnedMemory {
            pointer,
            bytes,
            context: context.clone(),
        })
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: initialised by `new`; the device writes to it only between a copy's start and the
        // wait for its stream, when `Stream` lends nothing.
        unsafe { std::slice::from_raw_parts(self.pointer, self.bytes) }
    }

    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as in `as_slice`, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.bytes) }
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        let _span = trace::span("pinned memory freed", self.bytes);
        if let Some(_kept) = CallersContext::lend_to(&self.context) {
            // SAFETY: allocated by `malloc_host`, not used again.
            let _ = unsafe { result::free_host(self.pointer.cast::<c_void>()) };
        }
    }
}
