//! The device code below `cuda/kernels/`, compiled as plain C++ by the system's compiler and
//! compared with big integers and the RustCrypto crates: field and scalar arithmetic, point
//! formulas, recoding, multiplication by windows.

mod harness;
mod host_build;

use elliptic_curve::sec1::{FromSec1Point, ModulusSize, ToSec1Point};
use elliptic_curve::{AffinePoint, CurveArithmetic, FieldBytesSize, Group, ProjectivePoint};
use harness::needs::CXX;
use harness::{named, tests};
use host_build::{
    Driver, Session, coordinates, curve_value, edge_values, from_hex, header_folder, number,
    patterned, scalar, two_to_256,
};
use num_bigint::BigUint;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Random operands per operation, in addition to the edge values.
const RANDOM_ITEMS: usize = 4000;
/// Random points and scalars; each costs a multiplication by the reference.
const RANDOM_POINTS: usize = 12;

fn main() -> ExitCode {
    macro_rules! curves {
        ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
            [$((stringify!($name), || compare::<$($reference)*>(stringify!($name)))),*]
        };
    }
    let curves = tests(Some(&CXX), gecc::for_each_curve!(curves!));
    harness::run(
        [
            curves,
            tests(Some(&CXX), named![reductions_without_a_shape]),
        ]
        .into_iter()
        .flatten()
        .collect(),
    )
}

/// The general reduction for any p and any n, also on moduli with a special shape.
fn reductions_without_a_shape() {
    let header = fs::read_to_string(header_folder("p256").join("curve.cuh"))
        .expect("the build script wrote the header");
    let general = header.replace("GECC_REDUCTION_P256", "GECC_REDUCTION_MONTGOMERY");
    let general = general.replace("#define GECC_N_IS_SPARSE 1", "");
    assert!(
        !general.contains("P256") && !general.contains("SPARSE"),
        "the header must have named both shapes"
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("host_device_general_header");
    fs::create_dir_all(&folder).expect("the folder for temporary files is writable");
    fs::write(folder.join("curve.cuh"), general)
        .expect("the folder for temporary files is writable");
    let driver = Driver::compile("driver", "general", &folder);
    run_all::<p256::NistP256>(&driver, &Modulus::new("p256", &folder));
}

fn compare<C>(name: &str)
where
    C: CurveArithmetic,
    FieldBytesSize<C>: ModulusSize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    let driver = Driver::compile("driver", name, &header_folder(name));
    run_all::<C>(&driver, &Modulus::new(name, &header_folder(name)));
}

fn run_all<C>(driver: &Driver, modulus: &Modulus)
where
    C: CurveArithmetic,
    FieldBytesSize<C>: ModulusSize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    let mut session = Session::default();
    field_cases(&mut session, modulus);
    open_cases(&mut session, modulus);
    scalar_cases(&mut session, &modulus.n);
    batch_inverse_cases(&mut session, modulus);
    recoding_cases(&mut session, &modulus.n);
    odd_recoding_cases(&mut session, &modulus.n);
    point_cases::<C>(&mut session, modulus);
    session.run(driver);
}

/// The moduli of a curve, and the factor of its field form.
#[derive(Clone)]
struct Modulus {
    p: BigUint,
    n: BigUint,
    /// The factor of a residue's representation: 1, or 2^256 for a curve in Montgomery form.
    factor: BigUint,
    factor_inverse: BigUint,
    /// Field values are below p: true if p has no special shape.
    canonical: bool,
}

impl Modulus {
    fn new(name: &str, header: &Path) -> Self {
        let header = fs::read_to_string(header.join("curve.cuh"))
            .expect("the build script wrote the header");
        let [folds, canonical] = ["FOLD", "MONTGOMERY"]
            .map(|reduction| header.contains(&format!("#define GECC_REDUCTION_{reduction} 1")));
        let factor = if folds { number(1) } else { two_to_256() };
        let p = from_hex(&curve_value(name, "p"));
        let factor_inverse = factor.modinv(&p).expect("p is odd");
        Modulus {
            p,
            n: from_hex(&curve_value(name, "n")),
            factor,
            factor_inverse,
            canonical,
        }
    }

    /// Field values: any numbers of eight words, or below p.
    fn values(&self, numbers: impl IntoIterator<Item = BigUint>) -> Vec<BigUint> {
        numbers
            .into_iter()
            .map(|number| {
                if self.canonical {
                    number % &self.p
                } else {
                    number
                }
            })
            .collect()
    }

