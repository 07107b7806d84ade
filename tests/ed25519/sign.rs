//! Keys and signatures against `ed25519-dalek`.

use crate::declare::{apply, on_every_engine};
use crate::support::ed25519::{check, dalek_agrees, random_cases};
use crate::support::random::Random;
use ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign};
use ed25519_dalek::{Sha512, Signer, SigningKey, VerifyingKey};
use gecc::ed25519::{self, Rule, SigningKeys, Variant};
use gecc::{Engine, PublicKeys, SecretKey};

const ITEMS: usize = 700;

/// Signatures and verdicts are those of `ed25519-dalek`, for keys that occur once, some times and
/// often.
#[apply(on_every_engine)]
fn random_keys_and_cases_match_dalek(engine: &Engine) {
    let mut random = Random::new();
    for distinct in [ITEMS, 40, 1] {
        let cases = random_cases(engine, &mut random, ITEMS, distinct);
        check(engine, &cases);
        dalek_agrees(&cases);
    }
}

/// Keys kept as 64 bytes, whose scalars have bits to set and clear.
#[apply(on_every_engine)]
fn expanded_keys_sign_like_dalek(engine: &Engine) {
    let mut random = Random::new();
    let mut hashes: Vec<[u8; 64]> = (0..40)
        .map(|_| random.vector(64).try_into().unwrap())
        .collect();
    (hashes[0], hashes[1]) = ([0; 64], [0xff; 64]);
    let keys = ed25519::expand_hashed(engine, &hashes).unwrap();
    let messages: Vec<[u8; 3]> = (0..hashes.len()).map(|item| [item as u8; 3]).collect();
    let signed = ed25519::sign(
        engine,
        &messages,
        SigningKeys::expanded(&keys),
        Variant::PURE,
    )
    .unwrap();
    for ((hash, message), (key, signature)) in
        hashes.iter().zip(&messages).zip(keys.iter().zip(signed))
    {
        let expanded = ExpandedSecretKey::from_bytes(hash);
        let public = VerifyingKey::from(&expanded);
        assert_eq!(key.public_key(), public.as_bytes());
        assert_eq!(
            signature.unwrap(),
            raw_sign::<Sha512>(&expanded, message, &public).to_bytes()
        );
    }
}

/// Messages around the blocks of the hash and of any length beyond, those for the device and those
/// that are too long.
#[apply(on_every_engine)]
fn messages_of_any_length_match_dalek(engine: &Engine) {
    let mut random = Random::new();
    let lengths = (0..300).chain([1 << 14, (1 << 14) + 1, 100_000]);
    let messages: Vec<Vec<u8>> = lengths.map(|length| random.vector(length)).collect();
    let keys: Vec<SigningKey> = messages
        .iter()
        .map(|_| SigningKey::from_bytes(&random.bytes()))
        .collect();
    let public: Vec<[u8; 32]> = keys
        .iter()
        .map(|key| *key.verifying_key().as_bytes())
        .collect();
    let mut signatures: Vec<[u8; 64]> = keys
        .iter()
        .zip(&messages)
        .map(|(key, message)| key.sign(message).to_bytes())
        .collect();
    let seeds: Vec<SecretKey> = keys
        .iter()
        .map(|key| SecretKey::from_bytes(key.to_bytes()))
        .collect();
    let signed = ed25519::sign(engine, &messages, &seeds, Variant::PURE).unwrap();
    assert!(
        signed
            .into_iter()
            .map(Result::unwrap)
            .eq(signatures.iter().copied())
    );
    // The last one of each kind is corrupted.
    let last = messages.len() - 1;
    let corrupted = [299, last - 2, last];
    corrupted.iter().for_each(|item| signatures[*item][40] ^= 1);
    for &rule in Rule::ALL {
        let keys = PublicKeys::ed25519(&public);
        let found =
            ed25519::verify(engine, &messages, &signatures, keys, Variant::PURE, rule).unwrap();
        assert!(
            found
                .iter()
                .enumerate()
                .all(|(item, verdict)| verdict.is_valid() != corrupted.contains(&item))
        );
    }
}
