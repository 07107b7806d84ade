//! Batches of every size around the sizes at which engines cut batches, share inversions or change
//! tables.

use super::random::Random;
use super::reference::{Scalar, TestCurve, bytes, decode, encode_all};
use super::scheme::{Item, Scheme, Signed, progression, signed};
use elliptic_curve::Group as _;
use gecc::point;
use gecc::{Engine, Point, Rejection, Verdict};
use std::marker::PhantomData;

pub const SIZES: [usize; 19] = [
    0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 257, 511, 512, 513, 1023,
];

const LARGER: [usize; 3] = [1024, 1025, 2049];

pub const LARGEST: [usize; 3] = [65535, 65536, 65537];

pub fn sizes() -> impl Iterator<Item = usize> {
    SIZES.into_iter().chain(LARGER)
}

/// First, middle and last item wrong, all others right.
pub fn is_corrupted(index: usize, size: usize) -> bool {
    index == 0 || index == size / 2 || index + 1 == size
}

/// A batch of the first items, corrupted in three places.
fn verify_size<S: Scheme>(engine: &Engine, items: &[Signed], size: usize) {
    let batch: Vec<Item> = items[..size]
        .iter()
        .enumerate()
        .map(|(index, signed)| {
            let mut item = signed.item.clone();
            item.digest[5] ^= u8::from(is_corrupted(index, size));
            item
        })
        .collect();
    let verdicts = S::verify(engine, &batch);
    assert_eq!(verdicts.len(), size);
    for (index, verdict) in verdicts.into_iter().enumerate() {
        let expected = if is_corrupted(index, size) {
            Verdict::Rejected(Rejection::Mismatch)
        } else {
            Verdict::Valid
        };
        assert_eq!(verdict, expected, "{}: item {index} of {size}", S::CURVE);
    }
}

pub fn verify_sizes<S: Scheme>(engine: &Engine) {
    let mut random = Random::new();
    for keys in [usize::MAX, 1, 10] {
        let items = signed::<S>(&mut random, 2049, keys.min(2049));
        sizes().for_each(|size| verify_size::<S>(engine, &items, size));
    }
}

/// Operands and results of the point operations, known without a multiplication per item.
pub struct Operands<C: TestCurve> {
    pub scalars: Vec<[u8; 32]>,
    /// `scalars[i] * G`.
    pub points: Vec<Point>,
    /// `points[i] + points[0]`.
    pub sums: Vec<Point>,
    pub doubles: Vec<Point>,
    /// `factors[i] * points[i]` is `products[i]`.
    pub factors: Vec<[u8; 32]>,
    pub products: Vec<Point>,
    pub curve: PhantomData<C>,
}

pub fn operands<C: TestCurve>(random: &mut Random, count: usize) -> Operands<C> {
    let (scalars, points) = progression::<C>(random, count);
    let (targets, products) = progression::<C>(random, count);
    let factor = |(target, scalar): (&Scalar<C>, &_)| {
        bytes::<C>(
            &(*target * elliptic_curve::Field::invert(scalar).expect("random scalars are not 0")),
        )
    };
    let groups: Vec<_> = points
        .iter()
        .map(|point| decode::<C>(point).expect("on the curve"))
        .collect();
    Operands {
        factors: targets.iter().zip(&scalars).map(factor).collect(),
        scalars: scalars.iter().map(bytes::<C>).collect(),
        sums: encode_all::<C>(
            &groups
                .iter()
                .map(|group| *group + groups[0])
                .collect::<Vec<_>>(),
        ),
        doubles: encode_all::<C>(
            &groups
                .iter()
                .map(|group| group.double())
                .collect::<Vec<_>>(),
        ),
        points,
        products,
        curve: PhantomData,
    }
}

impl<C: TestCurve> Operands<C> {
    pub fn check(&self, engine: &Engine, size: usize) {
        let points = &self.points[..size];
        let first = vec![self.points[0]; size];
        let compressed: Vec<[u8; 33]> = points
            .iter()
            .map(|point| point.to_compressed().unwrap())
            .collect();
        let expect = |name: &str, found: Vec<Result<Point, Rejection>>, expected: &[Point]| {
            assert_eq!(found.len(), size, "{name}");
            let wrong = found
                .iter()
                .zip(expected)
                .position(|(found, expected)| *found != Ok(*expected));
            assert_eq!(
                wrong,
                None,
                "{}: the first wrong item of {size} of {name}",
                C::NAME
            );
        };
        expect(
            "mul_base",
            point::mul_base(engine, C::ID, &self.scalars[..size]).unwrap(),
            &self.points,
        );
        expect(
            "mul",
            point::mul(engine, C::ID, &self.factors[..size], points).unwrap(),
            &self.products,
        );
        expect(
            "add",
            point::add(engine, C::ID, points, &first).unwrap(),
            &self.sums,
        );
        expect(
            "double",
            point::double(engine, C::ID, points).unwrap(),
            &self.doubles,
        );
        expect(
            "decompress",
            point::decompress(engine, C::ID, &compressed).unwrap(),
            &self.points,
        );
    }
}

/// All sizes with few keys, and one with all keys different.
pub fn largest_signatures<S: Scheme>(engine: &Engine) {
    let mut random = Random::new();
    let few_keys = signed::<S>(&mut random, LARGEST[2], 100);
    for size in LARGEST {
        verify_size::<S>(engine, &few_keys, size);
    }
    let distinct = signed::<S>(&mut random, LARGEST[2], LARGEST[2]);
    verify_size::<S>(engine, &distinct, LARGEST[2]);
}
