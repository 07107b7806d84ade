//! Conversion between the caller's rows of bytes and the columns of words on the device.

use super::codes::TagSet;
use super::columns::{
    AnyStatuses, ByteRows, Codes, Column, NumberKinds, PointKinds, Prefixes, Scalars,
    SecretKeys as KeyRows, SignStatuses, Verdicts, Xy, Xyz,
};
use super::kernels;
use super::runtime::{Fault, InputSource, Plan, Stream};
use crate::types::{KeyRowForm, POINT_ROW, PublicKeys, Rejection, Rows, SecretKeys, Verdict};

/// Points on the device: coordinates in columns, and a kind byte per point
/// (`cuda/curve/point.cuh`).
#[derive(Clone, Copy, Debug)]
pub struct Points {
    pub xy: Column<Xy>,
    pub kinds: Column<PointKinds>,
}

impl Points {
    pub fn new(plan: &mut Plan) -> Self {
        Points {
            xy: plan.column(),
            kinds: plan.column(),
        }
    }
}

/// Points in Jacobian coordinates, in columns, and the prefix products of their normalisation.
#[derive(Clone, Copy, Debug)]
pub struct Jacobian {
    pub xyz: Column<Xyz>,
    pub prefixes: Column<Prefixes>,
}

impl Jacobian {
    pub fn new(plan: &mut Plan) -> Self {
        Jacobian {
            xyz: plan.column(),
            prefixes: plan.column(),
        }
    }

    /// Writes the points to `to` in affine coordinates. `use_kinds` is set if `to` already has
    /// kinds: items whose kind is not a point stay without a point.
    pub fn normalize(
        self,
        stream: &mut Stream,
        curve: &'static str,
        to: Points,
        use_kinds: bool,
        n: usize,
    ) -> Result<(), Fault> {
        let Jacobian { xyz, prefixes } = self;
        let Points {
            xy: out_xy,
            kinds: out_kinds,
        } = to;
        let use_kinds = u32::from(use_kinds);
        stream.keep_in_l2(prefixes, n)?;
        kernels::Normalize {
            xyz,
            out_xy,
            out_kinds,
            use_kinds,
            prefixes,
            n: n as u64,
        }
        .launch(stream, curve)
    }
}

/// Scalars from the caller on the device, in columns, and a byte per scalar that classifies it.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    rows: Column<ByteRows<32>>,
    pub scalars: Column<Scalars>,
    pub kinds: Column<NumberKinds>,
}

impl Numbers {
    pub fn new<'a>(plan: &mut Plan<'a>, rows: Rows<'a, 32>) -> Self {
        Numbers {
            rows: plan.input(rows.bytes()),
            scalars: plan.column(),
            kinds: plan.column(),
        }
    }

    pub fn import(self, stream: &mut Stream, curve: &'static str, n: usize) -> Result<(), Fault> {
        let Numbers {
            rows,
            scalars,
            kinds,
        } = self;
        kernels::ImportScalars {
            rows,
            scalars,
            kinds,
            n: n as u64,
        }
        .launch(stream, curve)
    }
}

/// One equation per item: u1 G + u2 Q is claimed to have the number `x`. Items whose verdict is
/// known already are skipped.
#[derive(Clone, Copy, Debug)]
pub struct Equations {
    pub u1: Column<Scalars>,
    pub u2: Column<Scalars>,
    pub x: Column<Scalars>,
    pub verdicts: Column<Verdicts>,
}

impl Equations {
    pub fn new(plan: &mut Plan) -> Self {
        Equations {
            u1: plan.column(),
            u2: plan.column(),
            x: plan.column(),
            verdicts: plan.column(),
        }
    }
}

/// The equations of a chunk, and their points Q.
#[derive(Clone, Copy, Debug)]
pub struct EquationsOfChunk {
    pub curve: &'static str,
    pub equations: Equations,
    pub keys: Points,
    pub n: usize,
}

