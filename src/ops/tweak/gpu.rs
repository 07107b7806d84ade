//! Tweaks of public keys on a GPU.

use super::{Tweak, Tweaks};
use crate::curve::{Curve, Secp256k1};
use crate::gpu::columns::{ByteRows, Column, NumberKinds, Prefixes, Scalars};
use crate::gpu::kernels;
use crate::gpu::runtime::{Fault, Plan, Stream};
use crate::gpu::transfer::{Imported, Jacobian, PointResults, Points, export_rows};
use crate::gpu::{Launch, Running};
use std::ops::Range;

/// The tweaks of a chunk as scalars, and their source.
#[derive(Clone, Copy)]
struct TweakColumns {
    source: TweakSource,
    scalars: Column<Scalars>,
    kinds: Column<NumberKinds>,
}

#[derive(Clone, Copy)]
enum TweakSource {
    Given(Column<ByteRows<32>>),
    Taproot(Option<Column<ByteRows<32>>>),
}

impl TweakColumns {
    fn new<'a>(plan: &mut Plan<'a>, tweaks: Tweaks<'a>) -> Self {
        let source = match tweaks {
            Tweaks::Given(tweaks) => TweakSource::Given(plan.input(tweaks.bytes())),
            Tweaks::Taproot(roots) => {
                TweakSource::Taproot(roots.map(|roots| plan.input(roots.bytes())))
            }
        };
        TweakColumns {
            source,
            scalars: plan.column(),
            kinds: plan.column(),
        }
    }

    /// Computes the scalars; keys of Taproot get an even y.
    fn import(self, stream: &mut Stream, keys: Points, n: usize) -> Result<(), Fault> {
        let TweakColumns { scalars, kinds, .. } = self;
        let n = n as u64;
        match self.source {
            TweakSource::Given(rows) => kernels::ImportScalars {
                rows,
                scalars,
                kinds,
                n,
            }
            .launch(stream, Secp256k1::NAME),
            TweakSource::Taproot(roots) => {
                let (
                    Points {
                        xy,
                        kinds: key_kinds,
                    },
                    tweaks,
                    tweak_kinds,
                ) = (keys, scalars, kinds);
                kernels::TapTweaks {
                    roots,
                    xy,
                    kinds: key_kinds,
                    tweaks,
                    tweak_kinds,
                    n,
                }
                .launch(stream, Secp256k1::NAME)
            }
        }
    }
}

impl Tweak<'_> {
    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let n = items.len();
        let curve = Secp256k1::NAME;
        let keys = Imported::new(plan, self.keys.slice(items.clone()));
        let tweaks = TweakColumns::new(plan, self.tweaks.slice(items));
        let products = Jacobian::new(plan);
        let product = Points::new(plan);
        let sum = Points::new(plan);
        let prefixes = plan.column::<Prefixes>();
        let results = PointResults::new(plan);
        Box::new(move |Running { slot, .. }: &mut Running| {
            let table = slot.cache.clone().base_point.public(slot, curve)?;
            keys.import(slot, curve, n)?;
            tweaks.import(slot, keys.points, n)?;
            let TweakColumns {
                scalars,
                kinds: tweak_kinds,
                ..
            } = tweaks;
            let column = table.column();
            let bits = table.bits;
            let count = n as u64;
            kernels::FpmulVar {
                scalars,
                table: column,
                bits,
                xyz: products.xyz,
                n: count,
            }
            .launch(slot, curve)?;
            products.normalize(slot, curve, product, false, n)?;
            let Points {
                xy: a_xy,
                kinds: a_kinds,
            } = keys.points;
            let Points {
                xy: b_xy,
                kinds: b_kinds,
            } = product;
            let Points {
                xy: out_xy,
                kinds: out_kinds,
            } = sum;
            slot.keep_in_l2(prefixes, n)?;
            kernels::PointAdd {
                a_xy,
                a_kinds,
                b_xy,
                b_kinds,
                out_xy,
                out_kinds,
                prefixes,
                n: count,
            }
            .launch(slot, curve)?;
            export_rows(slot, curve, sum, results.rows, n)?;
            let key_kinds = a_kinds;
            let sum_kinds = out_kinds;
            let codes = results.codes;
            kernels::TweakCodes {
                key_kinds,
                tweak_kinds,
                sum_kinds,
                codes,
                n: count,
            }
            .launch(slot, curve)
        })
    }
}
