//! Whole chains: the commands on the test files of `gecc-chains` and the examples.

use crate::support::{answers, code, gecc, run, stderr};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

fn data(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../gecc-chains/tests/data")
        .join(name);
    path.to_str().expect("UTF-8").to_owned()
}

fn of_examples(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/data")
        .join(name);
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn senders_of_files_and_folders() {
    let output = run(&["ethereum", "senders", &of_examples("ethereum")], "");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let found = answers(&output);
    let transactions: Vec<&Value> = found
        .iter()
        .filter(|answer| answer.get("authorization").is_none())
        .collect();
    assert_eq!(transactions.len(), 529);
    // In the order of names, and of transactions in the block.
    let block: Value =
        serde_json::from_slice(&fs::read(of_examples("ethereum/block_1150000.json")).unwrap())
            .unwrap();
    for (answer, transaction) in transactions
        .iter()
        .zip(block["transactions"].as_array().unwrap())
    {
        let expected = json!({"block": 1_150_000, "hash": transaction["hash"], "type": "legacy", "from": transaction["from"], "valid": true});
        assert_eq!(**answer, expected);
    }
    assert!(
        stderr(&output).contains("530 signatures, 530 valid, 0 rejected, 0 not checked"),
        "{}",
        stderr(&output)
    );
    assert!(stderr(&output).contains("EIP-7702 authorization"));
    let some = run(
        &[
            "ethereum",
            "senders",
            "--quiet",
            "--from",
            "1920000",
            "--to",
            "1920000",
            &of_examples("ethereum"),
        ],
        "",
    );
    assert_eq!((answers(&some).len(), stderr(&some)), (4, String::new()));
}

#[test]
fn exit_codes_distinguish_unchecked_from_rejected() {
    if cfg!(feature = "arrow") {
        let table = data("ethereum__transactions__mixed.parquet");
        let unchecked = run(&["ethereum", "senders", "--only-rejected", &table], "");
        assert_eq!((code(&unchecked), answers(&unchecked).len()), (3, 13));
        assert!(
            answers(&unchecked)
                .iter()
                .all(|answer| answer["valid"].is_null() && answer["reason"].is_string())
        );
    }
    let other = run(
        &[
            "ethereum",
            "senders",
            "--chain-id",
            "5",
            &data("sepolia-00021-txblocks.era1"),
        ],
        "",
    );
    assert_eq!(code(&other), 1);
    assert!(stderr(&other).contains("it is for another chain"));
    let folder = tempfile::tempdir().unwrap();
    let (cut, missing) = (
        folder.path().join("cut.era1"),
        folder.path().join("missing"),
    );
    let whole = fs::read(data("sepolia-00021-txblocks.era1")).unwrap();
    fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    let damaged = run(
        &[
            "ethereum",
            "senders",
            cut.to_str().unwrap(),
            missing.to_str().unwrap(),
        ],
        "",
    );
    assert_eq!(code(&damaged), 2);
    assert!(!answers(&damaged).is_empty());
    assert!(
        stderr(&damaged).contains("cut.era1: at byte ") && stderr(&damaged).contains("missing: "),
        "{}",
        stderr(&damaged)
    );
    assert_eq!(code(&run(&["ethereum", "senders"], "")), 2);
}

/// s of this transaction of 2015 is above n/2, which a rule of Homestead forbids; from the threads
/// paradigmxyz/reth#5913 and #8191.
#[test]
fn encoded_transactions_by_the_rules_of_a_block() {
    let raw = "0xf86d8085746a52880082520894c93f2250589a6563f5359051c1ea25746549f0d889208686e75e903bc000801ba034b6fdc33ea520e812\
               3cf5ac4a9ff476f639cab68980cd9366ccae7aef437ea0a0e517caa5f50e27ca0d1e9a92c503b4ccb039680c6d9d0c71203ed611ea4feb33";
    for (options, expected) in [
        (&[][..], 1),
        (&["--at-block", "46170"], 0),
        (&["--at-block", "0xb45a"], 0),
        (&["--at-block", "1149999"], 0),
        (&["--at-block", "1150000"], 1),
    ] {
        let output = run(&[&["ethereum", "senders", "-"], options].concat(), raw);
        assert_eq!(code(&output), expected, "{options:?}: {}", stderr(&output));
        assert_eq!(
            answers(&output)[0]["from"],
            "0x63ac545c991243fa18aec41d4f6f598e555015dc"
        );
    }
    assert_eq!(
        code(&run(
            &["ethereum", "senders", "--at-block", "homestead", "-"],
            raw
        )),
        2
    );
    // Transactions of blocks have the rules of these.
    let block = of_examples("ethereum/block_1150000.json");
    let senders = ["ethereum", "senders", "--at-block", "46170"];
    let output = run(&[&senders[..], &[&block]].concat(), "");
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("--at-block has no effect"),
        "{}",
        stderr(&output)
    );
    let encoded = tempfile::NamedTempFile::new().unwrap();
    fs::write(encoded.path(), raw).unwrap();
    let both = [&senders[..], &[&block, encoded.path().to_str().unwrap()]].concat();
    let output = run(&both, "");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

/// The prefixes that other programs write: PostgreSQL's, and 0X.
#[test]
fn hexadecimal_may_have_any_common_prefix() {
    let raw = "f86d8085746a52880082520894c93f2250589a6563f5359051c1ea25746549f0d889208686e75e903bc000801ba034b6fdc33ea520e812\
               3cf5ac4a9ff476f639cab68980cd9366ccae7aef437ea0a0e517caa5f50e27ca0d1e9a92c503b4ccb039680c6d9d0c71203ed611ea4feb33";
    let senders = ["ethereum", "senders", "--at-block", "46170", "-"];
    for text in [
        raw.to_owned(),
        format!("0x{raw}"),
        format!("0X{}", raw.to_uppercase()),
        format!("\\x{raw}"),
        format!(" 0x{raw} \r\n0X{raw}\n"),
    ] {
        let output = run(&senders, text.as_str());
        assert_eq!(code(&output), 0, "{text}: {}", stderr(&output));
        assert_eq!(
            answers(&output)[0]["from"],
            "0x63ac545c991243fa18aec41d4f6f598e555015dc"
        );
    }
    let output = run(&senders, format!("0x{raw}\n0x0x{raw}\n"));
    assert_eq!((code(&output), answers(&output).len()), (2, 1));
}

/// Transactions without a signature are not errors, and those of one cause have one line in the
/// summary.
#[test]
fn summary_counts_unsigned_and_malformed_transactions_by_cause() {
    let unsigned = |type_number: &str| {
        json!({"type": type_number, "hash": format!("0x{}", "07".repeat(32)), "from": format!("0x{}", "0b".repeat(20)),
               "input": "0x", "chainId": "0xa4b1", "v": "0x0", "r": "0x0", "s": "0x0"})
    };
    let block =
        json!({"number": "0x1", "transactions": [unsigned("0x6a"), unsigned("0x64"), unsigned("0x7f")]}).to_string();
    let output = run(&["ethereum", "senders", "-"], block.as_str());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("3 signatures, 0 valid, 0 rejected, 0 not checked, 3 unsigned"),
        "{}",
        stderr(&output)
    );
    assert_eq!(answers(&output)[0]["type"], "Arbitrum unsigned");
    let rejected = run(
        &["ethereum", "senders", "--chain-id", "1", "-"],
        block.as_str(),
    );
    assert_eq!(
        (code(&rejected), answers(&rejected)[0]["valid"].clone()),
        (1, json!(false))
    );
    // The same cause in many transactions, with different members before it.
    let malformed: Vec<Value> = (1..30)
        .map(|digits| json!({"x".repeat(digits): 1, "input": "0x", "hash": format!("0x{}", "1".repeat(digits))}))
        .collect();
    let output = run(
        &["ethereum", "senders", "-"],
        json!({"number": "0x1", "transactions": malformed}).to_string(),
    );
    assert_eq!((code(&output), answers(&output).len()), (3, 29));
    let message = stderr(&output);
    let lines: Vec<&str> = message
        .lines()
        .map(str::trim)
        .filter(|line| line.contains("cannot be rebuilt"))
        .collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("29  unknown: "), "{lines:?}");
}

