//! Operations on secret scalars: kernels whose branches and addresses do not depend on them, and memory that is wiped.

use super::Fault;
use super::codes::SignStatus;
use super::columns::{Column, Scalars, SecretKeys as KeyColumn, SignStatuses};
use super::kernels::{self, WindowScratch};
use super::known_answers::{Test, Tests};
use super::lane::Lane;
use super::pipeline::{Chunk, Operation};
use super::plan::{Download, Plan, Upload};
use super::rows::{self, Jacobian, KeyUpload, PointRows, Points as Columns, Rows, convert, convert_secret};
use crate::cpu::{self, CpuEngine};
use crate::curve::SecretCurve;
use crate::encoding::{Point, PublicKeys};
use crate::engine::Engines;
use crate::error::Rejection;
use crate::point::Points;
use crate::secret::{SecretKey, SecretKeys, SharedPoint, SharedSecret};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Kernel files of `d * G` and of `d * Q`.
const BASE_FILES: &[&str] = &["layout", "nonces", "table", "fpmul", "normalize"];
const POINT_FILES: &[&str] = &["layout", "nonces", "upmul", "normalize"];

/// Bytes of a private key.
const KEY: usize = 32;

/// The buffer of `Rows::of_secret_keys`: one row for each item, or one for all.
pub fn plan_secret_keys(plan: &mut Plan, keys: SecretKeys) -> Upload<KeyColumn> {
    plan.upload_secret(KEY * if keys.single().is_some() { 1 } else { plan.items() })
}

/// Rows of private keys on the device: one per item, or one for all.
#[derive(Clone, Copy, Debug)]
pub struct KeyRows {
    pub rows: Column<KeyColumn>,
    /// Bytes between the keys of neighbouring items: 32 or 0.
    pub stride: u64,
}

impl KeyRows {
    /// Those of `Rows::of_secret_keys`, on the device.
    pub fn new(keys: SecretKeys, rows: &Upload<KeyColumn>) -> Self {
        KeyRows { rows: rows.column, stride: if keys.single().is_some() { 0 } else { KEY as u64 } }
    }
}

/// Private keys as columns, with the status of each.
#[derive(Clone, Copy, Debug)]
pub struct SecretScalars {
    scalars: Column<Scalars>,
    status: Column<SignStatuses>,
}

impl SecretScalars {
    fn new(plan: &mut Plan) -> Self {
        SecretScalars { scalars: plan.column(), status: plan.column() }
    }

    fn import(self, lane: &mut Lane, curve: &'static str, keys: KeyRows, n: usize) -> Result<(), Fault> {
        let (SecretScalars { scalars, status }, KeyRows { rows: keys, stride: key_stride }) = (self, keys);
        kernels::SecretScalars { keys, key_stride, scalars, status, n: n as u64 }.launch(lane, curve)
    }
}

/// Whether a status is that of a key in `1..n`.
fn in_range(status: u8) -> bool {
    SignStatus::from_code(status) == Some(SignStatus::Signed)
}

/// The public keys of a chunk's private ones.
pub struct BaseProducts {
    keys: SecretScalars,
    sums: Jacobian,
    pub points: Columns,
}

impl BaseProducts {
    pub fn new(plan: &mut Plan) -> Self {
        BaseProducts { keys: SecretScalars::new(plan), sums: Jacobian::new(plan), points: Columns::new(plan) }
    }

    pub fn compute(&self, lane: &mut Lane, curve: &'static str, keys: KeyRows, n: usize) -> Result<(), Fault> {
        let table = lane.device.clone().tables().uniform(lane, curve)?;
        self.keys.import(lane, curve, keys, n)?;
        let (scalars, xyz) = (self.keys.scalars, self.sums.xyz);
        kernels::FpmulUniform { scalars, table, xyz, n: n as u64 }.launch(lane, curve)?;
        self.sums.normalize(lane, curve, self.points, false, n)
    }
}

pub fn public_keys<C: SecretCurve>(engines: Engines, secret_keys: &[SecretKey]) -> Result<Points, Fault> {
    engines.run(&PublicKeysOf::<C>(secret_keys, PhantomData))
}

