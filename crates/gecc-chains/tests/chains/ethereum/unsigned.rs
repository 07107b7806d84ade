//! Transactions of layer 2 chains that have no signature.

use super::made::block;
use super::spellings::{answers_of, answers_to, transaction};
use crate::support::file;
use alloy_primitives::keccak256;
use alloy_rlp::{Encodable, Header};
use gecc_chains::Settings;
use gecc_chains::ethereum::{Answer, Kind, Options, Reason};
use serde_json::{Value, json};

const FROM: [u8; 20] = [0x0b; 20];
/// A legacy transaction that OP Mainnet received from layer 1 before Bedrock, whose hash is
/// computed with r, s and v of zero: from alloy-rs/alloy#2348.
const BEFORE_BEDROCK: &str = r#"{
    "blockHash": "0x5307b5c812a067f8bc1ed1cc89d319ae6f9a0c9693848bd25c36b5191de60b85", "blockNumber": "0x45a59bb",
    "from": "0x0000000000000000000000000000000000000000", "gas": "0x1e8480", "gasPrice": "0x0",
    "hash": "0x16ef68aa8f35add3a03167a12b5d1268e344f6605a64ecc3f1c3aa68e98e4e06",
    "input": "0xcbd4ece900000000000000000000000032155c9d39084f040ba17890fe8134dbe2a0453f0000000000000000000000004a0126ee88018393b1ad2455060bc350ead9908a000000000000000000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000000469f700000000000000000000000000000000000000000000000000000000000000644ff746f60000000000000000000000000000000000000000000000000000000000000020000000000000000000000000000000000000000000000000000000000000002043e908a4e862aebb10e7e27db0b892b58a7e32af11d64387a414dabc327b00e200000000000000000000000000000000000000000000000000000000",
    "nonce": "0x469f7", "to": "0x4200000000000000000000000000000000000007", "transactionIndex": "0x0", "value": "0x0",
    "v": "0x0", "r": "0x0", "s": "0x0", "queueOrigin": "l1", "l1TxOrigin": "0x36bde71c97b33cc4729cf772ae268934f7ab70b2"}"#;

/// Returns an unsigned transaction, as returned by nodes of Arbitrum and others.
fn of_type(type_number: u64, chain_id: u64) -> Value {
    json!({
        "type": format!("{type_number:#x}"), "hash": const_hex::encode_prefixed([7; 32]), "blockNumber": "0x45a59bb",
        "from": const_hex::encode_prefixed(FROM), "to": const_hex::encode_prefixed([1; 20]), "gas": "0x0", "gasPrice": "0x0",
        "nonce": "0x0", "value": "0x0", "input": "0x6bf6a42d", "chainId": format!("{chain_id:#x}"), "v": "0x0", "r": "0x0",
        "s": "0x0",
    })
}

const TYPES: [(u64, Kind); 10] = [
    (0x64, Kind::Arbitrum),
    (0x65, Kind::Arbitrum),
    (0x66, Kind::Arbitrum),
    (0x68, Kind::Arbitrum),
    (0x69, Kind::Arbitrum),
    (0x6a, Kind::Arbitrum),
    (0x78, Kind::Arbitrum),
    (0x7f, Kind::StateSync),
    (0x72, Kind::ZkSync),
    (0xff, Kind::ZkSync),
];

fn without(value: &Value, names: &[&str]) -> Value {
    let mut value = value.clone();
    names
        .iter()
        .for_each(|name| drop(value.as_object_mut().unwrap().remove(*name)));
    value
}

fn reason_of(settings: &Settings, value: &Value, chain_id: Option<u64>) -> Option<Reason> {
    let options = Options {
        chain_id,
        ..Options::default()
    };
    let (answers, problems) = answers_of(settings, &value.to_string(), &options);
    assert_eq!((answers.len(), problems), (1, Vec::new()), "{value}");
    answers[0].reason.clone()
}

fn is_not_rebuilt(reason: &Option<Reason>) -> bool {
    matches!(reason, Some(Reason::NotRebuilt(_)))
}

