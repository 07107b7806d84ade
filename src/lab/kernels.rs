//! The kernels that only measurements use as functions, beside those of `gpu/kernels.rs`.

use crate::gpu::fault::Fault;
use crate::gpu::kernels::{BATCHED, EACH, kernels};
use crate::gpu::lane::{Argument, Grid, Lane};
use crate::gpu::memory::Address;
use crate::gpu::sources::Unit;

/// Threads of a block of a method's chain.
pub const METHOD_BLOCK: u32 = 256;

kernels! {
    "layout" "gecc_import_field" EACH import_field(rows: Address, columns: Address, kinds: Address);
    "layout" "gecc_export_field" EACH export_field(columns: Address, rows: Address);
    "batch_inverse" "gecc_batch_inverse" BATCHED batch_inverse(values: Address, out: Address, prefixes: Address);
    "ablation" "gecc_ablation_add_rows_by_vectors" BATCHED
        ablation_add_rows_by_vectors(
            a_rows: Address, a_kinds: Address, b_rows: Address, b_kinds: Address,
            out_rows: Address, out_kinds: Address, prefixes: Address
        );
    "ablation" "gecc_ablation_add_rows_by_words" BATCHED
        ablation_add_rows_by_words(
            a_rows: Address, a_kinds: Address, b_rows: Address, b_kinds: Address,
            out_rows: Address, out_kinds: Address, prefixes: Address
        );
    "ablation" "gecc_ablation_denominators" EACH
        ablation_denominators(
            a_xy: Address, a_kinds: Address, b_xy: Address, b_kinds: Address, denominators: Address
        );
    "ablation" "gecc_ablation_apply" EACH
        ablation_apply(
            a_xy: Address, a_kinds: Address, b_xy: Address, b_kinds: Address, inverses: Address,
            out_xy: Address, out_kinds: Address
        );
    "ablation" "gecc_ablation_fpmul_affine" BATCHED
        ablation_fpmul_affine(
            scalars: Address, table: Address, bits: u32, xy: Address, kinds: Address, prefixes: Address
        );
    "ablation" "gecc_ablation_to_rows" EACH ablation_to_rows(xy: Address, rows: Address);
    "ablation" "gecc_ablation_from_rows" EACH ablation_from_rows(rows: Address, xy: Address);
    "ablation" "gecc_ablation_count_equal" BATCHED
        ablation_count_equal(a_xy: Address, a_kinds: Address, b_xy: Address, b_kinds: Address, count: Address);
}

/// A chain of `rounds` operations in place, by one of the kernels of `cuda/lab/chain.cu`.
pub fn chain(
    lane: &mut Lane,
    curve: &'static str,
    name: &'static str,
    items: Address,
    n: u64,
    rounds: u32,
) -> Result<(), Fault> {
    let arguments = [items.into(), n.into(), rounds.into()];
    // SAFETY: the arguments of these kernels' contract, in its order and of its types.
    unsafe { lane.launch(Unit::of("chain", curve), name, EACH, n, &arguments) }
}

/// A chain of `rounds` multiplications or squarings by one method, in place; a thread per item, of so many blocks at most
/// per multiprocessor. The modulus in words, then -modulus^-1 modulo 2^32.
pub fn method_chain(
    lane: &mut Lane,
    (unit, name): (Unit, &'static str),
    blocks: u32,
    items: Address,
    modulus: [u32; 17],
    rounds: u32,
    n: u64,
) -> Result<(), Fault> {
    let arguments = [items.into(), Argument::Block(modulus), rounds.into(), n.into()];
    // SAFETY: the arguments of the kernel's contract, in its order; of the block the driver takes as many bytes as the
    // kernel's parameter has, at most all.
    unsafe { lane.launch(unit, name, Grid::Resident { block: METHOD_BLOCK, blocks }, n, &arguments) }
}
