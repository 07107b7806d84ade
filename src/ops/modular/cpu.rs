//! Arithmetic modulo any odd number, by the constant-time Montgomery arithmetic of `crypto-bigint`. Numbers, their Montgomery
//! forms and tables of powers are on the stack alone, which is wiped.

use super::CpuEngine;
use crate::error::Rejection;
use crate::modular::Numbers;
use crate::stack;
use elliptic_curve::bigint::modular::{FixedMontyForm, FixedMontyParams};
use elliptic_curve::bigint::{CtLt, Odd, Uint};
use elliptic_curve::bigint::{U128, U192, U256, U320, U384, U448, U512, U1024, U1536, U2048};

/// Calls a function of the limbs that numbers of `BYTES` bytes have on this machine.
macro_rules! with_limbs {
    ([$($size:literal => $Number:ty),*], $function:ident, $arguments:tt) => {
        match BYTES {
            $($size => with_limbs!(@call $function, { <$Number>::LIMBS }, $arguments),)*
            _ => unreachable!("the public calls take no other size"),
        }
    };
    (@call $function:ident, $limbs:block, ($($argument:expr),*)) => {
        $function::<$limbs, BYTES>($($argument),*)
    };
}

/// `bases[i]^exponents[i]`, for an odd modulus above 1.
pub(crate) fn modexp<const BYTES: usize, const EXPONENT: usize>(
    engine: &CpuEngine,
    modulus: &[u8; BYTES],
    bases: &[[u8; BYTES]],
    exponents: &[[u8; EXPONENT]],
) -> Numbers<BYTES> {
    let exponents = exponents.as_flattened();
    with_limbs!([128 => U1024, 192 => U1536, 256 => U2048], power, (engine, modulus, bases, exponents, EXPONENT))
}

/// `a[i] * b[i]`, for an odd modulus above 1.
pub(crate) fn mul_mod<const BYTES: usize>(
    engine: &CpuEngine,
    modulus: &[u8; BYTES],
    a: &[[u8; BYTES]],
    b: &[[u8; BYTES]],
) -> Numbers<BYTES> {
    with_limbs!(
        [16 => U128, 24 => U192, 32 => U256, 40 => U320, 48 => U384, 56 => U448, 64 => U512],
        product,
        (engine, modulus, a, b)
    )
}

fn power<const LIMBS: usize, const BYTES: usize>(
    engine: &CpuEngine,
    modulus: &[u8; BYTES],
    bases: &[[u8; BYTES]],
    exponents: &[u8],
    exponent_bytes: usize,
) -> Numbers<BYTES> {
    let bits = u32::try_from(8 * exponent_bytes).expect("an exponent is no longer than a modulus");
    with_parameters::<LIMBS, BYTES, _>(modulus, |params| {
        engine.map_secrets(bases.len(), Err(Rejection::ValueOutOfRange), |item| {
            let base = below::<LIMBS, BYTES>(&bases[item], params)?;
            let exponent = &exponents[exponent_bytes * item..][..exponent_bytes];
            let mut padded = [0; BYTES];
            padded[BYTES - exponent_bytes..].copy_from_slice(exponent);
            let exponent = Uint::<LIMBS>::from_be_slice(&padded);
            let power = FixedMontyForm::new(&base, params).pow_bounded_exp(&exponent, bits);
            Ok(to_bytes(&power.retrieve()))
        })
    })
}

fn product<const LIMBS: usize, const BYTES: usize>(
    engine: &CpuEngine,
    modulus: &[u8; BYTES],
    a: &[[u8; BYTES]],
    b: &[[u8; BYTES]],
) -> Numbers<BYTES> {
    with_parameters::<LIMBS, BYTES, _>(modulus, |params| {
        engine.map_secret_chunks(a.len(), Err(Rejection::ValueOutOfRange), |range, out| {
            for (item, out) in range.zip(out) {
                *out = (|| {
                    let [a, b] = [below::<LIMBS, BYTES>(&a[item], params)?, below::<LIMBS, BYTES>(&b[item], params)?];
                    // a times b R is a b R, and the Montgomery product takes the R away.
                    let product = FixedMontyForm::from_montgomery(a, params).mul(&FixedMontyForm::new(&b, params));
                    Ok(to_bytes(product.as_montgomery()))
                })();
            }
        })
    })
}

/// Does `work` with what Montgomery arithmetic needs of a modulus, which may be a prime of a private key.
fn with_parameters<const LIMBS: usize, const BYTES: usize, R>(
    modulus: &[u8; BYTES],
    work: impl FnOnce(&FixedMontyParams<LIMBS>) -> R,
) -> R {
    stack::wiped(|| {
        let modulus = Odd::new(Uint::from_be_slice(modulus)).into_option();
        work(&FixedMontyParams::new(modulus.expect("the public calls take odd moduli only")))
    })
}

fn below<const LIMBS: usize, const BYTES: usize>(
    bytes: &[u8; BYTES],
    params: &FixedMontyParams<LIMBS>,
) -> Result<Uint<LIMBS>, Rejection> {
    let value = Uint::from_be_slice(bytes);
    if value.ct_lt(params.modulus()).to_bool() { Ok(value) } else { Err(Rejection::ValueOutOfRange) }
}

fn to_bytes<const LIMBS: usize, const BYTES: usize>(value: &Uint<LIMBS>) -> [u8; BYTES] {
    value.to_be_bytes().as_ref().try_into().expect("a number of so many limbs")
}
