//! Silent payments as libsecp256k1 computes them.

use super::random::Random;
use super::scheme::progression;
use gecc::silent_payments::{self, Outputs, Receiver};
use gecc::{Engine, Secp256k1, SecretKey, Verdict};
use rayon::prelude::*;
use secp256k1::{Keypair, PublicKey, Scalar};
use sha2::{Digest, Sha256};

pub fn public_key(secret: &[u8; 32]) -> [u8; 33] {
    PublicKey::from_keypair(&Keypair::from_secret_bytes(*secret).expect("in range")).serialize()
}

pub fn number(bytes: &[u8; 32]) -> Scalar {
    Scalar::from_be_bytes(*bytes).expect("in range")
}

pub fn tagged(tag: &str, parts: &[&[u8]]) -> [u8; 32] {
    let tag = Sha256::digest(tag);
    Sha256::digest([&[&*tag, &*tag], parts].concat().concat()).into()
}

pub fn prefix(output: &[u8; 32]) -> u64 {
    u64::from_be_bytes(output[..8].try_into().unwrap())
}

/// A receiver, and what libsecp256k1 computes for it.
pub struct Reference {
    pub scan: [u8; 32],
    pub spend: PublicKey,
    pub labels: Vec<u32>,
}

impl Reference {
    pub fn new(random: &mut Random, labels: &[u32]) -> Self {
        let spend =
            PublicKey::from_slice(&public_key(&random.scalar_bytes::<Secp256k1>())).unwrap();
        Reference {
            scan: random.scalar_bytes::<Secp256k1>(),
            spend,
            labels: labels.to_vec(),
        }
    }

    pub fn receiver(&self) -> Receiver {
        Receiver::new(
            SecretKey::from_bytes(self.scan),
            &self.spend.serialize(),
            &self.labels,
        )
        .unwrap()
    }

    pub fn tweak(&self, point: &PublicKey, k: u32) -> [u8; 32] {
        let shared = point.mul_tweak(&number(&self.scan)).unwrap().serialize();
        tagged("BIP0352/SharedSecret", &[&shared, &k.to_be_bytes()])
    }

    /// The output that a payment has.
    pub fn output(&self, point: &PublicKey, k: u32, label: Option<u32>) -> [u8; 32] {
        let mut spend = self.spend;
        if let Some(label) = label {
            let label = tagged("BIP0352/Label", &[&self.scan, &label.to_be_bytes()]);
            spend = spend.add_exp_tweak(&number(&label)).unwrap();
        }
        let paid = spend.add_exp_tweak(&number(&self.tweak(point, k))).unwrap();
        paid.x_only_public_key().0.to_byte_array()
    }
}

/// Rows that are payments, except a tenth, in which one bit of the output is flipped: each is
/// found, with its label, and nothing else.
pub fn rows_match_libsecp256k1(engine: &Engine, random: &mut Random, rows: usize, labels: &[u32]) {
    let reference = Reference::new(random, labels);
    let (_, points) = progression::<Secp256k1>(random, rows);
    let choices: Vec<(Option<u32>, Option<usize>)> = (0..rows)
        .map(|row| {
            let label = random
                .below(1 + labels.len())
                .checked_sub(1)
                .map(|place| labels[place]);
            (label, (row % 10 == 3).then(|| random.below(256)))
        })
        .collect();
    let outputs: Vec<[u8; 32]> = (0..rows)
        .into_par_iter()
        .map(|row| {
            let point = PublicKey::from_slice(points[row].as_sec1()).unwrap();
            let (label, bit) = choices[row];
            let mut output = reference.output(&point, 0, label);
            bit.iter().for_each(|bit| output[bit / 8] ^= 1 << (bit % 8));
            output
        })
        .collect();
    let offsets: Vec<u64> = (0..=rows as u64).collect();
    let prefixes: Vec<u64> = outputs.iter().map(prefix).collect();
    let receiver = [reference.receiver()];
    let columns = [
        Outputs::x_only(&offsets, &outputs),
        Outputs::prefixes(&offsets, &prefixes),
    ];
    for (first_bit, column) in [256, 64].into_iter().zip(columns.map(Result::unwrap)) {
        let found = silent_payments::scan(engine, &receiver, &points, column).unwrap();
        assert!(found.codes.iter().all(|code| *code == Verdict::VALID_CODE));
        // The bits after a prefix are not known.
        let known = choices
            .iter()
            .enumerate()
            .filter_map(|(row, (label, bit))| {
                bit.is_none_or(|bit| bit >= first_bit)
                    .then_some((row, *label))
            });
        assert!(known.eq(found.matches.iter().map(|of| (of.row, of.label))));
    }
}
