//! Compares the example lines of signatures with the decoded blocks that they come from.

use super::{DecodedSignatures, ItemHash, SignatureItem};
use crate::ethereum::{Options, Senders, sources};
use crate::test_support::{decode, lines, paths};
use alloy_primitives::{Address, keccak256};

/// The blocks in the order of the lines.
const BLOCKS: [&str; 8] = [
    "ethereum/block_1150000.json",
    "ethereum/block_1920000.json",
    "ethereum/block_2675000.json",
    "ethereum/block_12244000.json",
    "ethereum/block_19426587.json",
    "ethereum/block_22431082.json",
    "ethereum/block_22431083.json",
    "ethereum/block_22431086.json",
];

fn hash_of(part: &DecodedSignatures, message: usize) -> [u8; 32] {
    keccak256(part.hashed.iter().nth(message).unwrap()).0
}

/// Returns the tag of an item's line.
fn tag(part: &DecodedSignatures, item: &SignatureItem) -> String {
    let hash = match item.hash.clone() {
        ItemHash::Known(hash) => hash,
        ItemHash::Of(message) => hash_of(part, message),
        ItemHash::IfRejected(_) => panic!("all hashes are asked for"),
        ItemHash::Claimed(claimed, message, _) => {
            assert_eq!(claimed, hash_of(part, message));
            claimed
        }
    };
    match item.authorization {
        None => const_hex::encode_prefixed(hash),
        Some(index) => format!("{}/authorization/{index}", const_hex::encode_prefixed(hash)),
    }
}

#[test]
fn example_lines_equal_decoded_blocks() {
    let paths = paths(&BLOCKS);
    let options = Options::default();
    let lines = lines("ethereum_blocks.jsonl");
    let decoded = decode(&Senders::new(&options), sources(&paths));
    assert!(decoded.iter().all(|part| part.progress.problems.is_empty()));
    let rows: usize = decoded.iter().map(DecodedSignatures::rows).sum();
    let items = decoded.iter().flat_map(|part| {
        part.items
            .iter()
            .enumerate()
            .map(move |(row, item)| (part, row, item))
    });
    assert_eq!((lines.len(), rows, items.clone().count()), (530, 530, 530));
    for (line, (part, row, item)) in lines.iter().zip(items) {
        assert_eq!(
            (line.text("tag"), &item.not_rebuilt),
            (tag(part, item).as_str(), &None)
        );
        assert_eq!(
            line.bytes("digest"),
            keccak256(part.signed.iter().nth(row).unwrap()).0,
            "line {row}"
        );
        assert_eq!(line.bytes("signature"), part.signatures[row], "line {row}");
        assert_eq!(
            line.number("recovery_id"),
            u64::from(part.recovery_ids[row]),
            "line {row}"
        );
        // SEC 1, uncompressed. That this key is recovered is shown by tests of the library.
        let key = line.bytes("public_key");
        assert_eq!(
            Some(Address::from_raw_public_key(&key[1..]).into_array()),
            item.claimed,
            "line {row}"
        );
    }
}
