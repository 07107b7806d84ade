//! Generated CUDA code: one header of macros per curve, with numbers as little-endian words of 32
//! bits.
//!
//! Field constants are written in the representation of the device code: plain if the reduction is
//! `fold`, otherwise times 2^256 mod p (Montgomery form).

use crate::derive::{Glv, Modulus, Reduction, ShapeOfA};
use crate::map_to_curve::{Isogeny, Map};
use crate::params::{ChainStep, Curve};
use num_bigint::{BigInt, BigUint};
use std::fmt::Write;

/// Returns the text of `curve.cuh` for one curve.
pub fn emit_cuda(curve: &Curve) -> String {
    let mut out = format!(
        "// Generated from curves/{}.toml by the build script.\n#pragma once\n",
        curve.name
    );
    let shape = match curve.reduction {
        Reduction::Fold => "FOLD",
        Reduction::P256 => "P256",
        Reduction::Sm2 => "SM2",
        Reduction::Montgomery => "MONTGOMERY",
    };
    writeln!(out, "#define GECC_REDUCTION_{shape} 1").unwrap();
    let a = ShapeOfA::of(curve);
    writeln!(
        out,
        "#define GECC_A_IS_ZERO {}",
        u8::from(a == ShapeOfA::Zero)
    )
    .unwrap();
    writeln!(
        out,
        "#define GECC_A_IS_MINUS_THREE {}",
        u8::from(a == ShapeOfA::MinusThree)
    )
    .unwrap();
    // Both coordinates of a key (cuda/scheme/key_hash.cuh).
    out.push_str("#define GECC_KEY_WORDS 16\n");
    modulus(&mut out, "P", &curve.p);
    modulus(&mut out, "N", &curve.n);
    sparse_order(&mut out, &curve.n);
    if curve.reduction == Reduction::Fold {
        let complement = (BigUint::from(1u32) << 256) - &curve.p;
        number(&mut out, "FOLD_C", &complement, 2);
    }
    let one = BigUint::from(1u32);
    for (name, value) in [
        ("ONE", &one),
        ("A", &curve.a),
        ("B", &curve.b),
        ("GX", &curve.gx),
        ("GY", &curve.gy),
    ] {
        number(
            &mut out,
            &format!("FIELD_{name}"),
            &field_form(curve, value),
            8,
        );
    }
    domain_parameters(&mut out, curve);
    chain(&mut out, "SQRT", &curve.sqrt_chain);
    if let Some(map) = &curve.map {
        map_to_curve(&mut out, curve, map);
    }
    if let Some(endomorphism) = &curve.endomorphism {
        let glv = Glv::new(curve, endomorphism);
        writeln!(out, "#define GECC_HAS_ENDOMORPHISM 1").unwrap();
        number(
            &mut out,
            "FIELD_BETA",
            &field_form(curve, &endomorphism.beta),
            8,
        );
        number(&mut out, "GLV_G1", &glv.g1, 8);
        number(&mut out, "GLV_G2", &glv.g2, 8);
        for (name, value) in [
            ("A1", &glv.a1),
            ("B1", &glv.b1),
            ("A2", &glv.a2),
            ("B2", &glv.b2),
        ] {
            number(
                &mut out,
                &format!("GLV_{name}"),
                &twos_complement(value, 160),
                5,
            );
        }
    }
    out
}

/// Emits m, R mod m, R^2 mod m, R^3 mod m (R = 2^256), -m^-1 mod 2^32 and m^-1 mod 2^30.
pub fn modulus(out: &mut String, prefix: &str, value: &BigUint) {
    let modulus = Modulus::new(value);
    number(out, prefix, value, 8);
    number(out, &format!("{prefix}_R"), &modulus.r, 8);
    number(out, &format!("{prefix}_R2"), &modulus.r2, 8);
    number(
        out,
        &format!("{prefix}_R3"),
        &(&modulus.r * &modulus.r2 % value),
        8,
    );
    let negated_inverse = modulus.neg_inverse_64 & 0xffff_ffff;
    writeln!(
        out,
        "#define GECC_{prefix}_NEG_INV32 {negated_inverse:#010x}u"
    )
    .unwrap();
    writeln!(
        out,
        "#define GECC_{prefix}_INV30 {:#010x}u",
        modulus.inverse_62 & ((1 << 30) - 1)
    )
    .unwrap();
}

