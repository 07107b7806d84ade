//! What is hashed of a message: Ed25519, Ed25519ctx and Ed25519ph (RFC 8032, section 5.1).

use crate::types::Error;
use sha2::{Digest, Sha512};
use std::fmt;

/// Bytes of the longest context: its length is hashed as one byte.
pub const MAX_CONTEXT_LEN: usize = 255;

/// Which of the three variants of RFC 8032 signatures are of. The signatures of one never verify as those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Pure,
    Context(Context),
    Prehashed(Context),
}

/// A context, with zeros behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Context {
    bytes: [u8; MAX_CONTEXT_LEN],
    length: u8,
}

impl Variant {
    /// Ed25519, which is what nearly everybody means.
    pub const PURE: Variant = Variant(Kind::Pure);

    /// Ed25519ctx: with a context, which says what signatures are made for. It should not be empty.
    ///
    /// # Errors
    /// [`Error::ContextTooLong`] above [`MAX_CONTEXT_LEN`] bytes.
    pub fn context(context: &[u8]) -> Result<Self, Error> {
        Context::new(context).map(|context| Variant(Kind::Context(context)))
    }

    /// Ed25519ph: of SHA-512(M) in place of M, with a context that may be empty. Calls take M, and hash it.
    ///
    /// # Errors
    /// [`Error::ContextTooLong`] above [`MAX_CONTEXT_LEN`] bytes.
    pub fn prehashed(context: &[u8]) -> Result<Self, Error> {
        Context::new(context).map(|context| Variant(Kind::Prehashed(context)))
    }

    /// What k is made of.
    pub(super) fn challenge(&self, signature: &[u8; 64], key: &[u8; 32], message: &[u8]) -> [u8; 64] {
        self.hash(&[&signature[..32], key], message)
    }

    /// SHA-512(dom2 || parts || PH(M)).
    pub(super) fn hash(&self, parts: &[&[u8]], message: &[u8]) -> [u8; 64] {
        let mut hash = Sha512::new();
        let dom2 = match &self.0 {
            Kind::Pure => None,
            Kind::Context(context) => Some((0, context)),
            Kind::Prehashed(context) => Some((1, context)),
        };
        if let Some((flag, context)) = dom2 {
            hash.update(b"SigEd25519 no Ed25519 collisions");
            hash.update([flag, context.length]);
            hash.update(context.as_bytes());
        }
        parts.iter().for_each(|part| hash.update(part));
        match self.0 {
            Kind::Prehashed(_) => hash.update(Sha512::digest(message)),
            _ => hash.update(message),
        }
        hash.finalize().into()
    }
}

impl Context {
    fn new(context: &[u8]) -> Result<Self, Error> {
        let mut bytes = [0; MAX_CONTEXT_LEN];
        let too_long = || Error::ContextTooLong { bytes: context.len() };
        bytes.get_mut(..context.len()).ok_or_else(too_long)?.copy_from_slice(context);
        Ok(Context { bytes, length: context.len() as u8 })
    }

    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().fmt(f)
    }
}
