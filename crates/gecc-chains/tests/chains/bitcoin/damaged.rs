//! Signatures and outputs that were changed, truncated files, and files with false lengths or
//! headers.

use super::real::{MAGIC, OTHER_SCRIPT, check, check_with, decompressed, record, write_folder};
use crate::random::Random;
use crate::support::data;
use bitcoin::consensus::{Decodable, deserialize, serialize};
use bitcoin::{Amount, Block, TxOut, Witness};
use gecc_chains::bitcoin::{Answer, Template, Txid};
use gecc_chains::{FilePosition, Settings};
use rand::RngExt;
use std::collections::HashSet;
use std::path::Path;

const CHANGES: usize = 40;
const KEY: [u8; 8] = [7, 0, 255, 128, 1, 2, 3, 4];

/// A large and recent block, with the outputs that it spends.
fn block() -> (Block, Vec<TxOut>) {
    let mut rest = &decompressed("block866342-undo.raw.zst")[..];
    let mut spent = Vec::new();
    while !rest.is_empty() {
        spent.push(TxOut::consensus_decode(&mut rest).unwrap());
    }
    (
        deserialize(&decompressed("block866342.raw.zst")).unwrap(),
        spent,
    )
}

fn check_block(settings: &Settings, block: &Block, spent: &[TxOut]) -> Vec<Answer> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.raw");
    std::fs::write(&path, serialize(block)).unwrap();
    std::fs::write(
        folder.path().join("a-undo.raw"),
        spent.iter().flat_map(serialize).collect::<Vec<u8>>(),
    )
    .unwrap();
    check(settings, &[path])
}

/// Requires that the answers to changed inputs are rejections, and that all others are as expected.
fn require_rejected(found: &[Answer], expected: &[Answer], changed: &[usize]) {
    assert_eq!(found.len(), expected.len());
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        if changed.contains(&index) {
            assert_eq!(found.valid(), Some(false), "{found:?}");
        } else {
            assert_eq!(found, expected);
        }
    }
}

/// Transaction ids do not depend on witnesses, so the block stays valid.
pub fn witnesses_with_changed_bytes(settings: &Settings) {
    let mut random = Random::new();
    let (mut block, spent) = block();
    let expected = check_block(settings, &block, &spent);
    let mut changed = Vec::new();
    let mut index = 0;
    for transaction in block.txdata.iter_mut().skip(1) {
        for input in &mut transaction.input {
            if matches!(
                expected[index].template,
                Template::P2wpkh | Template::P2shP2wpkh
            ) && random.random_bool(0.02)
            {
                let mut elements = input.witness.to_vec();
                let element = random.random_range(0..2);
                // Not the hash type, of which some mean the same to this block.
                let byte = random.random_range(0..elements[element].len() - 1);
                elements[element][byte] ^= 1 << random.random_range(0..8);
                input.witness = Witness::from_slice(&elements);
                changed.push(index);
            }
            index += 1;
        }
    }
    assert!(!changed.is_empty());
    require_rejected(&check_block(settings, &block, &spent), &expected, &changed);
}

pub fn spent_outputs_with_changed_bytes(settings: &Settings) {
    let mut random = Random::new();
    let (block, mut spent) = block();
    let expected = check_block(settings, &block, &spent);
    // Inputs of taproot sign all outputs that the transaction spends.
    let with_taproot: HashSet<Txid> = expected
        .iter()
        .filter(|answer| {
            matches!(
                answer.template,
                Template::TaprootKey | Template::TaprootScript
            )
        })
        .map(|answer| answer.txid)
        .collect();
    let mut changed = Vec::new();
    for index in 0..spent.len() {
        let is_segwit = matches!(
            expected[index].template,
            Template::P2wpkh | Template::P2shP2wpkh
        );
        let is_alone = is_segwit && !with_taproot.contains(&expected[index].txid);
        if expected[index].valid() != Some(true) || !is_alone || random.random_bool(0.98) {
            continue;
        }
        if random.random_bool(0.5) {
            // BIP 143 signs the amount.
            spent[index].value = Amount::from_sat(spent[index].value.to_sat() ^ 1);
        } else {
            let mut script = spent[index].script_pubkey.to_bytes();
            let byte = script.len() - 3;
            script[byte] ^= 4;
            spent[index].script_pubkey = script.into();
        }
        changed.push(index);
    }
    let found = check_block(settings, &block, &spent);
    require_rejected(&found, &expected, &changed);
    assert!(
        changed
            .iter()
            .any(|index| found[*index].reason == Some(OTHER_SCRIPT))
    );
}

