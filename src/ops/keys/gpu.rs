//! Public keys of private keys on a GPU, with kernels whose branches and addresses do not depend on
//! the private keys.

use super::PublicKeysOf;
use crate::gpu::kernels;
use crate::gpu::runtime::{Fault, Plan};
use crate::gpu::schedule::StreamSlot;
use crate::gpu::transfer::{Jacobian, PointResults, Points, PrivateKeys, Reasons, SecretNumbers};
use crate::gpu::{Launch, Running};
use crate::types::Rejection;
use std::ops::Range;

/// The columns for computing the public keys of a chunk.
#[derive(Clone, Copy)]
pub struct BaseProducts {
    pub numbers: SecretNumbers,
    sums: Jacobian,
    pub points: Points,
}

impl BaseProducts {
    pub fn new(plan: &mut Plan) -> Self {
        BaseProducts {
            numbers: SecretNumbers::new(plan),
            sums: Jacobian::new(plan),
            points: Points::new(plan),
        }
    }

    pub fn compute(
        self,
        slot: &mut StreamSlot,
        curve: &'static str,
        keys: PrivateKeys,
        n: usize,
    ) -> Result<(), Fault> {
        let BaseProducts {
            numbers,
            sums,
            points,
        } = self;
        let table = slot.cache.clone().base_point.uniform(slot, curve)?;
        numbers.import(slot, curve, keys, n)?;
        kernels::FpmulUniform {
            scalars: numbers.scalars,
            table,
            xyz: sums.xyz,
            n: n as u64,
        }
        .launch(slot, curve)?;
        sums.normalize(slot, curve, points, false, n)
    }
}

impl PublicKeysOf<'_> {
    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let keys = PrivateKeys::new(plan, self.keys.slice(items.clone()));
        let products = BaseProducts::new(plan);
        let results = PointResults::new(plan);
        let n = items.len();
        let curve = self.curve.name();
        Box::new(move |Running { slot, .. }: &mut Running| {
            products.compute(slot, curve, keys, n)?;
            let status = Some((
                products.numbers.status.into(),
                Rejection::SecretKeyOutOfRange,
            ));
            results.export(
                slot,
                curve,
                products.points,
                Reasons {
                    status,
                    identity: None,
                },
                n,
            )
        })
    }
}
