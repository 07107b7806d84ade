//! Points in extended coordinates (Hisil, Wong, Carter and Dawson 2008), x = X / Z, y = Y / Z, x y
//! = T / Z. **Constant-time** except for functions whose names end in `_var`. The formulas have no
//! exceptions, and Z is never 0, since -1 is a square and d is not.

use super::curves::EdwardsCurve;
use super::field::Element;
use zeroize::Zeroize;

/// A point as (X : Y : Z), which is sufficient for doublings.
#[derive(Clone, Copy, Zeroize)]
pub struct Projective {
    pub x: Element,
    pub y: Element,
    pub z: Element,
}

/// A point as (X : Y : Z : T).
#[derive(Clone, Copy)]
pub struct Extended {
    pub x: Element,
    pub y: Element,
    pub z: Element,
    pub t: Element,
}

/// A sum or a double with x = X / Z and y = Y / T: conversion to the other forms takes one product
/// per coordinate.
#[derive(Clone, Copy)]
pub struct Completed {
    pub x: Element,
    pub y: Element,
    pub z: Element,
    pub t: Element,
}

/// An addend with Z = 1: y + x, y - x, 2 d x y.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Niels {
    pub sum: Element,
    pub difference: Element,
    pub product: Element,
}

/// An addend: Y + X, Y - X, 2Z, 2 d T.
#[derive(Clone, Copy)]
pub struct ProjectiveNiels {
    niels: Niels,
    z2: Element,
}

impl Projective {
    /// Doubles the point with four squares.
    #[inline(always)]
    pub fn double(&self) -> Completed {
        let xx = self.x.square();
        let yy = self.y.square();
        let zz = self.z.square();
        let sum = yy.add(&xx);
        let difference = yy.sub(&xx);
        Completed {
            x: self.x.add(&self.y).square().sub(&sum),
            y: sum,
            z: difference,
            t: zz.double().sub(&difference),
        }
    }

    pub fn to_extended(self) -> Extended {
        let Projective { x, y, z } = self;
        Extended {
            x: x.mul(&z),
            y: y.mul(&z),
            z: z.square(),
            t: x.mul(&y),
        }
    }

    /// Returns `true` if the order of the point divides 8.
    pub fn has_small_order_var<C: EdwardsCurve>(&self) -> bool {
        has_small_order_var::<C>(&self.y, &self.z)
    }

    /// Returns `true` for the identity.
    pub fn is_identity_var(&self) -> bool {
        self.x.is_zero() && self.y == self.z
    }
}

/// Returns `true` if the order of a point with y-coordinate y / z divides 8: y is 1, -1 or 0, or
/// the double of the point has y-coordinate 0. The latter means y^2 + x^2 = 0, which together with
/// the curve equation is d y^4 + 2 y^2 = 1.
pub fn has_small_order_var<C: EdwardsCurve>(y: &Element, z: &Element) -> bool {
    let yy = y.square();
    let zz = z.square();
    yy == zz || yy.is_zero() || yy.mul(&C::D).add(&zz.double()).mul(&yy) == zz.square()
}

impl Completed {
    #[inline(always)]
    pub fn to_projective(self) -> Projective {
        Projective {
            x: self.x.mul(&self.t),
            y: self.y.mul(&self.z),
            z: self.z.mul(&self.t),
        }
    }

    #[inline(always)]
    pub fn to_extended(self) -> Extended {
        let Projective { x, y, z } = self.to_projective();
        Extended {
            x,
            y,
            z,
            t: self.x.mul(&self.y),
        }
    }
}

impl Extended {
    pub const IDENTITY: Self = Extended {
        x: Element::ZERO,
        y: Element::ONE,
        z: Element::ONE,
        t: Element::ZERO,
    };

    pub fn from_affine([x, y]: &[Element; 2]) -> Self {
        Extended {
            x: *x,
            y: *y,
            z: Element::ONE,
            t: x.mul(y),
        }
    }

