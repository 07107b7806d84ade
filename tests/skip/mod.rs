//! Tests that need a GPU, where there is none.

#[path = "../../src/skip.rs"]
mod missing;

use gecc::Error;
#[allow(unused_imports, reason = "one test binary also needs what not every processor has")]
pub use missing::without;

/// What came about, or `None` where there is no GPU: then the reason is printed, and with `GECC_REQUIRE_GPU=1` it is a failure.
pub fn without_gpu<T>(result: Result<T, Error>) -> Option<T> {
    match result {
        Err(other) if !matches!(other, Error::NoDevice(_)) => panic!("{other}"),
        found => missing::without(found, "GECC_REQUIRE_GPU"),
    }
}
