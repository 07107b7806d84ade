//! Point operations with special operands among random ones.

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_curve;
use crate::support::keys::bad_keys;
use crate::support::neighbours::{Case, case, everywhere};
use crate::support::numbers::{edge_points, edge_scalars, order_plus};
use crate::support::random::Random;
use crate::support::reference::{self, Group, TestCurve, bytes, decode_key, encode, scalar};
use elliptic_curve::Group as _;
use gecc::{Engine, Point, Rejection, point};

type Outcome = Result<Point, Rejection>;

const CLEAN: usize = 33;
/// Both ends, and each chain of an interleaved inversion.
const POSITIONS: [usize; 9] = [0, 1, 2, 3, 15, 16, 30, 31, 32];

/// Points that no operation accepts, with the reason.
fn bad_points<C: TestCurve>() -> Vec<(String, Point, Rejection)> {
    let bad: Vec<_> = bad_keys::<C>()
        .into_iter()
        .filter_map(|(name, encoding, reason)| {
            let point = Point::from_uncompressed(encoding.try_into().ok()?).ok()?;
            (!point.is_identity()).then(|| (name.to_owned(), point, reason))
        })
        .collect();
    assert!(bad.len() >= 8);
    bad
}

fn random_group<C: TestCurve>(random: &mut Random) -> Group<C> {
    reference::mul_base::<C>(&random.scalar::<C>())
}

#[apply(on_every_engine)]
fn special_operands_of_add_do_not_change_others(engine: &Engine) {
    each_curve!(additions(engine));
}

fn additions<C: TestCurve>(engine: &Engine) {
    let mut random = Random::new();
    let sum = |name: &str, a: Group<C>, b: Group<C>| -> Case<(Point, Point), Outcome> {
        case(
            name,
            (encode::<C>(&a), encode::<C>(&b)),
            Ok(encode::<C>(&(a + b))),
        )
    };
    let clean: Vec<_> = (0..CLEAN)
        .map(|_| {
            sum(
                "clean",
                random_group::<C>(&mut random),
                random_group::<C>(&mut random),
            )
        })
        .collect();
    let p = random_group::<C>(&mut random);
    let o = Group::<C>::identity();
    let mut special = vec![
        sum("P + P", p, p),
        sum("P + -P", p, -p),
        sum("P + O", p, o),
        sum("O + P", o, p),
        sum("O + O", o, o),
        sum("2P + -P", p.double(), -p),
        sum("2P + P", p.double(), p),
    ];
    let edges = edge_points::<C>();
    special.extend(edges.iter().map(|edge| sum("edge + P", *edge, p)));
    special.extend(edges.iter().map(|edge| sum("edge + edge", *edge, *edge)));
    let good = encode::<C>(&p);
    for (name, bad, reason) in bad_points::<C>() {
        special.push(case(format!("{name}, left"), (bad, good), Err(reason)));
        special.push(case(format!("{name}, right"), (good, bad), Err(reason)));
        special.push(case(
            format!("{name} + O"),
            (bad, Point::IDENTITY),
            Err(reason),
        ));
    }
    everywhere(&clean, &special, &POSITIONS, |pairs| {
        let (a, b): (Vec<Point>, Vec<Point>) = pairs.iter().copied().unzip();
        point::add(engine, C::ID, &a, &b).unwrap()
    });
}

#[apply(on_every_engine)]
fn special_operands_of_double_do_not_change_others(engine: &Engine) {
    each_curve!(doublings(engine));
}

fn doublings<C: TestCurve>(engine: &Engine) {
    let mut random = Random::new();
    let twice = |name: &str, point: Group<C>| -> Case<Point, Outcome> {
        case(name, encode::<C>(&point), Ok(encode::<C>(&point.double())))
    };
    let clean: Vec<_> = (0..CLEAN)
        .map(|_| twice("clean", random_group::<C>(&mut random)))
        .collect();
    let mut special = vec![
        twice("O", Group::<C>::identity()),
        twice("G", Group::<C>::generator()),
    ];
    special.extend(
        edge_points::<C>()
            .into_iter()
            .map(|point| twice("edge", point)),
    );
    special.extend(
        bad_points::<C>()
            .into_iter()
            .map(|(name, bad, reason)| case(name, bad, Err(reason))),
    );
    everywhere(&clean, &special, &POSITIONS, |points| {
        point::double(engine, C::ID, points).unwrap()
    });
}

/// Scalars that are special, each with the reason where it has none.
fn special_scalars<C: TestCurve>() -> Vec<([u8; 32], Option<Rejection>)> {
    let outside = [order_plus::<C>(0), order_plus::<C>(1), [0xff; 32]];
    let edges = edge_scalars::<C>().into_iter().map(|scalar| (scalar, None));
    edges
        .chain(outside.map(|scalar| (scalar, Some(Rejection::ScalarOutOfRange))))
        .collect()
}

