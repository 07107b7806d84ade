//! The reference implementation for tests: any field of arkworks, wrapped in the traits of this module.
//!
//! It is not suitable for more than that. The multiplication that arkworks 0.6 provides for a
//! handwritten configuration drops the carry out of the top limb: one product in four is wrong for
//! a modulus near 2^256. Its derive macro generates a correct one, but requires the modulus as a
//! literal, and the generated code takes 1.5 times as long as `montgomery`.

use super::moduli::Modulus;
use super::{BaseField, Field};
use ark_ff::{BigInt, BigInteger, Field as _, Fp, MontBackend, MontConfig, PrimeField};
use core::marker::PhantomData;

/// An element of an arkworks field of 256 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArkField<F>(F);

impl<F: PrimeField> Field for ArkField<F> {
    const ZERO: Self = ArkField(F::ZERO);
    const ONE: Self = ArkField(F::ONE);

    fn from_be_bytes(bytes: &[u8; 32]) -> Option<Self> {
        let value = Self::from_be_bytes_reduced(bytes);
        (value.to_be_bytes() == *bytes).then_some(value)
    }

    fn from_be_bytes_reduced(bytes: &[u8; 32]) -> Self {
        ArkField(F::from_be_bytes_mod_order(bytes))
    }

    fn to_be_bytes(&self) -> [u8; 32] {
        self.0
            .into_bigint()
            .to_bytes_be()
            .try_into()
            .expect("32 bytes")
    }

    fn add(&self, rhs: &Self) -> Self {
        ArkField(self.0 + rhs.0)
    }

    fn sub(&self, rhs: &Self) -> Self {
        ArkField(self.0 - rhs.0)
    }

    fn neg(&self) -> Self {
        ArkField(-self.0)
    }

    fn double(&self) -> Self {
        ArkField(self.0.double())
    }

    fn mul(&self, rhs: &Self) -> Self {
        ArkField(self.0 * rhs.0)
    }

    fn square(&self) -> Self {
        ArkField(self.0.square())
    }

    fn half(&self) -> Self {
        ArkField(self.0 / F::from(2u64))
    }

    fn mul_sub_mul(&self, rhs: &Self, c: &Self, d: &Self) -> Self {
        self.mul(rhs).sub(&c.mul(d))
    }

    fn mul_sub_square(&self, rhs: &Self, c: &Self) -> Self {
        self.mul(rhs).sub(&c.square())
    }

    fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    fn is_odd(&self) -> bool {
        self.0.into_bigint().is_odd()
    }

    fn invert_var(&self) -> Option<Self> {
        self.0.inverse().map(ArkField)
    }
}

impl<F: PrimeField> BaseField for ArkField<F> {
    fn sqrt_candidate(&self) -> Self {
        let mut exponent = F::MODULUS;
        exponent >>= 2;
        // p = 3 mod 4, so (p + 1) / 4 = (p >> 2) + 1, which does not carry out of 255 bits.
        exponent.add_with_carry(&F::BigInt::from(1u64));
        ArkField(self.0.pow(exponent))
    }
}

/// Computes the product with squarings, which arkworks computes correctly: a b = ((a + b)^2 - a^2 -
/// b^2) / 2.
fn product<C: MontConfig<4>>(
    a: &Fp<MontBackend<C, 4>, 4>,
    b: &Fp<MontBackend<C, 4>, 4>,
) -> Fp<MontBackend<C, 4>, 4> {
    let mut half = (*a + b).square() - a.square() - b.square();
    // Montgomery form is linear: halving the stored number halves the element.
    let carry = half.0.is_odd() && half.0.add_with_carry(&C::MODULUS);
    half.0.div2();
    half.0.0[3] |= u64::from(carry) << 63;
    half
}

/// A modulus of this crate as a configuration for arkworks.
pub struct Config<M>(PhantomData<M>);

impl<M: Modulus> MontConfig<4> for Config<M> {
    const MODULUS: BigInt<4> = BigInt::new(M::M);
    // These two are needed only for the Fourier transform of arkworks, which is not used here; the
    // values are placeholders.
    const GENERATOR: Fp<MontBackend<Self, 4>, 4> = Fp::ONE;
    const TWO_ADIC_ROOT_OF_UNITY: Fp<MontBackend<Self, 4>, 4> = Fp::ONE;

    fn mul_assign(a: &mut Fp<MontBackend<Self, 4>, 4>, b: &Fp<MontBackend<Self, 4>, 4>) {
        *a = product(a, b);
    }
}

/// The field of a modulus.
pub type Reference<M> = ArkField<Fp<MontBackend<Config<M>, 4>, 4>>;
