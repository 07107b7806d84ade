//! The kernels of `cuda/lab/ablation.cu` against the production kernels: what each choice of the latter is worth.

use super::Ablation;
use super::gpu::{POISON, median, open, random_rows};
use crate::curve::Curve;
use crate::error::Error;
use crate::gpu::fault::Fault;
use crate::gpu::kernels::{fpmul_var, import_scalars, normalize, point_add, point_double};
use crate::gpu::lane::Lane;
use crate::gpu::memory::Address;
use crate::gpu::plan::{Bytes, Download, Plan, Upload};
use crate::gpu::rows::{Jacobian, NUMBER, Numbers, Points};
use crate::lab::kernels;

const FILES: &[&str] = &["layout", "table", "fpmul", "normalize", "point_add", "batch_inverse", "ablation"];
/// One batch on the device: operands, what the production kernels make of them, and room for results.
struct Batch {
    curve: &'static str,
    n: u64,
    table: Address,
    bits: u32,
    scalars: Address,
    a: Points,
    b: Points,
    expected: Points,
    out: Points,
    /// a, b and out in rows.
    rows: [Address; 3],
    xyz: Address,
    prefixes: Address,
    /// The scratch of kernels that have finished holds a counter.
    count: Download,
}

/// A way to the result of an operation.
struct Variant {
    operation: &'static str,
    name: &'static str,
    /// Writes to `out`, or to the last `rows`.
    launch: fn(&Batch, &mut Lane) -> Result<(), Fault>,
    /// Another kernel's result, to `expected`.
    expect: fn(&Batch, &mut Lane) -> Result<(), Fault>,
    by_rows: bool,
}

const fn padd(name: &'static str, launch: fn(&Batch, &mut Lane) -> Result<(), Fault>) -> Variant {
    Variant { operation: "PADD", name, launch, expect: Batch::expect_sums, by_rows: false }
}

/// What is compared on every device.
const VARIANTS: &[Variant] = &[
    padd("production: fused, points in columns", Batch::add),
    Variant { by_rows: true, ..padd("points in rows, 16 bytes at a time", Batch::add_rows_by_vectors) },
    Variant { by_rows: true, ..padd("points in rows, 4 bytes at a time", Batch::add_rows_by_words) },
    padd("denominators, inversion and sums in three kernels", Batch::add_in_three_kernels),
    DOUBLE,
    Variant {
        operation: "FPMUL",
        name: "production: projective sums in registers, then normalised",
        launch: Batch::multiply,
        expect: Batch::expect_affine_multiples,
        by_rows: false,
    },
    Variant {
        operation: "FPMUL",
        name: "affine sums in memory, one shared inversion a window",
        launch: Batch::multiply_affine,
        expect: Batch::expect_multiples,
        by_rows: false,
    },
];

const DOUBLE: Variant = Variant {
    operation: "PDBL",
    name: "production: fused, points in columns",
    launch: Batch::double,
    expect: Batch::expect_doubles,
    by_rows: false,
};

/// With L2 cache set aside for the prefix products.
const WITH_L2: &[Variant] = &[
    padd("the same with L2 cache set aside for prefix products", Batch::add),
    Variant { name: "the same with L2 cache set aside for prefix products", ..DOUBLE },
];

/// Every variant on one batch of random points and scalars.
pub fn run<C: Curve>(n: usize) -> Result<Vec<Ablation>, Error> {
    let mut all = measure(C::NAME, n, false, VARIANTS)?;
    // Setting cache aside changes what is left for everything else, so this comes last.
    all.extend(measure(C::NAME, n, true, WITH_L2)?);
    all.sort_by_key(|ablation| ["PADD", "PDBL", "FPMUL"].iter().position(|name| *name == ablation.operation));
    Ok(all)
}

