//! Columns of the caller, and inputs of different lengths.

use super::{encoded, order_plus, random_points, random_scalars, secret_keys};
use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use gecc::edwards25519::{self, Points};
use gecc::{Engine, Error, Rejection, SecretKey, Verdict};

const ITEMS: usize = 70;

/// Compares columns with values.
fn expect<const W: usize>(
    values: Result<Vec<Result<[u8; W], Rejection>>, Error>,
    call: impl FnOnce(&mut [[u8; W]], &mut [u8]) -> Result<(), Error>,
) {
    let mut rows = [[0xee; W]; ITEMS];
    let mut codes = [0xee; ITEMS];
    call(&mut rows, &mut codes).unwrap();
    let mut rejected = 0;
    for (item, value) in values.unwrap().into_iter().enumerate() {
        match value {
            Ok(row) => assert_eq!((codes[item], rows[item]), (Verdict::VALID_CODE, row)),
            Err(reason) => {
                rejected += 1;
                assert_eq!(codes[item], reason.code());
            }
        }
    }
    assert!(rejected > 0);
}

#[apply(on_every_engine)]
fn columns_get_the_results_of_values(engine: &Engine) {
    let mut random = Random::new();
    let mut rows = encoded(&random_points(&mut random, ITEMS));
    let other = encoded(&random_points(&mut random, ITEMS));
    let mut keys = random_scalars(&mut random, ITEMS);
    keys[9] = order_plus(0);
    rows[20] = [2; 32];
    rows[21] = [0xff; 32];
    let keys = secret_keys(&keys);
    let points = Points::canonical(&rows);
    let addends = Points::canonical(&other);
    expect(edwards25519::mul(engine, &keys, points), |rows, codes| {
        edwards25519::mul_into(engine, &keys, points, rows, codes)
    });
    expect(
        edwards25519::mul_cofactored(engine, &keys, points),
        |rows, codes| edwards25519::mul_cofactored_into(engine, &keys, points, rows, codes),
    );
    expect(edwards25519::public_keys(engine, &keys), |rows, codes| {
        edwards25519::public_keys_into(engine, &keys, rows, codes)
    });
    expect(edwards25519::decompress(engine, points), |rows, codes| {
        edwards25519::decompress_into(engine, points, rows, codes)
    });
    expect(edwards25519::compress(engine, points), |rows, codes| {
        edwards25519::compress_into(engine, points, rows, codes)
    });
    expect(edwards25519::add(engine, addends, points), |rows, codes| {
        edwards25519::add_into(engine, addends, points, rows, codes)
    });
    expect(
        edwards25519::mul_by_cofactor(engine, points),
        |rows, codes| edwards25519::mul_by_cofactor_into(engine, points, rows, codes),
    );
}

/// The key is checked before the point, and the left point before the right one.
#[apply(on_every_engine)]
fn first_reason_is_reported(engine: &Engine) {
    let zero = SecretKey::from_bytes([0; 32]);
    let found = edwards25519::mul(engine, &zero, Points::canonical(&[[2; 32]])).unwrap();
    assert_eq!(found, [Err(Rejection::SecretKeyOutOfRange)]);
    let [off, malformed] = [[[2; 32]], [[0xff; 32]]];
    let [off, malformed] = [Points::canonical(&off), Points::canonical(&malformed)];
    let found = edwards25519::add(engine, off, malformed).unwrap();
    assert_eq!(found, [Err(Rejection::NotOnCurve)]);
    let found = edwards25519::add(engine, malformed, off).unwrap();
    assert_eq!(found, [Err(Rejection::MalformedPoint)]);
}

#[apply(on_every_engine)]
fn inputs_of_different_lengths_are_an_error(engine: &Engine) {
    let is_refused = |outcome: Result<(), Error>| {
        assert!(matches!(outcome, Err(Error::LengthMismatch { .. })));
    };
    let keys = secret_keys(&[[1; 32]; 3]);
    let two = Points::canonical(&[[1; 32]; 2]);
    let three = Points::canonical(&[[1; 32]; 3]);
    is_refused(edwards25519::mul(engine, &keys, two).map(drop));
    is_refused(edwards25519::mul_cofactored(engine, &keys, two).map(drop));
    is_refused(edwards25519::add(engine, two, three).map(drop));
    is_refused(edwards25519::msm(engine, &[[1; 32]; 3], two).map(drop));
    for (rows, codes) in [(2, 3), (3, 2)] {
        let rows = &mut vec![[0; 32]; rows][..];
        let coordinates = &mut vec![[0; 64]; rows.len()][..];
        let codes = &mut vec![0; codes][..];
        is_refused(edwards25519::mul_into(engine, &keys[0], two, rows, codes));
        is_refused(edwards25519::public_keys_into(
            engine,
            &keys[..2],
            rows,
            codes,
        ));
        is_refused(edwards25519::add_into(engine, two, two, rows, codes));
        is_refused(edwards25519::decompress_into(
            engine,
            two,
            coordinates,
            codes,
        ));
    }
}
