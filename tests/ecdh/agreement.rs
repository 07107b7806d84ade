//! ECDH against the reference: many with many, one private key with many peers, many with one peer.

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_curve;
use crate::support::numbers::{edge_points, edge_scalars, order_plus};
use crate::support::random::Random;
use crate::support::reference::{TestCurve, encode, shared_point};
use crate::support::scheme::progression;
use crate::support::shared::shared_points;
use gecc::{Engine, Point, PublicKeys, Rejection, SecretKey, SecretKeys, ecdh};

const ITEMS: usize = 150;

/// Shared secrets as bytes, checked to be the x-coordinates of the shared points.
pub fn agree<'a, C: TestCurve>(
    engine: &Engine,
    keys: impl Into<SecretKeys<'a>>,
    peers: PublicKeys,
) -> Vec<Result<Point, Rejection>> {
    let keys = keys.into();
    let secrets = ecdh::shared_secrets(engine, C::ID, keys, peers).unwrap();
    let points = shared_points::<C>(engine, keys, peers).unwrap();
    let secrets: Vec<_> = secrets
        .into_iter()
        .map(|secret| secret.map(|secret| *secret.expose_bytes()))
        .collect();
    let x: Vec<_> = points
        .iter()
        .map(|point| point.map(|point| *point.x()))
        .collect();
    assert_eq!(secrets, x, "{}", C::NAME);
    points
}

fn expect<C: TestCurve>(
    secrets: &[[u8; 32]],
    peers: &[Point],
    shared: &[Result<Point, Rejection>],
) {
    assert_eq!(shared.len(), secrets.len().max(peers.len()));
    let pairs = secrets.iter().cycle().zip(peers.iter().cycle());
    for (shared, (secret, peer)) in shared.iter().zip(pairs) {
        let expected = shared_point::<C>(secret, peer.as_sec1()).map(|point| encode::<C>(&point));
        assert_eq!(shared.ok(), expected, "{} {secret:02x?} {peer:?}", C::NAME);
    }
}

struct Parties {
    secrets: Vec<[u8; 32]>,
    keys: Vec<SecretKey>,
    peers: Vec<Point>,
}

fn parties<C: TestCurve>(count: usize) -> Parties {
    let mut random = Random::new();
    let secrets: Vec<[u8; 32]> = (0..count).map(|_| random.scalar_bytes::<C>()).collect();
    let keys = secrets
        .iter()
        .map(|secret| SecretKey::from_bytes(*secret))
        .collect();
    Parties {
        secrets,
        keys,
        peers: progression::<C>(&mut random, count).1,
    }
}

#[apply(on_every_engine)]
fn many_keys_with_many_peers_match_reference(engine: &Engine) {
    each_curve!(each(engine));
}

fn each<C: TestCurve>(engine: &Engine) {
    let Parties {
        secrets,
        keys,
        peers,
    } = parties::<C>(ITEMS);
    expect::<C>(
        &secrets,
        &peers,
        &agree::<C>(engine, &keys, PublicKeys::points(&peers)),
    );
}

#[apply(on_every_engine)]
fn one_key_with_many_peers_matches_reference(engine: &Engine) {
    each_curve!(single_key(engine));
}

fn single_key<C: TestCurve>(engine: &Engine) {
    let Parties {
        secrets,
        keys,
        peers,
    } = parties::<C>(ITEMS);
    expect::<C>(
        &secrets[..1],
        &peers,
        &agree::<C>(engine, &keys[0], PublicKeys::points(&peers)),
    );
}

#[apply(on_every_engine)]
fn many_keys_with_one_peer_match_reference(engine: &Engine) {
    each_curve!(single_peer(engine));
}

fn single_peer<C: TestCurve>(engine: &Engine) {
    let Parties {
        secrets,
        keys,
        peers,
    } = parties::<C>(ITEMS);
    expect::<C>(
        &secrets,
        &peers[..1],
        &agree::<C>(engine, &keys, PublicKeys::all(peers[0].as_sec1())),
    );
    // One key with one peer is a batch of one.
    expect::<C>(
        &secrets[..1],
        &peers[..1],
        &agree::<C>(engine, &keys[0], PublicKeys::all(peers[0].as_sec1())),
    );
}

/// Private keys and peers at the edges; a key out of range rejects its item.
#[apply(on_every_engine)]
fn edge_keys_and_peers_match_reference(engine: &Engine) {
    each_curve!(special(engine));
}

fn special<C: TestCurve>(engine: &Engine) {
    let mut secrets = edge_scalars::<C>();
    secrets.extend([order_plus::<C>(0), order_plus::<C>(1), [0xff; 32]]);
    let keys: Vec<SecretKey> = secrets
        .iter()
        .map(|secret| SecretKey::from_bytes(*secret))
        .collect();
    let points: Vec<Point> = edge_points::<C>()
        .iter()
        .map(|point| encode::<C>(point))
        .collect();
    let peers: Vec<Point> = points.iter().copied().cycle().take(keys.len()).collect();
    let shared = agree::<C>(engine, &keys, PublicKeys::points(&peers));
    expect::<C>(&secrets, &peers, &shared);
    let rejected = shared
        .iter()
        .filter(|item| **item == Err(Rejection::SecretKeyOutOfRange))
        .count();
    assert_eq!(rejected, 4, "0, n, n + 1 and 2^256 - 1");
}
