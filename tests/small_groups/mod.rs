//! The groups as curves of the CPU engine, and the tests in them.

mod batch_verification;
mod cases;
mod derivation;
mod map_in_small_fields;
mod map_to_curve;
pub mod parameters;
mod points;
mod reference;
mod scalars;
mod schemes;
mod small_fields;
#[cfg(all(target_arch = "x86_64", not(gecc_no_avx512)))]
mod uniform;

use crate::cpu::field::Field;
use crate::cpu::point::Affine;
use crate::cpu::point::comb::Comb;
use crate::cpu::scalar::Endomorphism;
use crate::cpu::tables::{BaseTables, Precomputed};
use crate::cpu::{CoefficientA, CpuCurve, CpuEngine, FieldConstants, decode, generator};
use crate::curve::Secp256k1;
use crate::curve::constants::secp256k1;
use crate::harness::needs::AVX512;
use crate::harness::{Test, named, test};
use crate::types::{KeyBytes, Point, Rejection, ResultsMut, Verdict};
use num_bigint::BigUint;
use parameters::{GROUPS, IMAGES_OF_SSWU, Parameters, WITH_GENERAL_A};
use rand::RngExt;
use reference::{BigPoint, Group, integer, pairs};
use scalars::Scalar;
use std::sync::OnceLock;

/// A small group as a curve.
trait SmallGroup: BaseTables {
    const PARAMETERS: &'static Parameters;
    /// The largest window of a table all of whose entries are points.
    const WINDOW: u32 = 64 - (Self::PARAMETERS.order - 1).leading_zeros();
}

macro_rules! small_group {
    ($name:ident, $group:literal, $endomorphism:expr) => {
        small_group!(
            $name,
            $group,
            $endomorphism,
            &GROUPS[$group],
            CoefficientA::Zero
        );
    };
    ($name:ident, $group:literal, $endomorphism:expr, $parameters:expr, $a:expr) => {
        #[derive(Clone, Copy)]
        struct $name;

        impl CpuCurve for $name {
            type Base = <Secp256k1 as CpuCurve>::Base;
            type Scalar = Scalar<$group>;
            const A: CoefficientA = $a;
            const B: [u64; 4] = [Self::PARAMETERS.b, 0, 0, 0];
            const G: ([u64; 4], [u64; 4]) = Self::PARAMETERS.g;
            const N: [u64; 4] = Self::PARAMETERS.n;
            const ENDOMORPHISM: Option<Endomorphism> = $endomorphism;

            fn constants_place() -> &'static OnceLock<FieldConstants<Self::Base>> {
                static CONSTANTS: OnceLock<FieldConstants<<$name as CpuCurve>::Base>> =
                    OnceLock::new();
                &CONSTANTS
            }
        }

        impl BaseTables for $name {
            /// Precomputed data with a table of G for every batch. Call it before work is spread
            /// over threads.
            fn tables() -> &'static Precomputed<Self> {
                static TABLES: Precomputed<$name> = Precomputed::new();
                TABLES.serve_by(|| Comb::new(None, &generator::<$name>(), $name::WINDOW));
                &TABLES
            }
        }

        impl SmallGroup for $name {
            const PARAMETERS: &'static Parameters = $parameters;
        }
    };
}

small_group!(Order7, 0, Some(ENDOMORPHISMS[0]));
small_group!(Order13, 1, Some(ENDOMORPHISMS[1]));
small_group!(Order199, 2, Some(ENDOMORPHISMS[2]));
small_group!(Order7Plain, 0, None);
small_group!(Order13Plain, 1, None);
small_group!(Order199Plain, 2, None);
small_group!(
    Order7WithGeneralA,
    0,
    None,
    &WITH_GENERAL_A,
    general_a(&WITH_GENERAL_A)
);
small_group!(
    Order7OfImages,
    0,
    None,
    &IMAGES_OF_SSWU,
    general_a(&IMAGES_OF_SSWU)
);

/// p - minus_a, as this field stores it.
const fn general_a(parameters: &Parameters) -> CoefficientA {
    let [lowest, second, third, highest] = secp256k1::P;
    CoefficientA::General([lowest - parameters.minus_a, second, third, highest])
}

