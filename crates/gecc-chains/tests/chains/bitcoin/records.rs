//! Files of Bitcoin Core with broken records, and with bytes between records that belong to none of
//! them.

use super::damaged::real_files;
use super::real::{MAGIC, check, check_with, record, write_folder};
use crate::random::Random;
use crate::support::{data, paths};
use gecc_chains::bitcoin::{Answer, Answers, Chain, verify};
use gecc_chains::{BlockRange, FilePosition, Problem, Settings};
use rand::{Rng, RngExt};
use std::ops::ControlFlow;

const KEYS: [[u8; 8]; 2] = [[0; 8], [7, 0, 255, 128, 1, 2, 3, 4]];
const HEADER: usize = 8;
const CHECKSUM: usize = 32;
const ROUNDS: usize = 8;

/// Splits a file into its records. `trailing` bytes follow the content of each.
fn records(file: &[u8], trailing: usize) -> Vec<Vec<u8>> {
    let mut rest = file;
    let mut all = Vec::new();
    while !rest.is_empty() {
        let length = u32::from_le_bytes(rest[4..8].try_into().unwrap()) as usize;
        let (record, after) = rest.split_at(HEADER + length + trailing);
        all.push(record.to_vec());
        rest = after;
    }
    all
}

struct Known {
    blocks: Vec<Vec<u8>>,
    spent: Vec<Vec<u8>>,
    answers: Vec<Answer>,
}

fn known(settings: &Settings) -> Known {
    let (blocks, spent) = real_files();
    let known = Known {
        blocks: records(&blocks, 0),
        spent: records(&spent, CHECKSUM),
        answers: check(settings, &[data("blkrev")]),
    };
    assert!(known.blocks.len() == 5 && known.answers.len() == 309);
    known
}

/// Checks a folder with two files that are obfuscated with a key.
fn check_folder(
    settings: &Settings,
    blocks: &[u8],
    spent: &[u8],
    key: [u8; 8],
) -> (Vec<Answer>, Vec<Problem>) {
    let folder = tempfile::tempdir().unwrap();
    write_folder(folder.path(), blocks, spent, key);
    check_with(settings, &[folder.path().to_owned()])
}

/// Requires all answers, and one problem for each stretch of bytes that belongs to no record, in
/// order. Whether the files are obfuscated depends on their length.
fn require_skipped(
    settings: &Settings,
    known: &Known,
    blocks: &[u8],
    spent: &[u8],
    stretches: &[(usize, usize)],
) {
    let key = KEYS[blocks.len() % 2];
    let (answers, problems) = check_folder(settings, blocks, spent, key);
    assert!(
        answers == known.answers,
        "{} answers, {problems:?}",
        answers.len()
    );
    let found: Vec<(FilePosition, bool)> = problems
        .iter()
        .zip(stretches)
        .map(|(problem, (from, until))| {
            let beginning = format!("bytes {from} to {} are skipped: ", until - 1);
            (
                problem.place,
                problem.what.starts_with(&beginning) && !problem.not_checked,
            )
        })
        .collect();
    let expected: Vec<(FilePosition, bool)> = stretches
        .iter()
        .map(|(from, _)| (FilePosition::Byte(*from as u64), true))
        .collect();
    assert_eq!(
        (problems.len(), found),
        (stretches.len(), expected),
        "{problems:?}"
    );
}

/// Inserts bytes before a record. Returns the file and the range of the inserted bytes.
fn with_bytes_before(records: &[Vec<u8>], at: usize, bytes: &[u8]) -> (Vec<u8>, (usize, usize)) {
    let from = records[..at].concat().len();
    let file = [
        records[..at].concat(),
        bytes.to_vec(),
        records[at..].concat(),
    ]
    .concat();
    (file, (from, from + bytes.len()))
}

/// Random bytes that contain no magic of any network, even together with the bytes around them.
fn garbage(random: &mut Random, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    random.fill_bytes(&mut bytes);
    bytes.iter_mut().for_each(|byte| *byte |= 0x10);
    bytes.last_mut().unwrap().clone_from(&0x55);
    bytes
}

