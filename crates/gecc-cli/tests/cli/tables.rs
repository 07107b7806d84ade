//! Parquet and Arrow IPC, in and out.

use crate::support::{Signed, TemporaryFile, answers, code, run, signed, start, stderr};
use crate::synthetic;
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, FixedSizeBinaryArray, Int8Array, RecordBatch,
    StringArray, UInt8Array, UnionArray,
};
use arrow_schema::{DataType, Field, UnionFields, UnionMode};
use base64ct::{Base64, Base64UrlUnpadded, Encoding};
use gecc::{P256, Secp256k1};
use gecc_arrow::{Compression, Destination, Format, Pool, Projection, ReadOptions, Writer, open};
use p256::pkcs8::{EncodePrivateKey, LineEnding};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

const ITEMS: usize = 300;

const WRITTEN: [(Format, Compression); 4] = [
    (Format::Parquet, Compression::None),
    (Format::Parquet, Compression::Zstd),
    (Format::ArrowFile, Compression::Zstd),
    (Format::ArrowStream, Compression::None),
];

fn fixed<T: AsRef<[u8]>>(rows: impl Iterator<Item = T>) -> ArrayRef {
    Arc::new(FixedSizeBinaryArray::try_from_iter(rows).unwrap())
}

/// A table with keys as text and every seventh signature corrupted. Row 4 has no key, and the key
/// of row 5 is too short.
fn table(set: &Signed) -> RecordBatch {
    let key = |item: usize| match item {
        3 => None,
        4 => Some("0x02ab".to_owned()),
        _ => Some(hex::encode(set.public[item].to_compressed().unwrap())),
    };
    let signature = |item: usize| {
        let mut signature = set.signed[item].signature;
        signature[50] ^= u8::from(item % 7 == 6);
        signature
    };
    let items = 0..set.digests.len();
    RecordBatch::try_from_iter([
        ("hash", fixed(set.digests.iter())),
        ("sig", fixed(items.clone().map(signature))),
        (
            "v",
            Arc::new(UInt8Array::from_iter_values(
                set.signed.iter().map(|one| 27 + one.recovery_id),
            )) as ArrayRef,
        ),
        ("pk", Arc::new(StringArray::from_iter(items.map(key)))),
        (
            "sk",
            fixed(set.secret.iter().map(|key| *key.expose_bytes())),
        ),
    ])
    .unwrap()
}

const COLUMNS: &[&str] = &[
    "--columns",
    "digest=hash,signature=sig,recovery_id=v,public_key=pk,secret_key=sk",
];

/// Converts the items of a table to text.
fn lines(table: &RecordBatch) -> String {
    let keys = table["pk"].as_string::<i32>();
    let mut lines = Vec::new();
    for row in 0..table.num_rows() {
        let [digest, signature, secret] = ["hash", "sig", "sk"]
            .map(|name| hex::encode(table[name].as_fixed_size_binary().value(row)));
        let line = json!({
            "digest": digest,
            "signature": signature,
            "recovery_id": table["v"].as_primitive::<arrow_array::types::UInt8Type>().value(row) - 27,
            "public_key": keys.is_valid(row).then(|| keys.value(row)),
            "secret_key": secret,
        });
        lines.push(line.to_string());
    }
    lines.join("\n")
}

/// A file with a table, in parts of `part` rows.
pub fn file(
    name: &str,
    table: &RecordBatch,
    part: usize,
    (format, compression): (Format, Compression),
) -> TemporaryFile {
    let file = TemporaryFile::new(name, "");
    let output = Destination::File(file.path().into());
    let mut writer = Writer::create(output, format, compression, &table.schema()).unwrap();
    for start in (0..table.num_rows()).step_by(part) {
        let rows = part.min(table.num_rows() - start);
        writer
            .write(&table.slice(start, rows), &Pool::default())
            .unwrap();
    }
    writer.finish().unwrap();
    file
}

