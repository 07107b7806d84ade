//! Arithmetic modulo any odd number on the CPU, with the constant-time Montgomery arithmetic of
//! `crypto-bigint`. Numbers, their Montgomery forms and tables of powers exist only on the stack,
//! which is wiped.

use crate::cpu::CpuEngine;
use crate::host::stack;
use crate::types::{ByteRows, Rejection, ResultSink, ResultsMut};
use elliptic_curve::bigint::modular::{FixedMontyForm, FixedMontyParams};
use elliptic_curve::bigint::{CtLt, Odd, Uint};
use elliptic_curve::bigint::{U128, U192, U256, U320, U384, U448, U512, U1024, U1536, U2048};

/// Computes `bases[i]^exponents[i]`, for an odd modulus above 1.
pub fn modexp(
    engine: &CpuEngine,
    modulus: &[u8],
    bases: ByteRows,
    exponents: ByteRows,
    out: &mut ResultSink,
) {
    let power = match modulus.len() {
        128 => power::<{ U1024::LIMBS }>,
        192 => power::<{ U1536::LIMBS }>,
        256 => power::<{ U2048::LIMBS }>,
        _ => unreachable!("the public calls take no other size"),
    };
    power(engine, modulus, bases, exponents, out);
}

/// Computes `a[i] * b[i]`, for an odd modulus above 1.
pub fn mul_mod(engine: &CpuEngine, modulus: &[u8], a: ByteRows, b: ByteRows, out: &mut ResultSink) {
    let product = match modulus.len() {
        16 => product::<{ U128::LIMBS }>,
        24 => product::<{ U192::LIMBS }>,
        32 => product::<{ U256::LIMBS }>,
        40 => product::<{ U320::LIMBS }>,
        48 => product::<{ U384::LIMBS }>,
        56 => product::<{ U448::LIMBS }>,
        64 => product::<{ U512::LIMBS }>,
        _ => unreachable!("the public calls take no other size"),
    };
    product(engine, modulus, a, b, out);
}

fn power<const LIMBS: usize>(
    engine: &CpuEngine,
    modulus: &[u8],
    bases: ByteRows,
    exponents: ByteRows,
    out: &mut ResultSink,
) {
    let bits =
        u32::try_from(8 * exponents.width()).expect("an exponent is no longer than a modulus");
    with_parameters::<LIMBS, _>(modulus, |params| {
        engine.fill_secret_each(out, [modulus.len(), 0], |item, out, place| {
            let mut padded = [0; 256];
            let padded = &mut padded[..modulus.len()];
            padded[modulus.len() - exponents.width()..].copy_from_slice(exponents.get(item));
            let exponent = Uint::<LIMBS>::from_be_slice(padded);
            let power = below(bases.get(item), params).map(|base| {
                FixedMontyForm::new(&base, params)
                    .pow_bounded_exp(&exponent, bits)
                    .retrieve()
            });
            put(out, place, power);
        });
    });
}

fn product<const LIMBS: usize>(
    engine: &CpuEngine,
    modulus: &[u8],
    a: ByteRows,
    b: ByteRows,
    out: &mut ResultSink,
) {
    with_parameters::<LIMBS, _>(modulus, |params| {
        engine.fill_secret(out, [modulus.len(), 0], |range, out| {
            for (place, item) in range.enumerate() {
                let product = below(a.get(item), params).and_then(|a| {
                    let b = below(b.get(item), params)?;
                    // The Montgomery product of a and b R is a b: it removes the factor R.
                    let product = FixedMontyForm::from_montgomery(a, params)
                        .mul(&FixedMontyForm::new(&b, params));
                    Ok(*product.as_montgomery())
                });
                put(out, place, product);
            }
        });
    });
}

/// Calls `work` with the Montgomery parameters of a modulus, which may be a prime of a private key.
fn with_parameters<const LIMBS: usize, R>(
    modulus: &[u8],
    work: impl FnOnce(&FixedMontyParams<LIMBS>) -> R,
) -> R {
    stack::wiped(|| {
        let modulus = Odd::new(Uint::from_be_slice(modulus)).into_option();
        work(&FixedMontyParams::new(
            modulus.expect("the public calls take odd moduli only"),
        ))
    })
}

fn below<const LIMBS: usize>(
    bytes: &[u8],
    params: &FixedMontyParams<LIMBS>,
) -> Result<Uint<LIMBS>, Rejection> {
    let value = Uint::from_be_slice(bytes);
    if value.ct_lt(params.modulus()).to_bool() {
        Ok(value)
    } else {
        Err(Rejection::ValueOutOfRange)
    }
}

fn put<const LIMBS: usize>(
    out: &mut ResultsMut,
    place: usize,
    value: Result<Uint<LIMBS>, Rejection>,
) {
    match value {
        Ok(value) => {
            out.row(0, place)
                .copy_from_slice(value.to_be_bytes().as_ref());
            out.accept(place);
        }
        Err(reason) => out.reject(place, reason),
    }
}
