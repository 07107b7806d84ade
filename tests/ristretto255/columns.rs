//! Columns of the caller, and inputs of different lengths.

use super::{
    IDENTITY, mapped, order_plus, random_elements, random_inputs, random_scalars, reference,
    secret_keys,
};
use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT;
use gecc::{Engine, Error, Rejection, Rows, SecretKeys, Verdict, ristretto255};

const ITEMS: usize = 70;

#[apply(on_every_engine)]
fn columns_get_the_results_of_values(engine: &Engine) {
    let mut random = Random::new();
    let mut keys = random_scalars(&mut random, ITEMS);
    let mut elements = random_elements(&mut random, ITEMS);
    keys[3] = order_plus(0);
    elements[ITEMS / 2] = IDENTITY;
    let generator = RISTRETTO_BASEPOINT_POINT.compress().to_bytes();
    let secret = SecretKeys::rows(Rows::new(&keys));
    let mut rows = [[[0xee; 32]; ITEMS]; 2];
    let mut codes = [[0xee; ITEMS]; 2];
    let [products, public] = &mut rows;
    let [product_codes, public_codes] = &mut codes;
    ristretto255::mul_into(engine, secret, &elements, products, product_codes).unwrap();
    ristretto255::public_keys_into(engine, secret, public, public_codes).unwrap();
    for item in 0..ITEMS {
        for (which, element) in [elements[item], generator].iter().enumerate() {
            match reference(&keys[item], element) {
                Ok(product) => {
                    assert_eq!(codes[which][item], Verdict::VALID_CODE);
                    assert_eq!(rows[which][item], product);
                }
                Err(reason) => assert_eq!(codes[which][item], reason.code()),
            }
        }
    }
    assert_eq!(codes[0][ITEMS / 2], Rejection::IdentityKey.code());
}

/// Rows may be fields of records.
#[apply(on_every_engine)]
fn strided_columns_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let keys = random_scalars(&mut random, ITEMS);
    let elements = random_elements(&mut random, ITEMS);
    let inputs = random_inputs(&mut random, ITEMS);
    let mut bytes = vec![0xee];
    for item in 0..ITEMS {
        bytes.extend(keys[item]);
        bytes.extend(elements[item]);
        bytes.extend(inputs[item]);
        bytes.push(0xee);
    }
    let found = ristretto255::mul(
        engine,
        SecretKeys::rows(Rows::strided(&bytes[1..], 129, ITEMS).unwrap()),
        Rows::strided(&bytes[33..], 129, ITEMS).unwrap(),
    );
    for (item, found) in found.unwrap().into_iter().enumerate() {
        assert_eq!(found, reference(&keys[item], &elements[item]));
    }
    let inputs_in_records = Rows::<64>::strided(&bytes[65..], 129, ITEMS).unwrap();
    let found = ristretto255::from_uniform_bytes(engine, inputs_in_records).unwrap();
    assert!(found.into_iter().eq(inputs.iter().map(mapped)));
}

#[apply(on_every_engine)]
fn inputs_of_different_lengths_are_an_error(engine: &Engine) {
    let keys = secret_keys(&[[1; 32]; 3]);
    let elements = [[2; 32]; 2];
    let is_refused = |outcome: Result<(), Error>| {
        assert!(matches!(outcome, Err(Error::LengthMismatch { .. })));
    };
    is_refused(ristretto255::mul(engine, &keys, &elements).map(drop));
    for (rows, codes) in [(2, 3), (3, 2)] {
        let mut rows = vec![[0; 32]; rows];
        let mut codes = vec![0; codes];
        is_refused(ristretto255::mul_into(
            engine,
            &keys[..2],
            &elements,
            &mut rows,
            &mut codes,
        ));
        is_refused(ristretto255::public_keys_into(
            engine,
            &keys[..2],
            &mut rows,
            &mut codes,
        ));
    }
    let mut rows = [[0; 32]; 3];
    is_refused(ristretto255::from_uniform_bytes_into(
        engine,
        &[[0; 64]; 2],
        &mut rows,
    ));
    is_refused(ristretto255::hash_into(
        engine,
        b"tag",
        &["a", "b"],
        &mut rows,
    ));
}
