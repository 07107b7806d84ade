//! Every type of column for every field, with nulls, corrupted cells and slices.

use crate::items::{CURVES, Cell, Items, batch, cell, columns, engine, fixed, some, verdicts};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, Int32Array, StringArray,
    StringViewArray,
};
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD as STANDARD, BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD};
use gecc::{CurveId, Rejection, Verdict};
use gecc_arrow::{CellProblem, Field, Pool};
use std::sync::Arc;

const ITEMS: usize = 40;

/// A cell of the field that is null, and one of a length that it does not have; what becomes of
/// their rows.
fn break_cells(field: Field, cells: &mut [Cell], codes: &mut [u8]) {
    cells[5] = None;
    codes[5] = cell(field, CellProblem::Null);
    cells[8] = Some(vec![1; 34]);
    codes[8] = match field {
        Field::PublicKey => Rejection::MalformedPoint.code(),
        Field::Der => Rejection::MalformedSignature.code(),
        field => cell(field, CellProblem::WrongLength),
    };
}

fn verify(curve: CurveId, columns: Vec<(Field, ArrayRef)>) -> Vec<u8> {
    let (batch, mapping) = batch(columns);
    crate::items::verify(curve)
        .apply(engine(), &batch, &mapping, &Pool::default())
        .unwrap()
        .codes()
        .to_vec()
}

/// Verifies with a field's cells in every column type: as they are, with broken cells and with
/// nulls.
fn try_field(
    curve: CurveId,
    field: Field,
    cells: &[Cell],
    others: &[(Field, ArrayRef)],
    codes: &[u8],
) {
    let (mut broken, mut broken_codes) = (cells.to_vec(), codes.to_vec());
    break_cells(field, &mut broken, &mut broken_codes);
    let (mut nulls, mut null_codes) = (cells.to_vec(), codes.to_vec());
    for item in (0..cells.len()).step_by(7) {
        nulls[item] = None;
        null_codes[item] = cell(field, CellProblem::Null);
    }
    for (cells, codes) in [
        (cells, codes),
        (&broken, &broken_codes),
        (&nulls, &null_codes),
    ] {
        for column in columns(cells) {
            let kind = column.data_type().clone();
            let mut all = others.to_vec();
            all.push((field, column));
            assert_eq!(verify(curve, all), codes, "{curve:?} {field} {kind}");
        }
    }
}

#[test]
fn every_type_holds_every_field_of_a_verification() {
    for curve in CURVES {
        let mut items = Items::random(curve, ITEMS);
        items.corrupt();
        let keys = items.mixed_keys();
        let codes = verdicts(curve, &items.digests, &items.signatures, &keys);
        assert!(codes.contains(&1) && codes.iter().any(|code| *code != 1));
        let digests = fixed(&some(&items.digests)).unwrap();
        let signatures = fixed(&some(&items.signatures)).unwrap();
        let keys_column = columns(&some(&keys)).remove(0);
        let digest = (Field::Digest, digests);
        let signature = (Field::Signature, signatures);
        let key = (Field::PublicKey, keys_column);
        let others = [digest.clone(), key.clone()];
        try_field(
            curve,
            Field::Digest,
            &some(&items.digests),
            &[signature.clone(), key],
            &codes,
        );
        try_field(
            curve,
            Field::PublicKey,
            &some(&keys),
            &[digest, signature],
            &codes,
        );
        try_field(
            curve,
            Field::Signature,
            &some(&items.signatures),
            &others,
            &codes,
        );
        let with_v: Vec<_> = items
            .signatures
            .iter()
            .map(|signature| [&signature[..], &[27]].concat())
            .collect();
        // SM2 has no v.
        let of_v = match curve {
            CurveId::Sm2 => vec![cell(Field::Signature, CellProblem::WrongLength); ITEMS],
            _ => codes.clone(),
        };
        try_field(curve, Field::Signature, &some(&with_v), &others, &of_v);
        let r: Vec<_> = items
            .signatures
            .iter()
            .map(|signature| &signature[..32])
            .collect();
        let s: Vec<_> = items
            .signatures
            .iter()
            .map(|signature| &signature[32..])
            .collect();
        let with_other_half = |field, rows: &[&[u8]]| {
            let mut all = others.to_vec();
            all.push((field, fixed(&some(rows)).unwrap()));
            all
        };
        try_field(
            curve,
            Field::R,
            &some(&r),
            &with_other_half(Field::S, &s),
            &codes,
        );
        try_field(
            curve,
            Field::S,
            &some(&s),
            &with_other_half(Field::R, &r),
            &codes,
        );
        let der: Vec<_> = items
            .signatures
            .iter()
            .map(gecc::signature_to_der)
            .collect();
        try_field(curve, Field::Der, &some(&der), &others, &codes);
        let with_hash_type: Vec<_> = der.iter().map(|der| [&der[..], &[0x41]].concat()).collect();
        let trailing = vec![cell(Field::Der, CellProblem::TrailingByte); ITEMS];
        try_field(
            curve,
            Field::Der,
            &some(&with_hash_type),
            &others,
            &trailing,
        );
    }
}

