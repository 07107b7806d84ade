//! Hashing to points on the CPU, in constant time for the suites of RFC 9380.

use super::expand::expand_message;
use super::{HashToCurve, Suite, tries};
use crate::cpu::field::Field;
use crate::cpu::point::Affine;
use crate::cpu::secret::SecretCurve;
use crate::cpu::simd::{self, Bases, ELEMENT_BYTES, ElementBytes, Lanes};
use crate::cpu::sswu::SswuCurve;
use crate::cpu::{CpuCurve, CpuEngine, decode, uniform};
use crate::curve::types::{P256, Secp256k1, Sm2};
use crate::host::wiped::Wiped;
use crate::types::{Point, PublicKeys, Rejection, ResultSink, ResultsMut, Widths};
use core::marker::PhantomData;
use elliptic_curve::array::Array;
use elliptic_curve::consts::U48;
use elliptic_curve::ops::Reduce;
use elliptic_curve::point::AffineCoordinates;
use elliptic_curve::{CurveGroup, Group, ProjectivePoint};
use hash2curve::MapToCurve;
use sha2::Sha256;
use std::ops::Range;
use zeroize::Zeroizing;

/// Points of a range of items.
pub type Points<C> = Wiped<Result<Affine<<C as CpuCurve>::Base>, Rejection>>;

/// The points of a batch, which are multiplied or returned. None is the identity.
pub trait PointSource: Sync {
    type Curve: SecretCurve;
    /// True if the points are computed in constant time.
    const BASES: Bases;

    /// Returns the points of a range of items, with vector code if possible, and in constant time
    /// if they are secret.
    fn points(&self, lanes: Option<Lanes>, items: Range<usize>) -> Points<Self::Curve>;
}

/// Calls `$call` with the `PointSource` of the suite as `$source`.
macro_rules! with_source {
    ($hashing:expr, $first:expr, |$source:ident| $call:expr) => {
        match $hashing.suite {
            Suite::P256SswuRo | Suite::P256SswuNu => {
                let $source = Sswu::<P256>::new($hashing, $first);
                $call
            }
            Suite::Secp256k1SswuRo | Suite::Secp256k1SswuNu => {
                let $source = Sswu::<Secp256k1>::new($hashing, $first);
                $call
            }
            Suite::Sm2Rehash | Suite::Sm2Increment => {
                let $source = Tries::<Sm2>::new($hashing, $first);
                $call
            }
            Suite::P256Rehash => {
                let $source = Tries::<P256>::new($hashing, $first);
                $call
            }
        }
    };
}
pub(crate) use with_source;

/// Computes rows of 64 bytes, `x || y`, for a range of items.
pub fn points(
    engine: &CpuEngine,
    hashing: &HashToCurve,
    items: Range<usize>,
    out: &mut ResultSink,
) {
    let bytes = hashing.messages.average();
    with_source!(hashing, items.start, |source| write(
        engine, bytes, &source, out
    ));
}

/// Returns the points of all messages of a suite of RFC 9380, computed by the RustCrypto crates.
/// For self-tests.
pub fn reference_points(hashing: &HashToCurve) -> Vec<Result<Point, Rejection>> {
    match hashing.suite {
        Suite::P256SswuRo | Suite::P256SswuNu => Sswu::<P256>::new(hashing, 0).reference_points(),
        Suite::Secp256k1SswuRo | Suite::Secp256k1SswuNu => {
            Sswu::<Secp256k1>::new(hashing, 0).reference_points()
        }
        Suite::Sm2Rehash | Suite::Sm2Increment | Suite::P256Rehash => {
            unreachable!("not a suite of RFC 9380")
        }
    }
}

fn write<S: PointSource>(engine: &CpuEngine, bytes: usize, source: &S, out: &mut ResultSink) {
    let lanes = engine.lanes_for(out.items());
    let compute = |range: Range<usize>, out: &mut ResultsMut| {
        for (place, point) in source.points(lanes, range).iter().enumerate() {
            match point {
                Ok(Affine { x, y, .. }) => {
                    let (to_x, to_y) = out.row(0, place).split_at_mut(32);
                    to_x.copy_from_slice(&x.to_be_bytes());
                    to_y.copy_from_slice(&y.to_be_bytes());
                    out.accept(place);
                }
                Err(reason) => out.reject(place, *reason),
            }
        }
    };
    match S::BASES {
        Bases::Public => engine.fill_of_texts(bytes, out, WIDTHS, compute),
        Bases::Secret => engine.fill_secret_of_texts(bytes, out, WIDTHS, compute),
    }
}

/// Rows of `x || y`.
const WIDTHS: Widths = [64, 0];

/// The suites of RFC 9380.
pub struct Sswu<'m, 'a, C> {
    hashing: &'m HashToCurve<'a>,
    first: usize,
    curve: PhantomData<C>,
}