#[cfg(feature = "arrow")]
#[test]
fn tables_of_transactions_with_wrong_row_counts_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    for (name, expected) in [
        (
            "amp_evm_transactions.parquet",
            "the row groups have 1120 rows together, but the footer says 1119",
        ),
        (
            "ethereum__transactions__polars.parquet",
            "row group 1, column `",
        ),
    ] {
        let changed = folder.path().join(name);
        fs::write(
            &changed,
            crate::tables::with_a_row_less(Path::new(&data(name))),
        )
        .unwrap();
        let output = run(&["ethereum", "senders", changed.to_str().unwrap()], "");
        assert_eq!(
            (code(&output), answers(&output).len()),
            (2, 0),
            "{}",
            stderr(&output)
        );
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
}

/// Neither of two columns of one name is used.
#[cfg(feature = "arrow")]
#[test]
fn table_of_transactions_with_duplicate_columns_is_refused() {
    use gecc_arrow::{Destination, Format, Pool, Projection, Writer};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ethereum__transactions__two.parquet");
    let input = gecc_arrow::open(
        data("ethereum__transactions__polars.parquet"),
        Default::default(),
    )
    .unwrap();
    let batch = input
        .batches(&Projection::All)
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    for name in ["transaction_hash", "from_address", "r", "v"] {
        let place = batch.schema().index_of(name).unwrap();
        let places: Vec<usize> = (0..batch.num_columns()).chain([place]).collect();
        let two = batch.project(&places).unwrap();
        let output = Destination::File(path.clone());
        let mut writer =
            Writer::create(output, Format::Parquet, Default::default(), &two.schema()).unwrap();
        writer.write(&two, &Pool::default()).unwrap();
        writer.finish().unwrap();
        let output = run(&["ethereum", "senders", path.to_str().unwrap()], "");
        assert_eq!(
            (code(&output), answers(&output).len()),
            (2, 0),
            "{}",
            stderr(&output)
        );
        assert!(
            stderr(&output).contains(&format!("two columns {name}")),
            "{}",
            stderr(&output)
        );
    }
}

