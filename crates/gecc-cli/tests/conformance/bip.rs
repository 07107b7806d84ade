//! Bitcoin's improvement proposals 340 and 341, RFC 6979, and GM/T 0003.5.

use crate::ENGINE;
use crate::command::answers;
use crate::report::Row;
use crate::signatures::{self, Signature};
use crate::vectors::{bytes, digits, list, number, plain, text};
use gecc::bip340::Auxiliary;
use gecc::{CurveId, PublicKeys, Rows, SecretKey, bip340, sm2, tweak};
use serde_json::{Value, json};

pub fn rows() -> Vec<Row> {
    vec![
        bip340_row(),
        bip341_row(),
        rfc6979_row("p256"),
        rfc6979_row("secp256k1"),
        sm2_row(),
    ]
}

fn bip340_row() -> Row {
    let file = plain("bip340_test_vectors.csv");
    let cases: Vec<Vec<&str>> = file
        .lines()
        .skip(1)
        .map(|line| line.splitn(8, ',').collect())
        .collect();
    let mut row = Row::new("BIP 340, test-vectors.csv", cases.len());
    let lines: Vec<Value> = cases
        .iter()
        .map(|case| json!({"public_key": case[2], "message": case[4], "signature": case[5]}))
        .collect();
    let found = answers(&["verify", "--scheme", "bip340"], &lines);
    for (case, answer) in cases.iter().zip(found) {
        let is_valid = case[6] == "TRUE";
        let message = digits(case[4]);
        let signature: [u8; 64] = digits(case[5]).try_into().expect("64 bytes");
        let key: [u8; 32] = digits(case[2]).try_into().expect("32 bytes");
        let verdicts = bip340::verify_messages(
            &ENGINE,
            &[&message],
            &[signature],
            PublicKeys::x_only(&[key]),
        );
        let verified = verdicts.expect("the CPU computes").all_valid();
        let signed = case[1].is_empty() || signs_bip340(case, &message) == Some(signature);
        row.library(verified == is_valid && signed, || case[7].to_owned());
        row.command(answer["valid"] == is_valid, || {
            format!("{}: {answer}", case[7])
        });
    }
    row
}

fn signs_bip340(case: &[&str], message: &[u8]) -> Option<[u8; 64]> {
    let secret = SecretKey::from_bytes(number(&digits(case[1]))?);
    let auxiliary: [u8; 32] = digits(case[3]).try_into().ok()?;
    let signed =
        bip340::sign_messages(&ENGINE, &[message], &secret, Auxiliary::given(&[auxiliary]));
    signed.expect("the CPU computes")[0].ok()
}

/// Output keys with and without script trees, and signatures of key paths.
fn bip341_row() -> Row {
    let file: Value =
        serde_json::from_str(&plain("bip341_wallet_test_vectors.json")).expect("JSON");
    let outputs = list(&file["scriptPubKey"]);
    let inputs = list(&file["keyPathSpending"][0]["inputSpending"]);
    let mut row = Row::new(
        "BIP 341, wallet-test-vectors.json",
        outputs.len() + inputs.len(),
    );
    row.note(format!(
        "{} outputs and {} signatures",
        outputs.len(),
        inputs.len()
    ));
    let field = |value: &Value| <[u8; 32]>::try_from(bytes(value)).expect("32 bytes");
    for output in outputs {
        let root = &output["intermediary"]["merkleRoot"];
        let root = (!root.is_null()).then(|| [field(root)]);
        let internal = [field(&output["given"]["internalPubkey"])];
        let roots = root.as_ref().map(|root| Rows::from(root));
        let tweaked = tweak::taproot(&ENGINE, &internal, roots).expect("the CPU computes");
        let expected = field(&output["intermediary"]["tweakedPubkey"]);
        let is_same = tweaked[0]
            .as_ref()
            .is_ok_and(|point| *point.x() == expected);
        row.library(is_same, || output.to_string());
    }
    for input in inputs {
        let hash = field(&input["intermediary"]["sigHash"]);
        let key = SecretKey::from_bytes(field(&input["intermediary"]["tweakedPrivkey"]));
        let signed = bip340::sign(&ENGINE, &[hash], &key, Auxiliary::zeros());
        // A byte for the kind of the hash may follow.
        let expected = bytes(&input["expected"]["witness"][0]);
        let signed = signed.expect("the CPU computes")[0];
        let is_same = signed.is_ok_and(|signed| signed[..] == expected[..64]);
        row.library(is_same, || input.to_string());
    }
    row
}

