//! 256-bit integers as four 64-bit limbs, least significant first: bytes, carry chains and wide
//! products.

/// Four limbs, the least significant first.
pub type Limbs = [u64; 4];

/// Zero.
pub const ZERO: Limbs = [0; 4];

/// Decodes 32 big-endian bytes.
#[inline]
pub fn from_be_bytes(bytes: &[u8; 32]) -> Limbs {
    let mut limbs = ZERO;
    for (limb, chunk) in limbs.iter_mut().rev().zip(bytes.as_chunks().0) {
        *limb = u64::from_be_bytes(*chunk);
    }
    limbs
}

/// Encodes a number as 32 big-endian bytes.
#[inline]
pub fn to_be_bytes(limbs: &Limbs) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (limb, chunk) in limbs.iter().rev().zip(bytes.as_chunks_mut().0) {
        *chunk = limb.to_be_bytes();
    }
    bytes
}

/// Reads limbs from little-endian bytes.
#[inline]
pub fn from_le_bytes(bytes: &[u8; 32]) -> Limbs {
    let mut limbs = ZERO;
    for (limb, chunk) in limbs.iter_mut().zip(bytes.as_chunks().0) {
        *limb = u64::from_le_bytes(*chunk);
    }
    limbs
}

/// Writes limbs as little-endian bytes.
#[inline]
pub fn to_le_bytes(limbs: &Limbs) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (limb, chunk) in limbs.iter().zip(bytes.as_chunks_mut().0) {
        *chunk = limb.to_le_bytes();
    }
    bytes
}

/// Writes a number in hexadecimal.
pub fn write_hex(limbs: &Limbs, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
    write!(
        out,
        "0x{:016x}{:016x}{:016x}{:016x}",
        limbs[3], limbs[2], limbs[1], limbs[0]
    )
}

/// a + b = sum + 2^256 carry.
#[inline(always)]
pub fn add(a: &Limbs, b: &Limbs) -> (Limbs, bool) {
    let (s0, carry) = a[0].overflowing_add(b[0]);
    let (s1, carry) = a[1].carrying_add(b[1], carry);
    let (s2, carry) = a[2].carrying_add(b[2], carry);
    let (s3, carry) = a[3].carrying_add(b[3], carry);
    ([s0, s1, s2, s3], carry)
}

/// a - b = difference - 2^256 borrow.
#[inline(always)]
pub fn sub(a: &Limbs, b: &Limbs) -> (Limbs, bool) {
    let (d0, borrow) = a[0].overflowing_sub(b[0]);
    let (d1, borrow) = a[1].borrowing_sub(b[1], borrow);
    let (d2, borrow) = a[2].borrowing_sub(b[2], borrow);
    let (d3, borrow) = a[3].borrowing_sub(b[3], borrow);
    ([d0, d1, d2, d3], borrow)
}

/// a b as (low, high).
#[inline(always)]
pub fn mul_wide_limb(a: u64, b: u64) -> (u64, u64) {
    a.carrying_mul(b, 0)
}

/// a b as five limbs: at most (2^256 - 1)(2^64 - 1), so the top one cannot overflow.
#[inline(always)]
fn mul_limb(a: &Limbs, b: u64) -> [u64; 5] {
    let (p0, h0) = mul_wide_limb(a[0], b);
    let (p1, h1) = mul_wide_limb(a[1], b);
    let (p2, h2) = mul_wide_limb(a[2], b);
    let (p3, h3) = mul_wide_limb(a[3], b);
    let (p1, carry) = p1.overflowing_add(h0);
    let (p2, carry) = p2.carrying_add(h1, carry);
    let (p3, carry) = p3.carrying_add(h2, carry);
    [p0, p1, p2, p3, h3 + u64::from(carry)]
}

