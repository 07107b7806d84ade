//! Measurements of the public operations: random inputs, calls with checked results, and medians.

pub(crate) mod calls;
mod checked;
mod flags;
pub mod inputs;
pub mod operations;
pub mod samples;
pub mod schemes;
pub mod timing;

pub use checked::CheckedCall;
pub use flags::BatchOptions;
pub use operations::PublicCall;
pub use timing::rate;

use gecc::{Backend, Engine};

/// The default number of items in a batch.
const CPU_ITEMS: usize = 1 << 14;
const GPU_ITEMS: usize = 1 << 20;

/// Returns the default number of items in a batch for an engine.
pub fn default_items(engine: &Engine) -> usize {
    if engine.info().backend == Backend::Gpu {
        GPU_ITEMS
    } else {
        CPU_ITEMS
    }
}
