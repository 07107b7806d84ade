//! The device code of Ed25519, X25519 and ristretto255, compiled as plain C++ by the system's
//! compiler: arithmetic and points compared with big integers, verdicts and signatures with those
//! of the CPU engine, and shared secrets and elements with those of curve25519-dalek.

mod harness;
#[allow(dead_code, reason = "not every test needs all")]
mod host_build;

use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::{MontgomeryPoint, Scalar};
use gecc::ed25519::{self, MAX_CONTEXT_LEN, Rule, Variant};
use gecc::{Backend, Engine, PublicKeys, Rejection, SecretKey, Verdict};
use harness::needs::CXX;
use harness::{named, tests};
use host_build::{
    Driver, Session, curve_value, edge_values, from_hex, header_folder, number, patterned,
    two_to_256,
};
use num_bigint::BigUint;
use sha2::{Digest, Sha512};
use std::process::ExitCode;
use std::sync::LazyLock;

const NAME: &str = "ed25519";

fn main() -> ExitCode {
    harness::run(tests(
        Some(&CXX),
        named![
            fields,
            scalars,
            points,
            products,
            halves,
            challenges,
            signatures,
            verdicts,
            ladders,
            secret_products,
            elements,
            encodings,
            images,
            expansions
        ],
    ))
}

static P: LazyLock<BigUint> = LazyLock::new(|| from_hex(&curve_value(NAME, "p")));
static N: LazyLock<BigUint> = LazyLock::new(|| from_hex(&curve_value(NAME, "n")));
static D: LazyLock<BigUint> = LazyLock::new(|| from_hex(&curve_value(NAME, "d")));

fn run(session: Session) {
    static DRIVER: LazyLock<Driver> =
        LazyLock::new(|| Driver::compile("edwards", NAME, &header_folder(NAME)));
    session.run(&DRIVER);
}

/// Values around 0, p, 2p, 2^255 and 2^256, and patterns of words.
fn field_values() -> Vec<BigUint> {
    let mut values = edge_values(&P);
    for center in [
        P.clone(),
        &*P * 2u32,
        number(1) << 255,
        two_to_256() - 80u32,
    ] {
        values.extend((0..80u32).flat_map(|offset| [&center + offset, &center - offset]));
    }
    values.extend((0..80).map(number));
    values.retain(|value| *value < two_to_256());
    values.extend((0..300).map(|_| patterned()));
    values
}

fn fields() {
    let mut session = Session::default();
    let p = &*P;
    let values = field_values();
    for (index, a) in values.iter().enumerate() {
        for b in values.iter().skip(index % 23).step_by(23).chain([a]) {
            let results = [
                ("fe_mul", a * b),
                ("fe_add", a + b),
                ("fe_sub", a + (p << 2) - b),
            ];
            for (operation, wanted) in results {
                session.expect(operation, &[a, b], move |found| {
                    &found[0] % p == &wanted % p
                });
            }
        }
        let powers = [
            ("fe_sqr", a * a),
            ("fe_neg", (p << 2) - a),
            ("fe_inv", a.modpow(&(p - 2u32), p)),
            ("fe_sqrt", a.modpow(&((p - 5u32) >> 3), p)),
        ];
        for (operation, wanted) in powers {
            session.expect(operation, &[a], move |found| &found[0] % p == &wanted % p);
        }
        for factor in [0, 1, 2, 121_665, (1 << 26) - 1] {
            let wanted = a * factor % p;
            session.expect("fe_mul_small", &[a, &number(factor)], move |found| {
                &found[0] % p == wanted
            });
        }
        session.expect_exactly("fe_canonical", &[a], vec![a % p]);
        session.expect_exactly(
            "fe_is_zero",
            &[a],
            vec![number(u64::from(a % p == BigUint::ZERO))],
        );
    }
    run(session);
}

