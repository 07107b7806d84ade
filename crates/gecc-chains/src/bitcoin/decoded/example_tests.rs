//! Compares the example lines of signatures with the decoded blocks that they come from.

use super::{BlockError, MOST_LEGACY, OpenBlock, TOO_MUCH};
use crate::BlockRange;
use crate::bitcoin::decoded::DecodedInputs;
use crate::bitcoin::hashes::sha256d;
use crate::bitcoin::network::Network;
use crate::bitcoin::sighash::SighashDigest;
use crate::bitcoin::{DecodedBlocks, InputVerification, Magics, files, undo};
use crate::test_support::{decode, lines, path, paths};
use gecc::PublicKeys;

/// The lines contain, input by input, every signature that the blocks require, each with the key
/// that it matches. That they match is shown by tests of the library.
#[test]
fn example_lines_equal_decoded_blocks() {
    let paths = paths(&["bitcoin/block300025.raw", "bitcoin/block1087400.raw"]);
    let decoded = decode(
        &InputVerification::new(BlockRange::default()),
        files(&paths, Magics::Known),
    );
    assert!(decoded.iter().all(|part| part.progress.problems.is_empty()));
    let lines = lines("bitcoin_blocks.jsonl");
    let mut next = lines.iter();
    let mut passed_over = 0;
    for (decoded, check) in decoded
        .iter()
        .flat_map(|part| part.checks.pending.iter().map(move |check| (part, check)))
    {
        let answer = &decoded.answers[check.answer];
        let mut keys = decoded.checks.keys[check.keys.clone()].iter();
        for signed in &decoded.checks.signatures[check.signatures.clone()] {
            let line = next.next().expect("a line for each signature");
            let tag = format!("{}:{}", answer.txid, answer.input);
            assert_eq!(line.text("tag"), tag);
            let digest = match signed.digest {
                SighashDigest::Known(digest) => digest,
                SighashDigest::Of(message) => {
                    sha256d(decoded.checks.messages.iter().nth(message).unwrap())
                }
            };
            assert_eq!(line.bytes("digest"), digest, "{tag}");
            assert_eq!(line.bytes("signature"), signed.signature, "{tag}");
            // Keys are tried after that of the previous signature.
            let key = line.bytes("public_key");
            passed_over += keys
                .position(|other| *other == PublicKeys::mixed_row(&key))
                .expect("a key that the input may be signed by");
        }
    }
    assert!(next.next().is_none());
    // Keys of multisigs that do not match.
    assert_eq!((lines.len(), passed_over), (1697, 61));
}

/// Returns the number of inputs of a block that are not checked if signatures in the legacy form
/// may hash `left` bytes.
fn unchecked(left: u64) -> usize {
    let [block, spent] = ["block300025.raw", "block300025-undo.raw"]
        .map(|name| std::fs::read(path("bitcoin").join(name)).expect("example data"));
    let opened = OpenBlock::new(
        Network::Bitcoin,
        block,
        |inputs| undo::plain(spent, inputs).map_err(BlockError::from),
        BlockRange::default(),
    );
    let mut open = opened.unwrap().unwrap();
    open.legacy_left = left;
    let mut decoded = DecodedInputs::default();
    assert!(decoded.add(&mut open, usize::MAX));
    decoded
        .answers
        .iter()
        .filter(|answer| answer.reason == Some(TOO_MUCH))
        .count()
}

/// Inputs that sign in the legacy form each hash their whole transaction.
#[test]
fn legacy_hashing_is_bounded() {
    assert_eq!(unchecked(MOST_LEGACY), 0);
    assert!((1..1427).contains(&unchecked(100_000)));
    assert_eq!(unchecked(0), 1427);
}
