//! Silent payments through C: the vectors of BIP 352, and arguments that are refused.

use super::{Handle, cpu, expect_failure, expect_ok, keys, rows};
use crate::capi::keys::gecc_public_keys;
use crate::capi::memory::GeccRows;
use crate::capi::silent_payments::*;
use crate::capi::status::GeccStatus;
use serde_json::Value;
use std::ptr::{null, null_mut};

const VECTORS: &str =
    include_str!("../../../../tests/vectors/bip352_send_and_receive_test_vectors.json");
const SECP256K1: i32 = 1;

fn array<const W: usize>(value: &Value) -> [u8; W] {
    hex::decode(value.as_str().unwrap())
        .unwrap()
        .try_into()
        .unwrap()
}

/// A receiver that is freed at the end.
struct Receiver(*mut GeccReceiver);

impl Drop for Receiver {
    fn drop(&mut self) {
        unsafe { gecc_receiver_free(self.0) };
    }
}

fn receiver(scan_key: &[u8; 32], spend_key: &[u8], labels: &[u32]) -> Receiver {
    let mut made = null_mut();
    expect_ok(unsafe {
        let (spend, bytes) = (spend_key.as_ptr(), spend_key.len());
        gecc_receiver_new(
            scan_key.as_ptr(),
            spend,
            bytes,
            labels.as_ptr(),
            labels.len(),
            &mut made,
        )
    });
    Receiver(made)
}

fn public_key(engine: &Handle, secret: &[u8; 32]) -> [u8; 65] {
    let (mut key, mut code) = ([4; 65], 0);
    expect_ok(unsafe {
        gecc_public_keys(
            engine.0,
            SECP256K1,
            1,
            rows(&[*secret]),
            key[1..].as_mut_ptr(),
            &mut code,
        )
    });
    assert_eq!(code, 1);
    key
}

/// A transaction of a case, and what a call finds in it.
struct Row {
    tweak_points: [[u8; 33]; 1],
    offsets: [u64; 2],
    outputs: Vec<[u8; 32]>,
}

const NOTHING: GeccMatch = GeccMatch {
    row: 9,
    output: 9,
    receiver: 9,
    k: 9,
    label: 9,
    tweak: [9; 32],
};
const NO_KEYS: GeccRows = GeccRows {
    data: null(),
    stride: 0,
};

impl Row {
    fn prefixes(&self) -> Vec<u64> {
        self.outputs
            .iter()
            .map(|key| u64::from_be_bytes(key[..8].try_into().unwrap()))
            .collect()
    }

    fn whole(&self) -> GeccOutputs {
        GeccOutputs {
            offsets: self.offsets.as_ptr(),
            keys: rows(&self.outputs),
            prefixes: null(),
        }
    }

    fn scan(
        &self,
        engine: &Handle,
        receiver: &Receiver,
        outputs: GeccOutputs,
        room: usize,
    ) -> (Vec<GeccMatch>, usize) {
        let (mut matches, mut count, mut code) = (vec![NOTHING; room], 7, 7);
        let receivers = [receiver.0.cast_const()];
        let points = keys(&self.tweak_points);
        expect_ok(unsafe {
            let to = if room == 0 {
                null_mut()
            } else {
                matches.as_mut_ptr()
            };
            gecc_silent_payments_scan(
                engine.0,
                1,
                receivers.as_ptr(),
                1,
                points,
                outputs,
                to,
                room,
                &mut count,
                &mut code,
            )
        });
        assert_eq!(code, 1);
        matches.truncate(count);
        (matches, count)
    }
}