#[test]
fn keys_of_one_encoding_and_of_all_give_the_same() {
    let curve = CurveId::P256;
    let mut items = Items::random(curve, 20_000);
    items.corrupt();
    let mut keys = items.mixed_keys();
    let few: Vec<_> = items
        .points
        .iter()
        .map(|point| point.to_compressed().unwrap().to_vec())
        .collect();
    let others = [
        (Field::Digest, fixed(&some(&items.digests)).unwrap()),
        (Field::Signature, fixed(&some(&items.signatures)).unwrap()),
    ];
    let with = |column: ArrayRef| {
        others
            .iter()
            .cloned()
            .chain([(Field::PublicKey, column)])
            .collect::<Vec<_>>()
    };
    let codes = verdicts(curve, &items.digests, &items.signatures, &few);
    assert_eq!(verify(curve, with(fixed(&some(&few)).unwrap())), codes);
    for width in [64, 65] {
        let keys: Vec<_> = items
            .points
            .iter()
            .map(|point| point.as_sec1()[65 - width..].to_vec())
            .collect();
        assert_eq!(verify(curve, with(fixed(&some(&keys)).unwrap())), codes);
        assert_eq!(verify(curve, with(columns(&some(&keys)).remove(1))), codes);
    }
    // Identities, lengths that no key has, tags that no key has.
    keys[3] = vec![0];
    keys[4] = vec![];
    keys[5] = vec![0; 64];
    keys[6] = vec![4; 66];
    keys[7] = vec![9; 33];
    keys[8] = vec![2; 1000];
    let mut codes = verdicts(curve, &items.digests, &items.signatures, &keys);
    // A raw key of zeros is the identity.
    codes[5] = codes[3];
    for column in columns(&some(&keys)) {
        assert_eq!(
            verify(curve, with(column.clone())),
            codes,
            "{}",
            column.data_type()
        );
    }
}

