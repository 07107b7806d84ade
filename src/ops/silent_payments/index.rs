//! Tweak points, as an operation. All of it is public.

use super::cpu;
use crate::cpu::CpuEngine;
use crate::curve::Secp256k1;
use crate::op::{Computation, Worth};
use crate::types::{Error, Place, PublicKeys, Rows, require_lengths};
use std::ops::Range;

/// `hash_BIP0352/Inputs(outpoint || A) A` for each smallest outpoint and sum A of input keys.
pub(crate) struct TweakPoints<'a> {
    pub outpoints: Rows<'a, 36>,
    pub input_keys: PublicKeys<'a>,
    pub items: usize,
}

impl<'a> TweakPoints<'a> {
    pub fn new(outpoints: Rows<'a, 36>, input_keys: PublicKeys<'a>, items: usize) -> Result<Self, Error> {
        let found = [("outpoints", outpoints.len_for(items)), ("sums of input keys", input_keys.len_for(items))];
        require_lengths(items, &found)?;
        Ok(TweakPoints { outpoints, input_keys, items })
    }
}

impl Computation for TweakPoints<'_> {
    /// That of a multiplication of points.
    fn worth(&self) -> Worth {
        Worth { portable: 25, lanes: 70 }
    }

    fn on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut dyn Place) {
        let (outpoints, keys) = (self.outpoints.slice(items.clone()), self.input_keys.slice(items));
        cpu::tweak_points::<Secp256k1>(engine, outpoints, keys, out);
    }
}
