//! The curves: one type each, and one list of them, generated from `curves/NAME.toml`.

use crate::types::is_same_name;
use std::fmt;
use std::str::FromStr;

/// Numbers that `build.rs` derived from the curve files.
pub mod constants {
    #![allow(dead_code, reason = "every curve gets the same set, and not every curve needs each")]
    include!(concat!(env!("OUT_DIR"), "/constants.rs"));
}

mod sealed {
    /// A curve needs arithmetic in every engine.
    pub trait Sealed {}
}

/// A short Weierstrass curve of prime order over a 256-bit prime field. Sealed.
pub trait Curve: sealed::Sealed + Copy + Send + Sync + 'static {
    /// Which curve this is.
    const ID: CurveId;
    /// The name, as the command line and the curve file write it.
    const NAME: &'static str = Self::ID.name();
}

/// A curve on which ECDSA with SHA-256 is used.
pub trait EcdsaCurve: Curve {
    /// Whether signing gives low s by default, as the curve's RustCrypto crate does.
    const LOW_S_BY_DEFAULT: bool;
}

/// Which curve a call is about: a curve of its own type ([`P256`]), or one that is chosen when the program runs
/// ([`CurveId`]). Sealed.
pub trait CurveChoice: sealed::Sealed + Copy {
    /// The curve.
    fn id(self) -> CurveId;
}

/// Which curve a call of ECDSA is about. A [`CurveId`] without ECDSA ([`CurveId::has_ecdsa`]) is refused when the
/// program runs, with [`crate::Error::NoScheme`]; the type of such a curve is refused when it is compiled. Sealed.
pub trait EcdsaChoice: CurveChoice {}

impl<C: Curve> CurveChoice for C {
    fn id(self) -> CurveId {
        C::ID
    }
}

impl<C: EcdsaCurve> EcdsaChoice for C {}

impl sealed::Sealed for CurveId {}

impl CurveChoice for CurveId {
    fn id(self) -> CurveId {
        self
    }
}

impl EcdsaChoice for CurveId {}

pub use types::*;

/// What `build.rs` wrote: the type of each curve.
pub mod types {
    use super::{Curve, CurveId, EcdsaCurve, sealed};
    include!(concat!(env!("OUT_DIR"), "/curve_types.rs"));
}

include!(concat!(env!("OUT_DIR"), "/curve_list.rs"));

impl fmt::Display for CurveId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No curve has this name. The text lists those that there are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no curve is called `{}`; the curves are {}", crate::fields::shown(name), listed_names())]
pub struct UnknownCurve {
    name: String,
}

/// All curves, each with its other names.
fn listed_names() -> String {
    let of_curve = |curve: &CurveId| format!("{curve} (also {}, {})", curve.aliases().join(", "), curve.oid());
    CurveId::ALL.iter().map(of_curve).collect::<Vec<_>>().join(", ")
}

/// The name of a curve in any of its spellings: its own, one that a standard or another program has, or its object
/// identifier. Case does not matter, and neither do spaces, hyphens, underscores and dots.
///
/// ```
/// use gecc::CurveId;
/// for name in ["p256", "P-256", "NIST P-256", "secp256r1", "prime256v1", "1.2.840.10045.3.1.7"] {
///     assert_eq!(name.parse(), Ok(CurveId::P256));
/// }
/// assert!("P-384".parse::<CurveId>().is_err());
/// ```
impl FromStr for CurveId {
    type Err = UnknownCurve;

    fn from_str(name: &str) -> Result<Self, UnknownCurve> {
        let is_named = |curve: &&CurveId| {
            let names = [curve.name(), curve.oid()].into_iter().chain(curve.aliases().iter().copied());
            names.into_iter().any(|known| is_same_name(known, name))
        };
        let found = CurveId::ALL.iter().find(is_named);
        found.copied().ok_or_else(|| UnknownCurve { name: name.to_owned() })
    }
}

/// Something for each curve, made by `per_curve`.
pub(crate) struct PerCurve<T>(pub [T; CurveId::ALL.len()]);

impl<T: Copy> PerCurve<T> {
    /// That of one curve.
    pub const fn of(&self, curve: CurveId) -> T {
        self.0[curve as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_in_every_spelling_is_of_one_curve() {
        let names = |curve: CurveId| [&[curve.name(), curve.oid()], curve.aliases()].concat();
        let mut all = Vec::new();
        for &curve in CurveId::ALL {
            for name in names(curve) {
                let spellings =
                    [name.to_owned(), name.to_uppercase(), name.to_lowercase(), name.replace(['-', ' '], "_")];
                assert!(spellings.iter().all(|spelling| spelling.parse() == Ok(curve)), "{name}");
                all.push(name);
            }
        }
        let same = |name: &&&str| all.iter().filter(|other| is_same_name(other, name)).count();
        assert_eq!(all.iter().find(|name| same(name) > 1), None, "no two names are the same");
        for name in ["", "P-384", "secp256", "1.2.840.10045.3.1", "p256 ü"] {
            let Err(problem) = name.parse::<CurveId>() else { panic!("{name} is no name") };
            assert!(problem.to_string().contains("sm2 (also sm2p256v1"), "{problem}");
        }
    }
}
