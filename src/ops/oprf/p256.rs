//! P-256 and SHA-256 (RFC 9497, section 4.3).

use super::group::{Group, Operands, Sum};
use crate::cpu::field::Field;
use crate::cpu::generator;
use crate::cpu::secret::scalar;
use crate::curve::CurveId;
use crate::curve::types::P256;
use crate::engine::Engine;
use crate::ops::hash_to_curve::{Dst, Suite};
use crate::ops::mask::{self, Form};
use crate::ops::{keys, point};
use crate::types::{Error, Point, PublicKeys, Rejection, SecretKey, SecretKeys};
use elliptic_curve::array::Array;
use elliptic_curve::consts::U48;
use elliptic_curve::ops::Reduce;
use elliptic_curve::{Field as _, PrimeField};
use p256::Scalar;
use sha2::Sha256;

/// The points of P-256.
pub struct P256Group;

/// The suite of `HashToGroup`.
const SUITE: Suite = Suite::P256SswuRo;

impl Operands<'_, P256Group> {
    fn public_keys(&self) -> PublicKeys<'_> {
        match self.points {
            Some(points) => PublicKeys::points(points),
            None => PublicKeys::compressed(self.encoded),
        }
    }
}

impl Group for P256Group {
    type Element = [u8; 33];
    type Output = [u8; 32];
    type Hash = Sha256;
    type Scalar = Scalar;
    type Point = Point;

    const UNIFORM_BYTES: usize = 48;

    fn reduce(uniform_bytes: &[u8]) -> Scalar {
        let bytes: &Array<u8, U48> = uniform_bytes.try_into().expect("48 bytes");
        Scalar::reduce(bytes)
    }

    fn is_zero(scalar: &Scalar) -> bool {
        scalar.is_zero().into()
    }

    fn scalar_bytes(scalar: &Scalar) -> [u8; 32] {
        scalar.to_repr().into()
    }

    fn respond(
        key: &SecretKey,
        nonce: &SecretKey,
        challenge: &Scalar,
        out: &mut [u8; 32],
    ) -> Result<(), Rejection> {
        let k = scalar::<P256>(key.expose_bytes())?;
        let r = scalar::<P256>(nonce.expose_bytes())?;
        let s = *r - *challenge * *k;
        out.copy_from_slice(&s.to_repr());
        Ok(())
    }

    fn draw(engine: &Engine, count: usize) -> Result<Vec<SecretKey>, Error> {
        keys::draw(engine, CurveId::P256, count)
    }

    fn public_key(engine: &Engine, key: &SecretKey) -> Result<Result<[u8; 33], Rejection>, Error> {
        let public = keys::public_keys(engine, P256, key)?[0];
        Ok(public.map(|point| point.to_compressed().expect("a key is not 0 modulo n")))
    }

    fn mask<M: AsRef<[u8]> + Sync>(
        engine: &Engine,
        dst: &Dst,
        keys: SecretKeys,
        inputs: &[M],
        are_results_secret: bool,
        rows: &mut [[u8; 33]],
        codes: &mut [u8],
    ) -> Result<(), Error> {
        let dst = dst.as_bytes();
        let masking = mask::masking_of_items(engine, SUITE, dst, keys, inputs, Form::Compressed)?;
        let masking = if are_results_secret {
            masking.with_secret_results()
        } else {
            masking
        };
        masking.run(engine, rows.as_flattened_mut(), codes)
    }

    fn multiply(
        engine: &Engine,
        keys: SecretKeys,
        elements: Operands<Self>,
        rows: &mut [[u8; 33]],
        codes: &mut [u8],
    ) -> Result<(), Error> {
        let points = elements.public_keys();
        let rows = rows.as_flattened_mut();
        mask::points_into(engine, P256, keys, points, Form::Compressed, rows, codes)
    }

    fn unmask(
        engine: &Engine,
        keys: SecretKeys,
        elements: Operands<Self>,
        rows: &mut [[u8; 33]],
        codes: &mut [u8],
    ) -> Result<(), Error> {
        let points = elements.public_keys();
        let rows = rows.as_flattened_mut();
        mask::unmask_into(engine, P256, keys, points, Form::Compressed, rows, codes)
    }

    fn decode(
        engine: &Engine,
        elements: &[[u8; 33]],
    ) -> Result<Vec<Result<Point, Rejection>>, Error> {
        point::decompress(engine, P256, elements)
    }

    fn encode(point: &Point) -> Option<[u8; 33]> {
        point.to_compressed()
    }

    fn generator() -> Point {
        let base = generator::<P256>();
        Point::from_coordinates(&base.x.to_be_bytes(), &base.y.to_be_bytes())
    }

    fn sum_of_products(
        engine: &Engine,
        scalars: &[[u8; 32]],
        points: &[Point],
    ) -> Result<Sum<Point>, Error> {
        point::msm(engine, P256, scalars, points)
    }
}
