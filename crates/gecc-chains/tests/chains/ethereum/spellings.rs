//! The ways in which nodes and libraries write transactions in JSON, and contradictory or malformed
//! variants.

use super::real::check_with;
use crate::support::{file, of_examples};
use gecc_chains::Settings;
use gecc_chains::ethereum::{Answer, Kind, Options, Reason};
use serde_json::{Map, Value, json};

/// Words of parser errors that mean nothing to users.
const OF_PARSER: [&str; 9] = [
    "borrowed",
    "missing field",
    "duplicate field",
    "unknown variant",
    "invalid type",
    "invalid value",
    "EOF",
    "trailing",
    "expected value",
];

/// The answers to a text, and the messages of its problems. Neither contains words of a parser.
pub fn answers_of(
    settings: &Settings,
    text: &str,
    options: &Options,
) -> (Vec<Answer>, Vec<String>) {
    let (_folder, path) = file(text.as_bytes());
    let (answers, problems) = check_with(settings, &[path], options);
    let problems: Vec<String> = problems.into_iter().map(|problem| problem.what).collect();
    let reasons = answers
        .iter()
        .filter_map(|answer| answer.reason.as_ref().map(ToString::to_string));
    for message in reasons.chain(problems.iter().cloned()) {
        assert!(
            OF_PARSER.iter().all(|words| !message.contains(words)),
            "{message}"
        );
    }
    (answers, problems)
}

/// The answers to a value without a problem.
pub fn answers_to(settings: &Settings, value: &Value) -> Vec<Answer> {
    let (answers, problems) = answers_of(settings, &value.to_string(), &Options::default());
    assert_eq!(problems, Vec::<String>::new(), "{value}");
    answers
}

/// Returns the reason why the only transaction of a value is not rebuilt.
fn why_not(settings: &Settings, text: &str) -> String {
    let (answers, problems) = answers_of(settings, text, &Options::default());
    assert_eq!(
        (answers.len(), problems.len()),
        (1, 0),
        "{text}: {problems:?}"
    );
    match &answers[0].reason {
        Some(Reason::NotRebuilt(why)) => why.to_string(),
        other => panic!("{text}: {other:?}"),
    }
}

/// The transactions of the example blocks, as returned by JSON-RPC.
fn transactions() -> Vec<Value> {
    let mut all = Vec::new();
    for name in [
        "block_1150000",
        "block_12244000",
        "block_19426587",
        "block_22431082",
        "block_22431083",
        "block_22431086",
    ] {
        let text = std::fs::read(of_examples(&format!("ethereum/{name}.json"))).unwrap();
        let block: Value = serde_json::from_slice(&text).unwrap();
        all.extend(block["transactions"].as_array().unwrap().iter().cloned());
    }
    all
}

/// A real transaction of a type; of legacy ones for one chain or for any.
pub fn transaction(type_number: &str, is_for_any: bool) -> Value {
    transactions()
        .into_iter()
        .find(|transaction| {
            let v = transaction["v"].as_str().unwrap_or_default();
            transaction["type"].as_str().unwrap_or("0x0") == type_number
                && (type_number != "0x0" || matches!(v, "0x1b" | "0x1c") == is_for_any)
        })
        .unwrap()
}

/// Returns one transaction of each type.
fn of_every_type() -> Vec<Value> {
    let typed = ["0x1", "0x2", "0x3", "0x4"].map(|number| transaction(number, false));
    [transaction("0x0", true), transaction("0x0", false)]
        .into_iter()
        .chain(typed)
        .collect()
}

fn object(value: &mut Value) -> &mut Map<String, Value> {
    value.as_object_mut().unwrap()
}

fn without(value: &Value, names: &[&str]) -> Value {
    let mut value = value.clone();
    names
        .iter()
        .for_each(|name| drop(object(&mut value).remove(*name)));
    value
}

fn with(value: &Value, name: &str, member: impl Into<Value>) -> Value {
    let mut value = value.clone();
    value[name] = member.into();
    value
}

fn renamed(value: &Value, name: &str, other: &str) -> Value {
    let mut value = value.clone();
    let member = object(&mut value).remove(name).unwrap();
    value[other] = member;
    value
}

fn number_of(value: &Value) -> u128 {
    u128::from_str_radix(value.as_str().unwrap().strip_prefix("0x").unwrap(), 16).unwrap()
}

/// The parity that v of a transaction stands for.
fn parity_of(transaction: &Value) -> u128 {
    match number_of(&transaction["v"]) {
        v @ 0..=1 => v,
        v @ 27..=28 => v - 27,
        v => (v - 35) % 2,
    }
}

