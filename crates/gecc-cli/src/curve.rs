//! The values of `--curve`, which are all curves of the library, and of `--scheme`.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, ValueEnum};
use gecc::{CurveId, UnknownCurve};
use std::ffi::OsStr;

/// A scheme of signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scheme {
    /// ECDSA, on the curve of --curve.
    Ecdsa,
    /// SM2.
    Sm2,
    /// Schnorr signatures of BIP 340, on secp256k1.
    Bip340,
    /// Ed25519, on its own curve, which --curve does not name.
    Ed25519,
}

/// A signature scheme, with its curve if it supports several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChosenScheme {
    Ecdsa(CurveId),
    Sm2,
    Bip340,
    Ed25519,
}

impl ChosenScheme {
    /// Determines the scheme from `--curve` and `--scheme`, one of which may be omitted.
    pub fn of(curve: Option<CurveId>, scheme: Option<Scheme>) -> Result<Self, String> {
        match (scheme, curve) {
            (None, None) => Err("neither --curve nor --scheme is given".to_owned()),
            (Some(scheme), Some(curve)) if !scheme.is_on(curve) => {
                Err(format!("there is no {} on {curve}", scheme.name()))
            }
            (Some(Scheme::Ecdsa), None) => {
                Err("ECDSA exists on several curves: choose one with --curve".to_owned())
            }
            // The default scheme of the curve.
            (None, Some(curve)) if curve.has_sm2() => Ok(ChosenScheme::Sm2),
            (None | Some(Scheme::Ecdsa), Some(curve)) => Ok(ChosenScheme::Ecdsa(curve)),
            (Some(Scheme::Sm2), _) => Ok(ChosenScheme::Sm2),
            (Some(Scheme::Bip340), _) => Ok(ChosenScheme::Bip340),
            (Some(Scheme::Ed25519), _) => Ok(ChosenScheme::Ed25519),
        }
    }

    pub fn scheme(self) -> Scheme {
        match self {
            ChosenScheme::Ecdsa(_) => Scheme::Ecdsa,
            ChosenScheme::Sm2 => Scheme::Sm2,
            ChosenScheme::Bip340 => Scheme::Bip340,
            ChosenScheme::Ed25519 => Scheme::Ed25519,
        }
    }
}

impl Scheme {
    fn is_on(self, curve: CurveId) -> bool {
        match self {
            Scheme::Ecdsa => curve.has_ecdsa(),
            Scheme::Sm2 => curve.has_sm2(),
            Scheme::Bip340 => curve.has_bip340(),
            // Ed25519 has a curve of its own, which is not among these.
            Scheme::Ed25519 => false,
        }
    }

    /// Returns the name used in text.
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Ecdsa => "ECDSA",
            Scheme::Sm2 => "SM2",
            Scheme::Bip340 => "BIP 340",
            Scheme::Ed25519 => "Ed25519",
        }
    }
}

/// A curve of private and public keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyCurve {
    /// A curve of the library.
    Named(CurveId),
    /// curve25519, with the keys of X25519.
    X25519,
}

impl KeyCurve {
    /// The name on the command line.
    pub const X25519_NAME: &str = "x25519";
    /// Other names: that of the curve in RFC 7748, and the identifier of RFC 8410.
    const OTHER_X25519_NAMES: [&str; 2] = ["curve25519", "1.3.101.110"];

    fn is_x25519(name: &str) -> bool {
        [Self::X25519_NAME]
            .iter()
            .chain(&Self::OTHER_X25519_NAMES)
            .any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// Parses the name of a curve of keys. Help and completions list one name of each.
pub fn of_keys() -> impl TypedValueParser<Value = KeyCurve> {
    KeyCurveParser
}

#[derive(Clone)]
struct KeyCurveParser;

impl TypedValueParser for KeyCurveParser {
    type Value = KeyCurve;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<KeyCurve, clap::Error> {
        // A function from text to value is a parser, which adds the argument to error messages.
        parse_key_curve.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue>>> {
        let curves = CurveId::ALL.iter().map(|curve| curve.name());
        let names = curves.chain([KeyCurve::X25519_NAME]);
        Some(Box::new(names.map(PossibleValue::new)))
    }
}

fn parse_key_curve(name: &str) -> Result<KeyCurve, String> {
    if KeyCurve::is_x25519(name) {
        return Ok(KeyCurve::X25519);
    }
    name.parse()
        .map(KeyCurve::Named)
        .map_err(|problem: UnknownCurve| {
            format!(
                "{problem}, {} (also {})",
                KeyCurve::X25519_NAME,
                KeyCurve::OTHER_X25519_NAMES.join(", ")
            )
        })
}

/// Parses the name of a curve.
pub fn any() -> impl TypedValueParser<Value = CurveId> {
    CurveParser(|_| true)
}

/// Parses the name of a curve that supports ECDSA here.
pub fn of_ecdsa() -> impl TypedValueParser<Value = CurveId> {
    CurveParser(CurveId::has_ecdsa)
}

/// A parser that accepts a subset of the curves by any of their names. Help and completions list
/// one name of each.
#[derive(Clone)]
struct CurveParser(fn(CurveId) -> bool);

impl TypedValueParser for CurveParser {
    type Value = CurveId;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<CurveId, clap::Error> {
        let accepts = self.0;
        // A function from text to value is a parser, which adds the argument to error messages.
        (move |name: &str| parse_accepted(name, accepts)).parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue>>> {
        let accepts = self.0;
        let curves = CurveId::ALL.iter().filter(move |curve| accepts(**curve));
        Some(Box::new(
            curves.map(|curve| PossibleValue::new(curve.name())),
        ))
    }
}

/// Parses the name of a curve that is used for ECDSA, as `accepts` determines.
fn parse_accepted(name: &str, accepts: fn(CurveId) -> bool) -> Result<CurveId, String> {
    let curve: CurveId = name
        .parse()
        .map_err(|problem: UnknownCurve| problem.to_string())?;
    if accepts(curve) {
        return Ok(curve);
    }
    let others: Vec<&str> = CurveId::ALL
        .iter()
        .filter(|curve| accepts(**curve))
        .map(|curve| curve.name())
        .collect();
    Err(format!(
        "ECDSA is not used on {curve}, but on {}",
        others.join(", ")
    ))
}

/// Returns the requested curve, or all curves.
pub fn or_all(curve: Option<CurveId>) -> Vec<CurveId> {
    curve.map_or_else(|| CurveId::ALL.to_vec(), |curve| vec![curve])
}
