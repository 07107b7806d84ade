//! Truncated files and files with wrong contents: a problem states the file and the position, and
//! the rest is checked.

use super::real::{check, check_with};
use crate::random::Random;
use crate::support::{data, file};
use gecc_chains::ethereum::{Answer, Options};
use gecc_chains::{FilePosition, Problem, Settings};
use rand::{Rng, RngExt};
use std::io::Write;

const ERA1: &str = "sepolia-00021-txblocks.era1";
const CUTS: usize = 40;
const CHANGES: usize = 100;

fn read(name: &str) -> Vec<u8> {
    std::fs::read(data(name)).unwrap()
}

/// The answers to a file with this content, and its problems, each of which names the file.
fn check_bytes(settings: &Settings, bytes: &[u8]) -> (Vec<Answer>, Vec<Problem>) {
    let (_folder, path) = file(bytes);
    let (answers, problems) =
        check_with(settings, std::slice::from_ref(&path), &Options::default());
    assert!(
        problems
            .iter()
            .all(|problem| *problem.path == *path && !problem.what.is_empty())
    );
    (answers, problems)
}

/// Returns the positions of the records of a file, with their types and lengths.
fn records(bytes: &[u8]) -> Vec<(usize, u16, usize)> {
    let mut found = Vec::new();
    let mut place = 0;
    while place < bytes.len() {
        let kind = u16::from_le_bytes(bytes[place..place + 2].try_into().unwrap());
        let length = u32::from_le_bytes(bytes[place + 2..place + 6].try_into().unwrap()) as usize;
        found.push((place, kind, length));
        place += 8 + length;
    }
    found
}

pub fn era1_cut_anywhere(settings: &Settings) {
    let mut random = Random::new();
    let whole = read(ERA1);
    let expected = check(settings, &[data(ERA1)]);
    let records = records(&whole);
    // After the version record, which by itself is not a file of blocks.
    let anywhere = (0..CUTS).map(|_| random.random_range(9..whole.len()));
    let between_records = records.iter().skip(2).map(|(start, ..)| *start);
    for end in anywhere.chain(between_records) {
        let (answers, problems) = check_bytes(settings, &whole[..end]);
        assert_eq!(answers, expected[..answers.len()]);
        let (start, kind, length) = records
            .iter()
            .rfind(|(start, ..)| *start < end)
            .expect("the first begins at 0");
        // Each group ends with its index.
        let is_whole = start + 8 + length == end && *kind == 0x3266;
        assert_eq!(problems.is_empty(), is_whole, "{end}: {problems:?}");
        let is_there = |problem: &Problem| matches!(problem.place, FilePosition::Byte(place) if place as usize >= *start);
        assert!(problems.first().is_none_or(is_there), "{end}: {problems:?}");
    }
}

/// A changed byte: only the block that contains it is lost.
pub fn era1_with_changed_bytes(settings: &Settings) {
    let mut random = Random::new();
    let whole = read(ERA1);
    let expected = check(settings, &[data(ERA1)]);
    for _ in 0..CHANGES {
        let place = random.random_range(8..whole.len());
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << random.random_range(0..8);
        let (answers, problems) = check_bytes(settings, &bytes);
        // Checksums of the compression find changes inside records. Without a problem nothing that
        // is read was changed.
        assert!(answers.iter().all(|answer| expected.contains(answer)));
        assert!(!problems.is_empty() || answers == expected, "byte {place}");
    }
}

/// A length that leads into the middle of a record. The index at the end of the file contains the
/// position of the next block.
pub fn lengths_that_lie(settings: &Settings) {
    const NAME: &str = "made-postmerge.e2s";
    let whole = read(NAME);
    let expected = check(settings, &[data(NAME)]);
    let records = records(&whole);
    // The last group's blocks are in the index: its bodies, and those before it.
    let bodies: Vec<usize> = records
        .iter()
        .filter(|(_, kind, _)| *kind == 4)
        .map(|(place, ..)| *place)
        .collect();
    for (index, place) in bodies.iter().enumerate() {
        for lie in [1, 0xffff_ffff, 5_000] {
            let mut bytes = whole.clone();
            bytes[place + 2..place + 6].copy_from_slice(&u32::to_le_bytes(lie));
            let (answers, problems) = check_bytes(settings, &bytes);
            assert!(!problems.is_empty() && answers.iter().all(|answer| expected.contains(answer)));
            let blocks =
                |answers: &[Answer]| answers.iter().filter_map(|answer| answer.block).max();
            if index + 1 < bodies.len() {
                assert_eq!(
                    blocks(&answers),
                    blocks(&expected),
                    "body {index}, length {lie}"
                );
            }
        }
    }
}