pub fn bytes_between_records(settings: &Settings) {
    let mut random = Random::new();
    let known = known(settings);
    let blocks = known.blocks.concat();
    let spent = known.spent.concat();
    for round in 0..ROUNDS {
        let length = [1, 3, 7, 8, 9, 64, 5000, 200_000][round % 8];
        let bytes = if round % 3 == 0 {
            vec![0; length]
        } else {
            garbage(&mut random, length)
        };
        let at = random.random_range(0..5);
        let (file, stretch) = with_bytes_before(&known.blocks, at, &bytes);
        require_skipped(settings, &known, &file, &spent, &[stretch]);
        let at = random.random_range(0..known.spent.len());
        let (file_of_spent, of_spent) = with_bytes_before(&known.spent, at, &bytes);
        require_skipped(settings, &known, &blocks, &file_of_spent, &[of_spent]);
        require_skipped(
            settings,
            &known,
            &file,
            &file_of_spent,
            &[stretch, of_spent],
        );
    }
    // At the end, followed by zeros.
    let bytes = garbage(&mut random, 100);
    let file = [&blocks[..], &bytes].concat();
    require_skipped(
        settings,
        &known,
        &file,
        &spent,
        &[(blocks.len(), file.len())],
    );
    // Blocks that spend nothing leave no trace in the other file.
    let alone = record(MAGIC, &minimal_block());
    let file = [&alone[..], &[0; 64], &alone].concat();
    let (answers, problems) = check_folder(settings, &file, &[], [0; 8]);
    assert!(answers.is_empty());
    assert!(problems[0].what.contains("zeros"), "{problems:?}");
}

/// A block with a coinbase alone, whose header commits to nothing.
fn minimal_block() -> Vec<u8> {
    let coinbase = [
        &[1, 0, 0, 0, 1][..],
        &[0; 32],
        &[0xff; 4],
        &[0],
        &[0xff; 4],
        &[0],
        &[0; 4],
    ]
    .concat();
    [&[0; 80][..], &[1], &coinbase].concat()
}

/// The content of a broken record is read, and so are records within the length that it states.
pub fn broken_records(settings: &Settings) {
    let mut random = Random::new();
    let known = known(settings);
    let blocks = known.blocks.concat();
    let spent = known.spent.concat();
    // The last bytes of a block are its lock time, so the bytes after a truncated block may
    // complete it.
    for missing in 1..8 {
        let cut = &known.blocks[0][..known.blocks[0].len() - missing];
        let (file, stretch) = with_bytes_before(&known.blocks, missing % 5, cut);
        require_skipped(settings, &known, &file, &spent, &[stretch]);
    }
    for _ in 0..ROUNDS {
        // A truncated record before the others.
        let at = random.random_range(0..5);
        let cut = &known.blocks[random.random_range(0..5)];
        let cut = &cut[..random.random_range(HEADER..cut.len())];
        let (file, stretch) = with_bytes_before(&known.blocks, at, cut);
        require_skipped(settings, &known, &file, &spent, &[stretch]);
        let at = random.random_range(0..known.spent.len());
        let cut = &known.spent[random.random_range(0..known.spent.len())];
        let cut = &cut[..random.random_range(HEADER..cut.len() - CHECKSUM)];
        let (file, stretch) = with_bytes_before(&known.spent, at, cut);
        require_skipped(settings, &known, &blocks, &file, &[stretch]);
        // A repeated header.
        let at = random.random_range(0..5);
        let (file, stretch) = with_bytes_before(&known.blocks, at, &known.blocks[at][..HEADER]);
        require_skipped(settings, &known, &file, &spent, &[stretch]);
        let at = random.random_range(0..known.spent.len());
        let (file, stretch) = with_bytes_before(&known.spent, at, &known.spent[at][..HEADER]);
        require_skipped(settings, &known, &blocks, &file, &[stretch]);
    }
}

