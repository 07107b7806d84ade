//! Recovery, signing, key agreement, public keys and messages against the library's calls on
//! slices.

use crate::items::{CURVES, Cell, Items, batch, cell, columns, engine, fixed, some, verify};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt8Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Float64Array, Int8Array, Int16Array, Int32Array,
    Int64Array, RecordBatch, StringArray, StringViewArray, UInt8Array, UInt16Array, UInt32Array,
    UInt64Array,
};
use arrow_schema::DataType;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD as STANDARD, BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD};
use gecc::bip340::{self, Auxiliary};
use gecc::call::{Columns, Contents, Operation, Options};
use gecc::ecdsa::SForm;
use gecc::ed25519::{self, Rule, Variant};
use gecc::{
    Backend, CurveId, Engine, PublicKeys, Rejection, Rows, SecretKey, Signers, ecdh, ecdsa, point,
    sm2,
};
use gecc_arrow::{
    Answers, CellProblem, Error, Field, Key, KeyForm, Mapping, Pool, Reason, TableOperation,
    decode_keys_through,
};
use std::sync::{Arc, Mutex};

fn apply(operation: impl Into<TableOperation>, columns: Vec<(Field, ArrayRef)>) -> Answers {
    let ((batch, mapping), operation) = (batch(columns), operation.into());
    let answers = operation
        .apply(engine(), &batch, &mapping, &Pool::default())
        .unwrap();
    let columns = answers.to_columns().unwrap();
    assert_eq!(columns.schema(), operation.schema());
    check_reasons(&answers, &columns);
    answers
}

fn with_ids(curve: CurveId) -> TableOperation {
    Operation::EcdsaVerifyRecoverable(curve, Default::default()).into()
}

fn sign(curve: CurveId) -> TableOperation {
    Operation::sign(curve, SForm::default()).into()
}

fn recover(curve: CurveId, key_form: KeyForm) -> TableOperation {
    TableOperation {
        key_form,
        ..Operation::EcdsaRecover(curve).into()
    }
}

/// `reason` has the text of each code, and results are null where there is a reason.
fn check_reasons(answers: &Answers, columns: &RecordBatch) {
    let reasons = columns
        .column_by_name("reason")
        .unwrap()
        .as_any_dictionary();
    let texts = reasons.values().as_string::<i32>();
    for row in 0..answers.len() {
        let text = reasons
            .keys()
            .is_valid(row)
            .then(|| texts.value(reasons.normalized_keys()[row]).to_owned());
        assert_eq!(text, answers.reason(row).map(|reason| reason.to_string()));
        for (_, result) in answers.results() {
            assert_eq!(result.is_null(row), answers.reason(row).is_some());
        }
    }
}

/// The rows of a result: nothing where it is null.
fn rows(answers: &Answers, which: usize) -> Vec<Cell> {
    let column = answers.results()[which].1.as_fixed_size_binary();
    column.iter().map(|row| row.map(<[u8]>::to_vec)).collect()
}

#[test]
fn keys_and_addresses_are_recovered_from_every_form_of_v() {
    let curve = CurveId::Secp256k1;
    let items = Items::random(curve, 30);
    let signed = ecdsa::sign_recoverable(
        engine(),
        curve,
        &items.digests,
        &items.secrets,
        SForm::default(),
    );
    let signed: Vec<_> = signed.unwrap().into_iter().map(Result::unwrap).collect();
    let signatures: Vec<_> = signed.iter().map(|signed| signed.signature).collect();
    let ids: Vec<u8> = signed.iter().map(|signed| signed.recovery_id).collect();
    let addresses = ecdsa::recover_addresses(engine(), &items.digests, &signatures, &ids).unwrap();
    let addresses: Vec<Cell> = addresses
        .into_iter()
        .map(|address| Some(address.unwrap().to_vec()))
        .collect();
    let digests = fixed(&some(&items.digests)).unwrap();
    let v = |first: u64| ids.iter().map(move |id| first + u64::from(*id));
    let forms: Vec<ArrayRef> = vec![
        Arc::new(BooleanArray::from_iter(ids.iter().map(|id| Some(*id == 1)))),
        Arc::new(Int8Array::from_iter_values(v(27).map(|v| v as i8))),
        Arc::new(Int16Array::from_iter_values(v(35).map(|v| v as i16))),
        Arc::new(Int32Array::from_iter_values(
            v(35 + 2 * 11_155_111).map(|v| v as i32),
        )),
        Arc::new(Int64Array::from_iter_values(v(37).map(|v| v as i64))),
        Arc::new(UInt8Array::from_iter_values(v(0).map(|v| v as u8))),
        Arc::new(UInt16Array::from_iter_values(v(28 - 1).map(|v| v as u16))),
        Arc::new(UInt32Array::from_iter_values(
            v(35 + 2 * 137).map(|v| v as u32),
        )),
        Arc::new(UInt64Array::from_iter_values(v(
            35 + 2 * (u64::MAX / 2 - 36)
        ))),
    ];
    assert!(ids.iter().all(|id| *id < 2) && ids.contains(&0) && ids.contains(&1));
    for form in forms {
        let columns = vec![
            (Field::Digest, digests.clone()),
            (Field::Signature, fixed(&some(&signatures)).unwrap()),
            (Field::RecoveryId, form),
        ];
        let answers = apply(Operation::EcdsaRecoverAddresses, columns.clone());
        assert_eq!(rows(&answers, 0), addresses);
        for (form, width) in [
            (KeyForm::Uncompressed, 65),
            (KeyForm::Compressed, 33),
            (KeyForm::Raw, 64),
        ] {
            let answers = apply(recover(curve, form), columns.clone());
            let keys = items.points.iter().map(|point| match width {
                33 => point.to_compressed().unwrap().to_vec(),
                width => point.as_sec1()[65 - width..].to_vec(),
            });
            assert_eq!(rows(&answers, 0), keys.map(Some).collect::<Vec<_>>());
        }
    }
    // As pandas stores them if some are null, and as text.
    let others: [ArrayRef; 3] = [
        Arc::new(Float64Array::from_iter_values(v(27).map(|v| v as f64))),
        Arc::new(StringArray::from_iter_values(
            v(37).map(|v| format!("{v:#x}")),
        )),
        Arc::new(StringArray::from_iter_values(
            ids.iter().map(|id| if *id == 1 { "True" } else { "False" }),
        )),
    ];
    for form in others {
        let columns = vec![
            (Field::Digest, digests.clone()),
            (Field::Signature, fixed(&some(&signatures)).unwrap()),
            (Field::V, form),
        ];
        assert_eq!(
            rows(&apply(Operation::EcdsaRecoverAddresses, columns), 0),
            addresses
        );
    }
    // v as the last byte of the signature.
    for first in [0, 27] {
        let with_v: Vec<_> = signed
            .iter()
            .map(|s| [&s.signature[..], &[first + s.recovery_id]].concat())
            .collect();
        for column in columns(&some(&with_v)) {
            let all = vec![(Field::Digest, digests.clone()), (Field::Signature, column)];
            // A table without rows, by which a query is planned, has signatures of the same kinds.
            let none = all
                .iter()
                .map(|(field, column)| (*field, column.slice(0, 0)))
                .collect();
            assert!(apply(Operation::EcdsaRecoverAddresses, none).is_empty());
            assert_eq!(
                rows(&apply(Operation::EcdsaRecoverAddresses, all), 0),
                addresses
            );
        }
    }
}

