//! Helpers for tests of chunks on a GPU.

use crate::cpu::CpuEngine;
use crate::gpu::{GpuEngine, Limits};
use crate::operation::Computation;
use crate::types::{ResultSink, ResultsMut};

/// A GPU engine, and the CPU engine for checking its results.
pub struct Engines {
    pub gpu: GpuEngine,
    pub cpu: CpuEngine,
}

impl Engines {
    pub fn new() -> Self {
        let gpu = GpuEngine::new(Limits::default()).expect("there is a GPU");
        Engines {
            gpu,
            cpu: CpuEngine::new(None, None).unwrap(),
        }
    }

    /// Computes codes of `found` on the GPU, and checks that they are those of `expected` on the
    /// CPU.
    pub fn check_codes(&self, found: &impl Computation, expected: &impl Computation) {
        let items = expected.items();
        let mut codes = [vec![0; items], vec![0; items]];
        let [of_cpu, of_gpu] = &mut codes;
        expected.compute_on_cpu(&self.cpu, 0..items, &mut ResultsMut::codes(of_cpu).into());
        self.run(found, &mut ResultsMut::codes(of_gpu).into());
        assert_eq!(of_gpu, of_cpu);
        assert!(self.gpu.failures().is_empty());
    }

    /// Runs an operation on the GPU. The CPU computes the items that the device leaves to it.
    pub fn run(&self, operation: &impl Computation, out: &mut ResultSink) {
        self.gpu
            .run(&self.cpu, operation, out, false)
            .expect("the GPU works");
    }
}
