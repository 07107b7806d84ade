//! Shared points on the CPU, in batches with constant-time code.
//!
//! The only branch on a secret is the check that a key is in range, whose outcome the caller learns
//! anyway.

use crate::cpu::point::Affine;
use crate::cpu::secret::{Number, SecretCurve, products, scalar};
use crate::cpu::simd::{Bases, Lanes};
use crate::cpu::{CpuEngine, decode, limbs_to_be_bytes};
use crate::host::wiped::Wiped;
use crate::types::{PublicKeys, Rejection, ResultSink, ResultsMut, SecretKeys};
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
    engine.fill_secret_products(0, out, [width, 0], |lanes, items, out| {
        let of_items = items.clone().map(|item| peers.get(item));
        let points = decode::public_keys::<C>(lanes, of_items);
        multiply::<C>(lanes, secret_keys, items, &points, Bases::Public, out, put);
    });
}

/// Computes the product of the key and the point of each item, and calls `put` with the results, a
/// place in them, and the coordinates x and y.
pub fn multiply<C: SecretCurve>(
    lanes: Option<Lanes>,
    keys: SecretKeys,
    items: Range<usize>,
    points: &[Result<Affine<C::Base>, Rejection>],
    bases: Bases,
    out: &mut ResultsMut,
    put: impl Fn(&mut ResultsMut, usize, &[u8; 32], &[u8; 32]),
) {
    // Allocated once: growing the vector would leave its old contents in freed memory.
    let mut d: Zeroizing<Vec<Number<C>>> = Zeroizing::new(Vec::with_capacity(items.len()));
    let mut places = Vec::with_capacity(items.len());
    let mut valid = Wiped::with_capacity(items.len());
    for (place, (item, point)) in items.zip(points).enumerate() {
        match (scalar::<C>(keys.expose(item)), point) {
            (Ok(key), Ok(point)) => {
                d.push(*key);
                places.push(place);
                valid.push(*point);
            }
            (Err(reason), _) => out.reject(place, reason),
            (_, Err(reason)) => out.reject(place, *reason),
        }
    }
    let products = products::<C>(lanes, &d, &valid, bases);
    for (place, product) in places.into_iter().zip(products.iter()) {
        let [x, y] = product
            .each_ref()
            .map(limbs_to_be_bytes)
            .map(Zeroizing::new);
        put(out, place, &x, &y);
    }
}

/// Writes x, and y if the row has 64 bytes.
fn put(out: &mut ResultsMut, place: usize, x: &[u8; 32], y: &[u8; 32]) {
    let (to_x, to_y) = out.row(0, place).split_at_mut(32);
    to_x.copy_from_slice(x);
    to_y.copy_from_slice(&y[..to_y.len()]);
    out.accept(place);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::CpuCurve;
    use crate::cpu::field::Field;
    use crate::curve::{constants, for_each_curve, types};
    use crate::ops::point;
    use crate::types::{Point, SecretKey, rows_of};
    use elliptic_curve::point::AffineCoordinates;
    use elliptic_curve::sec1::FromSec1Point;
    use elliptic_curve::{AffinePoint, CurveGroup, ProjectivePoint};
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

    /// Computes the shared point of one item with the RustCrypto crates.
    fn reference<C: SecretCurve>(
        key: &[u8; 32],
        peer: Result<Affine<C::Base>, Rejection>,
    ) -> Result<[u8; 64], Rejection> {
        let d = scalar::<C>(key)?;
        let peer = peer?;
        let peer = Point::from_coordinates(&peer.x.to_be_bytes(), &peer.y.to_be_bytes());
        let peer = AffinePoint::<C::Reference>::from_sec1_bytes(peer.as_sec1()).unwrap();
        let product = (ProjectivePoint::<C::Reference>::from(peer) * *d).to_affine();
        let [x, y]: [[u8; 32]; 2] = [product.x().into(), product.y().into()];
        Ok(*[x, y].as_flattened().first_chunk().unwrap())
    }

    /// Compares the engine with the RustCrypto crates. `peers` may be of any kind, including
    /// invalid ones.
    fn same<C: SecretCurve>(engine: &CpuEngine, keys: SecretKeys, peers: PublicKeys, items: usize) {
        let of_items = (0..items).map(|item| peers.get(item));
        let expected: Vec<_> = decode::public_keys::<C>(None, of_items)
            .into_iter()
            .enumerate()
            .map(|(item, peer)| reference::<C>(keys.expose(item), peer))
            .collect();
        let computed = rows_of::<64>(items, |out| {
            shared_points::<C>(engine, keys, peers, 64, out)
        });
        assert_eq!(computed, expected);
        let x: Vec<_> = expected
            .iter()
            .map(|item| item.map(|point| *point.first_chunk::<32>().unwrap()))
            .collect();
        let computed = rows_of::<32>(items, |out| {
            shared_points::<C>(engine, keys, peers, 32, out)
        });
        assert_eq!(computed, x);
    }

    fn secret_keys(scalars: &[[u8; 32]]) -> Vec<SecretKey> {
        scalars
            .iter()
            .map(|scalar| SecretKey::from_bytes(*scalar))
            .collect()
    }

    fn agrees_with_rustcrypto<C: SecretCurve>(engine: CpuEngine) {
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

    fn engine() -> CpuEngine {
        CpuEngine::new(Some(1), None).unwrap()
    }

    macro_rules! tested {
        ([] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
            mod portable {
                use super::*;

                $(
                    #[test]
                    fn $name() {
                        agrees_with_rustcrypto::<types::$curve>(engine().portable());
                    }
                )*
            }

            mod avx512_tests {
                use super::*;

                $(
                    #[test]
                    #[ignore = "needs AVX-512 IFMA: --ignored avx512_tests"]
                    fn $name() {
                        let engine = engine();
                        assert!(engine.lanes.is_some(), "this processor has AVX-512 IFMA");
                        agrees_with_rustcrypto::<types::$curve>(engine);
                    }
                )*
            }
        };
    }
    for_each_curve!(tested!);
}
