//! Signing (RFC 8032, section 5.1.6). **Constant-time** in keys and nonces, not in the length of
//! messages.

use super::keys::{ExpandedKey, Number, Secrets, SigningKeyKind, SigningKeys, multiples_of_base};
use super::rule::Rule;
use super::variant::Variant;
use super::verify::{Verification, verify};
use crate::cpu::CpuEngine;
use crate::cpu::edwards::curves::Ed25519;
use crate::cpu::edwards::decode::encode_all;
use crate::cpu::edwards::simd::Lanes;
use crate::schemes::common::sign_cpu::sign_checked;
use crate::types::{PublicKeys, ResultSink, ResultsMut};
use zeroize::Zeroizing;

/// A batch of messages to sign.
#[derive(Clone, Copy)]
pub struct Signing<'a, 'k> {
    pub variant: Variant,
    /// Returns the message that is hashed with an item's key: see [`Variant::hash`].
    pub message: &'a (dyn Fn(usize) -> &'a [u8] + Sync),
    /// The average length of a message.
    pub bytes: usize,
    pub keys: SigningKeys<'k>,
    /// True if signatures are verified before they are returned.
    pub is_checked: bool,
}

/// Signs all items of a destination.
pub fn sign(engine: &CpuEngine, batch: &Signing, out: &mut ResultSink) {
    if !batch.is_checked {
        return batch.sign(engine, |item| item, out);
    }
    sign_checked(
        [64, 0],
        &|items, out| batch.sign(engine, |at| items[at], &mut out.reborrow().into()),
        &|items, signed, codes| batch.check(engine, items, signed, codes),
        out,
    );
}

impl Signing<'_, '_> {
    /// Signs the items `item(0)`, `item(1)`, ..., one per result.
    fn sign(&self, engine: &CpuEngine, item: impl Fn(usize) -> usize + Sync, out: &mut ResultSink) {
        engine.fill_secret_of_texts(self.bytes, out, [64, 0], |range, out| {
            let items: Vec<usize> = range.map(&item).collect();
            let lanes = engine.lanes_for(items.len());
            match self.keys.0 {
                SigningKeyKind::Expanded(keys) => {
                    self.sign_items(lanes, &items, |at| &keys[items[at]], out)
                }
                SigningKeyKind::ExpandedForAll(key) => self.sign_items(lanes, &items, |_| key, out),
                SigningKeyKind::Seeds(seeds) => {
                    let mut keys = vec![ExpandedKey::EMPTY; items.len()];
                    Secrets::Seeds(seeds).expand(lanes, |at| items[at], &mut keys);
                    self.sign_items(lanes, &items, |at| &keys[at], out);
                }
            }
        });
    }

    fn sign_items<'k>(
        &self,
        lanes: Option<Lanes>,
        items: &[usize],
        key: impl Fn(usize) -> &'k ExpandedKey,
        out: &mut ResultsMut,
    ) {
        // The capacity is exact: growing the vector would leave its old contents in freed memory.
        let mut nonces = Zeroizing::new(Vec::with_capacity(out.items()));
        for (at, item) in items.iter().enumerate() {
            let hash = Zeroizing::new(self.variant.hash(&[&key(at).prefix], (self.message)(*item)));
            nonces.push(Number::from_le_bytes_wide(&hash));
        }
        let points = multiples_of_base(lanes, &nonces.iter().collect::<Vec<_>>());
        for (at, r) in encode_all(&points).into_iter().enumerate() {
            let ExpandedKey { scalar, public, .. } = key(at);
            let k = Number::from_le_bytes_wide(
                &self.variant.hash(&[&r, public], (self.message)(items[at])),
            );
            let row = out.row(0, at);
            row[..32].copy_from_slice(&r);
            row[32..].copy_from_slice(&k.mul(scalar).add(&nonces[at]).to_le_bytes());
            out.accept(at);
        }
    }

    /// Verifies each signature with the public key of its private key.
    fn check(&self, engine: &CpuEngine, items: &[usize], signed: &ResultsMut, codes: &mut [u8]) {
        let public: Vec<[u8; 32]> = match self.keys.0 {
            SigningKeyKind::Expanded(keys) => items.iter().map(|&item| keys[item].public).collect(),
            SigningKeyKind::ExpandedForAll(key) => vec![key.public; items.len()],
            SigningKeyKind::Seeds(seeds) => {
                let mut rows = vec![[0; 32]; items.len()];
                let mut codes = vec![0; items.len()];
                let mut out = ResultsMut::rows(&mut codes, &mut rows).into();
                Secrets::Seeds(seeds).public_keys(engine, |at| items[at], &mut out);
                rows
            }
        };
        let signatures = signed.columns[0].as_chunks().0;
        let keys = &public;
        let verification = Verification {
            rule: Rule::Cofactorless,
            challenge: &|at| {
                self.variant
                    .challenge(&signatures[at], &keys[at], (self.message)(items[at]))
            },
            bytes: self.bytes,
            signatures: signatures.into(),
            keys: PublicKeys::ed25519(keys),
            batch_verification: false,
        };
        verify::<Ed25519>(engine, &verification, &mut ResultsMut::codes(codes).into());
    }
}
