//! P-256 and Ed25519 by AWS-LC.

use super::Oracle;
use aws_lc_rs::agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey, agree};
use aws_lc_rs::digest::{Digest, SHA256};
use aws_lc_rs::signature::{
    self, ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, ED25519, EcdsaKeyPair,
    ParsedPublicKey,
};

pub struct AwsLc;

fn import(digest: &[u8; 32]) -> Digest {
    Digest::import_less_safe(digest, &SHA256).expect("32 bytes")
}

fn private_key(secret: &[u8; 32]) -> PrivateKey {
    PrivateKey::from_private_key(&ECDH_P256, secret).expect("in range")
}

impl AwsLc {
    /// On x86-64 and aarch64 it accepts canonical keys alone, and encodes S B - k A: gecc's rule
    /// `Rfc8032`.
    pub fn verifies_ed25519(message: &[u8], signature: &[u8; 64], key: &[u8; 32]) -> bool {
        signature::UnparsedPublicKey::new(&ED25519, key)
            .verify(message, signature)
            .is_ok()
    }
}

impl Oracle for AwsLc {
    fn public_key(&self, secret: &[u8; 32]) -> [u8; 65] {
        let key = private_key(secret)
            .compute_public_key()
            .expect("a key has a public key");
        key.as_ref().try_into().expect("uncompressed")
    }

    fn sign(&self, secret: &[u8; 32], digest: &[u8; 32]) -> [u8; 64] {
        let public = self.public_key(secret);
        let pair = EcdsaKeyPair::from_private_key_and_public_key(
            &ECDSA_P256_SHA256_FIXED_SIGNING,
            secret,
            &public,
        );
        let signature = pair
            .expect("the keys belong together")
            .sign_digest(&import(digest))
            .expect("the system has random bytes");
        signature.as_ref().try_into().expect("64 bytes")
    }

    fn verifies(&self, digest: &[u8; 32], signature: &[u8; 64], key: &[u8]) -> bool {
        let key = ParsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key).expect("on the curve");
        key.verify_digest_sig(&import(digest), signature).is_ok()
    }

    fn shared_x(&self, secret: &[u8; 32], peer: &[u8]) -> [u8; 32] {
        let peer = UnparsedPublicKey::new(&ECDH_P256, peer);
        let x = agree(&private_key(secret), peer, (), |x| {
            x.try_into().map_err(|_| ())
        });
        x.expect("a key on the curve, and a coordinate of 32 bytes")
    }
}
