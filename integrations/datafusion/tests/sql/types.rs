//! Every type that holds bytes, nulls, and unreadable cells.

use crate::items::{CURVES, Cell, Items, columns, engine, fixed, some};
use crate::session::{query, texts, with_table};
use arrow_array::{Array, ArrayRef, RecordBatch};
use gecc::{CurveId, call};
use gecc_arrow::{Field, Mapping, Pool, TableOperation, complete};

/// Returns the function for signatures of a form, `signature` or `der`.
fn function(curve: CurveId, form: Field, ending: &str) -> String {
    let of_form = if form == Field::Der { "_der" } else { "" };
    match curve {
        CurveId::Sm2 => format!("sm2_verify{of_form}{ending}(digest, {form}, public_key)"),
        curve => format!("ecdsa_verify{of_form}{ending}('{curve}', digest, {form}, public_key)"),
    }
}

/// Checks that verdicts and reasons agree with those of the operation on the same columns. Returns
/// the numbers of rows that are valid, not valid, and null.
fn check(curve: CurveId, form: Field, arrays: [ArrayRef; 3]) -> [usize; 3] {
    let fields = [Field::Digest, form, Field::PublicKey];
    let named = fields.iter().map(Field::to_string).zip(arrays.clone());
    let batch =
        RecordBatch::try_from_iter_with_nullable(named.map(|(name, array)| (name, array, true)))
            .unwrap();
    let verify = TableOperation::from(call::Operation::verify(curve, Default::default()));
    let mapping = complete(Mapping::new(), &batch.schema(), &verify).unwrap();
    let answers = verify
        .apply(engine(), &batch, &mapping, &Pool::default())
        .unwrap();
    let (verdict, reason) = (function(curve, form, ""), function(curve, form, "_reason"));
    let found = query(
        &with_table(batch),
        &format!("SELECT {verdict}, {reason} FROM t"),
    );
    let (verdicts, reasons) = (texts(found.column(0)), texts(found.column(1)));
    assert_eq!(verdicts.len(), answers.len());
    let nulls = arrays.map(|array| array.logical_nulls());
    let mut counts = [0; 3];
    for (row, (verdict, reason)) in verdicts.iter().zip(reasons).enumerate() {
        let has_null = nulls.iter().flatten().any(|nulls| nulls.is_null(row));
        let expected = answers.reason(row).map(|reason| reason.to_string());
        assert_eq!(
            *verdict,
            Some(expected.is_none().to_string()),
            "{curve}, row {row}"
        );
        assert!(!has_null || expected.is_some(), "{curve}, row {row}");
        assert_eq!(reason, expected, "{curve}, row {row}");
        counts[if has_null {
            2
        } else {
            usize::from(expected.is_some())
        }] += 1;
    }
    counts
}

#[test]
fn every_type_gives_the_verdicts_of_the_command() {
    for curve in CURVES {
        let mut items = Items::random(curve, 40);
        items.corrupt();
        let mut cells: [Vec<Cell>; 3] = [
            some(&items.digests),
            some(&items.signatures),
            some(&items.mixed_keys()),
        ];
        // Nulls alone, and together with unreadable cells.
        for (field, cells) in cells.iter_mut().enumerate() {
            cells[3 * field + 1] = None;
            cells[3 * field + 2] = Some(vec![7; 31]);
            cells[10] = if field == 0 { Some(Vec::new()) } else { None };
            cells[20 + field] = Some(b"not hexadecimal".to_vec());
        }
        let arrays: Vec<Vec<ArrayRef>> = cells.iter().map(|cells| columns(cells)).collect();
        for (which, of_field) in arrays.iter().enumerate() {
            for array in of_field {
                let mut all = [0, 1, 2].map(|field| arrays[field][0].clone());
                all[which] = array.clone();
                let [valid, other, null] = check(curve, Field::Signature, all);
                assert!(
                    valid > 10 && other > 10 && null == 4,
                    "{curve}: {valid}, {other}, {null}"
                );
            }
        }
    }
}

#[test]
fn columns_of_fixed_width_give_them_too() {
    for curve in CURVES {
        let mut items = Items::random(curve, 40);
        items.corrupt();
        let keys: Vec<[u8; 33]> = items
            .points
            .iter()
            .map(|point| point.to_compressed().unwrap())
            .collect();
        let last = |cells: Vec<Cell>| columns(&cells).pop().unwrap();
        let mut with_null = some(&items.signatures);
        with_null[5] = None;
        let arrays = [
            last(some(&items.digests)),
            last(with_null),
            last(some(&keys)),
        ];
        assert_eq!(
            check(curve, Field::Signature, arrays),
            [25, 14, 1],
            "{curve}"
        );
    }
}

#[test]
fn signatures_in_der_of_every_type() {
    for curve in CURVES {
        let mut items = Items::random(curve, 40);
        items.corrupt();
        let mut der = some(
            &items
                .signatures
                .iter()
                .map(gecc::signature_to_der)
                .collect::<Vec<_>>(),
        );
        // Bitcoin's hash type, a byte too many, a byte too few, bytes that are not DER, no bytes.
        der.iter_mut()
            .take(20)
            .flatten()
            .for_each(|der| der.push(1));
        der[21].as_mut().unwrap().extend([1, 1]);
        der[22].as_mut().unwrap().pop();
        der[24] = Some(items.signatures[24].to_vec());
        der[25] = Some(Vec::new());
        der[27] = None;
        for der in columns(&der) {
            let keys = columns(&some(&items.mixed_keys())).remove(0);
            let [valid, other, null] = check(
                curve,
                Field::Der,
                [fixed(&some(&items.digests)).unwrap(), der, keys],
            );
            assert!(
                valid > 10 && other > 10 && null == 1,
                "{curve}: {valid}, {other}, {null}"
            );
        }
    }
}
