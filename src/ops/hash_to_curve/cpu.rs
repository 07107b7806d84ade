//! Hashing to points on the CPU. The suites of RFC 9380 use the constant-time vector code if the
//! processor supports it, otherwise the constant-time arithmetic of the RustCrypto crates.

use super::expand::expand_message;
use super::{HashToCurve, Suite, tries};
use crate::cpu::field::Field;
use crate::cpu::point::Affine;
use crate::cpu::secret::{ReferencePoint, SecretCurve};
use crate::cpu::simd::{Bases, ELEMENT_BYTES, ElementBytes, Lanes, map_to_curve};
use crate::cpu::sswu::SswuCurve;
use crate::cpu::{CpuCurve, CpuEngine, decode};
use crate::curve::types::{P256, Secp256k1, Sm2};
use crate::host::wiped::Wiped;
use crate::ops::ecdh::cpu::reference;
use crate::types::{Point, PublicKeys, Rejection, ResultSink, ResultsMut, Widths};
use core::marker::PhantomData;
use elliptic_curve::array::Array;
use elliptic_curve::consts::U48;
use elliptic_curve::ops::Reduce;
use elliptic_curve::point::AffineCoordinates;
use elliptic_curve::{CurveGroup, ProjectivePoint};
use hash2curve::MapToCurve;
use std::ops::Range;
use zeroize::Zeroizing;

/// Points of a range of items.
pub type Points<C> = Wiped<Result<Affine<<C as CpuCurve>::Base>, Rejection>>;

/// The points of a batch, which are multiplied or returned. None is the identity.
pub trait PointSource: Sync {
    type Curve: SecretCurve;
    /// True if the points are computed in constant time.
    const BASES: Bases;

    /// Returns the points of a range of items, with vector code if possible.
    fn points(&self, lanes: Option<Lanes>, items: Range<usize>) -> Points<Self::Curve>;

    /// Returns the point of one item, computed in constant time if the points are secret.
    fn one(&self, item: usize) -> Result<ReferencePoint<Self::Curve>, Rejection>;
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

/// Returns the points of all items, computed one by one: those of the suites of RFC 9380 with the
/// RustCrypto crates. For self-tests of the vector code.
pub fn one_by_one(hashing: &HashToCurve) -> Vec<Result<Point, Rejection>> {
    with_source!(hashing, 0, |source| {
        let points = (0..hashing.messages.items()).map(|item| source.one(item));
        points
            .map(|point| {
                point.map(|point| Point::from_coordinates(&point.x().into(), &point.y().into()))
            })
            .collect()
    })
}

fn write<S: PointSource>(engine: &CpuEngine, bytes: usize, source: &S, out: &mut ResultSink) {
    let lanes = engine.lanes_for(out.items());
    let compute = |range: Range<usize>, out: &mut ResultsMut| {
        for (place, point) in source.points(lanes, range).iter().enumerate() {
            match point {
                Ok(Affine { x, y, .. }) => put(out, place, &x.to_be_bytes(), &y.to_be_bytes()),
                Err(reason) => out.reject(place, *reason),
            }
        }
    };
    match (S::BASES, lanes) {
        (Bases::Public, _) => engine.fill_of_texts(bytes, out, WIDTHS, compute),
        (Bases::Secret, Some(_)) => engine.fill_secret_of_texts(bytes, out, WIDTHS, compute),
        (Bases::Secret, None) => {
            engine.fill_secret_each(out, WIDTHS, |item, out, place| match source.one(item) {
                Ok(point) => put(out, place, &point.x().into(), &point.y().into()),
                Err(reason) => out.reject(place, reason),
            })
        }
    }
}

/// Rows of `x || y`.
const WIDTHS: Widths = [64, 0];

fn put(out: &mut ResultsMut, place: usize, x: &[u8; 32], y: &[u8; 32]) {
    let row = out.row(0, place);
    row[..32].copy_from_slice(x);
    row[32..].copy_from_slice(y);
    out.accept(place);
}

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
        expand_message(message, &self.hashing.dst, out);
    }
}