/// The lattices of the lambdas, as `build/derive.rs` makes them.
const ENDOMORPHISMS: [Endomorphism; 3] = [
    Endomorphism {
        beta: secp256k1::BETA,
        g1: [
            0x6d66_ed7a_80da_06c5,
            0x9693_1ffd_342c_a82c,
            0x750a_653d_4546_e5b6,
            0x8c7e_65c0_05d7_62ac,
        ],
        g2: [
            0x48f8_98d7_3f29_bbd3,
            0x77f3_e23b_6c19_99d7,
            0x2415_4c8a_8b80_21f5,
            0xe7ce_3251_48b0_bb6c,
        ],
        a1: [0x9b54_48a3_e6ee_7adb, 0x56d4_74c1_eb27_0fd0, 0],
        b1: [0x4dc2_b26d_ca63_1a1f, 0x70bc_816c_989e_c955, u64::MAX],
        a2: [0x4d91_9636_1c8b_60bc, 0xe617_f355_5288_467b, 0],
        b2: [0x9b54_48a3_e6ee_7adb, 0x56d4_74c1_eb27_0fd0, 0],
    },
    Endomorphism {
        beta: secp256k1::BETA,
        g1: [
            0xdc44_3c93_7aff_e0c4,
            0x0cbc_8587_2463_0552,
            0xba20_01cc_2fdb_c03c,
            0x8a9b_922c_4e85_ff5b,
        ],
        g2: [
            0x5418_d853_67eb_5ac3,
            0x8733_a8c3_aad2_6388,
            0x3fd6_dc9b_8b2e_a397,
            0xe966_bb4b_1db4_b7a7,
        ],
        a1: [0x0756_cd0a_b0bc_845d, 0x55aa_0d8b_b76a_a732, 0],
        b1: [0x418f_7cf7_8ba6_52c9, 0x6fc0_045a_b8b5_5ac2, u64::MAX],
        a2: [0xc5c7_5013_2516_3194, 0xe5ea_0930_feb5_4c6f, 0],
        b2: [0x0756_cd0a_b0bc_845d, 0x55aa_0d8b_b76a_a732, 0],
    },
    Endomorphism {
        beta: secp256k1::BETA,
        g1: [
            0x6f30_a464_1cff_a574,
            0xc850_bc53_1fe5_180a,
            0x37c5_a34e_ad9f_bc6f,
            0xb6ed_773b_334a_22a8,
        ],
        g2: [
            0x8722_9413_c04c_ac0a,
            0xbea4_1fe8_89ad_3456,
            0x0235_6bd1_a60b_a680,
            0xc10a_527f_16d3_8e40,
        ],
        a1: [0xea61_fdd8_c1df_91fd, 0x710e_3395_f14a_f2cc, 0],
        b1: [0xff33_a0d0_1120_539b, 0x88b1_cc14_152b_8da4, u64::MAX],
        a2: [0xeb2e_5d08_b0bf_3e62, 0xe85c_6781_dc1f_6527, 0],
        b2: [0xea61_fdd8_c1df_91fd, 0x710e_3395_f14a_f2cc, 0],
    },
];

fn group<C: SmallGroup>() -> Group {
    C::tables();
    Group::new(C::PARAMETERS)
}

fn portable() -> CpuEngine {
    engine().portable()
}

fn in_lanes() -> CpuEngine {
    let engine = engine();
    assert!(engine.lanes.is_some(), "this processor has AVX-512 IFMA");
    engine
}

fn engine() -> CpuEngine {
    CpuEngine::new(None, None).expect("the number of threads is the default")
}

/// Returns whether an engine multiplies points of a group that are used once: see the head of this
/// file.
fn takes_single_points(engine: &CpuEngine, order: u64) -> bool {
    engine.lanes.is_none() || order > LANES_ODD_MULTIPLES
}

/// The lanes' largest multiple of a point that is used once.
const LANES_ODD_MULTIPLES: u64 = 31;

/// Tests of a kind as a list: by the portable code in every group, and in lanes in those that are
/// named.
macro_rules! in_groups {
    ($($test:ident),*; in lanes $groups:tt) => {
        [$(
            by_engine!($test, portable, None, [of_order_7 of_order_13 of_order_199]),
            by_engine!($test, in_lanes, Some(&AVX512), $groups),
        )*]
        .into_iter()
        .flatten()
    };
}
use in_groups;

macro_rules! by_engine {
    ($test:ident, $engine:ident, $need:expr, [$($group:ident)*]) => {
        vec![$(test(
            concat!(stringify!($test), "::", stringify!($engine), "::", stringify!($group)),
            $need,
            || in_group!($test $group, &$engine()),
        )),*]
    };
}
use by_engine;

/// Runs a test in the groups of an order.
macro_rules! in_group {
    ($test:ident of_order_7, $engine:expr) => { in_group!($test [Order7 Order7Plain Order7WithGeneralA], $engine) };
    ($test:ident of_order_13, $engine:expr) => { in_group!($test [Order13 Order13Plain], $engine) };
    ($test:ident of_order_199, $engine:expr) => { in_group!($test [Order199 Order199Plain], $engine) };
    ($test:ident [$($group:ident)*], $engine:expr) => {{
        $($test::<$group>($engine);)*
    }};
}
use in_group;

pub fn tests() -> Vec<Test> {
    let mut tests = derivation::tests();
    tests.extend(points::tests());
    tests.extend(schemes::tests());
    tests.extend(batch_verification::tests());
    tests.extend(map_in_small_fields::tests());
    tests.extend(map_to_curve::tests());
    #[cfg(all(target_arch = "x86_64", not(gecc_no_avx512)))]
    tests.extend(uniform::tests());
    tests
}

/// An affine point of the engine as bytes.
fn affine_bytes<F: Field>(point: &Affine<F>) -> Point {
    let mut row = [[0; 64]];
    decode::put(&mut ResultsMut::rows(&mut [0], &mut row), 0, point);
    Point::from_row(&row[0])
}

/// Converts a point to the engine's form.
fn decoded<C: SmallGroup>(point: &BigPoint) -> Affine<C::Base> {
    decode::point::<C>(KeyBytes::Sec1(encode(point).as_sec1())).expect("on the curve")
}

fn encode(point: &BigPoint) -> Point {
    point.as_ref().map_or(Point::IDENTITY, |(x, y)| {
        Point::from_coordinates(&bytes(x), &bytes(y))
    })
}

/// 32 bytes, big-endian.
fn bytes(value: &BigUint) -> [u8; 32] {
    let digits = value.to_bytes_be();
    let mut bytes = [0; 32];
    bytes[32 - digits.len()..].copy_from_slice(&digits);
    bytes
}