pub fn transactions_without_a_signature(settings: &Settings) {
    for (type_number, kind) in TYPES {
        let transaction = of_type(type_number, 42_161);
        let expected = Answer {
            block: Some(0x45a59bb),
            hash: [7; 32],
            authorization: None,
            kind,
            from: Some(FROM),
            reason: Some(Reason::Unsigned),
        };
        assert_eq!(expected.valid(), None);
        let null = json!({"v": null, "r": null, "s": null});
        let mut nulls = transaction.clone();
        nulls
            .as_object_mut()
            .unwrap()
            .extend(null.as_object().unwrap().clone());
        let missing = without(&transaction, &["v", "r", "s"]);
        let mut empty = transaction.clone();
        (empty["r"], empty["s"], empty["v"]) = (json!("0x"), json!("0x"), json!("0x"));
        let mut padded = transaction.clone();
        padded["r"] = json!(const_hex::encode_prefixed([0; 32]));
        for same in [
            &transaction,
            &nulls,
            &missing,
            &empty,
            &padded,
            &without(&transaction, &["chainId", "to"]),
        ] {
            assert_eq!(
                answers_to(settings, same),
                std::slice::from_ref(&expected),
                "{same}"
            );
        }
        let whole = json!({"number": "0x45a59bb", "transactions": [transaction]});
        assert_eq!(answers_to(settings, &whole), [expected]);
    }
    // Without a type.
    for (chain_id, is_typed) in [(137, true), (137, false), (10, true)] {
        let mut zeros = of_type(0, chain_id);
        zeros["from"] = json!(const_hex::encode_prefixed([0; 20]));
        let zeros = if is_typed {
            zeros
        } else {
            without(&zeros, &["type"])
        };
        let found = answers_to(settings, &zeros);
        assert_eq!(
            (found[0].kind, &found[0].reason),
            (Kind::Zeros, &Some(Reason::Unsigned)),
            "{zeros}"
        );
    }
    let before_bedrock: Value = serde_json::from_str(BEFORE_BEDROCK).unwrap();
    assert_eq!(
        reason_of(settings, &before_bedrock, None),
        Some(Reason::Unsigned)
    );
    assert_eq!(
        reason_of(settings, &before_bedrock, Some(10)),
        Some(Reason::Unsigned)
    );
}

/// A type alone does not make a transaction unsigned.
pub fn types_that_are_contradicted(settings: &Settings) {
    let scalar = const_hex::encode_prefixed([0x5d; 32]);
    for (type_number, _) in TYPES {
        let unsigned = of_type(type_number, 42_161);
        // A signature, or a part of one.
        for names in [&["r", "s", "v"][..], &["r"], &["s"], &["v"], &["yParity"]] {
            let mut signed = unsigned.clone();
            for name in names {
                signed[*name] = if matches!(*name, "v" | "yParity") {
                    json!("0x1")
                } else {
                    json!(scalar)
                };
            }
            assert!(
                is_not_rebuilt(&reason_of(settings, &signed, None)),
                "{signed}"
            );
        }
        // A malformed hash or sender, and no sender.
        for (name, value) in [
            ("hash", json!("0x07")),
            ("from", json!("0x0b")),
            ("from", Value::Null),
        ] {
            let mut other = unsigned.clone();
            other[name] = value;
            assert!(
                is_not_rebuilt(&reason_of(settings, &other, None)),
                "{other}"
            );
        }
        // Ethereum has no such transactions.
        for chain_id in [1, 5, 17_000, 560_048, 11_155_111] {
            assert!(is_not_rebuilt(&reason_of(
                settings,
                &of_type(type_number, chain_id),
                None
            )));
            let unknown = without(&unsigned, &["chainId"]);
            assert_eq!(
                reason_of(settings, &unknown, Some(chain_id)),
                Some(Reason::NotOnChain)
            );
        }
        assert_eq!(
            reason_of(settings, &unsigned, Some(42_161)),
            Some(Reason::Unsigned)
        );
        assert_eq!(
            reason_of(settings, &unsigned, Some(42_170)),
            Some(Reason::OtherChain)
        );
        for reason in [Reason::NotOnChain, Reason::OtherChain] {
            let answer = Answer {
                reason: Some(reason),
                ..answers_to(settings, &unsigned).remove(0)
            };
            assert_eq!(answer.valid(), Some(false));
        }
    }
    // A signed transaction with a changed type, and one without its signature.
    let signed = transaction("0x2", false);
    for (type_number, _) in TYPES.iter().filter(|(number, _)| *number != 0x78) {
        let mut changed = signed.clone();
        changed["type"] = json!(type_number);
        assert!(is_not_rebuilt(&reason_of(settings, &changed, None)));
    }
    let mut zeros = of_type(0, 42_161);
    assert!(
        answers_to(settings, &zeros)[0].reason != Some(Reason::Unsigned),
        "its sender is not the zero address"
    );
    zeros["from"] = json!(const_hex::encode_prefixed([0; 20]));
    zeros["chainId"] = json!("0x1");
    assert!(is_not_rebuilt(&reason_of(settings, &zeros, None)));
    for type_number in [1, 2, 3, 4] {
        let mut typed = of_type(type_number, 42_161);
        typed["from"] = json!(const_hex::encode_prefixed([0; 20]));
        assert!(answers_to(settings, &typed)[0].reason != Some(Reason::Unsigned));
    }
    // Types whose signature the source does not contain are not unsigned: ZKsync's of EIP-712, and
    // transactions as returned by Filecoin.
    for (type_number, names) in [
        (0x71, &["r", "s", "v"][..]),
        (0, &["r", "s", "v"]),
        (2, &["r", "s", "v"]),
    ] {
        let missing = without(&of_type(type_number, 324), names);
        let Some(Reason::NotRebuilt(why)) = reason_of(settings, &missing, None) else {
            panic!("{missing}")
        };
        assert!(why.starts_with("there is no signature: "), "{why}");
        let mut empty = of_type(type_number, 314);
        names.iter().for_each(|name| empty[*name] = json!("0x"));
        assert!(is_not_rebuilt(&reason_of(settings, &empty, None)));
    }
}

