//! The curves that `--curve` names: all that the library has.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use gecc::CurveId;

/// What a curve signs with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    Ecdsa,
    Sm2,
}

impl Scheme {
    pub fn of(curve: CurveId) -> Self {
        if curve.has_sm2() { Scheme::Sm2 } else { Scheme::Ecdsa }
    }
}

/// Takes the name of a curve.
pub fn any() -> impl TypedValueParser<Value = CurveId> {
    one_of(|_| true)
}

/// Takes the curves that ECDSA is used with here.
pub fn of_ecdsa() -> impl TypedValueParser<Value = CurveId> {
    one_of(CurveId::has_ecdsa)
}

fn one_of(is_taken: fn(CurveId) -> bool) -> impl TypedValueParser<Value = CurveId> {
    let names = CurveId::ALL.iter().filter(|curve| is_taken(**curve)).map(|curve| curve.name());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<CurveId>())
}

/// The curve that was asked for, or all.
pub fn or_all(curve: Option<CurveId>) -> Vec<CurveId> {
    curve.map_or_else(|| CurveId::ALL.to_vec(), |curve| vec![curve])
}
