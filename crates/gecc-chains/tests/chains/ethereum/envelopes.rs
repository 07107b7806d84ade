//! Envelopes of blocks and transactions, and transactions with blobs in their network form.

use super::made::{Signer, block, transaction as made};
use super::spellings::{answers_of, answers_to, transaction};
use crate::random::Random;
use crate::support::{file, of_examples};
use alloy_consensus::{SignableTransaction, TxEip4844, transaction::RlpEcdsaEncodableTx};
use alloy_primitives::{Address, B256, keccak256};
use alloy_rlp::{Encodable, Header};
use gecc_chains::Settings;
use gecc_chains::ethereum::{Answer, Kind, Options, Reason};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

fn problem_of(settings: &Settings, value: &Value) -> String {
    let (answers, problems) = answers_of(settings, &value.to_string(), &Options::default());
    assert_eq!(
        (answers.len(), problems.len()),
        (0, 1),
        "{value}: {problems:?}"
    );
    problems.into_iter().next().unwrap()
}

pub fn envelopes(settings: &Settings) {
    let all = [
        transaction("0x0", true),
        transaction("0x2", false),
        transaction("0x4", false),
    ];
    let expected: Vec<Answer> = all
        .iter()
        .flat_map(|transaction| answers_to(settings, transaction))
        .collect();
    let one = |place: usize| answers_to(settings, &all[place]);
    let notified = |result: &Value| json!({"jsonrpc": "2.0", "method": "eth_subscription", "params": {"subscription": "0x1", "result": result}});
    assert_eq!(answers_to(settings, &notified(&all[1])), one(1));
    let lines = format!(
        "{}\n{}\n{}\n",
        notified(&all[0]),
        notified(&all[1]),
        notified(&all[2])
    );
    assert_eq!(
        answers_of(settings, &lines, &Options::default()),
        (expected.clone(), Vec::new())
    );
    // Pools, by senders and nonces or by nonces.
    let pool = json!({
        "pending": {"0x1111111111111111111111111111111111111111": {"5": all[0]}, "0x2222222222222222222222222222222222222222": {"1": all[1]}},
        "queued": {"0x1111111111111111111111111111111111111111": {"7": all[2]}},
    });
    let of_sender = json!({"pending": {"5": all[0], "6": all[1]}, "queued": {"9": all[2]}});
    for pool in [&pool, &of_sender] {
        assert_eq!(answers_to(settings, pool), expected);
        assert_eq!(
            answers_to(
                settings,
                &json!({"jsonrpc": "2.0", "id": 1, "result": pool})
            ),
            expected
        );
    }
    assert_eq!(
        answers_to(settings, &json!({"pending": {}, "queued": {}})),
        []
    );
    // Blocks in other objects, and with encoded transactions.
    let path = of_examples("ethereum/block_22431083.json");
    let whole: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let of_block = answers_to(settings, &whole);
    assert_eq!(
        answers_to(
            settings,
            &json!({"block": whole, "transaction_receipts": [{"logs": []}]})
        ),
        of_block
    );
    assert_eq!(
        answers_to(settings, &json!({"result": {"block": whole}})),
        of_block
    );
    let mut random = Random::new();
    let kinds = [
        Kind::Legacy,
        Kind::Eip155,
        Kind::Eip2930,
        Kind::Eip1559,
        Kind::Eip4844,
        Kind::Eip7702,
    ];
    let encoded = kinds.map(|kind| made(kind, &Signer::new(settings), &mut random).0);
    let (_folder, path) = file(&block(77, &encoded));
    let of_encoded = super::real::check(settings, &[path]);
    let raw = encoded.each_ref().map(const_hex::encode_prefixed);
    let payload = json!({"blockNumber": "0x4d", "parentHash": const_hex::encode_prefixed([1; 32]), "transactions": raw});
    let of_beacon = json!({"block_number": "77", "transactions": raw});
    let message = json!({"slot": "9", "parent_root": "0x00", "body": {"graffiti": "0x", "execution_payload": of_beacon}});
    for value in [
        payload.clone(),
        json!({"executionPayload": payload, "blockValue": "0x1"}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"executionPayload": payload}}),
        json!({"version": "deneb", "data": {"message": message, "signature": "0x00"}}),
    ] {
        assert_eq!(answers_to(settings, &value), of_encoded, "{value}");
    }
}

