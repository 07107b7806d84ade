//! Sums of whole batches.

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_curve;
use crate::support::random::Random;
use crate::support::reference::{Group, TestCurve, decode, encode};
use crate::support::scheme::progression;
use elliptic_curve::Group as _;
use gecc::{Engine, Point, PublicKeys, Rejection, Rows, point};

/// Random points, each a few times over, with opposite ones and the identity among them.
fn points<C: TestCurve>(random: &mut Random, items: usize) -> Vec<Point> {
    let (_, mut points) = progression::<C>(random, items);
    for place in (1..items).step_by(5) {
        points[place] = match random.below(4) {
            0 => Point::IDENTITY,
            1 => encode::<C>(&-decode::<C>(&points[place - 1]).expect("on the curve")),
            _ => points[random.below(place)],
        };
    }
    points
}

fn reference<C: TestCurve>(points: &[Point]) -> Point {
    let points = points
        .iter()
        .map(|point| decode::<C>(point).expect("on the curve"));
    encode::<C>(&points.fold(Group::<C>::identity(), |sum, point| sum + point))
}

#[apply(on_every_engine)]
fn sums_match_reference(engine: &Engine) {
    fn check<C: TestCurve>(engine: &Engine) {
        let mut random = Random::new();
        let in_chunks = Engine::builder()
            .backend(engine.info().backend)
            .chunk_items(7)
            .build()
            .unwrap();
        // Around the sizes of parts, and more parts than a block has threads.
        let points = points::<C>(&mut random, 40_000);
        for items in [0, 1, 2, 63, 64, 65, 128, 1000, 20_001, points.len()] {
            let expected = Ok(reference::<C>(&points[..items]));
            assert_eq!(
                point::sum(engine, C::ID, &points[..items]).unwrap(),
                expected,
                "{items} points"
            );
            assert_eq!(
                point::sum(&in_chunks, C::ID, &points[..items]).unwrap(),
                expected,
                "{items} points in chunks"
            );
        }
    }
    each_curve!(check(engine));
}

/// Fields of records, points in every encoding, and one point for all items.
#[apply(on_every_engine)]
fn columns_have_results_of_slices(engine: &Engine) {
    fn check<C: TestCurve>(engine: &Engine) {
        const RECORD: usize = 64 + 7;
        let points = points::<C>(&mut Random::new(), 3000);
        for items in [1, 200, 3000] {
            let points = &points[..items];
            let sum = |points: PublicKeys, items| {
                point::sum_columns(engine, C::ID, items, points).unwrap()
            };
            let expected = Ok(reference::<C>(points));
            let records: Vec<u8> = points
                .iter()
                .flat_map(|point| [&point.as_bytes()[1..], &[0xee; 7]].concat())
                .collect();
            assert_eq!(
                sum(
                    PublicKeys::raw(Rows::strided(&records, RECORD, items).unwrap()),
                    items
                ),
                expected
            );
            let sec1: Vec<&[u8]> = points.iter().map(Point::as_sec1).collect();
            assert_eq!(sum(PublicKeys::sec1(&sec1), items), expected);
            // The identity has no compressed form.
            let compressed: Vec<[u8; 33]> =
                points.iter().filter_map(Point::to_compressed).collect();
            assert_eq!(
                sum(PublicKeys::compressed(&compressed), compressed.len()),
                expected
            );
            let all = PublicKeys::from(&points[0]);
            assert_eq!(sum(all, items), Ok(reference::<C>(&vec![points[0]; items])));
        }
    }
    each_curve!(check(engine));
}

/// One point many times: every addition of the first rounds is of equal points.
#[apply(on_every_engine)]
fn equal_points_match_reference(engine: &Engine) {
    fn check<C: TestCurve>(engine: &Engine) {
        let (_, points) = progression::<C>(&mut Random::new(), 1);
        for items in [64, 1000, 5000] {
            let points = vec![points[0]; items];
            assert_eq!(
                point::sum(engine, C::ID, &points).unwrap(),
                Ok(reference::<C>(&points)),
                "{items} points"
            );
        }
    }
    each_curve!(check(engine));
}

/// The first bad point makes the whole sum fail, whatever comes after it.
#[apply(on_every_engine)]
fn bad_points_fail_the_sum_with_the_first_reason(engine: &Engine) {
    fn check<C: TestCurve>(engine: &Engine) {
        let good = points::<C>(&mut Random::new(), 3000);
        let off_curve = (
            Point::from_coordinates(&[1; 32], &[1; 32]),
            Rejection::NotOnCurve,
        );
        let too_large = (
            Point::from_coordinates(&[0xff; 32], &[1; 32]),
            Rejection::MalformedPoint,
        );
        for place in [0, 1, 63, 64, 1500, 2999] {
            for ((bad, reason), (later, _)) in [(off_curve, too_large), (too_large, off_curve)] {
                let mut points = good.clone();
                points[place] = bad;
                assert_eq!(
                    point::sum(engine, C::ID, &points).unwrap(),
                    Err((place, reason))
                );
                points[place + 1..].fill(later);
                assert_eq!(
                    point::sum(engine, C::ID, &points).unwrap(),
                    Err((place, reason))
                );
            }
        }
    }
    each_curve!(check(engine));
}
