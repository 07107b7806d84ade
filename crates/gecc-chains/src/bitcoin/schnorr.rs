//! BIP 340 signatures, one per input.

use crate::buffers::{PageLockedColumn, split};
use crate::messages::Messages;
use crate::reason::rejection_of;
use gecc::fields::Hash;
use gecc::pipeline::map;
use gecc::{Engine, PublicKeys, Rejection, Verdict, bip340, hash};
use rayon::ThreadPool;

/// The signatures of some inputs.
#[derive(Default)]
pub struct SchnorrSignatures {
    /// The answers that the signatures decide.
    answers: Vec<usize>,
    /// The messages to be hashed.
    messages: Messages,
    signatures: Vec<[u8; 64]>,
    keys: Vec<[u8; 32]>,
}

impl SchnorrSignatures {
    /// Adds a signature (R and s), its x-only key and its message, if `write` produces one.
    pub fn push(
        &mut self,
        answer: usize,
        signature: [u8; 64],
        key: [u8; 32],
        write: impl FnOnce(&mut Vec<u8>) -> Option<()>,
    ) -> Option<()> {
        self.messages.try_push(write)?;
        self.answers.push(answer);
        self.signatures.push(signature);
        self.keys.push(key);
        Some(())
    }

    /// Returns the number of bytes in memory.
    pub fn bytes(&self) -> usize {
        // Includes the digest.
        const ROW: usize = size_of::<usize>() + 32 + 64 + 32;
        self.answers.len() * ROW + self.messages.bytes()
    }

    /// Copies all rows.
    fn copy_to(&self, signatures: &mut [[u8; 64]], keys: &mut [[u8; 32]]) {
        signatures.copy_from_slice(&self.signatures);
        keys.copy_from_slice(&self.keys);
    }
}

/// The columns of a batch.
#[derive(Default)]
pub struct SchnorrColumns {
    digests: PageLockedColumn<32>,
    signatures: PageLockedColumn<64>,
    keys: PageLockedColumn<32>,
    codes: PageLockedColumn<1>,
}

/// Verifies the signatures of all parts of a batch. Returns, for each part, the answers that fail,
/// with the reason.
///
/// # Errors
/// Errors of the engine.
pub fn verify(
    engine: &Engine,
    pool: &ThreadPool,
    columns: &mut SchnorrColumns,
    parts: &[&SchnorrSignatures],
) -> Result<Vec<Vec<(usize, Rejection)>>, gecc::Error> {
    let counts: Vec<usize> = parts.iter().map(|part| part.answers.len()).collect();
    let rows = counts.iter().sum();
    let messages: Vec<&[u8]> = parts.iter().flat_map(|part| part.messages.iter()).collect();
    let digests = columns.digests.rows(engine, rows);
    hash::digests_into(engine, Hash::Sha256, &messages, digests)?;
    let signatures = columns.signatures.rows(engine, rows);
    let keys = columns.keys.rows(engine, rows);
    let of_parts =
        split(signatures, counts.iter().copied()).zip(split(keys, counts.iter().copied()));
    map(
        pool,
        parts.iter().zip(of_parts),
        |(part, (signatures, keys))| part.copy_to(signatures, keys),
    );
    let codes = columns.codes.codes(engine, rows);
    bip340::verify_into(
        engine,
        &*digests,
        &*signatures,
        PublicKeys::x_only(&*keys),
        codes,
    )?;
    let mut codes = codes.iter();
    let failed = parts.iter().map(|part| {
        let of_part = part.answers.iter().zip(codes.by_ref());
        let failed = of_part.filter(|(_, code)| **code != Verdict::VALID_CODE);
        failed
            .map(|(answer, code)| (*answer, rejection_of(*code)))
            .collect()
    });
    Ok(failed.collect())
}
