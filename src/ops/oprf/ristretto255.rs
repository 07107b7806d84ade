//! ristretto255 and SHA-512 (RFC 9497, section 4.1).

use super::group::{Group, Operands, Sum};
use crate::cpu::edwards::curves::{Ed25519, Ed25519N, EdwardsCurve};
use crate::cpu::edwards::field::Element;
use crate::cpu::edwards::msm::{self, Terms};
use crate::cpu::edwards::point::Extended;
use crate::cpu::edwards::ristretto::{decode_all, encode_all};
use crate::cpu::edwards::scalar;
use crate::engine::Engine;
use crate::ops::hash_to_curve::Dst;
use crate::ops::ristretto255::{self, IDENTITY, Mask, rejection_of};
use crate::types::{Error, Rejection, SecretKey, SecretKeys};
use sha2::Sha512;

/// The elements of ristretto255.
pub struct Ristretto255Group;

type Scalar = scalar::Scalar<Ed25519N>;

impl Group for Ristretto255Group {
    type Element = [u8; 32];
    type Output = [u8; 64];
    type Hash = Sha512;
    type Scalar = Scalar;
    /// x and y of a point that represents the element.
    type Point = [Element; 2];

    const UNIFORM_BYTES: usize = 64;

    fn reduce(uniform_bytes: &[u8]) -> Scalar {
        Scalar::from_le_bytes_wide(uniform_bytes.try_into().expect("64 bytes"))
    }

    fn is_zero(scalar: &Scalar) -> bool {
        scalar.is_zero()
    }

    fn scalar_bytes(scalar: &Scalar) -> [u8; 32] {
        scalar.to_le_bytes()
    }

    fn respond(
        key: &SecretKey,
        nonce: &SecretKey,
        challenge: &Scalar,
        out: &mut [u8; 32],
    ) -> Result<(), Rejection> {
        let [k, r] = [key, nonce].map(|key| Scalar::key_from_le_bytes(key.expose_bytes()));
        let k = k.ok_or(Rejection::SecretKeyOutOfRange)?;
        let r = r.ok_or(Rejection::SecretKeyOutOfRange)?;
        *out = r.sub(&challenge.mul(&k)).to_le_bytes();
        Ok(())
    }

    fn draw(engine: &Engine, count: usize) -> Result<Vec<SecretKey>, Error> {
        ristretto255::draw(engine, count)
    }

    fn public_key(engine: &Engine, key: &SecretKey) -> Result<Result<[u8; 32], Rejection>, Error> {
        Ok(ristretto255::public_keys(engine, key)?[0])
    }

    fn mask<M: AsRef<[u8]> + Sync>(
        engine: &Engine,
        dst: &Dst,
        keys: SecretKeys,
        inputs: &[M],
        // The CPU wipes all copies.
        _are_results_secret: bool,
        rows: &mut [[u8; 32]],
        codes: &mut [u8],
    ) -> Result<(), Error> {
        Mask::new(engine, dst.as_bytes(), keys, inputs)?.run(engine, rows, codes)
    }

    fn multiply(
        engine: &Engine,
        keys: SecretKeys,
        elements: Operands<Self>,
        rows: &mut [[u8; 32]],
        codes: &mut [u8],
    ) -> Result<(), Error> {
        ristretto255::mul_into(engine, keys, elements.encoded, rows, codes)
    }

    fn unmask(
        engine: &Engine,
        keys: SecretKeys,
        elements: Operands<Self>,
        rows: &mut [[u8; 32]],
        codes: &mut [u8],
    ) -> Result<(), Error> {
        ristretto255::unmask_into(engine, keys, elements.encoded, rows, codes)
    }

    fn decode(
        engine: &Engine,
        elements: &[[u8; 32]],
    ) -> Result<Vec<Result<[Element; 2], Rejection>>, Error> {
        let cpu = &engine.devices()?.cpu;
        let parts = cpu.map_parts(elements.len(), |part| {
            let elements = &elements[part];
            let decoded = decode_all(cpu.lanes_for(elements.len()), elements.iter());
            let items = elements.iter().zip(decoded.iter());
            items
                .map(|(element, point)| match point {
                    Ok(_) if *element == IDENTITY => Err(Rejection::IdentityKey),
                    // Z is 1.
                    Ok(Extended { x, y, .. }) => Ok([*x, *y]),
                    Err(reason) => Err(rejection_of(*reason)),
                })
                .collect::<Vec<_>>()
        });
        Ok(parts.concat())
    }

    fn encode(point: &[Element; 2]) -> Option<[u8; 32]> {
        let encoding = encode_all(None, &[Extended::from_affine(point)])[0];
        (encoding != IDENTITY).then_some(encoding)
    }

    fn generator() -> [Element; 2] {
        Ed25519::G
    }

    fn sum_of_products(
        engine: &Engine,
        scalars: &[[u8; 32]],
        points: &[[Element; 2]],
    ) -> Result<Sum<[Element; 2]>, Error> {
        let cpu = &engine.devices()?.cpu;
        let mut terms = Terms::with_capacity(points.len());
        for (item, (bytes, point)) in scalars.iter().zip(points).enumerate() {
            let Some(scalar) = Scalar::from_le_bytes(bytes) else {
                return Ok(Err((item, Rejection::ScalarOutOfRange)));
            };
            terms.push::<Ed25519>(*scalar.limbs(), point);
        }
        let sum = msm::sum::<Ed25519>(&cpu.pool, cpu.lanes_for(points.len()), &terms);
        Ok(Ok(sum.to_affine()))
    }
}
