//! Answers of operations on private keys. The keys are for tests only.

use super::Answer;
use super::group::{
    COUNT, Numbered, Scalar, bytes, last, off_curve, order, pseudo_random, reduced,
};
use super::points::multiples_of;
use crate::cpu::secret::SecretCurve;
use crate::types::{Point, Rejection, SecretKey};

/// Private keys and their public keys.
pub struct PrivateKeys {
    pub keys: Vec<SecretKey>,
    pub public: Vec<Answer<Point>>,
}

impl PrivateKeys {
    pub fn new<C: SecretCurve>(
        Numbered {
            numbers,
            encoded,
            opposite,
            ..
        }: &Numbered<C>,
    ) -> Self {
        let mut keys: Vec<SecretKey> = numbers.iter().map(key::<C>).collect();
        let mut public: Vec<_> = encoded.iter().map(|point| Ok(*point)).collect();
        keys.push(key::<C>(&-numbers[1]));
        public.push(Ok(opposite[1]));
        for invalid in out_of_range::<C>() {
            keys.push(invalid);
            public.push(Err(Rejection::SecretKeyOutOfRange));
        }
        PrivateKeys { keys, public }
    }
}

/// Private keys, keys of peers, and their shared points as `x || y`.
pub struct Agreements {
    pub keys: Vec<SecretKey>,
    pub peers: Vec<Point>,
    pub shared: Vec<Answer<[u8; 64]>>,
}

impl Agreements {
    pub fn new<C: SecretCurve>(numbered: &Numbered<C>) -> Self {
        let Numbered {
            numbers,
            encoded,
            opposite,
            ..
        } = numbered;
        let peer = encoded[5];
        let mut keys: Vec<SecretKey> = numbers.iter().map(key::<C>).collect();
        let mut shared: Vec<_> = multiples_of(numbered, 5).iter().map(coordinates).collect();
        keys.push(key::<C>(&last::<C>()));
        shared.push(coordinates(&opposite[5]));
        let mut peers = vec![peer; keys.len()];
        let invalid_keys =
            out_of_range::<C>().map(|key| (key, peer, Rejection::SecretKeyOutOfRange));
        let invalid_peers = [
            (
                key::<C>(&numbers[0]),
                off_curve(numbered),
                Rejection::NotOnCurve,
            ),
            (
                key::<C>(&numbers[1]),
                Point::IDENTITY,
                Rejection::IdentityKey,
            ),
        ];
        for (key, peer, rejection) in invalid_keys.into_iter().chain(invalid_peers) {
            keys.push(key);
            peers.push(peer);
            shared.push(Err(rejection));
        }
        Agreements {
            keys,
            peers,
            shared,
        }
    }
}

fn coordinates(point: &Point) -> Answer<[u8; 64]> {
    Ok(point.as_bytes()[1..].try_into().expect("64 bytes"))
}

fn key<C: SecretCurve>(number: &Scalar<C>) -> SecretKey {
    SecretKey::from_bytes(bytes::<C>(number))
}

fn out_of_range<C: SecretCurve>() -> [SecretKey; 3] {
    [[0; 32], order::<C>(), [0xff; 32]].map(SecretKey::from_bytes)
}

/// Private keys and digests, with their signatures and recovery ids. For SM2, which has none, the
/// id is 0.
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
    pub fn ecdsa<C: SecretCurve>(numbered: &Numbered<C>, reference: Reference) -> Self {
        Self::new(numbered, out_of_range::<C>(), reference)
    }

    /// Returns the answers of SM2, where n - 1 is not a key.
    pub fn sm2<C: SecretCurve>(numbered: &Numbered<C>, reference: Reference) -> Self {
        let rejected = out_of_range::<C>()
            .into_iter()
            .chain([key::<C>(&last::<C>())]);
        Self::new(numbered, rejected, reference)
    }

    fn new<C: SecretCurve>(
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
