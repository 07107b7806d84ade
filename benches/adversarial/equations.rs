//! Batch verification of ECDSA: invalid items at every fraction, and items that take no part,
//! compared with verification one by one.

use crate::compare::Bench;
use crate::recoverable::Recoverable;
use crate::support::reference::EcdsaReference;
use gecc::ecdsa::Policy;
use gecc::{Engine, ecdsa};
use std::cell::LazyCell;

/// The properties in which batches differ. A batch is verified one by one unless it has recovery
/// ids.
struct Batch {
    digests: Vec<[u8; 32]>,
    ids: Option<Vec<u8>>,
}

pub fn compare<C: EcdsaReference>(bench: &mut Bench) {
    let items = bench.items_together;
    let valid = LazyCell::new(|| Recoverable::random::<C>(items));
    bench.compare_of(
        items,
        &format!("{}: verify together", C::NAME),
        || batches(&valid),
        |engine: &Engine, Batch { digests, ids }| {
            let Recoverable {
                signatures, keys, ..
            } = &*valid;
            let policy = Policy::default();
            match ids {
                None => ecdsa::verify(engine, C::ID, digests, signatures, keys, policy),
                Some(ids) => {
                    ecdsa::verify_recoverable(engine, C::ID, digests, signatures, ids, keys, policy)
                }
            }
            .expect("as many")
        },
    );
}

/// Batches with invalid items at every fraction. The first one is verified one by one.
fn batches(valid: &Recoverable) -> Vec<(&'static str, Batch)> {
    let items = valid.digests.len();
    let alone = Batch {
        digests: valid.digests.clone(),
        ids: None,
    };
    let mut batches = vec![("one by one", alone)];
    for (name, is_invalid) in fractions(items) {
        let mut batch = with_ids(valid, valid.ids.clone());
        (0..items)
            .filter(|item| is_invalid(*item))
            .for_each(|item| batch.digests[item][3] ^= 1);
        batches.push((name, batch));
    }
    batches.push((
        "all ids of -R",
        with_ids(valid, valid.ids.iter().map(|id| id ^ 1).collect()),
    ));
    batches.push(("all ids out of range", with_ids(valid, vec![0xff; items])));
    batches
}

fn with_ids(valid: &Recoverable, ids: Vec<u8>) -> Batch {
    Batch {
        digests: valid.digests.clone(),
        ids: Some(ids),
    }
}

/// Returns whether an item of a batch is invalid.
pub type IsInvalid = Box<dyn Fn(usize) -> bool>;

pub fn fractions(items: usize) -> Vec<(&'static str, IsInvalid)> {
    fn every(step: usize) -> IsInvalid {
        Box::new(move |item| item % step == step / 2)
    }
    vec![
        ("all valid", Box::new(|_| false)),
        ("the first invalid", Box::new(|item| item == 0)),
        ("the last invalid", Box::new(move |item| item == items - 1)),
        ("four invalid", every(items / 4)),
        ("one of 4096 invalid", every(4096)),
        ("one of 1000 invalid", every(1000)),
        ("one of 512 invalid", every(512)),
        ("1 % invalid", every(100)),
        ("10 % invalid", every(10)),
        ("50 % invalid", every(2)),
        ("all invalid", every(1)),
        (
            "the second half invalid",
            Box::new(move |item| item >= items / 2),
        ),
    ]
}
