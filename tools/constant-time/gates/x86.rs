//! Operands and results of machine instructions of x86-64.

use super::instruction::{Access, Instruction, Location, Space, StackAddress};
use super::program::{STATIC, label};
use iced_x86::{
    EncodingKind, Instruction as Machine, InstructionInfo, Mnemonic, OpAccess, OpKind, Register,
    RflagsBits,
};

/// The place of the first flag. Registers have the numbers of the decoder; their low bytes have
/// separate places, because a write to the low byte alone leaves the rest.
const FLAGS: Location = 1000;
const LOW_BYTES: Location = 2000;
const FLAG_BITS: [u32; 6] = [
    RflagsBits::OF,
    RflagsBits::SF,
    RflagsBits::ZF,
    RflagsBits::AF,
    RflagsBits::CF,
    RflagsBits::PF,
];

/// The place of a register, whichever part of it is meant.
pub fn place(register: Register) -> Location {
    register.full_register() as Location
}

/// The place of a register's low byte.
pub fn low_byte(register: Register) -> Location {
    LOW_BYTES + place(register)
}

/// The registers of arguments by the System V ABI, which Rust's own calls follow today. If they did
/// not, addresses of unknown origin would be found.
pub const ARGUMENTS: [Register; 6] = [
    Register::RDI,
    Register::RSI,
    Register::RDX,
    Register::RCX,
    Register::R8,
    Register::R9,
];

/// The registers and flags that a function may leave changed.
pub fn overwritten_by_calls() -> Vec<Location> {
    use Register::{R8, R9, R10, R11, RAX, RCX, RDI, RDX, RSI};
    let general = [RAX, RCX, RDX, RSI, RDI, R8, R9, R10, R11].into_iter();
    let vectors = (0..32).map(|number| Register::ZMM0 + number);
    let masks = (0..8).map(|number| Register::K0 + number);
    let low_bytes = general.clone().map(low_byte);
    general
        .chain(vectors)
        .chain(masks)
        .map(place)
        .chain(low_bytes)
        .chain(flags(u32::MAX))
        .collect()
}

/// The places of flags.
pub fn flags(bits: u32) -> Vec<Location> {
    let numbered = FLAGS..;
    numbered
        .zip(FLAG_BITS)
        .filter(|(_, flag)| bits & flag != 0)
        .map(|(place, _)| place)
        .collect()
}

/// An instruction without its effect on the flow of control. `stack` is the place of the stack
/// pointer.
pub fn plain(machine: &Machine, info: &InstructionInfo, stack: i64) -> Instruction {
    let mut step = Instruction::default();
    // Nothing is read from the upper halves of registers that are cleared.
    if matches!(
        machine.mnemonic(),
        Mnemonic::Nop | Mnemonic::Endbr64 | Mnemonic::Vzeroupper
    ) {
        return step;
    }
    registers(machine, info, &mut step);
    step.reads.extend(flags(machine.rflags_read()));
    step.writes.extend(flags(machine.rflags_modified()));
    if matches!(machine.mnemonic(), Mnemonic::Div | Mnemonic::Idiv) {
        // How long it takes depends on the numbers.
        step.passes = step.reads.clone();
    }
    if machine.mnemonic() == Mnemonic::Lea && machine.is_ip_rel_memory_operand() {
        step.constant = label(STATIC);
    }
    step.address = stack_address(machine, stack);
    memory(machine, info, stack, &mut step);
    step
}

fn is_read(access: OpAccess) -> bool {
    matches!(
        access,
        OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite
    )
}

fn is_written(access: OpAccess) -> bool {
    matches!(
        access,
        OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
    )
}

