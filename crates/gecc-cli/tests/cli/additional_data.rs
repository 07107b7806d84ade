//! `gecc sign --additional-data`, compared with the library.

use crate::support::{TemporaryFile, answers, code, run, signed, stderr};
use gecc::ecdsa::SForm;
use gecc::{Backend, CurveId, Engine, P256, Rows, Signers, ecdsa, sm2};
use serde_json::{Value, json};

const DATA: [u8; 32] = [0x5a; 32];

fn engine() -> Engine {
    Engine::builder().backend(Backend::Cpu).build().unwrap()
}

fn lines(field: &str, values: impl IntoIterator<Item = Vec<u8>>) -> String {
    values
        .into_iter()
        .map(|value| json!({field: hex::encode(value)}).to_string() + "\n")
        .collect()
}

/// Signs lines, with keys of a file and with recovery ids, and messages with SM2, with additional
/// data.
#[test]
fn signatures_are_those_of_the_library() {
    let (set, engine) = (signed::<P256>(5), engine());
    let keys: String = set
        .secret
        .iter()
        .map(|key| hex::encode(key.expose_bytes()) + "\n")
        .collect();
    let keys = TemporaryFile::new("additional.keys", keys);
    let (hexadecimal, data) = (hex::encode(DATA), Rows::all(&DATA));
    let signers = Signers::with_additional_data(&set.secret, data);
    let sign = |curve: &str, more: &[&str], input: String| {
        let arguments = [
            "sign",
            "--curve",
            curve,
            "--key-file",
            keys.path(),
            "--additional-data",
            &hexadecimal,
        ];
        answers(&run(&[&arguments[..], more].concat(), input))
    };
    let digests = || lines("digest", set.digests.iter().map(|digest| digest.to_vec()));
    for curve in [CurveId::P256, CurveId::Secp256k1] {
        let form = SForm::CurveDefault;
        let expected =
            ecdsa::sign_recoverable(&engine, curve, &set.digests, signers, form).unwrap();
        let found = sign(curve.name(), &["--recoverable"], digests());
        let plain = sign(curve.name(), &[], digests());
        for (item, expected) in expected.into_iter().map(Result::unwrap).enumerate() {
            let signature = Value::from(hex::encode(expected.signature));
            assert_eq!(
                found[item],
                json!({"signature": signature, "recovery_id": expected.recovery_id})
            );
            assert_eq!(plain[item], json!({"signature": signature}));
            assert_ne!(expected.signature, set.signed[item].signature);
        }
    }
    let expected = sm2::sign(&engine, &set.digests, signers).unwrap();
    let of_messages =
        sm2::sign_messages(&engine, &set.digests, Default::default(), signers).unwrap();
    let messages = lines("message", set.digests.iter().map(|digest| digest.to_vec()));
    for (found, expected) in [
        (sign("sm2", &[], digests()), expected),
        (sign("sm2", &[], messages), of_messages),
    ] {
        let expected = expected
            .into_iter()
            .map(|signed| json!({"signature": hex::encode(signed.unwrap())}));
        assert_eq!(found, expected.collect::<Vec<_>>());
    }
}

/// Signs rows of Parquet with one key for all.
#[test]
#[cfg(feature = "arrow")]
fn tables_are_answered() {
    use arrow_array::{ArrayRef, FixedSizeBinaryArray, RecordBatch};
    use gecc_arrow::{Compression, Format};
    use std::sync::Arc;
    let (set, engine) = (signed::<gecc::Secp256k1>(30), engine());
    let key = TemporaryFile::new("additional.key", hex::encode(set.secret[0].expose_bytes()));
    let digests: ArrayRef =
        Arc::new(FixedSizeBinaryArray::try_from_iter(set.digests.iter()).unwrap());
    let batch = RecordBatch::try_from_iter([("digest", digests)]).unwrap();
    let file = crate::tables::file(
        "additional.parquet",
        &batch,
        10,
        (Format::Parquet, Compression::Zstd),
    );
    let signers = Signers::with_additional_data(&set.secret[0], Rows::all(&DATA));
    for curve in [CurveId::Secp256k1, CurveId::Sm2] {
        let expected = match curve {
            CurveId::Sm2 => sm2::sign(&engine, &set.digests, signers).unwrap(),
            curve => {
                ecdsa::sign(&engine, curve, &set.digests, signers, SForm::CurveDefault).unwrap()
            }
        };
        let data = hex::encode(DATA);
        let arguments = [
            "--curve",
            curve.name(),
            "--key-file",
            key.path(),
            "--additional-data",
            &data,
            file.path(),
        ];
        let found = answers(&run(&[&["sign"], &arguments[..]].concat(), ""));
        let expected = expected
            .into_iter()
            .map(|signed| json!({"signature": hex::encode(signed.unwrap())}));
        assert_eq!(found, expected.collect::<Vec<_>>());
    }
}

#[test]
fn incompatible_options_are_refused() {
    let data = hex::encode(DATA);
    for (arguments, problem) in [
        (
            ["--scheme", "bip340", "--additional-data", &data],
            "BIP 340 has --auxiliary",
        ),
        (
            ["--curve", "p256", "--additional-data", "00"],
            "--additional-data",
        ),
    ] {
        let output = run(&[&["sign"], &arguments[..]].concat(), "");
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(
            stderr(&output).contains(problem),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
}
