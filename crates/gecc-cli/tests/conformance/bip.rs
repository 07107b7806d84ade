//! Bitcoin's improvement proposals 32, 340 and 341, RFC 6979, and GM/T 0003.5.

use crate::ENGINE;
use crate::command::answers;
use crate::report::Row;
use crate::script::sha256d;
use crate::signatures::{self, Signature};
use crate::vectors::{bytes, digits, json, list, number, plain, text};
use gecc::bip340::Auxiliary;
use gecc::tweak::{ExtendedKey, HARDENED};
use gecc::{CurveId, PublicKeys, Rejection, Rows, SecretKey, bip340, keys, sm2, tweak};
use serde_json::{Value, json};

pub fn rows() -> Vec<Row> {
    vec![
        bip32_row(),
        bip340_row(),
        bip341_row(),
        rfc6979_row("p256"),
        rfc6979_row("secp256k1"),
        sm2_row(),
    ]
}

/// Each extended key: its public part belongs to its private part, and is the child of the one
/// before it. Hardened children cannot be derived from public keys.
fn bip32_row() -> Row {
    let file = json("bip/bip32.json.gz");
    let seeds = list(&file);
    let chains = seeds.iter().map(|seed| list(seed).len()).sum();
    let mut row = Row::new("BIP 32, test vectors 1 to 4", chains);
    let mut children = 0;
    for seed in seeds {
        let mut parent: Option<ExtendedKey> = None;
        for chain in list(seed) {
            let this = extended_key(text(&chain["public"]));
            let private = extended_key(text(&chain["private"]));
            let secret = SecretKey::from_bytes(private.key[1..].try_into().expect("32 bytes"));
            let public = keys::public_keys(&ENGINE, CurveId::Secp256k1, &[secret]);
            let public = public.expect("the CPU computes")[0];
            let public = public.ok().and_then(|key| key.to_compressed());
            let is_pair = public == Some(this.key) && private.chain_code == this.chain_code;
            let is_child = parent.is_none_or(|parent| {
                let index = text(&chain["chain"]).rsplit('/').next().expect("an index");
                let is_hardened = index.ends_with('H');
                let index: u32 = index.trim_end_matches('H').parse().expect("a number");
                let index = if is_hardened { index | HARDENED } else { index };
                let child = tweak::bip32_children(&ENGINE, &[parent], &[index]);
                let child = child.expect("the CPU computes")[0];
                children += usize::from(!is_hardened);
                if is_hardened {
                    child == Err(Rejection::ValueOutOfRange)
                } else {
                    child == Ok(this)
                }
            });
            row.library(is_pair && is_child, || chain.to_string());
            parent = Some(this);
        }
    }
    row.note(format!("public keys of private ones, {children} children"));
    row
}

/// Decodes an extended key: base58 of a version, the depth, the parent's fingerprint, the index, the
/// chain code, the key, and four bytes of the hash of all these.
fn extended_key(encoded: &str) -> ExtendedKey {
    const DIGITS: &str = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let mut bytes = [0_u8; 82];
    for digit in encoded.chars() {
        let mut carry = DIGITS.find(digit).expect("a digit of base58");
        for byte in bytes.iter_mut().rev() {
            carry += 58 * usize::from(*byte);
            *byte = carry as u8;
            carry >>= 8;
        }
    }
    let (content, checksum) = bytes.split_at(78);
    assert_eq!(sha256d(content)[..4], *checksum, "{encoded}");
    ExtendedKey {
        chain_code: content[13..45].try_into().expect("32 bytes"),
        key: content[45..].try_into().expect("33 bytes"),
    }
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
        let roots = root.as_ref().map(Rows::from);
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
