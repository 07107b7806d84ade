//! Recovery of public keys, and of what is computed from them.

use super::Fault;
use super::kernels::{self, WindowScratch};
use super::known_answers::{Test, Tests};
use super::lane::Lane;
use super::memory;
use super::pipeline::{Chunk, Operation};
use super::plan::{Download, Plan, Upload};
use super::rows::{self, Jacobian, NUMBER, PointRows, Points as Columns, Rows, convert};
use super::verify::verdict;
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
pub struct AddressRows(Download);

impl Wanted for AddressRows {
    type Output = Address;

    fn tests<C: EcdsaCurve>() -> &'static [Test] {
        Tests::<C>::ADDRESSES
    }

    fn new(plan: &mut Plan, _: Columns) -> Self {
        let rows = plan.each(ADDRESS);
        AddressRows(plan.download_each(rows, ADDRESS))
    }

    fn download(&self, lane: &mut Lane, curve: &'static str, keys: Columns, n: usize) -> Result<(), Fault> {
        lane.device.clone().prepare(curve, ADDRESS_FILES)?;
        lane.download(&self.0);
        kernels::ethereum_addresses(lane, curve, keys.xy, keys.kinds, self.0.address, n as u64)
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
    u1: memory::Address,
    u2: memory::Address,
    pub keys: Columns,
    pub verdicts: memory::Address,
    sums: Jacobian,
    scratch: WindowScratch,
}

impl Recovery {
    pub fn new(plan: &mut Plan) -> Self {
        let (u1, u2, verdicts) = (plan.each(NUMBER), plan.each(NUMBER), plan.each(1));
        let (keys, sums, scratch) = (Columns::new(plan), Jacobian::new(plan), WindowScratch::new(plan));
        Recovery { u1, u2, keys, verdicts, sums, scratch }
    }

    /// From rows of digests, signatures and recovery ids to keys and verdicts.
    pub fn compute(
        &self,
        lane: &mut Lane,
        curve: &'static str,
        [digests, signatures, ids]: [memory::Address; 3],
        n: usize,
    ) -> Result<(), Fault> {
        let table = lane.device.clone().tables().public(lane, curve)?;
        let (Recovery { u1, u2, keys, verdicts, sums, scratch }, count) = (self, n as u64);
        let (Columns { xy, kinds }, Jacobian { xyz, prefixes }) = (*keys, *sums);
        lane.keep_in_l2(prefixes, n)?;
        kernels::recover_equations(
            lane, curve, digests, signatures, ids, *u1, *u2, xy, kinds, *verdicts, prefixes, count,
        )?;
        scratch.reset(lane)?;
        let (WindowScratch { tables, next_tile }, table, bits) = (*scratch, table.address(), table.bits);
        kernels::multiply_add(lane, curve, *u1, *u2, xy, kinds, table, bits, tables, next_tile, xyz, count)?;
        sums.normalize(lane, curve, *keys, true, n)?;
        kernels::recover_verdicts(lane, curve, kinds, *verdicts, count)
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
    digests: Upload,
    signatures: Upload,
    ids: Upload,
    recovery: Recovery,
    wanted: W,
    verdicts: Download,
}

impl<C: EcdsaCurve, W: Wanted + Sync> Operation for Recover<'_, C, W> {
    type Output = Result<W::Output, Rejection>;
    type Buffers = RecoverBuffers<W>;
    const MOST_WAVES: usize = 8;

    fn items(&self) -> usize {
        self.inputs.digests.len()
    }

    fn plan(&self, plan: &mut Plan, _: &Range<usize>) -> RecoverBuffers<W> {
        let (digests, signatures, ids) = (plan.rows(32), plan.rows(64), plan.rows(1));
        let recovery = Recovery::new(plan);
        let (wanted, verdicts) = (W::new(plan, recovery.keys), plan.download_each(recovery.verdicts, 1));
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
            (Rows::of(inputs.digests), digests),
            (Rows::of(inputs.signatures), signatures),
            (Rows::of::<1>(inputs.recovery_ids.as_chunks().0), ids),
        ];
        rows::upload(lane, cpu, rows)?;
        recovery.compute(lane, C::NAME, [digests.address, signatures.address, ids.address], n)?;
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
