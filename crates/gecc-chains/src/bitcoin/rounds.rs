//! Signatures of ECDSA and keys tried with each other.
//!
//! A single signature counts as 1-of-1 multisig. OP_CHECKMULTISIG tries the keys one after the other until one fits, so
//! each round verifies the next pair of signature and key of every input that is not decided yet, as one batch.

use crate::reason::rejection_of;
use gecc::{Engine, PublicKeys, Rejection, Secp256k1, Verdict, ecdsa};
use std::ops::Range;

/// What a signature signs, and r and s.
pub struct Pair {
    pub digest: [u8; 32],
    pub signature: [u8; 64],
}

/// Each of these signatures fits one of these keys, in their order, no key twice.
pub struct Claim {
    /// The answer that it decides.
    pub answer: usize,
    /// Those that are left.
    pub signatures: Range<usize>,
    pub keys: Range<usize>,
}

/// The claims of some inputs.
#[derive(Default)]
pub struct Claims {
    pub signatures: Vec<Pair>,
    /// SEC 1, or not; none much longer.
    pub keys: Vec<Vec<u8>>,
    pub open: Vec<Claim>,
}

impl Claims {
    /// Bytes in memory, more or less.
    pub fn bytes(&self) -> usize {
        const KEY: usize = size_of::<Vec<u8>>() + 80;
        self.signatures.len() * size_of::<Pair>() + self.keys.len() * KEY + self.open.len() * size_of::<Claim>()
    }

    /// Puts those of other answers behind, which come after so many.
    pub fn append(&mut self, next: Claims, answers: usize) {
        let (signatures, keys) = (self.signatures.len(), self.keys.len());
        let shifted = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        self.open.extend(next.open.into_iter().map(|claim| Claim {
            answer: claim.answer + answers,
            signatures: shifted(claim.signatures, signatures),
            keys: shifted(claim.keys, keys),
        }));
        self.signatures.extend(next.signatures);
        self.keys.extend(next.keys);
    }

    /// Decides all claims. Gives the answers of those that do not hold, with what was wrong with the last pair.
    ///
    /// # Errors
    /// What the engine says.
    pub fn decide(&mut self, engine: &Engine) -> Result<Vec<(usize, Rejection)>, gecc::Error> {
        let mut failed = Vec::new();
        // Where nothing can be tried no signature fits.
        self.open.retain(|claim| is_possible(claim) || give_up(claim, Rejection::Mismatch, &mut failed));
        while !self.open.is_empty() {
            let codes = self.verify_next(engine)?;
            let mut codes = codes.into_iter();
            self.open.retain_mut(|claim| {
                let code = codes.next().expect("a code for each claim");
                claim.keys.start += 1;
                if code == Verdict::VALID_CODE {
                    claim.signatures.start += 1;
                }
                !claim.signatures.is_empty() && (is_possible(claim) || give_up(claim, rejection_of(code), &mut failed))
            });
        }
        Ok(failed)
    }

    /// The code of the next pair of each claim. Consensus accepts high s: the default policy.
    fn verify_next(&self, engine: &Engine) -> Result<Vec<u8>, gecc::Error> {
        let pairs = || self.open.iter().map(|claim| &self.signatures[claim.signatures.start]);
        let digests: Vec<[u8; 32]> = pairs().map(|pair| pair.digest).collect();
        let signatures: Vec<[u8; 64]> = pairs().map(|pair| pair.signature).collect();
        let keys: Vec<&[u8]> = self.open.iter().map(|claim| self.keys[claim.keys.start].as_slice()).collect();
        let mut codes = vec![0; keys.len()];
        let policy = ecdsa::Policy::default();
        ecdsa::verify_into::<Secp256k1>(engine, &digests, &signatures, PublicKeys::sec1(&keys), policy, &mut codes)?;
        Ok(codes)
    }
}

/// Whether enough keys are left for the signatures.
fn is_possible(claim: &Claim) -> bool {
    !claim.signatures.is_empty() && claim.signatures.len() <= claim.keys.len()
}

/// Notes a claim that does not hold. It is not tried any more.
fn give_up(claim: &Claim, rejection: Rejection, failed: &mut Vec<(usize, Rejection)>) -> bool {
    failed.push((claim.answer, rejection));
    false
}
