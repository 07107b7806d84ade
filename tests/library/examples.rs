//! The examples and their data.

use crate::harness::{self, Test, named};
use crate::programs::{complains, prints, scratch};
use gecc::{
    Engine, P256, Point, PublicKeys, Rejection, Secp256k1, Verdicts, ecdsa, ecdsa::Policy, sm2,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

pub fn tests() -> Vec<Test> {
    harness::tests(
        None,
        named![
            examples_give_the_known_answers,
            examples_report_problems,
            the_library_gives_the_known_verdicts,
            the_library_recovers_the_shipped_keys,
            a_corrupted_signature_is_the_only_one_rejected,
            lines_of_health_certificates_are_what_their_file_has,
            the_private_lists_are_the_senders_of_their_blocks
        ],
    )
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples/data")
        .join(name)
}

fn read_json(name: &str) -> Value {
    serde_json::from_slice(&fs::read(data(name)).expect("example data")).expect("JSON")
}

fn examples_give_the_known_answers() {
    prints(
        "health_certificates",
        &[
            "202 certificates valid, 3 rejected",
            "0 differ from the known answer",
        ],
    );
    prints("ecdh_psi", &["25 in common; the plain intersection has 25"]);
    prints(
        "monero_view_tags",
        &["200 outputs received; the senders paid 200"],
    );
}

fn examples_report_problems() {
    let mut rows = read_json("p256/dgc_es256.json");
    rows[7]["valid"] = false.into();
    let changed = scratch("p256").join("changed.json");
    fs::write(&changed, rows.to_string()).expect("writable");
    complains(
        "health_certificates",
        &changed,
        1,
        "valid, which the file denies",
    );
    complains("ecdh_psi", Path::new("no such file"), 2, "no such file");
    complains(
        "monero_view_tags",
        Path::new("many"),
        2,
        "`many` is not a number of transactions",
    );
}

/// The items of an example file, for the library.
struct Items {
    rows: Vec<Value>,
    signatures: Vec<[u8; 64]>,
    keys: Vec<Vec<u8>>,
}

impl Items {
    fn read(file: &str) -> Self {
        let text = fs::read_to_string(data(file)).expect("example data");
        let rows: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("a JSON object"))
            .collect();
        let signatures = rows.iter().map(signature).collect();
        let keys = rows.iter().map(|row| bytes(row, "public_key")).collect();
        Items {
            rows,
            signatures,
            keys,
        }
    }

    fn digests(&self) -> Vec<[u8; 32]> {
        self.rows
            .iter()
            .map(|row| bytes(row, "digest").try_into().expect("32 bytes"))
            .collect()
    }

    fn ecdsa<C: gecc::EcdsaCurve>(&self, policy: Policy) -> Verdicts {
        let keys: Vec<&[u8]> = self.keys.iter().map(Vec::as_slice).collect();
        ecdsa::verify(
            &engine(),
            C::ID,
            &self.digests(),
            &self.signatures,
            PublicKeys::sec1(&keys),
            policy,
        )
        .expect("runs")
    }

    fn sm2(&self) -> Verdicts {
        let keys: Vec<&[u8]> = self.keys.iter().map(Vec::as_slice).collect();
        let messages: Vec<Vec<u8>> = self.rows.iter().map(|row| bytes(row, "message")).collect();
        let ids: Vec<&[u8]> = self
            .rows
            .iter()
            .map(|row| row["sm2_id"].as_str().expect("text").as_bytes())
            .collect();
        let ids = sm2::UserIds::each(&ids);
        let keys = PublicKeys::sec1(&keys);
        sm2::verify_messages(&engine(), &messages, ids, &self.signatures, keys).expect("runs")
    }
}

fn engine() -> Engine {
    Engine::new().expect("an engine")
}

fn signature(row: &Value) -> [u8; 64] {
    match row.get("der") {
        Some(_) => gecc::signature_from_der(&bytes(row, "der")).expect("strict DER"),
        None => bytes(row, "signature").try_into().expect("64 bytes"),
    }
}

