//! The curves: one type each, generated from `curves/NAME.toml`.

use crate::cpu::{CpuCurve, Endomorphism, Precomputed};

/// Numbers that `build.rs` derived from the curve files.
pub(crate) mod constants {
    #![allow(dead_code, reason = "every curve gets the same set, and not every curve needs each")]
    include!(concat!(env!("OUT_DIR"), "/constants.rs"));
}

/// A short Weierstrass curve of prime order over a 256-bit prime field.
///
/// Implemented by [`Secp256k1`], [`P256`] and [`Sm2`]; sealed, because a curve needs arithmetic in every engine.
pub trait Curve: CpuCurve + Copy + Send + Sync + 'static {
    /// The name, as the command line and the curve file write it.
    const NAME: &'static str;
}

/// A curve with constant-time arithmetic for secret scalars; every curve of this crate is one.
pub trait SecretCurve: Curve {
    /// The curve's type in its RustCrypto crate, whose constant-time code handles the secrets on the CPU.
    #[doc(hidden)]
    type Reference: elliptic_curve::CurveArithmetic<
            FieldBytesSize = elliptic_curve::consts::U32,
            AffinePoint: elliptic_curve::sec1::FromSec1Point<Self::Reference>
                             + elliptic_curve::sec1::ToSec1Point<Self::Reference>,
        >;
}

/// A curve on which ECDSA with SHA-256 is used: secp256k1 and P-256.
pub trait EcdsaCurve: SecretCurve {
    /// Whether signing gives low s by default, as the curve's RustCrypto crate does.
    const LOW_S_BY_DEFAULT: bool;
}

include!(concat!(env!("OUT_DIR"), "/curve_types.rs"));

impl SecretCurve for Secp256k1 {
    type Reference = k256::Secp256k1;
}

impl SecretCurve for P256 {
    type Reference = p256::NistP256;
}

impl SecretCurve for Sm2 {
    type Reference = sm2::Sm2;
}

impl EcdsaCurve for Secp256k1 {
    const LOW_S_BY_DEFAULT: bool = true;
}

impl EcdsaCurve for P256 {
    const LOW_S_BY_DEFAULT: bool = false;
}