/// Emits a definition if n = 2^256 - a 2^224 + b 2^192 - c 2^128 + low with a, b in {0, 1}, c in
/// {1, 2} and low below 2^128. The upper half of n then costs a reduction additions instead of
/// multiplications.
fn sparse_order(out: &mut String, n: &BigUint) {
    let one = BigUint::from(1u32);
    let top = n >> 128;
    for (a, b, c) in [
        (0u32, 0u32, 1u32),
        (0, 0, 2),
        (1, 0, 1),
        (1, 0, 2),
        (1, 1, 1),
        (1, 1, 2),
    ] {
        if top == (&one << 128) + (&one << 64) * b - (&one << 96) * a - c {
            writeln!(out, "#define GECC_N_IS_SPARSE 1").unwrap();
            writeln!(out, "#define GECC_N_MINUS_224 {a}").unwrap();
            writeln!(out, "#define GECC_N_PLUS_192 {b}").unwrap();
            writeln!(out, "#define GECC_N_MINUS_128 {c}").unwrap();
        }
    }
}

/// The number of steps up to which a chain stores all powers. For longer chains, which are derived,
/// only powers that are used as factors are stored.
const FEW_STEPS: usize = 16;

/// Emits the parameters of the simplified SWU map and of the isogeny that follows it. Coefficients
/// of polynomials begin with the constant.
fn map_to_curve(out: &mut String, curve: &Curve, map: &Map) {
    writeln!(out, "#define GECC_HAS_MAP_TO_CURVE 1").unwrap();
    let mut field = |name: &str, value: &BigUint| {
        number(
            out,
            &format!("FIELD_MAP_{name}"),
            &field_form(curve, value),
            8,
        );
    };
    field("Z", &map.z);
    field("A", &map.a);
    field("B", &map.b);
    field("ROOT_OF_MINUS_Z", &map.root_of_minus_z);
    if let Some(Isogeny {
        x_num,
        y_num,
        x_of_kernel,
    }) = &map.isogeny
    {
        for (name, numerator) in [("X", x_num), ("Y", y_num)] {
            for (power, coefficient) in numerator.iter().enumerate() {
                field(&format!("ISOGENY_{name}{power}"), coefficient);
            }
        }
        field("ISOGENY_KERNEL", x_of_kernel);
        writeln!(out, "#define GECC_MAP_HAS_ISOGENY 1").unwrap();
    }
    chain(out, "INVERSE_SQRT", &map.inverse_sqrt_chain);
}

/// Emits the chain of a power as PREFIX_STEPS, PREFIX_POWERS and PREFIX_CHAIN. For square roots: if
/// p = 3 mod 4, a square root of a square v is v^((p+1)/4), and 1 / sqrt(v) is v^((p-3)/4); if p is
/// 5 modulo 8, the power is (p-5)/8. A step is the number of squarings, with the index of the
/// factor plus one in the upper half of its word, or 0 for no factor.
pub fn chain(out: &mut String, prefix: &str, chain: &[ChainStep]) {
    let steps = chain
        .iter()
        .map(|step| step.squarings | step.factor.map_or(0, |factor| factor + 1) << 16);
    writeln!(out, "#define GECC_{prefix}_STEPS {}", steps.len()).unwrap();
    let factors = chain
        .iter()
        .filter_map(|step| step.factor)
        .max()
        .map_or(0, |last| last as usize + 1);
    let powers = if steps.len() <= FEW_STEPS {
        steps.len()
    } else {
        factors
    };
    writeln!(out, "#define GECC_{prefix}_POWERS {powers}").unwrap();
    words(out, &format!("{prefix}_CHAIN"), steps);
}

/// Emits a || b || x_G || y_G as big-endian words in byte order, as hashed in Z_A of SM2.
fn domain_parameters(out: &mut String, curve: &Curve) {
    let mut all = Vec::new();
    for value in [&curve.a, &curve.b, &curve.gx, &curve.gy] {
        all.extend(digits(value, 8).into_iter().rev());
    }
    words(out, "DOMAIN_PARAMETERS", all);
}

fn field_form(curve: &Curve, value: &BigUint) -> BigUint {
    curve.reduction.stored(value, &curve.p)
}

fn twos_complement(value: &BigInt, bits: u32) -> BigUint {
    let modulus = BigInt::from(1) << bits;
    ((value % &modulus + &modulus) % &modulus)
        .magnitude()
        .clone()
}

pub fn number(out: &mut String, name: &str, value: &BigUint, count: usize) {
    words(out, name, digits(value, count));
}

fn digits(value: &BigUint, count: usize) -> Vec<u32> {
    let mut digits = value.to_u32_digits();
    assert!(digits.len() <= count, "{value:#x} must fit {count} words");
    digits.resize(count, 0);
    digits
}

/// Emits a braced list of words that initialises a local array.
fn words(out: &mut String, name: &str, words: impl IntoIterator<Item = u32>) {
    let list: Vec<String> = words
        .into_iter()
        .map(|word| format!("{word:#010x}u"))
        .collect();
    writeln!(out, "#define GECC_{name} {{{}}}", list.join(", ")).unwrap();
}
