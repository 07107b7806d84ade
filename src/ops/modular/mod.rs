//! Arithmetic modulo any odd number: exponentiation for RSA and Diffie–Hellman, multiplication,
//! squaring.
//!
//! Each call has one modulus. Numbers are big-endian byte arrays as long as the modulus, and below
//! it. The modulus may have leading zeros: its length in bytes determines the size.
//!
//! **Constant-time** in bases, exponents and factors: time and memory addresses depend only on
//! lengths and on which items are rejected, that is, on whether a base or factor is below the
//! modulus. Internal copies of all of them, and of the modulus, are wiped; results are plain
//! numbers, which the caller may have to wipe.

mod cpu;
mod gpu;
pub(crate) mod known_answers;
mod parameters;

use crate::cpu::CpuEngine;
use crate::engine::Engine;
use crate::gpu::runtime::{NO_CURVE, Plan};
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::types::{ByteRows, Error, Rejection, ResultSink, bytes_of, require_lengths};
use parameters::{Limbs, MulModParameters};
use std::ops::Range;

/// One result per item, in input order.
pub type Numbers<const BYTES: usize> = Vec<Result<[u8; BYTES], Rejection>>;

/// The operation that computes powers modulo one number.
pub(crate) struct Modexp<'a> {
    modulus: &'a [u8],
    bases: ByteRows<'a>,
    exponents: ByteRows<'a>,
    limbs: Limbs,
    parameters: Limbs,
}

impl<'a> Modexp<'a> {
    /// # Errors
    /// [`Error::LengthMismatch`], [`Error::InvalidModulus`].
    pub fn new(
        modulus: &'a [u8],
        bases: ByteRows<'a>,
        exponents: ByteRows<'a>,
    ) -> Result<Self, Error> {
        require_lengths(bases.items(), &[("exponents", exponents.items())])?;
        require_modulus(modulus)?;
        let (limbs, parameters) = parameters::of_modexp(modulus);
        Ok(Modexp {
            modulus,
            bases,
            exponents,
            limbs,
            parameters,
        })
    }
}

impl Computation for Modexp<'_> {
    fn items(&self) -> usize {
        self.bases.items()
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GpuThreshold::of(1 << 6)
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        cpu::modexp(
            engine,
            self.modulus,
            self.bases.slice(items.clone()),
            self.exponents.slice(items),
            out,
        );
    }

    fn is_secret(&self) -> bool {
        true
    }

    fn most_waves(&self) -> usize {
        8
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (NO_CURVE, vec!["rows", "modexp"])
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        vec![known_answers::powers(self.modulus.len())]
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// The operation that computes products modulo one number, or squares if there is no second factor.
pub(crate) struct MulMod<'a> {
    modulus: &'a [u8],
    a: ByteRows<'a>,
    b: Option<ByteRows<'a>>,
    parameters: MulModParameters,
}

impl<'a> MulMod<'a> {
    /// # Errors
    /// [`Error::LengthMismatch`], [`Error::InvalidModulus`].
    pub fn new(modulus: &'a [u8], a: ByteRows<'a>, b: Option<ByteRows<'a>>) -> Result<Self, Error> {
        require_lengths(
            a.items(),
            &[("second factors", b.map_or(a.items(), |b| b.items()))],
        )?;
        require_modulus(modulus)?;
        Ok(MulMod {
            modulus,
            a,
            b,
            parameters: parameters::of_mul_mod(modulus),
        })
    }
}

