//! Selects the input keys of a transaction that count for silent payments (BIP 352, "Inputs For
//! Shared Secret Derivation").

use super::super::block::{InputView, OutputView};
use super::super::hashes::hash160;
use super::super::instructions::{p2pkh_hash, p2sh_hash, p2tr_key, witness_program};
use super::super::taproot::take_annex;

/// A compressed key, which need not be on the curve.
pub type CompressedKey = [u8; 33];

/// The x-coordinate of the point H of BIP 341, whose private key nobody knows: an output that has
/// it as its internal key can be spent only by scripts.
const NUMS: [u8; 32] = [
    0x50, 0x92, 0x9b, 0x74, 0xc1, 0xa0, 0x49, 0x54, 0xb7, 0x8b, 0x4b, 0x60, 0x35, 0xe9, 0x7a, 0x5e,
    0x07, 0x8a, 0x5a, 0x0f, 0x28, 0xec, 0x96, 0xd5, 0x47, 0xbf, 0xee, 0x9a, 0xce, 0x80, 0x3a, 0xc0,
];

/// Returns whether an output has a witness version that is not defined yet. A transaction that
/// spends one makes no silent payment.
pub fn is_of_unknown_version(spent: OutputView) -> bool {
    witness_program(spent.script).is_some_and(|(version, _)| version > 1)
}

/// Returns the key that an input contributes.
pub fn input_key(input: &InputView, spent: OutputView) -> Option<CompressedKey> {
    if let Some(x) = p2tr_key(spent.script) {
        return (!shows_nums(input)).then(|| even(x));
    }
    if let Some(hash) = p2pkh_hash(spent.script) {
        return key_with_hash(input.script, hash);
    }
    if is_p2wpkh(spent.script) {
        return shown_key(input);
    }
    // A script that only pushes a P2WPKH program.
    let [22, redeem @ ..] = input.script else {
        return None;
    };
    let is_it = is_p2wpkh(redeem) && *p2sh_hash(spent.script)? == hash160(redeem);
    if is_it { shown_key(input) } else { None }
}

fn is_p2wpkh(script: &[u8]) -> bool {
    witness_program(script).is_some_and(|(version, program)| version == 0 && program.len() == 20)
}

/// Makes a taproot key, whose y is even.
fn even(x: &[u8; 32]) -> CompressedKey {
    let mut key = [2; 33];
    key[1..].copy_from_slice(x);
    key
}

/// Returns whether a taproot input reveals a script whose internal key is H.
fn shows_nums(input: &InputView) -> bool {
    let mut witness = input.witness();
    take_annex(&mut witness);
    witness.len() > 1 && witness.last().and_then(|control| control.get(1..33)) == Some(&NUMS)
}

/// Returns the last element of a witness. Keys in other forms do not count.
fn shown_key(input: &InputView) -> Option<CompressedKey> {
    input.witness().last().and_then(|key| compressed(key))
}

/// Finds the last 33 bytes with this hash: anybody could have added data to a script that only
/// pushes.
fn key_with_hash(script: &[u8], hash: &[u8; 20]) -> Option<CompressedKey> {
    script
        .windows(33)
        .rev()
        .filter_map(compressed)
        .find(|key| hash160(key) == *hash)
}

fn compressed(key: &[u8]) -> Option<CompressedKey> {
    key.try_into()
        .ok()
        .filter(|key: &CompressedKey| matches!(key[0], 2 | 3))
}