/// Points from the caller on the device, by encoding.
#[derive(Clone, Copy, Debug)]
enum Encoded {
    XOnly(Column<ByteRows<32>>),
    Compressed(Column<ByteRows<33>>),
    /// `x || y`; zeros are the identity.
    Raw(Column<ByteRows<64>>),
    /// Rows whose first byte determines the encoding, and the set of accepted first bytes.
    Tagged(Column<ByteRows<65>>, u32),
}

/// Points from the caller on the device, as rows and as columns.
#[derive(Clone, Copy, Debug)]
pub struct Imported {
    rows: Encoded,
    pub points: Points,
}

impl Imported {
    pub fn new<'a>(plan: &mut Plan<'a>, keys: PublicKeys<'a>) -> Self {
        let rows = match keys.form() {
            KeyRowForm::XOnly => Encoded::XOnly(input_rows(plan, keys)),
            KeyRowForm::Compressed => Encoded::Compressed(input_rows(plan, keys)),
            KeyRowForm::Raw => Encoded::Raw(input_rows(plan, keys)),
            KeyRowForm::Uncompressed => {
                Encoded::Tagged(input_rows(plan, keys), TagSet::UNCOMPRESSED_TAG)
            }
            KeyRowForm::Points => Encoded::Tagged(
                input_rows(plan, keys),
                TagSet::UNCOMPRESSED_TAG | TagSet::IDENTITY_TAG,
            ),
            KeyRowForm::Mixed => Encoded::Tagged(
                input_mixed_rows(plan, keys),
                TagSet::UNCOMPRESSED_TAG | TagSet::COMPRESSED_TAG | TagSet::IDENTITY_TAG,
            ),
        };
        Imported {
            rows,
            points: Points::new(plan),
        }
    }

    pub fn import(self, stream: &mut Stream, curve: &'static str, n: usize) -> Result<(), Fault> {
        let Points { xy, kinds } = self.points;
        let n = n as u64;
        match self.rows {
            Encoded::XOnly(rows) => {
                kernels::ImportPointsXOnly { rows, xy, kinds, n }.launch(stream, curve)
            }
            Encoded::Compressed(rows) => {
                kernels::ImportPointsCompressed { rows, xy, kinds, n }.launch(stream, curve)
            }
            Encoded::Raw(rows) => kernels::ImportPointsRaw {
                rows,
                zero_is_identity: 1,
                xy,
                kinds,
                n,
            }
            .launch(stream, curve),
            Encoded::Tagged(rows, tags) => kernels::ImportPointsSec1 {
                rows,
                tags,
                xy,
                kinds,
                n,
            }
            .launch(stream, curve),
        }
    }
}

/// Plans the input of keys in a form other than `Mixed`.
fn input_rows<'a, const W: usize>(
    plan: &mut Plan<'a>,
    keys: PublicKeys<'a>,
) -> Column<ByteRows<W>> {
    plan.input(keys.rows().expect("only keys of mixed forms have no rows"))
}

/// Plans the input of keys of mixed forms. Keys that are not stored as rows are written as rows.
fn input_mixed_rows<'a>(plan: &mut Plan<'a>, keys: PublicKeys<'a>) -> Column<ByteRows<POINT_ROW>> {
    match keys.rows() {
        Some(rows) => plan.input(rows),
        None => {
            let bytes = POINT_ROW * plan.items();
            plan.input_of(
                bytes,
                InputSource::Written(
                    POINT_ROW,
                    Box::new(move |start, to| keys.write_mixed_rows(start, to)),
                ),
            )
        }
    }
}

/// Private keys on the device: one row per item, or one for all items.
#[derive(Clone, Copy, Debug)]
pub struct PrivateKeys {
    pub rows: Column<KeyRows>,
    /// Bytes between the keys of adjacent items: 32 or 0.
    pub stride: u64,
}

