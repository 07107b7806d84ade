//! Recovery with candidates: right ones, and wrong ones at every fraction, beside recovery without any.

use crate::compare::Bench;
use crate::support::random::Random;
use crate::support::reference::EcdsaReference;
use crate::support::scheme::{Ecdsa, columns, signed};
use gecc::{Engine, Point, ecdsa};

struct Signatures {
    digests: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    ids: Vec<u8>,
    keys: Vec<Point>,
}

pub fn compare<C: EcdsaReference>(bench: &mut Bench) {
    let signed = signed::<Ecdsa<C>>(&mut Random::new(), bench.items, bench.items);
    let plain: Vec<_> = signed.iter().map(|signed| signed.item.clone()).collect();
    let (digests, signatures, _) = columns(&plain);
    let (ids, keys) = signed.iter().map(|signed| (signed.recovery_id, signed.key)).unzip();
    let signatures = Signatures { digests, signatures, ids, keys };
    let recover = |engine: &Engine, candidates: &Option<Vec<Point>>| {
        let Signatures { digests, signatures, ids, .. } = &signatures;
        match candidates {
            None => ecdsa::recover::<C>(engine, digests, signatures, ids),
            Some(given) => ecdsa::recover_with_candidates::<C>(engine, digests, signatures, ids, given),
        }
        .expect("as many")
    };
    let batches = |items: usize| candidates(&signatures.keys[..items]);
    bench.compare(&format!("{}: recover with candidates", C::NAME), batches, recover);
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
