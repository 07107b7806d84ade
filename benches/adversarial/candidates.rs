//! Recovery with candidates: right ones, and wrong ones at every fraction, compared with recovery
//! without candidates.

use crate::compare::Bench;
use crate::recoverable::Recoverable;
use crate::support::reference::EcdsaReference;
use gecc::{Engine, Point, ecdsa};
use std::cell::LazyCell;

pub fn compare<C: EcdsaReference>(bench: &mut Bench) {
    let items = bench.items_together;
    let signatures = LazyCell::new(|| Recoverable::random::<C>(items));
    bench.compare_of(
        items,
        &format!("{}: recover together, with candidates", C::NAME),
        || candidates(&signatures.keys),
        |engine: &Engine, candidates| {
            let Recoverable {
                digests,
                signatures,
                ids,
                ..
            } = &*signatures;
            match candidates {
                None => ecdsa::recover(engine, C::ID, digests, signatures, ids),
                Some(points) => {
                    ecdsa::recover_with_candidates(engine, C::ID, digests, signatures, ids, points)
                }
            }
            .expect("as many")
        },
    );
}

/// Batches of candidates. The first one has no candidates.
fn candidates(keys: &[Point]) -> Vec<(&'static str, Option<Vec<Point>>)> {
    let mut last_wrong = keys.to_vec();
    last_wrong[keys.len() - 1] = keys[0];
    vec![
        ("without candidates", None),
        ("all right", Some(keys.to_vec())),
        ("none for one of ten", Some(with_missing(keys, 10))),
        ("none for every second", Some(with_missing(keys, 2))),
        ("none for all", Some(with_missing(keys, 1))),
        ("the last wrong", Some(last_wrong)),
        ("one of 1000 wrong", Some(with_wrong(keys, 1000))),
        ("one of 512 wrong", Some(with_wrong(keys, 512))),
        ("1 % wrong", Some(with_wrong(keys, 100))),
        ("10 % wrong", Some(with_wrong(keys, 10))),
        ("all wrong", Some(with_wrong(keys, 1))),
    ]
}

/// Replaces one of `one_in` keys by the next item's key.
fn with_wrong(keys: &[Point], one_in: usize) -> Vec<Point> {
    (0..keys.len())
        .map(|item| {
            let is_wrong = item % one_in == one_in / 2;
            keys[(item + usize::from(is_wrong)) % keys.len()]
        })
        .collect()
}

/// Replaces one of `one_in` keys by the identity, which stands for no candidate.
fn with_missing(keys: &[Point], one_in: usize) -> Vec<Point> {
    keys.iter()
        .enumerate()
        .map(|(item, key)| {
            if item % one_in == 0 {
                Point::IDENTITY
            } else {
                *key
            }
        })
        .collect()
}