fn bytes(row: &Value, field: &str) -> Vec<u8> {
    hex::decode(row[field].as_str().expect(field)).expect("hex")
}

fn rejected(verdicts: &Verdicts) -> Vec<(usize, Rejection)> {
    verdicts.rejected().collect()
}

fn the_library_gives_the_known_verdicts() {
    assert_eq!(rejected(&Items::read("sm2_certificates.jsonl").sm2()), []);
    let health = Items::read("health_certificates.jsonl").ecdsa::<P256>(Policy::default());
    assert_eq!(rejected(&health).len(), 3);
    assert!(
        health
            .rejected()
            .all(|(_, reason)| reason == Rejection::Mismatch)
    );
    // EIP-2 is in force in all example blocks; Bitcoin's consensus accepts high s, and 525
    // signatures have it.
    assert_eq!(
        rejected(&Items::read("ethereum_blocks.jsonl").ecdsa::<Secp256k1>(Policy::low_s())),
        []
    );
    let bitcoin = Items::read("bitcoin_blocks.jsonl");
    assert_eq!(rejected(&bitcoin.ecdsa::<Secp256k1>(Policy::default())), []);
    let high = bitcoin.ecdsa::<Secp256k1>(Policy::low_s());
    assert_eq!(rejected(&high).len(), 525);
    assert!(
        high.rejected()
            .all(|(_, reason)| reason == Rejection::HighS)
    );
}

fn the_library_recovers_the_shipped_keys() {
    let items = Items::read("ethereum_blocks.jsonl");
    let ids = items
        .rows
        .iter()
        .map(|row| row["recovery_id"].as_u64().expect("a number"));
    let ids: Vec<u8> = ids
        .map(|id| u8::try_from(id).expect("a small number"))
        .collect();
    let recovered = ecdsa::recover(
        &engine(),
        Secp256k1,
        &items.digests(),
        &items.signatures,
        &ids,
    )
    .expect("runs");
    for (recovered, key) in recovered.iter().zip(&items.keys) {
        assert_eq!(recovered.as_ref().map(Point::as_sec1), Ok(key.as_slice()));
    }
}

fn a_corrupted_signature_is_the_only_one_rejected() {
    let mut ecdsa = Items::read("bitcoin_blocks.jsonl");
    ecdsa.signatures[700][50] ^= 1;
    assert_eq!(
        rejected(&ecdsa.ecdsa::<Secp256k1>(Policy::default())),
        [(700, Rejection::Mismatch)]
    );
    let mut sm2 = Items::read("sm2_certificates.jsonl");
    sm2.signatures[50][50] ^= 1;
    assert_eq!(rejected(&sm2.sm2()), [(50, Rejection::Mismatch)]);
}

/// The lines made of other example files are compared with these in `gecc-chains`.
fn lines_of_health_certificates_are_what_their_file_has() {
    let lines = Items::read("health_certificates.jsonl").rows;
    let rows = read_json("p256/dgc_es256.json");
    let mut expected = Vec::new();
    for row in rows.as_array().expect("a list") {
        let [digest, r, s, key, source] =
            ["hash", "r", "s", "pub", "src"].map(|name| row[name].as_str().expect("text"));
        let signature = [r, s].concat();
        expected.push(
            json!({"digest": digest, "signature": signature, "public_key": key, "tag": source}),
        );
    }
    assert_eq!(lines, expected);
}

fn the_private_lists_are_the_senders_of_their_blocks() {
    for number in [22_431_083, 22_431_086] {
        let block = read_json(&format!("ethereum/block_{number}.json"));
        let transactions = block["transactions"].as_array().expect("a list");
        let senders: BTreeSet<&str> = transactions
            .iter()
            .map(|one| one["from"].as_str().expect("text"))
            .collect();
        let list =
            fs::read_to_string(data(&format!("psi/senders_{number}.txt"))).expect("example data");
        assert!(list.lines().eq(senders), "{number}");
    }
}
