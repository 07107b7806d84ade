//! Recovery of public keys on a GPU, and of addresses.

use super::{Recover, Wanted, known_answers};
use crate::gpu::columns::{Addresses, ByteRows, Column};
use crate::gpu::kernels;
use crate::gpu::runtime::Plan;
use crate::gpu::transfer::{Points, export_rows};
use crate::gpu::{Launch, OnGpu, Running, Test};
use crate::schemes::frame::Recovery;
use std::ops::Range;

/// What is wanted of keys, on its way to the host.
#[derive(Clone, Copy)]
enum Results {
    Keys(Column<ByteRows<64>>),
    Addresses(Column<Addresses>),
}

impl OnGpu for Recover<'_> {
    fn most_waves(&self) -> usize {
        8
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (self.curve.name(), vec!["layout", "table", "recover", "normalize", "address"])
    }

    fn tests(&self, _: usize) -> Vec<Test> {
        vec![known_answers::recovery(self.curve, self.wanted)]
    }

    fn chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        let inputs = self.inputs.slice(items.clone());
        let rows = (
            plan.input(inputs.digests.bytes()),
            plan.input(inputs.signatures.bytes()),
            plan.input(inputs.recovery_ids.bytes()),
        );
        let recovery = Recovery::new(plan);
        plan.codes(recovery.verdicts);
        let results = match self.wanted {
            Wanted::Keys => {
                let rows = plan.column();
                plan.result(0, rows, 64);
                Results::Keys(rows)
            }
            Wanted::Addresses => {
                let rows = plan.column();
                plan.result(0, rows, 20);
                Results::Addresses(rows)
            }
        };
        let (n, curve) = (items.len(), self.curve.name());
        Box::new(move |Running { lane, .. }: &mut Running| {
            recovery.compute(lane, curve, rows, n)?;
            let Points { xy, kinds } = recovery.keys;
            match results {
                Results::Keys(rows) => export_rows(lane, curve, recovery.keys, rows, n),
                Results::Addresses(rows) => {
                    kernels::EthereumAddresses { xy, kinds, rows, n: n as u64 }.launch(lane, curve)
                }
            }
        })
    }
}
