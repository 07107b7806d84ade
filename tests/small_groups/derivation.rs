//! The groups found anew, with big integers: nothing here rests on the arithmetic that is tested.
//!
//! With t = p + 1 - n for the p and n of secp256k1, 4p - t^2 = 3 v^2, and the curves y^2 = x^3 + b
//! have p + 1 - t' points for t' = +-t, +-(t + 3v) / 2 and +-(t - 3v) / 2, by the class of b modulo
//! sixth powers. Of these six numbers one is divisible by 7, one by 13 and one by 199.

use super::reference::{add, neg, p};
use super::*;
use crate::cpu::scalar::SignedScalar;
use num_bigint::BigInt;

pub fn tests() -> Vec<Test> {
    crate::harness::tests(
        None,
        named![
            curves_and_generators,
            groups_with_general_a,
            moduli_and_lambdas,
            lattices,
            decompositions
        ],
    )
}

fn multiple(k: &BigUint, point: &BigPoint) -> BigPoint {
    (0..k.bits()).rev().fold(None, |sum, bit| {
        let double = add(0, &sum, &sum);
        if k.bit(bit) {
            add(0, &double, point)
        } else {
            double
        }
    })
}

/// (beta x, y).
fn image(point: &BigPoint) -> BigPoint {
    point
        .as_ref()
        .map(|(x, y)| (x * integer(&secp256k1::BETA) % p(), y.clone()))
}

/// The point with this x-coordinate and even y.
fn lift(x: u64, b: u64) -> BigPoint {
    let x = BigUint::from(x);
    let square = (x.pow(3) + b) % p();
    let y = square.modpow(&((p() + 1u32) >> 2), &p());
    let is_root = &y * &y % p() == square;
    is_root.then(|| if y.bit(0) { (x, p() - y) } else { (x, y) })
}

/// Points of y^2 = x^3 + b, by ascending x.
fn points(b: u64) -> impl Iterator<Item = BigPoint> {
    (1..).map(move |x| lift(x, b)).filter(Option::is_some)
}

/// The numbers of points of the six classes of curves.
fn orders() -> [BigUint; 6] {
    let [p, n] = [p(), integer(&secp256k1::N)].map(BigInt::from);
    let t: BigInt = &p + 1 - n;
    let square: BigInt = (&p * 4 - &t * &t) / 3;
    let v = square.sqrt();
    assert_eq!(&t * &t + &v * &v * 3, &p * 4);
    let [sum, difference]: [BigInt; 2] = [(&t + &v * 3) / 2, (&t - &v * 3) / 2];
    let traces = [
        t.clone(),
        -t,
        sum.clone(),
        -sum,
        difference.clone(),
        -difference,
    ];
    traces.map(|trace| BigUint::try_from(&p + 1 - trace).expect("near p"))
}

/// Returns whether the points of a curve have this order: two points do not both vanish times the
/// order of another class.
fn has_order(b: u64, order: &BigUint) -> bool {
    points(b)
        .take(2)
        .all(|point| multiple(order, &point).is_none())
}

/// The roots of m^2 + m + 1 modulo the order.
fn roots(order: u64) -> [u64; 2] {
    let roots: Vec<u64> = (0..order)
        .filter(|m| (m * m + m + 1) % order == 0)
        .collect();
    roots.try_into().expect("the order is 1 modulo 3")
}

/// The generator, and by what (x, y) -> (beta x, y) multiplies it.
///
/// Of the first point that leads there: its multiple Q of the wanted order, and from that image(Q) - m Q, which the map
/// multiplies by the other root, -1 - m: where the group has more than one subgroup of this order, not every one is
/// mapped to itself.
fn generator_of(b: u64, order: u64, points_of_curve: &BigUint) -> (BigPoint, u64) {
    let mut cofactor = points_of_curve.clone();
    while &cofactor % order == BigUint::ZERO {
        cofactor /= order;
    }
    let order_number = BigUint::from(order);
    let found = points(b).find_map(|point| {
        let mut q = multiple(&cofactor, &point);
        while let Some(next) = Some(multiple(&order_number, &q)).filter(Option::is_some) {
            q = next;
        }
        roots(order).into_iter().find_map(|root| {
            let generator = add(0, &image(&q), &neg(&multiple(&root.into(), &q)));
            generator.is_some().then_some((generator, order - 1 - root))
        })
    });
    found.expect("the curve has points")
}

fn curves_and_generators() {
    let orders = orders();
    for group in &GROUPS {
        let [order] = orders
            .iter()
            .filter(|all| *all % group.order == BigUint::ZERO)
            .collect::<Vec<_>>()[..]
        else {
            panic!("one class of curves has points of order {}", group.order);
        };
        assert_eq!((1..).find(|&b| has_order(b, order)), Some(group.b));
        let (generator, lambda) = generator_of(group.b, group.order, order);
        assert_eq!(generator, Some((integer(&group.g.0), integer(&group.g.1))));
        assert_eq!(multiple(&group.order.into(), &generator), None);
        assert_eq!(image(&generator), multiple(&lambda.into(), &generator));
        assert_eq!(integer(&group.lambda) % group.order, lambda.into());
    }
}

