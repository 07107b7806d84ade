//! The modes of the protocol, and what is hashed with their domain separation tags.

use crate::ops::hash_to_curve::{Dst, expand_message};
use elliptic_curve::array::Array;
use elliptic_curve::consts::U48;
use elliptic_curve::ops::Reduce;
use p256::Scalar;
use sha2::Sha256;
use zeroize::Zeroizing;

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
    /// Returns `contextString` (section 3.1) with the identifier of the suite P256-SHA256.
    pub(super) const fn context(self) -> &'static [u8] {
        match self {
            Mode::Oprf => b"OPRFV1-\x00-P256-SHA256",
            Mode::Voprf => b"OPRFV1-\x01-P256-SHA256",
        }
    }

    /// Returns the domain separation tag that begins with a label.
    pub(super) fn dst(self, label: &[u8]) -> Dst {
        Dst::new(&[label, self.context()].concat())
    }

    /// Returns the tag of `HashToGroup` (section 4.3).
    pub(super) fn group_dst(self) -> Dst {
        self.dst(b"HashToGroup-")
    }
}

/// Bytes that are reduced modulo the group order: 128 bits more than the order has, so that scalars
/// are uniform up to 2^-128.
const UNIFORM_BYTES: usize = 48;

/// Hashes a message to a scalar (`HashToScalar`, section 4.3). **Constant-time** in the message, but
/// not in its length; copies on the stack are left to the caller.
pub(super) fn hash_to_scalar(message: &[u8], dst: &Dst) -> Zeroizing<Scalar> {
    let mut bytes = Zeroizing::new([0; UNIFORM_BYTES]);
    expand_message::<Sha256>(message, dst, &mut bytes[..]);
    Zeroizing::new(Scalar::reduce(&Array::<u8, U48>::from(*bytes)))
}

/// Returns a length or index of at most 65535 as two bytes, big-endian (`I2OSP(length, 2)`).
pub(super) const fn length_bytes(length: usize) -> [u8; 2] {
    (length as u16).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use elliptic_curve::PrimeField;
    use num_bigint::BigUint;

    /// The tags of the vectors of RFC 9497, where they are called `groupDST`.
    #[test]
    fn tags_are_those_of_the_rfc() {
        for (mode, tag) in [
            (
                Mode::Oprf,
                "48617368546f47726f75702d4f50524656312d002d503235362d534841323536",
            ),
            (
                Mode::Voprf,
                "48617368546f47726f75702d4f50524656312d012d503235362d534841323536",
            ),
        ] {
            assert_eq!(hex::encode(mode.group_dst().as_bytes()), tag);
        }
    }

    #[test]
    fn scalars_are_uniform_bytes_modulo_the_group_order() {
        let order = BigUint::parse_bytes(
            b"ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
            16,
        )
        .unwrap();
        for length in 0..200 {
            let message = vec![length as u8; length];
            let dst = Mode::Voprf.dst(b"HashToScalar-");
            let mut bytes = [0; 48];
            expand_message::<Sha256>(&message, &dst, &mut bytes);
            let expected = BigUint::from_bytes_be(&bytes) % &order;
            let found = hash_to_scalar(&message, &dst).to_repr();
            assert_eq!(BigUint::from_bytes_be(&found), expected);
        }
    }
}
