//! Multi-scalar multiplication, against one product of G: the points' numbers are known.

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_curve;
use crate::support::random::Random;
use crate::support::reference::{Scalar, TestCurve, bytes, encode, mul_base};
use crate::support::scheme::progression;
use elliptic_curve::Field;
use gecc::{Backend, Engine, Error, Point, PublicKeys, Rejection, Rows, point};
use rayon::prelude::*;

/// Points with their numbers, and scalars.
struct Products<C: TestCurve> {
    scalars: Vec<Scalar<C>>,
    numbers: Vec<Scalar<C>>,
    points: Vec<Point>,
}

impl<C: TestCurve> Products<C> {
    /// Random scalars and points, of which each of `distinct` occurs some times, the identity too.
    fn random(random: &mut Random, items: usize, distinct: usize) -> Self {
        let (mut numbers, mut points) = progression::<C>(random, distinct);
        (numbers[0], points[0]) = (Scalar::<C>::ZERO, Point::IDENTITY);
        let which: Vec<_> = (0..items).map(|_| random.below(distinct)).collect();
        Products {
            scalars: (0..items).map(|_| random.scalar::<C>()).collect(),
            numbers: which.iter().map(|i| numbers[*i]).collect(),
            points: which.iter().map(|i| points[*i]).collect(),
        }
    }

    fn expected(&self, items: usize) -> Point {
        let products = self.scalars[..items].iter().zip(&self.numbers);
        encode::<C>(&mul_base::<C>(
            &products.fold(Scalar::<C>::ZERO, |sum, (scalar, number)| {
                sum + *scalar * number
            }),
        ))
    }

    fn check(&self, engine: &Engine, items: usize) {
        let scalars: Vec<_> = self.scalars[..items].iter().map(bytes::<C>).collect();
        let found = point::msm(engine, C::ID, &scalars, &self.points[..items]).unwrap();
        assert_eq!(found, Ok(self.expected(items)), "{items} products");
    }
}

#[apply(on_every_engine)]
fn sums_of_products_match_reference(engine: &Engine) {
    fn check<C: TestCurve>(engine: &Engine) {
        let mut random = Random::new();
        let in_chunks = Engine::builder()
            .backend(engine.info().backend)
            .chunk_items(7)
            .build()
            .unwrap();
        let products = Products::<C>::random(&mut random, 40_000, 3000);
        let around = |power: u32| [(1 << power) - 1, 1 << power, (1 << power) + 1];
        for items in [0, 1]
            .into_iter()
            .chain((2..16).flat_map(around))
            .chain([40_000])
        {
            products.check(engine, items);
        }
        for items in [1, 33, 225, 3000] {
            products.check(&in_chunks, items);
        }
    }
    each_curve!(check(engine));
}

/// Sums of random products of points that the engine made itself of random numbers; on GPUs so many
/// that they are computed in many chunks.
#[apply(on_every_engine)]
fn sums_of_known_multiples_match_the_base_point(engine: &Engine) {
    /// Products that one generator of random numbers makes.
    const RUN: usize = 1 << 10;
    fn check<C: TestCurve>(engine: &Engine) {
        let items: usize = if engine.info().backend == Backend::Gpu {
            1 << 24
        } else {
            1 << 16
        };
        let mut random = Random::new();
        let seeds: Vec<u64> = (0..items / RUN).map(|_| random.word()).collect();
        let (products, sums): (Vec<_>, Vec<_>) = seeds
            .par_iter()
            .map(|seed| {
                let mut random = Random::from_seed(*seed);
                let mut sum = Scalar::<C>::ZERO;
                let mut product = |_| {
                    let number = random.scalar::<C>();
                    let scalar = random.scalar::<C>();
                    sum += number * scalar;
                    (bytes::<C>(&number), bytes::<C>(&scalar))
                };
                ((0..RUN).map(&mut product).collect::<Vec<_>>(), sum)
            })
            .unzip();
        let (numbers, scalars): (Vec<[u8; 32]>, Vec<[u8; 32]>) =
            products.into_iter().flatten().unzip();
        let points = point::mul_base(engine, C::ID, &numbers).unwrap();
        let points: Vec<Point> = points
            .into_iter()
            .collect::<Result<_, _>>()
            .expect("numbers in range");
        let found = point::msm(engine, C::ID, &scalars, &points).unwrap();
        let expected = sums
            .into_iter()
            .fold(Scalar::<C>::ZERO, |sum, of_run| sum + of_run);
        assert_eq!(
            found,
            Ok(encode::<C>(&mul_base::<C>(&expected))),
            "{}: {items} products",
            C::NAME
        );
    }
    each_curve!(check(engine));
}

