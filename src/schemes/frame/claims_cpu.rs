//! Signature equations and the claims about their points, as the CPU engine checks them.

use crate::cpu::field::{Field, limbs};
use crate::cpu::multiply::normalize;
use crate::cpu::point::jacobian::Jacobian;
use crate::cpu::simd::Lanes;
use crate::cpu::{CpuCurve, be_bytes_to_limbs, from_limbs, limbs_to_be_bytes};
use crate::types::Rejection;

/// A signature equation: the claim about u1 G + u2 Q.
pub struct Equation<C: CpuCurve, K> {
    pub u1: C::Scalar,
    pub u2: C::Scalar,
    pub claim: K,
}

pub type Equations<C, K> = Vec<Result<Equation<C, K>, Rejection>>;

/// A property that is claimed of a point.
pub trait Claim<C: CpuCurve>: Copy {
    /// Returns for which points the claim is true. The result for the identity is meaningless.
    fn hold(lanes: Option<Lanes>, points: &[Jacobian<C::Base>], claims: impl Iterator<Item = Self>) -> Vec<bool>;

    /// The x-coordinate and whether y is odd of a point of which it is true, where the signature says which one is
    /// meant. There may be no such point on the curve.
    fn point(&self) -> Option<(C::Base, bool)>;
}

/// The claim that the x-coordinate, reduced modulo n, is this number.
#[derive(Clone, Copy)]
pub struct XModuloN<C: CpuCurve> {
    pub x: C::Scalar,
    /// The point that a recovery id names, where there is one: see `Claim::point`. The id decides nothing.
    pub named: Option<(C::Base, bool)>,
}

/// The claim that the x-coordinate is this number and the y-coordinate is even.
#[derive(Clone, Copy)]
pub struct EvenWithX<C: CpuCurve>(pub C::Base);

impl<C: CpuCurve> Claim<C> for XModuloN<C> {
    /// Without an inversion: x(R) = X / Z^2, and x(R) modulo n is `x` exactly when x(R) is x or x + n.
    fn hold(_: Option<Lanes>, points: &[Jacobian<C::Base>], claims: impl Iterator<Item = Self>) -> Vec<bool> {
        let holds = |(point, XModuloN { x, .. }): (&Jacobian<C::Base>, Self)| {
            let x = be_bytes_to_limbs(&x.to_be_bytes());
            let zz = point.z.square();
            let equals = |candidate: C::Base| candidate.mul(&zz) == point.x;
            equals(from_limbs(&x)) || plus_n::<C>(&x).is_some_and(equals)
        };
        points.iter().zip(claims).map(holds).collect()
    }

    fn point(&self) -> Option<(C::Base, bool)> {
        self.named
    }
}

impl<C: CpuCurve> Claim<C> for EvenWithX<C> {
    fn hold(lanes: Option<Lanes>, points: &[Jacobian<C::Base>], claims: impl Iterator<Item = Self>) -> Vec<bool> {
        let points = normalize(lanes, points);
        points.iter().zip(claims).map(|(point, EvenWithX(x))| point.x == x && !point.y.is_odd()).collect()
    }

    fn point(&self) -> Option<(C::Base, bool)> {
        Some((self.0, false))
    }
}

/// x + n as a coordinate, where it is below p.
pub fn plus_n<C: CpuCurve>(x: &[u64; 4]) -> Option<C::Base> {
    let (sum, carry) = limbs::add(x, &C::N);
    if carry { None } else { C::Base::from_be_bytes(&limbs_to_be_bytes(&sum)) }
}
