//! The simplified SWU map over the field of secp256k1, by the portable code and in lanes: sums of
//! the images of all pairs of elements whose images are in a small group, and of the exceptional
//! elements.
//!
//! A field of 256 bits has too many elements to map all. But the elements of which a point is the
//! image are the roots of two quadratic equations, so that the map is tested for all elements that
//! lead to a group. Their images are equal, opposite and different, by both candidates for x.

use super::reference::{add, neg, p};
use super::*;
use crate::cpu::field::Coordinate;
use crate::cpu::simd::{self, ELEMENT_BYTES, ElementBytes, Lanes};
use crate::cpu::sswu::{Isogeny, SswuConstants, SswuCurve, SswuParameters};
use crate::cpu::uniform;
use crate::host::wiped::Wiped;
use std::collections::BTreeSet;

pub fn tests() -> Vec<Test> {
    let portable = crate::harness::tests(
        None,
        named![
            portable_images_in_group_of_order_7,
            portable_images_in_group_of_order_13
        ],
    );
    let in_lanes = crate::harness::tests(
        Some(&AVX512),
        named![
            images_of_lanes_in_group_of_order_7,
            images_of_lanes_in_group_of_order_13
        ],
    );
    [portable, in_lanes].into_iter().flatten().collect()
}

fn portable_images_in_group_of_order_7() {
    order_7(None);
}

fn portable_images_in_group_of_order_13() {
    order_13(None);
}

fn images_of_lanes_in_group_of_order_7() {
    order_7(in_lanes().lanes);
}

fn images_of_lanes_in_group_of_order_13() {
    order_13(in_lanes().lanes);
}

/// Elements are mapped to all points but the identity.
fn order_7(lanes: Option<Lanes>) {
    all_pairs::<Order7OfImages>(lanes, 6);
}

/// By an isogeny of degree 3. Elements are mapped to two points and their opposites.
fn order_13(lanes: Option<Lanes>) {
    all_pairs::<Order13>(lanes, 4);
}

/// The sums of the images of `COUNT` elements each.
pub fn images_of<C: SswuCurve, const COUNT: usize>(
    lanes: Option<Lanes>,
    elements: &[ElementBytes],
) -> Wiped<Affine<C::Base>> {
    match lanes {
        Some(lanes) => simd::map_to_curve::<C, COUNT>(lanes, elements),
        None => uniform::map_to_curve::<C, COUNT>(elements),
    }
}

/// A group whose curve has a map.
trait MappedGroup: SmallGroup + SswuCurve {
    fn map() -> Map;
}

macro_rules! mapped_group {
    ($name:ident, $map:expr) => {
        impl MappedGroup for $name {
            fn map() -> Map {
                $map
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
                Self::sswu_place().get_or_init(|| Self::map().constants())
            }
        }
    };
}

mapped_group!(
    Order7OfImages,
    Map {
        a: p() - IMAGES_OF_SSWU.minus_a,
        b: IMAGES_OF_SSWU.b.into(),
        kernel: None,
    }
);
// From y^2 = x^3 + 2, the isogeny whose kernel has x = -2 leads to y^2 = x^3 - 120 x + 506, and from
// there that whose kernel has x = 6 to y^2 = x^3 + 2 * 3^6.
mapped_group!(
    Order13,
    Map {
        a: p() - 120u32,
        b: 506u32.into(),
        kernel: Some(6u32.into()),
    }
);

/// The simplified SWU map with Z = -2 to y^2 = x^3 + a x + b, and the x of the kernel of the
/// isogeny that follows.
struct Map {
    a: BigUint,
    b: BigUint,
    kernel: Option<BigUint>,
}

/// The coordinates of a point.
type Coordinates = (BigUint, BigUint);

fn inverse(value: &BigUint) -> BigUint {
    value.modinv(&p()).expect("not 0")
}

fn minus(left: &BigUint, right: &BigUint) -> BigUint {
    (left + p() - right % p()) % p()
}

/// A square root of any number modulo p, if there is one.
fn root(square: &BigUint) -> Option<BigUint> {
    let root = square.modpow(&((p() + 1u32) >> 2), &p());
    (&root * &root % p() == square % p()).then_some(root)
}

/// The roots of w^2 + b w + c.
fn roots_of_quadratic(b: &BigUint, c: &BigUint) -> Vec<BigUint> {
    let half = inverse(&2u32.into());
    let Some(root) = root(&minus(&(b * b), &(c * 4u32))) else {
        return Vec::new();
    };
    let sums = [minus(&root, b), minus(&minus(&BigUint::ZERO, &root), b)];
    sums.map(|sum| sum * &half % p()).into()
}

