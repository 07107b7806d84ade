//! Known answers of hashes, computed by the RustCrypto crates.

use super::{DigestsOf, Function, SizedTexts};
use crate::gpu::schedule::operation::{ITEMS, RunSelfTest};
use crate::gpu::{Fault, SelfTest, SelfTestRun};
use crate::types::bytes_of;

pub fn all() -> Vec<SelfTest> {
    Function::ALL.map(of).to_vec()
}

pub fn of(function: Function) -> SelfTest {
    let (operation, run): (_, RunSelfTest) = match function {
        Function::Sha256 => ("SHA-256", |trial| run(trial, Function::Sha256)),
        Function::Sha256d => ("SHA-256 twice", |trial| run(trial, Function::Sha256d)),
        Function::Keccak256 => ("Keccak-256", |trial| run(trial, Function::Keccak256)),
    };
    SelfTest::new(operation, "messages", run)
}

/// A message of `item` bytes: items cover all lengths around that of a block.
pub fn message(item: usize) -> Vec<u8> {
    (0..item).map(|byte| (7 * item + byte) as u8).collect()
}

fn run(trial: &mut SelfTestRun, function: Function) -> Result<(), Fault> {
    let texts: Vec<_> = (0..ITEMS).map(message).collect();
    let messages = SizedTexts::new(trial.cpu, ITEMS, |item| &texts[item]);
    let known = texts.iter().map(|text| Ok(function.digest(text))).collect();
    trial.check(&DigestsOf { function, messages }, bytes_of::<32>, known)
}
