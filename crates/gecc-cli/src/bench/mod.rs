//! `gecc bench`: every operation on fresh random inputs.

mod ablations;
mod files;
mod inputs;
mod methods;
mod operations;
mod report;
mod schemes;
mod service;
mod start;
mod timing;

use crate::ALL_PASSED;
use crate::flags::{BenchCommand, BenchOptions, Operation};
use crate::output::Failure;
use clap::ValueEnum;
use gecc::lab::measure::{self, Arithmetic};
use gecc::{Backend, CurveId, Engine};
use inputs::{Inputs, Memory};
use operations::{Case, Columns, Outcome};
use report::{KernelRow, LatencyRow, Report, Row};
use std::cell::RefCell;
use std::ops::Range;
use timing::{Timed, median};

/// Items in a batch where nothing else is asked for.
const CPU_ITEMS: usize = 1 << 14;
const GPU_ITEMS: usize = 1 << 20;
/// Batches whose latency is measured.
const LATENCY_ITEMS: [usize; 4] = [1, 64, 1024, 16384];
/// Items that get a GPU's tables and kernels ready.
const WARM_UP_ITEMS: usize = 64;

pub fn run(options: BenchOptions) -> Result<u8, Failure> {
    match &options.command {
        Some(BenchCommand::Ablations(batches)) => ablations::run(batches),
        Some(BenchCommand::Files(options)) => files::run(options),
        Some(BenchCommand::Methods(methods)) => methods::run(methods),
        Some(BenchCommand::Service(options)) => service::run(options),
        Some(BenchCommand::Start(options)) => start::run(options),
        None => operations(&options),
    }
}

