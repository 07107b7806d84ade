//! Tests that need a GPU, where there is none.

use gecc::Error;
use std::io::Write;

/// What came about, or `None` where there is no GPU: then the reason is printed, and with `GECC_REQUIRE_GPU=1` it is a failure.
pub fn without_gpu<T>(result: Result<T, Error>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(reason @ Error::NoDevice(_)) => {
            let required = std::env::var("GECC_REQUIRE_GPU").is_ok_and(|value| value == "1");
            assert!(!required, "GECC_REQUIRE_GPU=1, and {reason}");
            // Unlike `eprintln!`, this is shown of tests that pass too.
            let line = format!("GPU tests skipped: {reason}. GECC_REQUIRE_GPU=1 makes that a failure.");
            writeln!(std::io::stderr(), "{line}").expect("stderr is open");
            None
        }
        Err(other) => panic!("{other}"),
    }
}
