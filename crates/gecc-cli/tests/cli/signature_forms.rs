//! The forms of signatures: accepted ones, refused ones, and fields that have to agree.

use crate::support::{Signed, answers, code, run, signed, stderr};
use base64ct::{Base64, Encoding};
use gecc::fields::Hash;
use gecc::{
    BrainpoolP256r1, EcdsaCurve, Engine, P256, Secp256k1, Sm2, keys, signature_to_der, sm2,
};
use num_bigint::BigUint;
use serde_json::{Value, json};
use std::process::Output;

const HASH_TYPES: [u8; 12] = [
    1, 2, 3, 0x41, 0x42, 0x43, 0x81, 0x82, 0x83, 0xc1, 0xc2, 0xc3,
];
const VERIFY: [&str; 3] = ["verify", "--curve", "secp256k1"];
const RECOVER: [&str; 3] = ["recover", "--curve", "secp256k1"];
const HEADER_FIRST: [&str; 2] = ["--signature-form", "header-first"];

fn with<'a>(call: &[&'a str], options: &[&'a str]) -> Vec<&'a str> {
    [call, options].concat()
}

fn lines(items: impl IntoIterator<Item = Value>) -> String {
    items
        .into_iter()
        .map(|item| item.to_string() + "\n")
        .collect()
}

/// Returns the answer to a single item.
fn answer(arguments: &[&str], item: &Value) -> Value {
    let output = run(arguments, item.to_string());
    let found = answers(&output);
    assert_eq!(found.len(), 1, "{item}: {}", stderr(&output));
    found[0].clone()
}

fn reason(answer: &Value) -> &str {
    answer["reason"]
        .as_str()
        .or(answer["error"].as_str())
        .unwrap_or_default()
}

fn key(set: &Signed, item: usize) -> Value {
    json!({"public_key": hex::encode(set.public[item].as_sec1())})
}

/// A digest, a signature of these bytes and a key.
fn item(set: &Signed, item: usize, signature: &[u8]) -> Value {
    json!({
        "digest": hex::encode(set.digests[item]),
        "signature": hex::encode(signature),
        "public_key": hex::encode(set.public[item].as_sec1()),
    })
}

/// The curves with ECDSA, and a signature on each.
fn one_of_each() -> [(&'static str, Signed); 3] {
    fn of<C: EcdsaCurve>() -> (&'static str, Signed) {
        (C::ID.name(), signed::<C>(1))
    }
    [of::<Secp256k1>(), of::<P256>(), of::<BrainpoolP256r1>()]
}

/// A digest, a key and a signature of SM2.
fn of_sm2() -> (Value, [u8; 64]) {
    let engine = Engine::cpu().unwrap();
    let (secret, public) = keys::generate(&engine, Sm2, 1).unwrap();
    let signature = sm2::sign(&engine, &[[7; 32]], &secret).unwrap()[0].unwrap();
    (
        json!({"digest": "07".repeat(32), "public_key": hex::encode(public[0].as_sec1())}),
        signature,
    )
}

/// The byte v of a recovery id is validated; every other last byte is rejected with its own reason.
#[test]
fn verification_rejects_undefined_v() {
    for (curve, set) in one_of_each() {
        let rs = set.signed[0].signature;
        let items: Vec<Value> = (0..=u8::MAX)
            .map(|v| item(&set, 0, &[&rs[..], &[v]].concat()))
            .collect();
        for options in [
            &[][..],
            &["--batch-verification"],
            &["--signature-form", "rsv"],
        ] {
            let output = run(
                &with(&["verify", "--curve", curve], options),
                lines(items.clone()),
            );
            for (v, answer) in answers(&output).iter().enumerate() {
                let is_v = matches!(v, 0..=3 | 27..=30);
                assert_eq!(answer["valid"], is_v, "{curve} {v}: {answer}");
                let looks_header_first =
                    (27..=42).contains(&rs[0]) && options.get(1) != Some(&"rsv");
                assert!(
                    is_v || looks_header_first
                        || reason(answer).contains("ends with a byte that is not a v"),
                    "{answer}"
                );
            }
        }
    }
    let (mut item, rs) = of_sm2();
    for v in [0, 1, 27, 28, 5, 0xff] {
        item["signature"] = json!(hex::encode([&rs[..], &[v]].concat()));
        assert_eq!(
            reason(&answer(&["verify", "--curve", "sm2"], &item)),
            "`signature` has 65 bytes instead of 64"
        );
    }
    item["signature"] = json!(hex::encode(rs));
    assert_eq!(answer(&["verify", "--curve", "sm2"], &item)["valid"], true);
}

/// Bytes after the length that DER states are rejected, in both fields and on all curves.
#[test]
fn bytes_after_der_are_rejected_unless_allowed() {
    let (sm2_item, sm2_signature) = of_sm2();
    let of_curves =
        one_of_each().map(|(curve, set)| (curve, item(&set, 0, &[]), set.signed[0].signature));
    for (curve, mut item, signature) in
        of_curves
            .into_iter()
            .chain([("sm2", sm2_item, sm2_signature)])
    {
        let verify = ["verify", "--curve", curve];
        let der = signature_to_der(&signature);
        item.as_object_mut().unwrap().remove("signature");
        for field in ["signature", "der"] {
            let of_field = |bytes: &[u8]| {
                let mut item = item.clone();
                item[field] = json!(hex::encode(bytes));
                item
            };
            let with_extra_byte: Vec<Value> = (0..=u8::MAX)
                .map(|byte| of_field(&[&der[..], &[byte]].concat()))
                .collect();
            let output = run(&verify, lines(with_extra_byte.clone()));
            for (byte, answer) in answers(&output).iter().enumerate() {
                assert_eq!(answer["valid"], false, "{curve} {field} {byte:#x}");
                // The form that it names is for one curve.
                let names_hash_type =
                    reason(answer).contains("signature hash type, on secp256k1, use");
                assert_eq!(
                    names_hash_type,
                    HASH_TYPES.contains(&(byte as u8)),
                    "{answer}"
                );
            }
            assert_eq!(answer(&verify, &of_field(&der))["valid"], true);
            let asked = run(
                &with(&verify, &["--signature-form", "der-hash-type"]),
                lines(with_extra_byte),
            );
            if curve != "secp256k1" {
                assert_eq!(code(&asked), 2);
                assert!(
                    stderr(&asked).contains("is on secp256k1"),
                    "{}",
                    stderr(&asked)
                );
                continue;
            }
            for (byte, answer) in answers(&asked).iter().enumerate() {
                assert_eq!(
                    answer["valid"],
                    HASH_TYPES.contains(&(byte as u8)),
                    "{byte:#x}"
                );
            }
            let two = of_field(&[&der[..], &[1, 1]].concat());
            let der = of_field(&der);
            let asked = run(
                &with(&verify, &["--signature-form", "der-hash-type"]),
                lines([der, two]),
            );
            assert_eq!(
                answers(&asked)
                    .iter()
                    .map(|answer| answer["valid"] == true)
                    .collect::<Vec<_>>(),
                [true, false]
            );
        }
    }
}

/// Signatures of BIP 340 and Ed25519 have exactly 64 bytes.
#[test]
fn bare_signatures_have_one_length() {
    for (scheme, rule) in [("bip340", &[][..]), ("ed25519", &["--rule", "strict"])] {
        let verify = [&["verify", "--scheme", scheme], rule].concat();
        for length in [0, 63, 65, 66, 70] {
            let item = json!({"digest": "00".repeat(32), "signature": "11".repeat(length), "public_key": "22".repeat(32)});
            assert_eq!(
                reason(&answer(&verify, &item)),
                format!("`signature` has {length} bytes instead of 64")
            );
        }
        for form in ["rs", "rsv", "header-first", "eip2098", "der"] {
            let refused = run(&with(&verify, &["--signature-form", form]), "");
            assert_eq!(code(&refused), 2, "{scheme} {form}");
            assert!(
                stderr(&refused).contains("BIP 340 and Ed25519 have 64 bytes"),
                "{}",
                stderr(&refused)
            );
        }
        assert_eq!(code(&run(&with(&verify, &["--decimal"]), "")), 2);
    }
    for form in ["rsv", "header-first", "eip2098"] {
        let refused = run(&["verify", "--curve", "sm2", "--signature-form", form], "");
        assert!(
            code(&refused) == 2 && stderr(&refused).contains("SM2 has none"),
            "{}",
            stderr(&refused)
        );
    }
}

/// The bytes of an item's signature, after its header.
fn header_first(set: &Signed, item: usize, first: u8) -> Vec<u8> {
    [
        &[first + set.signed[item].recovery_id],
        &set.signed[item].signature[..],
    ]
    .concat()
}

#[test]
fn header_first_signatures_of_every_header() {
    let set = signed::<Secp256k1>(4);
    for (number, first) in [27, 31, 35, 39].into_iter().enumerate() {
        let whole = item(&set, number, &header_first(&set, number, first));
        assert_eq!(answer(&with(&VERIFY, &HEADER_FIRST), &whole)["valid"], true);
        assert_eq!(
            answer(&with(&RECOVER, &HEADER_FIRST), &whole),
            key(&set, number)
        );
        // In base64, as wallets export them.
        let exported = json!({
            "digest": Base64::encode_string(&set.digests[number]),
            "signature": Base64::encode_string(&header_first(&set, number, first)),
        });
        assert_eq!(
            answer(&with(&RECOVER, &HEADER_FIRST), &exported),
            key(&set, number)
        );
        let digest = whole["digest"].as_str().unwrap();
        let signature = whole["signature"].as_str().unwrap();
        let table = format!("digest,signature\n{digest},{signature}\n");
        assert_eq!(
            answers(&run(&with(&RECOVER, &HEADER_FIRST), table)),
            [key(&set, number)]
        );
        // The header in a field of its own.
        let (r, s) = set.signed[number].signature.split_at(32);
        let v = first + set.signed[number].recovery_id;
        let parts = json!({"digest": digest, "r": hex::encode(r), "s": hex::encode(s), "v": v});
        assert_eq!(
            answer(&with(&RECOVER, &HEADER_FIRST), &parts),
            key(&set, number)
        );
        // Without the option, headers that cannot contain a chain id are read, too.
        if first < 35 {
            assert_eq!(answer(&RECOVER, &parts), key(&set, number));
        }
    }
    for header in [0, 1, 26, 43, 0xff] {
        let mut bytes = header_first(&set, 0, 27);
        bytes[0] = header;
        let answer = answer(&with(&VERIFY, &HEADER_FIRST), &item(&set, 0, &bytes));
        assert!(
            reason(&answer).contains("does not begin with a header of 27 to 42"),
            "{answer}"
        );
    }
    let short = answer(
        &with(&VERIFY, &HEADER_FIRST),
        &item(&set, 0, &set.signed[0].signature),
    );
    assert_eq!(reason(&short), "`signature` has 64 bytes instead of 65");
}

/// The signature and the address in the README of bitcoinjs-message, which contains the private key
/// too.
#[test]
fn signed_messages_of_bitcoin() {
    let message = "This is an example of a signed message.";
    let signature =
        "H9L5yLFjti0QTHhPyFrZCT1V/MMnBtXKmoiKDZ78NDBjERki6ZTQZdSMCtkgoNmp17By9ItJr8o7ChX0XxY91nk=";
    let options = ["--hash", "bitcoin-message", "--text-messages"];
    let recover = [&RECOVER[..], &HEADER_FIRST, &options].concat();
    let recovered = answer(
        &recover,
        &json!({"message": message, "signature": signature}),
    );
    assert_eq!(recovered["public_key"], BITCOINJS_KEY, "{recovered}");
    let item = json!({"message": message, "signature": signature, "public_key": Base64::encode_string(&hex::decode(BITCOINJS_KEY).unwrap())});
    assert_eq!(
        answer(&[&VERIFY[..], &HEADER_FIRST, &options].concat(), &item)["valid"],
        true
    );
    let mut other = item.clone();
    other["message"] = json!("This is an example of a signed message");
    assert_eq!(
        answer(&[&VERIFY[..], &HEADER_FIRST, &options].concat(), &other)["valid"],
        false
    );
    // The command signs the same digest.
    let set = signed::<Secp256k1>(1);
    let keyed =
        json!({"message": message, "secret_key": hex::encode(set.secret[0].expose_bytes())});
    let signed = answer(
        &[&["sign", "--curve", "secp256k1"], &options[..]].concat(),
        &keyed,
    );
    let digest = Hash::BitcoinMessage.digest(message.as_bytes()).unwrap();
    let of_digest = json!({"digest": hex::encode(digest), "signature": signed["signature"], "public_key": hex::encode(set.public[0].as_sec1())});
    assert_eq!(answer(&VERIFY, &of_digest)["valid"], true);
}

/// Signatures of 65 bytes that begin with a header, one per item.
fn many_header_first(set: &Signed) -> Vec<Vec<u8>> {
    (0..set.digests.len())
        .map(|item| header_first(set, item, 31))
        .collect()
}

fn fits_both(signature: &[u8]) -> bool {
    (27..=42).contains(&signature[0]) && matches!(signature[64], 0..=3 | 27..=30)
}

/// Requires an output without keys, and an error that contains a text.
fn require_no_keys(output: &Output, expected: &str) {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        !text.contains("\"public_key\"") && !text.contains("\n04"),
        "{text}"
    );
    assert!(matches!(code(output), 1 | 2), "{}", stderr(output));
    assert!(
        (text.to_string() + &stderr(output)).contains(expected),
        "{text} {}",
        stderr(output)
    );
}

/// Without `--signature-form`, no key is recovered from header-first signatures, including those
/// (one of 32) whose last byte happens to be a valid v.
#[test]
fn header_first_signatures_do_not_recover_wrong_keys() {
    let set = signed::<Secp256k1>(400);
    let mut signatures = many_header_first(&set);
    // At least one can be read both ways; it need not be valid.
    signatures[200][64] = 28;
    assert!(fits_both(&signatures[200]));
    let object = |number: usize| json!({"digest": hex::encode(set.digests[number]), "signature": hex::encode(&signatures[number])});
    let suggests = "--signature-form header-first";
    require_no_keys(&run(&RECOVER, lines((0..400).map(object))), suggests);
    let table: String = (0..400)
        .map(|number| {
            let item = object(number);
            format!(
                "{},{}\n",
                item["digest"].as_str().unwrap(),
                item["signature"].as_str().unwrap()
            )
        })
        .collect();
    require_no_keys(
        &run(&RECOVER, format!("digest,signature\n{table}")),
        suggests,
    );
    require_no_keys(
        &run(
            &with(&RECOVER, &["-o", "/dev/stdout", "--output-format", "csv"]),
            lines((0..400).map(object)),
        ),
        suggests,
    );
    // A single signature is rejected if its form is certain, and otherwise causes a warning.
    let plain = (0..400)
        .find(|number| !fits_both(&signatures[*number]))
        .unwrap();
    assert!(reason(&answer(&RECOVER, &object(plain))).contains(suggests));
    let both = run(&RECOVER, object(200).to_string());
    assert!(
        stderr(&both).contains("fit both r || s || v and header-first"),
        "{}",
        stderr(&both)
    );
    // With the option, all keys are right except that of the modified signature.
    let right = |output: &Output| {
        let found = answers(output);
        assert_eq!(found.len(), 400, "{}", stderr(output));
        (0..400)
            .filter(|number| *number != 200)
            .for_each(|number| assert_eq!(found[number], key(&set, number)));
    };
    right(&run(
        &with(&RECOVER, &HEADER_FIRST),
        lines((0..400).map(object)),
    ));
}

/// One of sixteen valid signatures begins with a byte that could be a header.
#[test]
fn valid_rsv_is_recovered_for_any_first_byte() {
    let set = signed::<Secp256k1>(800);
    for first in [0, 27] {
        let signatures: Vec<Vec<u8>> = (0..800)
            .map(|item| {
                [
                    &set.signed[item].signature[..],
                    &[first + set.signed[item].recovery_id],
                ]
                .concat()
            })
            .collect();
        assert!(signatures.iter().any(|signature| fits_both(signature)));
        let items = lines((0..800).map(|number| item(&set, number, &signatures[number])));
        let output = run(&RECOVER, items.clone());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(
            answers(&output)
                .iter()
                .enumerate()
                .all(|(number, answer)| *answer == key(&set, number))
        );
        assert!(
            !stderr(&output).contains("header-first"),
            "{}",
            stderr(&output)
        );
        assert_eq!(code(&run(&VERIFY, items)), 0);
    }
}

/// The test cases of EIP-2098, whose private key is 0x12345678…: the same account for both.
#[test]
fn parity_in_the_top_bit_of_s() {
    let address = json!({"address": "0x2e988a386a799f506693793c6a5af6b54dfaabfb"});
    let cases = [
        (
            "Hello World",
            "68a020a209d3d56c46f38cc50a33f704f4a9a10a59377f8dd762ac66910e9b90",
            "7e865ad05c4035ab5792787d4a0297a43617ae897930a6fe4d822b8faea52064",
            27,
        ),
        (
            "It's a small(er) world",
            "9328da16089fcba9bececa81663203989f2df5fe1faa6291a45381c81bd17f76",
            "939c6d6b623b42da56557e5e734a43dc83345ddfadec52cbe24d0cc64f550793",
            28,
        ),
    ];
    let options = ["--hash", "eip191", "--text-messages"];
    let recover = [&RECOVER[..], &["--addresses"], &options].concat();
    for (message, r, vs, v) in cases {
        let compact = json!({"message": message, "signature": format!("0x{r}{vs}")});
        let with_form = with(&recover, &["--signature-form", "eip2098"]);
        assert_eq!(answer(&with_form, &compact), address);
        for name in ["yParityAndS", "vs", "_vs"] {
            let parts = json!({"message": message, "r": r, name: vs});
            assert_eq!(answer(&recover, &parts), address, "{name}");
            let table = format!("message,r,{name}\n{message},{r},{vs}\n");
            assert_eq!(
                answers(&run(&recover, table)),
                std::slice::from_ref(&address),
                "{name}"
            );
        }
        // The same signature as r || s || v, and next to matching v and s.
        let s = format!(
            "{:02x}{}",
            u8::from_str_radix(&vs[..2], 16).unwrap() & 0x7f,
            &vs[2..]
        );
        assert_eq!(
            answer(
                &recover,
                &json!({"message": message, "signature": format!("{r}{s}{v:02x}")})
            ),
            address
        );
        let all = json!({"message": message, "r": r, "s": s, "yParityAndS": vs, "v": v, "yParity": v - 27});
        assert_eq!(answer(&recover, &all), address);
        let mut other = all.clone();
        other["v"] = json!(55 - v);
        assert_eq!(
            reason(&answer(&recover, &other)),
            "`v` and `signature` contradict each other"
        );
        let mut other = all.clone();
        other["s"] = json!(vs.replacen(&vs[4..6], "00", 1));
        assert!(
            reason(&answer(&recover, &other))
                .contains("`s` and `y_parity_and_s` contradict each other")
        );
        // Verification removes the parity from s and ignores it.
        let full = with(&RECOVER, &options);
        let key =
            answer(&full, &json!({"message": message, "r": r, "vs": vs}))["public_key"].clone();
        let verify = [&VERIFY[..], &options].concat();
        let compact =
            json!({"message": message, "signature": format!("{r}{vs}"), "public_key": key});
        assert_eq!(
            answer(&with(&verify, &["--signature-form", "eip2098"]), &compact)["valid"],
            true
        );
        assert_eq!(
            answer(
                &verify,
                &json!({"message": message, "r": r, "vs": vs, "public_key": key})
            )["valid"],
            true
        );
        let whole = answer(
            &full,
            &json!({"message": message, "signature": format!("{r}{vs}")}),
        );
        assert!(
            reason(&whole).contains("--signature-form eip2098"),
            "{whole}"
        );
    }
    let set = signed::<Secp256k1>(20);
    let compact = |item: usize| {
        let mut bytes = set.signed[item].signature.to_vec();
        bytes[32] |= set.signed[item].recovery_id << 7;
        bytes
    };
    let items = lines((0..20).map(|number| item(&set, number, &compact(number))));
    let output = run(&with(&RECOVER, &["--signature-form", "eip2098"]), items);
    let found = answers(&output);
    assert!(
        (0..20).all(|number| found[number] == key(&set, number)),
        "{}",
        stderr(&output)
    );
}

/// Fields for the same value have to agree; otherwise the item's error names both.
#[test]
fn redundant_fields_have_to_agree() {
    let set = signed::<Secp256k1>(1);
    let rs = set.signed[0].signature;
    let id = set.signed[0].recovery_id;
    let rsv = [&rs[..], &[27 + id]].concat();
    let other = id ^ 1;
    let r = hex::encode(&rs[..32]);
    let s = hex::encode(&rs[32..]);
    let of = |members: Value| {
        let mut item = json!({"digest": hex::encode(set.digests[0])});
        item.as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        item
    };
    let whole = hex::encode(&rsv);
    let agreeing = [
        json!({"signature": whole, "v": 27 + id}),
        json!({"signature": whole, "recovery_id": id}),
        json!({"signature": whole, "yParity": format!("{id:#x}"), "v": format!("{:#x}", 37 + id)}),
        json!({"r": r, "s": s, "v": 27 + id, "yParity": id}),
        json!({"r": r, "s": s, "v": format!("{:#x}", 27 + id), "yParity": format!("{id:#x}"), "recovery_id": id == 1}),
        json!({"signature": whole, "r": r, "s": s, "v": 27 + id}),
        json!({"signature": whole, "der": hex::encode(signature_to_der(&rs))}),
        json!({"r": r, "s": s, "v": null, "yParity": id}),
    ];
    for members in agreeing {
        assert_eq!(
            answer(&RECOVER, &of(members.clone())),
            key(&set, 0),
            "{members}"
        );
        let mut keyed = of(members.clone());
        keyed["public_key"] = key(&set, 0)["public_key"].clone();
        assert_eq!(answer(&VERIFY, &keyed)["valid"], true, "{members}");
    }
    let changed = hex::encode([rs[0] ^ 1]) + &r[2..];
    let contradicting = [
        (
            json!({"signature": whole, "v": 27 + other}),
            "`v` and `signature`",
        ),
        (
            json!({"signature": whole, "recovery_id": other}),
            "`recovery_id` and `signature`",
        ),
        (
            json!({"signature": whole, "yParity": other}),
            "`y_parity` and `signature`",
        ),
        (
            json!({"signature": whole, "r": changed, "s": s}),
            "`r` and `signature`",
        ),
        (
            json!({"signature": whole, "der": hex::encode(signature_to_der(&[7; 64]))}),
            "`der` and `signature`",
        ),
        (
            json!({"r": r, "s": s, "v": 27 + id, "yParity": other}),
            "`y_parity` and `v`",
        ),
        (
            json!({"r": r, "s": s, "v": 27 + other, "recovery_id": id}),
            "`v` and `recovery_id`",
        ),
        (
            json!({"r": r, "s": s, "v": 99 + id, "yParity": other, "recovery_id": other}),
            "`v` and `recovery_id`",
        ),
    ];
    for (members, fields) in contradicting {
        let item = of(members);
        let answer_of = answer(&RECOVER, &item);
        assert_eq!(
            reason(&answer_of),
            format!("{fields} contradict each other"),
            "{item}"
        );
        // Verification uses a recovery id only as a hint.
        let mut keyed = item.clone();
        keyed["public_key"] = key(&set, 0)["public_key"].clone();
        let is_one_signature = !fields.contains("`r`") && !fields.contains("`der`");
        for options in [&[][..], &["--batch-verification"]] {
            assert_eq!(
                answer(&with(&VERIFY, options), &keyed)["valid"],
                is_one_signature,
                "{keyed}"
            );
        }
    }
    // An undefined v is rejected even if another field has the right recovery id.
    let undefined =
        of(json!({"signature": hex::encode([&rs[..], &[5]].concat()), "recovery_id": id}));
    assert!(answer(&RECOVER, &undefined).get("public_key").is_none());
    let digest = hex::encode(set.digests[0]);
    let table = format!(
        "digest,signature,v,yParity\n{digest},{whole},{0},{id}\n{digest},{whole},{0},{other}\n",
        27 + id
    );
    let of_table = answers(&run(&RECOVER, table));
    assert_eq!(
        (&of_table[0], reason(&of_table[1])),
        (
            &key(&set, 0),
            "`y_parity` and `signature` contradict each other"
        )
    );
}

/// Duplicate members or columns are refused, even if `--columns` maps their name.
#[test]
fn duplicate_names_are_refused() {
    let set = signed::<P256>(1);
    let digest = hex::encode(set.digests[0]);
    let other = "00".repeat(32);
    let rest = format!(
        "\"signature\":\"{}\",\"public_key\":\"{}\"",
        hex::encode(set.signed[0].signature),
        hex::encode(set.public[0].as_sec1())
    );
    for options in [&[][..], &["--columns", "digest=digest"]] {
        let verify = with(&["verify", "--curve", "p256"], options);
        for [first, second] in [[&digest, &other], [&other, &digest], [&digest, &digest]] {
            let item = format!("{{\"digest\":\"{first}\",\"digest\":\"{second}\",{rest}}}");
            let found = answers(&run(&verify, item));
            assert!(
                found[0]["valid"] == false && reason(&found[0]).contains("`digest` occurs twice"),
                "{found:?}"
            );
        }
        for item in [
            format!("{{\"digest\":\"{digest}\",\"digest\":null,{rest}}}"),
            format!("{{\"digest\":null,\"digest\":\"{digest}\",{rest}}}"),
        ] {
            let found = answers(&run(&verify, item));
            assert!(
                found[0]["valid"] == false && reason(&found[0]).contains("`digest` occurs twice"),
                "{found:?}"
            );
        }
        let row = format!(
            "{digest},{other},{},{}",
            hex::encode(set.signed[0].signature),
            hex::encode(set.public[0].as_sec1())
        );
        let table = run(
            &verify,
            format!("digest,digest,signature,public_key\n{row}\n"),
        );
        assert!(
            code(&table) == 2 && stderr(&table).contains("`digest` occurs twice"),
            "{}",
            stderr(&table)
        );
        // Duplicates of members that are not fields are ignored.
        let item = format!("{{\"digest\":\"{digest}\",\"note\":1,\"note\":2,{rest}}}");
        assert_eq!(answers(&run(&verify, item))[0]["valid"], true);
    }
}

/// Accepts r and s in the notations of other programs.
#[test]
fn numbers_with_a_sign_byte_and_decimal_numbers() {
    let set = signed::<Secp256k1>(40);
    let mut signs = 0;
    let digest = |item: usize| hex::encode(set.digests[item]);
    let mut items = Vec::new();
    for item in 0..40 {
        let (r, s) = set.signed[item].signature.split_at(32);
        let signed = |number: &[u8]| {
            if number[0] & 0x80 != 0 {
                [&[0], number].concat()
            } else {
                number.to_vec()
            }
        };
        signs += usize::from(r[0] & 0x80 != 0);
        items.push(json!({"digest": digest(item), "r": hex::encode(signed(r)), "s": hex::encode(signed(s)), "v": set.signed[item].recovery_id}));
    }
    assert!(signs > 0);
    let found = answers(&run(&RECOVER, lines(items)));
    (0..40).for_each(|item| assert_eq!(found[item], key(&set, item)));
    let (r, s) = set.signed[0].signature.split_at(32);
    let id = set.signed[0].recovery_id;
    // A zero byte that is not needed for the sign, and two zero bytes.
    for (number, problem) in [
        (
            "0071".to_owned() + &"00".repeat(31),
            "66 hexadecimal digits",
        ),
        (
            "0000ff".to_owned() + &"00".repeat(31),
            "68 hexadecimal digits",
        ),
    ] {
        let answer = answer(
            &RECOVER,
            &json!({"digest": digest(0), "r": number, "s": hex::encode(s), "v": id}),
        );
        assert!(reason(&answer).contains(problem), "{answer}");
    }
    let [r, s] = [r, s].map(BigUint::from_bytes_be);
    let text = json!({"digest": digest(0), "r": r.to_string(), "s": s.to_string(), "v": id});
    let numbers = format!(
        "{{\"digest\":\"{}\",\"r\":{r},\"s\":{s},\"v\":{id}}}",
        digest(0)
    );
    let decimal = with(&RECOVER, &["--decimal"]);
    assert_eq!(answer(&decimal, &text), key(&set, 0));
    // The first line is read by the parser, the second one by the shape of the first.
    let output = run(&decimal, format!("{numbers}\n{numbers}\n"));
    assert_eq!(
        answers(&output),
        [key(&set, 0), key(&set, 0)],
        "{}",
        stderr(&output)
    );
    let table = format!("digest,r,s,v\n{},{r},{s},{id}\n", digest(0));
    assert_eq!(answers(&run(&decimal, table)), [key(&set, 0)]);
    assert!(reason(&answers(&run(&RECOVER, numbers))[0]).contains("use --decimal"));
    let long = format!("{:077}", 7);
    for (number, problem) in [
        (
            json!(long),
            "77 hexadecimal digits instead of at most 64: use --decimal",
        ),
        (
            json!("ab".repeat(40)),
            "80 hexadecimal digits instead of at most 64",
        ),
        (json!(format!("-{long}")), "it contains '-' at position 0"),
        (json!("1.23E+47"), "it contains '.' at position 1"),
        (json!(""), "`r` is empty"),
        (json!("0x"), "`r` is empty"),
    ] {
        let item = json!({"digest": digest(0), "r": number, "s": "07", "v": id});
        let found = answer(&RECOVER, &item);
        assert!(reason(&found).contains(problem), "{item}: {found}");
    }
    let nested = json!({"digest": digest(0), "signature": {"r": "07", "s": "07", "v": 27}});
    assert!(reason(&answer(&RECOVER, &nested)).contains("write its `r`, `s` and `v` as members"));
    let too_large = (BigUint::from(1u8) << 256_u32).to_string();
    for wrong in ["0xff", "1e3", "-1", "1.0", &too_large] {
        let mut item = text.clone();
        item["r"] = json!(wrong);
        assert_eq!(
            reason(&answer(&decimal, &item)),
            "`r` is not a decimal number of at most 32 bytes",
            "{wrong}"
        );
    }
}

/// Accepts v as pandas writes integer columns with nulls, and boolean columns.
#[test]
fn v_as_other_programs_write_it() {
    let set = signed::<Secp256k1>(1);
    let digest = hex::encode(set.digests[0]);
    let rs = hex::encode(set.signed[0].signature);
    let id = set.signed[0].recovery_id;
    let truth = if id == 1 { "True" } else { "False" };
    for v in [
        format!("{}.0", 27 + id),
        format!("{id}.0"),
        truth.to_owned(),
        truth.to_uppercase(),
        (31 + id).to_string(),
    ] {
        let table = format!("digest,signature,v\n{digest},{rs},{v}\n");
        assert_eq!(answers(&run(&RECOVER, table)), [key(&set, 0)], "{v}");
        assert_eq!(
            answer(
                &RECOVER,
                &json!({"digest": digest, "signature": rs, "v": v})
            ),
            key(&set, 0),
            "{v}"
        );
    }
    let number = format!(
        "{{\"digest\":\"{digest}\",\"signature\":\"{rs}\",\"v\":{}.0}}",
        27 + id
    );
    assert_eq!(answers(&run(&RECOVER, number)), [key(&set, 0)]);
    for v in ["27.5", "27n", "1e0", "yes", "36893488147419103267.0"] {
        let answer = answer(
            &RECOVER,
            &json!({"digest": digest, "signature": rs, "v": v}),
        );
        assert!(reason(&answer).contains("`v` is not a number"), "{answer}");
    }
}

/// DER of 64 and 65 bytes, which results from numbers of 26 to 29 bytes, is refused if it could
/// also be r || s. The signatures are from python-ecdsa.
#[test]
fn short_der_is_read_if_unambiguous() {
    let items = include_str!("../data/short_der.jsonl");
    let items: Vec<Value> = items
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let output = run(&VERIFY, lines(items.clone()));
    assert!(
        answers(&output)
            .iter()
            .all(|answer| answer["valid"] == true),
        "{}",
        stderr(&output)
    );
    let as_signatures = items.iter().map(|item| {
        let mut item = item.clone();
        item["signature"] = item.as_object_mut().unwrap().remove("der").unwrap();
        item
    });
    let as_signatures: Vec<Value> = as_signatures.collect();
    let lengths: Vec<usize> = as_signatures
        .iter()
        .map(|item| item["signature"].as_str().unwrap().len() / 2)
        .collect();
    assert_eq!(lengths, [64, 65, 64, 65, 46]);
    for (answer, length) in answers(&run(&VERIFY, lines(as_signatures.clone())))
        .iter()
        .zip(lengths)
    {
        // The last bytes of those of 65 bytes are not valid as v.
        assert_eq!(answer["valid"], length != 64, "{answer}");
        assert!(
            length != 64 || reason(answer).contains("is both r || s and DER"),
            "{answer}"
        );
    }
    let as_der = run(
        &with(&VERIFY, &["--signature-form", "der"]),
        lines(as_signatures.clone()),
    );
    assert!(
        answers(&as_der)
            .iter()
            .all(|answer| answer["valid"] == true)
    );
    let as_numbers = run(
        &with(&VERIFY, &["--signature-form", "rs"]),
        lines(as_signatures),
    );
    assert_eq!(
        reason(&answers(&as_numbers)[0]),
        "the signature does not match"
    );
}

/// The public key of the private key in the README of bitcoinjs-message.
const BITCOINJS_KEY: &str = "04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235";
