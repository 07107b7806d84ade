//! Real blocks, whose senders are known.

use crate::support::{data, file, of_examples, paths};
use gecc_chains::ethereum::{Address, Answer, Answers, Kind, Options, Reason, senders};
use gecc_chains::{BlockRange, Problem, Settings};
use serde_json::Value;
use std::collections::HashMap;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// The answers to some files, with the problems.
pub fn check_with(
    settings: &Settings,
    files: &[PathBuf],
    options: &Options,
) -> (Vec<Answer>, Vec<Problem>) {
    let mut all = Vec::new();
    let mut problems = Vec::new();
    let mut bytes = 0;
    let mut finished = Vec::new();
    let paths = paths(files);
    let ended = senders(
        settings,
        &paths,
        options,
        |Answers { answers, progress }| {
            all.extend(answers);
            problems.extend(progress.problems);
            bytes += progress.bytes;
            finished.extend(progress.finished);
            ControlFlow::<()>::Continue(())
        },
    );
    assert_eq!(ended.unwrap(), None);
    assert_eq!(finished.len(), paths.files.len());
    assert!(bytes <= paths.bytes());
    assert!(
        !problems.is_empty() || bytes == paths.bytes(),
        "{bytes} of {} bytes",
        paths.bytes()
    );
    (all, problems)
}

/// The answers to files without a problem.
pub fn check(settings: &Settings, files: &[PathBuf]) -> Vec<Answer> {
    let (answers, problems) = check_with(settings, files, &Options::default());
    assert_eq!(problems, []);
    answers
}

/// The senders of the transactions of the example blocks, by hash.
fn known_senders() -> HashMap<[u8; 32], Address> {
    let mut known = HashMap::new();
    for file in std::fs::read_dir(of_examples("ethereum")).unwrap() {
        let block: Value =
            serde_json::from_slice(&std::fs::read(file.unwrap().path()).unwrap()).unwrap();
        for transaction in block["transactions"].as_array().unwrap() {
            let text = |name: &str| transaction[name].as_str().unwrap();
            let hash = const_hex::decode_to_array(text("hash"));
            let from = const_hex::decode_to_array(text("from"));
            known.insert(hash.unwrap(), from.unwrap());
        }
    }
    known
}

fn count(answers: &[Answer], kind: Kind) -> usize {
    answers.iter().filter(|answer| answer.kind == kind).count()
}

#[cfg(feature = "arrow")]
fn counts(answers: &[Answer]) -> [usize; Kind::ALL.len()] {
    Kind::ALL.map(|kind| count(answers, kind))
}

/// Requires that all are valid and from the stated senders. Returns the number of these blocks.
fn require_known(answers: &[Answer]) -> usize {
    let known = known_senders();
    for answer in answers {
        assert_eq!(answer.reason, None, "{answer:?}");
    }
    let transactions = answers
        .iter()
        .filter(|answer| answer.authorization.is_none());
    let found = transactions.filter_map(|answer| Some((known.get(&answer.hash)?, answer.from)));
    found
        .inspect(|(known, from)| assert_eq!(Some(**known), *from))
        .count()
}

pub fn json_blocks(settings: &Settings) {
    let answers = check(settings, &[of_examples("ethereum")]);
    assert_eq!(require_known(&answers), known_senders().len());
    assert_eq!(answers.len() - count(&answers, Kind::Authorization), 529);
}

pub fn era1_of_the_main_chain(settings: &Settings) {
    let before = check(settings, &[data("made-premerge.era1")]);
    assert_eq!(before.len(), 420);
    // Blocks 1150000, 1920000, 2675000 and 12244000 are among the example data.
    assert_eq!(require_known(&before), 9 + 4 + 15 + 133);
    let after = check(settings, &[data("made-postmerge.e2s")]);
    assert_eq!(after.len() - count(&after, Kind::Authorization), 700);
    // So are blocks 19426587, 22431082, 22431083 and 22431086.
    assert_eq!(require_known(&after), 37 + 68 + 139 + 124);
    assert!(
        [
            Kind::Eip155,
            Kind::Eip2930,
            Kind::Eip1559,
            Kind::Eip4844,
            Kind::Eip7702
        ]
        .iter()
        .all(|kind| count(&after, *kind) > 0)
    );
}

pub fn era1_of_sepolia(settings: &Settings) {
    let answers = check(settings, &[data("sepolia-00021-txblocks.era1")]);
    assert_eq!((require_known(&answers), answers.len()), (0, 51));
    assert_eq!(
        (
            count(&answers, Kind::Eip1559),
            count(&answers, Kind::Legacy) + count(&answers, Kind::Eip155)
        ),
        (36, 15)
    );
}

pub fn era1_without_transactions(settings: &Settings) {
    assert_eq!(check(settings, &[data("mainnet-00000-first16.era1")]), []);
}