/// A length that leads from one block to a later one, so that every record looks intact.
pub fn lengths_that_hide_blocks(settings: &Settings) {
    let whole = read("mainnet-00000-first16.era1");
    let records = records(&whole);
    let of_kind = |wanted: u16| {
        records
            .iter()
            .filter(move |(_, kind, _)| *kind == wanted)
            .map(|(place, ..)| *place)
    };
    let difficulties: Vec<usize> = of_kind(6).collect();
    let headers: Vec<usize> = of_kind(3).collect();
    assert_eq!((difficulties.len(), headers.len()), (16, 16));
    for (first, place) in difficulties.iter().enumerate().take(14) {
        for later in &headers[first + 2..] {
            let mut bytes = whole.clone();
            bytes[place + 2..place + 6]
                .copy_from_slice(&((later - place - 8) as u32).to_le_bytes());
            let (_, problems) = check_bytes(settings, &bytes);
            assert_eq!(problems.len(), 1);
            assert!(problems[0].what.contains("not found"), "{problems:?}");
        }
    }
}

/// A file with malformed records only: the number of problems is bounded.
pub fn files_of_problems(settings: &Settings) {
    const PARTS: usize = 1 << 20;
    let header = [3, 0, 0, 0, 0, 0, 0, 0];
    for part in [&header[..], b"[\n", b"{\n"] {
        let mut bytes = read(ERA1)[..8].to_vec();
        if part != header {
            bytes = b"{}\n".to_vec();
        }
        bytes.extend(part.repeat(PARTS));
        let (answers, problems) = check_bytes(settings, &bytes);
        assert!(
            answers.is_empty() && !problems.is_empty() && problems.len() < 20_000,
            "{}",
            problems.len()
        );
    }
}

/// A few bytes that decompress to very many.
pub fn bombs(settings: &Settings) {
    const BOMB: usize = 80 << 20;
    let mut encoder = snap::write::FrameEncoder::new(Vec::new());
    let zeros = vec![0; 1 << 20];
    (0..BOMB / zeros.len()).for_each(|_| encoder.write_all(&zeros).unwrap());
    let bomb = encoder.into_inner().unwrap();
    let mut bytes = read(ERA1);
    let expected = check(settings, &[data(ERA1)]);
    let start = bytes.len() as u64;
    bytes.extend([4, 0]);
    bytes.extend((bomb.len() as u32).to_le_bytes());
    bytes.extend([0, 0]);
    bytes.extend(bomb);
    let (answers, problems) = check_bytes(settings, &bytes);
    assert_eq!(answers, expected);
    // The record has no header before it and no index after it.
    assert_eq!(
        (problems.len(), problems[0].place),
        (2, FilePosition::Byte(start))
    );
    // The same with RLP lists that state more bytes than there are.
    for claim in [
        &[0xfb, 0xff, 0xff, 0xff, 0xff][..],
        &[0xfe; 9],
        &[0xf8],
        &[0xf9, 0x10, 0x00, 0xc0],
    ] {
        let (answers, problems) = check_bytes(settings, claim);
        assert_eq!(
            (answers.len(), problems.len(), problems[0].place),
            (0, 1, FilePosition::Byte(0))
        );
    }
}

#[cfg(feature = "arrow")]
pub fn tables_with_changed_bytes(settings: &Settings) {
    let mut random = Random::new();
    let whole = read("ethereum__transactions__polars.parquet");
    for _ in 0..CHANGES {
        let mut bytes = whole.clone();
        if random.random_bool(0.3) {
            bytes.truncate(random.random_range(4..whole.len()));
        }
        for _ in 0..random.random_range(1..4) {
            let place = random.random_range(4..bytes.len());
            bytes[place] = random.next_u32() as u8;
        }
        // No panic, and no valid answer that the original file does not have.
        let (answers, problems) = check_bytes(settings, &bytes);
        assert!(answers.len() <= 83 || !problems.is_empty());
    }
}

pub fn files_of_something_else(settings: &Settings) {
    let mut random = Random::new();
    // The last one looks like a file of the beacon chain.
    let contents: [&[u8]; 7] = [
        b"",
        b"text",
        b"\x00\x01\x02",
        b"PAR1",
        b"{}",
        b"[1]",
        b"e2\0\0\0\0\0\0\x01\0\x03\0\0\0\0\0abc",
    ];
    for content in contents {
        let (answers, problems) = check_bytes(settings, content);
        assert_eq!((answers.len(), problems.len()), (0, 1), "{content:?}");
    }
    for _ in 0..CHANGES {
        let mut noise = vec![0; random.random_range(1..200)];
        random.fill_bytes(&mut noise);
        noise[0] = [noise[0], b'{', b'[', 0xf8, 0xc0, 0xf9][random.random_range(0..6)];
        let (answers, problems) = check_bytes(settings, &noise);
        assert!(
            !problems.is_empty() || answers.iter().all(|answer| answer.valid().is_none()),
            "{noise:?}"
        );
    }
}
