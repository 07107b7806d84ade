//! Columns of the caller, and inputs of different lengths.

use super::{AllZero, random_rows, reference, row, secret_keys};
use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use gecc::{Engine, Error, PublicKeys, Rejection, Rows, SecretKeys, Verdict, x25519};

const ITEMS: usize = 70;

#[apply(on_every_engine)]
fn columns_get_the_results_of_values(engine: &Engine) {
    let mut random = Random::new();
    let keys = random_rows(&mut random, ITEMS);
    let mut peers = random_rows(&mut random, ITEMS);
    peers[ITEMS / 2] = [0; 32];
    let mut secrets = [[0xee; 32]; ITEMS];
    let mut codes = [0xee; ITEMS];
    x25519::shared_secrets_into(
        engine,
        SecretKeys::rows(Rows::new(&keys)),
        PublicKeys::x25519(&peers),
        AllZero::Reject,
        &mut secrets,
        &mut codes,
    )
    .unwrap();
    for item in 0..ITEMS {
        if item == ITEMS / 2 {
            assert_eq!(codes[item], Rejection::IdentityResult.code());
        } else {
            assert_eq!(codes[item], Verdict::VALID_CODE);
            assert_eq!(secrets[item], reference(&keys[item], &peers[item]));
        }
    }
}

/// Rows may be fields of records.
#[apply(on_every_engine)]
fn strided_columns_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let bytes = random.vector(65 * ITEMS);
    let keys = Rows::<32>::strided(&bytes[1..], 65, ITEMS).unwrap();
    let peers = Rows::<32>::strided(&bytes[33..], 65, ITEMS).unwrap();
    let found = super::shared(
        engine,
        SecretKeys::rows(keys),
        PublicKeys::x25519(peers),
        AllZero::Reject,
    );
    for (item, found) in found.into_iter().enumerate() {
        assert_eq!(found, Ok(reference(keys.get(item), peers.get(item))));
    }
}

#[apply(on_every_engine)]
fn one_key_and_one_peer_for_all_columns(engine: &Engine) {
    let mut random = Random::new();
    let key = secret_keys(&random_rows(&mut random, 1)).remove(0);
    let peer: [u8; 32] = random.bytes();
    let mut secrets = [[0; 32]; ITEMS];
    let mut codes = [0; ITEMS];
    x25519::shared_secrets_into(
        engine,
        &key,
        PublicKeys::x25519(Rows::all(&peer)),
        AllZero::Reject,
        &mut secrets,
        &mut codes,
    )
    .unwrap();
    assert_eq!(secrets, [reference(key.expose_bytes(), &peer); ITEMS]);
    let mut public = [[0; 32]; ITEMS];
    x25519::public_keys_into(engine, &key, &mut public).unwrap();
    let base = row("0900000000000000000000000000000000000000000000000000000000000000");
    assert_eq!(public, [reference(key.expose_bytes(), &base); ITEMS]);
}

#[apply(on_every_engine)]
fn inputs_of_different_lengths_are_an_error(engine: &Engine) {
    let keys = secret_keys(&[[1; 32]; 3]);
    let peers = [[9; 32]; 2];
    let secrets =
        x25519::shared_secrets(engine, &keys, PublicKeys::x25519(&peers), AllZero::Reject);
    assert!(matches!(secrets, Err(Error::LengthMismatch { .. })));
    let mut rows = [[0; 32]; 2];
    let public = x25519::public_keys_into(engine, &keys, &mut rows);
    assert!(matches!(public, Err(Error::LengthMismatch { .. })));
    for (rows, codes) in [(2, 3), (3, 2)] {
        let outcome = x25519::shared_secrets_into(
            engine,
            &keys[..2],
            PublicKeys::x25519(&peers),
            AllZero::Reject,
            &mut vec![[0; 32]; rows],
            &mut vec![0; codes],
        );
        assert!(matches!(outcome, Err(Error::LengthMismatch { .. })));
    }
}
