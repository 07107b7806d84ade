//! The suite on the GPUs. Where there is none, it says so and passes, unless `GECC_REQUIRE_GPU=1`.

mod skip;
mod suite;

use gecc::{Backend, Engine};
use std::sync::OnceLock;

/// All GPUs, or `None` where there is none: then the reason is printed, and with `GECC_REQUIRE_GPU=1` every test fails.
fn engine() -> Option<&'static Engine> {
    static ENGINE: OnceLock<Option<Engine>> = OnceLock::new();
    ENGINE.get_or_init(|| skip::without_gpu(Engine::builder().backend(Backend::Gpu).build())).as_ref()
}

suite::suite!(crate::engine);
