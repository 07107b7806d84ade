//! The device code of hashing to points, compiled as plain C++ by the system's compiler and
//! compared with the vectors of RFC 9380, the RustCrypto crates, big integers and the CPU engine.

mod harness;
#[allow(dead_code, reason = "the sessions there are of numbers")]
mod host_build;

use elliptic_curve::CurveArithmetic;
use elliptic_curve::consts::U16;
use elliptic_curve::sec1::{FromSec1Point, ModulusSize, ToSec1Point};
use elliptic_curve::{AffinePoint, FieldBytesSize};
use gecc::hash_to_curve::{self, Dst, Suite};
use gecc::{Curve as _, Engine};
use harness::needs::CXX;
use harness::{named, tests};
use hash2curve::{ExpandMsgXmd, MapToCurve, encode_from_bytes, hash_from_bytes};
use host_build::{ByteSession, bytes, coordinates, curve_value, edge_values, from_hex};
use host_build::{number, patterned};
use num_bigint::BigUint;
use serde_json::Value;
use sha2::{Digest, Sha256};
use sm3::Sm3;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

const RANDOM_ITEMS: usize = 150;

fn main() -> ExitCode {
    harness::run(tests(
        Some(&CXX),
        named![p256, secp256k1, tries_on_sm2, tries_on_p256],
    ))
}

fn p256() {
    of_map::<p256::NistP256>(gecc::P256::NAME, Suite::P256SswuRo, Suite::P256SswuNu);
}

fn secp256k1() {
    of_map::<k256::Secp256k1>(
        gecc::Secp256k1::NAME,
        Suite::Secp256k1SswuRo,
        Suite::Secp256k1SswuNu,
    );
}

fn of_map<C>(name: &str, uniform: Suite, nonuniform: Suite)
where
    C: CurveArithmetic + MapToCurve<SecurityLevel = U16>,
    FieldBytesSize<C>: ModulusSize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    let mut session = ByteSession::new("hash_to_curve", name);
    for suite in [uniform, nonuniform] {
        rfc_vectors(&mut session, suite);
    }
    random_messages::<C>(&mut session);
    let map = Map::of(name);
    mapped_elements(&mut session, &map);
    sums(&mut session, &map);
    isogenies(&mut session, &map);
    session.run();
}

fn rfc_vectors(session: &mut ByteSession, suite: Suite) {
    let name = suite.name().replace(':', "-");
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/vectors/rfc9380/{name}.json"));
    let file: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let dst = Dst::new(file["dst"].as_str().unwrap().as_bytes());
    let vectors = file["vectors"].as_array().unwrap();
    assert!(!vectors.is_empty());
    for vector in vectors {
        let [x, y] = ["x", "y"].map(|coordinate| {
            let digits = vector["P"][coordinate].as_str().unwrap();
            bytes(&from_hex(&digits[2..]))
        });
        let operation = match suite {
            Suite::P256SswuRo | Suite::Secp256k1SswuRo => "hash_to_curve",
            _ => "encode_to_curve",
        };
        let message = vector["msg"].as_str().unwrap().as_bytes();
        expand(session, operation, message, &dst, &[&x, &y]);
    }
}

/// Messages and tags of all lengths around the ends of blocks, at every alignment.
fn random_messages<C>(session: &mut ByteSession)
where
    C: CurveArithmetic + MapToCurve<SecurityLevel = U16>,
    FieldBytesSize<C>: ModulusSize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    for item in 0..RANDOM_ITEMS {
        let message = random_bytes(item);
        let tag = random_bytes(1 + item * 83 % 255);
        let dst = Dst::new(&tag);
        for (operation, point) in [
            (
                "hash_to_curve",
                hash_from_bytes::<C, ExpandMsgXmd<Sha256>>(&[&message], &[&tag]),
            ),
            (
                "encode_to_curve",
                encode_from_bytes::<C, ExpandMsgXmd<Sha256>>(&[&message], &[&tag]),
            ),
        ] {
            let point = point.unwrap_or_else(|_| panic!("a tag of {} bytes", tag.len()));
            let [x, y] = coordinates::<C>(&point).map(|number| bytes(&number));
            expand(session, operation, &message, &dst, &[&x, &y]);
        }
    }
}

