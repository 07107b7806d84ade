//! The curves: a type for each, and lists of them. Their domain parameters are in
//! `curves/NAME.toml`, and `tests/library/curves.rs` compares the lists with these files.

use crate::types::is_same_name;
use std::fmt;
use std::str::FromStr;

/// Constants that the build script derived from the curve files.
pub mod constants {
    #![allow(
        dead_code,
        reason = "every curve gets the same set, and not every curve needs each"
    )]
    include!(concat!(env!("OUT_DIR"), "/constants.rs"));
}

mod sealed {
    /// Prevents implementations elsewhere: a curve needs arithmetic in every engine.
    pub trait Sealed {}
}

/// A short Weierstrass curve of prime order over a 256-bit prime field. Sealed.
pub trait Curve: sealed::Sealed + Copy + Send + Sync + 'static {
    /// The curve's identifier.
    const ID: CurveId;
    /// The curve's name on the command line and in its file.
    const NAME: &'static str = Self::ID.name();
}

/// A curve on which ECDSA with SHA-256 is used.
pub trait EcdsaCurve: Curve {
    /// True if signing produces low s by default, as the curve's RustCrypto crate does.
    const LOW_S_BY_DEFAULT: bool;
}

/// A choice of the curve of a call: the type of a curve ([`P256`]), or a [`CurveId`], which is
/// chosen at run time. Sealed.
pub trait CurveChoice: sealed::Sealed + Copy {
    /// Returns the curve's identifier.
    fn id(self) -> CurveId;
}

/// A choice of the curve of a call to ECDSA. A [`CurveId`] without ECDSA ([`CurveId::has_ecdsa`])
/// is rejected at run time with [`crate::Error::NoScheme`]; the type of such a curve is rejected at
/// compile time. Sealed.
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

/// A type for each curve.
pub mod types {
    use super::{Curve, CurveId, EcdsaCurve, sealed};

    /// The curve brainpoolp256r1 (RFC 5639, section 3.4).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct BrainpoolP256r1;

    impl sealed::Sealed for BrainpoolP256r1 {}

    impl Curve for BrainpoolP256r1 {
        const ID: CurveId = CurveId::BrainpoolP256r1;
    }

    impl EcdsaCurve for BrainpoolP256r1 {
        const LOW_S_BY_DEFAULT: bool = Self::ID.has_low_s_by_default();
    }

    /// The curve p256 (NIST SP 800-186, section 3.2.1.3).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct P256;

    impl sealed::Sealed for P256 {}

    impl Curve for P256 {
        const ID: CurveId = CurveId::P256;
    }

    impl EcdsaCurve for P256 {
        const LOW_S_BY_DEFAULT: bool = Self::ID.has_low_s_by_default();
    }

    /// The curve secp256k1 (SEC 2 v2, section 2.4.1).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Secp256k1;

    impl sealed::Sealed for Secp256k1 {}

    impl Curve for Secp256k1 {
        const ID: CurveId = CurveId::Secp256k1;
    }

    impl EcdsaCurve for Secp256k1 {
        const LOW_S_BY_DEFAULT: bool = Self::ID.has_low_s_by_default();
    }

    /// The curve sm2 (GB/T 32918.5-2017).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Sm2;

    impl sealed::Sealed for Sm2 {}

    impl Curve for Sm2 {
        const ID: CurveId = CurveId::Sm2;
    }
}

/// A curve, chosen when the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum CurveId {
    /// brainpoolp256r1 (RFC 5639, section 3.4).
    BrainpoolP256r1,
    /// p256 (NIST SP 800-186, section 3.2.1.3).
    P256,
    /// secp256k1 (SEC 2 v2, section 2.4.1).
    Secp256k1,
    /// sm2 (GB/T 32918.5-2017).
    Sm2,
}

