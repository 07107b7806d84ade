//! Tagged hashes of BIP 340 and BIP 352 on the CPU.

use crate::host::process::get_or_compute;
use sha2::{Digest, Sha256};
use std::sync::OnceLock;

/// The purpose of a tagged hash.
#[derive(Clone, Copy)]
pub enum Tag {
    Auxiliary,
    Nonce,
    Challenge,
    TapTweak,
    SilentInputs,
    SilentSharedSecret,
    SilentLabel,
}

impl Tag {
    /// All tags in the order of their discriminants, with their names.
    const ALL: [(Tag, &str); 7] = [
        (Tag::Auxiliary, "BIP0340/aux"),
        (Tag::Nonce, "BIP0340/nonce"),
        (Tag::Challenge, "BIP0340/challenge"),
        (Tag::TapTweak, "TapTweak"),
        (Tag::SilentInputs, "BIP0352/Inputs"),
        (Tag::SilentSharedSecret, "BIP0352/SharedSecret"),
        (Tag::SilentLabel, "BIP0352/Label"),
    ];
}

/// SHA-256(SHA-256(tag) || SHA-256(tag) || parts).
pub fn tagged(tag: Tag, parts: &[&[u8]]) -> [u8; 32] {
    static STATES: OnceLock<[Sha256; Tag::ALL.len()]> = OnceLock::new();
    let states = get_or_compute(&STATES, || Tag::ALL.map(|(_, text)| after(text)));
    let hash = parts
        .iter()
        .fold(states[tag as usize].clone(), |hash, part| {
            hash.chain_update(part)
        });
    hash.finalize().into()
}

/// Returns the state after the two digests of the tag.
fn after(tag: &str) -> Sha256 {
    let digest = Sha256::digest(tag);
    Sha256::new().chain_update(digest).chain_update(digest)
}
