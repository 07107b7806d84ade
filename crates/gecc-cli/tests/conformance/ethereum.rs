//! Transactions of Ethereum, through `gecc_chains::ethereum`: the TransactionTests of
//! ethereum/tests, for each fork, and transactions signed by eth-account.

use crate::ENGINE;
use crate::report::Row;
use crate::vectors::{bytes, json, list, text};
use gecc_chains::ethereum::{Answer, Options, senders};
use gecc_chains::{Problem, Settings, files_of};
use rayon::ThreadPoolBuilder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

/// The first blocks of forks on the main chain.
fn first_block(fork: &str) -> u64 {
    match fork {
        "Frontier" => 1,
        "Homestead" => 1_150_000,
        "EIP150" => 2_463_000,
        "EIP158" => 2_675_000,
        "Byzantium" => 4_370_000,
        "Constantinople" | "ConstantinopleFix" => 7_280_000,
        "Istanbul" => 9_069_000,
        "Berlin" => 12_244_000,
        "London" => 12_965_000,
        "Paris" => 15_537_394,
        "Shanghai" => 17_034_870,
        "Cancun" => 19_426_587,
        other => panic!("no fork is called {other}"),
    }
}

/// Exceptions about matters other than the encoding and the signature.
const OTHER_MATTERS: [(&str, &str); 12] = [
    ("INTRINSIC_GAS_TOO_LOW", "gas"),
    ("GASLIMIT_OVERFLOW", "gas"),
    ("GASLIMIT_PRICE_PRODUCT_OVERFLOW", "gas"),
    ("GASPRICE_OVERFLOW", "gas"),
    ("NONCE_OVERFLOW", "nonces"),
    ("NONCE_TOO_BIG", "nonces"),
    ("VALUE_OVERFLOW", "amounts"),
    ("PRIORITY_OVERFLOW", "fees"),
    ("PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS_2", "fees"),
    ("PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS", "fees"),
    ("INITCODE_SIZE_EXCEEDED", "the size of code"),
    // Of transactions that later forks refuse for another of these reasons.
    ("TYPE_NOT_SUPPORTED", "types of later forks"),
];

pub fn rows() -> Vec<Row> {
    let file = json("ethereum/transaction_tests.json.gz");
    let tests = file.as_object().expect("an object");
    let mut by_folder: BTreeMap<&str, Vec<(&str, &Value)>> = BTreeMap::new();
    for (name, test) in tests {
        let (folder, name) = name.split_once('/').expect("a folder");
        by_folder.entry(folder).or_default().push((name, test));
    }
    let mut rows: Vec<Row> = by_folder
        .into_iter()
        .map(|(folder, tests)| folder_row(folder, &tests))
        .collect();
    rows.push(eth_account_row());
    rows
}

/// The answers to an encoded transaction.
fn answers(encoded: &str, options: &Options) -> (Vec<Answer>, Vec<Problem>) {
    let folder = tempfile::tempdir().expect("the temporary folder is writable");
    let path = folder.path().join("transaction.hex");
    std::fs::write(&path, encoded).expect("the temporary folder is writable");
    let pool = ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("threads can be started");
    let interrupted = AtomicBool::new(false);
    let settings = Settings::new(&ENGINE, &pool, &interrupted);
    let mut all = Vec::new();
    let mut problems = Vec::new();
    let ended = senders(&settings, &files_of(&[path]), options, |part| {
        all.extend(part.answers);
        problems.extend(part.progress.problems);
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(ended.expect("the CPU computes"), None);
    (all, problems)
}

fn folder_row(folder: &str, tests: &[(&str, &Value)]) -> Row {
    let cases = tests.iter().map(|(_, test)| results(test).len()).sum();
    let mut row = Row::new(format!("TransactionTests/{folder}"), cases).through_library();
    for (name, test) in tests {
        for (fork, result) in results(test) {
            let options = Options {
                chain_id: Some(1),
                at_block: Some(first_block(fork)),
                ..Options::default()
            };
            let (found, problems) = answers(text(&test["txbytes"]), &options);
            let what = || format!("{name}, {fork}: {result} {found:?} {problems:?}");
            // Some cases have more than one answer: none of them is a transaction.
            let sender = match &found[..] {
                [answer] if answer.reason.is_none() => answer.from.map(|from| (from, answer.hash)),
                _ => None,
            };
            match (result.get("exception"), sender) {
                (None, Some((from, hash))) => {
                    let is_same =
                        from[..] == bytes(&result["sender"]) && hash[..] == bytes(&result["hash"]);
                    row.library(is_same, what);
                }
                (None, None) => row.library(false, what),
                (Some(_), None) => row.library(true, what),
                (Some(exception), Some(sender)) => {
                    if is_of_later_fork(test, sender) {
                        row.leave_out("valid from a later fork on, with this sender");
                    } else if let Some(matter) = other_matter(text(exception)) {
                        row.leave_out(&format!("faults of {matter}"));
                    } else {
                        row.library(false, what);
                    }
                }
            }
        }
    }
    row
}

fn results(test: &Value) -> &serde_json::Map<String, Value> {
    test["result"].as_object().expect("an object")
}

/// Returns whether a transaction has this sender and hash under the rules of another fork: gecc has
/// the rules of all forks at once.
fn is_of_later_fork(test: &Value, (from, hash): ([u8; 20], [u8; 32])) -> bool {
    results(test).values().any(|result| {
        result
            .get("sender")
            .is_some_and(|sender| from[..] == bytes(sender))
            && hash[..] == bytes(&result["hash"])
    })
}

fn other_matter(exception: &str) -> Option<&'static str> {
    let name = exception.trim_start_matches("TransactionException.");
    let (_, matter) = OTHER_MATTERS.iter().find(|(known, _)| *known == name)?;
    Some(matter)
}

/// Transactions of every type, each with its sender, and with the signers of its authorizations.
fn eth_account_row() -> Row {
    let file = json("ethereum/eth_account.json.gz");
    let cases = list(&file);
    let mut row = Row::new("eth-account", cases.len());
    for case in cases {
        let (found, problems) = answers(text(&case["raw"]), &Options::default());
        let mut expected = vec![&case["sender"]];
        expected.extend(list(&case["authorities"]));
        let signers = found
            .iter()
            .map(|answer| answer.from.map(|from| from.to_vec()));
        let is_same = signers.eq(expected.iter().map(|address| Some(bytes(address))))
            && found.iter().all(|answer| answer.reason.is_none())
            && found
                .iter()
                .all(|answer| answer.hash[..] == bytes(&case["hash"]));
        row.library(is_same, || format!("{case}: {found:?} {problems:?}"));
    }
    row
}
