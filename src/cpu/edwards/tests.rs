//! Tests of fields and scalars against big integers, of products against sums of points, and of the
//! vector code against the portable code.

use super::curves::{Ed25519, Ed25519N, EdwardsCurve};
use super::decode::{Encoding, decode_all, encode_all};
use super::field::{Element, Ratio, invert_all, root_powers};
use super::halves::Halves;
use super::ladder::{self, A24};
use super::msm::{self, Terms};
use super::multiply::{Term, sum_of_products_var};
use super::point::{Extended, Projective};
use super::ristretto::{self, NoElement, decode_all as decode_elements};
use super::scalar::{self, Scalar};
use super::secret;
use super::simd::{self, Lanes};
use super::tables::{Comb, Uniform};
use crate::cpu::field::limbs::{Limbs, to_le_bytes};
use crate::curve::constants::ed25519::{N, P};
use crate::host::workers::Pool;
use num_bigint::BigUint;
use proptest::prelude::*;

type Number = Scalar<Ed25519N>;

fn integer(limbs: &Limbs) -> BigUint {
    limbs
        .iter()
        .rev()
        .fold(BigUint::ZERO, |sum, limb| (sum << 64) + limb)
}

fn value(element: &Element) -> BigUint {
    let canonical = element.canonical();
    assert!(integer(&canonical) < integer(&P));
    integer(&canonical)
}

fn check_field(a: Limbs, b: Limbs) {
    let p = &integer(&P);
    let (x, y) = (Element::from_limbs(a), Element::from_limbs(b));
    let (a, b) = (&integer(&a) % p, &integer(&b) % p);
    assert_eq!(value(&x), a);
    assert_eq!(value(&x.add(&y)), (&a + &b) % p);
    assert_eq!(value(&x.sub(&y)), (&a + p - &b) % p);
    assert_eq!(value(&x.neg()), (p - &a) % p);
    assert_eq!(value(&x.mul(&y)), &a * &b % p);
    assert_eq!(value(&x.square()), &a * &a % p);
    for factor in [0, 1, A24, (1 << 58) - 1] {
        assert_eq!(value(&x.mul_small(factor)), &a * factor % p);
    }
    assert_eq!(x.zero_mask() == u64::MAX, a == BigUint::ZERO);
    assert!([0, u64::MAX].contains(&x.zero_mask()));
    assert_eq!(x.odd_mask(), if a.bit(0) { u64::MAX } else { 0 });
    assert_eq!(value(&x.negate_masked(u64::MAX)), (p - &a) % p);
    assert_eq!(value(&x.negate_masked(0)), a);
    assert_eq!(value(&x.even()), if a.bit(0) { p - &a } else { a.clone() });
    assert_eq!(value(&x.invert()), a.modpow(&(p - 2u32), p));
    assert_eq!(value(&x.root_power()), a.modpow(&((p - 5u32) >> 3), p));
    assert_eq!(
        (x == y, x.is_zero(), x.is_odd()),
        (a == b, a == BigUint::ZERO, a.bit(0))
    );
    assert_eq!(x.to_le_bytes(), to_le_bytes(&x.canonical()));
    let (ratio, base) = Ratio::new(x, y);
    let wanted = &a * b.modpow(&(p - 2u32), p) % p;
    let is_square = wanted.modpow(&((p - 1u32) >> 1), p) != p - 1u32;
    let (root, is_root) = ratio.even_root(&base.root_power());
    let i = value(&Element::ROOT_OF_MINUS_ONE);
    let is_zero = wanted == BigUint::ZERO;
    assert!(!root.is_odd());
    assert_eq!(
        value(&root.square()),
        if is_zero || is_square {
            wanted.clone()
        } else {
            &wanted * i % p
        }
    );
    let exists = a == BigUint::ZERO || b != BigUint::ZERO && is_square;
    assert_eq!(is_root, if exists { u64::MAX } else { 0 });
    match ratio.root_var(&base.root_power()) {
        Some(root) if b != BigUint::ZERO => assert_eq!(value(&root.square()), wanted),
        found => {
            assert_eq!(
                found.is_some(),
                b == BigUint::ZERO && a == BigUint::ZERO || is_square && b != BigUint::ZERO
            )
        }
    }
}

