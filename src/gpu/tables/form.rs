//! Differences between point tables of the two curve forms.

use crate::gpu::columns::{
    AnyTables, BaseTable, Column, Content, ItemNumbers, KeyColumns, KeyTables, PointKinds, Prefixes, Verdicts, Xy, Xyz,
};
use crate::gpu::kernels;
use crate::gpu::runtime::{Fault, Stream};

/// The tables of a form: their sizes, and the kernels that build them.
#[derive(Debug)]
pub struct TableForm {
    /// Bits for which a table has windows.
    pub scalar_bits: u32,
    /// Bytes of an entry.
    pub entry: usize,
    /// Bytes by which keys are told apart.
    pub key: usize,
    /// Window widths of tables of the base point, best first, at which the number of windows changes.
    pub base_widths: &'static [u32],
    /// The window widths of key tables, narrowest first.
    pub key_widths: &'static [u32],
    /// The cost of building an entry, and of adding a window of an item's scalar, in thirtieths of
    /// a nanosecond on an H200.
    pub entry_cost: u64,
    pub window_cost: u64,
    /// Starts the first row of each window of the base point's table.
    pub start_base: fn(&mut Stream, &'static str, StartBase) -> Result<(), Fault>,
    /// Launches the first step of building key tables.
    pub start_keys: fn(&mut Stream, &'static str, StartKeys) -> Result<(), Fault>,
    /// Starts what doubles the rows that are known.
    pub extend: fn(&mut Stream, &'static str, Extend) -> Result<(), Fault>,
}

#[derive(Clone, Copy, Debug)]
pub struct StartBase {
    pub table: Column<BaseTable>,
    pub bits: u32,
    pub windows: u32,
    pub entries: u64,
}

/// The inputs for a chunk of n items, of which those listed in `table_keys` have the keys of this
/// many tables.
#[derive(Clone, Copy, Debug)]
pub struct StartKeys {
    pub xy: Column<Xy>,
    pub table_keys: Column<ItemNumbers>,
    pub key_tables: Column<KeyTables>,
    pub tables: u32,
    pub key_bits: u32,
    pub windows: u64,
    /// Scratch for as many points as there are windows of tables.
    pub xyz: Column<Xyz>,
    pub prefixes: Column<Prefixes>,
    pub n: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Extend {
    pub table: Column<AnyTables>,
    pub windows: u32,
    pub entries: u64,
    pub known: u64,
    pub prefixes: Column<Prefixes>,
}

impl TableForm {
    pub fn windows(&self, bits: u32) -> u32 {
        self.scalar_bits.div_ceil(bits)
    }

    /// All rows of each window from its first one: every launch doubles those that are known.
    pub fn extend_all(
        &self,
        stream: &mut Stream,
        curve: &'static str,
        table: Column<AnyTables>,
        (windows, entries): (u32, u64),
        prefixes: Column<Prefixes>,
    ) -> Result<(), Fault> {
        let mut known = 1;
        while known < entries {
            (self.extend)(stream, curve, Extend { table, windows, entries, known, prefixes })?;
            known *= 2;
        }
        Ok(())
    }
}

/// The keys of a chunk, by what they are told apart.
#[derive(Clone, Copy, Debug)]
pub struct KeysOfChunk {
    pub curve: &'static str,
    pub form: &'static TableForm,
    pub keys: Column<KeyColumns>,
    pub kinds: Column<PointKinds>,
    pub verdicts: Column<Verdicts>,
    pub n: usize,
}

/// Short Weierstrass curves (`cuda/kernels/table.cu`, `key_tables.cu`).
pub static WEIERSTRASS: TableForm = TableForm {
    scalar_bits: 256,
    entry: Xy::BYTES,
    key: Xy::BYTES,
    base_widths: &[24, 22, 20, 18, 17, 13, 9],
    key_widths: &[5, 6, 7, 9, 10, 11, 12, 13],
    entry_cost: 4,
    window_cost: 3,
    start_base: |stream, curve, StartBase { table, bits, windows, entries }| {
        kernels::TableStart { table, bits, windows, entries }.launch(stream, curve)
    },
    start_keys: |stream, curve, start| {
        let StartKeys { xy, table_keys, key_tables, tables, key_bits, windows, xyz, prefixes, n } = start;
        kernels::KeyTableStart { xy, table_keys, xyz, tables, key_bits, n }.launch(stream, curve)?;
        kernels::KeyTableRows { xyz, key_tables, tables, key_bits, prefixes, windows }.launch(stream, curve)
    },
    extend: |stream, curve, Extend { table, windows, entries, known, prefixes }| {
        kernels::TableExtend { table, windows, entries, known, prefixes }.launch(stream, curve)
    },
};

/// Twisted Edwards curves (`cuda/kernels/ed25519_tables.cu`).
pub static EDWARDS: TableForm = TableForm {
    scalar_bits: 253,
    entry: 96,
    key: 32,
    base_widths: &[23, 22, 20, 17, 15],
    key_widths: &[5, 6, 7, 8, 9, 10, 11, 12, 13],
    entry_cost: 6,
    window_cost: 2,
    start_base: |stream, curve, StartBase { table, bits, windows, entries }| {
        kernels::Ed25519TableStart { table, bits, windows, entries }.launch(stream, curve)
    },
    start_keys: |stream, curve, start| {
        let StartKeys { xy: minus_a, table_keys, key_tables, tables, key_bits, windows, xyz, prefixes, n } = start;
        kernels::Ed25519KeyTableStart { minus_a, table_keys, xyz, tables, key_bits, n }.launch(stream, curve)?;
        kernels::Ed25519KeyTableRows { xyz, key_tables, tables, key_bits, prefixes, windows }.launch(stream, curve)
    },
    extend: |stream, curve, Extend { table, windows, entries, known, prefixes }| {
        kernels::Ed25519TableExtend { table, windows, entries, known, prefixes }.launch(stream, curve)
    },
};
