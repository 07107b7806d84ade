//! BIP 341's wallet test vectors (`tests/vectors` of the library).

use super::blocks::{check_inputs, unsigned};
use super::real::OTHER_SCRIPT;
use super::taproot::TAPROOT;
use crate::random::Random;
use bitcoin::consensus::deserialize;
use bitcoin::{Amount, ScriptBuf, Transaction, TxOut, Witness};
use gecc_chains::Settings;
use gecc_chains::bitcoin::{Reason, Template};
use serde_json::Value;
use std::slice;

fn vectors() -> Value {
    serde_json::from_str(include_str!(
        "../../../../../tests/vectors/bip341_wallet_test_vectors.json"
    ))
    .unwrap()
}

fn bytes(value: &Value) -> Vec<u8> {
    const_hex::decode(value.as_str().unwrap()).unwrap()
}

fn output(script_pubkey: &Value, value: u64) -> TxOut {
    TxOut {
        value: Amount::from_sat(value),
        script_pubkey: ScriptBuf::from_bytes(bytes(script_pubkey)),
    }
}

/// A transaction with all hash types, and with inputs of other templates.
pub fn key_paths_of_bip_341(settings: &Settings) {
    let vectors = &vectors()["keyPathSpending"][0];
    let transaction: Transaction =
        deserialize(&bytes(&vectors["auxiliary"]["fullySignedTx"])).unwrap();
    let spent = vectors["given"]["utxosSpent"].as_array().unwrap().iter();
    let spent: Vec<TxOut> = spent
        .map(|spent| {
            output(
                &spent["scriptPubKey"],
                spent["amountSats"].as_u64().unwrap(),
            )
        })
        .collect();
    let answers = check_inputs(settings, TAPROOT, slice::from_ref(&transaction), &spent);
    assert!(
        answers.len() == 9 && answers.iter().all(|answer| answer.valid() == Some(true)),
        "{answers:?}"
    );
    for input in vectors["inputSpending"].as_array().unwrap() {
        let index = input["given"]["txinIndex"].as_u64().unwrap() as usize;
        assert_eq!(answers[index].template, Template::TaprootKey);
        assert_eq!(
            transaction.input[index].witness.nth(0).unwrap(),
            bytes(&input["expected"]["witness"][0])
        );
    }
    assert_eq!(
        answers
            .iter()
            .filter(|answer| answer.template == Template::TaprootKey)
            .count(),
        7
    );
}

/// The leaves of a tree, in the order of their numbers.
fn leaves(tree: &Value) -> Vec<(u8, Vec<u8>)> {
    match tree {
        Value::Array(branches) => branches.iter().flat_map(leaves).collect(),
        Value::Null => Vec::new(),
        leaf => vec![(
            leaf["leafVersion"].as_u64().unwrap() as u8,
            bytes(&leaf["script"]),
        )],
    }
}

/// The outputs commit to each of their scripts. The vectors have no signatures for them.
pub fn script_paths_of_bip_341(settings: &Settings) {
    let mut spent = Vec::new();
    let mut shown = Vec::new();
    let mut expected = Vec::new();
    for vector in vectors()["scriptPubKey"].as_array().unwrap() {
        for (number, (version, script)) in leaves(&vector["given"]["scriptTree"])
            .into_iter()
            .enumerate()
        {
            let control = bytes(&vector["expected"]["scriptPathControlBlocks"][number]);
            spent.push(output(&vector["expected"]["scriptPubKey"], 1));
            expected.push(match (version, script.len(), script[0]) {
                (0xc0, 34, 32) => (Template::TaprootScript, Some(false)),
                _ => (Template::TaprootOther, None),
            });
            shown.push((script, control));
        }
    }
    assert_eq!(expected.len(), 12);
    let mut transaction = unsigned(shown.len(), spent.clone(), &mut *Random::new());
    for changed in [None, Some(0), Some(7), Some(32)] {
        for (input, (script, control)) in transaction.input.iter_mut().zip(&shown) {
            let mut control = control.clone();
            if let Some(byte) = changed {
                control[byte] ^= 1;
            }
            input.witness = Witness::from_slice(&[&[1; 64], &script[..], &control]);
        }
        let answers = check_inputs(settings, TAPROOT, slice::from_ref(&transaction), &spent);
        for (answer, (template, valid)) in answers.iter().zip(&expected) {
            assert_eq!(answer.template, *template);
            match (changed, answer.reason) {
                (None, Some(Reason::Signature(_) | Reason::NotChecked(_))) => {
                    assert_eq!(answer.valid(), *valid)
                }
                // The parity is wrong.
                (Some(0), Some(OTHER_SCRIPT)) => {}
                // The key is wrong or not on the curve.
                (Some(7 | 32), Some(Reason::Malformed(_))) => {}
                _ => panic!("{answer:?}"),
            }
        }
    }
}
