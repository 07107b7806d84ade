//! Real blocks, whose inputs are known to be signed.

use super::blocks::check_inputs;
use crate::support::{data, of_examples, paths};
use bitcoin::consensus::deserialize;
use bitcoin::{Amount, Transaction, TxOut};
use gecc_chains::bitcoin::{Answer, Answers, Reason, Template, Wrapping, verify};
use gecc_chains::{BlockRange, Problem, Settings};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The reason for an output with the hash of another script or key.
pub const OTHER_SCRIPT: Reason =
    Reason::Malformed("the script or key is not the one that the output commits to");
/// The magic of the main chain.
pub const MAGIC: [u8; 4] = [0xf9, 0xbe, 0xb4, 0xd9];

pub fn check_with(settings: &Settings, files: &[PathBuf]) -> (Vec<Answer>, Vec<Problem>) {
    let mut all = Vec::new();
    let mut problems = Vec::new();
    let mut bytes = 0;
    let paths = paths(files);
    let ended = verify(
        settings,
        &paths,
        BlockRange::default(),
        |Answers { answers, progress }| {
            all.extend(answers);
            problems.extend(progress.problems);
            bytes += progress.bytes;
            ControlFlow::<()>::Continue(())
        },
    );
    assert_eq!(ended.unwrap(), None);
    assert!(bytes <= paths.bytes());
    (all, problems)
}

/// The answers to files without a problem.
pub fn check(settings: &Settings, files: &[PathBuf]) -> Vec<Answer> {
    let (answers, problems) = check_with(settings, files);
    assert_eq!(problems, []);
    answers
}

/// Counts the valid and the unchecked inputs of each template. None may be rejected.
fn counts(answers: &[Answer]) -> BTreeMap<Template, (usize, usize)> {
    let mut counts = BTreeMap::new();
    for answer in answers {
        let (valid, unchecked) = counts.entry(answer.template).or_default();
        match answer.valid() {
            Some(true) => *valid += 1,
            None => *unchecked += 1,
            Some(false) => panic!("{answer:?}"),
        }
    }
    counts
}

/// Returns the decompressed content of a file.
pub fn decompressed(name: &str) -> Vec<u8> {
    zstd::decode_all(std::fs::File::open(data(name)).unwrap()).unwrap()
}

/// Writes a block and its undo data as Bitcoin Core does: obfuscated with a key and followed by
/// preallocated space.
pub fn write_folder(folder: &Path, blocks: &[u8], undo: &[u8], key: [u8; 8]) {
    for (name, bytes) in [("blk00007.dat", blocks), ("rev00007.dat", undo)] {
        let mut hidden: Vec<u8> = bytes
            .iter()
            .zip(key.iter().cycle())
            .map(|(byte, key)| byte ^ key)
            .collect();
        hidden.extend([0; 1000]);
        std::fs::write(folder.join(name), hidden).unwrap();
    }
    std::fs::write(folder.join("xor.dat"), key).unwrap();
}

/// A record of a file of blocks.
pub fn record(magic: [u8; 4], content: &[u8]) -> Vec<u8> {
    [&magic[..], &(content.len() as u32).to_le_bytes(), content].concat()
}

pub fn block_300025(settings: &Settings) {
    let answers = check(
        settings,
        &[
            of_examples("bitcoin/block300025.raw"),
            of_examples("bitcoin/block300025-undo.raw"),
        ],
    );
    assert!(answers.iter().all(|answer| answer.height == Some(300_025)));
    let counts = counts(&answers);
    assert_eq!(counts[&Template::P2pkh(Wrapping::Bare)], (1424, 0));
    // These inputs have one signature each.
    assert_eq!(counts.values().map(|(valid, _)| valid).sum::<usize>(), 1427);
    assert_eq!(
        counts
            .values()
            .map(|(_, unchecked)| unchecked)
            .sum::<usize>(),
        answers.len() - 1427
    );
}

pub fn block_of_testnet(settings: &Settings) {
    let counts = counts(&check(settings, &[of_examples("bitcoin/block1087400.raw")]));
    assert!(counts.values().all(|(_, unchecked)| *unchecked == 0));
    assert!(
        counts
            .keys()
            .any(|template| matches!(template, Template::Multisig(_)))
    );
}

/// Blocks as written by `bitcoin-cli getblock HASH 0`.
pub fn blocks_in_hexadecimal(settings: &Settings) {
    let [block, spent] = ["bitcoin/block300025.raw", "bitcoin/block300025-undo.raw"]
        .map(|name| std::fs::read(of_examples(name)).unwrap());
    let expected = check(settings, &[of_examples("bitcoin/block300025.raw")]);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let lines = |digits: String| {
        digits
            .as_bytes()
            .chunks(60)
            .map(|line| [line, b"\r\n"].concat())
            .collect::<Vec<_>>()
            .concat()
    };
    for block in [
        const_hex::encode(&block).into_bytes(),
        (const_hex::encode_upper(&block) + "\n").into_bytes(),
        const_hex::encode_prefixed(&block).into_bytes(),
        lines(const_hex::encode(&block)),
    ] {
        for spent in [
            spent.clone(),
            (const_hex::encode(&spent) + "\n").into_bytes(),
        ] {
            std::fs::write(at("block.hex"), &block).unwrap();
            std::fs::write(at("block-undo.hex"), &spent).unwrap();
            assert_eq!(check(settings, &[at("block.hex")]), expected);
        }
    }
    for (content, message) in [
        (const_hex::encode(&block) + "0", "an odd number"),
        ("{\"hash\":\"00\"}".to_owned(), "getblock HASH 0"),
        ("00".repeat(4_000_001), "above the limit"),
    ] {
        std::fs::write(at("block.hex"), content).unwrap();
        let (answers, problems) = check_with(settings, &[at("block.hex")]);
        assert!(
            answers.is_empty() && problems.len() == 1 && problems[0].what.contains(message),
            "{problems:?}"
        );
    }
}