impl Map {
    fn z(&self) -> BigUint {
        p() - 2u32
    }

    fn right_side(&self, x: &BigUint) -> BigUint {
        (x * x * x + &self.a * x + &self.b) % p()
    }

    /// The steps of RFC 9380, section 6.6.2: the image, and whether its x is the second candidate.
    fn apply(&self, u: &BigUint) -> (Coordinates, bool) {
        let zuu = self.z() * u * u % p();
        let sum = (&zuu * &zuu + &zuu) % p();
        let first = if sum == BigUint::ZERO {
            &self.b * inverse(&(self.z() * &self.a)) % p()
        } else {
            let minus_b_by_a = (p() - &self.b) * inverse(&self.a);
            minus_b_by_a * (inverse(&sum) + 1u32) % p()
        };
        let second = &zuu * &first % p();
        let (x, y, is_second) = match root(&self.right_side(&first)) {
            Some(y) => (first, y, false),
            None => {
                let y = root(&self.right_side(&second));
                (second, y.expect("one of the two is a square"), true)
            }
        };
        let y = if y.bit(0) == u.bit(0) { y } else { p() - y };
        ((x, y), is_second)
    }

    /// All elements whose image is the point.
    fn elements(&self, point: &Coordinates) -> Vec<BigUint> {
        let (x, _) = point;
        // With w = Z u^2, the candidates are -b / a (1 + 1 / (w^2 + w)), and that times w.
        let ratio = x * &self.a * inverse(&self.b) % p();
        let one = BigUint::from(1u32);
        let next = &ratio + 1u32;
        // w^2 + w + 1 / next = 0, and w^2 + next w + next = 0.
        let mut all = roots_of_quadratic(&one, &inverse(&next));
        all.extend(roots_of_quadratic(&next, &next));
        let squares = all.iter().map(|w| w * inverse(&self.z()) % p());
        let elements: BTreeSet<BigUint> = squares
            .filter_map(|square| root(&square))
            .flat_map(|u| [p() - &u, u])
            .collect();
        elements
            .into_iter()
            .filter(|u| self.apply(u).0 == *point)
            .collect()
    }

    /// 0 and the roots of -1 / Z, for which Z^2 u^4 + Z u^2 = 0.
    fn exceptional_elements(&self) -> [BigUint; 3] {
        let u = root(&inverse(&(p() - self.z()))).expect("Z and -1 are not squares");
        [BigUint::ZERO, p() - &u, u]
    }

    /// Numbers of Vélu's formulas: 6 k^2 + 2 a and 4 (k^3 + a k + b).
    fn velu(&self, kernel: &BigUint) -> [BigUint; 2] {
        let t = kernel * kernel * 6u32 + &self.a * 2u32;
        [t % p(), self.right_side(kernel) * 4u32 % p()]
    }

    /// The isogeny by Vélu's formulas, followed by (x, y) -> (x / 9, y / 27), as that of secp256k1.
    fn to_curve(&self, (x, y): Coordinates) -> Coordinates {
        let Some(kernel) = &self.kernel else {
            return (x, y);
        };
        let (x, y) = self.normalized_isogeny(kernel, &(x, y));
        let third = inverse(&3u32.into());
        (x * third.pow(2) % p(), y * third.pow(3) % p())
    }

    fn normalized_isogeny(&self, kernel: &BigUint, (x, y): &Coordinates) -> Coordinates {
        let inverse = inverse(&minus(x, kernel));
        let [t, u] = self.velu(kernel);
        let new_x = x + &t * &inverse + &u * inverse.pow(2);
        let slope = minus(
            &1u32.into(),
            &(t * inverse.pow(2) + u * 2u32 * inverse.pow(3)),
        );
        (new_x % p(), y * slope % p())
    }

    /// The points of the map's curve that the isogeny maps to the group.
    fn sources(&self, group: &Group) -> Vec<Coordinates> {
        let points = (1..group.order).map(|k| group.point(k).clone().expect("not the identity"));
        if self.kernel.is_none() {
            return points.collect();
        }
        // The isogeny in the other direction.
        let curve = Map {
            a: BigUint::ZERO,
            b: GROUPS[1].b.into(),
            kernel: None,
        };
        points
            .map(|point| curve.normalized_isogeny(&(p() - 2u32), &point))
            .collect()
    }

