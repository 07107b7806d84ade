//! Per-curve data of the CPU engine.

use super::field::{self, Coordinate, Field};
use super::from_limbs;
use super::scalar::Endomorphism;
use crate::curve::{constants, types::*};
use crate::host::process::get_or_compute;
use std::sync::OnceLock;

/// A curve as the CPU engine needs it. Limbs are little-endian plain numbers (not in Montgomery
/// form).
pub trait CpuCurve: Copy + Send + Sync + 'static {
    /// The field of coordinates, modulo p.
    type Base: Coordinate;
    /// The field of scalars, modulo n.
    type Scalar: Field;
    /// The coefficient a.
    const A: CoefficientA;
    /// The coefficient b.
    const B: [u64; 4];
    /// The base point.
    const G: ([u64; 4], [u64; 4]);
    /// The group order.
    const N: [u64; 4];
    /// The efficient endomorphism, if the curve has one.
    const ENDOMORPHISM: Option<Endomorphism>;
    /// Returns the cell that holds the curve's constants once they are computed.
    fn constants_place() -> &'static OnceLock<FieldConstants<Self::Base>>;

    /// Constants in the field's own representation.
    #[inline]
    fn constants() -> &'static FieldConstants<Self::Base> {
        get_or_compute(Self::constants_place(), || FieldConstants {
            b: from_limbs(&Self::B),
            beta: Self::ENDOMORPHISM.map_or(Self::Base::ZERO, |endomorphism| {
                from_limbs(&endomorphism.beta)
            }),
        })
    }
}

/// The coefficient a, by its treatment in formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoefficientA {
    /// 0.
    Zero,
    /// -3.
    MinusThree,
    /// Any other value, in the stored form of field elements.
    General([u64; 4]),
}

/// Constants in the field's own representation.
pub struct FieldConstants<F> {
    pub b: F,
    /// Zero if the curve has no endomorphism.
    pub beta: F,
}

include!(concat!(env!("OUT_DIR"), "/cpu_curves.rs"));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::domain_parameters;
    use crate::cpu::secret::SecretCurve;
    use elliptic_curve::sec1::ToSec1Point;
    use elliptic_curve::{Curve as _, CurveGroup, Group, ProjectivePoint, bigint::Encoding};
    use num_bigint::BigUint;

    fn number(limbs: &[u64; 4]) -> BigUint {
        limbs
            .iter()
            .rev()
            .fold(BigUint::ZERO, |sum, limb| (sum << 64) + limb)
    }

    fn coordinates<C: SecretCurve>(point: &ProjectivePoint<C::Reference>) -> [BigUint; 2] {
        let encoded = point.to_affine().to_sec1_point(false);
        [&encoded.as_bytes()[1..33], &encoded.as_bytes()[33..]].map(BigUint::from_bytes_be)
    }

    /// Compares p, a, b, G and n with the curve's RustCrypto crate, using only its public
    /// interface.
    fn agrees<C: SecretCurve>(p: &[u64; 4], a: &[u64; 4]) {
        let p = number(p);
        let a = number(a);
        let b = number(&C::B);
        let n = number(&C::N);
        assert_eq!(
            n,
            BigUint::from_bytes_be(C::Reference::ORDER.to_be_bytes().as_ref())
        );
        let g = ProjectivePoint::<C::Reference>::generator();
        assert_eq!(coordinates::<C>(&g), [number(&C::G.0), number(&C::G.1)]);
        // y(G) + y(-G) is p itself, as both are reduced and not 0.
        assert_eq!(&coordinates::<C>(&g)[1] + &coordinates::<C>(&-g)[1], p);
        // Two points with different x determine a and b.
        for point in [g, g.double(), g.double() + g] {
            let [x, y] = coordinates::<C>(&point);
            assert_eq!(&y * &y % &p, (x.pow(3) + &a * &x + &b) % &p);
        }
        assert_eq!(domain_parameters::<C>()[..32], number_bytes(&a));
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
        assert_eq!(
            coordinates::<Secp256k1>(&image),
            [x * number(&BETA) % number(&P), y]
        );
    }
}
