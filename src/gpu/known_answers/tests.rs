use super::*;
use crate::curve::P256;
use crate::engine::Engines;
use crate::types::Error;
use crate::gpu::plan::Plan;
use crate::gpu::queue::Fleet;
use crate::gpu::sources::Unit;
use crate::gpu::{GpuEngine, Limits, planned, secret};
use crate::types::SecretKey;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::mem::MaybeUninit;
use std::ops::Range;

fn names(tests: &[Test]) -> BTreeSet<(&'static str, &'static str)> {
    tests.iter().map(|test| (test.operation, test.on)).collect()
}

/// What operations are tested by is what a device can run, and nothing else.
#[test]
fn every_operation_is_tested() {
    let all = all();
    assert_eq!(names(&all).len(), all.len(), "each once");
    let mut used = BTreeSet::new();
    for items in [1, 1 << 20] {
        planned::each(1, &mut |name, planned::Planned { tests, .. }| {
            let tests = tests(items);
            assert!(!tests.is_empty(), "{name} is not tested");
            used.extend(names(tests));
        });
    }
    let on_planned_curves =
        |(operation, on): &(_, _)| used.iter().any(|(o, _)| o == operation) && !used.contains(&(*operation, *on));
    let elsewhere: BTreeSet<_> = names(&all).into_iter().filter(on_planned_curves).collect();
    assert!(used.is_subset(&names(&all)));
    assert_eq!(used.len() + elsewhere.len(), all.len());
}

const TEST: Test =
    Test { operation: "nothing", on: "numbers", run: |_| unreachable!("what runs is given by the test") };

#[test]
fn tests_are_run_once() {
    let (tested, runs) = (Tested::default(), Cell::new(0));
    let run = |result: Result<(), Fault>| {
        tested.pass(&TEST, || {
            runs.set(runs.get() + 1);
            result
        })
    };
    // What prevents a test says nothing of its answers.
    for fault in [Fault::memory("none".to_owned()), Fault::kernels("none".to_owned()), Fault::device("gone".to_owned())]
    {
        assert_eq!(run(Err(fault.clone())), Err(fault));
    }
    assert_eq!((run(Ok(())), run(Ok(())), runs.get()), (Ok(()), Ok(()), 4));
    assert!(tested.problems().is_empty());
}

#[test]
fn wrong_answers_are_not_forgotten() {
    let tested = Tested::default();
    let wrong = || Err(Fault::answers("item 3 is wrong".to_owned()));
    assert_eq!(tested.pass(&TEST, wrong), wrong());
    assert_eq!(tested.pass(&TEST, || Ok(())), wrong());
    assert_eq!(tested.problems(), ["item 3 is wrong"]);
    // Two lanes at the same time, of which one gets it wrong.
    let tested = Tested::default();
    let both = tested.pass(&TEST, || {
        assert_eq!(tested.pass(&TEST, wrong), wrong());
        Ok(())
    });
    assert_eq!((both, tested.pass(&TEST, || Ok(()))), (Ok(()), wrong()));
}

fn gpu() -> GpuEngine {
    GpuEngine::new(Limits::default()).expect("a GPU")
}

/// Whether an operation starts a kernel: not those of the other schemes' curves, nor those for measuring.
fn is_started(unit: Unit, kernel: &str) -> bool {
    match kernel {
        "gecc_import_field" | "gecc_export_field" => false,
        _ if unit.file == "hash" || kernel.contains("sm2") || kernel.contains("sm3") => unit.curve == Sm2::NAME,
        "gecc_ecdsa_equations" | "gecc_ecdsa_sign" | "gecc_nonces_sha256" => unit.curve != Sm2::NAME,
        _ if ["recover", "address"].contains(&unit.file) => unit.curve != Sm2::NAME,
        _ => true,
    }
}

/// Together the tests run every kernel that operations have, and a device passes them.
#[test]
#[cfg_attr(gecc_tests_without_gpu, ignore = "no GPU where this was built; GECC_REQUIRE_GPU=1 makes that a failure")]
fn every_kernel_is_tested() {
    let gpu = gpu();
    let cpu = CpuEngine::new(None, None).unwrap();
    gpu.self_test(&cpu).unwrap();
    assert!(gpu.failures().is_empty(), "{:?}", gpu.failures());
    let started = gpu.device(0).functions();
    for unit in Unit::of_operations() {
        for (_, kernel) in kernels::ALL.iter().filter(|(file, kernel)| *file == unit.file && is_started(unit, kernel)) {
            let started = started.iter().any(|(of, name)| *of == unit && name == kernel);
            assert!(started, "{kernel} of {unit:?} is not tested");
        }
    }
}

/// An operation that errs, and what it must not be asked.
struct Erring;

impl Operation for Erring {
    type Output = u8;
    type Buffers = ();
    const MOST_WAVES: usize = 2;

    fn items(&self) -> usize {
        100
    }

    fn plan(&self, _: &mut Plan, _: &Range<usize>) {}

    fn tests(&self, _: usize) -> &'static [Test] {
        &[Test { operation: "erring", on: "numbers", run: |trial| trial.compare([1, 2, 4], [1, 2, 3]) }]
    }

    fn compute(&self, _: Chunk, _: &(), _: &mut [MaybeUninit<u8>]) -> Result<(), Fault> {
        unreachable!("what errs is not used")
    }

    fn on_cpu(&self, _: &CpuEngine, items: Range<usize>) -> Vec<u8> {
        vec![7; items.len()]
    }
}

#[test]
#[cfg_attr(gecc_tests_without_gpu, ignore = "no GPU where this was built; GECC_REQUIRE_GPU=1 makes that a failure")]
fn operations_that_err_are_not_used() {
    let gpu = gpu();
    let cpu = CpuEngine::new(None, None).unwrap();
    let engines = Engines { gpu: &gpu, cpu: &cpu, rescue: true, check_signatures: false };
    for _ in 0..2 {
        assert_eq!(engines.run(&Erring).unwrap(), [7; 100]);
    }
    let failures = gpu.failures();
    assert_eq!(failures.len(), gpu.labels().len());
    for failure in failures {
        assert_eq!(failure.kind, FaultKind::Answers);
        assert!(
            failure.problem.starts_with("erring on numbers gives a wrong answer for item 2"),
            "{}",
            failure.problem
        );
    }
    let fault = Engines { rescue: false, ..engines }.run(&Erring).unwrap_err();
    assert!(matches!(Error::from(fault), Error::Kernels(problem) if problem.contains("item 2")));
    // The device does everything else.
    secret::public_keys::<P256>(engines, &[SecretKey::from_bytes([1; 32])]).unwrap();
    assert!(gpu.is_working(0));
}
