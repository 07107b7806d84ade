//! The vectors of BIP 352.

use crate::declare::{apply, on_every_engine};
use crate::support::silent_payments::{prefix, public_key};
use crate::support::vectors::{bytes, field, parse};
use gecc::silent_payments::{self, LIMIT, Match, Outputs, Receiver};
use gecc::{Engine, Point, SecretKey, Verdict};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    receiving: Vec<Receiving>,
}

#[derive(Deserialize)]
struct Receiving {
    given: Given,
    expected: Expected,
}

#[derive(Deserialize)]
struct Given {
    vin: Vec<Input>,
    outputs: Vec<String>,
    key_material: Keys,
    labels: Vec<u32>,
}

#[derive(Deserialize)]
struct Input {
    txid: String,
    vout: u32,
}

#[derive(Deserialize)]
struct Keys {
    spend_priv_key: String,
    scan_priv_key: String,
}

#[derive(Deserialize)]
struct Expected {
    outputs: Option<Vec<Output>>,
    n_outputs: Option<usize>,
    tweak: Option<String>,
    input_pub_key_sum: Option<String>,
}

#[derive(Deserialize)]
struct Output {
    priv_key_tweak: String,
    pub_key: String,
}

fn cases() -> Vec<Receiving> {
    let cases: Vec<Case> = parse(include_str!(
        "../vectors/bip352_send_and_receive_test_vectors.json"
    ));
    assert_eq!(cases.len(), 28);
    cases.into_iter().flat_map(|case| case.receiving).collect()
}

/// The findings of each case, with whole keys and with their first bytes.
#[apply(on_every_engine)]
fn receiving_vectors_are_scanned(engine: &Engine) {
    let mut with_tweak = 0;
    for Receiving { given, expected } in cases() {
        let Some(tweak) = &expected.tweak else {
            continue;
        };
        with_tweak += 1;
        let spend_key = public_key(&field(&given.key_material.spend_priv_key));
        let scan_key = SecretKey::from_bytes(field(&given.key_material.scan_priv_key));
        let receiver = [Receiver::new(scan_key, &spend_key, &given.labels).unwrap()];
        let outputs: Vec<[u8; 32]> = given.outputs.iter().map(|output| field(output)).collect();
        let prefixes: Vec<u64> = outputs.iter().map(prefix).collect();
        let offsets = [0, outputs.len() as u64];
        let points = [<[u8; 33]>::try_from(bytes(tweak)).unwrap()];
        let columns = [
            Outputs::x_only(&offsets, &outputs),
            Outputs::prefixes(&offsets, &prefixes),
        ];
        for column in columns.map(Result::unwrap) {
            let found = silent_payments::scan(engine, &receiver, &points, column).unwrap();
            assert_eq!(found.codes, [Verdict::VALID_CODE]);
            if let Some(count) = expected.n_outputs {
                assert_eq!(
                    (count, found.matches.len()),
                    (LIMIT as usize, LIMIT as usize)
                );
                continue;
            }
            let mut found: Vec<_> = found
                .matches
                .iter()
                .map(|found| of_match(found, &outputs))
                .collect();
            let known = expected.outputs.as_ref().expect("outputs or their number");
            let mut known: Vec<_> = known
                .iter()
                .map(|output| (field(&output.pub_key), field(&output.priv_key_tweak)))
                .collect();
            found.sort_unstable();
            known.sort_unstable();
            assert_eq!(found, known);
        }
    }
    assert_eq!(with_tweak, 27);
}

/// The key and the tweak of an output.
fn of_match(found: &Match, outputs: &[[u8; 32]]) -> ([u8; 32], [u8; 32]) {
    (outputs[found.output], *found.tweak.expose_bytes())
}

/// Tweak points from the sums of keys and the smallest outpoints.
#[apply(on_every_engine)]
fn receiving_vectors_are_indexed(engine: &Engine) {
    let cases: Vec<Receiving> = cases()
        .into_iter()
        .filter(|case| case.expected.tweak.is_some())
        .collect();
    let outpoint = |input: &Input| -> [u8; 36] {
        let txid: Vec<u8> = bytes(&input.txid).into_iter().rev().collect();
        [&txid[..], &input.vout.to_le_bytes()]
            .concat()
            .try_into()
            .unwrap()
    };
    let smallest = |case: &Receiving| case.given.vin.iter().map(outpoint).min().unwrap();
    let outpoints: Vec<[u8; 36]> = cases.iter().map(smallest).collect();
    let key =
        |text: &Option<String>| -> [u8; 33] { bytes(text.as_ref().unwrap()).try_into().unwrap() };
    let sums: Vec<[u8; 33]> = cases
        .iter()
        .map(|case| key(&case.expected.input_pub_key_sum))
        .collect();
    let found = silent_payments::index(engine, &outpoints, &sums).unwrap();
    for (case, point) in cases.iter().zip(&found) {
        assert_eq!(
            point.unwrap().to_compressed(),
            Some(key(&case.expected.tweak))
        );
    }
    let mut rows = vec![[0; 64]; sums.len()];
    let mut codes = vec![0; sums.len()];
    silent_payments::index_into(engine, &outpoints, &sums, &mut rows, &mut codes).unwrap();
    assert!(
        rows.iter()
            .zip(&found)
            .all(|(row, point)| Ok(Point::from_raw(row)) == *point)
    );
    assert!(codes.iter().all(|code| *code == Verdict::VALID_CODE));
}
