//! secp256k1 by libsecp256k1.

use super::Oracle;
use secp256k1::ecdsa::{self, Signature};
use secp256k1::{Message, PublicKey, SecretKey, ecdh};

pub struct LibSecp256k1;

fn secret_key(secret: &[u8; 32]) -> SecretKey {
    SecretKey::from_secret_bytes(*secret).expect("in range")
}

impl Oracle for LibSecp256k1 {
    fn public_key(&self, secret: &[u8; 32]) -> [u8; 65] {
        PublicKey::from_secret_key(&secret_key(secret)).serialize_uncompressed()
    }

    fn sign(&self, secret: &[u8; 32], digest: &[u8; 32]) -> [u8; 64] {
        ecdsa::sign(Message::from_digest(*digest), &secret_key(secret)).serialize_compact()
    }

    fn verifies(&self, digest: &[u8; 32], signature: &[u8; 64], key: &[u8]) -> bool {
        let key = PublicKey::from_slice(key).expect("on the curve");
        Signature::from_compact(signature).is_ok_and(|mut signature| {
            // The library takes low s only.
            signature.normalize_s();
            ecdsa::verify(&signature, Message::from_digest(*digest), &key).is_ok()
        })
    }

    fn shared_x(&self, secret: &[u8; 32], peer: &[u8]) -> [u8; 32] {
        let peer = PublicKey::from_slice(peer).expect("on the curve");
        *ecdh::shared_secret_point(&peer, &secret_key(secret))
            .first_chunk()
            .expect("64 bytes")
    }
}
