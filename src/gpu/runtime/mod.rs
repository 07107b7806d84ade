//! One GPU: driver, memory, kernels from source to machine code, and streams. The only user of
//! cudarc.

mod architecture;
mod device;
mod fault;
mod gates;
pub mod kernel_cache;
pub mod kernel_files;
#[cfg(feature = "lab")]
mod lab;
pub mod machine_code;
mod memory;
pub mod nvrtc;
pub mod pack;
mod page_lock;
mod plan;
pub mod sources;
mod stream;

pub use cudarc::driver::{CudaContext as Context, CudaEvent as Event};
pub use device::{Device, count};
pub use fault::Fault;
pub use memory::{CallersContext, DeviceMemory};
pub use page_lock::{PageLock, is_locked};
pub use plan::{ALIGNMENT, Bytes, Download, Input, InputSource, Occasion, Plan};
pub use sources::{NO_CURVE, Unit};
pub use stream::{Argument, Grid, Stream};

/// Streams of a device that work at a time: one computes, one waits for its turn, the others copy
/// and convert (docs/design/host.md).
pub const STREAMS: usize = 5;

/// Returns the number of multiprocessors that are busy when kernels with two blocks of 256 threads
/// compute `items` items.
pub fn at_work(items: usize, multiprocessors: usize) -> usize {
    items.div_ceil(2 * 256).min(multiprocessors)
}
