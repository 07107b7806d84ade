//! Numbers modulo the order of the base point, an odd number below 2^256. **Constant-time**: the
//! scalars of keys and nonces are secret.

use crate::cpu::field::limbs::{self, Limbs};
use crate::cpu::field::moduli::Modulus;
use crate::cpu::field::montgomery::{General, Shape};
use core::hint::black_box;
use core::marker::PhantomData;
use zeroize::{Zeroize, Zeroizing};

/// A number below the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroize)]
#[zeroize(bound = "")]
pub struct Scalar<M>(Limbs, PhantomData<M>);

impl<M: Modulus> Scalar<M> {
    pub const ZERO: Self = Scalar(limbs::ZERO, PhantomData);

    /// Decodes 32 little-endian bytes, or returns `None` if the number is not below the order.
    pub fn from_le_bytes(bytes: &[u8; 32]) -> Option<Self> {
        let value = limbs::from_le_bytes(bytes);
        let (_, is_below) = limbs::sub(&value, &M::M);
        is_below.then_some(Scalar(value, PhantomData))
    }

    /// Decodes a private key: 32 little-endian bytes of a number from 1 to the order minus 1. The
    /// only branches are on whether it is one.
    pub fn key_from_le_bytes(bytes: &[u8; 32]) -> Option<Self> {
        Self::from_le_bytes(bytes).filter(|key| !key.is_zero())
    }

    /// Decodes 32 little-endian bytes modulo the order.
    pub fn from_le_bytes_reduced(bytes: &[u8; 32]) -> Self {
        Self::reduce(&limbs::from_le_bytes(bytes))
    }

    /// Makes a scalar from a number below the order.
    pub fn from_limbs(value: Limbs) -> Self {
        debug_assert!(limbs::sub(&value, &M::M).1);
        Scalar(value, PhantomData)
    }

    /// Decodes 64 little-endian bytes modulo the order.
    pub fn from_le_bytes_wide(bytes: &[u8; 64]) -> Self {
        let [low, high] = [0, 32]
            .map(|start| limbs::from_le_bytes(bytes[start..].first_chunk().expect("32 bytes")));
        // high R^2 / R = 2^256 high.
        let high = Scalar(montgomery::<M>(&high, &M::R2), PhantomData);
        Self::reduce(&low).add(&high)
    }

    pub fn to_le_bytes(self) -> [u8; 32] {
        limbs::to_le_bytes(&self.0)
    }

    pub fn limbs(&self) -> &Limbs {
        &self.0
    }

    /// Returns `true` for zero.
    pub fn is_zero(&self) -> bool {
        self.0.iter().fold(0, |bits, limb| bits | limb) == 0
    }

    /// Computes value R / R.
    fn reduce(value: &Limbs) -> Self {
        Scalar(montgomery::<M>(value, &M::R), PhantomData)
    }

    pub fn add(&self, rhs: &Self) -> Self {
        let (sum, carry) = limbs::add(&self.0, &rhs.0);
        Scalar(subtract_once::<M>(&sum, carry), PhantomData)
    }

    pub fn sub(&self, rhs: &Self) -> Self {
        let (difference, borrow) = limbs::sub(&self.0, &rhs.0);
        // Hides that there are two masks, between which a compiler might branch.
        let is_negative = black_box(u64::from(borrow).wrapping_neg());
        let (sum, _) = limbs::add(&difference, &M::M.map(|limb| limb & is_negative));
        Scalar(sum, PhantomData)
    }

    /// Returns self / 2.
    pub fn half(&self) -> Self {
        // self or self + n, whichever is even. Hides that there are two masks, between which a
        // compiler might branch.
        let is_odd = black_box((self.0[0] & 1).wrapping_neg());
        let (sum, carry) = limbs::add(&self.0, &M::M.map(|limb| limb & is_odd));
        let above = |limb: usize| sum.get(limb + 1).map_or(u64::from(carry), |limb| *limb) << 63;
        Scalar(
            std::array::from_fn(|limb| sum[limb] >> 1 | above(limb)),
            PhantomData,
        )
    }

    pub fn mul(&self, rhs: &Self) -> Self {
        let factor = montgomery::<M>(&self.0, &M::R2);
        Scalar(montgomery::<M>(&factor, &rhs.0), PhantomData)
    }

    /// Returns the inverse, or 0 for 0. The order has to be prime.
    fn invert(&self) -> Self {
        let (exponent, _) = limbs::sub(&M::M, &[2, 0, 0, 0]);
        let mut power = Scalar([1, 0, 0, 0], PhantomData);
        for bit in (0..256).rev() {
            power = power.mul(&power);
            // The exponent is public.
            if exponent[bit / 64] >> (bit % 64) & 1 == 1 {
                power = power.mul(self);
            }
        }
        power
    }
}

/// Replaces scalars, of which none is zero, by their inverses modulo the order, a prime, with
/// Montgomery's trick.
pub fn invert_all<M: Modulus>(scalars: &mut [Scalar<M>]) {
    // Allocated once: growing the vector would leave its old contents in freed memory.
    let mut products = Zeroizing::new(Vec::with_capacity(scalars.len()));
    let mut product = Scalar([1, 0, 0, 0], PhantomData);
    for scalar in &*scalars {
        products.push(product);
        product = product.mul(scalar);
    }
    let mut suffix = product.invert();
    for (scalar, product) in scalars.iter_mut().zip(products.iter()).rev() {
        let inverse = suffix.mul(product);
        suffix = suffix.mul(scalar);
        *scalar = inverse;
    }
}

/// Computes a b / R modulo m, with R = 2^256, for b < m and any a.
fn montgomery<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
    let (low, high) = limbs::mul_wide(a, b);
    // (low + k m) / R is at most m, and high at most m - 1: their sum is below 2m.
    let t = (0..4).fold(low, |t, _| General::reduce_limb::<M>(&t));
    let (sum, carry) = limbs::add(&t, &high);
    subtract_once::<M>(&sum, carry)
}

/// Reduces value + 2^256 carry, a number below 2m, modulo m.
fn subtract_once<M: Modulus>(value: &Limbs, carry: bool) -> Limbs {
    let (difference, borrow) = limbs::sub(value, &M::M);
    let stays = 0u64.wrapping_sub(u64::from(borrow & !carry));
    std::array::from_fn(|i| difference[i] ^ (stays & (difference[i] ^ value[i])))
}
