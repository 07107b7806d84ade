//! Silent payments on a GPU. All memory of a scan is wiped. No branch depends on scan keys, shared
//! points or tweaks, and no address does except those of the multiples of tweak points, which
//! digits of the scan key select, for all rows alike. Tweak points are public, and computed in
//! variable time.

use super::expected::{Expected, NUMBER};
use super::{TweakPoints, known_answers};
use crate::curve::{Curve, Secp256k1};
use crate::gpu::columns::{AnyRows, ByteRows, Codes, Column, Scalars};
use crate::gpu::kernels::{self, WindowScratch};
use crate::gpu::runtime::{Fault, Plan};
use crate::gpu::schedule::StreamSlot;
use crate::gpu::transfer::{
    Imported, Jacobian, PointResults, Points, PrivateKeys, Reasons, SecretNumbers, point_codes,
};
use crate::gpu::{Launch, Running, SelfTest};
use crate::types::{PublicKeys, Rejection};
use std::ops::Range;

const CURVE: &str = Secp256k1::NAME;

/// The keys of a receiver on the device, and the offset of its numbers in a row.
#[derive(Clone, Copy)]
struct ReceiverColumns {
    scan: PrivateKeys,
    spend: Imported,
    count: usize,
    start: usize,
}

/// The rows of a chunk.
#[derive(Clone, Copy)]
struct ResultRows {
    rows: Column<AnyRows>,
    row_bytes: u64,
}

impl ResultRows {
    fn at_byte(self, byte: usize) -> Column<AnyRows> {
        Column::at(self.rows.address() + byte as u64)
    }
}

/// Scratch memory that receivers use in turn.
#[derive(Clone, Copy)]
struct Scratch {
    numbers: SecretNumbers,
    windows: WindowScratch,
    sums: Jacobian,
    /// Shared points. They have the kinds of the tweak points, because multiplication with a scan
    /// key in range never yields the identity.
    shared: Points,
    tweaks: Column<Scalars>,
    products: Points,
}

impl Scratch {
    fn new(plan: &mut Plan, points: Points) -> Self {
        let shared = Points {
            xy: plan.column(),
            kinds: points.kinds,
        };
        let numbers = SecretNumbers::new(plan);
        let windows = WindowScratch::new(plan);
        let sums = Jacobian::new(plan);
        Scratch {
            numbers,
            windows,
            sums,
            shared,
            tweaks: plan.column(),
            products: Points::new(plan),
        }
    }

    /// Computes a receiver's numbers in each row.
    fn compute(
        self,
        slot: &mut StreamSlot,
        keys: ReceiverColumns,
        points: Points,
        counters: Column<ByteRows<4>>,
        out: ResultRows,
        n: usize,
    ) -> Result<(), Fault> {
        let Scratch {
            numbers,
            windows,
            sums,
            shared,
            tweaks,
            products,
        } = self;
        let ResultRows { row_bytes, .. } = out;
        let xyz = sums.xyz;
        let count = n as u64;
        let table = slot.cache.clone().base_point.uniform(slot, CURVE)?;
        numbers.import(slot, CURVE, keys.scan, n)?;
        windows.reset(slot)?;
        let Points { xy, kinds } = points;
        let WindowScratch { tables, next_tile } = windows;
        let scalars = numbers.scalars;
        kernels::UpmulFixed {
            scalars,
            xy,
            kinds,
            tables,
            xyz,
            next_tile,
            n: count,
        }
        .launch(slot, CURVE)?;
        sums.normalize(slot, CURVE, shared, true, n)?;
        let Points { xy, kinds } = shared;
        let Points {
            xy: out_xy,
            kinds: out_kinds,
        } = products;
        let rows = out.at_byte(keys.start);
        kernels::SilentTweaks {
            xy,
            kinds,
            counters,
            tweaks,
            tweak_kinds: out_kinds,
            rows,
            row_bytes,
            n: count,
        }
        .launch(slot, CURVE)?;
        kernels::FpmulUniform {
            scalars: tweaks,
            table,
            xyz,
            n: count,
        }
        .launch(slot, CURVE)?;
        sums.normalize(slot, CURVE, products, true, n)?;
        let spend_xy = keys.spend.points.xy;
        for which in 0..keys.count {
            let rows = out.at_byte(keys.start + NUMBER * (1 + which));
            let spend_count = keys.count as u64;
            let xy = out_xy;
            let kinds = out_kinds;
            let which = which as u64;
            let prefixes = sums.prefixes;
            slot.keep_in_l2(prefixes, n)?;
            kernels::SilentOutputs {
                xy,
                kinds,
                spend_xy,
                spend_count,
                which,
                rows,
                row_bytes,
                prefixes,
                n: count,
            }
            .launch(slot, CURVE)?;
        }
        Ok(())
    }
}

