//! The kernels as functions: one line per launch contract of `cuda/kernels/`, in its order of arguments.

use super::fault::Fault;
use super::lane::{Argument, Grid, Lane};
use super::memory::Address;
use super::plan::Plan;
use super::sources::{NO_CURVE, Unit};

/// Threads that loop over many items each, for kernels whose blocks share an inversion.
pub const BATCHED: Grid = Grid::Resident { block: 256, blocks: 2 };
/// One thread per item.
pub const EACH: Grid = Grid::PerItem { block: 256 };
const EACH_SMALL: Grid = Grid::PerItem { block: 128 };

/// Threads of a multiplication by windows: 2 blocks of 256 per multiprocessor, exactly as their contracts say.
const WINDOWED: Grid = Grid::Resident { block: 256, blocks: 2 };
/// Bytes of table that each such thread needs.
const WINDOW_TABLE: usize = 384 * 4;
/// Of a modular exponentiation, threads of a block and blocks per multiprocessor.
pub const MODEXP_GRID: (u32, u32) = (128, 3);

macro_rules! kernels {
    ($($(#[$doc:meta])* $file:literal $kernel:literal $grid:ident
       $name:ident($($argument:ident: $type:ty),*);)*) => {
        $($(#[$doc])*
        #[allow(clippy::too_many_arguments, reason = "the kernel has as many")]
        pub fn $name(lane: &mut Lane, curve: &'static str, $($argument: $type,)* n: u64) -> Result<(), Fault> {
            let unit = Unit::of($file, curve);
            // SAFETY: these are the arguments of the kernel's contract, in its order and of its types.
            unsafe { lane.launch(unit, $kernel, $grid, n, &[$(Argument::from($argument),)* Argument::from(n)]) }
        })*
    };
}
#[cfg(feature = "lab")]
pub(crate) use kernels;

kernels! {
    "layout" "gecc_import_points_raw" EACH
        import_points_raw(rows: Address, zero_is_identity: u32, xy: Address, kinds: Address);
    "layout" "gecc_import_points_sec1" EACH
        import_points_sec1(rows: Address, tags: u32, xy: Address, kinds: Address);
    "layout" "gecc_import_points_compressed" EACH
        import_points_compressed(rows: Address, xy: Address, kinds: Address);
    "layout" "gecc_export_points_raw" EACH export_points_raw(xy: Address, kinds: Address, rows: Address);
    "layout" "gecc_import_scalars" EACH import_scalars(rows: Address, columns: Address, kinds: Address);
    "rows" "gecc_rows_to_columns" EACH
        rows_to_columns(rows: Address, row_bytes: u32, columns: Address, words: u32);
    "rows" "gecc_columns_to_rows" EACH columns_to_rows(columns: Address, words: u32, rows: Address);
    "point_add" "gecc_point_add" BATCHED
        point_add(
            a_xy: Address, a_kinds: Address, b_xy: Address, b_kinds: Address,
            out_xy: Address, out_kinds: Address, prefixes: Address
        );
    "point_add" "gecc_point_double" BATCHED
        point_double(xy: Address, kinds: Address, out_xy: Address, out_kinds: Address, prefixes: Address);
    "normalize" "gecc_normalize" BATCHED
        normalize(xyz: Address, out_xy: Address, out_kinds: Address, use_kinds: u32, prefixes: Address);
    "fpmul" "gecc_fpmul_var" EACH_SMALL fpmul_var(scalars: Address, table: Address, bits: u32, xyz: Address);
    "fpmul" "gecc_fpmul_uniform" EACH_SMALL fpmul_uniform(scalars: Address, table: Address, xyz: Address);
    "upmul" "gecc_upmul_var" WINDOWED
        upmul_var(
            scalars: Address, xy: Address, kinds: Address, tables: Address, xyz: Address, next_tile: Address
        );
    "upmul" "gecc_upmul_uniform" WINDOWED
        upmul_uniform(
            scalars: Address, xy: Address, kinds: Address, tables: Address, xyz: Address, next_tile: Address
        );
    "equations" "gecc_ecdsa_equations" BATCHED
        ecdsa_equations(
            digests: Address, signatures: Address, low_s: u32,
            u1: Address, u2: Address, x: Address, verdicts: Address, prefixes: Address
        );
    "equations" "gecc_sm2_equations" EACH
        sm2_equations(
            digests: Address, signatures: Address, u1: Address, u2: Address, x: Address, verdicts: Address
        );
    "verify" "gecc_verify" WINDOWED
        verify(
            u1: Address, u2: Address, x: Address, xy: Address, kinds: Address, table: Address, bits: u32,
            tables: Address, items: Address, item_count: Address, next_tile: Address, verdicts: Address
        );
    "key_groups" "gecc_group_keys" EACH
        group_keys(
            xy: Address, kinds: Address, verdicts: Address, seed: u64, slots: Address, slot_bits: u32,
            representative: Address, counts: Address
        );
    "key_groups" "gecc_pick_keys" EACH
        pick_keys(counts: Address, threshold: u32, max_tables: u32, table_keys: Address, counters: Address);
    "key_groups" "gecc_find_keys" EACH
        find_keys(
            xy: Address, counts: Address, index_xy: Address, tables: u32, seed: u64, slots: Address, slot_bits: u32,
            found: Address, counters: Address
        );
    "key_groups" "gecc_split_items" EACH
        split_items(
            representative: Address, found: Address, kinds: Address, with_items: Address, with_tables: Address,
            without_items: Address, counters: Address, verdicts: Address
        );
    "key_tables" "gecc_verify_with_tables" EACH
        verify_with_tables(
            u1: Address, u2: Address, x: Address, table: Address, bits: u32, key_tables: Address, key_bits: u32,
            items: Address, item_tables: Address, item_count: Address, verdicts: Address
        );
    "recover" "gecc_recover_equations" BATCHED
        recover_equations(
            digests: Address, signatures: Address, ids: Address,
            u1: Address, u2: Address, xy: Address, kinds: Address, verdicts: Address, prefixes: Address
        );
    "recover" "gecc_multiply_add" WINDOWED
        multiply_add(
            u1: Address, u2: Address, xy: Address, kinds: Address, table: Address, bits: u32,
            tables: Address, next_tile: Address, xyz: Address
        );
    "recover" "gecc_recover_verdicts" EACH recover_verdicts(kinds: Address, verdicts: Address);
    "address" "gecc_ethereum_addresses" EACH ethereum_addresses(xy: Address, kinds: Address, rows: Address);
    "hash" "gecc_sha256" EACH_SMALL sha256(data: Address, offsets: Address, digests: Address);
    "hash" "gecc_sm3_za" EACH_SMALL
        sm3_za(
            data: Address, offsets: Address, ids: Address, id_offsets: Address, id_stride: u64,
            xy: Address, kinds: Address, digests: Address
        );
    "nonces" "gecc_nonces_sha256" EACH_SMALL
        nonces_sha256(digests: Address, keys: Address, key_stride: u64, nonces: Address, status: Address);
    "nonces" "gecc_nonces_sm3" EACH_SMALL
        nonces_sm3(digests: Address, keys: Address, key_stride: u64, nonces: Address, status: Address);
    "nonces" "gecc_secret_scalars" EACH
        secret_scalars(keys: Address, key_stride: u64, columns: Address, status: Address);
    "sign" "gecc_ecdsa_sign" BATCHED
        ecdsa_sign(
            digests: Address, keys: Address, key_stride: u64, nonces: Address, r_xy: Address, r_kinds: Address,
            low_s: u32, signatures: Address, recovery_ids: Address, status: Address, prefixes: Address
        );
    "sign" "gecc_sm2_sign" BATCHED
        sm2_sign(
            digests: Address, keys: Address, key_stride: u64, nonces: Address, r_xy: Address, r_kinds: Address,
            signatures: Address, status: Address, prefixes: Address
        );
}

/// What a multiplication by windows takes beside its items: the scratch of its tables, and the word by which blocks take their
/// tiles.
#[derive(Clone, Copy, Debug)]
pub struct WindowScratch {
    pub tables: Address,
    pub next_tile: Address,
}

impl WindowScratch {
    pub fn new(plan: &mut Plan) -> Self {
        let tables = plan.buffer(2 * 256 * plan.multiprocessors() * WINDOW_TABLE);
        WindowScratch { tables, next_tile: plan.buffer(4) }
    }

    /// No tile is taken yet.
    pub fn reset(&self, lane: &mut Lane) -> Result<(), Fault> {
        lane.fill(self.next_tile, 0, 4)
    }
}

/// The first row of each window of a table.
pub fn table_start(
    lane: &mut Lane,
    curve: &'static str,
    table: Address,
    [bits, windows]: [u32; 2],
    entries: u64,
) -> Result<(), Fault> {
    let unit = Unit::of("table", curve);
    let arguments = [table.into(), bits.into(), windows.into(), entries.into()];
    // SAFETY: the arguments of the kernel's contract, in its order and of its types.
    unsafe { lane.launch(unit, "gecc_table_start", EACH, u64::from(windows), &arguments) }
}

/// Entries of the table for secret scalars (`cuda/kernels/uniform_table.cuh`).
pub const UNIFORM_ENTRIES: usize = 29 * 256;

/// The table for secret scalars.
pub fn uniform_table(lane: &mut Lane, curve: &'static str, table: Address) -> Result<(), Fault> {
    let unit = Unit::of("table", curve);
    // SAFETY: the argument of the kernel's contract.
    unsafe { lane.launch(unit, "gecc_uniform_table", EACH_SMALL, UNIFORM_ENTRIES as u64, &[table.into()]) }
}

/// All rows of each window from its first one: every launch doubles those that are known.
pub fn table_extend(
    lane: &mut Lane,
    curve: &'static str,
    table: Address,
    windows: u32,
    entries: u64,
    prefixes: Address,
) -> Result<(), Fault> {
    let unit = Unit::of("table", curve);
    let mut known = 1;
    while known < entries {
        let arguments = [table.into(), windows.into(), entries.into(), known.into(), prefixes.into()];
        // SAFETY: the arguments of the kernel's contract, in its order and of its types.
        unsafe { lane.launch(unit, "gecc_table_extend", BATCHED, u64::from(windows) * known, &arguments) }?;
        known *= 2;
    }
    Ok(())
}

/// Makes the keys of tables findable by their coordinates.
pub fn index_keys(
    lane: &mut Lane,
    curve: &'static str,
    [xy, table_keys]: [Address; 2],
    [index_xy, slots]: [Address; 2],
    seed: u64,
    [slot_bits, tables]: [u32; 2],
    n: u64,
) -> Result<(), Fault> {
    let unit = Unit::of("key_groups", curve);
    let arguments = [
        xy.into(),
        table_keys.into(),
        index_xy.into(),
        seed.into(),
        slots.into(),
        slot_bits.into(),
        tables.into(),
        n.into(),
    ];
    // SAFETY: the arguments of the kernel's contract, in its order and of its types.
    unsafe { lane.launch(unit, "gecc_index_keys", EACH, u64::from(tables), &arguments) }
}

/// The first row of each key's table, and the doublings of it for every window, in Jacobian coordinates.
pub fn key_table_start(
    lane: &mut Lane,
    curve: &'static str,
    xy: Address,
    table_keys: Address,
    xyz: Address,
    [tables, key_bits]: [u32; 2],
    n: u64,
) -> Result<(), Fault> {
    let unit = Unit::of("key_tables", curve);
    let arguments = [xy.into(), table_keys.into(), xyz.into(), tables.into(), key_bits.into(), n.into()];
    let grid = Grid::PerItem { block: 32 };
    // SAFETY: the arguments of the kernel's contract, in its order and of its types.
    unsafe { lane.launch(unit, "gecc_key_table_start", grid, u64::from(tables), &arguments) }
}

/// These rows in affine coordinates, in the tables.
pub fn key_table_rows(
    lane: &mut Lane,
    curve: &'static str,
    xyz: Address,
    key_tables: Address,
    [tables, key_bits]: [u32; 2],
    prefixes: Address,
) -> Result<(), Fault> {
    let unit = Unit::of("key_tables", curve);
    let arguments = [xyz.into(), key_tables.into(), tables.into(), key_bits.into(), prefixes.into()];
    let rows = u64::from(tables) * 256u64.div_ceil(u64::from(key_bits));
    // SAFETY: the arguments of the kernel's contract, in its order and of its types.
    unsafe { lane.launch(unit, "gecc_key_table_rows", BATCHED, rows, &arguments) }
}

/// Powers modulo a number of so many bits, in place of the bases.
pub fn modexp(
    lane: &mut Lane,
    bits: usize,
    [powers, status, exponents]: [Address; 3],
    exponent_words: u32,
    [modulus, parameters]: [Address; 2],
    n: u64,
) -> Result<(), Fault> {
    let arguments = [
        powers.into(),
        status.into(),
        powers.into(),
        exponents.into(),
        exponent_words.into(),
        modulus.into(),
        parameters.into(),
        n.into(),
    ];
    let grid = Grid::Resident { block: MODEXP_GRID.0, blocks: MODEXP_GRID.1 };
    let threads = u64::from(modexp_lanes(bits)) * n;
    // SAFETY: the arguments of the kernel's contract, in its order and of its types; the results may be the bases.
    unsafe { lane.launch(Unit::of("modexp", NO_CURVE), modexp_name(bits), grid, threads, &arguments) }
}

pub fn modexp_name(bits: usize) -> &'static str {
    match bits {
        1024 => "gecc_modexp_1024",
        1536 => "gecc_modexp_1536",
        _ => "gecc_modexp_2048",
    }
}

/// Threads that share an item of a modular exponentiation.
pub fn modexp_lanes(bits: usize) -> u32 {
    if bits == 1024 { 4 } else { 8 }
}

/// Products, or squares where there is no other factor, modulo a number of so many bits, in place of the factors.
pub fn mul_mod(
    lane: &mut Lane,
    bits: usize,
    [products, status]: [Address; 2],
    other: Option<Address>,
    modulus: Address,
    n: u64,
) -> Result<(), Fault> {
    let [mul, square] = mul_mod_names(bits);
    let mut arguments: Vec<Argument> = vec![products.into(), status.into(), products.into()];
    arguments.extend(other.map(Argument::from));
    arguments.extend([Argument::from(modulus), n.into()]);
    let name = if other.is_some() { mul } else { square };
    // SAFETY: the arguments of the kernel's contract, in its order and of its types; the results may be a factor.
    unsafe { lane.launch(Unit::of("mul_mod", NO_CURVE), name, EACH, n, &arguments) }
}

/// The kernels that multiply and square.
pub fn mul_mod_names(bits: usize) -> [&'static str; 2] {
    match bits {
        128 => ["gecc_mul_mod_128", "gecc_square_mod_128"],
        192 => ["gecc_mul_mod_192", "gecc_square_mod_192"],
        256 => ["gecc_mul_mod_256", "gecc_square_mod_256"],
        320 => ["gecc_mul_mod_320", "gecc_square_mod_320"],
        384 => ["gecc_mul_mod_384", "gecc_square_mod_384"],
        448 => ["gecc_mul_mod_448", "gecc_square_mod_448"],
        _ => ["gecc_mul_mod_512", "gecc_square_mod_512"],
    }
}