pub fn members_that_say_the_same(settings: &Settings) {
    for transaction in of_every_type() {
        let expected = answers_to(settings, &transaction);
        assert!(expected.iter().all(|answer| answer.valid() == Some(true)));
        let input = transaction["input"].clone();
        let spelled = input
            .as_str()
            .unwrap()
            .to_uppercase()
            .replacen("0X", "0x", 1);
        let mut same = vec![
            with(&transaction, "data", input.clone()),
            with(&transaction, "data", spelled),
            with(&transaction, "data", Value::Null),
            with(&without(&transaction, &["input"]), "data", input.clone()),
            with(&with(&transaction, "data", input), "input", Value::Null),
            with(&transaction, "gasLimit", transaction["gas"].clone()),
            with(
                &transaction,
                "gasLimit",
                number_of(&transaction["gas"]).to_string(),
            ),
            renamed(&transaction, "gas", "gasLimit"),
            with(
                &transaction,
                "typeHex",
                transaction.get("type").cloned().unwrap_or(json!("0x0")),
            ),
            with(
                &transaction,
                "yParity",
                format!("{:#x}", parity_of(&transaction)),
            ),
        ];
        if let Some(list) = transaction.get("authorizationList") {
            for (name, value) in [("v", "yParity"), ("yParity", "v")] {
                let mut both = transaction.clone();
                for (index, authorization) in list.as_array().unwrap().iter().enumerate() {
                    let parity = authorization
                        .get("yParity")
                        .or(authorization.get("v"))
                        .unwrap();
                    both["authorizationList"][index][name] = parity.clone();
                    both["authorizationList"][index][value] = parity.clone();
                }
                same.push(both.clone());
                (0..list.as_array().unwrap().len()).for_each(|index| {
                    object(&mut both["authorizationList"][index]).remove(value);
                });
                same.push(both);
            }
        }
        for same in same {
            assert_eq!(answers_to(settings, &same), expected, "{same}");
        }
    }
}

pub fn contradictions_name_both_members(settings: &Settings) {
    for transaction in of_every_type() {
        let differ = |name: &str, value: Value, names: [&str; 2]| {
            let why = why_not(settings, &with(&transaction, name, value).to_string());
            assert!(
                names.iter().all(|name| why.contains(&format!("`{name}`"))),
                "{why}"
            );
        };
        differ("data", json!("0x00ff00ff"), ["data", "input"]);
        differ("gasLimit", json!("0x1"), ["gas", "gasLimit"]);
        differ(
            "transactionHash",
            json!(const_hex::encode_prefixed([1; 32])),
            ["hash", "transactionHash"],
        );
        differ("gas_price", json!(7), ["gasPrice", "gas_price"]);
        differ(
            "yParity",
            json!(1 - parity_of(&transaction) as u64),
            ["v", "yParity"],
        );
        differ("signature", json!({"r": "0x1"}), ["r", "signature.r"]);
        differ("signature", json!({"s": "0x1"}), ["s", "signature.s"]);
        if transaction.get("type").is_some() {
            differ("typeHex", json!("0x5"), ["type", "typeHex"]);
        }
        let for_one_chain = number_of(&transaction["v"]) >= 35;
        if for_one_chain {
            differ("chainId", json!(5), ["v", "chainId"]);
        } else if transaction["type"].as_str().unwrap_or("0x0") != "0x0" {
            // v according to EIP-155 for another chain.
            differ(
                "v",
                json!(35 + 2 * 5 + parity_of(&transaction) as u64),
                ["v", "chainId"],
            );
        }
        if transaction.get("authorizationList").is_some() {
            let mut both = transaction.clone();
            both["authorizationList"][0]["yParity"] = json!("0x0");
            both["authorizationList"][0]["v"] = json!("0x1");
            let why = why_not(settings, &both.to_string());
            assert!(
                why.starts_with("`authorizationList`: ")
                    && why.contains("`v` and `yParity` differ"),
                "{why}"
            );
        }
    }
}

