//! The uniform code of the lanes, by which private keys and nonces multiply points, in the group of order 199.
//!
//! Its additions but the last are not complete, as in a large group only the last can meet equal or opposite points. An item
//! that meets them earlier ends with Z = 0 and so with coordinates of zero, which are no point: every item has the right
//! result or none.

use super::*;
use crate::cpu::field::Field as _;
use crate::cpu::lanes::{Lanes, mul_uniform};
use crate::cpu::{be_bytes_to_limbs, decode, limbs_to_be_bytes};

/// The odd one of k and N - k, and whether it is the latter.
fn odd_or_opposite(modulus: &BigUint, k: &BigUint) -> ([u64; 4], u8) {
    let negate = !k.bit(0);
    let odd = if negate { modulus - k } else { k.clone() };
    (be_bytes_to_limbs(&bytes(&odd)), u8::from(negate))
}

fn lanes() -> Lanes {
    Lanes::detect().expect("this processor has AVX-512 IFMA")
}

/// At least a quarter of the items have results: with 51 additions of which each is exceptional with a probability of 2 / 199,
/// about 0.6 are expected.
fn assert_right_or_none(found: impl ExactSizeIterator<Item = Option<Point>>, expected: &[Point]) {
    assert_eq!(found.len(), expected.len());
    let mut results = 0;
    for (index, (found, expected)) in found.zip(expected).enumerate() {
        if let Some(point) = found {
            assert_eq!(point, *expected, "item {index}");
            results += 1;
        }
    }
    println!("{results} results of {} items", expected.len());
    assert!(results * 4 > expected.len());
}

fn of_points<C: SmallGroup>() {
    let lanes = lanes();
    let mut group = group::<C>();
    let (mut odd, mut negated, mut points, mut expected) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (i, residue) in pairs(group.order).filter(|&(i, _)| i != 0) {
        let k = group.scalar(residue);
        let (k, negate) = odd_or_opposite(&group.modulus, &k);
        odd.push(k);
        negated.push(negate);
        points.push(decode::point::<C>(&encode(group.point(i))).expect("on the curve"));
        expected.push(encode(group.point(i * residue)));
    }
    // Each alone: a Z of zero spoils the inversion that neighbours share.
    let product = |item: usize| {
        let [x, y] = mul_uniform::<C>(lanes, &odd[item..=item], &negated[item..=item], &points[item..=item])[0];
        (x != [0; 4] || y != [0; 4]).then(|| Point::from_coordinates(&limbs_to_be_bytes(&x), &limbs_to_be_bytes(&y)))
    };
    assert_right_or_none((0..points.len()).map(product), &expected);
}

fn of_the_base_point<C: SmallGroup>() {
    let lanes = lanes();
    let mut group = group::<C>();
    let (mut odd, mut negated, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for residue in (0..group.order).cycle().take(20_000) {
        let k = group.scalar(residue);
        let (k, negate) = odd_or_opposite(&group.modulus, &k);
        odd.push(k);
        negated.push(negate);
        expected.push(encode(group.point(residue)));
    }
    let table = C::precomputed().uniform(lanes);
    let product = |item: usize| {
        let point = table.mul_base(lanes, &odd[item..=item], &negated[item..=item])[0];
        (!point.x.is_zero() || !point.y.is_zero()).then(|| decode::encode(&point))
    };
    assert_right_or_none((0..odd.len()).map(product), &expected);
}

#[test]
#[cfg_attr(
    gecc_tests_without_avx512,
    ignore = "no AVX-512 IFMA where this was built; GECC_REQUIRE_AVX512=1 makes that a failure"
)]
fn products_of_points() {
    of_points::<Order199>();
    of_points::<Order199Plain>();
}

#[test]
#[cfg_attr(
    gecc_tests_without_avx512,
    ignore = "no AVX-512 IFMA where this was built; GECC_REQUIRE_AVX512=1 makes that a failure"
)]
fn products_of_the_base_point() {
    of_the_base_point::<Order199Plain>();
}
