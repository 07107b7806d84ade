//! The curves: one type each, with its traits, generated from `curves/NAME.toml`.

use crate::cpu::{CpuCurve, field};

/// Numbers that `build.rs` derived from the curve files.
pub(crate) mod constants {
    #![allow(dead_code, reason = "every curve gets the same set, and not every curve needs each")]
    include!(concat!(env!("OUT_DIR"), "/constants.rs"));
}

/// A short Weierstrass curve of prime order over a 256-bit prime field.
///
/// Implemented by the type of each file in `curves/`; sealed, because a curve needs arithmetic in every engine.
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

/// A curve on which ECDSA with SHA-256 is used.
pub trait EcdsaCurve: SecretCurve {
    /// Whether signing gives low s by default, as the curve's RustCrypto crate does.
    const LOW_S_BY_DEFAULT: bool;
}

pub use types::*;

/// What `build.rs` wrote: the type of each curve.
pub mod types {
    use super::{Curve, EcdsaCurve, SecretCurve, constants, field};
    use crate::cpu::{CoefficientA, CpuCurve, Endomorphism, Precomputed};
    include!(concat!(env!("OUT_DIR"), "/curve_types.rs"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::{self, CoefficientA};
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
        assert_eq!(cpu::domain_parameters::<C>()[..32], number_bytes(&a));
        assert_eq!(C::A == CoefficientA::Zero, a == BigUint::ZERO);
        assert_eq!(C::A == CoefficientA::MinusThree, a + 3u32 == p);
    }

    fn number_bytes(number: &BigUint) -> [u8; 32] {
        let digits = number.to_bytes_be();
        let mut bytes = [0; 32];
        bytes[32 - digits.len()..].copy_from_slice(&digits);
        bytes
    }

    #[test]
    fn parameters_agree_with_rustcrypto() {
        macro_rules! all_agree {
            ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
                $(agrees::<$curve>(&constants::$name::P, &constants::$name::A);)*
            };
        }
        for_each_curve!(all_agree!);
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
