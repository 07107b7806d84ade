//! Common tests for all fields against arkworks: edge values in all pairs, and random values.

use super::limbs::{self, Limbs};
use super::moduli::{Modulus, PrimeOfCoordinates};
use super::random::Random;
use super::{BaseField, Field, ark, modular, modular_portable, montgomery};
use crate::cpu::CpuCurve;
use crate::curve::{constants, for_each_curve, types};

const RANDOM_PAIRS: usize = 20_000;
const RANDOM_INVERSIONS: usize = 2_000;
const RANDOM_ROOTS: usize = 200;

/// A field under test and its reference.
trait Tested: Field {
    type Reference: Field;
    const MODULUS: Limbs;
}

impl<M: Modulus, S: montgomery::Shape> Tested for montgomery::Element<M, S> {
    type Reference = ark::Reference<M>;
    const MODULUS: Limbs = M::M;
}

impl<M: PrimeOfCoordinates> Tested for super::Fold<M> {
    type Reference = ark::Reference<M>;
    const MODULUS: Limbs = M::M;
}

macro_rules! tested {
    ($field:ty $(, $square_root:ident)?) => {
        #[test]
        fn encodings() {
            check_encodings::<$field>();
        }
        #[test]
        fn edge_values_in_all_pairs() {
            check_edge_values::<$field>();
        }
        #[test]
        fn random_pairs() {
            check_random_pairs::<$field>(Random::with_seed(0x6765_6363));
            check_random_pairs::<$field>(Random::fresh());
        }
        #[test]
        fn inversion() {
            check_inversion::<$field>();
        }
        $(
            #[test]
            fn $square_root() {
                check_square_root::<$field>();
            }
        )?
    };
}

/// Defines a module per curve, with modules for p and n in it.
macro_rules! of_curves {
    ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
        $(
            mod $name {
                mod base {
                    use super::super::*;
                    tested!(<types::$curve as CpuCurve>::Base, square_root);
                }

                mod scalar {
                    use super::super::*;
                    tested!(<types::$curve as CpuCurve>::Scalar);
                }
            }
        )*
    };
}
for_each_curve!(of_curves!);

/// Returns all numbers whose limbs have patterns that start and stop every carry, and the
/// neighbours of 0, of the modulus and of its multiples by powers of two.
fn edge_values<F: Tested>() -> Vec<[u8; 32]> {
    const PATTERNS: [u64; 4] = [0, 1, u64::MAX - 1, u64::MAX];
    let pattern = |index: usize| core::array::from_fn(|limb| PATTERNS[index >> (2 * limb) & 3]);
    let mut values: Vec<Limbs> = (0..256).map(pattern).collect();
    for shift in (0..64).step_by(9) {
        let halves = [u64::MAX << shift, 1 << shift, u64::MAX >> shift];
        values.extend(halves.map(|limb| [limb; 4]));
        values.extend(halves.map(|limb| [0, 0, 0, limb]));
    }
    for offset in 0..3 {
        let offset = [offset, 0, 0, 0];
        let halved = core::array::from_fn(|i| {
            F::MODULUS[i] >> 1 | F::MODULUS.get(i + 1).map_or(0, |above| above << 63)
        });
        for anchor in [limbs::ZERO, F::MODULUS, halved, [0, 0, 0, 1 << 63]] {
            values.push(limbs::add(&anchor, &offset).0);
            values.push(limbs::sub(&anchor, &offset).0);
        }
    }
    values.iter().map(limbs::to_be_bytes).collect()
}

/// Returns the element and its reference for a number that may exceed the modulus.
fn both<F: Tested>(bytes: &[u8; 32]) -> (F, F::Reference) {
    (
        F::from_be_bytes_reduced(bytes),
        F::Reference::from_be_bytes_reduced(bytes),
    )
}

fn assert_same<F: Tested>(ours: F, reference: F::Reference, operation: &str, operands: &[F]) {
    assert_eq!(
        ours.to_be_bytes(),
        reference.to_be_bytes(),
        "{operation} of {operands:?}"
    );
    assert_eq!(
        F::from_be_bytes(&ours.to_be_bytes()),
        Some(ours),
        "{operation} of {operands:?} is not canonical"
    );
}

