//! The gates and their parts.

#[allow(unused_imports, unused_macros, reason = "the suite needs more of it")]
#[path = "../../../tests/support/each.rs"]
mod each;
mod elf;
mod flow;
mod flow_tests;
mod instruction;
mod kernels;
mod lanes;
mod list;
mod memcheck;
mod operations;
mod portable;
mod program;
mod sass;
mod sass_word;
mod value;
mod x86;

use crate::harness::needs::{VALGRIND, in_release};
use crate::harness::{self, named, tests};
use crate::nvrtc::NVRTC;
use std::process::ExitCode;

pub fn main() -> ExitCode {
    if portable::is_watched() {
        return ExitCode::SUCCESS;
    }
    let lists = [
        tests(
            in_release(None),
            named![
                flow_tests::branches_and_addresses,
                flow_tests::loops_go_round_until_nothing_is_new,
                flow_tests::complementary_conditional_writes_are_complete,
                flow_tests::conditional_reads_see_conditional_writes,
                flow_tests::bits_are_tracked_separately,
                flow_tests::memory_keeps_secrets,
                flow_tests::calls_return_to_their_callers,
                lanes::secrets_do_not_affect_branches_or_addresses,
                lanes::leaks_are_found,
            ],
        ),
        tests(
            in_release(Some(&NVRTC)),
            named![
                kernels::secrets_do_not_affect_branches_or_addresses,
                kernels::leaks_are_found
            ],
        ),
        tests(
            in_release(Some(&VALGRIND)),
            named![
                portable::secrets_do_not_affect_branches_or_addresses,
                portable::leaks_are_reported
            ],
        ),
    ];
    harness::run(lists.into_iter().flatten().collect())
}
