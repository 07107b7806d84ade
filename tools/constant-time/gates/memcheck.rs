//! Requests to valgrind's memcheck: what counts as undefined.
//!
//! A request is a sequence of instructions that does nothing, with the address of six words in rax;
//! valgrind knows it and answers in rdx. Sequence and numbers: `valgrind.h` and `memcheck.h` of
//! valgrind 3.

use std::arch::asm;
use std::mem::size_of_val;

const RUNNING_ON_VALGRIND: u64 = 0x1001;
/// Memcheck's requests begin at the letters MC.
const MAKE_MEM_UNDEFINED: u64 = 0x4d43_0001;
const MAKE_MEM_DEFINED: u64 = 0x4d43_0002;

fn request(number: u64, address: u64, length: u64) -> u64 {
    let words = [number, address, length, 0, 0, 0];
    let mut answer = 0;
    // SAFETY: four rotations by 128 bits in all, and an exchange of a register with itself: nothing
    // changes but flags. Under valgrind the memory that is named stays as it is, and rdx gets the
    // answer.
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") &raw const words,
            inout("rdx") 0u64 => answer,
            inout("rdi") 0u64 => _,
        );
    }
    answer
}

/// Returns whether this process runs under valgrind.
pub fn is_running() -> bool {
    request(RUNNING_ON_VALGRIND, 0, 0) != 0
}

/// Marks these bytes as secret; everything computed from them counts as secret too.
pub fn make_secret<T: ?Sized>(value: &mut T) {
    request(
        MAKE_MEM_UNDEFINED,
        (&raw mut *value).cast::<u8>() as u64,
        size_of_val(value) as u64,
    );
}

/// Marks these bytes as public.
pub fn make_public<T: ?Sized>(value: &mut T) {
    request(
        MAKE_MEM_DEFINED,
        (&raw mut *value).cast::<u8>() as u64,
        size_of_val(value) as u64,
    );
}
