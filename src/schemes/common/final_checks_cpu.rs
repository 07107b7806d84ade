//! Signature equations and their final checks on the CPU.

use crate::cpu::field::{Field, limbs};
use crate::cpu::multiply::normalize;
use crate::cpu::point::jacobian::Jacobian;
use crate::cpu::simd::Lanes;
use crate::cpu::{CpuCurve, be_bytes_to_limbs, from_limbs, limbs_to_be_bytes};
use crate::types::{PublicKeys, Rejection};

/// A signature equation: the final check of the point u1 G + u2 Q.
pub struct Equation<C: CpuCurve, K> {
    pub u1: C::Scalar,
    pub u2: C::Scalar,
    pub final_check: K,
}

pub type Equations<C, K> = Vec<Result<Equation<C, K>, Rejection>>;

/// A batch of signatures of a scheme, which states their equations.
pub trait SignatureBatch<C: CpuCurve>: Sync {
    type FinalCheck: FinalCheck<C>;

    fn keys(&self) -> PublicKeys<'_>;

    /// Returns `true` if items may be verified in groups.
    fn allows_batch_verification(&self) -> bool;

    /// Returns the average number of bytes that are hashed for an equation.
    fn hashed_bytes(&self) -> usize {
        0
    }

    /// Returns the equations of some items.
    fn equations(&self, items: &[usize]) -> Equations<C, Self::FinalCheck>;
}

/// The final check of a point: a property that the signature claims for it.
pub trait FinalCheck<C: CpuCurve>: Copy {
    /// Returns for each point if the claim is true. The result for the identity is meaningless.
    fn hold_for(
        lanes: Option<Lanes>,
        points: &[Jacobian<C::Base>],
        checks: impl Iterator<Item = Self>,
    ) -> Vec<bool>;

    /// Returns the x-coordinate and the parity of y of the only point that satisfies the claim, if
    /// the signature identifies it. The curve may not have such a point.
    fn point(&self) -> Option<(C::Base, bool)>;
}

/// The claim that the x-coordinate, reduced modulo n, is this number.
#[derive(Clone, Copy)]
pub struct XModuloN<C: CpuCurve> {
    pub x: C::Scalar,
    /// The point that a recovery id identifies, if there is one: see `Claim::point`. The id has no
    /// effect on the verdict.
    pub named: Option<(C::Base, bool)>,
}

/// The claim that the x-coordinate is this number and the y-coordinate is even.
#[derive(Clone, Copy)]
pub struct EvenWithX<C: CpuCurve>(pub C::Base);

impl<C: CpuCurve> FinalCheck<C> for XModuloN<C> {
    /// Avoids an inversion: x(R) = X / Z^2, and x(R) modulo n is `x` exactly if x(R) is x or x + n.
    fn hold_for(
        _: Option<Lanes>,
        points: &[Jacobian<C::Base>],
        checks: impl Iterator<Item = Self>,
    ) -> Vec<bool> {
        let held = points
            .iter()
            .zip(checks)
            .map(|(point, XModuloN { x, .. })| {
                let x = be_bytes_to_limbs(&x.to_be_bytes());
                let zz = point.z.square();
                from_limbs::<C::Base>(&x).mul(&zz) == point.x
                    || plus_n::<C>(&x).is_some_and(|x| x.mul(&zz) == point.x)
            });
        held.collect()
    }

    fn point(&self) -> Option<(C::Base, bool)> {
        self.named
    }
}

impl<C: CpuCurve> FinalCheck<C> for EvenWithX<C> {
    fn hold_for(
        lanes: Option<Lanes>,
        points: &[Jacobian<C::Base>],
        checks: impl Iterator<Item = Self>,
    ) -> Vec<bool> {
        let points = normalize(lanes, points);
        points
            .iter()
            .zip(checks)
            .map(|(point, EvenWithX(x))| point.x == x && !point.y.is_odd())
            .collect()
    }

    fn point(&self) -> Option<(C::Base, bool)> {
        Some((self.0, false))
    }
}

/// Returns x + n as a coordinate if it is below p.
pub fn plus_n<C: CpuCurve>(x: &[u64; 4]) -> Option<C::Base> {
    let (sum, carry) = limbs::add(x, &C::N);
    if carry {
        None
    } else {
        C::Base::from_be_bytes(&limbs_to_be_bytes(&sum))
    }
}
