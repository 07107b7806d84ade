//! The vectors of RFC 7748, sections 5.2 and 6.1.

use super::{AllZero, row, secret_keys, shared};
use crate::declare::{apply, on_every_engine};
use gecc::{Engine, PublicKeys, x25519};

/// Scalars, u-coordinates and results.
const PRODUCTS: [[&str; 3]; 2] = [
    [
        "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
        "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
        "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
    ],
    [
        "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
        "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
        "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
    ],
];

const BASE: &str = "0900000000000000000000000000000000000000000000000000000000000000";
/// The result of iterating from the base point, by the number of iterations.
const ITERATED: [(usize, &str); 2] = [
    (
        1,
        "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079",
    ),
    (
        1000,
        "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51",
    ),
];

#[apply(on_every_engine)]
fn products_match(engine: &Engine) {
    let [keys, peers, expected] =
        [0, 1, 2].map(|column| PRODUCTS.map(|product| row(product[column])));
    let found = shared(
        engine,
        &secret_keys(&keys),
        PublicKeys::x25519(&peers),
        AllZero::Reject,
    );
    assert_eq!(found, expected.map(Ok));
}

/// Returns the result after each number of iterations: k becomes X25519(k, u), and u becomes the
/// previous k. All items of a batch do the same, so that every lane is tested.
fn iterate(engine: &Engine, items: usize, expected: &[(usize, &str)]) {
    let mut scalar = row(BASE);
    let mut u = scalar;
    let last = expected.iter().map(|(count, _)| *count).max().unwrap_or(0);
    for iteration in 1..=last {
        let found = shared(
            engine,
            &secret_keys(&vec![scalar; items]),
            PublicKeys::x25519(&vec![u; items]),
            AllZero::Reject,
        );
        assert!(found.iter().all(|item| *item == found[0]));
        (scalar, u) = (found[0].unwrap(), scalar);
        if let Some((_, result)) = expected.iter().find(|(count, _)| *count == iteration) {
            assert_eq!(scalar, row(result), "{iteration} iterations");
        }
    }
}

#[apply(on_every_engine)]
fn iterated_products_match(engine: &Engine) {
    // One item, which the CPU engine computes by portable code, and more than there are lanes.
    for items in [1, 9] {
        iterate(engine, items, &ITERATED);
    }
}

#[apply(on_every_engine)]
fn key_agreement_of_section_6_1_matches(engine: &Engine) {
    let private = [
        "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
        "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
    ];
    let public = [
        "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
        "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
    ];
    let expected = row("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
    let keys = secret_keys(&private.map(row));
    let public = public.map(row);
    assert_eq!(x25519::public_keys(engine, &keys).unwrap(), public);
    let [alice, bob] = public;
    let found = shared(
        engine,
        &keys,
        PublicKeys::x25519(&[bob, alice]),
        AllZero::Reject,
    );
    assert_eq!(found, [Ok(expected); 2]);
}
