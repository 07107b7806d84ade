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

#[cfg(test)]
mod tests {
    use super::*;
    use elliptic_curve::sec1::ToSec1Point;
    use elliptic_curve::{Curve as _, CurveGroup, Group, ProjectivePoint, bigint::Encoding};
    use num_bigint::BigUint;

    fn number(limbs: &[u64; 4]) -> BigUint {
        limbs.iter().rev().fold(BigUint::ZERO, |sum, limb| (sum << 64) + limb)
    }

    fn coordinates<C: SecretCurve>(point: &ProjectivePoint<C::Reference>) -> [BigUint; 2] {
        let encoded = point.to_affine().to_sec1_point(false);
        [&encoded.as_bytes()[1..33], &encoded.as_bytes()[33..]].map(BigUint::from_bytes_be)
    }

    /// Compares p, a, b, G and n with the curve's RustCrypto crate, through what its public interface shows.
    fn agrees<C: SecretCurve>(p: &[u64; 4], a: &[u64; 4]) {
        let (p, a, b, n) = (number(p), number(a), number(&C::B), number(&C::N));
        assert_eq!(n, BigUint::from_bytes_be(C::Reference::ORDER.to_be_bytes().as_ref()));
        let g = ProjectivePoint::<C::Reference>::generator();
        assert_eq!(coordinates::<C>(&g), [number(&C::G.0), number(&C::G.1)]);
        // y(G) + y(-G) is p itself, both being reduced and not 0.
        assert_eq!(&coordinates::<C>(&g)[1] + &coordinates::<C>(&-g)[1], p);
        // Two points with different x determine a and b.
        for point in [g, g.double(), g.double() + g] {
            let [x, y] = coordinates::<C>(&point);
            assert_eq!(&y * &y % &p, (x.pow(3) + &a * &x + &b) % &p);
        }
        assert_eq!(C::A_IS_ZERO, a == BigUint::ZERO);
        assert!(C::A_IS_ZERO || a + 3u32 == p);
    }

    #[test]
    fn parameters_agree_with_rustcrypto() {
        use constants::{p256, secp256k1, sm2};
        agrees::<Secp256k1>(&secp256k1::P, &secp256k1::A);
        agrees::<P256>(&p256::P, &p256::A);
        agrees::<Sm2>(&sm2::P, &sm2::A);
    }

    #[test]
    fn endomorphism_agrees_with_rustcrypto() {
        use constants::secp256k1::{BETA, LAMBDA, P};
        use elliptic_curve::PrimeField;
        let g = k256::ProjectivePoint::GENERATOR;
        let lambda: [u8; 32] = number(&LAMBDA).to_bytes_be().try_into().unwrap();
        let image = g * k256::Scalar::from_repr(lambda.into()).unwrap();
        let [x, y] = coordinates::<Secp256k1>(&g);
        assert_eq!(coordinates::<Secp256k1>(&image), [x * number(&BETA) % number(&P), y]);
    }
}