fn read(path: &str) -> Vec<RecordBatch> {
    open(path, ReadOptions::default())
        .unwrap()
        .batches(&Projection::All)
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

/// Removes from an answer its position and the reasons of cells, which text spells in another way.
fn essence(mut answer: Value) -> Value {
    let fields = answer.as_object_mut().unwrap();
    for name in ["line", "row", "reason", "error"] {
        fields.remove(name);
    }
    answer
}

/// Tables as pyarrow writes them: by default Feather is compressed by LZ4.
#[test]
fn tables_of_other_programs_are_read() {
    for name in ["brotli.parquet", "lz4.feather"] {
        let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
        let output = run(&["verify", "--curve", "secp256k1", &path], "");
        assert_eq!(
            (code(&output), answers(&output).len()),
            (0, 100),
            "{name}: {}",
            stderr(&output)
        );
        // A truncated or modified table is an error, or yields other verdicts.
        let mut bytes = std::fs::read(&path).unwrap();
        for place in (0..bytes.len()).step_by(bytes.len() / 50) {
            bytes[place] ^= 0x55;
            let damaged = TemporaryFile::new(&format!("damaged-{name}"), &bytes);
            let output = run(
                &[
                    "verify",
                    "--curve",
                    "secp256k1",
                    "--only-rejected",
                    damaged.path(),
                ],
                "",
            );
            assert!(
                matches!(code(&output), 0..=2),
                "{name} {place}: {}",
                stderr(&output)
            );
            assert!(
                !stderr(&output).contains("panicked"),
                "{name} {place}: {}",
                stderr(&output)
            );
            bytes[place] ^= 0x55;
        }
    }
}

/// Encodings are detected as in text: by the first rows. Mixed ones are an error, and `--encoding`
/// decides.
#[test]
fn texts_of_tables_are_hexadecimal_or_base64() {
    let set = signed::<P256>(20);
    let table = |written: &dyn Fn(usize, &[u8]) -> String| {
        let column = |bytes: &dyn Fn(usize) -> Vec<u8>| {
            let texts = (0..20).map(|item| Some(written(item, &bytes(item))));
            Arc::new(texts.collect::<StringArray>()) as ArrayRef
        };
        let key = |item: usize| match item % 2 {
            0 => set.public[item].as_sec1().to_vec(),
            _ => set.public[item].to_compressed().unwrap().to_vec(),
        };
        let digests = column(&|item| set.digests[item].into());
        let signatures = column(&|item| set.signed[item].signature.into());
        RecordBatch::try_from_iter([("hash", digests), ("sig", signatures), ("pk", column(&key))])
            .unwrap()
    };
    let verify = ["verify", "--curve", "p256"];
    let base64 = table(&|_, bytes| Base64::encode_string(bytes));
    for written in WRITTEN {
        let file = file("base64", &base64, 7, written);
        for encoding in [&[][..], &["--encoding", "base64"]] {
            let output = run(&[&verify[..], encoding, &[file.path()]].concat(), "");
            assert_eq!(
                (code(&output), answers(&output).len()),
                (0, 20),
                "{}",
                stderr(&output)
            );
        }
        let output = run(
            &[&verify[..], &["--encoding", "hex", file.path()]].concat(),
            "",
        );
        assert_eq!(code(&output), 2, "{}", stderr(&output));
    }
    let both = table(&|item, bytes| {
        if item == 0 {
            hex::encode(bytes)
        } else {
            Base64UrlUnpadded::encode_string(bytes)
        }
    });
    let both = file("both", &both, 20, WRITTEN[0]);
    let output = run(&[&verify[..], &[both.path()]].concat(), "");
    let expected = "of the first 20 rows 3 values are hexadecimal and 57 base64: say --encoding hex or --encoding base64";
    assert!(
        code(&output) == 2 && stderr(&output).contains(expected),
        "{}",
        stderr(&output)
    );
    let output = run(
        &[&verify[..], &["--encoding", "base64", both.path()]].concat(),
        "",
    );
    assert_eq!(
        (
            code(&output),
            answers(&output)
                .iter()
                .filter(|answer| answer["valid"] == true)
                .count()
        ),
        (1, 19)
    );
}

#[test]
fn private_keys_of_tables_may_be_pem() {
    let set = signed::<P256>(9);
    let pem = |item: usize| {
        let key = p256::SecretKey::from_slice(set.secret[item].expose_bytes()).unwrap();
        let pem = match item % 2 {
            0 => key.to_pkcs8_pem(LineEnding::LF).unwrap(),
            _ => key.to_sec1_pem(LineEnding::LF).unwrap(),
        };
        Some(pem.to_string())
    };
    let mut keys: Vec<Option<String>> = (0..9).map(pem).collect();
    keys[4] = Some(
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"
            .to_owned(),
    );
    let digests = fixed(set.digests.iter());
    let table = RecordBatch::try_from_iter([
        ("digest", digests),
        ("sk", Arc::new(StringArray::from(keys)) as ArrayRef),
    ]);
    let table = table.unwrap();
    for written in WRITTEN {
        let file = file("pem", &table, 4, written);
        let output = run(&["sign", "--curve", "p256", file.path()], "");
        assert_eq!(code(&output), 1, "{}", stderr(&output));
        for (item, answer) in answers(&output).iter().enumerate() {
            match item {
                4 => {
                    assert_eq!(
                        answer["error"],
                        "`secret_key` is encrypted, damaged, several keys, or of another curve"
                    )
                }
                _ => assert_eq!(answer["signature"], hex::encode(set.signed[item].signature)),
            }
        }
        let output = run(&["pubkey", "--curve", "p256", file.path()], "");
        assert_eq!(
            (code(&output), &answers(&output)[8]["public_key"]),
            (1, &json!(hex::encode(set.public[8].as_sec1())))
        );
    }
}

#[test]
fn answers_of_tables_agree_with_those_of_text() {
    let set = signed::<Secp256k1>(ITEMS);
    let table = table(&set);
    let text = lines(&table);
    let key = TemporaryFile::new("tables.key", hex::encode(set.secret[0].expose_bytes()));
    let keys = |count: usize| {
        set.secret
            .iter()
            .rev()
            .take(count)
            .map(|key| hex::encode(key.expose_bytes()) + "\n")
    };
    let each = TemporaryFile::new("tables.keys", keys(ITEMS).collect::<String>());
    let few = TemporaryFile::new("tables.few", keys(200).collect::<String>());
    let commands: [&[&str]; 13] = [
        &["verify"],
        &["sign", "--key-file", each.path()],
        &["sign", "--recoverable", "--key-file", few.path()],
        &["sign"],
        &["ecdh", "--key-file", each.path()],
        &["ecdh", "--key-file", few.path()],
        &["ecdh"],
        &["recover"],
        &["recover", "--addresses"],
        &["sign", "--recoverable", "--key-file", key.path()],
        &["sign", "--der", "--key-file", key.path()],
        &["ecdh", "--key-file", key.path()],
        &["pubkey", "--compressed"],
    ];
    for (index, written) in WRITTEN.into_iter().enumerate() {
        let file = file(&format!("same{index}"), &table, 70, written);
        for command in commands {
            let command = [command, &["--curve", "secp256k1"]].concat();
            let expected = run(&[&command[..], &["--line"]].concat(), text.clone());
            let output = run(
                &[&command[..], COLUMNS, &["--line", file.path()]].concat(),
                "",
            );
            let found = answers(&output);
            let expected_answers = answers(&expected);
            assert_eq!(
                (found.len(), code(&output)),
                (ITEMS, code(&expected)),
                "{command:?} {}",
                stderr(&output)
            );
            for (row, (found, expected)) in found.into_iter().zip(expected_answers).enumerate() {
                assert_eq!(found["row"], json!(row + 1));
                assert_eq!(essence(found), essence(expected), "{command:?}");
            }
        }
    }
}

/// Columns that are passed through keep their values in Parquet too, or are refused by name. Small
/// files of Parquet are read as one if no other file is between them.
#[test]
fn rows_of_many_small_tables_are_numbered_per_file() {
    const FILES: usize = 150;
    let set = signed::<P256>(2 * FILES);
    let is_corrupted = |item: usize| item.is_multiple_of(7);
    let signature = |item: usize| {
        let mut signature = set.signed[item].signature;
        signature[50] ^= u8::from(is_corrupted(item));
        signature
    };
    let all = RecordBatch::try_from_iter([
        ("digest", fixed(set.digests.iter())),
        ("signature", fixed((0..2 * FILES).map(signature))),
        (
            "public_key",
            fixed(set.public.iter().map(|key| key.to_compressed().unwrap())),
        ),
    ])
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |file: usize| {
        folder
            .path()
            .join(format!("{file:03}"))
            .to_str()
            .unwrap()
            .to_owned()
    };
    let mut expected = Vec::new();
    for file in 0..FILES {
        // Some have no rows.
        let rows = file % 3;
        let table = all.slice(2 * file, rows);
        let format = if file == 60 {
            Format::ArrowFile
        } else {
            Format::Parquet
        };
        let output = Destination::File(path(file).into());
        let mut writer =
            Writer::create(output, format, Compression::None, &table.schema()).unwrap();
        writer.write(&table, &Pool::default()).unwrap();
        writer.finish().unwrap();
        expected.extend((0..rows).map(|row| (path(file), row + 1, !is_corrupted(2 * file + row))));
    }
    std::fs::write(path(60) + ".jsonl", set.lines()[1].clone()).unwrap();
    let place = expected
        .iter()
        .position(|(file, ..)| *file == path(61))
        .unwrap();
    expected.insert(place, (path(60) + ".jsonl", 1, true));
    let verify = || {
        let output = run(
            &[
                "verify",
                "--curve",
                "p256",
                "--line",
                folder.path().to_str().unwrap(),
            ],
            "",
        );
        let place = |answer: &Value| {
            answer
                .get("row")
                .or(answer.get("line"))
                .unwrap()
                .as_u64()
                .unwrap() as usize
        };
        let answer = |answer: &Value| {
            (
                answer["file"].as_str().unwrap().to_owned(),
                place(answer),
                answer["valid"].as_bool().unwrap(),
            )
        };
        (
            answers(&output).iter().map(answer).collect::<Vec<_>>(),
            output,
        )
    };
    let (found, output) = verify();
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert_eq!(found, expected);
    // A page that cannot be read, within a file that can be opened.
    let mut broken = std::fs::read(path(100)).unwrap();
    broken[4..40].fill(0xff);
    std::fs::write(path(100), broken).unwrap();
    let (found, output) = verify();
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains(&path(100)), "{}", stderr(&output));
    assert_eq!(
        found,
        expected[..expected
            .iter()
            .position(|(file, ..)| *file == path(100))
            .unwrap()]
    );
}

