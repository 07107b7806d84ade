//! Tables of multiples of G on a device, built there on first use.

use super::form::{EDWARDS, StartBase, TableForm, WEIERSTRASS};
use crate::gpu::columns::{
    BaseTable, Column, Content, Ed25519UniformTable, Prefixes, UniformTable, Xy,
};
use crate::gpu::kernels;
use crate::gpu::runtime::{DeviceMemory, Fault, Stream};
use crate::host::{lock, trace};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// The tables of multiples of G of one device.
#[derive(Debug, Default)]
pub struct BasePoint {
    public: Mutex<HashMap<&'static str, Arc<PublicTable>>>,
    uniform: Mutex<HashMap<&'static str, Arc<DeviceMemory>>>,
}

/// Entries of the table of multiples of B, the base point of a twisted Edwards curve, for secret
/// scalars.
const UNIFORM_EDWARDS_ENTRIES: usize = 32 * 128;

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

/// Returns the bytes of a table, and of the scratch memory to build it: eight words for each entry
/// that the last extension computes, which are half of all entries.
fn public_bytes(form: &TableForm, bits: u32) -> [usize; 2] {
    let entries = (form.windows(bits) as usize) << (bits - 1);
    [entries * form.entry, entries / 2 * Prefixes::BYTES]
}

/// Returns the window widths, best first, whose table and scratch memory take at most a sixteenth
/// of the memory. The narrowest width is always included.
fn fitting_widths(form: &TableForm, memory: usize) -> &'static [u32] {
    let (widths, fits) = (form.base_widths, |bits: &u32| {
        public_bytes(form, *bits).iter().sum::<usize>() <= memory / 16
    });
    &widths[widths.iter().position(fits).unwrap_or(widths.len() - 1)..]
}

impl BasePoint {
    /// Returns the table of a short Weierstrass curve for public scalars.
    pub fn public(
        &self,
        stream: &mut Stream,
        curve: &'static str,
    ) -> Result<Arc<PublicTable>, Fault> {
        self.public_of(stream, curve, &WEIERSTRASS)
    }

    /// Returns the table of a twisted Edwards curve.
    pub fn edwards(
        &self,
        stream: &mut Stream,
        curve: &'static str,
    ) -> Result<Arc<PublicTable>, Fault> {
        self.public_of(stream, curve, &EDWARDS)
    }

    fn public_of(
        &self,
        stream: &mut Stream,
        curve: &'static str,
        form: &'static TableForm,
    ) -> Result<Arc<PublicTable>, Fault> {
        get_or_build(stream, &self.public, curve, |stream| {
            // Other processes may have taken memory that was free when the engine started, and this
            // call needs some too.
            let (free, _) = stream.device.context.mem_get_info()?;
            let memory = stream.device.memory.min(free);
            let (narrowest, wider) = fitting_widths(form, memory)
                .split_last()
                .expect("one always fits");
            for bits in wider {
                match build_public(stream, curve, form, *bits) {
                    Err(fault) if fault.is_memory() => {}
                    built => return built,
                }
            }
            build_public(stream, curve, form, *narrowest)
        })
    }

    /// Returns the table for secret scalars, which every warp reads completely.
    pub fn uniform(
        &self,
        stream: &mut Stream,
        curve: &'static str,
    ) -> Result<Column<UniformTable>, Fault> {
        self.uniform_of(
            stream,
            curve,
            kernels::UNIFORM_ENTRIES * Xy::BYTES,
            |stream, table| {
                kernels::UniformTable {
                    table,
                    entries: kernels::UNIFORM_ENTRIES as u64,
                }
                .launch(stream, curve)
            },
        )
    }

    /// Returns the uniform table of a twisted Edwards curve.
    pub fn uniform_edwards(
        &self,
        stream: &mut Stream,
        curve: &'static str,
    ) -> Result<Column<Ed25519UniformTable>, Fault> {
        self.uniform_of(
            stream,
            curve,
            UNIFORM_EDWARDS_ENTRIES * EDWARDS.entry,
            |stream, table| {
                kernels::Ed25519UniformTable {
                    table,
                    entries: UNIFORM_EDWARDS_ENTRIES as u64,
                }
                .launch(stream, curve)
            },
        )
    }

    fn uniform_of<T>(
        &self,
        stream: &mut Stream,
        curve: &'static str,
        bytes: usize,
        start: impl FnOnce(&mut Stream, Column<T>) -> Result<(), Fault>,
    ) -> Result<Column<T>, Fault> {
        let table = get_or_build(stream, &self.uniform, curve, |stream| {
            let memory = DeviceMemory::new(&stream.device.context, bytes)?;
            start(stream, Column::at(memory.address))?;
            stream.wait()?;
            Ok(memory)
        })?;
        Ok(Column::at(table.address))
    }
}

/// Returns a table, which the first caller builds on the whole device while the others wait.
fn get_or_build<T>(
    stream: &mut Stream,
    tables: &Mutex<HashMap<&'static str, Arc<T>>>,
    curve: &'static str,
    build: impl FnOnce(&mut Stream) -> Result<T, Fault>,
) -> Result<Arc<T>, Fault> {
    let mut tables = lock(tables);
    if let Some(table) = tables.get(curve) {
        return Ok(table.clone());
    }
    let _span = trace::span("table of G", 0);
    let before = stream.use_one_block(false);
    let built = build(stream);
    stream.use_one_block(before);
    let table = Arc::new(built?);
    tables.insert(curve, table.clone());
    Ok(table)
}

fn build_public(
    stream: &mut Stream,
    curve: &'static str,
    form: &TableForm,
    bits: u32,
) -> Result<PublicTable, Fault> {
    let windows = form.windows(bits);
    let entries = 1u64 << (bits - 1);
    let [bytes, scratch] = public_bytes(form, bits);
    let memory = DeviceMemory::new(&stream.device.context, bytes)?;
    let prefixes = DeviceMemory::new(&stream.device.context, scratch)?;
    let table = PublicTable { memory, bits };
    let started = (form.start_base)(
        stream,
        curve,
        StartBase {
            table: table.column(),
            bits,
            windows,
            entries,
        },
    )
    .and_then(|()| {
        let prefixes = Column::at(prefixes.address);
        form.extend_all(
            stream,
            curve,
            table.column().into(),
            (windows, entries),
            prefixes,
        )
    });
    // The scratch memory is freed after this, and after an error the table too.
    let finished = stream.wait();
    started.and(finished)?;
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fitting_widths_depend_on_memory() {
        let of_form = [
            (&WEIERSTRASS, [24, 18, 17, 9]),
            (&EDWARDS, [23, 17, 17, 15]),
        ];
        for (form, widths) in of_form {
            let best = [140 << 30, 8 << 30, 2 << 30, 1 << 20]
                .map(|memory| fitting_widths(form, memory)[0]);
            assert_eq!(best, widths);
            assert_eq!(fitting_widths(form, 140 << 30), form.base_widths);
        }
        assert_eq!(
            public_bytes(&WEIERSTRASS, 22),
            [12 * (1 << 21) * 64, 12 * (1 << 20) * 32]
        );
        assert_eq!(
            public_bytes(&EDWARDS, 23),
            [11 * (1 << 22) * 96, 11 * (1 << 21) * 32]
        );
    }
}
