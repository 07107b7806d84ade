//! Point operations on public data.

use super::Fault;
use super::codes::NumberKind;
use super::columns::{ByteRows, Column, NumberKinds, Prefixes};
use super::kernels::{self, WindowScratch};
use super::known_answers::{Test, Tests};
use super::lane::Lane;
use super::pipeline::{Chunk, Operation};
use super::plan::{Download, Plan, Upload};
use super::rows::{self, Jacobian, KeyUpload, Numbers, PointRows, PointUpload, Points as Columns, Rows, convert};
use crate::cpu::{self, CpuEngine};
use crate::curve::Curve;
use crate::encoding::{Point, PublicKeys};
use crate::engine::Engines;
use crate::error::Rejection;
use crate::point::Points;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

type Output = Result<Point, Rejection>;
type Out<'a> = &'a mut [MaybeUninit<Output>];

/// Points from the caller on the device.
pub struct Imported {
    rows: PointUpload,
    points: Columns,
}

impl Imported {
    fn new(plan: &mut Plan) -> Self {
        Imported { rows: plan.rows(), points: Columns::new(plan) }
    }
}

pub struct Add<'a, C>(pub &'a [Point], pub &'a [Point], pub PhantomData<C>);

pub struct AddBuffers {
    operands: [Imported; 2],
    sum: Columns,
    prefixes: Column<Prefixes>,
    result: PointRows,
}

pub fn add<C: Curve>(engines: Engines, a: &[Point], b: &[Point]) -> Result<Points, Fault> {
    engines.run(&Add::<C>(a, b, PhantomData))
}

impl<C: Curve> Operation for Add<'_, C> {
    type Output = Output;
    type Buffers = AddBuffers;
    const MOST_WAVES: usize = 6;

    fn items(&self) -> usize {
        self.0.len()
    }

    fn plan(&self, plan: &mut Plan, _: &Range<usize>) -> AddBuffers {
        let (operands, sum) = ([Imported::new(plan), Imported::new(plan)], Columns::new(plan));
        AddBuffers { operands, sum, prefixes: plan.column(), result: PointRows::new(plan, sum) }
    }

    fn tests(&self, _: usize) -> &'static [Test] {
        Tests::<C>::ADD
    }

    fn compute(&self, chunk: Chunk, buffers: &AddBuffers, out: Out) -> Result<(), Fault> {
        let (Chunk { lane, cpu, items, .. }, n) = (chunk, out.len());
        let AddBuffers { operands: [left, right], sum, prefixes, result } = buffers;
        lane.device.clone().prepare(C::NAME, &["layout", "point_add"])?;
        let rows = [
            (Rows::of_points(&self.0[items.clone()]), &left.rows.staging),
            (Rows::of_points(&self.1[items]), &right.rows.staging),
        ];
        rows::upload(lane, cpu, rows)?;
        for operand in [left, right] {
            rows::import_points(lane, C::NAME, &operand.rows, operand.points, n)?;
        }
        lane.keep_in_l2(*prefixes, n)?;
        add_points(lane, C::NAME, [left.points, right.points, *sum], *prefixes, n)?;
        result.download(lane, C::NAME, *sum, n)?;
        lane.finish()?;
        convert(lane, cpu, out, |i| result.get(lane, i));
        Ok(())
    }

    fn on_cpu(&self, cpu: &CpuEngine, items: Range<usize>) -> Points {
        cpu::point::add::<C>(cpu, &self.0[items.clone()], &self.1[items])
    }
}

/// The sums of a and b.
pub fn add_points(
    lane: &mut Lane,
    curve: &'static str,
    [a, b, out]: [Columns; 3],
    prefixes: Column<Prefixes>,
    n: usize,
) -> Result<(), Fault> {
    kernels::PointAdd {
        a_xy: a.xy,
        a_kinds: a.kinds,
        b_xy: b.xy,
        b_kinds: b.kinds,
        out_xy: out.xy,
        out_kinds: out.kinds,
        prefixes,
        n: n as u64,
    }
    .launch(lane, curve)
}

pub struct Double<'a, C>(pub &'a [Point], pub PhantomData<C>);

pub struct DoubleBuffers {
    from: Imported,
    to: Columns,
    prefixes: Column<Prefixes>,
    result: PointRows,
}

pub fn double<C: Curve>(engines: Engines, points: &[Point]) -> Result<Points, Fault> {
    engines.run(&Double::<C>(points, PhantomData))
}

