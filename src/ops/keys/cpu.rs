//! Public keys of private keys, on the CPU.

use crate::cpu::secret::{SecretCurve, base_products, scalar};
use crate::cpu::simd::Lanes;
use crate::cpu::{CpuEngine, decode};
use crate::types::{ResultSink, ResultsMut, SecretKeys};
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
    engine.fill_secret_products(0, out, [64, 0], |lanes, range, out| {
        public_keys_of_range::<C>(lanes, keys, range.map(item), out)
    });
}

fn public_keys_of_range<C: SecretCurve>(
    lanes: Option<Lanes>,
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
