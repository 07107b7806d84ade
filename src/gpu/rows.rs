//! Between the caller's rows of bytes and the columns of words on the device.

use super::codes::{PointKind, TagSet};
use super::columns::{ByteRows, Column, NumberKinds, PointKinds, Prefixes, Scalars, Xy, Xyz};
use super::fault::Fault;
use super::kernels;
use super::lane::{Lane, Part};
use super::page_lock::is_locked;
use super::plan::{Download, Plan, Staging, Upload};
use crate::cpu::CpuEngine;
use crate::encoding::{KeyForm, Point, PublicKeys};
use crate::error::Rejection;
use crate::secret::{SecretKey, SecretKeys};
use crate::stack;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Items that one thread copies or converts at a time.
const BLOCK: usize = 1 << 12;

/// Points on the device: coordinates in columns, one `PointKind` each.
#[derive(Clone, Copy, Debug)]
pub struct Points {
    pub xy: Column<Xy>,
    pub kinds: Column<PointKinds>,
}

impl Points {
    pub fn new(plan: &mut Plan) -> Self {
        Points { xy: plan.column(), kinds: plan.column() }
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
        Jacobian { xyz: plan.column(), prefixes: plan.column() }
    }

    /// Writes them as affine points. Where `to` has kinds already, `use_kinds` says so: the products of what is no point are none.
    pub fn normalize(
        &self,
        lane: &mut Lane,
        curve: &'static str,
        to: Points,
        use_kinds: bool,
        n: usize,
    ) -> Result<(), Fault> {
        let Jacobian { xyz, prefixes } = *self;
        let (Points { xy: out_xy, kinds: out_kinds }, use_kinds) = (to, u32::from(use_kinds));
        lane.keep_in_l2(prefixes, n)?;
        kernels::Normalize { xyz, out_xy, out_kinds, use_kinds, prefixes, n: n as u64 }.launch(lane, curve)
    }
}

/// Scalars on the device, in columns, with a byte each that says what they are.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    pub scalars: Column<Scalars>,
    pub kinds: Column<NumberKinds>,
}

impl Numbers {
    pub fn new(plan: &mut Plan) -> Self {
        Numbers { scalars: plan.column(), kinds: plan.column() }
    }
}

/// First bytes of `Rows::of_points`.
const TAGS_OF_POINTS: u32 = TagSet::UNCOMPRESSED_TAG | TagSet::IDENTITY_TAG;

/// Writes the rows of some items.
type WriteRows<'a> = dyn Fn(Range<usize>, &mut [u8]) + Sync + 'a;

/// Rows of equal length that go up together with others.
pub struct Rows<'a> {
    items: usize,
    width: usize,
    source: Source<'a>,
}

