//! Recovery of public keys, and of what is computed from them.

use super::Fault;
use super::columns::{Addresses, Column, Digests, RecoveryIds, Scalars, Signatures, Verdicts};
use super::kernels::{self, WindowScratch};
use super::known_answers::{Test, Tests};
use super::lane::Lane;
use super::pipeline::{Chunk, Operation};
use super::plan::{Download, Plan, Upload};
use super::rows::{self, Jacobian, PointRows, Points as Columns, Rows, convert};
use super::verify::{Signed, verdict};
use crate::cpu::recover::Inputs;
use crate::cpu::{self, CpuEngine};
use crate::curve::EcdsaCurve;
use crate::ecdsa::Address;
use crate::encoding::Point;
use crate::engine::Engines;
use crate::error::{Rejection, Verdict};
use crate::point::Points;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

const FILES: &[&str] = &["layout", "table", "recover", "normalize"];
/// What addresses need besides.
const ADDRESS_FILES: &[&str] = &["address"];
/// Bytes of an address.
const ADDRESS: usize = size_of::<Address>();

pub fn keys<C: EcdsaCurve>(engines: Engines, inputs: Inputs) -> Result<Points, Fault> {
    engines.run(&Recover::<C, PointRows>::new(inputs))
}

/// Ethereum addresses of the keys.
pub fn addresses<C: EcdsaCurve>(engines: Engines, inputs: Inputs) -> Result<Vec<Result<Address, Rejection>>, Fault> {
    engines.run(&Recover::<C, AddressRows>::new(inputs))
}

/// What is wanted of recovered keys, on its way to the host.
pub trait Wanted: Sized {
    type Output: Send;

    fn tests<C: EcdsaCurve>() -> &'static [Test];

    fn new(plan: &mut Plan, keys: Columns) -> Self;

    fn download(&self, lane: &mut Lane, curve: &'static str, keys: Columns, n: usize) -> Result<(), Fault>;

    /// That of a key that was recovered, on a lane that has finished.
    fn get(&self, lane: &Lane, i: usize) -> Result<Self::Output, Rejection>;

    fn on_cpu<C: EcdsaCurve>(cpu: &CpuEngine, inputs: Inputs) -> Vec<Result<Self::Output, Rejection>>;
}

impl Wanted for PointRows {
    type Output = Point;

    fn tests<C: EcdsaCurve>() -> &'static [Test] {
        Tests::<C>::RECOVER
    }

    fn new(plan: &mut Plan, keys: Columns) -> Self {
        PointRows::new(plan, keys)
    }

    fn download(&self, lane: &mut Lane, curve: &'static str, keys: Columns, n: usize) -> Result<(), Fault> {
        self.download(lane, curve, keys, n)
    }

    fn get(&self, lane: &Lane, i: usize) -> Result<Point, Rejection> {
        self.get(lane, i)
    }

    fn on_cpu<C: EcdsaCurve>(cpu: &CpuEngine, inputs: Inputs) -> Points {
        cpu::recover::recover::<C>(cpu, inputs)
    }
}

/// Ethereum addresses.
pub struct AddressRows(Download<Addresses>);

impl Wanted for AddressRows {
    type Output = Address;

    fn tests<C: EcdsaCurve>() -> &'static [Test] {
        Tests::<C>::ADDRESSES
    }

    fn new(plan: &mut Plan, _: Columns) -> Self {
        let rows = plan.column();
        AddressRows(plan.download_column(rows))
    }

    fn download(&self, lane: &mut Lane, curve: &'static str, keys: Columns, n: usize) -> Result<(), Fault> {
        lane.device.clone().prepare(curve, ADDRESS_FILES)?;
        lane.download(&self.0);
        let Columns { xy, kinds } = keys;
        kernels::EthereumAddresses { xy, kinds, rows: self.0.column, n: n as u64 }.launch(lane, curve)
    }

    fn get(&self, lane: &Lane, i: usize) -> Result<Address, Rejection> {
        Ok(lane.read(&self.0)[ADDRESS * i..ADDRESS * (i + 1)].try_into().expect("the bytes of an address"))
    }

    fn on_cpu<C: EcdsaCurve>(cpu: &CpuEngine, inputs: Inputs) -> Vec<Result<Address, Rejection>> {
        cpu::recover::addresses::<C>(cpu, inputs)
    }
}

/// The recovery of a chunk's keys.
pub struct Recovery {
    u1: Column<Scalars>,
    u2: Column<Scalars>,
    pub keys: Columns,
    pub verdicts: Column<Verdicts>,
    sums: Jacobian,
    scratch: WindowScratch,
}