    fn random(&self, count: usize) -> Vec<BigUint> {
        self.values((0..count).map(|_| patterned()))
    }

    fn represents_fn(&self, residue: BigUint) -> impl Fn(&BigUint) -> bool + 'static {
        let modulus = self.clone();
        move |raw| modulus.represents(raw, &residue)
    }

    /// Returns whether the raw value is congruent to the residue in field form.
    fn represents(&self, raw: &BigUint, residue: &BigUint) -> bool {
        *raw < if self.canonical {
            self.p.clone()
        } else {
            two_to_256()
        } && raw % &self.p == residue * &self.factor % &self.p
    }

    /// The residue that a raw value represents.
    fn residue(&self, raw: &BigUint) -> BigUint {
        raw * &self.factor_inverse % &self.p
    }
}

fn field_cases(session: &mut Session, modulus: &Modulus) {
    let edges = modulus.values(edge_values(&modulus.p));
    let pairs = edges
        .iter()
        .flat_map(|a| edges.iter().map(move |b| (a.clone(), b.clone())));
    let random = modulus
        .random(RANDOM_ITEMS)
        .into_iter()
        .zip(modulus.random(RANDOM_ITEMS));
    for (a, b) in pairs.chain(random) {
        for (operation, result) in [
            ("fe_mul", modulus.residue(&a) * modulus.residue(&b)),
            ("fe_sqr", modulus.residue(&a) * modulus.residue(&a)),
            ("fe_add", modulus.residue(&a) + modulus.residue(&b)),
            (
                "fe_sub",
                modulus.residue(&a) + &modulus.p - modulus.residue(&b),
            ),
            ("fe_neg", &modulus.p - modulus.residue(&a)),
            ("fe_half", modulus.residue(&a) * ((&modulus.p + 1u32) >> 1)),
        ] {
            let check = modulus.represents_fn(result);
            session.expect(operation, &[&a, &b], move |answer| check(&answer[0]));
        }
    }
    for a in edge_values(&modulus.p)
        .into_iter()
        .chain((0..300).map(|_| patterned()))
    {
        // Any number of eight words here, whatever p is.
        let check = modulus.represents_fn(a.clone());
        session.expect("fe_from_words", &[&a], move |answer| check(&answer[0]));
    }
    for a in edges.into_iter().chain(modulus.random(300)) {
        let residue = modulus.residue(&a);
        let is_zero = residue == number(0);
        let inverse = residue.modinv(&modulus.p).unwrap_or_default();
        for (operation, result) in [
            ("fe_inv", inverse),
            (
                "fe_sqrt",
                residue.modpow(&((&modulus.p + 1u32) >> 2), &modulus.p),
            ),
        ] {
            let check = modulus.represents_fn(result);
            session.expect(operation, &[&a], move |answer| check(&answer[0]));
        }
        session.expect_exactly("fe_to_words", &[&a], vec![residue]);
        session.expect_exactly("fe_canonical", &[&a], vec![&a % &modulus.p]);
        session.expect_exactly("fe_is_zero", &[&a], vec![number(is_zero.into())]);
    }
}