impl<C: Curve> Operation for Double<'_, C> {
    type Output = Output;
    type Buffers = DoubleBuffers;
    const MOST_WAVES: usize = 6;

    fn items(&self) -> usize {
        self.0.len()
    }

    fn plan(&self, plan: &mut Plan, _: &Range<usize>) -> DoubleBuffers {
        let (from, to) = (Imported::new(plan), Columns::new(plan));
        DoubleBuffers { from, to, prefixes: plan.column(), result: PointRows::new(plan, to) }
    }

    fn tests(&self, _: usize) -> &'static [Test] {
        Tests::<C>::DOUBLE
    }

    fn compute(&self, chunk: Chunk, buffers: &DoubleBuffers, out: Out) -> Result<(), Fault> {
        let (Chunk { lane, cpu, items, .. }, n) = (chunk, out.len());
        let DoubleBuffers { from: Imported { rows, points: from }, to, prefixes, result } = buffers;
        lane.device.clone().prepare(C::NAME, &["layout", "point_add"])?;
        rows::upload(lane, cpu, [(Rows::of_points(&self.0[items]), &rows.staging)])?;
        rows::import_points(lane, C::NAME, rows, *from, n)?;
        lane.keep_in_l2(*prefixes, n)?;
        double_points(lane, C::NAME, *from, *to, *prefixes, n)?;
        result.download(lane, C::NAME, *to, n)?;
        lane.finish()?;
        convert(lane, cpu, out, |i| result.get(lane, i));
        Ok(())
    }

    fn on_cpu(&self, cpu: &CpuEngine, items: Range<usize>) -> Points {
        cpu::point::double::<C>(cpu, &self.0[items])
    }
}

/// The doubles of a.
pub fn double_points(
    lane: &mut Lane,
    curve: &'static str,
    a: Columns,
    out: Columns,
    prefixes: Column<Prefixes>,
    n: usize,
) -> Result<(), Fault> {
    let (out_xy, out_kinds) = (out.xy, out.kinds);
    let n = n as u64;
    kernels::PointDouble { a_xy: a.xy, a_kinds: a.kinds, out_xy, out_kinds, prefixes, n }.launch(lane, curve)
}

/// Scalars from the caller on the device; their kinds go back.
pub struct Scalars {
    rows: Upload<ByteRows<32>>,
    numbers: Numbers,
    kinds: Download<NumberKinds>,
}

impl Scalars {
    fn new(plan: &mut Plan) -> Self {
        let (rows, numbers) = (plan.rows(), Numbers::new(plan));
        Scalars { rows, numbers, kinds: plan.download_column(numbers.kinds) }
    }

    fn import(&self, lane: &mut Lane, curve: &'static str, n: usize) -> Result<(), Fault> {
        lane.download(&self.kinds);
        rows::import_scalars(lane, curve, &self.rows, self.numbers, n)
    }

    /// Item i of a lane that has finished.
    fn result(&self, lane: &Lane, products: &PointRows, i: usize) -> Output {
        match NumberKind::from_code(lane.read(&self.kinds)[i]) {
            Some(NumberKind::TooLarge) => Err(Rejection::ScalarOutOfRange),
            _ => products.get(lane, i),
        }
    }
}

pub struct MulBase<'a, C>(pub &'a [[u8; 32]], pub PhantomData<C>);

pub struct MulBaseBuffers {
    scalars: Scalars,
    sums: Jacobian,
    product: Columns,
    result: PointRows,
}

pub fn mul_base<C: Curve>(engines: Engines, scalars: &[[u8; 32]]) -> Result<Points, Fault> {
    engines.run(&MulBase::<C>(scalars, PhantomData))
}

impl<C: Curve> Operation for MulBase<'_, C> {
    type Output = Output;
    type Buffers = MulBaseBuffers;
    const MOST_WAVES: usize = 6;

    fn items(&self) -> usize {
        self.0.len()
    }

    fn plan(&self, plan: &mut Plan, _: &Range<usize>) -> MulBaseBuffers {
        let (scalars, sums, product) = (Scalars::new(plan), Jacobian::new(plan), Columns::new(plan));
        MulBaseBuffers { scalars, sums, product, result: PointRows::new(plan, product) }
    }

    fn tests(&self, _: usize) -> &'static [Test] {
        Tests::<C>::MUL_BASE
    }

    fn compute(&self, chunk: Chunk, buffers: &MulBaseBuffers, out: Out) -> Result<(), Fault> {
        let (Chunk { lane, cpu, items, .. }, n) = (chunk, out.len());
        let MulBaseBuffers { scalars, sums, product, result } = buffers;
        lane.device.clone().prepare(C::NAME, &["layout", "table", "fpmul", "normalize"])?;
        let table = lane.device.clone().tables().public(lane, C::NAME)?;
        rows::upload(lane, cpu, [(Rows::of(&self.0[items]), &scalars.rows.staging)])?;
        scalars.import(lane, C::NAME, n)?;
        let (k, xyz, count) = (scalars.numbers.scalars, sums.xyz, n as u64);
        let (table, bits) = (table.rows(), table.bits);
        kernels::FpmulVar { scalars: k, table, bits, xyz, n: count }.launch(lane, C::NAME)?;
        sums.normalize(lane, C::NAME, *product, false, n)?;
        result.download(lane, C::NAME, *product, n)?;
        lane.finish()?;
        convert(lane, cpu, out, |i| scalars.result(lane, result, i));
        Ok(())
    }

    fn on_cpu(&self, cpu: &CpuEngine, items: Range<usize>) -> Points {
        cpu::point::mul_base::<C>(cpu, &self.0[items])
    }
}

