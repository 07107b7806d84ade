//! Answers as columns, for text, rows and tables: they contain the same as lines.

use crate::support::{TemporaryFile, answers, code, run, signed, stderr};
use arrow_array::cast::AsArray;
use arrow_array::types::{UInt8Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use gecc::{Secp256k1, Sm2, keys};
use gecc_arrow::{Projection, ReadOptions, open};
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

const ITEMS: usize = 300;

fn read(path: &str) -> Vec<RecordBatch> {
    open(path, ReadOptions::default())
        .unwrap()
        .batches(&Projection::All)
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

/// On a full disk, or with a limit of the file size, the computed answers are kept in a file that
/// can be read.
#[cfg(target_os = "linux")]
#[test]
fn table_at_the_file_size_limit_ends_after_its_last_complete_part() {
    use std::fmt::Write;
    const KEYS: usize = 250_000;
    let mut lines = String::new();
    (1..=KEYS).for_each(|key| writeln!(lines, "{key:064x}").unwrap());
    let input = TemporaryFile::new("limit-of-table.keys", lines);
    let folder = tempfile::tempdir().unwrap();
    let pubkey = |name: &str, blocks: u32| {
        let output = folder.path().join(name);
        let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script]).arg(crate::PROGRAM).args([
            "pubkey",
            "--curve",
            "secp256k1",
            "--engine",
            "cpu",
        ]);
        command
            .args(["--quiet", "-o"])
            .arg(&output)
            .arg(input.path())
            .output()
            .unwrap()
    };
    for name in ["out.parquet", "out.arrow"] {
        // The limit is in blocks of 512 bytes: three quarters of some 16 MB, then less than the
        // first part.
        let limited = pubkey(name, 24_000);
        let message = stderr(&limited);
        assert_eq!(code(&limited), 2, "{message}");
        assert!(
            message.contains("`ulimit -f`") && message.contains("the answers up to there are in "),
            "{name}: {message}"
        );
        let kept = message.trim_end().rsplit(" are in ").next().unwrap();
        let rows: usize = read(kept).iter().map(RecordBatch::num_rows).sum();
        assert!(rows > KEYS / 8 && rows < KEYS, "{name}: {rows}");
        std::fs::remove_file(kept).unwrap();
        let none = pubkey(name, 40);
        assert_eq!(
            (code(&none), std::fs::read_dir(&folder).unwrap().count()),
            (2, 0),
            "{}",
            stderr(&none)
        );
        assert!(stderr(&none).contains("`ulimit -f`"), "{}", stderr(&none));
    }
}

/// Converts a cell to the spelling of lines; `None` if it is null.
fn cell(column: &ArrayRef, row: usize) -> Option<Value> {
    if column.is_null(row) {
        return None;
    }
    Some(match column.data_type() {
        DataType::Boolean => json!(column.as_boolean().value(row)),
        DataType::UInt8 => json!(column.as_primitive::<UInt8Type>().value(row)),
        DataType::UInt64 => json!(column.as_primitive::<UInt64Type>().value(row)),
        DataType::FixedSizeBinary(_) => {
            json!(hex::encode(column.as_fixed_size_binary().value(row)))
        }
        DataType::Binary => json!(hex::encode(column.as_binary::<i32>().value(row))),
        DataType::BinaryView => json!(hex::encode(column.as_binary_view().value(row))),
        DataType::Utf8 => json!(column.as_string::<i32>().value(row)),
        DataType::Utf8View => json!(column.as_string_view().value(row)),
        DataType::Dictionary(..) => {
            let column = column.as_any_dictionary();
            return cell(column.values(), column.normalized_keys()[row]);
        }
        other => panic!("{other} in answers"),
    })
}

