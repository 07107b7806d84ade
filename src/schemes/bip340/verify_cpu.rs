//! Verification on the CPU.

use super::verify::Verify;
use crate::cpu::field::Field;
use crate::cpu::tables::BaseTables;
use crate::cpu::{CpuCurve, CpuEngine};
use crate::curve::Secp256k1;
use crate::operation::{Computation, GpuThreshold};
use crate::ops::hash::{Tag, tagged};
use crate::schemes::common::final_checks_cpu::{Equation, Equations, EvenWithX};
use crate::schemes::common::verify_cpu;
use crate::types::{PublicKeys, Rejection, ResultSink, Rows};
use std::ops::Range;

/// The batch size above which a GPU is faster.
pub(crate) const WORTH: GpuThreshold = GpuThreshold {
    portable: 35,
    simd: 50,
};

impl Computation for Verify<'_> {
    fn gpu_threshold(&self) -> GpuThreshold {
        WORTH
    }

    fn on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        let signatures = self.signatures.slice(items.clone());
        let keys = self.keys.slice(items.clone());
        let messages: MessagesByIndex = (self.messages.average(), &|item| {
            self.messages.get(items.start + item)
        });
        verify::<Secp256k1>(
            engine,
            messages,
            signatures,
            keys,
            self.batch_verification,
            out,
        );
    }
}

/// The average length of a message, and a function that returns each message.
pub(crate) type MessagesByIndex<'f, 'm> = (usize, &'f (dyn Fn(usize) -> &'m [u8] + Sync));

pub(crate) fn verify<C: BaseTables>(
    engine: &CpuEngine,
    (bytes, message): MessagesByIndex,
    signatures: Rows<64>,
    keys: PublicKeys,
    batch_verification: bool,
    out: &mut ResultSink,
) {
    verify_cpu::verify::<C, _>(
        engine,
        keys,
        batch_verification,
        (bytes, |items: &[usize]| {
            equations::<C>(items, message, signatures, keys)
        }),
        out,
    );
}

/// Returns the equations of items.
pub(crate) fn equations<'m, C: CpuCurve>(
    items: &[usize],
    message: &dyn Fn(usize) -> &'m [u8],
    signatures: Rows<64>,
    keys: PublicKeys,
) -> Equations<C, EvenWithX<C>> {
    items
        .iter()
        .map(|&item| equation::<C>(message(item), signatures.get(item), &keys, item))
        .collect()
}

/// Computes the equation of an item (BIP 340, verification): R = s G - e P has the x-coordinate r
/// and an even y, where P is the point of the key with an even y.
fn equation<C: CpuCurve>(
    message: &[u8],
    signature: &[u8; 64],
    keys: &PublicKeys,
    item: usize,
) -> Result<Equation<C, EvenWithX<C>>, Rejection> {
    let (r, s) = signature.split_at(32);
    let r: &[u8; 32] = r.try_into().expect("half of 64 bytes");
    let s: &[u8; 32] = s.try_into().expect("half of 64 bytes");
    let final_check = EvenWithX(C::Base::from_be_bytes(r).ok_or(Rejection::ROutOfRange)?);
    let u1 = C::Scalar::from_be_bytes(s).ok_or(Rejection::SOutOfRange)?;
    // A malformed key is rejected when it is decoded, regardless of the challenge.
    let (x, y_is_odd) = keys.get(item).x_and_parity().unwrap_or((&[0; 32], false));
    let e = C::Scalar::from_be_bytes_reduced(&tagged(Tag::Challenge, &[r, x, message]));
    // If y is odd, the decoded point is -P.
    Ok(Equation {
        u1,
        u2: if y_is_odd { e } else { e.neg() },
        final_check,
    })
}
