//! Computing batches on the engine: the columns of their parts are joined, and the results are
//! assigned to the parts again.

use super::answers::Answers;
use super::decoded::Decoded;
use crate::column::{Column, split};
use crate::spare::Spare;
use gecc::ecdsa::{self, Address};
use gecc::fields::Hash;
use gecc::steps::map;
use gecc::{Engine, hash};
use rayon::ThreadPool;
use std::sync::Arc;

/// The columns of a batch.
#[derive(Default)]
pub struct BatchColumns {
    /// The digests that rows sign, followed by hashes of transactions.
    digests: Column<32>,
    signatures: Column<64>,
    recovery_ids: Column<1>,
    addresses: Column<20>,
    codes: Column<1>,
}

/// The recovered signers of a batch.
struct Signers {
    addresses: Vec<Address>,
    codes: Vec<u8>,
    /// The hashes of transactions, if requested.
    hashes: Vec<[u8; 32]>,
}

/// A part of a batch, with its recovered signers.
pub struct Recovered {
    part: Decoded,
    of_batch: Arc<Signers>,
    /// The indices of its first row and its first hash in the batch.
    first: (usize, usize),
}

/// Recovers all signers of a batch.
///
/// # Errors
/// Errors of the engine.
pub fn recover(
    engine: &Engine,
    pool: &ThreadPool,
    spare: &Spare<BatchColumns>,
    parts: Vec<Decoded>,
) -> Result<Vec<Recovered>, gecc::Error> {
    let signed = || parts.iter().flat_map(|part| part.signed.iter());
    let hashed = || parts.iter().flat_map(|part| part.hashed.iter());
    // Both are hashed as one batch, which is large enough for a device.
    let messages: Vec<&[u8]> = signed().chain(hashed()).collect();
    let counts = || parts.iter().map(Decoded::rows);
    let rows = counts().sum();
    let mut columns = spare.take();
    let digests = columns.digests.rows(engine, messages.len());
    let signatures = columns.signatures.rows(engine, rows);
    let recovery_ids = columns.recovery_ids.rows(engine, rows);
    let of_parts = split(signatures, counts()).zip(split(recovery_ids, counts()));
    map(pool, parts.iter().zip(of_parts), |(part, (signatures, recovery_ids))| {
        part.copy_to(signatures, recovery_ids.as_flattened_mut());
    });
    hash::digests_into(engine, Hash::Keccak256, &messages, digests)?;
    let (digests, hashes) = digests.split_at(rows);
    let addresses = columns.addresses.rows(engine, rows);
    let codes = columns.codes.codes(engine, rows);
    ecdsa::recover_addresses_into(engine, digests, &*signatures, &*recovery_ids, addresses, codes)?;
    let signers = Signers { addresses: addresses.to_vec(), codes: codes.to_vec(), hashes: hashes.to_vec() };
    spare.give_back(columns);
    let of_batch = Arc::new(signers);
    let mut next = (0, 0);
    let recovered = parts.into_iter().map(|part| {
        let first = next;
        next = (first.0 + part.rows(), first.1 + part.hashed.len());
        Recovered { part, of_batch: Arc::clone(&of_batch), first }
    });
    Ok(recovered.collect())
}

impl Recovered {
    /// Returns the answers of the part, and the emptied part for reuse.
    pub fn answers(self) -> (Answers, Decoded) {
        let Recovered { mut part, of_batch, first: (row, hash) } = self;
        let rows = row..row + part.rows();
        let hashes = hash..hash + part.hashed.len();
        let Signers { addresses, codes, hashes: of_all } = &*of_batch;
        (part.take_answers(&addresses[rows.clone()], &codes[rows], &of_all[hashes]), part)
    }
}
