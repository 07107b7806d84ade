//! Arithmetic kernels alone on the first GPU, on numbers that stay on the device: what the module above reports.

use super::Arithmetic;
use crate::cpu::CpuCurve;
use crate::cpu::field::Field;
use crate::curve::{CurveId, PerCurve, per_curve};
use crate::gpu::Limits;
use crate::gpu::columns::{AnyNumbers, ByteRows, Column, Content, FieldElements, NumberKinds, Prefixes, Scalars};
use crate::gpu::kernels;
use crate::gpu::runtime::{Bytes, Device, Fault, Plan, Unit, count};
use crate::gpu::schedule::{Kept, Lane, lock};
use crate::host::workers::Pool;
use crate::types::Error;
use std::sync::{Arc, Mutex};

/// Operations of a chain: loading and storing its item then costs less than a hundredth.
pub const ROUNDS: u32 = 512;
/// Chains that the CPU repeats.
const CHECKED_CHAINS: usize = 1024;
/// Runs whose median counts, after one more.
const RUNS: usize = 5;
/// What outputs hold before a kernel runs.
pub const POISON: u8 = 0xa5;

/// A device with its tables.
type Opened = (Arc<Device>, Arc<Kept>);

/// A lane of the first GPU on which every kernel is timed. Devices are kept: their kernels load once per process.
pub fn open(l2_persistence: bool) -> Result<Lane, Error> {
    static OPEN: Mutex<[Option<Opened>; 2]> = Mutex::new([None, None]);
    let opened = &mut lock(&OPEN)[usize::from(l2_persistence)];
    if opened.is_none() {
        count().map_err(Error::NoDevice)?;
        let limits = Limits { time_kernels: true, l2_persistence, ..Limits::default() };
        *opened = Some((Arc::new(Device::open(0, &limits)?), Arc::default()));
    }
    let (device, kept) = opened.clone().expect("opened above");
    Ok(Lane::new(device, kept)?)
}

/// Starts a chunk of this many items, with the buffers that `plan` gives.
pub fn begin<B>(lane: &mut Lane, items: usize, plan: impl Fn(&mut Plan) -> B) -> Result<B, Fault> {
    Ok(lane.begin((items, false), Bytes::default(), false, plan)?.0)
}

/// The seconds of all kernels that `launch` starts.
fn seconds(lane: &mut Lane, launch: impl FnOnce(&mut Lane) -> Result<(), Fault>) -> Result<f64, Fault> {
    collect(lane)?;
    launch(lane)?;
    collect(lane)
}

/// The median of several runs, each after `prepare`, which is not counted.
pub fn median(
    lane: &mut Lane,
    prepare: impl Fn(&mut Lane) -> Result<(), Fault>,
    launch: impl Fn(&mut Lane) -> Result<(), Fault>,
) -> Result<f64, Fault> {
    let mut times = Vec::with_capacity(RUNS + 1);
    for _ in 0..=RUNS {
        prepare(lane)?;
        times.push(seconds(lane, &launch)?);
    }
    times.remove(0);
    times.sort_by(f64::total_cmp);
    Ok(times[RUNS / 2])
}

/// Waits for what was started, and gives the seconds of its kernels.
fn collect(lane: &mut Lane) -> Result<f64, Fault> {
    lane.finish()?;
    lane.end()?;
    Ok(lane.device.take_kernel_times().values().map(|(seconds, _)| seconds).sum())
}

/// n numbers of 32 random bytes.
pub fn random_rows(n: usize) -> Result<Vec<[u8; 32]>, Error> {
    let mut rows = vec![[0; 32]; n];
    getrandom::fill(rows.as_flattened_mut()).map_err(|problem| Error::Randomness(problem.to_string()))?;
    Ok(rows)
}

/// One operation on one batch, ready to run any number of times.
pub struct Work {
    operation: Arithmetic,
    curve: CurveId,
    lane: Lane,
    inputs: Vec<[u8; 32]>,
    buffers: Buffers,
}

#[derive(Clone, Copy)]
struct Buffers {
    rows: Column<ByteRows<32>>,
    kinds: Column<NumberKinds>,
    scalars: Column<Scalars>,
    elements: Column<FieldElements>,
    out: Column<FieldElements>,
    prefixes: Column<Prefixes>,
    results: Column<ByteRows<32>>,
}

impl Buffers {
    fn new(plan: &mut Plan) -> Self {
        let (rows, kinds, scalars, elements) = (plan.column(), plan.column(), plan.column(), plan.column());
        let (out, prefixes, results) = (plan.column(), plan.column(), plan.column());
        Buffers { rows, kinds, scalars, elements, out, prefixes, results }
    }
}

impl Work {
    pub fn new(operation: Arithmetic, curve: CurveId, n: usize) -> Result<Self, Error> {
        let inputs = random_rows(n)?;
        let mut lane = open(false)?;
        lane.device.clone().prepare(curve.name(), &["layout", "rows", "chain", "batch_inverse"])?;
        let buffers = begin(&mut lane, n, Buffers::new)?;
        lane.write(buffers.rows, inputs.as_flattened())?;
        Ok(Work { operation, curve, lane, inputs, buffers })
    }

    pub fn curve(&self) -> CurveId {
        self.curve
    }

