//! Public keys of private keys, on the CPU.

use crate::cpu::secret::{SecretCurve, base_products, scalar};
use crate::cpu::simd::Lanes;
use crate::cpu::{CpuEngine, decode};
use crate::types::{Rejection, ResultSink, ResultsMut, SecretKeys};
use elliptic_curve::sec1::ToSec1Point;
use elliptic_curve::{CurveGroup, Group, ProjectivePoint};
use zeroize::Zeroizing;

pub fn public_keys<C: SecretCurve>(engine: &CpuEngine, keys: SecretKeys, out: &mut ResultSink) {
    public_keys_of::<C>(engine, keys, &|place| place, out);
}

/// Computes the public keys of the items `item(0)`, `item(1)`, …, one per result.
pub fn public_keys_of<C: SecretCurve>(
    engine: &CpuEngine,
    keys: SecretKeys,
    item: &(dyn Fn(usize) -> usize + Sync),
    out: &mut ResultSink,
) {
    match engine.lanes_for(out.items()) {
        Some(lanes) => engine.fill_secret(out, [64, 0], |range, out| {
            in_lanes::<C>(lanes, keys, range.map(item), out)
        }),
        None => engine.fill_secret_each(out, [64, 0], |at, out, place| {
            match public_key::<C>(keys.expose(item(at))) {
                Ok(key) => put(out, place, &key),
                Err(reason) => out.reject(place, reason),
            }
        }),
    }
}

fn in_lanes<C: SecretCurve>(
    lanes: Lanes,
    keys: SecretKeys,
    items: impl ExactSizeIterator<Item = usize>,
    out: &mut ResultsMut,
) {
    // Allocated once: growing the vector would leave its old contents in freed memory.
    let mut scalars = Zeroizing::new(Vec::with_capacity(items.len()));
    let mut places = Vec::with_capacity(items.len());
    for (place, item) in items.enumerate() {
        match scalar::<C>(keys.expose(item)) {
            Ok(d) => {
                scalars.push(*d);
                places.push(place);
            }
            Err(reason) => out.reject(place, reason),
        }
    }
    for (place, point) in places.into_iter().zip(base_products::<C>(lanes, &scalars)) {
        decode::put(out, place, &point);
    }
}

/// Returns the public key as `x || y`.
pub fn public_key<C: SecretCurve>(key: &[u8; 32]) -> Result<[u8; 64], Rejection> {
    let product = ProjectivePoint::<C::Reference>::mul_by_generator(&*scalar::<C>(key)?);
    let encoded = product.to_affine().to_sec1_point(false);
    // A non-zero scalar times a point of prime order is never the identity, the only point with a
    // shorter encoding.
    Ok(encoded.as_bytes()[1..]
        .try_into()
        .expect("64 bytes after the tag"))
}

fn put(out: &mut ResultsMut, place: usize, key: &[u8; 64]) {
    out.row(0, place).copy_from_slice(key);
    out.accept(place);
}
