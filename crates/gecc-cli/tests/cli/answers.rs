//! The contents of answers other than verdicts, and the choice of answers to write.

use crate::support::{TemporaryFile, answers, code, gecc, run, signed, start, stderr};
use gecc::{P256, Secp256k1};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Lines of which the second and the fourth are rejected, for different reasons, and the third is
/// blank.
fn mixed() -> String {
    let set = signed::<P256>(3);
    let mut wrong = set.json(1);
    wrong["digest"] = json!("00".repeat(32));
    let lines = [
        set.lines()[0].clone(),
        wrong.to_string(),
        String::new(),
        "{\"tag\":7,\"digest\":5}".to_owned(),
    ];
    lines.join("\n") + "\n" + &set.lines()[2]
}

fn verify(more: &[&str], input: &str) -> std::process::Output {
    run(&[&["verify", "--curve", "p256"], more].concat(), input)
}

#[test]
fn lines_are_stated_on_request_and_in_rejections() {
    let input = mixed();
    let lines = |more: &[&str]| -> Vec<Value> {
        answers(&verify(more, &input))
            .iter()
            .map(|answer| answer["line"].clone())
            .collect()
    };
    assert_eq!(lines(&[]), [Value::Null, json!(2), json!(4), Value::Null]);
    assert_eq!(lines(&["--line"]), [1, 2, 4, 5]);
    let key = TemporaryFile::new("line.hex", "11".repeat(32));
    let signed = run(
        &[
            "sign",
            "--curve",
            "p256",
            "--line",
            "--key-file",
            key.path(),
        ],
        "\ndigest\n\nzz\n6d\n",
    );
    assert_eq!(
        answers(&signed)
            .iter()
            .map(|answer| answer["line"].clone())
            .collect::<Vec<_>>(),
        [4, 5]
    );
}

