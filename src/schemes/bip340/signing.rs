//! The inputs of signing other than the messages.

use crate::cpu::CpuEngine;
use crate::ops::keys::{draw_rows, random};
use crate::types::{Error, PublicKeys, Rows, SecretKeys};
use std::ops::Range;
use zeroize::Zeroizing;

/// The private keys of a batch, optionally with their public keys.
///
/// Everything that converts into [`SecretKeys`] also converts into this.
#[derive(Clone, Copy, Debug)]
pub struct SigningKeys<'a> {
    pub(super) secret: SecretKeys<'a>,
    pub(super) public: Option<PublicKeys<'a>>,
}

impl<'a> SigningKeys<'a> {
    /// Takes private keys with known public keys, which saves the time of computing them. Signing
    /// needs the parity of y: if x-only keys are given, the points are computed nevertheless.
    ///
    /// With [`crate::EngineBuilder::check_signatures`] each public key is checked to belong to its
    /// private key; otherwise it is not. A signature made with a wrong public key does not verify,
    /// but reveals nothing about the private key: the nonce is also a hash of the public key, so no
    /// nonce is used with two challenges.
    pub fn with_public(
        secret: impl Into<SecretKeys<'a>>,
        public: impl Into<PublicKeys<'a>>,
    ) -> Self {
        SigningKeys {
            secret: secret.into(),
            public: Some(public.into()),
        }
    }

    /// Returns the keys of some items. A single key for all items is returned as such.
    ///
    /// # Panics
    /// If the range is out of bounds.
    pub fn slice(&self, items: Range<usize>) -> Self {
        SigningKeys {
            secret: self.secret.slice(items.clone()),
            public: self.public.map(|keys| keys.slice(items)),
        }
    }
}

impl<'a, K: Into<SecretKeys<'a>>> From<K> for SigningKeys<'a> {
    fn from(keys: K) -> Self {
        SigningKeys {
            secret: keys.into(),
            public: None,
        }
    }
}

/// The auxiliary random data of signatures, 32 bytes per item. It protects against side-channel and
/// fault attacks; signatures are secure with any data.
// `None` means fresh data.
#[derive(Clone, Copy, Debug)]
pub struct Auxiliary<'a>(Option<Rows<'a, 32>>);

impl<'a> Auxiliary<'a> {
    /// Uses fresh data from the operating system for every item.
    pub fn fresh() -> Self {
        Auxiliary(None)
    }

    /// Uses auxiliary data of the caller, one row per item or one for all.
    pub fn given(rows: impl Into<Rows<'a, 32>>) -> Self {
        Auxiliary(Some(rows.into()))
    }

    /// Uses zeros for every item: signatures are deterministic, and equal to those of libsecp256k1
    /// without auxiliary data.
    pub fn zeros() -> Self {
        Self::given(Rows::all(&[0; 32]))
    }

    /// Returns the auxiliary data of some items. A single row for all items is returned as such.
    ///
    /// # Panics
    /// If the range is out of bounds.
    pub fn slice(&self, items: Range<usize>) -> Self {
        Auxiliary(self.0.map(|rows| rows.slice(items)))
    }

    /// Returns the auxiliary data as rows for `items` items.
    ///
    /// # Errors
    /// [`Error::Randomness`] if the operating system's random number generator fails.
    pub(super) fn rows(self, cpu: &CpuEngine, items: usize) -> Result<AuxiliaryRows<'a>, Error> {
        match self.0 {
            Some(rows) => Ok(AuxiliaryRows::Given(rows)),
            None => random_rows(cpu, items).map(AuxiliaryRows::Fresh),
        }
    }
}

impl Default for Auxiliary<'_> {
    /// Returns [`Auxiliary::fresh`].
    fn default() -> Self {
        Auxiliary::fresh()
    }
}

pub(super) enum AuxiliaryRows<'a> {
    Given(Rows<'a, 32>),
    Fresh(Zeroizing<Vec<[u8; 32]>>),
}

impl AuxiliaryRows<'_> {
    /// Returns the auxiliary data as a column that is wiped like keys on its way to a device.
    pub fn column(&self) -> SecretKeys<'_> {
        SecretKeys::rows(match self {
            AuxiliaryRows::Given(rows) => *rows,
            AuxiliaryRows::Fresh(rows) => Rows::new(rows),
        })
    }
}

fn random_rows(cpu: &CpuEngine, items: usize) -> Result<Zeroizing<Vec<[u8; 32]>>, Error> {
    let mut rows = Zeroizing::new(vec![[0; 32]; items]);
    draw_rows(cpu, &mut rows, |rows| random(rows.as_flattened_mut()))?;
    Ok(rows)
}
