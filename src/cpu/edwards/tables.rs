//! Tables of a point known in advance with its multiples in every window: a product is a sum of
//! entries and needs no doublings. Used for the base point and for keys with many signatures.

use super::curves::*;
use super::field::{Element, invert_all};
use super::point::{Extended, Niels, Projective};
use super::scalar::Scalar;
use crate::cpu::scalar::{signed_windows, uniform_windows};
use crate::host::process::get_or_compute;
use core::hint::black_box;
use core::marker::PhantomData;
use std::sync::OnceLock;
use zeroize::Zeroizing;

/// The multiples d 2^(w j) P for 1 <= d <= 2^(w-1) and every window j.
pub struct Comb<C> {
    window: u32,
    /// The entry for window j and digit d is at `j << (w-1) | (d-1)`.
    entries: Vec<Niels>,
    curve: PhantomData<C>,
}

impl<C: EdwardsCurve> Comb<C> {
    /// Returns the size of a table in bytes.
    pub fn bytes(window: u32) -> usize {
        (Self::windows(window) << (window - 1)) * size_of::<Niels>()
    }

    /// Returns the number of entries in the sum for one product.
    pub fn windows(window: u32) -> usize {
        256usize.div_ceil(window as usize)
    }

    pub fn new(point: &[Element; 2], window: u32) -> Self {
        let count = Self::windows(window) << (window - 1);
        let mut multiples = Vec::with_capacity(count);
        let mut z = Vec::with_capacity(count);
        let mut base = Extended::from_affine(point);
        for _ in 0..Self::windows(window) {
            let step = base.to_niels::<C>();
            let mut multiple = base;
            for d in 0..1 << (window - 1) {
                if d > 0 {
                    multiple = multiple.add(&step).to_extended();
                }
                z.push(multiple.z);
                multiples.push([multiple.x, multiple.y]);
            }
            // The last one is 2^(w-1) times the base.
            base = multiple.double().to_extended();
        }
        invert_all(&mut z);
        let multiples = multiples.iter().zip(&z);
        let entries = multiples
            .map(|([x, y], z)| Niels::from_affine::<C>(&[x.mul(z), y.mul(z)]))
            .collect();
        Comb {
            window,
            entries,
            curve: PhantomData,
        }
    }

    /// Computes sum + k P. Variable-time.
    pub fn add_product_var(&self, mut sum: Extended, k: &Scalar<C::Order>) -> Extended {
        self.recode(k, |window, digit| {
            if digit != 0 {
                let entry = self.entry(window, digit);
                sum = sum
                    .add_affine(&if digit < 0 { entry.neg() } else { *entry })
                    .to_extended();
            }
        });
        sum
    }

    /// Calls `take` with the digits of a scalar, by window.
    pub fn recode(&self, k: &Scalar<C::Order>, take: impl FnMut(usize, i32)) {
        signed_windows(k.limbs(), self.window, take);
    }

    /// Returns the entry for a digit, without its sign; for 0, any entry.
    pub fn entry(&self, window: usize, digit: i32) -> &Niels {
        &self.entries[window << (self.window - 1) | (digit.unsigned_abs().max(1) as usize - 1)]
    }

    /// Returns the number of entries of a product.
    #[cfg_attr(
        any(gecc_no_avx512, not(target_arch = "x86_64")),
        allow(dead_code, reason = "for the lanes")
    )]
    pub fn terms(&self) -> usize {
        Self::windows(self.window)
    }
}

/// Bits per window of the table for secret scalars.
pub(super) const UNIFORM_WINDOW: u32 = 5;
pub(super) const UNIFORM_ENTRIES: usize = 1 << (UNIFORM_WINDOW - 1);
/// The number of windows for orders below 2^253.
pub(super) const UNIFORM_WINDOWS: usize = 51;
/// The twelve words of the entries of a window, grouped by word.
pub(super) type UniformWindow = [[u64; UNIFORM_ENTRIES]; 12];

/// A table for secret scalars, 77 KiB, which every product reads completely.
pub struct Uniform<C> {
    pub(super) windows: Vec<UniformWindow>,
    curve: PhantomData<C>,
}

