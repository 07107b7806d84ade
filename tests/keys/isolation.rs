//! Public keys of private keys that are out of range, among good ones.

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_curve;
use crate::support::neighbours::{Case, case, everywhere};
use crate::support::random::Random;
use crate::support::reference::{TestCurve, public_key};
use crate::support::secret_keys::{CLEAN, POSITIONS, outside, secret_keys};
use gecc::{Engine, Point, Rejection, keys};

#[apply(on_every_engine)]
fn bad_keys_reject_only_their_items(engine: &Engine) {
    each_curve!(derive(engine));
}

fn derive<C: TestCurve>(engine: &Engine) {
    let mut random = Random::new();
    let item = |name: &str, secret: [u8; 32]| -> Case<[u8; 32], Result<Point, Rejection>> {
        case(
            name,
            secret,
            public_key::<C>(&secret).ok_or(Rejection::SecretKeyOutOfRange),
        )
    };
    let clean: Vec<_> = (0..CLEAN)
        .map(|_| item("clean", random.scalar_bytes::<C>()))
        .collect();
    let special = outside::<C>().map(|(name, secret)| item(name, secret));
    assert!(special.iter().all(|case| case.expected.is_err()));
    everywhere(&clean, &special, &POSITIONS, |secrets| {
        keys::public_keys(engine, C::ID, &secret_keys(secrets.iter().copied())).unwrap()
    });
}
