//! Answers of operations on public points.

use super::Answer;
use super::group::{
    COUNT, Group, Numbered, PAIRS, Scalar, bytes, encode_all, last, multiples, no_x, off_curve,
    order, pseudo_random,
};
use crate::cpu::secret::SecretCurve;
use crate::types::{Point, Rejection};
use elliptic_curve::{Field, Group as _};

pub struct PointAnswers {
    /// Pairs of operands with their sums.
    pub sums: Vec<([Point; 2], Answer<Point>)>,
    pub doubles: Vec<(Point, Answer<Point>)>,
    /// Scalars with their products with G.
    pub base_products: Vec<([u8; 32], Answer<Point>)>,
    pub products: Vec<([u8; 32], Point, Answer<Point>)>,
    /// Scalars and points with the sum of their products.
    pub sum_of_products: (Vec<[u8; 32]>, Vec<Point>, Point),
    /// SEC 1 encodings of public keys in both forms, with their points.
    pub keys: Vec<(Vec<u8>, Answer<Point>)>,
}

impl PointAnswers {
    pub fn new<C: SecretCurve>(numbered: &Numbered<C>) -> Self {
        PointAnswers {
            sums: sums(numbered),
            doubles: doubles(numbered),
            base_products: base_products(numbered),
            products: products(numbered),
            sum_of_products: sum_of_products(numbered),
            keys: keys(numbered),
        }
    }
}

/// Returns a point with a coordinate above p.
fn malformed() -> Point {
    Point::from_coordinates(&[0xff; 32], &[1; 32])
}

fn sums<C: SecretCurve>(numbered: &Numbered<C>) -> Vec<([Point; 2], Answer<Point>)> {
    let Numbered {
        encoded, opposite, ..
    } = numbered;
    let mut sums = PAIRS
        .map(|(i, j)| ([encoded[i], encoded[j]], Ok(encoded[i + j + 1])))
        .to_vec();
    let identity = Point::IDENTITY;
    sums.extend([
        ([encoded[2], opposite[2]], Ok(identity)),
        ([encoded[7], opposite[2]], Ok(encoded[4])),
        ([identity, encoded[3]], Ok(encoded[3])),
        ([encoded[3], identity], Ok(encoded[3])),
        ([identity, identity], Ok(identity)),
        (
            [off_curve(numbered), encoded[0]],
            Err(Rejection::NotOnCurve),
        ),
        (
            [encoded[1], off_curve(numbered)],
            Err(Rejection::NotOnCurve),
        ),
        ([malformed(), encoded[0]], Err(Rejection::MalformedPoint)),
    ]);
    sums
}

fn doubles<C: SecretCurve>(numbered: &Numbered<C>) -> Vec<(Point, Answer<Point>)> {
    let encoded = &numbered.encoded;
    let mut doubles: Vec<_> = (0..COUNT / 2)
        .map(|i| (encoded[i], Ok(encoded[2 * i + 1])))
        .collect();
    doubles.extend([
        (Point::IDENTITY, Ok(Point::IDENTITY)),
        (off_curve(numbered), Err(Rejection::NotOnCurve)),
        (malformed(), Err(Rejection::MalformedPoint)),
    ]);
    doubles
}

fn base_products<C: SecretCurve>(numbered: &Numbered<C>) -> Vec<([u8; 32], Answer<Point>)> {
    let Numbered {
        numbers,
        encoded,
        opposite,
        ..
    } = numbered;
    let generator = Group::<C>::generator();
    let generators = encode_all::<C>(&[generator, -generator]);
    let number = bytes::<C>;
    let mut products: Vec<_> = numbers
        .iter()
        .zip(encoded)
        .map(|(k, point)| (number(k), Ok(*point)))
        .collect();
    products.extend([
        (number(&Scalar::<C>::ZERO), Ok(Point::IDENTITY)),
        (number(&Scalar::<C>::ONE), Ok(generators[0])),
        (number(&last::<C>()), Ok(generators[1])),
        (number(&-numbers[0]), Ok(opposite[0])),
        (order::<C>(), Err(Rejection::ScalarOutOfRange)),
        ([0xff; 32], Err(Rejection::ScalarOutOfRange)),
    ]);
    products
}

