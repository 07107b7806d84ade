//! Files, pipes and what happens to them.

use crate::support::{TemporaryFile, answers, code, gecc, refuses_without_gpu, run, signed, start, stderr};
use gecc::{P256, Secp256k1};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn calls_that_cannot_run() {
    let unknown = run(&["verify", "--curve", "p256"], "a,b\n1,2\n");
    assert_eq!(code(&unknown), 2);
    assert!(stderr(&unknown).contains("header"), "{}", stderr(&unknown));
    let twice = run(&["verify", "--curve", "p256"], "digest,digest\n");
    assert!(stderr(&twice).contains("`digest` is there twice"), "{}", stderr(&twice));
    let missing = run(&["verify", "--curve", "p256", "/no/such/file"], "");
    assert_eq!(code(&missing), 2);
    assert!(stderr(&missing).contains("/no/such/file"), "{}", stderr(&missing));
    assert_eq!(code(&run(&["verify", "--curve", "p256", "-o", "/no/such/folder/out"], "")), 2);
    assert_eq!(code(&run(&["verify", "--curve", "p256", "--threads", "0"], "")), 2);
    assert_eq!(code(&run(&["verify"], "")), 2);
    refuses_without_gpu(&["verify", "--curve", "p256", "--engine", "gpu"]);
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
        .args(["verify", "--curve", "secp256k1", "--max-memory", "8M", "--sync", "-o", out.path(), input.path()])
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
fn a_closed_pipe_ends_quietly_with_a_code_of_its_own() {
    let set = signed::<P256>(1);
    let input: String = std::iter::repeat_n(set.lines()[0].as_str(), 20_000).flat_map(|line| [line, "\n"]).collect();
    let input = TemporaryFile::new("pipe.jsonl", input);
    let mut child = start(&["verify", "--curve", "p256", input.path()]);
    let mut first = [0; 16];
    child.stdout.take().expect("piped").read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 141);
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

/// Nobody reads the pipe, so that writing to it never ends.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_also_while_a_full_pipe_is_not_read() {
    let line = signed::<P256>(1).lines().remove(0) + "\n";
    let input = TemporaryFile::new("unread.jsonl", line.repeat(100_000));
    for more in [&[][..], &["--output-format", "arrow"]] {
        let mut command = gecc();
        command.args(["verify", "--curve", "p256", "--line", input.path()]).args(more);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Until the pipe is full.
        std::thread::sleep(Duration::from_secs(2));
        assert!(child.try_wait().unwrap().is_none());
        let started = std::time::Instant::now();
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
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

/// A shell appends to it while it is read.
#[cfg(unix)]
#[test]
fn standard_output_that_is_the_input_is_refused() {
    let content = signed::<P256>(3).lines().join("\n");
    let input = TemporaryFile::new("appended.jsonl", &content);
    let appended = std::fs::File::options().append(true).open(input.path()).unwrap();
    let mut command = gecc();
    command.args(["verify", "--curve", "p256"]).arg(input.path()).stdout(appended);
    let output = command.output().expect("the binary runs");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("the file that is the input"), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(input.path()).unwrap(), content);
}

#[test]
fn a_dash_is_standard_input_and_output() {
    let output = run(&["verify", "--curve", "p256", "-o", "-", "-"], signed::<P256>(1).lines().remove(0));
    assert_eq!(answers(&output).len(), 1);
    assert!(!std::path::Path::new("-").exists());
}

#[test]
fn the_smallest_memory_still_reads_everything() {
    let lines = signed::<P256>(5).lines().join("\n");
    let output = run(&["verify", "--curve", "p256", "--max-memory", "1"], lines);
    assert_eq!((code(&output), answers(&output).len()), (0, 5));
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started_are_an_error() {
    crate::support::some_threads_cannot_be_started(&["verify", "--curve", "p256"], 0);
}

#[test]
fn commands_that_only_print_end_quietly_on_a_closed_pipe() {
    for arguments in [&["doctor"][..], &["completions", "bash"], &["bench", "--items", "2", "--curve", "p256"]] {
        // Closed before the command starts, as what it prints fits into a pipe.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = gecc().args(arguments).stdout(writer).output().unwrap();
        assert_eq!((code(&output), stderr(&output)), (141, String::new()), "{arguments:?}");
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