impl CurveId {
    /// All curves.
    pub const ALL: &'static [CurveId] = &[
        CurveId::BrainpoolP256r1,
        CurveId::P256,
        CurveId::Secp256k1,
        CurveId::Sm2,
    ];

    /// Returns the name of the curve, as used on the command line and in its curve file.
    pub const fn name(self) -> &'static str {
        match self {
            CurveId::BrainpoolP256r1 => "brainpoolp256r1",
            CurveId::P256 => "p256",
            CurveId::Secp256k1 => "secp256k1",
            CurveId::Sm2 => "sm2",
        }
    }

    /// Returns the object identifier, in digits and dots.
    pub const fn oid(self) -> &'static str {
        match self {
            CurveId::BrainpoolP256r1 => "1.3.36.3.3.2.8.1.1.7",
            CurveId::P256 => "1.2.840.10045.3.1.7",
            CurveId::Secp256k1 => "1.3.132.0.10",
            CurveId::Sm2 => "1.2.156.10197.1.301",
        }
    }

    /// Returns further names of the curve in standards and programs, one spelling of each.
    pub const fn aliases(self) -> &'static [&'static str] {
        match self {
            CurveId::BrainpoolP256r1 => &["bp256r1", "BP-256"],
            CurveId::P256 => &["secp256r1", "prime256v1", "NIST P-256", "ansip256r1"],
            CurveId::Secp256k1 => &["k256", "P-256K", "ansip256k1"],
            CurveId::Sm2 => &["sm2p256v1", "curveSM2"],
        }
    }

    /// Returns whether [`crate::bip340`] supports the curve.
    pub const fn has_bip340(self) -> bool {
        matches!(self, CurveId::Secp256k1)
    }

    /// Returns whether [`crate::ecdsa`] supports the curve.
    pub const fn has_ecdsa(self) -> bool {
        matches!(
            self,
            CurveId::BrainpoolP256r1 | CurveId::P256 | CurveId::Secp256k1
        )
    }

    /// Returns whether [`crate::sm2`] supports the curve.
    pub const fn has_sm2(self) -> bool {
        matches!(self, CurveId::Sm2)
    }

    /// Returns whether ECDSA produces low s by default.
    pub(crate) const fn has_low_s_by_default(self) -> bool {
        matches!(self, CurveId::Secp256k1)
    }
}

/// `for_each_curve!(callback! any tokens)` expands to a call of `callback!` with these tokens in
/// brackets, followed by `Type name [module of its RustCrypto crate] [its type there];` per curve.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_curve {
    ($callback:ident! $($tokens:tt)*) => {
        $callback! {
            [$($tokens)*]
            BrainpoolP256r1 brainpoolp256r1 [::bp256::r1] [::bp256::r1::BrainpoolP256r1];
            P256 p256 [::p256] [::p256::NistP256];
            Secp256k1 secp256k1 [::k256] [::k256::Secp256k1];
            Sm2 sm2 [::sm2] [::sm2::Sm2];
        }
    };
}
pub(crate) use for_each_curve;

/// [`for_each_curve`] for the curves of ECDSA.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_ecdsa_curve {
    ($callback:ident! $($tokens:tt)*) => {
        $callback! {
            [$($tokens)*]
            BrainpoolP256r1 brainpoolp256r1 [::bp256::r1] [::bp256::r1::BrainpoolP256r1];
            P256 p256 [::p256] [::p256::NistP256];
            Secp256k1 secp256k1 [::k256] [::k256::Secp256k1];
        }
    };
}
pub(crate) use for_each_ecdsa_curve;

/// [`for_each_curve`] for the curves of SM2.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_sm2_curve {
    ($callback:ident! $($tokens:tt)*) => {
        $callback! {
            [$($tokens)*]
            Sm2 sm2 [::sm2] [::sm2::Sm2];
        }
    };
}
pub(crate) use for_each_sm2_curve;

impl fmt::Display for CurveId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An unknown curve name. The message lists all curves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no curve is called `{}`; the curves are {}",
    crate::fields::shown(name),
    listed_names()
)]
pub struct UnknownCurve {
    name: String,
}

/// Lists all curves, each with its aliases.
fn listed_names() -> String {
    let curves = CurveId::ALL.iter();
    let names = curves.map(|curve| {
        format!(
            "{curve} (also {}, {})",
            curve.aliases().join(", "),
            curve.oid()
        )
    });
    names.collect::<Vec<_>>().join(", ")
}

