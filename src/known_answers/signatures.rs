//! Answers of signature schemes: what their items have in common. Each scheme constructs its own.

use super::Answer;
use super::group::{
    COUNT, Group, Numbered, Scalar, bytes, encode_all, join, order, pseudo_random, reduced,
};
use super::secrets::key;
use crate::cpu::secret::SecretCurve;
use crate::types::{Point, Rejection, SecretKey, Verdict};
use ecdsa::signature::rand_core::{TryCryptoRng, TryRng};
use std::convert::Infallible;

/// Known answers of a signature scheme on a curve.
pub struct SchemeAnswers {
    pub signatures: Signatures,
    pub signing: Signing,
}

/// Signatures to verify, and their expected verdicts, with the low-s policy for ECDSA.
pub struct Signatures {
    pub digests: Vec<[u8; 32]>,
    pub signatures: Vec<[u8; 64]>,
    pub keys: Vec<Point>,
    pub verdicts: Vec<Verdict>,
    /// Recovery ids and recovered keys, independent of the given keys. Meaningless for schemes
    /// without recovery.
    pub recovery_ids: Vec<u8>,
    pub recovered: Vec<Answer<Point>>,
}

/// A signature with its digest and key, as numbers and a point.
#[derive(Clone, Copy)]
pub struct SignatureNumbers<C: SecretCurve> {
    pub e: Scalar<C>,
    pub r: Scalar<C>,
    pub s: Scalar<C>,
    pub id: u8,
    pub key: Group<C>,
}

/// An item with its expected results.
pub struct SignatureItem<C: SecretCurve> {
    signed: SignatureNumbers<C>,
    verdict: Answer<()>,
    recovered: Answer<()>,
    /// A key given instead of the signer's.
    other_key: Option<Point>,
    other_signature: Option<[u8; 64]>,
}

impl<C: SecretCurve> SignatureItem<C> {
    /// Makes an item that is recovered; `verdict` is the result of verification.
    pub fn new(signed: SignatureNumbers<C>, verdict: Answer<()>) -> Self {
        SignatureItem {
            signed,
            verdict,
            recovered: Ok(()),
            other_key: None,
            other_signature: None,
        }
    }

    pub fn with_key(self, key: Point) -> Self {
        SignatureItem {
            other_key: Some(key),
            ..self
        }
    }

    pub fn not_recovered(self, rejection: Rejection) -> Self {
        SignatureItem {
            recovered: Err(rejection),
            ..self
        }
    }

    /// Returns `r || s`, or the signature given instead.
    fn signature(&self) -> [u8; 64] {
        let SignatureNumbers { r, s, .. } = &self.signed;
        self.other_signature
            .unwrap_or_else(|| join(&bytes::<C>(r), &bytes::<C>(s)))
    }
}

/// Returns x(R) modulo n, and the recovery id of R.
pub fn x_of<C: SecretCurve>(point: &Point) -> (Scalar<C>, u8) {
    let r = reduced::<C>(point.x());
    let is_large = bytes::<C>(&r) != *point.x();
    (r, u8::from(is_large) << 1 | (point.y()[31] & 1))
}

impl<C: SecretCurve> SignatureNumbers<C> {
    /// Returns items with r or s equal to 0 or n.
    pub fn with_values_out_of_range(self) -> impl Iterator<Item = SignatureItem<C>> {
        let [r, s] = [bytes::<C>(&self.r), bytes::<C>(&self.s)];
        let corrupted = [[0; 32], order::<C>()]
            .into_iter()
            .flat_map(move |outside| {
                [
                    (join(&outside, &s), Rejection::ROutOfRange),
                    (join(&r, &outside), Rejection::SOutOfRange),
                ]
            });
        corrupted.map(move |(signature, rejection)| {
            let item = SignatureItem::new(self, Err(rejection)).not_recovered(rejection);
            SignatureItem {
                other_signature: Some(signature),
                ..item
            }
        })
    }

    /// Returns items with invalid keys; recovery yields another key.
    pub fn with_invalid_keys(self, off_curve: Point) -> [SignatureItem<C>; 2] {
        let rejected = [
            (off_curve, Rejection::NotOnCurve),
            (Point::IDENTITY, Rejection::IdentityKey),
        ];
        rejected.map(|(key, rejection)| SignatureItem::new(self, Err(rejection)).with_key(key))
    }
}