#[cfg(feature = "arrow")]
#[test]
fn answers_as_columns() {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("senders.parquet");
    let output = run(
        &[
            "ethereum",
            "senders",
            "-o",
            path.to_str().unwrap(),
            &data("amp_evm_transactions.parquet"),
        ],
        "",
    );
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let lines = answers(&run(
        &[
            "ethereum",
            "senders",
            "--quiet",
            &data("amp_evm_transactions.parquet"),
        ],
        "",
    ));
    let mut rows = 0;
    for batch in gecc_arrow::open(&path, Default::default())
        .unwrap()
        .batches(&gecc_arrow::Projection::All)
        .unwrap()
    {
        let batch = batch.unwrap();
        let column = |name: &str| batch.column_by_name(name).unwrap();
        let (valid, reasons) = (column("valid").as_boolean(), column("reason"));
        let from = gecc_arrow::Cells::of(column("from").as_ref());
        for row in 0..batch.num_rows() {
            assert!(valid.value(row) && reasons.is_null(row));
            assert_eq!(
                lines[rows]["from"],
                format!("0x{}", hex::encode(from.get(row).unwrap()))
            );
            rows += 1;
        }
    }
    assert_eq!(rows, lines.len());
}

#[test]
fn later_call_skips_files_that_are_done() {
    let folder = tempfile::tempdir().unwrap();
    let (files, state) = (folder.path().join("files"), folder.path().join("done.txt"));
    fs::create_dir(&files).unwrap();
    for name in ["made-premerge.era1", "sepolia-00021-txblocks.era1"] {
        fs::copy(data(name), files.join(name)).unwrap();
    }
    let (files, state) = (files.to_str().unwrap(), state.to_str().unwrap());
    let call = || run(&["ethereum", "senders", "--state", state, files], "");
    assert_eq!(answers(&call()).len(), 420 + 51);
    let second = call();
    assert_eq!((code(&second), answers(&second).len()), (0, 0));
    assert!(stderr(&second).contains("2 files are done already"));
    // One file is new, and one has changed.
    fs::copy(data("made-postmerge.e2s"), format!("{files}/new")).unwrap();
    fs::copy(
        data("made-premerge.era1"),
        format!("{files}/sepolia-00021-txblocks.era1"),
    )
    .unwrap();
    assert_eq!(answers(&call()).len(), 420 + 701);
    // A truncated line, and a file that is not a record.
    let text = fs::read_to_string(state).unwrap();
    fs::write(state, &text[..text.len() - 10]).unwrap();
    assert!(answers(&call()).len() > 400);
    assert_eq!(answers(&call()).len(), 0);
    fs::write(state, "notes\n").unwrap();
    assert_eq!(code(&call()), 2);
}

/// A node writes blocks before the outputs that they spend.
#[test]
fn blocks_without_spent_outputs_are_not_recorded_as_done() {
    let folder = tempfile::tempdir().unwrap();
    let (files, state) = (folder.path().join("blocks"), folder.path().join("done"));
    fs::create_dir(&files).unwrap();
    for name in ["blk00000.dat", "rev00000.dat", "xor.dat"] {
        fs::copy(format!("{}/{name}", data("blkrev")), files.join(name)).unwrap();
    }
    let whole = fs::read(files.join("rev00000.dat")).unwrap();
    fs::write(files.join("rev00000.dat"), &whole[..whole.len() / 3]).unwrap();
    let state = state.to_str().unwrap();
    let call = |named: &Path| {
        answers(&run(
            &[
                "bitcoin",
                "verify",
                "--state",
                state,
                named.to_str().unwrap(),
            ],
            "",
        ))
        .len()
    };
    let before = call(&files);
    fs::write(files.join("rev00000.dat"), whole).unwrap();
    let found = [before, call(&files), call(&files)];
    assert!(found[0] < 309 && found[1..] == [309, 0], "{found:?}");
    // A file of one block.
    let block = folder.path().join("block300025.raw");
    fs::copy(of_examples("bitcoin/block300025.raw"), &block).unwrap();
    assert_eq!(call(&block), 0);
    fs::copy(
        of_examples("bitcoin/block300025-undo.raw"),
        folder.path().join("block300025-undo.raw"),
    )
    .unwrap();
    assert_eq!([call(&block), call(&block)], [1427, 0]);
}

#[test]
fn answers_to_files_that_are_done_are_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let files = of_examples("ethereum/block_1920000.json");
    let call = |state: &str, output: &str| {
        run(
            &[
                "ethereum",
                "senders",
                "--state",
                &at(state),
                "-o",
                &at(output),
                &files,
            ],
            "",
        )
    };
    assert_eq!(code(&call("done", "answers")), 0);
    let kept = fs::read(at("answers")).unwrap();
    let refused = call("done", "answers");
    assert!(
        code(&refused) == 2 && stderr(&refused).contains("name another output"),
        "{}",
        stderr(&refused)
    );
    assert_eq!(fs::read(at("answers")).unwrap(), kept);
    assert_eq!(
        (
            code(&call("done", "others")),
            fs::read(at("others")).unwrap().len()
        ),
        (0, 0)
    );
    // An empty output may be written again.
    assert_eq!(code(&call("done", "others")), 0);
    for same in ["done", "both"] {
        let refused = call(same, same);
        assert!(
            code(&refused) == 2 && stderr(&refused).contains("different files"),
            "{}",
            stderr(&refused)
        );
    }
    // An open output is appended to.
    #[cfg(unix)]
    for _ in 0..2 {
        let log = fs::File::options()
            .create(true)
            .append(true)
            .open(at("log"))
            .unwrap();
        let arguments = [
            "ethereum",
            "senders",
            "--state",
            &at("appended"),
            "-o",
            "/dev/stdout",
            &files,
        ];
        let output = gecc().args(arguments).stdout(log).output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(fs::read(at("log")).unwrap(), kept);
    }
}