#[test]
fn beside_keeps_columns_of_every_type() {
    let set = signed::<P256>(5);
    let table = table(&set);
    let run_with = |column: ArrayRef, output: &TemporaryFile| {
        let fields: Vec<String> = table
            .schema()
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect();
        let columns = fields
            .into_iter()
            .zip(table.columns().to_vec())
            .chain([("more".to_owned(), column)]);
        let input = file(
            "more",
            &RecordBatch::try_from_iter(columns).unwrap(),
            5,
            WRITTEN[2],
        );
        let verify = [
            "verify",
            "--curve",
            "p256",
            "--output-format",
            "parquet",
            "--beside",
            "-o",
            output.path(),
        ];
        run(&[&verify[..], COLUMNS, &[input.path()]].concat(), "")
    };
    let output = TemporaryFile::new("beside.parquet", "");
    let accounts: [u8; 5] = [2, 0, 1, 1, 2];
    let keys = Int8Array::from(accounts.map(|account| account as i8).to_vec());
    let verified = run_with(
        Arc::new(DictionaryArray::new(
            keys,
            fixed((0..3u8).map(|account| [account; 20])),
        )),
        &output,
    );
    assert_eq!(code(&verified), 1, "{}", stderr(&verified));
    let found = read(output.path())[0]["more"].clone();
    assert_eq!(
        found.as_fixed_size_binary(),
        fixed(accounts.iter().map(|account| [*account; 20])).as_fixed_size_binary()
    );
    let numbers = UInt8Array::from(vec![7; 5]);
    let field = Arc::new(Field::new("number", DataType::UInt8, false));
    let fields = UnionFields::from_iter([(0, field)]);
    let union = UnionArray::try_new(
        fields.clone(),
        vec![0; 5].into(),
        None,
        vec![Arc::new(numbers)],
    )
    .unwrap();
    assert_eq!(
        union.data_type(),
        &DataType::Union(fields, UnionMode::Sparse)
    );
    let refused = run_with(Arc::new(union), &output);
    assert!(
        code(&refused) == 2 && stderr(&refused).contains("`more` is Union"),
        "{}",
        stderr(&refused)
    );
}

/// A column with the name of a field and an unsupported type is not treated as missing.
#[test]
fn columns_of_unsupported_types_are_reported() {
    let set = signed::<P256>(5);
    let table = table(&set);
    let with = |column: &str, array: ArrayRef| {
        let keep =
            |field: &str| ["sig", "pk"].contains(&field) || field == "hash" && column != "digest";
        let names: Vec<String> = table
            .schema()
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect();
        let columns = names
            .into_iter()
            .zip(table.columns().to_vec())
            .filter(|(name, _)| keep(name));
        RecordBatch::try_from_iter(columns.chain([(column.to_owned(), array)])).unwrap()
    };
    let numbers: ArrayRef = Arc::new(UInt8Array::from(vec![7; 5]));
    let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![&b"27"[..]; 5]));
    for (command, column, array, expected) in [
        (
            "verify",
            "digest",
            numbers,
            "`digest` is UInt8, but `digest` is 32 bytes",
        ),
        (
            "recover",
            "v",
            bytes,
            "but `v` is integers, booleans, or text",
        ),
    ] {
        let refused = run(
            &[
                command,
                "--curve",
                "p256",
                file("typed", &with(column, array), 5, WRITTEN[0]).path(),
            ],
            "",
        );
        assert!(
            code(&refused) == 2 && stderr(&refused).contains(expected),
            "{}",
            stderr(&refused)
        );
    }
}

