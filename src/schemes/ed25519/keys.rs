//! Signing keys: seeds and expanded keys (RFC 8032, section 5.1.5).

use crate::cpu::edwards::curves::{Ed25519, Ed25519N};
use crate::cpu::edwards::decode::encode_all;
use crate::cpu::edwards::point::Projective;
use crate::cpu::edwards::scalar::Scalar;
use crate::cpu::edwards::simd::{self, Lanes};
use crate::cpu::edwards::tables::BaseTables as _;
use crate::cpu::{CHUNK, CpuEngine};
use crate::host::stack;
use crate::types::{ResultSink, Rows, SecretKeys};
use sha2::{Digest, Sha512};
use std::fmt;
use std::ops::Range;
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// A number modulo n.
pub(super) type Number = Scalar<Ed25519N>;

/// An expanded seed: the secret scalar, the prefix for nonces, and the public key. The public key
/// is always computed, because signing with a wrong one would reveal the scalar. Signing with an
/// expanded key takes less than half the time of signing with a seed.
///
/// Created with [`super::expand`] and [`super::expand_hashed`]. Wiped when dropped; `Debug` omits
/// the secrets.
#[derive(Clone, ZeroizeOnDrop)]
pub struct ExpandedKey {
    pub(super) scalar: Number,
    pub(super) prefix: [u8; 32],
    #[zeroize(skip)]
    pub(super) public: [u8; 32],
}

impl ExpandedKey {
    /// Returns the public key, 32 bytes.
    pub fn public_key(&self) -> &[u8; 32] {
        &self.public
    }

    /// The initial value that `Secrets::expand` overwrites.
    pub(super) const EMPTY: Self = ExpandedKey {
        scalar: Number::ZERO,
        prefix: [0; 32],
        public: [0; 32],
    };
}

impl fmt::Debug for ExpandedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExpandedKey")
            .field("public", &self.public)
            .finish_non_exhaustive()
    }
}

/// The signing keys of a batch, one per item or one for all: seeds, given as anything that converts
/// into [`SecretKeys`], or [`ExpandedKey`]s.
#[derive(Clone, Copy, Debug)]
pub struct SigningKeys<'a>(pub(super) SigningKeyKind<'a>);

#[derive(Clone, Copy, Debug)]
pub(super) enum SigningKeyKind<'a> {
    Seeds(SecretKeys<'a>),
    Expanded(&'a [ExpandedKey]),
    ExpandedForAll(&'a ExpandedKey),
}

impl<'a> SigningKeys<'a> {
    /// Uses `keys[i]` for item i.
    pub fn expanded(keys: &'a [ExpandedKey]) -> Self {
        SigningKeys(SigningKeyKind::Expanded(keys))
    }

    /// Uses one key for every item.
    pub fn expanded_for_all(key: &'a ExpandedKey) -> Self {
        SigningKeys(SigningKeyKind::ExpandedForAll(key))
    }

    /// Returns the keys of a range of items.
    pub(super) fn slice(&self, items: Range<usize>) -> Self {
        SigningKeys(match self.0 {
            SigningKeyKind::Seeds(seeds) => SigningKeyKind::Seeds(seeds.slice(items)),
            SigningKeyKind::Expanded(keys) => SigningKeyKind::Expanded(&keys[items]),
            for_all @ SigningKeyKind::ExpandedForAll(_) => for_all,
        })
    }

    /// Returns the number of keys, or `items` for one key for all items.
    pub(super) fn len_for(&self, items: usize) -> usize {
        match self.0 {
            SigningKeyKind::Seeds(seeds) => seeds.len_for(items),
            SigningKeyKind::Expanded(keys) => keys.len(),
            SigningKeyKind::ExpandedForAll(_) => items,
        }
    }
}

impl<'a, K: Into<SecretKeys<'a>>> From<K> for SigningKeys<'a> {
    fn from(seeds: K) -> Self {
        SigningKeys(SigningKeyKind::Seeds(seeds.into()))
    }
}

/// Computes k B for each number k. **Constant-time.** The caller has to wipe the stack.
pub(super) fn multiples_of_base(
    lanes: Option<Lanes>,
    numbers: &[&Number],
) -> Zeroizing<Vec<Projective>> {
    let table = Ed25519::tables().uniform();
    match lanes {
        Some(lanes) => simd::uniform_products(lanes, numbers, table),
        None => table.products(numbers),
    }
}

/// The origin of keys: seeds, or their SHA-512.
#[derive(Clone, Copy)]
pub(super) enum Secrets<'a> {
    Seeds(SecretKeys<'a>),
    Hashed(Rows<'a, 64>),
}

impl Secrets<'_> {
    /// Writes the keys of the items `item(0)`, `item(1)`, ... **Constant-time.** The caller has to
    /// wipe the stack.
    pub fn expand(
        &self,
        lanes: Option<Lanes>,
        item: impl Fn(usize) -> usize,
        keys: &mut [ExpandedKey],
    ) {
        for (at, key) in keys.iter_mut().enumerate() {
            let mut hash: Zeroizing<[u8; 64]> = Zeroizing::new(match self {
                Secrets::Seeds(seeds) => Sha512::digest(seeds.expose(item(at))).into(),
                Secrets::Hashed(hashes) => *hashes.get(item(at)),
            });
            hash[0] &= 0xf8;
            hash[31] = hash[31] & 0x7f | 0x40;
            let (scalar, prefix) = hash.split_at(32);
            // Multiples of B by numbers that are equal modulo n are equal.
            key.scalar = Number::from_le_bytes_reduced(scalar.try_into().expect("32 bytes"));
            key.prefix.copy_from_slice(prefix);
        }
        let scalars: Vec<&Number> = keys.iter().map(|key| &key.scalar).collect();
        let points = multiples_of_base(lanes, &scalars);
        keys.iter_mut()
            .zip(encode_all(&points))
            .for_each(|(key, public)| key.public = public);
    }

    /// Expands the keys of all items.
    pub fn expand_all(&self, engine: &CpuEngine, items: usize) -> Vec<ExpandedKey> {
        let mut keys = vec![ExpandedKey::EMPTY; items];
        engine.pool.for_each(
            keys.chunks_mut(CHUNK).enumerate().collect(),
            |(chunk, keys): (usize, &mut [_])| {
                let lanes = engine.lanes_for(keys.len());
                stack::wiped(|| self.expand(lanes, |at| chunk * CHUNK + at, keys));
            },
        );
        keys
    }

    /// Writes the public keys of the items `item(0)`, `item(1)`, ..., one per result.
    pub fn public_keys(
        &self,
        engine: &CpuEngine,
        item: impl Fn(usize) -> usize + Sync,
        out: &mut ResultSink,
    ) {
        engine.fill_secret(out, [32, 0], |range, out| {
            let mut keys = vec![ExpandedKey::EMPTY; range.len()];
            self.expand(
                engine.lanes_for(keys.len()),
                |at| item(range.start + at),
                &mut keys,
            );
            for (place, key) in keys.iter().enumerate() {
                out.row(0, place).copy_from_slice(&key.public);
                out.accept(place);
            }
        });
    }
}
