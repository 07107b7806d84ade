//! Tables of cryo's versions, and tables with encoded transactions or without signatures.

use super::real::{check, check_with};
use crate::support::data;
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, RecordBatch, StringArray, UInt32Array, UInt64Array,
};
use gecc_arrow::{Compression, Destination, Format, Pool, Projection, ReadOptions, Writer};
use gecc_chains::Settings;
use gecc_chains::ethereum::{Answer, Kind, Options, Reason};
use std::path::PathBuf;
use std::sync::Arc;

const MIXED: &str = "ethereum__transactions__mixed.parquet";

type Columns = Vec<(String, ArrayRef)>;

/// The columns of a table of cryo with v as a parity.
fn columns() -> Columns {
    let input = gecc_arrow::open(data(MIXED), ReadOptions::default()).unwrap();
    let batches: Vec<RecordBatch> = input
        .batches(&Projection::All)
        .unwrap()
        .map(|batch| batch.unwrap())
        .collect();
    let schema = batches[0].schema();
    let whole = arrow_select::concat::concat_batches(&schema, &batches).unwrap();
    let columns = schema
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .zip(whole.columns().iter().cloned());
    columns.collect()
}

fn table(columns: &Columns) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.parquet");
    let nullable = columns
        .iter()
        .map(|(name, column)| (name.as_str(), Arc::clone(column), true));
    let batch = RecordBatch::try_from_iter_with_nullable(nullable).unwrap();
    let output = Destination::File(path.clone());
    let mut writer =
        Writer::create(output, Format::Parquet, Compression::None, &batch.schema()).unwrap();
    writer.write(&batch, &Pool::default()).unwrap();
    writer.finish().unwrap();
    (folder, path)
}

fn answers_to(settings: &Settings, columns: &Columns) -> Vec<Answer> {
    let (_folder, path) = table(columns);
    check(settings, &[path])
}

fn problem_of(settings: &Settings, columns: &Columns) -> String {
    let (_folder, path) = table(columns);
    let (answers, problems) = check_with(settings, &[path], &Options::default());
    assert_eq!((answers.len(), problems.len()), (0, 1), "{problems:?}");
    problems[0].what.clone()
}

fn column<'a>(columns: &'a Columns, name: &str) -> &'a ArrayRef {
    &columns.iter().find(|(other, _)| other == name).unwrap().1
}

fn replace(columns: &mut Columns, name: &str, with: ArrayRef) {
    columns
        .iter_mut()
        .find(|(other, _)| other == name)
        .unwrap()
        .1 = with;
}

/// v according to EIP-155 in a 64-bit column, as written by cryo between its pull requests 191 and
/// 194, and a type that is null for legacy transactions.
pub fn v_of_eip155_and_types_that_are_null(settings: &Settings) {
    let expected = check(settings, &[data(MIXED)]);
    let valid = |answers: &[Answer]| {
        answers
            .iter()
            .filter(|answer| answer.valid() == Some(true))
            .count()
    };
    assert_eq!((expected.len(), valid(&expected)), (1120, 1107));
    let with_parity = columns();
    let parities = column(&with_parity, "v").as_boolean().clone();
    let types = column(&with_parity, "transaction_type")
        .as_primitive::<arrow_array::types::UInt32Type>()
        .clone();
    let v = |row: usize, for_chain: bool| {
        let parity = u64::from(parities.value(row));
        if for_chain { 37 + parity } else { 27 + parity }
    };
    let v_of = |of: &dyn Fn(usize) -> u64| -> ArrayRef {
        Arc::new(
            (0..types.len())
                .map(|row| Some(of(row)))
                .collect::<UInt64Array>(),
        )
    };
    let is_for_any = |row: usize| expected[row].kind == Kind::Legacy;
    let null_types: ArrayRef = Arc::new(
        (0..types.len())
            .map(|row| Some(types.value(row)).filter(|of| *of > 0))
            .collect::<UInt32Array>(),
    );
    let no_types: ArrayRef = Arc::new(
        (0..types.len())
            .map(|_| None::<u32>)
            .collect::<UInt32Array>(),
    );
    // Legacy transactions have v according to EIP-155; others have the parity, 27 or 28, or v
    // according to EIP-155.
    let spelled = [
        v_of(&|row| {
            if types.value(row) > 0 {
                u64::from(parities.value(row))
            } else {
                v(row, !is_for_any(row))
            }
        }),
        v_of(&|row| {
            if types.value(row) > 0 {
                v(row, false)
            } else {
                v(row, !is_for_any(row))
            }
        }),
        v_of(&|row| {
            if types.value(row) > 0 {
                v(row, true)
            } else {
                v(row, !is_for_any(row))
            }
        }),
        v_of(&|row| v(row, false)),
        v_of(&|row| u64::from(parities.value(row))),
    ];
    for column in spelled {
        for kinds in [None, Some(&null_types), Some(&no_types)] {
            let mut columns = with_parity.clone();
            replace(&mut columns, "v", Arc::clone(&column));
            if let Some(kinds) = kinds {
                replace(&mut columns, "transaction_type", Arc::clone(kinds));
            }
            let found = answers_to(settings, &columns);
            assert_eq!(valid(&found), 1107);
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(
                    (found.hash, found.valid(), found.from),
                    (expected.hash, expected.valid(), expected.from)
                );
                assert!(found.valid().is_none() || found.kind == expected.kind);
            }
        }
    }
}

