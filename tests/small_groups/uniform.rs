//! The uniform code, by which private keys and nonces multiply points, in the group of order 199: that
//! of the lanes and the portable one.
//!
//! Its additions are complete in the last window of products, though not in lanes for products of G,
//! and nowhere else: a large group has no other exceptions, or one of which the result is known.
//! Here items that meet an exception have no right result. Which these are, their digits tell.

use super::*;
use crate::cpu::scalar::{SignedScalar, odd_windows};
use crate::cpu::simd::{Bases, Lanes, mul_uniform};
use crate::cpu::{be_bytes_to_limbs, limbs_to_be_bytes, uniform};

/// The odd one of k and N - k, and whether it is the latter.
fn odd_or_opposite(modulus: &BigUint, k: &BigUint) -> ([u64; 4], u8) {
    let negate = !k.bit(0);
    let odd = if negate { modulus - k } else { k.clone() };
    (be_bytes_to_limbs(&bytes(&odd)), u8::from(negate))
}

pub fn tests() -> Vec<Test> {
    let mut tests = crate::harness::tests(
        Some(&AVX512),
        named![products_of_points, products_of_the_base_point],
    );
    tests.extend(crate::harness::tests(
        None,
        named![
            portable_products_of_points,
            portable_products_of_the_base_point
        ],
    ));
    tests
}

fn lanes() -> Lanes {
    Lanes::detect().expect("this processor has AVX-512 IFMA")
}

/// Bits per window and windows, of products of G and of other points.
const BASE_WINDOWS: (u32, usize) = (6, 43);
const WINDOWS: (u32, usize) = (5, 52);

/// A sum of multiples of a point modulo the order, as the uniform code forms it.
struct Sum {
    order: i64,
    value: i64,
    meets_exception: bool,
}

impl Sum {
    fn new(order: u64) -> Self {
        Sum {
            order: order as i64,
            value: 0,
            meets_exception: false,
        }
    }

    fn add(&mut self, term: i64) {
        self.meets_exception |= [self.value - term, self.value + term]
            .iter()
            .any(|value| value % self.order == 0);
        self.add_completely(term);
    }

    fn add_completely(&mut self, term: i64) {
        self.value = (self.value + term) % self.order;
    }
}

/// Returns whether the product of G is formed without an exception.
fn base_has_product(group: &Group, scalar: &[u64; 4], last_is_complete: bool) -> bool {
    let mut sum = Sum::new(group.order);
    let mut weight = 1;
    let (width, windows) = BASE_WINDOWS;
    odd_windows(scalar, width, windows, |window, digit| {
        let term = i64::from(digit) * weight % sum.order;
        if window == 0 || last_is_complete && window == windows - 1 {
            sum.add_completely(term)
        } else {
            sum.add(term)
        }
        weight = (weight << width) % sum.order;
    });
    !sum.meets_exception
}

/// Returns whether products of other points are formed without an exception.
fn has_product<C: SmallGroup>(group: &Group, scalar: &[u64; 4]) -> bool {
    let lambda = group.residue(&integer(&C::PARAMETERS.lambda)) as i64;
    let one = SignedScalar {
        negative: false,
        magnitude: *scalar,
    };
    let parts: Vec<(SignedScalar, i64)> = match &C::ENDOMORPHISM {
        Some(endomorphism) => {
            let (first, second) = endomorphism.decompose_odd(scalar);
            vec![(first, 1), (second, lambda)]
        }
        None => vec![(one, 1)],
    };
    let width = WINDOWS.0;
    let windows = WINDOWS.1 / parts.len();
    let mut terms = vec![Vec::new(); windows];
    for (part, factor) in &parts {
        let sign = if part.negative { -1 } else { 1 };
        odd_windows(&part.magnitude, width, windows, |window, digit| {
            terms[window].push(sign * factor * i64::from(digit));
        });
    }
    let mut sum = Sum::new(group.order);
    for (window, terms) in terms.iter().enumerate().rev() {
        sum.value = (sum.value << width) % sum.order;
        for (part, term) in terms.iter().enumerate() {
            let is_first = window == windows - 1 && part == 0;
            if is_first || window == 0 {
                sum.add_completely(*term)
            } else {
                sum.add(*term)
            }
        }
    }
    !sum.meets_exception
}

