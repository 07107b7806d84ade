//! Signatures of BIP 340, one for an input.

use crate::reason::rejection_of;
use crate::threads::{map, split};
use gecc::{Engine, PublicKeys, Rejection, Verdict, bip340};
use rayon::ThreadPool;

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

    /// Copies all rows.
    fn copy_to(&self, digests: &mut [[u8; 32]], signatures: &mut [[u8; 64]], keys: &mut [[u8; 32]]) {
        digests.copy_from_slice(&self.digests);
        signatures.copy_from_slice(&self.signatures);
        keys.copy_from_slice(&self.keys);
    }
}

/// Verifies the signatures of all parts of a batch. Gives the answers of each part that do not hold, with what is wrong.
///
/// # Errors
/// What the engine says.
pub fn verify(
    engine: &Engine,
    pool: &ThreadPool,
    parts: &[&Signatures],
) -> Result<Vec<Vec<(usize, Rejection)>>, gecc::Error> {
    let counts = || parts.iter().map(|part| part.answers.len());
    let rows = counts().sum();
    let (mut digests, mut signatures, mut keys) = (vec![[0; 32]; rows], vec![[0; 64]; rows], vec![[0; 32]; rows]);
    let columns = split(&mut digests, counts()).zip(split(&mut signatures, counts())).zip(split(&mut keys, counts()));
    map(pool, parts.iter().zip(columns), |(part, ((digests, signatures), keys))| {
        part.copy_to(digests, signatures, keys);
    });
    let mut codes = vec![0; rows];
    bip340::verify_into(engine, &digests, &signatures, PublicKeys::x_only(&keys), &mut codes)?;
    let mut codes = codes.into_iter();
    let failed = parts.iter().map(|part| {
        let of_part = part.answers.iter().zip(codes.by_ref());
        let failed = of_part.filter(|(_, code)| *code != Verdict::VALID_CODE);
        failed.map(|(answer, code)| (*answer, rejection_of(code))).collect()
    });
    Ok(failed.collect())
}