/// The files of a folder of Bitcoin Core, without the key and without space that was allocated
/// ahead.
pub fn real_files() -> (Vec<u8>, Vec<u8>) {
    let key: [u8; 8] = std::fs::read(data("blkrev/xor.dat"))
        .unwrap()
        .try_into()
        .unwrap();
    let plain = |name: &str| {
        let bytes = std::fs::read(data("blkrev").join(name)).unwrap();
        let bytes: Vec<u8> = bytes
            .iter()
            .zip(key.iter().cycle())
            .map(|(byte, key)| byte ^ key)
            .collect();
        // The records are followed by space that was allocated ahead.
        bytes[..bytes.len() - 1024].to_vec()
    };
    (plain("blk00000.dat"), plain("rev00000.dat"))
}

fn check_folder(settings: &Settings, folder: &Path) -> (Vec<Answer>, usize) {
    let (answers, problems) = check_with(settings, &[folder.to_owned()]);
    assert!(
        problems
            .iter()
            .all(|problem| problem.path.starts_with(folder))
    );
    (answers, problems.len())
}

pub fn files_cut_anywhere(settings: &Settings) {
    let mut random = Random::new();
    let (blocks, undo) = real_files();
    let expected = check(settings, &[data("blkrev")]);
    for _ in 0..CHANGES {
        let folder = tempfile::tempdir().unwrap();
        let mut blocks = blocks.clone();
        let mut undo = undo.clone();
        blocks.truncate(random.random_range(1..blocks.len()));
        if random.random_bool(0.5) {
            undo.truncate(random.random_range(1..undo.len()));
        }
        let hide = |bytes: &[u8]| {
            bytes
                .iter()
                .zip(KEY.iter().cycle())
                .map(|(byte, key)| byte ^ key)
                .collect::<Vec<u8>>()
        };
        std::fs::write(folder.path().join("blk00000.dat"), hide(&blocks)).unwrap();
        std::fs::write(folder.path().join("rev00000.dat"), hide(&undo)).unwrap();
        std::fs::write(folder.path().join("xor.dat"), KEY).unwrap();
        let (answers, problems) = check_folder(settings, folder.path());
        assert!(problems > 0 && answers.iter().all(|answer| expected.contains(answer)));
    }
}

pub fn files_with_changed_bytes(settings: &Settings) {
    let mut random = Random::new();
    let (blocks, undo) = real_files();
    let expected = check(settings, &[data("blkrev")]);
    for round in 0..CHANGES {
        let folder = tempfile::tempdir().unwrap();
        let mut blocks = blocks.clone();
        let mut undo = undo.clone();
        let changed = if round % 2 == 0 {
            &mut blocks
        } else {
            &mut undo
        };
        let place = random.random_range(0..changed.len());
        changed[place] ^= 1 << random.random_range(0..8);
        write_folder(folder.path(), &blocks, &undo, KEY);
        let (answers, problems) = check_folder(settings, folder.path());
        // The merkle root and the checksums cover everything but headers and witnesses, and the
        // contents of headers are part of a checksum.
        let others = answers
            .iter()
            .filter(|answer| !expected.contains(answer))
            .count();
        assert!(
            problems > 0 || others > 0 || answers == expected,
            "round {round}, byte {place}"
        );
        // With another version the header states no height, or states one where it did not.
        let is_known = |answer: &Answer| {
            expected.iter().any(|known| {
                Answer {
                    height: known.height,
                    ..answer.clone()
                } == *known
            })
        };
        assert!(
            answers
                .iter()
                .all(|answer| is_known(answer) || answer.valid() != Some(true))
        );
    }
}

pub fn blocks_of_another_network(settings: &Settings) {
    let (mut blocks, undo) = real_files();
    let expected = check(settings, &[data("blkrev")]);
    let start = blocks.len() as u64;
    blocks.extend(record(
        [0x0b, 0x11, 0x09, 0x07],
        &decompressed("block866342.raw.zst"),
    ));
    blocks.extend(record([1, 2, 3, 4], b"something else"));
    blocks.extend(record(MAGIC, &decompressed("block866342.raw.zst")));
    let undo = [undo, decompressed("block866342-rev.raw.zst")].concat();
    let folder = tempfile::tempdir().unwrap();
    write_folder(folder.path(), &blocks, &undo, KEY);
    let (answers, problems) = check_with(settings, &[folder.path().to_owned()]);
    assert_eq!(answers[..309], expected);
    assert_eq!(answers.len(), 309 + 7972);
    assert_eq!(
        (problems.len(), problems[0].place),
        (2, FilePosition::Byte(start))
    );
}

pub fn missing_files(settings: &Settings) {
    let (blocks, undo) = real_files();
    let folder = tempfile::tempdir().unwrap();
    write_folder(folder.path(), &blocks, &undo, KEY);
    std::fs::write(folder.path().join("xor.dat"), b"short").unwrap();
    assert_eq!(check_folder(settings, folder.path()), (Vec::new(), 1));
    write_folder(folder.path(), &blocks, &undo, KEY);
    std::fs::remove_file(folder.path().join("rev00007.dat")).unwrap();
    let (answers, problems) = check_folder(settings, folder.path());
    assert!(answers.is_empty() && problems >= 5);
}
