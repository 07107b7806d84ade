//! Signatures in the encodings that OpenSSL accepted, which consensus accepts in blocks before BIP
//! 66.
//!
//! The accepted encodings are those of Bitcoin Core's `ecdsa_signature_parse_der_lax`
//! (`pubkey.cpp`): lengths in more bytes than needed, integers with leading zeros or with a sign, a
//! wrong total length, and trailing bytes.

/// Number of bytes of a length, without leading zeros, from which it is rejected.
const LENGTH_BYTES: usize = 4;

/// Two integers.
#[derive(Debug, PartialEq)]
pub enum LaxSignature {
    /// r and s as encoded.
    Numbers([u8; 64]),
    /// One of them has more than 32 bytes, so the signature is never valid.
    TooLong,
}

/// Parses two integers; `None` if the bytes are something else.
pub fn signature_from_lax_der(der: &[u8]) -> Option<LaxSignature> {
    let rest = der.strip_prefix(&[0x30])?;
    let (r, rest) = integer(&rest[length_of_length(rest)?..])?;
    let (s, _) = integer(rest)?;
    if r.len() > 32 || s.len() > 32 {
        return Some(LaxSignature::TooLong);
    }
    let mut signature = [0; 64];
    signature[32 - r.len()..32].copy_from_slice(r);
    signature[64 - s.len()..].copy_from_slice(s);
    Some(LaxSignature::Numbers(signature))
}

/// Returns the number of bytes that encode a length. The length itself is ignored.
fn length_of_length(bytes: &[u8]) -> Option<usize> {
    let first = *bytes.first()?;
    let length = 1 + if first < 0x80 {
        0
    } else {
        usize::from(first - 0x80)
    };
    (length <= bytes.len()).then_some(length)
}

fn without_zeros(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().take_while(|byte| **byte == 0).count()..]
}

/// Parses an integer. Returns it without leading zeros, and the bytes after it.
fn integer(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let bytes = bytes.strip_prefix(&[0x02])?;
    let (length, rest) = bytes.split_at(length_of_length(bytes)?);
    let length = match length {
        [short] if *short < 0x80 => usize::from(*short),
        [_, long @ ..] => {
            let digits = without_zeros(long);
            if digits.len() >= LENGTH_BYTES {
                return None;
            }
            digits
                .iter()
                .fold(0, |length, byte| length << 8 | usize::from(*byte))
        }
        [] => return None,
    };
    let (value, rest) = rest.split_at_checked(length)?;
    Some((without_zeros(value), rest))
}

#[cfg(test)]
mod tests {
    use super::{LaxSignature, signature_from_lax_der};
    use bitcoin::secp256k1::ecdsa::Signature;
    use rand::{Rng, RngExt};

    /// A tag, a length in one of its forms, and a value.
    fn put(bytes: &mut Vec<u8>, random: &mut impl Rng, tag: u8, value: &[u8]) {
        bytes.push(if random.random_range(0..40) == 0 {
            random.random()
        } else {
            tag
        });
        let long = [0x81, 0x82, 0x83, 0x84, 0x85, 0x88][random.random_range(0..6)];
        match random.random_range(0..3) {
            0 => {
                bytes.push(long);
                bytes.extend(vec![0; usize::from(long - 0x81)]);
                bytes.push(value.len() as u8);
            }
            _ => bytes.push(value.len() as u8),
        }
        if random.random_range(0..30) == 0 {
            *bytes.last_mut().unwrap() = random.random();
        }
        bytes.extend(value);
    }

    fn integer(random: &mut impl Rng) -> Vec<u8> {
        let zeros = random.random_range(0..3);
        let length = if random.random_range(0..6) == 0 {
            random.random_range(0..36)
        } else {
            32
        };
        (0..zeros)
            .map(|_| 0)
            .chain((0..length).map(|_| random.random()))
            .collect()
    }

    /// The decoder of libsecp256k1 is that of Bitcoin Core. It returns zeros for both numbers if
    /// one is not below n.
    #[test]
    fn accepted_signatures_equal_those_of_bitcoin_core() {
        let mut random = rand::rng();
        let mut taken = 0;
        let mut refused = 0;
        for _ in 0..100_000 {
            let mut inner = Vec::new();
            let mut der = Vec::new();
            let r = integer(&mut random);
            let s = integer(&mut random);
            put(&mut inner, &mut random, 2, &r);
            put(&mut inner, &mut random, 2, &s);
            put(&mut der, &mut random, 0x30, &inner);
            der.extend((0..random.random_range(0..3)).map(|_| 7));
            if random.random_range(0..8) == 0 {
                der.truncate(random.random_range(0..=der.len()));
            }
            let expected = Signature::from_der_lax(&der)
                .ok()
                .map(|signature| signature.serialize_compact());
            let found = signature_from_lax_der(&der);
            assert_eq!(found.is_some(), expected.is_some(), "{der:02x?}");
            if let (Some(found), Some(expected)) = (found, expected) {
                assert!(
                    found == LaxSignature::Numbers(expected) || expected == [0; 64],
                    "{der:02x?}"
                );
                taken += 1;
            } else {
                refused += 1;
            }
        }
        assert!(
            taken > 1000 && refused > 1000,
            "{taken} taken, {refused} refused"
        );
    }
}