/// A key of P-256 as SubjectPublicKeyInfo (RFC 5480) in DER and PEM, and a point as a JSON Web Key.
fn named_forms(point: &[u8], crv: &str) -> [Vec<u8>; 3] {
    let mut der = b"\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01".to_vec();
    der.extend(b"\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x03\x42\x00");
    der.extend(point);
    let base64 = STANDARD.encode(&der);
    let (first, last) = base64.split_at(64);
    let pem = format!("-----BEGIN PUBLIC KEY-----\n{first}\n{last}\n-----END PUBLIC KEY-----\n");
    let [x, y] = [&point[1..33], &point[33..]].map(|number| URL_SAFE_NO_PAD.encode(number));
    let jwk = format!(r#"{{"kty":"EC","crv":"{crv}","x":"{x}","y":"{y}"}}"#);
    [der, pem.into_bytes(), jwk.into_bytes()]
}

/// Keys in the hybrid form of X9.62, whose first byte has to be the parity of y, on request.
#[test]
fn hybrid_keys_are_read_on_request() {
    let items = Items::random(CurveId::P256, ITEMS);
    let mut hybrid: Vec<Vec<u8>> = items
        .points
        .iter()
        .map(|point| {
            let mut key = point.as_sec1().to_vec();
            key[0] = 6 + (key[64] & 1);
            key
        })
        .collect();
    hybrid[3][0] ^= 1;
    hybrid[4] = items.points[4].as_sec1().to_vec();
    let malformed = Rejection::MalformedPoint.code();
    let mut expected = vec![Verdict::VALID_CODE; ITEMS];
    expected[3] = malformed;
    let mut without = vec![malformed; ITEMS];
    without[4] = Verdict::VALID_CODE;
    for column in columns(&some(&hybrid)) {
        let kind = column.data_type().clone();
        let (batch, mut mapping) = batch(vec![
            (Field::Digest, fixed(&some(&items.digests)).unwrap()),
            (Field::Signature, fixed(&some(&items.signatures)).unwrap()),
            (Field::PublicKey, column),
        ]);
        for (asked, expected) in [(false, &without), (true, &expected)] {
            mapping.hybrid_keys = asked;
            let found = crate::items::verify(CurveId::P256)
                .apply(engine(), &batch, &mapping, &Pool::default())
                .unwrap();
            assert_eq!(found.codes(), expected, "{kind:?} {asked}");
        }
    }
}

#[test]
fn keys_that_name_their_curve_are_read() {
    let mut items = Items::random(CurveId::P256, 20_000);
    items.corrupt();
    let points: Vec<_> = items
        .points
        .iter()
        .map(|point| point.as_sec1().to_vec())
        .collect();
    let mut codes = verdicts(CurveId::P256, &items.digests, &items.signatures, &points);
    let form = |(row, point): (usize, &Vec<u8>)| match row % 4 {
        3 => point.clone(),
        form => named_forms(point, "P-256")[form].clone(),
    };
    let mut bytes = some(&points.iter().enumerate().map(form).collect::<Vec<_>>());
    // A key that cannot be parsed rejects only its own row.
    let [_, _, of_other] = named_forms(&points[6], "secp256k1");
    for (row, key) in [
        (5, b"-----BEGIN PUBLIC KEY-----".to_vec()),
        (6, of_other),
        (7, vec![0x30; 90]),
    ] {
        (bytes[row], codes[row]) = (Some(key), Rejection::MalformedPoint.code());
    }
    (bytes[8], codes[8]) = (None, cell(Field::PublicKey, CellProblem::Null));
    let text = |key: &Vec<u8>| match key[0] {
        b'-' | b'{' => String::from_utf8(key.clone()).unwrap(),
        _ => const_hex::encode(key),
    };
    let texts: Vec<Option<String>> = bytes.iter().map(|key| key.as_ref().map(text)).collect();
    let rows = Int32Array::from_iter_values(0..bytes.len() as i32);
    let slices = || bytes.iter().map(Option::as_deref);
    let columns: [ArrayRef; 6] = [
        Arc::new(BinaryArray::from_iter(slices())),
        Arc::new(BinaryViewArray::from_iter(slices())),
        Arc::new(StringArray::from(texts.clone())),
        Arc::new(StringViewArray::from_iter(texts.clone())),
        Arc::new(DictionaryArray::new(
            rows.clone(),
            Arc::new(StringArray::from(texts)),
        )),
        Arc::new(DictionaryArray::new(
            rows,
            Arc::new(BinaryArray::from_iter(slices())),
        )),
    ];
    let digests = (Field::Digest, fixed(&some(&items.digests)).unwrap());
    let signatures = (Field::Signature, fixed(&some(&items.signatures)).unwrap());
    for column in columns {
        let kind = column.data_type().clone();
        let found = verify(
            CurveId::P256,
            vec![
                digests.clone(),
                signatures.clone(),
                (Field::PublicKey, column),
            ],
        );
        assert!(
            found == codes,
            "{kind}: {:?}",
            found
                .iter()
                .zip(&codes)
                .position(|(one, other)| one != other)
        );
    }
}

/// Most columns of SubjectPublicKeyInfo have one width.
#[test]
fn der_of_one_width_is_read() {
    let mut items = Items::random(CurveId::P256, 300);
    items.corrupt();
    let points: Vec<_> = items
        .points
        .iter()
        .map(|point| point.as_sec1().to_vec())
        .collect();
    let codes = verdicts(CurveId::P256, &items.digests, &items.signatures, &points);
    let der: Vec<_> = points
        .iter()
        .map(|point| named_forms(point, "P-256")[0].clone())
        .collect();
    let [digests, signatures] = [
        fixed(&some(&items.digests)),
        fixed(&some(&items.signatures)),
    ]
    .map(Option::unwrap);
    for column in columns(&some(&der)) {
        let kind = column.data_type().clone();
        let found = [
            (Field::Digest, digests.clone()),
            (Field::Signature, signatures.clone()),
            (Field::PublicKey, column),
        ];
        assert_eq!(verify(CurveId::P256, found.to_vec()), codes, "{kind}");
    }
}

/// A JSON Web Key of secp256k1 has as many characters as the digits of a point.
#[test]
fn texts_of_keys_are_no_digits_whatever_their_length() {
    let items = Items::random(CurveId::Secp256k1, 9);
    let [digests, signatures] = [
        fixed(&some(&items.digests)),
        fixed(&some(&items.signatures)),
    ]
    .map(Option::unwrap);
    let jwk = |point: &gecc::Point| {
        String::from_utf8(named_forms(point.as_sec1(), "secp256k1")[2].clone()).unwrap()
    };
    let mut keys: Vec<String> = items.points.iter().map(jwk).collect();
    assert!(keys.iter().all(|key| key.len() == 130));
    let codes = |keys: &[String]| {
        let keys: ArrayRef = Arc::new(StringArray::from(keys.to_vec()));
        let columns = [
            (Field::Digest, digests.clone()),
            (Field::Signature, signatures.clone()),
        ];
        verify(
            CurveId::Secp256k1,
            columns
                .into_iter()
                .chain([(Field::PublicKey, keys)])
                .collect(),
        )
    };
    assert_eq!(codes(&keys), [1; 9]);
    keys[1] = "-".repeat(130);
    keys[2] = format!("-----BEGIN {}", "A".repeat(20_000));
    let not_hex = cell(Field::PublicKey, CellProblem::NotHexadecimal);
    assert_eq!(codes(&keys), [1, not_hex, not_hex, 1, 1, 1, 1, 1, 1]);
}

#[test]
fn text_that_is_not_hexadecimal_rejects_its_row() {
    let items = Items::random(CurveId::Secp256k1, 12);
    let keys = fixed(&some(
        &items
            .points
            .iter()
            .map(|point| point.as_sec1().to_vec())
            .collect::<Vec<_>>(),
    ))
    .unwrap();
    let signatures = fixed(&some(&items.signatures)).unwrap();
    let mut digests = some(&items.digests);
    digests[2] = Some(b"not hexadecimal at all".to_vec());
    digests[9] = Some(b"not hexadecimal, though it has just the length of 64 characters.".to_vec());
    let mut seen = 0;
    for column in columns(&digests)
        .into_iter()
        .filter(|column| format!("{}", column.data_type()).contains("Utf8"))
    {
        let codes = verify(
            CurveId::Secp256k1,
            vec![
                (Field::Digest, column),
                (Field::Signature, signatures.clone()),
                (Field::PublicKey, keys.clone()),
            ],
        );
        let not_hex = cell(Field::Digest, CellProblem::NotHexadecimal);
        let wanted: Vec<u8> = (0..12)
            .map(|item| if item == 2 || item == 9 { not_hex } else { 1 })
            .collect();
        assert_eq!(codes, wanted);
        seen += 1;
    }
    assert_eq!(seen, 4);
}

#[test]
fn the_first_problem_of_a_row_counts() {
    let items = Items::random(CurveId::Secp256k1, 3);
    let none: Vec<Cell> = vec![None; 3];
    let key = |cells: &[Cell]| columns(cells).remove(2);
    let codes = verify(
        CurveId::Secp256k1,
        vec![
            (Field::Digest, key(&none)),
            (Field::Signature, key(&none)),
            (Field::PublicKey, key(&none)),
        ],
    );
    assert_eq!(codes, [cell(Field::Digest, CellProblem::Null); 3]);
    let codes = verify(
        CurveId::Secp256k1,
        vec![
            (Field::Digest, key(&some(&items.digests))),
            (Field::Signature, key(&none)),
            (Field::PublicKey, key(&none)),
        ],
    );
    assert_eq!(codes, [cell(Field::Signature, CellProblem::Null); 3]);
}
