//! Stream slots: the streams of a device, together with the state that it keeps between chunks.

use super::self_test_results::SelfTestResults;
use crate::gpu::runtime::{Device, Fault, Stream};
use crate::gpu::tables::{BasePoint, KeyCache};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// State that a device keeps between chunks and calls, shared by all its streams.
#[derive(Debug, Default)]
pub struct DeviceCache {
    pub base_point: BasePoint,
    pub key_cache: KeyCache,
    /// Results of the self-tests of its kernels.
    pub self_tests: SelfTestResults,
}

/// One of the streams of a device.
pub struct StreamSlot {
    stream: Stream,
    pub cache: Arc<DeviceCache>,
}

impl StreamSlot {
    pub fn new(device: Arc<Device>, kept: Arc<DeviceCache>) -> Result<Self, Fault> {
        Ok(StreamSlot {
            stream: Stream::new(device)?,
            cache: kept,
        })
    }
}

impl Deref for StreamSlot {
    type Target = Stream;

    fn deref(&self) -> &Stream {
        &self.stream
    }
}

impl DerefMut for StreamSlot {
    fn deref_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }
}
