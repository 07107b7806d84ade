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
    let recover = |engine: &Engine, candidates: &Option<Vec<Point>>| {
        let Recoverable { digests, signatures, ids, .. } = &*signatures;
        match candidates {
            None => ecdsa::recover(engine, C::ID, digests, signatures, ids),
            Some(given) => ecdsa::recover_with_candidates(engine, C::ID, digests, signatures, ids, given),
        }
        .expect("as many")
    };
    let operation = format!("{}: recover together, with candidates", C::NAME);
    bench.compare_of(items, &operation, || candidates(&signatures.keys), recover);
}

/// None at all come first.
fn candidates(keys: &[Point]) -> Vec<(&'static str, Option<Vec<Point>>)> {
    let items = keys.len();
    let given = |candidate: &dyn Fn(usize) -> Point| Some((0..items).map(candidate).collect::<Vec<_>>());
    let wrong = |one_in: usize| given(&|item| keys[(item + usize::from(item % one_in == one_in / 2)) % items]);
    let none = |one_in: usize| given(&|item| if item % one_in == 0 { Point::IDENTITY } else { keys[item] });
    vec![
        ("without candidates", None),
        ("all right", given(&|item| keys[item])),
        ("none for one of ten", none(10)),
        ("none for every second", none(2)),
        ("none for all", none(1)),
        ("the last wrong", given(&|item| keys[if item == items - 1 { 0 } else { item }])),
        ("one of 1000 wrong", wrong(1000)),
        ("one of 512 wrong", wrong(512)),
        ("1 % wrong", wrong(100)),
        ("10 % wrong", wrong(10)),
        ("all wrong", wrong(1)),
    ]
}