#[test]
fn outputs_with_names_of_compressed_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [block, certificates] =
        ["ethereum/block_1920000.json", "sm2/sm2_certs.pem"].map(of_examples);
    let (blocks, index) = (
        of_examples("bitcoin"),
        if cfg!(feature = "arrow") {
            "index"
        } else {
            "verify"
        },
    );
    for (arguments, name) in [
        (&["ethereum", "senders", &block][..], "a.jsonl.gz"),
        (&["certificates", &certificates], "a.XZ"),
        (&["bitcoin", index, &blocks], "a.parquet.zst"),
    ] {
        let output = folder.path().join(name);
        let refused = run(&[arguments, &["-o", output.to_str().unwrap()]].concat(), "");
        let message = stderr(&refused);
        assert!(
            code(&refused) == 2
                && message.contains("answers are not compressed")
                && !output.exists(),
            "{message}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started_are_an_error() {
    let block = of_examples("ethereum/block_1150000.json");
    crate::support::some_threads_cannot_be_started(&["ethereum", "senders", &block], 9);
}

/// A table without its end cannot be read.
#[cfg(all(target_os = "linux", feature = "arrow"))]
#[test]
fn incomplete_table_on_a_full_disk_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [blocks, block] = [of_examples("ethereum"), data("block866342.raw.zst")];
    for arguments in [
        ["ethereum", "senders", "-o", &at("a.parquet"), &blocks],
        ["bitcoin", "index", "-o", &at("a.parquet"), &block],
        ["bitcoin", "index", "-o", &at("a.arrow"), &block],
    ] {
        let script = "ulimit -f 4; exec \"$0\" \"$@\"";
        let mut command = std::process::Command::new("sh");
        let output = command
            .args(["-c", script])
            .arg(gecc().get_program())
            .args(arguments)
            .output()
            .unwrap();
        assert!(
            code(&output) == 2 && stderr(&output).contains("`ulimit -f`"),
            "{}",
            stderr(&output)
        );
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            0,
            "{arguments:?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8_are_read_or_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let (files, state) = (folder.path().join("files"), folder.path().join("done"));
    fs::create_dir_all(files.join("inner")).unwrap();
    let block = of_examples("ethereum/block_1920000.json");
    fs::copy(&block, files.join("inner/block.json")).unwrap();
    fs::copy(
        &block,
        files
            .join("inner")
            .join(OsStr::from_bytes(b"block\xff.json")),
    )
    .unwrap();
    let (files, state) = (files.to_str().unwrap(), state.to_str().unwrap());
    let call = || run(&["ethereum", "senders", "--state", state, files], "");
    assert_eq!((answers(&call()).len(), answers(&call()).len()), (8, 0));
    let senders = |pattern: &str| run(&["ethereum", "senders", &format!("{files}/{pattern}")], "");
    for pattern in ["inner/*.json", "*/*.json", "inner/block*"] {
        let refused = senders(pattern);
        assert!(
            code(&refused) == 2 && stderr(&refused).contains("not UTF-8"),
            "{pattern}: {}",
            stderr(&refused)
        );
    }
    assert_eq!(code(&senders("inner/block.*")), 0);
}

#[test]
fn text_in_other_encodings_is_decoded_or_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let block = fs::read(of_examples("ethereum/block_1920000.json")).unwrap();
    let senders = |content: &[u8]| {
        fs::write(&path, content).unwrap();
        run(&["ethereum", "senders", path.to_str().unwrap()], "")
    };
    assert_eq!(
        answers(&senders(&[b"\xef\xbb\xbf", &block[..]].concat())).len(),
        4
    );
    let utf_16: Vec<u8> = block.iter().flat_map(|byte| [*byte, 0]).collect();
    for (content, named) in [
        ([b"\xff\xfe", &utf_16[..]].concat(), "UTF-16"),
        (b"\xfd7zXZ\0 and more".to_vec(), "xz -dc"),
        (b"PK\x03\x04 and more".to_vec(), "zip archive"),
    ] {
        let refused = senders(&content);
        assert!(
            code(&refused) == 2 && stderr(&refused).contains(named),
            "{named}: {}",
            stderr(&refused)
        );
    }
}

#[cfg(not(feature = "arrow"))]
#[test]
fn missing_arrow_feature_is_reported_with_a_remedy() {
    let (blocks, table) = (
        of_examples("ethereum"),
        data("ethereum__transactions__mixed.parquet"),
    );
    for arguments in [
        &[
            "bitcoin",
            "index",
            "-o",
            "index.parquet",
            &of_examples("bitcoin"),
        ][..],
        &["bitcoin", "scan", "--key-file", "keys.txt", "index.parquet"],
        &["ethereum", "senders", &table],
        &["ethereum", "senders", "-o", "senders.arrow", &blocks],
        &["recover", "--curve", "secp256k1", &table],
        &[
            "recover",
            "--curve",
            "secp256k1",
            "--format",
            "parquet",
            &table,
        ],
        &[
            "recover",
            "--curve",
            "secp256k1",
            "-o",
            "keys.parquet",
            &table,
        ],
    ] {
        let output = run(arguments, "");
        assert!(
            code(&output) == 2 && stderr(&output).contains("--features arrow"),
            "{}",
            stderr(&output)
        );
    }
}

/// The commands that read blocks of Bitcoin.
const OF_BLOCKS: &[&str] = if cfg!(feature = "arrow") {
    &["verify", "index"]
} else {
    &["verify"]
};

