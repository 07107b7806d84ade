//! Eight points side by side: Jacobian coordinates (X : Y : Z), which stand for (X / Z^2, Y / Z^3), and affine ones.
//!
//! An addition that meets equal or opposite points gives Z = 0, and Z = 0 stays: doublings and additions multiply Z. As
//! no point has order 2, nothing else makes Z zero. So one look at the last Z tells whether every step was right.

use super::field::{Element, Prime};
use super::words::Mask;

/// X below 2.01 p, Y below 4.4 p, Z below 4.2 p. A product of factors below a p and b p is below (a b / 16 + 1) p.
#[derive(Clone, Copy)]
pub struct Jacobian<P> {
    pub x: Element<P>,
    pub y: Element<P>,
    pub z: Element<P>,
}

/// Points other than the identity. Coordinates below 16 p.
#[derive(Clone, Copy)]
pub struct Affine<P> {
    pub x: Element<P>,
    pub y: Element<P>,
}

impl<P: Prime> Jacobian<P> {
    /// Doubles, for a = 0 or a = -3.
    #[inline(always)]
    pub fn double<const A_IS_ZERO: bool>(self) -> Self {
        let Jacobian { x, y, z } = self;
        let yy = y.square();
        // 3 X^2 + a Z^4, below 6.9 p; with a = -3 it factors.
        let third = if A_IS_ZERO {
            x.square()
        } else {
            // Below 2.2 p, hence factors below 5.1 p and 4.3 p.
            let zz = z.square().sum();
            (x.sum() - zz).plus_multiple(3).mul((x.sum() + zz).plus_multiple(0))
        };
        let z = y.mul(z).sum().shl::<1>().plus_multiple(0);
        let alpha = (third.sum().shl::<1>() + third.sum()).plus_multiple(0);
        let beta = x.mul(yy).sum().shl::<2>();
        let yyyy = yy.square().sum().shl::<3>();
        let x = (alpha.square().sum() - beta.shl::<1>()).fold();
        // 4 X Y^2 - X' + 3 p is below 8.2 p.
        let y = (alpha.mul((beta - x.sum()).plus_multiple(3)).sum() - yyyy).fold();
        Jacobian { x, y, z }
    }

    /// Adds `other`, or its opposite where `negate` is set. See the head of this file for equal and opposite points.
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
        let z = z.mul(h);
        // Below 2.4 p and 1.5 p.
        let hhh = h.mul(hh);
        let v = x.mul(hh);
        let x = (r.square().sum() - hhh.sum() - v.sum().shl::<1>()).fold();
        // (9.6 * 4.5 + 5 * 2.4) / 16 + 1 < 4.5, and with exact bounds < 4.4.
        let y = r.mul_add((v.sum() - x.sum()).plus_multiple(3), (-y.sum()).plus_multiple(5), hhh);
        Jacobian { x, y, z }
    }

    /// The lanes of `other` where the mask is set, of `self` elsewhere.
    #[inline(always)]
    pub fn select(self, mask: Mask, other: Self) -> Self {
        Jacobian { x: self.x.select(mask, other.x), y: self.y.select(mask, other.y), z: self.z.select(mask, other.z) }
    }
}
