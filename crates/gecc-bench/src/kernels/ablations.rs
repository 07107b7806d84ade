//! The kernels of `cuda/lab/ablation.cu`, which measure the effect of each design choice in the
//! production kernels.

use super::device::{POISON, begin, median, open, random_rows};
use super::generated::columns::{
    BaseTable, ByteRows, Column, Content, EqualCount, FieldElements, Scalars, Xy, XyRows,
};
use super::generated::launchers::{
    AblationAddRowsByVectors, AblationAddRowsByWords, AblationApply, AblationCountEqual,
    AblationDenominators, AblationFpmulAffine, AblationFromRows, AblationToRows, BatchInverse,
};
use super::sources::prepare;
use gecc::lab::{Fault, Jacobian, Plan, Points, StreamSlot, kernels};
use gecc::{CurveId, Error};

/// A variant of an operation, with its measured time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ablation {
    /// `PADD`, `PDBL` or `FPMUL`.
    pub operation: &'static str,
    /// The difference of the variant from production; production itself is a variant too.
    pub variant: &'static str,
    /// Items in the batch.
    pub items: usize,
    /// The total seconds of all kernels of a run: the median of several runs.
    pub seconds: f64,
}

const FILES: &[&str] = &["layout", "table", "fpmul", "normalize", "point_add"];

/// A batch on the device: operands, the results of the production kernels, and memory for results.
struct Batch {
    curve: &'static str,
    n: u64,
    table: Column<BaseTable>,
    bits: u32,
    scalars: Column<Scalars>,
    a: Points,
    b: Points,
    expected: Points,
    out: Points,
    /// a, b and out in rows.
    rows: [Column<XyRows>; 3],
    sums: Jacobian,
    /// Denominators, and then their inverses.
    elements: Column<FieldElements>,
    count: Column<EqualCount>,
}

/// A variant of an operation.
struct Variant {
    operation: &'static str,
    name: &'static str,
    /// Writes the results to `out`, or to the last of `rows`.
    launch: fn(&Batch, &mut StreamSlot) -> Result<(), Fault>,
    /// Writes the results of another kernel to `expected`.
    expect: fn(&Batch, &mut StreamSlot) -> Result<(), Fault>,
    by_rows: bool,
}

const fn padd(
    name: &'static str,
    launch: fn(&Batch, &mut StreamSlot) -> Result<(), Fault>,
) -> Variant {
    Variant {
        operation: "PADD",
        name,
        launch,
        expect: Batch::expect_sums,
        by_rows: false,
    }
}

