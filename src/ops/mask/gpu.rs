//! Masks on a GPU, with kernels whose branches and addresses do not depend on keys, and memory that
//! is wiped.

use super::{Form, Mask, Source};
use crate::gpu::columns::{AnyRows, ByteRows, Codes, Column};
use crate::gpu::kernels::{self, WindowScratch};
use crate::gpu::runtime::{Fault, Plan, Stream};
use crate::gpu::transfer::{
    Imported, Jacobian, Points, PrivateKeys, Reasons, SecretNumbers, export_rows, point_codes,
};
use crate::gpu::{Launch, Running};
use crate::ops::hash_to_curve::HashedPoints;
use crate::types::Rejection;
use std::ops::Range;

impl Mask<'_> {
    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let n = items.len();
        let keys = PrivateKeys::new(plan, self.keys.slice(items.clone()));
        let numbers = SecretNumbers::new(plan);
        let sums = Jacobian::new(plan);
        let source = SourceColumns::new(plan, &self.source, items, sums);
        let scratch = WindowScratch::new(plan);
        let codes = plan.column::<Codes>();
        plan.codes(codes);
        let rows = MaskedRows::new(plan, self.form, self.are_results_secret);
        let curve = self.source.curve().name();
        Box::new(move |Running { slot, .. }: &mut Running| {
            numbers.import(slot, curve, keys, n)?;
            let points = source.load(slot, curve, n)?;
            scratch.reset(slot)?;
            let Points { xy, kinds } = points;
            let WindowScratch { tables, next_tile } = scratch;
            let scalars = numbers.scalars;
            let xyz = sums.xyz;
            kernels::UpmulUniform {
                scalars,
                xy,
                kinds,
                tables,
                xyz,
                next_tile,
                n: n as u64,
            }
            .launch(slot, curve)?;
            // The products overwrite the points.
            sums.normalize(slot, curve, points, true, n)?;
            rows.export(slot, curve, points, n)?;
            // A key in range times a point of prime order is never the identity, so the point was
            // the identity.
            let reasons = Reasons {
                status: Some((numbers.status.into(), Rejection::SecretKeyOutOfRange)),
                identity: Some(source.reason_of_identity()),
            };
            point_codes(slot, curve, kinds, reasons, codes, n)?;
            match source {
                SourceColumns::Items(hashed) => hashed.reopen(slot, curve, codes, n),
                SourceColumns::Points(_) => Ok(()),
            }
        })
    }
}

/// The points that are masked, on the device.
#[derive(Clone, Copy, Debug)]
enum SourceColumns {
    Items(HashedPoints),
    Points(Imported),
}

impl SourceColumns {
    fn new<'a>(
        plan: &mut Plan<'a>,
        source: &'a Source<'_>,
        items: Range<usize>,
        sums: Jacobian,
    ) -> Self {
        match source {
            Source::Items(hashing) => {
                SourceColumns::Items(HashedPoints::new(plan, hashing, items, Some(sums)))
            }
            Source::Points { points, .. } => {
                SourceColumns::Points(Imported::new(plan, points.slice(items)))
            }
        }
    }

    /// Hashes or decodes the points.
    fn load(self, stream: &mut Stream, curve: &'static str, n: usize) -> Result<Points, Fault> {
        match self {
            SourceColumns::Items(hashed) => {
                hashed.hash(stream, curve, n)?;
                Ok(hashed.points)
            }
            SourceColumns::Points(imported) => {
                imported.import(stream, curve, n)?;
                Ok(imported.points)
            }
        }
    }

    /// Returns why an item is rejected whose point is the identity.
    fn reason_of_identity(&self) -> Rejection {
        match self {
            SourceColumns::Items(_) => Rejection::IdentityResult,
            SourceColumns::Points(_) => Rejection::IdentityKey,
        }
    }
}

fn plan_result<T>(plan: &mut Plan, rows: Column<T>, width: usize, are_secret: bool) {
    if are_secret {
        plan.secret_result(0, rows, width);
    } else {
        plan.result(0, rows, width);
    }
}

/// Rows of the masked points. These are public if they are what the parties show each other.
#[derive(Clone, Copy, Debug)]
enum MaskedRows {
    Raw(Column<ByteRows<64>>),
    X(Column<ByteRows<32>>),
    /// Rows of this width, with the first byte of an encoding if it is set.
    Other(Column<AnyRows>, usize, bool),
}

impl MaskedRows {
    fn new(plan: &mut Plan, form: Form, are_secret: bool) -> Self {
        let width = form.width();
        match form {
            Form::Raw => {
                let rows = plan.column();
                plan_result(plan, rows, width, are_secret);
                MaskedRows::Raw(rows)
            }
            Form::X => {
                let rows = plan.column();
                plan_result(plan, rows, width, are_secret);
                MaskedRows::X(rows)
            }
            Form::Compressed | Form::Uncompressed | Form::Truncated(_) => {
                let rows = plan.each(width);
                plan_result(plan, rows, width, are_secret);
                MaskedRows::Other(rows, width, !matches!(form, Form::Truncated(_)))
            }
        }
    }

    fn export(
        self,
        stream: &mut Stream,
        curve: &'static str,
        points: Points,
        n: usize,
    ) -> Result<(), Fault> {
        let Points { xy, kinds } = points;
        let count = n as u64;
        match self {
            MaskedRows::Raw(rows) => export_rows(stream, curve, points, rows, n),
            MaskedRows::X(rows) => kernels::ExportX {
                xy,
                kinds,
                rows,
                n: count,
            }
            .launch(stream, curve),
            MaskedRows::Other(rows, width, is_tagged) => kernels::ExportMasked {
                xy,
                kinds,
                is_tagged: u32::from(is_tagged),
                row_bytes: width as u32,
                rows,
                n: count,
            }
            .launch(stream, curve),
        }
    }
}
