//! The vectors of Bitcoin Core, through `gecc_chains::bitcoin`: each spend is put into a block of a
//! height whose rules are those of the case, or stricter or laxer ones where that decides it too.
//!
//! Rules of consensus are soft forks: a spend that passes under some flags passes under fewer of
//! them, and one that fails under some flags fails under more. Blocks of height 300,000 are under
//! BIP 16 and 141 here; those of 600,000 also under BIP 66, 65, 112 and 147, and those of 800,000
//! also under taproot. gecc may answer that it has not checked an input.

use crate::ENGINE;
use crate::report::Row;
use crate::script::{
    Input, Output, Transaction, assembled, encode_size, is_p2sh, is_program, is_taproot, sha256d,
};
use crate::vectors::{bytes, json, list, text};
use gecc_chains::bitcoin::{LONGEST_BLOCK, verify};
use gecc_chains::{BlockRange, Settings, files_of};
use rayon::ThreadPoolBuilder;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A height, and the flags of Bitcoin Core that are in force there.
type Rules = (u32, &'static [&'static str]);

const EARLY: Rules = (300_000, &["P2SH", "WITNESS"]);
const SEGWIT: Rules = (
    600_000,
    &[
        "P2SH",
        "WITNESS",
        "DERSIG",
        "CHECKLOCKTIMEVERIFY",
        "CHECKSEQUENCEVERIFY",
        "NULLDUMMY",
    ],
);
const TAPROOT: Rules = (
    800_000,
    &[
        "P2SH",
        "WITNESS",
        "DERSIG",
        "CHECKLOCKTIMEVERIFY",
        "CHECKSEQUENCEVERIFY",
        "NULLDUMMY",
        "TAPROOT",
    ],
);
const ALL_RULES: [Rules; 3] = [EARLY, SEGWIT, TAPROOT];

const NOT_CHECKED: &str = "scripts that gecc does not interpret, answered as not checked";
const OTHER_RULES: &str = "by rules of policy, or without those of every block";

/// A transaction with the outputs that it spends.
struct Spend {
    transaction: Transaction,
    spent: Vec<Output>,
}

pub fn rows() -> Vec<Row> {
    vec![
        script_tests(),
        transactions("tx_valid", true),
        transactions("tx_invalid", false),
    ]
}

/// Returns the verdict on every input of the spends in blocks of a height.
fn verdicts(height: u32, spends: &[&Spend]) -> Vec<Vec<Option<bool>>> {
    let folder = tempfile::tempdir().expect("the temporary folder is writable");
    let mut block: Vec<&Spend> = Vec::new();
    let mut ids = HashSet::new();
    let mut size = 0;
    let mut files = 0;
    for spend in spends {
        let length = spend.transaction.encode().len();
        // A block does not have a transaction twice.
        if ids.contains(&spend.transaction.id()) || size + length > LONGEST_BLOCK as usize - 1000 {
            write_block(folder.path(), files, height, &block);
            files += 1;
            block.clear();
            ids.clear();
            size = 0;
        }
        ids.insert(spend.transaction.id());
        block.push(spend);
        size += length;
    }
    write_block(folder.path(), files, height, &block);
    let mut answers = answers(folder.path()).into_iter();
    let verdicts = spends
        .iter()
        .map(|spend| {
            let inputs = spend.transaction.inputs.len();
            let of_spend: Vec<Option<bool>> = answers.by_ref().take(inputs).collect();
            assert_eq!(of_spend.len(), inputs, "an answer is missing");
            of_spend
        })
        .collect();
    assert!(answers.next().is_none());
    verdicts
}

fn write_block(folder: &Path, number: usize, height: u32, spends: &[&Spend]) {
    let mut script = vec![3];
    script.extend(&height.to_le_bytes()[..3]);
    script.push(0);
    let coinbase = Transaction {
        version: [1, 0, 0, 0],
        inputs: vec![Input {
            outpoint: null_outpoint(),
            script,
            sequence: [0xff; 4],
            witness: Vec::new(),
        }],
        outputs: vec![Output {
            value: 0,
            script: vec![0x6a],
        }],
        lock_time: [0; 4],
    };
    let transactions = || {
        let of_spends = spends.iter().map(|spend| &spend.transaction);
        std::iter::once(&coinbase).chain(of_spends)
    };
    let mut block = vec![4, 0, 0, 0];
    block.extend([0; 32]);
    block.extend(merkle_root(transactions().map(Transaction::id).collect()));
    block.extend([0; 12]);
    encode_size(&mut block, 1 + spends.len());
    block.extend(transactions().flat_map(Transaction::encode));
    let spent = spends.iter().flat_map(|spend| &spend.spent);
    let spent: Vec<u8> = spent.flat_map(Output::encode).collect();
    let write = |name: String, content: Vec<u8>| {
        std::fs::write(folder.join(name), content).expect("the temporary folder is writable");
    };
    write(format!("{number:06}.raw"), block);
    write(format!("{number:06}-undo.raw"), spent);
}

