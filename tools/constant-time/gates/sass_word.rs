//! Operands and results of the machine instructions of NVIDIA GPUs, from sm_80 to sm_120, as far as
//! the kernels use them. An unknown instruction is an error of the test, not ignored.
//!
//! An instruction has 128 bits. Bits 0 to 8 are the operation, bits 9 to 11 the sources of its
//! operands, and bits 12 to 15 its condition. The layout is not published; it was found by
//! comparison with the output of `nvdisasm`.

use super::instruction::{Access, Bits, Control, Instruction, Location, STACK, Space, THREAD};
use std::ops::Range;

/// Bytes of an instruction.
pub const BYTES: usize = 16;

/// Places: registers of a thread from 0, those of a warp, and the predicates of both.
const UNIFORM: Location = 256;
const PREDICATE: Location = 512;
const UNIFORM_PREDICATE: Location = 520;
/// A place that is never written.
const NOTHING: Location = Location::MAX;

/// The register that is zero, and the one that points to the stack.
const ZERO: u64 = 255;
const STACK_POINTER: Location = 1;

/// Bits where registers are named: the result, and the operands A, B and C.
const RESULT: u32 = 16;
const A: u32 = 24;
const B: u32 = 32;
const C: u32 = 64;
/// Bits where predicates are named that are written, and those that are read.
const WRITTEN: u32 = 81;
const WRITTEN_TOO: u32 = 84;
const READ: u32 = 87;
const READ_TOO: u32 = 77;
const READ_LAST: u32 = 68;
/// Bits that mark numbers of 64 bits, and a register of the warp as part of an address.
const IS_LONG: u32 = 80;
const HAS_UNIFORM: u32 = 91;

const POINTED: Space = Space::Pointed {
    offset: 0,
    bytes: 0,
};

/// The layout of the constants of bank 0.
pub struct Constants {
    /// 90 for sm_90.
    pub generation: u32,
    /// The position of each parameter.
    pub parameters: Vec<Range<u64>>,
}

/// Instruction number `index`; `functions` are the numbers of those with which functions start.
pub fn decode(
    bits: u128,
    index: usize,
    constants: &Constants,
    functions: &[usize],
) -> Option<Instruction> {
    let out = Instruction {
        at: (index * BYTES) as u64,
        ..Instruction::default()
    };
    let mut word = Word {
        bits,
        constants,
        out,
    };
    if word.form() == 0 {
        return None;
    }
    let code = word.field(0, 9);
    // Instructions of a warp, with registers and predicates of their own.
    let is_uniform = matches!(code, 0x04a | 0x05a | 0x05c | 0x080..=0x0b8);
    let condition = word
        .predicate(12, is_uniform)
        .map(|place| (place, !word.bit(15)));
    word.out.conditions.extend(condition);
    let is_known = word.arithmetic(code, is_uniform)
        || word.moves(code, is_uniform)
        || word.memory(code)
        || word.control(code, index, functions);
    is_known.then_some(word.out)
}

struct Word<'a> {
    bits: u128,
    constants: &'a Constants,
    out: Instruction,
}

/// Fields.
impl Word<'_> {
    fn field(&self, at: u32, bits: u32) -> u64 {
        (self.bits >> at) as u64 & ((1 << bits) - 1)
    }

    fn bit(&self, at: u32) -> bool {
        self.field(at, 1) == 1
    }

    fn form(&self) -> u64 {
        self.field(9, 3)
    }

    /// `count` neighbouring registers of a thread, from the one named at a bit.
    fn registers(&self, at: u32, count: u64) -> Vec<Location> {
        let first = self.field(at, 8);
        if first == ZERO {
            Vec::new()
        } else {
            (first..first + count)
                .map(|register| register as Location)
                .collect()
        }
    }

    /// `count` neighbouring registers of a warp, from the one named at a bit.
    fn uniform(&self, at: u32, count: u64) -> Vec<Location> {
        let bits = if self.constants.generation < 100 {
            6
        } else {
            8
        };
        let first = self.field(at, bits);
        if first == (1 << bits) - 1 {
            return Vec::new();
        }
        (first..first + count)
            .map(|register| UNIFORM + register as Location)
            .collect()
    }

    fn own(&self, at: u32, count: u64, is_uniform: bool) -> Vec<Location> {
        if is_uniform {
            self.uniform(at, count)
        } else {
            self.registers(at, count)
        }
    }

    /// The predicate named at a bit, unless it is the one that is always true.
    fn predicate(&self, at: u32, is_uniform: bool) -> Option<Location> {
        let number = self.field(at, 3) as Location;
        (number != 7).then_some(
            number
                + if is_uniform {
                    UNIFORM_PREDICATE
                } else {
                    PREDICATE
                },
        )
    }

    /// Registers that data in memory take, by the size at bit 73.
    fn size_in_registers(&self) -> u64 {
        match self.field(73, 3) {
            5 => 2,
            6 => 4,
            _ => 1,
        }
    }

    /// The target of a jump. Up to Ampere the distance from the next instruction is at bits 34 to
    /// 81, in words; from Hopper on its lowest eight bits are at bit 16.
    fn target(&self, index: usize) -> usize {
        let upper = (self.bits as i128) << 46 >> 80;
        let words = if self.constants.generation < 90 {
            upper
        } else {
            upper << 8 | i128::from(self.field(16, 8))
        };
        (index as i128 + 1 + words * 4 / BYTES as i128) as usize
    }
}