/// Adds a case for the driver with what it gets of the tag.
fn expand(
    session: &mut ByteSession,
    operation: &str,
    message: &[u8],
    dst: &Dst,
    expected: &[&[u8]],
) {
    let length: u16 = if operation == "hash_to_curve" { 96 } else { 48 };
    let tag = dst.as_bytes();
    let prime = [tag, &[tag.len() as u8]].concat();
    let suffix = [&length.to_be_bytes(), &[0][..], &prime].concat();
    let mut tail = [&[0][..], &prime, &[0x80]].concat();
    while !(tail.len() + 32 + 8).is_multiple_of(64) {
        tail.push(0);
    }
    tail.extend((8 * (33 + prime.len() as u64)).to_be_bytes());
    let start = [u8::try_from(message.len() % 5).unwrap()];
    session.expect(operation, &[&start, message, &suffix, &tail], expected);
}

/// The simplified SWU map as RFC 9380 defines it, in big integers.
struct Map {
    p: BigUint,
    a: BigUint,
    b: BigUint,
    z: BigUint,
    isogeny: Option<Isogeny>,
}

/// Coefficients of polynomials, beginning with the constant.
struct Isogeny {
    x: [Vec<BigUint>; 2],
    y: [Vec<BigUint>; 2],
}

type Affine = (BigUint, BigUint);

impl Map {
    fn of(name: &str) -> Self {
        let p = from_hex(&curve_value(name, "p"));
        if name == gecc::P256::NAME {
            let [a, b] = ["a", "b"].map(|key| from_hex(&curve_value(name, key)));
            let z = &p - 10u32;
            return Map {
                p,
                a,
                b,
                z,
                isogeny: None,
            };
        }
        let table = isogeny_table(name);
        let polynomial = |key: &str| -> Vec<BigUint> {
            let coefficients = table[key].as_array().unwrap().iter();
            coefficients
                .map(|k| from_hex(k.as_str().unwrap()))
                .collect()
        };
        let monic = |key: &str| [polynomial(key), vec![number(1)]].concat();
        Map {
            a: from_hex(table["a"].as_str().unwrap()),
            b: from_hex(table["b"].as_str().unwrap()),
            z: &p - 11u32,
            isogeny: Some(Isogeny {
                x: [polynomial("x_num"), monic("x_den")],
                y: [polynomial("y_num"), monic("y_den")],
            }),
            p,
        }
    }

    fn inverse(&self, value: &BigUint) -> BigUint {
        value.modpow(&(&self.p - 2u32), &self.p)
    }

    fn right_side(&self, x: &BigUint) -> BigUint {
        (x * x * x + &self.a * x + &self.b) % &self.p
    }

    fn root(&self, square: &BigUint) -> Option<BigUint> {
        let root = square.modpow(&((&self.p + 1u32) >> 2), &self.p);
        (&root * &root % &self.p == *square).then_some(root)
    }

    /// RFC 9380, section 6.6.2.
    fn apply(&self, u: &BigUint) -> Affine {
        let p = &self.p;
        let zuu = &self.z * u * u % p;
        let sum = (&zuu * &zuu + &zuu) % p;
        let minus_b_by_a = (p - &self.b) * self.inverse(&self.a) % p;
        let first = if sum == number(0) {
            &self.b * self.inverse(&(&self.z * &self.a % p)) % p
        } else {
            minus_b_by_a * (self.inverse(&sum) + 1u32) % p
        };
        let second = &zuu * &first % p;
        let (x, y) = match self.root(&self.right_side(&first)) {
            Some(y) => (first, y),
            None => {
                let y = self.root(&self.right_side(&second));
                (second, y.expect("one of the two is a square"))
            }
        };
        let is_right = y.bit(0) == (u % p).bit(0);
        (x, if is_right { y } else { p - y })
    }

