//! Shared points on the CPU: in batches with the constant-time vector code if the processor
//! supports it, otherwise with the constant-time arithmetic of the RustCrypto crates.
//!
//! The only branch on a secret is the check that a key is in range, whose outcome the caller learns
//! anyway.

use crate::cpu::field::Field;
use crate::cpu::point::Affine;
use crate::cpu::secret::{Number, ReferencePoint, SecretCurve, odd_or_opposite, scalar};
use crate::cpu::simd::{Bases, Lanes, mul_uniform};
use crate::cpu::{CpuEngine, decode, limbs_to_be_bytes};
use crate::types::{Point, PublicKeys, Rejection, ResultSink, ResultsMut, SecretKeys};
use elliptic_curve::point::AffineCoordinates;
use elliptic_curve::sec1::FromSec1Point;
use elliptic_curve::{CurveGroup, ProjectivePoint};
use std::ops::Range;
use zeroize::Zeroizing;

/// Computes rows of `width` bytes: x, or `x || y`.
pub fn shared_points<C: SecretCurve>(
    engine: &CpuEngine,
    secret_keys: SecretKeys,
    peers: PublicKeys,
    width: usize,
    out: &mut ResultSink,
) {
    let inputs = AgreementInputs { secret_keys, peers };
    match engine.lanes_for(out.items()) {
        Some(lanes) => engine.fill_secret(out, [width, 0], |range, out| {
            inputs.in_lanes::<C>(lanes, range, out)
        }),
        None => engine.fill_secret_each(out, [width, 0], |item, out, place| {
            if let Err(reason) = inputs.one::<C>(item, out, place) {
                out.reject(place, reason);
            }
        }),
    }
}

struct AgreementInputs<'a> {
    secret_keys: SecretKeys<'a>,
    peers: PublicKeys<'a>,
}

/// Converts a point of the curve to the RustCrypto type.
pub fn reference<C: SecretCurve>(point: &Affine<C::Base>) -> ReferencePoint<C> {
    let encoded = Point::from_coordinates(&point.x.to_be_bytes(), &point.y.to_be_bytes());
    ReferencePoint::<C>::from_sec1_bytes(encoded.as_sec1()).expect("a point of the curve")
}

/// Writes x, and y if the row has 64 bytes.
fn put(out: &mut ResultsMut, place: usize, x: &[u8; 32], y: &[u8; 32]) {
    let (to_x, to_y) = out.row(0, place).split_at_mut(32);
    to_x.copy_from_slice(x);
    to_y.copy_from_slice(&y[..to_y.len()]);
    out.accept(place);
}

impl AgreementInputs<'_> {
    fn one<C: SecretCurve>(
        &self,
        item: usize,
        out: &mut ResultsMut,
        place: usize,
    ) -> Result<(), Rejection> {
        let d = scalar::<C>(self.secret_keys.expose(item))?;
        let peer = decode::public_key::<C>(self.peers.get(item))?;
        let product =
            Zeroizing::new(ProjectivePoint::<C::Reference>::from(reference::<C>(&peer)) * *d);
        let product = Zeroizing::new(product.to_affine());
        put(out, place, &product.x().into(), &product.y().into());
        Ok(())
    }

    fn in_lanes<C: SecretCurve>(&self, lanes: Lanes, items: Range<usize>, out: &mut ResultsMut) {
        let peers =
            decode::public_keys::<C>(Some(lanes), items.clone().map(|item| self.peers.get(item)));
        // Allocated once: growing the vector would leave its old contents in freed memory.
        let mut d: Zeroizing<Vec<Number<C>>> = Zeroizing::new(Vec::with_capacity(items.len()));
        let mut places = Vec::with_capacity(items.len());
        let mut points = Vec::with_capacity(items.len());
        for (place, (item, peer)) in items.zip(peers).enumerate() {
            match (scalar::<C>(self.secret_keys.expose(item)), peer) {
                (Ok(key), Ok(point)) => {
                    d.push(*key);
                    places.push(place);
                    points.push(point);
                }
                (Err(reason), _) | (_, Err(reason)) => out.reject(place, reason),
            }
        }
        let (odd, negated) = odd_or_opposite::<C>(&d);
        let products = mul_uniform::<C>(lanes, &odd, &negated, &points, Bases::Public);
        for (place, product) in places.into_iter().zip(products.iter()) {
            let [x, y] = product
                .each_ref()
                .map(limbs_to_be_bytes)
                .map(Zeroizing::new);
            put(out, place, &x, &y);
        }
    }
}

#[cfg(test)]
mod avx512_tests {
    use super::*;
    use crate::cpu::CpuCurve;
    use crate::curve::{constants, for_each_curve, types};
    use crate::ops::point;
    use crate::types::{SecretKey, rows_of};
    use num_bigint::BigInt;

    fn integer(limbs: &[u64; 4]) -> BigInt {
        limbs
            .iter()
            .rev()
            .fold(BigInt::ZERO, |sum, limb| (sum << 64) + limb)
    }

    /// Returns the bytes of a number modulo n.
    fn scalar_bytes<C: CpuCurve>(value: &BigInt) -> [u8; 32] {
        let n = integer(&C::N);
        let digits = (((value % &n) + &n) % &n).to_bytes_be().1;
        let mut bytes = [0; 32];
        bytes[32 - digits.len()..].copy_from_slice(&digits);
        bytes
    }

