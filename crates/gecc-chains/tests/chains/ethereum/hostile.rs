//! Adversarial files that would take much memory or time: a few bytes that expand to very many, and
//! positions that are visited repeatedly.

use super::made::{self, list, root_of};
use super::real::check_with;
use crate::support::{data, file};
use alloy_primitives::keccak256;
use alloy_rlp::Encodable;
use gecc_chains::ethereum::{Answer, Options};
use gecc_chains::{FilePosition, Problem, Settings};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::time::{Duration, Instant};

/// The number of unreadable items of a block that get an answer each.
const UNREADABLE: usize = 1000;
/// A time limit that linear time stays far below and quadratic time far exceeds.
const LONG: Duration = Duration::from_secs(20);

fn check_bytes(settings: &Settings, bytes: &[u8]) -> (Vec<Answer>, Vec<Problem>) {
    let (_folder, path) = file(bytes);
    let start = Instant::now();
    let found = check_with(settings, &[path], &Options::default());
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
    found
}

/// The header of block 1 with these transactions.
fn header(transactions: &[Vec<u8>]) -> Vec<u8> {
    made::header(1, root_of(transactions))
}

/// A record of e2store.
pub fn record(kind: u16, content: &[u8]) -> Vec<u8> {
    [
        &kind.to_le_bytes()[..],
        &(content.len() as u32).to_le_bytes(),
        &[0, 0],
        content,
    ]
    .concat()
}

pub fn compressed(content: &[u8]) -> Vec<u8> {
    let mut encoder = snap::write::FrameEncoder::new(Vec::new());
    encoder.write_all(content).unwrap();
    encoder.into_inner().unwrap()
}

/// An era1 group of a block with this header and these transactions, encoded as in the block.
fn group(header: &[u8], transactions: &[u8]) -> Vec<u8> {
    let body = list(&[list(transactions), list(&[])].concat());
    let block = [
        record(3, &compressed(header)),
        record(4, &compressed(&body)),
        record(6, &[7; 32]),
    ]
    .concat();
    let pair =
        |left: &[u8], right: &[u8]| -> [u8; 32] { Sha256::digest([left, right].concat()).into() };
    let mut root = pair(keccak256(header).as_slice(), &[7; 32]);
    let mut zeros = [0; 32];
    for _ in 0..13 {
        (root, zeros) = (pair(&root, &zeros), pair(&zeros, &zeros));
    }
    let one = [&1_u64.to_le_bytes()[..], &[0; 24]].concat();
    let whole = [version(), block, record(7, &pair(&root, &one))].concat();
    let offset = (8 - whole.len() as i64).to_le_bytes();
    let index = record(
        0x3266,
        &[1_u64.to_le_bytes(), offset, 1_u64.to_le_bytes()].concat(),
    );
    [whole, index].concat()
}

pub fn version() -> Vec<u8> {
    record(0x3265, &[])
}

/// The smallest well-formed transaction, without a valid signature.
fn smallest() -> Vec<u8> {
    list(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x1b, 0x80, 0x80])
}

/// Items of one byte: a thousand have answers, the rest is one problem, and the next block is read.
pub fn lists_of_no_transactions(settings: &Settings) {
    const ITEMS: usize = 5_000_000;
    for item in [0x80, 0xc0, 0x01] {
        let items = vec![item; ITEMS];
        let first = header(&[]);
        let second = header(&[smallest()]);
        let era1 = [group(&first, &items), group(&second, &smallest())].concat();
        assert!(era1.len() < ITEMS / 16);
        let block =
            |header: &[u8], items: &[u8]| list(&[header, &list(items), &list(&[])].concat());
        let rlp = [block(&first, &items), block(&second, &smallest())].concat();
        for bytes in [era1, rlp] {
            let (answers, problems) = check_bytes(settings, &bytes);
            assert_eq!(
                (answers.len(), problems.len()),
                (UNREADABLE + 1, 1),
                "{problems:?}"
            );
            assert!(
                answers[..UNREADABLE]
                    .iter()
                    .all(|answer| answer.valid().is_none())
            );
            assert_eq!(answers[UNREADABLE].valid(), Some(false));
        }
    }
    let last = r#"{"number":"0x2","transactions":["0x0000000000000000000000000000000000000000000000000000000000000007"]}"#;
    for item in ["0", "{}", "[]", "\"0x\"", "null"] {
        let items = vec![item; ITEMS / 10].join(",");
        let text = format!("{{\"number\":\"0x1\",\"transactions\":[{items}]}}\n{last}\n");
        let (answers, problems) = check_bytes(settings, text.as_bytes());
        assert_eq!(
            (answers.len(), problems.len()),
            (UNREADABLE + 1, 1),
            "{problems:?}"
        );
        assert_eq!(answers[UNREADABLE].block, Some(2));
    }
    // A thousand problems are listed, and one states that there are more.
    let text = format!("[{}]", vec!["0"; ITEMS].join(","));
    assert_eq!(check_bytes(settings, text.as_bytes()).1.len(), 1001);
}

