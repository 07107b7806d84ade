//! What stands for the GPU engine in a library that is built without CUDA: an engine that never starts.

#[path = "gpu/terms.rs"]
mod terms;

use crate::cpu::CpuEngine;
use crate::types::{Batch, Place};
use std::collections::BTreeMap;
use std::ops::Range;
pub use terms::{Failure, FaultKind, KernelOrigin, Limits, LoadedKernels, Unavailable};

/// There is none.
#[derive(Debug)]
pub enum GpuEngine {}

/// There is nothing to launch.
pub trait OnGpu: Batch {}

impl<T: Batch + ?Sized> OnGpu for T {}

/// A test that no device runs.
pub struct Test {
    pub on: &'static str,
}

/// No memory is locked.
#[derive(Debug)]
pub enum PageLock {}

impl GpuEngine {
    /// # Errors
    /// Always.
    pub fn new(_: Limits) -> Result<Self, Unavailable> {
        Err(Unavailable::Devices("the library was built without the feature `cuda`".to_owned()))
    }

    pub fn labels(&self) -> Vec<String> {
        match *self {}
    }

    pub fn failures(&self) -> Vec<Failure> {
        match *self {}
    }

    pub fn take_kernel_times(&self) -> BTreeMap<&'static str, (f64, u64)> {
        match *self {}
    }

    pub fn loaded_kernels(&self) -> Vec<LoadedKernels> {
        match *self {}
    }

    /// # Safety
    /// None is asked for: this is never called.
    pub unsafe fn lock_pages(&self, _: Range<*const u8>) -> Option<PageLock> {
        match *self {}
    }

    pub fn self_test(&self, _: &CpuEngine, _: &[Test]) -> Result<(), Unavailable> {
        match *self {}
    }

    pub fn warm_up(&self, _: &CpuEngine, _: &'static str, _: &[Test]) -> Result<(), Unavailable> {
        match *self {}
    }

    pub fn run(
        &self,
        _: &CpuEngine,
        _: &dyn OnGpu,
        _: &mut dyn Place,
        _: &dyn Fn(Range<usize>, &mut dyn Place),
        _: bool,
    ) -> Result<(), Unavailable> {
        match *self {}
    }
}