/// Operands.
impl Word<'_> {
    fn read(&mut self, places: Vec<Location>) {
        self.out.reads.extend(places);
    }

    fn read_predicates(&mut self, at: &[u32], is_uniform: bool) {
        let places: Vec<Location> = at
            .iter()
            .filter_map(|at| self.predicate(*at, is_uniform))
            .collect();
        self.read(places);
    }

    fn write_predicates(&mut self, at: &[u32], is_uniform: bool) {
        let places: Vec<Location> = at
            .iter()
            .filter_map(|at| self.predicate(*at, is_uniform))
            .collect();
        self.out.writes.extend(places);
    }

    fn write(&mut self, count: u64, is_uniform: bool) {
        let places = self.own(RESULT, count, is_uniform);
        self.out.writes.extend(places);
    }

    /// Reads `bytes` bytes of the constants at an offset. In bank 0 are the sizes of block and
    /// grid, the stack pointer and the parameters; the other banks hold numbers of the program.
    fn read_constant(&mut self, offset: u64, bytes: u64) {
        if self.field(54, 5) != 0 {
            return;
        }
        for (index, parameter) in self.constants.parameters.iter().enumerate() {
            if parameter.start < offset + bytes && offset < parameter.end {
                self.out.constant |= 1 << index;
            }
        }
        let stack_pointer = if self.constants.generation < 100 {
            0x28
        } else {
            0x37c
        };
        if offset == stack_pointer {
            self.out.constant |= STACK;
        }
    }

    /// Reads the given numbers of registers of A, B and C. A is a register. The form determines
    /// which of B and C is at `B`, and there may be a number, a constant or a register of the warp;
    /// the other is a register at `C`.
    fn read_operands(&mut self, [a, b, c]: [u64; 3], is_uniform: bool) {
        let mut reads = self.own(A, a, is_uniform);
        let form = self.form();
        let c_is_first = matches!(self.form(), 2 | 3 | 7);
        let (first, second) = if c_is_first { (c, b) } else { (b, c) };
        reads.extend(self.own(C, second, is_uniform));
        match form {
            1 => reads.extend(self.own(B, first, is_uniform)),
            3 | 5 => self.read_constant(self.field(38, 16), 4 * first),
            6 | 7 => reads.extend(self.uniform(B, first)),
            _ => {}
        }
        self.read(reads);
    }

    /// The one operand of an instruction, at `B`.
    fn read_operand(&mut self, count: u64, is_uniform: bool) {
        match self.form() {
            1 => self.read(self.own(B, count, is_uniform)),
            3 | 5 => self.read_constant(self.field(38, 16), 4 * count),
            6 | 7 => self.read(self.uniform(B, count)),
            _ => {}
        }
    }

    /// A result of LOP3 bit by bit, if B is a number and C is absent: its table of eight bits has
    /// the results, A being the bit of value 4 of a place in it and B that of value 2.
    fn logic(&self, is_uniform: bool) -> Option<Bits> {
        let a = self.own(A, 1, is_uniform);
        let c = self.own(C, 1, is_uniform);
        let has_predicate = self.predicate(READ, is_uniform).is_some();
        let (4, [source], [], false) = (self.form(), &a[..], &c[..], has_predicate) else {
            return None;
        };
        let number = self.field(B, 32) as u32;
        let table = self.field(72, 8);
        let mut same = 0;
        let mut changed = 0;
        for (b, bits) in [(0, !number), (1, number)] {
            // The results for A = 0 and A = 1, where B is b.
            match [0, 1].map(|a| table >> (4 * a + 2 * b) & 1) {
                [0, 1] => same |= bits,
                [1, 0] => changed |= bits,
                _ => {}
            }
        }
        let result = self.own(RESULT, 1, is_uniform).pop();
        Some(Bits {
            result,
            source: *source,
            same,
            changed,
            flags: Vec::new(),
        })
    }
}

