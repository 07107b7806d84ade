//! Forms of signatures in columns of every type: what each takes, what none takes, and columns that
//! have to agree.

use crate::items::{Cell, Items, batch, cell, columns, engine, fixed, some};
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, BinaryArray, Int64Array, StringArray};
use gecc::call::Operation;
use gecc::ecdsa::SForm;
use gecc::fields::SignatureForm;
use gecc::{CurveId, Rejection, Verdict, ecdsa, signature_to_der};
use gecc_arrow::{Answers, CellProblem, Error, Field, KeyForm, Pool, TableOperation};
use std::sync::Arc;

const CURVE: CurveId = CurveId::Secp256k1;
const VALID: u8 = Verdict::VALID_CODE;

fn apply(
    operation: Operation,
    form: SignatureForm,
    columns: Vec<(Field, ArrayRef)>,
) -> Result<Answers, Error> {
    let (batch, mut mapping) = batch(columns);
    mapping.signature_form = form;
    let operation = TableOperation {
        key_form: KeyForm::Raw,
        ..operation.into()
    };
    operation.apply(engine(), &batch, &mapping, &Pool::default())
}

fn codes(operation: Operation, form: SignatureForm, columns: Vec<(Field, ArrayRef)>) -> Vec<u8> {
    apply(operation, form, columns).unwrap().codes().to_vec()
}

/// Items, and a recovery id for each signature.
struct Signed {
    items: Items,
    ids: Vec<u8>,
}

impl Signed {
    fn new(count: usize) -> Self {
        let mut items = Items::random(CURVE, count);
        let signed =
            ecdsa::sign_recoverable(engine(), CURVE, &items.digests, &items.secrets, SForm::Low)
                .unwrap();
        let signed: Vec<_> = signed.into_iter().map(Result::unwrap).collect();
        items.signatures = signed.iter().map(|signed| signed.signature).collect();
        Signed {
            items,
            ids: signed.iter().map(|signed| signed.recovery_id).collect(),
        }
    }

    fn digests(&self) -> (Field, ArrayRef) {
        (Field::Digest, fixed(&some(&self.items.digests)).unwrap())
    }

    fn keys(&self) -> (Field, ArrayRef) {
        let keys: Vec<_> = self
            .items
            .points
            .iter()
            .map(|point| point.to_compressed().unwrap())
            .collect();
        (Field::PublicKey, fixed(&some(&keys)).unwrap())
    }

    fn each(&self, bytes: impl Fn(&[u8; 64], u8) -> Vec<u8>) -> Vec<Vec<u8>> {
        self.items
            .signatures
            .iter()
            .zip(&self.ids)
            .map(|(signature, id)| bytes(signature, *id))
            .collect()
    }

    /// Fails unless every key is recovered.
    fn assert_recovered(&self, form: SignatureForm, columns: Vec<(Field, ArrayRef)>) {
        let answers = apply(Operation::EcdsaRecover(CURVE), form, columns).unwrap();
        let found = answers.results()[0].1.as_fixed_size_binary();
        let expected: Vec<Cell> = self
            .items
            .points
            .iter()
            .map(|point| Some(point.as_bytes()[1..].to_vec()))
            .collect();
        assert_eq!(
            found
                .iter()
                .map(|row| row.map(<[u8]>::to_vec))
                .collect::<Vec<_>>(),
            expected
        );
    }
}

fn numbers(ids: impl IntoIterator<Item = Option<i64>>) -> ArrayRef {
    Arc::new(ids.into_iter().collect::<Int64Array>())
}

