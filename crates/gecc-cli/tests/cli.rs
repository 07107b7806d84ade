//! The command line, run as a user runs it.

use gecc::{CurveId, EcdsaCurve, Engine, P256, Point, PublicKeys, Secp256k1, SecretKey, Sm2, ecdsa, keys, sm2};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

fn gecc() -> Command {
    Command::new(env!("CARGO_BIN_EXE_gecc"))
}

/// Starts with all three streams connected to the test.
fn start(arguments: &[&str]) -> Child {
    let mut command = gecc();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the binary runs")
}

/// Runs with standard input from `input`.
fn run(arguments: &[&str], input: impl Into<Vec<u8>>) -> Output {
    let mut child = start(arguments);
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.into();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("the binary ends");
    // A program that ends early closes its input; that is for the test of its exit code to judge.
    let _ = writer.join().expect("the writer does not panic");
    output
}

/// Says that it needs a GPU, in a process from which the driver hides those that there are.
fn refuses_without_gpu(arguments: &[&str]) {
    let output = gecc().args(arguments).env("CUDA_VISIBLE_DEVICES", "").output().expect("the binary runs");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("no usable GPU"), "{}", stderr(&output));
}

fn answers(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("not killed")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A file of this test, removed with it.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new(name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = std::env::temp_dir().join(format!("gecc-cli-{}-{name}", std::process::id()));
        std::fs::write(&path, content).expect("the temporary folder is writable");
        TemporaryFile(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("UTF-8")
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

struct Signed {
    secret: Vec<SecretKey>,
    public: Vec<Point>,
    digests: Vec<[u8; 32]>,
    signed: Vec<ecdsa::RecoverableSignature>,
}

fn signed<C: EcdsaCurve>(count: usize) -> Signed {
    let engine = Engine::cpu().unwrap();
    let (secret, public) = keys::generate::<C>(&engine, count).unwrap();
    let digests: Vec<[u8; 32]> = (0..count).map(|item| [item as u8 ^ 0x5a; 32]).collect();
    let signed = ecdsa::sign_recoverable::<C>(&engine, &digests, &secret, Default::default()).unwrap();
    Signed { secret, public, digests, signed: signed.into_iter().map(Result::unwrap).collect() }
}

impl Signed {
    fn json(&self, item: usize) -> Value {
        json!({
            "digest": hex::encode(self.digests[item]),
            "signature": format!("0x{}", hex::encode(self.signed[item].signature)),
            "public_key": hex::encode(self.public[item].as_sec1()),
            "recovery_id": self.signed[item].recovery_id,
            "unknown": [1, 2],
            "tag": {"item": item},
        })
    }

    fn lines(&self) -> Vec<String> {
        (0..self.digests.len()).map(|item| self.json(item).to_string()).collect()
    }
}

#[test]
fn verify_answers_every_line_in_order() {
    let set = signed::<Secp256k1>(4);
    let mut lines = set.lines();
    let mut wrong = set.json(1);
    wrong["digest"] = json!("00".repeat(32));
    lines[1] = wrong.to_string();
    // A blank line is skipped but counted; the last line has no newline.
    let input = format!("{}\r\n{}\n\n{{\"digest\":\"zz\"}}\n{}\n{}", lines[0], lines[1], lines[2], lines[3]);
    let output = run(&["verify", "--curve", "secp256k1"], input);
    let stdout = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(
        stdout.lines().collect::<Vec<_>>(),
        [
            r#"{"valid":true,"tag":{"item":0}}"#,
            r#"{"valid":false,"reason":"the signature does not match","tag":{"item":1}}"#,
            r#"{"valid":false,"reason":"line 4: `digest` is not hexadecimal: Invalid character 'z' at position 0"}"#,
            r#"{"valid":true,"tag":{"item":2}}"#,
            r#"{"valid":true,"tag":{"item":3}}"#,
        ]
    );
    assert_eq!(code(&output), 1);
    let summary = stderr(&output);
    assert!(summary.starts_with("5 items, 3 valid, 2 rejected, "), "{summary}");
    assert!(summary.contains("items/s, CPU"), "{summary}");
}

#[test]
fn exit_code_0_when_all_are_valid_and_for_no_input() {
    let set = signed::<P256>(3);
    assert_eq!(code(&run(&["verify", "--curve", "p256"], set.lines().join("\n"))), 0);
    let empty = run(&["verify", "--curve", "p256"], "");
    assert_eq!((code(&empty), empty.stdout.len()), (0, 0));
    assert!(stderr(&empty).starts_with("0 items"), "{}", stderr(&empty));
}

#[test]
fn csv_with_all_encodings_of_keys_and_signatures() {
    let set = signed::<P256>(3);
    let keys = [
        hex::encode(set.public[0].as_sec1()),
        hex::encode(set.public[1].to_compressed().unwrap()),
        hex::encode(&set.public[2].as_sec1()[1..]),
    ];
    let mut csv = "\u{feff}tag,digest,signature,der,public_key\n".to_owned();
    for (item, key) in keys.iter().enumerate() {
        let (raw, der) = match item {
            1 => (String::new(), hex::encode(gecc::signature_to_der(&set.signed[1].signature))),
            _ => (hex::encode(set.signed[item].signature), String::new()),
        };
        csv += &format!("\"a,{item}\",{},{raw},{der},{}\n", hex::encode(set.digests[item]), key);
    }
    csv += "short,row\n";
    let output = run(&["verify", "--curve", "p256"], csv);
    let answers = answers(&output);
    assert_eq!(answers.len(), 4);
    for (item, answer) in answers[..3].iter().enumerate() {
        assert_eq!(answer, &json!({"valid": true, "tag": format!("a,{item}")}));
    }
    assert_eq!(answers[3], json!({"valid": false, "reason": "line 5: 2 columns instead of 5"}));
}

#[test]
fn messages_are_hashed() {
    let engine = Engine::cpu().unwrap();
    let key = SecretKey::generate::<Secp256k1>().unwrap();
    let public = keys::public_keys::<Secp256k1>(&engine, std::slice::from_ref(&key)).unwrap()[0].unwrap();
    let signature = ecdsa::sign_messages::<Secp256k1, _>(&engine, &["hello"], &key, Default::default()).unwrap()[0];
    let line = json!({
        "message": hex::encode("hello"),
        "signature": hex::encode(signature.unwrap()),
        "public_key": hex::encode(public.as_sec1()),
    });
    assert_eq!(answers(&run(&["verify", "--curve", "secp256k1"], line.to_string())), [json!({"valid": true})]);
}

#[test]
fn sm2_digests_messages_and_ids_mixed() {
    let engine = Engine::cpu().unwrap();
    let (secret, public) = keys::generate::<Sm2>(&engine, 1).unwrap();
    let of_digest = sm2::sign(&engine, &[[7; 32]], &secret).unwrap()[0].unwrap();
    let of_message = sm2::sign_messages(&engine, &["m"], sm2::UserIds::all(b"alice"), &secret).unwrap()[0].unwrap();
    let key = hex::encode(public[0].as_sec1());
    let lines = [
        json!({"message": "6d", "id": "alice", "signature": hex::encode(of_message), "public_key": key, "tag": 0}),
        json!({"digest": "07".repeat(32), "signature": hex::encode(of_digest), "public_key": key, "tag": 1}),
        json!({"message": "6d", "signature": hex::encode(of_message), "public_key": key, "tag": 2}),
        json!({"digest": "07".repeat(32), "id": "alice", "signature": hex::encode(of_digest), "public_key": key}),
    ];
    let output = run(&["verify", "--curve", "sm2"], lines.map(|line| line.to_string()).join("\n"));
    let reason = "line 4: `id` goes with `message`: a digest already contains it";
    assert_eq!(
        answers(&output),
        [
            json!({"valid": true, "tag": 0}),
            json!({"valid": true, "tag": 1}),
            json!({"valid": false, "reason": "the signature does not match", "tag": 2}),
            json!({"valid": false, "reason": reason}),
        ]
    );
}

#[test]
fn low_s_is_a_policy_of_ecdsa() {
    let set = signed::<Secp256k1>(1);
    // n - s of a low s is high.
    let n = num_bigint::BigUint::parse_bytes(b"fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 16)
        .unwrap();
    let signature = set.signed[0].signature;
    let high = n - num_bigint::BigUint::from_bytes_be(&signature[32..]);
    let mut line = set.json(0);
    line["signature"] = json!(format!("{}{:0>64}", hex::encode(&signature[..32]), high.to_str_radix(16)));
    assert_eq!(code(&run(&["verify", "--curve", "secp256k1"], line.to_string())), 0);
    let strict = run(&["verify", "--curve", "secp256k1", "--low-s"], line.to_string());
    assert_eq!(answers(&strict)[0]["reason"], "s is above n/2, which the low-s policy forbids");
    assert_eq!(code(&run(&["verify", "--curve", "sm2", "--low-s"], "")), 2);
}

#[test]
fn ambiguous_or_missing_fields_are_line_errors() {
    let set = signed::<P256>(1);
    let with = |changes: &[(&str, Value)]| {
        let mut line = set.json(0);
        for (name, value) in changes {
            line[*name] = value.clone();
        }
        line.to_string()
    };
    let cases = [
        (with(&[("message", json!("00"))]), "`digest` and `message` are both given"),
        (with(&[("digest", Value::Null)]), "neither `digest` nor `message` is given"),
        (with(&[("der", json!("3000"))]), "`signature` and `der` are both given"),
        (with(&[("signature", Value::Null)]), "neither `signature` nor `der` is given"),
        (with(&[("public_key", Value::Null)]), "`public_key` is not given"),
        (with(&[("digest", json!("00"))]), "`digest` has 1 bytes instead of 32"),
        ("[1,2]".to_owned(), "not a JSON object"),
    ];
    let input: Vec<_> = cases.iter().map(|(line, _)| line.as_str()).collect();
    let output = run(&["verify", "--curve", "p256", "--format", "jsonl"], input.join("\n"));
    let reasons: Vec<Value> = answers(&output).iter().map(|answer| answer["reason"].clone()).collect();
    let expected: Vec<String> =
        cases.iter().enumerate().map(|(index, (_, problem))| format!("line {}: {problem}", index + 1)).collect();
    assert_eq!(reasons, expected);
    let broken = run(&["verify", "--curve", "p256"], b"{\"digest\": \"\xff\"}\n{\"digest\"".to_vec());
    assert_eq!(answers(&broken).len(), 2);
    for (index, answer) in answers(&broken).iter().enumerate() {
        let reason = answer["reason"].as_str().unwrap();
        assert!(reason.starts_with(&format!("line {}: not a JSON object", index + 1)), "{reason}");
    }
}

#[test]
fn a_line_that_is_too_long_costs_only_itself() {
    let set = signed::<P256>(1);
    let mut input = format!("{{\"message\":\"{}\"}}\n", "00".repeat(9 << 20));
    input += &set.lines()[0];
    let answers = answers(&run(&["verify", "--curve", "p256"], input));
    assert_eq!(answers[0]["reason"], "line 1: the line is longer than 16777216 bytes");
    assert_eq!(answers[1]["valid"], true);
}

#[test]
fn calls_that_cannot_run() {
    let unknown = run(&["verify", "--curve", "p256"], "a,b\n1,2\n");
    assert_eq!(code(&unknown), 2);
    assert!(stderr(&unknown).contains("header"), "{}", stderr(&unknown));
    let twice = run(&["verify", "--curve", "p256"], "digest,digest\n");
    assert!(stderr(&twice).contains("names `digest` twice"), "{}", stderr(&twice));
    let missing = run(&["verify", "--curve", "p256", "/no/such/file"], "");
    assert_eq!(code(&missing), 2);
    assert!(stderr(&missing).contains("/no/such/file"), "{}", stderr(&missing));
    assert_eq!(code(&run(&["verify", "--curve", "p256", "-o", "/no/such/folder/out"], "")), 2);
    assert_eq!(code(&run(&["verify", "--curve", "p256", "--threads", "0"], "")), 2);
    assert_eq!(code(&run(&["verify"], "")), 2);
    refuses_without_gpu(&["verify", "--curve", "p256", "--engine", "gpu"]);
}

#[test]
fn recover_gives_keys_or_errors() {
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
            json!({"error": "the recovery id is not in 0..=3", "tag": {"item": 1}}),
            json!({"error": "line 4: `recovery_id` is not a number from 0 to 3", "tag": {"item": 1}}),
        ]
    );
    assert_eq!(code(&output), 1);
}

#[test]
fn recover_gives_addresses() {
    // The account of the private key 1.
    let engine = Engine::cpu().unwrap();
    let mut one = [0; 32];
    one[31] = 1;
    let key = SecretKey::from_bytes(one);
    let signed = ecdsa::sign_recoverable::<Secp256k1>(&engine, &[[7; 32]], &key, Default::default()).unwrap();
    let signed = signed[0].unwrap();
    let line = |id: u8| {
        let (digest, signature) = (hex::encode([7; 32]), hex::encode(signed.signature));
        json!({"digest": digest, "signature": signature, "recovery_id": id, "tag": id / 4}).to_string()
    };
    let input = [line(signed.recovery_id), line(4)].join("\n");
    let output = run(&["recover", "--curve", "secp256k1", "--addresses"], input);
    assert_eq!(
        answers(&output),
        [
            json!({"address": "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", "tag": 0}),
            json!({"error": "the recovery id is not in 0..=3", "tag": 1}),
        ]
    );
    assert_eq!(code(&output), 1);
    let other_curve = run(&["recover", "--curve", "p256", "--addresses"], "");
    assert_eq!(code(&other_curve), 2);
    assert!(stderr(&other_curve).contains("--addresses is for secp256k1"), "{}", stderr(&other_curve));
}

#[test]
fn checked_signatures_are_the_same() {
    let key = TemporaryFile::new("checked.hex", "07".repeat(32));
    for curve in CurveId::ALL.iter().map(|curve| curve.name()) {
        let sign = |more: &[&str]| {
            let arguments = [&["sign", "--curve", curve, "--key-file", key.path()], more].concat();
            answers(&run(&arguments, "message\n6d\n\n6e\n"))
        };
        let signed = sign(&["--check-signatures"]);
        assert_eq!(signed, sign(&[]), "{curve}");
        assert!(signed.len() == 2 && signed.iter().all(|answer| answer["signature"].is_string()), "{curve}");
    }
}

#[test]
fn sign_ecdh_and_pubkey_use_key_files() {
    let set = signed::<P256>(2);
    let key_lines = || set.secret.iter().map(|key| hex::encode(key.expose_bytes()));
    let both = TemporaryFile::new("both.hex", format!("# two keys\n{}\n", key_lines().collect::<Vec<_>>().join("\n")));
    let input =
        format!("digest\n{}\n{}\n{}\n", hex::encode(set.digests[0]), hex::encode(set.digests[1]), "00".repeat(32));
    let signed = run(&["sign", "--curve", "p256", "--recoverable", "--key-file", both.path()], input.clone());
    let signature = |item: usize| {
        json!({
            "signature": hex::encode(set.signed[item].signature),
            "recovery_id": set.signed[item].recovery_id,
        })
    };
    let missing = json!({"error": "line 4: the key file has 2 keys, none for this item"});
    assert_eq!(answers(&signed), [signature(0), signature(1), missing]);

    let one = TemporaryFile::new("one.hex", format!("0x{}", key_lines().next().unwrap()));
    let der = run(&["sign", "--curve", "p256", "--der", "--key-file", one.path()], input);
    assert_eq!(answers(&der).len(), 3);
    let expected = hex::encode(gecc::signature_to_der(&set.signed[0].signature));
    assert_eq!(answers(&der)[0], json!({"der": expected}));

    let peers = format!("public_key\n{}\n", hex::encode(set.public[1].as_sec1()));
    let shared = run(&["ecdh", "--curve", "p256", "--key-file", one.path()], peers);
    let engine = Engine::cpu().unwrap();
    let expected =
        gecc::ecdh::shared_secrets::<P256>(&engine, &set.secret[..1], PublicKeys::points(&set.public[1..])).unwrap();
    let expected = hex::encode(expected[0].as_ref().unwrap().expose_bytes());
    assert_eq!(answers(&shared), [json!({"shared_secret": expected})]);

    let plain = key_lines().collect::<Vec<_>>().join("\n") + "\nnothex\n";
    let public = answers(&run(&["pubkey", "--curve", "p256", "--compressed"], plain));
    assert_eq!(public[1], json!({"public_key": hex::encode(set.public[1].to_compressed().unwrap())}));
    assert_eq!(public[2], json!({"error": "line 3: a private key is 64 hexadecimal digits"}));
    let object = json!({"secret_key": key_lines().next().unwrap(), "tag": "t"}).to_string();
    let expected = json!({"public_key": hex::encode(set.public[0].as_sec1()), "tag": "t"});
    assert_eq!(answers(&run(&["pubkey", "--curve", "p256"], object)), [expected]);
}

#[test]
fn key_files_that_cannot_be_used() {
    let bad = TemporaryFile::new("bad.hex", "aa\n1234567890123456secret\n");
    let output = run(&["sign", "--curve", "sm2", "--key-file", bad.path()], "");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("line 1: a private key is 64 hexadecimal digits"), "{}", stderr(&output));
    assert!(!stderr(&output).contains("secret"), "an error shows nothing of a key");
    let empty = TemporaryFile::new("empty.hex", "\n");
    assert_eq!(code(&run(&["ecdh", "--curve", "sm2", "--key-file", empty.path()], "")), 2);
    assert_eq!(code(&run(&["sign", "--curve", "sm2", "--recoverable", "--key-file", bad.path()], "")), 2);
}

#[test]
fn sm2_signatures_from_the_command_line_verify() {
    let key = TemporaryFile::new("sm2.hex", hex::encode(SecretKey::generate::<Sm2>().unwrap().expose_bytes()));
    let public = answers(&run(&["pubkey", "--curve", "sm2", key.path()], ""));
    let lines = "message,id\n6d,alice\n6d,\n";
    let signed = answers(&run(&["sign", "--curve", "sm2", "--key-file", key.path()], lines));
    let line = |item: usize, id: Option<&str>| {
        json!({"message": "6d", "id": id, "signature": signed[item]["signature"], "public_key": public[0]["public_key"]})
            .to_string()
    };
    let input = [line(0, Some("alice")), line(1, None), line(0, None)].join("\n");
    let valid: Vec<_> =
        answers(&run(&["verify", "--curve", "sm2"], input)).iter().map(|a| a["valid"].clone()).collect();
    assert_eq!(valid, [true, true, false]);
}

/// Keys, signatures, verdicts and keys again, by the command alone.
#[test]
fn every_curve_is_known_by_its_name() {
    let secret = "5a".repeat(32);
    let key = TemporaryFile::new("curves.hex", &secret);
    for curve in CurveId::ALL {
        let of_curve = |command: &str, more: &[&str], input: String| {
            let output = run(&[&[command, "--curve", curve.name()], more].concat(), input);
            assert!(code(&output) < 2, "{curve}: {}", stderr(&output));
            answers(&output)
        };
        let public = &of_curve("pubkey", &[], secret.clone())[0]["public_key"];
        let digest = "c3".repeat(32);
        let recoverable: &[&str] = if curve.has_ecdsa() { &["--recoverable"] } else { &[] };
        let more = [&["--key-file", key.path()], recoverable].concat();
        let signed = &of_curve("sign", &more, json!({ "digest": digest }).to_string())[0];
        let line = |digest: &str| {
            let (signature, id) = (&signed["signature"], &signed["recovery_id"]);
            json!({"digest": digest, "signature": signature, "public_key": public, "recovery_id": id}).to_string()
                + "\n"
        };
        let verdicts = of_curve("verify", &[], line(&digest) + &line(&"c4".repeat(32)));
        assert_eq!(verdicts[0], json!({"valid": true}), "{curve}");
        assert_eq!(verdicts[1]["valid"], json!(false), "{curve}");
        if curve.has_ecdsa() {
            assert_eq!(of_curve("recover", &[], line(&digest)), [json!({ "public_key": public })], "{curve}");
        }
        let shared = of_curve("ecdh", &["--key-file", key.path()], json!({ "public_key": public }).to_string());
        assert_eq!(shared[0]["shared_secret"].as_str().map(str::len), Some(64), "{curve}");
    }
    let unknown = run(&["verify", "--curve", "p257"], "");
    assert_eq!(code(&unknown), 2);
    assert!(CurveId::ALL.iter().all(|curve| stderr(&unknown).contains(curve.name())), "{}", stderr(&unknown));
    let without_recovery = run(&["recover", "--curve", "sm2"], "");
    assert!(code(&without_recovery) == 2 && stderr(&without_recovery).contains("brainpoolp256r1"));
}

#[test]
fn many_chunks_keep_their_order_and_go_to_a_file() {
    let set = signed::<Secp256k1>(16);
    let lines = set.lines();
    // More than one chunk of the command line.
    let count = 70_000;
    let input: String = (0..count).flat_map(|item| [lines[item % 16].as_str(), "\n"]).collect();
    let input = TemporaryFile::new("many.jsonl", input);
    let out = TemporaryFile::new("many.out", "");
    let output = gecc()
        .args(["verify", "--curve", "secp256k1", "--max-memory", "8M", "-o", out.path(), input.path()])
        .output()
        .expect("the binary runs");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = std::fs::read_to_string(out.path()).unwrap();
    let expected: String =
        (0..count).map(|item| format!("{{\"valid\":true,\"tag\":{{\"item\":{}}}}}\n", item % 16)).collect();
    assert!(text == expected, "every line in its place");
}

#[test]
fn a_slow_pipe_gets_its_answers_at_once() {
    let set = signed::<P256>(2);
    let mut child = start(&["verify", "--curve", "p256"]);
    let mut stdin = child.stdin.take().expect("piped");
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    for line in set.lines() {
        // The input stays open: the answer must come without more of it.
        writeln!(stdin, "{line}").unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert!(answer.starts_with("{\"valid\":true"), "{answer}");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let set = signed::<P256>(1);
    let input: String = std::iter::repeat_n(set.lines()[0].as_str(), 20_000).flat_map(|line| [line, "\n"]).collect();
    let input = TemporaryFile::new("pipe.jsonl", input);
    let mut child = start(&["verify", "--curve", "p256", input.path()]);
    let mut first = [0; 16];
    child.stdout.take().expect("piped").read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(!stderr(&output).contains("pipe"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_after_complete_lines() {
    let set = signed::<P256>(1);
    let mut child = start(&["verify", "--curve", "p256"]);
    let mut stdin = child.stdin.take().expect("piped");
    writeln!(stdin, "{}", set.lines()[0]).unwrap();
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    let mut answer = String::new();
    stdout.read_line(&mut answer).unwrap();
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let started = std::time::Instant::now();
    let status = child.wait().unwrap();
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(status.code(), Some(130));
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert!(answer.ends_with('\n') && rest.is_empty());
}

#[test]
fn help_doctor_and_completions() {
    let help = run(&["help", "verify"], "");
    assert!(String::from_utf8_lossy(&help.stdout).contains("Examples:"));
    let doctor = String::from_utf8(run(&["doctor"], "").stdout).unwrap();
    for what in ["cores", "engine", "NVIDIA GPUs", "NVRTC"] {
        assert!(doctor.contains(what), "{doctor}");
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&["completions", shell], "").stdout;
        assert!(String::from_utf8_lossy(&script).contains("recover"), "{shell}");
    }
}

#[test]
fn bench_measures_what_is_asked_for() {
    let bench = run(&["bench", "--engine", "cpu", "--items", "20", "--curve", "sm2", "--json"], "");
    let rows = answers(&bench);
    // All public operations but recovery, which SM2 has not.
    assert_eq!(rows.len(), 12, "{rows:?}");
    for row in &rows {
        let [seconds, rate] = ["seconds", "per_second"].map(|name| row[name].as_f64().unwrap());
        assert!(seconds > 0.0 && (rate * seconds - 20.0).abs() < 1e-6, "{row}");
    }

    // Random numbers that are not below the order of a curve are drawn again.
    let operations = "mul_base,public_keys,recover,recover_addresses";
    let rows = answers(&run(&["bench", "--engine", "cpu", "--items", "100", "--json", "--operations", operations], ""));
    let of = |name: &str| rows.iter().filter(|row| row["operation"] == name).count();
    let curves = CurveId::ALL.len();
    let expected = [curves, curves, CurveId::ALL.iter().filter(|curve| curve.has_ecdsa()).count(), 1];
    assert_eq!(["mul_base", "public_keys", "recover", "recover_addresses"].map(of), expected, "{rows:?}");

    let plot = TemporaryFile::new("plot.svg", "");
    let arguments = ["bench", "--engine", "cpu", "--curve", "p256", "--sizes", "2..4", "--operations", "recover,add"];
    let table = run(&[&arguments[..], &["--plot", plot.path()]].concat(), "");
    let text = String::from_utf8(table.stdout).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().skip(3).map(|line| line.split_whitespace().take(3).collect()).collect();
    let row = |operation, items| vec!["p256", operation, items];
    let expected: Vec<_> = ["recover", "add"].into_iter().flat_map(|o| ["4", "8", "16"].map(|n| row(o, n))).collect();
    assert_eq!(lines, expected, "{text}");
    let drawing = std::fs::read_to_string(plot.path()).unwrap();
    assert!(drawing.starts_with("<svg") && drawing.contains("recover") && drawing.contains("end to end"), "{drawing}");

    let wrong: [&[_]; 5] = [
        &["--sizes", "5..4"],
        &["--sizes", "5"],
        &["--items", "0"],
        &["--operations", "nothing"],
        &["--operations", "add,field_mul"],
    ];
    for wrong in wrong {
        assert_eq!(code(&run(&[&["bench", "--engine", "cpu"], wrong].concat(), "")), 2, "{wrong:?}");
    }
    refuses_without_gpu(&["bench", "ablations", "--items", "64"]);
    refuses_without_gpu(&["bench", "methods", "--check", "9"]);
}

/// The reasons of a verification, one per line of output.
fn reasons(input: impl Into<Vec<u8>>) -> Vec<String> {
    let output = run(&["verify", "--curve", "p256"], input);
    answers(&output).iter().map(|answer| answer["reason"].as_str().unwrap_or("none").to_owned()).collect()
}

fn not_hex(line: usize, first: char) -> String {
    format!("line {line}: `digest` is not hexadecimal: Invalid character '{first}' at position 0")
}

#[test]
fn csv_rows_are_named_by_the_line_they_begin_in() {
    // Blank lines before the header and between rows.
    assert_eq!(reasons("\n\ntag,digest\n\n\n1,zz\n\r\n\n2,yy"), [not_hex(6, 'z'), not_hex(9, 'y')]);
    // Windows line ends, and a line end inside quotes.
    let quoted = "tag,digest\r\n\"a\r\nb\",zz\r\nc,yy\r\n";
    assert_eq!(reasons(quoted), [not_hex(2, 'z'), not_hex(4, 'y')]);
    assert_eq!(answers(&run(&["verify", "--curve", "p256"], quoted))[0]["tag"], "a\r\nb");
    let open = "line 3: a quote is not closed before the end of the input".to_owned();
    assert_eq!(reasons("tag,digest\n1,zz\n\"2,zz\n3,zz\n"), [not_hex(2, 'z'), open]);
    let carriage_return = "line 2: a carriage return inside the line".to_owned();
    assert_eq!(reasons("tag,digest\n1,zz\r2,zz\n3,yy\n"), [carriage_return, not_hex(3, 'y')]);
}

#[test]
fn csv_that_cannot_be_read_costs_its_row_only() {
    assert_eq!(reasons(b"tag,digest\n\xff,zz\n2,zz\n"), ["line 2: the text is not UTF-8".to_owned(), not_hex(3, 'z')]);
    let long = format!("tag,digest\n{},zz\n2,zz\n", "1".repeat(17 << 20));
    let too_long = |line| format!("line {line}: the line is longer than 16777216 bytes");
    assert_eq!(reasons(long), [too_long(2), not_hex(3, 'z')]);
    // Quotes do not get round the limit, and what follows is answered.
    let long = format!("tag,digest\n\"{}", "1234567\n".repeat(3 << 20));
    let reasons = reasons(long);
    assert_eq!(reasons[0], too_long(2));
    assert!(reasons.len() > 1 && reasons[1].ends_with("1 columns instead of 2"), "{}", reasons[1]);
}

#[test]
fn columns_that_mean_nothing_may_repeat_and_no_input_is_no_error() {
    assert_eq!(reasons("x,x,,,digest\n1,2,3,4,zz\n"), [not_hex(2, 'z')]);
    for format in ["csv", "jsonl"] {
        let empty = run(&["verify", "--curve", "p256", "--format", format], "\n");
        assert_eq!((code(&empty), empty.stdout.len()), (0, 0), "{format}");
    }
}

#[test]
fn tags_are_passed_through_as_written() {
    let written = r#"{"b":12345678901234567890123,"a":1.10,"c":[1e400]}"#;
    let output = run(&["verify", "--curve", "p256"], format!("{{\"tag\":{written}}}\n{{\"tag\":null}}\n"));
    let stdout = String::from_utf8(output.stdout).unwrap();
    let ends: Vec<_> = stdout.lines().map(|line| line.split_once(",\"tag\":").expect("a tag").1).collect();
    assert_eq!(ends, [format!("{written}}}"), "null}".to_owned()]);
    let csv = answers(&run(&["verify", "--curve", "p256"], "tag , digest\n\" x \",00\n"));
    assert_eq!(csv[0]["tag"], " x ");
}

#[test]
fn sm2_ids_keep_their_spaces_in_csv() {
    let engine = Engine::cpu().unwrap();
    let key = SecretKey::generate::<Sm2>().unwrap();
    let file = TemporaryFile::new("spaces.hex", hex::encode(key.expose_bytes()));
    let signed = answers(&run(&["sign", "--curve", "sm2", "--key-file", file.path()], "message,id\n6d,\" a\"\n6d,a\n"));
    for (answer, id) in signed.iter().zip([" a", "a"]) {
        let expected = sm2::sign_messages(&engine, &["m"], sm2::UserIds::all(id.as_bytes()), &key).unwrap()[0].unwrap();
        assert_eq!(answer["signature"], hex::encode(expected));
    }
    assert_eq!(signed.len(), 2);
}

#[test]
fn input_that_trickles_is_read_as_any_other() {
    let line = signed::<P256>(1).lines().remove(0);
    let key = "11".repeat(32);
    let cases: [(&str, Vec<&[u8]>, &str); 2] = [
        ("verify", vec![b"\xef", b"\xbb\xbf", line.as_bytes()], "valid"),
        // The first byte alone could be a bare key's.
        ("pubkey", vec![b"d", b"igest,secret_key\n,", key.as_bytes()], "public_key"),
    ];
    for (command, parts, field) in cases {
        let mut child = start(&[command, "--curve", "p256"]);
        let mut stdin = child.stdin.take().expect("piped");
        for part in parts {
            stdin.write_all(part).unwrap();
            std::thread::sleep(Duration::from_millis(100));
        }
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(answers(&output)[0][field] != Value::Null, "{command}");
    }
}

#[test]
fn an_output_that_is_an_input_is_refused_and_kept() {
    let content = signed::<P256>(1).lines().remove(0);
    let input = TemporaryFile::new("same.jsonl", &content);
    let key = TemporaryFile::new("same.hex", "11".repeat(32));
    let from_stdin = gecc()
        .args(["verify", "--curve", "p256", "-o", input.path()])
        .stdin(std::fs::File::open(input.path()).unwrap())
        .output()
        .unwrap();
    let calls = [
        run(&["verify", "--curve", "p256", "-o", input.path(), input.path()], ""),
        run(&["sign", "--curve", "p256", "--key-file", key.path(), "-o", key.path()], ""),
        run(&["ecdh", "--curve", "p256", "--key-file", key.path(), "-o", key.path()], ""),
        from_stdin,
    ];
    for output in &calls {
        assert_eq!(code(output), 2);
        assert!(stderr(output).contains("overwrite"), "{}", stderr(output));
    }
    assert_eq!(std::fs::read_to_string(input.path()).unwrap(), content);
    assert_eq!(std::fs::read_to_string(key.path()).unwrap(), "11".repeat(32));
}

#[test]
fn a_dash_is_standard_input_and_output() {
    let output = run(&["verify", "--curve", "p256", "-o", "-", "-"], signed::<P256>(1).lines().remove(0));
    assert_eq!(answers(&output).len(), 1);
    assert!(!std::path::Path::new("-").exists());
}

#[test]
fn keys_are_read_alike_from_key_files_and_by_pubkey() {
    let key = "11".repeat(32);
    let digest = format!("digest\n{}\n", "5a".repeat(32));
    let forms = [
        key.clone(),
        format!("\u{feff}0X{key}\r\n"),
        format!("# comment\n\n{key}\n"),
        json!({"secret_key": key}).to_string(),
        format!("tag,secret_key\n1,{key}\n"),
    ];
    let mut signatures = Vec::new();
    let mut public = Vec::new();
    for (index, form) in forms.iter().enumerate() {
        let file = TemporaryFile::new(&format!("form{index}.hex"), form);
        let signed = run(&["sign", "--curve", "p256", "--key-file", file.path()], digest.clone());
        signatures.push(answers(&signed)[0]["signature"].clone());
        public.push(answers(&run(&["pubkey", "--curve", "p256", file.path()], ""))[0]["public_key"].clone());
    }
    assert!(signatures[0].is_string() && public[0].is_string());
    assert!(signatures.iter().all(|signature| *signature == signatures[0]), "{signatures:?}");
    assert!(public.iter().all(|key| *key == public[0]), "{public:?}");
    // A stray quote in a list of bare keys swallows nothing.
    let list = answers(&run(&["pubkey", "--curve", "p256"], format!("nothex\n\"\n{key}\n")));
    assert_eq!(list.len(), 3);
    assert_eq!(list[2]["public_key"], public[0]);
}

#[test]
fn no_key_is_shown_whatever_its_form() {
    let number = "1234567890123456";
    let forms = [
        format!("{{\"secret_key\":{number}}}"),
        format!("{{\"secret_key\":[{number}]}}"),
        format!("{{\"secret_key\":\"{number}\"}}"),
        format!("{{\"secret_key\":\"{number}"),
        format!("secret_key\n{number}\n"),
        number.to_owned(),
    ];
    for (index, form) in forms.iter().enumerate() {
        let file = TemporaryFile::new(&format!("hidden{index}"), form);
        let as_input = run(&["pubkey", "--curve", "p256", file.path()], "");
        let as_key_file = run(&["sign", "--curve", "p256", "--key-file", file.path()], "");
        assert_eq!((code(&as_input), code(&as_key_file)), (1, 2), "{form}");
        for output in [as_input, as_key_file] {
            let said = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output);
            assert!(!said.contains(number), "{said}");
        }
    }
}

#[cfg(unix)]
#[test]
fn key_files_that_others_can_read_get_a_warning() {
    use std::os::unix::fs::PermissionsExt;
    let file = TemporaryFile::new("mode.hex", "11".repeat(32));
    for (mode, warned) in [(0o600, false), (0o640, true), (0o604, true)] {
        std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
        let calls = [
            run(&["sign", "--curve", "p256", "--key-file", file.path()], ""),
            run(&["pubkey", "--curve", "p256", file.path()], ""),
        ];
        for output in calls {
            assert_eq!(code(&output), 0);
            assert_eq!(stderr(&output).contains("can be read by other users"), warned, "{mode:o}");
        }
    }
}

/// New, and there already with any mode; what holds no secret is as the user's mask says.
#[cfg(unix)]
#[test]
fn shared_secrets_are_written_for_the_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let key = TemporaryFile::new("owner.hex", "11".repeat(32));
    let peers = format!("public_key\n{}\n", hex::encode(signed::<P256>(1).public[0].as_sec1()));
    let mode = |file: &TemporaryFile| std::fs::metadata(file.path()).unwrap().permissions().mode() & 0o777;
    for (before, warned) in [(None, false), (Some(0o600), false), (Some(0o644), true), (Some(0o660), true)] {
        let out = TemporaryFile::new("owner.out", "old ".repeat(1000));
        match before {
            Some(mode) => std::fs::set_permissions(out.path(), std::fs::Permissions::from_mode(mode)).unwrap(),
            None => std::fs::remove_file(out.path()).unwrap(),
        }
        let output = run(&["ecdh", "--curve", "p256", "--key-file", key.path(), "-o", out.path()], peers.clone());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(stderr(&output).contains("others had access"), warned, "{before:?}: {}", stderr(&output));
        assert_eq!(mode(&out), 0o600, "{before:?}");
        let text = std::fs::read_to_string(out.path()).unwrap();
        assert!(text.starts_with("{\"shared_secret\":\"") && text.lines().count() == 1, "{text}");
    }
    let null = run(&["ecdh", "--curve", "p256", "--key-file", key.path(), "-o", "/dev/null"], peers);
    assert_eq!((code(&null), stderr(&null).contains("others")), (0, false));
    let out = TemporaryFile::new("public.out", "");
    std::fs::set_permissions(out.path(), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(code(&run(&["pubkey", "--curve", "p256", "-o", out.path()], "11".repeat(32))), 0);
    assert_eq!(mode(&out), 0o644);
}

#[test]
fn keys_left_over_get_a_warning() {
    let keys = TemporaryFile::new("surplus.hex", format!("{0}\n{0}\n{0}\n", "11".repeat(32)));
    let sign = |items: usize| {
        let input = format!("digest\n{}", format!("{}\n", "5a".repeat(32)).repeat(items));
        stderr(&run(&["sign", "--curve", "p256", "--key-file", keys.path()], input))
    };
    assert!(sign(2).contains("warning: the key file has 3 keys for 2 items"), "{}", sign(2));
    assert!(!sign(3).contains("3 keys for"), "{}", sign(3));
}

#[test]
fn the_smallest_memory_still_reads_everything() {
    let lines = signed::<P256>(5).lines().join("\n");
    let output = run(&["verify", "--curve", "p256", "--max-memory", "1"], lines);
    assert_eq!((code(&output), answers(&output).len()), (0, 5));
}

#[test]
fn commands_that_only_print_end_quietly_on_a_closed_pipe() {
    for arguments in [&["doctor"][..], &["completions", "bash"], &["bench", "--items", "2", "--curve", "p256"]] {
        let mut child = start(arguments);
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((code(&output), stderr(&output)), (0, String::new()), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let line = signed::<P256>(1).lines().remove(0);
    let input = TemporaryFile::new("full.jsonl", line);
    for arguments in [&["doctor"][..], &["completions", "bash"], &["verify", "--curve", "p256", input.path()]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = gecc().args(arguments).stdout(full).output().unwrap();
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains("writing the output"), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_closed_standard_error_is_no_panic() {
    let mut child = start(&["verify", "--curve", "p256"]);
    drop(child.stderr.take());
    child.stdin.take().expect("piped").write_all(signed::<P256>(1).lines()[0].as_bytes()).unwrap();
    assert_eq!(code(&child.wait_with_output().unwrap()), 0);
}

#[test]
fn help_teaches_the_input_of_every_command() {
    for command in ["verify", "recover", "sign", "ecdh", "pubkey"] {
        let help = String::from_utf8(run(&["help", command], "").stdout).unwrap();
        for part in ["Example", "Output: {", "JSON Lines or CSV", "Exit codes"] {
            assert!(help.contains(part), "{command}: {part}");
        }
    }
}

/// A file that is shipped with the examples.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data").join(name)
}

fn verify(curve: &str, path: &Path) -> (Option<i32>, String) {
    let output = gecc().args(["verify", "--curve", curve]).arg(path).output().expect("the binary runs");
    (output.status.code(), stderr(&output))
}

/// What each shipped file must give: curve, items, rejected ones.
const FILES: [(&str, &str, usize, usize); 4] = [
    ("ethereum_blocks.jsonl", "secp256k1", 530, 0),
    ("bitcoin_blocks.jsonl", "secp256k1", 1697, 0),
    ("health_certificates.jsonl", "p256", 205, 3),
    ("sm2_certificates.jsonl", "sm2", SM2_ITEMS, 0),
];
const SM2_ITEMS: usize = 105;

#[test]
fn shipped_signatures_verify() {
    for (file, curve, items, rejected) in FILES {
        let (code, summary) = verify(curve, &data(file));
        let expected = format!("{items} items, {} valid, {rejected} rejected", items - rejected);
        assert!(summary.starts_with(&expected), "{file}: {summary}");
        assert_eq!(code, Some(i32::from(rejected > 0)), "{file}");
    }
}

#[test]
fn a_corrupted_copy_is_found() {
    let text = fs::read_to_string(data("ethereum_blocks.jsonl")).expect("shipped");
    let field = "\"signature\":\"";
    let at = text.find(field).expect("a signature") + field.len() + 70;
    let digit = if &text[at..=at] == "0" { "1" } else { "0" };
    let path = std::env::temp_dir().join(format!("gecc-examples-{}.jsonl", std::process::id()));
    fs::write(&path, format!("{}{digit}{}", &text[..at], &text[at + 1..])).expect("writable");
    let (code, summary) = verify("secp256k1", &path);
    fs::remove_file(&path).expect("written above");
    assert!(summary.starts_with("530 items, 529 valid, 1 rejected"), "{summary}");
    assert_eq!(code, Some(1));
}
