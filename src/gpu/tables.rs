//! Tables of multiples of G on a device, built there when first needed.

use super::fault::Fault;
use super::kernels;
use super::lane::Lane;
use super::memory::{Address, DeviceMemory};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The tables of one device.
#[derive(Debug, Default)]
pub struct Tables {
    public: Mutex<HashMap<&'static str, Arc<PublicTable>>>,
    uniform: Mutex<HashMap<&'static str, Arc<DeviceMemory>>>,
}

/// Multiples of G for public scalars, in windows of `bits` bits.
#[derive(Debug)]
pub struct PublicTable {
    memory: DeviceMemory,
    pub bits: u32,
}

impl PublicTable {
    pub fn address(&self) -> Address {
        self.memory.address
    }
}

/// Bits in a window of the uniform table, its windows, and its entries per window (`cuda/kernels/fpmul.cu`).
const UNIFORM: [u32; 3] = [6, 43, 32];
/// Bytes of an entry: x and y.
const ENTRY: usize = 64;

fn windows(bits: u32) -> u32 {
    256u32.div_ceil(bits)
}

fn public_bytes(bits: u32) -> usize {
    (windows(bits) as usize * ENTRY) << (bits - 1)
}

/// The widest windows whose table, with the scratch of building it, is a sixteenth of the memory at most.
fn best_bits(memory: usize) -> u32 {
    // Widths at which the number of windows changes; no divisor of 256 (`cuda/kernels/verify.cu`).
    let fits = |bits: &u32| public_bytes(*bits) / 4 * 5 <= memory / 16;
    [22, 20, 18, 17, 13].into_iter().find(fits).unwrap_or(9)
}

impl Tables {
    /// The table for public scalars.
    pub fn public(&self, lane: &mut Lane, curve: &'static str) -> Result<Arc<PublicTable>, Fault> {
        let bits = best_bits(lane.device.memory);
        get_or_build(&self.public, curve, || build_public(lane, curve, bits))
    }

    /// The table for secret scalars, which is read whole for every scalar.
    pub fn uniform(&self, lane: &mut Lane, curve: &'static str) -> Result<Address, Fault> {
        let [bits, windows, count] = UNIFORM;
        let table = get_or_build(&self.uniform, curve, || {
            let memory = DeviceMemory::new(&lane.device.context, (windows * count) as usize * ENTRY)?;
            kernels::table_start(lane, curve, memory.address, [bits, windows, count], u64::from(count))?;
            lane.finish()?;
            Ok(memory)
        })?;
        Ok(table.address)
    }
}

/// Whoever comes first builds; the others wait.
fn get_or_build<T>(
    tables: &Mutex<HashMap<&'static str, Arc<T>>>,
    curve: &'static str,
    build: impl FnOnce() -> Result<T, Fault>,
) -> Result<Arc<T>, Fault> {
    let mut tables = tables.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(table) = tables.get(curve) {
        return Ok(table.clone());
    }
    let table = Arc::new(build()?);
    tables.insert(curve, table.clone());
    Ok(table)
}

fn build_public(lane: &mut Lane, curve: &'static str, bits: u32) -> Result<PublicTable, Fault> {
    let (windows, entries) = (windows(bits), 1u64 << (bits - 1));
    let memory = DeviceMemory::new(&lane.device.context, public_bytes(bits))?;
    // Eight words per entry that the last extension computes: half the table.
    let prefixes = DeviceMemory::new(&lane.device.context, public_bytes(bits) / 4)?;
    kernels::table_start(lane, curve, memory.address, [bits, windows, 1], entries)?;
    let mut known = 1;
    while known < entries {
        kernels::table_extend(lane, curve, memory.address, windows, [entries, known], prefixes.address)?;
        known *= 2;
    }
    // The scratch is freed after this.
    lane.finish()?;
    Ok(PublicTable { memory, bits })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_fit_the_memory() {
        assert_eq!(best_bits(140 << 30), 22);
        assert_eq!(best_bits(8 << 30), 18);
        assert_eq!(best_bits(2 << 30), 17);
        assert_eq!(best_bits(1 << 20), 9);
        assert_eq!(public_bytes(22), 12 * (1 << 21) * 64);
    }
}
