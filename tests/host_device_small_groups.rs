//! The device code, compiled as plain C++, in groups of order 7, 13 and 199: exhaustive tests like
//! those of the CPU engine, whose groups and cases these are (`tests/small_groups/`).
//!
//! # Coverage
//! All sums of two points, and in the smaller groups all u G + v Q by both ways of verification;
//! all verdicts and recovered keys there, and a sample in the group of order 199.
//!
//! # Limitations
//! - Windows in production are of 5 bits, so that a point needs its odd multiples up to 31. In the
//!   groups of order 7 and 13 these do not exist: there the device code is compiled for windows of
//!   2 and 3 bits. Tables of G and of keys have windows of 3 bits there, and of 5 and 7 bits where
//!   the order is 199.
//! - Multiplication by secret scalars is complete in its last window alone, as a large group has no
//!   exceptions before. So it runs where the order is 199, by the scalars that meet no exception
//!   there: three in five.
//! - Kernels, and with them products of G by secret scalars and signing, are not run; of BIP 340
//!   the s is computed for given points.

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

#[path = "small_groups/cases.rs"]
mod cases;
#[allow(dead_code, reason = "groups of maps to points are not needed")]
#[path = "small_groups/parameters.rs"]
mod parameters;
#[path = "small_groups/reference.rs"]
mod reference;

mod harness;
#[allow(dead_code, reason = "only what other curves need is left over")]
mod host_build;

use gecc::{Rejection, Verdict};
use harness::needs::CXX;
use harness::{named, tests};
use host_build::codes::PointKind;
use host_build::{Driver, Session, bytes, number};
use num_bigint::BigUint;
use parameters::{GROUPS, Parameters, WITH_GENERAL_A};
use rand::RngExt;
use reference::{BigPoint, Group, integer, pairs};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::{env, fs};

fn main() -> ExitCode {
    harness::run(tests(
        Some(&CXX),
        named![
            order_7,
            order_7_with_general_a,
            order_13,
            order_199,
            order_199_without_endomorphism
        ],
    ))
}

fn order_7() {
    all_pairs(&GROUPS[0], true, 2);
}

fn order_7_with_general_a() {
    all_pairs(&WITH_GENERAL_A, false, 2);
}

fn order_13() {
    all_pairs(&GROUPS[1], true, 3);
}

fn order_199() {
    all_pairs(&GROUPS[2], true, 5);
}

fn order_199_without_endomorphism() {
    all_pairs(&GROUPS[2], false, 5);
}

fn all_pairs(parameters: &Parameters, endomorphism: bool, window: u32) {
    let header = header(parameters, endomorphism, window);
    let name = header
        .file_name()
        .expect("a folder")
        .to_str()
        .expect("UTF-8");
    let driver = Driver::compile("driver", name, &header);
    let mut group = Group::new(parameters);
    let mut session = Session::default();
    additions(&mut session, &mut group);
    recodings(&mut session, &mut group);
    session.run(&driver);
    if group.order == 199 {
        multiplications(&driver, &mut group, &integer(&parameters.lambda));
    }
    let driver = Driver::compile("scheme", name, &header);
    let mut session = Session::default();
    sums(&mut session, &mut group);
    verifications(&mut session, &mut group);
    schnorr_verifications(&mut session, &mut group);
    schnorr_signatures(&mut session, &mut group);
    recoveries(&mut session, &mut group);
    session.run(&driver);
}

/// The folder with `curve.cuh` of the group, and with the recoding for windows of `window` bits.
fn header(parameters: &Parameters, endomorphism: bool, window: u32) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("curves/secp256k1.toml");
    let text = fs::read_to_string(path).expect("the curve file is readable");
    let mut curve = params::Curve::parse(&text).expect("the build script has read it");
    curve.a = (reference::p() - parameters.minus_a) % reference::p();
    curve.b = parameters.b.into();
    (curve.gx, curve.gy) = (integer(&parameters.g.0), integer(&parameters.g.1));
    curve.n = integer(&parameters.n);
    curve
        .endomorphism
        .as_mut()
        .expect("secp256k1 has it")
        .lambda = integer(&parameters.lambda);
    if !endomorphism {
        curve.endomorphism = None;
    }
    curve.map = None;
    curve.name = format!(
        "small_group_{}{}",
        parameters.order,
        if endomorphism { "" } else { "_plain" }
    );
    let table_bits = if parameters.order == 199 {
        "5, 7"
    } else {
        "3, 3"
    };
    let header =
        emit_cuda::emit_cuda(&curve) + &format!("#define GECC_TEST_TABLE_BITS {{{table_bits}}}\n");

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&curve.name);
    fs::create_dir_all(folder.join("curve")).expect("the folder for temporary files is writable");
    fs::write(folder.join("curve.cuh"), header)
        .expect("the folder for temporary files is writable");
    let recoding = recoding(window);
    fs::write(folder.join("curve/recode.cuh"), recoding)
        .expect("the folder for temporary files is writable");
    folder
}

