//! ECDSA verification against the reference, on random valid and mutated items.
//!
//! `k256` refuses high s; the standard, and gecc by default, do not. So the verdict by the standard
//! is the reference's on the normalised signature, and the verdict under the low-s policy that of
//! `k256` itself (`reference::EcdsaReference`).

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_ecdsa_curve;
use crate::support::mutation::mutated;
use crate::support::random::Random;
use crate::support::reference::{EcdsaReference, public_key};
use crate::support::scheme::{Ecdsa, Item, columns, verify_ecdsa};
use gecc::ecdsa::Policy;
use gecc::{Engine, PublicKeys, ecdsa};
use sha2::{Digest, Sha256};

const ITEMS: usize = 1500;

/// Random items of many keys, about half of them corrupted in one of many ways.
#[apply(on_every_engine)]
fn mutated_items_match_reference(engine: &Engine) {
    each_ecdsa_curve!(compare(engine));
}

fn compare<C: EcdsaReference>(engine: &Engine) {
    let mut random = Random::new();
    let items = mutated::<Ecdsa<C>>(&mut random, ITEMS);
    let standard = verify_ecdsa::<C>(engine, &items, Policy::default());
    let low_s = verify_ecdsa::<C>(engine, &items, Policy::low_s());
    let mut valid = 0;
    for ((item, standard), low_s) in items.iter().zip(standard).zip(low_s) {
        let expected = C::verifies(&item.digest, &item.signature, &item.key);
        assert_eq!(
            standard.is_valid(),
            expected,
            "{} {item:02x?}: {standard}",
            C::NAME
        );
        let expected = expected && C::is_low(&item.signature);
        assert_eq!(
            low_s.is_valid(),
            expected,
            "{}, low s: {item:02x?}: {low_s}",
            C::NAME
        );
        valid += usize::from(expected);
    }
    // Neither all nor none: a verifier whose verdicts are constant would fail.
    assert!(
        (ITEMS / 10..ITEMS * 9 / 10).contains(&valid),
        "{valid} of {ITEMS} are valid with low s"
    );
}

/// Messages of many lengths have the results of their SHA-256.
#[apply(on_every_engine)]
fn messages_of_many_lengths_are_verified_by_their_sha256(engine: &Engine) {
    each_ecdsa_curve!(compare_messages(engine));
}

fn compare_messages<C: EcdsaReference>(engine: &Engine) {
    let mut random = Random::new();
    // Lengths around SHA-256's block and padding.
    let lengths = [
        0, 1, 31, 32, 33, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000, 100_000,
    ];
    let messages: Vec<Vec<u8>> = lengths
        .iter()
        .map(|&length| random.vector(length))
        .collect();
    let items: Vec<Item> = messages
        .iter()
        .map(|message| sign_message::<C>(&mut random, message))
        .collect();
    let (_, signatures, keys) = columns(&items);
    let verify = |messages: &[Vec<u8>]| {
        let keys = PublicKeys::sec1(&keys);
        ecdsa::verify_messages(
            engine,
            C::ID,
            messages,
            &signatures,
            keys,
            Policy::default(),
        )
        .unwrap()
    };
    assert!(verify(&messages).all_valid());
    let mut changed = messages.clone();
    changed.iter_mut().for_each(|message| message.push(0));
    assert_eq!(verify(&changed).rejected().count(), messages.len());
}

fn sign_message<C: EcdsaReference>(random: &mut Random, message: &[u8]) -> Item {
    let secret = random.scalar_bytes::<C>();
    let digest = Sha256::digest(message).into();
    let (signature, _) = C::sign(&secret, &digest).expect("a random key is in range");
    let key = public_key::<C>(&secret).expect("a random key is in range");
    Item {
        digest,
        signature,
        key: key.as_sec1().to_vec(),
    }
}
