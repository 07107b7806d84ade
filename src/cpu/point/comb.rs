//! Multiplication of a point that is known beforehand: a table of its multiples in every window, so that a product is a
//! sum of table entries and needs no doubling. Serves the base point and public keys that sign many items.

use super::affine::{self, Affine, Entry};
use crate::cpu::CpuCurve;
use crate::cpu::field::Field;
use crate::cpu::scalar::{Signed, signed_windows};

/// The multiples d 2^(w j) P for 1 <= d <= 2^(w-1) and every window j.
pub struct Comb<C: CpuCurve> {
    pub(in crate::cpu) window: u32,
    /// The entry for window j and digit d is at `j << (w-1) | (d-1)`.
    pub(in crate::cpu) entries: Vec<Entry<C::Base>>,
}

/// One product of a sum: a scalar and the table of its point.
pub type Product<'a, C> = (&'a Comb<C>, &'a <C as CpuCurve>::Scalar);

/// u1[i] G, by G's table.
pub type BaseTerm<'a, C> = (&'a Comb<C>, &'a [<C as CpuCurve>::Scalar]);

impl<C: CpuCurve> Comb<C> {
    /// Size of a table.
    pub fn bytes(window: u32) -> usize {
        (Self::windows(window) << (window - 1)) * size_of::<Entry<C::Base>>()
    }

    /// Entries that one product sums up.
    pub fn windows(window: u32) -> usize {
        256usize.div_ceil(window as usize)
    }

    /// Terms of a product with this table.
    pub fn terms(&self) -> usize {
        Self::windows(self.window)
    }

    /// Appends the digits of a scalar, one per term of its product. The entries that they select are fetched meanwhile:
    /// the large table does not fit a core's caches.
    pub fn recode(&self, scalar: &C::Scalar, digits: &mut Vec<i32>) {
        // As the recoding needs it.
        let Signed { negative, magnitude } = Signed::shorter(scalar);
        signed_windows(&magnitude, self.window, |index, digit| {
            let digit = if negative { -digit } else { digit };
            if digit != 0 {
                affine::prefetch(&self.entries[self.position(index, digit)]);
            }
            digits.push(digit);
        });
    }

    /// The term for a digit that `recode` gave.
    pub fn term(&self, index: usize, digit: i32) -> Affine<C::Base> {
        if digit == 0 {
            return Affine::IDENTITY;
        }
        let entry = self.entry(index, digit);
        let (x, y) = (entry.x(), entry.y());
        // The sign is random: a choice by address costs less than a branch that is wrong every other time.
        Affine::new(x, [y, y.neg()][usize::from(digit < 0)])
    }

    /// The table entry for a digit that `recode` gave, apart from its sign; any entry for 0.
    pub fn entry(&self, index: usize, digit: i32) -> &Entry<C::Base> {
        &self.entries[self.position(index, if digit == 0 { 1 } else { digit })]
    }

    fn position(&self, index: usize, digit: i32) -> usize {
        index << (self.window - 1) | (digit.unsigned_abs() as usize - 1)
    }
}