pub fn vectors() {
    let engine = cpu();
    let cases: Value = serde_json::from_str(VECTORS).unwrap();
    let receiving = cases
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|case| case["receiving"].as_array().unwrap());
    let mut found_with_labels = 0;
    for case in receiving.filter(|case| case["expected"].get("tweak").is_some_and(Value::is_string))
    {
        let (given, expected) = (&case["given"], &case["expected"]);
        let spend_key = public_key(&engine, &array(&given["key_material"]["spend_priv_key"]));
        let labels: Vec<u32> = given["labels"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m.as_u64().unwrap() as u32)
            .collect();
        let receiver = receiver(
            &array(&given["key_material"]["scan_priv_key"]),
            &spend_key,
            &labels,
        );
        let outputs: Vec<[u8; 32]> = given["outputs"]
            .as_array()
            .unwrap()
            .iter()
            .map(array)
            .collect();
        let tweak_points = [array(&expected["tweak"])];
        let row = Row {
            tweak_points,
            offsets: [0, outputs.len() as u64],
            outputs,
        };
        let prefixes = row.prefixes();
        let by_prefix = GeccOutputs {
            offsets: row.offsets.as_ptr(),
            keys: NO_KEYS,
            prefixes: prefixes.as_ptr(),
        };
        for column in [row.whole(), by_prefix] {
            let (matches, count) = row.scan(&engine, &receiver, column, row.outputs.len());
            if let Some(known) = expected.get("n_outputs").and_then(Value::as_u64) {
                assert_eq!(count as u64, known);
                continue;
            }
            let of_match = |found: &GeccMatch| (row.outputs[found.output as usize], found.tweak);
            let mut found: Vec<_> = matches.iter().map(of_match).collect();
            let of_output = |output: &Value| {
                (
                    array::<32>(&output["pub_key"]),
                    array::<32>(&output["priv_key_tweak"]),
                )
            };
            let mut known: Vec<_> = expected["outputs"]
                .as_array()
                .unwrap()
                .iter()
                .map(of_output)
                .collect();
            found.sort_unstable();
            known.sort_unstable();
            assert_eq!(found, known);
            assert!(
                matches
                    .iter()
                    .all(|found| (found.row, found.receiver) == (0, 0))
            );
            found_with_labels += matches
                .iter()
                .filter(|found| labels.contains(&(found.label as u32)))
                .count();
        }
        // With too little room the number is the same, and the first are there.
        let (all, count) = row.scan(&engine, &receiver, row.whole(), row.outputs.len());
        assert_eq!(row.scan(&engine, &receiver, row.whole(), 0).1, count);
        if count > 1 {
            let (first, again) = row.scan(&engine, &receiver, row.whole(), 1);
            assert_eq!((first[0].output, again), (all[0].output, count));
        }
    }
    assert!(found_with_labels > 0);
}

pub fn index() {
    let engine = cpu();
    let cases: Value = serde_json::from_str(VECTORS).unwrap();
    let expected = &cases[0]["receiving"][0]["expected"];
    // The smaller of the two: txids are printed the other way round.
    let outpoint: Vec<u8> =
        hex::decode("169e1e83e930853391bc6f35f605c6754cfead57cf8387639d3b4096c54f18f400000000")
            .unwrap();
    let outpoints = [<[u8; 36]>::try_from(outpoint).unwrap(); 2];
    let sums = [array::<33>(&expected["input_pub_key_sum"]), [2; 33]];
    let (mut points, mut codes) = ([[0; 64]; 2], [7; 2]);
    expect_ok(unsafe {
        let to = points.as_mut_ptr().cast();
        gecc_silent_payments_index(
            engine.0,
            2,
            rows(&outpoints),
            keys(&sums),
            to,
            codes.as_mut_ptr(),
        )
    });
    let tweak = array::<33>(&expected["tweak"]);
    assert_eq!(
        (codes[0], points[0][63] & 1, &points[0][..32]),
        (1, tweak[0] & 1, &tweak[1..])
    );
}