pub fn block_866342(settings: &Settings) {
    let block = decompressed("block866342.raw.zst");
    let record = decompressed("block866342-rev.raw.zst");
    let folder = tempfile::tempdir().unwrap();
    write_folder(
        folder.path(),
        &self::record(MAGIC, &block),
        &record,
        *b"\x01key\xff\x00\x80!",
    );
    let answers = check(settings, &[folder.path().to_owned()]);
    assert_eq!(answers.len(), 7972);
    let counts = counts(&answers);
    assert_eq!(
        counts[&Template::P2wpkh].0 + counts[&Template::P2shP2wpkh].0,
        4597
    );
    assert_eq!(counts[&Template::P2pkh(Wrapping::Bare)], (905, 0));
    assert_eq!(counts[&Template::TaprootKey], (2223, 0));
    // Inscriptions; the others require more than a signature.
    assert_eq!(
        (
            counts[&Template::TaprootScript],
            counts[&Template::TaprootOther]
        ),
        ((147, 0), (0, 3))
    );
    // The same with the outputs encoded as in blocks.
    let path = folder.path().join("other.raw");
    std::fs::write(&path, &block).unwrap();
    let spent = decompressed("block866342-undo.raw.zst");
    std::fs::write(folder.path().join("other-undo.raw"), &spent).unwrap();
    assert_eq!(check(settings, &[path]), answers);
    // Compressed, and among the files of a folder.
    assert_eq!(check(settings, &[data("block866342.raw.zst")]), answers);
    let compressed = tempfile::tempdir().unwrap();
    for (name, bytes) in [("b.raw.gz", &block), ("b-undo.raw.gz", &spent)] {
        std::fs::write(compressed.path().join(name), gzip(bytes)).unwrap();
    }
    assert_eq!(check(settings, &[compressed.path().to_owned()]), answers);
    // Undo data that decompresses to too many bytes or is truncated is a problem.
    for undo in [gzip(&vec![0; 100 << 20]), gzip(&spent)[..1000].to_vec()] {
        std::fs::write(compressed.path().join("b-undo.raw.gz"), undo).unwrap();
        let (answers, problems) = check_with(settings, &[compressed.path().to_owned()]);
        assert_eq!((answers.len(), problems.len()), (0, 1));
    }
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A transaction with the outputs that it spends: satoshi and script.
#[derive(Deserialize)]
struct Spending {
    raw: String,
    prevouts: Vec<(u64, String)>,
}

/// Returns transactions of early 2024 and the outputs that they spend.
pub fn of_2024() -> (Vec<Transaction>, Vec<TxOut>) {
    let text = String::from_utf8(decompressed("mempool2024_txs.jsonl.zst")).unwrap();
    let mut transactions = Vec::new();
    let mut spent = Vec::new();
    for line in text.lines() {
        let Spending { raw, prevouts } = serde_json::from_str(line).unwrap();
        transactions.push(deserialize(&const_hex::decode(raw).unwrap()).unwrap());
        spent.extend(prevouts.into_iter().map(|(value, script)| TxOut {
            value: Amount::from_sat(value),
            script_pubkey: const_hex::decode(script).unwrap().into(),
        }));
    }
    (transactions, spent)
}

/// Transactions of 2024, in a generated block.
pub fn transactions_of_2024(settings: &Settings) {
    let (transactions, spent) = of_2024();
    let answers = check_inputs(settings, 830_000, &transactions, &spent);
    assert_eq!((transactions.len(), answers.len()), (200, 1029));
    let counts = counts(&answers);
    assert_eq!(counts[&Template::TaprootKey], (846, 0));
    assert_eq!(counts.values().map(|(valid, _)| valid).sum::<usize>(), 1026);
}

pub fn folder_of_bitcoin_core(settings: &Settings) {
    let answers = check(settings, &[data("blkrev")]);
    assert_eq!(answers.len(), 309);
    let counts = counts(&answers);
    assert!(counts[&Template::P2pk(Wrapping::Bare)].0 > 0);
    assert!(counts[&Template::P2pkh(Wrapping::Bare)].0 > 0);
    assert!(counts[&Template::P2wpkh].0 > 0);
    // Without the key the bytes cannot be parsed.
    let folder = tempfile::tempdir().unwrap();
    for name in ["blk00000.dat", "rev00000.dat"] {
        std::fs::copy(data("blkrev").join(name), folder.path().join(name)).unwrap();
    }
    let (answers, problems) = check_with(settings, &[folder.path().to_owned()]);
    assert!(answers.is_empty() && !problems.is_empty());
    let all = counts
        .values()
        .fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    assert_eq!(all.0 + all.1, 309);
}