pub struct PublicKeysOf<'a, C>(pub &'a [SecretKey], pub PhantomData<C>);

pub struct PublicKeyBuffers {
    keys: Upload<KeyColumn>,
    products: BaseProducts,
    status: Download<SignStatuses>,
    result: PointRows,
}

impl<C: SecretCurve> Operation for PublicKeysOf<'_, C> {
    type Output = Result<Point, Rejection>;
    type Buffers = PublicKeyBuffers;
    const SECRET: bool = true;
    const MOST_WAVES: usize = 6;

    fn items(&self) -> usize {
        self.0.len()
    }

    fn plan(&self, plan: &mut Plan, _: &Range<usize>) -> PublicKeyBuffers {
        let (keys, products) = (plan_secret_keys(plan, self.0.into()), BaseProducts::new(plan));
        let status = plan.download_column(products.keys.status);
        PublicKeyBuffers { keys, status, result: PointRows::new(plan, products.points), products }
    }

    fn tests(&self, _: usize) -> &'static [Test] {
        Tests::<C>::PUBLIC_KEYS
    }

    fn compute(
        &self,
        chunk: Chunk,
        buffers: &PublicKeyBuffers,
        out: &mut [MaybeUninit<Self::Output>],
    ) -> Result<(), Fault> {
        let (Chunk { lane, cpu, items, .. }, n) = (chunk, out.len());
        let PublicKeyBuffers { keys, products, status, result } = buffers;
        lane.device.clone().prepare(C::NAME, BASE_FILES)?;
        rows::upload(lane, cpu, [(Rows::of_secret_keys(self.0.into(), items), &keys.staging)])?;
        products.compute(lane, C::NAME, KeyRows::new(self.0.into(), keys), n)?;
        lane.download(status);
        result.download(lane, C::NAME, products.points, n)?;
        lane.finish()?;
        let status = lane.read(status);
        convert(lane, cpu, out, |i| {
            if in_range(status[i]) { result.get(lane, i) } else { Err(Rejection::SecretKeyOutOfRange) }
        });
        Ok(())
    }

    fn on_cpu(&self, cpu: &CpuEngine, items: Range<usize>) -> Points {
        cpu::secret::public_keys::<C>(cpu, &self.0[items])
    }
}

/// What becomes of a shared point.
pub trait Shared: Sized + Send {
    /// From `x || y`.
    fn of(point: &[u8; 64]) -> Self;

    fn on_cpu<C: SecretCurve>(cpu: &CpuEngine, agreement: &Agreement<C, Self>) -> Vec<Result<Self, Rejection>>;
}

impl Shared for SharedPoint {
    fn of(point: &[u8; 64]) -> Self {
        SharedPoint::of(point)
    }

    fn on_cpu<C: SecretCurve>(cpu: &CpuEngine, agreement: &Agreement<C, Self>) -> Vec<Result<Self, Rejection>> {
        let Agreement { items, secret_keys, peers, .. } = *agreement;
        cpu::agree::shared_points::<C>(cpu, items, secret_keys, peers)
    }
}

impl Shared for SharedSecret {
    fn of(point: &[u8; 64]) -> Self {
        SharedSecret::of(point)
    }

    fn on_cpu<C: SecretCurve>(cpu: &CpuEngine, agreement: &Agreement<C, Self>) -> Vec<Result<Self, Rejection>> {
        let Agreement { items, secret_keys, peers, .. } = *agreement;
        cpu::agree::shared_secrets::<C>(cpu, items, secret_keys, peers)
    }
}

/// Shared points of a batch, of which each becomes an S.
pub struct Agreement<'a, C, S> {
    items: usize,
    secret_keys: SecretKeys<'a>,
    peers: PublicKeys<'a>,
    types: PhantomData<fn() -> (C, S)>,
}

impl<'a, C, S> Agreement<'a, C, S> {
    pub fn new(items: usize, secret_keys: SecretKeys<'a>, peers: PublicKeys<'a>) -> Self {
        Agreement { items, secret_keys, peers, types: PhantomData }
    }
}

