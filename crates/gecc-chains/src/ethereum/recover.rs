//! Batches through the engine: the columns of their parts side by side, and the results back to each part.

use super::answers::Answers;
use super::decoded::Decoded;
use crate::spare::Spare;
use crate::threads::split;
use gecc::Engine;
use gecc::ecdsa::{self, Address};
use gecc::fields::Hash;
use gecc::hash;
use gecc::steps::map;
use rayon::ThreadPool;
use std::sync::Arc;

/// The columns of a batch.
#[derive(Default)]
pub struct BatchColumns {
    /// Of what rows sign.
    digests: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    recovery_ids: Vec<[u8; 1]>,
}

impl BatchColumns {
    /// Puts the rows of parts one behind the other.
    fn fill(&mut self, pool: &ThreadPool, parts: &[Decoded]) {
        let rows = parts.iter().map(Decoded::rows).sum();
        self.signatures.resize(rows, [0; 64]);
        self.recovery_ids.resize(rows, [0]);
        let counts = || parts.iter().map(Decoded::rows);
        let columns = split(&mut self.signatures, counts()).zip(split(&mut self.recovery_ids, counts()));
        map(pool, parts.iter().zip(columns), |(part, (signatures, recovery_ids))| {
            part.copy_to(signatures, recovery_ids.as_flattened_mut());
        });
    }
}

/// What was recovered of a batch.
struct Signers {
    addresses: Vec<Address>,
    codes: Vec<u8>,
    /// Of transactions, where they were asked for.
    hashes: Vec<[u8; 32]>,
}

/// A part of a batch, with what was recovered.
pub struct Recovered {
    part: Decoded,
    of_batch: Arc<Signers>,
    /// The first of its rows and of its hashes in the batch.
    first: (usize, usize),
}

/// Recovers all signers of a batch.
///
/// # Errors
/// What the engine says.
pub fn recover(
    engine: &Engine,
    pool: &ThreadPool,
    spare: &Spare<BatchColumns>,
    parts: Vec<Decoded>,
) -> Result<Vec<Recovered>, gecc::Error> {
    let mut columns = spare.take();
    columns.fill(pool, &parts);
    let signed = || parts.iter().flat_map(|part| part.signed.iter());
    let hashed = || parts.iter().flat_map(|part| part.hashed.iter());
    // Together, as one batch that is large enough for a device.
    let messages: Vec<&[u8]> = signed().chain(hashed()).collect();
    let rows = columns.signatures.len();
    columns.digests.resize(messages.len(), [0; 32]);
    hash::digests_into(engine, Hash::Keccak256, &messages, &mut columns.digests)?;
    let (digests, hashes) = columns.digests.split_at(rows);
    let mut signers = Signers { addresses: vec![[0; 20]; rows], codes: vec![0; rows], hashes: hashes.to_vec() };
    ecdsa::recover_addresses_into(
        engine,
        digests,
        &columns.signatures,
        &columns.recovery_ids,
        &mut signers.addresses,
        &mut signers.codes,
    )?;
    spare.give_back(columns);
    let (of_batch, mut next) = (Arc::new(signers), (0, 0));
    let recovered = parts.into_iter().map(|part| {
        let first = next;
        next = (first.0 + part.rows(), first.1 + part.hashed.len());
        Recovered { part, of_batch: Arc::clone(&of_batch), first }
    });
    Ok(recovered.collect())
}

impl Recovered {
    /// The answers of the part, and the part without what they were made of.
    pub fn answers(self) -> (Answers, Decoded) {
        let Recovered { mut part, of_batch, first: (row, hash) } = self;
        let (rows, hashes) = (row..row + part.rows(), hash..hash + part.hashed.len());
        let Signers { addresses, codes, hashes: of_all } = &*of_batch;
        (part.take_answers(&addresses[rows.clone()], &codes[rows], &of_all[hashes]), part)
    }
}