/// Converts the rows of a file to the spelling of lines.
fn rows(path: &str) -> Vec<Value> {
    let of_row = |batch: &RecordBatch, row: usize| {
        let names = batch
            .schema()
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect::<Vec<_>>();
        let cells = names.into_iter().zip(batch.columns());
        let cells = cells.filter_map(|(name, column)| cell(column, row).map(|cell| (name, cell)));
        let mut object: Map<String, Value> = cells.collect();
        if let Some(Value::String(tag)) = object.get("tag") {
            let tag = serde_json::from_str(tag).unwrap();
            object.insert("tag".to_owned(), tag);
        }
        Value::Object(object)
    };
    read(path)
        .iter()
        .flat_map(|batch| {
            (0..batch.num_rows())
                .map(|row| of_row(batch, row))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Converts an answer to the spelling of columns: reasons of all operations have one name, and
/// addresses no prefix.
fn as_columns(mut answer: Value) -> Value {
    let fields = answer.as_object_mut().unwrap();
    if let Some(reason) = fields.remove("error") {
        fields.insert("reason".to_owned(), reason);
    }
    if let Some(Value::String(address)) = fields.get_mut("address") {
        *address = address.trim_start_matches("0x").to_owned();
    }
    answer
}

/// Lines with all fields. Some are wrong, some are not items, and every second has a tag.
fn lines() -> String {
    let set = signed::<Secp256k1>(ITEMS);
    (0..ITEMS)
        .map(|item| {
            let mut json = set.json(item);
            json["secret_key"] = json!(hex::encode(set.secret[item].expose_bytes()));
            match item % 11 {
                3 => json["public_key"] = json!("02"),
                4 => json["signature"] = json!("zz"),
                5 => json["digest"] = json!(hex::encode([item as u8; 32])),
                6 => {
                    json["public_key"] =
                        json!(hex::encode(set.public[item].to_compressed().unwrap()))
                }
                7 => json["secret_key"] = json!("00".repeat(32)),
                8 => return "no item".to_owned(),
                _ => {}
            }
            if item % 2 == 1 {
                json.as_object_mut().unwrap().remove("tag");
            }
            json.to_string()
        })
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn keys_of(count: usize) -> String {
    let (secret, _) = keys::generate(&gecc::Engine::cpu().unwrap(), Secp256k1, count).unwrap();
    secret
        .iter()
        .map(|key| hex::encode(key.expose_bytes()))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Runs a command for lines and for columns, and requires the same answers.
fn compare(command: &[&str], input: &str, end: &str) -> Vec<Value> {
    let expected = run(&[command, &["--line", "--", input]].concat(), "");
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let output = TemporaryFile::new(
        &format!("compared.{}.{end}", NUMBER.fetch_add(1, Ordering::Relaxed)),
        "",
    );
    let found = run(
        &[command, &["--line", "-o", output.path(), "--", input]].concat(),
        "",
    );
    assert_eq!(
        (code(&found), found.stdout.len()),
        (code(&expected), 0),
        "{command:?} {}",
        stderr(&found)
    );
    // Rejections by reason are indented.
    let reasons = |messages: String| {
        messages
            .lines()
            .filter(|line| line.starts_with(' '))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        reasons(stderr(&found)),
        reasons(stderr(&expected)),
        "{command:?}"
    );
    let expected: Vec<Value> = answers(&expected).into_iter().map(as_columns).collect();
    let rows = rows(output.path());
    assert_eq!(rows.len(), expected.len(), "{command:?}");
    for (row, expected) in rows.iter().zip(&expected) {
        assert_eq!(row, expected, "{command:?}");
    }
    rows
}

#[test]
fn columns_of_text_agree_with_lines() {
    let input = TemporaryFile::new("columns.jsonl", lines());
    let one = TemporaryFile::new("columns.one", keys_of(1));
    let all = TemporaryFile::new("columns.all", keys_of(ITEMS));
    let few = TemporaryFile::new("columns.few", keys_of(200));
    let commands: [&[&str]; 12] = [
        &["verify"],
        &["verify", "--low-s"],
        &["recover"],
        &["recover", "--addresses"],
        &["sign", "--key-file", one.path()],
        &["sign", "--recoverable", "--key-file", all.path()],
        &["sign", "--der", "--recoverable", "--key-file", few.path()],
        &["sign"],
        &["ecdh", "--key-file", all.path()],
        &["ecdh"],
        &["pubkey"],
        &["pubkey", "--compressed"],
    ];
    for end in ["parquet", "arrow"] {
        for command in commands {
            let rows = compare(
                &[command, &["--curve", "secp256k1"]].concat(),
                input.path(),
                end,
            );
            assert_eq!(rows.len(), ITEMS);
            assert_eq!(rows[0]["tag"], json!({"item": 0}));
            assert_eq!(
                (&rows[2]["line"], rows[8]["reason"].is_string()),
                (&json!(5), true),
                "{command:?}"
            );
        }
    }
}

/// Keys in the items have the same answers as those of key files.
#[test]
fn keys_of_items_are_those_of_a_file() {
    let set = signed::<Secp256k1>(20);
    let keys: Vec<String> = set
        .secret
        .iter()
        .map(|key| hex::encode(key.expose_bytes()))
        .collect();
    let file = TemporaryFile::new("items.keys", keys.join("\n"));
    let lines: Vec<String> = (0..20)
        .map(|item| {
            let mut json = set.json(item);
            json["secret_key"] = json!(keys[item]);
            // Keys of both forms, so that some are computed separately.
            if item.is_multiple_of(3) {
                json["public_key"] = json!(hex::encode(set.public[item].to_compressed().unwrap()));
            }
            json.to_string()
        })
        .collect();
    for command in [&["sign"][..], &["sign", "--recoverable"], &["ecdh"]] {
        let command = [command, &["--curve", "secp256k1"]].concat();
        let of_items = run(&command, lines.join("\n"));
        let of_file = run(
            &[&command[..], &["--key-file", file.path()]].concat(),
            lines.join("\n"),
        );
        assert_eq!(
            (code(&of_items), &of_items.stdout),
            (0, &of_file.stdout),
            "{}",
            stderr(&of_items)
        );
    }
    // Messages of SM2 are computed separately as well.
    let (secret, _) = keys::generate(&gecc::Engine::cpu().unwrap(), Sm2, 5).unwrap();
    let keys: Vec<String> = secret
        .iter()
        .map(|key| hex::encode(key.expose_bytes()))
        .collect();
    let file = TemporaryFile::new("items.sm2.keys", keys.join("\n"));
    let lines: Vec<String> = keys
        .iter()
        .map(|key| json!({"message": "616263", "secret_key": key}).to_string())
        .collect();
    let of_items = run(&["sign", "--curve", "sm2"], lines.join("\n"));
    let of_file = run(
        &["sign", "--curve", "sm2", "--key-file", file.path()],
        lines.join("\n"),
    );
    assert_eq!(
        (code(&of_items), &of_items.stdout),
        (0, &of_file.stdout),
        "{}",
        stderr(&of_items)
    );
    let missing = run(
        &["sign", "--curve", "sm2"],
        json!({"message": "616263"}).to_string(),
    );
    assert_eq!(
        (code(&missing), &answers(&missing)[0]["error"]),
        (2, &json!("`secret_key` is not given"))
    );
}

#[test]
fn columns_respect_only_rejected_and_check() {
    let text = TemporaryFile::new("selected.jsonl", lines());
    let verify = ["verify", "--curve", "secp256k1", text.path()];
    for (option, end) in [
        ("--only-rejected", "parquet"),
        ("--check", "parquet"),
        ("--only-rejected", "arrow"),
    ] {
        let lines = run(&[&verify[..], &[option]].concat(), "");
        let output = TemporaryFile::new(&format!("selected.out.{end}"), "");
        let columns = run(&[&verify[..], &[option, "-o", output.path()]].concat(), "");
        assert_eq!(
            (code(&lines), code(&columns)),
            (1, 1),
            "{}",
            stderr(&columns)
        );
        let mut expected: Vec<Value> = answers(&lines);
        if option == "--check" {
            // Without --line columns have no line numbers.
            expected
                .iter_mut()
                .for_each(|answer| _ = answer.as_object_mut().unwrap().remove("line"));
        }
        assert_eq!(rows(output.path()), expected, "{option} {end}");
    }
}
