//! Arithmetic in the prime fields of the curves: coordinates modulo p and scalars modulo n.
//!
//! All code here is variable-time and for public data only, except sums, differences, halves, the
//! encoding of numbers, and functions whose names end in `_uniform`. Values are canonical: each
//! element has one representation, so equality compares limbs and callers need not normalise.
//!
//! | field | representation | reduction |
//! |---|---|---|
//! | p of secp256k1 | plain | fold of the high half times 2^32 + 977 |
//! | p of P-256 and SM2 | Montgomery, R = 2^256 | steps of 64 bits that use the shape of p |
//! | any other p, n of every curve | Montgomery, R = 2^256 | the general step |
//!
//! Products are plain Rust: mulx, adcx and adox in assembly were measured to gain 0 to 13 %.
//! Modular addition, subtraction and halving are assembly on x86-64, of baseline instructions, so
//! that nothing has to be chosen at run time.

mod invert;
pub mod limbs;
#[cfg(any(test, not(target_arch = "x86_64"), miri))]
mod modular_portable;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod modular_x86_64;
pub mod moduli;
pub mod montgomery;
pub mod p256;
pub mod secp256k1;
pub mod sm2;
// `--cfg gecc_no_avx512` omits the vector code on x86-64 too, so that its replacement can be
// compiled and tested there.
#[cfg(all(target_arch = "x86_64", not(gecc_no_avx512)))]
pub mod vector;
#[cfg(any(gecc_no_avx512, not(target_arch = "x86_64")))]
#[path = "vector_absent.rs"]
pub mod vector;

#[cfg(test)]
mod ark;
#[cfg(test)]
pub mod random;
#[cfg(test)]
mod tests;

#[cfg(any(not(target_arch = "x86_64"), miri))]
use modular_portable as modular;
#[cfg(all(target_arch = "x86_64", not(miri)))]
use modular_x86_64 as modular;
use vector::Prime;

/// A field modulo 2^256 - c, where c is slightly above 2^32.
pub type Fold<M> = secp256k1::Element<M>;
/// The coordinate field of P-256.
pub type MontgomeryP256<M> = montgomery::Element<M, p256::Prime>;
/// The coordinate field of SM2.
pub type MontgomerySm2<M> = montgomery::Element<M, sm2::Prime>;
/// A field with any modulus.
pub type Montgomery<M> = montgomery::Element<M>;

/// A prime field of 256 bits.
pub trait Field: Copy + core::fmt::Debug + PartialEq + Eq + Send + Sync + 'static {
    /// The neutral element of addition.
    const ZERO: Self;
    /// The neutral element of multiplication.
    const ONE: Self;

    /// Decodes an element, or returns `None` if the bytes encode the modulus or more.
    fn from_be_bytes(bytes: &[u8; 32]) -> Option<Self>;
    /// Decodes a number and reduces it modulo the modulus.
    fn from_be_bytes_reduced(bytes: &[u8; 32]) -> Self;
    /// Encodes the canonical value.
    fn to_be_bytes(&self) -> [u8; 32];

    /// self + rhs.
    fn add(&self, rhs: &Self) -> Self;
    /// self - rhs.
    fn sub(&self, rhs: &Self) -> Self;
    /// -self.
    #[inline(always)]
    fn neg(&self) -> Self {
        Self::ZERO.sub(self)
    }
    /// 2 self.
    #[inline(always)]
    fn double(&self) -> Self {
        self.add(self)
    }
    /// self / 2.
    fn half(&self) -> Self;
    /// self rhs.
    fn mul(&self, rhs: &Self) -> Self;
    /// self^2.
    fn square(&self) -> Self;
    /// self rhs - c d, reduced once.
    fn mul_sub_mul(&self, rhs: &Self, c: &Self, d: &Self) -> Self;
    /// self rhs - c^2, reduced once.
    fn mul_sub_square(&self, rhs: &Self, c: &Self) -> Self;

    /// Returns `true` if this is zero.
    #[inline(always)]
    fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }
    /// Returns `true` if the canonical value is odd.
    fn is_odd(&self) -> bool;

    /// Returns the inverse, or `None` for zero. Variable-time.
    fn invert_var(&self) -> Option<Self>;

    /// self^(2^count). Not inlined: the code of a square is long, so there is one loop per field
    /// instead of one per use.
    #[inline(never)]
    fn square_times(&self, count: u32) -> Self {
        (0..count).fold(*self, |power, _| power.square())
    }
}

/// A value for chains of squarings and multiplications: one element, or several in lockstep.
pub trait Power: Copy {
    /// self other.
    fn times(&self, other: &Self) -> Self;
    /// self^(2^count).
    fn squared(&self, count: u32) -> Self;
}

impl<F: Field> Power for F {
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        self.mul(other)
    }

    #[inline(always)]
    fn squared(&self, count: u32) -> Self {
        self.square_times(count)
    }
}

/// A field whose modulus p is 3 modulo 4, as are all coordinate fields.
pub trait BaseField: Field {
    /// self^((p + 1) / 4), whose square is self or -self.
    fn sqrt_candidate(&self) -> Self;

    /// Returns a square root, or `None` if there is none. Variable-time.
    #[inline]
    fn sqrt_var(&self) -> Option<Self> {
        let root = self.sqrt_candidate();
        (root.square() == *self).then_some(root)
    }
}

/// The steps of an addition chain: square the last power `.0` times, then multiply by an earlier
/// power. Index 0 is the base, index i the result of step i.
pub type SqrtChain = &'static [(u32, Option<usize>)];

/// The field of a curve's coordinates, in this representation and in that of the vector code.
pub trait Coordinate: Field + Prime {
    /// The modulus p.
    const MODULUS: [u64; 4];
    /// The addition chain for the power (p + 1) / 4.
    const SQRT_CHAIN: SqrtChain;

    /// Returns the representation, a number below p: see the top of this module.
    fn stored(&self) -> [u64; 4];
    /// Returns the element with this representation, which must be below p.
    fn from_stored(limbs: [u64; 4]) -> Self;

    /// self rhs in constant time.
    #[inline(always)]
    fn mul_uniform(&self, rhs: &Self) -> Self {
        self.mul(rhs)
    }

    /// self^2 in constant time.
    #[inline(always)]
    fn square_uniform(&self) -> Self {
        self.square()
    }

    /// self rhs - c d in constant time.
    #[inline(always)]
    fn mul_sub_mul_uniform(&self, rhs: &Self, c: &Self, d: &Self) -> Self {
        self.mul_sub_mul(rhs, c, d)
    }

    /// self rhs - c^2 in constant time.
    #[inline(always)]
    fn mul_sub_square_uniform(&self, rhs: &Self, c: &Self) -> Self {
        self.mul_sub_square(rhs, c)
    }

    /// base^((p + 1) / 4).
    #[inline(always)]
    fn root_chain<P: Power>(base: &P) -> P {
        let mut powers = Vec::with_capacity(Self::SQRT_CHAIN.len() + 1);
        let mut last = *base;
        for &(squarings, factor) in Self::SQRT_CHAIN {
            powers.push(last);
            last = last.squared(squarings);
            if let Some(factor) = factor {
                last = last.times(&powers[factor]);
            }
        }
        last
    }
}

impl<F: Coordinate> BaseField for F {
    fn sqrt_candidate(&self) -> Self {
        Self::root_chain(self)
    }
}
