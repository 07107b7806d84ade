//! Follows secrets through machine code: which registers and memory each instruction may make
//! secret, and which branches and addresses are made of that.
//!
//! Every value carries labels: whether it is made of a secret, and of which pointers. Where paths
//! of the code meet, labels are those of either, so the result holds for every execution. Memory is
//! told apart by the pointers that lead to it; one label stands for all that its pointer reaches.

use super::instruction::{
    Access, Bits, Code, Condition, Control, Instruction, Labels, Location, Region, SECRET, STACK,
    Space, StackAddress, THREAD,
};
use super::value::{State, Value};
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

/// An effect that depends on a secret, but may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Leak {
    /// The condition or the target of a jump.
    Branch,
    /// An address of memory, or the condition of an access.
    Address,
    /// The lane that a register is exchanged with.
    Lane,
    /// An argument of a function that is not analysed, or of an instruction whose time depends on
    /// it.
    Argument,
    /// The contents of public memory, by the number of its pointer's label.
    Public(usize),
    /// Not a secret: an address of unknown origin, so that nothing is known of the memory there.
    Unknown,
}

/// Shared memory at an address that is the same for all threads, and elsewhere.
const SHARED_WORD: Labels = 1 << 60;
const SHARED_ARRAYS: Labels = 1 << 59;
/// The maximum depth of calls; recursion is not supported.
const DEEPEST_CALL: usize = 8;

/// The leaks, in the order of instructions.
pub fn leaks(code: &Code) -> Vec<(&Instruction, Leak)> {
    let mut analysis = Analysis {
        code,
        memory: HashMap::new(),
        leaks: BTreeSet::new(),
    };
    // The contents of memory may grow during a pass over the code.
    loop {
        let before = analysis.memory.clone();
        analysis.leaks.clear();
        analysis.walk();
        if analysis.memory == before {
            return analysis
                .leaks
                .iter()
                .map(|(index, leak)| (&code.instructions[*index], *leak))
                .collect();
        }
    }
}

/// An instruction, after the call sites to which the enclosing functions return.
type Point = (Vec<usize>, usize);

struct Analysis<'a> {
    code: &'a Code,
    /// The contents of open regions, of the stack by an index and of shared memory, by the label.
    memory: HashMap<Labels, Labels>,
    leaks: BTreeSet<(usize, Leak)>,
}

