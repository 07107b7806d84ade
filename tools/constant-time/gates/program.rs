//! Functions of a program for x86-64 and Linux, in its file: their machine code, and the effects of
//! the functions that they call.

use super::elf::{Elf, Section, Symbol, number};
use super::instruction::{Access, Control, Instruction, Labels, Location, Space};
use super::x86::{ARGUMENTS, flags, overwritten_by_calls, place, plain};
use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction as Machine, InstructionInfoFactory, Mnemonic,
    Register,
};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

/// The effect of a function that is not analysed.
#[derive(Clone, Copy, Debug)]
enum Effect {
    /// Does not return.
    Never,
    /// Takes this number of arguments, and stores no secret.
    Plain(usize),
    /// Takes this number of arguments, and returns new memory.
    Allocates(usize),
    /// Takes this number of arguments, and writes the head of a vector of new memory to the address
    /// in the first one.
    MakesVector(usize),
    /// Returns a pointer to public data.
    Static,
    /// `memset`, `memcpy` and `memmove`.
    Fills,
    Copies,
}

/// Effects by parts of mangled names; the first that matches counts.
const EFFECTS: &[(&str, Effect)] = &[
    ("memset", Effect::Fills),
    ("memcpy", Effect::Copies),
    ("memmove", Effect::Copies),
    ("___rust_alloc", Effect::Allocates(2)),
    ("___rust_dealloc", Effect::Plain(3)),
    ("___rust_no_alloc_shim", Effect::Plain(0)),
    ("_Unwind_Resume", Effect::Never),
    ("panic", Effect::Never),
    ("expect_failed", Effect::Never),
    ("unwrap_failed", Effect::Never),
    ("slice_index_fail", Effect::Never),
    ("handle_alloc_error", Effect::Never),
    ("7raw_vec12handle_error", Effect::Never),
    ("8grow_one", Effect::MakesVector(1)),
    // Asked by `vec!` of the value that is repeated, which is a literal in code on secrets.
    ("7is_zero", Effect::Plain(1)),
    ("9from_elem", Effect::MakesVector(3)),
    ("zeroize", Effect::Plain(1)),
    ("drop_in_place", Effect::Plain(1)),
    ("9once_lock", Effect::Plain(1)),
    ("11precomputed", Effect::Static),
    ("7process14get_or_compute", Effect::Static),
];

/// The numbers of the labels of memory from the allocator, and of data of the program.
pub const HEAP: usize = 40;
pub const STATIC: usize = 41;

/// Bytes of a vector's head.
const VECTOR: u32 = 24;
/// Frames of functions lie so far apart that each word of each has a place of its own.
const FRAME: i64 = 1 << 40;

/// A program's functions by address, and the pointers that the loader fills in.
pub struct Program<'a> {
    elf: &'a Elf<'a>,
    text: Section<'a>,
    functions: BTreeMap<u64, Symbol<'a>>,
    /// Addresses of pointers to functions, and the functions that they point to.
    pointers: HashMap<u64, Callee<'a>>,
}

#[derive(Clone, Copy, Debug)]
enum Callee<'a> {
    Here(u64),
    Elsewhere(&'a str),
}

impl<'a> Program<'a> {
    pub fn new(elf: &'a Elf<'a>) -> Self {
        let functions = elf
            .functions()
            .into_iter()
            .map(|symbol| (symbol.address, symbol))
            .collect();
        let text = elf.section(".text").expect("a program has code");
        Program {
            elf,
            text,
            functions,
            pointers: pointers(elf),
        }
    }

