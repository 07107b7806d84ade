//! Unattended use of the command: checks, levels, signals, progress, summaries for programs.

use crate::support::{TemporaryFile, answers, code, gecc, run, signed, start, stderr};
use gecc::P256;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output};
use std::time::Duration;

const VERIFY: [&str; 3] = ["verify", "--curve", "p256"];

fn doctor(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    gecc()
        .arg("doctor")
        .args(arguments)
        .envs(variables.iter().copied())
        .output()
        .expect("the binary runs")
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text.trim()).unwrap_or_else(|problem| panic!("{problem}: {text}"))
}

#[test]
fn doctor_fails_if_the_kernel_cache_is_not_writable() {
    let file = TemporaryFile::new("no-folder", "a file is not a folder");
    let named = [("GECC_KERNEL_CACHE", file.path())];
    let text = doctor(&[], &named);
    assert_eq!(code(&text), 1, "{}", stderr(&text));
    let report = String::from_utf8_lossy(&text.stdout).into_owned();
    let line = report
        .lines()
        .find(|line| line.contains("kernel cache"))
        .expect("a line on the cache");
    assert!(
        line.starts_with("[!!]") && line.contains("cannot be written"),
        "{line}"
    );
    let json = doctor(&["--json"], &named);
    let found = json_of(&String::from_utf8_lossy(&json.stdout));
    assert_eq!((code(&json), &found["ok"]), (1, &Value::Bool(false)));
    let of = |found: &Value, what: &str| {
        let findings = found["findings"].as_array().expect("a list").clone();
        findings
            .into_iter()
            .find(|finding| finding["what"] == what)
            .expect("it is there")["state"]
            .clone()
    };
    assert_eq!(
        (of(&found, "kernel cache"), of(&found, "engine")),
        ("wrong".into(), "ok".into())
    );
    let folder = tempfile::tempdir().unwrap();
    let good = doctor(
        &["--json"],
        &[(
            "GECC_KERNEL_CACHE",
            folder.path().join("new").to_str().unwrap(),
        )],
    );
    let found = json_of(&String::from_utf8_lossy(&good.stdout));
    assert_eq!((code(&good), of(&found, "kernel cache")), (0, "ok".into()));
    // Only kernels that the self-test has compiled for a GPU remain there.
    let stays = std::fs::read_dir(folder.path().join("new"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let others: Vec<_> = stays
        .filter(|path| path.extension().is_none_or(|end| end != "cubin"))
        .collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn the_doctor_reports_a_row_for_the_table_of_machines() {
    let named = [("CUDA_VISIBLE_DEVICES", "")];
    let text = doctor(&["--report"], &named);
    assert_eq!(code(&text), 0, "{}", stderr(&text));
    let report = String::from_utf8_lossy(&text.stdout).into_owned();
    let table: Vec<&str> = report
        .lines()
        .skip_while(|line| !line.starts_with("| machine | seen | gecc |"))
        .collect();
    let [head, _, row] = table[..] else {
        panic!("{report}")
    };
    let cells = |line: &str| {
        line.split('|')
            .map(|cell| cell.trim().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(cells(head).len(), cells(row).len());
    assert_eq!(row.matches("/s |").count(), 5, "{row}");
    let json = doctor(&["--report", "--json"], &named);
    let found = json_of(&String::from_utf8_lossy(&json.stdout));
    assert!(
        found["report"]["verify"]
            .as_str()
            .is_some_and(|rate| rate.ends_with("/s")),
        "{found}"
    );
}

#[test]
fn missing_kernels_named_in_the_environment_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for named in ["/no/such/folder", folder.path().to_str().unwrap()] {
        let output = gecc()
            .args(VERIFY)
            .env("GECC_KERNELS", named)
            .output()
            .unwrap();
        assert_eq!(code(&output), 2);
        assert!(
            stderr(&output).contains(&format!("GECC_KERNELS names {named}")),
            "{}",
            stderr(&output)
        );
        let doctor = doctor(&[], &[("GECC_KERNELS", named)]);
        assert_eq!(code(&doctor), 1);
    }
}

#[test]
fn nonsensical_limits_are_refused() {
    let refused = |more: &[&str], problem: &str| {
        let output = run(&[&VERIFY, more].concat(), "");
        assert!(
            code(&output) == 2 && stderr(&output).contains(problem),
            "{more:?}: {}",
            stderr(&output)
        );
    };
    refused(&["--threads", "0"], "0 is not in 1..=4096");
    refused(&["--threads", "1000000"], "is not in 1..=4096");
    refused(&["--max-memory", "0"], "0 leaves no memory");
    refused(&["--max-memory", "99999999999G"], "too large");
    let blocks = run(
        &["ethereum", "senders", "--from", "20", "--to", "0x10", "-"],
        "",
    );
    assert!(
        code(&blocks) == 2 && stderr(&blocks).contains("--from 20 is above --to 16"),
        "{}",
        stderr(&blocks)
    );
}

#[test]
fn verbosity_follows_options_and_environment() {
    let csv = "note,Digest,sig,pubkey\n";
    let set = signed::<P256>(1);
    let row = format!(
        "x,{},{},{}\n",
        hex::encode(set.digests[0]),
        hex::encode(set.signed[0].signature),
        hex::encode(set.public[0].as_sec1())
    );
    let messages_with = |arguments: &[&str], level: &str| {
        let file = TemporaryFile::new(
            &format!("verbosity-{}-{level}", arguments.len()),
            format!("{csv}{row}"),
        );
        let mut command = gecc();
        command
            .args(VERIFY)
            .args(arguments)
            .arg(file.path())
            .env("GECC_LOG", level);
        let output = command.output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stderr(&output)
    };
    let columns = "gecc: text: columns between ',', 2 is digest, 3 is signature, 4 is public_key; bytes in hex";
    for text in [
        messages_with(&["-v"], ""),
        messages_with(&[], "info"),
        messages_with(&[], "INFO"),
    ] {
        assert!(
            text.contains("gecc: engine: ") && text.contains(columns),
            "{text}"
        );
        assert!(!text.contains("gecc: kernels: "), "{text}");
    }
    for text in [
        messages_with(&["-vv"], "error"),
        messages_with(&[], "debug"),
    ] {
        assert!(
            text.contains(columns) && text.contains("gecc: kernels: "),
            "{text}"
        );
    }
    assert_eq!(messages_with(&["--quiet"], ""), "");
    // Warnings are left out if only errors are requested.
    let others = set.lines()[0].replace(&hex::encode(set.digests[0]), &"09".repeat(32)) + "\n";
    let others = TemporaryFile::new("verbosity-invalid", others.repeat(20));
    let warned = |level: &str| {
        stderr(
            &gecc()
                .args(VERIFY)
                .arg(others.path())
                .env("GECC_LOG", level)
                .output()
                .unwrap(),
        )
    };
    assert!(
        warned("warn").contains("no signature is right")
            && !warned("error").contains("no signature is right")
    );
    let refused = gecc()
        .args(VERIFY)
        .env("GECC_LOG", "loud")
        .output()
        .unwrap();
    assert_eq!(code(&refused), 2);
    assert!(
        stderr(&refused).contains("error, warn, info, debug"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn summaries_for_programs() {
    let set = signed::<P256>(3);
    let mut lines = set.lines();
    lines[1] = lines[1].replace("0x", "0y");
    let output = run(
        &[&VERIFY[..], &["--summary", "json"]].concat(),
        lines.join("\n"),
    );
    assert_eq!(code(&output), 1);
    let summary = json_of(&stderr(&output));
    assert_eq!(
        (&summary["items"], &summary["passed"], &summary["rejected"]),
        (&3.into(), &2.into(), &1.into())
    );
    assert_eq!(
        summary["reasons"]
            .as_object()
            .unwrap()
            .values()
            .collect::<Vec<_>>(),
        [&Value::from(1)]
    );
    assert!(summary["seconds"].is_f64() && summary["engine"].is_string());
    let both = run(
        &[&VERIFY[..], &["--summary", "json", "--quiet"]].concat(),
        "",
    );
    assert_eq!(code(&both), 2);
}

#[cfg(feature = "chains")]
#[test]
fn summaries_of_chains_for_programs() {
    let data = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/data/ethereum/block_1150000.json"
    );
    let output = run(&["ethereum", "senders", "--summary", "json", data], "");
    let summary = json_of(&stderr(&output));
    assert_eq!(
        (
            &summary["what"],
            &summary["valid"],
            &summary["places_not_read"]
        ),
        (&"signatures".into(), &9.into(), &0.into())
    );
    assert_eq!(
        summary["counts"][0],
        serde_json::json!({"type": "legacy", "reason": null, "count": 9})
    );
    // And answers as CSV.
    let csv = run(
        &[
            "ethereum",
            "senders",
            "--output-format",
            "csv",
            "--quiet",
            data,
        ],
        "",
    );
    let text = String::from_utf8(csv.stdout).unwrap();
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("block,hash,authorization,type,from,valid,reason")
    );
    let first: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(
        (
            first.len(),
            first[0],
            first[2],
            first[3],
            first[5],
            first[6]
        ),
        (7, "1150000", "", "legacy", "true", "")
    );
    assert_eq!(lines.count(), 8);
}

#[cfg(unix)]
#[test]
fn sigterm_ends_output_after_complete_lines() {
    let set = signed::<P256>(1);
    let mut child = start(&VERIFY);
    let mut stdin = child.stdin.take().expect("piped");
    writeln!(stdin, "{}", set.lines()[0]).unwrap();
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    let mut answer = String::new();
    stdout.read_line(&mut answer).unwrap();
    assert!(
        Command::new("kill")
            .args(["-TERM", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 143);
    assert!(
        stderr(&output).starts_with("1 item, 1 valid"),
        "{}",
        stderr(&output)
    );
    drop(stdin);
}

/// If standard error is not a terminal, progress is reported on lines from time to time.
#[test]
fn progress_is_printed_as_lines_without_a_terminal() {
    let line = signed::<P256>(1).lines().remove(0) + "\n";
    let mut child = start(&VERIFY);
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(line.as_bytes()).unwrap();
    // The first line comes after five seconds.
    std::thread::sleep(Duration::from_secs(8));
    stdin.write_all(line.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(answers(&output).len(), 2);
    let message = stderr(&output);
    let progress = message.lines().next().unwrap();
    assert!(
        progress.starts_with("gecc: ") && progress.contains("B/s, 2 items"),
        "{message}"
    );
}

#[test]
fn the_version_says_the_commit_and_what_is_compiled_in() {
    let long = String::from_utf8(run(&["--version"], "").stdout).unwrap();
    assert!(
        long.starts_with(concat!("gecc ", env!("CARGO_PKG_VERSION"), "\ncommit: ")),
        "{long}"
    );
    assert_eq!(long.contains("arrow"), cfg!(feature = "arrow"));
    assert_eq!(long.contains("chains"), cfg!(feature = "chains"));
}

#[test]
fn pages_of_the_manual_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let written = folder.path().join("man1");
    assert_eq!(code(&run(&["man", written.to_str().unwrap()], "")), 0);
    for (page, part) in [
        ("gecc.1", "GECC_KERNELS"),
        ("gecc-verify.1", "Exit codes"),
        ("gecc-doctor.1", "json"),
    ] {
        let text = std::fs::read_to_string(written.join(page)).unwrap();
        assert!(text.contains(part), "{page}");
    }
    assert_eq!(code(&run(&["man", "/proc/none"], "")), 2);
}

#[test]
fn help_lists_options_only_for_commands_that_use_them() {
    let help = |arguments: &[&str]| {
        String::from_utf8(run(&[arguments, &["--help"]].concat(), "").stdout).unwrap()
    };
    let whole = help(&[]);
    for variable in [
        "GECC_LOG",
        "GECC_KERNELS",
        "GECC_KERNEL_CACHE",
        "GECC_NVRTC_DIR",
        "CUDA_VISIBLE_DEVICES",
    ] {
        assert!(whole.contains(variable), "{variable}");
        let table = include_str!("../../../../docs/running.md");
        assert!(
            table.contains(&format!("`{variable}`")),
            "{variable} is in the table of docs/running.md"
        );
    }
    let has = |command: &[&str], option: &str| help(command).contains(option);
    assert!(has(&["verify"], "--batch-verification"));
    for command in ["recover", "sign", "ecdh", "pubkey"] {
        assert!(!has(&[command], "--batch-verification"), "{command}");
    }
    assert!(!has(&["ecdh"], "--hash") && !has(&["pubkey"], "--text-messages"));
    #[cfg(feature = "chains")]
    assert!(
        has(&["bitcoin", "verify"], "--batch-verification")
            && !has(&["ethereum", "senders"], "--batch-verification")
    );
    let refused = run(&["verify", "--scheme", "sm2", "--batch-verification"], "");
    assert!(
        code(&refused) == 2 && stderr(&refused).contains("SM2 has none"),
        "{}",
        stderr(&refused)
    );
}
