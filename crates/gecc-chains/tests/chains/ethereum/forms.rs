//! Other input forms of blocks and transactions than whole files of blocks.

use super::made::{Signer, block, transaction};
use super::real::{check, check_with};
use crate::random::Random;
use crate::support::{data, file, of_examples, paths};
use alloy_primitives::keccak256;
use alloy_rlp::{Encodable, Header};
use gecc_chains::ethereum::{Answer, Answers, Kind, Options, Reason, senders};
use gecc_chains::{FilePosition, Settings};
use rand::RngExt;
use serde_json::{Value, json};
use std::io::Write;
use std::ops::ControlFlow;

fn of_text(settings: &Settings, text: &str) -> Vec<Answer> {
    let (_folder, path) = file(text.as_bytes());
    check(settings, &[path])
}

fn problem_of(settings: &Settings, text: &str) -> String {
    let (_folder, path) = file(text.as_bytes());
    let (answers, problems) = check_with(settings, &[path], &Options::default());
    assert_eq!((answers.len(), problems.len()), (0, 1), "{text}");
    problems[0].what.clone()
}

/// Single transactions, lists of them, and responses that contain either. They state their block.
pub fn transactions_by_themselves(settings: &Settings) {
    let path = of_examples("ethereum/block_22431083.json");
    let whole: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let transactions = whole["transactions"].as_array().unwrap();
    let expected = check(settings, &[path]);
    let answer = |value: &Value| json!({"jsonrpc": "2.0", "id": 7, "result": value}).to_string();
    let lines: Vec<String> = transactions.iter().map(Value::to_string).collect();
    let answers: Vec<String> = transactions.iter().map(answer).collect();
    let texts = [
        lines.join("\n"),
        answers.join("\n"),
        format!("[{}]", lines.join(",")),
        format!("[{}]", answers.join(",")),
        answer(&json!(transactions)),
        serde_json::to_string_pretty(transactions).unwrap(),
        answer(&json!([whole])),
    ];
    for text in texts {
        assert_eq!(of_text(settings, &text), expected);
    }
    let pretty = serde_json::to_string_pretty(&transactions[0]).unwrap();
    assert_eq!(of_text(settings, &pretty), expected[..1]);
}

/// Prices of up to 256 bits, and a transaction of 32 bytes, as r and s are 1: TransactionTests of
/// ethereum/tests (ttGasPrice/TransactionWithHighGasPrice, ttEIP1559/
/// GasLimitPriceProductOverflowtMinusOne and ttRSValue/TransactionWithRSvalue1).
pub fn transactions_with_extreme_numbers(settings: &Settings) {
    let r = "48b55bfa915ac795c431978d8a6a992b628d557da5ff759b307d495a36649353";
    let s = "1fffd310ac743f371de3b9f7f9cb56c0b28ad43601b4ab949f53faa07bd2c804";
    let price = "031eea408f8e1799cb883da2927b1336521d73c2c14accfebb70d5c5ae4669";
    let to = "095e7baea6a6c7c4c2dfeb977efac326af552d87";
    let legacy = format!("0xf87e809f{price}82520894{to}80801ba0{r}a0{s}");
    let of_json = json!({
        "type": "0x0", "nonce": "0x0", "gasPrice": format!("0x{price}"), "gas": "0x5208",
        "to": format!("0x{to}"), "value": "0x0", "input": "0x", "v": "0x1b",
        "r": format!("0x{r}"), "s": format!("0x{s}"),
    });
    let with_fees = format!(
        "0x02f885018084773594009f02{}82520894{to}8080c080a0{}a0{}",
        "ff".repeat(30),
        "5cbd172231fc0735e0fb994dd5b1a4939170a260b36f0427a8a80866b063b948",
        "7c230f7f578dd61785c93361b9871c0706ebfa6d06e3f4491dc9558c5202ed36"
    );
    let short = "0xdf800182520894095e7baea6a6c7c4c2dfeb977efac326af552d870b801b0101";
    for (text, from) in [
        (&legacy[..], "9bf13f2f5c3875ddce2500538191d25b0a54b0e9"),
        (
            &of_json.to_string(),
            "9bf13f2f5c3875ddce2500538191d25b0a54b0e9",
        ),
        (&with_fees, "ae2aec498d20869d441eaaf708fb1e375ae1787d"),
        (short, "98c188f183d4e93ff2bffadd145f39b4a792ed85"),
    ] {
        let answers = of_text(settings, text);
        assert_eq!(
            (answers.len(), answers[0].valid()),
            (1, Some(true)),
            "{text}"
        );
        assert_eq!(
            answers[0].from.map(const_hex::encode).as_deref(),
            Some(from)
        );
    }
}

