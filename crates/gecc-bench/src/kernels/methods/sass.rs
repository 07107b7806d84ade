//! Instruction counts of the loops in a kernel, from its machine code.
//!
//! A cubin is an ELF file in which the code of kernel K is the section `.text.K`: instructions of
//! 128 bits. The lowest nine bits identify an instruction. They are the same from sm_80 to sm_120,
//! with a few exceptions that are marked below.

use super::Instructions;
use std::ops::RangeInclusive;

const INSTRUCTION: usize = 16;
const BRANCH: u16 = 0x147;

/// The code of a kernel.
pub struct Code<'a> {
    instructions: &'a [[u8; INSTRUCTION]],
    /// The number in the name of the architecture, such as 90 for sm_90.
    generation: u32,
}

impl<'a> Code<'a> {
    /// Finds a kernel's code in a cubin for an architecture such as `sm_90`.
    pub fn of(cubin: &'a [u8], kernel: &str, architecture: &str) -> Option<Self> {
        let generation = architecture.strip_prefix("sm_")?.parse().ok()?;
        let instructions = section(cubin, &format!(".text.{kernel}"))?.as_chunks().0;
        Some(Code {
            instructions,
            generation,
        })
    }

    /// Returns the instructions in one iteration of the longest innermost loop.
    pub fn longest_loop(&self) -> Instructions {
        let loops = self.loops();
        let innermost = loops
            .iter()
            .filter(|candidate| !loops.iter().any(|other| encloses(candidate, other)));
        let longest = innermost.max_by_key(|range| range.end() - range.start());
        longest.map_or_else(Instructions::default, |range| self.count(range.clone()))
    }

    fn count(&self, range: RangeInclusive<usize>) -> Instructions {
        let mut counts = Instructions::default();
        for instruction in &self.instructions[range] {
            *self.kind(opcode(instruction), &mut counts) += 1.0;
        }
        counts
    }

    /// Returns the counter of an instruction.
    fn kind<'c>(&self, opcode: u16, counts: &'c mut Instructions) -> &'c mut f64 {
        match opcode {
            // IMAD.WIDE, IMAD.HI
            0x025 | 0x027 => &mut counts.wide,
            // IMAD with IMAD.MOV and the like, VIADD; HFMA2, which sets constants
            0x024 | 0x036 | 0x031 => &mut counts.imad,
            // HFMA2.MMA until Hopper, IADD after it
            0x035 if self.generation < 100 => &mut counts.imad,
            0x010 | 0x035 => &mut counts.iadd3,
            0x02b => &mut counts.dfma,
            // DMUL, DADD
            0x028 | 0x029 => &mut counts.dadd,
            // MOV, P2R, R2P, SEL, FSEL, ISETP, LEA, LOP3, PRMT, IMNMX, SHF, PLOP3
            0x002..=0x004
            | 0x007
            | 0x008
            | 0x00c
            | 0x011
            | 0x012
            | 0x016
            | 0x017
            | 0x019
            | 0x01c => &mut counts.logic,
            _ => &mut counts.other,
        }
    }

    /// Returns the ranges of all backward branches, except the branch to itself that ends the code.
    fn loops(&self) -> Vec<RangeInclusive<usize>> {
        let branches = self
            .instructions
            .iter()
            .enumerate()
            .filter(|(_, instruction)| opcode(instruction) == BRANCH);
        branches
            .filter_map(|(index, branch)| {
                let target = index as i64 + 1 + self.distance(branch) / INSTRUCTION as i64;
                let target = usize::try_from(target)
                    .ok()
                    .filter(|target| *target < index)?;
                Some(target..=index)
            })
            .collect()
    }

    /// Returns the number of bytes from the end of a branch to its target: bits 32 to 81, or, from
    /// Hopper on, bits 34 to 81 followed by bits 16 to 23.
    fn distance(&self, branch: &[u8; INSTRUCTION]) -> i64 {
        let bits = i128::from_le_bytes(*branch);
        let upper = (bits << 46 >> (46 + 34)) as i64;
        if self.generation < 90 {
            upper << 2
        } else {
            upper << 10 | i64::from(branch[2]) << 2
        }
    }
}

fn encloses(outer: &RangeInclusive<usize>, inner: &RangeInclusive<usize>) -> bool {
    outer != inner && outer.contains(inner.start()) && outer.contains(inner.end())
}

fn opcode(instruction: &[u8; INSTRUCTION]) -> u16 {
    u16::from_le_bytes([instruction[0], instruction[1]]) & 0x1ff
}

/// Returns the contents of a section of a 64-bit ELF file.
fn section<'a>(file: &'a [u8], wanted: &str) -> Option<&'a [u8]> {
    let sections = Sections {
        file,
        headers: number(file, 0x28, 8)?,
        header_size: number(file, 0x3a, 2)?,
    };
    let count = number(file, 0x3c, 2)?;
    let names = number(file, 0x3e, 2)?;
    let index =
        (0..count).find(|section| sections.name(*section, names) == Some(wanted.as_bytes()))?;
    sections.content(index)
}

