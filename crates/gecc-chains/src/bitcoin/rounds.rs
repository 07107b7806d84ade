//! Verification of ECDSA signatures with one of several keys.
//!
//! A single signature counts as 1-of-1 multisig. OP_CHECKMULTISIG tries the keys one after another
//! until one matches, so each round verifies the next pair of signature and key of every undecided
//! input, as one batch.

use super::answers::Reason;
use super::sighash::SighashDigest;
use crate::buffers::{PageLockedColumn, split};
use crate::messages::Messages;
use crate::reason::rejection_of;
use gecc::fields::Hash;
use gecc::pipeline::map;
use gecc::{Engine, PublicKeys, Rejection, Secp256k1, Verdict, ecdsa, hash};
use rayon::ThreadPool;
use std::ops::Range;

/// The digest of a signature, r and s.
pub struct EcdsaSignature {
    pub digest: SighashDigest,
    /// The signature; zeros, which are never valid, if the bytes are not a signature.
    pub signature: [u8; 64],
    /// The reason why the bytes are not a signature.
    pub unreadable: Option<&'static str>,
}

impl EcdsaSignature {
    /// Creates a pair for bytes that are not a signature.
    pub fn unreadable(why: &'static str) -> Self {
        EcdsaSignature {
            digest: SighashDigest::Known([0; 32]),
            signature: [0; 64],
            unreadable: Some(why),
        }
    }

    /// Returns the reason of a failure with this code.
    fn reason_of_failure(&self, code: u8) -> Reason {
        self.unreadable
            .map_or_else(|| Reason::Signature(rejection_of(code)), Reason::Malformed)
    }
}

/// The requirement that each of these signatures matches one of these keys, in their order, no key
/// twice.
pub struct EcdsaCheck {
    /// The answer that the check decides.
    pub answer: usize,
    /// The signatures that are left.
    pub signatures: Range<usize>,
    pub keys: Range<usize>,
}

/// The checks of some inputs.
#[derive(Default)]
pub struct EcdsaChecks {
    /// The messages to be hashed.
    pub messages: Messages,
    pub signatures: Vec<EcdsaSignature>,
    /// Keys, as rows of the mixed form.
    pub keys: Vec<[u8; 65]>,
    /// Checks that are not decided yet.
    pub pending: Vec<EcdsaCheck>,
    /// Answers that fail, with the reason found for the last pair.
    pub failed: Vec<(usize, Reason)>,
}

/// The columns of a batch.
#[derive(Default)]
pub struct EcdsaColumns {
    /// The digests of all messages.
    hashed: PageLockedColumn<32>,
    rows: RoundColumns,
}

/// The pairs that are verified next.
#[derive(Default)]
struct RoundColumns {
    digests: PageLockedColumn<32>,
    signatures: PageLockedColumn<64>,
    keys: PageLockedColumn<65>,
    codes: PageLockedColumn<1>,
}

impl EcdsaChecks {
    /// Returns the approximate memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.messages.bytes()
            + self.signatures.len() * size_of::<EcdsaSignature>()
            + self.keys.len() * size_of::<[u8; 65]>()
            + self.pending.len() * size_of::<EcdsaCheck>()
    }

    /// Drops checks that cannot hold. A check without a pair to try fails as a mismatch.
    fn begin(&mut self) {
        let EcdsaChecks {
            pending, failed, ..
        } = self;
        let mismatch = Reason::Signature(Rejection::Mismatch);
        pending.retain(|check| can_hold(check) || fail(check, mismatch, failed));
    }

    /// Writes the next pair of each check, with the digests of the messages.
    fn fill(
        &self,
        hashed: &[[u8; 32]],
        digests: &mut [[u8; 32]],
        signatures: &mut [[u8; 64]],
        keys: &mut [[u8; 65]],
    ) {
        let rows = digests.iter_mut().zip(signatures).zip(keys);
        for (check, ((digest, signature), key)) in self.pending.iter().zip(rows) {
            let pair = &self.signatures[check.signatures.start];
            *digest = match pair.digest {
                SighashDigest::Known(digest) => digest,
                SighashDigest::Of(message) => hashed[message],
            };
            *signature = pair.signature;
            *key = self.keys[check.keys.start];
        }
    }

    /// Advances each check according to the code of its pair.
    fn advance(&mut self, codes: &[u8]) {
        let EcdsaChecks {
            pending,
            failed,
            signatures,
            ..
        } = self;
        let mut codes = codes.iter();
        pending.retain_mut(|check| {
            let code = *codes.next().expect("a code for each check");
            let tried = &signatures[check.signatures.start];
            check.keys.start += 1;
            if code == Verdict::VALID_CODE {
                check.signatures.start += 1;
            }
            !check.signatures.is_empty()
                && (can_hold(check) || fail(check, tried.reason_of_failure(code), failed))
        });
    }
}