fn check_scalars(a: Limbs, b: Limbs) {
    let n = &integer(&N);
    let (x, y) = (
        Number::from_le_bytes_reduced(&to_le_bytes(&a)),
        Number::from_le_bytes_reduced(&to_le_bytes(&b)),
    );
    assert_eq!(
        Number::from_le_bytes(&to_le_bytes(&a)).is_some(),
        integer(&a) < *n
    );
    assert_eq!(integer(x.limbs()), integer(&a) % n);
    let wide = [to_le_bytes(&a), to_le_bytes(&b)]
        .as_flattened()
        .try_into()
        .expect("64 bytes");
    assert_eq!(
        integer(Number::from_le_bytes_wide(&wide).limbs()),
        (integer(&a) + (integer(&b) << 256)) % n
    );
    let (a, b) = (integer(&a) % n, integer(&b) % n);
    assert_eq!(integer(x.add(&y).limbs()), (&a + &b) % n);
    assert_eq!(integer(x.sub(&y).limbs()), (&a + n - &b) % n);
    assert_eq!(integer(x.mul(&y).limbs()), &a * &b % n);
    assert_eq!((integer(x.half().limbs()) << 1) % n, a);
}

/// Returns 0, p, n, 2^255, 2^256 and their multiples, and the numbers around them.
fn edges() -> Vec<Limbs> {
    let largest: BigUint = (BigUint::from(1u32) << 256) - 1u32;
    let near = |number: BigUint| {
        let around = |d: u32| -> [Option<BigUint>; 2] {
            [
                (number >= BigUint::from(d)).then(|| &number - d),
                Some(&number + d),
            ]
        };
        (0u32..40).flat_map(around).collect::<Vec<_>>()
    };
    let numbers = [
        BigUint::ZERO,
        integer(&P),
        integer(&P) * 2u32,
        integer(&N),
        integer(&N) * 8u32,
        largest.clone(),
    ];
    let numbers = numbers.into_iter().flat_map(near).flatten();
    let mut edges: Vec<Limbs> = Vec::new();
    for number in numbers.filter(|number| *number <= largest) {
        let mut limbs = [0; 4];
        number
            .iter_u64_digits()
            .zip(&mut limbs)
            .for_each(|(digit, limb)| *limb = digit);
        edges.push(limbs);
    }
    edges
}

#[test]
fn edge_values() {
    let edges = edges();
    for (number, a) in edges.iter().enumerate() {
        for b in edges.iter().skip(number % 97).step_by(97) {
            check_field(*a, *b);
            check_scalars(*a, *b);
        }
    }
    // Pairs, and an unpaired last element.
    for count in [0, 1, 2, 5] {
        let elements: Vec<Element> = edges[..count]
            .iter()
            .map(|limbs| Element::from_limbs(*limbs))
            .collect();
        assert_eq!(
            root_powers(&elements),
            elements.iter().map(Element::root_power).collect::<Vec<_>>()
        );
    }
}

proptest! {
    #[test]
    fn random_values(a: Limbs, b: Limbs) {
        check_field(a, b);
        check_scalars(a, b);
    }

    #[test]
    fn random_halves(limbs: Limbs) {
        check_halves(&Number::from_le_bytes_reduced(&to_le_bytes(&limbs)));
    }

    #[test]
    fn inverses_of_scalars_together(values: Vec<Limbs>) {
        let mut scalars: Vec<Number> =
            values.iter().map(|limbs| Number::from_le_bytes_reduced(&to_le_bytes(limbs))).collect();
        scalars.retain(|scalar| !scalar.is_zero());
        let expected = scalars.clone();
        scalar::invert_all(&mut scalars);
        for (inverse, scalar) in scalars.iter().zip(&expected) {
            prop_assert_eq!(*inverse.mul(scalar).limbs(), [1, 0, 0, 0]);
        }
    }

    #[test]
    fn inverses_together(values: Vec<Limbs>) {
        let mut elements: Vec<Element> = values.iter().map(|limbs| Element::from_limbs(*limbs)).collect();
        elements.retain(|element| !element.is_zero());
        let expected: Vec<Element> = elements.iter().map(Element::invert).collect();
        invert_all(&mut elements);
        prop_assert_eq!(elements, expected);
    }
}