    fn add(&self, left: &Affine, right: &Affine) -> Option<Affine> {
        let p = &self.p;
        let ((x1, y1), (x2, y2)) = (left, right);
        let (numerator, denominator) = if x1 != x2 {
            (y2 + p - y1, x2 + p - x1)
        } else if y1 == y2 {
            (x1 * x1 * 3u32 + &self.a, y1 * 2u32)
        } else {
            return None;
        };
        let slope = numerator * self.inverse(&(denominator % p)) % p;
        let x = (&slope * &slope + p + p - x1 - x2) % p;
        let y = (slope * (x1 + p - &x) + p - y1) % p;
        Some((x, y))
    }

    /// RFC 9380, section 6.6.3.
    fn to_suite(&self, (x, y): &Affine) -> Affine {
        let p = &self.p;
        let Some(isogeny) = &self.isogeny else {
            return (x.clone(), y.clone());
        };
        let value = |polynomial: &Vec<BigUint>| {
            let terms = polynomial.iter().rev();
            terms.fold(number(0), |sum, k| (sum * x + k) % p)
        };
        let [x, factor] = [&isogeny.x, &isogeny.y].map(|[numerator, denominator]| {
            value(numerator) * self.inverse(&value(denominator)) % p
        });
        (x, factor * y % p)
    }
}

fn isogeny_table(name: &str) -> toml::Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("curves/{name}.toml"));
    let file: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
    file["map_to_curve"]["isogeny"].as_table().unwrap().clone()
}

/// Elements around the ends of words and of the field, and those for which the RFC's formulas would
/// divide by zero: 0 and the square roots of -1 / z.
fn mapped_elements(session: &mut ByteSession, map: &Map) {
    let p = &map.p;
    let exception = map
        .root(&((p - 1u32) * map.inverse(&map.z) % p))
        .expect("z and -1 are no squares");
    assert_eq!((&map.z * &exception * &exception + 1u32) % p, number(0));
    let mut elements = vec![number(0), p - &exception, exception];
    elements.extend(edge_values(p));
    elements.extend((0..RANDOM_ITEMS).map(|_| patterned()));
    for u in elements {
        let (x, y) = map.apply(&u);
        session.expect("map_to_curve", &[&bytes(&u)], &[&bytes(&x), &bytes(&y)]);
    }
}

/// Sums of any two points, of a point with itself, and of opposite points.
fn sums(session: &mut ByteSession, map: &Map) {
    let points: Vec<Affine> = (0..20u64).map(|u| map.apply(&number(u))).collect();
    let mut pairs: Vec<(Affine, Affine)> = Vec::new();
    for (x, y) in &points {
        let opposite = (x.clone(), &map.p - y);
        pairs.push(((x.clone(), y.clone()), opposite));
        pairs.extend(
            points
                .iter()
                .map(|other| ((x.clone(), y.clone()), other.clone())),
        );
    }
    for (left, right) in pairs {
        let sum = map.add(&left, &right).unwrap_or_default();
        let arguments = [&left.0, &left.1, &right.0, &right.1].map(bytes);
        let arguments = arguments.each_ref().map(|bytes| bytes.as_slice());
        session.expect("map_sum", &arguments, &[&bytes(&sum.0), &bytes(&sum.1)]);
    }
}

/// Images of points in different coordinates, and of the identity.
fn isogenies(session: &mut ByteSession, map: &Map) {
    for item in 0..40u64 {
        let point = map.apply(&(patterned() + item));
        let (x, y) = map.to_suite(&point);
        let [of_x, of_y] = [&point.0, &point.1].map(bytes);
        let z = patterned() % (&map.p - 1u32) + 1u32;
        session.expect(
            "map_to_suite",
            &[&of_x, &of_y, &bytes(&z)],
            &[&bytes(&x), &bytes(&y)],
        );
        session.expect("map_to_suite", &[&of_x, &of_y, &[0; 32]], &[&[0; 64]]);
    }
}

