//! A stream together with the state that its device keeps between chunks.

use super::self_tests::Tested;
use crate::gpu::runtime::{Device, Fault, Stream};
use crate::gpu::tables::{BasePoint, KeyCache};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// State that a device keeps between chunks and calls, shared by all its streams.
#[derive(Debug, Default)]
pub struct Kept {
    pub base_point: BasePoint,
    pub key_cache: KeyCache,
    /// Results of the self-tests of its kernels.
    pub tested: Tested,
}

/// One of the streams of a device.
pub struct Lane {
    stream: Stream,
    pub kept: Arc<Kept>,
}

impl Lane {
    pub fn new(device: Arc<Device>, kept: Arc<Kept>) -> Result<Self, Fault> {
        Ok(Lane { stream: Stream::new(device)?, kept })
    }
}

impl Deref for Lane {
    type Target = Stream;

    fn deref(&self) -> &Stream {
        &self.stream
    }
}

impl DerefMut for Lane {
    fn deref_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }
}
