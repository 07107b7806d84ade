//! Signed digits of scalars. Variable-time: the scalars are public.
//!
//! Limbs are little-endian.

use crate::cpu::field::limbs;

/// The number of digits of the longest scalar, including a carry.
const MAX_DIGITS: usize = 257;

/// A width-w non-adjacent form: `value = sum digits[i] 2^i`, each digit zero or odd and below
/// 2^(w-1) in absolute value.
pub struct Wnaf {
    digits: [i8; MAX_DIGITS],
    /// The position after the last non-zero digit.
    pub length: usize,
}

impl Wnaf {
    /// Recodes a number below 2^256 with `2 <= width <= 8`.
    pub fn new(value: &[u64; 4], width: u32) -> Self {
        let mut wnaf = Wnaf {
            digits: [0; MAX_DIGITS],
            length: 0,
        };
        let mut position = 0;
        let mut carry = 0;
        // Invariant: value = digits so far + 2^position ((value >> position) + carry).
        while position < 256 || carry == 1 {
            if bits(value, position, 1) == carry {
                // 0 + 0 or 1 + 1: the digit is zero, and the carry is propagated.
                position += 1;
                continue;
            }
            // Odd and below 2^width: the bits are even exactly when the carry is set.
            let window = bits(value, position, width) + carry;
            carry = window >> (width - 1);
            let digit = window as i16 - ((carry as i16) << width);
            wnaf.digits[position as usize] = digit as i8;
            wnaf.length = position as usize + 1;
            position += width;
        }
        wnaf
    }

    pub fn digit(&self, position: usize) -> i8 {
        self.digits[position]
    }
}

/// Computes signed digits of fixed windows: `value = sum digit(j) 2^(w j)` with `|digit| <=
/// 2^(w-1)`, for values below 2^255.
///
/// There are `ceil(256 / w)` digits. The last carry does not overflow: the top window of a value
/// below 2^255 is at most 2^(w-1) - 1 if w divides 256, and has a spare bit otherwise.
pub fn signed_windows(value: &[u64; 4], width: u32, mut take: impl FnMut(usize, i32)) {
    let mut carry = 0;
    for index in 0..256u32.div_ceil(width) {
        let window = bits(value, index * width, width) + carry;
        carry = u32::from(window > 1 << (width - 1));
        take(index as usize, window as i32 - ((carry as i32) << width));
    }
    debug_assert_eq!(carry, 0);
}

/// Returns digit `index` of `value = sum digit(j) 2^(w j)` with `|digit| <= 2^(w-1)`: the window,
/// plus the bit below it, minus 2^w times the window's top bit. A value below 2^b has `b / w + 1`
/// digits. `width <= 30`.
pub fn window_digit(value: &[u64; 4], width: u32, index: u32) -> i32 {
    let window = bits(value, index * width, width);
    let top = 1 << (width - 1);
    let below = if index == 0 {
        0
    } else {
        bits(value, index * width - 1, 1)
    };
    (window + below) as i32 - ((window & top) << 1) as i32
}

/// Computes signed digits of fixed windows: `value = sum digit(j) 2^(w j)` with `-2^(w-1) <= digit
/// < 2^(w-1)`, for a value below 2^(w windows - 2). Constant-time: there are no branches on the
/// value.
#[inline(always)]
pub fn uniform_windows(
    value: &[u64; 4],
    width: u32,
    windows: usize,
    mut take: impl FnMut(usize, i32),
) {
    // With 2^(w-1) added in every window, digits are the windows minus that.
    let half = 1u64 << (width - 1);
    let mut halves = [0; 4];
    for position in (0..windows as u32).map(|window| window * width + width - 1) {
        halves[(position / 64) as usize] |= 1 << (position % 64);
    }
    let (sum, _) = limbs::add(value, &halves);
    for index in 0..windows {
        take(
            index,
            bits(&sum, index as u32 * width, width) as i32 - half as i32,
        );
    }
}

/// Computes odd digits of fixed windows: `value = sum digit(j) 2^(w j)` with digits in -2^w..2^w,
/// for an odd value below 2^(w windows).
#[cfg_attr(
    any(gecc_no_avx512, not(target_arch = "x86_64")),
    allow(dead_code, reason = "for the lanes")
)]
pub fn odd_windows(value: &[u64; 4], width: u32, windows: usize, mut take: impl FnMut(usize, i32)) {
    windows_of_odd(value, width, windows, |index, window| {
        take(index, 2 * window as i32 + 1 - (1 << width))
    });
}