/// Every malformed record makes the reader search the index at the end.
pub fn bad_records(settings: &Settings) {
    const RECORDS: usize = 200_000;
    let good = group(&header(&[smallest()]), &smallest());
    let mut bytes = [version(), vec![0xff; 8 * RECORDS]].concat();
    let start = bytes.len();
    bytes.extend(&good);
    let index = bytes.len() as i64;
    let places = (0..RECORDS).map(|record| 8 + 8 * record).chain([start]);
    let offsets: Vec<u8> = places
        .flat_map(|place| (place as i64 - index).to_le_bytes())
        .collect();
    let count = (RECORDS as u64 + 1).to_le_bytes();
    bytes.extend(record(0x3266, &[&[0; 8], &offsets[..], &count].concat()));
    let (answers, problems) = check_bytes(settings, &bytes);
    // All records but the last are malformed, and the list of problems is bounded.
    assert_eq!(answers.len(), 1);
    assert!((2..2000).contains(&problems.len()), "{}", problems.len());
    assert_eq!(problems[0].place, FilePosition::Byte(8));
}

/// A long text that is an error is not printed in full.
pub fn long_texts(settings: &Settings) {
    // No digits, which could be an encoded transaction.
    let text = "z".repeat(10_000);
    let lines = format!("{{}}\n{}", format!("\"{text}\"\n").repeat(50));
    let (_, problems) = check_bytes(settings, lines.as_bytes());
    assert!(
        problems.len() == 51 && problems.iter().all(|problem| problem.what.len() < 300),
        "{problems:?}"
    );
    let (answers, _) = check_bytes(
        settings,
        format!("{{\"transactions\":[\"{text}\"]}}").as_bytes(),
    );
    assert!(answers[0].reason.as_ref().unwrap().to_string().len() < 300);
}

/// Pieces are decoded part by part if memory is limited, with the same answers.
pub fn little_memory(settings: &Settings) {
    const COPIES: usize = 12;
    const MANY: usize = 30_000;
    let read = |name: &str| std::fs::read(data(name)).unwrap();
    let hashes: Vec<String> = (0..MANY).map(|hash| format!("\"0x{hash:064x}\"")).collect();
    let block_of_hashes = format!(
        "{{\"number\":\"0x1\",\"transactions\":[{}]}}\n",
        hashes.join(",")
    );
    let pretty = block_of_hashes.replace("[", "[\n\t").replace(",", "\n ,\n");
    let header_of_many = header(&vec![smallest(); MANY]);
    let rlp = list(
        &[
            &header_of_many[..],
            &list(&smallest().repeat(MANY)),
            &list(&[]),
        ]
        .concat(),
    );
    let mut files = vec![
        read("made-premerge.era1").repeat(COPIES),
        [
            group(&header_of_many, &smallest().repeat(MANY)),
            group(&header(&[smallest()]), &smallest()),
        ]
        .concat(),
        rlp.repeat(3),
        block_of_hashes.repeat(2).into_bytes(),
        pretty.clone().into_bytes(),
        format!("[{pretty},{pretty}]").into_bytes(),
    ];
    if cfg!(feature = "arrow") {
        files.push(read("ethereum__transactions__mixed.parquet"));
    }
    let little = Settings {
        max_memory: Some(0),
        batch: None,
        ..*settings
    };
    for bytes in files {
        let (expected, problems) = check_bytes(settings, &bytes);
        assert_eq!(problems, []);
        let (found, problems) = check_bytes(&little, &bytes);
        assert_eq!(problems, []);
        assert!(
            found == expected && found.len() > 1000,
            "{} and {}",
            found.len(),
            expected.len()
        );
    }
}

/// A block that exceeds the memory limit is a problem, and the next one is read although no index
/// contains its position. The same holds for a line.
pub fn blocks_beyond_the_memory(settings: &Settings) {
    let little = Settings {
        max_memory: Some(0),
        ..*settings
    };
    let long = vec![0; 16 << 20];
    let mut transaction = Vec::new();
    long.as_slice().encode(&mut transaction);
    let first = header(std::slice::from_ref(&long));
    let bytes = [
        group(&first, &transaction),
        group(&header(&[smallest()]), &smallest()),
    ]
    .concat();
    for (settings, expected) in [(settings, (2, 0)), (&little, (1, 1))] {
        let (answers, problems) = check_bytes(settings, &bytes);
        assert_eq!((answers.len(), problems.len()), expected, "{problems:?}");
    }
    let text = format!("{{\"transactions\":[\"{}\"]}}", "a".repeat(16 << 20));
    let encoded = const_hex::encode(smallest());
    for (text, place) in [
        (text.clone(), 0),
        (format!("{text}\n{encoded}"), 0),
        (format!("{encoded}\n{text}\n{encoded}"), 21),
    ] {
        let (answers, problems) = check_bytes(&little, text.as_bytes());
        assert_eq!(answers.len(), text.matches(&encoded).count());
        assert!(
            problems.len() == 1 && problems[0].what.contains("more than"),
            "{problems:?}"
        );
        assert_eq!(problems[0].place, FilePosition::Byte(place));
    }
}
