//! Certificates (X.509), each verified by the key of its issuer, where that is among them.
//!
//! [`check`] reads PEM and DER, chains and bundles. A certificate names its issuer, and several may have that name
//! ([`Options::exact_names`]): the keys of all of them are tried. The algorithm beside the signature has to be the one
//! that the signed part states. Of signatures it knows ECDSA on P-256 with SHA-256, 384 and 512 (RFC 5758) and SM2
//! with SM3 (GM/T 0015); others are not checked ([`Reason::NotChecked`]).
//!
//! Signatures alone are checked. What else RFC 5280, section 6, asks for is not: dates, which may be written in any
//! form, CA flags, key usage, constraints on names, revocation.

mod der;
mod names;
mod read;
#[cfg(test)]
mod shipped;
mod verify;

use crate::problem::Problem;
pub use crate::reason::Reason;
use std::path::Path;
use std::sync::Arc;
pub use verify::check;

/// Options of verification.
#[derive(Clone, Debug)]
pub struct Options {
    /// The user ids with which SM2 signatures are tried, one after the other. A certificate does not say which it was
    /// signed with: by default the standard's and the empty one are tried, which nearly all have.
    pub sm2_user_ids: Vec<Vec<u8>>,
    /// Whether the names of issuers and subjects are compared byte for byte, as they are encoded. By default they are
    /// compared as RFC 5280, section 7.1, says: without regard to the types of strings, to case and to white space.
    pub exact_names: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { sm2_user_ids: vec![gecc::sm2::DEFAULT_USER_ID.to_vec(), Vec::new()], exact_names: false }
    }
}

/// The signature algorithm of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    /// ECDSA with SHA-256.
    EcdsaSha256,
    /// ECDSA with SHA-384.
    EcdsaSha384,
    /// ECDSA with SHA-512.
    EcdsaSha512,
    /// SM2 with SM3.
    Sm2Sm3,
    /// Another.
    Other,
}

impl Algorithm {
    /// The name in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::EcdsaSha256 => "ECDSA SHA-256",
            Algorithm::EcdsaSha384 => "ECDSA SHA-384",
            Algorithm::EcdsaSha512 => "ECDSA SHA-512",
            Algorithm::Sm2Sm3 => "SM2 SM3",
            Algorithm::Other => "other",
        }
    }
}

/// The answer about one certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The file.
    pub path: Arc<Path>,
    /// The position of the certificate in the file.
    pub place: u64,
    /// Whom it is for, as RFC 4514 writes names.
    pub subject: String,
    /// The name of the issuer.
    pub issuer: String,
    /// The signature algorithm.
    pub algorithm: Algorithm,
    /// The certificate whose key fits, by its number among the answers.
    pub signed_by: Option<usize>,
    /// The reason why no issuer's key verifies, or why none was tried.
    pub reason: Option<Reason>,
}

impl Answer {
    /// Returns whether the signature is valid; `None` if that was not checked.
    pub fn valid(&self) -> Option<bool> {
        Reason::verdict(self.reason)
    }
}

/// Answers in the order of the files.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// One for each certificate.
    pub answers: Vec<Answer>,
    /// Problems of the files.
    pub problems: Vec<Problem>,
}