/// Ids that are right, wrong, null in some rows, and absent, next to a second batch of keys with
/// another encoding.
#[test]
fn recovery_ids_change_no_verdict() {
    const ITEMS: usize = 1200;
    let set = signed::<Secp256k1>(ITEMS);
    let items = 0..ITEMS;
    let key = |item: usize| {
        let point = &set.public[item];
        if item % 100 == 3 {
            point.as_sec1().to_vec()
        } else {
            point.to_compressed().unwrap().to_vec()
        }
    };
    let right = |item: usize| Some(27 + set.signed[item].recovery_id);
    let ids: [&dyn Fn(usize) -> Option<u8>; 4] = [
        &right,
        &|item| right(item).map(|id| id ^ 1),
        &|item| right(item).filter(|_| item % 3 > 0),
        &|_| None,
    ];
    for corrupted in [None, Some(601)] {
        let signature = |item: usize| {
            let mut signature = set.signed[item].signature;
            signature[50] ^= u8::from(corrupted == Some(item));
            signature
        };
        let columns: [(&str, ArrayRef); 3] = [
            ("digest", fixed(set.digests.iter())),
            ("signature", fixed(items.clone().map(signature))),
            (
                "public_key",
                Arc::new(BinaryArray::from_iter_values(items.clone().map(key))),
            ),
        ];
        let plain = file(
            "noids",
            &RecordBatch::try_from_iter(columns.clone()).unwrap(),
            ITEMS,
            WRITTEN[0],
        );
        let verify = ["verify", "--curve", "secp256k1", "--threads", "1"];
        let expected = run(&[&verify[..], &[plain.path()]].concat(), "");
        let summary = format!(
            "{ITEMS} items, {} valid",
            ITEMS - usize::from(corrupted.is_some())
        );
        assert!(
            stderr(&expected).starts_with(&summary),
            "{}",
            stderr(&expected)
        );
        for (which, ids) in ids.iter().enumerate() {
            let column = (
                "v",
                Arc::new(UInt8Array::from_iter(items.clone().map(ids))) as ArrayRef,
            );
            let table =
                RecordBatch::try_from_iter(columns.clone().into_iter().chain([column])).unwrap();
            for written in [WRITTEN[0], WRITTEN[2]] {
                let file = file("ids", &table, 700, written);
                let found = run(
                    &[&verify[..], &["--batch-verification", file.path()]].concat(),
                    "",
                );
                assert!(
                    found.stdout == expected.stdout,
                    "ids {which}: {}",
                    stderr(&found)
                );
                assert_eq!(code(&found), code(&expected));
            }
        }
    }
    let bytes = (
        "v",
        Arc::new(BinaryArray::from(vec![&b"27"[..]; 2])) as ArrayRef,
    );
    let digests = ("digest", fixed(set.digests[..2].iter()));
    let signatures = ("signature", fixed([[1; 64]; 2].into_iter()));
    let file = file(
        "byteids",
        &RecordBatch::try_from_iter([digests, signatures, bytes]).unwrap(),
        2,
        WRITTEN[0],
    );
    let columns = [
        "--columns",
        "digest=digest,signature=signature,v=v",
        "--curve",
        "secp256k1",
        file.path(),
    ];
    for command in [&["recover"][..], &["verify", "--batch-verification"]] {
        let refused = run(&[command, &columns].concat(), "");
        assert!(
            stderr(&refused).contains("but `v` is integers, booleans, or text"),
            "{}",
            stderr(&refused)
        );
    }
}

#[test]
fn rejections_are_counted_and_end_a_check() {
    let set = signed::<Secp256k1>(20);
    let file = file("counted", &table(&set), 20, WRITTEN[0]);
    let verify = [&["verify", "--curve", "secp256k1", file.path()], COLUMNS].concat();
    let all = run(&verify, "");
    let reasons: Vec<Value> = answers(&all)
        .into_iter()
        .filter(|answer| answer["valid"] == false)
        .collect();
    let expected = [
        json!({"valid": false, "reason": "`public_key` is null", "row": 4}),
        json!({"valid": false, "reason": "the point's encoding is malformed", "row": 5}),
    ];
    assert_eq!(reasons[..2], expected);
    assert_eq!(reasons[2]["row"], 7);
    assert!(
        stderr(&all).contains("20 items, 16 valid, 4 rejected"),
        "{}",
        stderr(&all)
    );
    assert!(
        stderr(&all).contains("1  `public_key` is null"),
        "{}",
        stderr(&all)
    );
    let only = run(&[&verify[..], &["--only-rejected", "--quiet"]].concat(), "");
    assert_eq!((answers(&only), stderr(&only)), (reasons, String::new()));
    let check = run(&[&verify[..], &["--check"]].concat(), "");
    assert_eq!((answers(&check).len(), code(&check)), (4, 1));
}

/// Rows without a key are reported, and so are the unused keys of a key file.
#[test]
fn key_files_of_several_keys_go_with_tables() {
    let set = signed::<Secp256k1>(20);
    let file = file("several.keys.in", &table(&set), 7, WRITTEN[0]);
    let keys = |count: usize| format!("{}\n", "11".repeat(32)).repeat(count);
    let few = TemporaryFile::new("several.few", keys(12));
    let many = TemporaryFile::new("several.many", keys(30));
    let sign = |keys: &TemporaryFile, more: &[&str]| {
        let arguments = [
            "sign",
            "--curve",
            "secp256k1",
            "--key-file",
            keys.path(),
            file.path(),
        ];
        run(&[&arguments, COLUMNS, more].concat(), "")
    };
    let output = sign(&few, &[]);
    let found = answers(&output);
    assert_eq!((code(&output), found.len()), (1, 20), "{}", stderr(&output));
    assert!(
        found[..12]
            .iter()
            .all(|answer| answer["signature"].is_string())
    );
    let expected =
        |row: usize| json!({"error": "there is no private key for this row", "row": row});
    assert_eq!(found[12..], (13..=20).map(expected).collect::<Vec<_>>());
    let output = sign(&many, &["--quiet"]);
    assert_eq!(code(&output), 0);
    assert!(
        stderr(&output).contains("30 keys for 20 items"),
        "{}",
        stderr(&output)
    );
}