fn tries_on_sm2() {
    let mut session = ByteSession::new("hash_to_curve", gecc::Sm2::NAME);
    let p = from_hex(&curve_value("sm2", "p"));
    for (suite, operation) in [
        (Suite::Sm2Rehash, "rehash_sm3"),
        (Suite::Sm2Increment, "increment_sm3"),
    ] {
        engine_tries(&mut session, suite, operation, |message| match suite {
            Suite::Sm2Rehash => Box::new(std::iter::successors(
                Some(Sm3::digest(message).to_vec()),
                |digest| Some(Sm3::digest(digest).to_vec()),
            )),
            _ => {
                let first = BigUint::from_bytes_be(&Sm3::digest(message));
                Box::new((0u32..).map(move |step| (&first + step).to_bytes_be()))
            }
        });
    }
    for x in edge_values(&p) {
        let next = (&x + 1u32) % &p;
        session.expect("increment_step", &[&bytes(&x)], &[&bytes(&next)]);
    }
    session.run();
}

fn tries_on_p256() {
    let mut session = ByteSession::new("hash_to_curve", gecc::P256::NAME);
    let p = from_hex(&curve_value("p256", "p"));
    let oracle = move |message: &[u8]| {
        let halves = [1, 2].map(|prefix| {
            Sha256::new_with_prefix([prefix])
                .chain_update(message)
                .finalize()
        });
        BigUint::from_bytes_be(&halves.concat()) % &p
    };
    let next = {
        let oracle = oracle.clone();
        // Zero has no bytes.
        move |x: &BigUint| {
            let bytes = x.to_bytes_be();
            oracle(if *x == number(0) { &[] } else { &bytes })
        }
    };
    {
        let next = next.clone();
        engine_tries(
            &mut session,
            Suite::P256Rehash,
            "rehash_wide_sha256",
            move |message| {
                let next = next.clone();
                let all = std::iter::successors(Some(oracle(message)), move |x| Some(next(x)));
                Box::new(all.map(|x| x.to_bytes_be()))
            },
        );
    }
    // Of every length in bytes.
    for length in 0..=32u32 {
        let end = (number(1) << (8 * length)) - 1u32;
        for x in [&end >> 7, &end >> 8, end.clone()] {
            let below = x % from_hex(&curve_value("p256", "p"));
            session.expect(
                "rehash_wide_step",
                &[&bytes(&below)],
                &[&bytes(&next(&below))],
            );
        }
    }
    session.run();
}

type Candidates = Box<dyn Iterator<Item = Vec<u8>>>;

/// Compares the points with those of the CPU engine, and the number of tries with the first of
/// `candidates` that is the x-coordinate of the point.
fn engine_tries(
    session: &mut ByteSession,
    suite: Suite,
    operation: &str,
    candidates: impl Fn(&[u8]) -> Candidates,
) {
    let p = from_hex(&curve_value(suite.curve().name(), "p"));
    let engine = Engine::cpu().unwrap();
    let messages: Vec<Vec<u8>> = (0..RANDOM_ITEMS).map(random_bytes).collect();
    let points = hash_to_curve::points(&engine, suite, b"", &messages).unwrap();
    for (message, point) in messages.iter().zip(points) {
        let point = point.unwrap();
        let x = BigUint::from_bytes_be(point.x());
        let tries = candidates(message)
            .position(|candidate| BigUint::from_bytes_be(&candidate) % &p == x)
            .unwrap();
        let start = [u8::try_from(message.len() % 5).unwrap()];
        session.expect(
            operation,
            &[&start, message],
            &[&[u8::try_from(tries).unwrap() + 1], point.x(), point.y()],
        );
    }
}

fn random_bytes(length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    bytes
}
