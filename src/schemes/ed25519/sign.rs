//! Signing (RFC 8032, section 5.1.6). **Constant-time** in keys and nonces, not in the length of messages.

use super::keys::{ExpandedKey, Kind, Number, Secrets, SigningKeys, multiples_of_base};
use super::rule::Rule;
use super::variant::Variant;
use super::verify::{Verification, verify};
use crate::cpu::CpuEngine;
use crate::cpu::edwards::curves::Ed25519;
use crate::cpu::edwards::decode::encode_all;
use crate::cpu::edwards::simd::Lanes;
use crate::schemes::frame::sign_cpu::sign_checked;
use crate::types::{Place, PublicKeys, ResultsMut};
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
pub fn sign(engine: &CpuEngine, batch: &Signing, out: &mut dyn Place) {
    if !batch.is_checked {
        return batch.sign(engine, |item| item, out);
    }
    let sign = |items: &[usize], out: &mut ResultsMut| batch.sign(engine, |at| items[at], out);
    let check = |items: &[usize], signed: &ResultsMut, codes: &mut [u8]| batch.check(engine, items, signed, codes);
    sign_checked([64, 0], &sign, &check, out);
}

impl Signing<'_, '_> {
    /// Signs the items `item(0)`, `item(1)`, ..., one per result.
    fn sign(&self, engine: &CpuEngine, item: impl Fn(usize) -> usize + Sync, out: &mut dyn Place) {
        engine.fill_secret_of_texts(self.bytes, out, [64, 0], |range, out| {
            let item = |at: usize| item(range.start + at);
            let lanes = engine.lanes_for(range.len());
            match self.keys.0 {
                Kind::Expanded(keys) => self.sign_items(lanes, &item, |at| &keys[item(at)], out),
                Kind::ExpandedForAll(key) => self.sign_items(lanes, &item, |_| key, out),
                Kind::Seeds(seeds) => {
                    let mut keys = vec![ExpandedKey::EMPTY; range.len()];
                    Secrets::Seeds(seeds).expand(lanes, item, &mut keys);
                    self.sign_items(lanes, &item, |at| &keys[at], out);
                }
            }
        });
    }

    fn sign_items<'k>(
        &self,
        lanes: Option<Lanes>,
        item: &dyn Fn(usize) -> usize,
        key: impl Fn(usize) -> &'k ExpandedKey,
        out: &mut ResultsMut,
    ) {
        // The capacity is exact: growing the vector would leave its old contents in freed memory.
        let mut nonces = Zeroizing::new(Vec::with_capacity(out.items()));
        for at in 0..out.items() {
            let hash = Zeroizing::new(self.variant.hash(&[&key(at).prefix], (self.message)(item(at))));
            nonces.push(Number::from_le_bytes_wide(&hash));
        }
        let points = multiples_of_base(lanes, &nonces.iter().collect::<Vec<_>>());
        for (at, r) in encode_all(&points).into_iter().enumerate() {
            let ExpandedKey { scalar, public, .. } = key(at);
            let k = Number::from_le_bytes_wide(&self.variant.hash(&[&r, public], (self.message)(item(at))));
            let row = out.row(0, at);
            row[..32].copy_from_slice(&r);
            row[32..].copy_from_slice(&k.mul(scalar).add(&nonces[at]).to_le_bytes());
            out.accept(at);
        }
    }

    /// Verifies each signature with the public key of its private key.
    fn check(&self, engine: &CpuEngine, items: &[usize], signed: &ResultsMut, codes: &mut [u8]) {
        let public: Vec<[u8; 32]> = match self.keys.0 {
            Kind::Expanded(keys) => items.iter().map(|&item| keys[item].public).collect(),
            Kind::ExpandedForAll(key) => vec![key.public; items.len()],
            Kind::Seeds(seeds) => {
                let mut rows = vec![[0; 32]; items.len()];
                let mut codes = vec![0; items.len()];
                let out = &mut ResultsMut::rows(&mut codes, &mut rows);
                Secrets::Seeds(seeds).public_keys(engine, |at| items[at], out);
                rows
            }
        };
        let signatures = signed.columns[0].as_chunks().0;
        let keys = &public;
        let challenge = |at: usize| self.variant.challenge(&signatures[at], &keys[at], (self.message)(items[at]));
        let verification = Verification {
            rule: Rule::Cofactorless,
            challenge: &challenge,
            bytes: self.bytes,
            signatures: signatures.into(),
            keys: PublicKeys::ed25519(keys),
            together: false,
        };
        verify::<Ed25519>(engine, &verification, &mut ResultsMut::codes(codes));
    }
}