pub fn v_contradicting_the_chain(settings: &Settings) {
    let mut columns = columns();
    let rows = column(&columns, "v").len();
    replace(
        &mut columns,
        "v",
        Arc::new((0..rows).map(|_| Some(35 + 2 * 5)).collect::<UInt64Array>()),
    );
    for answer in answers_to(settings, &columns) {
        let Some(Reason::NotRebuilt(why)) = &answer.reason else {
            panic!("{answer:?}")
        };
        assert_eq!(why, "`v` and `chain_id` state different chains");
        assert_ne!(answer.hash, [0; 32]);
    }
    replace(
        &mut columns,
        "v",
        Arc::new((0..rows).map(|_| Some(30)).collect::<UInt64Array>()),
    );
    let fits = |answer: &Answer| matches!(&answer.reason, Some(Reason::NotRebuilt(why)) if why.contains("`v` fits no"));
    assert!(answers_to(settings, &columns).iter().all(fits));
}

/// Tables of mempool-dumpster have encoded transactions, under any name.
pub fn encoded_transactions(settings: &Settings) {
    let kinds = [
        Kind::Legacy,
        Kind::Eip155,
        Kind::Eip2930,
        Kind::Eip1559,
        Kind::Eip4844,
        Kind::Eip7702,
    ];
    let mut random = crate::random::Random::new();
    let encoded = kinds.map(|kind| {
        super::made::transaction(kind, &super::made::Signer::new(settings), &mut random).0
    });
    let text: String = encoded
        .iter()
        .map(|encoded| const_hex::encode(encoded) + "\n")
        .collect();
    let (_folder, path) = crate::support::file(text.as_bytes());
    let expected = check(settings, &[path]);
    let hashes = encoded
        .each_ref()
        .map(|encoded| const_hex::encode_prefixed(alloy_primitives::keccak256(encoded)));
    let binary: ArrayRef = Arc::new(encoded.iter().map(Some).collect::<BinaryArray>());
    let as_text: ArrayRef = Arc::new(
        encoded
            .iter()
            .map(|encoded| Some(const_hex::encode_prefixed(encoded)))
            .collect::<StringArray>(),
    );
    let known: ArrayRef = Arc::new(hashes.iter().map(Some).collect::<StringArray>());
    let named = |columns: Vec<(&str, &ArrayRef)>| -> Columns {
        columns
            .into_iter()
            .map(|(name, column)| (name.to_owned(), Arc::clone(column)))
            .collect()
    };
    for name in ["rawTx", "raw_tx", "raw_transaction", "raw"] {
        for column in [&binary, &as_text] {
            assert_eq!(
                answers_to(settings, &named(vec![("hash", &known), (name, column)])),
                expected
            );
        }
        assert_eq!(
            answers_to(settings, &named(vec![(name, &binary)])),
            expected
        );
    }
    // The hash of another transaction, and a transaction that is null.
    let mut turned = hashes.to_vec();
    turned.rotate_left(1);
    let turned: ArrayRef = Arc::new(turned.iter().map(Some).collect::<StringArray>());
    let found = answers_to(
        settings,
        &named(vec![("hash", &turned), ("rawTx", &binary)]),
    );
    assert!(found.len() == kinds.len() && found.iter().all(|answer| answer.valid().is_none()));
    let nulls: ArrayRef = Arc::new(
        encoded
            .iter()
            .map(|_| None::<&[u8]>)
            .collect::<BinaryArray>(),
    );
    let found = answers_to(settings, &named(vec![("hash", &known), ("rawTx", &nulls)]));
    assert!(
        found
            .iter()
            .zip(&hashes)
            .all(|(answer, hash)| const_hex::encode_prefixed(answer.hash) == *hash)
    );
    assert!(found.iter().all(|answer| answer.valid().is_none()));
}

pub fn tables_without_signatures(settings: &Settings) {
    let whole = columns();
    for left_out in [&["r", "s", "v"][..], &["v"], &["r"], &["s"]] {
        let columns: Columns = whole
            .iter()
            .filter(|(name, _)| !left_out.contains(&name.as_str()))
            .cloned()
            .collect();
        let message = problem_of(settings, &columns);
        assert!(
            message.contains(&format!("there is no column {}.", left_out.join(", "))),
            "{message}"
        );
        assert!(message.contains("--include-columns v r s"), "{message}");
    }
    // ethereum-etl's CSV.
    let csv = "hash,nonce,block_hash,block_number,transaction_index,from_address,to_address,value,gas,gas_price,input\n0x,0\n";
    let (_folder, path) = crate::support::file(csv.as_bytes());
    let (answers, problems) = check_with(settings, &[path], &Options::default());
    assert_eq!((answers.len(), problems.len()), (0, 1));
    assert!(
        problems[0]
            .what
            .starts_with("CSV of transactions without signatures"),
        "{problems:?}"
    );
}
