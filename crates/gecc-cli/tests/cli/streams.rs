//! Files and pipes, and failures of either.

use crate::support::{
    TemporaryFile, answers, code, gecc, refuses_without_gpu, run, signed, start, stderr,
};
use gecc::{P256, Secp256k1};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn calls_that_cannot_run_exit_with_code_2() {
    let unknown = run(&["verify", "--curve", "p256"], "a,b\n1,2\n");
    assert_eq!(code(&unknown), 2);
    assert!(stderr(&unknown).contains("header"), "{}", stderr(&unknown));
    let twice = run(&["verify", "--curve", "p256"], "digest,digest\n");
    assert!(
        stderr(&twice).contains("`digest` occurs twice"),
        "{}",
        stderr(&twice)
    );
    let missing = run(&["verify", "--curve", "p256", "/no/such/file"], "");
    assert_eq!(code(&missing), 2);
    assert!(
        stderr(&missing).contains("/no/such/file"),
        "{}",
        stderr(&missing)
    );
    assert_eq!(
        code(&run(
            &["verify", "--curve", "p256", "-o", "/no/such/folder/out"],
            ""
        )),
        2
    );
    assert_eq!(
        code(&run(&["verify", "--curve", "p256", "--threads", "0"], "")),
        2
    );
    assert_eq!(code(&run(&["verify"], "")), 2);
    refuses_without_gpu(&["verify", "--curve", "p256", "--engine", "gpu"]);
}

#[test]
fn many_chunks_keep_their_order_and_go_to_a_file() {
    let set = signed::<Secp256k1>(16);
    let lines = set.lines();
    // More than one chunk of the command line.
    let count = 70_000;
    let input: String = (0..count)
        .flat_map(|item| [lines[item % 16].as_str(), "\n"])
        .collect();
    let input = TemporaryFile::new("many.jsonl", input);
    let out = TemporaryFile::new("many.out", "");
    let output = gecc()
        .args([
            "verify",
            "--curve",
            "secp256k1",
            "--max-memory",
            "8M",
            "--sync",
            "-o",
            out.path(),
            input.path(),
        ])
        .output()
        .expect("the binary runs");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = std::fs::read_to_string(out.path()).unwrap();
    let expected: String = (0..count)
        .map(|item| format!("{{\"valid\":true,\"tag\":{{\"item\":{}}}}}\n", item % 16))
        .collect();
    assert!(text == expected, "every line in its place");
}