/// Arbitrum returns signed transactions of its first version with a type of their own.
pub fn signed_transactions_of_arbitrum_classic(settings: &Settings) {
    let signed = transaction("0x0", false);
    let expected = answers_to(settings, &signed);
    let mut classic = signed.clone();
    classic["type"] = json!("0x78");
    assert_eq!(answers_to(settings, &classic), expected);
    classic["hash"] = json!(const_hex::encode_prefixed([7; 32]));
    assert!(is_not_rebuilt(&reason_of(settings, &classic, None)));
    assert!(is_not_rebuilt(&reason_of(
        settings,
        &without(&classic, &["hash"]),
        None
    )));
}

fn string(bytes: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::new();
    bytes.encode(&mut encoded);
    encoded
}

fn list(payload: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::new();
    Header {
        list: true,
        payload_length: payload.len(),
    }
    .encode(&mut encoded);
    [&encoded[..], payload].concat()
}

/// Fields, one letter each: chain, sender, address, hash, number, bytes.
fn encoded(type_number: u8, form: &str) -> Vec<u8> {
    let payload: Vec<u8> = form
        .chars()
        .flat_map(|form| match form {
            'c' => string(&[0xa4, 0xb1]),
            'f' => string(&FROM),
            'a' => string(&[1; 20]),
            'h' => string(&[2; 32]),
            'n' => string(&[3]),
            'b' => string(&[4; 100]),
            other => panic!("{other}"),
        })
        .collect();
    [vec![type_number], list(&payload)].concat()
}

/// Encodings (EIP-2718) of Nitro's types, as returned by `debug_getRawTransaction`.
pub fn encoded_ones(settings: &Settings) {
    let forms = [
        (0x64, "chfan"),
        (0x65, "cfnnnanb"),
        (0x66, "chfnnanb"),
        (0x68, "cnfnnanbhann"),
        (0x69, "chfnnnnananab"),
        (0x6a, "cb"),
    ];
    let answer = |encoded: &[u8], options: &Options| {
        let (answers, problems) = answers_of(
            settings,
            &json!([const_hex::encode_prefixed(encoded)]).to_string(),
            options,
        );
        assert_eq!((answers.len(), problems), (1, Vec::new()));
        answers[0].clone()
    };
    let all = Options::default();
    for (type_number, form) in forms {
        let whole = encoded(type_number, form);
        let found = answer(&whole, &all);
        let from = form.contains('f').then_some(FROM);
        let expected = (
            keccak256(&whole).0,
            Kind::Arbitrum,
            from,
            Some(Reason::Unsigned),
        );
        assert_eq!(
            (found.hash, found.kind, found.from, found.reason),
            expected,
            "{type_number:#x}"
        );
        let reason = |chain_id| {
            answer(
                &whole,
                &Options {
                    chain_id: Some(chain_id),
                    ..Options::default()
                },
            )
            .reason
        };
        assert_eq!(reason(42_161), Some(Reason::Unsigned));
        assert_eq!(
            (reason(1), reason(10)),
            (Some(Reason::NotOnChain), Some(Reason::OtherChain))
        );
        let (_folder, path) = file(&block(9, std::slice::from_ref(&whole)));
        assert_eq!(
            super::real::check(settings, &[path])[0].reason,
            Some(Reason::Unsigned)
        );
        // One field more or less, one of another length, trailing bytes, and another type.
        let more = format!("{form}n");
        let shorter = &form[..form.len() - 1];
        let other: String = form.replace('f', "h").replace('c', "b");
        for form in [&more[..], shorter, &other] {
            let reason = answer(&encoded(type_number, form), &all).reason;
            assert!(
                is_not_rebuilt(&reason),
                "{type_number:#x} {form}: {reason:?}"
            );
        }
        assert!(is_not_rebuilt(
            &answer(&[&whole[..], &[0]].concat(), &all).reason
        ));
        assert!(is_not_rebuilt(&answer(&encoded(0x67, form), &all).reason));
    }
    // A legacy transaction with zero r, s and v does not state its chain.
    let zero = string(&[]);
    let fields = [
        string(&[5]),
        zero.clone(),
        string(&[9]),
        string(&[1; 20]),
        zero.clone(),
        string(&[4; 30]),
    ]
    .concat();
    let zeros = list(&[&fields[..], &zero.repeat(3)].concat());
    let reason = |chain_id| {
        answer(
            &zeros,
            &Options {
                chain_id,
                ..Options::default()
            },
        )
        .reason
    };
    assert_eq!(reason(Some(10)), Some(Reason::Unsigned));
    assert!(is_not_rebuilt(&reason(None)) && is_not_rebuilt(&reason(Some(1))));
    let with_r = list(&[&fields[..], &zero, &string(&[1]), &zero].concat());
    assert!(is_not_rebuilt(
        &answer(
            &with_r,
            &Options {
                chain_id: Some(10),
                ..Options::default()
            }
        )
        .reason
    ));
}
