//! Points in Jacobian coordinates: (X : Y : Z) stands for (X / Z^2, Y / Z^3), Z = 0 for the identity.
//!
//! Used where one point is doubled many times in a row: its coordinates stay in registers and no inversion is needed.

use super::CpuCurve;
use super::affine::{Affine, invert_all};
use super::field::Field;

#[derive(Clone, Copy, Debug)]
pub struct Jacobian<F> {
    pub x: F,
    pub y: F,
    pub z: F,
}

impl<F: Field> Jacobian<F> {
    pub const IDENTITY: Self = Jacobian { x: F::ONE, y: F::ONE, z: F::ZERO };

    pub fn from_affine(point: &Affine<F>) -> Self {
        if point.infinity { Self::IDENTITY } else { Jacobian { x: point.x, y: point.y, z: F::ONE } }
    }

    pub fn is_identity(&self) -> bool {
        self.z.is_zero()
    }

    /// Doubles. The identity stays the identity, since Z' = 2YZ.
    #[inline(always)]
    pub fn double<C: CpuCurve<Base = F>>(&self) -> Self {
        let yy = self.y.square();
        let four_yy = yy.double().double();
        let beta = self.x.mul(&four_yy);
        // 3X^2 + aZ^4; with a = -3 it factors.
        let alpha = if C::A_IS_ZERO {
            let xx = self.x.square();
            xx.double().add(&xx)
        } else {
            let zz = self.z.square();
            let product = self.x.sub(&zz).mul(&self.x.add(&zz));
            product.double().add(&product)
        };
        let x = alpha.square().sub(&beta.double());
        let y = alpha.mul(&beta.sub(&x)).sub(&yy.double().square().double());
        let z = self.y.mul(&self.z).double();
        Jacobian { x, y, z }
    }

    /// Adds an affine point; complete.
    #[inline(always)]
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
            return if r.is_zero() { self.double::<C>() } else { Self::IDENTITY };
        }
        let hh = h.square();
        let hhh = h.mul(&hh);
        let v = self.x.mul(&hh);
        let x = r.square().sub(&hhh).sub(&v.double());
        let y = r.mul(&v.sub(&x)).sub(&self.y.mul(&hhh));
        Jacobian { x, y, z: self.z.mul(&h) }
    }
}

/// The affine form of a batch, with one inversion.
pub fn normalize<F: Field>(points: &[Jacobian<F>]) -> Vec<Affine<F>> {
    let mut inverses: Vec<F> = points.iter().map(|point| point.z).collect();
    invert_all(&mut inverses);
    let affine = |(point, z_inverse): (&Jacobian<F>, &F)| {
        if point.is_identity() {
            return Affine::IDENTITY;
        }
        let square = z_inverse.square();
        Affine::new(point.x.mul(&square), point.y.mul(&square.mul(z_inverse)))
    };
    points.iter().zip(&inverses).map(affine).collect()
}