fn products<C: SecretCurve>(numbered: &Numbered<C>) -> Vec<([u8; 32], Point, Answer<Point>)> {
    let Numbered {
        numbers,
        encoded,
        opposite,
        ..
    } = numbered;
    let number = bytes::<C>;
    let point = encoded[2];
    let multiples = multiples_of(numbered, 2);
    let mut products: Vec<_> = numbers
        .iter()
        .zip(multiples)
        .map(|(k, product)| (number(k), point, Ok(product)))
        .collect();
    products.extend([
        (number(&Scalar::<C>::ZERO), point, Ok(Point::IDENTITY)),
        (number(&Scalar::<C>::ONE), point, Ok(point)),
        (number(&last::<C>()), point, Ok(opposite[2])),
        (number(&numbers[4]), Point::IDENTITY, Ok(Point::IDENTITY)),
        (order::<C>(), point, Err(Rejection::ScalarOutOfRange)),
        (
            number(&numbers[0]),
            off_curve(numbered),
            Err(Rejection::NotOnCurve),
        ),
    ]);
    products
}

/// The number of products in a sum.
const PRODUCTS: usize = 300;

/// Returns each point, its negative and occasionally the identity, with pseudorandom scalars,
/// several times over.
fn sum_of_products<C: SecretCurve>(numbered: &Numbered<C>) -> (Vec<[u8; 32]>, Vec<Point>, Point) {
    let Numbered {
        numbers,
        encoded,
        opposite,
        ..
    } = numbered;
    let factor = pseudo_random::<C>(1);
    let powers =
        std::iter::successors(Some(factor), |power| Some(*power * factor)).take(PRODUCTS / 3);
    let mut scalars: Vec<_> = powers.flat_map(|power| [power, power, -power]).collect();
    scalars[PRODUCTS - 3..].copy_from_slice(&[Scalar::<C>::ZERO, Scalar::<C>::ONE, last::<C>()]);
    let mut points = Vec::with_capacity(PRODUCTS);
    let mut sum = Scalar::<C>::ZERO;
    for (place, scalar) in scalars.iter().enumerate() {
        let point = 5 * place % COUNT;
        let (encoded, number) = match place % 7 {
            0 | 1 => (opposite[point], -numbers[point]),
            2 => (Point::IDENTITY, Scalar::<C>::ZERO),
            _ => (encoded[point], numbers[point]),
        };
        points.push(encoded);
        sum += number * scalar;
    }
    let sum = encode_all::<C>(&[Group::<C>::mul_by_generator(&sum)])[0];
    (scalars.iter().map(bytes::<C>).collect(), points, sum)
}

/// Returns the product of point i with each number.
pub fn multiples_of<C: SecretCurve>(numbered: &Numbered<C>, i: usize) -> Vec<Point> {
    let first = numbered.points[i] * numbered.numbers[0];
    encode_all::<C>(&multiples(first, COUNT, |sum, product| sum + product))
}

fn keys<C: SecretCurve>(numbered: &Numbered<C>) -> Vec<(Vec<u8>, Answer<Point>)> {
    let mut keys = Vec::new();
    for point in numbered.encoded[..4].iter().chain(&numbered.opposite[..4]) {
        keys.push((point.as_bytes().to_vec(), Ok(*point)));
        keys.push((
            point.to_compressed().expect("not the identity").to_vec(),
            Ok(*point),
        ));
    }
    let corrupted = [
        (
            off_curve(numbered).as_bytes().to_vec(),
            Rejection::NotOnCurve,
        ),
        (malformed().as_bytes().to_vec(), Rejection::MalformedPoint),
        ([&[2], &no_x::<C>()[..]].concat(), Rejection::NotOnCurve),
        ([&[3], &[0xff; 32][..]].concat(), Rejection::MalformedPoint),
        (vec![5; 33], Rejection::MalformedPoint),
        (vec![5; 65], Rejection::MalformedPoint),
    ];
    keys.extend(corrupted.map(|(key, rejection)| (key, Err(rejection))));
    keys
}

impl PointAnswers {
    /// Returns the keys whose encoding has `BYTES` bytes.
    pub fn keys_of<const BYTES: usize>(&self) -> Vec<([u8; BYTES], Answer<Point>)> {
        self.keys
            .iter()
            .filter_map(|(key, point)| Some((key.as_slice().try_into().ok()?, *point)))
            .collect()
    }
}
