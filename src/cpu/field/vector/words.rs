//! Vectors of eight 64-bit words, one per lane: the instructions that the engine uses, as safe
//! functions.

use core::arch::x86_64::*;

/// A proof that the processor has the instructions of this module.
#[derive(Clone, Copy, Debug)]
pub struct Lanes(());

impl Lanes {
    /// Returns `None` if an instruction is missing.
    pub fn detect() -> Option<Self> {
        let found = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512ifma")
            && is_x86_feature_detected!("avx512vbmi2");
        found.then_some(Lanes(()))
    }
}

/// The number of lanes of a vector.
pub const LANES: usize = 8;

/// A set of lanes, one bit each.
pub type Mask = u8;

/// One word per lane. Values are created from a `Lanes` or from other values, so the instructions
/// exist wherever a value does.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Words(__m512i);

/// Defines methods whose body is a single instruction.
macro_rules! instructions {
    ($($(#[$doc:meta])* fn $name:ident $(<const $n:ident: $t:ty>)? ($($argument:ident),*) = $intrinsic:ident;)*) => {
        impl Words {
            $(
                $(#[$doc])*
                #[inline(always)]
                pub fn $name $(<const $n: $t>)? ($($argument: Self),*) -> Self {
                    // SAFETY: the instruction exists, as a value of this type does.
                    Words(unsafe { $intrinsic $(::<$n>)? ($($argument.0),*) })
                }
            )*
        }
    };
}

instructions! {
    /// self + b modulo 2^64.
    fn add(self, b) = _mm512_add_epi64;
    /// self - b modulo 2^64.
    fn sub(self, b) = _mm512_sub_epi64;
    /// self AND b.
    fn and(self, b) = _mm512_and_si512;
    /// self OR b.
    fn or(self, b) = _mm512_or_si512;
    /// The product of the low halves, as signed numbers.
    fn mul_signed_32(self, b) = _mm512_mul_epi32;
    /// self / 2^N, rounded down, of an unsigned number.
    fn shr<const N: u32>(self) = _mm512_srli_epi64;
    /// self / 2^N, rounded down, of a signed number.
    fn sar<const N: u32>(self) = _mm512_srai_epi64;
    /// 2^N self modulo 2^64.
    fn shl<const N: u32>(self) = _mm512_slli_epi64;
    /// (self + 2^64 b) / 2^N modulo 2^64.
    fn shr_wide<const N: i32>(self, b) = _mm512_shrdi_epi64;
    /// self + a b mod 2^52, of the low 52 bits of a and b.
    fn mul_add_low(self, a, b) = _mm512_madd52lo_epu64;
    /// self + a b / 2^52, rounded down, of the low 52 bits of a and b.
    fn mul_add_high(self, a, b) = _mm512_madd52hi_epu64;
    /// 2^N self modulo 2^64 - 1: the word rotated.
    fn rotate_left<const N: i32>(self) = _mm512_rol_epi64;
    /// self XOR b.
    fn xor(self, b) = _mm512_xor_si512;
    /// Each bit is the one that the table has at 4 self + 2 b + c.
    fn by_table<const TABLE: i32>(self, b, c) = _mm512_ternarylogic_epi64;
    fn unpack_low(self, b) = _mm512_unpacklo_epi64;
    fn unpack_high(self, b) = _mm512_unpackhi_epi64;
    fn shuffle_quarters<const PATTERN: i32>(self, b) = _mm512_shuffle_i64x2;
}

impl Words {
    /// Returns a vector with the same word in every lane.
    #[inline(always)]
    pub fn splat(_: Lanes, word: u64) -> Self {
        // SAFETY: a `Lanes` proves that the instruction exists.
        Words(unsafe { _mm512_set1_epi64(word as i64) })
    }

    /// Returns a vector with the same word in every lane.
    #[inline(always)]
    pub fn all(self, word: u64) -> Self {
        Self::splat(Lanes(()), word)
    }

    /// Loads one word per lane.
    #[inline(always)]
    pub fn load(_: Lanes, words: &[u64; 8]) -> Self {
        // SAFETY: the load reads the 64 bytes of `words` and needs no alignment; a `Lanes` proves
        // that it exists.
        Words(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
    }

    /// Loads one word per lane, each from eight little-endian bytes.
    #[inline(always)]
    pub fn load_bytes(_: Lanes, bytes: &[u8; 64]) -> Self {
        // SAFETY: the load reads the 64 bytes and needs no alignment; a `Lanes` proves that it
        // exists.
        Words(unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) })
    }

    /// Stores the words of the lanes.
    #[inline(always)]
    pub fn store(self, words: &mut [u64; 8]) {
        // SAFETY: the store writes the 64 bytes of `words` and needs no alignment; it exists, as
        // this value does.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
    }

    /// Returns the lanes of `other` where the mask is set, and those of `self` elsewhere.
    #[inline(always)]
    pub fn select(self, mask: Mask, other: Self) -> Self {
        // SAFETY: the instruction exists, as a value of this type does.
        Words(unsafe { _mm512_mask_mov_epi64(self.0, mask, other.0) })
    }

    /// Returns `a - b` where the mask is set, and `self` elsewhere.
    #[inline(always)]
    pub fn select_difference(self, mask: Mask, a: Self, b: Self) -> Self {
        // SAFETY: the instruction exists, as a value of this type does.
        Words(unsafe { _mm512_mask_sub_epi64(self.0, mask, a.0, b.0) })
    }

    /// Returns the lanes that are zero.
    #[inline(always)]
    pub fn zeros(self) -> Mask {
        // SAFETY: the instruction exists, as a value of this type does.
        unsafe { _mm512_testn_epi64_mask(self.0, self.0) }
    }

    /// Returns the lanes that are equal in both.
    #[inline(always)]
    pub fn equals(self, other: Self) -> Mask {
        // SAFETY: the instruction exists, as a value of this type does.
        unsafe { _mm512_cmpeq_epi64_mask(self.0, other.0) }
    }

    /// Selects, for each lane, one of the 16 words of `self` and `other`, by the low 4 bits of the
    /// index.
    #[inline(always)]
    pub fn lookup(self, index: Self, other: Self) -> Self {
        // SAFETY: the instruction exists, as a value of this type does.
        Words(unsafe { _mm512_permutex2var_epi64(self.0, index.0, other.0) })
    }

    /// Returns the lanes that are negative as signed numbers.
    #[inline(always)]
    pub fn negatives(self) -> Mask {
        // SAFETY: the instruction exists, as a value of this type does.
        unsafe { _mm512_cmplt_epi64_mask(self.0, _mm512_setzero_si512()) }
    }
}

/// Transposes rows: word j of lane i becomes word i of lane j.
#[inline(always)]
pub fn transpose(rows: [Words; 8]) -> [Words; 8] {
    let [a, b, c, d, e, f, g, h] = rows;
    // Pairs of rows: quarter q holds columns 2q (low) or 2q + 1 (high).
    let ab = a.unpack_low(b);
    let cd = c.unpack_low(d);
    let ef = e.unpack_low(f);
    let gh = g.unpack_low(h);
    let [c0, c2, c4, c6] = transpose_quarters([ab, cd, ef, gh]);
    let ab = a.unpack_high(b);
    let cd = c.unpack_high(d);
    let ef = e.unpack_high(f);
    let gh = g.unpack_high(h);
    let [c1, c3, c5, c7] = transpose_quarters([ab, cd, ef, gh]);
    [c0, c1, c2, c3, c4, c5, c6, c7]
}

/// Transposes quarters of 128 bits.
#[inline(always)]
fn transpose_quarters([a, b, c, d]: [Words; 4]) -> [Words; 4] {
    // Even quarters (0 and 2) and odd ones (1 and 3) of two rows each.
    let ab_even = a.shuffle_quarters::<0b10_00_10_00>(b);
    let ab_odd = a.shuffle_quarters::<0b11_01_11_01>(b);
    let cd_even = c.shuffle_quarters::<0b10_00_10_00>(d);
    let cd_odd = c.shuffle_quarters::<0b11_01_11_01>(d);
    [
        ab_even.shuffle_quarters::<0b10_00_10_00>(cd_even),
        ab_odd.shuffle_quarters::<0b10_00_10_00>(cd_odd),
        ab_even.shuffle_quarters::<0b11_01_11_01>(cd_even),
        ab_odd.shuffle_quarters::<0b11_01_11_01>(cd_odd),
    ]
}