#[test]
fn recovery_rejects_wrong_v() {
    let curve = CurveId::P256;
    let items = Items::random(curve, 4);
    let columns = vec![
        (Field::Digest, fixed(&some(&items.digests)).unwrap()),
        (Field::Signature, fixed(&some(&items.signatures)).unwrap()),
        (
            Field::RecoveryId,
            Arc::new(Int64Array::from(vec![Some(-1), Some(4), None, Some(26)])) as ArrayRef,
        ),
    ];
    let answers = apply(recover(curve, KeyForm::Raw), columns);
    let out_of_range = Rejection::RecoveryIdOutOfRange.code();
    assert_eq!(
        answers.codes(),
        [
            out_of_range,
            out_of_range,
            cell(Field::RecoveryId, CellProblem::Null),
            out_of_range
        ]
    );
    assert_eq!(
        answers
            .counts()
            .rejected()
            .map(|(_, count)| count)
            .sum::<u64>(),
        4
    );
}

/// Verdicts are those of [`Operation::EcdsaVerify`], whatever the ids are.
#[test]
fn recovery_ids_decide_no_verdict() {
    let together = Engine::builder()
        .backend(Backend::Cpu)
        .threads(1)
        .batch_verification(true)
        .build()
        .unwrap();
    let (curve, count) = (CurveId::Secp256k1, 1500);
    let mut items = Items::random(curve, count);
    let digests = items.digests.clone();
    let signed =
        ecdsa::sign_recoverable(engine(), curve, &digests, &items.secrets, SForm::Low).unwrap();
    let signed: Vec<_> = signed.into_iter().map(Result::unwrap).collect();
    items.signatures = signed.iter().map(|signed| signed.signature).collect();
    let right: Vec<Option<i64>> = signed
        .iter()
        .map(|signed| Some(signed.recovery_id.into()))
        .collect();
    for corrupted in [false, true] {
        if corrupted {
            items.corrupt();
        }
        let with = |ids: Option<Vec<Option<i64>>>| {
            let mut columns = vec![
                (Field::Digest, fixed(&some(&items.digests)).unwrap()),
                (Field::Signature, fixed(&some(&items.signatures)).unwrap()),
                (
                    Field::PublicKey,
                    columns(&some(&items.mixed_keys())).remove(0),
                ),
            ];
            columns.extend(ids.map(|ids| {
                (
                    Field::RecoveryId,
                    Arc::new(Int64Array::from(ids)) as ArrayRef,
                )
            }));
            batch(columns)
        };
        let (plain, mapping) = with(None);
        let expected = verify(curve)
            .apply(engine(), &plain, &mapping, &Pool::default())
            .unwrap();
        assert_eq!(expected.counts().passed == count as u64, !corrupted);
        let changed = |change: &dyn Fn(usize, Option<i64>) -> Option<i64>| {
            Some(
                right
                    .iter()
                    .enumerate()
                    .map(|(row, id)| change(row, *id))
                    .collect(),
            )
        };
        for ids in [
            None,
            Some(right.clone()),
            changed(&|_, id| id.map(|id| id ^ 1)),
            changed(&|row, id| if row == 700 { Some(3) } else { id }),
            changed(&|row, id| if row % 2 == 0 { None } else { id }),
            changed(&|row, _| Some(row as i64 - 9)),
            changed(&|_, _| None),
        ] {
            let (rows, mapping) = with(ids);
            let verify = with_ids(curve);
            assert_eq!(
                verify.columns(&rows.schema(), &mapping).unwrap().len(),
                rows.num_columns()
            );
            let found = verify
                .apply(&together, &rows, &mapping, &Pool::default())
                .unwrap();
            assert_eq!(found.codes(), expected.codes());
        }
    }
    let (rows, mapping) = batch(vec![(Field::Digest, fixed(&some(&items.digests)).unwrap())]);
    let refused = with_ids(CurveId::Sm2)
        .apply(engine(), &rows, &mapping, &Pool::default())
        .unwrap_err();
    assert_eq!(refused.to_string(), "there is no ECDSA on sm2");
}

#[test]
fn signatures_equal_those_of_the_library() {
    for curve in CURVES {
        let items = Items::random(curve, 30);
        let mut keys = some(
            &items
                .secrets
                .iter()
                .map(|key| *key.expose_bytes())
                .collect::<Vec<_>>(),
        );
        let mut wanted = some(&items.signatures);
        let digests = fixed(&some(&items.digests)).unwrap();
        for column in columns(&keys) {
            let columns = vec![(Field::Digest, digests.clone()), (Field::SecretKey, column)];
            let answers = apply(Operation::sign(curve, SForm::default()), columns);
            assert_eq!(rows(&answers, 0), wanted);
        }
        keys[3] = None;
        keys[4] = Some(vec![0; 32]);
        keys[5] = Some(vec![1; 31]);
        (wanted[3], wanted[4], wanted[5]) = (None, None, None);
        for column in columns(&keys) {
            let columns = vec![(Field::Digest, digests.clone()), (Field::SecretKey, column)];
            let answers = apply(Operation::sign(curve, SForm::default()), columns);
            assert_eq!(rows(&answers, 0), wanted);
            assert_eq!(
                answers.reason(4),
                Some(Reason::Rejected(Rejection::SecretKeyOutOfRange))
            );
            assert_eq!(
                answers.reason(5),
                Some(Reason::Cell(Field::SecretKey, CellProblem::WrongLength))
            );
        }
        let sign = TableOperation {
            key: Key::All(items.secrets[0].clone()),
            ..sign(curve)
        };
        let answers = apply(sign, vec![(Field::Digest, digests)]);
        assert_eq!(rows(&answers, 0)[0], Some(items.signatures[0].to_vec()));
        assert_eq!(answers.counts().passed, 30);
    }
}