/// `curve/recode.cuh` for other windows: of scalars below n, and of halves of 130 bits.
fn recoding(window: u32) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda/curve/recode.cuh");
    let mut text = fs::read_to_string(path).expect("the device code is readable");
    for (name, production, here) in [
        ("kWindowBits", 5, window),
        ("kFullWindows", 52, 257u32.div_ceil(window)),
        ("kWindows", 26, 130u32.div_ceil(window)),
    ] {
        let constant = format!("static constexpr int {name} = {production};");
        assert_eq!(text.matches(&constant).count(), 1, "{constant}");
        text = text.replace(&constant, &format!("static constexpr int {name} = {here};"));
    }
    text
}

/// The coordinates of a point in the driver's form: zeros for the identity.
fn coordinates(point: &BigPoint) -> [BigUint; 2] {
    point
        .clone()
        .map_or([number(0), number(0)], |(x, y)| [x, y])
}

fn additions(session: &mut Session, group: &mut Group) {
    for (i, j) in pairs(group.order) {
        let [[px, py], [qx, qy]] = [i, j].map(|k| coordinates(group.point(k)));
        let sum = coordinates(group.point(i + j)).to_vec();
        let z = BigUint::from(group.random.random::<u64>() | 1);
        match (i, j) {
            (_, 0) => {}
            (0, _) => {
                let [gx, gy] = coordinates(group.point(1));
                session.expect_exactly("affine_add_second", &[&gx, &gy, &qx, &qy], sum.clone());
                for operation in ["add_var", "add_uniform"] {
                    session.expect_exactly(
                        operation,
                        &[&gx, &gy, &qx, &qy, &number(0)],
                        sum.clone(),
                    );
                }
            }
            _ => {
                session.expect_exactly("affine_add", &[&px, &py, &qx, &qy], sum.clone());
                for operation in ["add_var", "add_uniform"] {
                    session.expect_exactly(operation, &[&px, &py, &qx, &qy, &z], sum.clone());
                }
                let other = BigUint::from(group.random.random::<u64>() | 1);
                session.expect_exactly("xyzz_add", &[&px, &py, &qx, &qy, &z, &other], sum.clone());
            }
        }
    }
    for i in 1..group.order {
        let [x, y] = coordinates(group.point(i));
        let double = coordinates(group.point(2 * i)).to_vec();
        session.expect_exactly("affine_double", &[&x, &y], double.clone());
        let z = BigUint::from(group.random.random::<u64>() | 1);
        session.expect_exactly("jacobian_double", &[&x, &y, &x, &y, &z], double);
        session.expect_exactly("decompress", &[&x, &y], vec![x.clone(), y.clone()]);
    }
}

fn recodings(session: &mut Session, group: &mut Group) {
    for residue in (0..group.order).cycle().take(400) {
        for k in group.representatives(residue) {
            session.expect_exactly("recompose_odd_digits", &[&k], vec![k.clone()]);
            for bits in [3, 5, 13] {
                session.expect_exactly("recompose_digits", &[&k, &number(bits)], vec![k.clone()]);
            }
        }
    }
}

/// Products of all points by every residue, where no exception is met.
fn multiplications(driver: &Driver, group: &mut Group, lambda: &BigUint) {
    let order = number(group.order);
    let lambda = number(group.residue(lambda));
    let wanted: Vec<(u64, BigUint)> = pairs(group.order)
        .filter(|&(i, _)| i != 0)
        .map(|(i, residue)| (i, group.scalar(residue)))
        .collect();
    let exceptional: Vec<Rc<Cell<bool>>> = wanted.iter().map(|_| Rc::default()).collect();
    let mut session = Session::default();
    for ((_, k), exceptional) in wanted.iter().zip(&exceptional) {
        let exceptional = exceptional.clone();
        session.expect("meets_exception", &[k, &order, &lambda], move |answer| {
            exceptional.set(answer[0] == number(1));
            true
        });
    }
    session.run(driver);
    let mut session = Session::default();
    let mut products = 0;
    for ((i, k), _) in wanted
        .iter()
        .zip(&exceptional)
        .filter(|(_, exceptional)| !exceptional.get())
    {
        let [x, y] = coordinates(group.point(*i));
        let product = coordinates(group.point(i * group.residue(k))).to_vec();
        // They differ in the last addition alone.
        let operation = if products % 4 == 0 {
            "multiply_var"
        } else {
            "multiply_uniform"
        };
        session.expect_exactly(operation, &[&x, &y, k], product);
        products += 1;
    }
    println!(
        "{products} products without an exception of {}",
        wanted.len()
    );
    assert!(products * 2 > wanted.len());
    session.run(driver);
}

