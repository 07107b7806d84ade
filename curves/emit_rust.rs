//! Generated Rust code: per curve a module of constants, its two moduli, and the public type with
//! its traits; and macros that iterate over the curves.

use crate::derive::{Glv, Modulus, Reduction, ShapeOfA};
use crate::params::{ChainStep, Curve};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeSet;
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

/// Returns the types of the moduli p and n of one curve; `src/cpu/field/moduli.rs` includes the
/// text.
pub fn moduli(curve: &Curve) -> String {
    let name = &curve.name;
    let type_name = &curve.type_name;
    format!(
        "{}{}
impl PrimeOfCoordinates for {type_name}P {{
    const SQRT_CHAIN: SqrtChain = constants::{name}::SQRT_CHAIN;
}}
",
        modulus_type(name, type_name, "P"),
        modulus_type(name, type_name, "N")
    )
}

/// Returns the type of the modulus p or n of a curve.
pub fn modulus_type(name: &str, type_name: &str, letter: &str) -> String {
    format!(
        r#"
/// The modulus {letter} of {name}.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct {type_name}{letter};

impl Modulus for {type_name}{letter} {{
    const M: Limbs = constants::{name}::{letter};
    const R: Limbs = constants::{name}::{letter}_R;
    const R2: Limbs = constants::{name}::{letter}_R2;
    const NEG_INV64: u64 = constants::{name}::{letter}_INV;
    const INV62: u64 = constants::{name}::{letter}_INV62;
}}
"#
    )
}

/// Returns the public type of one curve; `src/curve.rs` includes the text.
pub fn curve_type(curve: &Curve) -> String {
    let name = &curve.name;
    let type_name = &curve.type_name;
    let standard = &curve.standard;
    let ecdsa = match curve.offers("ecdsa") {
        false => String::new(),
        true => format!(
            "
impl EcdsaCurve for {type_name} {{
    const LOW_S_BY_DEFAULT: bool = {};
}}
",
            curve.low_s
        ),
    };
    format!(
        r#"
/// The curve {name} ({standard}).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct {type_name};

impl sealed::Sealed for {type_name} {{}}

impl Curve for {type_name} {{
    const ID: CurveId = CurveId::{type_name};
}}
{ecdsa}"#
    )
}

/// Concatenates a text for each curve.
fn concat(curves: &[Curve], text: impl Fn(&Curve) -> String) -> String {
    curves.iter().map(text).collect()
}

/// Returns the arm of `per_curve!` for a scheme.
fn instances_of_scheme(curves: &[Curve], scheme: &str) -> String {
    let instances = concat(curves, |curve| match curve.offers(scheme) {
        true => format!(
            "Some($($function)::+::<$crate::curve::{}>), ",
            curve.type_name
        ),
        false => "None, ".to_owned(),
    });
    format!(
        "    ({scheme} $($function:ident)::+) => {{ $crate::curve::PerCurve([{instances}]) }};\n"
    )
}

/// Returns the method of `CurveId` for a scheme.
fn has_scheme(curves: &[Curve], scheme: &str) -> String {
    let offering = curves.iter().filter(|curve| curve.offers(scheme));
    let ids: Vec<String> = offering
        .map(|curve| format!("CurveId::{}", curve.type_name))
        .collect();
    let ids = ids.join(" | ");
    format!(
        "
    /// Returns whether [`crate::{scheme}`] supports the curve.
    pub const fn has_{scheme}(self) -> bool {{
        matches!(self, {ids})
    }}
"
    )
}

/// Returns the list of curves as an enumeration; `src/curve.rs` includes the text.
pub fn curve_list(curves: &[Curve]) -> String {
    let variants = concat(curves, |it| {
        format!(
            "    /// {} ({}).\n    {},\n",
            it.name, it.standard, it.type_name
        )
    });
    let all = concat(curves, |it| format!("CurveId::{}, ", it.type_name));
    let names = concat(curves, |it| {
        format!(
            "            CurveId::{} => \"{}\",\n",
            it.type_name, it.name
        )
    });
    let oids = concat(curves, |it| {
        format!("            CurveId::{} => \"{}\",\n", it.type_name, it.oid)
    });
    let aliases = concat(curves, |it| {
        format!(
            "            CurveId::{} => &{:?},\n",
            it.type_name, it.aliases
        )
    });
    let instances = concat(curves, |it| {
        format!("$($function)::+::<$crate::curve::{}>, ", it.type_name)
    });
    let schemes = schemes(curves);
    let of_schemes: String = schemes
        .iter()
        .map(|scheme| instances_of_scheme(curves, scheme))
        .collect();
    let has_schemes: String = schemes
        .iter()
        .map(|scheme| has_scheme(curves, scheme))
        .collect();
    let low_s = concat(curves, |it| {
        format!("            CurveId::{} => {},\n", it.type_name, it.low_s)
    });
    format!(
        r#"
/// A curve, chosen when the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum CurveId {{
{variants}}}

impl CurveId {{
    /// All curves.
    pub const ALL: &'static [CurveId] = &[{all}];