fn check_unary<F: Tested>((a, ra): &(F, F::Reference)) {
    let operands = &[*a];
    assert_same(*a, *ra, "value", operands);
    assert_same(a.neg(), ra.neg(), "negation", operands);
    assert_same(a.double(), ra.double(), "doubling", operands);
    assert_same(a.half(), ra.half(), "half", operands);
    assert_same(a.square(), ra.square(), "square", operands);
    assert_eq!(a.is_zero(), ra.is_zero(), "is_zero of {a:?}");
    assert_eq!(a.is_odd(), ra.is_odd(), "is_odd of {a:?}");
    assert_eq!(a.add(&a.neg()), F::ZERO, "sum of opposites of {a:?}");
    assert_eq!(a.mul(&F::ONE), *a, "product with one of {a:?}");
}

fn check_binary<F: Tested>((a, ra): &(F, F::Reference), (b, rb): &(F, F::Reference)) {
    let operands = &[*a, *b];
    assert_same(a.add(b), ra.add(rb), "sum", operands);
    assert_same(a.sub(b), ra.sub(rb), "difference", operands);
    assert_same(a.mul(b), ra.mul(rb), "product", operands);
    check_differences(&[*a, *b, a.neg(), b.neg()], &[*ra, *rb, ra.neg(), rb.neg()]);
}

/// Tests differences of products of either sign, and of equal and opposite products.
fn check_differences<F: Tested>([a, b, c, d]: &[F; 4], [ra, rb, rc, rd]: &[F::Reference; 4]) {
    let operands = &[*a, *b, *c, *d];
    assert_same(
        a.mul_sub_mul(b, c, d),
        ra.mul_sub_mul(rb, rc, rd),
        "a b - c d",
        operands,
    );
    assert_same(
        a.mul_sub_mul(b, c, b),
        ra.mul_sub_mul(rb, rc, rb),
        "a b - c b",
        operands,
    );
    assert_same(
        a.mul_sub_square(b, d),
        ra.mul_sub_square(rb, rd),
        "a b - d^2",
        operands,
    );
    assert_same(
        a.mul_sub_square(a, b),
        ra.mul_sub_square(ra, rb),
        "a^2 - b^2",
        operands,
    );
    assert_eq!(a.mul_sub_mul(b, b, a), F::ZERO, "a b - b a of {operands:?}");
    assert_eq!(a.mul_sub_square(a, a), F::ZERO, "a^2 - a^2 of {operands:?}");
}

fn check_identities<F: Tested>(a: &F, b: &F, c: &F) {
    assert_eq!(a.mul(b), b.mul(a));
    assert_eq!(a.mul(b).mul(c), a.mul(&b.mul(c)));
    assert_eq!(a.mul(&b.add(c)), a.mul(b).add(&a.mul(c)));
    assert_eq!(
        a.add(b).square(),
        a.square().add(&a.mul(b).double()).add(&b.square())
    );
    assert_eq!(a.add(b).mul(&a.sub(b)), a.square().sub(&b.square()));
}

fn check_encodings<F: Tested>() {
    let one = limbs::to_be_bytes(&[1, 0, 0, 0]);
    assert_eq!(F::from_be_bytes(&[0; 32]), Some(F::ZERO));
    assert_eq!(F::from_be_bytes(&one), Some(F::ONE));
    for bytes in edge_values::<F>() {
        let reference = F::Reference::from_be_bytes(&bytes);
        let ours = F::from_be_bytes(&bytes);
        assert_eq!(
            ours.map(|value| value.to_be_bytes()),
            reference.map(|value| value.to_be_bytes()),
            "{bytes:02x?}"
        );
    }
    assert_eq!(F::from_be_bytes(&limbs::to_be_bytes(&F::MODULUS)), None);
    assert_eq!(
        F::from_be_bytes_reduced(&limbs::to_be_bytes(&F::MODULUS)),
        F::ZERO
    );
    assert_eq!(format!("{:?}", F::ONE), format!("0x{:064x}", 1));
}

fn check_edge_values<F: Tested>() {
    let values: Vec<_> = edge_values::<F>().iter().map(both::<F>).collect();
    for a in &values {
        check_unary(a);
        for b in &values {
            check_binary(a, b);
        }
    }
}

fn check_random_pairs<F: Tested>(mut random: Random) {
    for _ in 0..RANDOM_PAIRS {
        let [a, b, c, d] =
            core::array::from_fn(|_| both::<F>(&limbs::to_be_bytes(&random.number())));
        check_unary(&a);
        check_binary(&a, &b);
        check_differences(&[a.0, b.0, c.0, d.0], &[a.1, b.1, c.1, d.1]);
        check_identities(&a.0, &b.0, &c.0);
    }
}

