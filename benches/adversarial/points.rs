//! Points: sums that meet equal or opposite points, and scalars at which multiplications do.

use crate::compare::Bench;
use crate::support::numbers::{order, to_bytes};
use crate::support::random::Random;
use crate::support::reference::{TestCurve, decode_key};
use crate::support::scheme::progression;
use gecc::{Point, point};
use num_bigint::BigUint;

type Scalars = Vec<[u8; 32]>;
type Points = Vec<Point>;

pub fn compare<C: TestCurve>(bench: &mut Bench) {
    let curve = C::NAME;
    bench.compare(
        &format!("{curve}: add"),
        sums::<C>,
        |engine, (left, right)| point::add(engine, C::ID, left, right).expect("as many"),
    );
    bench.compare(
        &format!("{curve}: double"),
        doubles::<C>,
        |engine, points| point::double(engine, C::ID, points).expect("a device works"),
    );
    bench.compare(
        &format!("{curve}: mul"),
        products::<C>,
        |engine, (scalars, points)| point::mul(engine, C::ID, scalars, points).expect("as many"),
    );
    bench.compare(
        &format!("{curve}: msm"),
        terms::<C>,
        |engine, (scalars, points)| point::msm(engine, C::ID, scalars, points).expect("as many"),
    );
    bench.compare(
        &format!("{curve}: mul_base"),
        base_products::<C>,
        |engine, scalars| point::mul_base(engine, C::ID, scalars).expect("a device works"),
    );
    bench.compare(
        &format!("{curve}: decompress"),
        compressed::<C>,
        |engine, keys| point::decompress(engine, C::ID, keys).expect("a device works"),
    );
}

/// Random points.
pub fn points<C: TestCurve>(random: &mut Random, items: usize) -> Points {
    progression::<C>(random, items).1
}

pub fn scalars<C: TestCurve>(random: &mut Random, items: usize) -> Scalars {
    (0..items).map(|_| random.scalar_bytes::<C>()).collect()
}

fn negative(point: &Point, p: &BigUint) -> Point {
    let y = p - BigUint::from_bytes_be(point.y());
    Point::from_coordinates(point.x(), &to_bytes(&y).expect("below p"))
}

fn sums<C: TestCurve>(items: usize) -> Vec<(&'static str, (Points, Points))> {
    let mut random = Random::new();
    let left = points::<C>(&mut random, items);
    let right = points::<C>(&mut random, items);
    let p = crate::support::numbers::modulus::<C>();
    let opposite: Points = left.iter().map(|point| negative(point, &p)).collect();
    let identities = vec![Point::IDENTITY; items];
    let mut any = (left.clone(), right.clone());
    for item in 0..items {
        match random.below(5) {
            0 => any.1[item] = left[item],
            1 => any.1[item] = opposite[item],
            2 => any.0[item] = Point::IDENTITY,
            3 => any.1[item] = Point::IDENTITY,
            _ => {}
        }
    }
    vec![
        ("baseline", (left.clone(), right.clone())),
        ("equal points", (left.clone(), left.clone())),
        ("opposite points", (left.clone(), opposite)),
        ("P + O", (left, identities.clone())),
        ("O + P", (identities, right)),
        ("all of these, shuffled", any),
    ]
}

fn doubles<C: TestCurve>(items: usize) -> Vec<(&'static str, Points)> {
    let mut random = Random::new();
    let baseline = points::<C>(&mut random, items);
    let mut mixed = baseline.clone();
    mixed.iter_mut().for_each(|point| {
        if random.below(2) == 0 {
            *point = Point::IDENTITY;
        }
    });
    vec![
        ("baseline", baseline),
        ("O", vec![Point::IDENTITY; items]),
        ("O among others", mixed),
    ]
}

/// Random ones of the given scalars.
pub fn shuffled(random: &mut Random, numbers: &[BigUint], items: usize) -> Scalars {
    (0..items)
        .map(|_| to_bytes(&numbers[random.below(numbers.len())]).expect("below n"))
        .collect()
}

/// Numbers up to 64, and their opposites.
pub fn small<C: TestCurve>() -> Vec<BigUint> {
    let n = order::<C>();
    (1..=64u32)
        .flat_map(|number| [BigUint::from(number), &n - number])
        .collect()
}

/// Scalars whose last addition meets equal points, where digits are odd and of 5 bits: twice the
/// last digit's multiple. P-256 has none.
pub fn last_window<C: TestCurve>() -> Vec<BigUint> {
    let n = order::<C>();
    // Where 3 divides n - 1, as on secp256k1 alone, lambda is the smaller root of lambda^2 + lambda
    // + 1.
    let one = BigUint::from(1u32);
    if &n % 3u32 != one {
        return vec![BigUint::from(6u32), n - 6u32];
    }
    let exponent = (&n - 1u32) / 3u32;
    let root = (2..20u32)
        .map(|base| BigUint::from(base).modpow(&exponent, &n))
        .find(|root| *root != one);
    let root = root.expect("two thirds of all bases have a root that is not 1");
    let lambda = (&n - 1u32 - &root).min(root);
    vec![lambda * 58u32 % n]
}