/// Parsers disagree on whether the first or the last of two equal members counts.
pub fn members_that_are_there_twice(settings: &Settings) {
    for transaction in of_every_type() {
        let text = transaction.to_string();
        for name in ["r", "hash", "input", "nonce", "from", "v"] {
            for value in [transaction[name].to_string(), "null".to_owned()] {
                for twice in [
                    text.replacen('{', &format!("{{\"{name}\":{value},"), 1),
                    format!("{},\"{name}\":{value}}}", &text[..text.len() - 1]),
                    // The same name with an escape.
                    text.replacen(
                        '{',
                        &format!("{{\"\\u{:04x}{}\":{value},", name.as_bytes()[0], &name[1..]),
                        1,
                    ),
                ] {
                    assert_eq!(
                        why_not(settings, &twice),
                        format!("`{name}` is given twice")
                    );
                }
            }
        }
        // Ignored members may be repeated.
        let other = text.replacen('{', "{\"other\":1,\"other\":2,", 1);
        assert_eq!(
            answers_of(settings, &other, &Options::default()).0,
            answers_to(settings, &transaction)
        );
    }
    let block = r#"{"number":"0x1","transactions":[],"transactions":[]}"#;
    let answer = r#"{"result":null,"result":{"number":"0x1","transactions":[]}}"#;
    for (text, name) in [(block, "transactions"), (answer, "result")] {
        let (answers, problems) = answers_of(settings, text, &Options::default());
        assert_eq!(
            (answers.len(), problems),
            (0, vec![format!("`{name}` is given twice")])
        );
    }
    let mut with_authorization = transaction("0x4", false).to_string();
    let list = with_authorization.find("\"authorizationList\":[{").unwrap()
        + "\"authorizationList\":[{".len();
    with_authorization.insert_str(list, "\"nonce\":null,");
    assert_eq!(
        why_not(settings, &with_authorization),
        "`authorizationList`: `nonce` is given twice"
    );
}

/// Numbers of JSON and decimal texts, as web3.py, ethers and web3.js write them.
pub fn numbers_in_other_spellings(settings: &Settings) {
    const NUMBERS: [&str; 12] = [
        "nonce",
        "gas",
        "gasPrice",
        "maxFeePerGas",
        "maxPriorityFeePerGas",
        "maxFeePerBlobGas",
        "value",
        "type",
        "chainId",
        "v",
        "yParity",
        "blockNumber",
    ];
    for transaction in of_every_type() {
        let expected = answers_to(settings, &transaction);
        let spell = |how: &dyn Fn(u128) -> Value| {
            let mut spelled = transaction.clone();
            for name in NUMBERS {
                if let Some(value) = transaction.get(name).filter(|value| value.is_string()) {
                    spelled[name] = how(number_of(value));
                }
            }
            if let Some(list) = spelled.get_mut("authorizationList") {
                for authorization in list.as_array_mut().unwrap() {
                    for name in ["chainId", "nonce", "yParity", "v"] {
                        if let Some(value) =
                            authorization.get(name).filter(|value| value.is_string())
                        {
                            authorization[name] = how(number_of(value));
                        }
                    }
                }
            }
            spelled
        };
        let spelled = [
            spell(&|number| serde_json::from_str(&number.to_string()).unwrap()),
            spell(&|number| json!(number.to_string())),
            spell(&|number| json!(format!("0x{number:040X}"))),
        ];
        for spelled in spelled {
            assert_eq!(answers_to(settings, &spelled), expected, "{spelled}");
        }
        // r and s as decimal numbers, which may have any length in JSON.
        let decimal = |name: &str| {
            let value = transaction[name]
                .as_str()
                .unwrap()
                .parse::<alloy_primitives::U256>()
                .unwrap();
            value.to_string()
        };
        let text = with(&with(&transaction, "r", "R"), "s", "S").to_string();
        for quote in ["", "\""] {
            let text = text.replace("\"R\"", &format!("{quote}{}{quote}", decimal("r")));
            let text = text.replace("\"S\"", &format!("{quote}{}{quote}", decimal("s")));
            assert_eq!(
                answers_of(settings, &text, &Options::default()),
                (expected.clone(), Vec::new()),
                "{text}"
            );
        }
        // Numbers that may be rounded, and values that are not numbers.
        for bad in [
            json!(1.5),
            json!(-1),
            json!("0x"),
            json!(""),
            json!("one"),
            json!([1]),
            json!("0x0x1"),
            json!(true),
        ] {
            let why = why_not(
                settings,
                &with(&transaction, "nonce", bad.clone()).to_string(),
            );
            assert!(why.starts_with("`nonce` is "), "{bad}: {why}");
        }
    }
}

