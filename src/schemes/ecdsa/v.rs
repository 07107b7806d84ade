//! The value v that stands beside signatures on block chains.

/// The recovery id, 0 to 3, that a value of v stands for; `None` where it stands for none.
///
/// `v` is a number of any length, big-endian, and no bytes are 0, as in RLP. It may be 0 to 3 itself; 27 to 30, as in
/// Bitcoin's signed messages and in Ethereum before EIP-155; or 35 + 2 * chain id + parity for any chain id (EIP-155).
/// Variable-time: v is public.
///
/// ```
/// use gecc::ecdsa::recovery_id_of_v;
/// assert_eq!(recovery_id_of_v(&[1]), Some(1));
/// assert_eq!(recovery_id_of_v(&[28]), Some(1));
/// // Chain 11155111: 35 + 2 * 11155111 and one more.
/// assert_eq!(recovery_id_of_v(&22310257_u64.to_be_bytes()), Some(0));
/// assert_eq!(recovery_id_of_v(&22310258_u64.to_be_bytes()), Some(1));
/// assert_eq!(recovery_id_of_v(&[26]), None);
/// ```
pub fn recovery_id_of_v(v: &[u8]) -> Option<u8> {
    let zeros = v.iter().take_while(|byte| **byte == 0).count();
    match &v[zeros..] {
        [] => Some(0),
        [v @ 1..=3] => Some(*v),
        [v @ 27..=30] => Some(v - 27),
        [v @ 35..=u8::MAX] => Some((v - 35) % 2),
        [_] => None,
        // Above 255, and 35 is odd.
        [.., last] => Some(!last & 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;
    use rand::Rng;

    #[test]
    fn numbers_of_one_byte() {
        let expected = |v: u8| match v {
            0..=3 => Some(v),
            27..=30 => Some(v - 27),
            35.. => Some((v - 35) % 2),
            _ => None,
        };
        for v in 0..=u8::MAX {
            for zeros in [0, 1, 31, 40] {
                assert_eq!(recovery_id_of_v(&[vec![0; zeros], vec![v]].concat()), expected(v), "{v}");
            }
        }
        assert_eq!((recovery_id_of_v(&[]), recovery_id_of_v(&[0; 32])), (Some(0), Some(0)));
    }

    #[test]
    fn any_chain() {
        let mut random = rand::rng();
        for bytes in (0..40).cycle().take(2000) {
            let mut chain = vec![0; bytes];
            random.fill_bytes(&mut chain);
            for parity in [0u8, 1] {
                let v = BigUint::from_bytes_be(&chain) * 2u8 + 35u8 + parity;
                assert_eq!(recovery_id_of_v(&v.to_bytes_be()), Some(parity), "{v}");
            }
        }
    }
}
