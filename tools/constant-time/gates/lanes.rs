//! The functions of the CPU engine that compute on secrets with AVX-512 IFMA, in the machine code
//! of this very test, which has them for every curve as any program that uses the crate.
//!
//! What lies between them, loops over groups of eight items, hands pointers on.

use super::elf::Elf;
use super::flow::{Leak, leaks};
use super::instruction::{Code, Labels, REGIONS, Region, SECRET, STACK};
use super::list::List;
use super::program::{HEAP, Program, STATIC, label};
use super::x86::{ARGUMENTS, low_byte, place};
use iced_x86::Register;
use std::collections::BTreeSet;
use std::fs;

/// The kind of an argument: a pointer to secrets or to public data, a pointer to pointers to public
/// data, a secret, or a public number.
#[derive(Clone, Copy, PartialEq)]
enum Argument {
    Secrets,
    Public,
    Pointers,
    Secret,
    Number,
}
use Argument::{Number, Pointers, Public, Secret, Secrets};

/// A function by its path in `cpu::simd` or `cpu::edwards::simd`, a part of its mangled name, and
/// its arguments.
struct Function(&'static str, &'static str, &'static [Argument]);

const FUNCTIONS: &[Function] = &[
    Function(
        "uniform::recode",
        "7uniform6recode",
        &[Secrets, Number, Secrets, Number, Secrets],
    ),
    Function(
        "uniform::UniformTable::sum",
        "7uniform21UniformTable$LT$C$GT$3sum",
        &[Pointers, Secrets, Secret, Secrets],
    ),
    Function(
        "uniform::affine_points",
        "7uniform13affine_points",
        &[Secrets, Secrets, Number],
    ),
    Function(
        "uniform_points::Digits::recode",
        "14uniform_points6Digits6recode",
        &[Secrets, Secrets, Number, Secrets, Number],
    ),
    Function(
        "uniform_points::sum",
        "14uniform_points3sum",
        &[Secrets, Public, Secrets],
    ),
    Function(
        "uniform_points::coordinates",
        "14uniform_points11coordinates",
        &[Secrets, Secrets, Number],
    ),
    Function(
        "map_to_curve::prepare",
        "12map_to_curve7prepare",
        &[Secrets, Pointers, Secrets],
    ),
    Function(
        "map_to_curve::apply",
        "12map_to_curve5apply",
        &[Public, Secrets],
    ),
    Function("map_to_curve::sum", "12map_to_curve3sum", &[Secrets]),
    Function(
        "map_to_curve::divide",
        "12map_to_curve6divide",
        &[Public, Secrets, Number, Secrets, Number],
    ),
    Function(
        "map_to_curve::complete",
        "12map_to_curve8complete",
        &[Public, Secrets, Secrets, Number, Secrets],
    ),
    Function(
        "map_to_curve::make_affine",
        "12map_to_curve11make_affine",
        &[Secrets, Number, Secrets, Number],
    ),
    Function(
        "map_to_curve::store_affine",
        "12map_to_curve12store_affine",
        &[Secrets, Number, Public, Number, Secrets, Number],
    ),
    Function(
        "invert::invert_secret",
        "6invert13invert_secret",
        &[Secrets],
    ),
    Function(
        "tables::multiply_denominators",
        "6tables21multiply_denominators",
        &[Secrets, Number, Number, Secrets, Number, Secrets],
    ),
    Function(
        "tables::divide",
        "6tables6divide",
        &[Secrets, Number, Number, Secrets, Number, Secrets],
    ),
    Function(
        "secret::recode",
        "7edwards4simd6secret6recode",
        &[Pointers, Number, Secrets],
    ),
    Function(
        "secret::sum",
        "7edwards4simd6secret3sum",
        &[Secrets, Secrets, Public, Number],
    ),
    Function(
        "ladder::by_lane",
        "7edwards4simd6ladder7by_lane",
        &[Secrets, Number, Secrets],
    ),
    Function(
        "ladder::multiply",
        "7edwards4simd6ladder8multiply",
        &[Secrets, Secrets, Secrets],
    ),
    Function(
        "ladder::divide",
        "7edwards4simd6ladder6divide",
        &[Secrets, Number, Secrets, Number, Secrets, Number],
    ),
    Function(
        "secret_points::recode",
        "13secret_points6recode",
        &[Secrets, Number, Secrets],
    ),
    Function(
        "secret_points::points_by_lane",
        "13secret_points14points_by_lane",
        &[Secrets, Number, Secrets],
    ),
    Function(
        "secret_points::multiples",
        "13secret_points9multiples",
        &[Public, Secrets, Secrets],
    ),
    Function(
        "secret_points::multiply",
        "13secret_points8multiply",
        &[Secrets, Secrets, Secrets],
    ),
    Function(
        "secret_points::elements_by_lane",
        "13secret_points16elements_by_lane",
        &[Secrets, Number, Secrets],
    ),
    Function(
        "secret_points::root_powers",
        "13secret_points11root_powers",
        &[Secrets],
    ),
];

/// Functions for public data, which read tables by scalars and skip digits that are zero: the leaks
/// that must be found, were the scalars secret.
const LEAKY: &[Function] = &[
    Function(
        "multiply::mul_add_group",
        "8multiply13mul_add_group",
        &[Secrets; 6],
    ),
    Function("multiply::sum_group", "8multiply9sum_group", &[Secrets; 6]),
];

/// Returns whether to analyse a function of the engine. Compilers inline varying ones of these;
/// functions that compute something once are excluded.
fn is_analysed(name: &str) -> bool {
    ["4gecc3cpu", "gecc..cpu..", "4gecc4host5wiped"]
        .iter()
        .any(|part| name.contains(part))
        && !name.contains("11precomputed")
}

pub fn secrets_do_not_affect_branches_or_addresses() {
    let mut findings = BTreeSet::new();
    let list = List::read("lanes.txt");
    for_each(FUNCTIONS, |function, found| {
        for (at, leak) in &found {
            println!("{}: {leak:?} at {at:#x}", function.0);
            let count = found.iter().filter(|(_, other)| other == leak).count();
            let description = match leak {
                Leak::Branch => format!("branches on secrets: {count}"),
                Leak::Address => format!("addresses made of secrets: {count}"),
                Leak::Argument => format!("secrets as arguments or divided: {count}"),
                Leak::Public(_) => format!("secrets in public memory: {count}"),
                Leak::Unknown => format!("addresses of unknown origin: {count}"),
                Leak::Lane => unreachable!("only GPUs exchange registers"),
            };
            findings.insert(format!("{}: {description}", function.0));
        }
    });
    list.check(&findings);
}

pub fn leaks_are_found() {
    for_each(LEAKY, |function, found| {
        for wanted in [Leak::Branch, Leak::Address] {
            assert!(
                found.iter().any(|(_, leak)| *leak == wanted),
                "{}, {wanted:?}: {found:?}",
                function.0
            );
        }
    });
}

/// Calls `take` for each function for each curve, with the leaks and their addresses.
fn for_each(functions: &[Function], mut take: impl FnMut(&Function, Vec<(u64, Leak)>)) {
    let file = fs::read(std::env::current_exe().expect("a running test has a file"))
        .expect("which can be read");
    let elf = Elf::new(&file);
    let program = Program::new(&elf);
    for function in functions {
        let found = program.find(function.1);
        assert!(
            !found.is_empty(),
            "{} is not a function of its own any more",
            function.0
        );
        for symbol in found {
            let code = code(program.instructions(symbol, is_analysed), function.2);
            take(
                function,
                leaks(&code)
                    .iter()
                    .map(|(instruction, leak)| (instruction.at, *leak))
                    .collect(),
            );
        }
    }
}

fn code(instructions: Vec<super::instruction::Instruction>, arguments: &[Argument]) -> Code {
    /// The label of memory that the pointers of an argument lead to.
    const BEHIND: usize = 20;
    let mut regions = [Region::Value; REGIONS];
    (regions[HEAP], regions[STATIC]) = (Region::Open, Region::Public(label(STATIC)));
    regions[BEHIND] = Region::Public(0);
    let mut entry: Vec<(u16, Labels)> = vec![(place(Register::RSP), STACK)];
    for (number, kind) in arguments.iter().enumerate() {
        regions[number] = match kind {
            Secrets => Region::Secret,
            Public => Region::Public(0),
            Pointers => Region::Public(label(BEHIND)),
            Secret | Number => Region::Value,
        };
        let labels = match kind {
            Secret => SECRET,
            Number => 0,
            _ => label(number),
        };
        entry.extend(
            [place(ARGUMENTS[number]), low_byte(ARGUMENTS[number])].map(|place| (place, labels)),
        );
    }
    Code {
        instructions,
        regions,
        entry,
        stack_is_one: true,
    }
}