/// Headers and bodies of an era1 file as blocks in RLP, one after the other.
fn as_rlp(name: &str) -> Vec<u8> {
    let bytes = std::fs::read(data(name)).unwrap();
    let mut rest = 0;
    let mut blocks = Vec::new();
    let mut header = Vec::new();
    while rest < bytes.len() {
        let kind = u16::from_le_bytes(bytes[rest..rest + 2].try_into().unwrap());
        let length = u32::from_le_bytes(bytes[rest + 2..rest + 6].try_into().unwrap()) as usize;
        let content = &bytes[rest + 8..rest + 8 + length];
        let mut plain = Vec::new();
        if matches!(kind, 3 | 4) {
            snap::read::FrameDecoder::new(content)
                .read_to_end(&mut plain)
                .unwrap();
        }
        match kind {
            3 => header = plain,
            4 => {
                let body = alloy_rlp::Header::decode_bytes(&mut plain.as_slice(), true).unwrap();
                let payload_length = header.len() + body.len();
                alloy_rlp::Header {
                    list: true,
                    payload_length,
                }
                .encode(&mut blocks);
                blocks.extend_from_slice(&header);
                blocks.extend_from_slice(body);
            }
            _ => {}
        }
        rest += 8 + length;
    }
    blocks
}

pub fn blocks_in_rlp(settings: &Settings) {
    for name in [
        "made-premerge.era1",
        "made-postmerge.e2s",
        "sepolia-00021-txblocks.era1",
    ] {
        let (_folder, path) = file(&as_rlp(name));
        assert_eq!(check(settings, &[path]), check(settings, &[data(name)]));
    }
}

#[cfg(feature = "arrow")]
pub fn tables_of_amp(settings: &Settings) {
    let answers = check(settings, &[data("amp_evm_transactions.parquet")]);
    assert_eq!(answers.len() - count(&answers, Kind::Authorization), 1120);
    assert_eq!(require_known(&answers), 529);
    let era1 = check(
        settings,
        &[data("made-premerge.era1"), data("made-postmerge.e2s")],
    );
    assert_eq!(counts(&answers), counts(&era1));
}

#[cfg(feature = "arrow")]
pub fn tables_of_cryo(settings: &Settings) {
    for (name, rebuilt, lost) in [
        ("ethereum__transactions__mixed.parquet", 1107, 13),
        ("ethereum__transactions__polars.parquet", 82, 1),
    ] {
        let answers = check(settings, &[data(name)]);
        let (good, bad): (Vec<Answer>, _) = answers
            .into_iter()
            .partition(|answer| answer.valid() == Some(true));
        assert_eq!((good.len(), bad.len()), (rebuilt, lost), "{name}");
        require_known(&good);
        assert!(
            bad.iter()
                .all(|answer| matches!(answer.reason, Some(Reason::NotRebuilt(_))))
        );
        if lost > 1 {
            assert_eq!(count(&good, Kind::Legacy), 34);
        }
    }
}

pub fn ranges_of_blocks(settings: &Settings) {
    let mut files = vec![data("made-postmerge.e2s"), of_examples("ethereum")];
    if cfg!(feature = "arrow") {
        files.push(data("amp_evm_transactions.parquet"));
    }
    for file in files {
        let all = check(settings, std::slice::from_ref(&file));
        let blocks = BlockRange {
            from: Some(19_426_587),
            to: Some(22_431_082),
        };
        let options = Options {
            blocks,
            ..Options::default()
        };
        let (some, problems) = check_with(settings, &[file], &options);
        assert_eq!(problems, []);
        let inside = |answer: &&Answer| (19_426_587..=22_431_082).contains(&answer.block.unwrap());
        assert_eq!(some, all.iter().filter(inside).cloned().collect::<Vec<_>>());
        assert!(!some.is_empty() && some.len() < all.len());
    }
}

pub fn other_chains(settings: &Settings) {
    let file = data("sepolia-00021-txblocks.era1");
    for (chain_id, is_other) in [(11_155_111, false), (1, true)] {
        let options = Options {
            chain_id: Some(chain_id),
            ..Options::default()
        };
        let (answers, problems) = check_with(settings, std::slice::from_ref(&file), &options);
        assert_eq!(problems, []);
        let others = answers
            .iter()
            .filter(|answer| answer.reason == Some(Reason::OtherChain))
            .count();
        assert_eq!(
            others,
            if is_other {
                answers.len() - count(&answers, Kind::Legacy)
            } else {
                0
            }
        );
        // Rejected ones still have the hashes of their transactions, which these files do not
        // contain.
        let mut expected = answers;
        let valid = expected
            .iter_mut()
            .filter(|answer| answer.valid() == Some(true));
        valid.for_each(|answer| answer.hash = [0; 32]);
        let options = Options {
            only_rejected: true,
            ..options
        };
        assert_eq!(
            check_with(settings, std::slice::from_ref(&file), &options),
            (expected, vec![])
        );
    }
}
