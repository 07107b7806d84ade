//! Tables of odd multiples, which are read whole.

use super::element::{Element, Mask};
use super::point::Affine;
use crate::cpu::field::Coordinate;
use crate::cpu::point::affine::Entry;

/// The odd multiples P, 3P, ..., (2 N - 1) P of a point, for a power N of two.
pub type Table<F, const N: usize> = [Entry<F>; N];

/// Looks up the multiple for a digit e below 2N by reading all entries, and negates it where
/// `negate` is set.
///
/// The digit denotes 2e - (2N - 1): from N on this is entry e - N, and below it the negative of
/// entry N - 1 - e.
#[inline(always)]
pub fn multiple<F: Coordinate, const N: usize>(
    table: &Table<F, N>,
    digit: u64,
    negate: Mask,
) -> Affine<F> {
    let last = N as u64 - 1;
    let is_negative = Mask::from_bit(1 ^ (digit / N as u64));
    let index = (digit & last) ^ is_negative.and(last);
    let mut words = [0; 8];
    for (number, entry) in table.iter().enumerate() {
        let is_wanted = Mask::is_zero(index ^ number as u64);
        for (word, candidate) in words.iter_mut().zip(entry.words()) {
            *word |= is_wanted.and(*candidate);
        }
    }
    point_of(&Entry::from_words(words)).negate(is_negative ^ negate)
}

#[inline(always)]
pub fn point_of<F: Coordinate>(entry: &Entry<F>) -> Affine<F> {
    Affine {
        x: Element(entry.x()),
        y: Element(entry.y()),
    }
}