fn rfc6979_row(curve: &str) -> Row {
    let file: Value = serde_json::from_str(&plain("rfc6979.json")).expect("JSON");
    let cases = list(&file[curve]);
    let mut row = Row::new(format!("RFC 6979, {curve}"), cases.len());
    let id: CurveId = curve.parse().expect("a curve");
    let signatures: Vec<Signature> = cases
        .iter()
        .map(|case| {
            let hash = text(&case["hash"]).to_lowercase().replace('-', "");
            let message = match case.get("msg_hex") {
                Some(message) => bytes(message),
                None => text(&case["msg"]).as_bytes().to_vec(),
            };
            Signature {
                name: format!("{hash} {}", case["k"]),
                hash: format!("SHA-{}", &hash[3..]),
                message,
                x: bytes(&case["qx"]),
                y: bytes(&case["qy"]),
                r: bytes(&case["r"]),
                s: bytes(case.get("s").unwrap_or(&case["s_raw"])),
                is_valid: true,
                secret: number(&bytes(&case["d"])),
                is_signed_alike: hash == "sha256",
            }
        })
        .collect();
    signatures::count(&mut row, id, &signatures);
    let again = signatures
        .iter()
        .filter(|case| case.is_signed_alike)
        .count();
    if again < signatures.len() {
        row.note(format!(
            "{again} are signed again with the same bits; the others, whose nonces are by HMAC with \
             another hash than SHA-256, are verified"
        ));
    }
    row
}

fn sm2_row() -> Row {
    let file: Value = serde_json::from_str(&plain("sm2_vectors.json")).expect("JSON");
    let cases = list(&file["sign_verify"]);
    let mut row = Row::new("GM/T 0003.5 and libraries' vectors of SM2", cases.len());
    let mut ours = Vec::new();
    for case in cases {
        if case["curve"] == "sm2p256v1" {
            ours.push(case);
        } else {
            row.leave_out("the curve of the standard's draft, or another");
        }
    }
    let field = |case: &Value, name: &str| number(&bytes(&case[name])).expect("32 bytes");
    let lines: Vec<Value> = ours
        .iter()
        .map(|case| {
            let joined = |one: &str, other: &str| {
                hex::encode([field(case, one), field(case, other)].concat())
            };
            json!({
                "digest": hex::encode(field(case, "e")),
                "signature": joined("r", "s"),
                "public_key": joined("qx", "qy"),
            })
        })
        .collect();
    let found = answers(&["verify", "--curve", "sm2"], &lines);
    for (case, answer) in ours.iter().zip(found) {
        let is_valid = case["expect"] == "valid";
        let mut key = [0; 64];
        key[..32].copy_from_slice(&field(case, "qx"));
        key[32..].copy_from_slice(&field(case, "qy"));
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&field(case, "r"));
        signature[32..].copy_from_slice(&field(case, "s"));
        let verdicts = sm2::verify(
            &ENGINE,
            &[field(case, "e")],
            &[signature],
            PublicKeys::raw(&[key]),
        );
        let verified = verdicts.expect("the CPU computes").all_valid();
        row.library(verified == is_valid, || case["src"].to_string());
        row.command(answer["valid"] == is_valid, || {
            format!("{}: {answer}", case["src"])
        });
    }
    row
}