fn scalar(number: u64) -> Number {
    Number::from_le_bytes_reduced(&to_le_bytes(&[
        number,
        number << 7,
        number.wrapping_mul(number),
        number << 40,
    ]))
}

/// Compares k G for small k with additions, and for other k with products with and without tables.
#[test]
fn products_agree_with_repeated_addition() {
    let g = Extended::from_affine(&Ed25519::G);
    let (comb, uniform) = (
        Comb::<Ed25519>::new(&Ed25519::G, 8),
        Uniform::<Ed25519>::new(&Ed25519::G),
    );
    let mut sum = Extended::IDENTITY;
    for k in 0..70 {
        let number = Number::from_le_bytes_reduced(&to_le_bytes(&[k, 0, 0, 0]));
        check_products(&[sum.to_projective()], &g, &number, &comb, &uniform);
        sum = sum.add(&g.to_niels::<Ed25519>()).to_extended();
    }
    // n - 1 and numbers of all sizes.
    let last = Number::from_le_bytes(&to_le_bytes(&[N[0] - 1, N[1], N[2], N[3]])).expect("below n");
    for k in (0..64).map(|bit| scalar(1 << bit)).chain([last]) {
        check_products(&[], &g, &k, &comb, &uniform);
    }
}

fn check_products(
    known: &[Projective],
    g: &Extended,
    k: &Number,
    comb: &Comb<Ed25519>,
    uniform: &Uniform<Ed25519>,
) {
    let by_comb = comb.add_product_var(Extended::IDENTITY, k).to_projective();
    let by_windows = sum_of_products_var::<Ed25519, 1>([k.limbs()], [*g]).to_projective();
    let found = [by_comb, uniform.products(&[k])[0], by_windows];
    let in_lanes = Lanes::detect().map(|lanes| simd::uniform_products(lanes, &[k], uniform)[0]);
    let encodings = encode_all(&[known, &found, in_lanes.as_slice()].concat());
    assert!(
        encodings.iter().all(|encoding| *encoding == encodings[0]),
        "{:?}",
        k.limbs()
    );
}

/// Checks that c k = d modulo 8 n with an odd c, and returns the bit length of the longer number.
fn check_halves(k: &Number) -> u64 {
    let (points, Halves { c, d, opposite }) = (integer(&N) * 8u32, Halves::of_var::<Ed25519>(k));
    let (product, [c, d]) = (
        integer(&c) * integer(k.limbs()) % &points,
        [c, d].map(|number| integer(&number)),
    );
    assert_eq!(
        product,
        if opposite {
            (&points - &d) % &points
        } else {
            d.clone()
        },
        "{:?}",
        k.limbs()
    );
    assert!(c.bit(0) && c.bits() <= 192 && d.bits() <= 253);
    c.bits().max(d.bits())
}

/// Tests the halves of special and of random numbers.
#[test]
fn halves() {
    let eighth = |c: u64| integer(&N) * 8u32 / c;
    let mut numbers = edges();
    // Numbers around ratios of small numbers, for which the rows have very different lengths.
    for number in (1..200)
        .map(eighth)
        .chain((0..253).map(|bit| BigUint::from(1u32) << bit))
    {
        for number in [&number - 1u32, number.clone(), number + 1u32] {
            let mut limbs = [0; 4];
            number
                .iter_u64_digits()
                .zip(&mut limbs)
                .for_each(|(digit, limb)| *limb = digit);
            numbers.push(limbs);
        }
    }
    numbers
        .iter()
        .for_each(|limbs| _ = check_halves(&Number::from_le_bytes_reduced(&to_le_bytes(limbs))));
    // For random numbers, few halves are long.
    let mut bits = [0; 256];
    (1..20_000).for_each(|k| bits[check_halves(&scalar(k).mul(&scalar(k ^ 0xabcd))) as usize] += 1);
    assert!(
        bits[..128].iter().sum::<u32>() > 5000 && bits[132..].iter().sum::<u32>() < 400,
        "{bits:?}"
    );
}

