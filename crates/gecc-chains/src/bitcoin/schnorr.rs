//! Signatures of BIP 340, one for an input.

use crate::reason::rejection_of;
use gecc::{Engine, PublicKeys, Rejection, Verdict, bip340};

/// What is signed, R and s, and the x-only key.
pub struct Signed {
    pub digest: [u8; 32],
    pub signature: [u8; 64],
    pub key: [u8; 32],
}

/// The signatures of some inputs.
#[derive(Default)]
pub struct Signatures {
    /// The answers that they decide.
    answers: Vec<usize>,
    digests: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    keys: Vec<[u8; 32]>,
}

impl Signatures {
    pub fn push(&mut self, answer: usize, signed: Signed) {
        self.answers.push(answer);
        self.digests.push(signed.digest);
        self.signatures.push(signed.signature);
        self.keys.push(signed.key);
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.answers.len() * (size_of::<usize>() + size_of::<Signed>())
    }

    /// Puts those of other answers behind, which come after so many.
    pub fn append(&mut self, next: Signatures, answers: usize) {
        self.answers.extend(next.answers.into_iter().map(|answer| answer + answers));
        self.digests.extend(next.digests);
        self.signatures.extend(next.signatures);
        self.keys.extend(next.keys);
    }

    /// Verifies all. Gives the answers of those that do not hold, with what is wrong.
    ///
    /// # Errors
    /// What the engine says.
    pub fn verify(&self, engine: &Engine) -> Result<Vec<(usize, Rejection)>, gecc::Error> {
        let mut codes = vec![0; self.answers.len()];
        bip340::verify_into(engine, &self.digests, &self.signatures, PublicKeys::x_only(&self.keys), &mut codes)?;
        let failed = self.answers.iter().zip(codes).filter(|(_, code)| *code != Verdict::VALID_CODE);
        Ok(failed.map(|(answer, code)| (*answer, rejection_of(code))).collect())
    }
}