impl<C: SecretCurve + SswuCurve> PointSource for Sswu<'_, '_, C>
where
    C::Reference: MapToCurve<Length = U48>,
{
    type Curve = C;
    const BASES: Bases = Bases::Secret;

    fn points(&self, lanes: Option<Lanes>, items: Range<usize>) -> Points<C> {
        let Some(lanes) = lanes else {
            return collect(items, |item| {
                self.one(item).map(|point| affine::<C>(&point))
            });
        };
        let count = self.hashing.suite.field_elements();
        let mut elements: Zeroizing<Vec<ElementBytes>> =
            Zeroizing::new(vec![[0; ELEMENT_BYTES]; count * items.len()]);
        for (item, elements) in items.clone().zip(elements.chunks_mut(count)) {
            self.uniform_bytes(item, elements.as_flattened_mut());
        }
        let points = match count {
            1 => map_to_curve::<C, 1>(lanes, &elements),
            _ => map_to_curve::<C, 2>(lanes, &elements),
        };
        // The branch on the identity is never taken: see `hash_to_curve::points`.
        collect(0..points.len(), |index| match points[index] {
            point if point.infinity => Err(Rejection::IdentityResult),
            point => Ok(point),
        })
    }

    fn one(&self, item: usize) -> Result<ReferencePoint<C>, Rejection> {
        let mut bytes = Zeroizing::new([0; 2 * ELEMENT_BYTES]);
        let bytes = &mut bytes[..ELEMENT_BYTES * self.hashing.suite.field_elements()];
        self.uniform_bytes(item, bytes);
        let mut sum = Zeroizing::new(ProjectivePoint::<C::Reference>::default());
        for element in bytes.as_chunks::<ELEMENT_BYTES>().0 {
            let u = <C::Reference as MapToCurve>::FieldElement::reduce(&Array::from(*element));
            *sum += C::Reference::map_to_curve(u);
        }
        // The branch is never taken: see `hash_to_curve::points`.
        if bool::from(elliptic_curve::Group::is_identity(&*sum)) {
            return Err(Rejection::IdentityResult);
        }
        Ok(sum.to_affine())
    }
}

/// Collects the points of items into memory that is wiped.
fn collect<F: Copy>(
    items: Range<usize>,
    point: impl Fn(usize) -> Result<Affine<F>, Rejection>,
) -> Wiped<Result<Affine<F>, Rejection>> {
    let mut points = Wiped::with_capacity(items.len());
    items.for_each(|item| points.push(point(item)));
    points
}

/// Converts a point of the RustCrypto type, which is not the identity.
fn affine<C: SecretCurve>(point: &ReferencePoint<C>) -> Affine<C::Base> {
    let [x, y] = [point.x(), point.y()]
        .map(|bytes| C::Base::from_be_bytes(&bytes.into()).expect("a coordinate is below p"));
    Affine::new(x, y)
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

    fn one(&self, item: usize) -> Result<ReferencePoint<C>, Rejection> {
        self.points(None, item..item + 1)[0].map(|point| reference::<C>(&point))
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

    fn one(&self, item: usize) -> Result<ReferencePoint<C>, Rejection> {
        decode::public_key::<C>(self.points.get(item)).map(|point| reference::<C>(&point))
    }
}

#[cfg(test)]
mod avx512_tests {
    use super::*;
    use crate::cpu::field::Coordinate;
    use elliptic_curve::Group;
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
        lanes: Lanes,
        items: &[[ElementBytes; COUNT]],
    ) where
        C::Reference: MapToCurve<Length = U48>,
    {
        let points = map_to_curve::<C, COUNT>(lanes, items.as_flattened());
        assert_eq!(points.len(), items.len());
        for (found, item) in points.iter().zip(items) {
            let mut sum = ProjectivePoint::<C::Reference>::default();
            for element in item {
                let u = <C::Reference as MapToCurve>::FieldElement::reduce(&Array::from(*element));
                sum += C::Reference::map_to_curve(u);
            }
            assert_eq!(found.infinity, bool::from(sum.is_identity()), "{item:02x?}");
            if !found.infinity {
                assert_eq!(*found, affine::<C>(&sum.to_affine()), "{item:02x?}");
            }
        }
    }

    fn agrees_with_rustcrypto<C: SecretCurve + SswuCurve>()
    where
        C::Reference: MapToCurve<Length = U48>,
    {
        let lanes = Lanes::detect().expect("this processor has AVX-512 IFMA");
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
    #[ignore = "needs AVX-512 IFMA: --ignored avx512_tests"]
    fn map_to_p256_agrees_with_rustcrypto() {
        agrees_with_rustcrypto::<P256>();
    }

    #[test]
    #[ignore = "needs AVX-512 IFMA: --ignored avx512_tests"]
    fn map_to_secp256k1_agrees_with_rustcrypto() {
        agrees_with_rustcrypto::<Secp256k1>();
    }
}
