//! What stands for the GPU engine in a library that is built without CUDA: an engine that never starts.

use crate::cpu::CpuEngine;
use crate::types::{Batch, Error, Place};
use std::collections::BTreeMap;
use std::ops::Range;

/// There is none.
#[derive(Debug)]
pub enum GpuEngine {}

/// There is nothing to launch.
pub trait OnGpu: Batch {}

impl<T: Batch + ?Sized> OnGpu for T {}

/// What an engine would be held to.
pub struct Limits {
    pub max_memory: Option<usize>,
    pub largest_chunk: Option<usize>,
    pub time_kernels: bool,
    pub l2_persistence: bool,
}

/// Why there is no engine.
pub enum Unavailable {
    Devices(String),
    Threads(std::io::Error),
}

impl From<Unavailable> for Error {
    fn from(reason: Unavailable) -> Self {
        match reason {
            Unavailable::Devices(problem) => Error::NoDevice(problem),
            Unavailable::Threads(problem) => Error::Threads(problem.to_string()),
        }
    }
}

pub enum FaultKind {
    Memory,
    Kernels,
    Answers,
    Device,
}

/// What an engine would do without.
pub struct Failure {
    pub device: String,
    pub kind: FaultKind,
    pub problem: String,
}

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
