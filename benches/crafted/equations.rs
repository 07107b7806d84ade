//! Batch equations: invalid items at every fraction, and items that take no part, beside verification one by one.

use crate::compare::Bench;
use crate::support::random::Random;
use crate::support::reference::EcdsaReference;
use crate::support::scheme::{Ecdsa, columns, signed};
use gecc::ecdsa::Policy;
use gecc::{Engine, Point, ecdsa};

/// A batch, verified one by one unless it has recovery ids.
#[derive(Clone)]
struct Batch {
    digests: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    keys: Vec<Point>,
    ids: Option<Vec<u8>>,
}

pub fn compare<C: EcdsaReference>(bench: &mut Bench) {
    let verify = |engine: &Engine, Batch { digests, signatures, keys, ids }: &Batch| {
        let policy = Policy::default();
        match ids {
            None => ecdsa::verify::<C>(engine, digests, signatures, keys, policy),
            Some(ids) => ecdsa::verify_recoverable::<C>(engine, digests, signatures, ids, keys, policy),
        }
        .expect("as many")
    };
    bench.compare(&format!("{}: verify together", C::NAME), batches::<C>, verify);
}

/// That verified one by one comes first.
fn batches<C: EcdsaReference>(items: usize) -> Vec<(&'static str, Batch)> {
    let signed = signed::<Ecdsa<C>>(&mut Random::new(), items, items);
    let plain: Vec<_> = signed.iter().map(|signed| signed.item.clone()).collect();
    let (digests, signatures, _) = columns(&plain);
    let keys = signed.iter().map(|signed| signed.key).collect();
    let alone = Batch { digests, signatures, keys, ids: None };
    let valid = Batch { ids: Some(signed.iter().map(|signed| signed.recovery_id).collect()), ..alone.clone() };
    let invalid = |is_invalid: &dyn Fn(usize) -> bool| {
        let mut batch = valid.clone();
        (0..items).filter(|item| is_invalid(*item)).for_each(|item| batch.digests[item][3] ^= 1);
        batch
    };
    let with_ids = |id: &dyn Fn(u8) -> u8| {
        let ids = valid.ids.iter().flatten().map(|right| id(*right)).collect();
        Batch { ids: Some(ids), ..valid.clone() }
    };
    let every = |step: usize| invalid(&move |item| item % step == step / 2);
    vec![
        ("one by one", alone),
        ("all valid", valid.clone()),
        ("the first invalid", invalid(&|item| item == 0)),
        ("the last invalid", invalid(&|item| item == items - 1)),
        ("one of 4096 invalid", every(4096)),
        ("one of 1000 invalid", every(1000)),
        ("one of 512 invalid", every(512)),
        ("1 % invalid", every(100)),
        ("10 % invalid", every(10)),
        ("50 % invalid", every(2)),
        ("all invalid", every(1)),
        ("the second half invalid", invalid(&|item| item >= items / 2)),
        ("all ids of -R", with_ids(&|id| id ^ 1)),
        ("all ids out of range", with_ids(&|_| 0xff)),
    ]
}