/// Computes the e(j) of the digits of `odd_windows`: digit(j) = 2 e(j) - (2^w - 1). Constant-time:
/// there are no branches on the value.
///
/// With D = 2^(w windows) - 1 = sum (2^w - 1) 2^(w j), (value + D) / 2 = sum e(j) 2^(w j): the e(j)
/// are the windows of value / 2, rounded down, with a one added at the top.
#[inline(always)]
pub fn windows_of_odd(
    value: &[u64; 4],
    width: u32,
    windows: usize,
    mut take: impl FnMut(usize, u32),
) {
    for index in 0..windows {
        let top = u32::from(index == windows - 1) << (width - 1);
        take(index, bits(value, index as u32 * width + 1, width) | top);
    }
}

/// Returns the bit length of a number; 0 has none.
pub fn length(number: &[u64; 4]) -> u32 {
    let top = number.iter().rposition(|limb| *limb != 0);
    top.map_or(0, |top| 64 * (top as u32 + 1) - number[top].leading_zeros())
}

/// Returns `count <= 31` bits starting at `position`; bits above 255 are zero.
fn bits(value: &[u64; 4], position: u32, count: u32) -> u32 {
    let limb = (position / 64) as usize;
    let shift = position % 64;
    let low = value.get(limb).map_or(0, |word| word >> shift);
    let high = match value.get(limb + 1) {
        Some(word) if shift > 0 => word << (64 - shift),
        _ => 0,
    };
    (low | high) as u32 & ((1 << count) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    fn integer(limbs: &[u64; 4]) -> BigInt {
        limbs
            .iter()
            .rev()
            .fold(BigInt::ZERO, |sum, limb| (sum << 64) + limb)
    }

    fn check(limbs: &[u64; 4]) {
        for width in 2..=8 {
            let wnaf = Wnaf::new(limbs, width);
            let mut sum = BigInt::ZERO;
            for position in (0..wnaf.length).rev() {
                let digit = wnaf.digit(position);
                assert!(
                    digit == 0 || (digit % 2 != 0 && i32::from(digit).abs() < 1 << (width - 1))
                );
                sum = (sum << 1) + digit;
            }
            assert_eq!(sum, integer(limbs), "width {width}");
        }
        let below_2_255 = [limbs[0], limbs[1], limbs[2], limbs[3] >> 1];
        for width in 3..=16 {
            let mut sum = BigInt::ZERO;
            signed_windows(&below_2_255, width, |index, digit| {
                assert!(digit.abs() <= 1 << (width - 1));
                sum += BigInt::from(digit) << (width as usize * index);
            });
            assert_eq!(sum, integer(&below_2_255), "width {width}");
        }
        for width in 1..=20 {
            let digits = 256 / width + 1;
            let sum = (0..digits).fold(BigInt::ZERO, |sum, index| {
                let digit = window_digit(limbs, width, index);
                assert!(digit.abs() <= 1 << (width - 1));
                sum + (BigInt::from(digit) << (width * index))
            });
            assert_eq!(sum, integer(limbs), "width {width}");
        }
        for width in 3..=8 {
            let windows = 256 / width;
            let small: BigInt = integer(limbs) >> (258 - width * windows);
            let digits = small.to_u64_digits().1;
            let limbs = std::array::from_fn(|i| digits.get(i).copied().unwrap_or(0));
            let mut sum = BigInt::ZERO;
            uniform_windows(&limbs, width as u32, windows, |index, digit| {
                assert!((-(1 << (width - 1))..1 << (width - 1)).contains(&digit));
                sum += BigInt::from(digit) << (width * index);
            });
            assert_eq!(sum, integer(&limbs), "width {width}");
        }
        let odd = [limbs[0] | 1, limbs[1], limbs[2], limbs[3]];
        for (width, windows) in [(5, 52), (4, 65), (6, 43), (16, 17)] {
            let mut sum = BigInt::ZERO;
            odd_windows(&odd, width, windows, |index, digit| {
                assert!(digit % 2 != 0 && digit.abs() < 1 << width);
                sum += BigInt::from(digit) << (width as usize * index);
            });
            assert_eq!(sum, integer(&odd), "width {width}");
        }
    }

    #[test]
    fn edge_values() {
        let words = [
            0,
            1,
            2,
            u64::MAX,
            u64::MAX - 1,
            1 << 63,
            0x8080_8080_8080_8080,
            0x7fff_8000_7fff_8000,
        ];
        for a in words {
            for b in words {
                check(&[a, b, a, b]);
                check(&[b, a, a, b]);
                check(&[b, b, a, a]);
            }
        }
    }

    proptest! {
        #[test]
        fn random_values(limbs: [u64; 4]) {
            check(&limbs);
        }
    }
}