#[test]
fn tag_is_passed_through_even_if_the_item_is_malformed() {
    let cases = [
        r#"{"tag":{"a":1.50},"digest":5}"#,
        r#"{"digest":5,"tag":{"a":1.50}}"#,
        r#"{"digest":"zz","tag":{"a":1.50}}"#,
        r#"{"digest":"00","digest":"00","tag":{"a":1.50}}"#,
    ];
    for answer in String::from_utf8(verify(&[], &cases.join("\n")).stdout)
        .unwrap()
        .lines()
    {
        assert!(answer.ends_with(r#","tag":{"a":1.50}}"#), "{answer}");
    }
    let broken = answers(&verify(&[], r#"{"tag":1,"digest":"#));
    assert!(
        broken[0].get("tag").is_none() && broken.len() == 1,
        "{broken:?}"
    );
}

#[test]
fn only_rejected_writes_rejections_only() {
    let input = mixed();
    let all = answers(&verify(&[], &input));
    let rejected = verify(&["--only-rejected"], &input);
    assert_eq!(answers(&rejected), [all[1].clone(), all[2].clone()]);
    assert_eq!(code(&rejected), 1);
    assert!(
        stderr(&rejected).starts_with("4 items, 2 valid, 2 rejected"),
        "{}",
        stderr(&rejected)
    );
}

#[test]
fn summary_counts_rejections_by_reason() {
    let (input, wrong) = (mixed(), mixed().lines().nth(1).unwrap().to_owned());
    let message = stderr(&verify(&[], &format!("{input}\n{wrong}\n")));
    let table: Vec<_> = message
        .lines()
        .skip(1)
        .map(|line| line.trim_start().split_once("  ").unwrap())
        .collect();
    assert_eq!(
        table,
        [
            ("2", "the signature does not match"),
            ("1", "`digest` is not a text")
        ],
        "{message}"
    );
    assert_eq!(stderr(&verify(&["--quiet"], &input)), "");
}

#[test]
fn a_check_ends_at_the_first_rejection() {
    let input = mixed();
    let all = answers(&verify(&[], &input));
    let checked = verify(&["--check"], &input);
    assert_eq!((code(&checked), answers(&checked)), (1, all[..2].to_vec()));
    assert!(
        stderr(&checked).starts_with("2 items, 1 valid, 1 rejected"),
        "{}",
        stderr(&checked)
    );
    let valid = input.lines().next().unwrap();
    assert_eq!(code(&verify(&["--check"], valid)), 0);
    // The check also ends while the input is still open.
    let mut child = start(&["verify", "--curve", "p256", "--check"]);
    let mut stdin = child.stdin.take().expect("piped");
    writeln!(stdin, "{{}}").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn summary_uses_the_singular_and_the_verb_of_the_command() {
    let key = TemporaryFile::new("summary-key.hex", "11".repeat(32));
    let set = signed::<Secp256k1>(1);
    let line = set.lines().remove(0);
    let keys = ["--key-file", key.path()];
    let cases: [(&[&str], &str, &str); 5] = [
        (&["verify"], &line, "1 item, 1 valid, 0 rejected"),
        (&["recover"], &line, "1 item, 1 recovered, 0 rejected"),
        (
            &["sign", keys[0], keys[1]],
            &line,
            "1 item, 1 signed, 0 rejected",
        ),
        (
            &["ecdh", keys[0], keys[1]],
            &line,
            "1 item, 1 computed, 0 rejected",
        ),
        (&["pubkey"], "11", "1 item, 0 computed, 1 rejected"),
    ];
    for (command, input, expected) in cases {
        let message = stderr(&run(&[command, &["--curve", "secp256k1"]].concat(), input));
        assert!(
            message.lines().any(|line| line.starts_with(expected)),
            "{message}"
        );
    }
}

#[test]
fn output_file_is_renamed_when_it_is_complete() {
    let out = TemporaryFile::new("complete.out", "as it was");
    let content = || std::fs::read_to_string(out.path()).unwrap();
    let wrong = verify(&["-o", out.path()], "a,b\n1,2\n");
    assert_eq!((code(&wrong), content().as_str()), (2, "as it was"));
    assert!(!stderr(&wrong).contains("0 items"), "{}", stderr(&wrong));
    assert_eq!(
        parts_of(&out),
        Vec::<PathBuf>::new(),
        "nothing was computed"
    );

    // The file keeps its old content until the new one is complete.
    let line = signed::<P256>(1).lines().remove(0);
    let mut child = start(&["verify", "--curve", "p256", "-o", out.path()]);
    let mut stdin = child.stdin.take().expect("piped");
    writeln!(stdin, "{line}").unwrap();
    let part = first_part_of(&out);
    assert_eq!(content(), "as it was");
    drop(stdin);
    assert_eq!(code(&child.wait_with_output().unwrap()), 0);
    assert!(
        content().starts_with("{\"valid\":true") && !part.exists(),
        "{}",
        content()
    );
}

/// The files that are written next to an output.
fn parts_of(out: &TemporaryFile) -> Vec<PathBuf> {
    let name = Path::new(out.path())
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned()
        + ".part-";
    let paths = std::fs::read_dir(std::env::temp_dir())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.to_str().is_some_and(|path| path.contains(&name)))
        .collect()
}

/// Waits until an output has answers.
fn first_part_of(out: &TemporaryFile) -> PathBuf {
    loop {
        match parts_of(out).pop() {
            Some(part) if std::fs::metadata(&part).is_ok_and(|part| part.len() > 0) => return part,
            _ => std::thread::sleep(std::time::Duration::from_millis(10)),
        }
    }
}

#[cfg(unix)]
#[test]
fn answers_before_an_interrupt_are_kept_and_their_file_is_named() {
    let out = TemporaryFile::new("kept.out", "as it was");
    let mut child = start(&["verify", "--curve", "p256", "-o", out.path()]);
    let mut stdin = child.stdin.take().expect("piped");
    writeln!(stdin, "{}", signed::<P256>(1).lines()[0]).unwrap();
    first_part_of(&out);
    let interrupted = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupted.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 130);
    let message = stderr(&output);
    let (_, part) = message
        .trim_end()
        .split_once("the answers up to there are in ")
        .expect("the path of the file");
    let kept = std::fs::read_to_string(part).unwrap();
    std::fs::remove_file(part).unwrap();
    assert!(kept.starts_with("{\"valid\":true"), "{kept}");
    assert_eq!(std::fs::read_to_string(out.path()).unwrap(), "as it was");
}

#[cfg(target_os = "linux")]
#[test]
fn outputs_that_are_links_or_devices_are_not_replaced() {
    let line = signed::<P256>(1).lines().remove(0);
    let file = TemporaryFile::new("linked.out", "old");
    let link = TemporaryFile::new("link.out", "");
    std::fs::remove_file(link.path()).unwrap();
    std::os::unix::fs::symlink(file.path(), link.path()).unwrap();
    assert_eq!(code(&verify(&["-o", link.path()], &line)), 0);
    assert!(std::fs::symlink_metadata(link.path()).unwrap().is_symlink());
    assert!(
        std::fs::read_to_string(file.path())
            .unwrap()
            .starts_with("{\"valid\":true")
    );
    for device in ["/dev/null", "/dev/stdout"] {
        assert_eq!(code(&verify(&["-o", device], &line)), 0, "{device}");
    }
    assert_eq!(answers(&verify(&["-o", "/dev/stdout"], &line)).len(), 1);
    for (device, to) in [
        ("/dev/stdout", ">>"),
        ("/dev/fd/1", ">>"),
        ("/dev/stderr", "2>>"),
        ("/dev/fd/3", "3>>"),
    ] {
        let (input, log) = (
            TemporaryFile::new("appended.in", &line),
            TemporaryFile::new("appended.out", "as it was\n"),
        );
        let script = format!(
            "\"$0\" verify --curve p256 --quiet -o {device} {} {to} {}",
            input.path(),
            log.path()
        );
        let status = std::process::Command::new("sh")
            .args(["-c", &script])
            .arg(gecc().get_program())
            .status()
            .unwrap();
        let content = std::fs::read_to_string(log.path()).unwrap();
        assert!(
            status.success() && content.starts_with("as it was\n{\"valid\":true"),
            "{device}: {content}"
        );
    }
    let full = verify(&["-o", "/dev/full"], &line);
    assert!(
        code(&full) == 2 && stderr(&full).contains("writing the output"),
        "{}",
        stderr(&full)
    );
}

/// The output may be a bind mount, as in a container.
#[cfg(target_os = "linux")]
#[test]
fn output_that_is_a_mount_point_is_overwritten() {
    let (file, mount) = (
        TemporaryFile::new("outside.out", "old"),
        TemporaryFile::new("inside.out", ""),
    );
    let input = TemporaryFile::new("mounted.in", signed::<P256>(1).lines().remove(0));
    let in_namespace = |script: &str| {
        let mut command = std::process::Command::new("unshare");
        command.args([
            "-rm",
            "sh",
            "-c",
            &format!("mount --bind \"$1\" \"$2\" && {script}"),
            "sh",
        ]);
        command
            .args([file.path(), mount.path(), input.path()])
            .arg(gecc().get_program())
            .output()
    };
    if !in_namespace("true").is_ok_and(|output| output.status.success()) {
        return eprintln!("no namespaces here");
    }
    let output = in_namespace("\"$4\" verify --curve p256 --sync -o \"$2\" \"$3\"").unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        std::fs::read_to_string(file.path())
            .unwrap()
            .starts_with("{\"valid\":true")
    );
}

#[test]
fn standard_input_is_not_read_twice() {
    for command in ["sign", "ecdh"] {
        let output = run(
            &[command, "--curve", "p256", "--key-file", "-"],
            "11".repeat(32),
        );
        assert_eq!(code(&output), 2);
        assert!(
            stderr(&output).contains("both standard input"),
            "{}",
            stderr(&output)
        );
    }
    let digest = TemporaryFile::new("twice.csv", format!("digest\n{}\n", "5a".repeat(32)));
    let signed = run(
        &["sign", "--curve", "p256", "--key-file", "-", digest.path()],
        "11".repeat(32),
    );
    assert!(
        answers(&signed)[0]["signature"].is_string(),
        "{}",
        stderr(&signed)
    );
}

#[test]
fn single_line_of_a_pipe_is_answered_without_delay() {
    let set = signed::<P256>(4);
    let mut child = start(&["verify", "--curve", "p256", "--engine", "cpu"]);
    let mut stdin = child.stdin.take().expect("piped");
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    let mut waited = Vec::new();
    for line in set.lines().iter().cycle().take(20) {
        let sent = std::time::Instant::now();
        writeln!(stdin, "{line}").unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        waited.push(sent.elapsed());
        assert!(answer.starts_with("{\"valid\":true"), "{answer}");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
    waited.sort();
    // The shortest: other tests run at the same time.
    assert!(
        waited[0] < std::time::Duration::from_millis(50),
        "{waited:?}"
    );
}

#[test]
fn redirected_file_is_read_from_its_current_position() {
    use std::io::{Seek, SeekFrom};
    let set = signed::<P256>(2);
    let input = TemporaryFile::new("offset.jsonl", set.lines().join("\n"));
    let mut file = std::fs::File::open(input.path()).unwrap();
    file.seek(SeekFrom::Start(set.lines()[0].len() as u64 + 1))
        .unwrap();
    let output = gecc()
        .args(["verify", "--curve", "p256"])
        .stdin(Stdio::from(file))
        .output()
        .unwrap();
    assert_eq!(
        answers(&output),
        [json!({"valid": true, "tag": {"item": 1}})]
    );
}

/// Keys of every form, and messages with and without ids, on every curve's scheme, in more items
/// than a unit has.
#[test]
fn irregular_items_are_answered_in_order() {
    let set = signed::<P256>(4);
    let forms = |item: usize| {
        let point = &set.public[item];
        [
            hex::encode(point.as_sec1()),
            hex::encode(point.to_compressed().unwrap()),
            hex::encode(&point.as_sec1()[1..]),
            hex::encode(&point.as_sec1()[..40]),
        ]
    };
    let count = 20_000;
    let line = |number: usize| {
        let (item, form) = (number % 4, number / 4 % 5);
        let mut line = set.json(item);
        line["tag"] = json!(number);
        line["public_key"] = json!(
            forms(item)
                .get(form)
                .cloned()
                .unwrap_or_else(|| forms(item)[1].clone())
        );
        line.to_string()
    };
    let input: Vec<String> = (0..count).map(line).collect();
    let given = answers(&verify(&[], &input.join("\n")));
    assert_eq!(given.len(), count);
    for (number, answer) in given.iter().enumerate() {
        let expected = match number / 4 % 5 {
            3 => {
                json!({"valid": false, "reason": "the point's encoding is malformed", "line": number + 1, "tag": number})
            }
            _ => json!({"valid": true, "tag": number}),
        };
        assert_eq!(*answer, expected);
    }
}

#[test]
fn sm2_signs_and_verifies_digests_and_messages_by_their_own_keys() {
    let set = signed::<P256>(3);
    let digits: Vec<String> = set
        .secret
        .iter()
        .map(|key| hex::encode(key.expose_bytes()))
        .collect();
    let keys = TemporaryFile::new("mixed.hex", digits.join("\n"));
    let input = "message,digest,id,tag\n6d,,alice,0\n,,,1\n,".to_owned()
        + &"5a".repeat(32)
        + ",,2\n6e,,,3\n";
    let output = run(
        &[
            "sign",
            "--curve",
            "sm2",
            "--columns",
            "id=id",
            "--key-file",
            keys.path(),
        ],
        input.clone(),
    );
    let signatures = answers(&output);
    assert_eq!(
        signatures[1]["error"],
        "neither `digest` nor `message` is given"
    );
    assert_eq!(
        signatures[3]["error"],
        "the key file has 3 keys, none for this item"
    );
    let public = answers(&run(&["pubkey", "--curve", "sm2", keys.path()], ""));
    let lines = [
        json!({"message": "6d", "id": "alice", "signature": signatures[0]["signature"], "public_key": public[0]["public_key"]}),
        json!({"digest": "5a".repeat(32), "signature": signatures[2]["signature"], "public_key": public[2]["public_key"]}),
    ];
    let verified = run(
        &["verify", "--curve", "sm2", "--columns", "id=id"],
        lines.map(|line| line.to_string()).join("\n"),
    );
    assert_eq!(
        answers(&verified),
        [json!({"valid": true}), json!({"valid": true})]
    );
}
