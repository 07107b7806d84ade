//! Generated Rust code: a module of constants per curve.

use crate::derive::{Glv, Modulus, Reduction};
use crate::params::{ChainStep, Curve};
use num_bigint::{BigInt, BigUint};
use std::fmt::Write;

/// Returns the module of constants of one curve: numbers as little-endian limbs of 64 bits.
pub fn constants(curve: &Curve) -> String {
    let mut out = String::new();
    for (name, value) in [
        ("A", &curve.a),
        ("B", &curve.b),
        ("GX", &curve.gx),
        ("GY", &curve.gy),
    ] {
        constant(&mut out, name, value);
    }
    // As the field's elements are stored.
    constant(
        &mut out,
        "STORED_A",
        &curve.reduction.stored(&curve.a, &curve.p),
    );
    writeln!(
        out,
        "    pub const FOLDS: bool = {};",
        curve.reduction == Reduction::Fold
    )
    .unwrap();
    let steps = steps(&curve.sqrt_chain);
    writeln!(
        out,
        "    pub const SQRT_CHAIN: &[(u32, Option<usize>)] = &[{steps}];"
    )
    .unwrap();
    modulus_constants(&mut out, "P", &curve.p);
    modulus_constants(&mut out, "N", &curve.n);
    if let Some(endomorphism) = &curve.endomorphism {
        let glv = Glv::new(curve, endomorphism);
        constant(&mut out, "BETA", &endomorphism.beta);
        constant(&mut out, "LAMBDA", &endomorphism.lambda);
        constant(&mut out, "GLV_G1", &glv.g1);
        constant(&mut out, "GLV_G2", &glv.g2);
        for (name, value) in [
            ("A1", &glv.a1),
            ("B1", &glv.b1),
            ("A2", &glv.a2),
            ("B2", &glv.b2),
        ] {
            let words = twos_complement(value);
            writeln!(
                out,
                "    pub const GLV_{name}: [u64; 3] = {};",
                array(&words)
            )
            .unwrap();
        }
    }
    if let Some(map) = &curve.map {
        for (name, value) in [
            ("MAP_Z", &map.z),
            ("MAP_A", &map.a),
            ("MAP_B", &map.b),
            ("MAP_ROOT_OF_MINUS_Z", &map.root_of_minus_z),
        ] {
            constant(&mut out, name, value);
        }
        if let Some(isogeny) = &map.isogeny {
            constants_of(&mut out, "MAP_ISOGENY_X", &isogeny.x_num);
            constants_of(&mut out, "MAP_ISOGENY_Y", &isogeny.y_num);
            constant(&mut out, "MAP_ISOGENY_KERNEL", &isogeny.x_of_kernel);
        }
    }
    format!("pub mod {} {{\n{out}}}\n", curve.name)
}

/// Emits a number of a module of constants.
pub fn constant(out: &mut String, name: &str, value: &BigUint) {
    writeln!(
        out,
        "    pub const {name}: [u64; 4] = {};",
        array(&words(value, 4))
    )
    .unwrap();
}

/// Emits an array of numbers.
fn constants_of(out: &mut String, name: &str, values: &[BigUint]) {
    let rows: Vec<String> = values.iter().map(|value| array(&words(value, 4))).collect();
    writeln!(
        out,
        "    pub const {name}: [[u64; 4]; {}] = [{}];",
        rows.len(),
        rows.join(", ")
    )
    .unwrap();
}

/// Emits a modulus and the constants for arithmetic modulo it.
pub fn modulus_constants(out: &mut String, name: &str, value: &BigUint) {
    let modulus = Modulus::new(value);
    constant(out, name, value);
    constant(out, &format!("{name}_R"), &modulus.r);
    constant(out, &format!("{name}_R2"), &modulus.r2);
    writeln!(
        out,
        "    pub const {name}_INV: u64 = {:#x};",
        modulus.neg_inverse_64
    )
    .unwrap();
    writeln!(
        out,
        "    pub const {name}_INV62: u64 = {:#x};",
        modulus.inverse_62
    )
    .unwrap();
}

/// Returns the steps of a chain, separated by commas.
pub fn steps(chain: &[ChainStep]) -> String {
    let steps: Vec<String> = chain
        .iter()
        .map(|step| format!("({}, {:?})", step.squarings, step.factor))
        .collect();
    steps.join(", ")
}

/// Returns little-endian words, padded with zeros.
fn words(value: &BigUint, count: usize) -> Vec<u64> {
    let mut words = value.to_u64_digits();
    assert!(words.len() <= count, "the value must fit");
    words.resize(count, 0);
    words
}

/// Returns a signed number modulo 2^192.
fn twos_complement(value: &BigInt) -> Vec<u64> {
    let modulus = BigInt::from(1) << 192;
    let residue: BigInt = (value % &modulus + &modulus) % &modulus;
    words(residue.magnitude(), 3)
}

fn array(words: &[u64]) -> String {
    let words: Vec<String> = words.iter().map(|w| format!("{w:#018x}")).collect();
    format!("[{}]", words.join(", "))
}