/// Fields of records, points in every encoding, and a row for all items.
#[apply(on_every_engine)]
fn columns_have_results_of_slices(engine: &Engine) {
    fn check<C: TestCurve>(engine: &Engine) {
        const RECORD: usize = 32 + 64 + 7;
        for items in [1, 40, 3000] {
            let products = Products::<C>::random(&mut Random::new(), items, items.div_ceil(2));
            let points = &products.points;
            let expected = products.expected(items);
            let scalars: Vec<[u8; 32]> = products.scalars.iter().map(bytes::<C>).collect();
            let records: Vec<u8> = (0..items)
                .flat_map(|item| {
                    [
                        &scalars[item][..],
                        &points[item].as_bytes()[1..],
                        &[0xee; 7],
                    ]
                    .concat()
                })
                .collect();
            let raw = PublicKeys::raw(Rows::strided(&records[32..], RECORD, items).unwrap());
            let msm = |scalars: Rows<32>, points: PublicKeys| {
                point::msm_columns(engine, C::ID, items, scalars, points)
                    .unwrap()
                    .expect("good items")
            };
            assert_eq!(
                msm(Rows::strided(&records, RECORD, items).unwrap(), raw),
                expected
            );
            let sec1: Vec<&[u8]> = points.iter().map(Point::as_sec1).collect();
            assert_eq!(msm((&scalars).into(), PublicKeys::sec1(&sec1)), expected);
            let all = PublicKeys::from(&points[0]);
            let same = Products::<C> {
                scalars: vec![products.scalars[0]; items],
                numbers: vec![products.numbers[0]; items],
                points: vec![points[0]; items],
            };
            assert_eq!(msm(Rows::all(&scalars[0]), all), same.expected(items));
            // The identity has no compressed form.
            let compressed: Vec<[u8; 33]> =
                points.iter().filter_map(Point::to_compressed).collect();
            let finite: Vec<[u8; 32]> = scalars
                .iter()
                .zip(points)
                .filter(|(_, point)| !point.is_identity())
                .map(|(k, _)| *k)
                .collect();
            let found =
                point::msm_columns(engine, C::ID, finite.len(), &finite, &compressed).unwrap();
            assert_eq!(found, Ok(expected));
            let lengths = point::msm_columns(engine, C::ID, items + 1, &scalars, raw);
            assert!(
                matches!(lengths, Err(Error::LengthMismatch { .. })),
                "{lengths:?}"
            );
        }
    }
    each_curve!(check(engine));
}

/// Buckets in which all points are equal or opposite, and those that have all points.
#[apply(on_every_engine)]
fn equal_points_and_scalars_match_reference(engine: &Engine) {
    fn check<C: TestCurve>(engine: &Engine) {
        let mut random = Random::new();
        for items in [50, 5000] {
            let mut products = Products::<C>::random(&mut random, items, items);
            let scalar = random.scalar::<C>();
            products.scalars.fill(scalar);
            products.check(engine, items);
            let number = products.numbers[1];
            let point = products.points[1];
            products.numbers.fill(number);
            products.points.fill(point);
            products.check(engine, items);
            for place in (0..items).step_by(2) {
                products.scalars[place] = -scalar;
            }
            products.check(engine, items);
            let edges = [
                Scalar::<C>::ZERO,
                Scalar::<C>::ONE,
                -Scalar::<C>::ONE,
                Scalar::<C>::from(2u64),
            ];
            for (place, scalar) in products.scalars.iter_mut().enumerate() {
                *scalar = edges[place % 7 % 4];
            }
            products.check(engine, items);
        }
    }
    each_curve!(check(engine));
}

/// The first bad item makes the whole sum fail, whatever comes after it.
#[apply(on_every_engine)]
fn bad_items_fail_the_sum_with_the_first_reason(engine: &Engine) {
    fn check<C: TestCurve>(engine: &Engine) {
        let items = 3000;
        let good = Products::<C>::random(&mut Random::new(), items, items);
        let good_scalars: Vec<_> = good.scalars.iter().map(bytes::<C>).collect();
        let off_curve = (
            None,
            Some(Point::from_coordinates(&[1; 32], &[1; 32])),
            Rejection::NotOnCurve,
        );
        let too_large = (
            None,
            Some(Point::from_coordinates(&[0xff; 32], &[1; 32])),
            Rejection::MalformedPoint,
        );
        // The scalar is looked at before the point.
        let no_scalar = (Some([0xff; 32]), off_curve.1, Rejection::ScalarOutOfRange);
        for (items, place) in [
            (10, 0),
            (10, 9),
            (items, 0),
            (items, 1),
            (items, 31),
            (items, 32),
            (items, 2999),
        ] {
            for (bad, later) in [
                (off_curve, too_large),
                (too_large, no_scalar),
                (no_scalar, off_curve),
            ] {
                let mut scalars = good_scalars[..items].to_vec();
                let mut points = good.points[..items].to_vec();
                let mut corrupt = |place: usize,
                                   (scalar, point, _): (
                    Option<[u8; 32]>,
                    Option<Point>,
                    Rejection,
                )| {
                    scalars[place] = scalar.unwrap_or(scalars[place]);
                    points[place] = point.unwrap_or(points[place]);
                };
                corrupt(place, bad);
                (place + 1..items).for_each(|place| corrupt(place, later));
                assert_eq!(
                    point::msm(engine, C::ID, &scalars, &points).unwrap(),
                    Err((place, bad.2))
                );
            }
        }
        let lengths = point::msm(engine, C::ID, &good_scalars[1..], &good.points);
        assert!(
            matches!(lengths, Err(Error::LengthMismatch { .. })),
            "{lengths:?}"
        );
    }
    each_curve!(check(engine));
}