fn scalars() {
    let mut session = Session::default();
    let n = &*N;
    let mut values = edge_values(&N);
    values.extend((1..17u32).flat_map(|times| [n * times - 1u32, n * times, n * times + 1u32]));
    values.retain(|value| *value < two_to_256());
    values.extend((0..200).map(|_| patterned()));
    for (index, a) in values.iter().enumerate() {
        for b in values.iter().skip(index % 7).step_by(7) {
            session.expect_exactly("sc_from_wide", &[a, b], vec![(a + (b << 256)) % n]);
            session.expect_exactly("sc_mul", &[&(a % n), &(b % n)], vec![a * b % n]);
        }
    }
    run(session);
}

type Point = (BigUint, BigUint);

fn add((x1, y1): &Point, (x2, y2): &Point) -> Point {
    let p = &*P;
    let t = &*D * x1 % p * x2 % p * y1 % p * y2 % p;
    (
        quotient(x1 * y2 + y1 * x2, &t + 1u32),
        quotient(y1 * y2 + x1 * x2, p + 1u32 - &t),
    )
}

/// The quotient of field elements.
fn quotient(numerator: BigUint, denominator: BigUint) -> BigUint {
    numerator * denominator.modinv(&P).expect("no denominator is 0") % &*P
}

fn multiple(k: &BigUint, point: &Point) -> Point {
    (0..k.bits())
        .rev()
        .fold((BigUint::ZERO, number(1)), |sum, bit| {
            let doubled = add(&sum, &sum);
            if k.bit(bit) {
                add(&doubled, point)
            } else {
                doubled
            }
        })
}

fn encode((x, y): &Point) -> BigUint {
    y + (BigUint::from(u8::from(x.bit(0))) << 255)
}

/// The kind that the device returns, and the point.
fn decode(encoding: &BigUint, canonical: bool) -> (u64, Point) {
    let p = &*P;
    let none = (BigUint::ZERO, BigUint::ZERO);
    let is_odd = encoding.bit(255);
    let y = encoding % (number(1) << 255);
    if canonical && y >= *p {
        return (host_build::codes::PointKind::BadEncoding as u64, none);
    }
    let yy = &y * &y % p;
    let u: BigUint = (&yy + p - 1u32) % p;
    let v: BigUint = (&*D * &yy + 1u32) % p;
    let square = u * v.modpow(&(p - 2u32), p) % p;
    let root = square.modpow(&((p + 3u32) >> 3), p);
    let of_minus_one = number(2).modpow(&((p - 1u32) >> 2), p);
    let x = [root.clone(), root * of_minus_one % p]
        .into_iter()
        .find(|x| x * x % p == square);
    let Some(x) = x else {
        return (host_build::codes::PointKind::OffCurve as u64, none);
    };
    if canonical && is_odd && x == BigUint::ZERO {
        return (host_build::codes::PointKind::BadEncoding as u64, none);
    }
    let x = if x.bit(0) == is_odd { x } else { (p - x) % p };
    (host_build::codes::PointKind::Finite as u64, (x, y % p))
}

fn points() {
    let mut session = Session::default();
    let mut encodings = field_values();
    encodings.extend((0..40).map(|y| number(y) + (number(1) << 255)));
    let identity = (BigUint::ZERO, number(1));
    for encoding in &encodings {
        for canonical in [0, 1] {
            let (kind, (x, y)) = decode(encoding, canonical == 1);
            session.expect_exactly(
                "ed_decode",
                &[encoding, &number(canonical)],
                vec![number(kind), x, y],
            );
        }
        if let (1, point) = decode(encoding, false) {
            let is_small = multiple(&number(8), &point) == identity;
            session.expect_exactly("ed_small_order", &[encoding], vec![number(is_small.into())]);
        }
    }
    run(session);
}

/// A point of order 8 n.
fn a_point() -> Point {
    (2..40)
        .map(|y| decode(&number(y), true))
        .find(|(kind, _)| *kind == 1)
        .expect("half are")
        .1
}

/// A number of about 250 bits whose digits of `width` bits are all equal.
fn equal_digits(width: u32, digit: u32) -> BigUint {
    (0..250 / width).fold(BigUint::ZERO, |sum, window| {
        sum + (number(digit.into()) << (width * window))
    })
}

