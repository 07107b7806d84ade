//! Point addition, doubling and multiplication against the reference.

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_curve;
use crate::support::numbers::{edge_points, edge_scalars, order_plus};
use crate::support::random::Random;
use crate::support::reference::{self, Group, TestCurve, encode, encode_all, mul_base, scalar};
use elliptic_curve::Group as _;
use gecc::{Engine, Point, Rejection, point};

const ITEMS: usize = 400;

fn expect(name: &str, results: Vec<Result<Point, Rejection>>, expected: Vec<Point>) {
    assert_eq!(results.len(), expected.len(), "{name}");
    for (index, (result, expected)) in results.into_iter().zip(expected).enumerate() {
        assert_eq!(result, Ok(expected), "{name}, item {index}");
    }
}

#[apply(on_every_engine)]
fn random_points_match_reference(engine: &Engine) {
    each_curve!(random_operands(engine));
}

fn random_operands<C: TestCurve>(engine: &Engine) {
    let mut random = Random::new();
    let scalars: Vec<_> = (0..ITEMS).map(|_| random.scalar::<C>()).collect();
    let bytes: Vec<[u8; 32]> = scalars.iter().map(reference::bytes::<C>).collect();
    let a: Vec<Group<C>> = scalars.iter().map(mul_base::<C>).collect();
    let b: Vec<Group<C>> = (0..ITEMS)
        .map(|_| mul_base::<C>(&random.scalar::<C>()))
        .collect();
    let [points_a, points_b] = [&a, &b].map(|points| encode_all::<C>(points));
    let each = |compute: &dyn Fn(usize) -> Group<C>| {
        encode_all::<C>(&(0..ITEMS).map(compute).collect::<Vec<_>>())
    };

    expect(
        "mul_base",
        point::mul_base(engine, C::ID, &bytes).unwrap(),
        points_a.clone(),
    );
    expect(
        "add",
        point::add(engine, C::ID, &points_a, &points_b).unwrap(),
        each(&|i| a[i] + b[i]),
    );
    expect(
        "double",
        point::double(engine, C::ID, &points_a).unwrap(),
        each(&|i| a[i].double()),
    );
    expect(
        "mul",
        point::mul(engine, C::ID, &bytes, &points_b).unwrap(),
        each(&|i| b[i] * scalars[i]),
    );
}

/// Every edge scalar with every edge point, and from n on a rejection.
#[apply(on_every_engine)]
fn edge_scalars_and_points_match_reference(engine: &Engine) {
    each_curve!(edges(engine));
}

fn edges<C: TestCurve>(engine: &Engine) {
    let scalars = edge_scalars::<C>();
    let expected: Vec<Group<C>> = scalars
        .iter()
        .map(|bytes| mul_base::<C>(&scalar::<C>(bytes).unwrap()))
        .collect();
    expect(
        "mul_base",
        point::mul_base(engine, C::ID, &scalars).unwrap(),
        encode_all::<C>(&expected),
    );

    let g = Group::<C>::generator();
    let mut points = vec![g, -g, g.double(), -g.double(), Group::<C>::identity()];
    points.extend(edge_points::<C>().into_iter().step_by(5));
    for point in points {
        let expected: Vec<Group<C>> = scalars
            .iter()
            .map(|bytes| point * scalar::<C>(bytes).unwrap())
            .collect();
        let operands = vec![encode::<C>(&point); scalars.len()];
        let name = format!("{}: mul of {:?}", C::NAME, operands[0]);
        expect(
            &name,
            point::mul(engine, C::ID, &scalars, &operands).unwrap(),
            encode_all::<C>(&expected),
        );
    }

    let outside = [order_plus::<C>(0), order_plus::<C>(1), [0xff; 32]];
    let rejected = vec![Err(Rejection::ScalarOutOfRange); 3];
    assert_eq!(point::mul_base(engine, C::ID, &outside).unwrap(), rejected);
    assert_eq!(
        point::mul(engine, C::ID, &outside, &[encode::<C>(&g); 3]).unwrap(),
        rejected
    );
}

/// Every sum of two of: small multiples of G and their negatives, edge points, the identity.
#[apply(on_every_engine)]
fn sums_of_all_special_pairs_match_reference(engine: &Engine) {
    each_curve!(all_pairs(engine));
}

fn all_pairs<C: TestCurve>(engine: &Engine) {
    let g = Group::<C>::generator();
    let multiples = std::iter::successors(Some(g), |last| Some(*last + g)).take(12);
    let mut points: Vec<Group<C>> = multiples.flat_map(|point| [point, -point]).collect();
    points.extend(edge_points::<C>().into_iter().step_by(3));
    points.push(Group::<C>::identity());
    let pairs: Vec<_> = points
        .iter()
        .flat_map(|a| points.iter().map(move |b| (*a, *b)))
        .collect();
    let (a, b): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
    let sums: Vec<Group<C>> = pairs.iter().map(|(a, b)| *a + b).collect();
    let identities = sums
        .iter()
        .filter(|sum| bool::from(sum.is_identity()))
        .count();
    // At least the 24 multiples, each with its negative, and the identity with itself.
    assert!(identities >= 25);
    let [a, b, sums] = [a, b, sums].map(|points| encode_all::<C>(&points));
    expect("add", point::add(engine, C::ID, &a, &b).unwrap(), sums);
    let doubled: Vec<Group<C>> = points.iter().map(Group::<C>::double).collect();
    expect(
        "double",
        point::double(engine, C::ID, &encode_all::<C>(&points)).unwrap(),
        encode_all::<C>(&doubled),
    );
}