#[apply(on_every_engine)]
fn special_operands_of_mul_do_not_change_others(engine: &Engine) {
    each_curve!(multiplications(engine));
}

fn multiplications<C: TestCurve>(engine: &Engine) {
    let mut random = Random::new();
    let product = |name: &str, k: &[u8; 32], point: Group<C>| -> Case<([u8; 32], Point), Outcome> {
        let expected = scalar::<C>(k)
            .map(|k| encode::<C>(&(point * k)))
            .ok_or(Rejection::ScalarOutOfRange);
        case(name, (*k, encode::<C>(&point)), expected)
    };
    let clean: Vec<_> = (0..CLEAN)
        .map(|_| {
            product(
                "clean",
                &random.scalar_bytes::<C>(),
                random_group::<C>(&mut random),
            )
        })
        .collect();
    let p = random_group::<C>(&mut random);
    let scalars = special_scalars::<C>();
    let mut special: Vec<_> = scalars
        .iter()
        .step_by(6)
        .map(|(k, _)| product(&format!("k = {}", hex::encode(k)), k, p))
        .collect();
    let k = random.scalar_bytes::<C>();
    special.push(product("k O", &k, Group::<C>::identity()));
    special.push(product("0 O", &[0; 32], Group::<C>::identity()));
    special.push(product("0 P", &[0; 32], p));
    special.push(product("n P", &order_plus::<C>(0), p));
    special.push(product("k G", &k, Group::<C>::generator()));
    special.extend(
        edge_points::<C>()
            .into_iter()
            .step_by(4)
            .map(|point| product("k edge", &k, point)),
    );
    special.extend(
        bad_points::<C>()
            .into_iter()
            .map(|(name, bad, reason)| case(name, (k, bad), Err(reason))),
    );
    everywhere(&clean, &special, &[0, 1, 16, 32], |pairs| {
        let (scalars, points): (Vec<[u8; 32]>, Vec<Point>) = pairs.iter().copied().unzip();
        point::mul(engine, C::ID, &scalars, &points).unwrap()
    });
}

#[apply(on_every_engine)]
fn special_operands_of_mul_base_do_not_change_others(engine: &Engine) {
    each_curve!(base_multiplications(engine));
}

fn base_multiplications<C: TestCurve>(engine: &Engine) {
    let mut random = Random::new();
    let product = |name: String, k: &[u8; 32]| -> Case<[u8; 32], Outcome> {
        let group = scalar::<C>(k).map(|k| reference::mul_base::<C>(&k));
        case(
            name,
            *k,
            group
                .map(|point| encode::<C>(&point))
                .ok_or(Rejection::ScalarOutOfRange),
        )
    };
    let clean: Vec<_> = (0..CLEAN)
        .map(|_| product("clean".into(), &bytes::<C>(&random.scalar::<C>())))
        .collect();
    let special: Vec<_> = special_scalars::<C>()
        .iter()
        .map(|(k, reason)| {
            let case = product(hex::encode(k), k);
            assert_eq!(case.expected.err(), *reason);
            case
        })
        .collect();
    everywhere(&clean, &special, &POSITIONS, |scalars| {
        point::mul_base(engine, C::ID, scalars).unwrap()
    });
}

#[apply(on_every_engine)]
fn special_operands_of_decompress_do_not_change_others(engine: &Engine) {
    each_curve!(decompressions(engine));
}

fn decompressions<C: TestCurve>(engine: &Engine) {
    let mut random = Random::new();
    let good = |name: &str, point: Group<C>| -> Case<[u8; 33], Outcome> {
        let point = encode::<C>(&point);
        case(
            name,
            point.to_compressed().expect("not the identity"),
            Ok(point),
        )
    };
    let clean: Vec<_> = (0..CLEAN)
        .map(|_| good("clean", random_group::<C>(&mut random)))
        .collect();
    let mut special: Vec<_> = edge_points::<C>()
        .into_iter()
        .map(|point| good("edge", point))
        .collect();
    for (name, encoding, reason) in bad_keys::<C>() {
        if let Ok(compressed) = <[u8; 33]>::try_from(encoding) {
            assert!(decode_key::<C>(&compressed).is_none());
            special.push(case(name, compressed, Err(reason)));
        }
    }
    special.push(case("zeros", [0; 33], Err(Rejection::MalformedPoint)));
    everywhere(&clean, &special, &POSITIONS, |keys| {
        point::decompress(engine, C::ID, keys).unwrap()
    });
}