/// The outputs that blocks spend could not be found next to standard input.
#[test]
fn blocks_of_bitcoin_do_not_come_from_standard_input() {
    for command in OF_BLOCKS {
        let refused = run(&["bitcoin", command, "-", "-o", "answers"], "");
        assert!(
            code(&refused) == 2 && stderr(&refused).contains("standard input"),
            "{}",
            stderr(&refused)
        );
    }
}

#[test]
fn output_that_is_an_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.era1");
    fs::copy(data("made-premerge.era1"), &path).unwrap();
    let refused = run(
        &[
            "ethereum",
            "senders",
            "-o",
            path.to_str().unwrap(),
            folder.path().to_str().unwrap(),
        ],
        "",
    );
    assert_eq!(code(&refused), 2);
    assert_eq!(
        fs::read(&path).unwrap(),
        fs::read(data("made-premerge.era1")).unwrap()
    );
    // Files that belong to the input of Bitcoin are protected as well.
    let of_block = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    // A block may have any name, and the outputs that it spends may be compressed.
    let [plain, compressed] = ["block300025-undo.raw", "block300025-undo.raw.gz"];
    for (block, undo) in [
        ("block300025.raw", plain),
        ("block300025.raw", compressed),
        ("a.block", "a-undo.block"),
    ] {
        fs::copy(of_examples("bitcoin/block300025.raw"), of_block(block)).unwrap();
        fs::copy(of_examples("bitcoin/block300025-undo.raw"), of_block(undo)).unwrap();
        let undo = of_block(undo);
        let kept = fs::read(&undo).unwrap();
        for command in OF_BLOCKS {
            let refused = run(&["bitcoin", command, "-o", &undo, &of_block(block)], "");
            assert!(
                code(&refused) == 2 && stderr(&refused).contains("overwrite"),
                "{}",
                stderr(&refused)
            );
        }
        assert_eq!(fs::read(&undo).unwrap(), kept);
    }
}

#[test]
fn inputs_of_blocks() {
    let output = run(
        &[
            "bitcoin",
            "verify",
            &of_examples("bitcoin"),
            &data("blkrev"),
        ],
        "",
    );
    assert!(matches!(code(&output), 0 | 3), "{}", stderr(&output));
    let found = answers(&output);
    assert!(
        stderr(&output).contains(" 0 rejected"),
        "{}",
        stderr(&output)
    );
    let of_block = |height: u64| {
        found
            .iter()
            .filter(|answer| answer["block"] == height)
            .count()
    };
    assert!(of_block(300_025) >= 1427 && of_block(1_087_400) > 0 && of_block(757_739) > 0);
    let first = found
        .iter()
        .find(|answer| answer["block"] == 300_025)
        .unwrap();
    assert_eq!(
        (
            first["txid"].as_str().unwrap().len(),
            &first["type"],
            &first["valid"]
        ),
        (64, &json!("P2PKH"), &json!(true))
    );
    // Inputs that are not checked have lines of their own in the summary, by template.
    let taproot = run(&["bitcoin", "verify", &data("taproot.raw")], "");
    let of_kind = |kind: &str, valid: Value| {
        answers(&taproot)
            .iter()
            .filter(|answer| answer["type"] == kind && answer["valid"] == valid)
            .count()
    };
    assert_eq!(code(&taproot), 3, "{}", stderr(&taproot));
    assert_eq!(
        (
            of_kind("taproot key path", json!(true)),
            of_kind("taproot script path", json!(true))
        ),
        (25, 7)
    );
    assert_eq!(of_kind("taproot other script", Value::Null), 3);
    assert!(
        stderr(&taproot).contains("taproot other script: not checked: the script has another form")
    );
    // Without the outputs that the blocks spend.
    let folder = tempfile::tempdir().unwrap();
    fs::copy(
        of_examples("bitcoin/block300025.raw"),
        folder.path().join("block300025.raw"),
    )
    .unwrap();
    let alone = run(&["bitcoin", "verify", folder.path().to_str().unwrap()], "");
    assert_eq!((code(&alone), answers(&alone).len()), (2, 0));
}

/// A folder as Bitcoin Core keeps it, with LevelDB next to the blocks, and a block that left the
/// chain.
#[test]
fn bitcoin_cores_folder() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("blocks/index")).unwrap();
    fs::create_dir_all(at("chainstate")).unwrap();
    for entry in fs::read_dir(data("blkrev")).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), at("blocks").join(entry.file_name())).unwrap();
    }
    for name in [
        "blocks/index/CURRENT",
        "blocks/index/MANIFEST-000003",
        "blocks/index/000005.ldb",
        "chainstate/CURRENT",
    ] {
        fs::write(at(name), [0xab; 100]).unwrap();
    }
    let direct = answers(&run(&["bitcoin", "verify", "--quiet", &data("blkrev")], ""));
    for named in [folder.path().to_path_buf(), at("blocks")] {
        let output = run(&["bitcoin", "verify", named.to_str().unwrap()], "");
        assert_eq!(answers(&output), direct);
        assert!(matches!(code(&output), 0 | 3), "{}", stderr(&output));
    }
}

