//! Every type of column for every field, with nulls, spoiled cells and slices.

use crate::items::{CURVES, Cell, Items, batch, cell, columns, engine, fixed, some, verdicts};
use arrow_array::{Array, ArrayRef};
use gecc::{CurveId, Rejection};
use gecc_arrow::{CellProblem, Field, Pool};

const ITEMS: usize = 40;

/// A cell of the field that is null, and one of a length that it does not have; what becomes of their rows.
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
    crate::items::verify(curve).apply(engine(), &batch, &mapping, &Pool::default()).unwrap().codes().to_vec()
}

/// Tries a field's cells in every type beside other columns, whole and with broken cells.
fn try_field(curve: CurveId, field: Field, cells: &[Cell], others: &[(Field, ArrayRef)], codes: &[u8]) {
    let (mut broken, mut broken_codes) = (cells.to_vec(), codes.to_vec());
    break_cells(field, &mut broken, &mut broken_codes);
    let (mut nulls, mut null_codes) = (cells.to_vec(), codes.to_vec());
    for item in (0..cells.len()).step_by(7) {
        nulls[item] = None;
        null_codes[item] = cell(field, CellProblem::Null);
    }
    for (cells, codes) in [(cells, codes), (&broken, &broken_codes), (&nulls, &null_codes)] {
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
        items.spoil();
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
        try_field(curve, Field::Digest, &some(&items.digests), &[signature.clone(), key], &codes);
        try_field(curve, Field::PublicKey, &some(&keys), &[digest, signature], &codes);
        try_field(curve, Field::Signature, &some(&items.signatures), &others, &codes);
        let with_v: Vec<_> = items.signatures.iter().map(|signature| [&signature[..], &[27]].concat()).collect();
        try_field(curve, Field::Signature, &some(&with_v), &others, &codes);
        let r: Vec<_> = items.signatures.iter().map(|signature| &signature[..32]).collect();
        let s: Vec<_> = items.signatures.iter().map(|signature| &signature[32..]).collect();
        let beside = |field, rows: &[&[u8]]| {
            let mut all = others.to_vec();
            all.push((field, fixed(&some(rows)).unwrap()));
            all
        };
        try_field(curve, Field::R, &some(&r), &beside(Field::S, &s), &codes);
        try_field(curve, Field::S, &some(&s), &beside(Field::R, &r), &codes);
        let der: Vec<_> = items.signatures.iter().map(gecc::signature_to_der).collect();
        try_field(curve, Field::Der, &some(&der), &others, &codes);
        let with_hash_type: Vec<_> = der.iter().map(|der| [&der[..], &[0x41]].concat()).collect();
        try_field(curve, Field::Der, &some(&with_hash_type), &others, &codes);
    }
}

#[test]
fn keys_of_one_encoding_and_of_all_give_the_same() {
    let curve = CurveId::P256;
    let mut items = Items::random(curve, 20_000);
    items.spoil();
    let mut keys = items.mixed_keys();
    let few: Vec<_> = items.points.iter().map(|point| point.to_compressed().unwrap().to_vec()).collect();
    let others = [
        (Field::Digest, fixed(&some(&items.digests)).unwrap()),
        (Field::Signature, fixed(&some(&items.signatures)).unwrap()),
    ];
    let with = |column: ArrayRef| others.iter().cloned().chain([(Field::PublicKey, column)]).collect::<Vec<_>>();
    let codes = verdicts(curve, &items.digests, &items.signatures, &few);
    assert_eq!(verify(curve, with(fixed(&some(&few)).unwrap())), codes);
    for width in [64, 65] {
        let keys: Vec<_> = items.points.iter().map(|point| point.as_sec1()[65 - width..].to_vec()).collect();
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
        assert_eq!(verify(curve, with(column.clone())), codes, "{}", column.data_type());
    }
}

#[test]
fn text_that_is_not_hexadecimal_rejects_its_row() {
    let items = Items::random(CurveId::Secp256k1, 12);
    let keys = fixed(&some(&items.points.iter().map(|point| point.as_sec1().to_vec()).collect::<Vec<_>>())).unwrap();
    let signatures = fixed(&some(&items.signatures)).unwrap();
    let mut digests = some(&items.digests);
    digests[2] = Some(b"not hexadecimal at all".to_vec());
    digests[9] = Some(b"not hexadecimal, though it has just the length of 64 characters.".to_vec());
    let mut seen = 0;
    for column in columns(&digests).into_iter().filter(|column| format!("{}", column.data_type()).contains("Utf8")) {
        let codes = verify(
            CurveId::Secp256k1,
            vec![(Field::Digest, column), (Field::Signature, signatures.clone()), (Field::PublicKey, keys.clone())],
        );
        let not_hex = cell(Field::Digest, CellProblem::NotHexadecimal);
        let wanted: Vec<u8> = (0..12).map(|item| if item == 2 || item == 9 { not_hex } else { 1 }).collect();
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
        vec![(Field::Digest, key(&none)), (Field::Signature, key(&none)), (Field::PublicKey, key(&none))],
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