/// The output of `debug_getRawBlock`, `eth_getRawTransactionByHash` and tools.
pub fn blocks_and_transactions_in_hexadecimal(settings: &Settings) {
    let mut random = Random::new();
    let kinds = [
        Kind::Legacy,
        Kind::Eip155,
        Kind::Eip2930,
        Kind::Eip1559,
        Kind::Eip4844,
        Kind::Eip7702,
    ];
    let encoded = kinds.map(|kind| transaction(kind, &Signer::new(settings), &mut random).0);
    let (_folder, path) = file(&block(7, &encoded));
    let of_block = check(settings, &[path]);
    let alone: Vec<Answer> = of_block
        .iter()
        .map(|answer| Answer {
            block: None,
            ..answer.clone()
        })
        .collect();
    let hex = encoded
        .each_ref()
        .map(|encoded| format!("0x{}", const_hex::encode(encoded)));
    let quoted = hex.each_ref().map(|hex| format!("\"{hex}\""));
    let answers = hex
        .each_ref()
        .map(|hex| json!({"jsonrpc": "2.0", "id": 1, "result": hex}).to_string());
    let digits = hex.each_ref().map(|hex| hex[2..].to_uppercase());
    let list = json!({"jsonrpc": "2.0", "id": 1, "result": hex}).to_string();
    let texts = [
        hex.join("\n"),
        quoted.join("\r\n"),
        answers.join("\n"),
        digits.join("\n\n"),
        json!(hex).to_string(),
        list,
    ];
    for text in texts {
        assert_eq!(of_text(settings, &text), alone, "{text}");
    }
    let raw = format!("0x{}", const_hex::encode(block(7, &encoded)));
    for text in [
        raw.clone(),
        json!(raw).to_string(),
        json!({"id": 1, "result": raw}).to_string(),
        json!([raw]).to_string(),
    ] {
        assert_eq!(of_text(settings, &text), of_block);
    }
    // A malformed line does not affect the others.
    let (_folder, path) = file(format!("{}\n0xzz\n{}\n", hex[0], hex[5]).as_bytes());
    let (found, problems) = check_with(settings, &[path], &Options::default());
    assert_eq!((&found[0], problems.len()), (&alone[0], 1));
    assert!(
        found.len() > 1 && problems[0].what.contains("not in hexadecimal"),
        "{problems:?}"
    );
}

