//! The portable code of the simplified SWU map, and of lifting x-coordinates, on curves over fields
//! of 5 to 8 bits: all elements, all pairs of elements, and all x-coordinates. The vector code needs
//! a p of 256 bits.

use super::map_to_curve::{element_bytes, images_of};
use super::scalars::{inverse, times_two_to_256};
use super::small_fields::{self, SmallSuite};
use super::*;
use crate::cpu::field::moduli::{Modulus, PrimeOfCoordinates};
use crate::cpu::field::{Coordinate, Montgomery, SqrtChain};
use crate::cpu::sswu::{Isogeny, SswuConstants, SswuCurve, SswuParameters};

pub fn tests() -> Vec<Test> {
    crate::harness::tests(
        None,
        named![
            minus_three_modulo_23,
            minus_three_modulo_103,
            minus_three_modulo_199,
            isogeny_modulo_67,
            isogeny_modulo_139,
            isogeny_modulo_211
        ],
    )
}

fn minus_three_modulo_23() {
    all_elements::<MinusThreeModulo23>();
}

fn minus_three_modulo_103() {
    all_elements::<MinusThreeModulo103>();
}

fn minus_three_modulo_199() {
    all_elements::<MinusThreeModulo199>();
}

fn isogeny_modulo_67() {
    all_elements::<IsogenyModulo67>();
}

fn isogeny_modulo_139() {
    all_elements::<IsogenyModulo139>();
}

fn isogeny_modulo_211() {
    all_elements::<IsogenyModulo211>();
}

/// A prime of a few bits, 3 modulo 4.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SmallPrime<const P: u64>;

impl<const P: u64> Modulus for SmallPrime<P> {
    const M: [u64; 4] = [P, 0, 0, 0];
    const R: [u64; 4] = times_two_to_256([1, 0, 0, 0], &Self::M);
    const R2: [u64; 4] = times_two_to_256(Self::R, &Self::M);
    const NEG_INV64: u64 = inverse(P).wrapping_neg();
    const INV62: u64 = inverse(P) & ((1 << 62) - 1);
}

impl<const P: u64> PrimeOfCoordinates for SmallPrime<P> {
    const SQRT_CHAIN: SqrtChain = &binary_chain(P / 4 + 1);
}

/// A chain of steps for each bit of an exponent below 2^8 but the first, after steps that do
/// nothing.
const fn binary_chain(exponent: u64) -> [(u32, Option<usize>); 8] {
    let bits = exponent.ilog2() as usize;
    let mut chain = [(0, None); 8];
    let mut index = 0;
    while index < bits {
        let is_odd = exponent >> index & 1 == 1;
        chain[7 - index] = (1, if is_odd { Some(0) } else { None });
        index += 1;
    }
    chain
}

trait SmallCurve: SswuCurve {
    fn suite() -> SmallSuite;
}

macro_rules! small_curve {
    ($name:ident, $p:literal, $a:ident, $b:literal, $order:literal, $suite:ident) => {
        #[derive(Clone, Copy)]
        struct $name;

        impl CpuCurve for $name {
            type Base = Montgomery<SmallPrime<$p>>;
            type Scalar = Montgomery<SmallPrime<$order>>;
            const A: CoefficientA = CoefficientA::$a;
            const B: [u64; 4] = [$b, 0, 0, 0];
            /// Not used.
            const G: ([u64; 4], [u64; 4]) = ([0; 4], [0; 4]);
            const N: [u64; 4] = [$order, 0, 0, 0];
            const ENDOMORPHISM: Option<Endomorphism> = None;

            fn constants_place() -> &'static OnceLock<FieldConstants<Self::Base>> {
                static CONSTANTS: OnceLock<FieldConstants<<$name as CpuCurve>::Base>> =
                    OnceLock::new();
                &CONSTANTS
            }
        }

        impl SmallCurve for $name {
            fn suite() -> SmallSuite {
                SmallSuite::$suite($p)
            }
        }

        impl SswuCurve for $name {
            /// Not used, as `sswu` does not derive its constants from them.
            const PARAMETERS: SswuParameters = Secp256k1::PARAMETERS;

            fn sswu_place() -> &'static OnceLock<SswuConstants<Self::Base>> {
                static CONSTANTS: OnceLock<SswuConstants<<$name as CpuCurve>::Base>> =
                    OnceLock::new();
                &CONSTANTS
            }

            fn sswu() -> &'static SswuConstants<Self::Base> {
                Self::sswu_place().get_or_init(|| constants(&Self::suite()))
            }
        }
    };
}