    fn constants<F: Coordinate>(&self) -> SswuConstants<F> {
        let element = |value: &BigUint| F::from_be_bytes(&bytes(value)).expect("below p");
        SswuConstants {
            a: element(&self.a),
            b: element(&self.b),
            z: element(&self.z()),
            root: element(&root(&2u32.into()).expect("-Z is a square")),
            isogeny: self.kernel.as_ref().map(|kernel| {
                let [x, y] = self.numerators(kernel);
                Isogeny {
                    x: x.each_ref().map(element),
                    y: y.each_ref().map(element),
                    kernel: element(kernel),
                }
            }),
            // Vectors have the form of numbers in this field.
            #[cfg(all(target_arch = "x86_64", not(gecc_no_avx512)))]
            halves: [crate::cpu::from_limbs(&[0, 0, 0, 1]), F::ONE],
        }
    }

    /// The numerators of the isogeny over (x - k)^2 and (x - k)^3, beginning with the constant.
    fn numerators(&self, k: &BigUint) -> [[BigUint; 4]; 2] {
        let [t, u] = self.velu(k);
        let third = inverse(&3u32.into());
        let minus_k = p() - k;
        // x (x - k)^2 + t (x - k) + u
        let x = [&t * &minus_k + &u, k * k + &t, &minus_k * 2u32, 1u32.into()];
        // (x - k)^3 - t (x - k) - 2 u
        let y = [
            minus_k.pow(3) + &t * k + (p() - u) * 2u32,
            k * k * 3u32 + p() - t,
            minus_k * 3u32,
            1u32.into(),
        ];
        [
            x.map(|value| value * third.pow(2) % p()),
            y.map(|value| value * third.pow(3) % p()),
        ]
    }
}

/// 48 bytes, chosen at random, of a number that is u modulo p.
pub fn element_bytes(u: &BigUint, p: &BigUint) -> ElementBytes {
    let random = BigUint::from_bytes_be(&rand::random::<[u8; ELEMENT_BYTES]>());
    let largest = (BigUint::from(1u32) << (8 * ELEMENT_BYTES)) / p - 1u32;
    let digits = (u + p * (random % largest)).to_bytes_be();
    let mut bytes = [0; ELEMENT_BYTES];
    bytes[ELEMENT_BYTES - digits.len()..].copy_from_slice(&digits);
    bytes
}

/// `reached` points of the group are images.
fn all_pairs<C: MappedGroup>(lanes: Option<Lanes>, reached: usize) {
    let map = C::map();
    let group = group::<C>();
    let of_points: Vec<Vec<BigUint>> = map
        .sources(&group)
        .iter()
        .map(|point| map.elements(point))
        .filter(|elements| !elements.is_empty())
        .collect();
    assert_eq!(of_points.len(), reached);
    let mut elements = of_points.concat();
    let of_second = elements.iter().filter(|u| map.apply(u).1).count();
    assert!(0 < of_second && of_second < elements.len());
    elements.extend(map.exceptional_elements());
    let images: Vec<BigPoint> = elements
        .iter()
        .map(|u| Some(map.to_curve(map.apply(u).0)))
        .collect();

    let single: Vec<ElementBytes> = elements.iter().map(|u| element_bytes(u, &p())).collect();
    let found = images_of::<C, 1>(lanes, &single);
    for ((found, image), u) in found.iter().zip(&images).zip(&elements) {
        assert_eq!(affine_bytes(found), encode(image), "{u:x}");
    }

    let minus_a = <C as SmallGroup>::PARAMETERS.minus_a;
    let mut pairs = Vec::new();
    let mut sums = Vec::new();
    let mut equal = 0;
    let mut opposite = 0;
    for (u, first) in elements.iter().zip(&images) {
        for (v, second) in elements.iter().zip(&images) {
            pairs.extend([u, v].map(|u| element_bytes(u, &p())));
            sums.push((u, v, add(minus_a, first, second)));
            equal += u32::from(u != v && first == second);
            opposite += u32::from(*second == neg(first));
        }
    }
    // Also by elements that are not the opposites of each other.
    assert!(equal > 0 && opposite > elements.len() as u32);
    let found = images_of::<C, 2>(lanes, &pairs);
    assert_eq!(found.len(), sums.len());
    for (found, (u, v, sum)) in found.iter().zip(&sums) {
        assert_eq!(affine_bytes(found), encode(sum), "{u:x} {v:x}");
    }
    println!(
        "{} elements, {equal} pairs of equal and {opposite} of opposite images",
        elements.len()
    );
}
