//! `gecc recover`.

use crate::support::{answers, code, run, signed, stderr};
use gecc::{Engine, Secp256k1, SecretKey, ecdsa};
use serde_json::json;

const NO_NUMBER: &str = "`recovery_id` is not a number from 0 to 3, nor a v of 27 and more";

#[test]
fn recover_returns_keys_or_errors() {
    let set = signed::<Secp256k1>(2);
    let mut lines = set.lines();
    let mut bad = set.json(1);
    bad["recovery_id"] = json!(4);
    lines.push(bad.to_string());
    bad["recovery_id"] = json!("one");
    lines.push(bad.to_string());
    let output = run(&["recover", "--curve", "secp256k1"], lines.join("\n"));
    let key = |item: usize| json!({"public_key": hex::encode(set.public[item].as_sec1()), "tag": {"item": item}});
    assert_eq!(
        answers(&output),
        [
            key(0),
            key(1),
            json!({"error": "the recovery id is not in 0..=3", "line": 3, "tag": {"item": 1}}),
            json!({"error": NO_NUMBER, "line": 4, "tag": {"item": 1}}),
        ]
    );
    assert_eq!(code(&output), 1);
}

#[test]
fn recover_returns_addresses() {
    // The account of the private key 1.
    let engine = Engine::cpu().unwrap();
    let mut one = [0; 32];
    one[31] = 1;
    let key = SecretKey::from_bytes(one);
    let signed =
        ecdsa::sign_recoverable(&engine, Secp256k1, &[[7; 32]], &key, Default::default()).unwrap();
    let signed = signed[0].unwrap();
    let line = |id: u8| {
        let digest = hex::encode([7; 32]);
        let signature = hex::encode(signed.signature);
        json!({"digest": digest, "signature": signature, "recovery_id": id, "tag": id / 4})
            .to_string()
    };
    let input = [line(signed.recovery_id), line(4)].join("\n");
    let output = run(&["recover", "--curve", "secp256k1", "--addresses"], input);
    assert_eq!(
        answers(&output),
        [
            json!({"address": "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "tag": 0}),
            json!({"error": "the recovery id is not in 0..=3", "line": 2, "tag": 1}),
        ]
    );
    assert_eq!(code(&output), 1);
    let other_curve = run(&["recover", "--curve", "p256", "--addresses"], "");
    assert_eq!(code(&other_curve), 2);
    assert!(
        stderr(&other_curve).contains("--addresses is for secp256k1"),
        "{}",
        stderr(&other_curve)
    );
    let without_recovery = run(&["recover", "--curve", "sm2"], "");
    assert_eq!(code(&without_recovery), 2);
    assert!(
        stderr(&without_recovery)
            .contains("ECDSA is not used on sm2, but on brainpoolp256r1, p256, secp256k1"),
        "{}",
        stderr(&without_recovery)
    );
}

#[test]
fn recovery_id_is_number_boolean_or_text_of_these() {
    let set = signed::<Secp256k1>(1);
    let line = |id: &str| {
        let digest = hex::encode(set.digests[0]);
        let signature = hex::encode(set.signed[0].signature);
        format!("{{\"digest\":\"{digest}\",\"recovery_id\":{id},\"signature\":\"{signature}\"}}\n")
    };
    let id = set.signed[0].recovery_id;
    let given = [
        format!("{id}"),
        format!("\" {id}\""),
        format!("\"\\u003{id}\""),
        format!("{}", id == 1),
    ];
    let input: String = given.iter().map(|id| line(id)).collect();
    let public = hex::encode(set.public[0].as_sec1());
    assert_eq!(
        answers(&run(&["recover", "--curve", "secp256k1"], input)),
        vec![json!({"public_key": public}); 4]
    );
    let wrong = [
        "-1",
        "0.5",
        "\"yes\"",
        "[0]",
        "{\"a\":[0]}",
        "\"0x\"",
        "\"0xg\"",
        &"9".repeat(90),
    ];
    let input: String = wrong.iter().map(|id| line(id)).collect();
    let output = run(&["recover", "--curve", "secp256k1"], input);
    for (answer, id) in answers(&output).iter().zip(wrong) {
        assert_eq!(answer["error"], NO_NUMBER, "{id}");
    }
    let absent = run(&["recover", "--curve", "secp256k1"], line("null"));
    let problem = answers(&absent)[0]["error"].as_str().unwrap().to_owned();
    assert!(
        problem.starts_with("`recovery_id` is not given") && problem.contains("eip2098"),
        "{problem}"
    );
}

#[test]
fn recovery_id_may_be_named_v() {
    let set = signed::<Secp256k1>(1);
    let id = u64::from(set.signed[0].recovery_id);
    let chain = u64::from(getrandom::u32().unwrap());
    let parity = id % 2;
    let eip155 = 35 + 2 * chain + id % 2;
    let long = format!("0x1{:064x}", 35 + parity);
    let given = [
        json!({"v": id}),
        json!({"v": 27 + id}),
        json!({"recovery_id": 27 + id}),
        json!({"v": format!("0x{:x}", 27 + id)}),
        json!({"v": eip155}),
        json!({"v": eip155.to_string()}),
        json!({"v": format!("0x{eip155:X}")}),
        json!({"v": long}),
    ];
    let mut input = String::new();
    for v in &given {
        let mut item = set.json(0);
        item.as_object_mut().unwrap().remove("recovery_id");
        item.as_object_mut()
            .unwrap()
            .extend(v.as_object().unwrap().clone());
        input += &(item.to_string() + "\n");
    }
    let output = run(&["recover", "--curve", "secp256k1"], input);
    let public = hex::encode(set.public[0].as_sec1());
    for (answer, v) in answers(&output).iter().zip(&given) {
        assert_eq!(answer["public_key"], json!(public), "{v}");
    }
    assert_eq!(answers(&output).len(), given.len());
    // If both are present they have to agree.
    let mut both = set.json(0);
    both["v"] = json!(27 + (id ^ 1));
    let output = run(&["recover", "--curve", "secp256k1"], both.to_string());
    assert_eq!(
        answers(&output)[0]["error"],
        "`v` and `recovery_id` contradict each other"
    );
    let digest = hex::encode(set.digests[0]);
    let signature = hex::encode(set.signed[0].signature);
    let table =
        format!("digest,signature,v\n{digest},{signature},{eip155}\n{digest},{signature},26\n");
    let of_table = answers(&run(&["recover", "--curve", "secp256k1"], table));
    assert_eq!(of_table[0]["public_key"], json!(public));
    assert_eq!(of_table[1]["error"], "the recovery id is not in 0..=3");
}
