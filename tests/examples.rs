//! The examples and the data that are shipped with them.

use gecc::{Engine, P256, Point, PublicKeys, Rejection, Secp256k1, Verdicts, ecdsa, ecdsa::Policy, sm2};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data").join(name)
}

/// Cargo builds the examples beside the tests, in the folder above the test's own.
fn example(name: &str, arguments: &[&str]) -> Output {
    let test = std::env::current_exe().expect("the test runs from a file");
    let folder = test.ancestors().nth(2).expect("target/PROFILE/deps/TEST").join("examples");
    let path = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(path.exists(), "{} is missing: run `cargo test` without a filter of targets first", path.display());
    Command::new(path).args(arguments).output().expect("the example runs")
}

fn prints(name: &str, lines: &[&str]) {
    let output = example(name, &[]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for line in lines {
        assert!(text.lines().any(|printed| printed.trim() == *line), "{line:?} is not in\n{text}");
    }
}

#[test]
fn shipped_files_are_what_the_examples_make() {
    for (name, file) in [
        ("ethereum_block", "ethereum_blocks.jsonl"),
        ("bitcoin_block", "bitcoin_blocks.jsonl"),
        ("health_certificates", "health_certificates.jsonl"),
        ("sm2_certificates", "sm2_certificates.jsonl"),
    ] {
        let output = example(name, &["--jsonl"]);
        assert!(output.status.success(), "{name}");
        assert!(output.stdout == fs::read(data(file)).expect("shipped"), "{file} differs from `{name} --jsonl`");
    }
}

#[test]
fn examples_give_the_known_answers() {
    prints("ethereum_block", &["530 signers recovered as the block says, 0 mismatches", "335 EIP-1559"]);
    prints("bitcoin_block", &["1427 signatures fit the key they were tried with", "1424 P2PKH"]);
    prints(
        "bitcoin_block",
        &["270 signatures fit the key they were tried with", "61 do not: the signature does not match"],
    );
    prints("sm2_certificates", &["0 differ from the known answer"]);
    prints("health_certificates", &["202 certificates valid, 3 rejected", "0 differ from the known answer"]);
    prints("ecdh_psi", &["25 in common; the plain intersection has 25"]);
}

/// The items of a shipped file, for the library.
struct Items {
    rows: Vec<Value>,
    signatures: Vec<[u8; 64]>,
    keys: Vec<Vec<u8>>,
}

impl Items {
    fn read(file: &str) -> Self {
        let text = fs::read_to_string(data(file)).expect("shipped");
        let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a JSON object")).collect();
        let signature = |row: &Value| match row.get("der") {
            Some(_) => gecc::signature_from_der(&bytes(row, "der")).expect("strict DER"),
            None => bytes(row, "signature").try_into().expect("64 bytes"),
        };
        let signatures = rows.iter().map(signature).collect();
        let keys = rows.iter().map(|row| bytes(row, "public_key")).collect();
        Items { rows, signatures, keys }
    }

    fn digests(&self) -> Vec<[u8; 32]> {
        self.rows.iter().map(|row| bytes(row, "digest").try_into().expect("32 bytes")).collect()
    }

    fn ecdsa<C: gecc::EcdsaCurve>(&self, policy: Policy) -> Verdicts {
        let keys: Vec<&[u8]> = self.keys.iter().map(Vec::as_slice).collect();
        ecdsa::verify::<C>(&engine(), &self.digests(), &self.signatures, PublicKeys::sec1(&keys), policy).expect("runs")
    }

    fn sm2(&self) -> Verdicts {
        let keys: Vec<&[u8]> = self.keys.iter().map(Vec::as_slice).collect();
        let messages: Vec<Vec<u8>> = self.rows.iter().map(|row| bytes(row, "message")).collect();
        let ids: Vec<&[u8]> = self.rows.iter().map(|row| row["id"].as_str().expect("text").as_bytes()).collect();
        let (ids, keys) = (sm2::UserIds::each(&ids), PublicKeys::sec1(&keys));
        sm2::verify_messages(&engine(), &messages, ids, &self.signatures, keys).expect("runs")
    }
}

fn engine() -> Engine {
    Engine::new().expect("an engine")
}

fn bytes(row: &Value, field: &str) -> Vec<u8> {
    hex::decode(row[field].as_str().expect(field)).expect("hex")
}

fn rejected(verdicts: &Verdicts) -> Vec<(usize, Rejection)> {
    verdicts.rejected().collect()
}

#[test]
fn the_library_gives_the_known_verdicts() {
    assert_eq!(rejected(&Items::read("sm2_certificates.jsonl").sm2()), []);
    let health = Items::read("health_certificates.jsonl").ecdsa::<P256>(Policy::default());
    assert_eq!(rejected(&health).len(), 3);
    assert!(health.rejected().all(|(_, reason)| reason == Rejection::Mismatch));
    // EIP-2 has been in force in all shipped blocks; Bitcoin's consensus takes high s, and 525 signatures have it.
    assert_eq!(rejected(&Items::read("ethereum_blocks.jsonl").ecdsa::<Secp256k1>(Policy::low_s())), []);
    let bitcoin = Items::read("bitcoin_blocks.jsonl");
    assert_eq!(rejected(&bitcoin.ecdsa::<Secp256k1>(Policy::default())), []);
    let high = bitcoin.ecdsa::<Secp256k1>(Policy::low_s());
    assert_eq!(rejected(&high).len(), 525);
    assert!(high.rejected().all(|(_, reason)| reason == Rejection::HighS));
}

#[test]
fn the_library_recovers_the_shipped_keys() {
    let items = Items::read("ethereum_blocks.jsonl");
    let id = |row: &Value| row["recovery_id"].as_u64().and_then(|id| u8::try_from(id).ok()).expect("a small number");
    let ids: Vec<u8> = items.rows.iter().map(id).collect();
    let recovered = ecdsa::recover::<Secp256k1>(&engine(), &items.digests(), &items.signatures, &ids).expect("runs");
    for (recovered, key) in recovered.iter().zip(&items.keys) {
        assert_eq!(recovered.as_ref().map(Point::as_sec1), Ok(key.as_slice()));
    }
}

#[test]
fn a_corrupted_signature_is_the_only_one_rejected() {
    let mut ecdsa = Items::read("bitcoin_blocks.jsonl");
    ecdsa.signatures[700][50] ^= 1;
    assert_eq!(rejected(&ecdsa.ecdsa::<Secp256k1>(Policy::default())), [(700, Rejection::Mismatch)]);
    let mut sm2 = Items::read("sm2_certificates.jsonl");
    sm2.signatures[50][50] ^= 1;
    assert_eq!(rejected(&sm2.sm2()), [(50, Rejection::Mismatch)]);
}

/// Whether the example, on a changed copy of its input, ends with this code and says this on standard error.
fn complains(name: &str, input: &Path, code: i32, complaint: &str) {
    let output = example(name, &[input.to_str().expect("a path in Unicode")]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{name}: {text}");
    assert!(text.contains(complaint), "{name}: {complaint:?} is not in\n{text}");
}

/// A folder of this test's own, inside `target`.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("examples-{name}"));
    fs::create_dir_all(&folder).expect("writable");
    folder
}

/// A copy of a shipped JSON file, changed.
fn changed_json(file: &str, change: impl FnOnce(&mut Value)) -> PathBuf {
    let mut value: Value = serde_json::from_slice(&fs::read(data(file)).expect("shipped")).expect("JSON");
    change(&mut value);
    let copy = scratch("json").join(Path::new(file).file_name().expect("a file"));
    fs::write(&copy, value.to_string()).expect("writable");
    copy
}

#[test]
fn examples_report_what_is_wrong() {
    let block = changed_json("ethereum/block_2675000.json", |block| {
        block["transactions"][3]["from"] = block["transactions"][3]["to"].clone();
    });
    complains("ethereum_block", &block, 1, "signer should be");
    let block = changed_json("ethereum/block_1920000.json", |block| block["transactions"][0]["s"] = "0x1".into());
    complains("ethereum_block", &block, 2, "hashes to");
    let certificates = changed_json("sm2/sm2_certs.json", |rows| rows[0]["id"] = "6d616c6c6f7279".into());
    complains("sm2_certificates", &certificates, 1, "signed by no issuer of that name");
    let certificates = changed_json("p256/dgc_es256.json", |rows| rows[7]["valid"] = false.into());
    complains("health_certificates", &certificates, 1, "valid, which the file denies");
    complains("ecdh_psi", Path::new("no such file"), 2, "no such file");
}

#[test]
fn a_bitcoin_block_with_other_spent_outputs_fails() {
    let folder = scratch("bitcoin");
    let block = folder.join("block1087400.raw");
    fs::copy(data("bitcoin/block1087400.raw"), &block).expect("writable");
    let mut undo = fs::read(data("bitcoin/block1087400-undo.raw")).expect("shipped");
    // In the hash that the first spent output's script asks for: 8 bytes of value, 1 of length, 3 of opcodes before it.
    undo[8 + 1 + 3 + 5] ^= 1;
    fs::write(folder.join("block1087400-undo.raw"), undo).expect("writable");
    complains("bitcoin_block", &block, 1, "without valid signature");
}

#[test]
fn the_private_lists_are_the_senders_of_their_blocks() {
    for number in [22_431_083, 22_431_086] {
        let block = fs::read(data(&format!("ethereum/block_{number}.json"))).expect("shipped");
        let block: Value = serde_json::from_slice(&block).expect("JSON");
        let transactions = block["transactions"].as_array().expect("a list");
        let senders: BTreeSet<&str> = transactions.iter().map(|one| one["from"].as_str().expect("text")).collect();
        let list = fs::read_to_string(data(&format!("psi/senders_{number}.txt"))).expect("shipped");
        assert!(list.lines().eq(senders), "{number}");
    }
}