fn measure(curve: &'static str, n: usize, l2: bool, variants: &[Variant]) -> Result<Vec<Ablation>, Error> {
    let mut lane = open(l2)?;
    if l2 && lane.device.persisting_l2 == 0 {
        return Ok(Vec::new());
    }
    let batch = Batch::new(&mut lane, curve, n)?;
    let measured = variants.iter().map(|variant| {
        let Variant { operation, name, .. } = *variant;
        let seconds = batch.measure(&mut lane, variant)?;
        Ok(Ablation { operation, variant: name, items: n, seconds })
    });
    let measured = measured.collect();
    if l2 {
        lane.device.release_l2()?;
    }
    measured
}

impl Batch {
    fn new(lane: &mut Lane, curve: &'static str, n: usize) -> Result<Self, Error> {
        lane.device.clone().prepare(curve, FILES)?;
        let table = lane.device.clone().tables().public(lane, curve)?;
        let plan = |plan: &mut Plan| {
            let (rows, numbers, sums) = (plan.rows(NUMBER), Numbers::new(plan), Jacobian::new(plan));
            let batch = Batch {
                curve,
                n: n as u64,
                table: table.address(),
                bits: table.bits,
                scalars: numbers.columns,
                a: Points::new(plan),
                b: Points::new(plan),
                expected: Points::new(plan),
                out: Points::new(plan),
                rows: [(); 3].map(|()| plan.each(64)),
                xyz: sums.xyz,
                prefixes: sums.prefixes,
                count: plan.download(sums.prefixes, 4),
            };
            (batch, rows, numbers)
        };
        let (batch, rows, numbers): (_, Upload, _) = lane.begin(n, Bytes::default(), false, plan)?;
        lane.keep_in_l2(batch.prefixes, n)?;
        for points in [batch.a, batch.b] {
            let inputs = random_rows(n)?;
            lane.upload(&rows, |bytes| bytes.copy_from_slice(inputs.as_flattened()))?;
            import_scalars(lane, curve, rows.address, numbers.columns, numbers.kinds, batch.n)?;
            batch.multiply_to(lane, points)?;
            // The next numbers take the same way.
            lane.wait()?;
        }
        let [a_rows, b_rows, _] = batch.rows;
        kernels::ablation_to_rows(lane, curve, batch.a.xy, a_rows, batch.n)?;
        kernels::ablation_to_rows(lane, curve, batch.b.xy, b_rows, batch.n)?;
        Ok(batch)
    }

    /// Seconds of a variant whose results are right.
    fn measure(&self, lane: &mut Lane, variant: &Variant) -> Result<f64, Error> {
        let seconds = median(lane, |lane| self.poison(lane, self.out), |lane| (variant.launch)(self, lane))?;
        if variant.by_rows {
            kernels::ablation_from_rows(lane, self.curve, self.rows[2], self.out.xy, self.n)?;
        }
        self.poison(lane, self.expected)?;
        (variant.expect)(self, lane)?;
        let wrong = self.n - self.count_equal(lane)?;
        if wrong > 0 {
            let Variant { operation, name, .. } = variant;
            return Err(Error::Device(format!("{operation}, {name}: {wrong} wrong results on {}", self.curve)));
        }
        Ok(seconds)
    }

    fn poison(&self, lane: &mut Lane, points: Points) -> Result<(), Fault> {
        let n = self.n as usize;
        lane.fill(points.xy, POISON, 64 * n)?;
        lane.fill(self.rows[2], POISON, 64 * n)?;
        lane.fill(points.kinds, 0, n)
    }

    fn count_equal(&self, lane: &mut Lane) -> Result<u64, Fault> {
        let (count, expected, out) = (&self.count, self.expected, self.out);
        lane.fill(count.address, 0, 4)?;
        let (xy, kinds) = (expected.xy, expected.kinds);
        kernels::ablation_count_equal(lane, self.curve, xy, kinds, out.xy, out.kinds, count.address, self.n)?;
        lane.download(count);
        lane.finish()?;
        Ok(u64::from(u32::from_le_bytes(lane.read(count).try_into().expect("four bytes"))))
    }

