//! Eight points in vectors: Jacobian coordinates (X : Y : Z), which represent (X / Z^2, Y / Z^3),
//! and affine ones.
//!
//! Z = 0 represents the identity. An addition of equal or opposite points yields Z = 0, and so does
//! one to the identity, since doublings and additions multiply Z. As no point has order 2, nothing
//! else makes Z zero. So the Z of a sum alone shows if the addition was correct.

use crate::cpu::field::Coordinate;
use crate::cpu::field::vector::{Element, Lanes, Mask, Prime};
use crate::cpu::{CoefficientA, CpuCurve};

/// Jacobian coordinates: X below 2.01 p, Y below 4.4 p, Z below 4.2 p. A product of factors below a
/// p and b p is below (a b / 16 + 1) p.
#[derive(Clone, Copy)]
pub struct Jacobian<P> {
    pub x: Element<P>,
    pub y: Element<P>,
    pub z: Element<P>,
}

/// Points other than the identity. Coordinates are below 16 p.
#[derive(Clone, Copy)]
pub struct Affine<P> {
    pub x: Element<P>,
    pub y: Element<P>,
}

impl<P: Prime> Jacobian<P> {
    /// Doubles the points.
    #[inline(always)]
    pub fn double<C: CpuCurve<Base = P>>(self) -> Self {
        let Jacobian { x, y, z } = self;
        let yy = y.square();
        // 3 X^2 + a Z^4, below 6.9 p.
        let three_times = |third: Element<P>| third.sum().shl::<1>() + third.sum();
        let alpha = match C::A {
            CoefficientA::Zero => three_times(x.square()),
            CoefficientA::MinusThree => {
                // It factors. Below 2.2 p, hence factors below 5.1 p and 4.3 p.
                let zz = z.square().sum();
                three_times(
                    (x.sum() - zz)
                        .plus_multiple(3)
                        .mul((x.sum() + zz).plus_multiple(0)),
                )
            }
            CoefficientA::General(a) => {
                // Below 1.3 p and, with a below 16 p, below 2.3 p.
                let zzzz = z.square().square();
                three_times(x.square()) + zzzz.mul(zzzz.all(&a)).sum()
            }
        };
        let z = y.mul(z).sum().shl::<1>().plus_multiple(0);
        let alpha = alpha.plus_multiple(0);
        let beta = x.mul(yy).sum().shl::<2>();
        let yyyy = yy.square().sum().shl::<3>();
        let x = (alpha.square().sum() - beta.shl::<1>()).fold();
        // 4 X Y^2 - X' + 3 p is below 8.2 p.
        let y = (alpha.mul((beta - x.sum()).plus_multiple(3)).sum() - yyyy).fold();
        Jacobian { x, y, z }
    }

    /// Adds `other`, or its negative where `negate` is set. The sum so far must not be the
    /// identity, and the points must not be equal or opposite: see the top of this file.
    #[inline(always)]
    pub fn add(self, other: Affine<P>, negate: Mask) -> Self {
        let Jacobian { x, y, z } = self;
        let zz = z.square();
        // Below 3.2 p and 2.6 p.
        let u = other.x.mul(zz);
        let s = other.y.mul(z.mul(zz));
        // Below 6.2 p and 9.6 p.
        let h = (u.sum() - x.sum()).plus_multiple(3);
        let r = (s.sum().negate(negate) - y.sum()).plus_multiple(7);
        let hh = h.square();
        // Below 2.7 p.
        let z = z.mul(h);
        // Below 2.4 p and 1.5 p.
        let hhh = h.mul(hh);
        let v = x.mul(hh);
        let x = (r.square().sum() - hhh.sum() - v.sum().shl::<1>()).fold();
        // (9.6 * 4.5 + 5 * 2.4) / 16 + 1 < 4.5, and with exact bounds < 4.4.
        let y = r.mul_add(
            (v.sum() - x.sum()).plus_multiple(3),
            (-y.sum()).plus_multiple(5),
            hhh,
        );
        Jacobian { x, y, z }
    }

    /// Adds any points; complete. Lanes of `skip` keep their sum. Variable-time.
    #[inline(always)]
    pub fn add_complete<C: CpuCurve<Base = P>>(
        self,
        lanes: Lanes,
        other: Affine<P>,
        negate: Mask,
        skip: Mask,
    ) -> Self
    where
        P: Coordinate,
    {
        let mut sum = self.add(other, negate);
        if sum.z.likely_zeros() & !skip != 0 {
            // Copies: values whose address is passed to a call would be kept in memory even if the
            // call is not made.
            let (before, other, mut right) = (self, other, sum);
            // SAFETY: a `Lanes` proves that the instructions exist.
            unsafe { put_right::<C>(lanes, &before, &mut right, &other, negate) };
            sum = right;
        }
        sum.select(skip, self)
    }

    /// Adds any points, with the same instructions for all of them.
    #[inline(always)]
    pub fn add_uniform<C: CpuCurve<Base = P>>(
        self,
        lanes: Lanes,
        other: Affine<P>,
        negate: Mask,
    ) -> Self
    where
        P: Coordinate,
    {
        let sum = self.add(other, negate);
        let exceptions = Exceptions::new(lanes, &self, &sum, &other, negate);
        let sum = sum.select(exceptions.empty, exceptions.other);
        sum.select(exceptions.equal, exceptions.other.double::<C>())
    }

    /// Returns the lanes of `other` where the mask is set, and those of `self` elsewhere.
    #[inline(always)]
    pub fn select(self, mask: Mask, other: Self) -> Self {
        Jacobian {
            x: self.x.select(mask, other.x),
            y: self.y.select(mask, other.y),
            z: self.z.select(mask, other.z),
        }
    }
}

impl<F: Coordinate> Jacobian<F> {
    /// Returns the identity in every lane.
    #[inline(always)]
    pub fn identity(lanes: Lanes) -> Self {
        let one = Element::one(lanes);
        Jacobian {
            x: one,
            y: one,
            z: Element::splat(lanes, &F::ZERO),
        }
    }
}

/// Lanes whose addition hit an exceptional case.
struct Exceptions<F> {
    /// The second point, with its sign applied.
    other: Jacobian<F>,
    /// Lanes whose sum so far is the identity: the result is the second point.
    empty: Mask,
    /// Lanes whose points are equal: the result is the double of the second. Opposite points
    /// already yield Z = 0.
    equal: Mask,
}

impl<F: Coordinate> Exceptions<F> {
    #[inline(always)]
    fn new(
        lanes: Lanes,
        before: &Jacobian<F>,
        sum: &Jacobian<F>,
        other: &Affine<F>,
        negate: Mask,
    ) -> Self {
        let x = other.x.sum().fold();
        let y = other.y.sum().negate(negate).fold();
        let empty = before.z.sum().fold().zeros();
        // If h = 0, X is r^2, which is 0 only for equal points.
        let equal = sum.z.zeros() & sum.x.zeros() & !empty;
        Exceptions {
            other: Jacobian {
                x,
                y,
                z: Element::one(lanes),
            },
            empty,
            equal,
        }
    }
}

/// Corrects the result of `add` in every lane. Not inlined, because it is rarely called.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
fn put_right<C: CpuCurve>(
    lanes: Lanes,
    before: &Jacobian<C::Base>,
    sum: &mut Jacobian<C::Base>,
    other: &Affine<C::Base>,
    negate: Mask,
) {
    let exceptions = Exceptions::new(lanes, before, sum, other, negate);
    *sum = sum.select(exceptions.empty, exceptions.other);
    if exceptions.equal != 0 {
        *sum = sum.select(exceptions.equal, exceptions.other.double::<C>());
    }
}
