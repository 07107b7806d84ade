//! The variants with a context.

use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use ed25519_dalek::{Digest, Sha512, SigningKey};
use gecc::ed25519::{self, MAX_CONTEXT_LEN, Rule, Variant};
use gecc::{Backend, Engine, Error, PublicKeys, Rows, SecretKey};

/// Ed25519ph and contexts of any length, and one key for all.
#[apply(on_every_engine)]
fn contexts_and_prehashing_separate_signatures(engine: &Engine) {
    let seed = [0x42; 32];
    let key = SecretKey::from_bytes([0x42; 32]);
    let of_dalek = SigningKey::from_bytes(&seed);
    let public = *of_dalek.verifying_key().as_bytes();
    let messages: Vec<Vec<u8>> = [0, 1, 63, 64, 127, 128, 129, 5000]
        .map(|length| vec![0x61; length])
        .into();
    for length in [0, 1, 17, 94, 95, 96, MAX_CONTEXT_LEN] {
        let context = vec![0x63; length];
        let variant = Variant::prehashed(&context).unwrap();
        let signed = ed25519::sign(engine, &messages, &key, variant).unwrap();
        let signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
        for (message, signature) in messages.iter().zip(&signatures) {
            let digest = Sha512::new().chain_update(message);
            assert_eq!(
                of_dalek
                    .sign_prehashed(digest, Some(&context))
                    .unwrap()
                    .to_bytes(),
                *signature
            );
        }
        let keys = PublicKeys::ed25519(Rows::all(&public));
        let valid =
            ed25519::verify(engine, &messages, &signatures, keys, variant, Rule::Strict).unwrap();
        assert!(valid.all_valid());
    }
    let too_long = [0; MAX_CONTEXT_LEN + 1];
    for refused in [Variant::context(&too_long), Variant::prehashed(&too_long)] {
        assert!(matches!(refused, Err(Error::ContextTooLong { bytes: 256 })));
    }
}

/// Contexts that end at every byte of a word and of a block, before messages of any length, with a
/// key for each item and with keys that repeat, one by one and together: compared with the portable
/// code.
#[apply(on_every_engine)]
fn contexts_of_any_length_in_batches_are_signed_and_verified(engine: &Engine) {
    const ITEMS: usize = 1000;
    let portable = Engine::builder()
        .backend(Backend::Cpu)
        .portable(true)
        .build()
        .unwrap();
    let with = |batch_verification| {
        let builder = Engine::builder().backend(engine.info().backend);
        builder
            .check_signatures(true)
            .batch_verification(batch_verification)
            .build()
            .unwrap()
    };
    let engines = [with(false), with(true)];
    let mut random = Random::new();
    let mut messages: Vec<Vec<u8>> = (0..ITEMS).map(|item| random.vector(item % 300)).collect();
    (messages[7], messages[8]) = (random.vector(1 << 14), random.vector((1 << 14) + 1));
    for (number, length) in [0, 1, 2, 3, 29, 30, 61, 62, 93, 94, 126, MAX_CONTEXT_LEN]
        .into_iter()
        .enumerate()
    {
        let context = random.vector(length);
        let keys = if number % 3 == 0 { 4 } else { ITEMS };
        let make = if number % 2 == 0 {
            Variant::context
        } else {
            Variant::prehashed
        };
        let variant = make(&context).unwrap();
        let of_keys: Vec<[u8; 32]> = (0..keys).map(|_| random.bytes()).collect();
        let seeds: Vec<SecretKey> = (0..ITEMS)
            .map(|item| SecretKey::from_bytes(of_keys[item % keys]))
            .collect();
        let signed = ed25519::sign(&portable, &messages, &seeds, variant).unwrap();
        assert_eq!(
            ed25519::sign(engine, &messages, &seeds, variant).unwrap(),
            signed,
            "{variant:?}"
        );
        assert_eq!(
            ed25519::sign(&engines[0], &messages, &seeds, variant).unwrap(),
            signed,
            "{variant:?}, checked"
        );
        let public = ed25519::public_keys(&portable, &seeds).unwrap();
        let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
        let corrupted = [0, 8, 299, ITEMS - 1];
        corrupted.iter().for_each(|item| signatures[*item][40] ^= 1);
        for (engine, &rule) in engines
            .iter()
            .flat_map(|engine| Rule::ALL.iter().map(move |rule| (engine, rule)))
        {
            let valid = |variant| {
                let keys = PublicKeys::ed25519(&public);
                let found =
                    ed25519::verify(engine, &messages, &signatures, keys, variant, rule).unwrap();
                found
                    .iter()
                    .map(|verdict| verdict.is_valid())
                    .collect::<Vec<_>>()
            };
            let expected: Vec<bool> = (0..ITEMS).map(|item| !corrupted.contains(&item)).collect();
            assert_eq!(valid(variant), expected, "{variant:?}, {rule}");
            assert_eq!(valid(Variant::PURE), [false; ITEMS], "{variant:?}, {rule}");
        }
    }
}
