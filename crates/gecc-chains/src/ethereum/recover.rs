//! Batches through the engine: the columns of their parts side by side, and the results back to each part.

use super::answers::Answers;
use super::decoded::Decoded;
use crate::threads::{map, split};
use gecc::Engine;
use gecc::ecdsa::{self, Address};
use rayon::ThreadPool;
use std::sync::{Arc, Mutex, PoisonError};

/// The columns of a batch.
#[derive(Default)]
struct Columns {
    digests: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    recovery_ids: Vec<[u8; 1]>,
}

/// Columns that no batch has at the moment: memory that is new costs more than what is copied into it.
#[derive(Default)]
pub struct Free(Mutex<Vec<Columns>>);

impl Free {
    fn take(&self) -> Columns {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn give_back(&self, columns: Columns) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(columns);
    }
}

impl Columns {
    /// Puts the rows of parts one behind the other.
    fn fill(&mut self, pool: &ThreadPool, parts: &[Decoded]) {
        let rows = parts.iter().map(Decoded::rows).sum();
        self.digests.resize(rows, [0; 32]);
        self.signatures.resize(rows, [0; 64]);
        self.recovery_ids.resize(rows, [0]);
        let counts = || parts.iter().map(Decoded::rows);
        let digests = split(&mut self.digests, counts());
        let columns = digests.zip(split(&mut self.signatures, counts())).zip(split(&mut self.recovery_ids, counts()));
        map(pool, parts.iter().zip(columns), |(part, ((digests, signatures), recovery_ids))| {
            part.copy_to(digests, signatures, recovery_ids.as_flattened_mut());
        });
    }
}

/// What was recovered of a batch.
struct Signers {
    addresses: Vec<Address>,
    codes: Vec<u8>,
}

/// A part of a batch, with what was recovered.
pub struct Recovered {
    part: Decoded,
    of_batch: Arc<Signers>,
    /// The first of its rows in the batch.
    first: usize,
}

/// Recovers all signers of a batch.
///
/// # Errors
/// What the engine says.
pub fn recover(
    engine: &Engine,
    pool: &ThreadPool,
    free: &Free,
    parts: Vec<Decoded>,
) -> Result<Vec<Recovered>, gecc::Error> {
    let mut columns = free.take();
    columns.fill(pool, &parts);
    let rows = columns.digests.len();
    let mut signers = Signers { addresses: vec![[0; 20]; rows], codes: vec![0; rows] };
    ecdsa::recover_addresses_into(
        engine,
        &columns.digests,
        &columns.signatures,
        &columns.recovery_ids,
        &mut signers.addresses,
        &mut signers.codes,
    )?;
    free.give_back(columns);
    let (of_batch, mut next) = (Arc::new(signers), 0);
    let recovered = parts.into_iter().map(|part| {
        let first = next;
        next += part.rows();
        Recovered { part, of_batch: Arc::clone(&of_batch), first }
    });
    Ok(recovered.collect())
}

impl Recovered {
    /// The answers of the part.
    pub fn answers(self) -> Answers {
        let Recovered { part, of_batch, first } = self;
        let rows = first..first + part.rows();
        part.answers(&of_batch.addresses[rows.clone()], &of_batch.codes[rows])
    }
}
