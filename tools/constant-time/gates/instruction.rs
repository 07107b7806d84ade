//! Machine instructions, reduced to the properties that decide where secrets go. `sass` and `x86`
//! make them, `flow` follows them.

/// The origins of a value, one bit each.
pub type Labels = u64;

/// A secret. All other labels are pointers, or specific to one of the two kinds of machine code.
pub const SECRET: Labels = 1 << 63;
/// An address on the stack.
pub const STACK: Labels = 1 << 62;
/// Differs from thread to thread.
pub const THREAD: Labels = 1 << 61;

/// A register or a flag.
pub type Location = u16;

/// A flag, and whether it is to be set or clear.
pub type Condition = (Location, bool);

/// One instruction.
#[derive(Clone, Debug, Default)]
pub struct Instruction {
    /// The position of the instruction, for reports.
    pub at: u64,
    /// Conditions under which it takes effect.
    pub conditions: Vec<Condition>,
    pub reads: Vec<Location>,
    /// Places that get a new value, made of everything that is read.
    pub writes: Vec<Location>,
    /// Places that keep their values, and get that value too.
    pub adds: Vec<Location>,
    /// Labels of constants that are read.
    pub constant: Labels,
    pub access: Option<Access>,
    /// The value is loaded or stored unchanged.
    pub is_plain_load: bool,
    pub control: Control,
    /// The places that decide whether a jump is taken, or where a return leads.
    pub decides: Vec<Location>,
    /// The places that choose a lane to exchange a register with.
    pub chooses: Vec<Location>,
    /// Arguments of a function that is not analysed, or of an instruction whose time depends on
    /// them.
    pub passes: Vec<Location>,
    /// The origins of single bits of the result, if they are known more precisely than all inputs
    /// for all bits.
    pub bits: Option<Bits>,
    /// The result is an address on the stack.
    pub address: Option<StackAddress>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Control {
    #[default]
    Next,
    /// Jumps to an instruction, and continues with the next one too if the jump is conditional.
    Jump(usize),
    /// Calls a function, and then continues with the next instruction.
    Call(usize),
    Return,
    Stop,
}

/// An access of an instruction to memory.
#[derive(Clone, Debug)]
pub struct Access {
    pub loads: bool,
    pub stores: bool,
    /// The places from which the address is computed.
    pub address: Vec<Location>,
    pub space: Space,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Wherever the pointers in the address lead. If it is one register whose place on the stack is
    /// known: `bytes` bytes at a distance from there, or 0 bytes for any number.
    Pointed { offset: i64, bytes: u32 },
    /// Bytes at a known place on the stack.
    Slot { offset: i64, bytes: u32 },
    /// Anywhere on the stack.
    Stack,
    /// Memory that a block of threads shares.
    Shared,
    /// Constants of the program.
    Constant,
}

/// A result of 32 bits that is made bit by bit.
#[derive(Clone, Debug)]
pub struct Bits {
    /// The place of the result. A flag that is written too tells whether it is zero.
    pub result: Option<Location>,
    pub source: Location,
    /// The bits that equal those of the source, and those that depend on them in another way.
    /// Others do not depend on it.
    pub same: u32,
    pub changed: u32,
    /// Bits that are flags.
    pub flags: Vec<(u32, Location)>,
}

/// An address on the stack.
#[derive(Clone, Copy, Debug)]
pub enum StackAddress {
    At(i64),
    /// At a distance from the one in a register, if that holds one.
    From(Location, i64),
}

/// Memory that a pointer leads to, by the number of the pointer's label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Not memory: no pointer has this label.
    Value,
    /// Holds secrets.
    Secret,
    /// Holds public data, and pointers with these labels.
    Public(Labels),
    /// Memory that holds the values stored there.
    Open,
}

/// The number of labels that may be those of pointers.
pub const REGIONS: usize = 48;

/// The code of a function, with the functions that it calls and that are analysed.
pub struct Code {
    pub instructions: Vec<Instruction>,
    pub regions: [Region; REGIONS],
    /// The labels of registers at the start.
    pub entry: Vec<(Location, Labels)>,
    /// A value stored on the stack by an index may be anywhere there. Otherwise words that
    /// are also stored at a known place are left alone: assemblers of GPUs put arrays and saved
    /// registers apart.
    pub stack_is_one: bool,
}
