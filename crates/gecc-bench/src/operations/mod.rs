//! `gecc-bench operations`: the public operations end to end and by kernel, and the kernels of the
//! underlying arithmetic.

mod columns;
mod report;

use crate::ALL_PASSED;
use crate::flags::OperationsOptions;
use crate::measure::inputs::{BenchInputs, Memory};
use crate::measure::operations::Case;
use crate::measure::{CheckedCall, PublicCall};
use columns::ResultRows;
use gecc::{Backend, CurveId, Engine};
use gecc_bench::kernels::arithmetic::{self, Arithmetic};
use gecc_cli::failure::Failure;
use gecc_cli::measure::default_items;
use gecc_cli::measure::timing::{Timed, median};
use report::{KernelRow, LatencyRow, Report, Row};
use std::cell::RefCell;

/// The batch sizes whose latency is measured.
const LATENCY_ITEMS: [usize; 4] = [1, 64, 1024, 16384];
/// The number of items that prepares a GPU's tables and kernels.
const WARM_UP_ITEMS: usize = 64;

pub fn run(options: &OperationsOptions) -> Result<u8, Failure> {
    let engine = options.engine.start()?;
    let on_gpu = engine.info().backend == Backend::Gpu;
    let (public, arithmetic) = options.chosen();
    if let (Some(kernel), false) = (arithmetic.first(), options.operations.is_empty() || on_gpu) {
        return Err(Failure::Problem(format!(
            "{} is measured on a GPU only, and this is {engine}",
            kernel.name()
        )));
    }
    let sizes = options.batches.sizes(default_items(&engine));
    let largest = *sizes.last().expect("there is a size");
    let timed_batch = (on_gpu && !options.end_to_end).then_some(largest);
    let batch_verification = if public
        .iter()
        .any(|operation| operation.is_batch_verification())
    {
        let measured = options.engine.builder()?.batch_verification(true).build()?;
        Some(Engines {
            measured,
            kernels: kernel_engine(options, timed_batch, true)?,
        })
    } else {
        None
    };
    let mut latency_engines = Vec::new();
    if options.latency {
        latency_engines.push((
            "cpu",
            options.engine.builder()?.backend(Backend::Cpu).build()?,
        ));
        if on_gpu {
            latency_engines.push((
                "gpu",
                options.engine.builder()?.backend(Backend::Gpu).build()?,
            ));
        }
    }
    let (memory, where_inputs_are) = match options.page_locked {
        true => (
            Memory::PageLocked,
            ", inputs and results in page-locked memory",
        ),
        false => (Memory::Pageable, ""),
    };
    let mut bench = Bench {
        batch_verification,
        reference: Engine::cpu()?,
        latency_engines,
        items: if options.latency {
            largest.max(LATENCY_ITEMS[LATENCY_ITEMS.len() - 1])
        } else {
            largest
        },
        memory,
        report: Report::new(
            options.batches.json,
            options.kernels,
            format!("{engine}{where_inputs_are}"),
        )?,
        public,
        arithmetic: if on_gpu { arithmetic } else { Vec::new() },
        engines: Engines {
            kernels: kernel_engine(options, timed_batch, false)?,
            measured: engine,
        },
        sizes,
    };
    for curve in options.batches.curves() {
        bench.curve(curve)?;
    }
    if let Some(path) = &options.plot {
        bench.report.plot(path)?;
    }
    Ok(ALL_PASSED)
}

/// Builds an engine on a GPU that times its kernels in batches of up to `largest` items, unless
/// kernels are not timed.
fn kernel_engine(
    options: &OperationsOptions,
    largest: Option<usize>,
    batch_verification: bool,
) -> Result<Option<Engine>, Failure> {
    let Some(largest) = largest else {
        return Ok(None);
    };
    let builder = options
        .engine
        .builder()?
        .backend(Backend::Gpu)
        .time_kernels(true)
        .chunk_items(largest);
    Ok(Some(
        builder.batch_verification(batch_verification).build()?,
    ))
}

/// The engines that measure an operation.
struct Engines {
    measured: Engine,
    /// An engine with the same settings on a GPU that times every kernel.
    kernels: Option<Engine>,
}