/// k P + l Q and k P + s B for points of order n and others, at digits of all sizes.
fn products() {
    let mut session = Session::default();
    let n = &*N;
    let base = (
        from_hex(&curve_value(NAME, "gx")),
        from_hex(&curve_value(NAME, "gy")),
    );
    let general = a_point();
    let torsion = multiple(n, &general);
    let mut numbers: Vec<BigUint> = [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 127, 128, 511, 512, 1023]
        .map(number)
        .into();
    numbers.extend([
        n - 1u32,
        n - 2u32,
        number(1) << 252,
        equal_digits(4, 7),
        equal_digits(4, 8),
        equal_digits(4, 15),
        equal_digits(5, 16),
    ]);
    // Those of which the highest window has a carry, and does not.
    numbers.extend((120..133).map(|bits| number(1) << bits));
    numbers.extend((120..133).map(|bits| (number(1) << bits) - 1u32));
    numbers.extend((0..10).map(|_| patterned() % n));
    // Of the table for secret scalars: digits of 0, 127, 128 and 129, which is -127 and a carry.
    numbers.extend([127, 128, 129, 255].map(|digit| equal_digits(8, digit)));
    let points = [&base, &general, &torsion, &(BigUint::ZERO, number(1))];
    let multiples: Vec<_> = numbers
        .iter()
        .map(|k| points.map(|point| multiple(k, point)))
        .collect();
    for (index, k) in numbers.iter().enumerate() {
        session.expect_exactly("ed_multiply_base", &[k], vec![encode(&multiples[index][0])]);
        let second = (5 * index + 3) % numbers.len();
        let l = &numbers[second];
        let of_l = &multiples[second];
        for (which, p) in points.into_iter().enumerate() {
            let product = &multiples[index][which];
            let other = (which + index) % points.len();
            let q = points[other];
            let sum = add(product, &of_l[other]);
            session.expect_exactly(
                "ed_multiply_two",
                &[k, &p.0, &p.1, l, &q.0, &q.1],
                vec![encode(&sum)],
            );
            // Of one width for each, of windows that end with the 253rd bit and of others.
            let bits = number([3, 5, 6, 8, 11][index % 5]);
            let sum = add(product, &of_l[0]);
            session.expect_exactly(
                "ed_multiply_tables",
                &[&bits, k, &p.0, &p.1, l],
                vec![encode(&sum)],
            );
        }
    }
    run(session);
}

/// c k = d modulo 8 n for an odd c: for k around ratios of small numbers and powers of 2, and
/// others.
fn halves() {
    let mut session = Session::default();
    let points = &*N << 3u32;
    let mut numbers: Vec<BigUint> = (1..300u32).map(|c| &points / c).collect();
    numbers.extend((0..253).map(|bit| number(1) << bit));
    numbers = numbers
        .iter()
        .flat_map(|k| [k + &points - 1u32, k.clone(), k + 1u32])
        .map(|k| k % &*N)
        .collect();
    numbers.extend((0..3000).map(|_| patterned() % &*N));
    for k in &numbers {
        let k_again = k.clone();
        let points = points.clone();
        session.expect("ed_halves", &[k], move |found| {
            let [c, d, opposite] = found else {
                return false;
            };
            let expected = if *opposite == BigUint::ZERO {
                d % &points
            } else {
                (&points - d) % &points
            };
            c * &k_again % &points == expected && c.bit(0) && c.bits() <= 160 && d.bits() <= 253
        });
    }
    run(session);
}

/// A message as the driver reads it: its length, its offset, and its bytes as numbers.
fn message_numbers(message: &[u8], start: u64) -> Vec<BigUint> {
    let words = message.chunks(32).map(BigUint::from_bytes_le);
    [number(message.len() as u64), number(start)]
        .into_iter()
        .chain(words)
        .collect()
}

/// The prefix that each variant hashes, with its flag and its context (RFC 8032, section 2).
fn dom2(variant: Option<(u8, &[u8])>) -> Vec<u8> {
    let Some((flag, context)) = variant else {
        return Vec::new();
    };
    [
        &b"SigEd25519 no Ed25519 collisions"[..],
        &[flag, context.len() as u8],
        context,
    ]
    .concat()
}