/// The block is read with its actual length, and the wrong length is reported.
pub fn records_of_another_length(settings: &Settings) {
    let mut random = Random::new();
    let known = known(settings);
    for round in 0..24 {
        let key = KEYS[round % 2];
        let mut blocks = known.blocks.clone();
        let mut spent = known.spent.clone();
        let of_blocks = round % 4 < 2;
        let changed = if of_blocks { &mut blocks } else { &mut spent };
        let at = random.random_range(0..changed.len() - 1);
        let length = u32::from_le_bytes(changed[at][4..8].try_into().unwrap());
        // Also with a length that includes the next record.
        let other = match round % 6 {
            0 => 0,
            1 => u32::MAX,
            2 => length - 1,
            3 => length + 1,
            4 => length + changed[at + 1].len() as u32,
            _ => random.random_range(0..2 * length),
        };
        if other == length {
            continue;
        }
        changed[at][4..8].copy_from_slice(&other.to_le_bytes());
        let place = changed[..at].concat().len() as u64;
        let (answers, problems) = check_folder(settings, &blocks.concat(), &spent.concat(), key);
        assert!(
            answers == known.answers,
            "{other} for {length}: {problems:?}"
        );
        assert_eq!(
            (problems.len(), problems[0].place),
            (1, FilePosition::Byte(place)),
            "{problems:?}"
        );
        assert!(
            problems[0].what.contains(&format!("states {other} bytes")),
            "{problems:?}"
        );
    }
}

