//! The vectors of PyPI's `cryptography_vectors`: NIST's CAVP for P-256, signatures on secp256k1, and
//! RFC 7027.

use crate::ENGINE;
use crate::command::answers;
use crate::hashes::digest;
use crate::report::Row;
use crate::signatures::{self, Signature, has_public_key};
use crate::vectors::{digits, json, number, text, uncompressed};
use gecc::{CurveId, PublicKeys, SecretKey, ecdh};
use serde_json::{Value, json};
use std::collections::HashMap;

/// A record of lines `name = value`, with the line in brackets above it.
struct Record {
    section: String,
    values: HashMap<String, String>,
}

impl Record {
    fn bytes(&self, name: &str) -> Vec<u8> {
        digits(&self.values[name])
    }

    fn number(&self, name: &str) -> [u8; 32] {
        number(&self.bytes(name)).expect("below 2^256")
    }

    /// Returns a point as `04 || x || y`, or no bytes if a coordinate is too long for that.
    fn point(&self, x: &str, y: &str) -> Vec<u8> {
        uncompressed(&self.bytes(x), &self.bytes(y)).unwrap_or_default()
    }

    fn passes(&self) -> bool {
        self.values["Result"].starts_with('P')
    }
}

/// Returns the records of a file: each begins with the name that the first one begins with.
fn records(file: &Value, name: &str) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    let mut section = String::new();
    let mut first = None;
    for line in text(&file[name]).lines() {
        if line.starts_with('[') {
            section = line.to_owned();
        }
        let Some((key, value)) = line.split_once(" = ") else {
            continue;
        };
        let begins = *first.get_or_insert(key) == key;
        if begins {
            let section = section.clone();
            records.push(Record {
                section,
                values: HashMap::new(),
            });
        }
        let record = records.last_mut().expect("a record has begun");
        record.values.insert(key.to_owned(), value.to_owned());
    }
    records
}

pub fn rows() -> Vec<Row> {
    let file = json("cryptography/cryptography_vectors.json.gz");
    vec![
        key_pairs(&file, "ECDSA/FIPS_186-2/KeyPair.rsp"),
        key_verification(&file, "ECDSA/FIPS_186-2/PKV.rsp"),
        signature_file(&file, "ECDSA/FIPS_186-2/SigGen.txt", CurveId::P256),
        signature_file(&file, "ECDSA/FIPS_186-2/SigVer.rsp", CurveId::P256),
        key_verification(&file, "ECDSA/FIPS_186-3/PKV.rsp"),
        signature_file(&file, "ECDSA/FIPS_186-3/SigGen.txt", CurveId::P256),
        signature_file(&file, "ECDSA/FIPS_186-3/SigVer.rsp", CurveId::P256),
        signature_file(&file, "ECDSA/SECP256K1/SigGen.txt", CurveId::Secp256k1),
        agreement(&file, "init"),
        agreement(&file, "resp"),
        brainpool(&file),
    ]
}

fn key_pairs(file: &Value, name: &str) -> Row {
    let records = records(file, name);
    let mut row = Row::new(name, records.len());
    for record in &records {
        let public = record.point("Qx", "Qy");
        let passed = has_public_key(CurveId::P256, record.number("d"), &public);
        row.library(passed, || record.values["d"].clone());
    }
    row
}

/// A key is valid if it has a shared secret with the number 1.
fn key_verification(file: &Value, name: &str) -> Row {
    let records = records(file, name);
    let mut row = Row::new(name, records.len());
    let one = number(&[1]).expect("small");
    let lines: Vec<Value> = records
        .iter()
        .map(|record| {
            let key = hex::encode(record.point("Qx", "Qy"));
            json!({"public_key": key, "secret_key": hex::encode(one)})
        })
        .collect();
    let found = answers(&["ecdh", "--curve", "p256"], &lines);
    for (record, answer) in records.iter().zip(found) {
        let shared = shared_secret(CurveId::P256, one, &record.point("Qx", "Qy"));
        let what = || format!("{} {}", record.values["Qx"], record.values["Result"]);
        row.library(shared.is_some() == record.passes(), what);
        row.command(
            answer.get("shared_secret").is_some() == record.passes(),
            what,
        );
    }
    row
}

fn shared_secret(curve: CurveId, secret: [u8; 32], public: &[u8]) -> Option<[u8; 32]> {
    let shared = ecdh::shared_secrets(
        &ENGINE,
        curve,
        &[SecretKey::from_bytes(secret)],
        PublicKeys::sec1(&[public]),
    );
    let shared = shared.expect("the CPU computes");
    shared[0].as_ref().ok().map(|secret| *secret.expose_bytes())
}

fn signature_file(file: &Value, name: &str, curve: CurveId) -> Row {
    let records = records(file, name);
    let mut row = Row::new(name, records.len());
    let signatures: Vec<Signature> = records
        .iter()
        .map(|record| {
            // FIPS 186-2 has SHA-1 alone.
            let hash = record.section.trim_matches(['[', ']']).split_once(',');
            let secret = record.values.get("d").map(|d| digits(d));
            Signature {
                name: format!("{} {}", record.section, record.values["R"]),
                hash: hash.map_or("SHA-1", |(_, hash)| hash).to_owned(),
                message: record.bytes("Msg"),
                x: record.bytes("Qx"),
                y: record.bytes("Qy"),
                r: record.bytes("R"),
                s: record.bytes("S"),
                is_valid: !record.values.contains_key("Result") || record.passes(),
                secret: secret.map(|d| number(&d).expect("below 2^256")),
                is_signed_alike: false,
            }
        })
        .collect();
    signatures::count(&mut row, curve, &signatures);
    if signatures[0].secret.is_some() {
        row.note("verified, and the key derived");
    }
    row
}

/// NIST's test of key agreement without a key derivation: an implementation has to find out whether
/// the peer's key, its own pair, and the hash of the shared secret are right.
fn agreement(file: &Value, role: &str) -> Row {
    let name = format!("ECDH/KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_{role}.fax");
    let records = records(file, &name);
    let mut row = Row::new(name, records.len());
    for record in &records {
        let secret = record.number("dsIUT");
        let peer = record.point("QsCAVSx", "QsCAVSy");
        let own = record.point("QsIUTx", "QsIUTy");
        let is_right = shared_secret(CurveId::P256, secret, &peer).is_some_and(|shared| {
            digest("SHA-256", &shared) == record.bytes("CAVSHashZZ")
                && has_public_key(CurveId::P256, secret, &own)
        });
        row.library(is_right == record.passes(), || {
            format!("{} {}", record.values["COUNT"], record.values["Result"])
        });
    }
    row
}

/// RFC 7027, both sides of each agreement.
fn brainpool(file: &Value) -> Row {
    let name = "ECDH/brainpool.txt";
    let records = records(file, name);
    let mut row = Row::new(name, records.len());
    for record in &records {
        if record.values["curve"] != "brainpoolP256r1" {
            row.leave_out("brainpoolP384r1 and P512r1");
            continue;
        }
        let curve = CurveId::BrainpoolP256r1;
        let [own, other] = [("dA", "x_qA", "y_qA"), ("dB", "x_qB", "y_qB")]
            .map(|(d, x, y)| (record.number(d), record.point(x, y)));
        let passed = has_public_key(curve, own.0, &own.1)
            && has_public_key(curve, other.0, &other.1)
            && shared_secret(curve, own.0, &other.1) == Some(record.number("x_Z"))
            && shared_secret(curve, other.0, &own.1) == Some(record.number("x_Z"));
        row.library(passed, || record.values["curve"].clone());
    }
    row
}
