//! The cases that all interfaces share (`tests/cases` of the library), in columns of every type.

use crate::items::{columns, fixed};
use crate::session::{query, texts, with_table};
use crate::shared_cases::{Case, SIGNATURES, groups};
use arrow_array::{ArrayRef, RecordBatch, UInt8Array};
use arrow_schema::DataType;
use gecc_arrow::Reason;
use std::sync::Arc;

fn cells(cases: &[&Case], field: fn(&Case) -> &Vec<u8>) -> Vec<Option<Vec<u8>>> {
    cases.iter().map(|case| Some(field(case).clone())).collect()
}

/// Returns columns of every type that may hold these signatures: DER has no width of its own.
fn signature_columns(cases: &[&Case]) -> Vec<ArrayRef> {
    let mut columns = columns(&cells(cases, |case| &case.signature));
    columns.retain(|column| match column.data_type() {
        DataType::FixedSizeBinary(width) => [64, 65].contains(width),
        _ => true,
    });
    columns
}

fn reasons(cases: &[&Case]) -> Vec<Option<String>> {
    let text = |code| Reason::from_code(code).expect("a code").to_string();
    cases.iter().map(|case| case.reason.map(text)).collect()
}

/// Returns the values of an expression over the columns d, s, k and v.
fn values(expression: &str, columns: &[(&str, ArrayRef)]) -> Vec<Option<String>> {
    let table = RecordBatch::try_from_iter(columns.iter().cloned()).unwrap();
    let sql = format!("SELECT {expression} FROM t");
    texts(query(&with_table(table), &sql).column(0))
}

#[test]
fn shared_signatures_have_their_verdicts() {
    for (curve, form, cases) in groups(&SIGNATURES.verify) {
        let function = |ending: &str| match (curve, form) {
            ("sm2", "auto") => format!("sm2_verify{ending}(d, s, k)"),
            ("sm2", _) => format!("sm2_verify_der{ending}(d, s, k)"),
            (_, "auto") => format!("ecdsa_verify{ending}('{curve}', d, s, k)"),
            _ => format!("ecdsa_verify_form{ending}('{curve}', '{form}', d, s, k)"),
        };
        let digests = fixed(&cells(&cases, |case| &case.digest)).expect("one width");
        let keys = columns(&cells(&cases, |case| &case.public_key)).remove(0);
        let valid: Vec<_> = cases
            .iter()
            .map(|case| Some(case.reason.is_none().to_string()))
            .collect();
        for signatures in signature_columns(&cases) {
            let columns = [
                ("d", digests.clone()),
                ("s", signatures),
                ("k", keys.clone()),
            ];
            assert_eq!(values(&function(""), &columns), valid, "{curve} {form}");
            let found = values(&function("_reason"), &columns);
            assert_eq!(found, reasons(&cases), "{curve} {form}");
        }
    }
}

#[test]
fn shared_signatures_recover_their_keys() {
    for (curve, form, cases) in groups(&SIGNATURES.recover) {
        let (with_id, without): (Vec<&Case>, Vec<&Case>) = cases
            .into_iter()
            .partition(|case| case.recovery_id.is_some());
        for cases in [with_id, without] {
            let Some(first) = cases.first() else { continue };
            let function = |ending: &str| match (form, first.recovery_id) {
                ("auto", Some(_)) => format!("ecdsa_recover{ending}('{curve}', d, s, v)"),
                ("auto", None) => format!("ecdsa_recover{ending}('{curve}', d, s)"),
                _ => format!("ecdsa_recover_form{ending}('{curve}', '{form}', d, s)"),
            };
            let digests = fixed(&cells(&cases, |case| &case.digest)).expect("one width");
            let ids: UInt8Array = cases.iter().map(|case| case.recovery_id).collect();
            let ids: ArrayRef = Arc::new(ids);
            let keys: Vec<_> = cases
                .iter()
                .map(|case| case.reason.is_none().then(|| hex(&case.public_key)))
                .collect();
            for signatures in signature_columns(&cases) {
                let columns = [
                    ("d", digests.clone()),
                    ("s", signatures),
                    ("v", ids.clone()),
                ];
                assert_eq!(values(&function(""), &columns), keys, "{curve} {form}");
                let found = values(&function("_reason"), &columns);
                assert_eq!(found, reasons(&cases), "{curve} {form}");
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
