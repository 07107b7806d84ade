//! The analysis itself, on code of a few instructions.

use super::flow::{Leak, leaks};
use super::instruction::{
    Access, Bits, Code, Control, Instruction, Location, REGIONS, Region, SECRET, Space,
};

/// Registers: three that hold a secret, a pointer to public data and one to secrets, two others,
/// and two flags.
const KEY: Location = 0;
const POINTER: Location = 1;
const A: Location = 2;
const B: Location = 3;
const VAULT: Location = 4;
const P: Location = 10;
const Q: Location = 11;
/// The numbers of the pointers' labels.
const TABLE: usize = 5;
const SECRETS: usize = 6;

fn make(to: Location, of: &[Location]) -> Instruction {
    Instruction {
        reads: of.to_vec(),
        writes: vec![to],
        ..Instruction::default()
    }
}

fn only_if(flag: Location, is_set: bool, instruction: Instruction) -> Instruction {
    Instruction {
        conditions: vec![(flag, is_set)],
        ..instruction
    }
}

fn jump_if(flag: Location, target: usize) -> Instruction {
    Instruction {
        decides: vec![flag],
        ..go(Control::Jump(target))
    }
}

fn go(control: Control) -> Instruction {
    Instruction {
        control,
        ..Instruction::default()
    }
}

fn load(to: Location, address: &[Location], space: Space) -> Instruction {
    let access = Some(Access {
        loads: true,
        stores: false,
        address: address.to_vec(),
        space,
    });
    Instruction {
        access,
        ..make(to, &[])
    }
}

fn store(of: Location, address: &[Location], space: Space) -> Instruction {
    let access = Some(Access {
        loads: false,
        stores: true,
        address: address.to_vec(),
        space,
    });
    Instruction {
        access,
        reads: vec![of],
        ..Instruction::default()
    }
}

const TABLE_OF: Space = Space::Pointed {
    offset: 0,
    bytes: 0,
};

fn slot(offset: i64) -> Space {
    Space::Slot { offset, bytes: 4 }
}

/// Returns the leaks, with the numbers of the instructions.
fn found(mut instructions: Vec<Instruction>) -> Vec<(u64, Leak)> {
    instructions.push(go(Control::Stop));
    for (number, instruction) in instructions.iter_mut().enumerate() {
        instruction.at = number as u64;
    }
    let mut regions = [Region::Value; REGIONS];
    regions[TABLE] = Region::Public(0);
    regions[SECRETS] = Region::Secret;
    let entry = vec![(KEY, SECRET), (POINTER, 1 << TABLE), (VAULT, 1 << SECRETS)];
    let code = Code {
        instructions,
        regions,
        entry,
        stack_is_one: false,
    };
    leaks(&code)
        .iter()
        .map(|(instruction, leak)| (instruction.at, *leak))
        .collect()
}

pub fn branches_and_addresses() {
    assert_eq!(
        found(vec![make(P, &[KEY]), jump_if(P, 0)]),
        [(1, Leak::Branch)]
    );
    assert_eq!(found(vec![make(P, &[POINTER]), jump_if(P, 0)]), []);
    assert_eq!(
        found(vec![make(A, &[POINTER, KEY]), load(B, &[A], TABLE_OF)]),
        [(1, Leak::Address)]
    );
    assert_eq!(
        found(vec![
            load(B, &[POINTER], TABLE_OF),
            make(P, &[B]),
            jump_if(P, 0)
        ]),
        []
    );
    assert_eq!(
        found(vec![load(B, &[KEY], TABLE_OF)]),
        [(0, Leak::Address), (0, Leak::Unknown)]
    );
    assert_eq!(
        found(vec![store(KEY, &[POINTER], TABLE_OF)]),
        [(0, Leak::Public(TABLE))]
    );
    // The condition of an access is an address too, and so is a number that a flag has added to
    // one.
    let access = only_if(P, true, load(B, &[POINTER], TABLE_OF));
    assert_eq!(found(vec![make(P, &[KEY]), access]), [(1, Leak::Address)]);
    let addition = only_if(P, true, make(A, &[A]));
    let code = vec![
        make(P, &[KEY]),
        make(A, &[POINTER]),
        addition,
        load(B, &[A], TABLE_OF),
    ];
    assert_eq!(found(code), [(3, Leak::Address)]);
}

pub fn loops_go_round_until_nothing_is_new() {
    // A becomes secret in the second turn.
    let code = vec![
        make(P, &[A]),
        make(A, &[B]),
        make(B, &[KEY]),
        jump_if(Q, 0),
        jump_if(P, 0),
    ];
    assert_eq!(found(code), [(4, Leak::Branch)]);
}

