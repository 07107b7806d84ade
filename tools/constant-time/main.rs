//! No branch and no address depends on a secret: checked on machine code, without trusting a
//! compiler.
//!
//! The result holds for the compiler and the version of NVRTC that it was run with, and for no
//! other.
//!
//! Three gates. The portable CPU engine runs under valgrind with its secrets marked undefined
//! (`portable`). The other two follow secrets through machine code (`flow`): that of the GPU
//! kernels as NVRTC makes it (`kernels`), and that of the AVX-512 IFMA functions in this very
//! binary (`lanes`).
//!
//! Permitted dependences on secrets are listed, each with its reason, in `portable.txt`,
//! `kernels.txt` and `lanes.txt`. A finding that is not listed fails, and so does an entry that is
//! not found any more. `GECC_WRITE_GATES=1 cargo test --release --test constant_time` writes the
//! lists anew and keeps the reasons. A report of valgrind is listed by the innermost line of this
//! crate; it may be replaced by hand by a line further out that explains all reports below it.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod gates;
#[path = "../../tests/harness/mod.rs"]
mod harness;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "../../tests/harness/nvrtc.rs"]
mod nvrtc;

use std::process::ExitCode;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn main() -> ExitCode {
    gates::main()
}

/// The tests know only the files of Linux and the instructions of x86-64.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn main() -> ExitCode {
    harness::run(Vec::new())
}