    /// The functions whose mangled names contain a text.
    pub fn find(&self, part: &str) -> Vec<&Symbol<'a>> {
        self.functions
            .values()
            .filter(|symbol| symbol.name.contains(part))
            .collect()
    }

    /// A function's instructions, followed by those of the functions that it calls and whose names
    /// `follow` accepts.
    pub fn instructions(&self, function: &Symbol, follow: fn(&str) -> bool) -> Vec<Instruction> {
        let mut starts = HashMap::from([(function.address, 0)]);
        let mut pieces = vec![self.decode(function.address)];
        let mut piece = 0;
        let mut end = pieces[0].len();
        while piece < pieces.len() {
            for callee in self.callees(&pieces[piece], follow) {
                if let Entry::Vacant(start) = starts.entry(callee) {
                    start.insert(end);
                    pieces.push(self.decode(callee));
                    end += pieces[pieces.len() - 1].len();
                }
            }
            piece += 1;
        }
        let mut out = Vec::with_capacity(end);
        for (number, piece) in pieces.iter().enumerate() {
            self.translate(piece, number as i64 * FRAME, &starts, &mut out);
        }
        out
    }

    fn decode(&self, address: u64) -> Vec<Machine> {
        let start = (address - self.text.address) as usize;
        let bytes = &self.text.content[start..start + self.functions[&address].size as usize];
        Decoder::with_ip(64, bytes, address, DecoderOptions::NONE)
            .into_iter()
            .collect()
    }

    /// The addresses of functions that are to be analysed.
    fn callees(&self, code: &[Machine], follow: fn(&str) -> bool) -> Vec<u64> {
        let callees = code
            .iter()
            .filter_map(|machine| match self.callee(code, machine)? {
                Callee::Here(address) => Some(address),
                Callee::Elsewhere(_) => None,
            });
        callees
            .filter(|address| {
                self.functions
                    .get(address)
                    .is_some_and(|function| follow(function.name))
            })
            .collect()
    }

    /// The function that an instruction calls, or jumps to outside of its own.
    fn callee(&self, code: &[Machine], machine: &Machine) -> Option<Callee<'a>> {
        match machine.flow_control() {
            FlowControl::Call => Some(self.linked(machine.near_branch_target())),
            FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch => {
                let target = machine.near_branch_target();
                let inside = code[0].ip()..code[code.len() - 1].next_ip();
                (!inside.contains(&target)).then(|| self.linked(target))
            }
            FlowControl::IndirectCall | FlowControl::IndirectBranch
                if machine.is_ip_rel_memory_operand() =>
            {
                self.pointed(machine)
            }
            FlowControl::IndirectCall => self.pointed(load_of_callee(code, machine)?),
            _ => None,
        }
    }

    /// The function that a pointer in the program's data leads to.
    fn pointed(&self, machine: &Machine) -> Option<Callee<'a>> {
        self.pointers.get(&machine.ip_rel_memory_address()).copied()
    }

    /// A function, or the target of its entry in the procedure linkage table.
    fn linked(&self, address: u64) -> Callee<'a> {
        let sections = [".plt", ".plt.got", ".plt.sec"]
            .into_iter()
            .filter_map(|name| self.elf.section(name));
        let mut entries = sections.filter_map(|section| {
            let start = address.checked_sub(section.address)? as usize;
            let entry = Decoder::with_ip(
                64,
                section.content.get(start..)?,
                address,
                DecoderOptions::NONE,
            );
            entry
                .into_iter()
                .find(|machine| machine.flow_control() == FlowControl::IndirectBranch)
        });
        let pointer = entries
            .next()
            .and_then(|entry| self.pointers.get(&entry.ip_rel_memory_address()));
        pointer.copied().unwrap_or(Callee::Here(address))
    }

    /// Appends the instructions of a function, whose frame has a place on the stack. `starts` has
    /// the numbers of the first instructions of functions.
    fn translate(
        &self,
        code: &[Machine],
        frame: i64,
        starts: &HashMap<u64, usize>,
        out: &mut Vec<Instruction>,
    ) {
        let numbers: HashMap<u64, usize> = code.iter().map(Machine::ip).zip(out.len()..).collect();
        let mut factory = InstructionInfoFactory::new();
        for (machine, depth) in code.iter().zip(depths(code)) {
            let callee = self.callee(code, machine);
            let step = match machine.flow_control() {
                FlowControl::Next => plain(machine, factory.info(machine), frame - depth),
                FlowControl::Return => Instruction {
                    control: Control::Return,
                    ..Instruction::default()
                },
                FlowControl::Exception | FlowControl::Interrupt => Instruction {
                    control: Control::Stop,
                    ..Instruction::default()
                },
                FlowControl::Call | FlowControl::IndirectCall => self.call(machine, callee, starts),
                FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch
                    if callee.is_none() =>
                {
                    let control = Control::Jump(numbers[&machine.near_branch_target()]);
                    Instruction {
                        control,
                        decides: decides(machine),
                        ..Instruction::default()
                    }
                }
                // A call at the end, by a jump.
                _ => {
                    let call = self.call(machine, callee, starts);
                    let control = match call.control {
                        Control::Call(start) => Control::Jump(start),
                        Control::Next => Control::Return,
                        other => other,
                    };
                    Instruction {
                        control,
                        decides: decides(machine),
                        ..call
                    }
                }
            };
            out.push(Instruction {
                at: machine.ip(),
                ..step
            });
        }
    }

    fn call(
        &self,
        machine: &Machine,
        callee: Option<Callee>,
        starts: &HashMap<u64, usize>,
    ) -> Instruction {
        let name = match callee {
            Some(Callee::Here(address)) => {
                if let Some(start) = starts.get(&address) {
                    return Instruction {
                        control: Control::Call(*start),
                        ..Instruction::default()
                    };
                }
                self.functions
                    .get(&address)
                    .map_or("a function without a name", |callee| callee.name)
            }
            Some(Callee::Elsewhere(name)) => name,
            None => "a function by an address in a register",
        };
        let effect = EFFECTS.iter().find(|(part, _)| name.contains(part));
        let (_, effect) = effect
            .unwrap_or_else(|| panic!("at {:#x} {name} is called: what does it do?", machine.ip()));
        apply(*effect)
    }
}

/// The instruction that loads the register of an indirect call from the program's data: a pointer
/// that is loaded once for several calls. If there are several such loads, they have to be of one
/// address.
fn load_of_callee<'c>(code: &'c [Machine], call: &Machine) -> Option<&'c Machine> {
    let register = call.op0_register();
    if register == Register::None {
        return None;
    }
    let mut loads = code.iter().filter(|machine| {
        machine.mnemonic() == Mnemonic::Mov
            && machine.is_ip_rel_memory_operand()
            && machine.op0_register() == register
    });
    let first = loads.next()?;
    loads
        .all(|other| other.ip_rel_memory_address() == first.ip_rel_memory_address())
        .then_some(first)
}

