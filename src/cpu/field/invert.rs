//! Variable-time inversion modulo an odd prime with division steps (D. J. Bernstein and B.-Y. Yang,
//! "Fast constant-time gcd computation and modular inversion", 2019, <https://gcd.cr.yp.to>).
//!
//! A division step maps (delta, f, g), f odd, to (1 - delta, g, (g - f) / 2) if delta > 0 and g is
//! odd, and to (1 + delta, f, (g + (g mod 2) f) / 2) otherwise. From (1, m, x) it leads to g = 0
//! and f = +-gcd(m, x). Which steps are taken depends on the low bits only, so 62 of them are
//! computed on single words, as one matrix, which is then applied to the long numbers f and g, and,
//! modulo m, to d and e with f = d x and g = e x.

use super::limbs::{self, Limbs};

/// Division steps per matrix, and bits per limb of the long numbers. With 62 the entries of the
/// matrix still fit a word, and the products of an entry and a limb can be summed in double words.
const STEP: u32 = 62;
const LIMB_MASK: u64 = (1 << STEP) - 1;

/// The sum of `0[i]` 2^(62 i). All limbs but the highest are in 0..2^62; the highest one has the
/// sign.
#[derive(Clone, Copy)]
struct Signed62([i64; 5]);

/// The effect of 62 division steps, times 2^62: f' = (u f + v g) / 2^62 and g' = (q f + r g) /
/// 2^62. Each row satisfies |u| + |v| <= 2^62, since each step at most doubles that sum.
struct Matrix {
    u: i64,
    v: i64,
    q: i64,
    r: i64,
}

/// Inversion modulo one prime m between 2^255 and 2^256.
pub(super) struct Inverter {
    modulus: Signed62,
    /// The number m^-1 mod 2^62.
    inverse: u64,
}

impl Inverter {
    pub(super) const fn new(modulus: &Limbs, inverse_62: u64) -> Self {
        Inverter {
            modulus: Signed62::from_limbs(modulus),
            inverse: inverse_62,
        }
    }

    /// Returns the inverse of `value`, which is below m, or `None` for zero.
    pub(super) fn invert_var(&self, value: &Limbs) -> Option<Limbs> {
        if *value == limbs::ZERO {
            return None;
        }
        let mut d = Signed62([0; 5]);
        let mut e = Signed62([1, 0, 0, 0, 0]);
        let mut f = self.modulus;
        let mut g = Signed62::from_limbs(value);
        let mut delta = 1;
        while g.0 != [0; 5] {
            let matrix = division_steps(&mut delta, f.0[0] as u64, g.0[0] as u64);
            (d, e) = self.apply_modulo(&matrix, &d, &e);
            (f, g) = apply(&matrix, &f, &g);
        }
        // f = d x mod m is now 1 or -1, and d is in (-2m, m).
        Some(self.normalize(&d, f.is_negative()).to_limbs())
    }

    /// Applies the matrix to (d, e) modulo m. Both are in (-2m, m) before and after.
    fn apply_modulo(&self, matrix: &Matrix, d: &Signed62, e: &Signed62) -> (Signed62, Signed62) {
        (
            self.combine_modulo(matrix.u, matrix.v, d, e),
            self.combine_modulo(matrix.q, matrix.r, d, e),
        )
    }

    /// Computes (a d + b e + k m) / 2^62 with a k that makes the division exact. With m added to
    /// negative ones, d and e are in (-m, m), and a d + b e is in (-2^62 m, 2^62 m); a correction
    /// by k' in (-2^62, 0] then leads to (-2m, m).
    #[inline(always)]
    fn combine_modulo(&self, a: i64, b: i64, d: &Signed62, e: &Signed62) -> Signed62 {
        let Signed62(m) = &self.modulus;
        let lifts = (a & d.sign_mask()) + (b & e.sign_mask());
        let low = (a as u64)
            .wrapping_mul(d.0[0] as u64)
            .wrapping_add((b as u64).wrapping_mul(e.0[0] as u64));
        let correction =
            (self.inverse.wrapping_mul(low).wrapping_add(lifts as u64) & LIMB_MASK) as i64;
        let k = lifts - correction;
        divide_columns(|i| wide(a, d.0[i]) + wide(b, e.0[i]) + wide(k, m[i]))
    }

    /// Returns the residue in 0..m of `value`, which is in (-2m, m), or of its negative.
    fn normalize(&self, value: &Signed62, negate: bool) -> Signed62 {
        let lifted = value.plus_if_negative(&self.modulus);
        let signed = if negate {
            Signed62(lifted.0.map(|limb| -limb)).carried()
        } else {
            lifted
        };
        signed.plus_if_negative(&self.modulus)
    }
}