#[test]
fn signatures_with_additional_data_equal_those_of_the_library() {
    for curve in CURVES {
        let items = Items::random(curve, 30);
        let data = [7; 32];
        let signers = Signers::with_additional_data(&items.secrets[0], Rows::all(&data));
        let signed = match curve {
            CurveId::Sm2 => sm2::sign(engine(), &items.digests, signers),
            curve => ecdsa::sign(
                engine(),
                curve,
                &items.digests,
                signers,
                SForm::CurveDefault,
            ),
        };
        let signed: Vec<_> = signed.unwrap().into_iter().map(Result::unwrap).collect();
        let signing = |recovery_id| {
            let key = Key::All(items.secrets[0].clone());
            let with_id = Operation::EcdsaSignRecoverable(curve, SForm::default()).into();
            TableOperation {
                key,
                options: Options {
                    additional: Some(data),
                    ..Options::default()
                },
                ..if recovery_id { with_id } else { sign(curve) }
            }
        };
        let digests = fixed(&some(&items.digests)).unwrap();
        for recovery_id in [false, curve != CurveId::Sm2] {
            let answers = apply(signing(recovery_id), vec![(Field::Digest, digests.clone())]);
            assert_eq!(rows(&answers, 0), some(&signed));
        }
    }
    let (texts, items) = ([vec![1; 5], vec![]], Items::random(CurveId::Sm2, 2));
    let data = [8; 32];
    let signers = Signers::with_additional_data(&items.secrets[1], Rows::all(&data));
    let signed = sm2::sign_messages(engine(), &texts, sm2::UserIds::default(), signers).unwrap();
    let signed: Vec<_> = signed.into_iter().map(Result::unwrap).collect();
    let key = Key::All(items.secrets[1].clone());
    let sign = TableOperation {
        key,
        options: Options {
            additional: Some(data),
            ..Options::default()
        },
        ..sign(CurveId::Sm2)
    };
    for messages in columns(&some(&texts)) {
        assert_eq!(
            rows(&apply(sign.clone(), vec![(Field::Message, messages)]), 0),
            some(&signed)
        );
    }
}

/// The keys are assigned by row number; the last rows have no key.
#[test]
fn keys_of_a_list_belong_to_rows() {
    let curve = CurveId::P256;
    let items = Items::random(curve, 40);
    let keys = Arc::new(items.secrets[..30].to_vec());
    let others: Vec<_> = items
        .points
        .iter()
        .rev()
        .map(|point| point.to_compressed().unwrap())
        .collect();
    let peers = ecdh::shared_secrets(engine(), curve, &items.secrets, &others).unwrap();
    // Encodings may be mixed.
    let mixed: Vec<Cell> = others
        .iter()
        .enumerate()
        .map(|(row, key)| match row % 3 {
            0 => Some(items.points[39 - row].as_bytes().to_vec()),
            _ => Some(key.to_vec()),
        })
        .collect();
    for (first, rows_of) in [(0, 40), (0, 30), (7, 10), (25, 15), (29, 1), (30, 10)] {
        let part = first..first + rows_of;
        let expect = |result: Vec<u8>, row: usize| (row < 30).then_some(result);
        let apply = |operation: TableOperation, column: (Field, ArrayRef)| {
            let (batch, mapping) = batch(vec![column]);
            let answers = operation
                .apply_at(engine(), first as u64, &batch, &mapping, &Pool::default())
                .unwrap();
            for row in 0..rows_of {
                assert_eq!(
                    answers.reason(row),
                    (first + row >= 30).then_some(Reason::NoKey)
                );
            }
            rows(&answers, 0)
        };
        let signing = TableOperation {
            key: Key::Each(keys.clone()),
            ..sign(curve)
        };
        let digests = fixed(&some(&items.digests[part.clone()])).unwrap();
        let wanted: Vec<Cell> = part
            .clone()
            .map(|row| expect(items.signatures[row].to_vec(), row))
            .collect();
        assert_eq!(
            apply(signing.clone(), (Field::Digest, digests.clone())),
            wanted
        );
        let der = |row: usize| expect(gecc::signature_to_der(&items.signatures[row]), row);
        let (batch, mapping) = batch(vec![(Field::Digest, digests)]);
        let sign = TableOperation {
            der: true,
            ..signing
        };
        let answers = sign
            .apply_at(engine(), first as u64, &batch, &mapping, &Pool::default())
            .unwrap();
        assert_eq!(answers.to_columns().unwrap().schema(), sign.schema());
        let found = answers.results()[0].1.as_binary::<i32>();
        let found: Vec<Cell> = found.iter().map(|cell| cell.map(<[u8]>::to_vec)).collect();
        assert_eq!(found, part.clone().map(der).collect::<Vec<_>>());
        let column = columns(&mixed[part.clone()]).remove(0);
        let secret = |row: usize| expect(peers[row].as_ref().unwrap().expose_bytes().to_vec(), row);
        let wanted: Vec<Cell> = part.map(secret).collect();
        let agree = TableOperation {
            key: Key::Each(keys.clone()),
            ..Operation::SharedSecrets(curve).into()
        };
        assert_eq!(apply(agree, (Field::PublicKey, column)), wanted);
    }
}

#[test]
fn signatures_come_with_recovery_ids() {
    let curve = CurveId::Secp256k1;
    let items = Items::random(curve, 20);
    let keys = fixed(&some(
        &items
            .secrets
            .iter()
            .map(|key| *key.expose_bytes())
            .collect::<Vec<_>>(),
    ))
    .unwrap();
    let digests = fixed(&some(&items.digests)).unwrap();
    let sign = Operation::EcdsaSignRecoverable(curve, SForm::default());
    let signed = apply(
        sign,
        vec![(Field::Digest, digests.clone()), (Field::SecretKey, keys)],
    );
    assert_eq!(signed.results()[1].1.as_primitive::<UInt8Type>().len(), 20);
    let (signatures, ids) = (signed.results()[0].1.clone(), signed.results()[1].1.clone());
    let columns = vec![
        (Field::Digest, digests),
        (Field::Signature, signatures),
        (Field::RecoveryId, ids),
    ];
    let answers = apply(recover(curve, KeyForm::Uncompressed), columns);
    assert_eq!(
        rows(&answers, 0),
        some(
            &items
                .points
                .iter()
                .map(|point| *point.as_bytes())
                .collect::<Vec<_>>()
        )
    );
}

/// A private key as SEC 1 (RFC 5915) has it, with the name of P-256 or of secp256k1.
fn sec1(key: &SecretKey, of_p256: bool) -> Vec<u8> {
    let named: &[u8] = if of_p256 {
        b"\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07"
    } else {
        b"\x06\x05\x2b\x81\x04\x00\x0a"
    };
    let named = [&[0xa0, named.len() as u8], named].concat();
    let content = [&b"\x02\x01\x01\x04\x20"[..], key.expose_bytes(), &named].concat();
    [&[0x30, content.len() as u8], &content[..]].concat()
}

