//! Transactions with blobs in their network form, followed by the blobs, their commitments and
//! proofs: in the form of EIP-4844, and in that of EIP-7594, which has a version and proofs of
//! cells.
//!
//! Nodes accept such transactions (`eth_sendRawTransaction`), and tools print them. A transaction's
//! hash and its signature cover only its body. Of the rest, the lengths are checked, and that the
//! hashes of the commitments are those in the transaction. Proofs are not checked.

use super::decoded::hash;
use super::encoded_transaction::only_list;
use super::rlp;
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// Sizes in bytes of a blob, and of a commitment or a proof (EIP-4844).
const BLOB: usize = 1 << 17;
const COMMITMENT: usize = 48;
/// Number of proofs of each blob, one per cell (EIP-7594).
const CELLS: usize = 128;
/// The first byte of a blob's versioned hash (EIP-4844).
const KZG: u8 = 1;
/// Number of fields of a transaction with blobs before their hashes.
const BEFORE_HASHES: usize = 10;
const TYPE: u8 = 3;

/// Removes the sidecar of a transaction; `None` for anything that has none.
///
/// # Errors
/// The transaction's hash, and the reason why its sidecar does not belong to it.
pub fn without(encoded: &[u8]) -> Option<Result<Vec<u8>, ([u8; 32], Cow<'static, str>)>> {
    let [TYPE, list @ ..] = encoded else {
        return None;
    };
    let mut start = list;
    let payload = rlp::list(&mut start).ok()?;
    // The first field of a transaction without a sidecar is its chain, a string.
    if payload.first().is_none_or(|first| *first < rlp::EMPTY_LIST) {
        return None;
    }
    let mut rest = payload;
    let body = rlp::list(&mut rest).ok()?;
    let mut alone = vec![TYPE];
    alone.extend_from_slice(&payload[..payload.len() - rest.len()]);
    let checked = only_list(list).and_then(|_| check(body, rest));
    Some(match checked {
        Ok(()) => Ok(alone),
        Err(problem) => Err((
            hash(&alone),
            format!("the blobs after the transaction: {problem}").into(),
        )),
    })
}

/// Requires that a transaction's body is followed by its blobs, commitments and proofs.
fn check(mut body: &[u8], mut rest: &[u8]) -> rlp::Result<()> {
    for _ in 0..BEFORE_HASHES {
        rlp::item(&mut body)?;
    }
    let hashes = rlp::list(&mut body)?;
    let has_version = rest.first().is_some_and(|first| *first < rlp::EMPTY_LIST);
    if has_version && rlp::integer(&mut rest, 1)? != 1 {
        return Err("their version is not 1");
    }
    let blobs = count(rlp::list(&mut rest)?, BLOB)?;
    let commitments = rlp::list(&mut rest)?;
    let proofs = count(rlp::list(&mut rest)?, COMMITMENT)?;
    rlp::end(rest)?;
    let of_each = if has_version { CELLS } else { 1 };
    if count(commitments, COMMITMENT)? != blobs || proofs != of_each * blobs {
        return Err("the number of commitments or proofs does not match the number of blobs");
    }
    if count(hashes, 32)? != blobs {
        return Err("their number does not match the number of hashes in the transaction");
    }
    let mut hashes = hashes;
    let mut commitments = commitments;
    while !hashes.is_empty() {
        let expected = rlp::fixed::<32>(&mut hashes)?;
        let mut computed: [u8; 32] =
            Sha256::digest(rlp::fixed::<COMMITMENT>(&mut commitments)?).into();
        computed[0] = KZG;
        if computed != *expected {
            return Err("a commitment does not match its hash in the transaction");
        }
    }
    Ok(())
}

/// Returns the number of strings of `length` bytes in a list that must contain no others.
fn count(mut items: &[u8], length: usize) -> rlp::Result<usize> {
    let mut count = 0;
    while !items.is_empty() {
        if rlp::string(&mut items)?.len() != length {
            return Err("a blob, a commitment or a proof has the wrong length");
        }
        count += 1;
    }
    Ok(count)
}
