//! Recovered keys, and addresses.

use crate::items::{Items, columns, engine, fixed, some};
use crate::session::{functions, query, row, session, texts, with_table};
use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, UInt8Array};
use gecc::{CurveId, SecretKeys, ecdsa};
use std::sync::Arc;

fn hex(bytes: &[u8]) -> Option<String> {
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[test]
fn keys_and_addresses_are_those_of_the_library() {
    let items = Items::random(CurveId::Secp256k1, 50);
    let secrets = SecretKeys::from(&items.secrets);
    let signed = ecdsa::sign_recoverable(
        engine(),
        gecc::Secp256k1,
        &items.digests,
        secrets,
        Default::default(),
    );
    let signed: Vec<_> = signed.unwrap().into_iter().map(Result::unwrap).collect();
    let signatures: Vec<[u8; 64]> = signed.iter().map(|signed| signed.signature).collect();
    let ids: Vec<u8> = signed.iter().map(|signed| signed.recovery_id).collect();
    let with_v: Vec<Vec<u8>> = signed
        .iter()
        .map(|s| [&s.signature[..], &[27 + s.recovery_id]].concat())
        .collect();
    assert!(ids.contains(&0) && ids.contains(&1));
    let recovered = ecdsa::recover_addresses(engine(), &items.digests, &signatures, &ids).unwrap();
    let addresses: Vec<_> = recovered
        .into_iter()
        .map(|address| hex(&address.unwrap()))
        .collect();
    let keys: Vec<_> = items
        .points
        .iter()
        .map(|point| hex(point.as_bytes()))
        .collect();
    let v: Vec<ArrayRef> = vec![
        Arc::new(UInt8Array::from(ids.clone())),
        Arc::new(BooleanArray::from(
            ids.iter().map(|id| *id == 1).collect::<Vec<_>>(),
        )),
        Arc::new(Int64Array::from_iter_values(
            ids.iter().map(|id| 37 + i64::from(*id)),
        )),
    ];
    let of_keys = |context: &_, key: &str| {
        let found = query(
            context,
            &format!("SELECT {key} AS k, eth_address({key}) AS a FROM t"),
        );
        assert_eq!(texts(found.column(0)), keys);
        assert_eq!(texts(found.column(1)), addresses);
    };
    for (signature, v) in columns(&some(&signatures))
        .into_iter()
        .zip(v.iter().cycle())
    {
        let table = [
            ("d", fixed(&some(&items.digests)).unwrap()),
            ("s", signature),
            ("v", v.clone()),
        ];
        of_keys(
            &with_table(RecordBatch::try_from_iter(table).unwrap()),
            "ecdsa_recover('secp256k1', d, s, v)",
        );
    }
    for signature in columns(&some(&with_v)) {
        let table = [
            ("d", fixed(&some(&items.digests)).unwrap()),
            ("s", signature),
        ];
        of_keys(
            &with_table(RecordBatch::try_from_iter(table).unwrap()),
            "ecdsa_recover('secp256k1', d, s)",
        );
    }
    for key in columns(&some(&items.mixed_keys())) {
        let context = with_table(RecordBatch::try_from_iter([("k", key)]).unwrap());
        assert_eq!(
            texts(query(&context, "SELECT eth_address(k) FROM t").column(0)),
            addresses
        );
    }
}

#[test]
fn other_curves_recover_keys_too() {
    for curve in [CurveId::P256, CurveId::BrainpoolP256r1] {
        let items = Items::random(curve, 20);
        let secrets = SecretKeys::from(&items.secrets);
        let signed =
            ecdsa::sign_recoverable(engine(), curve, &items.digests, secrets, Default::default());
        let signed: Vec<_> = signed.unwrap().into_iter().map(Result::unwrap).collect();
        let signatures: Vec<[u8; 64]> = signed.iter().map(|signed| signed.signature).collect();
        // The second has an undefined id, and the third none.
        let id = |(item, id)| {
            [Some(id), Some(9), None]
                .get(item)
                .copied()
                .unwrap_or(Some(id))
        };
        let ids: UInt8Array = signed
            .iter()
            .map(|signed| signed.recovery_id)
            .enumerate()
            .map(id)
            .collect();
        let table: [(&str, ArrayRef); 3] = [
            ("d", fixed(&some(&items.digests)).unwrap()),
            ("s", fixed(&some(&signatures)).unwrap()),
            ("v", Arc::new(ids)),
        ];
        let context = with_table(RecordBatch::try_from_iter(table).unwrap());
        let found = query(
            &context,
            &format!(
                "SELECT ecdsa_recover('{curve}', d, s, v), ecdsa_recover_reason('{curve}', d, s, v) FROM t"
            ),
        );
        let mut keys: Vec<_> = items
            .points
            .iter()
            .map(|point| hex(point.as_bytes()))
            .collect();
        (keys[1], keys[2]) = (None, None);
        assert_eq!(texts(found.column(0)), keys);
        let mut reasons = vec![None; 20];
        reasons[1] = Some(gecc::Rejection::RecoveryIdOutOfRange.to_string());
        reasons[2] = Some("`recovery_id` is null".to_owned());
        assert_eq!(texts(found.column(1)), reasons);
    }
}

#[test]
fn the_address_of_a_known_key_is_known() {
    // The generator of secp256k1 (SEC 2, section 2.4.1), which is the public key of the private key 1. The address is
    // the one that wallets show for that private key.
    const X: &str = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
    const Y: &str = "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8";
    const ADDRESS: &str = "7e5f4552091a69125d5dfcb7b8c2659029395bdf";
    let context = session(functions(), 1, 8192);
    for key in [
        format!("x'02{X}'"),
        format!("'0x02{X}'"),
        format!("x'04{X}{Y}'"),
        format!("'{X}{Y}'"),
    ] {
        let sql = format!("SELECT eth_address({key}), eth_address_reason({key})");
        assert_eq!(row(&context, &sql), [Some(ADDRESS.to_owned()), None]);
    }
    let corrupted = row(
        &context,
        &format!("SELECT eth_address('{X}{X}'), eth_address_reason('{X}{X}')"),
    );
    assert_eq!(
        corrupted,
        [None, Some(gecc::Rejection::NotOnCurve.to_string())]
    );
}