/// Kinds of instructions. Each function returns whether it knows the one at hand.
impl Word<'_> {
    fn arithmetic(&mut self, code: u64, u: bool) -> bool {
        let is_late = self.constants.generation >= 100;
        let long = if self.bit(IS_LONG) { 2 } else { 1 };
        match code {
            // ISETP, UISETP
            0x00c | 0x08c => {
                self.read_operands([long, long, 0], u);
                self.read_predicates(&[READ, READ_LAST], u);
                self.write_predicates(&[WRITTEN, WRITTEN_TOO], u);
            }
            // IADD3, UIADD3, UIADD3.64
            0x010 | 0x090 | 0x097 => {
                let count = if code == 0x097 { 2 } else { 1 };
                self.read_operands([count; 3], u);
                self.read_predicates(&[READ, READ_TOO], u);
                self.write_predicates(&[WRITTEN, WRITTEN_TOO], u);
                self.write(count, u);
            }
            // LEA, LOP3, IMAD, ULEA, ULOP3, UIMAD; VIMNMX, UVIMNMX, which have no C
            0x011 | 0x012 | 0x024 | 0x091 | 0x092 | 0x0a4 | 0x048 | 0x04a => {
                let c = if matches!(code, 0x048 | 0x04a) { 0 } else { 1 };
                self.read_operands([1, 1, c], u);
                self.read_predicates(&[READ], u);
                self.write_predicates(&[WRITTEN], u);
                self.write(1, u);
                if matches!(code, 0x012 | 0x092) {
                    self.out.bits = self.logic(u);
                }
            }
            // IMAD.WIDE, IMAD.HI, UIMAD.WIDE, UIMAD.HI: C has 64 bits
            0x025 | 0x027 | 0x0a5 | 0x0a6 => {
                self.read_operands([1, 1, 2], u);
                self.read_predicates(&[READ], u);
                self.write_predicates(&[WRITTEN], u);
                self.write(if matches!(code, 0x025 | 0x0a5) { 2 } else { 1 }, u);
            }
            // PRMT, SHF, USHF; HFMA2, which sets constants, in two codes
            0x016 | 0x019 | 0x099 | 0x031 => self.plain([1, 1, 1], 1, u),
            0x035 if !is_late => self.plain([1, 1, 1], 1, u),
            // IADD.64; VIADD; DFMA
            0x035 => self.plain([2, 2, 0], 2, u),
            0x036 => self.plain([1, 1, 0], 1, u),
            0x02b => self.plain([2, 2, 2], 2, u),
            // DADD: the second operand is C
            0x029 => {
                let c = if self.form() == 1 {
                    self.registers(C, 2)
                } else {
                    Vec::new()
                };
                if matches!(self.form(), 3 | 5) {
                    self.read_constant(self.field(38, 16), 8);
                }
                self.read(self.registers(A, 2).into_iter().chain(c).collect());
                self.write(2, u);
                return matches!(self.form(), 1 | 2 | 3 | 5);
            }
            // PLOP3: the last predicate may be one of the warp
            0x01c => {
                self.read_predicates(&[READ, READ_TOO], false);
                self.read_predicates(&[READ_LAST], self.bit(67));
                self.write_predicates(&[WRITTEN, WRITTEN_TOO], false);
            }
            // IABS, FLO, MUFU, POPC; UI2F, UF2I
            0x013 | 0x100 | 0x108 | 0x109 | 0x05a | 0x05c => {
                self.read_operand(1, u);
                self.write(1, u);
            }
            // F2I, I2F: with the sizes of the operand and the result
            0x105 | 0x106 | 0x111 | 0x112 => {
                let [operand, result] =
                    [84, 75].map(|at| if self.field(at, 2) == 3 { 2 } else { 1 });
                self.read_operand(operand, u);
                self.write(result, u);
            }
            _ => return false,
        }
        true
    }

    fn plain(&mut self, operands: [u64; 3], result: u64, is_uniform: bool) {
        self.read_operands(operands, is_uniform);
        self.write(result, is_uniform);
    }

    fn moves(&mut self, code: u64, u: bool) -> bool {
        let long = if self.bit(IS_LONG) { 2 } else { 1 };
        match code {
            // MOV, UMOV, which are of 64 bits also where a number of 64 bits is moved
            0x002 | 0x082 => {
                let count = if self.form() == 2 { 2 } else { long };
                self.read_operand(count, u);
                self.write(count, u);
                if let ([source], [result], 0) =
                    (&self.out.reads[..], &self.out.writes[..], self.out.constant)
                {
                    let result = Some(*result);
                    let source = *source;
                    self.out.bits = Some(Bits {
                        result,
                        source,
                        same: u32::MAX,
                        changed: 0,
                        flags: Vec::new(),
                    });
                }
            }
            // P2R, UP2UR: predicates by a mask, in place of the bits of A
            0x003 | 0x083 => {
                let mask = if self.form() == 4 {
                    self.field(B, 7) as u32
                } else {
                    0x7f
                };
                let first = if u { UNIFORM_PREDICATE } else { PREDICATE };
                let in_mask = (0..7).filter(|bit| mask >> bit & 1 == 1);
                let flags: Vec<(u32, Location)> = in_mask
                    .map(|bit| (1 << bit, first + bit as Location))
                    .collect();
                let a = self.own(A, 1, u);
                self.read(
                    flags
                        .iter()
                        .map(|(_, place)| *place)
                        .chain(a.clone())
                        .collect(),
                );
                self.write(1, u);
                let source = a.first().copied().unwrap_or(NOTHING);
                let result = self.out.writes.first().copied();
                self.out.bits = Some(Bits {
                    result,
                    source,
                    same: !mask,
                    changed: 0,
                    flags,
                });
            }
            // CS2R: zero, or a clock
            0x005 => self.write(long, u),
            // SEL with operands of 64 bits: B is a register or one of the warp by one bit of the
            // form, if not a number
            0x007 if self.constants.generation >= 100 && matches!(self.form(), 2 | 3 | 7) => {
                let b = match self.form() {
                    3 => self.registers(B, 2),
                    7 => self.uniform(B, 2),
                    _ => Vec::new(),
                };
                self.read(self.registers(A, 2).into_iter().chain(b).collect());
                self.read_predicates(&[READ], u);
                self.write(2, u);
            }
            // SEL, FSEL, USEL
            0x007 | 0x008 | 0x087 => {
                self.read_operands([1, 1, 0], u);
                self.read_predicates(&[READ], u);
                self.write(1, u);
            }
            // VOTEU
            0x086 => {
                self.read_predicates(&[READ], false);
                self.write_predicates(&[WRITTEN], u);
                self.write(1, u);
            }
            // R2UR, in two codes
            0x0ca | 0x1c2 => {
                self.read(self.registers(A, 1));
                self.write(1, true);
            }
            // S2R, S2UR: among the registers read here, the numbers of the block and of its cluster
            // are the same for all threads
            0x119 | 0x1c3 => {
                let is_of_block = matches!(self.field(72, 8), 0x25..=0x27 | 0x88);
                self.out.constant |= if is_of_block { 0 } else { THREAD };
                self.write(1, code == 0x1c3);
            }
            // SHFL: a lane and a mask of lanes, of which either may be a number
            0x189 => {
                let lane = if self.form() & 4 == 0 {
                    self.registers(B, 1)
                } else {
                    Vec::new()
                };
                let mask = if self.form() & 2 == 0 {
                    self.registers(C, 1)
                } else {
                    Vec::new()
                };
                self.read(
                    self.registers(A, 1)
                        .into_iter()
                        .chain(lane.clone())
                        .chain(mask)
                        .collect(),
                );
                self.out.chooses = lane;
                self.write_predicates(&[WRITTEN], false);
                self.write(1, false);
            }
            _ => return false,
        }
        true
    }

    fn memory(&mut self, code: u64) -> bool {
        let count = self.size_in_registers();
        let data = self.registers(B, count);
        match code {
            // ULDC, that with a register, LDC, LDCU
            0x0b9 | 0x0bb | 0x182 | 0x1ac => {
                let offset = if code == 0x1ac {
                    self.field(37, 17)
                } else {
                    self.field(38, 16)
                };
                self.read_constant(offset, 4 * count);
                let index = if code == 0x0b9 {
                    Vec::new()
                } else {
                    self.own(A, 1, code != 0x182)
                };
                self.access(true, false, index, Space::Constant);
                self.write(count, code != 0x182);
            }
            // LD and LDG, STG, ATOMG. LD is for a pointer of which the compiler does not know what
            // memory it is to.
            0x180 | 0x181 => {
                self.access(true, false, self.global(B), POINTED);
                self.write(count, false);
            }
            0x186 => {
                self.read(data);
                self.access(false, true, self.global(C), POINTED);
            }
            0x1a8 => {
                self.read(data);
                self.access(true, true, self.global(C), POINTED);
                self.write_predicates(&[WRITTEN], false);
                self.write(count, false);
            }
            // LDL, LDS
            0x183 | 0x184 => {
                let (address, local) = self.near(B, count);
                self.access(
                    true,
                    false,
                    address,
                    if code == 0x183 { local } else { Space::Shared },
                );
                self.out.is_plain_load = true;
                self.write(count, false);
            }
            // STL, STS
            0x187 | 0x188 => {
                self.read(data);
                let (address, local) = self.near(C, count);
                self.access(
                    false,
                    true,
                    address,
                    if code == 0x187 { local } else { Space::Shared },
                );
            }
            _ => return false,
        }
        true
    }

    fn access(&mut self, loads: bool, stores: bool, address: Vec<Location>, space: Space) {
        self.out.access = Some(Access {
            loads,
            stores,
            address,
            space,
        });
    }

    /// The address in global memory, with registers of the warp, named at a bit, that describe the
    /// memory.
    fn global(&self, uniform: u32) -> Vec<Location> {
        let mut address = self.registers(A, if self.bit(72) { 2 } else { 1 });
        address.extend(if self.bit(HAS_UNIFORM) {
            self.uniform(uniform, 2)
        } else {
            Vec::new()
        });
        address
    }

    /// The address in local or shared memory, with a register of the warp, named at a bit; and
    /// where in local memory it is.
    fn near(&self, uniform: u32, count: u64) -> (Vec<Location>, Space) {
        let mut address = self.registers(A, 1);
        address.extend(if self.bit(HAS_UNIFORM) {
            self.uniform(uniform, 1)
        } else {
            Vec::new()
        });
        let is_slot = address == [STACK_POINTER];
        let offset = (self.field(40, 24) as i64) << 40 >> 40;
        (
            address,
            if is_slot {
                Space::Slot {
                    offset,
                    bytes: 4 * count as u32,
                }
            } else {
                Space::Stack
            },
        )
    }

    fn control(&mut self, code: u64, index: usize, functions: &[usize]) -> bool {
        match code {
            // NOP, ENDCOLLECTIVE, BAR, BSYNC, BSSY
            0x118 | 0x11b | 0x11d | 0x141 | 0x145 => {}
            // BREAK: lanes leave a barrier. As a jump to the next instruction, so that its
            // condition is looked at.
            0x142 => self.out.control = Control::Jump(index + 1),
            // WARPSYNC: a mask of lanes, named at another bit where all take the same path
            0x148 => self.read(self.registers(if self.bit(86) { A } else { B }, 1)),
            // CALL: a target that does not begin a function is jumped to
            0x144 => {
                let target = self.target(index);
                let is_function = functions.contains(&target);
                self.out.control = if is_function {
                    Control::Call(target)
                } else {
                    Control::Jump(target)
                };
            }
            // BRA: a predicate may decide, or one or a register of the warp
            0x147 => {
                let of_warp = match self.form() {
                    2 => self.predicate(A, true).into_iter().collect(),
                    _ if self.bit(HAS_UNIFORM) => self.uniform(A, 1),
                    _ => Vec::new(),
                };
                self.out.decides = self
                    .predicate(READ, false)
                    .into_iter()
                    .chain(of_warp)
                    .collect();
                self.out.control = Control::Jump(self.target(index));
            }
            // EXIT
            0x14d => {
                // The kernels use no second predicate besides the condition; it would decide
                // whether the code goes on.
                self.out.control = Control::Stop;
                return self.predicate(READ, false).is_none();
            }
            // RET
            0x150 => {
                self.out.decides = self.registers(A, 2);
                self.out.control = Control::Return;
            }
            _ => return false,
        }
        true
    }
}