impl PrivateKeys {
    pub fn new<'a>(plan: &mut Plan<'a>, keys: SecretKeys<'a>) -> Self {
        let (count, stride) = if keys.is_one_for_all() {
            (1, 0)
        } else {
            (plan.items(), 32)
        };
        let source = InputSource::Rows(keys.expose_column().bytes());
        PrivateKeys {
            rows: plan.secret_input_of(32 * count, source),
            stride,
        }
    }
}

/// Private keys as columns, with a status per key.
#[derive(Clone, Copy, Debug)]
pub struct SecretNumbers {
    pub scalars: Column<Scalars>,
    pub status: Column<SignStatuses>,
}

impl SecretNumbers {
    pub fn new(plan: &mut Plan) -> Self {
        SecretNumbers {
            scalars: plan.column(),
            status: plan.column(),
        }
    }

    pub fn import(
        self,
        stream: &mut Stream,
        curve: &'static str,
        keys: PrivateKeys,
        n: usize,
    ) -> Result<(), Fault> {
        let SecretNumbers { scalars, status } = self;
        let PrivateKeys { rows, stride } = keys;
        kernels::SecretScalars {
            keys: rows,
            key_stride: stride,
            scalars,
            status,
            n: n as u64,
        }
        .launch(stream, curve)
    }
}

/// Points as results: rows of `x || y`, zeros for the identity and for invalid points, and
/// codes.
#[derive(Clone, Copy, Debug)]
pub struct PointResults {
    pub rows: Column<ByteRows<64>>,
    pub codes: Column<Codes>,
}

/// Conditions that determine codes, in addition to the kind of a point.
pub struct Reasons {
    /// The status of operands, and the rejection of an item whose status is bad.
    pub status: Option<(Column<AnyStatuses>, Rejection)>,
    /// The rejection for the identity; `None` if it is a result like any other.
    pub identity: Option<Rejection>,
}

impl PointResults {
    pub fn new(plan: &mut Plan) -> Self {
        let rows = plan.column();
        let codes = plan.column();
        plan.codes(codes);
        plan.result(0, rows, 64);
        PointResults { rows, codes }
    }

    /// Plans the results of points that are secret.
    pub fn secret(plan: &mut Plan) -> Self {
        let rows = plan.column();
        let codes = plan.column();
        plan.codes(codes);
        plan.secret_result(0, rows, 64);
        PointResults { rows, codes }
    }

    pub fn export(
        self,
        stream: &mut Stream,
        curve: &'static str,
        points: Points,
        reasons: Reasons,
        n: usize,
    ) -> Result<(), Fault> {
        export_rows(stream, curve, points, self.rows, n)?;
        point_codes(stream, curve, points.kinds, reasons, self.codes, n)
    }
}

/// Writes points as rows of `x || y`, and zeros for everything that is not a finite point.
pub fn export_rows(
    stream: &mut Stream,
    curve: &'static str,
    Points { xy, kinds }: Points,
    rows: Column<ByteRows<64>>,
    n: usize,
) -> Result<(), Fault> {
    kernels::ExportPointsRaw {
        xy,
        kinds,
        rows,
        n: n as u64,
    }
    .launch(stream, curve)
}

/// Writes codes according to the kinds of points.
pub fn point_codes(
    stream: &mut Stream,
    curve: &'static str,
    kinds: Column<PointKinds>,
    Reasons { status, identity }: Reasons,
    codes: Column<Codes>,
    n: usize,
) -> Result<(), Fault> {
    let rejected = code_or_valid(status.map(|(_, reason)| reason));
    let status = status.map(|(status, _)| status);
    let identity = code_or_valid(identity);
    kernels::PointCodes {
        status,
        rejected,
        kinds,
        identity,
        codes,
        n: n as u64,
    }
    .launch(stream, curve)
}

fn code_or_valid(reason: Option<Rejection>) -> u32 {
    u32::from(reason.map_or(Verdict::VALID_CODE, Rejection::code))
}
