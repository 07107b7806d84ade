//! Signing, ECDH and public keys with keys out of range or invalid peers, among good items.

use crate::declare::{apply, on_every_engine};
use crate::support::each::{each_curve, each_ecdsa_curve};
use crate::support::keys::bad_keys;
use crate::support::neighbours::{Case, case, everywhere};
use crate::support::numbers::{order, order_plus, to_bytes};
use crate::support::random::Random;
use crate::support::reference::{
    EcdsaReference, TestCurve, bytes, encode, public_key, shared_point, sm2_dsa,
};
use crate::support::scheme::progression;
use crate::support::shared::shared_points;
use gecc::ecdsa::SForm;
use gecc::{Engine, Point, PublicKeys, Rejection, SecretKey, Sm2, ecdsa, keys, sm2};

const CLEAN: usize = 20;
const POSITIONS: [usize; 4] = [0, 1, 10, 19];

fn outside<C: TestCurve>() -> [(&'static str, [u8; 32]); 4] {
    [
        ("0", [0; 32]),
        ("n", order_plus::<C>(0)),
        ("n + 1", order_plus::<C>(1)),
        ("2^256 - 1", [0xff; 32]),
    ]
}

fn secret_keys(secrets: impl Iterator<Item = [u8; 32]>) -> Vec<SecretKey> {
    secrets.map(SecretKey::from_bytes).collect()
}

/// A key and a digest.
type Signing = Case<([u8; 32], [u8; 32]), Result<[u8; 64], Rejection>>;

#[apply(on_every_engine)]
fn signing(engine: &Engine) {
    each_ecdsa_curve!(sign_ecdsa(engine));
    sign_all::<Sm2>(
        &[to_bytes(&(order::<Sm2>() - 1u32)).unwrap()],
        sm2_dsa::sign,
        |keys, digests| sm2::sign(engine, digests, keys).unwrap(),
    );
}

fn sign_ecdsa<C: EcdsaReference>(engine: &Engine) {
    let reference = |secret: &[u8; 32], digest: &[u8; 32]| {
        C::sign(secret, digest).map(|(signature, _)| signature)
    };
    sign_all::<C>(&[], reference, |keys, digests| {
        ecdsa::sign(engine, C::ID, digests, keys, SForm::default()).unwrap()
    });
}

fn sign_all<C: TestCurve>(
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

/// A private key and a peer.
type Agreement = Case<([u8; 32], Vec<u8>), Result<Point, Rejection>>;

#[apply(on_every_engine)]
fn ecdh(engine: &Engine) {
    each_curve!(agreement(engine));
}

fn agreement<C: TestCurve>(engine: &Engine) {
    let mut random = Random::new();
    let (scalars, peers) = progression::<C>(&mut random, CLEAN);
    let secrets: Vec<[u8; 32]> = scalars.iter().rev().map(bytes::<C>).collect();
    let shared = |secret: &[u8; 32], peer: &Point| {
        encode::<C>(&shared_point::<C>(secret, peer.as_sec1()).expect("both are good"))
    };
    let clean: Vec<Agreement> = secrets
        .iter()
        .zip(&peers)
        .map(|(secret, peer)| {
            case(
                "clean",
                (*secret, peer.as_sec1().to_vec()),
                Ok(shared(secret, peer)),
            )
        })
        .collect();
    let mut special = Vec::new();
    for (name, secret) in outside::<C>() {
        special.push(case(
            name,
            (secret, peers[0].as_sec1().to_vec()),
            Err(Rejection::SecretKeyOutOfRange),
        ));
        // The key is checked before the peer.
        special.push(case(
            name,
            (secret, vec![0]),
            Err(Rejection::SecretKeyOutOfRange),
        ));
    }
    for (name, peer, reason) in bad_keys::<C>() {
        special.push(case(name, (secrets[0], peer), Err(reason)));
    }
    everywhere(&clean, &special, &POSITIONS, |items| {
        let keys = secret_keys(items.iter().map(|(secret, _)| *secret));
        let peers: Vec<&[u8]> = items.iter().map(|(_, peer)| peer.as_slice()).collect();
        shared_points::<C>(engine, &keys, PublicKeys::sec1(&peers)).unwrap()
    });
}

#[apply(on_every_engine)]
fn public_keys(engine: &Engine) {
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
