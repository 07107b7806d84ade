//! The replacement of `simd` for processors without its instructions. `Lanes` has no values, so no
//! function can be called.

use super::curves::EdwardsCurve;
use super::field::Element;
use super::multiply::Term;
use super::point::{Extended, Niels, Projective};
use super::scalar::Scalar;
use super::tables::{Comb, Uniform};
use crate::cpu::field::limbs::Limbs;
pub use crate::cpu::field::vector::Lanes;
use zeroize::Zeroizing;

pub fn products<C: EdwardsCurve>(lanes: Lanes, _: &[Term<C>], _: &Comb<C>) -> Vec<Projective> {
    match lanes {}
}

pub fn sum_products<C: EdwardsCurve>(
    lanes: Lanes,
    _: &[[(&Comb<C>, &Scalar<C::Order>); 2]],
) -> Vec<Projective> {
    match lanes {}
}

pub fn uniform_products<C: EdwardsCurve>(
    lanes: Lanes,
    _: &[&Scalar<C::Order>],
    _: &Uniform<C>,
) -> Zeroizing<Vec<Projective>> {
    match lanes {}
}

pub fn ladder_products(lanes: Lanes, _: &[Limbs], _: &[Limbs]) -> Zeroizing<Vec<Limbs>> {
    match lanes {}
}

pub fn secret_products<C: EdwardsCurve>(
    lanes: Lanes,
    _: &[Scalar<C::Order>],
    _: &[Extended],
) -> Zeroizing<Vec<Projective>> {
    match lanes {}
}

pub fn secret_root_powers(lanes: Lanes, _: &[Element]) -> Zeroizing<Vec<Element>> {
    match lanes {}
}

pub fn root_powers(lanes: Lanes, _: &[Element]) -> Vec<Element> {
    match lanes {}
}

pub fn window_sums<'a, C: EdwardsCurve, const BUCKETS: usize>(
    lanes: Lanes,
    _: impl Iterator<Item = ([i32; 8], &'a Niels)>,
) -> [Projective; 8] {
    match lanes {}
}