pub fn complementary_conditional_writes_are_complete() {
    for (other, expected) in [(POINTER, &[][..]), (KEY, &[(5, Leak::Branch)])] {
        let code = vec![
            make(A, &[KEY]),
            make(P, &[P]),
            only_if(P, true, make(A, &[POINTER])),
            only_if(P, false, make(A, &[other])),
            make(Q, &[A]),
            jump_if(Q, 0),
        ];
        // P is public: the secret that was there is gone, unless it is written again.
        assert_eq!(found(code), expected);
    }
    // A secret condition makes the value that it chooses secret.
    let chosen = [
        only_if(P, true, make(A, &[])),
        only_if(P, false, make(A, &[])),
    ];
    let code = [make(P, &[KEY])]
        .into_iter()
        .chain(chosen)
        .chain([jump_if(A, 0)]);
    assert_eq!(found(code.collect()), [(3, Leak::Branch)]);
    // The flag changes in between: both may have left A alone.
    let code = vec![
        make(A, &[KEY]),
        only_if(P, true, make(A, &[])),
        make(P, &[POINTER]),
        only_if(P, false, make(A, &[])),
        jump_if(A, 0),
    ];
    assert_eq!(found(code), [(4, Leak::Branch)]);
}

pub fn conditional_reads_see_conditional_writes() {
    let load = load(B, &[A], TABLE_OF);
    let cases = [
        (make(Q, &[]), only_if(P, true, load.clone()), false),
        (make(Q, &[]), load.clone(), true),
        (make(Q, &[]), only_if(P, false, load.clone()), true),
        (make(P, &[]), only_if(P, true, load), true),
    ];
    for (between, read, leaks) in cases {
        let write = only_if(P, true, make(A, &[POINTER]));
        let code = vec![
            make(A, &[VAULT]),
            write,
            between,
            read,
            make(Q, &[B]),
            jump_if(Q, 0),
        ];
        assert_eq!(!found(code).is_empty(), leaks);
    }
}

/// Saves a flag in the bits of A that a mask has.
fn save_flag(flag: Location, mask: u32) -> Instruction {
    let bits = Bits {
        result: Some(A),
        source: A,
        same: !mask,
        changed: 0,
        flags: vec![(mask, flag)],
    };
    Instruction {
        bits: Some(bits),
        ..make(A, &[A, flag])
    }
}

/// Tests the bits of A that a mask has.
fn test_bits(mask: u32) -> Instruction {
    let bits = Bits {
        result: None,
        source: A,
        same: mask,
        changed: 0,
        flags: Vec::new(),
    };
    Instruction {
        bits: Some(bits),
        ..make(Q, &[A])
    }
}

pub fn bits_are_tracked_separately() {
    for (mask, expected) in [
        (2, &[][..]),
        (1, &[(4, Leak::Branch)]),
        (3, &[(4, Leak::Branch)]),
    ] {
        let code = vec![
            make(P, &[KEY]),
            save_flag(P, 1),
            save_flag(B, 2),
            test_bits(mask),
            jump_if(Q, 0),
        ];
        assert_eq!(found(code), expected);
    }
}

/// Returns whether a secret is loaded from memory after some instructions.
fn loads_secret(mut code: Vec<Instruction>, space: Space) -> bool {
    code.extend([load(A, &[], space), jump_if(A, 0)]);
    !found(code).is_empty()
}

pub fn memory_keeps_secrets() {
    assert!(loads_secret(vec![store(KEY, &[], slot(8))], slot(8)));
    assert!(loads_secret(vec![store(KEY, &[], slot(8))], slot(11)));
    assert!(!loads_secret(vec![store(KEY, &[], slot(8))], slot(12)));
    assert!(!loads_secret(
        vec![store(KEY, &[], slot(8)), store(B, &[], slot(8))],
        slot(8)
    ));
    assert!(loads_secret(
        vec![
            store(KEY, &[], slot(8)),
            only_if(P, true, store(B, &[], slot(8)))
        ],
        slot(8)
    ));
    assert!(loads_secret(vec![store(KEY, &[], Space::Stack)], slot(8)));
    assert!(loads_secret(vec![store(KEY, &[], slot(8))], Space::Stack));
    assert!(loads_secret(
        vec![store(KEY, &[], Space::Shared)],
        Space::Shared
    ));
    assert!(!loads_secret(vec![], Space::Shared));
}

pub fn calls_return_to_their_callers() {
    // The function at 4 makes B of A. It is called with a secret, and then with none.
    let code = vec![
        make(A, &[KEY]),
        go(Control::Call(6)),
        make(A, &[]),
        go(Control::Call(6)),
        jump_if(B, 0),
        go(Control::Stop),
        make(B, &[A]),
        go(Control::Return),
    ];
    assert_eq!(found(code.clone()), []);
    let mut other = code;
    other[2] = make(A, &[A]);
    assert_eq!(found(other), [(4, Leak::Branch)]);
}
