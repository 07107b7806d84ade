//! Tables of transactions that are made here.

use super::real::check_with;
use crate::support::data;
use arrow_array::{ArrayRef, BinaryArray, RecordBatch, StringArray, UInt64Array};
use gecc_arrow::{Compression, Destination, Format, Pool, Writer};
use gecc_chains::Settings;
use gecc_chains::ethereum::{Answer, Kind, Options, Reason};
use serde_json::Value;
use std::sync::Arc;

/// The answers to a table with these columns.
fn of_table(settings: &Settings, columns: Vec<(&str, ArrayRef)>) -> Vec<Answer> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.parquet");
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns
            .into_iter()
            .map(|(name, column)| (name, column, true)),
    );
    let batch = batch.unwrap();
    let mut writer = Writer::create(
        Destination::File(path.clone()),
        Format::Parquet,
        Compression::None,
        &batch.schema(),
    )
    .unwrap();
    writer.write(&batch, &Pool::default()).unwrap();
    writer.finish().unwrap();
    let (answers, problems) = check_with(settings, &[path], &Options::default());
    assert_eq!(problems, []);
    answers
}

/// Deposits of an OP chain: without the columns that only deposits have, they cannot be rebuilt.
pub fn deposits(settings: &Settings) {
    let text = std::fs::read_to_string(data("op_deposits.jsonl")).unwrap();
    let given: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let bytes = |name: &str| -> ArrayRef {
        let values = given
            .iter()
            .map(|object| const_hex::decode(object[name].as_str().unwrap()).unwrap());
        Arc::new(values.map(Some).collect::<BinaryArray>())
    };
    let number = |name: &str| u128_of(&given, name);
    let integers = |values: Vec<u128>| -> ArrayRef {
        Arc::new(
            values
                .into_iter()
                .map(|value| Some(value as u64))
                .collect::<UInt64Array>(),
        )
    };
    let decimal = |name: &str| -> ArrayRef {
        Arc::new(
            number(name)
                .iter()
                .map(|value| Some(value.to_string()))
                .collect::<StringArray>(),
        )
    };
    let same = |value: u128| integers(vec![value; given.len()]);
    let zeros: ArrayRef = Arc::new(
        given
            .iter()
            .map(|_| Some([0_u8; 32].to_vec()))
            .collect::<BinaryArray>(),
    );
    let bare = vec![
        ("block_number", integers(number("blockNumber"))),
        ("transaction_hash", bytes("hash")),
        ("from_address", bytes("from")),
        ("to_address", bytes("to")),
        ("transaction_type", same(126)),
        ("nonce", integers(number("nonce"))),
        ("gas_price", same(0)),
        ("gas_limit", integers(number("gas"))),
        ("value", decimal("value")),
        ("input", bytes("input")),
        ("v", same(0)),
        ("r", Arc::clone(&zeros)),
        ("s", zeros),
    ];
    let reasons = |columns: Vec<(&str, ArrayRef)>| -> Vec<Option<Reason>> {
        let answers = of_table(settings, columns);
        assert!(
            answers
                .iter()
                .all(|answer| answer.kind == Kind::Deposit && answer.valid() != Some(true))
        );
        answers.into_iter().map(|answer| answer.reason).collect()
    };
    let is_not_rebuilt = |reasons: Vec<Option<Reason>>| {
        reasons.len() == 2
            && reasons
                .iter()
                .all(|reason| matches!(reason, Some(Reason::NotRebuilt(_))))
    };
    assert!(is_not_rebuilt(reasons(bare.clone())));
    let mut whole = bare;
    whole.extend([
        ("source_hash", bytes("sourceHash")),
        ("mint", decimal("mint")),
    ]);
    assert_eq!(reasons(whole.clone()), vec![Some(Reason::Unsigned); 2]);
    // A field that differs, and a signature.
    for (name, column) in [
        ("gas_limit", same(7)),
        ("from_address", bytes("to")),
        ("s", bytes("hash")),
        ("is_system_tx", same(1)),
    ] {
        let mut changed = whole.clone();
        changed.retain(|(other, _)| *other != name);
        changed.push((name, column));
        assert!(is_not_rebuilt(reasons(changed)), "{name}");
    }
}

fn u128_of(given: &[Value], name: &str) -> Vec<u128> {
    given
        .iter()
        .map(|object| u128::from_str_radix(&object[name].as_str().unwrap()[2..], 16).unwrap())
        .collect()
}