    fn random() -> [u8; 32] {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).expect("the system has random bytes");
        // Below n on every curve.
        bytes[0] >>= 1;
        bytes
    }

    /// Returns scalars at the limits of their range. On curves with an endomorphism they include
    /// combinations with lambda, among them all scalars whose last additions meet equal or opposite
    /// points.
    fn special_scalars<C: CpuCurve>() -> Vec<[u8; 32]> {
        let n = integer(&C::N);
        let mut values: Vec<BigInt> = (1..70).map(BigInt::from).collect();
        values.extend((0..256).map(|bit| BigInt::from(1) << bit));
        values.extend([
            (&n - 1) / 2,
            (&n + 1) / 2,
            (&n - 3) / 2,
            &n / 3,
            (BigInt::from(1) << 255) - 19,
        ]);
        if C::ENDOMORPHISM.is_some() {
            let lambda = integer(&constants::secp256k1::LAMBDA);
            values.extend([
                &lambda * &lambda,
                &lambda + 2,
                (&lambda << 128) + 1,
                &lambda << 64,
            ]);
            for d2 in (-31..=31).step_by(2) {
                values.extend([&lambda * d2, &lambda * (2 * d2)]);
                values.extend((-31..=31).step_by(2).map(|d1| &lambda * d2 + 2 * d1));
            }
        }
        let opposites: Vec<BigInt> = values.iter().map(|value| -value).collect();
        values.extend(opposites);
        values
            .iter()
            .map(scalar_bytes::<C>)
            .filter(|bytes| *bytes != [0; 32])
            .collect()
    }

    fn points<C: SecretCurve>(engine: &CpuEngine, scalars: &[[u8; 32]]) -> Vec<Point> {
        let products = rows_of(scalars.len(), |out| {
            point::cpu::mul_base::<C>(engine, scalars.into(), out)
        });
        products
            .into_iter()
            .map(|row| Point::from_raw(&row.unwrap()))
            .collect()
    }

    /// Compares the engine with the RustCrypto crates. `peers` may be of any kind, including
    /// invalid ones.
    fn same<C: SecretCurve>(engine: &CpuEngine, keys: SecretKeys, peers: PublicKeys, items: usize) {
        let portable = CpuEngine::new(Some(1), None).unwrap().portable();
        let expected = rows_of::<64>(items, |out| {
            shared_points::<C>(&portable, keys, peers, 64, out)
        });
        let computed = rows_of::<64>(items, |out| {
            shared_points::<C>(engine, keys, peers, 64, out)
        });
        assert_eq!(computed, expected);
        let x: Vec<_> = expected
            .iter()
            .map(|item| item.map(|point| *point.first_chunk::<32>().unwrap()))
            .collect();
        for engine in [engine, &portable] {
            assert_eq!(
                rows_of::<32>(items, |out| shared_points::<C>(
                    engine, keys, peers, 32, out
                )),
                x
            );
        }
    }

    fn secret_keys(scalars: &[[u8; 32]]) -> Vec<SecretKey> {
        scalars
            .iter()
            .map(|scalar| SecretKey::from_bytes(*scalar))
            .collect()
    }

    fn agrees_with_rustcrypto<C: SecretCurve>() {
        let engine = CpuEngine::new(Some(1), None).unwrap();
        assert!(engine.lanes.is_some(), "this processor has AVX-512 IFMA");
        // Special keys with random peers, and random keys with special peers.
        let special = special_scalars::<C>();
        let others: Vec<_> = special.iter().map(|_| random()).collect();
        for (keys, peers) in [(&special, &others), (&others, &special)] {
            let peers = points::<C>(&engine, peers);
            same::<C>(
                &engine,
                (&secret_keys(keys)).into(),
                PublicKeys::points(&peers),
                keys.len(),
            );
        }
        // All batch sizes, with rejected items in between.
        let keys = secret_keys(&others);
        let peers = points::<C>(&engine, &special);
        for items in [1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 65, 127, 129, 200] {
            let mut bad_keys = keys[..items].to_vec();
            let mut bad_peers: Vec<Vec<u8>> = peers[..items]
                .iter()
                .map(|peer| peer.as_sec1().to_vec())
                .collect();
            same_all::<C>(&engine, &bad_keys, &bad_peers);
            for place in (items / 3..items).step_by(5) {
                bad_keys[place] = SecretKey::from_bytes([[0; 32], [0xff; 32]][place % 2]);
                bad_peers[(place + 2) % items][40] ^= 1;
                bad_peers[(place + 4) % items] = vec![place as u8 % 3];
                bad_peers[(place + 5) % items] = peers[place].to_compressed().unwrap().to_vec();
                same_all::<C>(&engine, &bad_keys, &bad_peers);
            }
            // No item is valid.
            same_all::<C>(&engine, &secret_keys(&vec![[0; 32]; items]), &bad_peers);
        }
    }

    /// Tests keys and peers one to one, one key for all, and one peer for all.
    fn same_all<C: SecretCurve>(engine: &CpuEngine, keys: &[SecretKey], peers: &[Vec<u8>]) {
        let all: Vec<&[u8]> = peers.iter().map(Vec::as_slice).collect();
        same::<C>(engine, keys.into(), PublicKeys::sec1(&all), keys.len());
        same::<C>(
            engine,
            (&keys[0]).into(),
            PublicKeys::sec1(&all),
            keys.len(),
        );
        same::<C>(engine, keys.into(), PublicKeys::all(&peers[0]), keys.len());
    }

    macro_rules! tested {
        ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
            $(
                #[test]
                #[ignore = "needs AVX-512 IFMA: --ignored avx512_tests"]
                fn $name() {
                    agrees_with_rustcrypto::<types::$curve>();
                }
            )*
        };
    }
    for_each_curve!(tested!);
}
