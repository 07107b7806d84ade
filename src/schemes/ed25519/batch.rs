//! Verification of Ed25519 itself as an operation of engines.

use super::rule::Rule;
use super::variant::Variant;
use super::verify::{Verification, verify};
use crate::cpu::CpuEngine;
use crate::cpu::edwards::curves::Ed25519;
use crate::op::{Computation, Worth};
use crate::ops::hash::SizedTexts;
use crate::types::{Batch, Place, PublicKeys, Rows};
use std::ops::Range;

/// The curve that kernels are compiled for.
pub const CURVE: &str = "ed25519";

/// From which size a GPU pays: on one H100 a batch takes a millisecond at least, as the 16 threads beside it take for
/// about 1000 items with lanes.
pub(crate) const VERIFY_WORTH: Worth = Worth { portable: 25, lanes: 64 };

/// The verification of a batch.
pub(crate) struct Verify<'a> {
    pub messages: SizedTexts<'a>,
    pub signatures: Rows<'a, 64>,
    pub keys: PublicKeys<'a>,
    pub rule: Rule,
    /// Whether the CPU may verify items together.
    pub together: bool,
    pub items: usize,
}

impl Batch for Verify<'_> {
    fn items(&self) -> usize {
        self.items
    }
}

impl Computation for Verify<'_> {
    fn worth(&self) -> Worth {
        VERIFY_WORTH
    }

    fn on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut dyn Place) {
        let (signatures, keys) = (self.signatures.slice(items.clone()), self.keys.slice(items.clone()));
        let challenge = |item: usize| {
            // A key of another form is rejected before its challenge matters.
            let Some(key) = keys.get(item).of_ed25519() else { return [0; 64] };
            Variant::PURE.challenge(signatures.get(item), key, self.messages.get(items.start + item))
        };
        let verification =
            Verification { rule: self.rule, challenge: &challenge, signatures, keys, together: self.together };
        verify::<Ed25519>(engine, &verification, out);
    }
}
