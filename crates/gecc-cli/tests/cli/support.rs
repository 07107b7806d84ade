//! What these tests share: running the command, temporary files, signed items.

use gecc::{EcdsaCurve, Engine, Point, SecretKey, ecdsa, keys};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

pub fn gecc() -> Command {
    Command::new(env!("CARGO_BIN_EXE_gecc"))
}

/// Starts with all three streams connected to the test.
pub fn start(arguments: &[&str]) -> Child {
    let mut command = gecc();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the binary runs")
}

/// Runs with standard input from `input`.
pub fn run(arguments: &[&str], input: impl Into<Vec<u8>>) -> Output {
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
pub fn refuses_without_gpu(arguments: &[&str]) {
    let output = gecc().args(arguments).env("CUDA_VISIBLE_DEVICES", "").output().expect("the binary runs");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("no usable GPU"), "{}", stderr(&output));
}

pub fn answers(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
}

pub fn code(output: &Output) -> i32 {
    output.status.code().expect("not killed")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A file of this test, removed with it.
pub struct TemporaryFile(PathBuf);

impl TemporaryFile {
    pub fn new(name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = std::env::temp_dir().join(format!("gecc-cli-{}-{name}", std::process::id()));
        std::fs::write(&path, content).expect("the temporary folder is writable");
        TemporaryFile(path)
    }

    pub fn path(&self) -> &str {
        self.0.to_str().expect("UTF-8")
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

pub struct Signed {
    pub secret: Vec<SecretKey>,
    pub public: Vec<Point>,
    pub digests: Vec<[u8; 32]>,
    pub signed: Vec<ecdsa::RecoverableSignature>,
}

pub fn signed<C: EcdsaCurve>(count: usize) -> Signed {
    let engine = Engine::cpu().unwrap();
    let (secret, public) = keys::generate::<C>(&engine, count).unwrap();
    let digests: Vec<[u8; 32]> = (0..count).map(|item| [item as u8 ^ 0x5a; 32]).collect();
    let signed = ecdsa::sign_recoverable::<C>(&engine, &digests, &secret, Default::default()).unwrap();
    Signed { secret, public, digests, signed: signed.into_iter().map(Result::unwrap).collect() }
}

impl Signed {
    pub fn json(&self, item: usize) -> Value {
        json!({
            "digest": hex::encode(self.digests[item]),
            "signature": format!("0x{}", hex::encode(self.signed[item].signature)),
            "public_key": hex::encode(self.public[item].as_sec1()),
            "recovery_id": self.signed[item].recovery_id,
            "unknown": [1, 2],
            "tag": {"item": item},
        })
    }

    pub fn lines(&self) -> Vec<String> {
        (0..self.digests.len()).map(|item| self.json(item).to_string()).collect()
    }
}