/// Sums of products and elements. With one as a factor they come as close to the ends of the range
/// as the elements do.
fn open_cases(session: &mut Session, modulus: &Modulus) {
    let edges = modulus.values(edge_values(&modulus.p));
    let one = &modulus.factor % &modulus.p;
    let mut cases: Vec<[BigUint; 4]> = Vec::new();
    for a in &edges {
        for b in &edges {
            for c in &edges {
                cases.push([a.clone(), one.clone(), b.clone(), c.clone()]);
                cases.push([one.clone(), a.clone(), b.clone(), c.clone()]);
            }
        }
    }
    let random = modulus.random(4 * RANDOM_ITEMS);
    cases.extend(random.as_chunks().0.iter().cloned());
    for [a, b, c, d] in cases {
        let [ra, rb, rc, rd] = [&a, &b, &c, &d].map(|raw| modulus.residue(raw));
        let three_p = &modulus.p * 3u32;
        let square = &modulus.p * &modulus.p;
        for (operation, result) in [
            ("fe_mul_sub", &ra * &rb + &three_p - &rc),
            ("fe_sqr_sub_twice", &ra * &ra + &three_p - &rb - &rb),
            (
                "fe_sqr_sub_sub_twice",
                &ra * &ra + &three_p - &rb - &rc - &rc,
            ),
            ("fe_mul_sub_mul", &ra * &rb + &square - &rc * &rd),
            ("fe_mul_sub_sqr", &ra * &rb + &square - &rc * &rc),
        ] {
            let check = modulus.represents_fn(result);
            session.expect(operation, &[&a, &b, &c, &d], move |answer| {
                check(&answer[0])
            });
        }
    }
    let rests: Vec<i64> = match &modulus.factor {
        // Open numbers are field values.
        _ if modulus.canonical => vec![0],
        factor if *factor == number(1) => vec![
            0,
            1,
            -1,
            -4,
            3,
            1 << 32,
            (1 << 33) - 1,
            -(1 << 33),
            -977,
            977,
        ],
        _ => (-5..4).collect(),
    };
    // Top words around those where a multiple of p more or less decides.
    let near_ends = (0..7u64)
        .chain((1 << 32) - 7..1 << 32)
        .map(|top| number(top) << 224);
    let near_ends: Vec<BigUint> = near_ends
        .flat_map(|low: BigUint| [low.clone(), low + (number(1) << 224) - 1u32])
        .collect();
    for a in edges
        .into_iter()
        .chain(modulus.values(near_ends))
        .chain(modulus.random(300))
    {
        for &rest in &rests {
            let size = two_to_256() * rest.unsigned_abs();
            let multiple = (&size / &modulus.p + 1u32) * &modulus.p;
            let value = if rest < 0 {
                &a + multiple - size
            } else {
                &a + size
            };
            let check = modulus.represents_fn(modulus.residue(&value));
            session.expect("open_settle", &[&a, &number(rest as u64)], move |answer| {
                check(&answer[0])
            });
        }
    }
}

fn scalar_cases(session: &mut Session, n: &BigUint) {
    let edges: Vec<BigUint> = edge_values(n).into_iter().map(|value| value % n).collect();
    let r_inverse = two_to_256().modinv(n).expect("n is odd");
    let pairs = edges
        .iter()
        .flat_map(|a| edges.iter().map(move |b| (a.clone(), b.clone())));
    let random = (0..RANDOM_ITEMS).map(|_| (patterned() % n, patterned() % n));
    for (a, b) in pairs.chain(random) {
        session.expect_exactly("sc_mul", &[&a, &b], vec![&a * &b % n]);
        session.expect_exactly("sc_mont_sqr", &[&a], vec![&a * &a * &r_inverse % n]);
        session.expect_exactly("sc_add", &[&a, &b], vec![(&a + &b) % n]);
        session.expect_exactly("sc_sub", &[&a, &b], vec![(&a + n - &b) % n]);
    }
    for a in edge_values(n)
        .into_iter()
        .chain((0..300).map(|_| patterned()))
    {
        session.expect_exactly("sc_from_words", &[&a], vec![&a % n]);
        let a = a % n;
        session.expect_exactly("sc_inv", &[&a], vec![a.modinv(n).unwrap_or_default()]);
    }
}

fn batch_inverse_cases(session: &mut Session, modulus: &Modulus) {
    for count in 1..=8 {
        let raw = modulus.random(count);
        if raw.iter().any(|value| value % &modulus.p == number(0)) {
            continue;
        }
        let checks: Vec<_> = raw
            .iter()
            .map(|value| {
                modulus.represents_fn(modulus.residue(value).modinv(&modulus.p).expect("not zero"))
            })
            .collect();
        session.expect(
            "invert_all",
            &raw.iter().collect::<Vec<_>>(),
            move |answer| {
                answer.len() == checks.len()
                    && checks.iter().zip(answer).all(|(check, raw)| check(raw))
            },
        );
    }
}

fn recoding_cases(session: &mut Session, n: &BigUint) {
    for bits in 2..31u32 {
        let ones = (0..256 / bits).fold(number(0), |sum, i| {
            sum + (number(1) << (bits * (i + 1) - 1))
        });
        for k in [
            number(0),
            number(1),
            n - 1u32,
            n >> 1,
            (n >> 1) + 1u32,
            ones % n,
            patterned() % n,
        ] {
            session.expect_exactly(
                "recompose_digits",
                &[&k, &number(bits.into())],
                vec![k.clone()],
            );
        }
    }
}