/// Applies the matrix to (f, g). The numbers do not grow: |f'| and |g'| are at most max(|f|, |g|).
fn apply(matrix: &Matrix, f: &Signed62, g: &Signed62) -> (Signed62, Signed62) {
    let row = |a, b| divide_columns(|i| wide(a, f.0[i]) + wide(b, g.0[i]));
    (row(matrix.u, matrix.v), row(matrix.q, matrix.r))
}

/// Returns the number with the given columns, a multiple of 2^62, divided by 2^62. A column is
/// below 2^62 2^62 + 2^63 2^62 in absolute value, so adding the carry cannot overflow.
#[inline(always)]
fn divide_columns(column: impl Fn(usize) -> i128) -> Signed62 {
    let mut quotient = [0; 5];
    let mut carry = column(0) >> STEP;
    for i in 1..5 {
        carry += column(i);
        quotient[i - 1] = (carry as u64 & LIMB_MASK) as i64;
        carry >>= STEP;
    }
    quotient[4] = carry as i64;
    Signed62(quotient)
}

#[inline(always)]
fn wide(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}

/// Performs 62 division steps on the low words of f and g.
fn division_steps(delta: &mut i64, mut f: u64, mut g: u64) -> Matrix {
    let mut u = 1u64;
    let mut v = 0u64;
    let mut q = 0u64;
    let mut r = 1u64;
    let mut remaining = STEP;
    // Invariant: with i = 62 - remaining steps done, u f0 + v g0 = 2^i f and q f0 + r g0 = 2^i g
    // modulo 2^64.
    loop {
        // For an even g the step halves g. The bits above `remaining` limit the count.
        let zeros = (g | u64::MAX << remaining).trailing_zeros();
        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        *delta += i64::from(zeros);
        remaining -= zeros;
        if remaining == 0 {
            return Matrix {
                u: u as i64,
                v: v as i64,
                q: q as i64,
                r: r as i64,
            };
        }
        if *delta > 0 {
            *delta = -*delta;
            (f, g) = (g, f.wrapping_neg());
            (u, q) = (q, u.wrapping_neg());
            (v, r) = (r, v.wrapping_neg());
        }
        // The next 1 - delta steps keep f and add it to g whenever g is odd; in total they add the
        // multiple of f that clears `bits` bits of g. f (2 - f^2) is f^-1 modulo 2^6, since f^2 = 1
        // mod 8.
        let bits = (1 - *delta).min(i64::from(remaining)).min(6);
        let clearing = f
            .wrapping_mul(g)
            .wrapping_mul(f.wrapping_mul(f).wrapping_sub(2))
            & ((1 << bits) - 1);
        g = g.wrapping_add(f.wrapping_mul(clearing));
        q = q.wrapping_add(u.wrapping_mul(clearing));
        r = r.wrapping_add(v.wrapping_mul(clearing));
    }
}

impl Signed62 {
    const fn from_limbs(x: &Limbs) -> Self {
        Signed62([
            (x[0] & LIMB_MASK) as i64,
            ((x[0] >> 62 | x[1] << 2) & LIMB_MASK) as i64,
            ((x[1] >> 60 | x[2] << 4) & LIMB_MASK) as i64,
            ((x[2] >> 58 | x[3] << 6) & LIMB_MASK) as i64,
            (x[3] >> 56) as i64,
        ])
    }

    /// Returns the limbs of a value in 0..2^256.
    fn to_limbs(self) -> Limbs {
        let [x0, x1, x2, x3, x4] = self.0.map(|limb| limb as u64);
        [
            x0 | x1 << 62,
            x1 >> 2 | x2 << 60,
            x2 >> 4 | x3 << 58,
            x3 >> 6 | x4 << 56,
        ]
    }

    fn is_negative(&self) -> bool {
        self.0[4] < 0
    }

    /// Returns all ones if negative, else zero.
    #[inline(always)]
    fn sign_mask(&self) -> i64 {
        self.0[4] >> 63
    }

    fn plus_if_negative(&self, other: &Signed62) -> Signed62 {
        let mask = self.sign_mask();
        Signed62(core::array::from_fn(|i| self.0[i] + (mask & other.0[i]))).carried()
    }

    /// Carries limbs of less than 63 bits back into range.
    fn carried(mut self) -> Self {
        for i in 0..4 {
            self.0[i + 1] += self.0[i] >> STEP;
            self.0[i] &= LIMB_MASK as i64;
        }
        self
    }
}
