//! Page-locked memory of the caller, which the device copies from and to without the host's help.

use super::fault::Fault;
use super::memory::CallersContext;
use crate::host::process::Process;
use crate::host::{lock, trace};
use cudarc::driver::{CudaContext, sys};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// Page-locked address ranges of the process, for every device.
static LOCKED: Mutex<Ranges> = Mutex::new(Ranges(BTreeMap::new()));

/// Disjoint ranges: the start of each, mapped to its end.
#[derive(Debug)]
struct Ranges(BTreeMap<usize, usize>);

impl Ranges {
    /// Returns whether one range contains all of these addresses.
    fn contain(&self, addresses: Range<usize>) -> bool {
        self.0
            .range(..=addresses.start)
            .next_back()
            .is_some_and(|(_, end)| addresses.end <= *end)
    }
}

/// Returns whether a device may copy from these bytes while they are borrowed.
pub fn is_locked(bytes: &[u8]) -> bool {
    let addresses = bytes.as_ptr_range();
    !bytes.is_empty() && lock(&LOCKED).contain(addresses.start as usize..addresses.end as usize)
}

/// Memory that stays page-locked until this is dropped.
#[derive(Debug)]
pub struct PageLock {
    start: usize,
    /// Not dropped in a forked process, where the driver does not work.
    context: ManuallyDrop<Arc<CudaContext>>,
    process: Process,
}

impl PageLock {
    /// Page-locks memory.
    ///
    /// # Safety
    /// The memory must belong to the caller, and must be neither moved nor freed before the lock is
    /// dropped.
    pub unsafe fn new(context: &Arc<CudaContext>, memory: Range<*const u8>) -> Result<Self, Fault> {
        let Range { start, end } = memory.start as usize..memory.end as usize;
        let _span = trace::span("pages locked", end - start);
        let _kept = CallersContext::keep();
        context.bind_to_thread()?;
        let pointer = memory.start.cast_mut().cast::<c_void>();
        let flags = sys::CU_MEMHOSTREGISTER_PORTABLE;
        // SAFETY: the range is the caller's, and is unlocked by `drop`.
        unsafe { sys::cuMemHostRegister_v2(pointer, end - start, flags) }.result()?;
        lock(&LOCKED).0.insert(start, end);
        Ok(PageLock {
            start,
            context: ManuallyDrop::new(context.clone()),
            process: Process::this(),
        })
    }
}

impl Drop for PageLock {
    fn drop(&mut self) {
        if !self.process.is_this() {
            return;
        }
        lock(&LOCKED).0.remove(&self.start);
        // Dropping the last reference to the context binds it in order to release it.
        let _kept = CallersContext::keep();
        // A destroyed context has released its page locks.
        if let Some(_kept) = CallersContext::lend_to(&self.context) {
            // SAFETY: locked by `new`. No copy is in progress, because every copy borrows the
            // memory until it is done.
            let _ = unsafe { sys::cuMemHostUnregister(self.start as *mut c_void) };
        }
        // SAFETY: the context is not used again.
        unsafe { ManuallyDrop::drop(&mut self.context) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_contain_only_subranges_of_one_range() {
        let ranges = Ranges(BTreeMap::from([(100, 200), (200, 300), (500, 600)]));
        let inside = [100..101, 100..200, 150..199, 200..300, 599..600];
        let outside = [
            0..100,
            99..101,
            150..250,
            299..301,
            300..500,
            400..550,
            600..601,
        ];
        assert!(inside.into_iter().all(|range| ranges.contain(range)));
        assert!(!outside.into_iter().any(|range| ranges.contain(range)));
    }
}