/// The variants that are measured on every device.
const VARIANTS: &[Variant] = &[
    padd("production: fused, points in columns", Batch::add),
    Variant {
        by_rows: true,
        ..padd(
            "points in rows, 16 bytes at a time",
            Batch::add_rows_by_vectors,
        )
    },
    Variant {
        by_rows: true,
        ..padd(
            "points in rows, 4 bytes at a time",
            Batch::add_rows_by_words,
        )
    },
    padd(
        "denominators, inversion and sums in three kernels",
        Batch::add_in_three_kernels,
    ),
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

/// Variants that set L2 cache aside for the prefix products.
const WITH_L2: &[Variant] = &[
    padd(
        "the same with L2 cache set aside for prefix products",
        Batch::add,
    ),
    Variant {
        name: "the same with L2 cache set aside for prefix products",
        ..DOUBLE
    },
];

/// Measures the effect of the design choices in the production kernels. Each is compared with a
/// variant without it on the same batch, and the results are checked.
///
/// # Errors
/// Returns the errors of [`super::arithmetic::Bench::new`], and [`Error::Device`] if results
/// differ.
pub fn run(curve: CurveId, items: usize) -> Result<Vec<Ablation>, Error> {
    if !(1..=u32::MAX as usize).contains(&items) {
        return Err(Error::InvalidOption {
            option: "items",
            problem: format!("{items} items are out of range"),
        });
    }
    let mut all = measure(curve.name(), items, false, VARIANTS)?;
    // Setting cache aside affects everything else, so this comes last.
    all.extend(measure(curve.name(), items, true, WITH_L2)?);
    all.sort_by_key(|ablation| {
        ["PADD", "PDBL", "FPMUL"]
            .iter()
            .position(|name| *name == ablation.operation)
    });
    Ok(all)
}

fn measure(
    curve: &'static str,
    n: usize,
    l2: bool,
    variants: &[Variant],
) -> Result<Vec<Ablation>, Error> {
    let mut slot = open(l2)?;
    if l2 && slot.device.persisting_l2 == 0 {
        return Ok(Vec::new());
    }
    let batch = Batch::new(&mut slot, curve, n)?;
    let measured = variants.iter().map(|variant| {
        let Variant {
            operation, name, ..
        } = *variant;
        let seconds = batch.measure(&mut slot, variant)?;
        Ok(Ablation {
            operation,
            variant: name,
            items: n,
            seconds,
        })
    });
    let measured = measured.collect();
    if l2 {
        slot.device.release_l2()?;
    }
    measured
}

impl Batch {
    fn new(slot: &mut StreamSlot, curve: &'static str, n: usize) -> Result<Self, Error> {
        let device = slot.device.clone();
        device.prepare(curve, FILES)?;
        prepare(&device, curve, &["batch_inverse", "ablation"])?;
        let (batch, rows, kinds) = begin(slot, n, |plan: &mut Plan| {
            let rows: Column<ByteRows<32>> = plan.column();
            let kinds = plan.column();
            let batch = Batch {
                curve,
                n: n as u64,
                table: Column::at(0),
                bits: 0,
                scalars: plan.column(),
                a: Points::new(plan),
                b: Points::new(plan),
                expected: Points::new(plan),
                out: Points::new(plan),
                rows: [(); 3].map(|()| plan.column()),
                sums: Jacobian::new(plan),
                elements: plan.column(),
                count: plan.buffer(4),
            };
            (batch, rows, kinds)
        })?;
        let table = slot.cache.clone().base_point.public(slot, curve)?;
        let batch = Batch {
            table: table.column(),
            bits: table.bits,
            ..batch
        };
        slot.keep_in_l2(batch.sums.prefixes, n)?;
        for points in [batch.a, batch.b] {
            slot.write(rows, random_rows::<32>(n)?.as_flattened())?;
            kernels::ImportScalars {
                rows,
                scalars: batch.scalars,
                kinds,
                n: batch.n,
            }
            .launch(slot, curve)?;
            batch.multiply_to(slot, points)?;
        }
        for (points, rows) in [batch.a, batch.b].into_iter().zip(batch.rows) {
            AblationToRows {
                xy: points.xy,
                rows,
                n: batch.n,
            }
            .launch(slot, curve)?;
        }
        Ok(batch)
    }

    /// Returns the seconds of a variant, after checking its results.
    fn measure(&self, slot: &mut StreamSlot, variant: &Variant) -> Result<f64, Error> {
        let seconds = median(
            slot,
            |slot| self.poison(slot, self.out),
            |slot| (variant.launch)(self, slot),
        )?;
        if variant.by_rows {
            AblationFromRows {
                rows: self.rows[2],
                xy: self.out.xy,
                n: self.n,
            }
            .launch(slot, self.curve)?;
        }
        self.poison(slot, self.expected)?;
        (variant.expect)(self, slot)?;
        let wrong = self.n - self.count_equal(slot)?;
        if wrong > 0 {
            let Variant {
                operation, name, ..
            } = variant;
            return Err(Error::Device(format!(
                "{operation}, {name}: {wrong} wrong results on {}",
                self.curve
            )));
        }
        Ok(seconds)
    }

    fn poison(&self, slot: &mut StreamSlot, points: Points) -> Result<(), Fault> {
        let n = self.n as usize;
        slot.fill(points.xy, POISON, Xy::BYTES * n)?;
        slot.fill(self.rows[2], POISON, XyRows::BYTES * n)?;
        slot.fill(points.kinds, 0, n)
    }

    fn count_equal(&self, slot: &mut StreamSlot) -> Result<u64, Fault> {
        let count = self.count;
        let n = self.n;
        slot.fill(count, 0, 4)?;
        let Points {
            xy: a_xy,
            kinds: a_kinds,
        } = self.expected;
        let Points {
            xy: b_xy,
            kinds: b_kinds,
        } = self.out;
        AblationCountEqual {
            a_xy,
            a_kinds,
            b_xy,
            b_kinds,
            count,
            n,
        }
        .launch(slot, self.curve)?;
        Ok(u64::from(u32::from_le_bytes(
            slot.copy_of(count, 4)?.try_into().expect("four bytes"),
        )))
    }

    fn add_to(&self, slot: &mut StreamSlot, [a, b, out]: [Points; 3]) -> Result<(), Fault> {
        let Points {
            xy: a_xy,
            kinds: a_kinds,
        } = a;
        let Points {
            xy: b_xy,
            kinds: b_kinds,
        } = b;
        let Points {
            xy: out_xy,
            kinds: out_kinds,
        } = out;
        let prefixes = self.sums.prefixes;
        let n = self.n;
        kernels::PointAdd {
            a_xy,
            a_kinds,
            b_xy,
            b_kinds,
            out_xy,
            out_kinds,
            prefixes,
            n,
        }
        .launch(slot, self.curve)
    }

    fn multiply_to(&self, slot: &mut StreamSlot, to: Points) -> Result<(), Fault> {
        let Batch {
            curve,
            scalars,
            table,
            bits,
            sums: Jacobian { xyz, prefixes },
            n,
            ..
        } = *self;
        kernels::FpmulVar {
            scalars,
            table,
            bits,
            xyz,
            n,
        }
        .launch(slot, curve)?;
        let Points {
            xy: out_xy,
            kinds: out_kinds,
        } = to;
        kernels::Normalize {
            xyz,
            out_xy,
            out_kinds,
            use_kinds: 0,
            prefixes,
            n,
        }
        .launch(slot, curve)
    }

    fn multiply_affine_to(&self, slot: &mut StreamSlot, to: Points) -> Result<(), Fault> {
        let Batch {
            curve,
            scalars,
            table,
            bits,
            sums: Jacobian { prefixes, .. },
            n,
            ..
        } = *self;
        let Points { xy, kinds } = to;
        AblationFpmulAffine {
            scalars,
            table,
            bits,
            xy,
            kinds,
            prefixes,
            n,
        }
        .launch(slot, curve)
    }

    fn double_to(&self, slot: &mut StreamSlot, to: Points) -> Result<(), Fault> {
        let Points {
            xy: a_xy,
            kinds: a_kinds,
        } = self.a;
        let Points {
            xy: out_xy,
            kinds: out_kinds,
        } = to;
        let prefixes = self.sums.prefixes;
        let n = self.n;
        kernels::PointDouble {
            a_xy,
            a_kinds,
            out_xy,
            out_kinds,
            prefixes,
            n,
        }
        .launch(slot, self.curve)
    }

    /// Computes b + a, with the operands in the opposite order of the measured operation.
    fn expect_sums(&self, slot: &mut StreamSlot) -> Result<(), Fault> {
        self.add_to(slot, [self.b, self.a, self.expected])
    }

    /// Computes a + a.
    fn expect_doubles(&self, slot: &mut StreamSlot) -> Result<(), Fault> {
        self.add_to(slot, [self.a, self.a, self.expected])
    }

    fn expect_multiples(&self, slot: &mut StreamSlot) -> Result<(), Fault> {
        self.multiply_to(slot, self.expected)
    }

    fn expect_affine_multiples(&self, slot: &mut StreamSlot) -> Result<(), Fault> {
        self.multiply_affine_to(slot, self.expected)
    }

    fn add(&self, slot: &mut StreamSlot) -> Result<(), Fault> {
        self.add_to(slot, [self.a, self.b, self.out])
    }

    fn double(&self, slot: &mut StreamSlot) -> Result<(), Fault> {
        self.double_to(slot, self.out)
    }

    fn multiply(&self, slot: &mut StreamSlot) -> Result<(), Fault> {
        self.multiply_to(slot, self.out)
    }

    fn multiply_affine(&self, slot: &mut StreamSlot) -> Result<(), Fault> {
        self.multiply_affine_to(slot, self.out)
    }

    fn add_rows_by_vectors(&self, slot: &mut StreamSlot) -> Result<(), Fault> {
        let Batch {
            a,
            b,
            out,
            rows: [a_rows, b_rows, out_rows],
            sums,
            n,
            ..
        } = *self;
        let a_kinds = a.kinds;
        let b_kinds = b.kinds;
        let out_kinds = out.kinds;
        let prefixes = sums.prefixes;
        AblationAddRowsByVectors {
            a_rows,
            a_kinds,
            b_rows,
            b_kinds,
            out_rows,
            out_kinds,
            prefixes,
            n,
        }
        .launch(slot, self.curve)
    }

    fn add_rows_by_words(&self, slot: &mut StreamSlot) -> Result<(), Fault> {
        let Batch {
            a,
            b,
            out,
            rows: [a_rows, b_rows, out_rows],
            sums,
            n,
            ..
        } = *self;
        let a_kinds = a.kinds;
        let b_kinds = b.kinds;
        let out_kinds = out.kinds;
        let prefixes = sums.prefixes;
        AblationAddRowsByWords {
            a_rows,
            a_kinds,
            b_rows,
            b_kinds,
            out_rows,
            out_kinds,
            prefixes,
            n,
        }
        .launch(slot, self.curve)
    }

    fn add_in_three_kernels(&self, slot: &mut StreamSlot) -> Result<(), Fault> {
        let Batch {
            curve,
            a,
            b,
            out,
            sums,
            elements,
            n,
            ..
        } = *self;
        let Points {
            xy: a_xy,
            kinds: a_kinds,
        } = a;
        let Points {
            xy: b_xy,
            kinds: b_kinds,
        } = b;
        let out_xy = out.xy;
        let out_kinds = out.kinds;
        let prefixes = sums.prefixes;
        AblationDenominators {
            a_xy,
            a_kinds,
            b_xy,
            b_kinds,
            denominators: elements,
            n,
        }
        .launch(slot, curve)?;
        BatchInverse {
            values: elements,
            out: elements,
            prefixes,
            n,
        }
        .launch(slot, curve)?;
        AblationApply {
            a_xy,
            a_kinds,
            b_xy,
            b_kinds,
            inverses: elements,
            out_xy,
            out_kinds,
            n,
        }
        .launch(slot, curve)
    }
}
