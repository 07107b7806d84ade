//! Indexes for silent payments: the vectors of BIP 352, and real transactions.

use super::blocks::file_of;
use super::real::{MAGIC, decompressed, of_2024, record, write_folder};
use crate::support::paths;
use bitcoin::absolute::LockTime;
use bitcoin::consensus::deserialize;
use bitcoin::{
    Amount, OutPoint, ScriptBuf, Sequence, Transaction, TxIn, TxOut, Witness, transaction,
};
use gecc_chains::bitcoin::{TweakIndex, Txid, index};
use gecc_chains::{BlockRange, Settings};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// The index of files without a problem.
fn indexed(settings: &Settings, files: &[PathBuf]) -> TweakIndex {
    let mut all = TweakIndex {
        offsets: vec![0],
        ..TweakIndex::default()
    };
    let ended = index(settings, &paths(files), BlockRange::default(), |next| {
        assert_eq!(
            (next.txids.len(), next.offsets.len()),
            (next.tweak_points.len(), next.txids.len() + 1)
        );
        let before = all.outputs.len() as u64;
        all.heights.extend(next.heights);
        all.txids.extend(next.txids);
        all.tweak_points.extend(next.tweak_points);
        all.offsets
            .extend(next.offsets[1..].iter().map(|offset| before + offset));
        all.outputs.extend(next.outputs);
        all.ineligible.extend(next.ineligible);
        all.progress.problems.extend(next.progress.problems);
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(ended.unwrap(), None);
    assert_eq!(all.progress.problems, []);
    all
}

/// Returns the bytes in the order in which they are displayed.
fn shown(txid: &Txid) -> Vec<u8> {
    txid.0.iter().rev().copied().collect()
}

/// SHA-256 of all rows: id, tweak point and outputs.
fn digest(tweaks: &TweakIndex) -> String {
    let mut hash = Sha256::new();
    for (row, (txid, point)) in tweaks.txids.iter().zip(&tweaks.tweak_points).enumerate() {
        let outputs =
            &tweaks.outputs[tweaks.offsets[row] as usize..tweaks.offsets[row + 1] as usize];
        hash.update(shown(txid));
        hash.update(point);
        hash.update(outputs.as_flattened());
    }
    const_hex::encode(hash.finalize())
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap()
}

fn bytes(value: &Value, name: &str) -> Vec<u8> {
    const_hex::decode(text(value, name)).unwrap()
}

fn input(vin: &Value) -> TxIn {
    let witness = bytes(vin, "txinwitness");
    TxIn {
        previous_output: OutPoint {
            txid: text(vin, "txid").parse().unwrap(),
            vout: vin["vout"].as_u64().unwrap() as u32,
        },
        script_sig: bytes(vin, "scriptSig").into(),
        sequence: Sequence::MAX,
        witness: if witness.is_empty() {
            Witness::new()
        } else {
            deserialize(&witness).unwrap()
        },
    }
}

fn paying(script_pubkey: ScriptBuf) -> TxOut {
    TxOut {
        value: Amount::from_sat(1),
        script_pubkey,
    }
}

/// The transactions of all cases, in one block.
pub fn vectors_of_bip_352(settings: &Settings) {
    let cases =
        include_str!("../../../../../tests/vectors/bip352_send_and_receive_test_vectors.json");
    let cases: Vec<Value> = serde_json::from_str(cases).unwrap();
    assert_eq!(cases.len(), 28);
    let mut transactions = Vec::new();
    let mut spent = Vec::new();
    let mut expected = Vec::new();
    for (number, of) in cases
        .iter()
        .flat_map(|case| case["receiving"].as_array().unwrap())
        .enumerate()
    {
        let vin = of["given"]["vin"].as_array().unwrap();
        let outputs = of["given"]["outputs"].as_array().unwrap();
        let taproot = |key: &Value| -> ScriptBuf {
            [
                vec![0x51, 32],
                const_hex::decode(key.as_str().unwrap()).unwrap(),
            ]
            .concat()
            .into()
        };
        transactions.push(Transaction {
            version: transaction::Version::TWO,
            // Some cases are of the same transaction.
            lock_time: LockTime::from_height(number as u32).unwrap(),
            input: vin.iter().map(input).collect(),
            output: outputs.iter().map(|key| paying(taproot(key))).collect(),
        });
        spent.extend(
            vin.iter()
                .map(|vin| paying(bytes(&vin["prevout"]["scriptPubKey"], "hex").into())),
        );
        expected.push((
            of["expected"]["tweak"]
                .as_str()
                .map(|tweak| const_hex::decode(tweak).unwrap()),
            outputs.len(),
        ));
    }
    // A transaction with a taproot output, an eligible input and one of an unknown witness version;
    // and one without taproot outputs.
    let mut unknown = transactions[0].clone();
    unknown.input.push(TxIn {
        sequence: Sequence::ZERO,
        ..TxIn::default()
    });
    let mut without = transactions[0].clone();
    without.output = vec![paying(
        bytes(
            &cases[0]["receiving"][0]["given"]["vin"][0]["prevout"]["scriptPubKey"],
            "hex",
        )
        .into(),
    )];
    let of_first = spent[..2].to_vec();
    spent.extend(of_first.clone());
    spent.push(paying([vec![0x52, 32], vec![7; 32]].concat().into()));
    spent.extend(of_first);
    transactions.extend([unknown, without]);
    expected.push((None, 1));
    let folder = tempfile::tempdir().unwrap();
    let found = indexed(
        settings,
        &[file_of(folder.path(), 900_000, &transactions, &spent)],
    );
    let known: Vec<_> = expected
        .iter()
        .filter_map(|(tweak, outputs)| Some((tweak.clone()?, *outputs)))
        .collect();
    let counts = found.offsets.windows(2).map(|of| (of[1] - of[0]) as usize);
    let found_rows: Vec<_> = found
        .tweak_points
        .iter()
        .map(|point| point.to_vec())
        .zip(counts)
        .collect();
    assert_eq!(found_rows, known);
    assert_eq!(found.ineligible.len(), expected.len() - known.len());
    assert!(found.heights.iter().all(|height| *height == Some(900_000)));
}

/// Compares with the results of libsecp256k1 and the BIP's reference for the block.
pub fn block_866342(settings: &Settings) {
    let folder = tempfile::tempdir().unwrap();
    let block = decompressed("block866342.raw.zst");
    let undo = decompressed("block866342-rev.raw.zst");
    write_folder(
        folder.path(),
        &record(MAGIC, &block),
        &undo,
        *b"\x01key\xff\x00\x80!",
    );
    let found = indexed(settings, &[folder.path().to_owned()]);
    assert_eq!(
        (
            found.txids.len(),
            found.outputs.len(),
            found.ineligible.len()
        ),
        (2241, 2704, 52)
    );
    assert_eq!(
        digest(&found),
        "33ada0a955e8c6bbec54a5886ccd055293c5d41cf90ebde447f6753bd4fcc3a2"
    );
    let mut ineligible: Vec<Vec<u8>> = found.ineligible.iter().map(shown).collect();
    ineligible.sort_unstable();
    let ineligible = const_hex::encode(Sha256::digest(ineligible.concat()));
    assert_eq!(
        ineligible,
        "8573e5354f00d21b96f1db4c502d99cb12052614325524cad467a18a63141da5"
    );
    assert!(found.heights.iter().all(|height| *height == Some(866_342)));
}

/// Compares the tweaks of transactions of 2024.
pub fn transactions_of_2024(settings: &Settings) {
    let (transactions, spent) = of_2024();
    let folder = tempfile::tempdir().unwrap();
    let found = indexed(
        settings,
        &[file_of(folder.path(), 830_000, &transactions, &spent)],
    );
    assert_eq!((found.txids.len(), found.outputs.len()), (193, 1015));
    assert_eq!(
        digest(&found),
        "bc7cdca45b74c45f6d685d64f6b730a8aea2b724c71bba234faab54de1b986f1"
    );
}