fn challenges() {
    let mut session = Session::default();
    let context = [0x63; MAX_CONTEXT_LEN];
    for (number, length) in (0..300).chain(0..300).chain([500, 1000]).enumerate() {
        let message: Vec<u8> = (0..length).map(|at| (at * 7 + length) as u8).collect();
        let dom2 = dom2((number >= 300).then(|| {
            (
                number as u8 & 1,
                &context[..(7 * length) % (MAX_CONTEXT_LEN + 1)],
            )
        }));
        let parts = [patterned(), patterned()];
        let rows = parts.each_ref().map(le_bytes);
        let hash = Sha512::new_with_prefix(&dom2)
            .chain_update(rows[0])
            .chain_update(rows[1])
            .chain_update(&message);
        let hash = hash.finalize();
        let texts = [
            message_numbers(&dom2, 0),
            message_numbers(&message, length as u64 % 5),
        ];
        let arguments: Vec<BigUint> = parts.into_iter().chain(texts.concat()).collect();
        let arguments: Vec<&BigUint> = arguments.iter().collect();
        session.expect_exactly(
            "ed_challenge",
            &arguments,
            vec![BigUint::from_bytes_le(&hash) % &*N],
        );
    }
    run(session);
}

fn le_bytes(number: &BigUint) -> [u8; 32] {
    let mut bytes = number.to_bytes_le();
    bytes.resize(32, 0);
    bytes.try_into().expect("below 2^256")
}

/// Ed25519, Ed25519ctx and Ed25519ph, with dom2, and whether messages are hashed before.
fn variants() -> [(Variant, Vec<u8>, bool); 4] {
    let contexts = [&b""[..], b"of the host build", &[0x63; MAX_CONTEXT_LEN]];
    [
        (Variant::PURE, dom2(None), false),
        (
            Variant::prehashed(contexts[0]).unwrap(),
            dom2(Some((1, contexts[0]))),
            true,
        ),
        (
            Variant::context(contexts[1]).unwrap(),
            dom2(Some((0, contexts[1]))),
            false,
        ),
        (
            Variant::prehashed(contexts[2]).unwrap(),
            dom2(Some((1, contexts[2]))),
            true,
        ),
    ]
}

/// Public keys and signatures from seeds, of messages whose lengths are around the blocks of the
/// hash.
fn signatures() {
    let mut session = Session::default();
    let engine = Engine::builder().backend(Backend::Cpu).build().unwrap();
    let lengths: Vec<usize> = [0, 1, 31, 32, 47, 48, 79, 80, 95, 96, 128, 207, 208, 500].into();
    let messages: Vec<Vec<u8>> = lengths
        .iter()
        .map(|&length| vec![length as u8; length])
        .collect();
    let mut seeds: Vec<BigUint> = lengths.iter().map(|_| patterned()).collect();
    (seeds[0], seeds[1]) = (BigUint::ZERO, two_to_256() - 1u32);
    let secret: Vec<SecretKey> = seeds
        .iter()
        .map(|seed| SecretKey::from_bytes(le_bytes(seed)))
        .collect();
    let public = ed25519::public_keys(&engine, &secret).unwrap();
    for (variant, dom2, hashes) in variants() {
        let signed = ed25519::sign(&engine, &messages, &secret, variant).unwrap();
        for (((seed, message), key), signature) in
            seeds.iter().zip(&messages).zip(&public).zip(signed)
        {
            let signature = signature.unwrap();
            let expected =
                [&key[..], &signature[..32], &signature[32..]].map(BigUint::from_bytes_le);
            let text = if hashes {
                Sha512::digest(message).to_vec()
            } else {
                message.clone()
            };
            let texts = [
                message_numbers(&dom2, 0),
                message_numbers(&text, message.len() as u64 % 5),
            ];
            let arguments: Vec<BigUint> =
                [seed.clone()].into_iter().chain(texts.concat()).collect();
            session.expect_exactly(
                "ed_sign",
                &arguments.iter().collect::<Vec<_>>(),
                expected.into(),
            );
        }
    }
    run(session);
}