enum Source<'a> {
    /// As they lie in the caller's memory.
    Bytes(&'a [u8]),
    Written(Box<WriteRows<'a>>),
}

impl<'a> Rows<'a> {
    pub fn new(items: usize, width: usize, write: impl Fn(Range<usize>, &mut [u8]) + Sync + 'a) -> Self {
        Rows { items, width, source: Source::Written(Box::new(write)) }
    }

    pub fn of<const N: usize>(rows: &'a [[u8; N]]) -> Self {
        Rows { items: rows.len(), width: N, source: Source::Bytes(rows.as_flattened()) }
    }

    /// The public keys of some items, in any encoding.
    pub fn of_keys(keys: PublicKeys<'a>, items: Range<usize>) -> Self {
        let (width, count, keys) = (key_width(keys.form()), items.len(), keys.slice(items));
        match keys.rows() {
            Some(rows) => Rows { items: count, width, source: Source::Bytes(rows) },
            None => Rows::new(count, width, move |block, to| keys.write_mixed_rows(block, to)),
        }
    }

    /// Points that the caller may have got from this crate, the identity among them.
    pub fn of_points(points: &'a [Point]) -> Self {
        Rows::of(Point::rows(points))
    }

    /// The private keys of some items: one row each, or one for all.
    pub fn of_secret_keys(keys: SecretKeys<'a>, items: Range<usize>) -> Self {
        Rows::of(SecretKey::expose_rows(keys.slice(items).as_slice()))
    }

    fn part<'b>(&'b self, to: &'b Staging) -> Part<'b> {
        assert_eq!(to.pinned.len(), self.items * self.width, "a buffer is planned for its rows");
        let locked = match self.source {
            // From the caller's memory no more than the rows can be copied.
            Source::Bytes(bytes) => Some(bytes).filter(|bytes| bytes.len() == to.copied && is_locked(bytes)),
            Source::Written(_) => None,
        };
        Part { to, locked }
    }

    /// Writes the rows from number `start` on, as many as there is room for.
    fn write(&self, start: usize, to: &mut [u8]) {
        match &self.source {
            Source::Bytes(bytes) => to.copy_from_slice(&bytes[start * self.width..][..to.len()]),
            Source::Written(write) => write(start..start + to.len() / self.width, to),
        }
    }
}

/// The buffer of `Rows::of_points`.
pub type PointUpload = Upload<ByteRows<65>>;

/// The buffer of `Rows::of_keys`, by the form of the keys.
pub enum KeyUpload {
    Compressed(Upload<ByteRows<33>>),
    Raw(Upload<ByteRows<64>>),
    /// Rows whose first bytes, of which these are accepted, say what follows.
    Tagged(PointUpload, u32),
}

impl KeyUpload {
    pub fn new(plan: &mut Plan, form: KeyForm) -> Self {
        let mixed = TAGS_OF_POINTS | TagSet::COMPRESSED_TAG;
        match form {
            KeyForm::Compressed => KeyUpload::Compressed(plan.rows()),
            KeyForm::Raw => KeyUpload::Raw(plan.rows()),
            KeyForm::Uncompressed => KeyUpload::Tagged(plan.rows(), TagSet::UNCOMPRESSED_TAG),
            KeyForm::Points => KeyUpload::Tagged(plan.rows(), TAGS_OF_POINTS),
            KeyForm::Mixed => KeyUpload::Tagged(plan.rows(), mixed),
        }
    }

    pub fn staging(&self) -> &Staging {
        match self {
            KeyUpload::Compressed(upload) => &upload.staging,
            KeyUpload::Raw(upload) => &upload.staging,
            KeyUpload::Tagged(upload, _) => &upload.staging,
        }
    }
}

fn key_width(form: KeyForm) -> usize {
    match form {
        KeyForm::Compressed => 33,
        KeyForm::Raw => 64,
        KeyForm::Uncompressed | KeyForm::Points | KeyForm::Mixed => 65,
    }
}

/// Brings rows to the device: by the host's threads and pinned memory, or from where they are if that is page-locked.
pub fn upload<const N: usize>(lane: &mut Lane, cpu: &CpuEngine, rows: [(Rows, &Staging); N]) -> Result<(), Fault> {
    let parts = rows.each_ref().map(|(rows, to)| rows.part(to));
    let fill = |to: [&mut [u8]; N]| {
        let blocks = rows.iter().zip(to).flat_map(|((rows, _), to)| {
            let blocks = to.chunks_mut(BLOCK * rows.width).enumerate();
            blocks.map(move |(index, to)| (rows, index * BLOCK, to))
        });
        cpu.pool.for_each_with_caller(blocks.collect(), |(rows, start, to)| rows.write(start, to));
    };
    // SAFETY: what is locked has as many bytes (`part`), and is input of the call, borrowed until `Engines::run` returns; before
    // that each chunk has ended, and with one that failed its lane.
    unsafe { lane.upload_parts(parts, fill) }
}

/// One result per item from what the device gave, on several threads where there are many.
pub fn convert<T: Send>(lane: &Lane, cpu: &CpuEngine, out: &mut [MaybeUninit<T>], result: impl Fn(usize) -> T + Sync) {
    convert_blocks(lane, cpu, out, |start, out| write_results(start, out, &result));
}

/// Like `convert`, for results that are secret: their way to where they stay is wiped.
pub fn convert_secret<T: Send>(
    lane: &Lane,
    cpu: &CpuEngine,
    out: &mut [MaybeUninit<T>],
    result: impl Fn(usize) -> T + Sync,
) {
    convert_blocks(lane, cpu, out, |start, out| stack::wiped(|| write_results(start, out, &result)));
}

fn convert_blocks<T: Send>(
    lane: &Lane,
    cpu: &CpuEngine,
    out: &mut [MaybeUninit<T>],
    convert: impl Fn(usize, &mut [MaybeUninit<T>]) + Sync,
) {
    let _turn = lane.device.turns.to_receive(size_of_val(out));
    let blocks = out.chunks_mut(BLOCK).enumerate().collect();
    cpu.pool.for_each_with_caller(blocks, |(index, out)| convert(index * BLOCK, out));
}

fn write_results<T>(start: usize, out: &mut [MaybeUninit<T>], result: impl Fn(usize) -> T) {
    for (offset, place) in out.iter_mut().enumerate() {
        place.write(result(start + offset));
    }
}

/// Scalars as columns, with the kind of each.
pub fn import_scalars(
    lane: &mut Lane,
    curve: &'static str,
    rows: &Upload<ByteRows<32>>,
    to: Numbers,
    n: usize,
) -> Result<(), Fault> {
    let Numbers { scalars, kinds } = to;
    kernels::ImportScalars { rows: rows.column, scalars, kinds, n: n as u64 }.launch(lane, curve)
}

/// The points of `Rows::of_points`.
pub fn import_points(
    lane: &mut Lane,
    curve: &'static str,
    rows: &PointUpload,
    to: Points,
    n: usize,
) -> Result<(), Fault> {
    import_tagged(lane, curve, rows, TAGS_OF_POINTS, to, n)
}

/// The points of `Rows::of_keys`.
pub fn import_keys(lane: &mut Lane, curve: &'static str, keys: &KeyUpload, to: Points, n: usize) -> Result<(), Fault> {
    let (Points { xy, kinds }, count) = (to, n as u64);
    match keys {
        KeyUpload::Compressed(rows) => {
            kernels::ImportPointsCompressed { rows: rows.column, xy, kinds, n: count }.launch(lane, curve)
        }
        KeyUpload::Raw(rows) => {
            kernels::ImportPointsRaw { rows: rows.column, zero_is_identity: 0, xy, kinds, n: count }.launch(lane, curve)
        }
        KeyUpload::Tagged(rows, tags) => import_tagged(lane, curve, rows, *tags, to, n),
    }
}

fn import_tagged(
    lane: &mut Lane,
    curve: &'static str,
    rows: &PointUpload,
    tags: u32,
    to: Points,
    n: usize,
) -> Result<(), Fault> {
    let Points { xy, kinds } = to;
    kernels::ImportPointsSec1 { rows: rows.column, tags, xy, kinds, n: n as u64 }.launch(lane, curve)
}

/// Points on their way to the host: rows of `x || y`, and kinds.
#[derive(Debug)]
pub struct PointRows {
    rows: Download<ByteRows<64>>,
    kinds: Download<PointKinds>,
}

impl PointRows {
    pub fn new(plan: &mut Plan, points: Points) -> Self {
        let rows = plan.column();
        PointRows { rows: plan.download_column(rows), kinds: plan.download_column(points.kinds) }
    }

    /// Writes the points as rows, which are to be copied to the host.
    pub fn download(&self, lane: &mut Lane, curve: &'static str, points: Points, n: usize) -> Result<(), Fault> {
        self.export(lane, curve, points, n)?;
        lane.download(&self.rows);
        Ok(())
    }

    /// Like `download`, for points that are secret.
    pub fn download_secret(&self, lane: &mut Lane, curve: &'static str, points: Points, n: usize) -> Result<(), Fault> {
        self.export(lane, curve, points, n)?;
        lane.download_secret(&self.rows);
        Ok(())
    }

    fn export(&self, lane: &mut Lane, curve: &'static str, points: Points, n: usize) -> Result<(), Fault> {
        let Points { xy, kinds } = points;
        lane.download(&self.kinds);
        kernels::ExportPointsRaw { xy, kinds, rows: self.rows.column, n: n as u64 }.launch(lane, curve)
    }

    /// Point i of a lane that has finished.
    pub fn get(&self, lane: &Lane, i: usize) -> Result<Point, Rejection> {
        Ok(self.row(lane, i)?.map_or(Point::IDENTITY, Point::from_raw))
    }

    /// `x || y` of that point where it lies, or `None` for the identity.
    pub fn row<'a>(&self, lane: &'a Lane, i: usize) -> Result<Option<&'a [u8; 64]>, Rejection> {
        match PointKind::from_code(lane.read(&self.kinds)[i]) {
            Some(PointKind::Finite) => {
                let row = &lane.read(&self.rows)[64 * i..64 * i + 64];
                Ok(Some(row.try_into().expect("64 bytes")))
            }
            Some(PointKind::Identity) => Ok(None),
            Some(PointKind::OffCurve) => Err(Rejection::NotOnCurve),
            Some(PointKind::OutOfRange | PointKind::BadEncoding) | None => Err(Rejection::MalformedPoint),
        }
    }
}
