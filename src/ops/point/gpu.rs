//! Point operations on a GPU.

use super::{Add, DecodeKeys, Double, Mul, MulBase, Sums, known_answers};
use crate::gpu::columns::Prefixes;
use crate::gpu::kernels::{self, WindowScratch};
use crate::gpu::runtime::Plan;
use crate::gpu::transfer::{Imported, Jacobian, Numbers, PointResults, Points, Reasons};
use crate::gpu::{Launch, Running, SelfTest};
use crate::types::Rejection;
use std::ops::Range;

/// The conditions of sums: the identity is a valid point.
pub(super) const POINTS: Reasons = Reasons {
    status: None,
    identity: None,
};

/// The conditions of products: scalars that are too large are rejected.
fn products(scalars: Numbers) -> Reasons {
    Reasons {
        status: Some((scalars.kinds.into(), Rejection::ScalarOutOfRange)),
        identity: None,
    }
}

impl Add<'_> {
    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let [a, b] = self
            .operands
            .map(|points| Imported::new(plan, points.slice(items.clone())));
        let sum = Points::new(plan);
        let prefixes = plan.column::<Prefixes>();
        let results = PointResults::new(plan);
        let n = items.len();
        let curve = self.curve.name();
        Box::new(move |Running { slot, .. }: &mut Running| {
            a.import(slot, curve, n)?;
            b.import(slot, curve, n)?;
            slot.keep_in_l2(prefixes, n)?;
            let Points {
                xy: a_xy,
                kinds: a_kinds,
            } = a.points;
            let Points {
                xy: b_xy,
                kinds: b_kinds,
            } = b.points;
            let Points {
                xy: out_xy,
                kinds: out_kinds,
            } = sum;
            let n64 = n as u64;
            kernels::PointAdd {
                a_xy,
                a_kinds,
                b_xy,
                b_kinds,
                out_xy,
                out_kinds,
                prefixes,
                n: n64,
            }
            .launch(slot, curve)?;
            results.export(slot, curve, sum, POINTS, n)
        })
    }
}

impl Double<'_> {
    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let from = Imported::new(plan, self.points.slice(items.clone()));
        let to = Points::new(plan);
        let prefixes = plan.column::<Prefixes>();
        let results = PointResults::new(plan);
        let n = items.len();
        let curve = self.curve.name();
        Box::new(move |Running { slot, .. }: &mut Running| {
            from.import(slot, curve, n)?;
            slot.keep_in_l2(prefixes, n)?;
            let Points {
                xy: a_xy,
                kinds: a_kinds,
            } = from.points;
            let Points {
                xy: out_xy,
                kinds: out_kinds,
            } = to;
            kernels::PointDouble {
                a_xy,
                a_kinds,
                out_xy,
                out_kinds,
                prefixes,
                n: n as u64,
            }
            .launch(slot, curve)?;
            results.export(slot, curve, to, POINTS, n)
        })
    }
}

impl MulBase<'_> {
    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let scalars = Numbers::new(plan, self.scalars.slice(items.clone()));
        let sums = Jacobian::new(plan);
        let product = Points::new(plan);
        let results = PointResults::new(plan);
        let n = items.len();
        let curve = self.curve.name();
        Box::new(move |Running { slot, .. }: &mut Running| {
            let table = slot.cache.clone().base_point.public(slot, curve)?;
            scalars.import(slot, curve, n)?;
            let scalars_of = scalars.scalars;
            let xyz = sums.xyz;
            kernels::FpmulVar {
                scalars: scalars_of,
                table: table.column(),
                bits: table.bits,
                xyz,
                n: n as u64,
            }
            .launch(slot, curve)?;
            sums.normalize(slot, curve, product, false, n)?;
            results.export(slot, curve, product, products(scalars), n)
        })
    }
}

impl Mul<'_> {
    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let scalars = Numbers::new(plan, self.scalars.slice(items.clone()));
        let imported = Imported::new(plan, self.points.slice(items.clone()));
        let scratch = WindowScratch::new(plan);
        let sums = Jacobian::new(plan);
        let results = PointResults::new(plan);
        let n = items.len();
        let curve = self.curve.name();
        Box::new(move |Running { slot, .. }: &mut Running| {
            scalars.import(slot, curve, n)?;
            imported.import(slot, curve, n)?;
            scratch.reset(slot)?;
            let Points { xy, kinds } = imported.points;
            let WindowScratch { tables, next_tile } = scratch;
            let of = scalars.scalars;
            let xyz = sums.xyz;
            kernels::UpmulVar {
                scalars: of,
                xy,
                kinds,
                tables,
                xyz,
                next_tile,
                n: n as u64,
            }
            .launch(slot, curve)?;
            // The products overwrite the points.
            sums.normalize(slot, curve, imported.points, true, n)?;
            results.export(slot, curve, imported.points, products(scalars), n)
        })
    }
}

impl DecodeKeys<'_> {
    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let keys = Imported::new(plan, self.keys.slice(items.clone()));
        let results = PointResults::new(plan);
        let n = items.len();
        let curve = self.curve.name();
        Box::new(move |Running { slot, .. }: &mut Running| {
            keys.import(slot, curve, n)?;
            // The identity is not a valid public key.
            let reasons = Reasons {
                status: None,
                identity: Some(Rejection::IdentityKey),
            };
            results.export(slot, curve, keys.points, reasons, n)
        })
    }
}

impl Sums<'_> {
    pub(super) fn gpu_self_tests(&self) -> Vec<SelfTest> {
        vec![known_answers::sums_of_parts(self.curve)]
    }

    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        parts: Range<usize>,
    ) -> Launch<'a> {
        let items = self.points_of(&parts);
        let points = plan.for_items(items.len(), |plan| {
            Imported::new(plan, self.points.slice(items.clone()))
        });
        let sums = Jacobian::new(plan);
        let sum = Points::new(plan);
        let results = PointResults::new(plan);
        let curve = self.curve.name();
        let count = items.len();
        let parts = parts.len();
        Box::new(move |Running { slot, .. }: &mut Running| {
            points.import(slot, curve, count)?;
            let Points { xy, kinds } = points.points;
            let Points {
                kinds: out_kinds, ..
            } = sum;
            kernels::SumPoints {
                xy,
                kinds,
                points: count as u64,
                xyz: sums.xyz,
                out_kinds,
                n: parts as u64,
            }
            .launch(slot, curve)?;
            sums.normalize(slot, curve, sum, true, parts)?;
            results.export(slot, curve, sum, POINTS, parts)
        })
    }
}
