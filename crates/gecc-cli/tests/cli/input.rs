//! JSON Lines and CSV with arbitrary contents.

use crate::support::{TemporaryFile, answers, code, run, signed, start, stderr};
use gecc::{Engine, P256, SecretKey, Sm2, sm2};
use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;

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
            1 => (
                String::new(),
                hex::encode(gecc::signature_to_der(&set.signed[1].signature)),
            ),
            _ => (hex::encode(set.signed[item].signature), String::new()),
        };
        csv += &format!(
            "\"a,{item}\",{},{raw},{der},{}\n",
            hex::encode(set.digests[item]),
            key
        );
    }
    csv += "short,row\n";
    let output = run(&["verify", "--curve", "p256"], csv);
    let answers = answers(&output);
    assert_eq!(answers.len(), 4);
    for (item, answer) in answers[..3].iter().enumerate() {
        assert_eq!(answer, &json!({"valid": true, "tag": format!("a,{item}")}));
    }
    assert_eq!(
        answers[3],
        json!({"valid": false, "reason": "2 columns instead of 5", "line": 5})
    );
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
        (
            with(&[("message", json!("00"))]),
            "`digest` and `message` are both given",
        ),
        (
            with(&[("digest", Value::Null)]),
            "neither `digest` nor `message` is given",
        ),
        (
            with(&[("der", json!("3006020101020101"))]),
            "`der` and `signature` contradict each other",
        ),
        (
            with(&[("signature", Value::Null)]),
            "neither `signature` nor `der` is given",
        ),
        (
            with(&[("public_key", Value::Null)]),
            "`public_key` is not given",
        ),
        (
            with(&[("digest", json!("00"))]),
            "`digest` has 1 byte instead of 32",
        ),
        ("[1,2]".to_owned(), "not a JSON object"),
    ];
    let input: Vec<_> = cases.iter().map(|(line, _)| line.as_str()).collect();
    let output = run(
        &["verify", "--curve", "p256", "--format", "jsonl"],
        input.join("\n"),
    );
    let expected: Vec<String> = cases
        .iter()
        .enumerate()
        .map(|(index, (_, problem))| format!("line {}: {problem}", index + 1))
        .collect();
    assert_eq!(
        answers(&output).iter().map(reason).collect::<Vec<_>>(),
        expected
    );
    let broken = run(
        &["verify", "--curve", "p256"],
        b"{\"digest\": \"\xff\"}\n{\"digest\"".to_vec(),
    );
    assert_eq!(answers(&broken).len(), 2);
    for (index, answer) in answers(&broken).iter().enumerate() {
        let reason = reason(answer);
        assert!(
            reason.starts_with(&format!("line {}: not a JSON object", index + 1)),
            "{reason}"
        );
    }
}

#[test]
fn line_that_is_too_long_does_not_affect_others() {
    let set = signed::<P256>(1);
    let mut input = format!("{{\"message\":\"{}\"}}\n", "00".repeat(9 << 20));
    input += &set.lines()[0];
    let answers = answers(&run(&["verify", "--curve", "p256"], input));
    assert_eq!(
        reason(&answers[0]),
        "line 1: the line is longer than 16777216 bytes"
    );
    assert_eq!(answers[1]["valid"], true);
}

/// The line and the reason of a rejection.
fn reason(answer: &Value) -> String {
    format!(
        "line {}: {}",
        answer["line"],
        answer["reason"].as_str().unwrap_or("none")
    )
}

/// The reasons of a verification, one per line of output.
fn reasons(input: impl Into<Vec<u8>>) -> Vec<String> {
    answers(&run(&["verify", "--curve", "p256"], input))
        .iter()
        .map(reason)
        .collect()
}

fn not_hex(line: usize, first: char) -> String {
    format!("line {line}: `digest` is not hexadecimal: it contains '{first}' at position 0")
}

