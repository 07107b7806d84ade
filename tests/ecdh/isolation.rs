//! Private keys out of range and invalid peers among good ones.

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_curve;
use crate::support::keys::bad_keys;
use crate::support::neighbours::{Case, case, everywhere};
use crate::support::random::Random;
use crate::support::reference::{TestCurve, bytes, encode, shared_point};
use crate::support::scheme::progression;
use crate::support::secret_keys::{CLEAN, POSITIONS, outside, secret_keys};
use crate::support::shared::shared_points;
use gecc::{Engine, Point, PublicKeys, Rejection};

/// A private key and a peer.
type Agreement = Case<([u8; 32], Vec<u8>), Result<Point, Rejection>>;

#[apply(on_every_engine)]
fn bad_keys_and_peers_reject_only_their_items(engine: &Engine) {
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