impl CurveId {
    /// Returns all names of the curve: its own name, its object identifier and its aliases.
    fn names(self) -> impl Iterator<Item = &'static str> {
        [self.name(), self.oid()]
            .into_iter()
            .chain(self.aliases().iter().copied())
    }
}

/// Parses the name of a curve: its own name, a name that a standard or another program uses, or its
/// object identifier. Case, spaces, hyphens, underscores and dots are ignored.
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
        let found = CurveId::ALL
            .iter()
            .find(|curve| curve.names().any(|known| is_same_name(known, name)));
        found.copied().ok_or_else(|| UnknownCurve {
            name: name.to_owned(),
        })
    }
}

/// A value for each curve, made with `per_curve`.
pub(crate) struct PerCurve<T>(pub [T; CurveId::ALL.len()]);

impl<T: Copy> PerCurve<T> {
    /// Creates the list of values from those of all curves. A static with the curves in another
    /// order than that of [`CurveId`] does not compile.
    pub const fn new(values: [(CurveId, T); CurveId::ALL.len()]) -> Self {
        let mut ordered = [values[0].1; CurveId::ALL.len()];
        let mut index = 0;
        while index < ordered.len() {
            let (curve, value) = values[index];
            assert!(curve as usize == index, "the order is that of CurveId");
            ordered[index] = value;
            index += 1;
        }
        PerCurve(ordered)
    }

    /// Returns the value for one curve.
    pub const fn of(&self, curve: CurveId) -> T {
        self.0[curve as usize]
    }
}

/// Expands to one instance of a generic function per curve, compiled where the macro is used. With
/// the name of a scheme before the function, only curves of the scheme have an instance.
macro_rules! per_curve {
    (ecdsa $($function:ident)::+) => {
        $crate::curve::PerCurve::new([
            (
                $crate::curve::CurveId::BrainpoolP256r1,
                Some($($function)::+::<$crate::curve::BrainpoolP256r1>),
            ),
            ($crate::curve::CurveId::P256, Some($($function)::+::<$crate::curve::P256>)),
            ($crate::curve::CurveId::Secp256k1, Some($($function)::+::<$crate::curve::Secp256k1>)),
            ($crate::curve::CurveId::Sm2, None),
        ])
    };
    (sm2 $($function:ident)::+) => {
        $crate::curve::PerCurve::new([
            ($crate::curve::CurveId::BrainpoolP256r1, None),
            ($crate::curve::CurveId::P256, None),
            ($crate::curve::CurveId::Secp256k1, None),
            ($crate::curve::CurveId::Sm2, Some($($function)::+::<$crate::curve::Sm2>)),
        ])
    };
    ($($function:ident)::+) => {
        $crate::curve::PerCurve::new([
            (
                $crate::curve::CurveId::BrainpoolP256r1,
                $($function)::+::<$crate::curve::BrainpoolP256r1>,
            ),
            ($crate::curve::CurveId::P256, $($function)::+::<$crate::curve::P256>),
            ($crate::curve::CurveId::Secp256k1, $($function)::+::<$crate::curve::Secp256k1>),
            ($crate::curve::CurveId::Sm2, $($function)::+::<$crate::curve::Sm2>),
        ])
    };
}
pub(crate) use per_curve;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_names_one_curve() {
        let mut all = Vec::new();
        for &curve in CurveId::ALL {
            for name in curve.names() {
                let spellings = [
                    name.to_owned(),
                    name.to_uppercase(),
                    name.to_lowercase(),
                    name.replace(['-', ' '], "_"),
                ];
                assert!(
                    spellings
                        .iter()
                        .all(|spelling| spelling.parse() == Ok(curve)),
                    "{name}"
                );
                all.push(name);
            }
        }
        for (at, name) in all.iter().enumerate() {
            assert!(
                !all[..at].iter().any(|other| is_same_name(other, name)),
                "{name} is ambiguous"
            );
        }
        for name in ["", "P-384", "secp256", "1.2.840.10045.3.1", "p256 ü"] {
            let Err(problem) = name.parse::<CurveId>() else {
                panic!("{name} is not a curve")
            };
            assert!(
                problem.to_string().contains("sm2 (also sm2p256v1"),
                "{problem}"
            );
        }
    }
}