/// The bits of `Ed25519Rule`.
fn bits(rule: Rule) -> u64 {
    match rule {
        Rule::Cofactorless => 0,
        Rule::Rfc8032 => 1,
        Rule::Strict => 2,
        Rule::Libsodium => 3,
        Rule::Zip215 => 4,
        Rule::Rfc8032Cofactored => 5,
        _ => panic!("the rule {rule} has no bits"),
    }
}

/// Every rule has the code of the CPU: for points of small order in every encoding, mixed orders,
/// and S around n.
fn verdicts() {
    let mut session = Session::default();
    let general = a_point();
    let torsion = multiple(&N, &general);
    let small = (0..8u32).map(|times| encode(&multiple(&times.into(), &torsion)));
    let mut encodings: Vec<BigUint> = small.clone().collect();
    encodings.extend(small.map(|encoding| encoding ^ (number(1) << 255)));
    encodings.extend([
        P.clone(),
        &*P + 1u32,
        &*P + (number(1) << 255),
        number(2),
        &*P + 2u32,
        number(7),
        encode(&general),
    ]);
    let mut items = Vec::new();
    for a in &encodings {
        for r in &encodings {
            items.push((a.clone(), r.clone(), BigUint::ZERO));
        }
        items.extend(
            [N.clone(), &*N - 1u32, two_to_256() - 1u32].map(|s| (a.clone(), a.clone(), s)),
        );
    }
    items.extend(signed(&torsion));
    let messages = vec!["m"; items.len()];
    let keys: Vec<[u8; 32]> = items.iter().map(|(a, ..)| le_bytes(a)).collect();
    let signatures: Vec<[u8; 64]> = items
        .iter()
        .map(|(_, r, s)| [le_bytes(r), le_bytes(s)].concat().try_into().unwrap())
        .collect();
    let engine = Engine::builder().backend(Backend::Cpu).build().unwrap();
    let mut valid = 0;
    let mut reasons = std::collections::HashSet::new();
    for &rule in Rule::ALL {
        let keys = PublicKeys::ed25519(&keys);
        let expected =
            ed25519::verify(&engine, &messages, &signatures, keys, Variant::PURE, rule).unwrap();
        for ((a, r, s), verdict) in items.iter().zip(expected.iter()) {
            valid += usize::from(verdict.is_valid());
            reasons.insert(verdict.code());
            let of_message = [message_numbers(b"", 0), message_numbers(b"m", 0)].concat();
            let rule = number(bits(rule));
            let arguments: Vec<&BigUint> =
                [&rule, r, s, a].into_iter().chain(&of_message).collect();
            session.expect_exactly(
                "ed_verify",
                &arguments,
                vec![number(verdict.code().into()); 2],
            );
        }
    }
    assert!(
        valid > 500 && reasons.len() == 9,
        "{valid} valid, {reasons:?}"
    );
    assert!(reasons.contains(&Verdict::VALID_CODE));
    run(session);
}

/// Signatures over "m" by known numbers, with parts of small order added to A and R.
fn signed(torsion: &Point) -> Vec<(BigUint, BigUint, BigUint)> {
    let base = (
        from_hex(&curve_value(NAME, "gx")),
        from_hex(&curve_value(NAME, "gy")),
    );
    let mut signatures = Vec::new();
    for torsions in (0..8u32).flat_map(|of_a| (0..8u32).map(move |of_r| [of_a, of_r])) {
        let [secret, nonce] = [(); 2].map(|()| patterned() % &*N);
        let [a, r] = [(&secret, torsions[0]), (&nonce, torsions[1])]
            .map(|(k, times)| encode(&add(&multiple(k, &base), &multiple(&times.into(), torsion))));
        let hash = Sha512::new()
            .chain_update(le_bytes(&r))
            .chain_update(le_bytes(&a))
            .chain_update("m")
            .finalize();
        let s = (BigUint::from_bytes_le(&hash) * secret + nonce) % &*N;
        signatures.push((a, r, s));
    }
    signatures
}

