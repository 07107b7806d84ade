//! The suite on the GPUs. Where there is none, it says so and passes, unless `GECC_REQUIRE_GPU=1`.

mod suite;

use gecc::{Backend, Engine, Error};
use std::sync::OnceLock;
use suite::support::report::announce;

/// All GPUs, or `None` where there is none: then the reason is printed, and with `GECC_REQUIRE_GPU=1` every test fails.
fn engine() -> Option<&'static Engine> {
    static ENGINE: OnceLock<Option<Engine>> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| match Engine::builder().backend(Backend::Gpu).build() {
        Ok(engine) => Some(engine),
        Err(reason @ Error::NoDevice(_)) => {
            announce(&format!("GPU tests skipped: {reason}. GECC_REQUIRE_GPU=1 makes that a failure."));
            None
        }
        Err(other) => panic!("{other}"),
    });
    let required = std::env::var("GECC_REQUIRE_GPU").is_ok_and(|value| value == "1");
    assert!(engine.is_some() || !required, "GECC_REQUIRE_GPU=1, and there is no usable GPU");
    engine.as_ref()
}

suite::suite!(crate::engine);
