//! Hashes of messages and their names in the command line, Python and SQL.

use crate::types::is_same_name;
use sha2::{Digest, Sha256, Sha384, Sha512};
use sha3::Keccak256;
use std::str::FromStr;

/// The hash that turns a message into the digest that ECDSA signs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hash {
    /// SHA-256.
    #[default]
    Sha256,
    /// SHA-256 applied twice, as in Bitcoin.
    Sha256d,
    /// The leftmost 256 bits of SHA-384, as FIPS 186-5 (section 6.4) specifies for 256-bit curves.
    Sha384,
    /// The leftmost 256 bits of SHA-512.
    Sha512,
    /// Keccak-256 as in Ethereum, which is not SHA3-256.
    Keccak256,
    /// Keccak-256 of the message with the prefix of EIP-191, version 0x45 (`personal_sign`).
    Eip191,
    /// Double SHA-256 of `"\x18Bitcoin Signed Message:\n"`, the length of the message as a
    /// CompactSize, and the message, as signed by Bitcoin's `signmessage` (BIP 137).
    BitcoinMessage,
    /// No hash: the message is a digest of 32 bytes.
    None,
}

impl Hash {
    /// All hashes.
    pub const ALL: &'static [Hash] = &[
        Hash::Sha256,
        Hash::Sha256d,
        Hash::Sha384,
        Hash::Sha512,
        Hash::Keccak256,
        Hash::Eip191,
        Hash::BitcoinMessage,
        Hash::None,
    ];

    /// Returns the name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Hash::Sha256 => "sha256",
            Hash::Sha256d => "sha256d",
            Hash::Sha384 => "sha384",
            Hash::Sha512 => "sha512",
            Hash::Keccak256 => "keccak256",
            Hash::Eip191 => "eip191",
            Hash::BitcoinMessage => "bitcoin-message",
            Hash::None => "none",
        }
    }

    /// Returns the digest that is signed, or `None` for a message that has to have 32 bytes and
    /// does not.
    pub fn digest(self, message: &[u8]) -> Option<[u8; 32]> {
        match self {
            Hash::Sha256 => Some(Sha256::digest(message).into()),
            Hash::Sha256d => Some(Sha256::digest(Sha256::digest(message)).into()),
            Hash::Sha384 => Sha384::digest(message).first_chunk().copied(),
            Hash::Sha512 => Sha512::digest(message).first_chunk().copied(),
            Hash::Keccak256 => Some(Keccak256::digest(message).into()),
            Hash::Eip191 => {
                let prefix = format!("\x19Ethereum Signed Message:\n{}", message.len());
                Some(
                    Keccak256::new()
                        .chain_update(prefix)
                        .chain_update(message)
                        .finalize()
                        .into(),
                )
            }
            Hash::BitcoinMessage => {
                let (size, length) = compact_size(message.len());
                let inner = Sha256::new()
                    .chain_update(b"\x18Bitcoin Signed Message:\n")
                    .chain_update(&size[..length])
                    .chain_update(message);
                Some(Sha256::digest(inner.finalize()).into())
            }
            Hash::None => message.try_into().ok(),
        }
    }
}

/// Encodes a length as a CompactSize, as in Bitcoin's messages. Returns the buffer and the number
/// of bytes used.
fn compact_size(length: usize) -> ([u8; 9], usize) {
    let value = (length as u64).to_le_bytes();
    let (tag, width) = match length {
        0..=0xfc => return ([length as u8, 0, 0, 0, 0, 0, 0, 0, 0], 1),
        0xfd..=0xffff => (0xfd, 2),
        0x1_0000..=0xffff_ffff => (0xfe, 4),
        _ => (0xff, 8),
    };
    let mut bytes = [0; 9];
    bytes[0] = tag;
    bytes[1..=width].copy_from_slice(&value[..width]);
    (bytes, 1 + width)
}

/// An unknown hash name. The message lists all hashes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no hash is called `{}`; the hashes are {}", super::shown(name), Hash::ALL.iter().map(|hash| hash.name()).collect::<Vec<_>>().join(", "))]
pub struct UnknownHash {
    name: String,
}

/// Parses the name of a hash. Case, spaces, hyphens, underscores and dots are ignored: `SHA-256`.
impl FromStr for Hash {
    type Err = UnknownHash;

    fn from_str(name: &str) -> Result<Self, UnknownHash> {
        let found = Hash::ALL
            .iter()
            .find(|hash| is_same_name(hash.name(), name));
        found.copied().ok_or_else(|| UnknownHash {
            name: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_found_by_their_names() {
        for (place, &hash) in Hash::ALL.iter().enumerate() {
            assert_eq!((hash as usize, hash.name().parse()), (place, Ok(hash)));
        }
        let names = [
            ("SHA-256", Hash::Sha256),
            ("Keccak_256", Hash::Keccak256),
            ("EIP-191", Hash::Eip191),
            ("bitcoin_message", Hash::BitcoinMessage),
        ];
        for (name, hash) in names {
            assert_eq!(name.parse(), Ok(hash));
        }
        // Other hashes are not accepted under a similar name.
        let problem = "sha3-256".parse::<Hash>().unwrap_err().to_string();
        assert!(
            problem.contains("`sha3-256`") && problem.contains("sha256, sha256d"),
            "{problem}"
        );
    }

    /// Expected encodings are from the Bitcoin developer reference, "CompactSize Unsigned
    /// Integers".
    #[test]
    fn compact_sizes_are_minimal() {
        let known = [
            (0, "00"),
            (252, "fc"),
            (253, "fdfd00"),
            (515, "fd0302"),
            (0xffff, "fdffff"),
            (0x1_0000, "fe00000100"),
            (0xffff_ffff, "feffffffff"),
            (0x1_0000_0000, "ff0000000001000000"),
        ];
        for (length, expected) in known {
            let (bytes, width) = compact_size(length);
            assert_eq!(hex::encode(&bytes[..width]), expected, "{length}");
        }
    }
}