impl<'m, 'a, C> Sswu<'m, 'a, C> {
    pub fn new(hashing: &'m HashToCurve<'a>, first: usize) -> Self {
        Sswu {
            hashing,
            first,
            curve: PhantomData,
        }
    }

    /// Hashes an item to field elements.
    fn uniform_bytes(&self, item: usize, out: &mut [u8]) {
        let message = self.hashing.messages.get(self.first + item);
        expand_message::<Sha256>(message, &self.hashing.dst, out);
    }
}

impl<C: SecretCurve<Reference: MapToCurve<Length = U48>>> Sswu<'_, '_, C> {
    fn reference_points(&self) -> Vec<Result<Point, Rejection>> {
        (0..self.hashing.messages.items())
            .map(|item| self.reference_point(item))
            .collect()
    }

    fn reference_point(&self, item: usize) -> Result<Point, Rejection> {
        let mut bytes = [0; 2 * ELEMENT_BYTES];
        let bytes = &mut bytes[..ELEMENT_BYTES * self.hashing.suite.field_elements()];
        self.uniform_bytes(item, bytes);
        let sum = sum_of_images::<C::Reference>(bytes.as_chunks().0);
        if bool::from(sum.is_identity()) {
            return Err(Rejection::IdentityResult);
        }
        let sum = sum.to_affine();
        Ok(Point::from_coordinates(&sum.x().into(), &sum.y().into()))
    }
}

/// Computes the sum of the images of elements with the RustCrypto crates.
fn sum_of_images<R: MapToCurve<Length = U48>>(elements: &[ElementBytes]) -> ProjectivePoint<R> {
    let images = elements
        .iter()
        .map(|element| R::map_to_curve(R::FieldElement::reduce(&Array::from(*element))));
    images.fold(ProjectivePoint::<R>::default(), |sum, image| sum + image)
}

impl<C: SecretCurve + SswuCurve> PointSource for Sswu<'_, '_, C> {
    type Curve = C;
    const BASES: Bases = Bases::Secret;

    fn points(&self, lanes: Option<Lanes>, items: Range<usize>) -> Points<C> {
        let count = self.hashing.suite.field_elements();
        let mut elements: Zeroizing<Vec<ElementBytes>> =
            Zeroizing::new(vec![[0; ELEMENT_BYTES]; count * items.len()]);
        for (item, elements) in items.clone().zip(elements.chunks_mut(count)) {
            self.uniform_bytes(item, elements.as_flattened_mut());
        }
        let images = match (lanes, count) {
            (Some(lanes), 1) => simd::map_to_curve::<C, 1>(lanes, &elements),
            (Some(lanes), _) => simd::map_to_curve::<C, 2>(lanes, &elements),
            (None, 1) => uniform::map_to_curve::<C, 1>(&elements),
            (None, _) => uniform::map_to_curve::<C, 2>(&elements),
        };
        let mut points = Wiped::with_capacity(images.len());
        for image in images.iter() {
            // The branch on the identity is never taken: see `hash_to_curve::points`.
            points.push(match image {
                image if image.infinity => Err(Rejection::IdentityResult),
                image => Ok(*image),
            });
        }
        points
    }
}

/// The suites that try x-coordinates.
pub struct Tries<'m, 'a, C> {
    hashing: &'m HashToCurve<'a>,
    first: usize,
    curve: PhantomData<C>,
}

impl<'m, 'a, C> Tries<'m, 'a, C> {
    pub fn new(hashing: &'m HashToCurve<'a>, first: usize) -> Self {
        Tries {
            hashing,
            first,
            curve: PhantomData,
        }
    }
}

impl<C: SecretCurve> PointSource for Tries<'_, '_, C> {
    type Curve = C;
    const BASES: Bases = Bases::Public;

    fn points(&self, lanes: Option<Lanes>, items: Range<usize>) -> Points<C> {
        let messages = items.map(|item| self.hashing.messages.get(self.first + item));
        tries::points::<C>(lanes, self.hashing.suite, messages).into()
    }
}

/// Points that the caller received.
pub struct Received<'a, C> {
    points: PublicKeys<'a>,
    curve: PhantomData<C>,
}

impl<'a, C> Received<'a, C> {
    pub fn new(points: PublicKeys<'a>) -> Self {
        Received {
            points,
            curve: PhantomData,
        }
    }
}