impl Recovery {
    pub fn new(plan: &mut Plan) -> Self {
        let (u1, u2, verdicts) = (plan.column(), plan.column(), plan.column());
        let (keys, sums, scratch) = (Columns::new(plan), Jacobian::new(plan), WindowScratch::new(plan));
        Recovery { u1, u2, keys, verdicts, sums, scratch }
    }

    /// From rows of digests, signatures and recovery ids to keys and verdicts.
    pub fn compute(
        &self,
        lane: &mut Lane,
        curve: &'static str,
        Signed { digests, signatures }: Signed,
        ids: Column<RecoveryIds>,
        n: usize,
    ) -> Result<(), Fault> {
        let table = lane.device.clone().tables().public(lane, curve)?;
        let Recovery { u1, u2, keys, verdicts, sums, scratch } = *self;
        let (Columns { xy, kinds }, Jacobian { xyz, prefixes }, count) = (keys, sums, n as u64);
        lane.keep_in_l2(prefixes, n)?;
        kernels::RecoverEquations { digests, signatures, ids, u1, u2, xy, kinds, verdicts, prefixes, n: count }
            .launch(lane, curve)?;
        scratch.reset(lane)?;
        let (WindowScratch { tables, next_tile }, table, bits) = (scratch, table.rows(), table.bits);
        kernels::MultiplyAdd { u1, u2, xy, kinds, table, bits, tables, next_tile, xyz, n: count }
            .launch(lane, curve)?;
        sums.normalize(lane, curve, keys, true, n)?;
        kernels::RecoverVerdicts { kinds, verdicts, n: count }.launch(lane, curve)
    }
}

/// The recovery of a batch's keys, of which W is wanted.
pub struct Recover<'a, C, W> {
    inputs: Inputs<'a>,
    types: PhantomData<fn() -> (C, W)>,
}

impl<'a, C, W> Recover<'a, C, W> {
    pub fn new(inputs: Inputs<'a>) -> Self {
        Recover { inputs, types: PhantomData }
    }
}

pub struct RecoverBuffers<W> {
    digests: Upload<Digests>,
    signatures: Upload<Signatures>,
    ids: Upload<RecoveryIds>,
    recovery: Recovery,
    wanted: W,
    verdicts: Download<Verdicts>,
}

impl<C: EcdsaCurve, W: Wanted + Sync> Operation for Recover<'_, C, W> {
    type Output = Result<W::Output, Rejection>;
    type Buffers = RecoverBuffers<W>;
    const MOST_WAVES: usize = 8;

    fn items(&self) -> usize {
        self.inputs.digests.len()
    }

    fn plan(&self, plan: &mut Plan, _: &Range<usize>) -> RecoverBuffers<W> {
        let (digests, signatures, ids) = (plan.rows(), plan.rows(), plan.rows());
        let recovery = Recovery::new(plan);
        let (wanted, verdicts) = (W::new(plan, recovery.keys), plan.download_column(recovery.verdicts));
        RecoverBuffers { digests, signatures, ids, recovery, wanted, verdicts }
    }

    fn tests(&self, _: usize) -> &'static [Test] {
        W::tests::<C>()
    }

    fn compute(
        &self,
        chunk: Chunk,
        buffers: &RecoverBuffers<W>,
        out: &mut [MaybeUninit<Self::Output>],
    ) -> Result<(), Fault> {
        let (Chunk { lane, cpu, items, .. }, n) = (chunk, out.len());
        let RecoverBuffers { digests, signatures, ids, recovery, wanted, verdicts } = buffers;
        lane.device.clone().prepare(C::NAME, FILES)?;
        let inputs = self.inputs.slice(items);
        let rows = [
            (Rows::of(inputs.digests), &digests.staging),
            (Rows::of(inputs.signatures), &signatures.staging),
            (Rows::of::<1>(inputs.recovery_ids.as_chunks().0), &ids.staging),
        ];
        rows::upload(lane, cpu, rows)?;
        let signed = Signed { digests: digests.column, signatures: signatures.column };
        recovery.compute(lane, C::NAME, signed, ids.column, n)?;
        wanted.download(lane, C::NAME, recovery.keys, n)?;
        lane.download(verdicts);
        lane.finish()?;
        let codes = lane.read(verdicts);
        convert(lane, cpu, out, |i| match verdict(codes[i]) {
            Verdict::Valid => wanted.get(lane, i),
            Verdict::Rejected(reason) => Err(reason),
        });
        Ok(())
    }

    fn on_cpu(&self, cpu: &CpuEngine, items: Range<usize>) -> Vec<Self::Output> {
        W::on_cpu::<C>(cpu, self.inputs.slice(items))
    }
}
