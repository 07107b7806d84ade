//! Reports skipped cases.

use std::io::Write;

/// Prints a line that the test harness does not swallow.
pub fn announce(line: &str) {
    writeln!(std::io::stderr(), "{line}").expect("stderr is open");
}