#[test]
fn csv_rows_are_named_by_the_line_they_begin_in() {
    // Blank lines before the header and between rows.
    assert_eq!(
        reasons("\n\ntag,digest,sig,pk\n\n\n1,zz,,\n\r\n\n2,yy,,"),
        [not_hex(6, 'z'), not_hex(9, 'y')]
    );
    // Windows line ends, and a line end inside quotes.
    let quoted = "tag,digest,sig,pk\r\n\"a\r\nb\",zz,,\r\nc,yy,,\r\n";
    assert_eq!(reasons(quoted), [not_hex(2, 'z'), not_hex(4, 'y')]);
    assert_eq!(
        answers(&run(&["verify", "--curve", "p256"], quoted))[0]["tag"],
        "a\r\nb"
    );
    let open = "line 3: a quote is not closed before the end of the input".to_owned();
    assert_eq!(
        reasons("tag,digest,sig,pk\n1,zz,,\n\"2,zz,,\n3,zz,,\n"),
        [not_hex(2, 'z'), open]
    );
    let carriage_return = "line 2: a carriage return inside the line".to_owned();
    assert_eq!(
        reasons("tag,digest,sig,pk\n1,zz,,\r2,zz,,\n3,yy,,\n"),
        [carriage_return, not_hex(3, 'y')]
    );
}

#[test]
fn malformed_csv_row_does_not_affect_others() {
    assert_eq!(
        reasons(b"tag,digest,sig,pk\n\xff,zz,,\n2,zz,,\n"),
        ["line 2: the text is not UTF-8".to_owned(), not_hex(3, 'z')]
    );
    let long = format!("tag,digest,sig,pk\n{},zz,,\n2,zz,,\n", "1".repeat(17 << 20));
    let too_long = |line| format!("line {line}: the line is longer than 16777216 bytes");
    assert_eq!(reasons(long), [too_long(2), not_hex(3, 'z')]);
    // The limit also applies within quotes, and the rows after it are answered.
    let long = format!("tag,digest,sig,pk\n\"{}", "1234567\n".repeat(3 << 20));
    let reasons = reasons(long);
    assert_eq!(reasons[0], too_long(2));
    assert!(
        reasons.len() > 1 && reasons[1].ends_with("1 column instead of 4"),
        "{}",
        reasons[1]
    );
}

#[test]
fn unused_columns_may_repeat() {
    assert_eq!(
        reasons("x,x,,,digest,sig,pk\n1,2,3,4,zz,,\n"),
        [not_hex(2, 'z')]
    );
}

#[test]
fn tags_are_passed_through_as_written() {
    let written = r#"{"b":12345678901234567890123,"a":1.10,"c":[1e400]}"#;
    let output = run(
        &["verify", "--curve", "p256"],
        format!("{{\"tag\":{written}}}\n{{\"tag\":null}}\n"),
    );
    let stdout = String::from_utf8(output.stdout).unwrap();
    let ends: Vec<_> = stdout
        .lines()
        .map(|line| line.split_once(",\"tag\":").expect("a tag").1)
        .collect();
    assert_eq!(ends, [format!("{written}}}"), "null}".to_owned()]);
    let csv = answers(&run(
        &["verify", "--curve", "p256"],
        "tag , digest,sig,pk\n\" x \",00,,\n",
    ));
    assert_eq!(csv[0]["tag"], " x ");
}

#[test]
fn sm2_ids_keep_their_spaces_in_csv() {
    let engine = Engine::cpu().unwrap();
    let key = SecretKey::generate(Sm2).unwrap();
    let file = TemporaryFile::new("spaces.hex", hex::encode(key.expose_bytes()));
    let signed = answers(&run(
        &[
            "sign",
            "--curve",
            "sm2",
            "--columns",
            "id=id",
            "--key-file",
            file.path(),
        ],
        "message,id\n6d,\" a\"\n6d,a\n",
    ));
    for (answer, id) in signed.iter().zip([" a", "a"]) {
        let expected = sm2::sign_messages(&engine, &["m"], sm2::UserIds::all(id.as_bytes()), &key)
            .unwrap()[0]
            .unwrap();
        assert_eq!(answer["signature"], hex::encode(expected));
    }
    assert_eq!(signed.len(), 2);
}

#[test]
fn input_that_arrives_slowly_has_the_same_answers() {
    let line = signed::<P256>(1).lines().remove(0);
    let key = "11".repeat(32);
    let cases: [(&str, Vec<&[u8]>, &str); 2] = [
        (
            "verify",
            vec![b"\xef", b"\xbb\xbf", line.as_bytes()],
            "valid",
        ),
        // The first byte alone could begin a bare key.
        (
            "pubkey",
            vec![b"d", b"igest,secret_key\n,", key.as_bytes()],
            "public_key",
        ),
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
