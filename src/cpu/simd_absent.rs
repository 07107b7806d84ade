//! The replacement of `simd` for processors without its instructions. `Lanes` has no values, so no
//! function can be called.

pub use super::field::vector::Lanes;

use super::CpuCurve;
use super::field::Coordinate;
use super::point::affine::{Affine, Entry};
use super::point::comb::{BaseTerm, Product};
use super::point::jacobian::Jacobian;
use super::point::pairs::Pair;
use super::sswu::SswuCurve;
use crate::host::wiped::Wiped;
use core::marker::PhantomData;
use zeroize::Zeroizing;

/// A table that cannot exist.
pub struct UniformTable<C>(PhantomData<C>);

impl<C: CpuCurve> UniformTable<C> {
    pub fn new(lanes: Lanes) -> Self {
        match lanes {}
    }

    pub fn mul_base(&self, lanes: Lanes, _: &[[u64; 4]], _: &[u8]) -> Vec<Affine<C::Base>> {
        match lanes {}
    }
}

pub fn mul_add<C: CpuCurve>(
    lanes: Lanes,
    _: &[C::Scalar],
    _: &[Affine<C::Base>],
    _: Option<BaseTerm<C>>,
) -> Vec<Jacobian<C::Base>> {
    match lanes {}
}

/// The confidentiality of the points of a multiplication.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Bases {
    Public,
    Secret,
}

pub fn mul_uniform<C: CpuCurve>(
    lanes: Lanes,
    _: &[[u64; 4]],
    _: &[u8],
    _: &[Affine<C::Base>],
    _: Bases,
) -> Zeroizing<Vec<[[u64; 4]; 2]>> {
    match lanes {}
}

pub fn sum_products<C: CpuCurve, const P: usize>(
    lanes: Lanes,
    _: &[[Product<C>; P]],
) -> Vec<Jacobian<C::Base>> {
    match lanes {}
}

pub fn normalize<F: Coordinate>(lanes: Lanes, _: &[Jacobian<F>]) -> Vec<Affine<F>> {
    match lanes {}
}

pub fn multiples_of<C: CpuCurve>(lanes: Lanes, _: &[Entry<C::Base>], _: &mut [Entry<C::Base>]) {
    match lanes {}
}

pub fn powers_of<C: CpuCurve>(
    lanes: Lanes,
    _: &[Entry<C::Base>],
    _: u32,
    _: usize,
) -> Vec<Entry<C::Base>> {
    match lanes {}
}

pub const KECCAK_LANES: usize = 1;

pub fn keccak256(lanes: Lanes, _: &[&[u8]], _: impl FnMut(usize, &[u8; 32])) {
    match lanes {}
}

pub fn lift_x<C: CpuCurve>(lanes: Lanes, _: &[(C::Base, bool)]) -> Vec<Option<Affine<C::Base>>> {
    match lanes {}
}

/// Bytes that are reduced to an element.
pub const ELEMENT_BYTES: usize = 48;

pub type ElementBytes = [u8; ELEMENT_BYTES];

pub fn map_to_curve<C: SswuCurve, const COUNT: usize>(
    lanes: Lanes,
    _: &[ElementBytes],
) -> Wiped<Affine<C::Base>> {
    match lanes {}
}

pub fn entries_of<F: Coordinate>(lanes: Lanes, _: &[Affine<F>]) -> Vec<Entry<F>> {
    match lanes {}
}

pub fn points_of<F: Coordinate>(lanes: Lanes, _: &[Entry<F>]) -> Vec<Affine<F>> {
    match lanes {}
}

pub fn add_pairs<C: CpuCurve>(
    lanes: Lanes,
    _: &[Entry<C::Base>],
    _: &[Pair],
    _: &mut [Entry<C::Base>],
) {
    match lanes {}
}