/// Types and parities that are not written as in JSON-RPC. The hash decides between the
/// interpretations; without it nothing is guessed.
pub fn types_and_parities_that_the_hash_decides(settings: &Settings) {
    for transaction in of_every_type() {
        let expected = answers_to(settings, &transaction);
        let is_legacy = transaction["type"].as_str().unwrap_or("0x0") == "0x0";
        let parity = parity_of(&transaction);
        let typed = without(&transaction, &["yParity"]);
        let untyped = without(&typed, &["type"]);
        let mut spelled = vec![(untyped.clone(), is_legacy)];
        let chain = transaction
            .get("chainId")
            .filter(|chain| chain.is_string())
            .map_or(1, number_of);
        if is_legacy {
            let named = with(&transaction, "chainId", json!(1));
            spelled.push((with(&named, "v", json!(parity as u64)), false));
            spelled.push((
                with(&without(&named, &["type"]), "v", json!(parity as u64)),
                false,
            ));
        } else {
            for v in [27 + parity, 35 + 2 * chain + parity] {
                spelled.push((with(&typed, "v", json!(v as u64)), false));
                spelled.push((with(&untyped, "v", json!(v as u64)), false));
                // In addition to the parity, v is redundant.
                let both = with(
                    &with(&typed, "v", json!(v as u64)),
                    "yParity",
                    json!(parity as u64),
                );
                spelled.push((both, true));
            }
            spelled.push((renamed(&typed, "v", "yParity"), true));
        }
        for (spelled, is_clear) in spelled {
            assert_eq!(answers_to(settings, &spelled), expected, "{spelled}");
            let without_hash = without(&spelled, &["hash"]);
            let found = answers_to(settings, &without_hash);
            if is_clear {
                assert_eq!(found, expected, "{without_hash}");
            } else {
                assert_eq!(found.len(), 1);
                assert!(
                    matches!(found[0].reason, Some(Reason::NotRebuilt(_))),
                    "{without_hash}: {found:?}"
                );
            }
            // A wrong hash matches no interpretation.
            let other = with(&spelled, "hash", const_hex::encode_prefixed([3; 32]));
            assert_eq!(answers_to(settings, &other)[0].valid(), None, "{other}");
        }
        for v in [2, 26, 29, 34] {
            let why = why_not(settings, &with(&typed, "v", json!(v)).to_string());
            assert!(
                why.contains("`v` fits no") && why.ends_with(&v.to_string()),
                "{why}"
            );
        }
        for name in ["legacy", "eip2930", "eip1559", "eip4844", "eip7702"] {
            let found = answers_to(settings, &with(&transaction, "type", name));
            let kind = ["eip2930", "eip1559", "eip4844", "eip7702"]
                .iter()
                .position(|known| *known == name);
            let number = kind.map_or(0, |place| place + 1);
            let is_right = transaction["type"].as_str().unwrap_or("0x0") == format!("{number:#x}");
            assert_eq!(
                found[0].valid() == Some(true),
                is_right,
                "{name}: {found:?}"
            );
        }
    }
}

/// Signature objects of ethers: `v` is 27 or 28, and `networkV` is the v of EIP-155.
pub fn signature_objects(settings: &Settings) {
    for transaction in of_every_type() {
        let expected = answers_to(settings, &transaction);
        let is_legacy = transaction["type"].as_str().unwrap_or("0x0") == "0x0";
        let v = number_of(&transaction["v"]);
        let network = if v >= 35 {
            json!(v.to_string())
        } else {
            Value::Null
        };
        let signature = json!({
            "_type": "signature", "networkV": network, "r": transaction["r"], "s": transaction["s"],
            "v": 27 + parity_of(&transaction) as u64,
        });
        let bare = without(&transaction, &["r", "s", "v", "yParity"]);
        for name in ["signature", "sig"] {
            let mut signed = with(&bare, name, signature.clone());
            signed = renamed(&renamed(&signed, "input", "data"), "gas", "gasLimit");
            assert_eq!(answers_to(settings, &signed), expected, "{signed}");
            let without_hash = without(&signed, &["hash"]);
            let found = answers_to(settings, &without_hash);
            // The chain of legacy transactions without `networkV` may be signed or not.
            if is_legacy
                && v < 35
                && transaction
                    .get("chainId")
                    .is_some_and(|chain| !chain.is_null())
            {
                assert_eq!(found[0].valid(), None, "{found:?}");
            } else {
                assert_eq!(found, expected);
            }
            let other = 28 - parity_of(&transaction) as u64;
            let wrong = answers_to(
                settings,
                &with(&signed, name, with(&signature, "v", json!(other))),
            );
            assert!(wrong[0].valid() != Some(true), "{wrong:?}");
        }
    }
    let transaction = transaction("0x4", false);
    let expected = answers_to(settings, &transaction);
    let mut nested = transaction.clone();
    for authorization in nested["authorizationList"].as_array_mut().unwrap() {
        let parity = number_of(
            authorization
                .get("yParity")
                .or(authorization.get("v"))
                .unwrap(),
        ) as u64;
        let signature = json!({"r": authorization["r"], "s": authorization["s"], "v": 27 + parity, "networkV": null});
        let members = object(authorization);
        ["r", "s", "v", "yParity"]
            .iter()
            .for_each(|name| drop(members.remove(*name)));
        authorization["signature"] = signature;
    }
    assert_eq!(answers_to(settings, &nested), expected);
}

