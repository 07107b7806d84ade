//! X25519 on the CPU: the Montgomery ladder in vectors of eight items if the processor supports it,
//! otherwise item by item, and one division per chunk.
//!
//! The only branch on a secret is the check that a result is zero, whose outcome the caller learns
//! anyway.

use super::{AllZero, X25519};
use crate::cpu::CpuEngine;
use crate::cpu::edwards::{ladder, simd};
use crate::cpu::field::limbs::{Limbs, from_le_bytes, to_le_bytes};
use crate::types::{Rejection, ResultSink, ResultsMut};
use std::ops::Range;
use zeroize::Zeroizing;

impl X25519<'_> {
    /// Computes the results of a destination, for the items from `first` on.
    pub(super) fn compute_in_chunks(&self, engine: &CpuEngine, first: usize, out: &mut ResultSink) {
        engine.fill_secret(out, [32, 0], |range, out| {
            self.compute_chunk(engine, first + range.start..first + range.end, out)
        });
    }

    fn compute_chunk(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultsMut) {
        // Allocated once: growing the vector would leave its old contents in freed memory.
        let mut scalars = Zeroizing::new(Vec::with_capacity(items.len()));
        let mut points = Vec::with_capacity(items.len());
        let mut places = Vec::with_capacity(items.len());
        for (place, item) in items.enumerate() {
            match self.peers.get(item).of_32_bytes() {
                Some(peer) => {
                    scalars.push(clamped(self.secret_keys.expose(item)));
                    points.push(u_coordinate(peer));
                    places.push(place);
                }
                None => out.reject(place, Rejection::MalformedPoint),
            }
        }
        let products = match engine.lanes_for(scalars.len()) {
            Some(lanes) => simd::ladder_products(lanes, &scalars, &points),
            None => ladder::products(&scalars, &points),
        };
        for (place, product) in places.into_iter().zip(products.iter()) {
            self.put(out, place, product);
        }
    }

    /// Writes a result.
    fn put(&self, out: &mut ResultsMut, place: usize, product: &Limbs) {
        let bits = product.iter().fold(0, |bits, limb| bits | limb);
        if self.all_zero == AllZero::Reject && bits == 0 {
            return out.reject(place, Rejection::IdentityResult);
        }
        let bytes = Zeroizing::new(to_le_bytes(product));
        out.row(0, place).copy_from_slice(&*bytes);
        out.accept(place);
    }
}

/// Decodes a private key (RFC 7748, section 5, decodeScalar25519).
pub(super) fn clamped(key: &[u8; 32]) -> Limbs {
    let mut scalar = from_le_bytes(key);
    scalar[0] &= !7;
    scalar[3] = scalar[3] & (u64::MAX >> 1) | 1 << 62;
    scalar
}

/// Decodes a u-coordinate, without reducing it (RFC 7748, section 5, decodeUCoordinate).
pub(super) fn u_coordinate(key: &[u8; 32]) -> Limbs {
    let mut u = from_le_bytes(key);
    u[3] &= u64::MAX >> 1;
    u
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Computation;
    use crate::types::{PublicKeys, Rows, SecretKeys, rows_of};

    fn compute(engine: &CpuEngine, keys: &[[u8; 32]], peers: &[[u8; 32]]) -> [u8; 32] {
        let operation = X25519 {
            secret_keys: SecretKeys::rows(Rows::new(keys)),
            peers: PublicKeys::x25519(peers),
            all_zero: AllZero::Reject,
            are_results_secret: true,
            items: keys.len(),
        };
        let results = rows_of::<32>(keys.len(), |out| {
            operation.compute_on_cpu(engine, 0..keys.len(), out);
        });
        assert!(results.iter().all(|result| *result == results[0]));
        results[0].unwrap()
    }

    /// RFC 7748, section 5.2: the result of 1,000,000 iterations, in all lanes if there are any.
    #[test]
    #[ignore = "takes two minutes in a release build: --ignored million_iterations"]
    fn million_iterations_match_rfc_7748() {
        let mut expected = [0; 32];
        hex::decode_to_slice(
            "7c3911e0ab2586fd864497297e575e6f3bc601c0883c30df5f4dd2d24f665424",
            &mut expected,
        )
        .unwrap();
        let engine = || CpuEngine::new(Some(1), None).unwrap();
        for (engine, items) in [(engine().portable(), 1), (engine(), 8)] {
            let mut key = super::super::BASE;
            let mut u = key;
            for _ in 0..1_000_000 {
                (key, u) = (compute(&engine, &vec![key; items], &vec![u; items]), key);
            }
            assert_eq!(key, expected);
        }
    }
}
