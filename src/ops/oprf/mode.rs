//! The modes of the protocol, and their domain separation tags.

use super::suite::Suite;
use crate::ops::hash_to_curve::Dst;

/// A mode of the protocol (RFC 9497, section 3). Outputs of different modes have nothing in common,
/// even with the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// The oblivious mode, 0x00: the client trusts the server to use the same key for all inputs.
    Oprf,
    /// The verifiable mode, 0x01: the server proves that it used the key of its public key.
    Voprf,
}

impl Mode {
    /// Returns the domain separation tag that begins with a label and ends with `contextString`
    /// (section 3.1).
    pub(super) fn dst<S: Suite>(self, label: &[u8]) -> Dst {
        let mode = match self {
            Mode::Oprf => 0,
            Mode::Voprf => 1,
        };
        Dst::new(&[label, b"OPRFV1-", &[mode], b"-", S::NAME.as_bytes()].concat())
    }

    /// Returns the tag of `HashToGroup` (section 2.1).
    pub(super) fn group_dst<S: Suite>(self) -> Dst {
        self.dst::<S>(b"HashToGroup-")
    }

    /// Returns the tag of `HashToScalar` (section 2.1).
    pub(super) fn scalar_dst<S: Suite>(self) -> Dst {
        self.dst::<S>(b"HashToScalar-")
    }
}

/// Returns a length or index of at most 65535 as two bytes, big-endian (`I2OSP(length, 2)`).
pub(super) const fn length_bytes(length: usize) -> [u8; 2] {
    (length as u16).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::hash_to_curve::expand_message;
    use crate::ops::oprf::group::{Group, hash_to_scalar};
    use crate::ops::oprf::{P256Sha256, Ristretto255Sha512};
    use num_bigint::BigUint;

    /// The tags of the vectors of RFC 9497, where they are called `groupDST`.
    #[test]
    fn tags_are_those_of_the_rfc() {
        for (mode, digits) in [(Mode::Oprf, "002d"), (Mode::Voprf, "012d")] {
            for (dst, suite) in [
                (mode.group_dst::<P256Sha256>(), "503235362d534841323536"),
                (
                    mode.group_dst::<Ristretto255Sha512>(),
                    "72697374726574746f3235352d534841353132",
                ),
            ] {
                let tag = format!("48617368546f47726f75702d4f50524656312d{digits}{suite}");
                assert_eq!(hex::encode(dst.as_bytes()), tag);
            }
        }
    }

    /// Compares with big integers, whose digits are most significant first.
    fn scalars_are_reduced<S: Suite>(order: &str, to_big_endian: fn(&mut [u8])) {
        let order = BigUint::parse_bytes(order.as_bytes(), 16).unwrap();
        let dst = Mode::Voprf.scalar_dst::<S>();
        for length in 0..200 {
            let message = vec![length as u8; length];
            let mut bytes = vec![0; S::Group::UNIFORM_BYTES];
            expand_message::<<S::Group as Group>::Hash>(&message, &dst, &mut bytes);
            to_big_endian(&mut bytes);
            let expected = BigUint::from_bytes_be(&bytes) % &order;
            let scalar = hash_to_scalar::<S::Group>(&message, &dst);
            let mut found = S::Group::scalar_bytes(&scalar);
            to_big_endian(&mut found);
            assert_eq!(BigUint::from_bytes_be(&found), expected);
        }
    }

    #[test]
    fn scalars_are_uniform_bytes_modulo_the_group_order() {
        scalars_are_reduced::<P256Sha256>(
            "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
            |_| {},
        );
        scalars_are_reduced::<Ristretto255Sha512>(
            "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed",
            <[u8]>::reverse,
        );
    }
}
