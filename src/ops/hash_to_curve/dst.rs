//! Domain separation tags.

use crate::types::Error;
use sha2::{Digest, Sha256};
use std::fmt;

/// The maximum length of a tag that is hashed as it is: its length is hashed as one byte.
const LONGEST: usize = 255;
/// The prefix of the hash of a longer tag (RFC 9380, section 5.3.3).
const OVERSIZE: &[u8] = b"H2C-OVERSIZE-DST-";

/// A domain separation tag (RFC 9380, section 3.1), which keeps the points of one application and
/// protocol apart from those that others compute from the same messages. Tags above 255 bytes are
/// replaced by their hash, as section 5.3.3 of the RFC specifies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Dst {
    /// The tag, its length in one byte, and zeros.
    bytes: [u8; LONGEST + 1],
    length: usize,
}

impl Dst {
    /// No tag, for suites that take none.
    pub const NONE: Dst = Dst {
        bytes: [0; _],
        length: 0,
    };

    /// Takes the bytes of a tag, for suites with SHA-256. No bytes are no tag.
    pub fn new(tag: &[u8]) -> Self {
        Self::of::<Sha256>(tag)
    }

    /// Takes the bytes of a tag, for suites with this hash function.
    pub(crate) fn of<H: Digest>(tag: &[u8]) -> Self {
        if tag.len() > LONGEST {
            let hash = H::new_with_prefix(OVERSIZE).chain_update(tag);
            return Self::of::<H>(&hash.finalize());
        }
        let mut bytes = [0; LONGEST + 1];
        bytes[..tag.len()].copy_from_slice(tag);
        bytes[tag.len()] = tag.len() as u8;
        Dst {
            bytes,
            length: tag.len(),
        }
    }

    /// Takes the bytes of a tag, for a suite that requires one and has this hash function.
    pub(crate) fn required<H: Digest>(suite: &'static str, tag: &[u8]) -> Result<Self, Error> {
        if tag.is_empty() {
            return Err(Error::DomainSeparation {
                suite,
                problem: "requires a domain separation tag",
            });
        }
        Ok(Self::of::<H>(tag))
    }

    /// Returns `true` if there is no tag.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the tag that is hashed: of at most 255 bytes, so that a longer one is its hash.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Returns `DST_prime`: the tag and its length in one byte.
    pub(crate) fn with_length(&self) -> &[u8] {
        &self.bytes[..self.length + 1]
    }
}

impl Default for Dst {
    /// [`Dst::NONE`].
    fn default() -> Self {
        Dst::NONE
    }
}

impl From<&[u8]> for Dst {
    fn from(tag: &[u8]) -> Self {
        Dst::new(tag)
    }
}

impl fmt::Debug for Dst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dst(b\"{}\")", self.as_bytes().escape_ascii())
    }
}
