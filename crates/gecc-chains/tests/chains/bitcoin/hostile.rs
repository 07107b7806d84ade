//! Adversarial files that would take much memory or time.

use super::real::{MAGIC, check_with, decompressed, record, write_folder};
use crate::support::data;
use gecc_chains::{FilePosition, Settings};
use std::path::Path;
use std::time::{Duration, Instant};

/// A time limit that linear time stays far below and quadratic time far exceeds.
const LONG: Duration = Duration::from_secs(20);

fn check_in_time(
    settings: &Settings,
    blocks: &[u8],
    undo: &[u8],
) -> (usize, Vec<gecc_chains::Problem>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("blk00000.dat"), blocks).unwrap();
    std::fs::write(folder.path().join("rev00000.dat"), undo).unwrap();
    let start = Instant::now();
    let (answers, problems) = check_with(settings, &[folder.path().to_owned()]);
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
    (answers.len(), problems)
}

/// A header, and two transactions of one input each.
fn block() -> Vec<u8> {
    let transaction = [
        &[1, 0, 0, 0, 1][..],
        &[7; 36],
        &[0],
        &[0xff; 4],
        &[0],
        &[0; 4],
    ]
    .concat();
    [&[0; 80][..], &[2], &transaction, &transaction].concat()
}

/// The outputs that the transaction after the coinbase spends, with a checksum that matches no
/// block.
fn undo(bytes: usize) -> Vec<u8> {
    let content = [&[1][..], &vec![0; bytes - 1]].concat();
    [
        &MAGIC[..],
        &(bytes as u32).to_le_bytes(),
        &content,
        &[0; 32],
    ]
    .concat()
}

/// A long undo record, and many of them: each is hashed for every block with the same number of
/// transactions.
pub fn records_that_fit_no_block(settings: &Settings) {
    let blocks = record(MAGIC, &block()).repeat(20_000);
    for undo in [undo(8 << 20), undo(100).repeat(20_000)] {
        let (answers, problems) = check_in_time(settings, &blocks, &undo);
        assert_eq!(answers, 0);
        assert!((1..10_000).contains(&problems.len()), "{}", problems.len());
    }
}

/// After bytes that are not a record, the reader searches for the next magic.
pub fn magics_without_records(settings: &Settings) {
    let lies = [&MAGIC[..], &[0xff; 4]].concat().repeat(1 << 20);
    let (_, problems) = check_in_time(settings, &lies, &[]);
    assert!((1..2000).contains(&problems.len()), "{}", problems.len());
    assert_eq!(problems[0].place, FilePosition::Byte(0));
    // A magic after many other bytes.
    let far = [&vec![7; 5 << 20][..], &record(MAGIC, &block())].concat();
    let (_, problems) = check_in_time(settings, &far, &undo(50));
    assert_eq!(
        problems.last().unwrap().place,
        FilePosition::Byte((5 << 20) + 8),
        "{problems:?}"
    );
}

/// Magics with a plausible length, but no block after them: a naive reader would read the same
/// bytes again for each magic.
pub fn records_without_blocks(settings: &Settings) {
    let lie = [&MAGIC[..], &3_000_000_u32.to_le_bytes(), &[0xff; 81]].concat();
    let lies = lie.repeat((16 << 20) / lie.len());
    // A block with one script that extends over the rest of the file.
    let script = [&[1, 0, 0, 0, 1][..], &[7; 36], &[0xfe, 0, 0, 0x30, 0]].concat();
    let lie = [
        &MAGIC[..],
        &3_500_000_u32.to_le_bytes(),
        &[1; 80],
        &[1],
        &script,
    ]
    .concat();
    let long = lie.repeat((16 << 20) / lie.len());
    for lies in [lies, long] {
        let content = [&lies[..], &record(MAGIC, &block())].concat();
        let (answers, problems) = check_in_time(settings, &content, &[]);
        assert_eq!(answers, 0);
        assert!(
            (1..2000).contains(&problems.len()) && problems[0].place == FilePosition::Byte(0),
            "{problems:?}"
        );
    }
}

/// A block of thousands of inputs is decoded part by part, with the same answers.
pub fn little_memory(settings: &Settings) {
    let folder = tempfile::tempdir().unwrap();
    let blocks = decompressed("block866342.raw.zst");
    let spent = decompressed("block866342-rev.raw.zst");
    write_folder(folder.path(), &record(MAGIC, &blocks), &spent, [0; 8]);
    let files = [
        folder.path().to_owned(),
        data("taproot.raw"),
        data("taproot-undo.raw"),
    ];
    let expected = check_with(settings, &files);
    assert!(expected.0.len() > 7972 && expected.1.is_empty());
    let little = Settings {
        max_memory: Some(0),
        batch: None,
        ..*settings
    };
    assert!(check_with(&little, &files) == expected);
}

/// Blocks above what consensus allows, and more outputs than inputs.
pub fn blocks_and_outputs_that_are_too_many(settings: &Settings) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let check = |name: &str| check_with(settings, &[at(name)]);
    std::fs::write(at("long.raw"), vec![0; 4_000_001]).unwrap();
    std::fs::write(at("long-undo.raw"), b"").unwrap();
    let spent = std::fs::read(data("taproot-undo.raw")).unwrap();
    std::fs::copy(data("taproot.raw"), at("many.raw")).unwrap();
    std::fs::write(at("many-undo.raw"), [spent, vec![0; 9 << 20]].concat()).unwrap();
    for (name, what) in [("long.raw", "4000000"), ("many.raw", "more spent outputs")] {
        let (answers, problems) = check(name);
        assert!(answers.is_empty() && problems.len() == 1, "{problems:?}");
        assert!(
            problems[0].what.contains(what) && *problems[0].path == *at(name),
            "{problems:?}"
        );
    }
    require_regular(settings, folder.path());
}

/// A companion file is read only if it is a regular file.
#[cfg(unix)]
fn require_regular(settings: &Settings, folder: &Path) {
    use std::os::unix::fs::symlink;
    for name in ["long-undo.raw", "many-undo.raw"] {
        std::fs::remove_file(folder.join(name)).unwrap();
        symlink("/dev/zero", folder.join(name)).unwrap();
    }
    symlink("/dev/zero", folder.join("xor.dat")).unwrap();
    std::fs::write(folder.join("blk00000.dat"), record(MAGIC, &block())).unwrap();
    let (answers, problems) = check_with(
        settings,
        &[folder.join("many.raw"), folder.join("blk00000.dat")],
    );
    assert!(answers.is_empty() && problems.len() == 2, "{problems:?}");
    assert!(
        problems
            .iter()
            .all(|problem| problem.what.contains("regular")),
        "{problems:?}"
    );
}

#[cfg(not(unix))]
fn require_regular(_: &Settings, _: &Path) {}