/// Requires right results. More than half of the items have results: each of some 50 additions is
/// exceptional with a probability of 2 / 199.
fn assert_right(found: impl Iterator<Item = Point>, expected: &[Option<Point>]) {
    let mut results = 0;
    for (index, (found, expected)) in found.zip(expected).enumerate() {
        if let Some(expected) = expected {
            assert_eq!(found, *expected, "item {index}");
            results += 1;
        }
    }
    println!("{results} results of {} items", expected.len());
    assert!(results * 2 > expected.len());
}

fn of_points<C: SmallGroup>(lanes: Option<Lanes>) {
    let mut group = group::<C>();
    let mut odd = Vec::new();
    let mut negated = Vec::new();
    let mut points = Vec::new();
    let mut expected = Vec::new();
    for (i, residue) in pairs(group.order).filter(|&(i, _)| i != 0) {
        let k = group.scalar(residue);
        let (k, negate) = odd_or_opposite(&group.modulus, &k);
        odd.push(k);
        negated.push(negate);
        points.push(decoded::<C>(group.point(i)));
        expected.push(has_product::<C>(&group, &k).then(|| encode(group.point(i * residue))));
    }
    // Each alone: a Z of zero corrupts the inversion that neighbours share.
    let product = |item, bases| {
        let odd = &odd[item..=item];
        let negated = &negated[item..=item];
        let points = &points[item..=item];
        let [x, y] = match lanes {
            Some(lanes) => mul_uniform::<C>(lanes, odd, negated, points, bases)[0],
            None => uniform::mul_uniform::<C>(odd, negated, points)[0],
        };
        if (x, y) == ([0; 4], [0; 4]) {
            return Point::IDENTITY;
        }
        Point::from_coordinates(&limbs_to_be_bytes(&x), &limbs_to_be_bytes(&y))
    };
    for bases in [Bases::Public, Bases::Secret] {
        let products = (0..points.len()).map(|item| product(item, bases));
        assert_right(products, &expected);
    }
}

fn of_the_base_point<C: SmallGroup>(lanes: Option<Lanes>) {
    let mut group = group::<C>();
    let mut odd = Vec::new();
    let mut negated = Vec::new();
    let mut expected = Vec::new();
    for residue in (0..group.order).cycle().take(20_000) {
        let k = group.scalar(residue);
        let (k, negate) = odd_or_opposite(&group.modulus, &k);
        odd.push(k);
        negated.push(negate);
        // No scalar is a multiple of the order of a large group.
        let has_product = residue != 0 && base_has_product(&group, &k, lanes.is_none());
        expected.push(has_product.then(|| encode(group.point(residue))));
    }
    let tables = C::tables();
    let products = (0..odd.len()).map(|item| {
        let odd = &odd[item..=item];
        let negated = &negated[item..=item];
        let products = match lanes {
            Some(lanes) => tables.uniform(lanes).mul_base(lanes, odd, negated),
            None => tables.portable_uniform().mul_base(odd, negated),
        };
        affine_bytes(&products[0])
    });
    assert_right(products, &expected);
}

fn products_of_points() {
    of_points::<Order199>(Some(lanes()));
    of_points::<Order199Plain>(Some(lanes()));
}

fn products_of_the_base_point() {
    of_the_base_point::<Order199Plain>(Some(lanes()));
}

fn portable_products_of_points() {
    of_points::<Order199>(None);
    of_points::<Order199Plain>(None);
}

fn portable_products_of_the_base_point() {
    of_the_base_point::<Order199Plain>(None);
}