#[test]
fn items_of_a_slow_pipe_are_answered_immediately() {
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
fn closed_pipe_ends_quietly_with_its_own_exit_code() {
    let set = signed::<P256>(1);
    let input: String = std::iter::repeat_n(set.lines()[0].as_str(), 20_000)
        .flat_map(|line| [line, "\n"])
        .collect();
    let input = TemporaryFile::new("pipe.jsonl", input);
    let mut child = start(&["verify", "--curve", "p256", input.path()]);
    let mut first = [0; 16];
    child
        .stdout
        .take()
        .expect("piped")
        .read_exact(&mut first)
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 141);
    assert!(!stderr(&output).contains("pipe"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn interrupt_ends_output_after_complete_lines() {
    let set = signed::<P256>(1);
    let mut child = start(&["verify", "--curve", "p256"]);
    let mut stdin = child.stdin.take().expect("piped");
    writeln!(stdin, "{}", set.lines()[0]).unwrap();
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    let mut answer = String::new();
    stdout.read_line(&mut answer).unwrap();
    let interrupted = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupted.success());
    let started = std::time::Instant::now();
    let status = child.wait().unwrap();
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(status.code(), Some(130));
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert!(answer.ends_with('\n') && rest.is_empty());
}

/// The pipe is not read, so that writing to it blocks forever.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_also_while_a_full_pipe_is_not_read() {
    let line = signed::<P256>(1).lines().remove(0) + "\n";
    let input = TemporaryFile::new("unread.jsonl", line.repeat(100_000));
    let forms: &[&[&str]] = if cfg!(feature = "arrow") {
        &[&[], &["--output-format", "arrow"]]
    } else {
        &[&[]]
    };
    for more in forms {
        let mut command = gecc();
        command
            .args(["verify", "--curve", "p256", "--line", input.path()])
            .args(*more);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Until the pipe is full.
        std::thread::sleep(Duration::from_secs(2));
        assert!(child.try_wait().unwrap().is_none());
        let started = std::time::Instant::now();
        assert!(
            Command::new("kill")
                .args(["-INT", &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        while child.try_wait().unwrap().is_none() {
            if started.elapsed() > Duration::from_secs(10) {
                child.kill().unwrap();
                panic!("the first interrupt did not end the command: {more:?}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(code(&output), 130, "{}", stderr(&output));
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(!more.is_empty() || text.lines().next().unwrap().starts_with("{\"valid\":true"));
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
        run(
            &[
                "verify",
                "--curve",
                "p256",
                "-o",
                input.path(),
                input.path(),
            ],
            "",
        ),
        run(
            &[
                "sign",
                "--curve",
                "p256",
                "--key-file",
                key.path(),
                "-o",
                key.path(),
            ],
            "",
        ),
        run(
            &[
                "ecdh",
                "--curve",
                "p256",
                "--key-file",
                key.path(),
                "-o",
                key.path(),
            ],
            "",
        ),
        from_stdin,
    ];
    for output in &calls {
        assert_eq!(code(output), 2);
        assert!(stderr(output).contains("overwrite"), "{}", stderr(output));
    }
    assert_eq!(std::fs::read_to_string(input.path()).unwrap(), content);
    assert_eq!(
        std::fs::read_to_string(key.path()).unwrap(),
        "11".repeat(32)
    );
}

/// A shell appends to the file while it is read.
#[cfg(unix)]
#[test]
fn standard_output_that_is_the_input_is_refused() {
    let content = signed::<P256>(3).lines().join("\n");
    let input = TemporaryFile::new("appended.jsonl", &content);
    let appended = std::fs::File::options()
        .append(true)
        .open(input.path())
        .unwrap();
    let mut command = gecc();
    command
        .args(["verify", "--curve", "p256"])
        .arg(input.path())
        .stdout(appended);
    let output = command.output().expect("the binary runs");
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("the file that is the input"),
        "{}",
        stderr(&output)
    );
    assert_eq!(std::fs::read_to_string(input.path()).unwrap(), content);
}

#[test]
fn a_dash_is_standard_input_and_output() {
    let output = run(
        &["verify", "--curve", "p256", "-o", "-", "-"],
        signed::<P256>(1).lines().remove(0),
    );
    assert_eq!(answers(&output).len(), 1);
    assert!(!std::path::Path::new("-").exists());
}

#[test]
fn the_smallest_memory_still_reads_everything() {
    let lines = signed::<P256>(5).lines().join("\n");
    let output = run(&["verify", "--curve", "p256", "--max-memory", "1"], lines);
    assert_eq!((code(&output), answers(&output).len()), (0, 5));
}

#[test]
fn line_larger_than_half_of_the_memory_is_rejected_alone() {
    let set = signed::<P256>(2);
    let [first, last] = [set.json(0), set.json(1)];
    let mut long = set.json(0);
    long["tag"] = "t".repeat(5 << 20).into();
    let lines = format!("{first}\n{long}\n{last}\n");
    let output = run(
        &["verify", "--curve", "p256", "--max-memory", "8M"],
        lines.clone(),
    );
    let given = answers(&output);
    assert_eq!((code(&output), given.len()), (1, 3));
    assert_eq!(
        [&given[0]["valid"], &given[1]["valid"], &given[2]["valid"]],
        [true, false, true]
    );
    let reason = given[1]["reason"].as_str().expect("a text");
    assert_eq!(
        reason,
        "the line is longer than 4194304 bytes, the most that this --max-memory allows"
    );
    assert_eq!(
        code(&run(
            &["verify", "--curve", "p256", "--max-memory", "16M"],
            lines
        )),
        0
    );
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started_are_an_error() {
    crate::support::some_threads_cannot_be_started(&["verify", "--curve", "p256"], 0);
}

#[test]
fn commands_that_only_print_end_quietly_on_a_closed_pipe() {
    for arguments in [
        &["doctor"][..],
        &["completions", "bash"],
        &["--version"],
        &["--help"],
        &["help", "verify"],
        &["bench", "--items", "2", "--curve", "p256"],
    ] {
        // Closed before the command starts, as its output fits into a pipe.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = gecc().args(arguments).stdout(writer).output().unwrap();
        assert_eq!(
            (code(&output), stderr(&output)),
            (141, String::new()),
            "{arguments:?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let line = signed::<P256>(1).lines().remove(0);
    let input = TemporaryFile::new("full.jsonl", line);
    for arguments in [
        &["doctor"][..],
        &["completions", "bash"],
        &["--version"],
        &["verify", "--help"],
        &["verify", "--curve", "p256", input.path()],
    ] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = gecc().args(arguments).stdout(full).output().unwrap();
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(
            stderr(&output).contains("writing the output"),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn closed_standard_error_does_not_panic() {
    let mut child = start(&["verify", "--curve", "p256"]);
    drop(child.stderr.take());
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(signed::<P256>(1).lines()[0].as_bytes())
        .unwrap();
    assert_eq!(code(&child.wait_with_output().unwrap()), 0);
}

/// Nothing is computed if the answers cannot be written.
#[cfg(unix)]
#[test]
fn standard_output_that_cannot_be_written_is_an_error() {
    let line = signed::<P256>(1).lines().remove(0);
    let input = TemporaryFile::new("unwritable.jsonl", line);
    let calls = [
        &["verify", "--curve", "p256", "--quiet", input.path()][..],
        &["doctor"],
        &["completions", "bash"],
        &["--version"],
        &["help", "verify"],
    ];
    for (redirection, reason) in [
        (">&-", "is closed"),
        ("1</dev/null", "is not open for writing"),
    ] {
        for arguments in calls {
            let output = shell(&format!("exec \"$0\" \"$@\" {redirection}"), arguments);
            assert_eq!(code(&output), 2, "{arguments:?} {redirection}");
            assert_eq!(
                stderr(&output),
                format!("gecc: standard output {reason}\n"),
                "{arguments:?} {redirection}"
            );
        }
    }
    let discarded = shell("exec \"$0\" \"$@\" >/dev/null", calls[0]);
    assert_eq!((code(&discarded), stderr(&discarded)), (0, String::new()));
    let to_error = shell(
        "exec \"$0\" \"$@\" 2>&-",
        &[
            "verify",
            "--curve",
            "p256",
            "-o",
            "/dev/stderr",
            input.path(),
        ],
    );
    assert_eq!(code(&to_error), 2);
}

#[cfg(unix)]
#[test]
fn standard_input_that_cannot_be_read_is_an_error() {
    let scratch = TemporaryFile::new("write-only", "");
    let for_writing = format!("0>>{}", scratch.path());
    for (redirection, reason) in [
        ("<&-", "is closed"),
        (for_writing.as_str(), "is not open for reading"),
    ] {
        for arguments in [
            &["verify", "--curve", "p256", "--allow-empty"][..],
            &["verify", "--curve", "p256", "-"],
        ] {
            let output = shell(&format!("exec \"$0\" \"$@\" {redirection}"), arguments);
            assert_eq!(code(&output), 2, "{redirection}");
            assert!(
                stderr(&output).contains(&format!("standard input {reason}")),
                "{}",
                stderr(&output)
            );
        }
    }
}

/// Runs the program as `$0` with its arguments as `$@` of a script.
#[cfg(unix)]
fn shell(script: &str, arguments: &[&str]) -> std::process::Output {
    let mut command = Command::new("sh");
    command
        .args(["-c", script])
        .arg(gecc().get_program())
        .args(arguments);
    command.output().expect("there is a shell")
}

#[test]
fn input_without_items_is_an_error_unless_it_is_allowed() {
    let key = "11".repeat(32);
    let key_file = TemporaryFile::new("empty.key", key);
    let header = "digest,signature,public_key\n";
    let verify = ["verify", "--curve", "p256", "--engine", "cpu"];
    let calls: Vec<(Vec<&str>, &str)> = vec![
        (verify.to_vec(), ""),
        (verify.to_vec(), "\n  \n"),
        (verify.to_vec(), header),
        (verify.to_vec(), "[]"),
        (vec!["recover", "--curve", "p256"], ""),
        (
            vec!["sign", "--curve", "p256", "--key-file", key_file.path()],
            "",
        ),
        (
            vec!["ecdh", "--curve", "p256", "--key-file", key_file.path()],
            "",
        ),
        (vec!["pubkey", "--curve", "p256"], ""),
    ];
    let before = "the previous content";
    let out = TemporaryFile::new("empty.out", before);
    for (arguments, input) in calls {
        let refused = run(&arguments, input);
        assert_eq!(
            (code(&refused), refused.stdout.len()),
            (2, 0),
            "{arguments:?} {input:?}"
        );
        assert!(
            stderr(&refused).contains("has no items (--allow-empty"),
            "{arguments:?}: {}",
            stderr(&refused)
        );
        let to_file = run(&[&arguments[..], &["-o", out.path()]].concat(), input);
        assert_eq!(
            (
                code(&to_file),
                std::fs::read_to_string(out.path()).unwrap().as_str()
            ),
            (2, before)
        );
        let allowed = run(&[&arguments[..], &["--allow-empty"]].concat(), input);
        assert_eq!(code(&allowed), 0, "{arguments:?}: {}", stderr(&allowed));
    }
    let allowed = run(
        &[&verify[..], &["--allow-empty", "-o", out.path()]].concat(),
        "",
    );
    assert_eq!(
        (
            code(&allowed),
            std::fs::read_to_string(out.path()).unwrap().as_str()
        ),
        (0, "")
    );
}

#[cfg(unix)]
#[test]
fn dangling_link_is_kept_and_its_target_created() {
    let folder = tempfile::tempdir().unwrap();
    let input = TemporaryFile::new("linked.jsonl", signed::<P256>(1).lines().remove(0));
    let inside = folder.path().join("inside");
    std::fs::create_dir(&inside).unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("second", &link).unwrap();
    std::os::unix::fs::symlink("inside/target", folder.path().join("second")).unwrap();
    for _ in 0..2 {
        let output = gecc()
            .args(["verify", "--curve", "p256", "-o"])
            .arg(&link)
            .arg(input.path())
            .output()
            .unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(
            std::fs::read_to_string(inside.join("target")).unwrap(),
            "{\"valid\":true,\"tag\":{\"item\":0}}\n"
        );
    }
    for (name, points_to) in [("astray", "missing/target"), ("loop", "loop")] {
        let link = folder.path().join(name);
        std::os::unix::fs::symlink(points_to, &link).unwrap();
        let output = gecc()
            .args(["verify", "--curve", "p256", "-o"])
            .arg(&link)
            .arg(input.path())
            .output()
            .unwrap();
        assert_eq!(code(&output), 2);
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink() && output.stdout.is_empty());
    }
}

/// Invalid names of files are refused before anything is read, and all valid names are accepted.
#[cfg(unix)]
#[test]
fn output_names_are_checked_before_computing() {
    let folder = tempfile::tempdir().unwrap();
    let input = TemporaryFile::new("named.jsonl", signed::<P256>(1).lines().remove(0));
    let verify = |name: &str| {
        let mut command = gecc();
        let output = folder.path().join(name);
        // `join` keeps the ends of all names except `.`.
        let output = if name == "." {
            folder.path().to_owned()
        } else {
            output
        };
        command
            .args(["verify", "--curve", "p256", "--quiet", "-o"])
            .arg(output)
            .arg(input.path());
        command.output().unwrap()
    };
    let too_long = "n".repeat(256);
    for name in ["new/", "new/.", ".", "..", &too_long] {
        let output = verify(name);
        assert_eq!(code(&output), 2, "{name}: {}", stderr(&output));
    }
    assert!(
        stderr(&verify("new/")).contains("the name of a folder"),
        "{}",
        stderr(&verify("new/"))
    );
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    for name in [
        "n".repeat(244),
        "n".repeat(255),
        "é".repeat(127),
        "é".repeat(120) + "abc",
    ] {
        let output = verify(&name);
        assert_eq!(code(&output), 0, "{name}: {}", stderr(&output));
        assert!(folder.path().join(&name).is_file());
    }
}

/// Returns whether this process, and so every child, was started with a signal ignored.
#[cfg(unix)]
fn is_ignored_here(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask
        .and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok())
        .unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

/// The other end of the pipe is never opened.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_command_that_waits_for_a_named_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let pipe = pipe.to_str().unwrap();
    let input = TemporaryFile::new("piped.jsonl", signed::<P256>(1).lines().remove(0));
    let keys = TemporaryFile::new("piped.keys", "11".repeat(32));
    let verify = ["verify", "--curve", "p256"];
    let calls = [
        [&verify[..], &["-o", pipe, input.path()]].concat(),
        [&verify[..], &[input.path(), pipe]].concat(),
        [&verify[..], &["--format", "csv", pipe]].concat(),
        vec!["pubkey", "--curve", "p256", keys.path(), pipe],
    ];
    for arguments in calls {
        for (signal, expected) in [("TERM", 143), ("INT", 130), ("HUP", 129)] {
            // Under `nohup` or in the background of a script, the signal is ignored as intended.
            if is_ignored_here(expected - 128) {
                continue;
            }
            let mut child = start(&arguments);
            drop(child.stdin.take());
            // By then the command waits for the pipe.
            std::thread::sleep(Duration::from_millis(700));
            assert!(child.try_wait().unwrap().is_none(), "{arguments:?}");
            let signalled = Command::new("kill")
                .args([&format!("-{signal}"), &child.id().to_string()])
                .status();
            assert!(signalled.unwrap().success());
            let started = std::time::Instant::now();
            let status = loop {
                if let Some(status) = child.try_wait().unwrap() {
                    break status;
                }
                if started.elapsed() > Duration::from_secs(10) {
                    child.kill().unwrap();
                    panic!("{signal} did not end {arguments:?}");
                }
                std::thread::sleep(Duration::from_millis(20));
            };
            // The command exits by itself, or the signal ends it before anything is computed.
            use std::os::unix::process::ExitStatusExt;
            let number = status.signal().map(|signal| 128 + signal).or(status.code());
            assert_eq!(number, Some(expected), "{arguments:?}");
        }
    }
}

/// The reader of the pipe receives all answers and the end of the file, even without answers.
#[cfg(unix)]
#[test]
fn answers_go_through_a_named_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let set = signed::<P256>(3);
    for (input, expected) in [(set.lines().join("\n"), 3), (String::new(), 0)] {
        let from = pipe.clone();
        let reader = std::thread::spawn(move || std::fs::read_to_string(from).unwrap());
        let output = run(
            &[
                "verify",
                "--curve",
                "p256",
                "--allow-empty",
                "-o",
                pipe.to_str().unwrap(),
            ],
            input,
        );
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(reader.join().unwrap().lines().count(), expected);
    }
    // The pipe is an input in addition to a file.
    let to = pipe.clone();
    let lines = set.lines().join("\n");
    let writer = std::thread::spawn(move || std::fs::write(to, lines).unwrap());
    let file = TemporaryFile::new("with-pipe.jsonl", &set.lines()[0]);
    let output = run(
        &[
            "verify",
            "--curve",
            "p256",
            file.path(),
            pipe.to_str().unwrap(),
        ],
        "",
    );
    writer.join().unwrap();
    assert_eq!(
        (code(&output), answers(&output).len()),
        (0, 4),
        "{}",
        stderr(&output)
    );
}

/// By default the system ends a program with a signal if it exceeds the file size of `ulimit -f`.
#[cfg(target_os = "linux")]
#[test]
fn file_size_limit_is_an_error_that_names_the_kept_file() {
    use std::fmt::Write;
    let mut keys = String::new();
    (1..=60_000).for_each(|key| writeln!(keys, "{key:064x}").unwrap());
    let input = TemporaryFile::new("limit.keys", keys);
    let folder = tempfile::tempdir().unwrap();
    for format in ["jsonl", "csv"] {
        let output = folder.path().join(format!("out.{format}"));
        let arguments = [
            "pubkey",
            "--curve",
            "secp256k1",
            "--quiet",
            "-o",
            output.to_str().unwrap(),
            input.path(),
        ];
        // The limit is in blocks of 512 bytes.
        let limited = shell("ulimit -f 8000; exec \"$0\" \"$@\"", &arguments);
        let message = stderr(&limited);
        assert_eq!(code(&limited), 2, "{message}");
        assert!(
            message.contains("`ulimit -f`") && message.contains("the answers up to there are in"),
            "{message}"
        );
        let kept = message.trim_end().rsplit(" are in ").next().unwrap();
        let lines = std::fs::read_to_string(kept).unwrap();
        assert!(
            lines.ends_with('\n') && lines.lines().count() > 1000,
            "{}",
            lines.lines().count()
        );
        std::fs::remove_file(kept).unwrap();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    }
}

/// The file with the answers so far is named, for every signal.
#[cfg(unix)]
#[test]
fn a_signal_names_the_file_with_the_answers_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.jsonl");
    for (signal, expected) in [("HUP", 129), ("QUIT", 131), ("XCPU", 152)] {
        let mut command = gecc();
        command
            .args(["verify", "--curve", "p256", "--quiet", "-o"])
            .arg(&out);
        // A shell starts background processes with SIGQUIT ignored, and these tests may be one.
        let not_ignored = || {
            // SAFETY: the default action is not a handler.
            unsafe {
                libc::signal(libc::SIGHUP, libc::SIG_DFL);
                libc::signal(libc::SIGQUIT, libc::SIG_DFL);
            }
            Ok(())
        };
        // SAFETY: between fork and exec it calls `signal` alone, which may be called there.
        unsafe { std::os::unix::process::CommandExt::pre_exec(&mut command, not_ignored) };
        let mut child = command
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        writeln!(stdin, "{}", signed::<P256>(1).lines()[0]).unwrap();
        let has_answer = || {
            let mut inside = std::fs::read_dir(&folder).unwrap().flatten();
            inside.any(|file| file.metadata().unwrap().len() > 0)
        };
        while !has_answer() {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(
            Command::new("kill")
                .args([&format!("-{signal}"), &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        assert_eq!(code(&output), expected, "{}", stderr(&output));
        let message = stderr(&output);
        let kept = message.trim_end().rsplit(" are in ").next().unwrap();
        assert!(
            message.starts_with("gecc: interrupted; the answers up to there are in"),
            "{message}"
        );
        assert!(
            std::fs::read_to_string(kept)
                .unwrap()
                .starts_with("{\"valid\":true")
        );
        std::fs::remove_file(kept).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn control_characters_in_names_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let name = "a\n\u{1b}[31mb\u{202e}c.csv";
    let there = folder.path().join(name);
    std::fs::write(&there, "no,header\n").unwrap();
    let verify = ["-v", "verify", "--curve", "p256", "--engine", "cpu"];
    let calls = [
        (verify.to_vec(), there.clone()),
        (
            verify.to_vec(),
            folder.path().join(format!("missing{name}")),
        ),
        (
            [&verify[..], &["--format", "parquet"]].concat(),
            there.clone(),
        ),
        (
            vec!["ethereum", "senders", "--engine", "cpu"],
            there.clone(),
        ),
        (
            vec!["ethereum", "senders", "--engine", "cpu"],
            folder.path().join(format!("missing{name}")),
        ),
    ];
    for (arguments, path) in calls
        .into_iter()
        .filter(|(call, _)| call[0] != "ethereum" || cfg!(feature = "chains"))
    {
        let output = gecc().args(&arguments).arg(&path).output().unwrap();
        let message = stderr(&output);
        // An argument that is not a file may be a key, and is not shown.
        if !message.contains("not shown as they may be a key") {
            assert!(
                message.contains("\\u{1b}[31mb\\u{202e}c"),
                "{arguments:?}: {message}"
            );
            assert!(
                arguments[0] == "ethereum" || message.contains("a\\n\\u{1b}"),
                "{arguments:?}: {message}"
            );
        } else {
            assert!(!path.exists(), "{arguments:?}: {message}");
        }
        assert!(
            !message.contains(['\u{1b}', '\u{202e}']),
            "{arguments:?}: {message}"
        );
    }
}