pub struct AgreementBuffers {
    keys: Upload<KeyColumn>,
    peers: KeyUpload,
    scalars: SecretScalars,
    points: Columns,
    scratch: WindowScratch,
    sums: Jacobian,
    status: Download<SignStatuses>,
    result: PointRows,
}

impl<C: SecretCurve, S: Shared> Operation for Agreement<'_, C, S> {
    type Output = Result<S, Rejection>;
    type Buffers = AgreementBuffers;
    const SECRET: bool = true;
    const MOST_WAVES: usize = 6;

    fn items(&self) -> usize {
        self.items
    }

    fn plan(&self, plan: &mut Plan, _: &Range<usize>) -> AgreementBuffers {
        let (keys, peers) = (plan_secret_keys(plan, self.secret_keys), KeyUpload::new(plan, self.peers.form()));
        let (scalars, points) = (SecretScalars::new(plan), Columns::new(plan));
        let (scratch, sums) = (WindowScratch::new(plan), Jacobian::new(plan));
        let status = plan.download_column(scalars.status);
        // The products take the place of the points.
        AgreementBuffers { keys, peers, scalars, points, scratch, sums, status, result: PointRows::new(plan, points) }
    }

    fn tests(&self, _: usize) -> &'static [Test] {
        Tests::<C>::AGREEMENT
    }

    fn compute(
        &self,
        chunk: Chunk,
        buffers: &AgreementBuffers,
        out: &mut [MaybeUninit<Self::Output>],
    ) -> Result<(), Fault> {
        let (Chunk { lane, cpu, items, .. }, n) = (chunk, out.len());
        let AgreementBuffers { keys, peers, scalars, points, scratch, sums, status, result } = buffers;
        lane.device.clone().prepare(C::NAME, POINT_FILES)?;
        let inputs = [
            (Rows::of_secret_keys(self.secret_keys, items.clone()), &keys.staging),
            (Rows::of_keys(self.peers, items), peers.staging()),
        ];
        rows::upload(lane, cpu, inputs)?;
        scalars.import(lane, C::NAME, KeyRows::new(self.secret_keys, keys), n)?;
        rows::import_keys(lane, C::NAME, peers, *points, n)?;
        scratch.reset(lane)?;
        let (Columns { xy, kinds }, WindowScratch { tables, next_tile }) = (*points, *scratch);
        let (scalars, xyz, count) = (scalars.scalars, sums.xyz, n as u64);
        kernels::UpmulUniform { scalars, xy, kinds, tables, xyz, next_tile, n: count }.launch(lane, C::NAME)?;
        sums.normalize(lane, C::NAME, *points, true, n)?;
        lane.download(status);
        result.download_secret(lane, C::NAME, *points, n)?;
        lane.finish()?;
        let status = lane.read(status);
        convert_secret(lane, cpu, out, |i| {
            if !in_range(status[i]) {
                return Err(Rejection::SecretKeyOutOfRange);
            }
            // A key in range times a point of prime order is never the identity: that was the peer's key.
            Ok(S::of(result.row(lane, i)?.ok_or(Rejection::IdentityKey)?))
        });
        Ok(())
    }

    fn on_cpu(&self, cpu: &CpuEngine, items: Range<usize>) -> Vec<Self::Output> {
        let (keys, peers) = (self.secret_keys.slice(items.clone()), self.peers.slice(items.clone()));
        S::on_cpu(cpu, &Agreement::<C, S>::new(items.len(), keys, peers))
    }
}

pub fn shared_points<C: SecretCurve>(
    engines: Engines,
    items: usize,
    secret_keys: SecretKeys,
    peers: PublicKeys,
) -> Result<Vec<Result<SharedPoint, Rejection>>, Fault> {
    engines.run(&Agreement::<C, SharedPoint>::new(items, secret_keys, peers))
}

pub fn shared_secrets<C: SecretCurve>(
    engines: Engines,
    items: usize,
    secret_keys: SecretKeys,
    peers: PublicKeys,
) -> Result<Vec<Result<SharedSecret, Rejection>>, Fault> {
    engines.run(&Agreement::<C, SharedSecret>::new(items, secret_keys, peers))
}
