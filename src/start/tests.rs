//! Tests of the self-tests: they cover every operation and every kernel, and a wrong answer
//! disables its operation.

use super::gpu_tests::all;
use super::planned;
use crate::cpu::CpuEngine;
use crate::curve::CurveId;
use crate::gpu::runtime::{Plan, Unit};
use crate::gpu::schedule::DevicePool;
use crate::gpu::{Fault, FaultKind, GpuEngine, Launch, Limits, SelfTest, kernels};
use crate::operation::{Computation, GpuThreshold};
use crate::ops::keys::PublicKeysOf;
use crate::types::{Error, ResultSink, Results, ResultsMut, SecretKey, Verdict};
use std::collections::BTreeSet;
use std::ops::Range;

pub fn gpu() -> GpuEngine {
    GpuEngine::new(Limits::default()).expect("there is a GPU")
}

/// The code that the CPU writes for items that no device computed.
pub const BY_CPU: u8 = 7;

/// Computes the codes of an operation that has no other results. Unless `may_fall_back`, an error
/// of all devices is returned.
pub fn codes_of(
    gpu: &GpuEngine,
    cpu: &CpuEngine,
    operation: &dyn Computation,
    may_fall_back: bool,
) -> Result<Vec<u8>, Fault> {
    let mut codes = vec![0; operation.items()];
    let mut out = ResultsMut::codes(&mut codes).into();
    gpu.run(cpu, operation, &mut out, may_fall_back)?;
    Ok(codes)
}

/// Writes `BY_CPU` as the code of each item, in place of a CPU implementation.
pub fn write_by_cpu(out: &mut ResultSink) {
    let codes = vec![BY_CPU; out.items()];
    out.take(Results::codes(&codes));
}

fn names(tests: &[SelfTest]) -> BTreeSet<(&'static str, &'static str)> {
    tests.iter().map(|test| (test.operation, test.on)).collect()
}

/// The operations with self-tests are exactly those that a device can run.
#[test]
fn every_operation_is_tested() {
    let all = all();
    assert_eq!(names(&all).len(), all.len(), "each once");
    let mut used = BTreeSet::new();
    for items in [1, 1 << 20] {
        planned::each(1, &mut |name, operation| {
            let tests = operation.self_tests(items);
            assert!(!tests.is_empty(), "{name} is not tested");
            used.extend(names(&tests));
        });
    }
    let on_planned_curves = |(operation, on): &(_, _)| {
        used.iter().any(|(o, _)| o == operation) && !used.contains(&(*operation, *on))
    };
    let elsewhere: BTreeSet<_> = names(&all).into_iter().filter(on_planned_curves).collect();
    assert!(used.is_subset(&names(&all)));
    assert_eq!(used.len() + elsewhere.len(), all.len());
}

/// Returns whether an operation launches a kernel; kernels of schemes that the curve does not
/// support are not launched.
fn is_started(unit: Unit, kernel: &str) -> bool {
    let curve = unit.curve.parse().ok();
    let has_ecdsa = curve.is_none_or(CurveId::has_ecdsa);
    let has_sm2 = curve.is_none_or(CurveId::has_sm2);
    match kernel {
        _ if unit.file == "hash" || kernel.contains("sm2") || kernel.contains("sm3") => has_sm2,
        "gecc_ecdsa_equations"
        | "gecc_ecdsa_sign"
        | "gecc_nonces_sha256"
        | "gecc_nonces_with_data_sha256" => has_ecdsa,
        _ if ["recover", "address", "batch_verification", "group_terms"].contains(&unit.file) => {
            has_ecdsa
        }
        _ => true,
    }
}

mod gpu_tests {
    use super::*;

    /// Together, the self-tests run every kernel of the operations, and a device passes them.
    #[test]
    #[ignore = "needs a GPU: --ignored gpu_tests"]
    fn every_kernel_is_tested() {
        let gpu = gpu();
        let cpu = CpuEngine::new(None, None).unwrap();
        gpu.self_test(&cpu, &all()).unwrap();
        assert!(gpu.failures().is_empty(), "{:?}", gpu.failures());
        let started = gpu.device(0).functions();
        for unit in Unit::all() {
            for (_, kernel) in kernels::ALL
                .iter()
                .filter(|(file, kernel)| *file == unit.file && is_started(unit, kernel))
            {
                let started = started
                    .iter()
                    .any(|(of, name)| *of == unit && name == kernel);
                assert!(started, "{kernel} of {unit:?} is not tested");
            }
        }
    }

    /// An operation with a wrong answer, which must not be computed.
    struct Erring;

    impl Computation for Erring {
        fn items(&self) -> usize {
            100
        }

        fn gpu_threshold(&self) -> GpuThreshold {
            GpuThreshold::of(0)
        }

        fn compute_on_cpu(&self, _: &CpuEngine, _: Range<usize>, out: &mut ResultSink) {
            write_by_cpu(out);
        }

        fn most_waves(&self) -> usize {
            2
        }

        fn kernels(&self) -> (&'static str, Vec<&'static str>) {
            unreachable!("what errs is not used")
        }

        fn self_tests(&self, _: usize) -> Vec<SelfTest> {
            vec![SelfTest {
                operation: "erring",
                on: "numbers",
                run: |trial| trial.compare([1, 2, 4], [1, 2, 3]),
            }]
        }

        fn plan_chunk<'a>(&'a self, _: &mut Plan<'a>, _: Range<usize>) -> Launch<'a> {
            Box::new(|_| unreachable!("what errs is not used"))
        }
    }

    #[test]
    #[ignore = "needs a GPU: --ignored gpu_tests"]
    fn failing_operations_are_disabled() {
        let gpu = gpu();
        let cpu = CpuEngine::new(None, None).unwrap();
        for _ in 0..2 {
            assert_eq!(codes_of(&gpu, &cpu, &Erring, true).unwrap(), [BY_CPU; 100]);
        }
        let failures = gpu.failures();
        assert_eq!(failures.len(), gpu.labels().len());
        for failure in failures {
            assert_eq!(failure.kind, FaultKind::Answers);
            assert!(
                failure
                    .problem
                    .starts_with("erring on numbers gives a wrong answer for item 2"),
                "{}",
                failure.problem
            );
        }
        let fault = codes_of(&gpu, &cpu, &Erring, false).unwrap_err();
        assert!(
            matches!(Error::from(fault), Error::Kernels(problem) if problem.contains("item 2"))
        );
        // The device still computes all other operations.
        let keys = [SecretKey::from_bytes([1; 32])];
        let mut codes = [0];
        let mut rows = [[0; 64]];
        let public_keys = PublicKeysOf {
            curve: CurveId::P256,
            keys: (&keys).into(),
            items: 1,
        };
        gpu.run(
            &cpu,
            &public_keys,
            &mut ResultsMut::rows(&mut codes, &mut rows).into(),
            false,
        )
        .unwrap();
        assert_eq!(codes, [Verdict::VALID_CODE]);
        assert!(gpu.is_working(0));
    }
}