/// Objects without transactions: the problem states what the object is.
pub fn envelopes_without_transactions(settings: &Settings) {
    let hash = const_hex::encode_prefixed([1; 32]);
    for (value, expected) in [
        (json!({"jsonrpc": "2.0", "id": 1}), "without `result`"),
        (
            json!({"jsonrpc": "2.0", "id": 1, "result": null}),
            "answered with null",
        ),
        (
            json!({"jsonrpc": "2.0", "id": 1, "method": "eth_getBlockByNumber", "params": ["0x1", true]}),
            "a request of ",
        ),
        (
            json!({"parentHash": hash, "number": "0x1", "stateRoot": hash, "nonce": "0x0"}),
            "the header of a block",
        ),
        (
            json!({"method": "eth_subscription", "params": {"result": {"parentHash": hash, "logsBloom": "0x"}}}),
            "the header of",
        ),
        (
            json!({"transactionHash": hash, "cumulativeGasUsed": "0x1", "logs": [], "type": "0x2"}),
            "a receipt",
        ),
        (
            json!({"address": "0x", "topics": [hash], "data": "0x00", "logIndex": "0x1"}),
            "an event",
        ),
        (
            json!({"data": {"message": {"parent_root": hash, "body": {"execution_payload_header": {}}}}}),
            "beacon chain",
        ),
        (
            json!({"pending": "0x10", "queued": "0x7"}),
            "`pending` does not have transactions",
        ),
        (
            json!({"pending": {"0x11": {"5": "0x22: 1 wei"}}}),
            "`pending` does not have transactions",
        ),
        (json!({"transactions": {}}), "`transactions` is not a list"),
        (
            json!({"number": "zero", "transactions": []}),
            "`number` is not a number",
        ),
        (
            json!({"number": "0x1", "block_number": 2, "transactions": []}),
            "`block_number` and `number` differ",
        ),
        (json!({"a": 1}), "neither a block"),
        (json!([null]), "null in place of"),
    ] {
        let message = problem_of(settings, &value);
        assert!(message.contains(expected), "{value}: {message}");
    }
    let mut deep = json!({"number": "0x1", "transactions": []});
    for _ in 0..30 {
        deep = json!({"data": deep});
    }
    assert!(problem_of(settings, &deep).contains("objects in objects"));
    // A hash is not a transaction, and may be a private key.
    for value in [
        json!(hash),
        json!([hash]),
        json!({"jsonrpc": "2.0", "id": 1, "result": hash}),
    ] {
        let message = problem_of(settings, &value);
        assert!(
            message.contains("32 bytes alone") && !message.contains("0101"),
            "{message}"
        );
    }
}

/// An encoded transaction together with some of its fields, as returned by `eth_signTransaction`,
/// web3.js, web3.py and mempool-dumpster.
pub fn encoded_transactions_with_stated_fields(settings: &Settings) {
    let mut random = Random::new();
    for kind in [
        Kind::Legacy,
        Kind::Eip155,
        Kind::Eip2930,
        Kind::Eip1559,
        Kind::Eip4844,
    ] {
        let encoded = made(kind, &Signer::new(settings), &mut random).0;
        let raw = const_hex::encode_prefixed(&encoded);
        let expected = answers_to(settings, &json!([raw]));
        assert_eq!(expected[0].valid(), Some(true));
        let hash = const_hex::encode_prefixed(keccak256(&encoded));
        let from = const_hex::encode_prefixed(expected[0].from.unwrap());
        for value in [
            json!({"raw": raw, "tx": {"nonce": "0x1"}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"raw": raw, "tx": {"hash": hash}}}),
            json!({"messageHash": hash, "rawTransaction": raw, "transactionHash": hash}),
            json!({"raw_transaction": raw, "hash": hash}),
            json!({"timestamp": 1, "hash": hash, "from": from, "value": "1", "gas": "2", "rawTx": raw}),
        ] {
            assert_eq!(answers_to(settings, &value), expected, "{value}");
        }
        let other = answers_to(
            settings,
            &json!({"raw": raw, "from": const_hex::encode_prefixed([1; 20])}),
        );
        assert_eq!(other[0].reason, Some(Reason::OtherSender));
        for (name, value) in [
            ("hash", json!(const_hex::encode_prefixed([1; 32]))),
            ("r", json!("0x5")),
            ("s", json!("0x5")),
            ("v", json!(29)),
        ] {
            let found = answers_to(settings, &json!({"raw": raw, name: value}));
            let Some(Reason::NotRebuilt(why)) = &found[0].reason else {
                panic!("{name}: {found:?}")
            };
            assert!(why.contains(name) && found[0].kind == kind, "{why}");
        }
    }
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

/// Returns a transaction with two blob hashes, and the commitments that they are the hashes of.
fn with_two_blobs(settings: &Settings) -> (Vec<u8>, [[u8; 48]; 2]) {
    let commitments = [[0xc1; 48], [0xc2; 48]];
    let versioned = |commitment: &[u8; 48]| {
        let mut hash: [u8; 32] = Sha256::digest(commitment).into();
        hash[0] = 1;
        B256::new(hash)
    };
    let transaction = TxEip4844 {
        chain_id: 1,
        nonce: 5,
        gas_limit: 21_000,
        to: Address::new([2; 20]),
        blob_versioned_hashes: commitments.iter().map(versioned).collect(),
        max_fee_per_blob_gas: 9,
        ..TxEip4844::default()
    };
    let signature = Signer::new(settings).sign(transaction.signature_hash());
    let mut encoded = Vec::new();
    transaction.eip2718_encode(&signature, &mut encoded);
    (encoded, commitments)
}