/// Row numbers, rejections alone, and the end at the first rejection.
#[test]
fn columns_of_tables_are_selected() {
    let set = signed::<Secp256k1>(ITEMS);
    let table = table(&set);
    let input = file("selected.in", &table, 100, WRITTEN[1]);
    let verify = [&["verify", "--curve", "secp256k1", input.path()], COLUMNS].concat();
    let expected: Vec<Value> = answers(&run(&[&verify[..], &["--line"]].concat(), ""));
    let first = expected
        .iter()
        .position(|answer| answer["valid"] == false)
        .unwrap();
    for (end, keeps_columns) in [("parquet", false), ("arrow", false), ("parquet", true)] {
        let output = TemporaryFile::new(&format!("selected.{end}"), "");
        for (options, wanted) in [
            (&["--line"][..], expected.clone()),
            (
                &["--only-rejected"],
                expected
                    .iter()
                    .filter(|answer| answer["valid"] == false)
                    .cloned()
                    .collect(),
            ),
            (&["--check", "--line"], expected[..=first].to_vec()),
            (
                &["--check", "--only-rejected"],
                vec![expected[first].clone()],
            ),
        ] {
            let more: &[&str] = if keeps_columns { &["--beside"] } else { &[] };
            let ended = run(
                &[&verify[..], options, more, &["-o", output.path()]].concat(),
                "",
            );
            assert_eq!(code(&ended), 1, "{}", stderr(&ended));
            let of_batch = |batch: &RecordBatch| -> Vec<Value> {
                let numbers = batch["row"].as_primitive::<arrow_array::types::UInt64Type>();
                let valid = batch["valid"].as_boolean();
                (0..batch.num_rows())
                    .map(|row| json!({"row": numbers.value(row), "valid": valid.value(row)}))
                    .collect()
            };
            let found: Vec<Value> = read(output.path()).iter().flat_map(of_batch).collect();
            let wanted: Vec<Value> = wanted
                .iter()
                .map(|answer| json!({"row": answer["row"], "valid": answer["valid"]}))
                .collect();
            assert_eq!(found, wanted, "{options:?} {end}");
        }
    }
}

