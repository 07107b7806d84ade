//! The curves: one type each, and one list of them, generated from `curves/NAME.toml`.

use std::fmt;
use std::str::FromStr;

/// Numbers that `build.rs` derived from the curve files.
pub(crate) mod constants {
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

/// No curve has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no curve is called {0}")]
pub struct UnknownCurve(String);

impl FromStr for CurveId {
    type Err = UnknownCurve;

    fn from_str(name: &str) -> Result<Self, UnknownCurve> {
        let found = CurveId::ALL.iter().find(|curve| curve.name() == name);
        found.copied().ok_or_else(|| UnknownCurve(name.to_owned()))
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
