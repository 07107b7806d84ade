//! Addition and subtraction modulo m on x86-64, in inline assembly: the compiler breaks the carry chains around a
//! constant modulus apart, and takes twice the time. Baseline instructions only, so any x86-64 processor runs it.

use super::limbs::Limbs;

/// a + b mod m, for a, b < 2^256 with a + b < 2m.
#[inline(always)]
pub(super) fn add_mod(a: &Limbs, b: &Limbs, modulus: &'static Limbs) -> Limbs {
    let [mut s0, mut s1, mut s2, mut s3] = *a;
    // SAFETY: the code reads the 32 bytes of `modulus`, writes only its output registers, and uses no instruction
    // beyond baseline x86-64.
    unsafe {
        core::arch::asm!(
            "add {s0}, {t0}",
            "adc {s1}, {t1}",
            "adc {s2}, {t2}",
            "adc {s3}, {t3}",
            "sbb {carry:e}, {carry:e}",
            "mov {t0}, {s0}",
            "sub {s0}, [{m}]",
            "mov {t1}, {s1}",
            "sbb {s1}, [{m} + 8]",
            "mov {t2}, {s2}",
            "sbb {s2}, [{m} + 16]",
            "mov {t3}, {s3}",
            "sbb {s3}, [{m} + 24]",
            // The mask of the carry is -1 or 0; this borrows, and the sum stays, only if the sum was below m.
            "sbb {carry:e}, 0",
            "cmovc {s0}, {t0}",
            "cmovc {s1}, {t1}",
            "cmovc {s2}, {t2}",
            "cmovc {s3}, {t3}",
            s0 = inout(reg) s0,
            s1 = inout(reg) s1,
            s2 = inout(reg) s2,
            s3 = inout(reg) s3,
            t0 = inout(reg) b[0] => _,
            t1 = inout(reg) b[1] => _,
            t2 = inout(reg) b[2] => _,
            t3 = inout(reg) b[3] => _,
            carry = out(reg) _,
            m = in(reg) modulus.as_ptr(),
            options(pure, readonly, nostack),
        );
    }
    [s0, s1, s2, s3]
}

/// a - b mod m, for a, b < m.
#[inline(always)]
pub(super) fn sub_mod(a: &Limbs, b: &Limbs, modulus: &'static Limbs) -> Limbs {
    let [mut d0, mut d1, mut d2, mut d3] = *a;
    // SAFETY: as in `add_mod`: reads `modulus`, writes output registers, baseline instructions.
    unsafe {
        core::arch::asm!(
            "sub {d0}, {t0}",
            "sbb {d1}, {t1}",
            "sbb {d2}, {t2}",
            "sbb {d3}, {t3}",
            "sbb {borrow:e}, {borrow:e}",
            "mov {t0}, {d0}",
            "add {t0}, [{m}]",
            "mov {t1}, {d1}",
            "adc {t1}, [{m} + 8]",
            "mov {t2}, {d2}",
            "adc {t2}, [{m} + 16]",
            "mov {t3}, {d3}",
            "adc {t3}, [{m} + 24]",
            "test {borrow:e}, {borrow:e}",
            "cmovnz {d0}, {t0}",
            "cmovnz {d1}, {t1}",
            "cmovnz {d2}, {t2}",
            "cmovnz {d3}, {t3}",
            d0 = inout(reg) d0,
            d1 = inout(reg) d1,
            d2 = inout(reg) d2,
            d3 = inout(reg) d3,
            t0 = inout(reg) b[0] => _,
            t1 = inout(reg) b[1] => _,
            t2 = inout(reg) b[2] => _,
            t3 = inout(reg) b[3] => _,
            borrow = out(reg) _,
            m = in(reg) modulus.as_ptr(),
            options(pure, readonly, nostack),
        );
    }
    [d0, d1, d2, d3]
}
