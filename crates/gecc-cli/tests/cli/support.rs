//! Helpers of these tests: running the command, temporary files, signed items.

pub use crate::program::program as gecc;
pub use crate::program::{TemporaryFile, answers, code, refuses_without_gpu, run, start, stderr};

use flate2::Compression;
use flate2::write::GzEncoder;
use gecc::{EcdsaCurve, Engine, Point, SecretKey, ecdsa, keys};
use serde_json::{Value, json};
use std::io::Write;
#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};

/// Requires that no thread panics and that a successful run answers every item, whichever thread
/// cannot be started: the total size of the stacks exceeds the address space at some thread.
#[cfg(target_os = "linux")]
pub fn some_threads_cannot_be_started(arguments: &[&str], answers: usize) {
    let script = "ulimit -v 4000000; exec \"$0\" \"$@\" --engine cpu --threads 1";
    let mut failed = 0;
    for threads in 2..16 {
        let mut command = Command::new("sh");
        command
            .args(["-c", script])
            .arg(gecc().get_program())
            .args(arguments)
            .stdin(Stdio::null());
        command
            .env("MALLOC_ARENA_MAX", "1")
            .env("RUST_MIN_STACK", (3_600_000_000_u64 / threads).to_string());
        let output = command.output().unwrap();
        let message = stderr(&output);
        let lines = output.stdout.iter().filter(|byte| **byte == b'\n').count();
        assert!(!message.contains("panicked"), "{threads}: {message}");
        assert!(
            output.status.code() != Some(0) || lines == answers,
            "{threads}: {lines} answers, {message}"
        );
        failed += usize::from(message.contains("be started"));
    }
    assert!(failed > 0);
}

pub struct Signed {
    pub secret: Vec<SecretKey>,
    pub public: Vec<Point>,
    pub digests: Vec<[u8; 32]>,
    pub signed: Vec<ecdsa::RecoverableSignature>,
}

pub fn signed<C: EcdsaCurve>(count: usize) -> Signed {
    let engine = Engine::cpu().unwrap();
    let (secret, public) = keys::generate(&engine, C::ID, count).unwrap();
    let digests: Vec<[u8; 32]> = (0..count).map(|item| [item as u8 ^ 0x5a; 32]).collect();
    let signed =
        ecdsa::sign_recoverable(&engine, C::ID, &digests, &secret, Default::default()).unwrap();
    Signed {
        secret,
        public,
        digests,
        signed: signed.into_iter().map(Result::unwrap).collect(),
    }
}

pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
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
        (0..self.digests.len())
            .map(|item| self.json(item).to_string())
            .collect()
    }
}