/// Every undo record without a block is reported.
pub fn files_without_blocks(settings: &Settings) {
    let known = known(settings);
    let blocks = known.blocks.concat();
    let spent = known.spent.concat();
    for (content, key) in [
        (Vec::new(), [0; 8]),
        (vec![0; 70_000], [0; 8]),
        (vec![0; 70_000], KEYS[1]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write_folder(folder.path(), &blocks, &spent, key);
        std::fs::write(folder.path().join("blk00007.dat"), &content).unwrap();
        let (answers, problems) = check_with(settings, &[folder.path().to_owned()]);
        assert!(answers.is_empty());
        let without = problems
            .iter()
            .filter(|problem| problem.what.contains("belongs to no block"))
            .count();
        assert_eq!(
            (problems.len(), without),
            (1 + known.spent.len(), known.spent.len()),
            "{problems:?}"
        );
        assert!(problems[0].what.contains("holds no block"), "{problems:?}");
    }
    // One block is missing, whatever it spends.
    for at in 0..known.blocks.len() {
        let others = [known.blocks[..at].concat(), known.blocks[at + 1..].concat()].concat();
        let (answers, problems) = check_folder(settings, &others, &spent, [0; 8]);
        assert!(answers.len() < known.answers.len() || known.answers.len() == answers.len());
        let named = problems
            .iter()
            .filter(|problem| problem.what.contains("belongs to no block"))
            .count();
        assert!(named == 1 && problems.len() == 1, "{at}: {problems:?}");
    }
    // A record of another network, or a repeated one.
    let mut other = known.spent.clone();
    other[1][..4].copy_from_slice(&[0x0b, 0x11, 0x09, 0x07]);
    let (_, problems) = check_folder(settings, &blocks, &other.concat(), [0; 8]);
    assert!(
        problems
            .iter()
            .any(|problem| problem.what.contains("a record of testnet among")),
        "{problems:?}"
    );
    let twice = [&spent[..], &known.spent[1]].concat();
    assert_eq!(
        check_folder(settings, &blocks, &twice, [0; 8]),
        (known.answers, Vec::new())
    );
}

/// Bitcoin Core preallocates at most 16 MiB.
pub fn zeros_at_the_end(settings: &Settings) {
    let known = known(settings);
    let blocks = known.blocks.concat();
    let spent = known.spent.concat();
    for (zeros, is_named) in [
        (1, false),
        (100, false),
        (16 << 20, false),
        ((16 << 20) + 1, true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write_folder(folder.path(), &blocks, &spent, KEYS[1]);
        for (name, length) in [
            ("blk00007.dat", blocks.len() + zeros),
            ("rev00007.dat", spent.len() + 2 * zeros),
        ] {
            let file = std::fs::File::options()
                .write(true)
                .open(folder.path().join(name))
                .unwrap();
            file.set_len(if name.starts_with("blk") {
                blocks.len()
            } else {
                spent.len()
            } as u64)
                .unwrap();
            file.set_len(length as u64).unwrap();
        }
        let (answers, problems) = check_with(settings, &[folder.path().to_owned()]);
        assert!(answers == known.answers);
        assert_eq!(problems.len(), usize::from(is_named), "{problems:?}");
        assert!(
            problems
                .iter()
                .all(|problem| problem.place == FilePosition::Byte(blocks.len() as u64))
        );
    }
}

/// Checks a folder whose records have this magic.
fn check_magic(
    settings: &Settings,
    blocks: &[u8],
    spent: &[u8],
    magic: [u8; 4],
) -> (Vec<Answer>, Vec<Problem>) {
    let folder = tempfile::tempdir().unwrap();
    write_folder(folder.path(), blocks, spent, KEYS[1]);
    let mut all = Vec::new();
    let mut problems = Vec::new();
    let paths = paths(&[folder.path().to_owned()]);
    let chain = Chain::FilesWithMagic(&paths, magic);
    let ended = verify(
        settings,
        chain,
        BlockRange::default(),
        |Answers { answers, progress }| {
            all.extend(answers);
            problems.extend(progress.problems);
            ControlFlow::<()>::Continue(())
        },
    );
    assert_eq!(ended.unwrap(), None);
    (all, problems)
}

/// Records of a signet with its own challenge.
pub fn magics_of_custom_signets(settings: &Settings) {
    let known = known(settings);
    let magic = [0xa5, 0xdf, 0x2d, 0xcb];
    let with = |records: &[Vec<u8>]| {
        let mut records = records.to_vec();
        records
            .iter_mut()
            .for_each(|record| record[..4].copy_from_slice(&magic));
        records.concat()
    };
    let blocks = with(&known.blocks);
    let spent = with(&known.spent);
    let (answers, problems) = check_magic(settings, &blocks, &spent, magic);
    assert_eq!(problems, []);
    let verdicts = |answers: &[Answer]| {
        answers
            .iter()
            .map(|answer| (answer.txid, answer.input))
            .collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&answers), verdicts(&known.answers));
    // With a custom magic, records of known networks are not found, and vice versa.
    let (answers, problems) = check_magic(
        settings,
        &known.blocks.concat(),
        &known.spent.concat(),
        magic,
    );
    assert!(answers.is_empty() && !problems.is_empty());
    let (answers, problems) = check_folder(settings, &blocks, &spent, KEYS[1]);
    assert!(answers.is_empty());
    assert!(
        problems[0].what.contains("--magic a5df2dcb"),
        "{problems:?}"
    );
    // A known magic selects its network.
    let (answers, problems) = check_magic(
        settings,
        &known.blocks.concat(),
        &known.spent.concat(),
        MAGIC,
    );
    assert_eq!((answers, problems), (known.answers, Vec::new()));
}

/// A missing or wrong obfuscation key is reported.
pub fn keys_that_are_missing(settings: &Settings) {
    let known = known(settings);
    let blocks = known.blocks.concat();
    let spent = known.spent.concat();
    for (key, expected) in [
        (None, "put the xor.dat"),
        (Some([1; 8]), "does not belong to these files"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write_folder(folder.path(), &blocks, &spent, KEYS[1]);
        match key {
            None => std::fs::remove_file(folder.path().join("xor.dat")).unwrap(),
            Some(key) => std::fs::write(folder.path().join("xor.dat"), key).unwrap(),
        }
        let (answers, problems) = check_with(settings, &[folder.path().to_owned()]);
        assert!(answers.is_empty());
        assert!(problems[0].what.contains(expected), "{problems:?}");
    }
}
