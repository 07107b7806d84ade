//! X25519 against curve25519-dalek: many keys with many peers, one key with many peers, many keys
//! with one peer, and public keys.

use super::{AllZero, random_rows, reference, row, secret_keys, shared, small_order};
use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use gecc::{Engine, PublicKeys, Rows, x25519};

const ITEMS: usize = 1000;
/// Numbers of items around the numbers of lanes and the sizes of chunks.
const SIZES: [usize; 14] = [0, 1, 2, 3, 7, 8, 9, 15, 17, 63, 64, 65, 511, 513];

/// Returns 32 bytes with the given bits set.
fn bits(set: impl IntoIterator<Item = usize>) -> [u8; 32] {
    let mut bytes = [0; 32];
    for bit in set {
        bytes[bit / 8] |= 1 << (bit % 8);
    }
    bytes
}

/// Returns numbers around 0, p, 2^255 and 2^256, and powers of two with their predecessors.
fn edges() -> Vec<[u8; 32]> {
    let mut edges: Vec<[u8; 32]> = (0..=255).map(|bit| bits([bit])).collect();
    edges.extend((0..=256).map(|bits_set| bits(0..bits_set)));
    for last in 0..=255 {
        let mut number = [0xff; 32];
        number[0] = last;
        edges.push(number);
        number[31] = 0x7f;
        edges.push(number);
        edges.push(bits([]).map(|_| last));
        let mut small = [0; 32];
        small[0] = last;
        edges.push(small);
    }
    edges.extend(small_order());
    edges
}

fn expect(engine: &Engine, keys: &[[u8; 32]], peers: &[[u8; 32]]) {
    let found = shared(
        engine,
        &secret_keys(keys),
        PublicKeys::x25519(peers),
        AllZero::Accept,
    );
    let expected: Vec<_> = keys
        .iter()
        .zip(peers)
        .map(|(key, peer)| Ok(reference(key, peer)))
        .collect();
    assert_eq!(found, expected);
}

#[apply(on_every_engine)]
fn many_keys_with_many_peers_match_reference(engine: &Engine) {
    let mut random = Random::new();
    expect(
        engine,
        &random_rows(&mut random, ITEMS),
        &random_rows(&mut random, ITEMS),
    );
}

#[apply(on_every_engine)]
fn batches_of_every_size_match_reference(engine: &Engine) {
    let mut random = Random::new();
    for size in SIZES {
        expect(
            engine,
            &random_rows(&mut random, size),
            &random_rows(&mut random, size),
        );
    }
}

#[apply(on_every_engine)]
fn edge_keys_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let edges = edges();
    expect(engine, &edges, &random_rows(&mut random, edges.len()));
}

/// Among these are all numbers from p on, also with the highest bit set.
#[apply(on_every_engine)]
fn edge_peers_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let edges = edges();
    expect(engine, &random_rows(&mut random, edges.len()), &edges);
}

#[apply(on_every_engine)]
fn one_key_with_many_peers_matches_reference(engine: &Engine) {
    let mut random = Random::new();
    let key = random_rows(&mut random, 1);
    let peers = random_rows(&mut random, ITEMS);
    let found = shared(
        engine,
        &secret_keys(&key)[0],
        PublicKeys::x25519(&peers),
        AllZero::Reject,
    );
    let expected: Vec<_> = peers
        .iter()
        .map(|peer| Ok(reference(&key[0], peer)))
        .collect();
    assert_eq!(found, expected);
}

#[apply(on_every_engine)]
fn many_keys_with_one_peer_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let keys = random_rows(&mut random, ITEMS);
    let peer = random_rows(&mut random, 1)[0];
    let found = shared(
        engine,
        &secret_keys(&keys),
        PublicKeys::x25519(Rows::all(&peer)),
        AllZero::Reject,
    );
    let expected: Vec<_> = keys.iter().map(|key| Ok(reference(key, &peer))).collect();
    assert_eq!(found, expected);
}

#[apply(on_every_engine)]
fn public_keys_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let base = row("0900000000000000000000000000000000000000000000000000000000000000");
    for rows in [edges(), random_rows(&mut random, ITEMS)] {
        let expected: Vec<_> = rows.iter().map(|key| reference(key, &base)).collect();
        assert_eq!(
            x25519::public_keys(engine, &secret_keys(&rows)).unwrap(),
            expected
        );
    }
}
