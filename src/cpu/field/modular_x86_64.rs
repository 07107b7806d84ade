//! Addition, subtraction and halving modulo m on x86-64, in inline assembly: the compiler breaks the carry chains
//! around a constant modulus apart, and takes twice the time. Baseline instructions only: any x86-64 processor runs it.

use super::limbs::{self, Limbs};

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

/// `$a - $b`, less one if the first instructions make a borrow of it, mod `$modulus`; `$borrow` is the operand of the borrow.
macro_rules! subtract {
    ($a:expr, $b:expr, $modulus:expr, [$($first:literal),+], $($borrow:tt)+) => {{
        let [mut d0, mut d1, mut d2, mut d3] = $a;
        // SAFETY: as in `add_mod`: reads `modulus`, writes output registers, baseline instructions.
        unsafe {
            core::arch::asm!(
                $($first,)+
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
                t0 = inout(reg) $b[0] => _,
                t1 = inout(reg) $b[1] => _,
                t2 = inout(reg) $b[2] => _,
                t3 = inout(reg) $b[3] => _,
                borrow = $($borrow)+,
                m = in(reg) $modulus.as_ptr(),
                options(pure, readonly, nostack),
            );
        }
        [d0, d1, d2, d3]
    }};
}

/// a - b mod m, for a, b < m.
#[inline(always)]
pub(super) fn sub_mod(a: &Limbs, b: &Limbs, modulus: &'static Limbs) -> Limbs {
    subtract!(*a, b, modulus, ["sub {d0}, {t0}"], out(reg) _)
}

/// (a - b) mod m 2^256 as (low half, high half), for a, b < m 2^256.
#[inline(always)]
pub(super) fn sub_wide_mod(a: &(Limbs, Limbs), b: &(Limbs, Limbs), modulus: &'static Limbs) -> (Limbs, Limbs) {
    let (low, borrow) = limbs::sub(&a.0, &b.0);
    // The first instruction carries exactly if `borrow` is set.
    let first_borrow = u32::from(borrow);
    let high = subtract!(a.1, b.1, modulus, ["add {borrow:e}, -1", "sbb {d0}, {t0}"], inout(reg) first_borrow => _);
    (low, high)
}

/// a / 2 mod m, for an odd m and a < m: half of a or of a + m, whichever is even.
#[inline(always)]
pub(super) fn half_mod(a: &Limbs, modulus: &'static Limbs) -> Limbs {
    let [mut h0, mut h1, mut h2, mut h3] = *a;
    // SAFETY: as in `add_mod`: reads `modulus`, writes output registers, baseline instructions.
    unsafe {
        core::arch::asm!(
            "mov {t0}, {h0}",
            "and {t0:e}, 1",
            "neg {t0}",
            "mov {t1}, [{m} + 8]",
            "and {t1}, {t0}",
            "mov {t2}, [{m} + 16]",
            "and {t2}, {t0}",
            "mov {t3}, [{m} + 24]",
            "and {t3}, {t0}",
            "and {t0}, [{m}]",
            "add {h0}, {t0}",
            "adc {h1}, {t1}",
            "adc {h2}, {t2}",
            "adc {h3}, {t3}",
            "rcr {h3}, 1",
            "rcr {h2}, 1",
            "rcr {h1}, 1",
            "rcr {h0}, 1",
            h0 = inout(reg) h0,
            h1 = inout(reg) h1,
            h2 = inout(reg) h2,
            h3 = inout(reg) h3,
            t0 = out(reg) _,
            t1 = out(reg) _,
            t2 = out(reg) _,
            t3 = out(reg) _,
            m = in(reg) modulus.as_ptr(),
            options(pure, readonly, nostack),
        );
    }
    [h0, h1, h2, h3]
}
