//! Kernels in the machine code of NVIDIA GPUs.

use super::elf::{Elf, number};
use super::instruction::Instruction;
use super::sass_word::{BYTES, Constants, decode};
use std::ops::Range;

/// A kernel's instructions and the number of its parameters, from a cubin for an architecture such
/// as `sm_90`.
pub fn kernel(cubin: &Elf, name: &str, architecture: &str) -> (Vec<Instruction>, usize) {
    let section = format!(".text.{name}");
    let functions = cubin
        .functions()
        .into_iter()
        .filter(|symbol| cubin.section_of(symbol).name == section);
    let functions: Vec<usize> = functions
        .map(|symbol| symbol.address as usize / BYTES)
        .collect();
    let generation = architecture
        .trim_start_matches("sm_")
        .parse()
        .expect("sm_ and a number");
    let constants = Constants {
        generation,
        parameters: parameters(cubin, name),
    };
    let code = cubin
        .section(&section)
        .unwrap_or_else(|| panic!("kernel {name} is missing"))
        .content;
    let mut instructions = Vec::new();
    for (index, bytes) in code.chunks_exact(BYTES).enumerate() {
        let bits = u128::from_le_bytes(bytes.try_into().expect("16 bytes"));
        let Some(instruction) = decode(bits, index, &constants, &functions) else {
            panic!(
                "{name}, {architecture}: {bits:#034x} at {:#x} is not known",
                index * BYTES
            );
        };
        instructions.push(instruction);
    }
    (instructions, constants.parameters.len())
}

/// The names of the kernels in a cubin.
pub fn kernels<'a>(cubin: &Elf<'a>) -> Vec<&'a str> {
    let functions = cubin.functions().into_iter().map(|symbol| symbol.name);
    functions
        .filter(|name| cubin.section(&format!(".nv.info.{name}")).is_some())
        .collect()
}

/// The positions of parameters in the constants of bank 0, from the attributes that the driver
/// reads.
fn parameters(cubin: &Elf, kernel: &str) -> Vec<Range<u64>> {
    const WITH_SIZE: u8 = 4;
    const PARAMETER: u8 = 0x17;
    const BANK: u8 = 0x0a;
    let mut info = cubin
        .section(&format!(".nv.info.{kernel}"))
        .expect("a kernel has attributes")
        .content;
    let mut base = 0;
    let mut found = Vec::new();
    while let [format, kind, ..] = *info {
        let size = if format == WITH_SIZE {
            number(info, 2, 2) as usize
        } else {
            0
        };
        let (value, rest) = info[4..].split_at(size);
        match kind {
            PARAMETER => found.push((
                number(value, 4, 2),
                number(value, 6, 2),
                number(value, 8, 4) >> 18,
            )),
            BANK => base = number(value, 4, 2),
            _ => {}
        }
        info = rest;
    }
    assert!(
        base > 0,
        "{kernel}: the attributes say where parameters begin"
    );
    found.sort();
    found
        .iter()
        .map(|(_, offset, size)| base + offset..base + offset + size)
        .collect()
}
