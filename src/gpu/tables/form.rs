//! Point tables of the two curve forms, and the differences between them.

use crate::gpu::columns::{
    AnyTables, BaseTable, Column, Content, ItemNumbers, KeyColumns, KeyTables, PointKinds,
    Prefixes, Verdicts, Xy, Xyz,
};
use crate::gpu::kernels;
use crate::gpu::runtime::{Fault, Stream};

/// The tables of a curve form: their sizes, and the kernels that build them.
#[derive(Debug)]
pub struct TableForm {
    /// Bits of a scalar that the windows of a table cover.
    pub scalar_bits: u32,
    /// Bytes per entry.
    pub entry: usize,
    /// Bytes that identify a key.
    pub key: usize,
    /// Window widths of base point tables, best first. Each is a width at which the number of
    /// windows changes.
    pub base_widths: &'static [u32],
    /// The window widths of key tables, narrowest first.
    pub key_widths: &'static [u32],
    /// The cost of building an entry, and of adding one window of an item's scalar, in thirtieths
    /// of a nanosecond on an H200.
    pub entry_cost: u64,
    pub window_cost: u64,
    /// Launches the computation of the first row of each window of the base point's table.
    pub start_base: fn(&mut Stream, &'static str, StartBase) -> Result<(), Fault>,
    /// Launches the first step of building key tables.
    pub start_keys: fn(&mut Stream, &'static str, StartKeys) -> Result<(), Fault>,
    /// Launches the kernel that doubles the number of known rows.
    pub extend: fn(&mut Stream, &'static str, Extend) -> Result<(), Fault>,
}

#[derive(Clone, Copy, Debug)]
pub struct StartBase {
    pub table: Column<BaseTable>,
    pub bits: u32,
    pub windows: u32,
    pub entries: u64,
}

/// The inputs of building `tables` key tables from a chunk of `n` items. `table_keys` lists the
/// items whose keys get a table.
#[derive(Clone, Copy, Debug)]
pub struct StartKeys {
    pub xy: Column<Xy>,
    pub table_keys: Column<ItemNumbers>,
    pub key_tables: Column<KeyTables>,
    pub tables: u32,
    pub key_bits: u32,
    pub windows: u64,
    /// Scratch memory for one point per window of each table.
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

    /// Computes all rows of each window from the first one. Every launch doubles the number of
    /// known rows.
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
            (self.extend)(
                stream,
                curve,
                Extend {
                    table,
                    windows,
                    entries,
                    known,
                    prefixes,
                },
            )?;
            known *= 2;
        }
        Ok(())
    }
}

/// The keys of a chunk, in the columns by which they are compared.
#[derive(Clone, Copy, Debug)]
pub struct KeysOfChunk {
    pub curve: &'static str,
    pub form: &'static TableForm,
    pub keys: Column<KeyColumns>,
    pub kinds: Column<PointKinds>,
    pub verdicts: Column<Verdicts>,
    pub n: usize,
}

/// Tables of short Weierstrass curves (`cuda/kernels/table.cu`, `key_tables.cu`).
pub static WEIERSTRASS: TableForm = TableForm {
    scalar_bits: 256,
    entry: Xy::BYTES,
    key: Xy::BYTES,
    base_widths: &[24, 22, 20, 18, 17, 13, 9],
    key_widths: &[5, 6, 7, 9, 10, 11, 12, 13],
    entry_cost: 4,
    window_cost: 3,
    start_base: |stream,
                 curve,
                 StartBase {
                     table,
                     bits,
                     windows,
                     entries,
                 }| {
        kernels::TableStart {
            table,
            bits,
            windows,
            entries,
        }
        .launch(stream, curve)
    },
    start_keys: |stream, curve, start| {
        let StartKeys {
            xy,
            table_keys,
            key_tables,
            tables,
            key_bits,
            windows,
            xyz,
            prefixes,
            n,
        } = start;
        kernels::KeyTableStart {
            xy,
            table_keys,
            xyz,
            tables,
            key_bits,
            n,
        }
        .launch(stream, curve)?;
        kernels::KeyTableRows {
            xyz,
            key_tables,
            tables,
            key_bits,
            prefixes,
            windows,
        }
        .launch(stream, curve)
    },
    extend: |stream,
             curve,
             Extend {
                 table,
                 windows,
                 entries,
                 known,
                 prefixes,
             }| {
        kernels::TableExtend {
            table,
            windows,
            entries,
            known,
            prefixes,
        }
        .launch(stream, curve)
    },
};

/// Tables of twisted Edwards curves (`cuda/kernels/ed25519_tables.cu`).
pub static EDWARDS: TableForm = TableForm {
    scalar_bits: 253,
    entry: 96,
    key: 32,
    base_widths: &[23, 22, 20, 17, 15],
    key_widths: &[5, 6, 7, 8, 9, 10, 11, 12, 13],
    entry_cost: 6,
    window_cost: 2,
    start_base: |stream,
                 curve,
                 StartBase {
                     table,
                     bits,
                     windows,
                     entries,
                 }| {
        kernels::Ed25519TableStart {
            table,
            bits,
            windows,
            entries,
        }
        .launch(stream, curve)
    },
    start_keys: |stream, curve, start| {
        let StartKeys {
            xy: minus_a,
            table_keys,
            key_tables,
            tables,
            key_bits,
            windows,
            xyz,
            prefixes,
            n,
        } = start;
        kernels::Ed25519KeyTableStart {
            minus_a,
            table_keys,
            xyz,
            tables,
            key_bits,
            n,
        }
        .launch(stream, curve)?;
        kernels::Ed25519KeyTableRows {
            xyz,
            key_tables,
            tables,
            key_bits,
            prefixes,
            windows,
        }
        .launch(stream, curve)
    },
    extend: |stream,
             curve,
             Extend {
                 table,
                 windows,
                 entries,
                 known,
                 prefixes,
             }| {
        kernels::Ed25519TableExtend {
            table,
            windows,
            entries,
            known,
            prefixes,
        }
        .launch(stream, curve)
    },
};