/// Tests complete and incomplete groups of lanes.
#[test]
fn vector_code_agrees_with_portable_code() {
    let Some(lanes) = Lanes::detect() else { return };
    let (comb, uniform) = (
        Comb::<Ed25519>::new(&Ed25519::G, 8),
        Uniform::<Ed25519>::new(&Ed25519::G),
    );
    let multiples: Vec<Projective> = (1..20)
        .map(|k| {
            comb.add_product_var(Extended::IDENTITY, &scalar(k))
                .to_projective()
        })
        .collect();
    let encodings = encode_all(&multiples);
    let points = decode_all::<Ed25519>(None, encodings.iter(), Encoding::Canonical);
    assert_eq!(
        decode_all::<Ed25519>(Some(lanes), encodings.iter(), Encoding::Canonical),
        points
    );
    let points: Vec<[Element; 2]> = points
        .into_iter()
        .map(|point| point.expect("it was encoded"))
        .collect();
    let tables: Vec<Comb<Ed25519>> = points.iter().map(|point| Comb::new(point, 5)).collect();
    let scalars: Vec<[Number; 2]> = (0..19)
        .map(|item| [scalar(item * item), scalar(item % 5)])
        .collect();
    for items in [1, 7, 8, 9, 16, 19] {
        let (mut terms, mut products) = (Vec::new(), Vec::new());
        let mut expected = [(); 2].map(|()| Vec::new());
        for (item, [k, s]) in scalars[..items].iter().enumerate() {
            // Numbers of all sizes, the longest with 254 bits.
            let other = std::array::from_fn(|limb| {
                if limb < item % 5 {
                    u64::MAX >> (limb / 3 * 2)
                } else {
                    0
                }
            });
            let both = [points[item], points[items - 1 - item]];
            terms.push(Term {
                numbers: [*k.limbs(), other],
                points: both,
                s: *s,
            });
            products.push([(&tables[item], k), (&comb, s)]);
            let of_one =
                sum_of_products_var::<Ed25519, 1>([k.limbs()], [Extended::from_affine(&both[0])]);
            let of_both = sum_of_products_var::<Ed25519, 2>(
                [k.limbs(), &other],
                both.map(|point| Extended::from_affine(&point)),
            );
            for (expected, product) in expected.iter_mut().zip([of_one, of_both]) {
                expected.push(comb.add_product_var(product, s).to_projective());
            }
        }
        let [expected, of_both] = expected.map(|sums| encode_all(&sums));
        assert_eq!(encode_all(&simd::products(lanes, &terms, &comb)), of_both);
        assert_eq!(encode_all(&simd::sum_products(lanes, &products)), expected);
        let secret: Vec<&Number> = scalars[..items].iter().map(|[k, _]| k).collect();
        let found = simd::uniform_products(lanes, &secret, &uniform);
        assert_eq!(encode_all(&found), encode_all(&uniform.products(&secret)));
    }
    let values: Vec<Element> = edges().into_iter().map(Element::from_limbs).collect();
    let powers: Vec<Element> = values.iter().map(Element::root_power).collect();
    assert_eq!(simd::root_powers(lanes, &values), powers);
}

