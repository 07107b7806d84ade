//! Recovery of public keys and addresses on a GPU.

use super::candidates_gpu::{self, WithCandidates};
use super::known_answers;
use super::recover::{Candidates, Recover, RecoveredForm};
use crate::gpu::columns::{Addresses, ByteRows, Column};
use crate::gpu::kernels;
use crate::gpu::runtime::Plan;
use crate::gpu::transfer::{Points, export_rows};
use crate::gpu::{Launch, Running, SelfTest};
use crate::ops::point;
use crate::schemes::common::Recovery;
use std::ops::Range;

/// The columns of recovered keys or addresses that are returned to the host.
#[derive(Clone, Copy)]
enum RecoveredRows {
    Keys(Column<ByteRows<64>>),
    Addresses(Column<Addresses>),
}

impl Recover<'_> {
    /// Returns the candidates if those of a chunk of `items` items may be tried.
    pub(super) fn candidates_of_chunk(&self, items: usize) -> Option<&Candidates<'_>> {
        self.candidates
            .as_ref()
            .filter(|candidates| candidates.chunks.may_try(items))
    }

    pub(super) fn kernel_files(&self) -> (&'static str, Vec<&'static str>) {
        let mut files = vec!["layout", "table", "recover", "normalize", "address"];
        if self.candidates_of_chunk(self.items).is_some() {
            files.extend(candidates_gpu::files());
        }
        (self.curve.name(), files)
    }

    pub(super) fn gpu_self_tests(&self, items: usize) -> Vec<SelfTest> {
        let mut tests = vec![known_answers::recovery(self.curve, self.form)];
        if self.candidates_of_chunk(items).is_some() {
            tests.push(point::known_answers::keys(self.curve));
            tests.push(known_answers::recovery_with_candidates(
                self.curve, self.form,
            ));
        }
        tests
    }

    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let inputs = self.inputs.slice(items.clone());
        let rows = (
            plan.input(inputs.digests.bytes()),
            plan.input(inputs.signatures.bytes()),
            plan.input(inputs.recovery_ids.bytes()),
        );
        let candidates = self.candidates_of_chunk(items.len());
        let candidates = candidates
            .map(|given| WithCandidates::new(plan, self.curve, given, items.clone(), rows));
        let recovery = match &candidates {
            Some(candidates) => candidates.all(),
            None => Recovery::new(plan),
        };
        plan.codes(recovery.verdicts);
        let results = match self.form {
            RecoveredForm::Keys => {
                let rows = plan.column();
                plan.result(0, rows, 64);
                RecoveredRows::Keys(rows)
            }
            RecoveredForm::Addresses => {
                let rows = plan.column();
                plan.result(0, rows, 20);
                RecoveredRows::Addresses(rows)
            }
        };
        let n = items.len();
        let curve = self.curve.name();
        Box::new(move |Running { slot, .. }: &mut Running| {
            match &candidates {
                Some(candidates) => candidates.compute(slot, curve, rows, n)?,
                None => recovery.compute(slot, curve, rows, None, n)?,
            }
            let Points { xy, kinds } = recovery.keys;
            match results {
                RecoveredRows::Keys(rows) => export_rows(slot, curve, recovery.keys, rows, n),
                RecoveredRows::Addresses(rows) => kernels::EthereumAddresses {
                    xy,
                    kinds,
                    rows,
                    n: n as u64,
                }
                .launch(slot, curve),
            }
        })
    }
}