    /// Returns x and y, with a division of its own.
    pub fn to_affine(self) -> [Element; 2] {
        let inverse = self.z.invert();
        [self.x.mul(&inverse), self.y.mul(&inverse)]
    }

    #[inline(always)]
    pub fn to_projective(self) -> Projective {
        Projective {
            x: self.x,
            y: self.y,
            z: self.z,
        }
    }

    pub fn to_niels<C: EdwardsCurve>(self) -> ProjectiveNiels {
        let niels = Niels {
            sum: self.y.add(&self.x),
            difference: self.y.sub(&self.x),
            product: self.t.mul(&C::D2),
        };
        ProjectiveNiels {
            niels,
            z2: self.z.double(),
        }
    }

    pub fn double(&self) -> Completed {
        self.to_projective().double()
    }

    /// Adds a point with four products.
    #[inline(always)]
    pub fn add(&self, other: &ProjectiveNiels) -> Completed {
        self.add_with(&other.niels, self.z.mul(&other.z2))
    }

    /// Adds an affine point with three products.
    #[inline(always)]
    pub fn add_affine(&self, other: &Niels) -> Completed {
        self.add_with(other, self.z.double())
    }

    /// Adds a point, given `zz2`, twice the product of both Z.
    #[inline(always)]
    fn add_with(&self, other: &Niels, zz2: Element) -> Completed {
        let plus = self.y.add(&self.x).mul(&other.sum);
        let minus = self.y.sub(&self.x).mul(&other.difference);
        let product = self.t.mul(&other.product);
        Completed {
            x: plus.sub(&minus),
            y: plus.add(&minus),
            z: zz2.add(&product),
            t: zz2.sub(&product),
        }
    }
}

impl Niels {
    /// Restores the point from the limbs of its three coordinates.
    #[inline(always)]
    pub fn from_words(words: &[u64; 12]) -> Self {
        let [sum, difference, product] = [0, 4, 8]
            .map(|first| Element::from_limbs(*words[first..].first_chunk().expect("12 words")));
        Niels {
            sum,
            difference,
            product,
        }
    }

    pub fn from_affine<C: EdwardsCurve>([x, y]: &[Element; 2]) -> Self {
        Niels {
            sum: y.add(x),
            difference: y.sub(x),
            product: x.mul(y).mul(&C::D2),
        }
    }

    /// Returns the limbs of the three coordinates.
    #[inline(always)]
    pub fn words(&self) -> &[u64; 12] {
        // SAFETY: three elements of four limbs each, without anything between them (`repr(C)`,
        // `repr(transparent)`).
        unsafe { &*std::ptr::from_ref(self).cast() }
    }

    #[inline(always)]
    pub fn neg(&self) -> Self {
        Niels {
            sum: self.difference,
            difference: self.sum,
            product: self.product.neg(),
        }
    }

    /// Assigns `other` if the mask is all ones, and keeps the value if it is 0.
    #[inline(always)]
    pub fn assign_masked(&mut self, other: &Self, mask: u64) {
        self.sum.assign_masked(&other.sum, mask);
        self.difference.assign_masked(&other.difference, mask);
        self.product.assign_masked(&other.product, mask);
    }
}

impl ProjectiveNiels {
    pub const IDENTITY: Self = ProjectiveNiels {
        niels: Niels {
            sum: Element::ONE,
            difference: Element::ONE,
            product: Element::ZERO,
        },
        // 2Z.
        z2: Element::from_limbs([2, 0, 0, 0]),
    };

    /// Assigns `other` if the mask is all ones, and keeps the value if it is 0.
    #[inline(always)]
    pub fn assign_masked(&mut self, other: &Self, mask: u64) {
        self.niels.assign_masked(&other.niels, mask);
        self.z2.assign_masked(&other.z2, mask);
    }

    #[inline(always)]
    pub fn neg(&self) -> Self {
        ProjectiveNiels {
            niels: self.niels.neg(),
            z2: self.z2,
        }
    }
}
