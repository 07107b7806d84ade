//! The device code of hashing to points, compiled as plain C++ for curves over fields of a few
//! bits: exhaustive tests against the definitions of RFC 9380 and of the suites that try
//! x-coordinates.
//!
//! # Coverage
//! - Every element u, and every pair of elements, whose images are added. So every u with
//!   Z^2 u^4 + Z u^2 = 0, both candidates for x, every point with several preimages, and sums of
//!   equal and of opposite images occur.
//! - Curves of both kinds that the suites have: with a = -3, to which elements are mapped directly,
//!   and with a = 0, to which an isogeny of degree 3 leads from the curve of the map.
//! - Every x-coordinate, lifted to the point with an even and with an odd y; try-and-increment from
//!   every x, and try-and-rehash until every x has been the first one.
//!
//! # Limitations
//! - The fields have the arithmetic of a p without a special shape. The reductions of the primes of
//!   the suites are tested on numbers of 256 bits (`host_device.rs`).
//! - The reduction of 384 and 512 bits, to elements and to the x of `Suite::P256Rehash`, needs a p
//!   of 256 bits. So the tests start from elements, and do not include that suite
//!   (`host_device_hash_to_curve.rs` does).
//! - Kernels are not run.

#[allow(dead_code, reason = "not all of the generator is needed")]
#[path = "../build/derive.rs"]
mod derive;
#[path = "../build/emit_cuda.rs"]
mod emit_cuda;
#[allow(dead_code, reason = "not all of the generator is needed")]
#[path = "../build/map_to_curve.rs"]
mod map_to_curve;
#[allow(dead_code, reason = "not all of the generator is needed")]
#[path = "../build/params.rs"]
mod params;

#[path = "small_groups/small_fields.rs"]
mod small_fields;

mod harness;
#[allow(dead_code, reason = "only a part of it is needed")]
mod host_build;

use derive::Reduction;
use harness::needs::CXX;
use harness::{named, tests};
use host_build::{ByteSession, Driver, bytes, number};
use num_bigint::BigUint;
use params::ChainStep;
use sm3::{Digest, Sm3};
use small_fields::{Curve, Point, SmallSuite};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    harness::run(tests(
        Some(&CXX),
        named![
            minus_three_modulo_23,
            minus_three_modulo_103,
            minus_three_modulo_199,
            isogeny_modulo_67,
            isogeny_modulo_139,
            isogeny_modulo_211
        ],
    ))
}

fn minus_three_modulo_23() {
    all_elements(&SmallSuite::with_a_minus_three(23));
}

fn minus_three_modulo_103() {
    all_elements(&SmallSuite::with_a_minus_three(103));
}

fn minus_three_modulo_199() {
    all_elements(&SmallSuite::with_a_minus_three(199));
}

fn isogeny_modulo_67() {
    all_elements(&SmallSuite::with_isogeny(67));
}

fn isogeny_modulo_139() {
    all_elements(&SmallSuite::with_isogeny(139));
}

fn isogeny_modulo_211() {
    all_elements(&SmallSuite::with_isogeny(211));
}

fn all_elements(suite: &SmallSuite) {
    let name = format!("small_curve_{}", suite.curve.p);
    let header = header(suite, &name);
    let driver = Driver::compile("hash_to_curve", &name, &header);
    let mut session = ByteSession::of(driver);
    images(&mut session, suite);
    sums(&mut session, suite);
    lifts(&mut session, &suite.curve);
    tries(&mut session, &suite.curve);
    session.run();
}