/// Shared secrets of X25519 against curve25519-dalek: random and special keys and peers, among them
/// points of small order and numbers from p on, also with the highest bit set.
fn ladders() {
    let mut session = Session::default();
    let special: Vec<BigUint> = field_values();
    let codes = [Verdict::Valid, Verdict::Rejected(Rejection::IdentityResult)];
    let mut zeros = 0;
    for value in &special {
        let other = patterned();
        for (key, peer) in [(value, &other), (&other, value)] {
            let secret = MontgomeryPoint(le_bytes(peer)).mul_clamped(le_bytes(key));
            let is_zero = secret.to_bytes() == [0; 32];
            zeros += usize::from(is_zero);
            session.expect_exactly(
                "x25519",
                &[key, peer],
                vec![
                    BigUint::from_bytes_le(&secret.to_bytes()),
                    number(Verdict::Valid.code().into()),
                    number(codes[usize::from(is_zero)].code().into()),
                ],
            );
        }
    }
    assert!(
        zeros >= 6,
        "0, 1, -1 and numbers that are congruent to them"
    );
    run(session);
}

/// Products of points of all orders by secret scalars, also of scalars above the order.
fn secret_products() {
    let mut session = Session::default();
    let base = (
        from_hex(&curve_value(NAME, "gx")),
        from_hex(&curve_value(NAME, "gy")),
    );
    let general = a_point();
    let torsion = multiple(&N, &general);
    let identity = (BigUint::ZERO, number(1));
    let mut numbers: Vec<BigUint> = (0..20).map(number).collect();
    numbers.extend((0..=14).map(|digit| equal_digits(4, digit)));
    numbers.extend((0..255).step_by(7).map(|bit| number(1) << bit));
    numbers.extend((3..=255).step_by(7).map(|bits| (number(1) << bits) - 1u32));
    numbers.extend((0..5u32).flat_map(|distance| [&*N - distance, &*N + distance]));
    numbers.extend((0..40).map(|_| patterned() % (number(1) << 255)));
    for (index, k) in numbers.iter().enumerate() {
        let points = [&base, &general, &torsion, &identity];
        for point in [points[index % 4], points[(index / 4 + 1) % 4]] {
            let product = encode(&multiple(k, point));
            let (x, y) = point;
            session.expect_exactly("ed_multiply_point", &[k, x, y], vec![product]);
        }
    }
    run(session);
}

/// The code and the product of an element, or 0.
fn ristretto_product(key: &BigUint, element: &BigUint) -> Vec<BigUint> {
    let scalar = Scalar::from_canonical_bytes(le_bytes(key))
        .into_option()
        .filter(|scalar| *scalar != Scalar::ZERO);
    let point = CompressedRistretto(le_bytes(element)).decompress();
    let rejection = match (scalar, point) {
        (None, _) => Rejection::SecretKeyOutOfRange,
        (_, None) if element.bit(0) || *element >= *P => Rejection::MalformedPoint,
        (_, None) => Rejection::NotOnCurve,
        (_, Some(_)) if *element == BigUint::ZERO => Rejection::IdentityKey,
        (Some(scalar), Some(point)) => {
            let product = (scalar * point).compress().to_bytes();
            return vec![
                number(Verdict::Valid.code().into()),
                BigUint::from_bytes_le(&product),
            ];
        }
    };
    let code = Verdict::Rejected(rejection).code();
    vec![number(code.into()), BigUint::ZERO]
}

fn random_element() -> BigUint {
    let halves = [le_bytes(&patterned()), le_bytes(&patterned())];
    let bytes = halves.as_flattened().try_into().expect("64 bytes");
    BigUint::from_bytes_le(&RistrettoPoint::from_uniform_bytes(bytes).compress().0)
}

/// Numbers around 0, the group order, p, 2^255 and 2^256 as keys and as encodings, with elements
/// and keys that are random.
fn elements() {
    let mut session = Session::default();
    let mut codes = std::collections::HashSet::new();
    let mut values = field_values();
    values.extend((0..400).map(number));
    values.extend((0..40u32).flat_map(|distance| [&*N - distance, &*N + distance]));
    for value in &values {
        let key = patterned() % &*N;
        for (key, element) in [(&key, value), (value, &random_element())] {
            let expected = ristretto_product(key, element);
            codes.insert(expected[0].clone());
            session.expect_exactly("ristretto_multiply", &[key, element], expected);
        }
    }
    assert_eq!(codes.len(), 5, "the codes are {codes:?}");
    run(session);
}

