//! Decimal numbers of up to 256 bits.

use super::transaction::Number;

/// Parses decimal digits; `None` if there are other characters or no digits, or if the number is
/// above 2^256 - 1.
pub fn decimal(digits: &[u8]) -> Option<Number> {
    let mut words = [0; 4];
    for digit in digits {
        let mut carry = u128::from(char::from(*digit).to_digit(10)?);
        for word in words.iter_mut().rev() {
            let product = 10 * u128::from(*word) + carry;
            *word = product as u64;
            carry = product >> 64;
        }
        if carry > 0 {
            return None;
        }
    }
    let number = *words.map(u64::to_be_bytes).as_flattened().as_array()?;
    Some(number).filter(|_| !digits.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::U256;

    #[test]
    fn decimals_are_those_of_alloy() {
        for bits in 0..=256 {
            let known = U256::MAX.checked_shr(bits).unwrap_or_default();
            for text in [known.to_string(), format!("{known:080}")] {
                assert_eq!(
                    decimal(text.as_bytes()),
                    Some(known.to_be_bytes()),
                    "{text}"
                );
            }
        }
        // 2^256, and ten times as much.
        let too_large =
            "115792089237316195423570985008687907853269984665640564039457584007913129639936";
        for text in [
            "",
            "1_0",
            "-1",
            "+1",
            "1.0",
            "a",
            "ü",
            too_large,
            &format!("{too_large}0"),
        ] {
            assert_eq!(decimal(text.as_bytes()), None, "{text}");
        }
    }
}
