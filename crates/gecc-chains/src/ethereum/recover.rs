//! Computing batches on the engine: the columns of their parts are joined, and the results are
//! assigned to the parts again.

use super::answers::Answers;
use super::decoded::DecodedSignatures;
use crate::buffers::{PageLockedColumn, ReusePool, split};
use gecc::ecdsa::{self, Address};
use gecc::fields::Hash;
use gecc::pipeline::map;
use gecc::{Engine, hash};
use rayon::ThreadPool;
use std::sync::Arc;

/// The columns of a batch.
#[derive(Default)]
pub struct BatchColumns {
    /// The digests that rows sign, followed by hashes of transactions.
    digests: PageLockedColumn<32>,
    signatures: PageLockedColumn<64>,
    recovery_ids: PageLockedColumn<1>,
    addresses: PageLockedColumn<20>,
    codes: PageLockedColumn<1>,
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
    part: DecodedSignatures,
    of_batch: Arc<Signers>,
    /// The index of its first row in the batch.
    first_row: usize,
    /// The index of its first hash in the batch.
    first_hash: usize,
}

/// Recovers all signers of a batch.
///
/// # Errors
/// Errors of the engine.
pub fn recover(
    engine: &Engine,
    pool: &ThreadPool,
    spare: &ReusePool<BatchColumns>,
    parts: Vec<DecodedSignatures>,
) -> Result<Vec<Recovered>, gecc::Error> {
    // Both are hashed as one batch, which is large enough for a device.
    let signed = parts.iter().flat_map(|part| part.signed.iter());
    let hashed = parts.iter().flat_map(|part| part.hashed.iter());
    let messages: Vec<&[u8]> = signed.chain(hashed).collect();
    let counts: Vec<usize> = parts.iter().map(DecodedSignatures::rows).collect();
    let rows = counts.iter().sum();
    let mut columns = spare.take();
    let digests = columns.digests.rows(engine, messages.len());
    let signatures = columns.signatures.rows(engine, rows);
    let recovery_ids = columns.recovery_ids.rows(engine, rows);
    let signatures_of_parts = split(signatures, counts.iter().copied());
    let recovery_ids_of_parts = split(recovery_ids, counts.iter().copied());
    let of_parts = signatures_of_parts.zip(recovery_ids_of_parts);
    map(
        pool,
        parts.iter().zip(of_parts),
        |(part, (signatures, recovery_ids))| {
            part.copy_to(signatures, recovery_ids.as_flattened_mut());
        },
    );
    hash::digests_into(engine, Hash::Keccak256, &messages, digests)?;
    let (digests, hashes) = digests.split_at(rows);
    let addresses = columns.addresses.rows(engine, rows);
    let codes = columns.codes.codes(engine, rows);
    ecdsa::recover_addresses_into(
        engine,
        digests,
        &*signatures,
        &*recovery_ids,
        addresses,
        codes,
    )?;
    let signers = Signers {
        addresses: addresses.to_vec(),
        codes: codes.to_vec(),
        hashes: hashes.to_vec(),
    };
    spare.give_back(columns);
    let of_batch = Arc::new(signers);
    let mut first_row = 0;
    let mut first_hash = 0;
    let mut recovered = Vec::with_capacity(parts.len());
    for part in parts {
        let rows = part.rows();
        let hashes = part.hashed.len();
        recovered.push(Recovered {
            part,
            of_batch: Arc::clone(&of_batch),
            first_row,
            first_hash,
        });
        first_row += rows;
        first_hash += hashes;
    }
    Ok(recovered)
}

impl Recovered {
    /// Returns the answers of the part, and the emptied part for reuse.
    pub fn answers(self) -> (Answers, DecodedSignatures) {
        let Recovered {
            mut part,
            of_batch,
            first_row,
            first_hash,
        } = self;
        let rows = first_row..first_row + part.rows();
        let hashes = first_hash..first_hash + part.hashed.len();
        let Signers {
            addresses,
            codes,
            hashes: of_all,
        } = &*of_batch;
        (
            part.take_answers(&addresses[rows.clone()], &codes[rows], &of_all[hashes]),
            part,
        )
    }
}