/// Points of the same coset have one encoding, in any representation.
fn encodings() {
    let mut session = Session::default();
    let base = (
        from_hex(&curve_value(NAME, "gx")),
        from_hex(&curve_value(NAME, "gy")),
    );
    let torsion = multiple(&N, &a_point());
    let torsions: Vec<Point> = (0..8u32)
        .map(|times| multiple(&times.into(), &torsion))
        .collect();
    let identity = (BigUint::ZERO, number(1));
    assert_ne!(torsions[4], identity, "a point of order 8");
    let mut numbers: Vec<BigUint> = (0..20).map(number).collect();
    numbers.push(&*N - 1u32);
    numbers.extend((0..20).map(|_| patterned() % &*N));
    for k in &numbers {
        let product = multiple(k, &base);
        let element =
            Scalar::from_canonical_bytes(le_bytes(k)).unwrap() * RISTRETTO_BASEPOINT_POINT;
        let [once, twice] = [element, element + element]
            .map(|element| BigUint::from_bytes_le(&element.compress().0));
        for (times, torsion) in torsions.iter().enumerate() {
            let (x, y) = add(&product, torsion);
            for z in [number(1), patterned() % (&*P - 1u32) + 1u32] {
                // A point plus one of order 8 represents no element, but its double does.
                let once = (times % 2 == 0).then(|| once.clone());
                let twice = twice.clone();
                session.expect("ristretto_encode", &[&x, &y, &z], move |found| {
                    once.as_ref().is_none_or(|once| found[0] == *once) && found[1] == twice
                });
            }
        }
    }
    run(session);
}

/// Elements of uniform bytes.
fn images() {
    let mut session = Session::default();
    for value in &field_values() {
        for (first, second) in [
            (value, &patterned()),
            (&patterned(), value),
            (value, value),
            (value, &((&*P * 2u32 - value % &*P) % &*P)),
        ] {
            let halves = [le_bytes(first), le_bytes(second)];
            let bytes = halves.as_flattened().try_into().expect("64 bytes");
            let element = RistrettoPoint::from_uniform_bytes(bytes).compress();
            session.expect_exactly(
                "ristretto_map",
                &[first, second],
                vec![BigUint::from_bytes_le(&element.0)],
            );
        }
    }
    run(session);
}

/// Expanded messages of all lengths around the blocks of SHA-512, with tags around them, too.
fn expansions() {
    let mut session = Session::default();
    for length in [1, 10, 44, 45, 46, 47, 100, 173, 174, 175, 255] {
        let dst: Vec<u8> = (0..length).map(|at| (3 * at + length) as u8).collect();
        let dst_prime = [&dst[..], &[length as u8]].concat();
        let suffix = [&[0, 64, 0], &dst_prime[..]].concat();
        let mut tail = [&[1], &dst_prime[..]].concat();
        let bits = 8 * (64 + tail.len()) as u128;
        tail.push(0x80);
        let end = (64 + tail.len() + 16).next_multiple_of(128) - 64;
        tail.resize(end - 16, 0);
        tail.extend(bits.to_be_bytes());
        for size in 0..140 {
            let message: Vec<u8> = (0..size).map(|at| (at * 7 + size) as u8).collect();
            // RFC 9380, section 5.3.1.
            let first = Sha512::new_with_prefix([0; 128])
                .chain_update(&message)
                .chain_update(&suffix)
                .finalize();
            let uniform = Sha512::new_with_prefix(first)
                .chain_update([1])
                .chain_update(&dst_prime)
                .finalize();
            let texts = [
                message_numbers(&message, size % 5),
                message_numbers(&suffix, 0),
                message_numbers(&tail, 0),
            ];
            let arguments = texts.concat();
            let arguments: Vec<&BigUint> = arguments.iter().collect();
            let halves = uniform.chunks(32).map(BigUint::from_bytes_le);
            session.expect_exactly("expand_message_512", &arguments, halves.collect());
        }
    }
    run(session);
}
