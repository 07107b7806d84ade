//! Multiplication of a point that is known beforehand: a table of its multiples in every window, so that a product is a
//! sum of table entries and needs no doubling. Serves the base point and public keys that sign many items.

use super::affine::{Affine, Denominators, add_assign};
use super::field::Field;
use super::jacobian::{Jacobian, normalize};
use super::recode::signed_windows;
use super::{CpuCurve, be_bytes_to_limbs};
use rayon::prelude::*;

/// The multiples d 2^(w j) P for 1 <= d <= 2^(w-1) and every window j.
pub struct Comb<C: CpuCurve> {
    window: u32,
    /// The entry for window j and digit d is at `j << (w-1) | (d-1)`.
    entries: Vec<Entry<C::Base>>,
}

/// The coordinates of one multiple, in one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Entry<F> {
    x: F,
    y: F,
}

impl<C: CpuCurve> Comb<C> {
    /// The table of a point that is not the identity.
    pub fn new(point: &Affine<C::Base>, window: u32) -> Self {
        let mut base = Jacobian::from_affine(point);
        let mut bases = Vec::with_capacity(Self::windows(window));
        for _ in 0..Self::windows(window) {
            bases.push(base);
            for _ in 0..window {
                base = base.double::<C>();
            }
        }
        let bases = normalize(&bases);
        // Few windows with many multiples, or many windows with few: either way a batch is long enough to share its
        // inversion, and fits the cache.
        let windows_at_once = (2048 >> window).max(1);
        let tables = bases.par_chunks(windows_at_once).map(|bases| multiples::<C>(bases, 1 << (window - 1)));
        let entries = tables.flatten_iter().collect();
        Comb { window, entries }
    }

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

    /// Appends the digits of a scalar, one per term of its product. The entries that they select are fetched meanwhile: the
    /// large table does not fit a core's caches.
    pub fn recode(&self, scalar: &C::Scalar, digits: &mut Vec<i32>) {
        // k or n - k, whichever is below 2^255, as the recoding needs: n < 2^256.
        let limbs = be_bytes_to_limbs(&scalar.to_be_bytes());
        let negate = limbs[3] >> 63 == 1;
        let limbs = if negate { be_bytes_to_limbs(&scalar.neg().to_be_bytes()) } else { limbs };
        signed_windows(&limbs, self.window, |index, digit| {
            let digit = if negate { -digit } else { digit };
            if digit != 0 {
                prefetch(&self.entries[self.position(index, digit)]);
            }
            digits.push(digit);
        });
    }

    /// The term for a digit that `recode` gave.
    pub fn term(&self, index: usize, digit: i32) -> Affine<C::Base> {
        if digit == 0 {
            return Affine::IDENTITY;
        }
        let Entry { x, y } = self.entries[self.position(index, digit)];
        // The sign is random: a choice by address costs less than a branch that is wrong every other time.
        Affine::new(x, [y, y.neg()][usize::from(digit < 0)])
    }

    fn position(&self, index: usize, digit: i32) -> usize {
        index << (self.window - 1) | (digit.unsigned_abs() as usize - 1)
    }
}

fn prefetch<T>(entry: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint without architectural effect, and SSE is part of every x86-64.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(entry).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = entry;
}

/// For each base the multiples 1..=count in turn; `count` is a power of two.
fn multiples<C: CpuCurve>(bases: &[Affine<C::Base>], count: usize) -> Vec<Entry<C::Base>> {
    let mut denominators = Denominators::new();
    // Row d - 1 holds d times each base. Knowing 1..=m, one batch of additions of m P gives m + 1..=2m.
    let mut rows = bases.to_vec();
    while rows.len() < count * bases.len() {
        let last = rows[rows.len() - bases.len()..].to_vec();
        let mut next = rows.clone();
        let addend: Vec<_> = last.iter().copied().cycle().take(next.len()).collect();
        add_assign::<C>(&mut next, &addend, &mut denominators);
        rows.extend(next);
    }
    let columns = bases.len();
    let entry = |column: usize, row: usize| {
        let point = &rows[row * columns + column];
        // d 2^(w j) P with d < n is never the identity, n being prime.
        debug_assert!(!point.infinity);
        Entry { x: point.x, y: point.y }
    };
    (0..columns).flat_map(|column| (0..count).map(move |row| (column, row))).map(|(c, r)| entry(c, r)).collect()
}
