//! Masks of messages, and their removal.

use super::{multiply, order_plus, random_scalars, secret_keys};
use crate::declare::{apply, on_every_engine};
use crate::support::lengths::differs;
use crate::support::random::Random;
use curve25519_dalek::scalar::Scalar;
use gecc::{Engine, Error, Rejection, SecretKey, Verdict, ristretto255};
use std::collections::HashSet;

const ITEMS: usize = 130;
const DST: &[u8] = b"tag";

fn messages(random: &mut Random) -> Vec<Vec<u8>> {
    (0..ITEMS).map(|item| random.vector(item)).collect()
}

/// The products of hashed messages, which other tests compare with the reference.
#[apply(on_every_engine)]
fn masks_are_products_of_hashed_messages(engine: &Engine) {
    let mut random = Random::new();
    let messages = messages(&mut random);
    let keys = secret_keys(&random_scalars(&mut random, ITEMS));
    for size in [0, 1, 2, 7, 8, 9, ITEMS] {
        let messages = &messages[..size];
        let elements = ristretto255::hash(engine, DST, messages).unwrap();
        let masked = ristretto255::mask(engine, DST, &keys[..size], messages).unwrap();
        assert_eq!(masked, multiply(engine, &keys[..size], &elements));
        let masked = ristretto255::mask(engine, DST, &keys[0], messages).unwrap();
        assert_eq!(masked, multiply(engine, &keys[0], &elements));
    }
}

#[apply(on_every_engine)]
fn unmasking_yields_the_hashed_messages(engine: &Engine) {
    let mut random = Random::new();
    let messages = messages(&mut random);
    let keys = secret_keys(&random_scalars(&mut random, ITEMS));
    let elements = ristretto255::hash(engine, DST, &messages).unwrap();
    let masked = ristretto255::mask(engine, DST, &keys, &messages).unwrap();
    let masked: Vec<[u8; 32]> = masked.into_iter().map(|item| item.unwrap()).collect();
    let unmasked = ristretto255::unmask(engine, &keys, &masked).unwrap();
    assert!(unmasked.into_iter().eq(elements.iter().copied().map(Ok)));
    let masked = ristretto255::mask(engine, DST, &keys[0], &messages).unwrap();
    let masked: Vec<[u8; 32]> = masked.into_iter().map(|item| item.unwrap()).collect();
    let unmasked = ristretto255::unmask(engine, &keys[0], &masked).unwrap();
    assert!(unmasked.into_iter().eq(elements.into_iter().map(Ok)));
}

/// The inverses are those of curve25519-dalek, also next to keys that have none.
#[apply(on_every_engine)]
fn unmasking_multiplies_by_the_inverse(engine: &Engine) {
    let mut random = Random::new();
    let mut keys = random_scalars(&mut random, ITEMS);
    let mut inverses: Vec<[u8; 32]> = keys
        .iter()
        .map(|key| Scalar::from_bytes_mod_order(*key).invert().to_bytes())
        .collect();
    for (item, bad) in [(0, [0; 32]), (70, order_plus(0)), (ITEMS - 1, [0xff; 32])] {
        keys[item] = bad;
        inverses[item] = bad;
    }
    let elements = super::random_elements(&mut random, ITEMS);
    let unmasked = ristretto255::unmask(engine, &secret_keys(&keys), &elements).unwrap();
    assert_eq!(
        unmasked,
        multiply(engine, &secret_keys(&inverses), &elements)
    );
    assert_eq!(unmasked[70], Err(Rejection::SecretKeyOutOfRange));
}

#[apply(on_every_engine)]
fn columns_get_the_results_of_values(engine: &Engine) {
    let mut random = Random::new();
    let messages = messages(&mut random);
    let mut keys = random_scalars(&mut random, ITEMS);
    keys[5] = order_plus(0);
    let keys = secret_keys(&keys);
    let expected = ristretto255::mask(engine, DST, &keys, &messages).unwrap();
    let mut rows = [[0xee; 32]; ITEMS];
    let mut codes = [0xee; ITEMS];
    ristretto255::mask_into(engine, DST, &keys, &messages, &mut rows, &mut codes).unwrap();
    for (item, expected) in expected.iter().enumerate() {
        match expected {
            Ok(row) => assert_eq!((codes[item], &rows[item]), (Verdict::VALID_CODE, row)),
            Err(reason) => assert_eq!(codes[item], reason.code()),
        }
    }
    assert_eq!(codes[5], Rejection::SecretKeyOutOfRange.code());
    let masked = rows;
    let expected = ristretto255::unmask(engine, &keys[6..], &masked[6..]).unwrap();
    let rows = &mut rows[6..];
    let codes = &mut codes[6..];
    ristretto255::unmask_into(engine, &keys[6..], &masked[6..], rows, codes).unwrap();
    assert!(codes.iter().all(|code| *code == Verdict::VALID_CODE));
    assert!(rows.iter().copied().map(Ok).eq(expected));
}

#[apply(on_every_engine)]
fn wrong_calls_are_errors(engine: &Engine) {
    let keys = secret_keys(&[[1; 32]; 3]);
    let error = ristretto255::mask(engine, b"", &keys[0], &["a"]).unwrap_err();
    assert!(matches!(error, Error::DomainSeparation { .. }));
    differs(
        ristretto255::mask(engine, DST, &keys, &["a", "b"]),
        ("secret keys", 2, 3),
    );
    differs(
        ristretto255::mask_into(engine, DST, &keys[0], &["a"], &mut [[0; 32]; 2], &mut [0]),
        ("masked elements", 1, 2),
    );
    differs(
        ristretto255::mask_into(engine, DST, &keys[0], &["a"], &mut [[0; 32]], &mut []),
        ("codes", 1, 0),
    );
}

/// Generated keys are valid, distinct, and have their public keys.
#[apply(on_every_engine)]
fn generated_keys_are_valid_and_distinct(engine: &Engine) {
    let mut distinct = HashSet::new();
    for count in [0, 1, 31, 32, 33, 200] {
        let (secret, public) = ristretto255::generate(engine, count).unwrap();
        assert_eq!(secret.len(), count);
        let expected = ristretto255::public_keys(engine, &secret).unwrap();
        assert!(public.iter().copied().map(Ok).eq(expected));
        distinct.extend(secret.iter().map(SecretKey::expose_bytes).copied());
    }
    assert_eq!(distinct.len(), 297);
}
