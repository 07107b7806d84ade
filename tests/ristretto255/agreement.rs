//! ristretto255 against curve25519-dalek: products of many and of one, public keys, and the map.

use super::{
    IDENTITY, mapped, multiply, number, order_plus, random_elements, random_inputs, random_scalars,
    reference, secret_keys,
};
use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT;
use curve25519_dalek::scalar::Scalar;
use gecc::{Engine, Rejection, Rows, ristretto255};

const ITEMS: usize = 300;

/// Numbers of items around the number of lanes and the sizes at which batches are cut.
fn sizes() -> impl Iterator<Item = usize> {
    (0..=20).chain(127..=130).chain([511, 512, 513])
}

/// Returns bytes with the given bits set.
fn bits(set: impl IntoIterator<Item = usize>) -> [u8; 32] {
    let mut bytes = [0; 32];
    for bit in set {
        bytes[bit / 8] |= 1 << (bit % 8);
    }
    bytes
}

/// Returns numbers around 0, the group order, 2^255 and 2^256, powers of two, and numbers of ones.
fn edges() -> Vec<[u8; 32]> {
    let mut edges: Vec<[u8; 32]> = (0..64).map(number).collect();
    edges.extend((-40..40).map(order_plus));
    edges.extend((0..=255).map(|bit| bits([bit])));
    edges.extend((0..=256).map(|count| bits(0..count)));
    for last in 0..=255 {
        let mut number = [0xff; 32];
        number[0] = last;
        edges.push(number);
        number[31] = 0x7f;
        edges.push(number);
    }
    edges
}

fn expect(engine: &Engine, keys: &[[u8; 32]], elements: &[[u8; 32]]) {
    let found = multiply(engine, &secret_keys(keys), elements);
    for (item, found) in found.into_iter().enumerate() {
        let expected = reference(&keys[item], &elements[item]);
        assert_eq!(
            found, expected,
            "{:02x?} {:02x?}",
            keys[item], elements[item]
        );
    }
}

#[apply(on_every_engine)]
fn batches_of_every_size_match_reference(engine: &Engine) {
    let mut random = Random::new();
    for size in sizes() {
        expect(
            engine,
            &random_scalars(&mut random, size),
            &random_elements(&mut random, size),
        );
    }
}

#[apply(on_every_engine)]
fn edge_keys_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let keys = edges();
    expect(engine, &keys, &random_elements(&mut random, keys.len()));
}

/// Among these are all numbers from p to 2^255, odd numbers, and small even ones, of which some
/// encode elements.
#[apply(on_every_engine)]
fn edge_elements_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let mut elements = edges();
    elements.extend((0..1000).map(number));
    expect(
        engine,
        &random_scalars(&mut random, elements.len()),
        &elements,
    );
}

/// One of sixteen random strings encodes an element.
#[apply(on_every_engine)]
fn random_strings_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let strings: Vec<[u8; 32]> = (0..ITEMS)
        .map(|_| {
            let mut string = random.bytes();
            string[0] &= 0xfe;
            string[31] &= 0x7f;
            string
        })
        .collect();
    expect(engine, &random_scalars(&mut random, ITEMS), &strings);
}

#[apply(on_every_engine)]
fn one_key_with_many_elements_matches_reference(engine: &Engine) {
    let mut random = Random::new();
    let key = random_scalars(&mut random, 1);
    let elements = random_elements(&mut random, ITEMS);
    let expected: Vec<_> = elements
        .iter()
        .map(|element| reference(&key[0], element))
        .collect();
    assert_eq!(multiply(engine, &secret_keys(&key)[0], &elements), expected);
}

#[apply(on_every_engine)]
fn many_keys_with_one_element_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let keys = random_scalars(&mut random, ITEMS);
    let element = random_elements(&mut random, 1)[0];
    let found = ristretto255::mul(engine, &secret_keys(&keys), Rows::all(&element)).unwrap();
    let expected: Vec<_> = keys.iter().map(|key| reference(key, &element)).collect();
    assert_eq!(found, expected);
}

/// Multiplying by a key and by its inverse gives the element.
#[apply(on_every_engine)]
fn inverse_key_removes_mask(engine: &Engine) {
    let mut random = Random::new();
    let keys = random_scalars(&mut random, ITEMS);
    let inverses: Vec<[u8; 32]> = keys
        .iter()
        .map(|key| {
            Scalar::from_canonical_bytes(*key)
                .unwrap()
                .invert()
                .to_bytes()
        })
        .collect();
    let elements = random_elements(&mut random, ITEMS);
    let masked: Vec<[u8; 32]> = multiply(engine, &secret_keys(&keys), &elements)
        .into_iter()
        .map(|product| product.unwrap())
        .collect();
    let found = multiply(engine, &secret_keys(&inverses), &masked);
    assert!(found.into_iter().eq(elements.into_iter().map(Ok)));
}

#[apply(on_every_engine)]
fn public_keys_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let generator = RISTRETTO_BASEPOINT_POINT.compress().to_bytes();
    let mut batches = vec![edges()];
    batches.extend(sizes().map(|size| random_scalars(&mut random, size)));
    for keys in batches {
        let found = ristretto255::public_keys(engine, &secret_keys(&keys)).unwrap();
        let expected: Vec<_> = keys.iter().map(|key| reference(key, &generator)).collect();
        assert_eq!(found, expected);
    }
}

#[apply(on_every_engine)]
fn map_of_random_bytes_matches_reference(engine: &Engine) {
    let mut random = Random::new();
    for size in sizes() {
        let inputs = random_inputs(&mut random, size);
        let expected: Vec<_> = inputs.iter().map(mapped).collect();
        let found = ristretto255::from_uniform_bytes(engine, &inputs).unwrap();
        assert_eq!(found, expected);
    }
}

/// Halves at the limits of their range, also with equal and opposite images.
#[apply(on_every_engine)]
fn map_of_edges_matches_reference(engine: &Engine) {
    let edges = edges();
    let mut inputs: Vec<[u8; 64]> = Vec::new();
    for (item, first) in edges.iter().enumerate() {
        for second in [first, &edges[item * 37 % edges.len()], &IDENTITY] {
            inputs.push([*first, *second].as_flattened().try_into().unwrap());
        }
    }
    let expected: Vec<_> = inputs.iter().map(mapped).collect();
    let found = ristretto255::from_uniform_bytes(engine, &inputs).unwrap();
    assert_eq!(found, expected);
}

/// The largest key negates, which an element and its multiple by l - 1 show.
#[apply(on_every_engine)]
fn largest_key_negates(engine: &Engine) {
    let mut random = Random::new();
    let elements = random_elements(&mut random, ITEMS);
    let largest = secret_keys(&[order_plus(-1)]);
    for (element, negative) in elements
        .iter()
        .zip(multiply(engine, &largest[0], &elements))
    {
        let negative = super::decoded(&negative.unwrap()).unwrap();
        assert_eq!(negative, -super::decoded(element).unwrap());
    }
    let order = secret_keys(&[order_plus(0)]);
    assert_eq!(
        multiply(engine, &order[0], &elements),
        vec![Err(Rejection::SecretKeyOutOfRange); ITEMS]
    );
}
