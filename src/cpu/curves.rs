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

impl CpuCurve for BrainpoolP256r1 {
    type Base = field::Montgomery<field::moduli::BrainpoolP256r1P>;
    type Scalar = field::Montgomery<field::moduli::BrainpoolP256r1N>;
    const A: CoefficientA = CoefficientA::General(constants::brainpoolp256r1::STORED_A);
    const B: [u64; 4] = constants::brainpoolp256r1::B;
    const G: ([u64; 4], [u64; 4]) = (
        constants::brainpoolp256r1::GX,
        constants::brainpoolp256r1::GY,
    );
    const N: [u64; 4] = constants::brainpoolp256r1::N;
    const ENDOMORPHISM: Option<Endomorphism> = None;

    fn constants_place() -> &'static OnceLock<FieldConstants<Self::Base>> {
        static CONSTANTS: OnceLock<FieldConstants<<BrainpoolP256r1 as CpuCurve>::Base>> =
            OnceLock::new();
        &CONSTANTS
    }
}

impl CpuCurve for P256 {
    type Base = field::MontgomeryP256<field::moduli::P256P>;
    type Scalar = field::Montgomery<field::moduli::P256N>;
    const A: CoefficientA = CoefficientA::MinusThree;
    const B: [u64; 4] = constants::p256::B;
    const G: ([u64; 4], [u64; 4]) = (constants::p256::GX, constants::p256::GY);
    const N: [u64; 4] = constants::p256::N;
    const ENDOMORPHISM: Option<Endomorphism> = None;

    fn constants_place() -> &'static OnceLock<FieldConstants<Self::Base>> {
        static CONSTANTS: OnceLock<FieldConstants<<P256 as CpuCurve>::Base>> = OnceLock::new();
        &CONSTANTS
    }
}

impl CpuCurve for Secp256k1 {
    type Base = field::Fold<field::moduli::Secp256k1P>;
    type Scalar = field::Montgomery<field::moduli::Secp256k1N>;
    const A: CoefficientA = CoefficientA::Zero;
    const B: [u64; 4] = constants::secp256k1::B;
    const G: ([u64; 4], [u64; 4]) = (constants::secp256k1::GX, constants::secp256k1::GY);
    const N: [u64; 4] = constants::secp256k1::N;
    const ENDOMORPHISM: Option<Endomorphism> = Some(Endomorphism {
        beta: constants::secp256k1::BETA,
        g1: constants::secp256k1::GLV_G1,
        g2: constants::secp256k1::GLV_G2,
        a1: constants::secp256k1::GLV_A1,
        b1: constants::secp256k1::GLV_B1,
        a2: constants::secp256k1::GLV_A2,
        b2: constants::secp256k1::GLV_B2,
    });

    fn constants_place() -> &'static OnceLock<FieldConstants<Self::Base>> {
        static CONSTANTS: OnceLock<FieldConstants<<Secp256k1 as CpuCurve>::Base>> = OnceLock::new();
        &CONSTANTS
    }
}

impl CpuCurve for Sm2 {
    type Base = field::MontgomerySm2<field::moduli::Sm2P>;
    type Scalar = field::Montgomery<field::moduli::Sm2N>;
    const A: CoefficientA = CoefficientA::MinusThree;
    const B: [u64; 4] = constants::sm2::B;
    const G: ([u64; 4], [u64; 4]) = (constants::sm2::GX, constants::sm2::GY);
    const N: [u64; 4] = constants::sm2::N;
    const ENDOMORPHISM: Option<Endomorphism> = None;

    fn constants_place() -> &'static OnceLock<FieldConstants<Self::Base>> {
        static CONSTANTS: OnceLock<FieldConstants<<Sm2 as CpuCurve>::Base>> = OnceLock::new();
        &CONSTANTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::domain_parameters;
    use crate::cpu::secret::SecretCurve;
    use crate::curve::for_each_curve;
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
