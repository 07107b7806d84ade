//! Points of small order, and keys that are not 32 bytes, among other items.

use super::{AllZero, Shared, random_rows, reference, secret_keys, shared, small_order};
use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use gecc::{Engine, PublicKeys, Rejection};

const ITEMS: usize = 70;

#[apply(on_every_engine)]
fn small_order_is_rejected_or_gives_zero_at_every_position(engine: &Engine) {
    let mut random = Random::new();
    let keys = random_rows(&mut random, ITEMS);
    let peers = random_rows(&mut random, ITEMS);
    for (number, point) in small_order().into_iter().enumerate() {
        for stride in [1, 2, 9, ITEMS] {
            let mut peers = peers.clone();
            for place in (number % stride..ITEMS).step_by(stride) {
                peers[place] = point;
            }
            for all_zero in [AllZero::Reject, AllZero::Accept] {
                let expected: Vec<Shared> = keys
                    .iter()
                    .zip(&peers)
                    .map(|(key, peer)| match (*peer == point, all_zero) {
                        (false, _) => Ok(reference(key, peer)),
                        (true, AllZero::Accept) => Ok([0; 32]),
                        (true, AllZero::Reject) => Err(Rejection::IdentityResult),
                    })
                    .collect();
                let found = shared(
                    engine,
                    &secret_keys(&keys),
                    PublicKeys::x25519(&peers),
                    all_zero,
                );
                assert_eq!(found, expected, "{point:02x?} {stride}");
            }
        }
    }
}

/// In mixed rows, keys of 32 bytes can be used, and others are malformed.
#[apply(on_every_engine)]
fn keys_of_other_forms_reject_only_their_items(engine: &Engine) {
    let mut random = Random::new();
    let keys = random_rows(&mut random, ITEMS);
    let peers = random_rows(&mut random, ITEMS);
    let mut rows: Vec<[u8; 65]> = peers.iter().map(PublicKeys::mixed_row_of_x).collect();
    let others: [&[u8]; 4] = [&[], &[0], &[3; 33], &[4; 65]];
    let malformed = [3, 8, 40, ITEMS - 1];
    for (place, other) in malformed.into_iter().zip(others) {
        rows[place] = PublicKeys::mixed_row(other);
    }
    let expected: Vec<Shared> = (0..ITEMS)
        .map(|item| {
            if malformed.contains(&item) {
                Err(Rejection::MalformedPoint)
            } else {
                Ok(reference(&keys[item], &peers[item]))
            }
        })
        .collect();
    for all_zero in [AllZero::Reject, AllZero::Accept] {
        let found = shared(
            engine,
            &secret_keys(&keys),
            PublicKeys::mixed(&rows),
            all_zero,
        );
        assert_eq!(found, expected);
    }
}

#[apply(on_every_engine)]
fn batch_without_a_valid_item_is_rejected_item_by_item(engine: &Engine) {
    let keys = secret_keys(&[[5; 32]; ITEMS]);
    let rows = [PublicKeys::mixed_row(&[]); ITEMS];
    assert_eq!(
        shared(engine, &keys, PublicKeys::mixed(&rows), AllZero::Reject),
        [Err(Rejection::MalformedPoint); ITEMS]
    );
    assert_eq!(
        shared(
            engine,
            &keys,
            PublicKeys::x25519(&[[0; 32]; ITEMS]),
            AllZero::Reject
        ),
        [Err(Rejection::IdentityResult); ITEMS]
    );
}
