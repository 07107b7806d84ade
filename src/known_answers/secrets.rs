//! Answers of operations on private keys. The keys are for tests only.

use super::Answer;
use super::group::{Numbered, Scalar, bytes, last, off_curve, order};
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

pub fn key<C: SecretCurve>(number: &Scalar<C>) -> SecretKey {
    SecretKey::from_bytes(bytes::<C>(number))
}

/// Returns keys that no scheme accepts.
pub fn out_of_range<C: SecretCurve>() -> [SecretKey; 3] {
    [[0; 32], order::<C>(), [0xff; 32]].map(SecretKey::from_bytes)
}