    /// Seconds of one run on the inputs, with a poisoned output.
    pub fn run(&mut self) -> Result<f64, Fault> {
        let (n, curve, operation) = (self.inputs.len() as u64, self.curve.name(), self.operation);
        self.import()?;
        let (lane, Buffers { scalars, elements, out, prefixes, .. }) = (&mut self.lane, self.buffers);
        lane.fill(out, POISON, FieldElements::BYTES * self.inputs.len())?;
        let chain = |lane: &mut Lane, items: Column<AnyNumbers>, name| {
            kernels::Chain { items, n, rounds: ROUNDS }.launch(lane, (Unit::of("chain", curve), name))
        };
        seconds(lane, |lane| match operation {
            Arithmetic::FieldMul => chain(lane, elements.into(), "gecc_chain_field_mul"),
            Arithmetic::FieldSquare => chain(lane, elements.into(), "gecc_chain_field_sqr"),
            Arithmetic::ScalarMul => chain(lane, scalars.into(), "gecc_chain_scalar_mul"),
            Arithmetic::BatchInverse => {
                kernels::BatchInverse { values: elements, out, prefixes, n }.launch(lane, curve)
            }
        })
    }

    /// Compares the results of the last run with the CPU engine's fields: every inverse, and a sample of the chains.
    pub fn check(mut self) -> Result<(), Error> {
        let results = self.results()?;
        let n = self.inputs.len();
        // A prime, so that the sample falls on every thread of a block.
        let sample: Vec<usize> = (0..CHECKED_CHAINS.min(n)).map(|k| k * 7919 % n).collect();
        let agree = |i: usize| AGREES.of(self.curve)(self.operation, &self.inputs[i], &results[i]);
        let all_agree = match self.operation {
            Arithmetic::BatchInverse => (0..n).all(agree),
            _ => Pool::new(None)?.map(1, sample.len(), false, |k| agree(sample[k])).into_iter().all(|agrees| agrees),
        };
        let problem = || Error::Device(format!("wrong results of {} on {}", self.operation.name(), self.curve));
        if all_agree { Ok(()) } else { Err(problem()) }
    }

    /// Writes the inputs to where the operation reads them. A chain computes in place: its input, which is not its
    /// result, is its poison.
    fn import(&mut self) -> Result<(), Fault> {
        let (n, curve, lane) = (self.inputs.len() as u64, self.curve.name(), &mut self.lane);
        let Buffers { rows, kinds, scalars, elements, .. } = self.buffers;
        match self.operation {
            Arithmetic::ScalarMul => kernels::ImportScalars { rows, scalars, kinds, n }.launch(lane, curve),
            _ => kernels::ImportField { rows, elements, kinds, n }.launch(lane, curve),
        }
    }

    fn results(&mut self) -> Result<Vec<[u8; 32]>, Fault> {
        let (n, curve, lane) = (self.inputs.len() as u64, self.curve.name(), &mut self.lane);
        let Buffers { scalars, elements, out, results: rows, .. } = self.buffers;
        match self.operation {
            Arithmetic::ScalarMul => {
                kernels::ColumnsToRows { columns: scalars.into(), words: 8, rows: rows.into(), n }.launch(lane)?;
            }
            Arithmetic::BatchInverse => kernels::ExportField { elements: out, rows, n }.launch(lane, curve)?,
            _ => kernels::ExportField { elements, rows, n }.launch(lane, curve)?,
        }
        Ok(lane.copy_of(rows, 32 * self.inputs.len())?.as_chunks().0.to_vec())
    }
}

/// Whether the CPU gets the same from one input.
type Agrees = fn(Arithmetic, &[u8; 32], &[u8; 32]) -> bool;

static AGREES: PerCurve<Agrees> = per_curve!(agrees);

fn agrees<C: CpuCurve>(operation: Arithmetic, input: &[u8; 32], result: &[u8; 32]) -> bool {
    let a = C::Base::from_be_bytes_reduced(input);
    let chain = |step: &dyn Fn(C::Base) -> C::Base| (0..ROUNDS).fold(a, |power, _| step(power)).to_be_bytes();
    match operation {
        Arithmetic::FieldMul => chain(&|power| power.mul(&a)) == *result,
        Arithmetic::FieldSquare => chain(&|power| power.square()) == *result,
        Arithmetic::ScalarMul => scalar_chain::<C>(input) == *result,
        Arithmetic::BatchInverse => match C::Base::from_be_bytes(result) {
            Some(inverse) if a.is_zero() => inverse.is_zero(),
            Some(inverse) => inverse.mul(&a) == C::Base::ONE,
            None => false,
        },
    }
}

/// The device multiplies scalars in Montgomery form, a b / 2^256, without a conversion before or after.
fn scalar_chain<C: CpuCurve>(input: &[u8; 32]) -> [u8; 32] {
    let a = C::Scalar::from_be_bytes_reduced(input);
    let r = (0..256).fold(C::Scalar::ONE, |power, _| power.double());
    let factor = a.mul(&r.invert_var().expect("a power of two is not zero modulo an odd prime"));
    (0..ROUNDS).fold(a, |power, _| power.mul(&factor)).to_be_bytes()
}
