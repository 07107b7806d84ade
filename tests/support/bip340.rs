//! BIP 340 as libsecp256k1 computes it.

use super::random::Random;
use gecc::Secp256k1;
use secp256k1::schnorr::Signature;
use secp256k1::{Keypair, XOnlyPublicKey};

/// A private key with the public keys that libsecp256k1 derives from it.
pub struct Signer {
    pub pair: Keypair,
    pub x_only: [u8; 32],
    pub secret: [u8; 32],
}

pub fn signer(random: &mut Random) -> Signer {
    let secret = random.scalar_bytes::<Secp256k1>();
    let pair = Keypair::from_secret_bytes(secret).expect("in range");
    Signer {
        x_only: pair.x_only_public_key().0.to_byte_array(),
        pair,
        secret,
    }
}

pub fn corrupt(
    random: &mut Random,
    item: usize,
    message: &mut Vec<u8>,
    signature: &mut [u8; 64],
    key: &mut [u8; 32],
) {
    match item % 9 {
        0 => random.flip_bit(signature),
        1 => random.flip_bit(key),
        2 => message.push(0),
        3 => signature[..32].fill(0xff),
        4 => signature[32..].fill(0xff),
        5 => key.fill(0xff),
        6 => signature[32..].fill(0),
        7 => *key = random.bytes(),
        _ => signature[..32].copy_from_slice(&random.bytes()),
    }
}

pub fn is_valid_there(message: &[u8], signature: &[u8; 64], key: &[u8; 32]) -> bool {
    let key = XOnlyPublicKey::from_byte_array(*key);
    key.is_ok_and(|key| {
        Signature::from_byte_array(*signature)
            .verify(message, &key)
            .is_ok()
    })
}
