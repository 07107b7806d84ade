//! X.509 certificates, each verified with the key of its issuer if the issuer is among them.
//!
//! [`check`] reads PEM and DER, chains and bundles. A certificate names its issuer, and several
//! certificates may have that name ([`Options::exact_names`]): all their keys are tried. The
//! algorithm next to the signature has to be the one that the signed part states. Supported
//! signatures are ECDSA on P-256 with SHA-256, 384 and 512 (RFC 5758) and SM2 with SM3 (GM/T 0015);
//! others are not checked ([`Reason::NotChecked`]).
//!
//! Only signatures are checked. The other requirements of RFC 5280, section 6, are not: dates,
//! which may have any format, CA flags, key usage, name constraints, revocation.

mod der;
#[cfg(test)]
mod example_tests;
mod names;
mod read;
mod verify;

use crate::problem::Problem;
pub use crate::reason::Reason;
use std::path::Path;
use std::sync::Arc;
pub use verify::check;

/// Options of verification.
#[derive(Clone, Debug)]
pub struct Options {
    /// The user ids with which SM2 signatures are tried, one after another. A certificate does not
    /// state the id that it was signed with: by default, the standard's and the empty one are
    /// tried, which cover nearly all certificates.
    pub sm2_user_ids: Vec<Vec<u8>>,
    /// True to compare the names of issuers and subjects byte for byte, as they are encoded. By
    /// default they are compared according to RFC 5280, section 7.1: regardless of string types,
    /// case and white space.
    pub exact_names: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            sm2_user_ids: vec![gecc::sm2::DEFAULT_USER_ID.to_vec(), Vec::new()],
            exact_names: false,
        }
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
    /// Any other algorithm.
    Other,
}

impl Algorithm {
    /// Returns the name used in output.
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
    /// The name of the subject, in the notation of RFC 4514.
    pub subject: String,
    /// The name of the issuer.
    pub issuer: String,
    /// The signature algorithm.
    pub algorithm: Algorithm,
    /// The certificate whose key matches, as an index into the answers.
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
    /// One answer for each certificate.
    pub answers: Vec<Answer>,
    /// Problems of the files.
    pub problems: Vec<Problem>,
}