/// A block with transactions that are malformed in every way, between valid ones.
pub fn bad_transactions_corrupt_themselves_alone(settings: &Settings) {
    let good = of_every_type();
    let expected: Vec<Answer> = good
        .iter()
        .flat_map(|transaction| {
            answers_to(settings, &with(transaction, "blockNumber", "0x156456b"))
        })
        .collect();
    let base = transaction("0x2", false);
    let text = base.to_string();
    let bad = [
        text.replacen('{', "{\"r\":\"0x1\",", 1),
        without(&base, &["nonce"]).to_string(),
        without(&base, &["r", "s", "v", "yParity"]).to_string(),
        with(&base, "nonce", json!({})).to_string(),
        with(&base, "gas", json!("0xffffffffffffffffff")).to_string(),
        with(&base, "to", "0x12").to_string(),
        with(&base, "hash", "0x12").to_string(),
        with(&base, "from", 7).to_string(),
        with(&base, "type", "0x5").to_string(),
        with(&base, "type", "blob").to_string(),
        with(&base, "accessList", json!({})).to_string(),
        with(&base, "accessList", json!([1])).to_string(),
        with(&base, "accessList", json!([{"address": base["to"]}])).to_string(),
        with(&base, "chainId", "0x1ffffffffffffffff").to_string(),
        with(&base, "data", "0x1").to_string(),
        with(&base, "input", "1").to_string(),
        with(&base, "signature", "0x00").to_string(),
        with(&base, "s", "z".repeat(64)).to_string(),
        "{}".to_owned(),
        "[]".to_owned(),
        "7".to_owned(),
        "null".to_owned(),
        "\"text\"".to_owned(),
        "\"\\ud800\"".to_owned(),
        text.replacen("\"from\":\"0x", "\"from\":\"\\ud8000x", 1),
    ];
    let mut items = Vec::new();
    for (place, bad) in bad.iter().enumerate() {
        items.push(good[place % good.len()].to_string());
        items.push(bad.clone());
    }
    let text = format!(
        "{{\"number\":\"0x156456b\",\"transactions\":[{}]}}",
        items.join(",")
    );
    let (answers, problems) = answers_of(settings, &text, &Options::default());
    assert_eq!(problems, Vec::<String>::new());
    let (held, others): (Vec<Answer>, Vec<Answer>) = answers
        .into_iter()
        .partition(|answer| answer.valid() == Some(true));
    let held_once: Vec<&Answer> = held.iter().take(expected.len()).collect();
    assert_eq!(held_once, expected.iter().collect::<Vec<_>>());
    assert_eq!(
        held.iter()
            .filter(|answer| answer.authorization.is_none())
            .count(),
        bad.len()
    );
    let reasons: Vec<_> = others
        .iter()
        .map(|answer| (answer.kind, answer.reason.clone()))
        .collect();
    assert_eq!(others.len(), bad.len(), "{reasons:#?}");
    assert!(
        others
            .iter()
            .all(|answer| matches!(answer.reason, Some(Reason::NotRebuilt(_)))),
        "{others:?}"
    );
    // The answer contains the hash if it can be read.
    let known = others
        .iter()
        .filter(|answer| const_hex::encode_prefixed(answer.hash) == base["hash"])
        .count();
    assert!(known >= 16, "{known}");
    // Given individually, each is an answer and not a problem of the file, unless it is not an
    // object.
    for bad in bad
        .iter()
        .filter(|bad| bad.starts_with('{') && bad.len() > 2)
    {
        let (answers, problems) = answers_of(settings, bad, &Options::default());
        assert_eq!(
            (answers.len(), problems.len()),
            (1, 0),
            "{bad}: {problems:?}"
        );
        assert_eq!(answers[0].valid(), None);
    }
    // Equal causes agree up to the second colon; details follow it.
    let causes: std::collections::HashSet<String> = others
        .iter()
        .map(|answer| answer.reason.as_ref().unwrap().to_string())
        .map(|reason| {
            reason
                .splitn(3, ": ")
                .take(2)
                .collect::<Vec<_>>()
                .join(": ")
        })
        .collect();
    assert!(
        causes.iter().all(|cause| !cause.contains("column")),
        "{causes:?}"
    );
}