/// Compares sums with sums of products: for equal and opposite points, the identity and points of
/// small order, and for scalars of all sizes up to 2^256.
#[test]
fn msm_agrees_with_sum_of_products() {
    let comb = Comb::<Ed25519>::new(&Ed25519::G, 8);
    let multiples: Vec<Projective> = (1..40)
        .map(|k| {
            comb.add_product_var(Extended::IDENTITY, &scalar(k))
                .to_projective()
        })
        .collect();
    let decoded = decode_all::<Ed25519>(None, encode_all(&multiples).iter(), Encoding::Canonical);
    let mut points: Vec<[Element; 2]> = decoded
        .into_iter()
        .map(|point| point.expect("it was encoded"))
        .collect();
    let opposites: Vec<_> = points.iter().map(|[x, y]| [x.neg(), *y]).collect();
    points.extend(opposites);
    points.extend([
        [Element::ZERO, Element::ONE],
        [Element::ZERO, Element::ONE.neg()],
    ]);
    // The points with y = 0, of order 4.
    points.extend(
        [Element::ROOT_OF_MINUS_ONE, Element::ROOT_OF_MINUS_ONE.neg()].map(|x| [x, Element::ZERO]),
    );
    let mut scalars = edges();
    scalars.extend((0..64).map(|bit| *scalar(1 << bit).limbs()));
    scalars.extend([
        [0, 0, 0, 0],
        [1, 0, 0, 0],
        [256, 0, 0, 0],
        [257, 0, 0, 0],
        [u64::MAX, u64::MAX, 0, 0],
    ]);
    let point_of = |term: usize| points[term * 7 % points.len()];
    let scalar_of = |term: usize| scalars[term * 11 % scalars.len()];
    let products: Vec<Extended> = (0..2000)
        .map(|term| {
            let point = Extended::from_affine(&point_of(term));
            scalar_of(term)
                .iter()
                .rev()
                .fold(Extended::IDENTITY, |product, limb| {
                    (0..64).rev().fold(product, |product, bit| {
                        let double = product.double().to_extended();
                        match limb >> bit & 1 {
                            0 => double,
                            _ => double.add(&point.to_niels::<Ed25519>()).to_extended(),
                        }
                    })
                })
        })
        .collect();
    for lanes in [None, Lanes::detect()] {
        for count in [0, 1, 2, 3, 7, 8, 9, 100, 2000] {
            let mut terms = Terms::with_capacity(count);
            (0..count).for_each(|term| terms.push::<Ed25519>(scalar_of(term), &point_of(term)));
            let sum = |sum: Extended, product: &Extended| {
                sum.add(&product.to_niels::<Ed25519>()).to_extended()
            };
            let expected = products[..count].iter().fold(Extended::IDENTITY, sum);
            for threads in [1, 3] {
                let found = msm::sum::<Ed25519>(&Pool::new(Some(threads)).unwrap(), lanes, &terms);
                let encodings = encode_all(&[found, expected].map(Extended::to_projective));
                assert_eq!(
                    encodings[0], encodings[1],
                    "{count} terms, {threads} threads"
                );
            }
        }
        // One term, repeated: all in the same buckets.
        let mut terms = Terms::with_capacity(600);
        let mut expected = Extended::IDENTITY;
        for _ in 0..600 {
            terms.push::<Ed25519>(scalar_of(3), &point_of(3));
            expected = expected
                .add(&products[3].to_niels::<Ed25519>())
                .to_extended();
        }
        let found = msm::sum::<Ed25519>(&Pool::new(Some(1)).unwrap(), lanes, &terms);
        let encodings = encode_all(&[found, expected].map(Extended::to_projective));
        assert_eq!(encodings[0], encodings[1]);
    }
}

fn products_of(lanes: Option<Lanes>, scalars: &[Limbs], points: &[Limbs]) -> Vec<Limbs> {
    match lanes {
        Some(lanes) => simd::ladder_products(lanes, scalars, points).to_vec(),
        None => ladder::products(scalars, points).to_vec(),
    }
}

/// Returns the u-coordinate of a point, (1 + y) / (1 - y), which is 0 for the identity, too.
fn u_coordinate(point: &Extended) -> Limbs {
    let sum = point.z.add(&point.y);
    let difference = point.z.sub(&point.y);
    sum.mul(&difference.invert()).canonical()
}

