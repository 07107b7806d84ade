//! Hashing to points on the CPU. The suites of RFC 9380 use the constant-time arithmetic of the
//! RustCrypto crates.

use super::expand::expand_message;
use super::{HashToCurve, Suite, tries};
use crate::cpu::field::Field;
use crate::cpu::point::Affine;
use crate::cpu::secret::{ReferencePoint, SecretCurve};
use crate::cpu::simd::Lanes;
use crate::cpu::{CpuEngine, decode};
use crate::curve::types::{P256, Secp256k1, Sm2};
use crate::ops::ecdh::cpu::reference;
use crate::types::{PublicKeys, Rejection, ResultSink, ResultsMut};
use core::marker::PhantomData;
use elliptic_curve::array::Array;
use elliptic_curve::consts::U48;
use elliptic_curve::ops::Reduce;
use elliptic_curve::point::AffineCoordinates;
use elliptic_curve::{CurveGroup, ProjectivePoint};
use hash2curve::MapToCurve;
use std::ops::Range;
use zeroize::Zeroizing;

/// Bytes that are hashed to a field element (RFC 9380, section 5.1: L).
const ELEMENT: usize = 48;

/// Points of a range of items.
pub type Points<C> = Vec<Result<Affine<<C as crate::cpu::CpuCurve>::Base>, Rejection>>;

/// Points of a batch that are multiplied or returned. No point is the identity.
pub trait PointSource: Sync {
    type Curve: SecretCurve;

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

/// Computes rows of 64 bytes, `x || y`, for items starting at `items.start`.
pub fn points(
    engine: &CpuEngine,
    hashing: &HashToCurve,
    items: Range<usize>,
    out: &mut ResultSink,
) {
    with_source!(hashing, items.start, |source| write(
        engine, hashing, &source, out
    ));
}

fn write<S: PointSource>(
    engine: &CpuEngine,
    hashing: &HashToCurve,
    source: &S,
    out: &mut ResultSink,
) {
    let bytes = hashing.messages.average();
    if hashing.suite.is_constant_time() {
        return engine.fill_secret_each(out, [64, 0], |item, out, place| match source.one(item) {
            Ok(point) => put(out, place, &point.x().into(), &point.y().into()),
            Err(reason) => out.reject(place, reason),
        });
    }
    engine.fill_of_texts(bytes, out, [64, 0], |range, out| {
        let lanes = engine.lanes_for(range.len());
        for (place, point) in source.points(lanes, range).into_iter().enumerate() {
            match point {
                Ok(Affine { x, y, .. }) => put(out, place, &x.to_be_bytes(), &y.to_be_bytes()),
                Err(reason) => out.reject(place, reason),
            }
        }
    });
}

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

impl<C: SecretCurve> PointSource for Sswu<'_, '_, C>
where
    C: Sync,
    C::Reference: MapToCurve<Length = U48>,
{
    type Curve = C;

    fn points(&self, _: Option<Lanes>, items: Range<usize>) -> Points<C> {
        items
            .map(|item| {
                let point = self.one(item)?;
                let (x, y) = (point.x().into(), point.y().into());
                let coordinate = |bytes| C::Base::from_be_bytes(bytes).expect("below p");
                Ok(Affine::new(coordinate(&x), coordinate(&y)))
            })
            .collect()
    }

    fn one(&self, item: usize) -> Result<ReferencePoint<C>, Rejection> {
        let mut bytes = Zeroizing::new([0; 2 * ELEMENT]);
        let bytes = &mut bytes[..ELEMENT * self.hashing.suite.field_elements()];
        self.uniform_bytes(item, bytes);
        let mut sum = Zeroizing::new(ProjectivePoint::<C::Reference>::default());
        for element in bytes.as_chunks::<ELEMENT>().0 {
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

    fn points(&self, lanes: Option<Lanes>, items: Range<usize>) -> Points<C> {
        let messages = items.map(|item| self.hashing.messages.get(self.first + item));
        tries::points::<C>(lanes, self.hashing.suite, messages)
    }

    fn one(&self, item: usize) -> Result<ReferencePoint<C>, Rejection> {
        let mut points = self.points(None, item..item + 1);
        points
            .pop()
            .expect("one point")
            .map(|point| reference::<C>(&point))
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

    fn points(&self, lanes: Option<Lanes>, items: Range<usize>) -> Points<C> {
        decode::public_keys::<C>(lanes, items.map(|item| self.points.get(item)))
    }

    fn one(&self, item: usize) -> Result<ReferencePoint<C>, Rejection> {
        decode::public_key::<C>(self.points.get(item)).map(|point| reference::<C>(&point))
    }
}
