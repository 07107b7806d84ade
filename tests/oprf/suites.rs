//! What tests need of a suite.

use crate::masking::reference::point_of;
use crate::support::numbers::{modulus_plus, order_plus};
use crate::support::reference::{encode, shared_point};
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use elliptic_curve::consts::U32;
use gecc::hash_to_curve;
use gecc::oprf::{P256Sha256, Ristretto255Sha512, Suite};
use gecc::{Engine, P256, Rejection, SecretKey, keys, ristretto255};
use hash2curve::{ExpandMsg, ExpandMsgXmd, Expander};
use sha2::{Digest, Sha256, Sha512};

/// A suite with a second implementation.
pub trait OprfSuite: Suite {
    const SUITE: Self;
    const ZERO: Self::Element;

    /// Generates a key and returns it with its public key.
    fn key_pair(engine: &Engine) -> (SecretKey, Self::Element);

    /// Returns the public key of a key.
    fn public_key(engine: &Engine, key: &SecretKey) -> Self::Element;

    /// Returns the product of an input's element and the key.
    fn product(dst: &[u8], key: &SecretKey, input: &[u8]) -> Self::Element;

    /// Returns the inverse of an element, which an alteration must not yield by chance.
    fn negative(element: &Self::Element) -> Self::Element;

    /// Returns the hash of byte strings.
    fn hash(parts: &[&[u8]]) -> Self::Output;

    /// Returns the group order in the byte order of the suite's scalars.
    fn order() -> [u8; 32];

    /// Returns rows that are not elements.
    fn malformed() -> Vec<(Self::Element, Rejection)>;
}

impl OprfSuite for P256Sha256 {
    const SUITE: Self = P256Sha256;
    const ZERO: [u8; 33] = [0; 33];

    fn key_pair(engine: &Engine) -> (SecretKey, [u8; 33]) {
        let (mut secret, public) = keys::generate(engine, P256, 1).unwrap();
        (secret.remove(0), public[0].to_compressed().unwrap())
    }

    fn public_key(engine: &Engine, key: &SecretKey) -> [u8; 33] {
        let public = keys::public_keys(engine, P256, key).unwrap()[0].unwrap();
        public.to_compressed().unwrap()
    }

    fn product(dst: &[u8], key: &SecretKey, input: &[u8]) -> [u8; 33] {
        let point = point_of(hash_to_curve::Suite::P256SswuRo, dst, input);
        let product = shared_point::<P256>(key.expose_bytes(), point.as_sec1()).unwrap();
        encode::<P256>(&product).to_compressed().unwrap()
    }

    fn negative(element: &[u8; 33]) -> [u8; 33] {
        let mut negative = *element;
        negative[0] ^= 1;
        negative
    }

    fn hash(parts: &[&[u8]]) -> [u8; 32] {
        Sha256::digest(parts.concat()).into()
    }

    fn order() -> [u8; 32] {
        order_plus::<P256>(0)
    }

    fn malformed() -> Vec<([u8; 33], Rejection)> {
        let mut x_of_p = [2; 33];
        x_of_p[1..].copy_from_slice(&modulus_plus::<P256>(0));
        // 1 is not an x-coordinate of P-256: 1 - 3 + b has no root.
        let mut no_point = [0; 33];
        no_point[0] = 3;
        no_point[32] = 1;
        vec![
            ([0; 33], Rejection::MalformedPoint),
            ([0xff; 33], Rejection::MalformedPoint),
            ([4; 33], Rejection::MalformedPoint),
            (x_of_p, Rejection::MalformedPoint),
            (no_point, Rejection::NotOnCurve),
        ]
    }
}

impl OprfSuite for Ristretto255Sha512 {
    const SUITE: Self = Ristretto255Sha512;
    const ZERO: [u8; 32] = [0; 32];

    fn key_pair(engine: &Engine) -> (SecretKey, [u8; 32]) {
        let (mut secret, public) = ristretto255::generate(engine, 1).unwrap();
        (secret.remove(0), public[0])
    }

    fn public_key(engine: &Engine, key: &SecretKey) -> [u8; 32] {
        ristretto255::public_keys(engine, key).unwrap()[0].unwrap()
    }

    fn product(dst: &[u8], key: &SecretKey, input: &[u8]) -> [u8; 32] {
        let length = 64u16.try_into().unwrap();
        let mut bytes = [0; 64];
        <ExpandMsgXmd<Sha512> as ExpandMsg<U32>>::expand_message(&[input], &[dst], length)
            .unwrap()
            .fill_bytes(&mut bytes)
            .unwrap();
        let key = Scalar::from_canonical_bytes(*key.expose_bytes()).unwrap();
        let element = RistrettoPoint::from_uniform_bytes(&bytes) * key;
        element.compress().to_bytes()
    }

    fn negative(element: &[u8; 32]) -> [u8; 32] {
        let element = CompressedRistretto(*element).decompress().unwrap();
        (-element).compress().to_bytes()
    }

    fn hash(parts: &[&[u8]]) -> [u8; 64] {
        Sha512::digest(parts.concat()).into()
    }

    fn order() -> [u8; 32] {
        let mut order = (-Scalar::ONE).to_bytes();
        order[0] += 1;
        order
    }

    fn malformed() -> Vec<([u8; 32], Rejection)> {
        let mut odd = [0; 32];
        odd[0] = 1;
        let mut p = [0xff; 32];
        p[0] = 0xed;
        p[31] = 0x7f;
        // RFC 9496, appendix A.2: a non-square x^2.
        let digits = "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371";
        let no_element = hex::decode(digits).unwrap().try_into().unwrap();
        vec![
            ([0; 32], Rejection::IdentityKey),
            ([0xff; 32], Rejection::MalformedPoint),
            (odd, Rejection::MalformedPoint),
            (p, Rejection::MalformedPoint),
            (no_element, Rejection::NotOnCurve),
        ]
    }
}