impl<C: SecretCurve> PointSource for Received<'_, C> {
    type Curve = C;
    const BASES: Bases = Bases::Public;

    fn points(&self, lanes: Option<Lanes>, items: Range<usize>) -> Points<C> {
        decode::public_keys::<C>(lanes, items.map(|item| self.points.get(item))).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::field::Coordinate;
    use num_bigint::BigUint;

    fn number(limbs: &[u64; 4]) -> BigUint {
        limbs
            .iter()
            .rev()
            .fold(BigUint::ZERO, |sum, limb| (sum << 64) + limb)
    }

    fn bytes_of(value: &BigUint) -> ElementBytes {
        let digits = value.to_bytes_be();
        let mut bytes = [0; ELEMENT_BYTES];
        bytes[ELEMENT_BYTES - digits.len()..].copy_from_slice(&digits);
        bytes
    }

    fn random() -> ElementBytes {
        let mut bytes = [0; ELEMENT_BYTES];
        getrandom::fill(&mut bytes).expect("the system has random bytes");
        bytes
    }

    /// Returns elements at the limits of their range, the exceptional ones 0 and, where Z^2 u^4 + Z
    /// u^2 is zero too, the roots of -1 / Z; each with multiples of p added.
    fn special<C: SswuCurve>() -> Vec<ElementBytes> {
        let p = number(&C::Base::MODULUS);
        let root = BigUint::from_bytes_be(&C::sswu().root.to_be_bytes());
        let exceptional = root.modpow(&(&p - 2u32), &p);
        let z = BigUint::from_bytes_be(&C::sswu().z.to_be_bytes());
        assert_eq!(&z * &exceptional * &exceptional % &p, &p - 1u32);
        let one = BigUint::from(1u32);
        let residues = [
            BigUint::ZERO,
            one.clone(),
            &p - 1u32,
            BigUint::from(2u32),
            &p >> 1,
            (&p >> 1) + 1u32,
            exceptional.clone(),
            &p - &exceptional,
        ];
        let most = ((&one << 384) - 1u32) / &p - 1u32;
        let multiples = [BigUint::ZERO, one.clone(), BigUint::from(3u32), most];
        let mut elements: Vec<ElementBytes> = residues
            .iter()
            .flat_map(|residue| multiples.each_ref().map(|k| bytes_of(&(residue + k * &p))))
            .collect();
        elements.push([0xff; ELEMENT_BYTES]);
        elements.extend((0..384).step_by(16).map(|bit| bytes_of(&(&one << bit))));
        elements
    }

    /// Compares the sums of images of `COUNT` elements with those of the RustCrypto crates.
    fn compare<C: SecretCurve + SswuCurve, const COUNT: usize>(
        lanes: Option<Lanes>,
        items: &[[ElementBytes; COUNT]],
    ) where
        C::Reference: MapToCurve<Length = U48>,
    {
        let elements = items.as_flattened();
        let points = match lanes {
            Some(lanes) => simd::map_to_curve::<C, COUNT>(lanes, elements),
            None => uniform::map_to_curve::<C, COUNT>(elements),
        };
        assert_eq!(points.len(), items.len());
        for (found, item) in points.iter().zip(items) {
            let sum = sum_of_images::<C::Reference>(item);
            assert_eq!(found.infinity, bool::from(sum.is_identity()), "{item:02x?}");
            if !found.infinity {
                let sum = sum.to_affine();
                let expected = Point::from_coordinates(&sum.x().into(), &sum.y().into());
                let found = Point::from_coordinates(&found.x.to_be_bytes(), &found.y.to_be_bytes());
                assert_eq!(found, expected, "{item:02x?}");
            }
        }
    }

    fn agrees_with_rustcrypto<C: SecretCurve + SswuCurve>(lanes: Option<Lanes>)
    where
        C::Reference: MapToCurve<Length = U48>,
    {
        let special = special::<C>();
        compare::<C, 1>(lanes, &special.iter().map(|u| [*u]).collect::<Vec<_>>());
        // Equal elements are doubled, opposite ones sum up to the identity.
        let pairs: Vec<_> = special
            .iter()
            .flat_map(|first| special.iter().map(|second| [*first, *second]))
            .collect();
        compare::<C, 2>(lanes, &pairs);
        for items in [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 100, 300] {
            let single: Vec<_> = (0..items).map(|_| [random()]).collect();
            compare::<C, 1>(lanes, &single);
            let pairs: Vec<_> = (0..items).map(|_| [random(), random()]).collect();
            compare::<C, 2>(lanes, &pairs);
        }
    }

    #[test]
    fn portable_map_to_p256_agrees_with_rustcrypto() {
        agrees_with_rustcrypto::<P256>(None);
    }

    #[test]
    fn portable_map_to_secp256k1_agrees_with_rustcrypto() {
        agrees_with_rustcrypto::<Secp256k1>(None);
    }

    mod avx512_tests {
        use super::*;

        fn lanes() -> Lanes {
            Lanes::detect().expect("this processor has AVX-512 IFMA")
        }

        #[test]
        #[ignore = "needs AVX-512 IFMA: --ignored avx512_tests"]
        fn map_to_p256_agrees_with_rustcrypto() {
            agrees_with_rustcrypto::<P256>(Some(lanes()));
        }

        #[test]
        #[ignore = "needs AVX-512 IFMA: --ignored avx512_tests"]
        fn map_to_secp256k1_agrees_with_rustcrypto() {
            agrees_with_rustcrypto::<Secp256k1>(Some(lanes()));
        }
    }
}
