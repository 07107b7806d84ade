//! Medians, rates, and samples to check, for `gecc bench` and gecc-bench.

pub(crate) mod calls;
pub mod samples;
pub mod timing;

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