/// Files of spent outputs are read with the blocks that spend them. Where these are missing,
/// nothing was checked.
#[test]
fn spent_outputs_without_blocks_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let whole = PathBuf::from(data("blkrev"));
    let copy = |name: &str, to: &str| fs::copy(whole.join(name), at(to)).unwrap();
    let refuses = |paths: &[&str], expected: &str| {
        for command in ["verify", "index"] {
            if command == "index" && cfg!(not(feature = "arrow")) {
                continue;
            }
            let mut arguments = vec!["bitcoin", command];
            let table = at("tweaks.parquet");
            if command == "index" {
                arguments.extend(["-o", &table]);
            }
            arguments.extend(paths);
            let output = run(&arguments, "");
            assert_eq!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
            assert!(stderr(&output).contains(expected), "{}", stderr(&output));
            let _ = fs::remove_file(&table);
        }
    };
    copy("rev00000.dat", "rev00000.dat");
    let no_blocks = "the input has no blocks";
    refuses(&[&at("rev00000.dat")], no_blocks);
    refuses(&[&at("")], no_blocks);
    copy("xor.dat", "xor.dat");
    refuses(&[&at("")], no_blocks);
    // The blocks of one of two files.
    copy("blk00000.dat", "blk00000.dat");
    refuses(&[&at("rev00000.dat")], no_blocks);
    copy("rev00000.dat", "rev00001.dat");
    refuses(&[&at("")], "there is no blk00001.dat");
    fs::remove_file(at("rev00001.dat")).unwrap();
    let output = run(&["bitcoin", "verify", &at("")], "");
    assert!(matches!(code(&output), 0 | 3), "{}", stderr(&output));

    let singles = tempfile::tempdir().unwrap();
    let at = |name: &str| singles.path().join(name).to_str().unwrap().to_owned();
    for (name, block) in [("one.raw", "one.raw"), ("two.hex", "two.hex")] {
        let undo = name.replace('.', "-undo.");
        fs::write(at(&undo), "00").unwrap();
        let expected = format!("there is no {block}");
        let output = run(&["bitcoin", "verify", &at(&undo)], "");
        assert!(stderr(&output).contains(no_blocks), "{}", stderr(&output));
        fs::write(at("other.raw"), "00").unwrap();
        let output = run(&["bitcoin", "verify", &at("")], "");
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(&expected), "{}", stderr(&output));
        fs::remove_file(at("other.raw")).unwrap();
        fs::remove_file(at(&undo)).unwrap();
    }
}

/// `--magic` is for all files, whether their own magic is known or not.
#[test]
fn files_with_another_magic_than_the_requested_one_are_named() {
    let output = run(
        &["bitcoin", "verify", "--magic", "01020304", &data("blkrev")],
        "",
    );
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("and not with --magic"),
        "{}",
        stderr(&output)
    );
    assert!(!stderr(&output).contains("no known network"));
}

