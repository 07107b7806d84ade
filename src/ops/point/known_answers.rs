//! Known answers of point operations.

use super::sum::PART;
use super::{Add, DecodeKeys, Double, Mul, MulBase, Sums, SumsOfProducts, point_of};
use crate::curve::CurveId;
use crate::gpu::schedule::operation::ITEMS;
use crate::gpu::{Computation as _, Fault, SelfTest, SelfTestRun};
use crate::known_answers::{self, Answer, PointAnswers, repeat};
use crate::types::{Point, PublicKeys, Rejection, Rows};

fn answers(trial: &SelfTestRun) -> &'static PointAnswers {
    &known_answers::of(trial.curve()).points
}

/// Returns the self-tests of all point operations on a curve.
pub fn all(curve: CurveId) -> Vec<SelfTest> {
    [
        keys,
        sums,
        doubles,
        base_products,
        products,
        sums_of_parts,
        sums_of_products,
    ]
    .map(|test| test(curve))
    .to_vec()
}

pub fn sums(curve: CurveId) -> SelfTest {
    SelfTest::new("addition", curve.name(), run_sums)
}

pub fn doubles(curve: CurveId) -> SelfTest {
    SelfTest::new("doubling", curve.name(), run_doubles)
}

pub fn base_products(curve: CurveId) -> SelfTest {
    SelfTest::new("multiplication of G", curve.name(), run_base_products)
}

pub fn products(curve: CurveId) -> SelfTest {
    SelfTest::new("multiplication", curve.name(), run_products)
}

pub fn keys(curve: CurveId) -> SelfTest {
    SelfTest::new("decoding of keys", curve.name(), run_keys)
}

pub fn sums_of_parts(curve: CurveId) -> SelfTest {
    SelfTest::new("sums of points", curve.name(), run_sums_of_parts)
}

pub fn sums_of_products(curve: CurveId) -> SelfTest {
    SelfTest::new(
        "multi-scalar multiplication",
        curve.name(),
        run_sums_of_products,
    )
}

fn run_sums(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let (operands, known): (Vec<_>, Vec<_>) =
        repeat(&answers(trial).sums, ITEMS).into_iter().unzip();
    let (a, b): (Vec<_>, Vec<_>) = operands.into_iter().map(|[a, b]| (a, b)).unzip();
    let operands = [PublicKeys::points(&a), PublicKeys::points(&b)];
    trial.check(
        &Add {
            curve: trial.curve(),
            operands,
            items: ITEMS,
        },
        point_of,
        known,
    )
}

fn run_doubles(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let (points, known): (Vec<_>, Vec<_>) =
        repeat(&answers(trial).doubles, ITEMS).into_iter().unzip();
    let points = PublicKeys::points(&points);
    trial.check(
        &Double {
            curve: trial.curve(),
            points,
            items: ITEMS,
        },
        point_of,
        known,
    )
}

fn run_base_products(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let (scalars, known): (Vec<_>, Vec<_>) = repeat(&answers(trial).base_products, ITEMS)
        .into_iter()
        .unzip();
    let scalars = Rows::from(&scalars);
    trial.check(
        &MulBase {
            curve: trial.curve(),
            scalars,
            items: ITEMS,
        },
        point_of,
        known,
    )
}

fn run_products(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let all = repeat(&answers(trial).products, ITEMS).into_iter();
    let (operands, known): (Vec<_>, Vec<_>) = all
        .map(|(scalar, point, product)| ((scalar, point), product))
        .unzip();
    let (scalars, points): (Vec<_>, Vec<_>) = operands.into_iter().unzip();
    let scalars = Rows::from(&scalars);
    let points = PublicKeys::points(&points);
    trial.check(
        &Mul {
            curve: trial.curve(),
            scalars,
            points,
            items: ITEMS,
        },
        point_of,
        known,
    )
}

