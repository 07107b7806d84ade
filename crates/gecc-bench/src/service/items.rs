//! Signatures made in advance, with distinct keys and some corrupted.

use crate::measure::inputs::{BenchInputs, Memory};
use crate::schemes;
use gecc::ecdsa::Policy;
use gecc::service::{Caller, Request};
use gecc::{CurveId, Engine, Point, PublicKeys, Verdicts};
use gecc_cli::failure::Failure;
use std::ops::Range;

/// The period and the index of the first corrupted signature.
const CORRUPTED_EACH: usize = 97;
const FIRST_CORRUPTED: usize = 7;

pub struct Items {
    pub curve: CurveId,
    digests: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    keys: Vec<Point>,
}

impl Items {
    pub fn new(engine: &Engine, curve: CurveId, items: usize) -> Result<Self, Failure> {
        let inputs = BenchInputs::new(engine, curve, items, Memory::Pageable)?;
        inputs.check(engine, &Engine::cpu()?)?;
        let signed = inputs.signed(engine, usize::MAX)?;
        let mut signatures = signed.signatures.to_vec();
        (0..items)
            .filter(|item| is_corrupted(*item))
            .for_each(|item| signatures[item][63] ^= 1);
        Ok(Items {
            curve,
            digests: inputs.digests.to_vec(),
            signatures,
            keys: signed.keys.to_vec(),
        })
    }

    pub fn len(&self) -> usize {
        self.digests.len()
    }

    /// Makes a verification request to a service.
    pub fn request<'a>(&'a self, caller: &'a Caller, at: Range<usize>) -> Request<'a, Verdicts> {
        let digests = &self.digests[at.clone()];
        let signatures = &self.signatures[at.clone()];
        let keys = PublicKeys::points(&self.keys[at]);
        match self.curve.has_sm2() {
            false => caller.ecdsa_verify(self.curve, digests, signatures, keys, Policy::default()),
            true => caller.sm2_verify(digests, signatures, keys),
        }
    }

    /// Verifies by a direct call of the engine.
    pub fn call(&self, engine: &Engine, at: Range<usize>) -> Result<Verdicts, Failure> {
        let digests = &self.digests[at.clone()];
        let signatures = &self.signatures[at.clone()];
        Ok(schemes::verify(
            engine,
            self.curve,
            digests,
            signatures,
            &self.keys[at],
        )?)
    }

    /// Returns the number of verdicts that are not the expected ones for these items.
    pub fn wrong(at: Range<usize>, verdicts: &Verdicts) -> usize {
        let missing = at.len().abs_diff(verdicts.len());
        missing
            + at.zip(verdicts.iter())
                .filter(|(item, verdict)| verdict.is_valid() == is_corrupted(*item))
                .count()
    }
}

fn is_corrupted(item: usize) -> bool {
    item % CORRUPTED_EACH == FIRST_CORRUPTED
}
