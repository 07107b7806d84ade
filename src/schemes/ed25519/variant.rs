//! The variants Ed25519, Ed25519ctx and Ed25519ph (RFC 8032, section 5.1), and their hashes.

use crate::cpu::CpuEngine;
use crate::types::Error;
use sha2::{Digest, Sha512};
use std::fmt;

/// The maximum length of a context in bytes: the length is hashed as one byte.
pub const MAX_CONTEXT_LEN: usize = 255;

/// The beginning of dom2. A flag, a length and the context follow.
const TITLE: &[u8; 32] = b"SigEd25519 no Ed25519 collisions";
const CONTEXT: usize = TITLE.len() + 2;

/// One of the three variants of RFC 8032. Signatures of one never verify as those of another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// The bytes of dom2, followed by zeros.
    bytes: [u8; CONTEXT + MAX_CONTEXT_LEN],
    length: usize,
    is_prehashed: bool,
}

impl Variant {
    /// Plain Ed25519, the most common variant.
    pub const PURE: Variant = Variant {
        bytes: [0; _],
        length: 0,
        is_prehashed: false,
    };

    /// Returns Ed25519ctx with a context, which states the purpose of signatures. It should not be
    /// empty.
    ///
    /// # Errors
    /// [`Error::ContextTooLong`] above [`MAX_CONTEXT_LEN`] bytes.
    pub fn context(context: &[u8]) -> Result<Self, Error> {
        Self::new(context, false)
    }

    /// Returns Ed25519ph, which signs SHA-512(M) instead of M, with a context that may be empty.
    /// Calls take M and hash it.
    ///
    /// # Errors
    /// [`Error::ContextTooLong`] above [`MAX_CONTEXT_LEN`] bytes.
    pub fn prehashed(context: &[u8]) -> Result<Self, Error> {
        Self::new(context, true)
    }

    fn new(context: &[u8], is_prehashed: bool) -> Result<Self, Error> {
        let length = u8::try_from(context.len()).map_err(|_| Error::ContextTooLong {
            bytes: context.len(),
        })?;
        let mut variant = Variant {
            length: CONTEXT + context.len(),
            is_prehashed,
            ..Self::PURE
        };
        variant.bytes[..TITLE.len()].copy_from_slice(TITLE);
        variant.bytes[TITLE.len()..CONTEXT].copy_from_slice(&[is_prehashed.into(), length]);
        variant.bytes[CONTEXT..variant.length].copy_from_slice(context);
        Ok(variant)
    }

    /// Returns the prefix that is hashed first: empty for Ed25519 itself.
    pub(super) fn dom2(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Returns the hashes that Ed25519ph signs instead of the messages.
    pub(super) fn hashes<M: AsRef<[u8]> + Sync>(
        &self,
        engine: &CpuEngine,
        messages: &[M],
    ) -> Option<Vec<[u8; 64]>> {
        if !self.is_prehashed {
            return None;
        }
        Some(engine.map(messages.len(), [0; 64], |item| {
            Sha512::digest(messages[item].as_ref()).into()
        }))
    }

    /// Returns the hash from which k is derived. `message` is the result of [`Variant::hash`].
    pub(super) fn challenge(
        &self,
        signature: &[u8; 64],
        key: &[u8; 32],
        message: &[u8],
    ) -> [u8; 64] {
        self.hash(&[&signature[..32], key], message)
    }

    /// Computes SHA-512(dom2 || parts || PH(M)). `message` is PH(M): M itself, or the result of
    /// [`Variant::hashes`].
    pub(super) fn hash(&self, parts: &[&[u8]], message: &[u8]) -> [u8; 64] {
        let mut hash = Sha512::new_with_prefix(self.dom2());
        parts.iter().for_each(|part| hash.update(part));
        hash.update(message);
        hash.finalize().into()
    }
}

impl fmt::Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dom2().get(CONTEXT..) {
            None => f.write_str("Ed25519"),
            Some(context) => {
                let name = if self.is_prehashed {
                    "Ed25519ph"
                } else {
                    "Ed25519ctx"
                };
                write!(f, "{name}(b\"{}\")", context.escape_ascii())
            }
        }
    }
}