/// accumulator + a b as five limbs: at most 2^256 - 1 + (2^256 - 1)(2^64 - 1) < 2^320.
#[inline(always)]
pub fn mul_limb_add(accumulator: &Limbs, a: &Limbs, b: u64) -> [u64; 5] {
    let [p0, p1, p2, p3, p4] = mul_limb(a, b);
    let ([s0, s1, s2, s3], carry) = add(accumulator, &[p0, p1, p2, p3]);
    [s0, s1, s2, s3, p4 + u64::from(carry)]
}

/// a b as (low half, high half).
#[inline(always)]
pub fn mul_wide(a: &Limbs, b: &Limbs) -> (Limbs, Limbs) {
    let [w0, r0, r1, r2, r3] = mul_limb(a, b[0]);
    let [w1, r0, r1, r2, r3] = mul_limb_add(&[r0, r1, r2, r3], a, b[1]);
    let [w2, r0, r1, r2, r3] = mul_limb_add(&[r0, r1, r2, r3], a, b[2]);
    let [w3, w4, w5, w6, w7] = mul_limb_add(&[r0, r1, r2, r3], a, b[3]);
    ([w0, w1, w2, w3], [w4, w5, w6, w7])
}

/// a^2 as (low half, high half): the squares on the diagonal plus twice the products above it.
/// These are added twice instead of doubled first, because the compiler would use double-precision
/// shifts, which are slow on AMD processors.
#[inline(always)]
pub fn square_wide(a: &Limbs) -> (Limbs, Limbs) {
    let above = products_above_diagonal(a);
    let (q0, q1) = mul_wide_limb(a[0], a[0]);
    let (q2, q3) = mul_wide_limb(a[1], a[1]);
    let (q4, q5) = mul_wide_limb(a[2], a[2]);
    let (q6, q7) = mul_wide_limb(a[3], a[3]);
    let [w1, w2, w3, w4, w5, w6, w7] =
        add_six(&add_six(&[q1, q2, q3, q4, q5, q6, q7], &above), &above);
    ([q0, w1, w2, w3], [w4, w5, w6, w7])
}

/// a + b, for a sum below 2^448.
#[inline(always)]
fn add_six(a: &[u64; 7], b: &[u64; 6]) -> [u64; 7] {
    let (s0, carry) = a[0].overflowing_add(b[0]);
    let (s1, carry) = a[1].carrying_add(b[1], carry);
    let (s2, carry) = a[2].carrying_add(b[2], carry);
    let (s3, carry) = a[3].carrying_add(b[3], carry);
    let (s4, carry) = a[4].carrying_add(b[4], carry);
    let (s5, carry) = a[5].carrying_add(b[5], carry);
    [s0, s1, s2, s3, s4, s5, a[6] + u64::from(carry)]
}

/// The sum of a_i a_j 2^(64 (i + j)) over i < j, as the limbs 1 to 6; limb 0 is zero, and the sum
/// is below 2^448.
#[inline(always)]
fn products_above_diagonal(a: &Limbs) -> [u64; 6] {
    // a_0 (a_1, a_2, a_3) at limb 1, and a_1 (a_2, a_3) + a_2 a_3 at limb 3, whose products are
    // adjacent.
    let (p1, h1) = mul_wide_limb(a[0], a[1]);
    let (p2, h2) = mul_wide_limb(a[0], a[2]);
    let (p3, h3) = mul_wide_limb(a[0], a[3]);
    let (p2, carry) = p2.overflowing_add(h1);
    let (p3, carry) = p3.carrying_add(h2, carry);
    let p4 = h3 + u64::from(carry);

    let (q3, h3) = mul_wide_limb(a[1], a[2]);
    let (q4, h4) = mul_wide_limb(a[1], a[3]);
    let (q5, h5) = mul_wide_limb(a[2], a[3]);
    let (q4, carry) = q4.overflowing_add(h3);
    let (q5, carry) = q5.carrying_add(h4, carry);
    let q6 = h5 + u64::from(carry);

    let (x3, carry) = p3.overflowing_add(q3);
    let (x4, carry) = p4.carrying_add(q4, carry);
    let (x5, carry) = q5.overflowing_add(u64::from(carry));
    [p1, p2, x3, x4, x5, q6 + u64::from(carry)]
}
