//! The hashes of Bitcoin.

use super::ripemd160::ripemd160;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Computes double SHA-256.
pub fn sha256d(bytes: &[u8]) -> [u8; 32] {
    sha256(&sha256(bytes))
}

/// Finishes a hash, and hashes the result again with SHA-256.
pub fn again(hash: Sha256) -> [u8; 32] {
    sha256(&hash.finalize())
}

/// Computes RIPEMD-160 of SHA-256, the hash of keys and scripts in outputs.
pub fn hash160(bytes: &[u8]) -> [u8; 20] {
    ripemd160(&sha256(bytes))
}

/// BIP 340's tagged hashes, with the tag already hashed.
pub static TAP_LEAF: LazyLock<Sha256> = LazyLock::new(|| tagged("TapLeaf"));
pub static TAP_BRANCH: LazyLock<Sha256> = LazyLock::new(|| tagged("TapBranch"));

/// The prefix of a message that an engine hashes.
pub static TAP_SIGHASH: LazyLock<[[u8; 32]; 2]> = LazyLock::new(|| [sha256(b"TapSighash"); 2]);

fn tagged(tag: &str) -> Sha256 {
    let tag = sha256(tag.as_bytes());
    Sha256::new().chain_update(tag).chain_update(tag)
}

/// Returns the root of a tree of hashes; `None` if there are no hashes. A last hash without a
/// neighbour is paired with itself.
pub fn merkle_root(hashes: Vec<[u8; 32]>) -> Option<[u8; 32]> {
    merkle_tree(hashes).map(|tree| tree.root)
}

/// The root of a tree of hashes.
pub struct MerkleTree {
    pub root: [u8; 32],
    /// True if two nodes with the same parent are equal. Then the list may be another one with its
    /// end repeated, which has the same root (CVE-2012-2459; `ComputeMerkleRoot` in Bitcoin Core's
    /// `consensus/merkle.cpp`).
    pub has_equal_neighbours: bool,
}

/// Hashes up to the root; `None` if there are no hashes.
pub fn merkle_tree(mut hashes: Vec<[u8; 32]>) -> Option<MerkleTree> {
    let mut has_equal_neighbours = false;
    while hashes.len() > 1 {
        has_equal_neighbours |= hashes
            .as_chunks()
            .0
            .iter()
            .any(|[left, right]| left == right);
        let parents = hashes
            .chunks(2)
            .map(|pair| sha256d([pair[0], pair[pair.len() - 1]].as_flattened()));
        hashes = parents.collect();
    }
    Some(MerkleTree {
        root: hashes.pop()?,
        has_equal_neighbours,
    })
}