#[test]
fn header_first_is_read_by_its_name_and_rejected_without() {
    let signed = Signed::new(160);
    let header_first: Vec<Vec<u8>> = signed
        .each(|signature, id| [&[id], &signature[..]].concat())
        .into_iter()
        .enumerate()
        .map(|(row, mut bytes)| {
            bytes[0] += [27, 31, 35, 39][row % 4];
            bytes
        })
        .collect();
    let fits_both = |bytes: &[u8]| matches!(bytes[64], 0..=3 | 27..=30);
    let plain: Vec<usize> = (0..160)
        .filter(|row| !fits_both(&header_first[*row]))
        .collect();
    assert!(plain.len() > 100);
    for column in columns(&some(&header_first)) {
        let kind = column.data_type().clone();
        let of = |column: ArrayRef| vec![signed.digests(), (Field::Signature, column)];
        signed.assert_recovered(SignatureForm::HeaderFirst, of(column.clone()));
        let mut keyed = of(column);
        keyed.push(signed.keys());
        let verify = Operation::verify(CURVE, Default::default());
        assert_eq!(
            codes(verify, SignatureForm::HeaderFirst, keyed.clone()),
            vec![VALID; 160],
            "{kind}"
        );
        let found = codes(verify, SignatureForm::Auto, keyed);
        let looks = cell(Field::Signature, CellProblem::LooksHeaderFirst);
        assert!(
            plain.iter().all(|row| found[*row] == looks) && found.iter().all(|code| *code != VALID),
            "{kind}"
        );
    }
    // No key is recovered of a row that can be read both ways where the others are header-first.
    let mut mixed = header_first.clone();
    mixed[7][64] = 27;
    for column in columns(&some(&mixed)) {
        let problem = apply(
            Operation::EcdsaRecover(CURVE),
            SignatureForm::Auto,
            vec![signed.digests(), (Field::Signature, column)],
        );
        let problem = problem.expect_err("an error").to_string();
        assert!(
            problem.contains("look header-first") && problem.contains("signature_form="),
            "{problem}"
        );
    }
    // If no signature is ambiguous, each row has its own reason.
    let rows: Vec<Vec<u8>> = plain.iter().map(|row| header_first[*row].clone()).collect();
    let digests: Vec<[u8; 32]> = plain.iter().map(|row| signed.items.digests[*row]).collect();
    let columns = vec![
        (Field::Digest, fixed(&some(&digests)).unwrap()),
        (Field::Signature, fixed(&some(&rows)).unwrap()),
    ];
    let found = codes(Operation::EcdsaRecover(CURVE), SignatureForm::Auto, columns);
    assert!(
        found
            .iter()
            .all(|code| *code == cell(Field::Signature, CellProblem::LooksHeaderFirst))
    );
}

#[test]
fn parity_in_s_is_the_id_of_r_s_v() {
    let signed = Signed::new(40);
    assert!(signed.ids.contains(&0) && signed.ids.contains(&1));
    let compact = signed.each(|signature, id| {
        let mut bytes = signature.to_vec();
        bytes[32] |= id << 7;
        bytes
    });
    let [r, vs] = [0, 32].map(|start| {
        compact
            .iter()
            .map(|bytes| bytes[start..start + 32].to_vec())
            .collect::<Vec<_>>()
    });
    let s = signed.each(|signature, _| signature[32..].to_vec());
    for column in columns(&some(&compact)) {
        signed.assert_recovered(
            SignatureForm::Eip2098,
            vec![signed.digests(), (Field::Signature, column.clone())],
        );
        let keyed = vec![signed.digests(), (Field::Signature, column), signed.keys()];
        assert_eq!(
            codes(
                Operation::verify(CURVE, Default::default()),
                SignatureForm::Eip2098,
                keyed
            ),
            vec![VALID; 40]
        );
    }
    for column in columns(&some(&vs)) {
        let parts = || {
            vec![
                signed.digests(),
                (Field::R, fixed(&some(&r)).unwrap()),
                (Field::YParityAndS, column.clone()),
            ]
        };
        signed.assert_recovered(SignatureForm::Auto, parts());
        let mut keyed = parts();
        keyed.push(signed.keys());
        assert_eq!(
            codes(
                Operation::verify(CURVE, Default::default()),
                SignatureForm::Auto,
                keyed
            ),
            vec![VALID; 40]
        );
        // Next to s and v, which agree, or not.
        let mut whole = parts();
        whole.push((Field::S, fixed(&some(&s)).unwrap()));
        whole.push((
            Field::V,
            numbers(signed.ids.iter().map(|id| Some(27 + i64::from(*id)))),
        ));
        signed.assert_recovered(SignatureForm::Auto, whole.clone());
        let mut others = s.clone();
        others[5][31] ^= 1;
        whole[3].1 = fixed(&some(&others)).unwrap();
        let mut expected = vec![VALID; 40];
        expected[5] = cell(Field::S, CellProblem::DiffersFromSignature);
        assert_eq!(
            codes(Operation::EcdsaRecover(CURVE), SignatureForm::Auto, whole),
            expected
        );
    }
}