/// Computes k P by doublings and additions.
fn multiple(k: &BigUint, point: &Extended) -> Extended {
    let addend = point.to_niels::<Ed25519>();
    (0..k.bits()).rev().fold(Extended::IDENTITY, |sum, bit| {
        let double = sum.double().to_extended();
        if k.bit(bit) {
            double.add(&addend).to_extended()
        } else {
            double
        }
    })
}

/// Returns a point that generates the whole group, of order 8 n.
fn generator_of_all() -> Extended {
    let encodings: Vec<[u8; 32]> = (2..100).map(|y| to_le_bytes(&[y, 0, 0, 0])).collect();
    let quarter = integer(&N) * 4u32;
    decode_all::<Ed25519>(None, encodings.iter(), Encoding::Canonical)
        .into_iter()
        .flatten()
        .map(|point| Extended::from_affine(&point))
        .find(|point| !multiple(&quarter, point).to_projective().is_identity_var())
        .expect("a quarter of all points are")
}

fn limbs_of(number: &BigUint) -> Limbs {
    let mut limbs = [0; 4];
    number
        .iter_u64_digits()
        .zip(&mut limbs)
        .for_each(|(digit, limb)| *limb = digit);
    limbs
}

/// Multiples of points by ladders are those by sums of points: of B and a point of order 8 n, by
/// small numbers and by numbers around multiples of n, which include points of small order.
#[test]
fn ladders_match_sums_of_points() {
    let n = integer(&N);
    let mut numbers: Vec<BigUint> = (0u32..20).map(BigUint::from).collect();
    for times in [1u32, 2, 4, 7] {
        numbers.extend((0u32..5).flat_map(|d| [&n * times - d, &n * times + d]));
    }
    numbers.push((BigUint::from(1u32) << 255) - 1u32);
    let scalars: Vec<Limbs> = numbers.iter().map(limbs_of).collect();
    for point in [Extended::from_affine(&Ed25519::G), generator_of_all()] {
        let expected: Vec<Limbs> = numbers
            .iter()
            .map(|number| u_coordinate(&multiple(number, &point)))
            .collect();
        let points = vec![u_coordinate(&point); scalars.len()];
        for lanes in [None, Lanes::detect()] {
            assert_eq!(products_of(lanes, &scalars, &points), expected);
        }
    }
}

/// Returns the points whose order divides 8: multiples of n times a generator of all points.
fn small_order() -> Vec<Extended> {
    let first = multiple(&integer(&N), &generator_of_all());
    (0u32..8)
        .map(|k| multiple(&BigUint::from(k), &first))
        .collect()
}

fn sum(left: &Extended, right: &Extended) -> Extended {
    left.add(&right.to_niels::<Ed25519>()).to_extended()
}

/// Products of points of every order by secrets are those by doublings and additions.
#[test]
fn secret_products_match_sums_of_points() {
    let n = integer(&N);
    let mut numbers: Vec<BigUint> = (0u32..20).map(BigUint::from).collect();
    numbers.extend((1u32..20).map(|d| &n - d));
    numbers.extend((0..252).map(|bit| BigUint::from(1u32) << bit));
    numbers.extend((1..252).step_by(7).map(|bit| (&n >> bit) + 8u32));
    let mut points = small_order();
    points.extend([Extended::from_affine(&Ed25519::G), generator_of_all()]);
    points.push(multiple(&BigUint::from(12345u32), &generator_of_all()));
    let items: Vec<(Number, Extended, BigUint)> = numbers
        .iter()
        .enumerate()
        .map(|(item, k)| {
            let point = points[item % points.len()];
            (Number::from_limbs(limbs_of(k)), point, k.clone())
        })
        .collect();
    let scalars: Vec<Number> = items.iter().map(|(k, ..)| *k).collect();
    let bases: Vec<Extended> = items.iter().map(|(_, point, _)| *point).collect();
    let expected: Vec<Projective> = items
        .iter()
        .map(|(_, point, k)| multiple(k, point).to_projective())
        .collect();
    let expected = encode_all(&expected);
    for lanes in [None, Lanes::detect()] {
        for count in [0, 1, 2, 7, 8, 9, 17, items.len()] {
            let (scalars, bases) = (&scalars[..count], &bases[..count]);
            let found = match lanes {
                Some(lanes) => simd::secret_products::<Ed25519>(lanes, scalars, bases),
                None => secret::products::<Ed25519>(scalars, bases),
            };
            assert_eq!(encode_all(&found), expected[..count]);
        }
    }
}