    fn add_to(&self, lane: &mut Lane, [a, b, to]: [Points; 3]) -> Result<(), Fault> {
        let Batch { curve, prefixes, n, .. } = *self;
        point_add(lane, curve, a.xy, a.kinds, b.xy, b.kinds, to.xy, to.kinds, prefixes, n)
    }

    fn multiply_to(&self, lane: &mut Lane, to: Points) -> Result<(), Fault> {
        let Batch { curve, scalars, table, bits, xyz, prefixes, n, .. } = *self;
        fpmul_var(lane, curve, scalars, table, bits, xyz, n)?;
        normalize(lane, curve, xyz, to.xy, to.kinds, 0, prefixes, n)
    }

    fn multiply_affine_to(&self, lane: &mut Lane, to: Points) -> Result<(), Fault> {
        let Batch { curve, scalars, table, bits, prefixes, n, .. } = *self;
        kernels::ablation_fpmul_affine(lane, curve, scalars, table, bits, to.xy, to.kinds, prefixes, n)
    }

    fn double_to(&self, lane: &mut Lane, to: Points) -> Result<(), Fault> {
        let Batch { curve, a, prefixes, n, .. } = *self;
        point_double(lane, curve, a.xy, a.kinds, to.xy, to.kinds, prefixes, n)
    }

    /// b + a: the other order than the one that is measured.
    fn expect_sums(&self, lane: &mut Lane) -> Result<(), Fault> {
        self.add_to(lane, [self.b, self.a, self.expected])
    }

    /// a + a.
    fn expect_doubles(&self, lane: &mut Lane) -> Result<(), Fault> {
        self.add_to(lane, [self.a, self.a, self.expected])
    }

    fn expect_multiples(&self, lane: &mut Lane) -> Result<(), Fault> {
        self.multiply_to(lane, self.expected)
    }

    fn expect_affine_multiples(&self, lane: &mut Lane) -> Result<(), Fault> {
        self.multiply_affine_to(lane, self.expected)
    }

    fn add(&self, lane: &mut Lane) -> Result<(), Fault> {
        self.add_to(lane, [self.a, self.b, self.out])
    }

    fn double(&self, lane: &mut Lane) -> Result<(), Fault> {
        self.double_to(lane, self.out)
    }

    fn multiply(&self, lane: &mut Lane) -> Result<(), Fault> {
        self.multiply_to(lane, self.out)
    }

    fn multiply_affine(&self, lane: &mut Lane) -> Result<(), Fault> {
        self.multiply_affine_to(lane, self.out)
    }

    fn add_rows_by_vectors(&self, lane: &mut Lane) -> Result<(), Fault> {
        let Batch { curve, a, b, out, rows: [a_rows, b_rows, to], prefixes, n, .. } = *self;
        let kinds = out.kinds;
        kernels::ablation_add_rows_by_vectors(lane, curve, a_rows, a.kinds, b_rows, b.kinds, to, kinds, prefixes, n)
    }

    fn add_rows_by_words(&self, lane: &mut Lane) -> Result<(), Fault> {
        let Batch { curve, a, b, out, rows: [a_rows, b_rows, to], prefixes, n, .. } = *self;
        let kinds = out.kinds;
        kernels::ablation_add_rows_by_words(lane, curve, a_rows, a.kinds, b_rows, b.kinds, to, kinds, prefixes, n)
    }

    fn add_in_three_kernels(&self, lane: &mut Lane) -> Result<(), Fault> {
        let Batch { curve, a, b, out, xyz: numbers, prefixes, n, .. } = *self;
        kernels::ablation_denominators(lane, curve, a.xy, a.kinds, b.xy, b.kinds, numbers, n)?;
        kernels::batch_inverse(lane, curve, numbers, numbers, prefixes, n)?;
        kernels::ablation_apply(lane, curve, a.xy, a.kinds, b.xy, b.kinds, numbers, out.xy, out.kinds, n)
    }
}