fn pem(der: &[u8]) -> Vec<u8> {
    format!(
        "-----BEGIN EC PRIVATE KEY-----\n{}\n-----END EC PRIVATE KEY-----\n",
        STANDARD.encode(der)
    )
    .into_bytes()
}

#[test]
fn private_keys_of_every_form_are_read() {
    let curve = CurveId::P256;
    let items = Items::random(curve, 40);
    let digests = fixed(&some(&items.digests)).unwrap();
    let jwk = |key: &SecretKey| {
        let d = URL_SAFE_NO_PAD.encode(key.expose_bytes());
        format!(r#"{{"kty":"EC","crv":"P-256","d":"{d}"}}"#).into_bytes()
    };
    let form = |(row, key): (usize, &SecretKey)| match row % 4 {
        0 => pem(&sec1(key, true)),
        1 => jwk(key),
        2 => key.expose_bytes().to_vec(),
        _ => sec1(key, true),
    };
    let mut cells = some(
        &items
            .secrets
            .iter()
            .enumerate()
            .map(form)
            .collect::<Vec<_>>(),
    );
    // Each is rejected by itself.
    let other = &items.secrets[9];
    let unusable = [
        pem(&sec1(other, false)),
        [pem(&sec1(other, true)), pem(&sec1(other, true))].concat(),
        pem(&[0x30, 0]),
        b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n".to_vec(),
        // With the x of another public key.
        jwk(other)
            .strip_suffix(b"}")
            .unwrap()
            .iter()
            .copied()
            .chain(*br#","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#)
            .collect(),
    ];
    let count = unusable.len();
    for (row, key) in unusable.into_iter().enumerate() {
        cells[row] = Some(key);
    }
    (cells[count], cells[count + 1]) = (None, Some(vec![1; 31]));
    let signed = ecdsa::sign(
        engine(),
        curve,
        &items.digests,
        &items.secrets,
        SForm::default(),
    )
    .unwrap();
    let wanted = |row: usize| (row > count + 1).then(|| signed[row].unwrap().to_vec());
    let wanted: Vec<Cell> = (0..items.secrets.len()).map(wanted).collect();
    let text = |key: &Vec<u8>| match (key.len(), key[0]) {
        // These may begin with any byte.
        (32, _) => const_hex::encode(key),
        (_, b'-' | b'{') => String::from_utf8(key.clone()).unwrap(),
        // DER has no text form, so its text is PEM.
        _ => String::from_utf8(pem(key)).unwrap(),
    };
    let texts = cells.iter().map(|cell| cell.as_ref().map(text));
    let mut texts: Vec<Option<String>> = texts.collect();
    texts[count + 1] = Some("01".repeat(31));
    let columns: [ArrayRef; 3] = [
        Arc::new(BinaryArray::from_iter(cells.iter().map(Option::as_deref))),
        Arc::new(StringViewArray::from_iter(texts.clone())),
        Arc::new(StringArray::from(texts)),
    ];
    for column in columns {
        let answers = apply(
            sign(curve),
            vec![
                (Field::Digest, digests.clone()),
                (Field::SecretKey, column.clone()),
            ],
        );
        assert_eq!(rows(&answers, 0), wanted, "{}", column.data_type());
        assert!((0..count).all(|row| answers.reason(row) == Some(Reason::UnusableKey)));
        assert_eq!(
            answers.reason(count),
            Some(Reason::Cell(Field::SecretKey, CellProblem::Null))
        );
        assert_eq!(
            answers.reason(count + 1),
            Some(Reason::Cell(Field::SecretKey, CellProblem::WrongLength))
        );
        let public = apply(
            Operation::PublicKeys(curve),
            vec![(Field::SecretKey, column)],
        );
        let point = |row: usize| (row > count + 1).then(|| items.points[row].as_sec1().to_vec());
        assert_eq!(
            rows(&public, 0),
            (0..items.points.len()).map(point).collect::<Vec<_>>()
        );
    }
}

#[test]
fn shared_secrets_and_public_keys_equal_those_of_the_library() {
    for curve in CURVES {
        let (ours, theirs) = (Items::random(curve, 30), Items::random(curve, 30));
        let wanted = ecdh::shared_secrets(engine(), curve, &ours.secrets, &theirs.points).unwrap();
        let mut wanted: Vec<Cell> = wanted
            .iter()
            .map(|shared| Some(shared.as_ref().unwrap().expose_bytes().to_vec()))
            .collect();
        let mut keys = some(
            &ours
                .secrets
                .iter()
                .map(|key| *key.expose_bytes())
                .collect::<Vec<_>>(),
        );
        let mut peers = some(&theirs.mixed_keys());
        (keys[7], peers[8], peers[9]) = (None, None, Some(vec![5; 33]));
        (wanted[7], wanted[8], wanted[9]) = (None, None, None);
        for (keys_column, peers_column) in columns(&keys).into_iter().zip(columns(&peers)) {
            let all = vec![
                (Field::SecretKey, keys_column),
                (Field::PublicKey, peers_column),
            ];
            assert_eq!(
                rows(&apply(Operation::SharedSecrets(curve), all), 0),
                wanted
            );
        }
        let one = SecretKey::from_bytes(*ours.secrets[0].expose_bytes());
        let agree = TableOperation {
            key: Key::All(one),
            ..Operation::SharedSecrets(curve).into()
        };
        let answers = apply(agree, vec![(Field::PublicKey, columns(&peers).remove(0))]);
        assert_eq!(rows(&answers, 0)[0], wanted[0]);
        assert_eq!(answers.counts().passed, 28);
        assert_eq!(
            format!("{answers:?}"),
            "Answers { rows: 30, results: [\"shared_secret\"], .. }"
        );

        for column in columns(&keys) {
            let compressed = TableOperation {
                key_form: KeyForm::Compressed,
                ..Operation::PublicKeys(curve).into()
            };
            let answers = apply(compressed, vec![(Field::SecretKey, column)]);
            let mut wanted: Vec<Cell> = ours
                .points
                .iter()
                .map(|point| Some(point.to_compressed().unwrap().to_vec()))
                .collect();
            wanted[7] = None;
            assert_eq!(rows(&answers, 0), wanted);
        }
    }
}

#[test]
fn messages_are_hashed_as_the_library_does() {
    let messages: Vec<Vec<u8>> = (0..25)
        .map(|item| (0..item * 37).map(|_| rand::random()).collect())
        .collect();
    for curve in CURVES {
        let items = Items::random(curve, messages.len());
        let ids: Vec<String> = (0..messages.len())
            .map(|item| format!("user {item}"))
            .collect();
        let id_slices: Vec<&[u8]> = ids.iter().map(String::as_bytes).collect();
        let secrets = fixed(&some(
            &items
                .secrets
                .iter()
                .map(|key| *key.expose_bytes())
                .collect::<Vec<_>>(),
        ))
        .unwrap();
        let signed = match curve {
            CurveId::Sm2 => sm2::sign_messages(
                engine(),
                &messages,
                sm2::UserIds::each(&id_slices),
                &items.secrets,
            )
            .unwrap(),
            CurveId::Secp256k1 => ecdsa::sign_messages(
                engine(),
                gecc::Secp256k1,
                &messages,
                &items.secrets,
                SForm::default(),
            )
            .unwrap(),
            CurveId::P256 => ecdsa::sign_messages(
                engine(),
                gecc::P256,
                &messages,
                &items.secrets,
                SForm::default(),
            )
            .unwrap(),
            _ => ecdsa::sign_messages(
                engine(),
                gecc::BrainpoolP256r1,
                &messages,
                &items.secrets,
                SForm::default(),
            )
            .unwrap(),
        };
        let signed: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
        let id_column: ArrayRef = Arc::new(StringArray::from(ids.clone()));
        let mut cells = some(&messages);
        for with_null in [false, true] {
            let mut codes = vec![1; messages.len()];
            if with_null {
                cells[6] = None;
                codes[6] = cell(Field::Message, CellProblem::Null);
            }
            for column in columns(&cells) {
                let columns = vec![
                    (Field::Message, column.clone()),
                    (Field::SecretKey, secrets.clone()),
                    (Field::Id, id_column.clone()),
                ];
                let mut wanted = some(&signed);
                if with_null {
                    wanted[6] = None;
                }
                assert_eq!(
                    rows(&apply(sign(curve), columns), 0),
                    wanted,
                    "{}",
                    column.data_type()
                );
                let columns = vec![
                    (Field::Message, column),
                    (Field::Id, id_column.clone()),
                    (Field::Signature, fixed(&some(&signed)).unwrap()),
                    (
                        Field::PublicKey,
                        crate::items::columns(&some(&items.mixed_keys())).remove(4),
                    ),
                ];
                assert_eq!(apply(verify(curve), columns).codes(), codes);
            }
        }
    }
}

#[test]
fn a_null_id_is_the_default_one() {
    let items = Items::random(CurveId::Sm2, 3);
    let messages = ["a", "bc", "def"];
    let signed =
        sm2::sign_messages(engine(), &messages, sm2::UserIds::default(), &items.secrets).unwrap();
    let signed: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
    let columns = vec![
        (Field::Message, columns(&some(&messages)).remove(0)),
        (Field::Signature, fixed(&some(&signed)).unwrap()),
        (
            Field::PublicKey,
            fixed(&some(
                &items
                    .points
                    .iter()
                    .map(|p| *p.as_bytes())
                    .collect::<Vec<_>>(),
            ))
            .unwrap(),
        ),
        (
            Field::Id,
            Arc::new(StringArray::from(vec![
                None,
                Some("1234567812345678"),
                Some("other"),
            ])) as ArrayRef,
        ),
    ];
    let answers = apply(verify(CurveId::Sm2), columns);
    assert_eq!(answers.codes(), [1, 1, Rejection::Mismatch.code()]);
}

#[test]
fn unusable_columns_are_reported() {
    let text = |operation: &TableOperation, columns: Vec<(Field, ArrayRef)>| {
        let (batch, mapping) = batch(columns);
        operation
            .apply(engine(), &batch, &mapping, &Pool::default())
            .unwrap_err()
            .to_string()
    };
    let bytes = |width: i32| arrow_array::new_empty_array(&DataType::FixedSizeBinary(width));
    let (verify, of_p256) = (verify(CurveId::P256), recover(CurveId::P256, KeyForm::Raw));
    assert!(
        text(&verify, vec![(Field::R, bytes(32))]).contains("the name of `digest` or `message`")
    );
    assert!(
        text(
            &verify,
            vec![(Field::Digest, bytes(32)), (Field::R, bytes(32))]
        )
        .contains("the name of `signature` or `r` or `der`")
    );
    let both = vec![
        (Field::Digest, bytes(32)),
        (Field::Signature, bytes(64)),
        (Field::Der, bytes(70)),
    ];
    assert!(text(&verify, both).contains("more than one of"));
    let no_key = vec![(Field::Digest, bytes(32)), (Field::Signature, bytes(64))];
    assert!(text(&verify, no_key.clone()).contains("no column has the name of `public_key`"));
    let x_only = [&no_key[..], &[(Field::PublicKey, bytes(32))]].concat();
    assert!(text(&verify, x_only).contains("32 bytes is for BIP 340"));
    assert!(text(&of_p256, no_key.clone()).contains("64 bytes need a column for `recovery_id`"));
    assert!(
        text(&recover(CurveId::Sm2, KeyForm::Raw), no_key).contains("there is no ECDSA on sm2")
    );
    assert!(
        text(&verify, vec![(Field::Digest, bytes(31))])
            .contains("FixedSizeBinary(31), but `digest` is 32 bytes")
    );
    let missing = Mapping::new().with(Field::Digest, "d");
    let (batch, _) = batch(vec![(Field::R, bytes(32))]);
    let problem = verify
        .apply(engine(), &batch, &missing, &Pool::default())
        .unwrap_err();
    assert!(matches!(problem, Error::Columns(text) if text.contains("no column `d`")));
}

/// Keys in every encoding, of 32 bytes among them; messages of 32 bytes as digests and as messages,
/// and of other lengths.
#[test]
fn bip340_results_equal_those_of_the_library() {
    let curve = CurveId::Secp256k1;
    let mut items = Items::random(curve, 300);
    let texts: Vec<Vec<u8>> = (0..300).map(|item| vec![item as u8; item % 70]).collect();
    let auxiliary = [7; 32];
    let given = Auxiliary::given(Rows::all(&auxiliary));
    let signed = bip340::sign(engine(), &items.digests, &items.secrets, given).unwrap();
    let of_texts = bip340::sign_messages(engine(), &texts, &items.secrets, given).unwrap();
    let [signed, of_texts] =
        [signed, of_texts].map(|all| all.into_iter().map(Result::unwrap).collect::<Vec<_>>());
    let secrets: Vec<[u8; 32]> = items
        .secrets
        .iter()
        .map(|secret| *secret.expose_bytes())
        .collect();
    let (digests, secrets) = (
        fixed(&some(&items.digests)).unwrap(),
        fixed(&some(&secrets)).unwrap(),
    );
    let sign = TableOperation {
        options: Options {
            additional: Some(auxiliary),
            ..Options::default()
        },
        ..Operation::Bip340Sign.into()
    };
    let answers = apply(
        sign.clone(),
        vec![
            (Field::Digest, digests.clone()),
            (Field::SecretKey, secrets.clone()),
        ],
    );
    assert_eq!(rows(&answers, 0), some(&signed));
    for messages in columns(&some(&texts)) {
        let answers = apply(
            sign.clone(),
            vec![
                (Field::Message, messages),
                (Field::SecretKey, secrets.clone()),
            ],
        );
        assert_eq!(rows(&answers, 0), some(&of_texts));
    }
    items.signatures = signed;
    items.corrupt();
    let x_only: Vec<[u8; 32]> = items.points.iter().map(|point| *point.x()).collect();
    let mut mixed = items.mixed_keys();
    mixed
        .iter_mut()
        .zip(&x_only)
        .step_by(5)
        .for_each(|(key, x)| *key = x.to_vec());
    let verdicts = bip340::verify(
        engine(),
        &items.digests,
        &items.signatures,
        PublicKeys::x_only(&x_only),
    )
    .unwrap();
    let codes: Vec<u8> = verdicts.iter().map(|verdict| verdict.code()).collect();
    let mut encodings = columns(&some(&mixed));
    encodings.push(fixed(&some(&x_only)).unwrap());
    for keys in encodings {
        let digests = fixed(&some(&items.digests)).unwrap();
        let signatures = fixed(&some(&items.signatures)).unwrap();
        for field in [Field::Digest, Field::Message] {
            let columns = vec![
                (field, digests.clone()),
                (Field::Signature, signatures.clone()),
                (Field::PublicKey, keys.clone()),
            ];
            assert_eq!(
                apply(Operation::Bip340Verify, columns).codes(),
                codes,
                "{}",
                keys.data_type()
            );
        }
    }
    // A trailing byte is not taken for v and ignored: the signature has the wrong length.
    let longer: Vec<Vec<u8>> = items
        .signatures
        .iter()
        .map(|signature| [&signature[..], &[27]].concat())
        .collect();
    for signatures in columns(&some(&longer)) {
        let columns = vec![
            (Field::Digest, fixed(&some(&items.digests)).unwrap()),
            (Field::Signature, signatures),
            (Field::PublicKey, fixed(&some(&x_only)).unwrap()),
        ];
        let answers = apply(Operation::Bip340Verify, columns);
        assert!((0..300).all(|row| answers.reason(row)
            == Some(Reason::Cell(Field::Signature, CellProblem::WrongLength))));
    }
}

/// Every seed is a valid private key, and public keys have 32 bytes in every key form.
#[test]
fn ed25519_results_equal_those_of_the_library() {
    let seeds: Vec<[u8; 32]> = (0..100).map(|item| [item; 32]).collect();
    let secrets: Vec<SecretKey> = seeds
        .iter()
        .map(|seed| SecretKey::from_bytes(*seed))
        .collect();
    let public = ed25519::public_keys(engine(), &secrets).unwrap();
    let secret_keys = fixed(&some(&seeds)).unwrap();
    for key_form in [KeyForm::Uncompressed, KeyForm::Raw] {
        let operation = TableOperation {
            key_form,
            ..Operation::Ed25519PublicKeys.into()
        };
        let answers = apply(operation, vec![(Field::SecretKey, secret_keys.clone())]);
        assert_eq!(rows(&answers, 0), some(&public));
    }
    let texts: Vec<Vec<u8>> = (0..100).map(|item| vec![item as u8; item % 70]).collect();
    for variant in [
        Variant::PURE,
        Variant::context(b"of tables").unwrap(),
        Variant::prehashed(b"").unwrap(),
    ] {
        let sign = TableOperation {
            options: Options {
                variant,
                ..Options::default()
            },
            ..Operation::Ed25519Sign.into()
        };
        let signed = ed25519::sign(engine(), &texts, &secrets, variant).unwrap();
        let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
        for messages in columns(&some(&texts)) {
            let answers = apply(
                sign.clone(),
                vec![
                    (Field::Message, messages),
                    (Field::SecretKey, secret_keys.clone()),
                ],
            );
            assert_eq!(rows(&answers, 0), some(&signatures));
        }
        signatures
            .iter_mut()
            .step_by(7)
            .for_each(|signature| signature[1] ^= 1);
        // The neutral element, which one of the rules rejects as a key of small order.
        let mut keys = public.clone();
        keys[3] = [0; 32];
        keys[3][0] = 1;
        for rule in [Rule::Strict, Rule::Zip215] {
            let verify = TableOperation {
                options: Options {
                    variant,
                    ..Options::default()
                },
                ..Operation::Ed25519Verify(rule).into()
            };
            let given = PublicKeys::ed25519(&keys);
            let verdicts =
                ed25519::verify(engine(), &texts, &signatures, given, variant, rule).unwrap();
            let codes: Vec<u8> = verdicts.iter().map(|verdict| verdict.code()).collect();
            for messages in columns(&some(&texts)) {
                let columns = vec![
                    (Field::Message, messages),
                    (Field::Signature, fixed(&some(&signatures)).unwrap()),
                    (Field::PublicKey, fixed(&some(&keys)).unwrap()),
                ];
                assert_eq!(apply(verify.clone(), columns).codes(), codes);
            }
            // As SubjectPublicKeyInfo (RFC 8410), some of them.
            let begin = *b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";
            let der = |(row, key): (usize, &[u8; 32])| {
                if row % 3 == 0 {
                    key.to_vec()
                } else {
                    [&begin[..], key].concat()
                }
            };
            let der: Vec<Vec<u8>> = keys.iter().enumerate().map(der).collect();
            for keys in columns(&some(&der)) {
                let columns = vec![
                    (Field::Message, columns(&some(&texts)).remove(0)),
                    (Field::Signature, fixed(&some(&signatures)).unwrap()),
                    (Field::PublicKey, keys),
                ];
                assert_eq!(apply(verify.clone(), columns).codes(), codes);
            }
        }
    }
}

/// A trailing byte is not taken for v, and DER is not accepted.
#[test]
fn signatures_of_ed25519_have_64_bytes_and_keys_32() {
    let seed = [1; 32];
    let public = ed25519::public_keys(engine(), &[SecretKey::from_bytes(seed)]).unwrap();
    let signed = ed25519::sign(
        engine(),
        &[b""],
        &SecretKey::from_bytes(seed),
        Variant::PURE,
    )
    .unwrap();
    let signature = signed[0].unwrap();
    let signatures = [
        signature.to_vec(),
        [&signature[..], &[0]].concat(),
        [&signature[..], &[27]].concat(),
        gecc::signature_to_der(&signature),
        signature[..63].to_vec(),
    ];
    for signatures in columns(&some(&signatures)) {
        let columns = vec![
            (Field::Message, columns(&some(&[[]; 5])).remove(0)),
            (Field::Signature, signatures),
            (Field::PublicKey, fixed(&some(&[public[0]; 5])).unwrap()),
        ];
        let answers = apply(Operation::Ed25519Verify(Rule::Cofactorless), columns);
        let reasons: Vec<_> = (0..5)
            .map(|row| answers.reason(row).map(|reason| reason.to_string()))
            .collect();
        assert_eq!(reasons[0], None);
        assert_eq!(
            reasons[1..],
            vec![Some("`signature` has the wrong length".to_owned()); 4]
        );
    }
    // A byte in front makes no key of another form, in whatever column.
    let with_sign = [&[2], &public[0][..]].concat();
    for keys in [vec![with_sign.clone()], vec![public[0].to_vec(), with_sign]] {
        for column in columns(&some(&keys)) {
            let columns = vec![
                (
                    Field::Message,
                    columns(&some(&vec![[]; keys.len()])).remove(0),
                ),
                (
                    Field::Signature,
                    fixed(&some(&vec![signature; keys.len()])).unwrap(),
                ),
                (Field::PublicKey, column),
            ];
            let answers = apply(Operation::Ed25519Verify(Rule::Cofactorless), columns);
            for (row, key) in keys.iter().enumerate() {
                assert_eq!(answers.reason(row).is_none(), key.len() == 32);
            }
        }
    }
}

/// Messages are rows where all that can be read have 32 bytes.
#[test]
fn callers_may_make_the_calls_of_bip340() {
    let curve = CurveId::Secp256k1;
    let mut items = Items::random(curve, 60);
    let signed =
        bip340::sign(engine(), &items.digests, &items.secrets, Auxiliary::zeros()).unwrap();
    items.signatures = signed.into_iter().map(Result::unwrap).collect();
    items.corrupt();
    let mut keys: Vec<Vec<u8>> = items
        .points
        .iter()
        .map(|point| point.x().to_vec())
        .collect();
    keys[10] = items.points[10].as_sec1().to_vec();
    for (place, message, operation) in [
        (7, None, "rows"),
        (7, Some(vec![1; 31]), "texts"),
        (10, Some(Vec::new()), "texts"),
        (59, Some(vec![1; 32]), "rows"),
    ] {
        let mut messages = some(&items.digests);
        messages[place] = message;
        for messages in columns(&messages) {
            let (batch, mapping) = batch(vec![
                (Field::Message, messages),
                (Field::Signature, fixed(&some(&items.signatures)).unwrap()),
                (Field::PublicKey, columns(&some(&keys)).remove(0)),
            ]);
            let (engine, pool, made) = (engine(), Pool::default(), Mutex::new(Vec::new()));
            let verify = TableOperation::from(Operation::Bip340Verify);
            let answers =
                verify.apply_through(&batch, &mapping, &pool, |_, columns, _, _, codes| {
                    let (
                        mut texts,
                        Columns {
                            contents,
                            signatures,
                            public_keys,
                            ..
                        },
                    ) = (Vec::new(), *columns);
                    match contents {
                        Contents::Digests(rows) => {
                            texts.extend((0..codes.len()).map(|item| rows.get(item).as_slice()))
                        }
                        Contents::Messages { messages, .. } => texts.extend_from_slice(messages),
                    }
                    let is_rows = matches!(contents, Contents::Digests(_));
                    made.lock()
                        .unwrap()
                        .push(if is_rows { "rows" } else { "texts" });
                    bip340::verify_messages_into(engine, &texts, signatures, public_keys, codes)
                        .map_err(Error::from)
                });
            let direct = verify.apply(engine, &batch, &mapping, &pool).unwrap();
            assert_eq!(answers.unwrap().codes(), direct.codes());
            assert!(direct.codes().contains(&1) && direct.codes()[place] != 1);
            assert_eq!(*made.lock().unwrap(), [operation]);
        }
    }
}

#[test]
fn callers_may_make_the_calls() {
    let curve = CurveId::P256;
    let mut items = Items::random(curve, 30);
    items.corrupt();
    let mut keys = some(&items.mixed_keys());
    (keys[4], keys[5]) = (None, Some(vec![2; 34]));
    let (batch, mapping) = batch(vec![
        (Field::Digest, fixed(&some(&items.digests)).unwrap()),
        (Field::Signature, fixed(&some(&items.signatures)).unwrap()),
        (Field::PublicKey, columns(&keys).remove(0)),
    ]);
    let (engine, pool) = (engine(), Pool::default());
    let sizes = Mutex::new(Vec::new());
    let verify = verify(curve);
    let answers = verify.apply_through(
        &batch,
        &mapping,
        &pool,
        |operation, columns, first, second, codes| {
            sizes.lock().unwrap().push(codes.len());
            operation
                .run(engine, columns, first, second, codes)
                .map_err(Error::from)
        },
    );
    let direct = verify.apply(engine, &batch, &mapping, &pool).unwrap();
    assert_eq!(answers.unwrap().codes(), direct.codes());
    assert_eq!(*sizes.lock().unwrap(), [30]);
    let decoded = decode_keys_through(&batch, &mapping, &pool, curve, |keys, points, codes| {
        point::decode_keys_into(engine, curve, keys, points, codes).map_err(Error::from)
    });
    let (points, codes) = decoded.unwrap();
    for (row, point) in items.points.iter().enumerate() {
        match row {
            4 => assert_eq!(codes[row], cell(Field::PublicKey, CellProblem::Null)),
            5 => assert_eq!(codes[row], Rejection::MalformedPoint.code()),
            _ => assert_eq!((codes[row], &points[row][..]), (1, &point.as_bytes()[1..])),
        }
    }
    let no = |_: Operation, _: &Columns, _: &mut [u8], _: &mut [u8], _: &mut [u8]| {
        Err(Error::Options("no".to_owned()))
    };
    let refused = verify.apply_through(&batch, &mapping, &pool, no);
    assert!(matches!(refused, Err(Error::Options(text)) if text == "no"));
}

/// FIPS 186-5, section 6.4: columns of digests of SHA-1, SHA-224, SHA-384 and SHA-512, of every
/// type.
#[test]
fn digests_of_other_lengths_are_for_ecdsa() {
    let curve = CurveId::P256;
    let key = SecretKey::from_bytes([7; 32]);
    let all: Vec<u8> = (1..=64).collect();
    for length in [20, 28, 32, 48, 64] {
        let rows: Vec<Vec<u8>> = (0..5_usize)
            .map(|row| {
                all.iter()
                    .map(|byte| byte ^ row as u8)
                    .take(length)
                    .collect()
            })
            .collect();
        let digests: Vec<[u8; 32]> = rows
            .iter()
            .map(|row| {
                let (padding, taken) = (32_usize.saturating_sub(length), length.min(32));
                let mut digest = [0; 32];
                digest[padding..].copy_from_slice(&row[..taken]);
                digest
            })
            .collect();
        let expected = ecdsa::sign(engine(), curve, &digests, &key, SForm::default()).unwrap();
        let expected: Vec<Cell> = expected
            .into_iter()
            .map(|signed| Some(signed.unwrap().to_vec()))
            .collect();
        let columns: [ArrayRef; 4] = [
            Arc::new(BinaryArray::from_iter_values(&rows)),
            Arc::new(arrow_array::FixedSizeBinaryArray::try_from_iter(rows.iter()).unwrap()),
            Arc::new(StringArray::from_iter_values(
                rows.iter().map(const_hex::encode),
            )),
            Arc::new(StringArray::from_iter_values(rows.iter().map(|row| {
                row.iter()
                    .map(|byte| format!("{byte:02X}"))
                    .collect::<Vec<_>>()
                    .join(":")
            }))),
        ];
        for digests in columns {
            let sign = TableOperation {
                key: Key::All(key.clone()),
                ..sign(curve)
            };
            let answers = apply(sign, vec![(Field::Digest, digests.clone())]);
            assert_eq!(
                self::rows(&answers, 0),
                expected,
                "{length} {}",
                digests.data_type()
            );
            // SM2 and BIP 340 have 32 bytes.
            for operation in [Operation::Sm2Sign, Operation::Bip340Sign] {
                let table_operation = TableOperation {
                    key: Key::All(key.clone()),
                    ..operation.into()
                };
                let (batch, mapping) = batch(vec![(Field::Digest, digests.clone())]);
                let answers = table_operation.apply(engine(), &batch, &mapping, &Pool::default());
                let is_taken =
                    answers.is_ok_and(|answers| (0..5).all(|row| answers.reason(row).is_none()));
                assert_eq!(is_taken, length == 32, "{operation:?} {length}");
            }
        }
    }
    for length in [0, 19, 31, 33, 47, 63] {
        let digests: ArrayRef = Arc::new(BinaryArray::from_iter_values([vec![1; length]]));
        let answers = apply(
            TableOperation {
                key: Key::All(key.clone()),
                ..sign(curve)
            },
            vec![(Field::Digest, digests)],
        );
        assert_eq!(
            answers.reason(0),
            Some(Reason::Cell(Field::Digest, CellProblem::WrongLength)),
            "{length}"
        );
    }
}

/// A hash, or a setting of a mapping, that has no effect is an error, even if it equals the default.
#[test]
fn settings_without_effect_are_refused() {
    use gecc::fields::{Encoding, Hash};
    let bytes =
        |width: usize| Arc::new(BinaryArray::from_iter_values([vec![1; width]])) as ArrayRef;
    let text = Arc::new(StringArray::from_iter_values(["61"])) as ArrayRef;
    let problem_with_options = |operation: Operation,
                                options: Options,
                                column: (Field, ArrayRef),
                                change: &dyn Fn(&mut Mapping)| {
        let (batch, mut mapping) = batch(vec![column]);
        change(&mut mapping);
        let operation = TableOperation {
            key: Key::All(SecretKey::from_bytes([7; 32])),
            options,
            ..operation.into()
        };
        operation
            .apply(engine(), &batch, &mapping, &Pool::default())
            .err()
            .map(|problem| problem.to_string())
    };
    let problem =
        |operation: Operation, column: (Field, ArrayRef), change: &dyn Fn(&mut Mapping)| {
            problem_with_options(operation, Options::default(), column, change)
        };
    let problem_with_hash = |operation: Operation, column: (Field, ArrayRef), hash: Hash| {
        let options = Options {
            hash: Some(hash),
            ..Options::default()
        };
        problem_with_options(operation, options, column, &|_| ())
    };
    let ecdsa = Operation::sign(CurveId::P256, SForm::default());
    let digest = || (Field::Digest, bytes(32));
    let message = || (Field::Message, bytes(3));
    for hash in [Hash::Sha256, Hash::Keccak256] {
        assert_eq!(problem_with_hash(ecdsa, message(), hash), None);
        assert!(
            problem_with_hash(ecdsa, digest(), hash)
                .unwrap()
                .contains("is for a column `message`")
        );
        for operation in [
            Operation::Sm2Sign,
            Operation::Bip340Sign,
            Operation::Ed25519Sign,
        ] {
            assert!(
                problem_with_hash(operation, message(), hash)
                    .unwrap()
                    .contains("is for ECDSA"),
                "{operation:?}"
            );
        }
    }
    // SHA-384 is also used for nonces, so it affects digests.
    assert_eq!(problem_with_hash(ecdsa, digest(), Hash::Sha384), None);
    let as_text = |mapping: &mut Mapping| mapping.text_messages = true;
    assert_eq!(
        problem(ecdsa, (Field::Message, text.clone()), &as_text),
        None
    );
    for column in [message(), digest()] {
        assert!(
            problem(ecdsa, column, &as_text)
                .unwrap()
                .contains("--text-messages (`text_messages` in Python) has no effect")
        );
    }
    let with_id = |mapping: &mut Mapping| mapping.user_id = Some(b"alice".to_vec());
    assert_eq!(problem(Operation::Sm2Sign, message(), &with_id), None);
    assert!(
        problem(Operation::Sm2Sign, digest(), &with_id)
            .unwrap()
            .contains("--sm2-id (`user_id` in Python) has no effect")
    );
    assert!(
        problem(ecdsa, message(), &with_id)
            .unwrap()
            .contains("is for messages of SM2")
    );
    let encoded = |mapping: &mut Mapping| mapping.encodings = Encoding::Hex.into();
    assert_eq!(problem(ecdsa, (Field::Message, text), &encoded), None);
    assert!(
        problem(ecdsa, message(), &encoded)
            .unwrap()
            .contains("--encoding has no effect")
    );
}

#[test]
fn one_user_id_is_for_all_rows() {
    let keys = [
        SecretKey::from_bytes([5; 32]),
        SecretKey::from_bytes([6; 32]),
    ];
    let messages: [&[u8]; 2] = [b"one", b"two"];
    for id in [&b""[..], b"alice"] {
        let expected =
            sm2::sign_messages(engine(), &messages, sm2::UserIds::all(id), &keys).unwrap();
        let column: ArrayRef = Arc::new(BinaryArray::from_iter_values(messages));
        let (batch, mut mapping) = batch(vec![(Field::Message, column)]);
        mapping.user_id = Some(id.to_vec());
        let operation = TableOperation {
            key: Key::Each(Arc::new(keys.to_vec())),
            ..Operation::Sm2Sign.into()
        };
        let answers = operation
            .apply(engine(), &batch, &mapping, &Pool::default())
            .unwrap();
        let expected: Vec<Cell> = expected
            .into_iter()
            .map(|signed| Some(signed.unwrap().to_vec()))
            .collect();
        assert_eq!(rows(&answers, 0), expected);
    }
}
