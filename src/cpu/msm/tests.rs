//! Tests of bucket sums against a single product of G, for points with known discrete logarithms.

use super::*;
use crate::cpu::field::random::Random;
use crate::cpu::{generator, multiply};
use crate::curve::{for_each_curve, types};

/// Returns points with their discrete logarithms: `count` different ones, their negatives, and the
/// identity.
fn numbered<C: CpuCurve>(random: &mut Random, count: usize) -> Vec<(C::Scalar, Affine<C::Base>)> {
    let mut numbers: Vec<C::Scalar> = (0..count).map(|_| scalar::<C>(random)).collect();
    let opposite: Vec<_> = numbers.iter().map(Field::neg).collect();
    numbers.extend(opposite);
    numbers.push(C::Scalar::ZERO);
    let points = vec![generator::<C>(); numbers.len()];
    let products = multiply::mul_add::<C>(None, &numbers, &points, None);
    numbers
        .into_iter()
        .zip(jacobian::normalize(&products))
        .collect()
}

fn scalar<C: CpuCurve>(random: &mut Random) -> C::Scalar {
    let bytes = crate::cpu::limbs_to_be_bytes(&random.number());
    C::Scalar::from_be_bytes_reduced(&bytes)
}

/// Tests the portable code and the vector code, on one thread and on several.
fn check<C: CpuCurve>(products: &[(C::Scalar, (C::Scalar, Affine<C::Base>))]) {
    let number = products
        .iter()
        .fold(C::Scalar::ZERO, |sum, (scalar, (number, _))| {
            sum.add(&scalar.mul(number))
        });
    let expected = multiply::mul_add::<C>(None, &[number], &[generator::<C>()], None);
    let expected = jacobian::normalize(&expected)[0];
    let (scalars, points): (Vec<_>, Vec<_>) = products
        .iter()
        .map(|(scalar, (_, point))| (*scalar, *point))
        .unzip();
    let mut engines = vec![None];
    engines.extend(Lanes::detect().map(Some));
    for lanes in engines {
        let terms = Terms::<C>::new(lanes, &scalars, &points);
        for threads in [1, 3] {
            let found = sum(&Pool::new(Some(threads)).unwrap(), lanes, &terms);
            assert_eq!(
                (found.infinity, expected.infinity),
                (number.is_zero(), number.is_zero())
            );
            assert!(
                found.infinity || found == expected,
                "{} products, {threads} threads",
                products.len()
            );
        }
    }
}

fn check_curve<C: CpuCurve>() {
    let mut random = Random::fresh();
    let points = numbered::<C>(&mut random, 40);
    let any = |random: &mut Random| points[random.word() as usize % points.len()];
    for count in [0, 1, 2, 3, 15, 16, 17, 100, 1000, 3000] {
        let products: Vec<_> = (0..count)
            .map(|_| (scalar::<C>(&mut random), any(&mut random)))
            .collect();
        check::<C>(&products);
    }
    let edges = [0, 1, 2, 3].map(|small| {
        let small = (0..small).fold(C::Scalar::ZERO, |sum, _| sum.add(&C::Scalar::ONE));
        [small, small.neg()]
    });
    let edges: Vec<_> = edges
        .into_iter()
        .flatten()
        .chain([scalar::<C>(&mut random)])
        .collect();
    // Few scalars, so that buckets have many points, with equal and opposite ones and the identity
    // among them.
    let products: Vec<_> = (0..700)
        .map(|place| (edges[place % edges.len()], any(&mut random)))
        .collect();
    check::<C>(&products);
    for (which, number) in [(0, 0), (1, 0), (2, 1), (80, 2)] {
        // One point, alone and with its negative, with one scalar and with different ones.
        let one = scalar::<C>(&mut random);
        check::<C>(&[(one, points[which]); 300]);
        check::<C>(
            &(0..300)
                .map(|i| (one, points[which + i % 2 * 40 * usize::from(which < 40)]))
                .collect::<Vec<_>>(),
        );
        check::<C>(
            &(0..300)
                .map(|_| (scalar::<C>(&mut random), points[number]))
                .collect::<Vec<_>>(),
        );
    }
}

#[test]
fn msm_agrees_with_sum_of_products() {
    macro_rules! all {
        ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
            $(check_curve::<types::$curve>();)*
        };
    }
    for_each_curve!(all!);
}