small_curve!(
    MinusThreeModulo23,
    23,
    MinusThree,
    8,
    31,
    with_a_minus_three
);
small_curve!(
    MinusThreeModulo103,
    103,
    MinusThree,
    15,
    113,
    with_a_minus_three
);
small_curve!(
    MinusThreeModulo199,
    199,
    MinusThree,
    6,
    197,
    with_a_minus_three
);
small_curve!(IsogenyModulo67, 67, Zero, 2, 73, with_isogeny);
small_curve!(IsogenyModulo139, 139, Zero, 73, 163, with_isogeny);
small_curve!(IsogenyModulo211, 211, Zero, 158, 199, with_isogeny);

fn element<F: Field>(value: u64) -> F {
    F::from_be_bytes(&bytes(&value.into())).expect("below p")
}

fn constants<F: Coordinate>(suite: &SmallSuite) -> SswuConstants<F> {
    let root = suite.curve.root(suite.curve.p - suite.z);
    SswuConstants {
        a: element(suite.source.a),
        b: element(suite.source.b),
        z: element(suite.z),
        root: element(root.expect("Z and -1 are not squares")),
        isogeny: suite.isogeny.as_ref().map(|isogeny| {
            let [x, y] = isogeny.numerators(&suite.source);
            Isogeny {
                x: x.map(element),
                y: y.map(element),
                kernel: element(isogeny.kernel),
            }
        }),
        // For vectors alone.
        #[cfg(all(target_arch = "x86_64", not(gecc_no_avx512)))]
        halves: [F::ONE; 2],
    }
}

fn encoded(point: small_fields::Point) -> Point {
    encode(&point.map(|(x, y)| (x.into(), y.into())))
}

fn all_elements<C: SmallCurve>() {
    let suite = C::suite();
    let curve = suite.curve;
    assert_eq!(C::B, [curve.b, 0, 0, 0]);
    assert_eq!(C::N, [curve.points().len() as u64, 0, 0, 0]);

    let p = curve.p.into();
    let elements: Vec<u64> = (0..curve.p).collect();
    let images: Vec<small_fields::Point> = elements
        .iter()
        .map(|u| Some(suite.to_curve(suite.map(*u).point)))
        .collect();
    let all: Vec<_> = elements
        .iter()
        .map(|u| element_bytes(&(*u).into(), &p))
        .collect();
    let found = images_of::<C, 1>(None, &all);
    for (u, (found, image)) in found.iter().zip(&images).enumerate() {
        assert_eq!(affine_bytes(found), encoded(*image), "{u}");
    }

    let mut identities = 0;
    for (u, first) in elements.iter().zip(&images) {
        let pairs: Vec<_> = elements
            .iter()
            .flat_map(|v| [*u, *v].map(|element| element_bytes(&element.into(), &p)))
            .collect();
        let found = images_of::<C, 2>(None, &pairs);
        assert_eq!(found.len(), images.len());
        for (v, (found, second)) in found.iter().zip(&images).enumerate() {
            let sum = curve.add(*first, *second);
            assert_eq!(affine_bytes(found), encoded(sum), "{u} {v}");
            identities += u64::from(sum.is_none());
        }
    }
    // An element other than 0 and its opposite have opposite images, and so do others.
    assert!(identities >= curve.p);

    let coordinates: Vec<(u64, bool)> = elements
        .iter()
        .flat_map(|x| [(*x, false), (*x, true)])
        .collect();
    let lifted: Vec<_> = coordinates
        .iter()
        .map(|(x, y_is_odd)| (element(*x), *y_is_odd))
        .collect();
    let lifted = decode::lift_all::<C>(None, &lifted);
    for ((x, y_is_odd), found) in coordinates.iter().zip(lifted) {
        let found = found.map(|point| affine_bytes(&point));
        let point = curve.lift(*x, *y_is_odd);
        assert_eq!(found, point.map(|_| encoded(point)), "{x} {y_is_odd}");
    }
}