fn groups_with_general_a() {
    for parameters in [WITH_GENERAL_A, IMAGES_OF_SSWU] {
        let Parameters {
            order,
            minus_a,
            b,
            g,
            ..
        } = parameters;
        let x = integer(&g.0);
        let y = integer(&g.1);
        assert_eq!(&y * &y + &x * minus_a, x.pow(3) + b);
        let generator = Some((x, y));
        let mut multiples = 0;
        let mut sum = generator.clone();
        while sum.is_some() {
            multiples += 1;
            sum = add(minus_a, &sum, &generator);
        }
        assert_eq!(multiples, order - 1);
    }
}

/// N is the first number from 2^256 (sqrt 5 - 1) / 2 on whose quotient by the order is a prime, 1
/// modulo 3, and for which there is a lambda with a lattice as `build/derive.rs` and the device
/// code want it. That it is near, and that the quotient is such a prime, is shown here, the lattice
/// below and by the tests of the device code.
fn moduli_and_lambdas() {
    let five: BigUint = BigUint::from(5u32) << 512;
    let start: BigUint = (five.sqrt() - (BigUint::from(1u32) << 256)) >> 1;
    for group in &GROUPS {
        let n = integer(&group.n);
        let lambda = integer(&group.lambda);
        assert!(n >= start && n < &start + group.order * 1000 && n.bits() == 256);
        let quotient = &n / group.order;
        assert_eq!(&quotient * group.order, n);
        assert_eq!(&quotient % 3u32, 1u32.into());
        // Fermat's test.
        assert_eq!(
            BigUint::from(3u32).modpow(&(&quotient - 1u32), &quotient),
            1u32.into()
        );
        assert_eq!((&lambda * &lambda + &lambda + 1u32) % n, BigUint::ZERO);
    }
}

fn signed<const LIMBS: usize>(limbs: &[u64; LIMBS]) -> BigInt {
    let number = limbs
        .iter()
        .rev()
        .fold(BigInt::ZERO, |sum, limb| (sum << 64) + limb);
    if limbs[LIMBS - 1] >> 63 == 1 {
        number - (BigInt::from(1) << (64 * LIMBS))
    } else {
        number
    }
}

fn lattices() {
    for (group, lattice) in GROUPS.iter().zip(&ENDOMORPHISMS) {
        let n = BigInt::from(integer(&group.n));
        let lambda = BigInt::from(integer(&group.lambda));
        let [a1, b1, a2, b2] = [&lattice.a1, &lattice.b1, &lattice.a2, &lattice.b2].map(signed);
        for (a, b) in [(&a1, &b1), (&a2, &b2)] {
            assert_eq!((a + b * &lambda) % &n, BigInt::ZERO);
            // As short as the lattice of secp256k1.
            assert!(a.bits() <= 128 && b.bits() <= 128);
        }
        assert_eq!(&a1 * &b2 - &a2 * &b1, n);
        for (multiplier, numerator) in [(&lattice.g1, &b2), (&lattice.g2, &-b1)] {
            let rounded: BigInt = ((numerator << 385) / &n + 1) >> 1;
            assert_eq!(BigInt::from(integer(multiplier)), rounded);
        }
    }
}

/// The assumptions of the recodings: halves of at most 130 bits, odd where required.
fn decompositions() {
    fn check<C: SmallGroup>() {
        let mut group = group::<C>();
        let endomorphism = C::ENDOMORPHISM.expect("the group has one");
        let lambda = BigInt::from(integer(&C::PARAMETERS.lambda));
        for residue in (0..group.order).cycle().take(2000) {
            for k in group.representatives(residue) {
                let limbs = crate::cpu::be_bytes_to_limbs(&bytes(&k));
                let halves = [
                    endomorphism.decompose(&limbs),
                    endomorphism.decompose_odd(&limbs),
                ];
                for (odd, (k1, k2)) in [false, true].into_iter().zip(halves) {
                    let [k1, k2] = [k1, k2].map(|half: SignedScalar| {
                        let magnitude = BigInt::from(integer(&half.magnitude));
                        assert!(magnitude.bits() <= 130 && (!odd || magnitude.bit(0)));
                        if half.negative { -magnitude } else { magnitude }
                    });
                    let difference = k1 + k2 * &lambda - BigInt::from(k.clone());
                    assert_eq!(
                        difference % BigInt::from(group.modulus.clone()),
                        BigInt::ZERO
                    );
                }
            }
        }
    }
    check::<Order7>();
    check::<Order13>();
    check::<Order199>();
}
