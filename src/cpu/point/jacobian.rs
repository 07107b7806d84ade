//! Points in Jacobian coordinates: (X : Y : Z) represents (X / Z^2, Y / Z^3); Z = 0 is the
//! identity.
//!
//! Used for sequences of doublings of one point: its coordinates stay in registers and no inversion
//! is needed.

use super::affine::{Affine, invert_all};
use crate::cpu::field::Field;
use crate::cpu::{CoefficientA, CpuCurve, coefficient_a};

#[derive(Clone, Copy, Debug)]
pub struct Jacobian<F> {
    pub x: F,
    pub y: F,
    pub z: F,
}

impl<F: Field> Jacobian<F> {
    pub const IDENTITY: Self = Jacobian {
        x: F::ONE,
        y: F::ONE,
        z: F::ZERO,
    };

    pub fn from_affine(point: &Affine<F>) -> Self {
        if point.infinity {
            Self::IDENTITY
        } else {
            Jacobian {
                x: point.x,
                y: point.y,
                z: F::ONE,
            }
        }
    }

    pub fn is_identity(&self) -> bool {
        self.z.is_zero()
    }

    /// Doubles the point. The identity stays the identity, since Z' = YZ.
    ///
    /// With l = (3X^2 + aZ^4) / 2 the result is that of the usual formulas divided by (4, 8, 2),
    /// which needs fewer additions.
    ///
    /// Not inlined, as a call takes little time compared to the products, and each copy takes long
    /// to compile.
    #[inline(never)]
    pub fn double<C: CpuCurve<Base = F>>(&self) -> Self {
        let s = self.y.square();
        let l = match C::A {
            CoefficientA::Zero => three_halves(self.x.square()),
            // X^2 - Z^4 factors.
            CoefficientA::MinusThree => {
                let zz = self.z.square();
                three_halves(self.x.sub(&zz).mul(&self.x.add(&zz)))
            }
            CoefficientA::General(_) => {
                let xx = self.x.square();
                let zz = self.z.square();
                xx.double()
                    .add(&xx)
                    .add(&coefficient_a::<C>().mul(&zz.square()))
                    .half()
            }
        };
        let t = self.x.mul(&s);
        let z = self.y.mul(&self.z);
        let x = l.square().sub(&t.double());
        let y = l.mul_sub_square(&t.sub(&x), &s);
        Jacobian { x, y, z }
    }

    /// Converts the point to affine form, given the inverse of its z; the identity needs none.
    fn normalized(&self, z_inverse: &F) -> Affine<F> {
        if self.is_identity() {
            return Affine::IDENTITY;
        }
        let square = z_inverse.square();
        Affine::new(self.x.mul(&square), self.y.mul(&square.mul(z_inverse)))
    }

    /// Adds an affine point. The addition is complete. Not inlined, as `double`.
    #[inline(never)]
    pub fn add_affine<C: CpuCurve<Base = F>>(&self, other: &Affine<F>) -> Self {
        if other.infinity {
            return *self;
        }
        if self.is_identity() {
            return Self::from_affine(other);
        }
        let zz = self.z.square();
        let h = other.x.mul(&zz).sub(&self.x);
        let r = other.y.mul(&self.z.mul(&zz)).sub(&self.y);
        if h.is_zero() {
            return if r.is_zero() {
                self.double::<C>()
            } else {
                Self::IDENTITY
            };
        }
        let hh = h.square();
        let hhh = h.mul(&hh);
        let v = self.x.mul(&hh);
        let x = r.square().sub(&hhh).sub(&v.double());
        let y = r.mul_sub_mul(&v.sub(&x), &self.y, &hhh);
        Jacobian {
            x,
            y,
            z: self.z.mul(&h),
        }
    }
}

#[inline(always)]
fn three_halves<F: Field>(value: F) -> F {
    value.add(&value.half())
}

/// Converts a batch to affine form with one inversion.
pub fn normalize<F: Field>(points: &[Jacobian<F>]) -> Vec<Affine<F>> {
    let mut inverses: Vec<F> = points.iter().map(|point| point.z).collect();
    invert_all(&mut inverses);
    points
        .iter()
        .zip(&inverses)
        .map(|(point, z_inverse)| point.normalized(z_inverse))
        .collect()
}
