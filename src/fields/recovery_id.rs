//! The value v that accompanies signatures on block chains.

/// Returns the recovery id, 0 to 3, of a value v, or `None` if v is undefined.
///
/// `v` is a big-endian number of any length; the empty string is 0, as in RLP. It may be 0 to 3
/// itself; 27 to 30, as in Ethereum before EIP-155 and in Bitcoin's signed messages, which also
/// have 31 to 34 (compressed public keys); or 35 + 2 * chain id + parity for any chain id
/// (EIP-155). Headers of Bitcoin's signed messages from 35 on (BIP 137) are decoded by
/// [`recovery_id_of_header`]. Variable-time: v is public.
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
        [v @ 27..=34] => Some((v - 27) % 4),
        [v @ 35..=u8::MAX] => Some((v - 35) % 2),
        [_] => None,
        // Numbers above 255; 35 is odd.
        [.., last] => Some(!last & 1),
    }
}

/// Returns the recovery id of the last byte of a 65-byte signature `r || s || v`: 0 to 3, or 27 to
/// 30.
///
/// Returns `None` for every other byte. Chain ids (EIP-155) are not supported in a single byte,
/// because almost any byte would be valid then.
pub fn recovery_id_of_last_byte(v: u8) -> Option<u8> {
    match v {
        0..=3 => Some(v),
        27..=30 => Some(v - 27),
        _ => None,
    }
}

/// Returns the recovery id of a header byte of Bitcoin's signed messages, 27 to 42, or `None` for
/// every other byte.
///
/// The header also encodes the type of the address (BIP 137): an uncompressed key (27 to 30), a
/// compressed one (31 to 34), P2WPKH in P2SH (35 to 38) or P2WPKH (39 to 42). The type does not
/// affect the public key.
///
/// ```
/// use gecc::ecdsa::recovery_id_of_header;
/// assert_eq!((recovery_id_of_header(32), recovery_id_of_header(43)), (Some(1), None));
/// ```
pub fn recovery_id_of_header(header: u8) -> Option<u8> {
    (27..=42).contains(&header).then(|| (header - 27) % 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;
    use rand::Rng;

    #[test]
    fn single_byte_v_gives_recovery_id() {
        for v in 0..=u8::MAX {
            let expected = match v {
                0..=3 => Some(v),
                27..=30 => Some(v - 27),
                31..=34 => Some(v - 31),
                35.. => Some((v - 35) % 2),
                _ => None,
            };
            for zeros in [0, 1, 31, 40] {
                assert_eq!(
                    recovery_id_of_v(&[vec![0; zeros], vec![v]].concat()),
                    expected,
                    "{v}"
                );
            }
        }
        assert_eq!(
            (recovery_id_of_v(&[]), recovery_id_of_v(&[0; 32])),
            (Some(0), Some(0))
        );
    }

    #[test]
    fn last_bytes_and_headers_have_the_ranges_of_their_forms() {
        let last: Vec<u8> = (0..=u8::MAX)
            .filter(|v| recovery_id_of_last_byte(*v).is_some())
            .collect();
        assert_eq!(last, [0, 1, 2, 3, 27, 28, 29, 30]);
        assert!(
            last.iter()
                .all(|v| recovery_id_of_last_byte(*v) == recovery_id_of_v(&[*v]))
        );
        for header in 0..=u8::MAX {
            let expected = (27..=42)
                .contains(&header)
                .then_some((header.wrapping_sub(27)) & 3);
            assert_eq!(recovery_id_of_header(header), expected, "{header}");
        }
    }

    #[test]
    fn eip155_v_of_any_chain_gives_parity() {
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
