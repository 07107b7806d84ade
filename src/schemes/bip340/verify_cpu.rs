//! Verification on the CPU.

use super::verify::VerifyBip340;
use crate::cpu::field::Field;
use crate::cpu::{CpuCurve, CpuEngine};
use crate::curve::Secp256k1;
use crate::ops::hash::{Tag, tagged};
use crate::schemes::common::final_checks_cpu::{Equation, Equations, EvenWithX, SignatureBatch};
use crate::schemes::common::verify_cpu;
use crate::types::{PublicKeys, Rejection, ResultSink, Rows};
use std::ops::Range;

impl VerifyBip340<'_> {
    pub(super) fn verify_range(
        &self,
        engine: &CpuEngine,
        items: Range<usize>,
        out: &mut ResultSink,
    ) {
        let signatures = Bip340Signatures {
            message: &|item| self.messages.get(items.start + item),
            message_bytes: self.messages.average(),
            signatures: self.signatures.slice(items.clone()),
            keys: self.keys.slice(items.clone()),
            batch_verification: self.batch_verification,
        };
        verify_cpu::verify::<Secp256k1>(engine, &signatures, out);
    }
}

/// A batch of signatures.
pub(crate) struct Bip340Signatures<'a> {
    /// Returns the message of an item.
    pub message: &'a (dyn Fn(usize) -> &'a [u8] + Sync),
    /// The average length of a message.
    pub message_bytes: usize,
    pub signatures: Rows<'a, 64>,
    pub keys: PublicKeys<'a>,
    pub batch_verification: bool,
}

impl<C: CpuCurve> SignatureBatch<C> for Bip340Signatures<'_> {
    type FinalCheck = EvenWithX<C>;

    fn keys(&self) -> PublicKeys<'_> {
        self.keys
    }

    fn allows_batch_verification(&self) -> bool {
        self.batch_verification
    }

    fn hashed_bytes(&self) -> usize {
        self.message_bytes
    }

    fn equations(&self, items: &[usize]) -> Equations<C, EvenWithX<C>> {
        items
            .iter()
            .map(|&item| {
                let message = (self.message)(item);
                equation(message, self.signatures.get(item), &self.keys, item)
            })
            .collect()
    }
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
