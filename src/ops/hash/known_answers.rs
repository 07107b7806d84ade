//! Known answers of SHA-256, by RustCrypto's.

use super::{Sha256, SizedTexts};
use crate::gpu::schedule::operation::ITEMS;
use crate::gpu::{Fault, Test, Trial};
use sha2::Digest;

pub const SHA256: Test = Test { operation: "SHA-256", on: "messages", run };

/// Messages of all lengths around that of a block.
pub fn message(item: usize) -> Vec<u8> {
    (0..item).map(|byte| (7 * item + byte) as u8).collect()
}

fn run(trial: &mut Trial) -> Result<(), Fault> {
    let texts: Vec<_> = (0..ITEMS).map(message).collect();
    let messages = SizedTexts::new(trial.cpu, ITEMS, |item| &texts[item]);
    let known = texts.iter().map(|text| Ok(sha2::Sha256::digest(text).into())).collect();
    trial.check(&Sha256 { messages }, |results, item| results.get::<32>(item).copied(), known)
}