impl<C: EdwardsCurve> Uniform<C> {
    pub fn new(point: &[Element; 2]) -> Self {
        let comb = Comb::<C>::new(point, UNIFORM_WINDOW);
        let windows: &[[Niels; UNIFORM_ENTRIES]] = comb.entries.as_chunks().0;
        Uniform {
            windows: windows[..UNIFORM_WINDOWS].iter().map(by_words).collect(),
            curve: PhantomData,
        }
    }

    /// Computes k P for each scalar k. **Constant-time.** The caller has to wipe the stack.
    pub fn products(&self, scalars: &[&Scalar<C::Order>]) -> Zeroizing<Vec<Projective>> {
        // The capacity is exact: growing the vector would leave its old contents in freed memory.
        let mut products = Zeroizing::new(Vec::with_capacity(scalars.len()));
        products.extend(scalars.iter().map(|k| self.product(k)));
        products
    }

    fn product(&self, k: &Scalar<C::Order>) -> Projective {
        let mut sum = Extended::IDENTITY;
        uniform_windows(
            k.limbs(),
            UNIFORM_WINDOW,
            UNIFORM_WINDOWS,
            |window, digit| {
                sum = sum
                    .add_affine(&select(&self.windows[window], digit))
                    .to_extended();
            },
        );
        sum.to_projective()
    }
}

fn by_words(entries: &[Niels; UNIFORM_ENTRIES]) -> UniformWindow {
    std::array::from_fn(|word| std::array::from_fn(|entry| entries[entry].words()[word]))
}

/// Tables of the base point, once they are computed.
pub struct Precomputed<C> {
    comb: OnceLock<Comb<C>>,
    uniform: OnceLock<Uniform<C>>,
}

/// A curve with tables of its base point, one set per process.
pub trait BaseTables: EdwardsCurve {
    fn tables() -> &'static Precomputed<Self>;
}

impl BaseTables for Ed25519 {
    fn tables() -> &'static Precomputed<Self> {
        static TABLES: Precomputed<Ed25519> = Precomputed::new();
        &TABLES
    }
}

/// Bits per window of the table for public scalars, which takes 384 KiB.
const BASE_WINDOW: u32 = 8;

impl<C: EdwardsCurve> Precomputed<C> {
    pub const fn new() -> Self {
        Precomputed {
            comb: OnceLock::new(),
            uniform: OnceLock::new(),
        }
    }

    /// Returns the table for public scalars.
    pub fn comb(&self) -> &Comb<C> {
        get_or_compute(&self.comb, || Comb::new(&C::G, BASE_WINDOW))
    }

    /// Makes all calls use tables of this point instead of the base point.
    #[cfg(test)]
    pub fn serve(&self, point: [Element; 2]) {
        get_or_compute(&self.comb, || Comb::new(&point, BASE_WINDOW));
    }

    /// Returns the table for secret scalars.
    pub fn uniform(&self) -> &Uniform<C> {
        get_or_compute(&self.uniform, || Uniform::new(&C::G))
    }
}

/// Returns the multiple for a digit, in constant time.
#[inline(always)]
fn select(entries: &UniformWindow, digit: i32) -> Niels {
    // The compiler must not know anything about the digit: if it knows the possible values of a
    // mask, it may generate branches.
    let (sign, absolute) = black_box((digit.cast_unsigned() >> 31, digit.unsigned_abs()));
    let masks: [u64; UNIFORM_ENTRIES] =
        std::array::from_fn(|entry| mask((absolute ^ (entry as u32 + 1)).wrapping_sub(1) >> 31));
    let mut words = entries.map(|entries| {
        entries
            .iter()
            .zip(&masks)
            .fold(0, |word, (entry, mask)| word | entry & mask)
    });
    // All words are 0 if the digit is. The sum and the difference of the identity are 1.
    let is_zero = u64::from(absolute.wrapping_sub(1) >> 31);
    words[0] |= is_zero;
    words[4] |= is_zero;
    let mut selected = Niels::from_words(&words);
    let negated = selected.neg();
    selected.assign_masked(&negated, mask(sign));
    selected
}

/// Returns all ones for 1, and 0 for 0.
#[inline(always)]
fn mask(bit: u32) -> u64 {
    0u64.wrapping_sub(bit.into())
}
