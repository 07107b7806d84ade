//! The curves that `--curve` names: the one place where a name becomes a curve of the library.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use gecc::Curve;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub enum CurveName {
    Secp256k1,
    P256,
    Sm2,
}

/// Work that depends on the scheme that a curve signs with: `by_scheme!(name, Ecdsa<C> => …, Sm2 => …)`.
macro_rules! by_scheme {
    ($name:expr, Ecdsa<$curve:ident> => $ecdsa:expr, Sm2 => $sm2:expr $(,)?) => {
        match $name {
            $crate::curve::CurveName::Secp256k1 => {
                #[allow(dead_code, reason = "not all work names the curve")]
                type $curve = gecc::Secp256k1;
                $ecdsa
            }
            $crate::curve::CurveName::P256 => {
                #[allow(dead_code, reason = "not all work names the curve")]
                type $curve = gecc::P256;
                $ecdsa
            }
            $crate::curve::CurveName::Sm2 => $sm2,
        }
    };
}
pub(crate) use by_scheme;

/// Work that is the same on every curve: `by_curve!(name, C => …)`.
macro_rules! by_curve {
    ($name:expr, $curve:ident => $work:expr) => {
        $crate::curve::by_scheme!(
            $name,
            Ecdsa<$curve> => $work,
            Sm2 => {
                type $curve = gecc::Sm2;
                $work
            },
        )
    };
}
pub(crate) use by_curve;

impl CurveName {
    /// As the library writes it, and the command line.
    pub fn name(self) -> &'static str {
        by_curve!(self, C => C::NAME)
    }
}

/// The curve that was asked for, or all.
pub fn or_all(curve: Option<CurveName>) -> Vec<CurveName> {
    curve.map_or_else(|| CurveName::value_variants().to_vec(), |curve| vec![curve])
}

/// Takes the curves that ECDSA is used with here.
pub fn of_ecdsa() -> impl TypedValueParser<Value = CurveName> {
    let signs = |curve: &&CurveName| by_scheme!(**curve, Ecdsa<C> => true, Sm2 => false);
    let names = CurveName::value_variants().iter().filter(signs).map(|curve| curve.name());
    PossibleValuesParser::new(names).try_map(|name| CurveName::from_str(&name, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_have_the_names_of_the_library() {
        for curve in CurveName::value_variants() {
            assert_eq!(CurveName::from_str(curve.name(), false), Ok(*curve));
        }
    }
}
