//! Internals for `crates/gecc-bench`, which runs and times kernels of its own next to those of
//! operations and records a timeline of the library's steps. Enabled by the feature `lab`; without
//! a promise of stability.

pub use crate::curve::constants;
pub use crate::gpu::interface::Limits;
pub use crate::gpu::runtime::nvrtc::Text;
pub use crate::gpu::runtime::{
    Argument, Bytes, Device, Fault, Grid, NO_CURVE, Plan, Stream, Unit, count,
};
pub use crate::gpu::schedule::{DeviceCache, StreamSlot};
pub use crate::gpu::transfer::{Jacobian, Points};
pub use crate::gpu::{columns, kernels};

use crate::gpu::runtime::nvrtc::Nvrtc;
use crate::kernels::{KernelUsage, parse_report};
use crate::types::Error;

/// Time-stamped records of the library's steps.
pub mod trace {
    pub use crate::host::trace::{SpanRecord, begin, now, take};
}

/// Compiles kernels for one architecture, such as `sm_90`, and reports the resource usage of each.
///
/// # Errors
/// [`Error::Kernels`] if NVRTC is missing or cannot compile them.
pub fn compile(text: &Text, architecture: &str) -> Result<(Vec<u8>, Vec<KernelUsage>), Error> {
    let nvrtc = Nvrtc::find().map_err(Error::Kernels)?;
    let (cubin, report) = nvrtc
        .compile_with_report(text, architecture)
        .map_err(Error::Kernels)?;
    Ok((cubin, parse_report(text.unit, &report)))
}