#[test]
fn folders_of_nodes_say_how_to_get_blocks_out() {
    let folder = tempfile::tempdir().unwrap();
    let chaindata = folder.path().join("geth/chaindata");
    fs::create_dir_all(chaindata.join("ancient")).unwrap();
    fs::write(chaindata.join("CURRENT"), "MANIFEST-000001\n").unwrap();
    let output = run(
        &["ethereum", "senders", folder.path().to_str().unwrap()],
        "",
    );
    assert_eq!((code(&output), answers(&output).len()), (2, 0));
    assert!(
        stderr(&output).contains("geth export blocks.rlp FIRST LAST"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn standard_input_patterns_and_compressed_files() {
    let path = of_examples("ethereum/block_1150000.json");
    let whole = fs::read(&path).unwrap();
    let expected = answers(&run(&["ethereum", "senders", "--quiet", &path], ""));
    assert_eq!(expected.len(), 9);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &whole).unwrap();
    for input in [whole, gzip.finish().unwrap()] {
        let piped = run(&["ethereum", "senders", "-"], input);
        assert_eq!(
            (code(&piped), answers(&piped)),
            (0, expected.clone()),
            "{}",
            stderr(&piped)
        );
    }
    // In quotes, so that no shell has replaced it.
    let pattern = run(
        &[
            "ethereum",
            "senders",
            &of_examples("ethereum/block_1150*.json"),
        ],
        "",
    );
    assert_eq!(answers(&pattern), expected);
    let nothing = run(&["ethereum", "senders", "/no/such/*.json"], "");
    assert_eq!(code(&nothing), 2);
    assert!(
        stderr(&nothing).contains("the pattern matches no file"),
        "{}",
        stderr(&nothing)
    );
}

#[test]
fn numbers_of_blocks_may_be_hexadecimal() {
    let output = run(
        &[
            "ethereum",
            "senders",
            "--from",
            "0x1d4c00",
            "--to",
            "1920000",
            &of_examples("ethereum"),
        ],
        "",
    );
    assert_eq!((code(&output), answers(&output).len()), (0, 4));
    let refused = run(
        &[
            "ethereum",
            "senders",
            "--from",
            "0xz",
            &of_examples("ethereum"),
        ],
        "",
    );
    assert!(
        code(&refused) == 2 && stderr(&refused).contains("such as 18000000 or 0x112a880"),
        "{}",
        stderr(&refused)
    );
}

/// Responses of a node other than blocks, and transactions without a signature.
#[test]
fn answers_of_nodes() {
    let error =
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method does not exist"}}"#;
    let output = run(&["ethereum", "senders", "-"], error);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("the method does not exist (code -32601)"),
        "{}",
        stderr(&output)
    );
    let output = run(&["ethereum", "senders", &data("op_deposits.jsonl")], "");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let answer = &answers(&output)[0];
    assert_eq!(
        (&answer["type"], &answer["valid"]),
        (&json!("OP deposit"), &Value::Null)
    );
    assert_eq!(answer["from"], "0x36bde71c97b33cc4729cf772ae268934f7ab70b2");
    assert!(
        stderr(&output).contains("0 not checked, 2 unsigned"),
        "{}",
        stderr(&output)
    );
    // Ethereum has no deposits. An object that only has their type is not one.
    let refused = run(
        &[
            "ethereum",
            "senders",
            "--chain-id",
            "1",
            &data("op_deposits.jsonl"),
        ],
        "",
    );
    assert_eq!(
        (code(&refused), &answers(&refused)[0]["valid"]),
        (1, &json!(false)),
        "{}",
        stderr(&refused)
    );
    let block = fs::read_to_string(of_examples("ethereum/block_1150000.json")).unwrap();
    let mut block: Value = serde_json::from_str(&block).unwrap();
    for transaction in block["transactions"].as_array_mut().unwrap() {
        transaction["type"] = json!("0x7e");
    }
    block["transactionsRoot"].take();
    let texts = [block.to_string(), format!("7e{}", "a5".repeat(100))];
    for text in texts {
        let output = run(&["ethereum", "senders", "-"], text);
        let found = answers(&output);
        let is_known = |answer: &Value| answer["type"] == "OP deposit" && answer["valid"].is_null();
        assert!(!found.is_empty() && found.iter().all(is_known), "{found:?}");
        assert_eq!(code(&output), 3, "{}", stderr(&output));
    }
}

#[test]
fn certificates_of_a_file() {
    let path = of_examples("sm2/sm2_certs.pem");
    let count = |arguments: &[&str]| {
        let output = run(&[&["certificates", path.as_str()], arguments].concat(), "");
        let found = answers(&output);
        (
            code(&output),
            found.len(),
            found
                .iter()
                .filter(|answer| answer["valid"] == true)
                .count(),
        )
    };
    // A key with explicit curve parameters is not accepted, so its certificate is not checked.
    assert_eq!(
        count(&["--sm2-id", "", "--sm2-id", "1234567812345678"]),
        (3, 105, 104)
    );
    assert_eq!(count(&["--sm2-id", ""]), (1, 105, 77));
    assert_eq!(count(&["--sm2-id", "1234567812345678"]), (1, 105, 27));
    // Both are tried by default.
    assert_eq!(count(&[]), (3, 105, 104));
}

/// A node that returns the blocks of the examples: batches in reverse, in chunks, and no response
/// to the very first request.
#[cfg(unix)]
/// Files in other forms than PEM and DER of certificates are described.
#[test]
fn files_without_certificates_are_described() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let pem = |label: &str| format!("-----BEGIN {label}-----\nMAA=\n-----END {label}-----\n");
    for (text, expected) in [
        (pem("PKCS7"), "but PKCS #7: extract them"),
        (pem("CMS"), "but CMS: extract them"),
        (pem("CERTIFICATE REQUEST"), "but a request for one"),
        (pem("X509 CRL"), "but a list of revoked ones"),
        (pem("PUBLIC KEY"), "but a public key"),
        ("MIIB\nAAAA\n".to_owned(), "but base64: put it between"),
        ("some text\n".to_owned(), "in PEM or DER\n"),
        (pem("PRIVATE KEY"), "in PEM or DER\n"),
    ] {
        fs::write(file.path(), &text).unwrap();
        let output = run(&["certificates", file.path().to_str().unwrap()], "");
        assert_eq!(code(&output), 2, "{text}");
        let message = "the file contains no certificate in PEM or DER";
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
        assert!(
            stderr(&output).contains(expected),
            "{text}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn blocks_of_a_node() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;
    let block = fs::read_to_string(of_examples("ethereum/block_1150000.json")).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for (request, stream) in listener.incoming().enumerate() {
            let mut stream = BufReader::new(stream.unwrap());
            let (mut length, mut line) = (0, String::new());
            while stream.read_line(&mut line).unwrap() > 2 {
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).unwrap();
            let mut stream = stream.into_inner();
            if request == 0 {
                stream.write_all(b"HTTP/1.1 503 Busy\r\n\r\n").unwrap();
                continue;
            }
            let calls: Vec<Value> = serde_json::from_slice(&body).unwrap();
            let answers = calls
                .iter()
                .rev()
                .map(|call| {
                    let number = &call["params"][0];
                    assert_eq!(
                        (&call["method"], &call["params"][1]),
                        (&json!("eth_getBlockByNumber"), &json!(true))
                    );
                    let mut block: Value = serde_json::from_str(&block).unwrap();
                    block["number"] = number.clone();
                    let at = u64::from_str_radix(&number.as_str().unwrap()[2..], 16).unwrap();
                    // From block 200 on the node has another chain.
                    let parent = if at == 200 { 0 } else { at - 1 };
                    (block["hash"], block["parentHash"]) = (
                        json!(format!("{at:#066x}")),
                        json!(format!("{parent:#066x}")),
                    );
                    let result = if at == 100 { Value::Null } else { block };
                    json!({"jsonrpc": "2.0", "id": call["id"], "result": result})
                })
                .collect::<Value>()
                .to_string();
            let (one, two) = answers.split_at(answers.len() / 3);
            let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
            let all = format!(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}{}0\r\n\r\n",
                chunk(one),
                chunk(two)
            );
            stream.write_all(all.as_bytes()).unwrap();
        }
    });
    let output = run(
        &[
            "ethereum",
            "senders",
            "--rpc-url",
            &url,
            "--from",
            "1",
            "--to",
            "40",
        ],
        "",
    );
    let found = answers(&output);
    assert_eq!(
        (code(&output), found.len()),
        (0, 40 * 9),
        "{}",
        stderr(&output)
    );
    assert!(
        found
            .iter()
            .enumerate()
            .all(|(place, answer)| answer["block"] == place / 9 + 1 && answer["valid"] == true)
    );
    // A missing block ends the range after the blocks that exist.
    let output = run(
        &[
            "ethereum",
            "senders",
            "--rpc-url",
            &url,
            "--from",
            "80",
            "--to",
            "120",
        ],
        "",
    );
    assert_eq!(
        (code(&output), answers(&output).len()),
        (2, 20 * 9),
        "{}",
        stderr(&output)
    );
    assert!(
        stderr(&output).contains("the node has no block 100"),
        "{}",
        stderr(&output)
    );
    // A block that does not follow the previous one ends the range, too.
    for (from, to) in [("190", "210"), ("200", "205"), ("184", "205")] {
        let output = run(
            &[
                "ethereum",
                "senders",
                "--rpc-url",
                &url,
                "--from",
                from,
                "--to",
                to,
            ],
            "",
        );
        let is_within = from != "200";
        assert_eq!(
            code(&output),
            if is_within { 2 } else { 0 },
            "{}",
            stderr(&output)
        );
        assert_eq!(
            stderr(&output).contains("block 200: it does not follow"),
            is_within,
            "{}",
            stderr(&output)
        );
        assert_eq!(answers(&output).last().unwrap()["block"].to_string(), to);
    }
    // With little memory blocks are requested one by one.
    let little = ["--max-memory", "1M", "--from", "1", "--to", "20"];
    let output = run(
        &[&["ethereum", "senders", "--rpc-url", &url], &little[..]].concat(),
        "",
    );
    assert_eq!(
        (code(&output), answers(&output).len()),
        (0, 20 * 9),
        "{}",
        stderr(&output)
    );
    for (arguments, problem) in [
        (
            &["--rpc-url", "https://node", "--from", "1", "--to", "2"][..],
            "built without TLS",
        ),
        (&["--rpc-url", &url], "--from"),
        (&[], "<PATHS>"),
    ] {
        let refused = run(&[&["ethereum", "senders"], arguments].concat(), "");
        assert!(
            code(&refused) == 2 && stderr(&refused).contains(problem),
            "{}",
            stderr(&refused)
        );
    }
}