    /// Returns the name of the curve, as used on the command line and in its curve file.
    pub const fn name(self) -> &'static str {{
        match self {{
{names}        }}
    }}

    /// Returns the object identifier, in digits and dots.
    pub const fn oid(self) -> &'static str {{
        match self {{
{oids}        }}
    }}

    /// Returns further names of the curve in standards and programs, one spelling of each.
    pub const fn aliases(self) -> &'static [&'static str] {{
        match self {{
{aliases}        }}
    }}

{has_schemes}
    /// Returns whether ECDSA produces low s by default.
    pub(crate) const fn has_low_s_by_default(self) -> bool {{
        match self {{
{low_s}        }}
    }}
}}

/// Expands to one instance of a generic function per curve, compiled where the macro is used. With
/// the name of a scheme before the function, only curves that offer the scheme have an instance.
macro_rules! per_curve {{
{of_schemes}    ($($function:ident)::+) => {{ $crate::curve::PerCurve([{instances}]) }};
}}
pub(crate) use per_curve;
"#
    )
}

/// Returns the CPU engine's constants of a curve; `src/cpu/curves.rs` includes the text.
pub fn cpu_curve(curve: &Curve) -> String {
    let name = &curve.name;
    let type_name = &curve.type_name;
    let endomorphism = match curve.endomorphism {
        None => "None".to_owned(),
        Some(_) => format!(
            "{{
        use constants::{name} as c;
        Some(Endomorphism {{
            beta: c::BETA,
            g1: c::GLV_G1,
            g2: c::GLV_G2,
            a1: c::GLV_A1,
            b1: c::GLV_B1,
            a2: c::GLV_A2,
            b2: c::GLV_B2,
        }})
    }}"
        ),
    };
    let field = match curve.reduction {
        Reduction::Fold => "Fold",
        Reduction::P256 => "MontgomeryP256",
        Reduction::Sm2 => "MontgomerySm2",
        Reduction::Montgomery => "Montgomery",
    };
    let a = match ShapeOfA::of(curve) {
        ShapeOfA::Zero => "CoefficientA::Zero".to_owned(),
        ShapeOfA::MinusThree => "CoefficientA::MinusThree".to_owned(),
        ShapeOfA::General => {
            format!(
                "CoefficientA::General({})",
                array(&words(&curve.reduction.stored(&curve.a, &curve.p), 4))
            )
        }
    };
    format!(
        r#"
impl CpuCurve for {type_name} {{
    type Base = field::{field}<field::moduli::{type_name}P>;
    type Scalar = field::Montgomery<field::moduli::{type_name}N>;
    const A: CoefficientA = {a};
    const B: [u64; 4] = constants::{name}::B;
    const G: ([u64; 4], [u64; 4]) = (constants::{name}::GX, constants::{name}::GY);
    const N: [u64; 4] = constants::{name}::N;
    const ENDOMORPHISM: Option<Endomorphism> = {endomorphism};
    fn constants_place() -> &'static OnceLock<FieldConstants<Self::Base>> {{
        static CONSTANTS: OnceLock<FieldConstants<<{type_name} as CpuCurve>::Base>> = OnceLock::new();
        &CONSTANTS
    }}
}}
"#
    )
}

/// Returns the cells for the tables of a curve of any form; the `tables` of its engine includes the
/// text.
pub fn tables(type_name: &str) -> String {
    format!(
        r#"
impl BaseTables for {type_name} {{
    fn tables() -> &'static Precomputed<Self> {{
        static TABLES: Precomputed<{type_name}> = Precomputed::new();
        &TABLES
    }}
}}
"#
    )
}

/// Returns the type of one curve in its RustCrypto crate; `src/cpu/secret.rs` includes the text.
pub fn reference(curve: &Curve) -> String {
    let Curve {
        type_name,
        reference,
        ..
    } = curve;
    format!(
        r#"
impl SecretCurve for {type_name} {{
    type Reference = {reference};
}}
"#
    )
}

/// Returns macros that iterate over all curves, and over those of each scheme. `src/lib.rs`
/// includes the text.
pub fn lists(curves: &[Curve]) -> String {
    let mut text = list("curve", curves.iter());
    for scheme in schemes(curves) {
        text += &list(
            &format!("{scheme}_curve"),
            curves.iter().filter(|curve| curve.offers(scheme)),
        );
    }
    text
}

/// Returns the schemes that curves offer, each once.
pub fn schemes(curves: &[Curve]) -> BTreeSet<&str> {
    curves
        .iter()
        .flat_map(|curve| &curve.schemes)
        .map(String::as_str)
        .collect()
}

/// Returns the macro `for_each_NAME!`, which iterates over some curves.
fn list<'a>(name: &str, curves: impl Iterator<Item = &'a Curve>) -> String {
    let mut items = String::new();
    for Curve {
        name,
        type_name,
        reference,
        ..
    } in curves
    {
        let (module, _) = reference
            .rsplit_once("::")
            .expect("it was checked to be a path");
        writeln!(
            items,
            "            {type_name} {name} [::{module}] [::{reference}];"
        )
        .unwrap();
    }
    format!(
        "
/// `for_each_{name}!(callback! any tokens)` expands to a call of `callback!` with these tokens in
/// brackets, followed by `Type name [module of its RustCrypto crate] [its type there];` per curve.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_{name} {{
    ($callback:ident! $($tokens:tt)*) => {{
        $callback! {{
            [$($tokens)*]
{items}        }}
    }};
}}
"
    )
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