/// The public operations, and the kernels that these are made of.
fn operations(options: &BenchOptions) -> Result<u8, Failure> {
    let engine = options.engine.start()?;
    let on_gpu = engine.info().backend == Backend::Gpu;
    if let Some(kernel) = options.operations.iter().find(|operation| arithmetic(**operation).is_some() && !on_gpu) {
        return Err(Failure::Problem(format!("{} is measured on a GPU only, and this is {engine}", kernel.name())));
    }
    let sizes = options.batches.sizes(if on_gpu { GPU_ITEMS } else { CPU_ITEMS });
    let largest = *sizes.last().expect("there is a size");
    let kernel_engine = |together: bool| {
        let builder = options.engine.builder().backend(Backend::Gpu).time_kernels(true).chunk_items(largest);
        builder.batch_equations(together).build()
    };
    let operations = match &options.operations[..] {
        [] => Operation::value_variants().to_vec(),
        some => some.to_vec(),
    };
    let together = || -> Result<Engines, Failure> {
        let measured = options.engine.builder().batch_equations(true).build()?;
        Ok(Engines { measured, kernels: on_gpu.then(|| kernel_engine(true)).transpose()? })
    };
    let mut latency_engines = Vec::new();
    if options.latency {
        latency_engines.push(("cpu", options.engine.builder().backend(Backend::Cpu).build()?));
        if on_gpu {
            latency_engines.push(("gpu", options.engine.builder().backend(Backend::Gpu).build()?));
        }
    }
    let (memory, where_inputs_are) = match options.page_locked {
        true => (Memory::PageLocked, ", inputs and results in page-locked memory"),
        false => (Memory::Pageable, ""),
    };
    let mut bench = Bench {
        together: operations.iter().any(|operation| operation.is_together()).then(together).transpose()?,
        reference: Engine::cpu()?,
        latency_engines,
        items: if options.latency { largest.max(LATENCY_ITEMS[LATENCY_ITEMS.len() - 1]) } else { largest },
        memory,
        report: Report::new(options.batches.json, options.kernels, format!("{engine}{where_inputs_are}"))?,
        operations,
        engines: Engines { kernels: on_gpu.then(|| kernel_engine(false)).transpose()?, measured: engine },
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

/// By what an operation is measured.
struct Engines {
    measured: Engine,
    /// The same on a GPU, with every kernel timed.
    kernels: Option<Engine>,
}

struct Bench {
    /// By what most are measured, and what makes the inputs.
    engines: Engines,
    /// By what operations are measured that verify items together, if there are any.
    together: Option<Engines>,
    /// What samples are checked with.
    reference: Engine,
    latency_engines: Vec<(&'static str, Engine)>,
    operations: Vec<Operation>,
    sizes: Vec<usize>,
    /// Items of the inputs, and where they are.
    items: usize,
    memory: Memory,
    report: Report,
}

impl Bench {
    fn curve(&mut self, curve: CurveId) -> Result<(), Failure> {
        let operations = self.operations.clone();
        for operation in &operations {
            if let (Some(arithmetic), Some(_)) = (arithmetic(*operation), &self.engines.kernels) {
                self.arithmetic(curve, *operation, arithmetic)?;
            }
        }
        let public = |operation: &&Operation| arithmetic(**operation).is_none();
        if operations.iter().any(|operation| public(&operation)) {
            let inputs = Inputs::new(&self.engines.measured, curve, self.items, self.memory)?;
            inputs.check(&self.engines.measured, &self.reference)?;
            let results = match self.memory {
                Memory::Pageable => None,
                Memory::PageLocked => Some(RefCell::new(Columns::new(&inputs, &self.engines.measured)?)),
            };
            for operation in operations.iter().filter(public) {
                if let Some(case) = Case::new(&inputs, &self.engines.measured, *operation)? {
                    self.operation(curve.name(), &case, results.as_ref())?;
                }
            }
        }
        Ok(())
    }

    /// Kernels of the library's measuring module.
    fn arithmetic(&mut self, curve: CurveId, operation: Operation, arithmetic: Arithmetic) -> Result<(), Failure> {
        for items in self.sizes.clone() {
            let mut bench = measure::Bench::new(arithmetic, curve, items)?;
            bench.run()?;
            let Timed { seconds, .. } = median(|| Ok((bench.run()?, ())))?;
            bench.check()?;
            let count = items as u64 * arithmetic.operations_per_item();
            let (curve, kernels) = (curve.name(), Some(seconds));
            self.report.row(Row { curve, operation, items, count, end_to_end: None, kernels })?;
        }
        Ok(())
    }

    /// One public operation: all sizes, then the latency of small batches. Where there are columns for its results, it writes into
    /// these.
    fn operation(
        &mut self,
        curve: &'static str,
        case: &Case,
        columns: Option<&RefCell<Columns>>,
    ) -> Result<(), Failure> {
        let operation = case.operation;
        let Engines { measured, kernels } = match &self.together {
            Some(together) if operation.is_together() => together,
            _ => &self.engines,
        };
        // This call warms up too: it allocates what the largest batch needs.
        let expected = &case.expected(measured, &self.reference)?;
        operations::check_sample(case, &self.reference, expected)?;
        let checked = |range: Range<usize>| Checked { curve, case, columns, expected, range };
        if let Some(engine) = kernels {
            checked(0..WARM_UP_ITEMS.min(self.items)).run(engine)?;
            engine.take_kernel_times();
        }
        for items in self.sizes.clone() {
            let run = |engine| checked(0..items).run(engine);
            let seconds = median(|| Ok((run(measured)?, ())))?.seconds;
            let kernels = kernels.as_ref().map(|engine| {
                median(|| {
                    run(engine)?;
                    let times = engine.take_kernel_times();
                    Ok((times.iter().map(|time| time.seconds).sum(), times))
                })
            });
            let kernels = kernels.transpose()?;
            let count = items as u64;
            let sum = kernels.as_ref().map(|kernels| kernels.seconds);
            self.report.row(Row { curve, operation, items, count, end_to_end: Some(seconds), kernels: sum })?;
            for time in kernels.into_iter().flat_map(|kernels| kernels.beside) {
                self.report.kernel(&KernelRow { curve, operation, items, time })?;
            }
        }
        for (engine, name) in self.latency_engines.iter().map(|(name, engine)| (engine, *name)) {
            for items in LATENCY_ITEMS {
                let checked = checked(0..items);
                checked.run(engine)?;
                let seconds = median(|| Ok((checked.run(engine)?, ())))?.seconds;
                self.report.latency(&LatencyRow { curve, operation, engine: name, items, seconds })?;
            }
        }
        Ok(())
    }
}

fn arithmetic(operation: Operation) -> Option<Arithmetic> {
    Arithmetic::ALL.into_iter().find(|arithmetic| arithmetic.name() == operation.name())
}

/// A call whose results are compared, and freed, outside the measured time.
struct Checked<'a> {
    curve: &'static str,
    case: &'a Case<'a>,
    columns: Option<&'a RefCell<Columns>>,
    expected: &'a Outcome,
    range: Range<usize>,
}

impl Checked<'_> {
    /// Seconds by the clock.
    fn run(&self, engine: &Engine) -> Result<f64, Failure> {
        let written =
            self.columns.map(|columns| self.written(engine, &mut columns.borrow_mut())).transpose()?.flatten();
        let (same, seconds) = match written {
            Some(checked) => checked,
            None => {
                let (outcome, seconds) = timing::timed(|| self.case.values(engine, self.range.clone()));
                (self.expected.agrees(&self.range, &outcome?), seconds)
            }
        };
        if same {
            return Ok(seconds);
        }
        let (operation, curve, items) = (self.case.operation.name(), self.curve, self.range.len());
        Err(Failure::Problem(format!("{operation} on {curve}: wrong results in a batch of {items}")))
    }

    /// Whether what the call writes into columns is right, and its seconds; `None` where it writes into none.
    fn written(&self, engine: &Engine, columns: &mut Columns) -> Result<Option<(bool, f64)>, Failure> {
        columns.clear();
        let (written, seconds) = timing::timed(|| self.case.write(engine, self.range.clone(), columns));
        Ok(written?.then(|| (columns.agree(&self.range, self.expected), seconds)))
    }
}
