//! Masks for private set intersection.

use crate::items::{engine, fixed, some};
use crate::session::{functions, refusal, row, session};
use arrow_array::{ArrayRef, BinaryArray, RecordBatch};
use datafusion::prelude::SessionContext;
use gecc::SecretKey;
use gecc_datafusion::Functions;
use serde_json::Value;
use std::sync::Arc;

const VECTORS: &str = include_str!("../../../../tests/vectors/hash_to_curve.json");

fn bytes(text: &Value) -> Vec<u8> {
    let digits = text.as_str().unwrap_or_default().as_bytes();
    let pairs = digits.as_chunks::<2>().0.iter();
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn session_with_key(key: &[u8]) -> SessionContext {
    let key = SecretKey::from_bytes(key.try_into().unwrap());
    let functions = Functions::new(engine()).unwrap().with_mask_key(key);
    session(&functions, 2, 8192)
}

fn points(items: &[Value], name: &str) -> ArrayRef {
    let rows: Vec<Vec<u8>> = items.iter().map(|item| bytes(&item[name])).collect();
    fixed(&some(&rows)).unwrap()
}

#[test]
fn masks_are_those_of_the_vectors() {
    let all: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    for vectors in &all {
        let context = session_with_key(&bytes(&vectors["key"]));
        let items = vectors["items"].as_array().unwrap();
        let messages = items.iter().map(|item| bytes(&item["message"]));
        let messages: ArrayRef = Arc::new(BinaryArray::from_iter_values(messages));
        let columns = [
            ("m", messages),
            ("p", points(items, "point")),
            ("masked", points(items, "masked")),
        ];
        let table = RecordBatch::try_from_iter(columns).unwrap();
        context.register_batch("t", table).unwrap();
        let suite = vectors["suite"].as_str().unwrap();
        let dst = String::from_utf8(bytes(&vectors["dst"])).unwrap();
        let curve = suite.split('_').next().unwrap().to_lowercase();
        for condition in [
            format!("mask('{suite}', '{dst}', 'compressed', m) = masked"),
            format!("mask_points('{curve}', 'compressed', p) = masked"),
            format!("unmask('{curve}', 'compressed', masked) = p"),
            format!("mask_reason('{suite}', '{dst}', '12', m) IS NULL"),
            format!("arrow_typeof(mask('{suite}', '{dst}', '12', m)) = 'FixedSizeBinary(12)'"),
        ] {
            let sql = format!("SELECT count(*) FROM t WHERE {condition}");
            assert_eq!(
                row(&context, &sql),
                [Some(items.len().to_string())],
                "{sql}"
            );
        }
    }
    assert_eq!(all.len(), 15);
}

#[test]
fn key_and_arguments_are_required() {
    let without = session(functions(), 1, 8192);
    let sql = "SELECT mask_points('p256', 'x', x'02')";
    assert!(refusal(&without, sql).contains("there is no private key"));
    let context = session_with_key(&[7; 32]);
    for (call, problem) in [
        (
            "mask('P256_XMD:SHA-256_SSWU_RO_', '', 'x', x'aa')",
            "requires a `dst`",
        ),
        ("mask('SM2_SM3_REHASH_', 'a', 'x', x'aa')", "takes no `dst`"),
        ("mask('SM2_SM3_REHASH_', '', '33', x'aa')", "1 to 32"),
        ("mask_points('p384', 'x', x'02')", "p384"),
    ] {
        let found = refusal(&context, &format!("SELECT {call}"));
        assert!(found.contains(problem), "{found}");
    }
    let reason = row(&context, "SELECT mask_points_reason('p256', 'x', x'02')");
    assert_ne!(reason, [None]);
    // Sessions with other keys do not share results.
    let sql = "SELECT mask('SM2_SM3_REHASH_', '', 'x', x'aa')";
    assert_ne!(row(&context, sql), row(&session_with_key(&[8; 32]), sql));
}
