//! Pairwise sums of entries of a slice.

use super::affine::{Affine, Denominators, Entry, add_assign};
use crate::cpu::CpuCurve;
use crate::cpu::field::Coordinate;

/// The number of pairs whose additions share an inversion.
pub const BATCH: usize = 2048;

/// Two points to add, and the index of their sum.
#[derive(Clone, Copy)]
pub struct Pair {
    /// The members: twice the index of each point, plus one if it is subtracted.
    pub members: [u32; 2],
    pub place: u32,
}

/// Returns the entry of a member of a pair, with its sign.
pub fn signed<F: Coordinate>(points: &[Entry<F>], member: u32) -> Entry<F> {
    let entry = points[member as usize / 2];
    if member % 2 == 1 { entry.neg() } else { entry }
}

/// Returns the first or second point of each pair.
fn members<F: Coordinate>(points: &[Entry<F>], pairs: &[Pair], which: usize) -> Vec<Affine<F>> {
    pairs
        .iter()
        .map(|pair| signed(points, pair.members[which]).point())
        .collect()
}

/// Adds pairs of points, any of which may be the identity.
pub fn add<C: CpuCurve>(points: &[Entry<C::Base>], pairs: &[Pair], sums: &mut [Entry<C::Base>]) {
    let mut denominators = Denominators::new();
    for pairs in pairs.chunks(BATCH) {
        let mut left = members(points, pairs, 0);
        let right = members(points, pairs, 1);
        add_assign::<C>(&mut left, &right, &mut denominators);
        for (pair, sum) in pairs.iter().zip(&left) {
            sums[pair.place as usize] = Entry::of(sum);
        }
    }
}
