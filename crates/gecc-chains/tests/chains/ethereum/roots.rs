//! Blocks whose transactions are compared with the root in their headers.

use super::made::{Signer, block, header, in_block, list, root_of, transaction};
use super::real::{check, check_with};
use crate::random::Random;
use crate::support::{file, of_examples, paths};
use gecc_chains::ethereum::{Answer, Answers, Kind, Options, Reason, senders};
use gecc_chains::{Problem, RootComparisons, Settings};
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// The answers to a text, its problems, and how many blocks were compared.
fn of_bytes(
    settings: &Settings,
    bytes: &[u8],
    options: &Options,
) -> (Vec<Answer>, Vec<Problem>, RootComparisons) {
    let (_folder, path) = file(bytes);
    let mut all = Vec::new();
    let mut problems = Vec::new();
    let mut compared = RootComparisons::default();
    let ended = senders(
        settings,
        &paths(&[path]),
        options,
        |Answers { answers, progress }| {
            all.extend(answers);
            problems.extend(progress.problems);
            compared.add(progress.blocks);
            ControlFlow::<()>::Continue(())
        },
    );
    assert_eq!(ended.unwrap(), None);
    (all, problems, compared)
}

fn block_of_examples(number: u64) -> Value {
    let path = of_examples(&format!("ethereum/block_{number}.json"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Requires that the transactions do not match the block: a problem names the block and both roots,
/// and none counts as valid.
fn require_other_root(settings: &Settings, bytes: &[u8], number: u64) -> Vec<Answer> {
    let (answers, problems, compared) = of_bytes(settings, bytes, &Options::default());
    let named: Vec<&Problem> = problems
        .iter()
        .filter(|problem| {
            problem
                .what
                .starts_with(&format!("block {number}: its transactions have root 0x"))
        })
        .collect();
    assert!(
        named.len() == 1 && named[0].what.matches("0x").count() == 2,
        "{problems:?}"
    );
    let of_block = answers.iter().filter(|answer| answer.block == Some(number));
    assert!(
        of_block.clone().all(|answer| answer.valid() != Some(true)),
        "{answers:?}"
    );
    assert!(compared.compared > 0);
    // With `skip_roots`, the mismatch is not reported, and the block is counted as not compared.
    let (all, none, compared) = of_bytes(
        settings,
        bytes,
        &Options {
            skip_roots: true,
            ..Options::default()
        },
    );
    assert_eq!((all.len(), none.len()), (answers.len(), problems.len() - 1));
    assert!(compared.compared == 0 && compared.not_compared > 0);
    let signed = |answer: &&Answer| answer.reason == Some(Reason::OtherRoot);
    assert!(
        answers
            .iter()
            .zip(&all)
            .filter(|(answer, _)| signed(answer))
            .all(|(_, answer)| answer.valid() == Some(true))
    );
    answers
}

pub fn blocks_in_json(settings: &Settings) {
    for number in [1_150_000, 12_244_000, 22_431_083] {
        let whole = block_of_examples(number);
        let (expected, problems, compared) =
            of_bytes(settings, whole.to_string().as_bytes(), &Options::default());
        assert_eq!(
            (problems, compared),
            (
                vec![],
                RootComparisons {
                    compared: 1,
                    not_compared: 0
                }
            )
        );
        let changed = |change: &dyn Fn(&mut Value)| {
            let mut block = whole.clone();
            change(&mut block);
            block.to_string().into_bytes()
        };
        let list = |block: &mut Value| block["transactions"].as_array_mut().unwrap().clone();
        let with = |transactions: Vec<Value>| {
            changed(&|block| block["transactions"] = json!(transactions))
        };
        let all = list(&mut whole.clone());
        assert_eq!(require_other_root(settings, &with(Vec::new()), number), []);
        let fewer = require_other_root(settings, &with(all[1..].to_vec()), number);
        assert!(
            fewer
                .iter()
                .all(|answer| answer.reason == Some(Reason::OtherRoot))
        );
        require_other_root(settings, &with([&all[..], &all[..1]].concat()), number);
        let mut swapped = all.clone();
        swapped.swap(0, 1);
        require_other_root(settings, &with(swapped), number);
        // A changed transaction without a hash and sender: only the root shows the change.
        let mut other = all.clone();
        let first = other[0].as_object_mut().unwrap();
        first["nonce"] = json!("0x7777");
        first.remove("hash");
        first.remove("from");
        require_other_root(settings, &with(other), number);
        let root = json!(const_hex::encode_prefixed([7; 32]));
        require_other_root(
            settings,
            &changed(&|block| block["transactionsRoot"] = root.clone()),
            number,
        );
        // Without a root, or with a root of zeros, nothing is compared.
        let (found, problems, compared) = of_bytes(
            settings,
            &changed(&|block| block["transactionsRoot"] = Value::Null),
            &Options::default(),
        );
        assert_eq!(
            (&found, problems, compared.not_compared),
            (&expected, vec![], 1)
        );
        let zeros = json!(const_hex::encode_prefixed([0; 32]));
        let (found, problems, compared) = of_bytes(
            settings,
            &changed(&|block| block["transactionsRoot"] = zeros.clone()),
            &Options::default(),
        );
        assert_eq!((&found, compared.not_compared), (&expected, 1));
        assert!(
            problems.len() == 1 && problems[0].not_checked,
            "{problems:?}"
        );
        // Not a root.
        let short = changed(&|block| block["transactionsRoot"] = json!("0x12"));
        assert!(!of_bytes(settings, &short, &Options::default()).1.is_empty());
        // Blocks whose transactions cannot be encoded are not compared.
        let hashes = with(
            all.iter()
                .map(|transaction| transaction["hash"].clone())
                .collect(),
        );
        let (_, problems, compared) = of_bytes(settings, &hashes, &Options::default());
        assert_eq!(
            (problems, compared),
            (
                vec![],
                RootComparisons {
                    compared: 0,
                    not_compared: 1
                }
            )
        );
    }
}

/// Blocks that are read in several parts: an error in the last part is known when the first is
/// reported.
pub fn blocks_in_parts(settings: &Settings) {
    const COPIES: usize = 40;
    let mut long = block_of_examples(12_244_000);
    let all = long["transactions"].as_array().unwrap().clone();
    let many: Vec<Value> = std::iter::repeat_n(&all, COPIES)
        .flatten()
        .cloned()
        .collect();
    long["transactions"] = json!(many);
    let encoded = super::e2store::transactions_of("made-premerge.era1", 12_244_000);
    let little = Settings {
        max_memory: Some(0),
        ..*settings
    };
    let copies: Vec<Vec<u8>> = std::iter::repeat_n(&encoded, COPIES)
        .flatten()
        .cloned()
        .collect();
    long["transactionsRoot"] = json!(const_hex::encode_prefixed(root_of(&copies)));
    let (found, problems, _) = of_bytes(&little, long.to_string().as_bytes(), &Options::default());
    assert_eq!((found.len(), problems), (COPIES * all.len(), vec![]));
    assert!(found.iter().all(|answer| answer.valid() == Some(true)));
    long["transactions"].as_array_mut().unwrap().pop();
    let found = require_other_root(&little, long.to_string().as_bytes(), 12_244_000);
    assert!(
        found
            .iter()
            .all(|answer| answer.reason == Some(Reason::OtherRoot))
    );
    // The same in RLP and in hexadecimal.
    let whole = block(7, &copies);
    let fewer = list(
        &[
            header(7, root_of(&copies)),
            in_block(&copies[1..]),
            list(&[]),
        ]
        .concat(),
    );
    for (whole, fewer) in [
        (whole.clone(), fewer.clone()),
        (
            const_hex::encode(&whole).into_bytes(),
            const_hex::encode_prefixed(&fewer).into_bytes(),
        ),
    ] {
        let (found, problems, _) = of_bytes(&little, &whole, &Options::default());
        assert_eq!((found.len(), problems), (copies.len(), vec![]));
        assert!(found.iter().all(|answer| answer.valid() == Some(true)));
        let found = require_other_root(&little, &fewer, 7);
        assert!(
            found
                .iter()
                .all(|answer| answer.reason == Some(Reason::OtherRoot))
        );
    }
}

/// Flips random bits of a block's transactions, in RLP and in hexadecimal: unless a problem is
/// reported, all answers are as before. The header is not changed, because its transactions root
/// does not cover its other fields, such as the number.
pub fn blocks_with_a_changed_bit(settings: &Settings) {
    let random = &mut Random::new();
    let kinds = [
        Kind::Legacy,
        Kind::Eip155,
        Kind::Eip2930,
        Kind::Eip1559,
        Kind::Eip4844,
        Kind::Eip7702,
    ];
    let encoded = kinds.map(|kind| transaction(kind, &Signer::new(settings), random).0);
    let first = block(5, &encoded);
    let second = block(6, &encoded[..2]);
    let (_folder, path) = file(&[&first[..], &second].concat());
    let expected = check(settings, &[path]);
    let end = first.len() - list(&[]).len();
    let start = end - in_block(&encoded).len();
    for _ in 0..150 {
        let place = rand::RngExt::random_range(random, start..end);
        let mut changed = first.clone();
        changed[place] ^= 1 << rand::RngExt::random_range(random, 0..8);
        for bytes in [
            [&changed[..], &second].concat(),
            format!(
                "{}\n{}\n",
                const_hex::encode(&changed),
                const_hex::encode(&second)
            )
            .into_bytes(),
        ] {
            let (found, problems, _) = of_bytes(settings, &bytes, &Options::default());
            let valid = |answer: &&Answer| answer.valid() == Some(true);
            assert!(
                found
                    .iter()
                    .filter(valid)
                    .all(|answer| expected.contains(answer)),
                "{place}"
            );
            assert!(!problems.is_empty() || found == expected, "{place}");
        }
    }
}

/// With `only_rejected`, blocks are compared as well, and invalid signatures have their hash.
pub fn roots_are_compared_with_only_rejected(settings: &Settings) {
    let encoded = super::e2store::transactions_of("made-premerge.era1", 2_675_000);
    let changed = list(&[header(7, [7; 32]), in_block(&encoded), list(&[])].concat());
    let options = Options {
        only_rejected: true,
        ..Options::default()
    };
    let (_folder, path) = file(&changed);
    let (found, problems) = check_with(settings, std::slice::from_ref(&path), &options);
    assert_eq!(problems.len(), 1);
    assert_eq!(found, check_with(settings, &[path], &Options::default()).0);
    assert!(
        found
            .iter()
            .all(|answer| answer.reason == Some(Reason::OtherRoot) && answer.hash != [0; 32])
    );
}
