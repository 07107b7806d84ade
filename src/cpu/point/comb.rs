//! Multiplication of a point known in advance, with a table of its multiples in every window: a
//! product is a sum of table entries and needs no doublings. Used for the base point and for public
//! keys with many signatures.

use super::affine::{self, Affine, Entry};
use crate::cpu::CpuCurve;
use crate::cpu::field::Field;
use crate::cpu::scalar::{SignedScalar, signed_windows};

/// The multiples d 2^(w j) P for 1 <= d <= 2^(w-1) and every window j.
pub struct Comb<C: CpuCurve> {
    pub(in crate::cpu) window: u32,
    /// The entry for window j and digit d is at `j << (w-1) | (d-1)`.
    pub(in crate::cpu) entries: Vec<Entry<C::Base>>,
}

/// One product of a sum: the table of a point, and a scalar.
pub type Product<'a, C> = (&'a Comb<C>, &'a <C as CpuCurve>::Scalar);

/// The term u1[i] G, with the table of G.
pub type BaseTerm<'a, C> = (&'a Comb<C>, &'a [<C as CpuCurve>::Scalar]);

impl<C: CpuCurve> Comb<C> {
    /// Returns the size of a table in bytes.
    pub fn bytes(window: u32) -> usize {
        (Self::windows(window) << (window - 1)) * size_of::<Entry<C::Base>>()
    }

    /// Returns the number of entries in the sum for one product.
    pub fn windows(window: u32) -> usize {
        256usize.div_ceil(window as usize)
    }

    /// Returns the number of terms of a product with this table.
    pub fn terms(&self) -> usize {
        Self::windows(self.window)
    }

    /// Appends the digits of a scalar, one per term of its product, and prefetches the entries that
    /// they select: the large table does not fit a core's caches.
    pub fn recode(&self, scalar: &C::Scalar, digits: &mut Vec<i32>) {
        // The recoding needs a number below 2^255.
        let SignedScalar {
            negative,
            magnitude,
        } = SignedScalar::shorter(scalar);
        signed_windows(&magnitude, self.window, |index, digit| {
            let digit = if negative { -digit } else { digit };
            if digit != 0 {
                affine::prefetch(&self.entries[self.position(index, digit)]);
            }
            digits.push(digit);
        });
    }

    /// Returns the term for a digit from `recode`.
    pub fn term(&self, index: usize, digit: i32) -> Affine<C::Base> {
        if digit == 0 {
            return Affine::IDENTITY;
        }
        let entry = self.entry(index, digit);
        let x = entry.x();
        let y = entry.y();
        // The sign is random: indexing is faster than a branch that is mispredicted half of the
        // time.
        Affine::new(x, [y, y.neg()][usize::from(digit < 0)])
    }

    /// Returns the table entry for a digit from `recode`, without its sign; for 0, any entry.
    pub fn entry(&self, index: usize, digit: i32) -> &Entry<C::Base> {
        &self.entries[self.position(index, if digit == 0 { 1 } else { digit })]
    }

    fn position(&self, index: usize, digit: i32) -> usize {
        index << (self.window - 1) | (digit.unsigned_abs() as usize - 1)
    }
}