/// The places that decide whether a jump is taken: flags, or a counter.
fn decides(machine: &Machine) -> Vec<Location> {
    let counter = machine.is_jcx_short() || machine.is_loop() || machine.is_loopcc();
    flags(machine.rflags_read())
        .into_iter()
        .chain(counter.then(|| place(Register::RCX)))
        .collect()
}

/// The instruction that stands for a call with an effect.
fn apply(effect: Effect) -> Instruction {
    let mut step = Instruction {
        writes: overwritten_by_calls(),
        ..Instruction::default()
    };
    match effect {
        Effect::Never => {
            return Instruction {
                control: Control::Stop,
                ..Instruction::default()
            };
        }
        Effect::Plain(count) => step.passes = arguments(count),
        Effect::Allocates(count) => {
            step.passes = arguments(count);
            step.constant = label(HEAP);
        }
        Effect::Static => step.constant = label(STATIC),
        Effect::MakesVector(count) => {
            step.passes = arguments(count);
            step.constant = label(HEAP);
            step.access = Some(stores_to(arguments(1), VECTOR));
        }
        Effect::Fills => {
            step.passes = vec![place(ARGUMENTS[0]), place(ARGUMENTS[2])];
            step.reads = vec![place(ARGUMENTS[1])];
            step.access = Some(stores_to(arguments(1), 0));
        }
        Effect::Copies => {
            step.passes = arguments(3);
            step.access = Some(Access {
                loads: true,
                ..stores_to(arguments(2), 0)
            });
        }
    }
    step
}

/// The registers of the first arguments.
fn arguments(count: usize) -> Vec<Location> {
    ARGUMENTS[..count]
        .iter()
        .map(|register| place(*register))
        .collect()
}

/// A store of `bytes` bytes, or of any number if 0, to where the pointers in some registers lead.
fn stores_to(address: Vec<Location>, bytes: u32) -> Access {
    Access {
        loads: false,
        stores: true,
        address,
        space: Space::Pointed { offset: 0, bytes },
    }
}

/// The label of this number.
pub fn label(number: usize) -> Labels {
    1 << number
}

/// The pointers that the loader fills in, from `.rela.dyn` and `.rela.plt`.
fn pointers<'a>(elf: &Elf<'a>) -> HashMap<u64, Callee<'a>> {
    const ENTRY: usize = 24;
    const RELATIVE: u64 = 8;
    let names = elf.dynamic_names();
    let sections = [".rela.dyn", ".rela.plt"]
        .into_iter()
        .filter_map(|name| elf.section(name));
    let mut pointers = HashMap::new();
    for entry in sections.flat_map(|section| section.content.chunks_exact(ENTRY)) {
        let [address, addend] = [0, 16].map(|at| number(entry, at, 8));
        let [kind, symbol] = [8, 12].map(|at| number(entry, at, 4));
        let callee = match kind {
            RELATIVE => Some(Callee::Here(addend)),
            _ => names
                .get(symbol as usize)
                .map(|name| Callee::Elsewhere(name)),
        };
        pointers.extend(callee.map(|callee| (address, callee)));
    }
    pointers
}

/// The distance of the stack pointer below its place at the start, before each instruction: the
/// same on every path. It is rounded down at the start, which makes no difference to the layout of
/// the frame.
fn depths(code: &[Machine]) -> Vec<i64> {
    let numbers: HashMap<u64, usize> = code
        .iter()
        .enumerate()
        .map(|(number, machine)| (machine.ip(), number))
        .collect();
    let mut depths: Vec<Option<i64>> = vec![None; code.len()];
    let mut open = vec![(0, 0)];
    while let Some((number, depth)) = open.pop() {
        if depths.get(number).is_none_or(Option::is_some) {
            continue;
        }
        depths[number] = Some(depth);
        let machine = &code[number];
        let target = numbers
            .get(&machine.near_branch_target())
            .map(|target| (*target, depth));
        let is_of_stack_pointer = machine.op0_register() == Register::RSP;
        let moved = match machine.mnemonic() {
            Mnemonic::Sub if is_of_stack_pointer => machine.immediate(1) as i64,
            Mnemonic::Add if is_of_stack_pointer => -(machine.immediate(1) as i64),
            Mnemonic::Call => 0,
            _ => -i64::from(machine.stack_pointer_increment()),
        };
        match machine.flow_control() {
            FlowControl::Return | FlowControl::Exception | FlowControl::IndirectBranch => {}
            FlowControl::UnconditionalBranch => open.extend(target),
            FlowControl::ConditionalBranch => {
                open.extend(target.into_iter().chain([(number + 1, depth)]))
            }
            _ => open.push((number + 1, depth + moved)),
        }
    }
    // Unreachable instructions are not analysed.
    depths.into_iter().map(|depth| depth.unwrap_or(0)).collect()
}
