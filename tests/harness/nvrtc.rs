//! The compiler of kernels, for tests that compile them.

use crate::harness::needs::Need;

pub static NVRTC: Need = Need::new("GECC_REQUIRE_NVRTC", || {
    gecc::kernels::nvrtc_version()
        .err()
        .map(|problem| problem.to_string())
});