impl Signatures {
    /// Makes the answers of items.
    pub fn of<C: SecretCurve>(items: &[SignatureItem<C>]) -> Self {
        let signers =
            encode_all::<C>(&items.iter().map(|item| item.signed.key).collect::<Vec<_>>());
        Signatures {
            digests: items
                .iter()
                .map(|item| bytes::<C>(&item.signed.e))
                .collect(),
            signatures: items.iter().map(|item| item.signature()).collect(),
            keys: items
                .iter()
                .zip(&signers)
                .map(|(item, signer)| item.other_key.unwrap_or(*signer))
                .collect(),
            verdicts: items.iter().map(|item| item.verdict.into()).collect(),
            recovery_ids: items.iter().map(|item| item.signed.id).collect(),
            recovered: items
                .iter()
                .zip(&signers)
                .map(|(item, signer)| item.recovered.map(|()| *signer))
                .collect(),
        }
    }
}

/// Private keys and digests, with their signatures and recovery ids. The id is 0 if the scheme has
/// none.
pub struct Signing {
    pub keys: Vec<SecretKey>,
    pub digests: Vec<[u8; 32]>,
    pub signed: Vec<Answer<([u8; 64], u8)>>,
    /// Additional data for the nonces, and the signatures with them.
    pub additional: Vec<[u8; 32]>,
    pub signed_with_data: Vec<Answer<([u8; 64], u8)>>,
}

/// A function that signs a digest with RustCrypto, optionally with additional data.
pub type Reference = fn(&[u8; 32], &[u8; 32], Option<[u8; 32]>) -> ([u8; 64], u8);

/// The number of signatures: signing with RustCrypto is slow.
const SIGNED: usize = 4;

impl Signing {
    /// Makes the answers of valid keys by RustCrypto, and those of keys that are `rejected`.
    pub fn new<C: SecretCurve>(
        numbered: &Numbered<C>,
        rejected: impl IntoIterator<Item = SecretKey>,
        reference: Reference,
    ) -> Self {
        let mut keys: Vec<SecretKey> = numbered.numbers[COUNT - SIGNED..]
            .iter()
            .map(key::<C>)
            .collect();
        let mut digests: Vec<_> = (0..SIGNED as u8)
            .map(|seed| bytes::<C>(&pseudo_random::<C>(0x80 | seed)))
            .collect();
        // A digest above n, which is reduced.
        digests[0] = [0xff; 32];
        debug_assert!(bytes::<C>(&reduced::<C>(&digests[0])) != digests[0]);
        let mut additional: Vec<_> = (0..SIGNED as u8)
            .map(|seed| bytes::<C>(&pseudo_random::<C>(0x90 | seed)))
            .collect();
        // Additional data that must be neither ignored nor reduced.
        additional[1] = [0; 32];
        additional[2] = [0xff; 32];
        let mut signed = Vec::new();
        let mut signed_with_data = Vec::new();
        for ((key, digest), data) in keys.iter().zip(&digests).zip(&additional) {
            signed.push(Ok(reference(key.expose_bytes(), digest, None)));
            signed_with_data.push(Ok(reference(key.expose_bytes(), digest, Some(*data))));
        }
        for key in rejected {
            keys.push(key);
            digests.push(digests[1]);
            additional.push(additional[0]);
            signed.push(Err(Rejection::SecretKeyOutOfRange));
            signed_with_data.push(Err(Rejection::SecretKeyOutOfRange));
        }
        Signing {
            keys,
            digests,
            signed,
            additional,
            signed_with_data,
        }
    }
}

/// A random number generator that returns given bytes. RustCrypto's signers use them as additional
/// data of a nonce.
pub struct Given(pub [u8; 32]);

impl TryRng for Given {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("signers take bytes")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        unreachable!("signers take bytes")
    }

    fn try_fill_bytes(&mut self, to: &mut [u8]) -> Result<(), Infallible> {
        to.copy_from_slice(&self.0);
        Ok(())
    }
}

impl TryCryptoRng for Given {}
