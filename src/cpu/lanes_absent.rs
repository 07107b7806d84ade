//! What `lanes` is on processors without its instructions: nothing that could be called.

use super::CpuCurve;
use super::affine::Affine;
use super::comb::Comb;
use super::jacobian::Jacobian;

/// There is none.
#[derive(Clone, Copy, Debug)]
pub enum Lanes {}

impl Lanes {
    pub fn detect() -> Option<Self> {
        None
    }
}

/// Lanes ask nothing of a field.
pub trait Prime {}

impl<F> Prime for F {}

pub fn mul_add<C: CpuCurve>(
    lanes: Lanes,
    _: &[C::Scalar],
    _: &[Affine<C::Base>],
    _: Option<(&Comb<C>, &[C::Scalar])>,
) -> Vec<Option<Jacobian<C::Base>>> {
    match lanes {}
}