/// Decides the checks of all parts of a batch.
///
/// # Errors
/// Errors of the engine.
pub fn decide(
    engine: &Engine,
    pool: &ThreadPool,
    columns: &mut EcdsaColumns,
    parts: &mut [&mut EcdsaChecks],
) -> Result<(), gecc::Error> {
    map(pool, parts.iter_mut(), |checks| checks.begin());
    let messages: Vec<&[u8]> = parts
        .iter()
        .flat_map(|checks| checks.messages.iter())
        .collect();
    let hashed = columns.hashed.rows(engine, messages.len());
    hash::digests_into(engine, Hash::Sha256d, &messages, hashed)?;
    loop {
        let counts: Vec<usize> = parts.iter().map(|checks| checks.pending.len()).collect();
        if counts.iter().all(|count| *count == 0) {
            return Ok(());
        }
        let mut codes = verify_next(engine, pool, &mut columns.rows, parts, hashed, &counts)?;
        let of_parts = counts
            .iter()
            .map(|count| codes.split_off(..*count).expect("a code for each check"));
        map(pool, parts.iter_mut().zip(of_parts), |(checks, codes)| {
            checks.advance(codes)
        });
    }
}

/// Returns the codes of the next pairs, with the digests of all messages. Consensus accepts high s,
/// as the default policy does.
fn verify_next<'a>(
    engine: &Engine,
    pool: &ThreadPool,
    columns: &'a mut RoundColumns,
    parts: &[&mut EcdsaChecks],
    mut hashed: &[[u8; 32]],
    counts: &[usize],
) -> Result<&'a [u8], gecc::Error> {
    let rows = counts.iter().sum();
    let digests = columns.digests.rows(engine, rows);
    let signatures = columns.signatures.rows(engine, rows);
    let keys = columns.keys.rows(engine, rows);
    let digests_of_parts = split(digests, counts.iter().copied());
    let signatures_of_parts = split(signatures, counts.iter().copied());
    let keys_of_parts = split(keys, counts.iter().copied());
    let of_parts = digests_of_parts.zip(signatures_of_parts).zip(keys_of_parts);
    let hashed = parts.iter().map(|checks| {
        hashed
            .split_off(..checks.messages.len())
            .expect("a digest for each message")
    });
    map(
        pool,
        parts.iter().zip(hashed).zip(of_parts),
        |((checks, hashed), ((digests, signatures), keys))| {
            checks.fill(hashed, digests, signatures, keys);
        },
    );
    let policy = ecdsa::Policy::default();
    let codes = columns.codes.codes(engine, rows);
    ecdsa::verify_into(
        engine,
        Secp256k1,
        &*digests,
        &*signatures,
        PublicKeys::mixed(&*keys),
        policy,
        codes,
    )?;
    Ok(codes)
}

/// Returns whether enough keys are left for the signatures.
fn can_hold(check: &EcdsaCheck) -> bool {
    !check.signatures.is_empty() && check.signatures.len() <= check.keys.len()
}

/// Records the failure of a check. Returns false: it is not tried any more.
fn fail(check: &EcdsaCheck, reason: Reason, failed: &mut Vec<(usize, Reason)>) -> bool {
    failed.push((check.answer, reason));
    false
}