/// u G + v Q, by windows of Q and by a table of Q: all of them in the groups of order 7 and 13; in
/// that of order 199, for every Q one in a thousand.
fn sums(session: &mut Session, group: &mut Group) {
    let n = group.order;
    for i in 1..n {
        let [x, y] = coordinates(group.point(i));
        for (u, v) in pairs(n).filter(|&(u, v)| n < 199 || (3 * u + 7 * v + i) % 997 == 0) {
            let pick = (u + v + i) as usize % 3;
            let [u_number, v_number] = [group.scalar(u), group.representatives(v)[pick].clone()];
            let sum = coordinates(group.point(u + v * i)).to_vec();
            for operation in ["multiply_add", "sum_by_tables"] {
                session.expect_exactly(operation, &[&u_number, &v_number, &x, &y], sum.clone());
            }
        }
    }
}

/// The driver computes every verdict by windows and by tables, and stops where they differ.
fn verifications(session: &mut Session, group: &mut Group) {
    let [mut ecdsa, mut sm2] = [cases::ecdsa(group, 1), cases::sm2(group, 1)];
    // The driver keeps the table of the last key.
    ecdsa.sort_by_key(|item| item.key);
    sm2.sort_by_key(|item| item.key);
    let finite = number(PointKind::Finite as u64);
    for item in ecdsa {
        let [x, y] = coordinates(group.point(item.key));
        let arguments = [&item.digest, &item.r, &item.s, &number(0), &x, &y, &finite];
        session.expect_exactly(
            "ecdsa_verify",
            &arguments,
            vec![number(item.verdict.code().into())],
        );
    }
    for item in sm2 {
        let [x, y] = coordinates(group.point(item.key));
        let arguments = [&item.digest, &item.r, &item.s, &x, &y, &finite];
        session.expect_exactly(
            "sm2_verify",
            &arguments,
            vec![number(item.verdict.code().into())],
        );
    }
}

/// BIP 340: every verdict, by windows and by tables.
fn schnorr_verifications(session: &mut Session, group: &mut Group) {
    let mut items = cases::bip340(group, 1);
    items.sort_by_key(|item| item.key);
    for item in items {
        let [x, y] = coordinates(group.point(item.key));
        let arguments = [&item.r, &item.s, &x, &y, &item.digest];
        session.expect_exactly(
            "bip340_verify",
            &arguments,
            vec![number(item.verdict.code().into())],
        );
    }
}

/// BIP 340: for nonces, keys and challenges the s, and that the signature is valid.
fn schnorr_signatures(session: &mut Session, group: &mut Group) {
    let n = group.order;
    for [key, k, e] in
        cases::combinations([n - 1, n - 1, n], 1).map(|[key, k, e]| [key + 1, k + 1, e])
    {
        let [[rx, ry], [x, y]] = [k, key].map(|k| coordinates(group.point(k)));
        let (message, challenge) = cases::challenged(group, &rx, key, e);
        let [nonce, secret] = [k, key].map(|residue| group.scalar(residue));
        // The numbers whose points have an even y.
        let [even_nonce, even_secret] = [(k, &nonce), (key, &secret)].map(|(residue, number)| {
            if group.has_even_y(residue) {
                number.clone()
            } else {
                &group.modulus - number
            }
        });
        let s = (even_nonce + challenge * even_secret) % &group.modulus;
        session.expect_exactly(
            "bip340_sign",
            &[&nonce, &rx, &ry, &secret, &x, &y, &message],
            vec![s.clone()],
        );
        session.expect_exactly(
            "bip340_verify",
            &[&rx, &s, &x, &y, &message],
            vec![number(Verdict::VALID_CODE.into())],
        );
    }
}

fn recoveries(session: &mut Session, group: &mut Group) {
    for item in cases::recovery(group, 1) {
        let expected = match item.key {
            Ok(key) => [
                vec![number(Verdict::VALID_CODE.into())],
                coordinates(group.point(key)).to_vec(),
            ]
            .concat(),
            Err(reason) => vec![number(reason.code().into())],
        };
        session.expect_exactly(
            "recover",
            &[&item.digest, &item.r, &item.s, &number(item.id.into())],
            expected,
        );
    }
}