pub struct Mul<'a, C>(pub &'a [[u8; 32]], pub &'a [Point], pub PhantomData<C>);

pub struct MulBuffers {
    scalars: Scalars,
    points: Imported,
    scratch: WindowScratch,
    sums: Jacobian,
    result: PointRows,
}

pub fn mul<C: Curve>(engines: Engines, scalars: &[[u8; 32]], points: &[Point]) -> Result<Points, Fault> {
    engines.run(&Mul::<C>(scalars, points, PhantomData))
}

impl<C: Curve> Operation for Mul<'_, C> {
    type Output = Output;
    type Buffers = MulBuffers;
    const MOST_WAVES: usize = 6;

    fn items(&self) -> usize {
        self.0.len()
    }

    fn plan(&self, plan: &mut Plan, _: &Range<usize>) -> MulBuffers {
        let (scalars, points) = (Scalars::new(plan), Imported::new(plan));
        let (scratch, sums) = (WindowScratch::new(plan), Jacobian::new(plan));
        // The products take the place of the points.
        let result = PointRows::new(plan, points.points);
        MulBuffers { scalars, points, scratch, sums, result }
    }

    fn tests(&self, _: usize) -> &'static [Test] {
        Tests::<C>::MUL
    }

    fn compute(&self, chunk: Chunk, buffers: &MulBuffers, out: Out) -> Result<(), Fault> {
        let (Chunk { lane, cpu, items, .. }, n) = (chunk, out.len());
        let MulBuffers { scalars, points: Imported { rows, points }, scratch, sums, result } = buffers;
        lane.device.clone().prepare(C::NAME, &["layout", "upmul", "normalize"])?;
        let inputs = [
            (Rows::of(&self.0[items.clone()]), &scalars.rows.staging),
            (Rows::of_points(&self.1[items]), &rows.staging),
        ];
        rows::upload(lane, cpu, inputs)?;
        scalars.import(lane, C::NAME, n)?;
        rows::import_points(lane, C::NAME, rows, *points, n)?;
        scratch.reset(lane)?;
        let (Columns { xy, kinds }, WindowScratch { tables, next_tile }) = (*points, *scratch);
        let (k, xyz, count) = (scalars.numbers.scalars, sums.xyz, n as u64);
        kernels::UpmulVar { scalars: k, xy, kinds, tables, xyz, next_tile, n: count }.launch(lane, C::NAME)?;
        sums.normalize(lane, C::NAME, *points, true, n)?;
        result.download(lane, C::NAME, *points, n)?;
        lane.finish()?;
        convert(lane, cpu, out, |i| scalars.result(lane, result, i));
        Ok(())
    }

    fn on_cpu(&self, cpu: &CpuEngine, items: Range<usize>) -> Points {
        cpu::point::mul::<C>(cpu, &self.0[items.clone()], &self.1[items])
    }
}

/// Public keys in any encoding, and how many.
pub struct DecodeKeys<'a, C>(pub PublicKeys<'a>, pub usize, pub PhantomData<C>);

pub struct DecodeBuffers {
    rows: KeyUpload,
    points: Columns,
    result: PointRows,
}

/// The points of public keys in any encoding.
pub fn decode_keys<C: Curve>(engines: Engines, items: usize, keys: PublicKeys) -> Result<Points, Fault> {
    engines.run(&DecodeKeys::<C>(keys, items, PhantomData))
}

impl<C: Curve> Operation for DecodeKeys<'_, C> {
    type Output = Output;
    type Buffers = DecodeBuffers;
    const MOST_WAVES: usize = 6;

    fn items(&self) -> usize {
        self.1
    }

    fn plan(&self, plan: &mut Plan, _: &Range<usize>) -> DecodeBuffers {
        let (rows, points) = (KeyUpload::new(plan, self.0.form()), Columns::new(plan));
        DecodeBuffers { rows, points, result: PointRows::new(plan, points) }
    }

    fn tests(&self, _: usize) -> &'static [Test] {
        Tests::<C>::KEYS
    }

    fn compute(&self, chunk: Chunk, buffers: &DecodeBuffers, out: Out) -> Result<(), Fault> {
        let (Chunk { lane, cpu, items, .. }, n) = (chunk, out.len());
        let DecodeBuffers { rows, points, result } = buffers;
        lane.device.clone().prepare(C::NAME, &["layout"])?;
        rows::upload(lane, cpu, [(Rows::of_keys(self.0, items), rows.staging())])?;
        rows::import_keys(lane, C::NAME, rows, *points, n)?;
        result.download(lane, C::NAME, *points, n)?;
        lane.finish()?;
        // A public key is not the identity.
        let key = |i| {
            result.get(lane, i).and_then(|key| if key.is_identity() { Err(Rejection::IdentityKey) } else { Ok(key) })
        };
        convert(lane, cpu, out, key);
        Ok(())
    }

    fn on_cpu(&self, cpu: &CpuEngine, items: Range<usize>) -> Points {
        cpu::point::decode_keys::<C>(cpu, items.len(), self.0.slice(items))
    }
}
