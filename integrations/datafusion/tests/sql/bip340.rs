//! BIP 340 signatures.

use crate::items::{Cell, Items, columns, engine, fixed, some};
use crate::session::{functions, query, row, session, texts, with_table};
use arrow_array::{ArrayRef, RecordBatch};
use gecc::bip340::{self, Auxiliary};
use gecc::{CurveId, call};
use gecc_arrow::{Field, Mapping, Pool, TableOperation, complete};
use gecc_datafusion::Functions;

/// The test vectors of the standard, as literals. Their messages have several lengths.
#[test]
fn the_table_of_the_standard() {
    let table = include_str!("../../../../tests/vectors/bip340_test_vectors.csv");
    let context = session(functions(), 1, 8192);
    let mut valid = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.splitn(8, ',').collect();
        let arguments = format!("'{}', x'{}', '0x{}'", cells[4], cells[5], cells[2]);
        let sql =
            format!("SELECT bip340_verify({arguments}), bip340_verify_reason({arguments}) IS NULL");
        let expected = Some((cells[6] == "TRUE").to_string());
        assert_eq!(row(&context, &sql), [expected.clone(), expected], "{line}");
        valid += usize::from(cells[6] == "TRUE");
    }
    assert_eq!((valid, table.lines().count()), (9, 20));
}

/// Messages and their signatures, a third of them corrupted, and keys in all forms.
fn items(messages: &[Vec<u8>]) -> [Vec<Cell>; 3] {
    let items = Items::random(CurveId::Secp256k1, messages.len());
    let signed =
        bip340::sign_messages(engine(), messages, &items.secrets, Auxiliary::zeros()).unwrap();
    let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
    signatures
        .iter_mut()
        .step_by(3)
        .for_each(|signature| signature[rand::random_range(0..64)] ^= 1);
    let mut keys = items.mixed_keys();
    keys.iter_mut()
        .zip(&items.points)
        .step_by(4)
        .for_each(|(key, point)| *key = point.x().to_vec());
    [some(messages), some(&signatures), some(&keys)]
}

/// Verdicts and reasons agree with those of the operation on the same columns.
fn check(arrays: [ArrayRef; 3]) {
    let names = [Field::Message, Field::Signature, Field::PublicKey].map(|field| field.to_string());
    let named = names
        .into_iter()
        .zip(arrays)
        .map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(named).unwrap();
    let (pool, verify) = (
        Pool::default(),
        TableOperation::from(call::Operation::Bip340Verify),
    );
    let mapping = complete(Mapping::new(), &batch.schema(), &verify).unwrap();
    let answers = verify.apply(engine(), &batch, &mapping, &pool).unwrap();
    let call = |ending: &str| format!("bip340_verify{ending}(message, signature, public_key)");
    let sql = format!("SELECT {}, {} FROM t", call(""), call("_reason"));
    let found = query(&with_table(batch), &sql);
    let expected: Vec<_> = (0..answers.len())
        .map(|row| answers.reason(row).map(|reason| reason.to_string()))
        .collect();
    assert_eq!(texts(found.column(1)), expected);
    for (row, (verdict, reason)) in texts(found.column(0)).into_iter().zip(expected).enumerate() {
        assert_eq!(
            verdict,
            Some(reason.is_none().to_string()),
            "row {row}: {reason:?}"
        );
    }
}

#[test]
fn every_type_gives_the_verdicts_of_the_command() {
    let of_32 = |item: usize| vec![item as u8; 32];
    let of_any_length = |item: usize| vec![item as u8; item % 70];
    for messages in [
        (0..40).map(of_32).collect::<Vec<_>>(),
        (0..40).map(of_any_length).collect(),
    ] {
        let mut cells = items(&messages);
        (cells[0][1], cells[1][2], cells[2][4]) = (None, None, None);
        (cells[1][5], cells[2][7]) = (Some(vec![7; 31]), Some(vec![7; 31]));
        let arrays: Vec<Vec<ArrayRef>> = cells.iter().map(|cells| columns(cells)).collect();
        for (which, of_field) in arrays.iter().enumerate() {
            for array in of_field {
                let mut all = [0, 1, 2].map(|field| arrays[field][0].clone());
                all[which] = array.clone();
                check(all);
            }
        }
    }
}

/// Batches of messages of 32 bytes are combined by the coalescer.
#[test]
fn messages_of_32_bytes_are_coalesced() {
    for (length, coalesced) in [(32, 100), (33, 0)] {
        let [messages, signatures, keys] = items(&vec![vec![5; length]; 100]);
        let functions = Functions::new(engine()).unwrap();
        let context = session(&functions, 1, 8192);
        let keys: Vec<Cell> = keys
            .into_iter()
            .map(|key| key.map(|key| x_of(&key)))
            .collect();
        let column = |cells: &[Cell]| fixed(cells).unwrap();
        let table = [
            ("m", column(&messages)),
            ("s", column(&signatures)),
            ("k", column(&keys)),
        ];
        context
            .register_batch("t", RecordBatch::try_from_iter(table).unwrap())
            .unwrap();
        let found = query(
            &context,
            "SELECT count(*) FROM t WHERE bip340_verify(m, s, k)",
        );
        assert_eq!(texts(found.column(0)), [Some("66".to_owned())]);
        assert_eq!(functions.stats().items, coalesced);
    }
}

/// Returns the x-coordinate of a key in any form.
fn x_of(key: &[u8]) -> Vec<u8> {
    let start = usize::from(matches!(key.len(), 33 | 65));
    key[start..start + 32].to_vec()
}