fn registers(machine: &Machine, info: &InstructionInfo, step: &mut Instruction) {
    for used in info.used_registers() {
        let register = used.register();
        let access = used.access();
        let is_low_byte = register.is_gpr8() && !is_high_byte(register);
        if is_read(access) {
            step.reads.push(if is_low_byte {
                low_byte(register)
            } else {
                place(register)
            });
        }
        // The stack pointer stays one.
        if !is_written(access) || register == Register::RSP {
            continue;
        }
        let is_conditional = matches!(access, OpAccess::CondWrite | OpAccess::ReadCondWrite);
        let whole = place(register);
        let low = register.is_gpr().then(|| low_byte(register));
        if is_conditional {
            step.adds.extend([whole].into_iter().chain(low));
        } else if is_part(machine, register) {
            step.adds.push(whole);
            step.writes.extend(low.filter(|_| !is_high_byte(register)));
        } else {
            step.writes.extend([whole].into_iter().chain(low));
        }
    }
}

fn is_high_byte(register: Register) -> bool {
    matches!(
        register,
        Register::AH | Register::BH | Register::CH | Register::DH
    )
}

/// Returns whether a write leaves the rest of the register as it is.
fn is_part(machine: &Machine, register: Register) -> bool {
    let is_legacy = machine.encoding() == EncodingKind::Legacy;
    register.is_gpr8() || register.is_gpr16() || register.is_vector_register() && is_legacy
}

/// The address on the stack that an instruction makes, of the stack pointer or of another address.
fn stack_address(machine: &Machine, stack: i64) -> Option<StackAddress> {
    let to = machine.op0_register();
    let source = machine.op1_register();
    let (register, distance) = match machine.mnemonic() {
        Mnemonic::Lea
            if machine.memory_index() == Register::None && !machine.is_ip_rel_memory_operand() =>
        {
            (
                machine.memory_base(),
                machine.memory_displacement64() as i64,
            )
        }
        Mnemonic::Mov if to.is_gpr64() && source.is_gpr64() => (source, 0),
        Mnemonic::Add if to.is_gpr64() => (to, machine.try_immediate(1).ok()? as i64),
        _ => return None,
    };
    Some(match register {
        Register::RSP => StackAddress::At(stack + distance),
        register => StackAddress::From(place(register), distance),
    })
}

/// Returns whether a place is that of a register operand.
fn is_operand(machine: &Machine, wanted: Location) -> bool {
    let mut operands =
        (0..machine.op_count()).filter(|number| machine.op_kind(*number) == OpKind::Register);
    operands.any(|number| place(machine.op_register(number)) == wanted)
}

fn memory(machine: &Machine, info: &InstructionInfo, stack: i64, step: &mut Instruction) {
    let mut accesses = info
        .used_memory()
        .iter()
        .filter(|memory| is_read(memory.access()) || is_written(memory.access()));
    let Some(memory) = accesses.next() else {
        return;
    };
    assert!(
        accesses.next().is_none(),
        "an instruction with two addresses: {machine:?}"
    );
    let base = memory.base();
    let index = memory.index();
    let parts = [base, index]
        .into_iter()
        .filter(|register| !matches!(register, Register::None | Register::RIP));
    let mut address: Vec<Location> = parts.map(place).collect();
    // A register that is only a part of the address is not part of the value.
    step.reads
        .retain(|read| !address.contains(read) || is_operand(machine, *read));
    if machine.has_rep_prefix() || machine.has_repne_prefix() {
        // The number of repetitions.
        address.push(place(Register::RCX));
    }
    let offset = memory.displacement() as i64;
    let bytes = memory.memory_size().size() as u32;
    let space = match (base, index) {
        (Register::RSP, Register::None) => Space::Slot {
            offset: stack + offset,
            bytes,
        },
        (Register::None | Register::RIP, Register::None) => Space::Constant,
        _ => Space::Pointed { offset, bytes },
    };
    if space == Space::Constant && machine.op0_register().is_gpr64() {
        // Perhaps a pointer.
        step.constant |= label(STATIC);
    }
    let is_move = matches!(machine.mnemonic(), Mnemonic::Mov | Mnemonic::Pop);
    step.is_plain_load = is_move && machine.op0_register().is_gpr64();
    step.access = Some(Access {
        loads: is_read(memory.access()),
        stores: is_written(memory.access()),
        address,
        space,
    });
}