/// The outpoint of a coinbase's input.
fn null_outpoint() -> [u8; 36] {
    let mut outpoint = [0; 36];
    outpoint[32..].fill(0xff);
    outpoint
}

fn merkle_root(mut hashes: Vec<[u8; 32]>) -> [u8; 32] {
    while hashes.len() > 1 {
        if hashes.len() % 2 == 1 {
            hashes.push(*hashes.last().expect("not empty"));
        }
        hashes = hashes
            .as_chunks::<2>()
            .0
            .iter()
            .map(|pair| sha256d(pair.as_flattened()))
            .collect();
    }
    hashes[0]
}

fn answers(folder: &Path) -> Vec<Option<bool>> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .expect("threads can be started");
    let interrupted = AtomicBool::new(false);
    let settings = Settings::new(&ENGINE, &pool, &interrupted);
    let paths = files_of(&[folder.to_path_buf()]);
    let mut all = Vec::new();
    let ended = verify(&settings, &paths, BlockRange::default(), |part| {
        assert_eq!(part.progress.problems, []);
        all.extend(part.answers.iter().map(|answer| answer.valid()));
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(ended.expect("the CPU computes"), None);
    all
}

/// A case, with the flags under which it passes or fails.
struct Case {
    described: String,
    spend: Spend,
    flags: Vec<String>,
    passes: bool,
}

impl Case {
    fn has(&self, flag: &str) -> bool {
        // These require strict DER too.
        let is_strict = flag == "DERSIG";
        self.flags
            .iter()
            .any(|own| own == flag || is_strict && (own == "STRICTENC" || own == "LOW_S"))
    }

    /// Returns whether the rules decide the case: if it passes, they are among its flags, except for
    /// rules that do not concern its scripts; if it fails, its flags are among them.
    fn is_decided_by(&self, rules: Rules) -> bool {
        if !self.passes {
            return self.flags.iter().all(|flag| rules.1.contains(&&flag[..]));
        }
        rules.1.iter().all(|flag| {
            self.has(flag)
                || match *flag {
                    "P2SH" => !self
                        .spend
                        .spent
                        .iter()
                        .any(|output| is_p2sh(&output.script)),
                    "WITNESS" => !self.has_witnesses(),
                    "TAPROOT" => !self
                        .spend
                        .spent
                        .iter()
                        .any(|output| is_taproot(&output.script)),
                    // gecc has no verdict on scripts with these instructions.
                    "CHECKLOCKTIMEVERIFY" | "CHECKSEQUENCEVERIFY" => true,
                    _ => false,
                }
        })
    }

    fn has_witnesses(&self) -> bool {
        let inputs = self.spend.transaction.inputs.iter().zip(&self.spend.spent);
        inputs.into_iter().any(|(input, output)| {
            let nested = input.script.get(1..).unwrap_or_default();
            !input.witness.is_empty()
                || is_program(&output.script)
                || is_p2sh(&output.script) && is_program(nested)
        })
    }
}

/// Counts cases whose transactions pass if all inputs do.
fn count(row: &mut Row, cases: &[Case]) {
    let mut found: Vec<Vec<Option<bool>>> = cases.iter().map(|_| Vec::new()).collect();
    for rules in ALL_RULES {
        let decided: Vec<usize> = (0..cases.len())
            .filter(|index| cases[*index].is_decided_by(rules))
            .collect();
        let spends: Vec<&Spend> = decided.iter().map(|index| &cases[*index].spend).collect();
        if spends.is_empty() {
            continue;
        }
        for (index, inputs) in decided.into_iter().zip(verdicts(rules.0, &spends)) {
            found[index].push(verdict_of_all(&inputs));
        }
    }
    for (case, found) in cases.iter().zip(found) {
        if found.is_empty() {
            row.leave_out(OTHER_RULES);
        } else if found.iter().all(Option::is_none) {
            row.leave_out(NOT_CHECKED);
        } else {
            let is_right = found.iter().flatten().all(|passes| *passes == case.passes);
            row.library(is_right, || format!("{}: {found:?}", case.described));
        }
    }
}

/// Returns whether a transaction passes; `None` if an input was not checked and no other failed.
fn verdict_of_all(inputs: &[Option<bool>]) -> Option<bool> {
    if inputs.contains(&Some(false)) {
        Some(false)
    } else if inputs.contains(&None) {
        None
    } else {
        Some(true)
    }
}

fn flags(listed: &str) -> Vec<String> {
    let flags = listed
        .split(',')
        .filter(|flag| !flag.is_empty() && *flag != "NONE");
    flags.map(str::to_owned).collect()
}

/// `script_tests.json`: two scripts, in a transaction that spends the output of another one.
fn script_tests() -> Row {
    let file = json("bitcoin/script_tests.json.gz");
    let all = list(&file);
    let mut row = Row::new("script_tests.json", all.len()).through_library();
    let mut cases = Vec::new();
    for value in all {
        match script_case(list(value)) {
            Some(case) => cases.push(case),
            None => row.leave_out("placeholders of tapscript"),
        }
    }
    count(&mut row, &cases);
    row
}

/// Errors that rules of policy alone cause.
const POLICY_ERRORS: [&str; 14] = [
    "CLEANSTACK",
    "DISCOURAGE_UPGRADABLE_NOPS",
    "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM",
    "MINIMALDATA",
    "MINIMALIF",
    "NULLFAIL",
    "OP_CODESEPARATOR",
    "PUBKEYTYPE",
    "SIG_FINDANDDELETE",
    "SIG_HASHTYPE",
    "SIG_HIGH_S",
    "SIG_PUSHONLY",
    "UNKNOWN_ERROR",
    "WITNESS_PUBKEYTYPE",
];

/// Returns the flags without which a case would not have its result. An error of consensus does not
/// need the flags of policy: they only add errors, and this one was the first.
fn deciding_flags(listed: &str, result: &str) -> Vec<String> {
    let mut flags = flags(listed);
    if result == "OK" || POLICY_ERRORS.contains(&result) {
        return flags;
    }
    if flags
        .iter()
        .any(|flag| flag == "STRICTENC" || flag == "LOW_S")
    {
        flags.push("DERSIG".to_owned());
    }
    flags.retain(|flag| TAPROOT.1.contains(&&flag[..]));
    flags
}

fn script_case(fields: &[Value]) -> Option<Case> {
    let (witness, fields) = match &fields[0] {
        Value::Array(witness) => (&witness[..], &fields[1..]),
        _ => (&[][..], fields),
    };
    let mut elements = Vec::new();
    let mut value = 0;
    if let Some((amount, listed)) = witness.split_last() {
        // In bitcoins.
        value = (amount.as_f64().expect("a number") * 1e8).round() as i64;
        for element in listed {
            elements.push(hex::decode(text(element)).ok()?);
        }
    }
    let spent = Output {
        value,
        script: assembled(text(&fields[1]))?,
    };
    let transaction = |outpoint, script, witness, outputs| Transaction {
        version: [1, 0, 0, 0],
        inputs: vec![Input {
            outpoint,
            script,
            sequence: [0xff; 4],
            witness,
        }],
        outputs,
        lock_time: [0; 4],
    };
    let output = |script: &[u8]| Output {
        value,
        script: script.to_vec(),
    };
    let credit = transaction(
        null_outpoint(),
        vec![0, 0],
        vec![],
        vec![output(&spent.script)],
    );
    let mut outpoint = [0; 36];
    outpoint[..32].copy_from_slice(&credit.id());
    let script = assembled(text(&fields[0]))?;
    Some(Case {
        described: format!("{fields:?}"),
        spend: Spend {
            transaction: transaction(outpoint, script, elements, vec![output(&[])]),
            spent: vec![spent],
        },
        flags: deciding_flags(text(&fields[2]), text(&fields[3])),
        passes: fields[3] == "OK",
    })
}

/// Flags of consensus and policy, which all apply to a transaction of `tx_valid.json` except those
/// that it names.
const EVERY_FLAG: [&str; 10] = [
    "P2SH",
    "WITNESS",
    "DERSIG",
    "STRICTENC",
    "LOW_S",
    "CHECKLOCKTIMEVERIFY",
    "CHECKSEQUENCEVERIFY",
    "NULLDUMMY",
    "TAPROOT",
    "MINIMALDATA",
];

/// `tx_valid.json` and `tx_invalid.json`.
fn transactions(name: &str, passes: bool) -> Row {
    let file = json(&format!("bitcoin/{name}.json.gz"));
    let all = list(&file);
    let mut row = Row::new(format!("{name}.json"), all.len()).through_library();
    let mut cases = Vec::new();
    for value in all {
        let [outputs, encoded, listed] = list(value) else {
            panic!("{value}: three fields are expected");
        };
        let mut flags = flags(text(listed));
        if flags == ["BADTX"] {
            row.leave_out("faults of whole transactions, such as amounts");
            continue;
        }
        if passes {
            let kept = EVERY_FLAG
                .iter()
                .filter(|flag| !flags.contains(&(**flag).to_owned()));
            flags = kept.map(|flag| (*flag).to_owned()).collect();
        }
        match spend(list(outputs), &bytes(encoded)) {
            Some(spend) => cases.push(Case {
                described: value.to_string().chars().take(300).collect(),
                spend,
                flags,
                passes,
            }),
            None => row.leave_out("coinbases"),
        }
    }
    count(&mut row, &cases);
    row
}

/// Puts the outputs in the order of the inputs. Returns `None` for coinbases, which spend nothing.
fn spend(outputs: &[Value], encoded: &[u8]) -> Option<Spend> {
    let transaction = Transaction::decode(encoded).expect("a transaction");
    let mut by_outpoint = BTreeMap::new();
    for output in outputs {
        let mut outpoint = bytes(&output[0]);
        outpoint.reverse();
        let index = output[1].as_i64().expect("a number") as u32;
        outpoint.extend(index.to_le_bytes());
        let script = assembled(text(&output[2])).expect("a script");
        let value = output
            .get(3)
            .map_or(0, |value| value.as_i64().expect("a number"));
        by_outpoint.insert(outpoint, (value, script));
    }
    let mut spent = Vec::new();
    for input in &transaction.inputs {
        if input.outpoint == null_outpoint() {
            return None;
        }
        let (value, script) = by_outpoint[&input.outpoint[..]].clone();
        spent.push(Output { value, script });
    }
    Some(Spend { transaction, spent })
}

/// `script_assets_test.json`: inputs of taproot and of earlier outputs that are spent properly and
/// improperly, by the first part of their comments.
pub fn taproot_rows() -> Vec<Row> {
    let file = json("bitcoin/script_assets_test.json.zst");
    let mut by_kind: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for value in list(&file) {
        let kind = text(&value["comment"]).split('/').next().expect("a part");
        by_kind.entry(kind).or_default().push(value);
    }
    by_kind
        .into_iter()
        .map(|(kind, values)| taproot_row(kind, &values))
        .collect()
}

/// One way to spend an output.
struct Asset {
    described: String,
    index: usize,
    spend: Spend,
    is_under_taproot: bool,
    is_final: bool,
    passes: bool,
}

impl Asset {
    fn all_of(value: &Value) -> Vec<Asset> {
        ["success", "failure"]
            .into_iter()
            .filter_map(|outcome| Asset::of(value, outcome))
            .collect()
    }

    fn of(value: &Value, outcome: &str) -> Option<Asset> {
        let shown = value.get(outcome)?;
        let index = value["index"].as_u64().expect("a number") as usize;
        let mut transaction = Transaction::decode(&bytes(&value["tx"])).expect("a transaction");
        let input = &mut transaction.inputs[index];
        input.script = bytes(&shown["scriptSig"]);
        input.witness = list(&shown["witness"]).iter().map(bytes).collect();
        let spent = list(&value["prevouts"])
            .iter()
            .map(|output| Output::decode(&bytes(output)).expect("an output"))
            .collect();
        Some(Asset {
            described: format!("{outcome} of {}", value["comment"]),
            index,
            spend: Spend { transaction, spent },
            is_under_taproot: text(&value["flags"]).contains("TAPROOT"),
            is_final: value.get("final").is_some_and(|is_final| *is_final == true),
            passes: outcome == "success",
        })
    }

    /// Returns whether the case has a result under rules with taproot, or without: one that passes
    /// does so under fewer rules, or under all if it is final; one that fails does so under more.
    fn is_decided(&self, under_taproot: bool) -> bool {
        if self.passes {
            self.is_final || self.is_under_taproot || !under_taproot
        } else {
            under_taproot || !self.is_under_taproot
        }
    }
}

fn taproot_row(kind: &str, values: &[&Value]) -> Row {
    let assets: Vec<Asset> = values
        .iter()
        .flat_map(|value| Asset::all_of(value))
        .collect();
    let mut row =
        Row::new(format!("script_assets_test.json, {kind}"), assets.len()).through_library();
    let mut found: Vec<Vec<bool>> = assets.iter().map(|_| Vec::new()).collect();
    for (rules, under_taproot) in [(SEGWIT, false), (TAPROOT, true)] {
        let decided: Vec<usize> = (0..assets.len())
            .filter(|item| assets[*item].is_decided(under_taproot))
            .collect();
        let spends: Vec<&Spend> = decided.iter().map(|item| &assets[*item].spend).collect();
        for (item, inputs) in decided.into_iter().zip(verdicts(rules.0, &spends)) {
            found[item].extend(inputs[assets[item].index]);
        }
    }
    for (asset, found) in assets.iter().zip(found) {
        if found.is_empty() {
            row.leave_out(NOT_CHECKED);
        } else {
            let is_right = found.iter().all(|passes| *passes == asset.passes);
            row.library(is_right, || asset.described.clone());
        }
    }
    row
}