#[test]
fn constants_of_ristretto_match_the_rfc() {
    use crate::curve::constants::ed25519::{
        D_MINUS_ONE_SQ, INVSQRT_A_MINUS_D, ONE_MINUS_D_SQ, ROOT_OF_MINUS_ONE, SQRT_AD_MINUS_ONE,
    };
    // RFC 9496, section 4.1.
    for (constant, digits) in [
        (
            ROOT_OF_MINUS_ONE,
            "19681161376707505956807079304988542015446066515923890162744021073123829784752",
        ),
        (
            SQRT_AD_MINUS_ONE,
            "25063068953384623474111414158702152701244531502492656460079210482610430750235",
        ),
        (
            INVSQRT_A_MINUS_D,
            "54469307008909316920995813868745141605393597292927456921205312896311721017578",
        ),
        (
            ONE_MINUS_D_SQ,
            "1159843021668779879193775521855586647937357759715417654439879720876111806838",
        ),
        (
            D_MINUS_ONE_SQ,
            "40440834346308536858101042469323190826248399146238708352240133220865137265952",
        ),
    ] {
        assert_eq!(integer(&constant).to_string(), digits);
    }
}

/// All points that differ by one whose order divides 4 have one encoding, which is decoded to one of
/// them, and doubles have the encodings of their points.
#[test]
fn encodings_of_elements_do_not_depend_on_their_points() {
    let torsion = small_order();
    let even = multiple(&BigUint::from(2u32), &generator_of_all());
    for lanes in [None, Lanes::detect()] {
        for k in 0u32..40 {
            let half = multiple(&BigUint::from(k), &generator_of_all());
            let point = multiple(&BigUint::from(k), &even);
            let same: Vec<Extended> = (0..4).map(|j| sum(&point, &torsion[2 * j])).collect();
            let encodings = ristretto::encode_all(lanes, &same);
            assert!(encodings.iter().all(|encoding| *encoding == encodings[0]));
            assert_eq!(encodings[0] == [0; 32], k == 0);
            let halves: Vec<Projective> = torsion
                .iter()
                .map(|torsion| sum(&half, torsion).to_projective())
                .collect();
            let doubles = ristretto::encode_doubles(&halves);
            assert!(doubles.iter().all(|encoding| *encoding == encodings[0]));
            let decoded = decode_elements(lanes, encodings.iter())[0].unwrap();
            let again = ristretto::encode_all(lanes, &[decoded]);
            assert_eq!(again[0], encodings[0]);
        }
    }
}

/// Bytes are decoded exactly if they are the encoding of what they are decoded to.
#[test]
fn only_encodings_are_decoded() {
    let numbers: Vec<[u8; 32]> = edges()
        .iter()
        .chain(&(0..2000).map(|s| [s, 0, 0, 0]).collect::<Vec<_>>())
        .map(to_le_bytes)
        .collect();
    for lanes in [None, Lanes::detect()] {
        let mut counts = [0; 3];
        for (bytes, element) in numbers.iter().zip(&*decode_elements(lanes, numbers.iter())) {
            let number = BigUint::from_bytes_le(bytes);
            let is_canonical = number < integer(&P) && !number.bit(0);
            match element {
                Ok(point) => {
                    counts[0] += 1;
                    assert_eq!(ristretto::encode_all(lanes, &[*point])[0], *bytes);
                }
                Err(NoElement::NotCanonical) => {
                    counts[1] += 1;
                    assert!(!is_canonical);
                }
                Err(NoElement::NotInGroup) => {
                    counts[2] += 1;
                    assert!(is_canonical);
                }
            }
        }
        assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    }
}