impl Analysis<'_> {
    fn walk(&mut self) {
        let mut states: HashMap<Point, State> = HashMap::new();
        let mut open = vec![(Vec::new(), 0)];
        states.insert((Vec::new(), 0), State::new(&self.code.entry));
        while let Some(point) = open.pop() {
            let mut state = states[&point].clone();
            let (calls, mut index) = point;
            self.execute(index, &mut state);
            while self.code.instructions[index].control == Control::Next {
                index += 1;
                self.execute(index, &mut state);
            }
            for next in self.successors(&calls, index) {
                let is_new = match states.entry(next.clone()) {
                    Entry::Occupied(mut known) => known.get_mut().join(&state),
                    Entry::Vacant(place) => {
                        place.insert(state.clone());
                        true
                    }
                };
                open.extend(is_new.then_some(next));
            }
        }
    }

    /// The points at which the code continues after a jump, a call or the like.
    fn successors(&self, calls: &[usize], index: usize) -> Vec<Point> {
        let instruction = &self.code.instructions[index];
        let mut calls = calls.to_vec();
        let next = (calls.clone(), index + 1);
        let mut is_optional = !instruction.conditions.is_empty();
        let mut successors = match instruction.control {
            Control::Next | Control::Stop => Vec::new(),
            Control::Jump(target) => {
                is_optional |= !instruction.decides.is_empty();
                vec![(calls, target)]
            }
            Control::Call(target) => {
                assert!(
                    calls.len() < DEEPEST_CALL,
                    "functions call each other in turn"
                );
                calls.push(index + 1);
                vec![(calls, target)]
            }
            Control::Return => calls.pop().map(|back| (calls, back)).into_iter().collect(),
        };
        successors.extend(is_optional.then_some(next));
        successors
    }

    fn execute(&mut self, index: usize, state: &mut State) {
        let code = self.code;
        let instruction = &code.instructions[index];
        let met = &instruction.conditions[..];
        let condition = met
            .iter()
            .fold(0, |all, (place, _)| all | state.value(*place).labels);
        let mut labels = state.labels(met, &instruction.reads) | instruction.constant;
        if instruction.control != Control::Next {
            self.report(
                index,
                condition | state.labels(met, &instruction.decides),
                Leak::Branch,
            );
        }
        self.report(index, state.labels(met, &instruction.chooses), Leak::Lane);
        self.report(
            index,
            state.labels(met, &instruction.passes),
            Leak::Argument,
        );
        let mut value = Value::of(labels);
        if let Some(access) = &instruction.access {
            let access = resolved(access, state);
            let address = access.address.iter().fold(0, |all, place| {
                all | self.part_of_address(met, *place, state)
            });
            self.report(index, condition | address, Leak::Address);
            labels |= address & SECRET;
            value = Value::of(labels);
            if access.loads {
                let loaded = self.load(index, &access, address, state);
                // A register that is restored from the stack has its old value.
                let is_same =
                    matches!(access.space, Space::Slot { .. }) && instruction.is_plain_load;
                value = if is_same {
                    loaded
                } else {
                    Value::of(labels | loaded.labels)
                };
            }
            if access.stores {
                let stored = match instruction.reads[..] {
                    [register] if !access.loads && instruction.constant == 0 => {
                        state.under(met, register)
                    }
                    _ => value,
                };
                self.store(index, &access, address, stored, !met.is_empty(), state);
            }
        }
        value.address = match instruction.address {
            Some(StackAddress::At(address)) => Some(address),
            Some(StackAddress::From(place, distance)) => {
                state.value(place).address.map(|address| address + distance)
            }
            None => value.address,
        };
        let bits = instruction.bits.as_ref();
        let mut new = Vec::new();
        for &place in &instruction.writes {
            new.push((
                place,
                bits.map_or(value, |bits| made_of_bits(bits, place, met, state)),
            ));
        }
        for &place in &instruction.adds {
            new.push((place, value.or(state.value(place))));
        }
        for (place, value) in new {
            state.write(met, place, value);
            if condition & SECRET != 0 {
                // The bits that it may change reveal whether the instruction takes effect.
                let kept = bits.filter(|bits| bits.result == Some(place) && bits.source == place);
                state.taint(place, kept.map_or(u32::MAX, |bits| !bits.same));
            }
        }
    }

    fn report(&mut self, index: usize, labels: Labels, leak: Leak) {
        if labels & SECRET != 0 {
            self.leaks.insert((index, leak));
        }
    }

    /// The labels of a part of an address. If some of the values that the place may have are made
    /// of a pointer, only those count: the others cannot be addresses of anything.
    fn part_of_address(&self, conditions: &[Condition], place: Location, state: &State) -> Labels {
        let possible = state
            .possible(conditions, place)
            .into_iter()
            .map(|value| value.labels);
        let pointers: Vec<Labels> = possible
            .filter(|labels| labels_of(*labels).any(|label| self.is_pointer(label)))
            .collect();
        match pointers[..] {
            [] => state.under(conditions, place).labels,
            _ => pointers.iter().fold(0, |all, labels| all | labels),
        }
    }

    fn is_pointer(&self, label: Labels) -> bool {
        label == STACK || self.region(label) != Region::Value
    }

    fn region(&self, label: Labels) -> Region {
        self.code
            .regions
            .get(number(label))
            .copied()
            .unwrap_or(Region::Value)
    }

    /// The labels of the pointers from which an address may be computed.
    fn pointers(&mut self, index: usize, access: &Access, address: Labels) -> Vec<Labels> {
        match access.space {
            Space::Constant => Vec::new(),
            Space::Slot { .. } | Space::Stack => vec![STACK],
            Space::Shared => vec![if address & THREAD == 0 {
                SHARED_WORD
            } else {
                SHARED_ARRAYS
            }],
            Space::Pointed { .. } => {
                let pointers: Vec<Labels> = labels_of(address)
                    .filter(|label| self.is_pointer(*label))
                    .collect();
                if pointers.is_empty() {
                    self.leaks.insert((index, Leak::Unknown));
                }
                pointers
            }
        }
    }

    /// The value that was stored in an open region.
    fn stored(&self, label: Labels) -> Value {
        Value::of(self.memory.get(&label).copied().unwrap_or(0))
    }

    /// The value of a byte on the stack.
    fn slot(&self, offset: i64, state: &State) -> Value {
        state
            .slots
            .get(&offset)
            .copied()
            .unwrap_or_else(|| self.stored(STACK))
    }

    fn load(&mut self, index: usize, access: &Access, address: Labels, state: &State) -> Value {
        if let Space::Slot { offset, bytes } = access.space {
            let mut value = self.slot(offset, state);
            for byte in offset + 1..offset + i64::from(bytes) {
                value = value.or(self.slot(byte, state));
            }
            return value;
        }
        let pointers = self.pointers(index, access, address);
        pointers.into_iter().fold(Value::default(), |all, label| {
            all.or(match (label, self.region(label)) {
                (STACK, _) => state
                    .slots
                    .values()
                    .fold(self.stored(STACK), |all, value| all.or(*value)),
                (SHARED_WORD | SHARED_ARRAYS, _) | (_, Region::Open) => self.stored(label),
                (_, Region::Secret) => Value::of(SECRET),
                (_, Region::Public(labels)) => Value::of(labels),
                (_, Region::Value) => Value::default(),
            })
        })
    }

    fn store(
        &mut self,
        index: usize,
        access: &Access,
        address: Labels,
        value: Value,
        is_optional: bool,
        state: &mut State,
    ) {
        if let Space::Slot { offset, bytes } = access.space {
            for byte in offset..offset + i64::from(bytes) {
                let old = state.slots.get(&byte).copied().unwrap_or_default();
                state
                    .slots
                    .insert(byte, if is_optional { value.or(old) } else { value });
            }
            return;
        }
        for label in self.pointers(index, access, address) {
            match (label, self.region(label)) {
                // No pointers lie there.
                (SHARED_WORD | SHARED_ARRAYS, _) => {
                    *self.memory.entry(label).or_insert(0) |= value.labels & SECRET
                }
                (STACK, _) => {
                    *self.memory.entry(label).or_insert(0) |= value.labels;
                    let reached = state.slots.values_mut().filter(|_| self.code.stack_is_one);
                    reached.for_each(|slot| *slot = slot.or(value));
                }
                (_, Region::Open) => *self.memory.entry(label).or_insert(0) |= value.labels,
                (_, Region::Public(_)) => {
                    self.report(index, value.labels, Leak::Public(number(label)))
                }
                _ => {}
            }
        }
    }
}