impl Expected<'_> {
    pub(super) fn gpu_self_tests(&self) -> Vec<SelfTest> {
        known_answers::of_scan()
    }

    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let points = Imported::new(plan, self.tweak_points.slice(items.clone()));
        let counters = plan.input(self.counters.slice(items.clone()).bytes());
        let keys = self.starts().map(|(receiver, start)| {
            let spend_keys = &receiver.spend_keys;
            let count = receiver.spend_keys.len();
            let scan = PrivateKeys::new(plan, (&receiver.scan_key).into());
            let spend = plan.for_items(count, |plan| {
                Imported::new(plan, PublicKeys::points(spend_keys))
            });
            ReceiverColumns {
                scan,
                spend,
                count,
                start,
            }
        });
        let keys: Vec<ReceiverColumns> = keys.collect();
        let scratch = Scratch::new(plan, points.points);
        let codes = plan.column::<Codes>();
        let width = self.width();
        let out = ResultRows {
            rows: plan.each(width),
            row_bytes: width as u64,
        };
        plan.codes(codes);
        plan.secret_result(0, out.rows, width);
        let n = items.len();
        Box::new(move |Running { slot, .. }: &mut Running| {
            points.import(slot, CURVE, n)?;
            for keys in keys {
                keys.spend.import(slot, CURVE, keys.count)?;
                scratch.compute(slot, keys, points.points, counters, out, n)?;
            }
            let reasons = Reasons {
                status: None,
                identity: Some(Rejection::IdentityKey),
            };
            point_codes(slot, CURVE, points.points.kinds, reasons, codes, n)
        })
    }
}

impl TweakPoints<'_> {
    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let keys = Imported::new(plan, self.input_keys.slice(items.clone()));
        let outpoints = plan.input(self.outpoints.slice(items.clone()).bytes());
        let hashes = plan.column();
        let hash_kinds = plan.column();
        let windows = WindowScratch::new(plan);
        let sums = Jacobian::new(plan);
        let results = PointResults::new(plan);
        let n = items.len();
        Box::new(move |Running { slot, .. }: &mut Running| {
            keys.import(slot, CURVE, n)?;
            let Points { xy, kinds } = keys.points;
            let WindowScratch { tables, next_tile } = windows;
            kernels::SilentInputHashes {
                outpoints,
                xy,
                kinds,
                hashes,
                hash_kinds,
                n: n as u64,
            }
            .launch(slot, CURVE)?;
            windows.reset(slot)?;
            let scalars = hashes;
            let xyz = sums.xyz;
            kernels::UpmulVar {
                scalars,
                xy,
                kinds,
                tables,
                xyz,
                next_tile,
                n: n as u64,
            }
            .launch(slot, CURVE)?;
            // The products overwrite the keys.
            sums.normalize(slot, CURVE, keys.points, true, n)?;
            let status = Some((hash_kinds.into(), Rejection::ScalarOutOfRange));
            let reasons = Reasons {
                status,
                identity: Some(Rejection::IdentityKey),
            };
            results.export(slot, CURVE, keys.points, reasons, n)
        })
    }
}
