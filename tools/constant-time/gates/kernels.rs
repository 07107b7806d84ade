//! The GPU kernels that handle secrets, in the machine code that NVRTC makes of them for three
//! generations.
//!
//! The duration of instructions is not covered. Those that the kernels use on secrets take the same
//! time for all numbers.

use super::elf::Elf;
use super::flow::{Leak, leaks};
use super::instruction::{Code, REGIONS, Region};
use super::list::List;
use super::sass;
use gecc::kernels::{self, MachineCode};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// The folder of compiled kernels, shared with `kernel_resources`.
const KEPT: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/kernels");

/// Ampere, Hopper and Blackwell.
const ARCHITECTURES: &[&str] = &["sm_80", "sm_90", "sm_120"];

/// A kernel by the beginning of its name, and its parameters in order: `-` a number, `+` memory
/// that holds secrets, and `=` memory that holds public data. More than is secret may be called so:
/// the points of signatures, a modulus.
struct Signature(&'static str, &'static [&'static str]);

/// Every kernel that gets secrets: see `kernels` of the operations in src/ops and src/schemes whose
/// `is_secret` returns true.
const SECRET: &[Signature] = &[
    Signature(
        "gecc_nonces_with_data_",
        &[
            "=digests",
            "+keys",
            "-key_stride",
            "+additional",
            "-additional_stride",
            "+nonces",
            "=status",
            "-n",
        ],
    ),
    Signature(
        "gecc_nonces_",
        &[
            "=digests",
            "+keys",
            "-key_stride",
            "+nonces",
            "=status",
            "-n",
        ],
    ),
    Signature(
        "gecc_secret_scalars",
        &["+keys", "-key_stride", "+scalars", "=status", "-n"],
    ),
    Signature("gecc_fpmul_uniform", &["+scalars", "=table", "+xyz", "-n"]),
    Signature(
        "gecc_upmul_uniform",
        &[
            "+scalars",
            "+xy",
            "=kinds",
            "+tables",
            "+xyz",
            "=next_tile",
            "-n",
        ],
    ),
    // The digits of the scalar choose addresses, for all items alike, as its documentation states
    // (silent payments).
    Signature(
        "gecc_upmul_fixed",
        &[
            "=scalars",
            "+xy",
            "=kinds",
            "+tables",
            "+xyz",
            "=next_tile",
            "-n",
        ],
    ),
    Signature(
        "gecc_normalize",
        &[
            "+xyz",
            "+out_xy",
            "=out_kinds",
            "-use_kinds",
            "+prefixes",
            "-n",
        ],
    ),
    Signature(
        "gecc_ecdsa_sign",
        &[
            "=digests",
            "+keys",
            "-key_stride",
            "+nonces",
            "+r_xy",
            "=r_kinds",
            "-low_s",
            "=signatures",
            "=recovery_ids",
            "=status",
            "+prefixes",
            "-n",
        ],
    ),
    Signature(
        "gecc_sm2_sign",
        &[
            "=digests",
            "+keys",
            "-key_stride",
            "+nonces",
            "+r_xy",
            "=r_kinds",
            "=signatures",
            "=status",
            "+prefixes",
            "-n",
        ],
    ),
    Signature(
        "gecc_bip340_nonces",
        &[
            "=data",
            "=offsets",
            "+keys",
            "-key_stride",
            "+auxiliary",
            "-auxiliary_stride",
            "+xy",
            "=kinds",
            "+nonces",
            "=status",
            "-n",
        ],
    ),
    Signature(
        "gecc_bip340_sign",
        &[
            "=data",
            "=offsets",
            "=on_device",
            "+keys",
            "-key_stride",
            "+xy",
            "=kinds",
            "+nonces",
            "+r_xy",
            "=r_kinds",
            "=signatures",
            "=status",
            "-n",
        ],
    ),
    Signature(
        "gecc_silent_tweaks",
        &[
            "+xy",
            "=kinds",
            "=counters",
            "+tweaks",
            "=tweak_kinds",
            "+rows",
            "-row_bytes",
            "-n",
        ],
    ),
    Signature(
        "gecc_silent_outputs",
        &[
            "+xy",
            "+prefixes",
            "=kinds",
            "=spend_xy",
            "-spend_count",
            "-which",
            "+rows",
            "-row_bytes",
            "-n",
        ],
    ),
    Signature(
        "gecc_x25519_multiply",
        &[
            "+keys",
            "-key_stride",
            "=peers",
            "-peer_stride",
            "+fractions",
            "-n",
        ],
    ),
    Signature(
        "gecc_x25519_encode",
        &[
            "+fractions",
            "=statuses",
            "-status_stride",
            "-rejects_zero",
            "+rows",
            "=codes",
            "+prefixes",
            "-n",
        ],
    ),
    Signature(
        "gecc_ed25519_expand",
        &["+seeds", "-seed_stride", "+keys", "+scalars", "-n"],
    ),
    Signature(
        "gecc_ed25519_nonces",
        &[
            "+keys",
            "-key_stride",
            "=dom2",
            "-dom2_bytes",
            "=data",
            "=offsets",
            "+nonces",
            "-n",
        ],
    ),
    Signature(
        "gecc_ed25519_multiply",
        &["+scalars", "=table", "+xyz", "-n"],
    ),
    Signature(
        "gecc_ed25519_encode",
        &["+xyz", "=rows", "-row_stride", "+prefixes", "-n"],
    ),
    Signature(
        "gecc_ed25519_sign",
        &[
            "+keys",
            "-key_stride",
            "=public_keys",
            "-public_stride",
            "=dom2",
            "-dom2_bytes",
            "=data",
            "=offsets",
            "+nonces",
            "=signatures",
            "-n",
        ],
    ),
    Signature(
        "gecc_edwards_multiply",
        &["+scalars", "+xy", "+multiples", "+xyz", "=next_tile", "-n"],
    ),
    Signature(
        "gecc_ristretto255_halves",
        &["+keys", "-key_stride", "+halves", "=statuses", "-n"],
    ),
    Signature(
        "gecc_ristretto255_decode",
        &["+elements", "-element_stride", "+xy", "=kinds", "-n"],
    ),
    Signature(
        "gecc_ristretto255_encode",
        &[
            "+xyz",
            "=statuses",
            "=kinds",
            "+rows",
            "=codes",
            "+prefixes",
            "-n",
        ],
    ),
    Signature(
        "gecc_ristretto255_expand",
        &[
            "+data",
            "=offsets",
            "=suffix",
            "-suffix_bytes",
            "=tail",
            "-tail_blocks",
            "+uniform",
            "-n",
        ],
    ),
    Signature("gecc_ristretto255_map", &["+uniform", "+rows", "-n"]),
    Signature(
        "gecc_hash_to_curve",
        &[
            "+data",
            "=offsets",
            "=suffix",
            "-suffix_bytes",
            "=tail",
            "-tail_blocks",
            "+xyz",
            "-n",
        ],
    ),
    Signature(
        "gecc_encode_to_curve",
        &[
            "+data",
            "=offsets",
            "=suffix",
            "-suffix_bytes",
            "=tail",
            "-tail_blocks",
            "+xyz",
            "-n",
        ],
    ),
    Signature(
        "gecc_export_masked",
        &["+xy", "=kinds", "-is_tagged", "-row_bytes", "+rows", "-n"],
    ),
    Signature("gecc_export_points_raw", &["+xy", "=kinds", "+rows", "-n"]),
    Signature("gecc_export_x", &["+xy", "=kinds", "+rows", "-n"]),
    Signature(
        "gecc_rows_to_columns",
        &["+rows", "-row_bytes", "+columns", "-words", "-n"],
    ),
    Signature(
        "gecc_columns_to_rows",
        &["+columns", "-words", "+rows", "-n"],
    ),
    Signature(
        "gecc_modexp_",
        &[
            "+results",
            "=status",
            "+bases",
            "+exponents",
            "-exponent_words",
            "+modulus",
            "+parameters",
            "-n",
        ],
    ),
    Signature(
        "gecc_mul_mod_",
        &["+results", "=status", "+a", "+b", "+modulus", "-n"],
    ),
    Signature(
        "gecc_square_mod_",
        &["+results", "=status", "+a", "+modulus", "-n"],
    ),
];

/// Kernels of the same files that get public data only.
const PUBLIC: &[&str] = &[
    "gecc_import_",
    "gecc_export_field",
    "gecc_point_codes",
    "gecc_reopen",
    "gecc_fpmul_var",
    "gecc_upmul_var",
    "gecc_bip340_equations",
    "gecc_bip340_reopen",
    "gecc_silent_input_hashes",
    "gecc_ed25519_uniform_table",
];

/// Some kernels that branch on their scalars and use them as table indices: the leaks that must be
/// found, were the scalars secret.
const LEAKY: &[Signature] = &[
    Signature(
        "gecc_fpmul_var",
        &["+scalars", "=table", "-bits", "+xyz", "-n"],
    ),
    Signature(
        "gecc_upmul_var",
        &[
            "+scalars",
            "+xy",
            "=kinds",
            "+tables",
            "+xyz",
            "=next_tile",
            "-n",
        ],
    ),
];

const FILES: &[&str] = &[
    "nonces",
    "fpmul",
    "upmul",
    "normalize",
    "sign",
    "bip340",
    "bip340_silent",
    "ed25519_sign",
    "edwards_multiply",
    "ristretto255",
    "x25519",
    "layout",
    "results",
    "rows",
    "hash_to_curve",
    "mask",
    "modexp",
    "mul_mod",
];

pub fn secrets_do_not_affect_branches_or_addresses() {
    let list = List::read("kernels.txt");
    let mut findings = BTreeSet::new();
    for (architecture, code) in compiled() {
        let cubin = Elf::new(&code.cubin);
        for kernel in sass::kernels(&cubin) {
            let signature = SECRET
                .iter()
                .find(|signature| kernel.starts_with(signature.0));
            let is_public = PUBLIC.iter().any(|name| kernel.starts_with(name));
            assert!(
                signature.is_some() != is_public,
                "{kernel} gets secrets, or it does not"
            );
            let found = signature
                .map(|signature| find(&cubin, kernel, architecture, signature))
                .unwrap_or_default();
            for finding in found.iter().filter(|finding| !list.has(finding)) {
                println!("{architecture}, {}: {finding}", code.curve);
            }
            findings.extend(found);
        }
    }
    list.check(&findings);
}

pub fn leaks_are_found() {
    let mut leaky = 0;
    for (architecture, code) in compiled() {
        let cubin = Elf::new(&code.cubin);
        for kernel in sass::kernels(&cubin) {
            let Some(signature) = LEAKY.iter().find(|signature| kernel == signature.0) else {
                continue;
            };
            let found = find(&cubin, kernel, architecture, signature);
            for kind in ["branches", "addresses"] {
                let is_found = found.iter().any(|finding| finding.contains(kind));
                assert!(
                    is_found,
                    "{architecture}, {}, {kernel}, {kind}: {found:?}",
                    code.curve
                );
            }
            leaky += 1;
        }
    }
    macro_rules! count {
        ([] $($curve:ident $name:ident $module:tt $reference:tt;)*) => { [$(stringify!($name)),*].len() };
    }
    assert_eq!(
        leaky,
        LEAKY.len() * gecc::for_each_curve!(count!) * ARCHITECTURES.len()
    );
}

/// The files for every curve and architecture, compiled once.
fn compiled() -> &'static [(&'static str, MachineCode)] {
    static COMPILED: OnceLock<Vec<(&str, MachineCode)>> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let mut all = Vec::new();
        for &architecture in ARCHITECTURES {
            let compiled = kernels::machine_code(architecture, FILES, KEPT.as_ref());
            let compiled = compiled.unwrap_or_else(|problem| panic!("{problem}"));
            all.extend(compiled.into_iter().map(|code| (architecture, code)));
        }
        all
    })
}