/// Text that is not JSON: one message, whatever the error and its position.
pub fn text_that_is_not_json(settings: &Settings) {
    let text = transaction("0x2", false).to_string();
    for cut in (1..text.len()).step_by(37) {
        let (answers, problems) = answers_of(settings, &text[..cut], &Options::default());
        assert_eq!((answers.len(), problems.len()), (0, 1), "{cut}");
        assert!(
            problems[0].starts_with("JSON that ends too early: in line 1 at column "),
            "{problems:?}"
        );
    }
    for bad in [
        "{'hash': 1}",
        "{\"hash\":0x1}",
        "{\"hash\" \"0x1\"}",
        "[\"0x1\",]",
        "['0x1']",
        "{\"input\":\"\t\"}",
    ] {
        let (answers, problems) = answers_of(settings, bad, &Options::default());
        assert_eq!((answers.len(), problems.len()), (0, 1), "{bad}");
        assert!(
            problems[0].starts_with("not valid JSON: in line 1 at column "),
            "{problems:?}"
        );
    }
}

/// A private key in the place of another value is not quoted.
pub fn errors_do_not_quote_values(settings: &Settings) {
    let key = "7a6b51c4".repeat(8);
    let base = transaction("0x2", false);
    let mut texts: Vec<String> = vec![
        key[1..].to_owned(),
        format!("0x{}g", &key[1..]),
        json!([format!("{key}z")]).to_string(),
    ];
    for name in [
        "nonce",
        "input",
        "to",
        "hash",
        "from",
        "r",
        "type",
        "chainId",
        "v",
        "gas",
        "value",
        "accessList",
    ] {
        texts.extend(
            [key.clone(), format!("0x{key}0"), format!("0x0x{key}")]
                .map(|bad| with(&base, name, bad).to_string()),
        );
    }
    texts.extend([
        key.clone(),
        format!("0x{key}"),
        json!(key).to_string(),
        json!([format!("0x{key}")]).to_string(),
    ]);
    for (name, value) in [
        ("error", json!(key)),
        ("error", json!({"code": 1, "message": key})),
        ("method", json!(key)),
    ] {
        texts.push(json!({"jsonrpc": "2.0", "id": 1, name: value}).to_string());
    }
    for text in texts {
        let (answers, problems) = answers_of(settings, &text, &Options::default());
        let reasons = answers
            .iter()
            .filter_map(|answer| answer.reason.as_ref().map(ToString::to_string));
        for message in reasons.chain(problems) {
            assert!(!message.contains("7a6b51c4"), "{message}");
        }
    }
}

/// Rules of the main chain's first blocks, for transactions that do not state their block.
pub fn rules_of_an_earlier_block(settings: &Settings) {
    // Transactions of 2015 with s above n/2, from public threads: paradigmxyz/reth#5913 and #8191.
    let raw = "0xf86d8085746a52880082520894c93f2250589a6563f5359051c1ea25746549f0d889208686e75e903bc000801ba034b6fdc33ea520e812\
               3cf5ac4a9ff476f639cab68980cd9366ccae7aef437ea0a0e517caa5f50e27ca0d1e9a92c503b4ccb039680c6d9d0c71203ed611ea4feb33";
    let text = format!("{raw}\n{}", json!({"rawTransaction": raw}));
    for (at_block, expected) in [
        (None, Some(Reason::HighS)),
        (Some(0), None),
        (Some(46_170), None),
        (Some(1_149_999), None),
        (Some(1_150_000), Some(Reason::HighS)),
    ] {
        let options = Options {
            at_block,
            ..Options::default()
        };
        let (answers, problems) = answers_of(settings, &text, &options);
        assert_eq!((answers.len(), problems.len()), (2, 0), "{problems:?}");
        for answer in answers {
            assert_eq!(
                (answer.reason, answer.kind, answer.block),
                (expected.clone(), Kind::Legacy, None)
            );
            let from = answer.from.map(const_hex::encode_prefixed);
            assert_eq!(
                from.as_deref(),
                Some("0x63ac545c991243fa18aec41d4f6f598e555015dc")
            );
        }
    }
}