fn products<C: TestCurve>(items: usize) -> Vec<(&'static str, (Scalars, Points))> {
    let mut random = Random::new();
    let points = points::<C>(&mut random, items);
    let baseline = scalars::<C>(&mut random, items);
    let small = shuffled(&mut random, &small::<C>(), items);
    let last = shuffled(&mut random, &last_window::<C>(), items);
    let mut trivial = (baseline.clone(), points.clone());
    for item in 0..items {
        match random.below(3) {
            0 => trivial.0[item] = [0; 32],
            1 => trivial.1[item] = Point::IDENTITY,
            _ => {}
        }
    }
    vec![
        ("baseline", (baseline.clone(), points.clone())),
        ("scalar 0", (vec![[0; 32]; items], points.clone())),
        ("O", (baseline, vec![Point::IDENTITY; items])),
        ("scalar 0 and O among others", trivial),
        ("scalars up to 64 and opposites", (small, points.clone())),
        ("equal points in the last addition", (last, points.clone())),
        // A non-adjacent form of 5 bits has no more digits than this.
        (
            "every fifth bit set",
            (vec![every_fifth_bit(); items], points),
        ),
    ]
}

fn terms<C: TestCurve>(items: usize) -> Vec<(&'static str, (Scalars, Points))> {
    let mut random = Random::new();
    let points = points::<C>(&mut random, items);
    let baseline = scalars::<C>(&mut random, items);
    let p = crate::support::numbers::modulus::<C>();
    let mut pairs = points.clone();
    for item in (1..items).step_by(2) {
        pairs[item] = negative(&points[item - 1], &p);
    }
    let two = shuffled(
        &mut random,
        &[BigUint::from(1u32), order::<C>() - 1u32],
        items,
    );
    vec![
        ("baseline", (baseline.clone(), points.clone())),
        ("one point", (baseline.clone(), vec![points[0]; items])),
        ("one scalar", (vec![baseline[0]; items], points.clone())),
        (
            "one scalar, opposite points",
            (vec![baseline[0]; items], pairs),
        ),
        (
            "one point, one scalar",
            (vec![baseline[0]; items], vec![points[0]; items]),
        ),
        ("scalars 1 and n - 1", (two.clone(), points.clone())),
        (
            "one point, scalars 1 and n - 1",
            (two, vec![points[0]; items]),
        ),
        ("O", (baseline, vec![Point::IDENTITY; items])),
    ]
}

/// A number below every n.
fn every_fifth_bit() -> [u8; 32] {
    let number: BigUint = (0..51u32)
        .map(|digit| BigUint::from(1u32) << (5 * digit))
        .sum();
    to_bytes(&number).expect("of 251 bits")
}

fn base_products<C: TestCurve>(items: usize) -> Vec<(&'static str, Scalars)> {
    let mut random = Random::new();
    let baseline = scalars::<C>(&mut random, items);
    let small = shuffled(&mut random, &small::<C>(), items);
    let powers: Vec<BigUint> = (0..255u32).map(|bit| BigUint::from(1u32) << bit).collect();
    let powers = shuffled(&mut random, &powers, items);
    // The lower windows are empty, different ones for each item.
    let mut shifted = baseline.clone();
    for (item, scalar) in shifted.iter_mut().enumerate() {
        scalar[0] &= 0x7f;
        scalar[32 - 2 * (item % 15)..].fill(0);
    }
    vec![
        ("baseline", baseline),
        ("scalar 0", vec![[0; 32]; items]),
        ("scalars up to 64 and opposites", small),
        ("powers of two", powers),
        ("without lower windows", shifted),
    ]
}

fn compressed<C: TestCurve>(items: usize) -> Vec<(&'static str, Vec<[u8; 33]>)> {
    let mut random = Random::new();
    let baseline: Vec<[u8; 33]> = points::<C>(&mut random, items)
        .iter()
        .map(|point| point.to_compressed().expect("not the identity"))
        .collect();
    let off_curve: Vec<[u8; 33]> = baseline
        .iter()
        .map(|key| off_the_curve::<C>(*key))
        .collect();
    let mut mixed = baseline.clone();
    for (key, off) in mixed.iter_mut().zip(&off_curve) {
        if random.below(2) == 0 {
            *key = *off;
        }
    }
    vec![
        ("baseline", baseline),
        ("off the curve", off_curve),
        ("off the curve among others", mixed),
        ("malformed", vec![[5; 33]; items]),
    ]
}

/// A compressed encoding that is not on the curve: x is incremented until no point has it.
fn off_the_curve<C: TestCurve>(mut key: [u8; 33]) -> [u8; 33] {
    while decode_key::<C>(&key).is_some() {
        key[32] = key[32].wrapping_add(1);
    }
    key
}