/// Describes the leaks of a kernel.
fn find(cubin: &Elf, kernel: &str, architecture: &str, signature: &Signature) -> BTreeSet<String> {
    let (instructions, parameters) = sass::kernel(cubin, kernel, architecture);
    assert_eq!(
        parameters,
        signature.1.len(),
        "{kernel} has other parameters"
    );
    let mut regions = [Region::Value; REGIONS];
    for (region, parameter) in regions.iter_mut().zip(signature.1) {
        *region = match parameter.as_bytes()[0] {
            b'+' => Region::Secret,
            b'=' => Region::Public(0),
            _ => Region::Value,
        };
    }
    let code = Code {
        instructions,
        regions,
        entry: Vec::new(),
        stack_is_one: false,
    };
    let found = leaks(&code);
    let mut descriptions = BTreeSet::new();
    for (_, leak) in &found {
        let count = found.iter().filter(|(_, other)| other == leak).count();
        let description = match leak {
            Leak::Branch => format!("branches on secrets: {count}"),
            Leak::Address => format!("addresses made of secrets: {count}"),
            Leak::Lane => "lanes chosen by secrets to exchange registers with".to_owned(),
            Leak::Public(number) => format!("secrets in {}", &signature.1[*number][1..]),
            Leak::Unknown => format!("addresses of unknown origin: {count}"),
            Leak::Argument => unreachable!("every function of a kernel is analysed"),
        };
        descriptions.insert(format!("{kernel}: {description}"));
    }
    descriptions
}