/// The folder with `curve.cuh` of the curve.
fn header(suite: &SmallSuite, name: &str) -> PathBuf {
    let p = suite.curve.p;
    let points = suite.curve.points();
    let (gx, gy) = points[1].expect("the identity is the first");
    let curve = params::Curve {
        name: name.to_owned(),
        p: number(p),
        a: number(suite.curve.a),
        b: number(suite.curve.b),
        n: number(points.len() as u64),
        gx: number(gx),
        gy: number(gy),
        reduction: Reduction::Montgomery,
        sqrt_chain: binary_chain(p.div_ceil(4)),
        endomorphism: None,
        map: Some(map_parameters(suite)),
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("the folder for temporary files is writable");
    fs::write(folder.join("curve.cuh"), emit_cuda::emit_cuda(&curve))
        .expect("the folder for temporary files is writable");
    folder
}

fn map_parameters(suite: &SmallSuite) -> map_to_curve::Map {
    let p = suite.curve.p;
    let root = suite.curve.root(p - suite.z);
    map_to_curve::Map {
        z: number(suite.z),
        a: number(suite.source.a),
        b: number(suite.source.b),
        root_of_minus_z: number(root.expect("Z and -1 are not squares")),
        inverse_sqrt_chain: binary_chain((p - 3) / 4),
        isogeny: suite.isogeny.as_ref().map(|isogeny| {
            let [x_num, y_num] = isogeny.numerators(&suite.source);
            map_to_curve::Isogeny {
                x_num: x_num.map(number),
                y_num: y_num.map(number),
                x_of_kernel: number(isogeny.kernel),
            }
        }),
    }
}

/// A step for each bit of the exponent but the first.
fn binary_chain(exponent: u64) -> Vec<ChainStep> {
    let bits = (0..exponent.ilog2()).rev();
    bits.map(|bit| ChainStep {
        squarings: 1,
        factor: (exponent >> bit & 1 == 1).then_some(0),
    })
    .collect()
}

fn field(value: u64) -> [u8; 32] {
    bytes(&number(value))
}

/// x || y, or zeros for the identity, as the driver writes them. No point is (0, 0).
fn coordinates(point: Point) -> [[u8; 32]; 2] {
    let (x, y) = point.unwrap_or((0, 0));
    [field(x), field(y)]
}

/// The image of every element, on both curves.
fn images(session: &mut ByteSession, suite: &SmallSuite) {
    let mut exceptional = 0;
    let mut of_first = 0;
    let mut of_second = 0;
    for u in 0..suite.curve.p {
        let image = suite.map(u);
        let [x, y] = coordinates(Some(image.point));
        session.expect("map_to_curve", &[&field(u)], &[&x, &y]);
        let [x, y] = coordinates(Some(suite.to_curve(image.point)));
        session.expect("encode_element", &[&field(u)], &[&x, &y]);
        exceptional += u32::from(image.is_exceptional);
        of_first += u32::from(!image.is_of_second);
        of_second += u32::from(image.is_of_second);
    }
    // 0 and the roots of -1 / Z.
    assert_eq!(exceptional, 3);
    assert!(of_first > 3 && of_second > 0);
}

/// The sum of the images of every pair of elements. Here the images are mapped to the curve before
/// they are added, as in the RFC, while the device code adds them before.
fn sums(session: &mut ByteSession, suite: &SmallSuite) {
    let images: Vec<Point> = (0..suite.curve.p)
        .map(|u| Some(suite.to_curve(suite.map(u).point)))
        .collect();
    let mut equal = 0;
    let mut opposite = 0;
    for (u0, first) in (0u64..).zip(&images) {
        for (u1, second) in (0u64..).zip(&images) {
            let sum = suite.curve.add(*first, *second);
            let [x, y] = coordinates(sum);
            session.expect("hash_elements", &[&field(u0), &field(u1)], &[&x, &y]);
            equal += u32::from(u0 != u1 && first == second);
            opposite += u32::from(sum.is_none());
        }
    }
    assert!(equal > 0 && opposite > 0);
}

/// Every x-coordinate with both parities of y.
fn lifts(session: &mut ByteSession, curve: &Curve) {
    for x in 0..curve.p {
        for y_is_odd in [false, true] {
            let point = curve.lift(x, y_is_odd);
            let [of_x, of_y] = coordinates(point);
            session.expect(
                "lift",
                &[&field(x), &field(u64::from(y_is_odd))],
                &[&[u8::from(point.is_some())], &of_x, &of_y],
            );
        }
    }
}

/// Adds a case whose answer is the number of tries, and the first point with one of these x and an
/// even y.
fn expect_tries(
    session: &mut ByteSession,
    curve: &Curve,
    operation: &str,
    arguments: &[&[u8]],
    candidates: impl Iterator<Item = u64>,
) {
    let lifted = (1u8..).zip(candidates.map(|x| curve.lift(x, false)));
    let (tries, point) = lifted
        .into_iter()
        .find(|(_, point)| point.is_some())
        .expect("the curve has points");
    let [x, y] = coordinates(point);
    session.expect(operation, arguments, &[&[tries], &x, &y]);
}

/// Try-and-increment from every x, across p, and both suites with SM3 on messages until every x has
/// been the first.
fn tries(session: &mut ByteSession, curve: &Curve) {
    let p = curve.p;
    for start in 0..p {
        let all = (start..).map(|x| x % p);
        expect_tries(session, curve, "increment_from", &[&field(start)], all);
    }
    let reduce = |digest: &[u8]| {
        let residue = BigUint::from_bytes_be(digest) % p;
        u64::try_from(residue).expect("p is small")
    };
    let mut missing: Vec<u64> = (0..p).collect();
    for message in 0u32.. {
        if missing.is_empty() {
            break;
        }
        let message = message.to_be_bytes();
        let digest = Sm3::digest(message).to_vec();
        let first = reduce(&digest);
        missing.retain(|x| *x != first);
        let arguments: [&[u8]; 2] = [&[0], &message];
        let incremented = (first..).map(|x| x % p);
        expect_tries(session, curve, "increment_sm3", &arguments, incremented);
        let digests = std::iter::successors(Some(digest), |last| Some(Sm3::digest(last).to_vec()));
        let rehashed = digests.map(|digest| reduce(&digest));
        expect_tries(session, curve, "rehash_sm3", &arguments, rehashed);
    }
}