fn odd_recoding_cases(session: &mut Session, n: &BigUint) {
    let near = (0..6u32).flat_map(|i| {
        [
            number(i.into()),
            n - 1u32 - i,
            (n >> 1) + i,
            (number(1) << (255 - i)) % n,
        ]
    });
    for k in near.chain((0..50).map(|_| patterned() % n)) {
        session.expect_exactly("recompose_odd_digits", &[&k], vec![k.clone()]);
    }
}

fn point_cases<C>(session: &mut Session, modulus: &Modulus)
where
    C: CurveArithmetic,
    FieldBytesSize<C>: ModulusSize,
    AffinePoint<C>: FromSec1Point<C> + ToSec1Point<C>,
{
    let n = &modulus.n;
    let generator = ProjectivePoint::<C>::generator();
    let mut points = vec![generator, -generator];
    points.extend((0..RANDOM_POINTS).map(|_| generator * scalar::<C>(&(patterned() % n))));
    points.retain(|point| !bool::from(point.is_identity()));
    let mut scalars: Vec<BigUint> = [0u64, 1, 2, 3, 31, 32, 33].map(number).to_vec();
    scalars.extend((1u32..40).map(|small| n - small));
    scalars.extend([number(1) << 128, n >> 1, (n >> 1) + 1u32]);
    scalars.extend((0..RANDOM_POINTS).map(|_| patterned() % n));
    for (i, p) in points.iter().enumerate() {
        let [px, py] = coordinates::<C>(p);
        session.expect_exactly("is_on_curve", &[&px, &py], vec![number(1)]);
        session.expect_exactly("is_on_curve", &[&px, &(&py ^ number(1))], vec![number(0)]);
        session.expect_exactly(
            "affine_double",
            &[&px, &py],
            coordinates::<C>(&p.double()).to_vec(),
        );
        session.expect_exactly("decompress", &[&px, &py], vec![px.clone(), py.clone()]);
        for q in points.iter().chain([&-*p]) {
            let [qx, qy] = coordinates::<C>(q);
            let sum = coordinates::<C>(&(*p + *q)).to_vec();
            session.expect_exactly("affine_add", &[&px, &py, &qx, &qy], sum.clone());
            session.expect_exactly(
                "affine_add_first",
                &[&px, &py, &qx, &qy],
                vec![px.clone(), py.clone()],
            );
            session.expect_exactly(
                "affine_add_second",
                &[&px, &py, &qx, &qy],
                vec![qx.clone(), qy.clone()],
            );
            // z = 0 would be the identity, and random words are all zero often enough to fail once
            // in a hundred runs.
            for z in [
                number(1),
                &modulus.p - 1u32,
                patterned() % (&modulus.p - 1u32) + 1u32,
            ] {
                let arguments = [&px, &py, &qx, &qy, &z];
                session.expect_exactly("add_var", &arguments, sum.clone());
                session.expect_exactly("add_uniform", &arguments, sum.clone());
                session.expect_exactly(
                    "jacobian_double",
                    &arguments,
                    coordinates::<C>(&p.double()).to_vec(),
                );
                let other = patterned() % (&modulus.p - 1u32) + 1u32;
                for z in [&z, &other] {
                    session.expect_exactly(
                        "xyzz_add",
                        &[&px, &py, &qx, &qy, &other, z],
                        sum.clone(),
                    );
                }
            }
            // z = 0 makes the first operand the identity.
            for operation in ["add_var", "add_uniform"] {
                session.expect_exactly(
                    operation,
                    &[&px, &py, &qx, &qy, &number(0)],
                    vec![qx.clone(), qy.clone()],
                );
            }
            for (z, sum) in [
                ([0, 1], [&qx, &qy]),
                ([1, 0], [&px, &py]),
                ([0, 0], [&number(0), &number(0)]),
            ] {
                let [a, b] = z.map(number);
                session.expect_exactly(
                    "xyzz_add",
                    &[&px, &py, &qx, &qy, &a, &b],
                    sum.map(BigUint::clone).to_vec(),
                );
            }
        }
        for k in scalars
            .iter()
            .skip(if i < 3 { 0 } else { scalars.len() - 4 })
        {
            let product = coordinates::<C>(&(*p * scalar::<C>(k))).to_vec();
            for operation in ["multiply_var", "multiply_uniform"] {
                session.expect_exactly(operation, &[&px, &py, k], product.clone());
            }
            for bits in 2..6 {
                session.expect_exactly(
                    "multiply_by_parts",
                    &[&px, &py, k, &number(bits)],
                    product.clone(),
                );
            }
        }
    }
}
