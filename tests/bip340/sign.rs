//! Signing against libsecp256k1.

use crate::declare::{apply, on_every_engine};
use crate::support::bip340::{Signer, is_valid_there, signer};
use crate::support::random::Random;
use gecc::bip340::{Auxiliary, SigningKeys};
use gecc::{
    Backend, Engine, PublicKeys, Rejection, Rows, Secp256k1, SecretKey, Verdict, bip340, keys,
};
use secp256k1::schnorr::{self};

pub const ITEMS: usize = 700;

pub fn lengths(random: &mut Random, item: usize) -> usize {
    match item % 4 {
        0 => random.below(300),
        _ => 32,
    }
}

/// Signatures with given auxiliary data are those of libsecp256k1, by each way to pass keys and
/// messages.
#[apply(on_every_engine)]
fn given_auxiliary_data_yields_signatures_of_libsecp256k1(engine: &Engine) {
    let mut random = Random::new();
    let signers: Vec<Signer> = (0..ITEMS).map(|_| signer(&mut random)).collect();
    let texts: Vec<Vec<u8>> = (0..ITEMS)
        .map(|item| {
            let length = lengths(&mut random, item);
            random.vector(length)
        })
        .collect();
    let digests: Vec<[u8; 32]> = (0..ITEMS).map(|_| random.bytes()).collect();
    let auxiliary: Vec<[u8; 32]> = (0..ITEMS).map(|_| random.bytes()).collect();
    let secret: Vec<SecretKey> = signers
        .iter()
        .map(|signer| SecretKey::from_bytes(signer.secret))
        .collect();
    let public: Vec<[u8; 33]> = signers
        .iter()
        .map(|signer| signer.pair.public_key().serialize())
        .collect();
    let theirs = |message: &dyn Fn(usize) -> Vec<u8>| -> Vec<Result<[u8; 64], Rejection>> {
        let sign = |item: usize| {
            schnorr::sign_with_aux_rand(&message(item), &signers[item].pair, &auxiliary[item])
        };
        (0..ITEMS)
            .map(|item| Ok(sign(item).to_byte_array()))
            .collect()
    };
    let of_texts = theirs(&|item| texts[item].clone());
    let of_digests = theirs(&|item| digests[item].to_vec());
    let given = Auxiliary::given(&auxiliary);
    for keys in [
        SigningKeys::from(&secret),
        SigningKeys::with_public(&secret, &public),
    ] {
        assert_eq!(
            bip340::sign_messages(engine, &texts, keys, given).unwrap(),
            of_texts
        );
        assert_eq!(
            bip340::sign(engine, &digests, keys, given).unwrap(),
            of_digests
        );
    }
    let mut rows = vec![[0; 64]; ITEMS];
    let mut codes = vec![0; ITEMS];
    bip340::sign_into(engine, &digests, &secret, given, &mut rows, &mut codes).unwrap();
    assert!(codes.iter().all(|code| *code == Verdict::VALID_CODE));
    assert!(
        rows.iter()
            .zip(&of_digests)
            .all(|(row, signed)| Ok(*row) == *signed)
    );
    // One key and one message for all, without auxiliary data.
    let expected = schnorr::sign_no_aux_rand(&digests[0], &signers[0].pair).to_byte_array();
    bip340::sign_into(
        engine,
        Rows::all(&digests[0]),
        &secret[0],
        Auxiliary::zeros(),
        &mut rows,
        &mut codes,
    )
    .unwrap();
    assert!(rows.iter().all(|row| *row == expected));
}

/// A public key that is not that of its private key leads to a signature that verifies with neither
/// key, by a nonce of its own: with the same nonce two signatures would reveal the private key.
#[apply(on_every_engine)]
fn mismatched_public_key_yields_invalid_signature_with_its_own_nonce(engine: &Engine) {
    let mut random = Random::new();
    let own = signer(&mut random);
    let other = signer(&mut random);
    let mut negated = own.pair.public_key().serialize();
    negated[0] ^= 1;
    let secret = SecretKey::from_bytes(own.secret);
    let sign = |engine: &Engine, public: &[u8; 33]| {
        let keys = SigningKeys::with_public(&secret, PublicKeys::compressed(Rows::all(public)));
        bip340::sign(engine, &[[5; 32]], keys, Auxiliary::zeros()).unwrap()[0]
    };
    let right = sign(engine, &own.pair.public_key().serialize()).unwrap();
    let checking = Engine::builder()
        .backend(Backend::Cpu)
        .check_signatures(true)
        .build()
        .unwrap();
    for wrong in [other.pair.public_key().serialize(), negated] {
        let signature = sign(engine, &wrong).unwrap();
        assert_ne!(signature[..32], right[..32]);
        assert!(!is_valid_there(&[5; 32], &signature, &own.x_only));
        assert!(!is_valid_there(&[5; 32], &signature, &other.x_only));
        assert_eq!(sign(&checking, &wrong), Err(Rejection::Mismatch));
    }
    assert_eq!(
        sign(&checking, &own.pair.public_key().serialize()),
        Ok(right)
    );
    // An x-only key leaves the sign of y open.
    for engine in [engine, &checking] {
        let keys = SigningKeys::with_public(&secret, PublicKeys::x_only(Rows::all(&own.x_only)));
        assert_eq!(
            bip340::sign(engine, &[[5; 32]], keys, Auxiliary::zeros()).unwrap(),
            [Ok(right)]
        );
    }
    let keys = SigningKeys::with_public(&secret, PublicKeys::x_only(Rows::all(&other.x_only)));
    let signed = bip340::sign(&checking, &[[5; 32]], keys, Auxiliary::zeros()).unwrap();
    assert_eq!(signed, [Err(Rejection::Mismatch)]);
}

/// Auxiliary data of the system differ from item to item and from call to call.
#[apply(on_every_engine)]
fn fresh_auxiliary_data_differs_between_items_and_calls(engine: &Engine) {
    let (secret, public) = keys::generate(engine, Secp256k1, 1).unwrap();
    let sign = || bip340::sign(engine, &[[9; 32]; 50], &secret[0], Auxiliary::fresh()).unwrap();
    let mut signatures: Vec<[u8; 64]> = sign()
        .into_iter()
        .chain(sign())
        .map(Result::unwrap)
        .collect();
    let verdicts = bip340::verify(engine, &[[9; 32]; 100], &signatures, &public[0]).unwrap();
    assert!(verdicts.all_valid());
    signatures.sort_unstable();
    signatures.dedup();
    assert_eq!(signatures.len(), 100);
}

/// Signatures that are verified before they are returned are the same.
#[apply(on_every_engine)]
fn checked_signatures_equal_unchecked_ones(engine: &Engine) {
    let backend = engine.info().backend;
    let checking = Engine::builder()
        .backend(backend)
        .check_signatures(true)
        .build()
        .unwrap();
    let mut random = Random::new();
    let secret: Vec<SecretKey> = (0..ITEMS)
        .map(|_| SecretKey::from_bytes(signer(&mut random).secret))
        .collect();
    let messages: Vec<[u8; 32]> = (0..ITEMS).map(|_| random.bytes()).collect();
    let sign =
        |engine: &Engine| bip340::sign(engine, &messages, &secret, Auxiliary::zeros()).unwrap();
    assert_eq!(sign(&checking), sign(engine));
}
