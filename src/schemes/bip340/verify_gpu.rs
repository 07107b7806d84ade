//! Verification on a GPU.

use super::known_answers;
use super::messages_gpu::MessageColumns;
use super::verify::VerifyBip340;
use crate::curve::{Curve, Secp256k1};
use crate::gpu::columns::{Column, Signatures};
use crate::gpu::kernels::{self, WindowScratch};
use crate::gpu::runtime::{Fault, Plan, Stream};
use crate::gpu::tables::key_tables::{self, ByTables, WithTables};
use crate::gpu::transfer::{Equations, EquationsOfChunk, Imported, Points};
use crate::gpu::{Launch, Running, SelfTest};
use crate::schemes::common::batch_verification::gpu::{
    BatchVerification, FILES as BATCH_VERIFICATION_FILES, Listed, Named,
};
use crate::schemes::common::{CHECK_FILES, CheckBuffers, FinalCheckOnGpu, WithWindows, check};
use std::ops::Range;

/// Kernel files for equations and their final check.
pub const VERIFY_FILES: &[&str] = &["bip340", "bip340_verify"];

/// The check that u1 G + u2 Q has the x-coordinate x and an even y.
pub static EVEN_WITH_X: FinalCheckOnGpu = FinalCheckOnGpu {
    with_windows: verify_with_windows,
    with_tables: verify_with_tables,
};

fn verify_with_windows(
    stream: &mut Stream,
    curve: &'static str,
    with: WithWindows,
) -> Result<(), Fault> {
    let WithWindows {
        equations,
        keys: Points { xy, kinds },
        table,
        bits,
        scratch,
        list,
        n,
    } = with;
    let Equations {
        u1,
        u2,
        x: r,
        verdicts,
    } = equations;
    let WindowScratch { tables, next_tile } = scratch;
    let (items, item_count) = list.unzip();
    kernels::Bip340Verify {
        u1,
        u2,
        r,
        xy,
        kinds,
        table,
        bits,
        tables,
        items,
        item_count,
        next_tile,
        verdicts,
        n,
    }
    .launch(stream, curve)
}

fn verify_with_tables(
    stream: &mut Stream,
    curve: &'static str,
    with: WithTables,
) -> Result<(), Fault> {
    let WithTables {
        equations,
        table,
        bits,
        by,
        n,
    } = with;
    let ByTables {
        key_tables,
        key_bits,
        items,
        item_tables,
        item_count,
        ..
    } = by;
    let Equations {
        u1,
        u2,
        x: r,
        verdicts,
    } = equations;
    kernels::Bip340VerifyWithTables {
        u1,
        u2,
        r,
        table,
        bits,
        key_tables,
        key_bits,
        items,
        item_tables,
        item_count,
        verdicts,
        n,
    }
    .launch(stream, curve)
}

impl VerifyBip340<'_> {
    /// Returns `true` if a chunk of `items` items may be verified as a group.
    fn is_batch_verification(&self, items: usize) -> bool {
        self.batch_verification && self.chunks.may_try(items)
    }

    pub(super) fn kernel_files(&self) -> (&'static str, Vec<&'static str>) {
        let batch_verification = if self.is_batch_verification(self.items) {
            BATCH_VERIFICATION_FILES
        } else {
            &[]
        };
        (
            Secp256k1::NAME,
            [&["layout"], VERIFY_FILES, CHECK_FILES, batch_verification].concat(),
        )
    }

    pub(super) fn gpu_self_tests(&self, items: usize) -> Vec<SelfTest> {
        known_answers::of_verification(
            key_tables::may_build(items),
            self.is_batch_verification(items),
        )
    }

    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let n = items.len();
        let messages = MessageColumns::new(plan, &self.messages, items.clone());
        let signatures = plan.input::<Signatures>(self.signatures.slice(items.clone()).bytes());
        let keys = Imported::new(plan, self.keys.slice(items));
        let equations = Equations::new(plan);
        let named = Named {
            ids: None,
            on_device: messages.on_device,
        };
        let batch_verification = self.is_batch_verification(n).then(|| {
            BatchVerification::new(plan, Secp256k1::ID, named, Listed::Open, &self.chunks)
        });
        let buffers = CheckBuffers::new(plan, batch_verification);
        plan.codes(equations.verdicts);
        Box::new(move |running: &mut Running| {
            keys.import(running.slot, Secp256k1::NAME, n)?;
            write_equations(
                running.slot,
                messages,
                signatures,
                keys.points,
                equations,
                n,
            )?;
            let chunk = EquationsOfChunk {
                curve: Secp256k1::NAME,
                equations,
                keys: keys.points,
                n,
            };
            check(running, &EVEN_WITH_X, chunk, &buffers)?;
            match messages.on_device {
                None => Ok(()),
                Some(on_device) => kernels::Bip340Reopen {
                    on_device,
                    verdicts: equations.verdicts,
                    n: n as u64,
                }
                .launch(running.slot, Secp256k1::NAME),
            }
        })
    }
}

/// Computes equations from messages, signatures and keys.
pub fn write_equations(
    stream: &mut Stream,
    MessageColumns { data, offsets, .. }: MessageColumns,
    signatures: Column<Signatures>,
    Points { xy, kinds }: Points,
    Equations {
        u1,
        u2,
        x,
        verdicts,
        ..
    }: Equations,
    n: usize,
) -> Result<(), Fault> {
    let n = n as u64;
    kernels::Bip340Equations {
        data,
        offsets,
        signatures,
        xy,
        kinds,
        u1,
        u2,
        r: x,
        verdicts,
        n,
    }
    .launch(stream, Secp256k1::NAME)
}