#[test]
fn answers_are_written_as_columns() {
    let set = signed::<Secp256k1>(ITEMS);
    let table = table(&set);
    let input = file("columns.in", &table, 100, WRITTEN[1]);
    let verify = [&["verify", "--curve", "secp256k1", input.path()], COLUMNS].concat();
    let expected: Vec<bool> = answers(&run(&verify, ""))
        .iter()
        .map(|answer| answer["valid"] == true)
        .collect();
    for end in ["parquet", "arrow"] {
        let output = TemporaryFile::new(&format!("answers.{end}"), "");
        let alone = run(&[&verify[..], &["-o", output.path()]].concat(), "");
        assert_eq!(
            (code(&alone), alone.stdout.len()),
            (1, 0),
            "{}",
            stderr(&alone)
        );
        assert!(
            stderr(&alone).contains("300 items, 256 valid, 44 rejected"),
            "{}",
            stderr(&alone)
        );
        let names = |batch: &RecordBatch| -> Vec<String> {
            batch
                .schema()
                .fields()
                .iter()
                .map(|field| field.name().clone())
                .collect()
        };
        let found = read(output.path());
        assert_eq!(names(&found[0]), ["valid", "reason"]);
        let valid: Vec<bool> = found
            .iter()
            .flat_map(|batch| {
                batch["valid"]
                    .as_boolean()
                    .values()
                    .iter()
                    .collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(valid, expected);
        let kept = run(
            &[&verify[..], &["--beside", "-o", output.path()]].concat(),
            "",
        );
        assert_eq!(code(&kept), 1, "{}", stderr(&kept));
        // Secret keys are left out.
        assert_eq!(
            names(&read(output.path())[0]),
            ["hash", "sig", "v", "pk", "valid", "reason"]
        );
    }
    // Arrow is also read from a pipe and written to a pipe.
    let stream = file("columns.stream", &table, 100, WRITTEN[3]);
    let arguments = [
        "verify",
        "--curve",
        "secp256k1",
        "--format",
        "arrow",
        "--output-format",
        "arrow",
    ];
    let piped = run(
        &[&arguments, COLUMNS].concat(),
        std::fs::read(stream.path()).unwrap(),
    );
    let written = TemporaryFile::new("columns.piped", &piped.stdout);
    assert_eq!(
        read(written.path())
            .iter()
            .map(RecordBatch::num_rows)
            .sum::<usize>(),
        ITEMS,
        "{}",
        stderr(&piped)
    );
    // A file as standard input is recognised by its content.
    let mut command = crate::support::gecc();
    command
        .args(["verify", "--curve", "secp256k1"])
        .args(COLUMNS)
        .stdin(std::fs::File::open(input.path()).unwrap());
    assert_eq!(answers(&command.output().unwrap()).len(), ITEMS);
}

/// Files with shared secrets are readable by their owner only.
#[test]
#[cfg(unix)]
fn secrets_in_columns_are_in_a_private_file() {
    use std::os::unix::fs::PermissionsExt;
    let set = signed::<P256>(10);
    let input = file("private.in", &table(&set), 10, WRITTEN[0]);
    let output = TemporaryFile::new("out.parquet", "");
    std::fs::set_permissions(output.path(), std::fs::Permissions::from_mode(0o644)).unwrap();
    let key = TemporaryFile::new("private.key", hex::encode(set.secret[0].expose_bytes()));
    let arguments = [
        "ecdh",
        "--curve",
        "p256",
        "--key-file",
        key.path(),
        "-o",
        output.path(),
        input.path(),
    ];
    let ended = run(&[&arguments, COLUMNS].concat(), "");
    assert_eq!(code(&ended), 1, "{}", stderr(&ended));
    assert_eq!(
        std::fs::metadata(output.path())
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o600
    );
    let secrets = read(output.path())[0]["shared_secret"].clone();
    assert!(secrets.is_valid(0) && secrets.is_null(3));
}

#[test]
fn incompatible_options_for_tables_are_reported() {
    let set = signed::<P256>(3);
    let table = table(&set);
    let parquet = file("refused.parquet", &table, 3, WRITTEN[0]);
    let arrow = file("refused.arrow", &table, 3, WRITTEN[2]);
    let text = TemporaryFile::new("refused.jsonl", lines(&table));
    let out = TemporaryFile::new("refused.out.parquet", "before");
    let parquet = parquet.path();
    let arrow = arrow.path();
    let text = text.path();
    let verify = ["verify", "--curve", "p256"];
    let cases: Vec<(Vec<&str>, &str)> = vec![
        (
            [&verify[..], &["--columns", "public_key=", parquet]].concat(),
            "no column has the name of `public_key`",
        ),
        (
            [&verify[..], &["--columns", "digest=none", parquet]].concat(),
            "there is no column `none` for `digest`",
        ),
        (
            [&verify[..], &["--columns", "digest=v", parquet]].concat(),
            "the column `v` is UInt8, but `digest` is 32 bytes",
        ),
        (
            [&verify[..], &["--columns", "hash", parquet]].concat(),
            "`hash` is not `field=column`",
        ),
        (
            [&verify[..], &["--beside", "-o", out.path(), text]].concat(),
            "--beside requires Parquet or Arrow input",
        ),
        (
            [&verify[..], COLUMNS, &["--beside", parquet]].concat(),
            "--beside requires answers in Parquet or Arrow",
        ),
        (
            [&verify[..], COLUMNS, &["--format", "parquet", arrow]].concat(),
            "the file is Arrow IPC, not Parquet",
        ),
        (
            [&verify[..], COLUMNS, &["--format", "arrow", parquet]].concat(),
            "the file is Parquet, not Arrow IPC",
        ),
        (
            [&verify[..], COLUMNS, &["--format", "arrow", text]].concat(),
            "neither Parquet nor Arrow IPC: it begins with",
        ),
        (
            [&verify[..], &["--format", "parquet"]].concat(),
            "Parquet is read from files",
        ),
    ];
    for (arguments, expected) in cases {
        let output = run(&arguments, "");
        assert_eq!(
            (code(&output), output.stdout.len()),
            (2, 0),
            "{arguments:?} {}",
            stderr(&output)
        );
        assert!(
            stderr(&output).contains(expected),
            "{arguments:?} {}",
            stderr(&output)
        );
    }
    assert_eq!(std::fs::read(out.path()).unwrap(), b"before");
    // For piped input the message mentions the pipe.
    let piped = run(&verify, std::fs::read(parquet).unwrap());
    assert!(
        code(&piped) == 2 && stderr(&piped).contains("neither from a pipe"),
        "{}",
        stderr(&piped)
    );
}

#[test]
fn progress_is_printed_for_tables() {
    let table = table(&signed::<P256>(ITEMS));
    let written = file(
        "progress",
        &table,
        ITEMS,
        (Format::ArrowStream, Compression::None),
    );
    let stream = std::fs::read(written.path()).unwrap();
    // Without the end-of-stream marker.
    let (batches, end) = stream.split_at(stream.len() - 8);
    let mut child = start(&[&["verify", "--curve", "p256", "--format", "arrow"], COLUMNS].concat());
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(batches).unwrap();
    std::thread::sleep(std::time::Duration::from_secs(7));
    stdin.write_all(end).unwrap();
    drop(stdin);
    let message = stderr(&child.wait_with_output().unwrap());
    let progress = message.lines().next().unwrap();
    assert!(
        progress.starts_with("gecc: ") && progress.contains("B/s, 300 items"),
        "{message}"
    );
}

/// Decrements the number of rows in a file's footer and, if there is only one row group, in that.
/// Columns still state their number of values.
pub fn with_a_row_less(path: &Path) -> Vec<u8> {
    let rows = open(path, ReadOptions::default()).unwrap().rows().unwrap();
    let mut bytes = std::fs::read(path).unwrap();
    // A field of 64 bits after the one with the preceding number, as rows and values are. Rows of
    // the file come first, and those of a row group after its columns.
    let field = |rows: u64| [vec![0x16], synthetic::varint(rows << 1)].concat();
    let from = field(rows);
    let to = field(rows - 1);
    assert_eq!(from.len(), to.len());
    let end = bytes.len() - 8;
    let length = u32::from_le_bytes(*bytes[end..].first_chunk().unwrap()) as usize;
    let places: Vec<_> = (end - length..end)
        .filter(|at| bytes[*at..].starts_with(&from))
        .collect();
    for at in [places[0], *places.last().unwrap()] {
        bytes[at..at + to.len()].copy_from_slice(&to);
    }
    bytes
}

/// A Parquet file of two row groups whose first chunk of signatures has a page more than the row
/// group has rows. The signatures in it are those of the second row group, which has zeros.
fn hidden_signatures(set: &Signed) -> Vec<u8> {
    let group = |items: [usize; 3], signatures: &dyn Fn(usize) -> Vec<u8>| {
        let page = |bytes: Vec<u8>| synthetic::page(3, synthetic::PLAIN, &bytes);
        let cells = |cell: &dyn Fn(usize) -> Vec<u8>| {
            page(items.iter().flat_map(|item| cell(*item)).collect())
        };
        [
            (32, cells(&|item| set.digests[item].to_vec())),
            (64, cells(signatures)),
            (
                33,
                cells(&|item| set.public[item].to_compressed().unwrap().to_vec()),
            ),
        ]
        .into_iter()
        .zip(synthetic::COLUMNS)
        .map(|((width, page), (name, _))| {
            synthetic::Column::new(name, synthetic::FIXED, Some(width), 3, vec![page])
        })
        .collect::<Vec<_>>()
    };
    let real = |item: usize| set.signed[item].signature.to_vec();
    let mut first = group([0, 1, 2], &real);
    first[1]
        .pages
        .extend(group([3, 4, 5], &real)[1].pages.clone());
    let second = group([3, 4, 5], &|_| vec![0; 64]);
    synthetic::file_of_groups(&[(&first, 3), (&second, 3)], 6)
}

/// Answers of every form, of a file alone or with others, and with any number of threads.
#[test]
fn signatures_beyond_the_rows_of_a_row_group_are_not_verified() {
    let set = signed::<Secp256k1>(9);
    let hidden = TemporaryFile::new("hidden.parquet", hidden_signatures(&set));
    let whole = file("whole", &table(&set), 9, WRITTEN[0]);
    let out = TemporaryFile::new("hidden-out.parquet", "");
    let verify = [
        "verify",
        "--curve",
        "secp256k1",
        "--columns",
        "public_key=public_key",
    ];
    let expected = "row group 1, column `signature`: its 3 values end at byte";
    for more in [
        &[][..],
        &["--threads", "1"],
        &["--max-memory", "16M"],
        &["--only-rejected"],
        &["-o", out.path()],
    ] {
        let output = run(&[&verify[..], more, &[hidden.path()]].concat(), "");
        assert_eq!(
            (code(&output), answers(&output).len()),
            (2, 0),
            "{more:?}: {}",
            stderr(&output)
        );
        assert!(
            stderr(&output).contains(expected) && stderr(&output).contains("hidden.parquet"),
            "{}",
            stderr(&output)
        );
    }
    let kept = run(
        &[&verify[..], &["--beside", "-o", out.path(), hidden.path()]].concat(),
        "",
    );
    assert!(
        code(&kept) == 2 && stderr(&kept).contains(expected),
        "{}",
        stderr(&kept)
    );
    // Items before the error are answered.
    let both = run(
        &[
            "verify",
            "--curve",
            "secp256k1",
            whole.path(),
            hidden.path(),
        ],
        "",
    );
    assert_eq!(
        (code(&both), answers(&both).len()),
        (2, 9),
        "{}",
        stderr(&both)
    );
    assert!(stderr(&both).contains(expected), "{}", stderr(&both));
}

/// All items that were read have answers.
#[test]
fn truncated_and_overlong_streams_are_errors_after_their_answers() {
    let written = file("marker", &table(&signed::<P256>(ITEMS)), 100, WRITTEN[3]);
    let stream = std::fs::read(written.path()).unwrap();
    let cut = &stream[..stream.len() - 8];
    let verify = [&["verify", "--curve", "p256"], COLUMNS].concat();
    for (bytes, expected) in [
        (cut.to_vec(), "printf '\\377\\377\\377\\377\\0\\0\\0\\0'"),
        (
            [&stream[..], &stream].concat(),
            "several streams are several inputs",
        ),
        (
            [&stream[..], b"x"].concat(),
            "goes on after the end-of-stream marker",
        ),
    ] {
        let input = TemporaryFile::new("marker-changed", &bytes);
        let named = run(&[&verify[..], &[input.path()]].concat(), "");
        let piped = run(&[&verify[..], &["--format", "arrow"]].concat(), bytes);
        for output in [named, piped] {
            assert_eq!(
                (code(&output), answers(&output).len()),
                (2, ITEMS),
                "{}",
                stderr(&output)
            );
            assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        }
        let out = TemporaryFile::new("marker-out.parquet", "");
        let columns = run(
            &[&verify[..], &["-o", out.path(), input.path()]].concat(),
            "",
        );
        assert!(
            code(&columns) == 2 && stderr(&columns).contains(expected),
            "{}",
            stderr(&columns)
        );
    }
    // As the message suggests.
    let whole = [cut, b"\xff\xff\xff\xff\0\0\0\0"].concat();
    assert_eq!(
        code(&run(&[&verify[..], &["--format", "arrow"]].concat(), whole)),
        1
    );
}

/// Two columns with the same name are refused, whatever options are given.
#[test]
fn two_columns_of_one_name_are_an_error() {
    let set = signed::<Secp256k1>(3);
    let digests = fixed(set.digests.iter());
    let others = fixed(set.digests.iter().rev());
    let signatures = fixed(set.signed.iter().map(|one| one.signature));
    let keys = fixed(set.public.iter().map(|key| key.to_compressed().unwrap()));
    let columns = [
        ("digest", digests),
        ("signature", signatures),
        ("public_key", keys),
        ("digest", others),
    ];
    let table = RecordBatch::try_from_iter(columns).unwrap();
    let out = TemporaryFile::new("two-out.parquet", "");
    for written in WRITTEN {
        let input = file("two", &table, 3, written);
        for more in [
            &[][..],
            &["--columns", "digest=digest"],
            &["--beside", "-o", out.path()],
        ] {
            let output = run(
                &[
                    &["verify", "--curve", "secp256k1"][..],
                    more,
                    &[input.path()],
                ]
                .concat(),
                "",
            );
            assert_eq!(
                (code(&output), answers(&output).len()),
                (2, 0),
                "{more:?}: {}",
                stderr(&output)
            );
            let named = stderr(&output);
            assert!(named.contains("digest"), "{named}");
        }
    }
}

/// No option causes a column of secrets to be written: neither as a tag or as another field, nor
/// together with a key from a file.
#[test]
fn secret_columns_are_never_written() {
    let set = signed::<P256>(5);
    let secrets = || fixed(set.secret.iter().map(|key| *key.expose_bytes()));
    let digests = || fixed(set.digests.iter());
    let key = TemporaryFile::new("never.key", hex::encode(set.secret[0].expose_bytes()));
    let parts = vec![
        (
            Arc::new(Field::new(
                "private_key",
                secrets().data_type().clone(),
                true,
            )),
            secrets(),
        ),
        (
            Arc::new(Field::new("note", digests().data_type().clone(), true)),
            digests(),
        ),
    ];
    let nested: ArrayRef = Arc::new(arrow_array::StructArray::from(parts));
    let table = RecordBatch::try_from_iter([
        ("digest", digests()),
        ("tag", secrets()),
        ("private_key", secrets()),
        ("wallet", nested),
    ])
    .unwrap();
    for written in [WRITTEN[0], WRITTEN[3]] {
        let input = file("never", &table, 5, written);
        for end in ["parquet", "arrow", "jsonl"] {
            let out = TemporaryFile::new(&format!("never-out.{end}"), "");
            let keep_columns: &[&str] = if end == "jsonl" { &[] } else { &["--beside"] };
            let tag = ["--columns", "secret_key=tag"];
            let of_file = ["--key-file", key.path()];
            for (command, more) in [
                ("sign", &tag[..]),
                ("pubkey", &tag[..]),
                ("sign", &of_file[..]),
            ] {
                let output = ["--curve", "p256", "-o", out.path()];
                let arguments =
                    [&[command][..], &output, more, keep_columns, &[input.path()]].concat();
                let output = run(&arguments, "");
                // Answers repeat tags, so no secret field is read from a column of tags.
                let is_refused = more == tag;
                assert_eq!(
                    code(&output),
                    if is_refused { 2 } else { 0 },
                    "{arguments:?}: {}",
                    stderr(&output)
                );
                let outputs = [
                    std::fs::read(out.path()).unwrap(),
                    output.stdout,
                    output.stderr,
                ]
                .concat();
                let is_there =
                    |secret: &[u8]| outputs.windows(secret.len()).any(|window| window == secret);
                for secret in &set.secret {
                    let bytes = secret.expose_bytes();
                    // With a key file, gecc cannot know that the column `tag` holds keys as well.
                    let is_named = more == tag || end == "jsonl";
                    assert!(!is_named || !is_there(bytes), "{arguments:?}");
                    assert!(!is_there(hex::encode(bytes).as_bytes()), "{arguments:?}");
                }
                if end != "jsonl" && !is_refused {
                    let names: Vec<_> = read(out.path())[0]
                        .schema()
                        .fields()
                        .iter()
                        .map(|field| field.name().clone())
                        .collect();
                    assert!(
                        !names
                            .iter()
                            .any(|name| name == "private_key" || name == "wallet"),
                        "{names:?}"
                    );
                    assert!(names.iter().any(|name| name == "tag"), "{names:?}");
                }
            }
        }
    }
}

#[test]
fn tables_without_rows_have_no_answers() {
    let empty = table(&signed::<P256>(1)).slice(0, 0);
    for (index, written) in WRITTEN.into_iter().enumerate() {
        let input = file(&format!("empty{index}"), &empty, 1, written);
        let refused = run(
            &[&["verify", "--curve", "p256", input.path()], COLUMNS].concat(),
            "",
        );
        assert_eq!(
            (code(&refused), refused.stdout.len()),
            (2, 0),
            "{}",
            stderr(&refused)
        );
        assert!(
            stderr(&refused).contains("the input has no items"),
            "{}",
            stderr(&refused)
        );
        let verify = ["verify", "--curve", "p256", "--allow-empty", input.path()];
        let output = run(&[&verify, COLUMNS].concat(), "");
        assert_eq!(
            (code(&output), output.stdout.len()),
            (0, 0),
            "{}",
            stderr(&output)
        );
        let out = TemporaryFile::new(&format!("empty{index}.parquet"), "");
        let arguments = [
            "verify",
            "--curve",
            "p256",
            "--allow-empty",
            "-o",
            out.path(),
            input.path(),
        ];
        assert_eq!(code(&run(&[&arguments, COLUMNS].concat(), "")), 0);
        assert!(Path::new(out.path()).metadata().unwrap().len() > 0);
        assert_eq!(
            read(out.path())
                .iter()
                .map(RecordBatch::num_rows)
                .sum::<usize>(),
            0
        );
    }
}

/// A table that is truncated or changed anywhere leads to answers, or to exit code 2 with a
/// message.
#[test]
fn malformed_tables_are_errors() {
    let set = signed::<P256>(60);
    let table = table(&set);
    for (index, written) in WRITTEN.into_iter().enumerate() {
        let whole =
            std::fs::read(file(&format!("whole{index}"), &table, 25, written).path()).unwrap();
        for round in 0..24 {
            let mut bytes = whole.clone();
            let random = getrandom::u64().unwrap() as usize;
            // Half of the changes are in the metadata at the ends of the file.
            let place = match round % 4 {
                0 => random % bytes.len(),
                1 => 8 + random % 600,
                _ => bytes.len() - 1 - random % 900,
            };
            if round < 8 {
                bytes.truncate(place.max(8));
            } else {
                bytes[place] ^= 1 << (random >> 32 & 7);
            }
            let broken = TemporaryFile::new(&format!("broken{index}"), &bytes);
            let arguments = [
                "verify",
                "--curve",
                "p256",
                "--max-memory",
                "256M",
                broken.path(),
            ];
            let output = run(&[&arguments, COLUMNS].concat(), "");
            let message = stderr(&output);
            assert!(
                (0..=2).contains(&code(&output)),
                "{round} {place} {message}"
            );
            assert!(
                !message.contains("panicked") && (code(&output) < 2 || message.contains("gecc: ")),
                "{place} {message}"
            );
            assert!(
                round >= 8 || written.0 == Format::ArrowStream || code(&output) == 2,
                "{place} {message}"
            );
        }
    }
}

/// Messages of 32 MiB whose signatures are all invalid.
fn long_messages(count: usize) -> RecordBatch {
    let zeros = vec![0u8; 32 << 20];
    let set = signed::<P256>(count);
    RecordBatch::try_from_iter([
        (
            "message",
            Arc::new(BinaryArray::from_iter_values(vec![&zeros; count])) as ArrayRef,
        ),
        (
            "signature",
            fixed(set.signed.iter().map(|one| one.signature)),
        ),
        (
            "public_key",
            fixed(set.public.iter().map(|key| key.to_compressed().unwrap())),
        ),
    ])
    .unwrap()
}

/// A page may be as large as a batch.
#[test]
fn pages_of_hundreds_of_mebibytes_are_read() {
    let large = file("large", &long_messages(9), 9, WRITTEN[1]);
    for limit in [&[][..], &["--max-memory", "8G"]] {
        let output = run(
            &[&["verify", "--curve", "p256", large.path()], limit].concat(),
            "",
        );
        assert_eq!(
            (code(&output), answers(&output).len()),
            (1, 9),
            "{}",
            stderr(&output)
        );
    }
}

/// A large value in a small file.
#[test]
fn decompression_bomb_in_a_table_exceeds_the_limit() {
    let table = long_messages(3);
    for (index, written) in [WRITTEN[1], WRITTEN[2]].into_iter().enumerate() {
        let bomb = file(&format!("bomb{index}"), &table, 3, written);
        assert!(Path::new(bomb.path()).metadata().unwrap().len() < 1 << 20);
        let output = run(
            &[
                "verify",
                "--curve",
                "p256",
                "--max-memory",
                "64M",
                bomb.path(),
            ],
            "",
        );
        assert_eq!(
            (code(&output), output.stdout.len()),
            (2, 0),
            "{}",
            stderr(&output)
        );
        assert!(
            stderr(&output).contains("above the limit of"),
            "{}",
            stderr(&output)
        );
    }
}