/// The sections of a 64-bit ELF file.
struct Sections<'a> {
    file: &'a [u8],
    /// The position of the headers.
    headers: usize,
    header_size: usize,
}

impl<'a> Sections<'a> {
    /// Returns a field of a section's header, at an offset in it.
    fn field(&self, section: usize, offset: usize, bytes: usize) -> Option<usize> {
        number(
            self.file,
            self.headers
                .checked_add(section * self.header_size + offset)?,
            bytes,
        )
    }

    fn content(&self, section: usize) -> Option<&'a [u8]> {
        let start = self.field(section, 0x18, 8)?;
        let length = self.field(section, 0x20, 8)?;
        self.file.get(start..)?.get(..length)
    }

    /// Returns a section's name, which is in the section `names`.
    fn name(&self, section: usize, names: usize) -> Option<&'a [u8]> {
        let start = self.field(section, 0, 4)?;
        let name = self.content(names)?.get(start..)?;
        name.split(|byte| *byte == 0).next()
    }
}

/// Returns a little-endian number of `bytes` bytes.
fn number(file: &[u8], at: usize, bytes: usize) -> Option<usize> {
    let field = file.get(at..)?.get(..bytes)?;
    Some(
        field
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 8 | usize::from(*byte)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(words: &[[u64; 2]]) -> Vec<[u8; INSTRUCTION]> {
        words
            .iter()
            .map(|[low, high]| (u128::from(*high) << 64 | u128::from(*low)).to_le_bytes())
            .collect()
    }

    /// An instruction as `cuobjdump` shows it: its low and its high half.
    const WIDE: [u64; 2] = [0x0000000405027c25, 0x001fe2000f8e0002];
    const MOVE: [u64; 2] = [0x000000ffff037224, 0x000fce00078e00ff];
    const ADD: [u64; 2] = [0x000000050e107c10, 0x000fca000ff1e0ff];
    const COMPARE: [u64; 2] = [0x0000000402007c0c, 0x000fc8000bf06070];
    const UNIFORM: [u64; 2] = [0x0000000407047290, 0x000fc4000fffe03f];
    /// A branch to itself.
    const TRAP: [u64; 2] = [0xfffffffc00fc7947, 0x000fc0000383ffff];

    fn distance(generation: u32, branch: [u64; 2]) -> i64 {
        Code {
            instructions: &[],
            generation,
        }
        .distance(&code(&[branch])[0])
    }

    /// A branch back by a number of instructions, as on Hopper.
    fn back(instructions: i64) -> [u64; 2] {
        let distance = -16 * instructions;
        [
            (distance >> 10 << 34) as u64 | (distance as u64 >> 2 & 0xff) << 16 | 0x8947,
            0x000fea000383ffff,
        ]
    }

    #[test]
    fn branches_are_followed() {
        assert_eq!(
            distance(80, [0xfffffcb000008947, 0x000fea000383ffff]),
            0x130 - 0x480
        );
        assert_eq!(
            distance(80, [0x0000015000007947, 0x000fea0003800000]),
            0x320 - 0x1d0
        );
        assert_eq!(
            distance(86, [0xffffc1c000007947, 0x000fea000383ffff]),
            0x980 - 0x47c0
        );
        assert_eq!(
            distance(90, [0x0000006400848947, 0x002fea0003800000]),
            0x6930 - 0x320
        );
        assert_eq!(
            distance(90, [0xffffffc400800947, 0x000fec000383ffff]),
            0x360 - 0x3d60
        );
        assert_eq!(
            distance(100, [0xffffffc000e06947, 0x000fec000383ffff]),
            0x960 - 0x45e0
        );
        assert_eq!(
            distance(120, [0xfffffffc002c8947, 0x000fea000383ffff]),
            0x120 - 0x470
        );
        assert_eq!(distance(90, TRAP), -16);
    }

    #[test]
    fn innermost_loops_are_counted() {
        let words = [
            ADD,
            COMPARE,
            WIDE,
            MOVE,
            back(2),
            ADD,
            WIDE,
            ADD,
            UNIFORM,
            back(4),
            back(11),
            TRAP,
        ];
        let instructions = code(&words);
        let code = Code {
            instructions: &instructions,
            generation: 90,
        };
        assert_eq!(code.loops(), [3..=4, 6..=9, 0..=10]);
        let expected = Instructions {
            wide: 1.0,
            iadd3: 1.0,
            other: 2.0,
            ..Instructions::default()
        };
        assert_eq!(code.longest_loop(), expected);
    }

    #[test]
    fn non_elf_file_has_no_code() {
        for length in [0, 1, 63, 64, 200] {
            assert!(Code::of(&vec![0xff; length], "kernel", "sm_90").is_none());
            assert!(Code::of(&vec![0; length], "kernel", "sm_90").is_none());
        }
    }
}
