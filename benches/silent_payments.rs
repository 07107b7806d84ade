//! Rows per second of `silent_payments::scan`, from memory to memory: one output in each row, as
//! its first eight bytes, like in an index. One row in 65,536 is a payment, as libsecp256k1
//! computes it; each run has to find these and no others.
//!
//! `cargo bench -p gecc-bench --bench silent_payments -- [--backend auto|cpu|gpu] [--rows 16777216]
//! [--runs 5]` prints a table of medians.

use clap::Parser;
use gecc::silent_payments::{self, Outputs, Receiver, Scan};
use gecc::{Backend, Engine, Point, PublicKeys, Secp256k1, SecretKey, keys};
use secp256k1::{Keypair, PublicKey, Scalar};
use sha2::{Digest, Sha256};
use std::time::Instant;

/// One row in this number is a payment.
const PAYING: usize = 1 << 16;

#[derive(Parser)]
struct Options {
    /// auto, cpu or gpu
    #[arg(long, default_value = "auto")]
    backend: String,
    /// Rows of a call; 2^24 on a GPU, 2^18 on CPUs if not given
    #[arg(long)]
    rows: Option<usize>,
    /// Calls that are timed, after one that is not
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let options = Options::parse();
    let backend = match options.backend.as_str() {
        "auto" => Backend::Auto,
        "cpu" => Backend::Cpu,
        "gpu" => Backend::Gpu,
        other => panic!("unknown backend {other}: expected auto, cpu or gpu"),
    };
    let engine = Engine::builder()
        .backend(backend)
        .build()
        .expect("an engine");
    let rows = options
        .rows
        .unwrap_or(if engine.info().backend == Backend::Cpu {
            1 << 18
        } else {
            1 << 24
        });
    println!(
        "{engine}; {rows} rows with one output, median of {} calls, every match compared",
        options.runs
    );
    println!(
        "{:>11}  {:>6}  {:>8}  {:>10}",
        "tweak point", "labels", "seconds", "M rows/s"
    );
    let items = Items::random(&engine, rows);
    for labels in [&[][..], &[0], &[0, 1, 2]] {
        let receiver = items.receiver(labels);
        let (prefixes, paying) = items.outputs(labels);
        let outputs =
            Outputs::prefixes(&items.offsets, &prefixes).expect("an offset more than rows");
        for (bytes, keys) in [
            (33, PublicKeys::compressed(&items.compressed)),
            (64, PublicKeys::raw(&items.raw)),
        ] {
            let mut seconds = Vec::new();
            for _ in 0..=options.runs {
                let started = Instant::now();
                let scan =
                    silent_payments::scan(&engine, std::slice::from_ref(&receiver), keys, outputs);
                let scan = scan.expect("the engine computes");
                seconds.push(started.elapsed().as_secs_f64());
                check(&scan, &paying);
            }
            // The first call makes tables and takes memory.
            seconds.remove(0);
            seconds.sort_by(f64::total_cmp);
            let median = seconds[seconds.len() / 2];
            println!(
                "{bytes:>11}  {:>6}  {median:>8.3}  {:>10.2}",
                labels.len(),
                rows as f64 / median / 1e6
            );
        }
    }
}

/// Tweak points, and the keys of the receiver with which libsecp256k1 computes payments.
struct Items {
    scan: [u8; 32],
    spend: PublicKey,
    compressed: Vec<[u8; 33]>,
    raw: Vec<[u8; 64]>,
    offsets: Vec<u64>,
}

impl Items {
    fn random(engine: &Engine, rows: usize) -> Self {
        let secrets: Vec<SecretKey> = (0..rows).map(|_| SecretKey::from_bytes(secret())).collect();
        let points = keys::public_keys(engine, Secp256k1, &secrets).expect("the engine computes");
        let points: Vec<Point> = points
            .into_iter()
            .map(|point| point.expect("in range"))
            .collect();
        Items {
            scan: secret(),
            spend: PublicKey::from_keypair(
                &Keypair::from_secret_bytes(secret()).expect("in range"),
            ),
            compressed: points
                .iter()
                .map(|point| point.to_compressed().expect("finite"))
                .collect(),
            raw: points
                .iter()
                .map(|point| point.as_bytes()[1..].try_into().expect("65 bytes"))
                .collect(),
            offsets: (0..=rows as u64).collect(),
        }
    }

    fn receiver(&self, labels: &[u32]) -> Receiver {
        Receiver::new(
            SecretKey::from_bytes(self.scan),
            &self.spend.serialize(),
            labels,
        )
        .expect("valid keys")
    }

    /// The outputs' first bytes, and the rows that are payments with their labels.
    fn outputs(&self, labels: &[u32]) -> (Vec<u64>, Vec<(usize, Option<u32>)>) {
        let mut prefixes: Vec<u64> = self.compressed.iter().map(|_| rand::random()).collect();
        let choices: Vec<Option<u32>> = [None]
            .into_iter()
            .chain(labels.iter().copied().map(Some))
            .collect();
        let paying = (0..prefixes.len())
            .step_by(PAYING)
            .zip(choices.into_iter().cycle());
        let paying: Vec<(usize, Option<u32>)> = paying.collect();
        for (row, label) in &paying {
            prefixes[*row] = self.output(&self.compressed[*row], *label);
        }
        (prefixes, paying)
    }

    /// The first bytes of the output of a payment, with k = 0 (BIP 352).
    fn output(&self, tweak_point: &[u8; 33], label: Option<u32>) -> u64 {
        let point = PublicKey::from_slice(tweak_point).expect("a point");
        let shared = point
            .mul_tweak(&scalar(self.scan))
            .expect("finite")
            .serialize();
        let mut spend = self.spend;
        if let Some(label) = label {
            let label = tagged("BIP0352/Label", &[&self.scan, &label.to_be_bytes()]);
            spend = spend.add_exp_tweak(&scalar(label)).expect("finite");
        }
        let tweak = tagged("BIP0352/SharedSecret", &[&shared, &0_u32.to_be_bytes()]);
        let paid = spend
            .add_exp_tweak(&scalar(tweak))
            .expect("finite")
            .x_only_public_key()
            .0
            .to_byte_array();
        u64::from_be_bytes(*paid.first_chunk().expect("32 bytes"))
    }
}

/// A random number below n.
fn secret() -> [u8; 32] {
    let mut bytes: [u8; 32] = rand::random();
    bytes[0] &= 0x7f;
    bytes
}

fn scalar(bytes: [u8; 32]) -> Scalar {
    Scalar::from_be_bytes(bytes).expect("in range")
}

fn tagged(tag: &str, parts: &[&[u8]]) -> [u8; 32] {
    let tag = Sha256::digest(tag);
    Sha256::digest([&[&*tag, &*tag], parts].concat().concat()).into()
}

fn check(scan: &Scan, paying: &[(usize, Option<u32>)]) {
    assert!(
        scan.codes
            .iter()
            .all(|code| *code == gecc::Verdict::VALID_CODE)
    );
    assert!(
        scan.matches
            .iter()
            .all(|found| found.k == 0 && found.output == 0)
    );
    assert!(
        scan.matches
            .iter()
            .map(|found| (found.row, found.label))
            .eq(paying.iter().copied())
    );
}
