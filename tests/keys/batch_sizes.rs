//! Batches of every size.

use crate::declare::{apply, on_every_engine};
use crate::support::batch_sizes::{SIZES, operands};
use crate::support::each::each_curve;
use crate::support::random::Random;
use crate::support::reference::TestCurve;
use crate::support::shared::shared_points;
use gecc::keys;
use gecc::{Engine, PublicKeys, SecretKey};

/// The reference takes longest here, so one size represents all large ones.
#[apply(on_every_engine)]
fn every_size_of_public_keys_and_shared_points_is_computed(engine: &Engine) {
    each_curve!(secret_sizes(engine));
}

fn secret_sizes<C: TestCurve>(engine: &Engine) {
    let operands = operands::<C>(&mut Random::new(), 1025);
    for size in SIZES.into_iter().filter(|size| *size < 200).chain([1025]) {
        let secret = |bytes: &[[u8; 32]]| {
            bytes
                .iter()
                .map(|bytes| SecretKey::from_bytes(*bytes))
                .collect::<Vec<_>>()
        };
        let public = keys::public_keys(engine, C::ID, &secret(&operands.scalars[..size])).unwrap();
        let expected: Vec<_> = operands.points[..size].iter().copied().map(Ok).collect();
        assert_eq!(public, expected, "{}: {size} public keys", C::NAME);
        let peers = PublicKeys::points(&operands.points[..size]);
        let shared = shared_points::<C>(engine, &secret(&operands.factors[..size]), peers).unwrap();
        let expected: Vec<_> = operands.products[..size].iter().copied().map(Ok).collect();
        assert_eq!(shared, expected, "{}: {size} shared points", C::NAME);
    }
}