fn check_inversion<F: Tested>() {
    assert_eq!(F::ZERO.invert_var(), None);
    let mut random = Random::fresh();
    let mut values = edge_values::<F>();
    values.extend((0..RANDOM_INVERSIONS).map(|_| limbs::to_be_bytes(&random.number())));
    for (a, reference) in values.iter().map(both::<F>).filter(|(a, _)| !a.is_zero()) {
        let inverse = a.invert_var().expect("it is not zero");
        assert_eq!(a.mul(&inverse), F::ONE, "inverse of {a:?}");
        assert_same(
            inverse,
            reference.invert_var().expect("it is not zero"),
            "inverse",
            &[a],
        );
        check_near_zero(&a, &inverse);
    }
}

/// Tests products just above and below a multiple of the modulus, where a reduction has to correct
/// its last estimate: random factors do not reach these cases.
fn check_near_zero<F: Tested>(a: &F, inverse: &F) {
    for shift in (0..64).step_by(7) {
        let small = F::from_be_bytes_reduced(&limbs::to_be_bytes(&[u64::MAX >> shift, 0, 0, 0]));
        for product in [small, small.neg()] {
            let factor = inverse.mul(&product);
            assert_eq!(
                a.mul(&factor),
                product,
                "product of {a:?} with its inverse times {product:?}"
            );
            let less_one = product.sub(&F::ONE);
            assert_eq!(
                a.mul_sub_mul(&factor, a, inverse),
                less_one,
                "{a:?} {factor:?} - 1"
            );
            assert_eq!(
                a.mul_sub_mul(inverse, a, &factor),
                less_one.neg(),
                "1 - {a:?} {factor:?}"
            );
        }
    }
}

fn check_square_root<F: Tested + BaseField>()
where
    F::Reference: BaseField,
{
    assert_eq!(F::ZERO.sqrt_var(), Some(F::ZERO));
    assert_eq!(F::ONE.sqrt_var(), Some(F::ONE));
    assert_eq!(F::ONE.neg().sqrt_var(), None);
    let mut random = Random::fresh();
    let mut values = edge_values::<F>();
    values.extend((0..RANDOM_ROOTS).map(|_| limbs::to_be_bytes(&random.number())));
    for (a, reference) in values.iter().map(both::<F>).filter(|(a, _)| !a.is_zero()) {
        assert_same(a.sqrt_candidate(), reference.sqrt_candidate(), "root", &[a]);
        let root = a.square().sqrt_var().expect("it is a square");
        assert!(root == a || root == a.neg(), "root of the square of {a:?}");
        // -1 is not a square, so neither is the negative of a square.
        assert_eq!(
            a.square().neg().sqrt_var(),
            None,
            "root of the opposite of the square of {a:?}"
        );
    }
}

/// Tests the replacement of the assembly on other processors.
#[test]
fn portable_code_agrees_with_assembly() {
    static MODULUS: Limbs = constants::p256::P;
    type Base = <types::P256 as CpuCurve>::Base;
    let canonical = |bytes: &[u8; 32]| Base::from_be_bytes_reduced(bytes).to_be_bytes();
    let values: Vec<Limbs> = edge_values::<Base>()
        .iter()
        .map(canonical)
        .map(|bytes| limbs::from_be_bytes(&bytes))
        .collect();
    for a in &values {
        for b in &values {
            let sum = modular_portable::add_mod(a, b, &MODULUS);
            assert_eq!(sum, modular::add_mod(a, b, &MODULUS), "{a:x?} + {b:x?}");
            let difference = modular_portable::sub_mod(a, b, &MODULUS);
            assert_eq!(
                difference,
                modular::sub_mod(a, b, &MODULUS),
                "{a:x?} - {b:x?}"
            );
            // Every pair as high halves, and as low halves, which may also exceed the modulus.
            for (wide, other) in [
                ((*a, *b), (*b, *a)),
                ((*b, *a), (*a, *a)),
                (([u64::MAX; 4], *a), (MODULUS, *b)),
            ] {
                let difference = modular_portable::sub_wide_mod(&wide, &other, &MODULUS);
                assert_eq!(
                    difference,
                    modular::sub_wide_mod(&wide, &other, &MODULUS),
                    "{wide:x?} - {other:x?}"
                );
            }
        }
        assert_eq!(
            modular_portable::half_mod(a, &MODULUS),
            modular::half_mod(a, &MODULUS),
            "{a:x?} / 2"
        );
    }
}