pub fn arguments_are_refused() {
    use GeccStatus::{InvalidArgument, NullPointer};
    let engine = cpu();
    let spend_key = public_key(&engine, &[2; 32]);
    let known = receiver(&[1; 32], &spend_key, &[]);
    let mut made = null_mut();
    let mut make = |scan_key: *const u8, spend_key: &[u8], labels: *const u32, count| unsafe {
        gecc_receiver_new(
            scan_key,
            spend_key.as_ptr(),
            spend_key.len(),
            labels,
            count,
            &mut made,
        )
    };
    let zeros = [0; 32];
    expect_failure(make(null(), &spend_key, null(), 0), NullPointer, "scan_key");
    expect_failure(
        make(zeros.as_ptr(), &spend_key, null(), 0),
        InvalidArgument,
        "private key",
    );
    expect_failure(
        make([1; 32].as_ptr(), &[9; 33], null(), 0),
        InvalidArgument,
        "encoding",
    );
    expect_failure(
        make([1; 32].as_ptr(), &spend_key, null(), 1),
        NullPointer,
        "labels",
    );
    let (points, offsets, outputs, prefixes) = ([[2; 33]; 2], [0, 1, 2], [[3; 32]; 2], [3, 4]);
    let (mut found, mut count, mut codes) = ([NOTHING; 2], 7, [7; 2]);
    let (to, count_to, codes_to) = (found.as_mut_ptr(), &raw mut count, codes.as_mut_ptr());
    let scan = |receivers: &[*const GeccReceiver], outputs, to, count_to| unsafe {
        let (points, receiver_count) = (keys(&points), receivers.len());
        gecc_silent_payments_scan(
            engine.0,
            2,
            receivers.as_ptr(),
            receiver_count,
            points,
            outputs,
            to,
            2,
            count_to,
            codes_to,
        )
    };
    let whole = GeccOutputs {
        offsets: offsets.as_ptr(),
        keys: rows(&outputs),
        prefixes: null(),
    };
    let receivers = [known.0.cast_const()];
    let decreasing = [0, 2, 1];
    let both = GeccOutputs {
        prefixes: prefixes.as_ptr(),
        ..whole
    };
    expect_failure(
        scan(&receivers, both, to, count_to),
        InvalidArgument,
        "both keys and prefixes",
    );
    expect_failure(
        scan(
            &receivers,
            GeccOutputs {
                keys: NO_KEYS,
                ..whole
            },
            to,
            count_to,
        ),
        NullPointer,
        "prefixes",
    );
    expect_failure(
        scan(
            &receivers,
            GeccOutputs {
                offsets: null(),
                ..whole
            },
            to,
            count_to,
        ),
        NullPointer,
        "offsets",
    );
    let wrong = GeccOutputs {
        offsets: decreasing.as_ptr(),
        ..whole
    };
    expect_failure(
        scan(&receivers, wrong, to, count_to),
        InvalidArgument,
        "decrease",
    );
    let one_row = GeccOutputs {
        keys: GeccRows {
            stride: 0,
            ..whole.keys
        },
        ..whole
    };
    expect_failure(
        scan(&receivers, one_row, to, count_to),
        InvalidArgument,
        "keys: one row for 2 outputs",
    );
    expect_failure(
        scan(&[receivers[0], null()], whole, to, count_to),
        NullPointer,
        "receivers is null, at item 1",
    );
    expect_failure(
        scan(&receivers, whole, null_mut(), count_to),
        NullPointer,
        "matches",
    );
    expect_failure(
        scan(&receivers, whole, to, null_mut()),
        NullPointer,
        "match_count",
    );
    let overlapping = GeccOutputs {
        keys: GeccRows {
            data: to.cast(),
            stride: 32,
        },
        ..whole
    };
    expect_failure(
        scan(&receivers, overlapping, to, count_to),
        InvalidArgument,
        "keys and matches overlap",
    );
    assert_eq!((codes, count), ([7; 2], 7));
    // Nobody is looked for, and nothing found.
    expect_ok(scan(&[], whole, to, count_to));
    assert_eq!(count, 0);
    unsafe { gecc_receiver_free(null_mut()) };
}