pub fn node_errors_are_reported(settings: &Settings) {
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"daily request count exceeded"}}"#;
    assert_eq!(
        problem_of(settings, error),
        "the node answered with an error: daily request count exceeded (code -32005)"
    );
    assert_eq!(
        problem_of(settings, &format!("[{error}]")),
        problem_of(settings, error)
    );
    assert!(problem_of(settings, r#"{"error":"no such method"}"#).contains("no such method"));
    let null = problem_of(settings, r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
    assert!(null.contains("null: it has no such block"), "{null}");
    assert!(problem_of(settings, r#"{"a":1}"#).contains("neither a block"));
    assert!(problem_of(settings, "[[1]]").contains("a list in a list"));
    // A malformed element of a list does not affect the others.
    let path = of_examples("ethereum/block_1150000.json");
    let whole: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let null = r#"{"jsonrpc":"2.0","id":1,"result":null}"#;
    let (_folder, list) = file(format!("[{error},{whole},{null},[],{whole}]").as_bytes());
    let (found, problems) = check_with(settings, &[list], &Options::default());
    assert_eq!(found, check(settings, &[path.clone(), path]));
    let after_whole = error.len() + whole.to_string().len() + 3;
    let places: Vec<FilePosition> = problems.iter().map(|problem| problem.place).collect();
    assert_eq!(
        places,
        [1, after_whole, after_whole + null.len() + 1]
            .map(|place| FilePosition::Byte(place as u64))
    );
}

/// Transactions of type 126 of OP chains bear no signature.
pub fn deposits(settings: &Settings) {
    let from = [0xde; 20];
    let mut payload = Vec::new();
    [7u8; 32].as_slice().encode(&mut payload);
    from.as_slice().encode(&mut payload);
    [1u8; 20].as_slice().encode(&mut payload);
    for number in [0u64, 0, 1_000_000, 0] {
        number.encode(&mut payload);
    }
    [2u8; 100].as_slice().encode(&mut payload);
    let mut encoded = vec![0x7e];
    Header {
        list: true,
        payload_length: payload.len(),
    }
    .encode(&mut encoded);
    encoded.extend(payload);
    let hash = keccak256(&encoded).0;
    let expected = |block| Answer {
        block,
        hash,
        authorization: None,
        kind: Kind::Deposit,
        from: Some(from),
        reason: Some(Reason::Unsigned),
    };
    assert_eq!(expected(None).valid(), None);
    assert_eq!(
        of_text(settings, &const_hex::encode_prefixed(&encoded)),
        [expected(None)]
    );
    let (_folder, path) = file(&block(9, std::slice::from_ref(&encoded)));
    assert_eq!(check(settings, &[path]), [expected(Some(9))]);
    // As returned by nodes, with a signature of zeros or without one.
    let object = json!({
        "type": "0x7e", "hash": const_hex::encode_prefixed(hash), "from": const_hex::encode_prefixed(from),
        "sourceHash": const_hex::encode_prefixed([7; 32]), "mint": "0x0", "isSystemTx": false, "nonce": "0x5", "gas": "0xf4240",
        "gasPrice": "0x0", "to": const_hex::encode_prefixed([1; 20]), "value": "0x0",
        "input": const_hex::encode_prefixed([2; 100]), "blockNumber": "0x9",
        "v": "0x0", "r": "0x0", "s": "0x0",
    });
    assert_eq!(of_text(settings, &object.to_string()), [expected(Some(9))]);
    let mut bare = object.clone();
    for name in ["v", "r", "s", "nonce", "mint", "isSystemTx"] {
        bare.as_object_mut().unwrap().remove(name);
    }
    assert_eq!(
        of_text(
            settings,
            &json!({"number": "0x9", "transactions": [bare]}).to_string()
        ),
        [expected(Some(9))]
    );
    // A field that differs or is missing, or a signature.
    let changes = [
        ("sourceHash", json!(const_hex::encode_prefixed([8; 32]))),
        ("sourceHash", Value::Null),
        ("from", json!(const_hex::encode_prefixed([8; 20]))),
        ("from", Value::Null),
        ("to", Value::Null),
        ("mint", json!("0x1")),
        ("value", json!("0x1")),
        ("value", Value::Null),
        ("gas", json!("0x1")),
        ("isSystemTx", json!(true)),
        ("input", json!("0x00")),
        ("hash", json!(const_hex::encode_prefixed([8; 32]))),
        ("hash", json!("0x08")),
        ("r", json!("0x1")),
        ("s", json!("0x1")),
        ("v", json!("0x1")),
    ];
    for (name, value) in changes {
        let mut changed = object.clone();
        changed[name] = value;
        let found = of_text(settings, &changed.to_string());
        assert!(
            found.len() == 1
                && found[0].kind == Kind::Deposit
                && matches!(found[0].reason, Some(Reason::NotRebuilt(_))),
            "{name}: {found:?}"
        );
    }
    // Without a hash the fields cannot be checked.
    let mut without = object.clone();
    without.as_object_mut().unwrap().remove("hash");
    assert_eq!(of_text(settings, &without.to_string()), [expected(Some(9))]);
}

/// Malformed encoded deposits: each field has its form in RLP, and nothing follows.
pub fn malformed_deposits(settings: &Settings) {
    let string = |bytes: &[u8]| {
        let mut encoded = Vec::new();
        bytes.encode(&mut encoded);
        encoded
    };
    let encode = |fields: &[Vec<u8>]| {
        let payload = fields.concat();
        let mut encoded = vec![0x7e];
        Header {
            list: true,
            payload_length: payload.len(),
        }
        .encode(&mut encoded);
        [encoded, payload].concat()
    };
    let fields = [
        string(&[7; 32]),
        string(&[0xde; 20]),
        string(&[]),
        string(&[1]),
        string(&[0xff; 32]),
        string(&[0xff; 8]),
        vec![1],
        string(&[2; 60]),
    ];
    let reason = |encoded: &[u8]| {
        let found = of_text(settings, &const_hex::encode(encoded));
        assert_eq!(
            (found.len(), found[0].kind, found[0].hash),
            (1, Kind::Deposit, keccak256(encoded).0)
        );
        found[0].reason.clone()
    };
    assert_eq!(reason(&encode(&fields)), Some(Reason::Unsigned));
    let changes: [(usize, Vec<u8>); 13] = [
        (0, string(&[7; 31])),
        (0, string(&[7; 33])),
        (1, string(&[])),
        (1, string(&[0xde; 32])),
        (2, string(&[1; 19])),
        (3, string(&[1; 33])),
        (3, vec![0]),
        (4, vec![0x82, 0, 1]),
        (5, string(&[0xff; 9])),
        (6, vec![2]),
        (6, vec![0]),
        (7, vec![0xc0]),
        (7, vec![]),
    ];
    for (place, field) in changes {
        let mut changed = fields.clone();
        changed[place] = field;
        let found = reason(&encode(&changed));
        assert!(
            matches!(found, Some(Reason::NotRebuilt(_))),
            "field {place}: {found:?}"
        );
    }
    let mut more = fields.to_vec();
    more.push(vec![0x80]);
    for encoded in [
        encode(&more),
        [&encode(&fields)[..], &[0]].concat(),
        [&[0x7e][..], &[0xa5; 100]].concat(),
    ] {
        assert!(matches!(reason(&encoded), Some(Reason::NotRebuilt(_))));
    }
    let mut random = Random::new();
    let whole = encode(&fields);
    for _ in 0..500 {
        let place = random.random_range(1..whole.len());
        let mut changed = whole.clone();
        changed[place] ^= 1 << random.random_range(0..8);
        // Every accepted encoding is a deposit: alloy has no type for them, but can decode each
        // field as RLP.
        let is_taken = reason(&changed) == Some(Reason::Unsigned);
        let mut rest = &changed[1..];
        let fields = Header::decode_bytes(&mut rest, true)
            .ok()
            .filter(|_| rest.is_empty());
        let count = fields.map(|mut fields| {
            let mut count = 0;
            while !fields.is_empty() && Header::decode_bytes(&mut fields, false).is_ok() {
                count += 1;
            }
            (count, fields.len())
        });
        assert!(!is_taken || count == Some((8, 0)), "{place}");
    }
}

/// Two deposits of OP Mainnet, as returned by nodes.
pub fn deposits_of_op_mainnet(settings: &Settings) {
    let path = data("op_deposits.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let given: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let found = check(settings, std::slice::from_ref(&path));
    assert_eq!(found.len(), given.len());
    for (answer, given) in found.iter().zip(&given) {
        assert_eq!(const_hex::encode_prefixed(answer.hash), given["hash"]);
        assert_eq!(
            answer.from.map(const_hex::encode_prefixed).unwrap(),
            given["from"]
        );
        assert_eq!(
            (answer.kind, answer.reason.clone()),
            (Kind::Deposit, Some(Reason::Unsigned))
        );
    }
    // OP Mainnet has deposits, and an unknown chain may have them; Ethereum has none.
    for (chain_id, reason) in [
        (10, Reason::Unsigned),
        (987_654_321, Reason::Unsigned),
        (1, Reason::NotOnChain),
    ] {
        let options = Options {
            chain_id: Some(chain_id),
            ..Options::default()
        };
        let (found, problems) = check_with(settings, std::slice::from_ref(&path), &options);
        assert_eq!(problems, []);
        assert!(
            found.len() == 2
                && found
                    .iter()
                    .all(|answer| answer.reason.as_ref() == Some(&reason)),
            "{chain_id}"
        );
    }
}

pub fn compressed_files(settings: &Settings) {
    for plain in [
        of_examples("ethereum/block_1150000.json"),
        data("sepolia-00021-txblocks.era1"),
    ] {
        let expected = check(settings, std::slice::from_ref(&plain));
        let content = std::fs::read(&plain).unwrap();
        let gzip = gzip(&content);
        let zstd = zstd::encode_all(content.as_slice(), 1).unwrap();
        for (compressed, name) in [(&gzip, "gzip"), (&zstd, "zstd")] {
            assert!(
                all_of(settings, compressed) == (expected.clone(), Vec::new()),
                "{name}"
            );
            let (some, problems) = all_of(settings, &compressed[..compressed.len() / 2]);
            let is_reported = problems
                .iter()
                .any(|problem| problem.contains("the compressed data"));
            assert!(
                some.len() < expected.len() && is_reported,
                "{name}: {problems:?}"
            );
        }
    }
    let (_, problems) = all_of(settings, &zstd::encode_all(&b"PAR1PAR1"[..], 1).unwrap());
    assert!(problems[0].contains("decompress it first"), "{problems:?}");
    // A read may end within the header of a block.
    let (encoded, _) = transaction(Kind::Eip4844, &Signer::new(settings), &mut Random::new());
    let one = block(1, std::slice::from_ref(&encoded));
    let two = block(2, &[encoded]);
    let blocks = [&one[..], &two].concat();
    let expected = all_of(settings, &blocks);
    for cut in one.len()..one.len() + 3 {
        let parts = [gzip(&blocks[..cut]), gzip(&blocks[cut..])].concat();
        assert!(
            expected.0.len() == 2 && all_of(settings, &parts) == expected,
            "{cut}"
        );
    }
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// The answers to a file, and the messages of its problems.
fn all_of(settings: &Settings, content: &[u8]) -> (Vec<Answer>, Vec<String>) {
    let (_folder, path) = file(content);
    let mut all = Vec::new();
    let mut problems = Vec::new();
    let ended = senders(
        settings,
        &paths(&[path]),
        &Options::default(),
        |Answers { answers, progress }| {
            all.extend(answers);
            problems.extend(progress.problems.iter().map(|problem| problem.what.clone()));
            ControlFlow::<()>::Continue(())
        },
    );
    assert_eq!(ended.unwrap(), None);
    (all, problems)
}
