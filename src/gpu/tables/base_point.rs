//! Tables of multiples of G on a device, built there when first needed.

use crate::gpu::columns::{BaseTable, Column, Ed25519BaseTable, Ed25519UniformTable, UniformTable};
use crate::gpu::kernels;
use crate::gpu::runtime::{DeviceMemory, Fault, Stream};
use crate::host::notes;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The tables of one device.
#[derive(Debug, Default)]
pub struct BasePoint {
    public: Mutex<HashMap<&'static str, Arc<PublicTable>>>,
    uniform: Mutex<HashMap<&'static str, Arc<DeviceMemory>>>,
    edwards: Mutex<HashMap<&'static str, Arc<DeviceMemory>>>,
    uniform_edwards: Mutex<HashMap<&'static str, Arc<DeviceMemory>>>,
}

/// Multiples of B of a twisted Edwards curve, for public and for secret scalars, and bytes of one.
const EDWARDS_ENTRIES: usize = 1 << 14;
const UNIFORM_EDWARDS_ENTRIES: usize = 32 * 128;
const EDWARDS_ENTRY: usize = 96;

/// Multiples of G for public scalars, in windows of `bits` bits.
#[derive(Debug)]
pub struct PublicTable {
    memory: DeviceMemory,
    pub bits: u32,
}

impl PublicTable {
    pub fn column(&self) -> Column<BaseTable> {
        Column::at(self.memory.address)
    }
}

/// Bytes of an entry: x and y.
const ENTRY: usize = 64;

fn windows(bits: u32) -> u32 {
    256u32.div_ceil(bits)
}

fn public_bytes(bits: u32) -> usize {
    (windows(bits) as usize * ENTRY) << (bits - 1)
}

/// Widths at which the number of windows changes; no divisor of 256 (`cuda/kernels/verify.cu`).
const WIDTHS: &[u32] = &[24, 22, 20, 18, 17, 13, 9];

/// The widths of windows whose table, with the scratch of building it, is a sixteenth of the memory at most; the
/// narrowest always. Best first.
fn fitting_widths(memory: usize) -> &'static [u32] {
    let fits = |bits: &u32| public_bytes(*bits) / 4 * 5 <= memory / 16;
    &WIDTHS[WIDTHS.iter().position(fits).unwrap_or(WIDTHS.len() - 1)..]
}

impl BasePoint {
    /// The table for public scalars.
    pub fn public(&self, stream: &mut Stream, curve: &'static str) -> Result<Arc<PublicTable>, Fault> {
        get_or_build(stream, &self.public, curve, |stream| {
            // Others may have taken the memory that was free when the engine started, and this call needs some too.
            let (free, _) = stream.device.context.mem_get_info()?;
            let memory = stream.device.memory.min(free);
            let (narrowest, wider) = fitting_widths(memory).split_last().expect("one always fits");
            for bits in wider {
                match build_public(stream, curve, *bits) {
                    Err(fault) if fault.is_memory() => {}
                    built => return built,
                }
            }
            build_public(stream, curve, *narrowest)
        })
    }

    /// The table for secret scalars, which every warp reads whole.
    pub fn uniform(&self, stream: &mut Stream, curve: &'static str) -> Result<Column<UniformTable>, Fault> {
        let table = get_or_build(stream, &self.uniform, curve, |stream| {
            let memory = DeviceMemory::new(&stream.device.context, kernels::UNIFORM_ENTRIES * ENTRY)?;
            let entries = kernels::UNIFORM_ENTRIES as u64;
            kernels::UniformTable { table: Column::at(memory.address), entries }.launch(stream, curve)?;
            stream.wait()?;
            Ok(memory)
        })?;
        Ok(Column::at(table.address))
    }

    /// The table of a twisted Edwards curve for public scalars.
    pub fn edwards(&self, stream: &mut Stream, curve: &'static str) -> Result<Column<Ed25519BaseTable>, Fault> {
        let table = get_or_build(stream, &self.edwards, curve, |stream| {
            let memory = DeviceMemory::new(&stream.device.context, EDWARDS_ENTRIES * EDWARDS_ENTRY)?;
            let entries = EDWARDS_ENTRIES as u64;
            kernels::Ed25519BaseTable { table: Column::at(memory.address), entries }.launch(stream, curve)?;
            stream.wait()?;
            Ok(memory)
        })?;
        Ok(Column::at(table.address))
    }

    /// The same for secret scalars, which every warp reads whole.
    pub fn uniform_edwards(
        &self,
        stream: &mut Stream,
        curve: &'static str,
    ) -> Result<Column<Ed25519UniformTable>, Fault> {
        let table = get_or_build(stream, &self.uniform_edwards, curve, |stream| {
            let memory = DeviceMemory::new(&stream.device.context, UNIFORM_EDWARDS_ENTRIES * EDWARDS_ENTRY)?;
            let entries = UNIFORM_EDWARDS_ENTRIES as u64;
            kernels::Ed25519UniformTable { table: Column::at(memory.address), entries }.launch(stream, curve)?;
            stream.wait()?;
            Ok(memory)
        })?;
        Ok(Column::at(table.address))
    }
}

/// Whoever comes first builds, on the whole device; the others wait.
fn get_or_build<T>(
    stream: &mut Stream,
    tables: &Mutex<HashMap<&'static str, Arc<T>>>,
    curve: &'static str,
    build: impl FnOnce(&mut Stream) -> Result<T, Fault>,
) -> Result<Arc<T>, Fault> {
    let mut tables = tables.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(table) = tables.get(curve) {
        return Ok(table.clone());
    }
    let _noted = notes::span("table of G", 0);
    let before = stream.use_one_block(false);
    let built = build(stream);
    stream.use_one_block(before);
    let table = Arc::new(built?);
    tables.insert(curve, table.clone());
    Ok(table)
}

fn build_public(stream: &mut Stream, curve: &'static str, bits: u32) -> Result<PublicTable, Fault> {
    let (windows, entries) = (windows(bits), 1u64 << (bits - 1));
    let memory = DeviceMemory::new(&stream.device.context, public_bytes(bits))?;
    // Eight words per entry that the last extension computes: half the table.
    let prefixes = DeviceMemory::new(&stream.device.context, public_bytes(bits) / 4)?;
    let table = PublicTable { memory, bits };
    let mut start = || {
        kernels::TableStart { table: table.column(), bits, windows, entries }.launch(stream, curve)?;
        kernels::extend_tables(stream, curve, table.column().into(), windows, entries, Column::at(prefixes.address))
    };
    let started = start();
    // The scratch is freed after this, and after an error the table.
    let finished = stream.wait();
    started.and(finished)?;
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_fit_the_memory() {
        assert_eq!(fitting_widths(140 << 30), WIDTHS);
        assert_eq!(fitting_widths(8 << 30), [18, 17, 13, 9]);
        assert_eq!(fitting_widths(2 << 30), [17, 13, 9]);
        assert_eq!(fitting_widths(1 << 20), [9]);
        assert_eq!(public_bytes(22), 12 * (1 << 21) * 64);
    }
}
