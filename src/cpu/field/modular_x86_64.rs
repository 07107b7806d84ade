//! Addition, subtraction and halving modulo m on x86-64 in inline assembly: the compiler breaks up
//! the carry chains around a constant modulus, which takes twice the time. The code uses only
//! baseline instructions, which every x86-64 processor has.

use super::limbs::{self, Limbs};

/// Runs `$code` on the limbs r0..r3 of `$a` and t0..t3 of `$b`, with the modulus at address m and a
/// register for a carry, whose operand is `$carry`. Returns r0..r3.
macro_rules! on_limbs {
    ($a:expr, $b:expr, $modulus:expr, [$($code:literal),+ $(,)?], $($carry:tt)+) => {{
        let [mut r0, mut r1, mut r2, mut r3] = $a;
        // SAFETY: the code reads the 32 bytes of `modulus`, writes only its output registers, and
        // uses no instruction beyond baseline x86-64.
        unsafe {
            core::arch::asm!(
                $($code,)+
                r0 = inout(reg) r0,
                r1 = inout(reg) r1,
                r2 = inout(reg) r2,
                r3 = inout(reg) r3,
                t0 = inout(reg) $b[0] => _,
                t1 = inout(reg) $b[1] => _,
                t2 = inout(reg) $b[2] => _,
                t3 = inout(reg) $b[3] => _,
                carry = $($carry)+,
                m = in(reg) $modulus.as_ptr(),
                options(pure, readonly, nostack),
            );
        }
        [r0, r1, r2, r3]
    }};
}

/// a + b mod m, for a, b < 2^256 with a + b < 2m.
#[inline(always)]
pub(super) fn add_mod(a: &Limbs, b: &Limbs, modulus: &'static Limbs) -> Limbs {
    // The mask of the carry is -1 or 0; its `sbb` borrows, and the sum stays, only if the sum was
    // below m.
    on_limbs!(
        *a,
        b,
        modulus,
        [
            "add {r0}, {t0}",
            "adc {r1}, {t1}",
            "adc {r2}, {t2}",
            "adc {r3}, {t3}",
            "sbb {carry:e}, {carry:e}",
            "mov {t0}, {r0}",
            "sub {r0}, [{m}]",
            "mov {t1}, {r1}",
            "sbb {r1}, [{m} + 8]",
            "mov {t2}, {r2}",
            "sbb {r2}, [{m} + 16]",
            "mov {t3}, {r3}",
            "sbb {r3}, [{m} + 24]",
            "sbb {carry:e}, 0",
            "cmovc {r0}, {t0}",
            "cmovc {r1}, {t1}",
            "cmovc {r2}, {t2}",
            "cmovc {r3}, {t3}",
        ],
        out(reg) _
    )
}

/// Computes `$a - $b`, minus one if the first instructions generate a borrow from `$borrow`, mod
/// `$modulus`; `$borrow` is the operand of the borrow.
macro_rules! subtract {
    ($a:expr, $b:expr, $modulus:expr, [$($first:literal),+], $($borrow:tt)+) => {
        on_limbs!(
            $a,
            $b,
            $modulus,
            [
                $($first,)+
                "sbb {r1}, {t1}",
                "sbb {r2}, {t2}",
                "sbb {r3}, {t3}",
                "sbb {carry:e}, {carry:e}",
                "mov {t0}, {r0}",
                "add {t0}, [{m}]",
                "mov {t1}, {r1}",
                "adc {t1}, [{m} + 8]",
                "mov {t2}, {r2}",
                "adc {t2}, [{m} + 16]",
                "mov {t3}, {r3}",
                "adc {t3}, [{m} + 24]",
                "test {carry:e}, {carry:e}",
                "cmovnz {r0}, {t0}",
                "cmovnz {r1}, {t1}",
                "cmovnz {r2}, {t2}",
                "cmovnz {r3}, {t3}",
            ],
            $($borrow)+
        )
    };
}

/// a - b mod m, for a, b < m.
#[inline(always)]
pub(super) fn sub_mod(a: &Limbs, b: &Limbs, modulus: &'static Limbs) -> Limbs {
    subtract!(*a, b, modulus, ["sub {r0}, {t0}"], out(reg) _)
}

/// (a - b) mod m 2^256 as (low half, high half), for a, b < m 2^256.
#[inline(always)]
pub(super) fn sub_wide_mod(
    a: &(Limbs, Limbs),
    b: &(Limbs, Limbs),
    modulus: &'static Limbs,
) -> (Limbs, Limbs) {
    let (low, borrow) = limbs::sub(&a.0, &b.0);
    // The first instruction sets the carry flag exactly if `borrow` is set.
    let first_borrow = u32::from(borrow);
    let high = subtract!(a.1, b.1, modulus, ["add {carry:e}, -1", "sbb {r0}, {t0}"], inout(reg) first_borrow => _);
    (low, high)
}

/// a / 2 mod m, for an odd m and a < m: half of the even one of a and a + m.
#[inline(always)]
pub(super) fn half_mod(a: &Limbs, modulus: &'static Limbs) -> Limbs {
    let [mut h0, mut h1, mut h2, mut h3] = *a;
    // SAFETY: as in `on_limbs`: reads `modulus`, writes output registers, baseline instructions.
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
