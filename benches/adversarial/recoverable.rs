//! Signatures with recovery ids, and keys that are all different.

use crate::support::random::Random;
use crate::support::reference::EcdsaReference;
use crate::support::scheme::{Ecdsa, Signed, signed};
use gecc::Point;
use rayon::prelude::*;

/// Items whose keys and nonces are one progression, so that batches for GPUs are made on all cores.
const RUN: usize = 1 << 10;

pub struct Recoverable {
    pub digests: Vec<[u8; 32]>,
    pub signatures: Vec<[u8; 64]>,
    pub ids: Vec<u8>,
    pub keys: Vec<Point>,
}

impl Recoverable {
    pub fn random<C: EcdsaReference>(items: usize) -> Self {
        let mut random = Random::new();
        let runs: Vec<(u64, usize)> = (0..items)
            .step_by(RUN)
            .map(|start| (random.word(), RUN.min(items - start)))
            .collect();
        let signed: Vec<Signed> = runs
            .into_par_iter()
            .flat_map_iter(|(seed, count)| {
                signed::<Ecdsa<C>>(&mut Random::from_seed(seed), count, count)
            })
            .collect();
        Recoverable {
            digests: signed.iter().map(|signed| signed.item.digest).collect(),
            signatures: signed.iter().map(|signed| signed.item.signature).collect(),
            ids: signed.iter().map(|signed| signed.recovery_id).collect(),
            keys: signed.iter().map(|signed| signed.key).collect(),
        }
    }
}
