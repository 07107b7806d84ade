//! Constant-time formulas for points in Jacobian coordinates (X : Y : Z), which represent (X / Z^2,
//! Y / Z^3); Z = 0 is the identity.

use super::element::{Element, Mask, invert_all};
use crate::cpu::field::Coordinate;
use crate::cpu::{CoefficientA, CpuCurve, coefficient_a};
use crate::host::wiped::Wiped;

#[derive(Clone, Copy)]
pub struct Jacobian<F> {
    pub x: Element<F>,
    pub y: Element<F>,
    pub z: Element<F>,
}

/// A point other than the identity.
#[derive(Clone, Copy)]
pub struct Affine<F> {
    pub x: Element<F>,
    pub y: Element<F>,
}

impl<F: Coordinate> Affine<F> {
    /// Returns the negative where the mask is set, and otherwise the point itself.
    #[inline(always)]
    pub fn negate(self, mask: Mask) -> Self {
        Affine {
            y: self.y.negate(mask),
            ..self
        }
    }

    #[inline(always)]
    pub fn to_jacobian(self) -> Jacobian<F> {
        Jacobian {
            x: self.x,
            y: self.y,
            z: Element::ONE,
        }
    }
}

impl<F: Coordinate> Jacobian<F> {
    /// Doubles the point, with the formulas of `cpu::point::jacobian`.
    ///
    /// Not inlined: a call takes little time compared to the products, and each copy takes long to
    /// compile.
    #[inline(never)]
    pub fn double<C: CpuCurve<Base = F>>(self) -> Self {
        let Jacobian { x, y, z } = self;
        let yy = y.square();
        let l = tangent_slope::<C>(x, z).half();
        let t = x.mul(yy);
        let z = y.mul(z);
        let x = l.square().sub(t.double());
        let y = l.mul_sub_square(t.sub(x), yy);
        Jacobian { x, y, z }
    }

    /// Adds a point. The sum is meaningless if this is the identity or equal to `other`, and the
    /// identity if it is opposite; see `add_complete`.
    #[inline(never)]
    pub fn add(self, other: Affine<F>) -> Self {
        let Jacobian { x, y, z } = self;
        let zz = z.square();
        let h = other.x.mul(zz).sub(x);
        let r = other.y.mul(z.mul(zz)).sub(y);
        let hh = h.square();
        let hhh = h.mul(hh);
        let v = x.mul(hh);
        let z = z.mul(h);
        let x = r.square().sub(hhh).sub(v.double());
        let y = r.mul_sub_mul(v.sub(x), y, hhh);
        Jacobian { x, y, z }
    }

    /// Adds a point, with correct results also for the identity and for equal points.
    pub fn add_complete<C: CpuCurve<Base = F>>(self, other: Affine<F>) -> Self {
        let sum = self.add(other);
        let other = other.to_jacobian();
        let is_empty = self.z.is_zero();
        // Z = 0 only if h = 0; then X is r^2, which is zero only for equal points.
        let is_equal = sum.z.is_zero() & sum.x.is_zero() & !is_empty;
        let sum = other.select(is_empty, sum);
        other.double::<C>().select(is_equal, sum)
    }

    /// Returns this point where the mask is set, and otherwise `other`.
    #[inline(always)]
    pub fn select(self, mask: Mask, other: Self) -> Self {
        Jacobian {
            x: self.x.select(mask, other.x),
            y: self.y.select(mask, other.y),
            z: self.z.select(mask, other.z),
        }
    }

    /// Converts the point to affine form, given the inverse of its Z.
    #[inline(always)]
    fn normalized(self, z_inverse: Element<F>) -> Affine<F> {
        let square = z_inverse.square();
        Affine {
            x: self.x.mul(square),
            y: self.y.mul(square.mul(z_inverse)),
        }
    }
}

/// Converts points to affine form, with one inversion. None is the identity.
pub fn normalize<F: Coordinate>(points: &[Jacobian<F>]) -> Wiped<Affine<F>> {
    let mut inverses = Wiped::with_capacity(points.len());
    points.iter().for_each(|point| inverses.push(point.z));
    invert_all(&mut inverses);
    let mut normalized = Wiped::with_capacity(points.len());
    for (point, inverse) in points.iter().zip(inverses.iter()) {
        normalized.push(point.normalized(*inverse));
    }
    normalized
}

/// Computes 3 X^2 + a Z^4.
#[inline(always)]
fn tangent_slope<C: CpuCurve>(x: Element<C::Base>, z: Element<C::Base>) -> Element<C::Base> {
    match C::A {
        CoefficientA::Zero => triple(x.square()),
        // It factors.
        CoefficientA::MinusThree => {
            let zz = z.square();
            triple(x.sub(zz).mul(x.add(zz)))
        }
        CoefficientA::General(_) => {
            let a = Element(coefficient_a::<C>());
            triple(x.square()).add(a.mul(z.square().square()))
        }
    }
}

/// Computes 3 x^2 + a, the numerator of the slope of a tangent.
#[inline(always)]
pub fn affine_tangent_slope<C: CpuCurve>(x: Element<C::Base>) -> Element<C::Base> {
    triple(x.square()).add(Element(coefficient_a::<C>()))
}

#[inline(always)]
fn triple<F: Coordinate>(value: Element<F>) -> Element<F> {
    value.double().add(value)
}
