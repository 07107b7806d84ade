//! Measurements of the public operations: random inputs, calls whose results are checked, and medians.

mod checked;
mod flags;
pub mod inputs;
pub mod operations;
mod rate;
pub mod samples;
pub mod schemes;
pub mod timing;

pub use checked::Checked;
pub use flags::BatchOptions;
pub use operations::PublicCall;
pub use rate::rate;

use gecc::{Backend, Engine};

/// Items in a batch where nothing else is asked for.
const CPU_ITEMS: usize = 1 << 14;
const GPU_ITEMS: usize = 1 << 20;

/// Items in a batch of an engine where nothing else is asked for.
pub fn default_items(engine: &Engine) -> usize {
    if engine.info().backend == Backend::Gpu { GPU_ITEMS } else { CPU_ITEMS }
}
