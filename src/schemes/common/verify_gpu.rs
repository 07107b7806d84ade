//! Verification on a GPU.

use super::batch_verification::gpu::{
    BatchVerification, FILES as BATCH_VERIFICATION_FILES, Listed, Named, Open,
};
use super::{Verification, VerifyDigests, known_answers};
use crate::gpu::columns::{BaseTable, Column, Digests, Prefixes, RecoveryIds, Signatures};
use crate::gpu::kernels::{self, WindowScratch};
use crate::gpu::runtime::{Fault, Plan, Stream};
use crate::gpu::tables::key_tables::{
    self, ByTables, CheckWithTables, Grouping, ItemList, WithTables,
};
use crate::gpu::transfer::{Equations, EquationsOfChunk, Imported, Points};
use crate::gpu::{Launch, Running, SelfTest};
use crate::types::{Policy, Rows};
use std::ops::Range;

/// Kernel files for checking equations, in addition to the file of the final check.
pub const CHECK_FILES: &[&str] = &["table", "key_groups", "key_tables"];

/// A function that computes equations from digests and signatures, with memory for prefix products,
/// for a curve and a number of items.
pub type EquationsOnGpu = fn(
    &mut Stream,
    &'static str,
    (Column<Digests>, Column<Signatures>),
    Policy,
    Equations,
    Column<Prefixes>,
    usize,
) -> Result<(), Fault>;

/// The kernels for the final check of equations.
pub struct FinalCheckOnGpu {
    pub with_windows: fn(&mut Stream, &'static str, WithWindows) -> Result<(), Fault>,
    pub with_tables: CheckWithTables,
}

/// The arguments of a kernel that builds a table of windows per item: the table of G with its
/// window width, and the list of items to check if they are not all.
#[derive(Clone, Copy, Debug)]
pub struct WithWindows {
    pub equations: Equations,
    pub keys: Points,
    pub table: Column<BaseTable>,
    pub bits: u32,
    pub scratch: WindowScratch,
    pub list: Option<ItemList>,
    pub n: u64,
}

/// The check that x(u1 G + u2 Q) = x modulo n.
pub static X_MODULO_N: FinalCheckOnGpu = FinalCheckOnGpu {
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
        x,
        verdicts,
    } = equations;
    let WindowScratch { tables, next_tile } = scratch;
    let (items, item_count) = list.unzip();
    kernels::Verify {
        u1,
        u2,
        x,
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
        x,
        verdicts,
    } = equations;
    kernels::VerifyWithTables {
        u1,
        u2,
        x,
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

/// The memory for checking equations.
pub struct CheckBuffers<'a> {
    scratch: WindowScratch,
    grouping: Option<Grouping>,
    batch_verification: Option<Box<BatchVerification<'a>>>,
}

impl<'a> CheckBuffers<'a> {
    /// Plans a check as a group if `together` is given, otherwise of individual items.
    pub fn new(plan: &mut Plan, batch_verification: Option<BatchVerification<'a>>) -> Self {
        let batch_verification = batch_verification.map(Box::new);
        CheckBuffers {
            scratch: WindowScratch::new(plan),
            grouping: Grouping::new(plan),
            batch_verification,
        }
    }
}

impl VerifyDigests<'_> {
    /// Returns the recovery ids if a chunk of `items` items may be verified as a group.
    fn ids_of_chunk(&self, items: usize) -> Option<Rows<'_, 1>> {
        self.inputs
            .recovery_ids
            .filter(|_| self.chunks.may_try(items))
    }

    pub(super) fn kernel_files(&self) -> (&'static str, Vec<&'static str>) {
        let batch_verification = if self.ids_of_chunk(self.items).is_some() {
            BATCH_VERIFICATION_FILES
        } else {
            &[]
        };
        (
            self.curve.name(),
            [
                &["layout", "equations", "verify"],
                CHECK_FILES,
                batch_verification,
            ]
            .concat(),
        )
    }

    pub(super) fn gpu_self_tests(&self, items: usize) -> Vec<SelfTest> {
        let with_tables = key_tables::may_build(items);
        let batch_verification = self.ids_of_chunk(items).is_some();
        known_answers::of_verification(self.scheme, self.curve, with_tables, batch_verification)
    }

    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let Verification {
            digests,
            signatures,
            keys,
            ..
        } = self.inputs;
        let rows = (
            plan.input::<Digests>(digests.slice(items.clone()).bytes()),
            plan.input::<Signatures>(signatures.slice(items.clone()).bytes()),
        );
        let keys = Imported::new(plan, keys.slice(items.clone()));
        let equations = Equations::new(plan);
        let prefixes = plan.column();
        let batch_verification = self.ids_of_chunk(items.len()).map(|ids| {
            let ids = plan.input::<RecoveryIds>(ids.slice(items.clone()).bytes());
            BatchVerification::new(
                plan,
                self.curve,
                Named {
                    ids: Some(ids),
                    on_device: None,
                },
                Listed::Open,
                &self.chunks,
            )
        });
        let buffers = CheckBuffers::new(plan, batch_verification);
        let n = items.len();
        let curve = self.curve.name();
        plan.codes(equations.verdicts);
        Box::new(move |running: &mut Running| {
            keys.import(running.slot, curve, n)?;
            (self.scheme.on_gpu.equations)(
                running.slot,
                curve,
                rows,
                self.policy,
                equations,
                prefixes,
                n,
            )?;
            check(
                running,
                &X_MODULO_N,
                EquationsOfChunk {
                    curve,
                    equations,
                    keys: keys.points,
                    n,
                },
                &buffers,
            )
        })
    }
}

/// Replaces every verdict that is still open. Keys that occur often enough get a table each. If
/// none do, the items may be verified as a group, which is faster than individual verification, but
/// not faster than tables.
pub fn check(
    Running { slot, expected, .. }: &mut Running,
    kernels: &'static FinalCheckOnGpu,
    chunk: EquationsOfChunk,
    buffers: &CheckBuffers<'_>,
) -> Result<(), Fault> {
    let EquationsOfChunk {
        curve,
        equations,
        keys,
        n,
    } = chunk;
    let kept = slot.cache.clone();
    let table = kept.base_point.public(slot, curve)?;
    let CheckBuffers {
        scratch,
        grouping,
        batch_verification,
    } = buffers;
    scratch.reset(slot)?;
    let mut list = match grouping {
        Some(grouping) => grouping.check_repeated(
            slot,
            &kept.key_cache,
            chunk,
            *expected,
            &table,
            kernels.with_tables,
        )?,
        None => None,
    };
    if let (None, Some(batch_verification)) = (&list, batch_verification) {
        match batch_verification.find_valid(slot, chunk, &table)? {
            Open::None => return Ok(()),
            Open::Listed(others, _) => list = Some(others),
            Open::AsBefore => {}
        }
    }
    let windows = WithWindows {
        equations,
        keys,
        table: table.column(),
        bits: table.bits,
        scratch: *scratch,
        list,
        n: n as u64,
    };
    (kernels.with_windows)(slot, curve, windows)
}