/// Transactions followed by their blobs, in the forms of EIP-4844 and EIP-7594: the hash and the
/// sender are those of the transaction alone.
pub fn transactions_with_blobs(settings: &Settings) {
    const BLOB: usize = 1 << 17;
    let (alone, commitments) = with_two_blobs(settings);
    let expected = answers_to(settings, &json!([const_hex::encode_prefixed(&alone)]));
    assert_eq!(
        (expected[0].valid(), expected[0].hash),
        (Some(true), keccak256(&alone).0)
    );
    let body = &alone[1..];
    let of = |items: Vec<Vec<u8>>| list(&items.concat());
    let blobs = of(vec![string(&[0; BLOB]), string(&[1; BLOB])]);
    let listed = of(commitments
        .iter()
        .map(|commitment| string(commitment))
        .collect());
    let proofs = |count| of(vec![string(&[7; 48]); count]);
    let wrapped = |parts: &[&[u8]]| [&[3][..], &list(&parts.concat())].concat();
    let in_4844 = wrapped(&[body, &blobs, &listed, &proofs(2)]);
    let in_7594 = wrapped(&[body, &[1], &blobs, &listed, &proofs(256)]);
    for whole in [&in_4844, &in_7594] {
        let raw = const_hex::encode_prefixed(whole);
        let hash = const_hex::encode_prefixed(expected[0].hash);
        for text in [
            raw.clone(),
            json!({"result": raw}).to_string(),
            json!({"raw": raw, "hash": hash}).to_string(),
        ] {
            assert_eq!(
                answers_of(settings, &text, &Options::default()),
                (expected.clone(), Vec::new())
            );
        }
        let of_block = json!({"number": "0x7", "transactions": [raw]});
        assert_eq!(
            answers_to(settings, &of_block),
            [Answer {
                block: Some(7),
                ..expected[0].clone()
            }]
        );
        // Blocks of the chain contain the transaction without blobs.
        let (_folder, path) = file(&block(7, std::slice::from_ref(whole)));
        let (answers, _) = super::real::check_with(settings, &[path], &Options::default());
        assert!(
            answers[0].valid().is_none() && answers[0].hash == expected[0].hash,
            "{answers:?}"
        );
    }
    let other = of(vec![string(&[0xc1; 48]), string(&[0xc3; 48])]);
    let swapped = of(vec![string(&[0xc2; 48]), string(&[0xc1; 48])]);
    let short = of(vec![string(&[0; BLOB]), string(&[1; BLOB - 1])]);
    for (parts, why) in [
        (
            vec![body, &blobs, &other, &proofs(2)],
            "a commitment does not match",
        ),
        (
            vec![body, &blobs, &swapped, &proofs(2)],
            "a commitment does not match",
        ),
        (vec![body, &short, &listed, &proofs(2)], "the wrong length"),
        (
            vec![body, &blobs, &listed, &proofs(1)],
            "does not match the number",
        ),
        (
            vec![body, &blobs, &listed, &proofs(256)],
            "does not match the number",
        ),
        (
            vec![body, &[1], &blobs, &listed, &proofs(2)],
            "does not match the number",
        ),
        (
            vec![body, &[2], &blobs, &listed, &proofs(256)],
            "their version is not 1",
        ),
        (
            vec![
                body,
                &of(vec![string(&[0; BLOB])]),
                &of(vec![string(&commitments[0])]),
                &proofs(1),
            ],
            "does not match the number",
        ),
        (
            vec![body, &blobs, &listed, &proofs(2), &[0x80]],
            "more than its fields",
        ),
        (vec![body, &blobs, &listed], "missing"),
    ] {
        let raw = const_hex::encode_prefixed(wrapped(&parts));
        let found = answers_to(settings, &json!([raw]));
        let Some(Reason::NotRebuilt(message)) = &found[0].reason else {
            panic!("{why}: {found:?}")
        };
        assert!(message.contains(why), "{message} in place of {why}");
        // The hash is still that of the transaction.
        assert_eq!(
            (found[0].hash, found[0].kind),
            (expected[0].hash, Kind::Eip4844)
        );
    }
    let trailing = const_hex::encode_prefixed([&in_4844[..], &[0]].concat());
    assert_eq!(answers_to(settings, &json!([trailing]))[0].valid(), None);
}
