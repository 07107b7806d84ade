//! Multiplication of the base point by secret scalars: one entry per window, of tables that are
//! read whole.

use super::element::Mask;
use super::point::{Jacobian, normalize};
use super::table::{Table, multiple};
use crate::cpu::point::affine::{self, Entry};
use crate::cpu::point::jacobian;
use crate::cpu::scalar::windows_of_odd;
use crate::cpu::{CpuCurve, generator};
use crate::host::wiped::Wiped;

/// Bits per window.
const WINDOW: u32 = 6;
/// The number of windows of a scalar of 256 bits.
const WINDOWS: usize = 43;
/// The number of odd multiples per window.
const ENTRIES: usize = 1 << (WINDOW - 1);

/// The odd multiples of the base point times 2^(w j), for every window j: 86 KiB.
pub struct BaseTable<C: CpuCurve> {
    windows: Vec<Table<C::Base, ENTRIES>>,
}

impl<C: CpuCurve> BaseTable<C> {
    /// Computes the table, which is public.
    pub fn new() -> Self {
        let mut power = jacobian::Jacobian::from_affine(&generator::<C>());
        let mut powers = Vec::with_capacity(WINDOWS);
        for _ in 0..WINDOWS {
            powers.push(power);
            power = (0..WINDOW).fold(power, |power, _| power.double::<C>());
        }
        let rows = affine::odd_multiples::<C>(&jacobian::normalize(&powers), ENTRIES);
        let entry = |window: usize, row: usize| Entry::of(&rows[row * WINDOWS + window]);
        let windows = (0..WINDOWS).map(|window| std::array::from_fn(|row| entry(window, row)));
        BaseTable {
            windows: windows.collect(),
        }
    }

    /// Computes scalars[i] G for odd scalars below n, or the negative if `negate[i]` is 1 instead
    /// of 0.
    pub fn mul_base(&self, scalars: &[[u64; 4]], negate: &[u8]) -> Vec<affine::Affine<C::Base>> {
        let mut sums = Wiped::with_capacity(scalars.len());
        for (scalar, negate) in scalars.iter().zip(negate) {
            sums.push(self.sum(scalar, Mask::from_bit(u64::from(*negate))));
        }
        let points = normalize(&sums);
        points
            .iter()
            .map(|point| affine::Affine::new(point.x.0, point.y.0))
            .collect()
    }

    /// Computes the sum of one entry per window, the least significant first.
    ///
    /// An addition meets equal or opposite points only in the last window, where it is complete:
    /// before that, the sum is below 2^(w j) in absolute value, and the entry is an odd multiple of
    /// it.
    fn sum(&self, scalar: &[u64; 4], negate: Mask) -> Jacobian<C::Base> {
        let mut digits = [0; WINDOWS];
        windows_of_odd(scalar, WINDOW, WINDOWS, |window, digit| {
            digits[window] = u64::from(digit);
        });
        let term = |window: usize| multiple(&self.windows[window], digits[window], negate);
        let first = term(0).to_jacobian();
        let sum = (1..WINDOWS - 1).fold(first, |sum, window| sum.add(term(window)));
        sum.add_complete::<C>(term(WINDOWS - 1))
    }
}