impl Computation for MulMod<'_> {
    fn items(&self) -> usize {
        self.a.items()
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GpuThreshold::of(1 << 16)
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        let a = self.a.slice(items.clone());
        let b = self.b.unwrap_or(self.a).slice(items);
        cpu::mul_mod(engine, self.modulus, a, b, out);
    }

    fn is_secret(&self) -> bool {
        true
    }

    fn most_waves(&self) -> usize {
        8
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (NO_CURVE, vec!["rows", "mul_mod"])
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        vec![known_answers::products(self.modulus.len())]
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// Computes `bases[i]^exponents[i]` modulo one odd modulus of 1024, 1536 or 2048 bits (`BYTES` 128,
/// 192 or 256; other sizes do not compile). Exponents have `EXPONENT` bytes each, from 1 to
/// `BYTES`; `0^0` is 1. **Constant-time** in bases and exponents; the time grows with `EXPONENT`,
/// so pass a short public exponent such as 65537 as three bytes.
///
/// This is the bare operation (RSAEP, RSADP of RFC 8017, 5.1), without padding, blinding or
/// protection against fault attacks.
///
/// Items are rejected with [`Rejection::ValueOutOfRange`] if the base is not below the modulus.
///
/// # Errors
/// [`Error::LengthMismatch`] if the slices differ in length, [`Error::InvalidModulus`] if the
/// modulus is even or 1; [`Error::Device`] if every GPU fails and the engine may not fall back to
/// the CPU.
///
/// ```
/// use gecc::{Engine, modular};
/// let engine = Engine::new()?;
/// let mut modulus = [0; 128];
/// modulus[127] = 15;
/// let mut base = [0; 128];
/// base[127] = 7;
/// let squares = modular::modexp(&engine, &modulus, &[base], &[[2]])?;
/// assert_eq!(squares[0].unwrap()[127], 4);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn modexp<const BYTES: usize, const EXPONENT: usize>(
    engine: &Engine,
    modulus: &[u8; BYTES],
    bases: &[[u8; BYTES]],
    exponents: &[[u8; EXPONENT]],
) -> Result<Numbers<BYTES>, Error> {
    const {
        assert!(
            matches!(BYTES, 128 | 192 | 256),
            "a modulus has 1024, 1536 or 2048 bits"
        )
    };
    const {
        assert!(
            EXPONENT >= 1 && EXPONENT <= BYTES,
            "an exponent has 1 byte to as many as the modulus"
        )
    };
    let bases = ByteRows::new(bases.as_flattened(), BYTES);
    let exponents = ByteRows::new(exponents.as_flattened(), EXPONENT);
    engine.collect(&Modexp::new(modulus, bases, exponents)?, bytes_of)
}

/// Computes `a[i] * b[i]` modulo one odd modulus of 128, 192, 256, 320, 384, 448 or 512 bits
/// (`BYTES` 16 to 64 in steps of 8; other sizes do not compile). **Constant-time** in the factors.
///
/// Items are rejected with [`Rejection::ValueOutOfRange`] if a factor is not below the modulus.
///
/// # Errors
/// [`Error::LengthMismatch`] if the slices differ in length, [`Error::InvalidModulus`] if the
/// modulus is even or 1; [`Error::Device`] if every GPU fails and the engine may not fall back to
/// the CPU.
///
/// ```
/// use gecc::{Engine, modular};
/// let engine = Engine::new()?;
/// let number = |value: u128| value.to_be_bytes();
/// let products = modular::mul_mod(&engine, &number(15), &[number(7), number(15)], &[number(8), number(1)])?;
/// assert_eq!(products, [Ok(number(11)), Err(gecc::Rejection::ValueOutOfRange)]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn mul_mod<const BYTES: usize>(
    engine: &Engine,
    modulus: &[u8; BYTES],
    a: &[[u8; BYTES]],
    b: &[[u8; BYTES]],
) -> Result<Numbers<BYTES>, Error> {
    const {
        assert!(
            is_product_size(BYTES),
            "a modulus has 128 to 512 bits in steps of 64"
        )
    };
    let [a, b] = [a, b].map(|rows| ByteRows::new(rows.as_flattened(), BYTES));
    engine.collect(&MulMod::new(modulus, a, Some(b))?, bytes_of)
}

/// Computes `a[i]^2` modulo one odd modulus, with the sizes of [`mul_mod`]. **Constant-time** in
/// the numbers.
///
/// Items are rejected with [`Rejection::ValueOutOfRange`] if they are not below the modulus.
///
/// # Errors
/// [`Error::InvalidModulus`] if the modulus is even or 1; [`Error::Device`] if every GPU fails and
/// the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, modular};
/// let engine = Engine::new()?;
/// let number = |value: u128| value.to_be_bytes();
/// assert_eq!(modular::square_mod(&engine, &number(15), &[number(7)])?, [Ok(number(4))]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn square_mod<const BYTES: usize>(
    engine: &Engine,
    modulus: &[u8; BYTES],
    a: &[[u8; BYTES]],
) -> Result<Numbers<BYTES>, Error> {
    const {
        assert!(
            is_product_size(BYTES),
            "a modulus has 128 to 512 bits in steps of 64"
        )
    };
    engine.collect(
        &MulMod::new(modulus, ByteRows::new(a.as_flattened(), BYTES), None)?,
        bytes_of,
    )
}

const fn is_product_size(bytes: usize) -> bool {
    bytes >= 16 && bytes <= 64 && bytes.is_multiple_of(8)
}

/// Checks that the modulus is odd and above 1: without an inverse of 2 there is no Montgomery form.
fn require_modulus(modulus: &[u8]) -> Result<(), Error> {
    let (last, rest) = modulus.split_last().expect("no size is zero");
    let is_one = *last == 1 && rest.iter().all(|byte| *byte == 0);
    if last % 2 == 0 || is_one {
        Err(Error::InvalidModulus)
    } else {
        Ok(())
    }
}