#[test]
fn columns_for_the_same_id_agree_row_by_row() {
    let signed = Signed::new(8);
    let right = |first: i64| {
        signed
            .ids
            .iter()
            .map(move |id| Some(first + i64::from(*id)))
    };
    let wrong = |first: i64, row: usize| {
        right(first)
            .enumerate()
            .map(move |(other, id)| id.map(|id| if other == row { 2 * first + 1 - id } else { id }))
    };
    let rsv = signed.each(|signature, id| [&signature[..], &[27 + id]].concat());
    let rs = signed.each(|signature, _| signature.to_vec());
    for column in columns(&some(&rsv)) {
        let signature = || vec![signed.digests(), (Field::Signature, column.clone())];
        let mut agreeing = signature();
        agreeing.push((Field::V, numbers(right(37))));
        agreeing.push((
            Field::RecoveryId,
            numbers(
                right(0)
                    .enumerate()
                    .map(|(row, id)| id.filter(|_| row != 3)),
            ),
        ));
        agreeing.push((Field::YParity, numbers(right(0))));
        signed.assert_recovered(SignatureForm::Auto, agreeing);
        let mut contradicting = signature();
        contradicting.push((Field::RecoveryId, numbers(wrong(0, 1))));
        contradicting.push((Field::V, numbers(wrong(27, 2))));
        contradicting.push((Field::YParity, numbers(wrong(0, 4))));
        let mut expected = vec![VALID; 8];
        expected[1] = cell(Field::RecoveryId, CellProblem::DiffersFromSignature);
        expected[2] = cell(Field::V, CellProblem::DiffersFromSignature);
        expected[4] = cell(Field::YParity, CellProblem::DiffersFromSignature);
        assert_eq!(
            codes(
                Operation::EcdsaRecover(CURVE),
                SignatureForm::Auto,
                contradicting.clone()
            ),
            expected
        );
        contradicting.push(signed.keys());
        for operation in [
            Operation::EcdsaVerify(CURVE, Default::default()),
            Operation::EcdsaVerifyRecoverable(CURVE, Default::default()),
        ] {
            // Verification needs no id: a given one is only a hint.
            assert_eq!(
                codes(operation, SignatureForm::Auto, contradicting.clone()),
                [VALID; 8]
            );
        }
    }
    let alone = vec![
        signed.digests(),
        (Field::Signature, fixed(&some(&rs)).unwrap()),
        (
            Field::RecoveryId,
            numbers(
                right(0)
                    .enumerate()
                    .map(|(row, id)| id.filter(|_| row != 6)),
            ),
        ),
        (Field::V, numbers(wrong(27, 2))),
        (Field::YParity, numbers(wrong(0, 6))),
    ];
    let mut expected = vec![VALID; 8];
    expected[2] = cell(Field::V, CellProblem::DiffersFromRecoveryId);
    expected[6] = cell(Field::YParity, CellProblem::DiffersFromV);
    assert_eq!(
        codes(Operation::EcdsaRecover(CURVE), SignatureForm::Auto, alone),
        expected
    );
}