struct Bench {
    /// The engines for most measurements, and for making the inputs.
    engines: Engines,
    /// The engines for operations with batch verification, if there are any.
    batch_verification: Option<Engines>,
    /// The engine that checks samples.
    reference: Engine,
    latency_engines: Vec<(&'static str, Engine)>,
    public: Vec<PublicCall>,
    arithmetic: Vec<Arithmetic>,
    sizes: Vec<usize>,
    /// The number of items in the inputs, and the kind of memory that holds them.
    items: usize,
    memory: Memory,
    report: Report,
}

impl Bench {
    fn curve(&mut self, curve: CurveId) -> Result<(), Failure> {
        for arithmetic in self.arithmetic.clone() {
            self.arithmetic(curve, arithmetic)?;
        }
        if self.public.is_empty() {
            return Ok(());
        }
        let inputs = BenchInputs::new(&self.engines.measured, curve, self.items, self.memory)?;
        inputs.check(&self.engines.measured, &self.reference)?;
        let results = match self.memory {
            Memory::Pageable => None,
            Memory::PageLocked => Some(RefCell::new(ResultRows::new(
                &inputs,
                &self.engines.measured,
            )?)),
        };
        for operation in self.public.clone() {
            if let Some(case) = Case::new(&inputs, &self.engines.measured, operation)? {
                self.operation(&case, results.as_ref())?;
            }
        }
        Ok(())
    }

    /// Measures kernels of the underlying arithmetic.
    fn arithmetic(&mut self, curve: CurveId, arithmetic: Arithmetic) -> Result<(), Failure> {
        for items in self.sizes.clone() {
            let mut bench = arithmetic::Bench::new(arithmetic, curve, items)?;
            bench.run()?;
            let Timed { seconds, .. } = median(|| Ok((bench.run()?, ())))?;
            bench.check()?;
            let count = items as u64 * arithmetic.operations_per_item();
            let curve = curve.name();
            let operation = arithmetic.name().to_owned();
            let kernels = Some(seconds);
            self.report.row(Row {
                curve,
                operation,
                items,
                count,
                end_to_end: None,
                kernels,
            })?;
        }
        Ok(())
    }

    /// Measures a public operation: all sizes, followed by the latency of small batches. Results
    /// are written to `columns` if given.
    fn operation(
        &mut self,
        case: &Case,
        columns: Option<&RefCell<ResultRows>>,
    ) -> Result<(), Failure> {
        let curve = case.curve();
        let name = case.operation.name();
        let Engines { measured, kernels } = match &self.batch_verification {
            Some(batch_verification) if case.operation.is_batch_verification() => {
                batch_verification
            }
            _ => &self.engines,
        };
        // This call also warms up: it allocates the memory of the largest batch.
        let expected = &case.expected(measured, &self.reference)?;
        let kernels = kernels.as_ref();
        if let Some(engine) = kernels {
            let range = 0..WARM_UP_ITEMS.min(self.items);
            Call {
                checked: CheckedCall {
                    case,
                    expected,
                    range,
                },
                columns,
            }
            .run(engine)?;
            engine.take_kernel_times();
        }
        for items in self.sizes.clone() {
            let call = Call {
                checked: CheckedCall {
                    case,
                    expected,
                    range: 0..items,
                },
                columns,
            };
            let seconds = call.seconds(measured)?;
            let kernels = kernels.map(|engine| {
                median(|| {
                    call.run(engine)?;
                    let times = engine.take_kernel_times();
                    Ok((times.iter().map(|time| time.seconds).sum(), times))
                })
            });
            let kernels = kernels.transpose()?;
            let count = items as u64;
            let operation = name.clone();
            let sum = kernels.as_ref().map(|kernels| kernels.seconds);
            self.report.row(Row {
                curve,
                operation,
                items,
                count,
                end_to_end: Some(seconds),
                kernels: sum,
            })?;
            for time in kernels.into_iter().flat_map(|kernels| kernels.result) {
                self.report.kernel(&KernelRow {
                    curve,
                    operation: &name,
                    items,
                    time,
                })?;
            }
        }
        for (on, engine) in &self.latency_engines {
            for items in LATENCY_ITEMS {
                let call = Call {
                    checked: CheckedCall {
                        case,
                        expected,
                        range: 0..items,
                    },
                    columns,
                };
                call.run(engine)?;
                let seconds = call.seconds(engine)?;
                self.report.latency(&LatencyRow {
                    curve,
                    operation: &name,
                    engine: on,
                    items,
                    seconds,
                })?;
            }
        }
        Ok(())
    }
}

/// A timed call. Results are written to `columns` if given and supported by the operation.
struct Call<'a> {
    checked: CheckedCall<'a>,
    columns: Option<&'a RefCell<ResultRows>>,
}

impl Call<'_> {
    fn run(&self, engine: &Engine) -> Result<f64, Failure> {
        let written = self
            .columns
            .map(|columns| columns.borrow_mut().run(&self.checked, engine))
            .transpose()?;
        written
            .flatten()
            .map_or_else(|| self.checked.run(engine), Ok)
    }

    fn seconds(&self, engine: &Engine) -> Result<f64, Failure> {
        Ok(median(|| Ok((self.run(engine)?, ())))?.seconds)
    }
}
