//! Batched multiplication of the base point, and of points that differ between items.
//! Variable-time.

use super::field::{Coordinate, Field};
use super::point::affine::{Affine, Denominators, odd_multiples, sum_rows};
use super::point::comb::{BaseTerm, Product};
use super::point::jacobian::{self, Jacobian};
use super::scalar::Wnaf;
use super::simd::{self, Lanes};
use super::{CpuCurve, FEWEST_IN_LANES, be_bytes_to_limbs};

/// The width of the non-adjacent form for points that are used once.
const WIDTH: u32 = 5;
/// The number of odd multiples P, 3P, ..., (2^(w-1) - 1) P.
const ODD_MULTIPLES: usize = 1 << (WIDTH - 2);
/// The number of items whose table entries are summed at a time: their terms fit the L2 cache.
const SUM_COLUMNS: usize = 64;

/// Returns, for each item, the sum of its products. All items have the same number of terms.
pub fn sum_products<C: CpuCurve, const P: usize>(
    lanes: Option<Lanes>,
    items: &[[Product<C>; P]],
) -> Vec<Jacobian<C::Base>> {
    let Some(lanes) = lanes.filter(|_| items.len() >= FEWEST_IN_LANES) else {
        return sum_products_portable(items.iter().copied())
            .iter()
            .map(Jacobian::from_affine)
            .collect();
    };
    simd::sum_products(lanes, items)
}

/// Converts points to affine form.
pub fn normalize<F: Coordinate>(lanes: Option<Lanes>, points: &[Jacobian<F>]) -> Vec<Affine<F>> {
    match lanes.filter(|_| points.len() >= FEWEST_IN_LANES) {
        Some(lanes) => simd::normalize(lanes, points),
        None => jacobian::normalize(points),
    }
}

fn sum_products_portable<'a, C: CpuCurve + 'a, const P: usize>(
    items: impl Iterator<Item = [Product<'a, C>; P]>,
) -> Vec<Affine<C::Base>> {
    let mut sums = Vec::with_capacity(items.size_hint().0);
    let mut denominators = Denominators::new();
    let mut digits = Vec::new();
    let mut terms = Vec::new();
    let mut items = items.peekable();
    while items.peek().is_some() {
        let group: Vec<_> = items.by_ref().take(SUM_COLUMNS).collect();
        let rows: usize = group[0].iter().map(|(comb, _)| comb.terms()).sum();
        digits.clear();
        for products in &group {
            for (comb, scalar) in products {
                comb.recode(scalar, &mut digits);
            }
        }
        terms.clear();
        let mut first_row = 0;
        for product in 0..P {
            let product_rows = group[0][product].0.terms();
            for index in 0..product_rows {
                let row = digits.iter().skip(first_row + index).step_by(rows);
                terms.extend(
                    group
                        .iter()
                        .zip(row)
                        .map(|(products, digit)| products[product].0.term(index, *digit)),
                );
            }
            first_row += product_rows;
        }
        sum_rows::<C>(&mut terms, group.len(), &mut denominators);
        sums.extend_from_slice(&terms[..group.len()]);
    }
    sums
}

/// Computes `scalars[i] * points[i]`, plus u1[i] G if `base` is given.
pub fn mul_add<C: CpuCurve>(
    lanes: Option<Lanes>,
    scalars: &[C::Scalar],
    points: &[Affine<C::Base>],
    base: Option<BaseTerm<C>>,
) -> Vec<Jacobian<C::Base>> {
    let Some(lanes) = lanes.filter(|_| points.len() >= FEWEST_IN_LANES) else {
        return mul_add_portable(scalars, points, base);
    };
    simd::mul_add::<C>(lanes, scalars, points, base)
}

fn mul_add_portable<C: CpuCurve>(
    scalars: &[C::Scalar],
    points: &[Affine<C::Base>],
    base: Option<BaseTerm<C>>,
) -> Vec<Jacobian<C::Base>> {
    let mut products = mul_each::<C>(scalars, points);
    if let Some((comb, u1)) = base {
        let base_products = sum_products_portable::<C, 1>(u1.iter().map(|u1| [(comb, u1)]));
        for (product, base) in products.iter_mut().zip(&base_products) {
            *product = product.add_affine::<C>(base);
        }
    }
    products
}

/// Computes `scalars[i] * points[i]`.
fn mul_each<C: CpuCurve>(
    scalars: &[C::Scalar],
    points: &[Affine<C::Base>],
) -> Vec<Jacobian<C::Base>> {
    let tables = odd_multiples::<C>(points, ODD_MULTIPLES);
    let mut products = Vec::with_capacity(scalars.len());
    for (index, scalar) in scalars.iter().enumerate() {
        products.push(mul_by_table::<C>(
            scalar,
            std::array::from_fn(|row| tables[row * points.len() + index]),
        ));
    }
    products
}

/// Multiplies a point, given by its odd multiples.
fn mul_by_table<C: CpuCurve>(
    scalar: &C::Scalar,
    table: [Affine<C::Base>; ODD_MULTIPLES],
) -> Jacobian<C::Base> {
    let limbs = be_bytes_to_limbs(&scalar.to_be_bytes());
    match C::ENDOMORPHISM {
        None => interleaved::<C, 1>([(Wnaf::new(&limbs, WIDTH), table)]),
        Some(endomorphism) => {
            let beta = &C::constants().beta;
            let (k1, k2) = endomorphism.decompose(&limbs);
            let image = table.map(|point| Affine {
                x: point.x.mul(beta),
                ..point
            });
            interleaved::<C, 2>([
                (
                    Wnaf::new(&k1.magnitude, WIDTH),
                    with_sign(k1.negative, table),
                ),
                (
                    Wnaf::new(&k2.magnitude, WIDTH),
                    with_sign(k2.negative, image),
                ),
            ])
        }
    }
}

fn with_sign<F: Field>(
    negative: bool,
    table: [Affine<F>; ODD_MULTIPLES],
) -> [Affine<F>; ODD_MULTIPLES] {
    if negative {
        table.map(|point| point.neg())
    } else {
        table
    }
}

/// Computes the sum of N products with shared doublings (Straus; Guide to Elliptic Curve
/// Cryptography, algorithm 3.51).
fn interleaved<C: CpuCurve, const N: usize>(
    products: [(Wnaf, [Affine<C::Base>; ODD_MULTIPLES]); N],
) -> Jacobian<C::Base> {
    let length = products
        .iter()
        .map(|(wnaf, _)| wnaf.length)
        .max()
        .unwrap_or(0);
    let mut sum = Jacobian::IDENTITY;
    for position in (0..length).rev() {
        sum = sum.double::<C>();
        for (wnaf, table) in &products {
            let digit = wnaf.digit(position);
            if digit != 0 {
                // Digit d = 2i + 1 selects entry i.
                let entry = &table[usize::from(digit.unsigned_abs() / 2)];
                sum = sum.add_affine::<C>(&if digit < 0 { entry.neg() } else { *entry });
            }
        }
    }
    sum
}
