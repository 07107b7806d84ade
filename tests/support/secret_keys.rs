//! Private keys out of range among good ones.

use super::neighbours::{Case, case, everywhere};
use super::numbers::{order_plus, to_bytes};
use super::random::Random;
use super::reference::TestCurve;
use gecc::{Rejection, SecretKey};

pub const CLEAN: usize = 20;

pub const POSITIONS: [usize; 4] = [0, 1, 10, 19];

pub fn outside<C: TestCurve>() -> [(&'static str, [u8; 32]); 4] {
    [
        ("0", [0; 32]),
        ("n", order_plus::<C>(0)),
        ("n + 1", order_plus::<C>(1)),
        ("2^256 - 1", [0xff; 32]),
    ]
}

pub fn secret_keys(secrets: impl Iterator<Item = [u8; 32]>) -> Vec<SecretKey> {
    secrets.map(SecretKey::from_bytes).collect()
}

/// A key and a digest.
type Signing = Case<([u8; 32], [u8; 32]), Result<[u8; 64], Rejection>>;

pub fn sign_all<C: TestCurve>(
    also_outside: &[[u8; 32]],
    reference: impl Fn(&[u8; 32], &[u8; 32]) -> Option<[u8; 64]>,
    sign: impl Fn(&[SecretKey], &[[u8; 32]]) -> Vec<Result<[u8; 64], Rejection>>,
) {
    let mut random = Random::new();
    let mut item = |name: &str, secret: [u8; 32]| -> Signing {
        let digest = random.bytes();
        case(
            name,
            (secret, digest),
            reference(&secret, &digest).ok_or(Rejection::SecretKeyOutOfRange),
        )
    };
    let mut keys = Random::new();
    let clean: Vec<Signing> = (0..CLEAN)
        .map(|_| item("clean", keys.scalar_bytes::<C>()))
        .collect();
    let mut special: Vec<Signing> = outside::<C>()
        .map(|(name, secret)| item(name, secret))
        .into();
    special.extend(
        also_outside
            .iter()
            .map(|secret| item("also outside", *secret)),
    );
    assert!(special.iter().all(|case| case.expected.is_err()));
    special.push(item("1", to_bytes(&1u32.into()).unwrap()));
    everywhere(&clean, &special, &POSITIONS, |items| {
        let digests: Vec<[u8; 32]> = items.iter().map(|(_, digest)| *digest).collect();
        sign(
            &secret_keys(items.iter().map(|(secret, _)| *secret)),
            &digests,
        )
    });
}
