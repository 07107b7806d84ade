//! Base58 with the alphabet of Bitcoin. **Constant-time** in the digits: no table is read at a
//! secret index.

use crate::{DigitRange, digit_value};

/// Returns whether all bytes are digits. The position of the first that is not may be revealed.
pub fn is_digits(text: &[u8]) -> bool {
    text.iter()
        .all(|byte| byte.is_ascii_alphanumeric() && !b"0OIl".contains(byte))
}

/// Decodes digits whose value must fill the buffer exactly; fails otherwise. Each leading zero byte
/// is a digit 1.
pub fn decode(digits: &[u8], to: &mut [u8]) -> bool {
    to.fill(0);
    let mut wrong = 0;
    for digit in digits {
        let value = value_of(*digit);
        wrong |= value >> 8;
        let carry = to.iter_mut().rev().fold(value & 0xff, |carry, byte| {
            let sum = u32::from(*byte) * 58 + carry;
            *byte = sum as u8;
            sum >> 8
        });
        wrong |= carry;
    }
    let ones = leading(digits, b'1');
    wrong |= ones ^ leading(to, 0);
    wrong == 0
}

/// Returns the value of a digit, or a number above 255.
fn value_of(digit: u8) -> u32 {
    const RANGES: [DigitRange; 6] = [
        (b'1', b'9', 0),
        (b'A', b'H', 9),
        (b'J', b'N', 17),
        (b'P', b'Z', 22),
        (b'a', b'k', 33),
        (b'm', b'z', 44),
    ];
    digit_value(digit, &RANGES)
}

/// Returns the number of leading bytes equal to `wanted`.
fn leading(bytes: &[u8], wanted: u8) -> u32 {
    let mut all_so_far = 1;
    bytes.iter().fold(0, |count, byte| {
        let difference = u32::from(byte ^ wanted);
        all_so_far &= difference.wrapping_sub(1) >> 31;
        count + all_so_far
    })
}
