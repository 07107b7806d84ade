use super::element::{Element, Mask};
use super::{BaseTable, mul_uniform};
use crate::cpu::field::{Coordinate, Field};
use crate::cpu::point::Affine;
use crate::cpu::secret::{Number, SecretCurve, odd_or_opposite};
use crate::cpu::{generator, limbs_to_be_bytes};
use crate::curve::{for_each_curve, types};
use elliptic_curve::point::AffineCoordinates;
use elliptic_curve::{CurveGroup, Group, PrimeField, ProjectivePoint};
use num_bigint::BigInt;

fn integer(limbs: &[u64; 4]) -> BigInt {
    limbs
        .iter()
        .rev()
        .fold(BigInt::ZERO, |sum, limb| (sum << 64) + limb)
}

fn bytes_of(value: &BigInt) -> [u8; 32] {
    let digits = value.to_bytes_be().1;
    let mut bytes = [0; 32];
    bytes[32 - digits.len()..].copy_from_slice(&digits);
    bytes
}

/// Returns numbers in 1..n: those at the limits, powers of two, random ones, and those whose last
/// addition meets equal points, which are 2d 2^252 - n for an odd d.
fn numbers<C: SecretCurve>() -> Vec<Number<C>> {
    let n = integer(&C::N);
    let mut values: Vec<BigInt> = (1..70).map(BigInt::from).collect();
    values.extend((1..=70).map(|below| &n - below));
    values.extend((0..256).map(|bit| BigInt::from(1) << bit));
    values.extend((0..256).map(|bit| &n - (BigInt::from(1) << bit)));
    for d in (1..=15).step_by(2) {
        let double = BigInt::from(2 * d) << 252;
        values.extend([&double - &n, 2 * &n - &double]);
    }
    values.retain(|value| *value > BigInt::ZERO && *value < n);
    let mut bytes: Vec<[u8; 32]> = values.iter().map(bytes_of).collect();
    for _ in 0..64 {
        let mut random = [0; 32];
        getrandom::fill(&mut random).unwrap();
        // Below n on every curve.
        random[0] >>= 1;
        bytes.push(random);
    }
    let numbers = bytes
        .iter()
        .map(|bytes| Number::<C>::from_repr((*bytes).into()).unwrap());
    numbers.collect()
}

fn coordinates<C: SecretCurve>(point: &ProjectivePoint<C::Reference>) -> [[u8; 32]; 2] {
    let point = point.to_affine();
    [point.x().into(), point.y().into()]
}

/// Compares multiples of the base point with those of the RustCrypto crates, with the base point as
/// one of the points, and in batches of one.
fn multiples_agree<C: SecretCurve>() {
    let numbers = numbers::<C>();
    let (odd, negated) = odd_or_opposite::<C>(&numbers);
    let expected: Vec<_> = numbers
        .iter()
        .map(|k| coordinates::<C>(&ProjectivePoint::<C::Reference>::mul_by_generator(k)))
        .collect();
    let table = BaseTable::<C>::new();
    let of_base = table.mul_base(&odd, &negated);
    let encoded = |point: &Affine<C::Base>| [point.x.to_be_bytes(), point.y.to_be_bytes()];
    assert!(of_base.iter().map(encoded).eq(expected.iter().copied()));
    let points = vec![generator::<C>(); numbers.len()];
    let of_points = mul_uniform::<C>(&odd, &negated, &points);
    let found = of_points
        .iter()
        .map(|product| product.each_ref().map(limbs_to_be_bytes));
    assert!(found.eq(expected.iter().copied()));
    for item in (0..numbers.len()).step_by(37) {
        let (odd, negated) = (&odd[item..=item], &negated[item..=item]);
        assert_eq!(encoded(&table.mul_base(odd, negated)[0]), expected[item]);
        let product = mul_uniform::<C>(odd, negated, &points[..1])[0];
        assert_eq!(product.each_ref().map(limbs_to_be_bytes), expected[item]);
    }
    assert!(table.mul_base(&[], &[]).is_empty());
    assert!(mul_uniform::<C>(&[], &[], &[]).is_empty());
}

/// Compares products at the limits of the range with those of variable-time arithmetic, and checks
/// masks.
fn elements_agree<F: Coordinate>() {
    let p = integer(&F::MODULUS);
    let mut values: Vec<BigInt> = (0..20).map(BigInt::from).collect();
    values.extend((1..20).map(|below| &p - below));
    values.extend((0..256).map(|bit| (BigInt::from(1) << bit) % &p));
    let values: Vec<F> = values
        .iter()
        .map(|value| F::from_be_bytes(&bytes_of(value)).unwrap())
        .collect();
    for (index, a) in values.iter().enumerate() {
        let b = values[(7 * index + 3) % values.len()];
        let c = values[(11 * index + 5) % values.len()];
        let d = values[(13 * index + 1) % values.len()];
        assert_eq!(a.mul_uniform(&b), a.mul(&b));
        assert_eq!(a.square_uniform(), a.square());
        assert_eq!(a.mul_sub_mul_uniform(&b, &c, &d), a.mul_sub_mul(&b, &c, &d));
        assert_eq!(a.mul_sub_square_uniform(&b, &c), a.mul_sub_square(&b, &c));
        let element = Element(*a);
        assert_eq!(element.is_zero().is_set(), a.is_zero());
        assert_eq!(element.is_odd().is_set(), a.is_odd());
        let [set, unset] = [1, 0].map(Mask::from_bit);
        assert_eq!(element.select(set, Element(b)).0, *a);
        assert_eq!(element.select(unset, Element(b)).0, b);
        assert_eq!(element.negate(set).0, a.neg());
        assert_eq!(element.negate(unset).0, *a);
        let inverse = a.invert_var().unwrap_or(F::ZERO);
        assert_eq!(element.invert().0, inverse);
    }
}

macro_rules! tested {
    ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
        mod multiples {
            use super::*;

            $(
                #[test]
                fn $name() {
                    multiples_agree::<types::$curve>();
                }
            )*
        }

        mod elements {
            use super::*;

            $(
                #[test]
                fn $name() {
                    elements_agree::<<types::$curve as crate::cpu::CpuCurve>::Base>();
                }
            )*
        }
    };
}
for_each_curve!(tested!);