/// Decodes keys in every encoding.
fn run_keys(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let answers = answers(trial);
    let mixed = answers
        .keys
        .iter()
        .map(|(key, known)| (key.as_slice(), *known))
        .collect::<Vec<_>>();
    decode(trial, &mixed, |keys| PublicKeys::sec1(keys))?;
    decode(trial, &answers.keys_of::<33>(), |keys| {
        PublicKeys::compressed(keys)
    })?;
    // Only points with an even y.
    let even = answers
        .keys_of::<33>()
        .into_iter()
        .filter(|(key, _)| key[0] == 2);
    let even = even.map(|(key, known)| (key[1..].try_into().expect("32 bytes"), known));
    let x_only: Vec<([u8; 32], _)> = even
        .chain([([0xff; 32], Err(Rejection::MalformedPoint))])
        .collect();
    decode(trial, &x_only, |keys| PublicKeys::x_only(keys))?;
    let mut uncompressed = answers.keys_of::<65>();
    decode(trial, &uncompressed, |keys| PublicKeys::uncompressed(keys))?;
    // Points, and rows without a tag, cannot have a wrong tag.
    uncompressed.retain(|(key, _)| key[0] == 4);
    let identity = Err(Rejection::IdentityKey);
    let raw = uncompressed
        .iter()
        .map(|(key, known)| (key[1..].try_into().expect("64 bytes"), *known));
    let raw: Vec<([u8; 64], _)> = raw.chain([([0; 64], identity)]).collect();
    decode(trial, &raw, |keys| PublicKeys::raw(keys))?;
    let points = uncompressed
        .iter()
        .map(|(key, known)| (Point::from_uncompressed(*key).expect("the tag"), *known));
    let points: Vec<_> = points.chain([(Point::IDENTITY, identity)]).collect();
    decode(trial, &points, |keys| PublicKeys::points(keys))
}

fn decode<K: Clone>(
    trial: &mut SelfTestRun,
    answers: &[(K, Answer<Point>)],
    public_keys: impl for<'a> Fn(&'a [K]) -> PublicKeys<'a>,
) -> Result<(), Fault> {
    let (keys, known): (Vec<_>, Vec<_>) = repeat(answers, ITEMS).into_iter().unzip();
    trial.check(
        &DecodeKeys {
            curve: trial.curve(),
            keys: public_keys(&keys),
            items: ITEMS,
        },
        point_of,
        known,
    )
}

/// Tests sums of parts. A device assigns the points p, p + parts, p + 2 parts, ... to part p: two
/// operands, and otherwise the identity.
fn run_sums_of_parts(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let (operands, known): (Vec<_>, Vec<_>) =
        repeat(&answers(trial).sums, ITEMS).into_iter().unzip();
    let mut points = vec![Point::IDENTITY; PART * ITEMS];
    for (part, [a, b]) in operands.into_iter().enumerate() {
        points[part] = a;
        points[part + 7 * ITEMS] = b;
    }
    let sums = Sums {
        curve: trial.curve(),
        points: PublicKeys::points(&points),
        of: points.len(),
    };
    trial.check(&sums, point_of, known)
}

/// Tests sums of products. A device returns the sum as the result of the first part, and likewise
/// the rejection if an item is invalid.
fn run_sums_of_products(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let (scalars, points, sum) = &answers(trial).sum_of_products;
    check_sum_of_products(trial, scalars, points, Ok(*sum))?;
    let mut points_with_invalid = points.clone();
    points_with_invalid[0] = Point::from_coordinates(&[1; 32], &[1; 32]);
    check_sum_of_products(
        trial,
        scalars,
        &points_with_invalid,
        Err(Rejection::NotOnCurve),
    )?;
    let mut scalars_with_invalid = scalars.clone();
    scalars_with_invalid[scalars.len() - 1] = [0xff; 32];
    let mut points_with_first = points.clone();
    points_with_first[scalars.len() - 1] = points[0];
    check_sum_of_products(
        trial,
        &scalars_with_invalid,
        &points_with_first,
        Err(Rejection::NotOnCurve),
    )
}

fn check_sum_of_products(
    trial: &mut SelfTestRun,
    scalars: &[[u8; 32]],
    points: &[Point],
    sum: Answer<Point>,
) -> Result<(), Fault> {
    let curve = trial.curve();
    let of = points.len();
    let scalars = Rows::new(scalars);
    let points = PublicKeys::points(points);
    let sums = SumsOfProducts {
        curve,
        scalars,
        points,
        of,
    };
    let mut known = vec![Ok(Point::IDENTITY); sums.items()];
    known[0] = sum;
    trial.check(&sums, point_of, known)
}