/// The single labels among some.
fn labels_of(labels: Labels) -> impl Iterator<Item = Labels> {
    (0..Labels::BITS)
        .map(|bit| 1 << bit)
        .filter(move |label| labels & label != 0)
}

fn number(label: Labels) -> usize {
    label.trailing_zeros() as usize
}

/// Replaces an access through a register whose place on the stack is known by one at that place.
fn resolved(access: &Access, state: &State) -> Access {
    let space = match (access.space, &access.address[..]) {
        (Space::Pointed { offset, bytes }, [place]) if bytes > 0 => {
            let address = state.value(*place).address;
            address.map_or(access.space, |address| Space::Slot {
                offset: address + offset,
                bytes,
            })
        }
        _ => access.space,
    };
    Access {
        space,
        ..access.clone()
    }
}

/// The new value of a place that an instruction writes bit by bit.
fn made_of_bits(bits: &Bits, place: Location, conditions: &[Condition], state: &State) -> Value {
    let source = state.under(conditions, bits.source);
    let secret_flags = bits
        .flags
        .iter()
        .filter(|(_, flag)| state.value(*flag).is_secret());
    let of_flags = secret_flags.fold(0, |all, (mask, _)| all | mask);
    let secret = source.secret_bits & (bits.same | bits.changed) | of_flags;
    let whole = Value::of_bits(source.labels, secret);
    if bits.result == Some(place) {
        whole
    } else {
        Value::of(whole.labels & SECRET)
    }
}
