//! The shipped lines of signatures against what is decoded from the blocks that they are of.

use super::Item;
use crate::ethereum::{Options, Senders, read_all};
use crate::limits::Limits;
use crate::shipped::{decode, lines, paths};
use alloy_primitives::Address;

/// In the order of the lines.
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

fn tag(item: &Item) -> String {
    match item.authorization {
        None => const_hex::encode_prefixed(item.hash),
        Some(index) => format!("{}/authorization/{index}", const_hex::encode_prefixed(item.hash)),
    }
}

#[test]
fn lines_are_what_blocks_have() {
    let (paths, options, lines) = (paths(&BLOCKS), Options::default(), lines("ethereum_blocks.jsonl"));
    let decoded = decode(&Senders::new(&options), |hand_on| read_all(&paths, 1, &Limits::new(None), hand_on));
    assert_eq!(decoded.progress.problems, []);
    assert_eq!((lines.len(), decoded.digests.len(), decoded.len()), (530, 530, 530));
    for (row, (line, item)) in lines.iter().zip(&decoded.items).enumerate() {
        assert_eq!((line.text("tag"), &item.not_rebuilt), (tag(item).as_str(), &None));
        assert_eq!(line.bytes("digest"), decoded.digests[row], "line {row}");
        assert_eq!(line.bytes("signature"), decoded.signatures[row], "line {row}");
        assert_eq!(line.number("recovery_id"), u64::from(decoded.recovery_ids[row]), "line {row}");
        // SEC 1, uncompressed. That it is recovered is shown by tests of the library.
        let key = line.bytes("public_key");
        assert_eq!(Some(Address::from_raw_public_key(&key[1..]).into_array()), item.claimed, "line {row}");
    }
}
