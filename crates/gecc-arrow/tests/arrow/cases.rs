//! The cases that all interfaces share (`tests/cases` of the library), in columns of every type.

use crate::items::{batch, columns, engine, fixed};
use crate::shared_cases::{Case, SIGNATURES, groups};
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, Int64Array};
use arrow_schema::DataType;
use gecc::call::Operation;
use gecc::ecdsa::{Policy, SForm};
use gecc::{CurveId, Verdict};
use gecc_arrow::{Answers, Field, KeyForm, Pool, TableOperation};
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

fn apply(operation: Operation, form: &str, columns: Vec<(Field, ArrayRef)>) -> Answers {
    let (batch, mut mapping) = batch(columns);
    mapping.signature_form = form.parse().expect("the name of a form");
    let operation = TableOperation {
        key_form: KeyForm::Uncompressed,
        ..operation.into()
    };
    let answers = operation.apply(engine(), &batch, &mapping, &Pool::default());
    answers.expect("columns that can be read")
}

fn require_codes(answers: &Answers, cases: &[&Case]) {
    for (case, code) in cases.iter().zip(answers.codes()) {
        let expected = case.reason.unwrap_or(Verdict::VALID_CODE);
        assert_eq!(*code, expected, "{}, {}", case.curve, case.name);
    }
}

/// Requires the results of the cases that are not rejected.
fn require_results(answers: &Answers, cases: &[&Case], field: fn(&Case) -> &Vec<u8>) {
    let found = answers.results()[0].1.as_fixed_size_binary();
    for (row, case) in cases.iter().enumerate() {
        if case.reason.is_none() {
            assert_eq!(
                found.value(row),
                field(case),
                "{}, {}",
                case.curve,
                case.name
            );
        }
    }
}

#[test]
fn shared_signatures_have_their_verdicts() {
    for (curve, form, cases) in groups(&SIGNATURES.verify) {
        let curve: CurveId = curve.parse().expect("the name of a curve");
        let digests = fixed(&cells(&cases, |case| &case.digest)).expect("one width");
        let keys = columns(&cells(&cases, |case| &case.public_key)).remove(0);
        for signatures in signature_columns(&cases) {
            let columns = vec![
                (Field::Digest, digests.clone()),
                (Field::Signature, signatures),
                (Field::PublicKey, keys.clone()),
            ];
            let verify = Operation::verify(curve, Policy::default());
            require_codes(&apply(verify, form, columns.clone()), &cases);
            if curve != CurveId::Sm2 {
                let verify = Operation::EcdsaVerifyRecoverable(curve, Policy::default());
                require_codes(&apply(verify, form, columns), &cases);
            }
        }
    }
}

#[test]
fn shared_signatures_recover_their_keys() {
    for (curve, form, cases) in groups(&SIGNATURES.recover) {
        let curve: CurveId = curve.parse().expect("the name of a curve");
        let (with_id, without): (Vec<&Case>, Vec<&Case>) = cases
            .into_iter()
            .partition(|case| case.recovery_id.is_some());
        for cases in [with_id, without] {
            if cases.is_empty() {
                continue;
            }
            let digests = fixed(&cells(&cases, |case| &case.digest)).expect("one width");
            let ids = cases.iter().map(|case| case.recovery_id.map(i64::from));
            let ids: ArrayRef = Arc::new(ids.collect::<Int64Array>());
            for signatures in signature_columns(&cases) {
                let mut columns = vec![
                    (Field::Digest, digests.clone()),
                    (Field::Signature, signatures),
                ];
                if cases[0].recovery_id.is_some() {
                    columns.push((Field::RecoveryId, ids.clone()));
                }
                let answers = apply(Operation::EcdsaRecover(curve), form, columns);
                require_codes(&answers, &cases);
                require_results(&answers, &cases, |case| &case.public_key);
            }
        }
    }
}

#[test]
fn shared_keys_sign_as_stated() {
    for (curve, _, cases) in groups(&SIGNATURES.sign) {
        let curve: CurveId = curve.parse().expect("the name of a curve");
        let sign = match curve {
            CurveId::Sm2 => Operation::Sm2Sign,
            curve => Operation::EcdsaSign(curve, SForm::default()),
        };
        let digests = fixed(&cells(&cases, |case| &case.digest)).expect("one width");
        for keys in columns(&cells(&cases, |case| &case.secret_key)) {
            let columns = vec![(Field::Digest, digests.clone()), (Field::SecretKey, keys)];
            let answers = apply(sign, "auto", columns);
            require_codes(&answers, &cases);
            require_results(&answers, &cases, |case| &case.signature);
        }
    }
}
