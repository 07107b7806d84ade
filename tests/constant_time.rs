//! Nothing branches on a secret and no address depends on one: checked on machine code, without trusting a compiler.
//!
//! What another compiler makes of the sources, or another version of NVRTC, this says nothing of before it is run with it.
//!
//! Three gates. The portable CPU engine runs under valgrind with its secrets marked undefined (`portable`). The other two
//! follow secrets through machine code (`flow`): that of the GPU kernels as NVRTC makes it (`kernels`), and that of the
//! AVX-512 IFMA functions in this very binary (`lanes`).
//!
//! What does depend on a secret and may is listed, each with its reason, in `portable.txt`, `kernels.txt` and `lanes.txt`. A
//! finding that is not listed fails, and so does an entry that is not found any more. `GECC_WRITE_GATES=1 cargo test --release
//! --test constant_time` writes the lists anew and keeps the reasons. A report of valgrind is listed by the innermost line of
//! this crate; it may be replaced by hand by a line further out that explains all that comes of it.
//!
//! Without valgrind or NVRTC their gates say so and pass, unless `GECC_REQUIRE_VALGRIND=1` or `GECC_REQUIRE_NVRTC=1`.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "constant_time/elf.rs"]
mod elf;
#[path = "constant_time/flow.rs"]
mod flow;
#[path = "constant_time/flow_tests.rs"]
mod flow_tests;
#[path = "constant_time/instruction.rs"]
mod instruction;
#[path = "constant_time/kernels.rs"]
mod kernels;
#[path = "constant_time/lanes.rs"]
mod lanes;
#[path = "constant_time/list.rs"]
mod list;
#[path = "constant_time/memcheck.rs"]
mod memcheck;
#[path = "constant_time/operations.rs"]
mod operations;
#[path = "constant_time/portable.rs"]
mod portable;
#[path = "constant_time/program.rs"]
mod program;
#[path = "constant_time/sass.rs"]
mod sass;
#[path = "constant_time/sass_word.rs"]
mod sass_word;
#[path = "../src/skip.rs"]
mod skip;
#[path = "constant_time/value.rs"]
mod value;
#[path = "constant_time/x86.rs"]
mod x86;