#[test]
fn der_has_no_trailing_bytes_unless_a_hash_type_is_requested() {
    let signed = Signed::new(5);
    let trailing_bytes: [&[u8]; 5] = [&[], &[1], &[0xc3], &[0], &[1, 1]];
    let der: Vec<Vec<u8>> = signed
        .items
        .signatures
        .iter()
        .zip(trailing_bytes)
        .map(|(signature, trailing)| [&signature_to_der(signature)[..], trailing].concat())
        .collect();
    let malformed = Rejection::MalformedSignature.code();
    for field in [Field::Signature, Field::Der] {
        let trailing = cell(field, CellProblem::TrailingByte);
        for column in columns(&some(&der)) {
            let all = || vec![signed.digests(), (field, column.clone()), signed.keys()];
            let verify = Operation::verify(CURVE, Default::default());
            let plain = codes(verify, SignatureForm::Auto, all());
            assert_eq!(plain, [VALID, trailing, trailing, malformed, malformed]);
            let with_hash_type = codes(verify, SignatureForm::DerHashType, all());
            assert_eq!(with_hash_type, [VALID, VALID, VALID, malformed, malformed]);
        }
    }
    let p256 = Operation::verify(CurveId::P256, Default::default());
    let column = columns(&some(&der)).remove(0);
    let all = vec![signed.digests(), (Field::Der, column), signed.keys()];
    let problem = apply(p256, SignatureForm::DerHashType, all)
        .expect_err("an error")
        .to_string();
    assert!(problem.contains("on secp256k1"), "{problem}");
}

/// Numbers of 26 and 32 bytes give DER of 64 bytes.
#[test]
fn der_of_the_length_of_numbers_is_not_guessed() {
    let signed = Signed::new(2);
    let mut short = [0x11; 64];
    short[..6].fill(0);
    let der = signature_to_der(&short);
    assert_eq!(der.len(), 64);
    let rows = [signed.items.signatures[0].to_vec(), der];
    let column: ArrayRef = Arc::new(BinaryArray::from_iter_values(&rows));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(
        rows.iter().map(const_hex::encode),
    ));
    for column in [column, texts] {
        let all = || {
            vec![
                signed.digests(),
                (Field::Signature, column.clone()),
                signed.keys(),
            ]
        };
        let verify = Operation::verify(CURVE, Default::default());
        let ambiguous = cell(Field::Signature, CellProblem::Ambiguous);
        assert_eq!(
            codes(verify, SignatureForm::Auto, all()),
            [VALID, ambiguous]
        );
        assert_eq!(
            codes(verify, SignatureForm::Rs, all()),
            [VALID, Rejection::Mismatch.code()]
        );
    }
}

fn decimal(number: &[u8]) -> String {
    let mut digits = Vec::new();
    for byte in number {
        let mut carry = u32::from(*byte);
        for digit in &mut digits {
            let value = 256 * *digit + carry;
            (*digit, carry) = (value % 10, value / 10);
        }
        while carry > 0 {
            digits.push(carry % 10);
            carry /= 10;
        }
    }
    digits.iter().rev().map(u32::to_string).collect()
}

#[test]
fn numbers_may_have_a_sign_byte_or_be_decimal() {
    let signed = Signed::new(40);
    let parts =
        [0, 32].map(|start| signed.each(|signature, _| signature[start..start + 32].to_vec()));
    let with_sign = parts.clone().map(|numbers| {
        let number = |number: &Vec<u8>| {
            if number[0] & 0x80 != 0 {
                [&[0], &number[..]].concat()
            } else {
                number.clone()
            }
        };
        numbers.iter().map(number).collect::<Vec<_>>()
    });
    assert!(with_sign[0].iter().any(|number| number.len() == 33));
    let ids = || {
        (
            Field::V,
            numbers(signed.ids.iter().map(|id| Some(i64::from(*id)))),
        )
    };
    for (r, s) in columns(&some(&with_sign[0]))
        .into_iter()
        .zip(columns(&some(&with_sign[1])))
    {
        signed.assert_recovered(
            SignatureForm::Auto,
            vec![signed.digests(), (Field::R, r), (Field::S, s), ids()],
        );
    }
    let decimal = parts.map(|numbers| {
        let texts = numbers.iter().map(|number| decimal(number));
        Arc::new(StringArray::from_iter_values(texts)) as ArrayRef
    });
    let [r, s] = decimal;
    let (batch, mut mapping) = batch(vec![signed.digests(), (Field::R, r), (Field::S, s), ids()]);
    mapping.decimal = true;
    let operation = TableOperation {
        key_form: KeyForm::Raw,
        ..Operation::EcdsaRecover(CURVE).into()
    };
    let answers = operation
        .apply(engine(), &batch, &mapping, &Pool::default())
        .unwrap();
    assert_eq!(answers.codes(), vec![VALID; 40]);
}
