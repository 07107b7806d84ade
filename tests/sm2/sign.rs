//! Signing: every byte is the reference's.

use crate::declare::{apply, on_every_engine};
use crate::support::numbers::{edge_scalars, number, order, order_plus, to_bytes};
use crate::support::random::Random;
use crate::support::reference::sm2_dsa;
use crate::support::secret_keys::sign_all;
use gecc::sm2::UserIds;
use gecc::{Engine, Rejection, SecretKey, Sm2, sm2};

/// Signatures of digests are the reference's, also for digests from n on and for keys at the edges.
#[apply(on_every_engine)]
fn signatures_of_digests_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let last = number(&order_plus::<Sm2>(0)) - 1u32;
    let usable = |scalar: &[u8; 32]| *scalar != [0; 32] && number(scalar) != last;
    let mut secrets: Vec<[u8; 32]> = edge_scalars::<Sm2>().into_iter().filter(usable).collect();
    secrets.extend((0..200).map(|_| random.scalar_bytes::<Sm2>()));
    let mut digests: Vec<[u8; 32]> = secrets.iter().map(|_| random.bytes()).collect();
    for (digest, special) in digests.iter_mut().step_by(7).zip([
        [0; 32],
        [0xff; 32],
        order_plus::<Sm2>(0),
        order_plus::<Sm2>(1),
    ]) {
        *digest = special;
    }
    let keys: Vec<SecretKey> = secrets
        .iter()
        .map(|secret| SecretKey::from_bytes(*secret))
        .collect();
    for ((secret, digest), signed) in secrets
        .iter()
        .zip(&digests)
        .zip(sm2::sign(engine, &digests, &keys).unwrap())
    {
        assert_eq!(
            signed.ok(),
            sm2_dsa::sign(secret, digest),
            "{secret:02x?} {digest:02x?}"
        );
    }
}

/// n - 1 is a key for everything but SM2 signing: 1 + d has no inverse.
#[apply(on_every_engine)]
fn key_n_minus_1_is_rejected_by_signing_only(engine: &Engine) {
    let secret = to_bytes(&(order::<Sm2>() - 1u32)).unwrap();
    let key = SecretKey::from_bytes(secret);
    assert_eq!(
        sm2::sign(engine, &[[7; 32]], &key).unwrap(),
        [Err(Rejection::SecretKeyOutOfRange)]
    );
    let by_message = sm2::sign_messages(engine, &["m"], UserIds::default(), &key).unwrap();
    assert_eq!(by_message, [Err(Rejection::SecretKeyOutOfRange)]);
    assert_eq!(sm2_dsa::sign(&secret, &[7; 32]), None);
}

#[apply(on_every_engine)]
fn bad_keys_reject_only_their_items(engine: &Engine) {
    sign_all::<Sm2>(
        &[to_bytes(&(order::<Sm2>() - 1u32)).unwrap()],
        sm2_dsa::sign,
        |keys, digests| sm2::sign(engine, digests, keys).unwrap(),
    );
}
