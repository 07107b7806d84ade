//! Verification of ECDSA signatures with one of several keys.
//!
//! A single signature counts as 1-of-1 multisig. OP_CHECKMULTISIG tries the keys one after another
//! until one matches, so each round verifies the next pair of signature and key of every undecided
//! input, as one batch.

use super::answers::Reason;
use super::sighash::Digest;
use crate::buffers::{Column, split};
use crate::messages::Messages;
use crate::reason::rejection_of;
use gecc::fields::Hash;
use gecc::steps::map;
use gecc::{Engine, PublicKeys, Rejection, Secp256k1, Verdict, ecdsa, hash};
use rayon::ThreadPool;
use std::ops::Range;

/// The digest of a signature, r and s.
pub struct Pair {
    pub digest: Digest,
    /// The signature; zeros, which are never valid, if the bytes are not a signature.
    pub signature: [u8; 64],
    /// The reason why the bytes are not a signature.
    pub unreadable: Option<&'static str>,
}

impl Pair {
    /// Creates a pair for bytes that are not a signature.
    pub fn unreadable(why: &'static str) -> Self {
        Pair { digest: Digest::Known([0; 32]), signature: [0; 64], unreadable: Some(why) }
    }

    /// Returns the reason of a failure with this code.
    fn reason_of_failure(&self, code: u8) -> Reason {
        self.unreadable.map_or_else(|| Reason::Signature(rejection_of(code)), Reason::Malformed)
    }
}

/// The claim that each of these signatures matches one of these keys, in their order, no key twice.
pub struct Claim {
    /// The answer that the claim decides.
    pub answer: usize,
    /// The signatures that are left.
    pub signatures: Range<usize>,
    pub keys: Range<usize>,
}

/// The claims of some inputs.
#[derive(Default)]
pub struct Claims {
    /// The messages to be hashed.
    pub messages: Messages,
    pub signatures: Vec<Pair>,
    /// Keys, as rows of the mixed form.
    pub keys: Vec<[u8; 65]>,
    pub open: Vec<Claim>,
    /// Answers that fail, with the reason found for the last pair.
    pub failed: Vec<(usize, Reason)>,
}

/// The columns of a batch.
#[derive(Default)]
pub struct Columns {
    /// The digests of all messages.
    hashed: Column<32>,
    rows: Rows,
}

/// The pairs that are verified next.
#[derive(Default)]
struct Rows {
    digests: Column<32>,
    signatures: Column<64>,
    keys: Column<65>,
    codes: Column<1>,
}

impl Claims {
    /// Returns the approximate memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.messages.bytes()
            + self.signatures.len() * size_of::<Pair>()
            + self.keys.len() * size_of::<[u8; 65]>()
            + self.open.len() * size_of::<Claim>()
    }

    /// Drops claims that cannot hold. A claim without a pair to try fails as a mismatch.
    fn begin(&mut self) {
        let Claims { open, failed, .. } = self;
        let mismatch = Reason::Signature(Rejection::Mismatch);
        open.retain(|claim| is_possible(claim) || give_up(claim, mismatch, failed));
    }

    /// Writes the next pair of each claim, with the digests of the messages.
    fn fill(&self, hashed: &[[u8; 32]], digests: &mut [[u8; 32]], signatures: &mut [[u8; 64]], keys: &mut [[u8; 65]]) {
        let rows = digests.iter_mut().zip(signatures).zip(keys);
        for (claim, ((digest, signature), key)) in self.open.iter().zip(rows) {
            let pair = &self.signatures[claim.signatures.start];
            *digest = match pair.digest {
                Digest::Known(digest) => digest,
                Digest::Of(message) => hashed[message],
            };
            *signature = pair.signature;
            *key = self.keys[claim.keys.start];
        }
    }

    /// Advances each claim according to the code of its pair.
    fn advance(&mut self, codes: &[u8]) {
        let Claims { open, failed, signatures, .. } = self;
        let mut codes = codes.iter();
        open.retain_mut(|claim| {
            let code = *codes.next().expect("a code for each claim");
            let tried = &signatures[claim.signatures.start];
            claim.keys.start += 1;
            if code == Verdict::VALID_CODE {
                claim.signatures.start += 1;
            }
            !claim.signatures.is_empty()
                && (is_possible(claim) || give_up(claim, tried.reason_of_failure(code), failed))
        });
    }
}

/// Decides the claims of all parts of a batch.
///
/// # Errors
/// Errors of the engine.
pub fn decide(
    engine: &Engine,
    pool: &ThreadPool,
    columns: &mut Columns,
    parts: &mut [&mut Claims],
) -> Result<(), gecc::Error> {
    map(pool, parts.iter_mut(), |claims| claims.begin());
    let messages: Vec<&[u8]> = parts.iter().flat_map(|claims| claims.messages.iter()).collect();
    let hashed = columns.hashed.rows(engine, messages.len());
    hash::digests_into(engine, Hash::Sha256d, &messages, hashed)?;
    loop {
        let counts: Vec<usize> = parts.iter().map(|claims| claims.open.len()).collect();
        if counts.iter().all(|count| *count == 0) {
            return Ok(());
        }
        let mut codes = verify_next(engine, pool, &mut columns.rows, parts, hashed, &counts)?;
        let of_parts = counts.iter().map(|count| codes.split_off(..*count).expect("a code for each claim"));
        map(pool, parts.iter_mut().zip(of_parts), |(claims, codes)| claims.advance(codes));
    }
}

/// Returns the codes of the next pairs, with the digests of all messages. Consensus accepts high s,
/// as the default policy does.
fn verify_next<'a>(
    engine: &Engine,
    pool: &ThreadPool,
    columns: &'a mut Rows,
    parts: &[&mut Claims],
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
    let hashed =
        parts.iter().map(|claims| hashed.split_off(..claims.messages.len()).expect("a digest for each message"));
    map(pool, parts.iter().zip(hashed).zip(of_parts), |((claims, hashed), ((digests, signatures), keys))| {
        claims.fill(hashed, digests, signatures, keys);
    });
    let policy = ecdsa::Policy::default();
    let codes = columns.codes.codes(engine, rows);
    ecdsa::verify_into(engine, Secp256k1, &*digests, &*signatures, PublicKeys::mixed(&*keys), policy, codes)?;
    Ok(codes)
}

/// Returns whether enough keys are left for the signatures.
fn is_possible(claim: &Claim) -> bool {
    !claim.signatures.is_empty() && claim.signatures.len() <= claim.keys.len()
}

/// Records a claim that failed. It is not tried any more.
fn give_up(claim: &Claim, reason: Reason, failed: &mut Vec<(usize, Reason)>) -> bool {
    failed.push((claim.answer, reason));
    false
}