/// Bytes that belong to no record are an error of the file, and the records after them are checked.
#[test]
fn skipped_bytes_of_blocks_end_with_2() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["rev00000.dat", "xor.dat"] {
        fs::copy(
            format!("{}/{name}", data("blkrev")),
            folder.path().join(name),
        )
        .unwrap();
    }
    let (key, blocks) = (
        fs::read(data("blkrev/xor.dat")).unwrap(),
        fs::read(data("blkrev/blk00000.dat")).unwrap(),
    );
    // Insert at least eight zeros, up to a multiple of eight bytes, and encode the later records
    // with the key at their new offsets.
    let first =
        8 + u32::from_le_bytes(std::array::from_fn(|at| blocks[4 + at] ^ key[4 + at])) as usize;
    let at = first.next_multiple_of(8) - first;
    let zeros: Vec<u8> = (0..8 + at).map(|_| 0).collect();
    let rest: Vec<u8> = (first..blocks.len() - 1024)
        .map(|place| blocks[place] ^ key[place % 8] ^ key[(place + zeros.len()) % 8])
        .collect();
    fs::write(
        folder.path().join("blk00000.dat"),
        [&blocks[..first], &zeros, &rest].concat(),
    )
    .unwrap();
    let output = run(&["bitcoin", "verify", folder.path().to_str().unwrap()], "");
    assert_eq!(
        (code(&output), answers(&output).len()),
        (2, 309),
        "{}",
        stderr(&output)
    );
    let message = format!(
        "at byte {first}: bytes {first} to {} are skipped: ",
        first + zeros.len() - 1
    );
    assert!(stderr(&output).contains(&message), "{}", stderr(&output));
    let refused = run(
        &[
            "bitcoin",
            "verify",
            "--magic",
            "a5df2d",
            folder.path().to_str().unwrap(),
        ],
        "",
    );
    assert!(
        code(&refused) == 2 && stderr(&refused).contains("eight hexadecimal digits"),
        "{}",
        stderr(&refused)
    );
    let other = run(
        &[
            "bitcoin",
            "verify",
            "--magic",
            "a5df2dcb",
            folder.path().to_str().unwrap(),
        ],
        "",
    );
    assert_eq!(
        (code(&other), answers(&other).len()),
        (2, 0),
        "{}",
        stderr(&other)
    );
}

/// Names are compared by the rules of RFC 5280, unless they are configured to be equal byte for
/// byte.
#[test]
fn names_of_issuers() {
    for (arguments, expected) in [(&[][..], 0), (&["--exact-names"], 3)] {
        let file = data("names.pem");
        let output = run(&[&["certificates"], arguments, &[&file]].concat(), "");
        assert_eq!(
            (code(&output), answers(&output).len()),
            (expected, 2),
            "{}",
            stderr(&output)
        );
    }
}
