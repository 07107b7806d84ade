//! Batch verification: verdicts and reasons are those of verification one by one.

use super::vectors::vectors;
use crate::declare::{apply, on_every_engine};
use crate::support::batch_verification::{
    ITEMS, large, places, rejected_of_large, timed, with_equations,
};
use crate::support::bip340::{corrupt, is_valid_there, signer};
use crate::support::numbers::{number, order, to_bytes};
use crate::support::random::Random;
use crate::support::scheme::{concatenate, halves};
use gecc::bip340::Auxiliary;
use gecc::{Engine, PublicKeys, Rejection, Rows, Secp256k1, SecretKey, Verdict, bip340, keys};
use num_bigint::BigUint;
use secp256k1::schnorr;

/// Items of BIP 340.
#[derive(Clone)]
struct Signatures {
    messages: Vec<Vec<u8>>,
    signatures: Vec<[u8; 64]>,
    keys: Vec<[u8; 32]>,
}

impl Signatures {
    /// Valid items of different keys, made by libsecp256k1.
    fn new(random: &mut Random) -> Self {
        let mut messages = vec![];
        let mut signatures = vec![];
        let mut keys = vec![];
        for item in 0..ITEMS {
            let signer = signer(random);
            let message = random.vector(if item % 5 == 0 { item % 200 } else { 32 });
            signatures.push(schnorr::sign_no_aux_rand(&message, &signer.pair).to_byte_array());
            keys.push(signer.x_only);
            messages.push(message);
        }
        Signatures {
            messages,
            signatures,
            keys,
        }
    }

    fn verdicts(&self, engine: &Engine) -> Vec<Verdict> {
        let keys = PublicKeys::x_only(&self.keys);
        let verdicts = bip340::verify_messages(engine, &self.messages, &self.signatures, keys);
        verdicts.expect("lengths agree").into_iter().collect()
    }

    /// Compares with verification one by one.
    fn check(&self, one_by_one: &Engine, batch_verification: &Engine) -> Vec<Verdict> {
        let expected = self.verdicts(one_by_one);
        assert_eq!(self.verdicts(batch_verification), expected);
        expected
    }
}

/// Any fraction of corrupted items; libsecp256k1 decides which are valid.
#[apply(on_every_engine)]
fn corrupted_items_have_verdicts_of_single_verification(engine: &Engine) {
    let mut random = Random::new();
    let batch_verification = with_equations(engine);
    let valid = Signatures::new(&mut random);
    for corrupted in [0, 1, 2, 30, 300, 1500, ITEMS] {
        let mut batch = valid.clone();
        let mut places: Vec<usize> = (0..ITEMS).collect();
        random.shuffle(&mut places);
        for &item in &places[..corrupted] {
            let Signatures {
                messages,
                signatures,
                keys,
            } = &mut batch;
            corrupt(
                &mut random,
                item,
                &mut messages[item],
                &mut signatures[item],
                &mut keys[item],
            );
        }
        let found = batch.check(engine, &batch_verification);
        assert_eq!(
            found.iter().filter(|verdict| !verdict.is_valid()).count(),
            corrupted
        );
        for (item, verdict) in found.iter().enumerate().step_by(7) {
            let theirs = is_valid_there(
                &batch.messages[item],
                &batch.signatures[item],
                &batch.keys[item],
            );
            assert_eq!(
                verdict.is_valid(),
                theirs,
                "item {item} of {corrupted} corrupted ones"
            );
        }
    }
}

/// Errors of two items that would cancel under equal or small coefficients.
#[apply(on_every_engine)]
fn errors_that_cancel_are_rejected(engine: &Engine) {
    let mut random = Random::new();
    let batch_verification = with_equations(engine);
    let valid = Signatures::new(&mut random);
    let n = order::<Secp256k1>();
    for [a, b] in [[1u32, 1], [1, 2], [2, 1], [3, 1]] {
        for [i, j] in [[0, 1], [5, ITEMS - 1], [1700, 300]] {
            let mut batch = valid.clone();
            let error = number(&random.bytes()) % &n;
            // s_i + b error and s_j - a error.
            for (item, change) in [(i, &error * b % &n), (j, &n - &error * a % &n)] {
                let (r, s) = halves(&batch.signatures[item]);
                let s: BigUint = (number(&s) + change) % &n;
                batch.signatures[item] = concatenate(&r, &to_bytes(&s).expect("below n"));
            }
            let found = batch.check(engine, &batch_verification);
            let rejected: Vec<usize> = (0..ITEMS).filter(|item| !found[*item].is_valid()).collect();
            assert_eq!(rejected, [i.min(j), i.max(j)]);
        }
    }
}

/// The table of BIP 340 many times over: items are identical, and half of them are invalid.
#[apply(on_every_engine)]
fn repeated_vectors_have_their_verdicts(engine: &Engine) {
    let vectors = vectors();
    let batch_verification = with_equations(engine);
    for only_valid in [false, true] {
        let chosen: Vec<_> = vectors
            .iter()
            .filter(|vector| vector.is_valid || !only_valid)
            .collect();
        let many = || chosen.iter().cycle().take(100 * chosen.len());
        let batch = Signatures {
            messages: many().map(|vector| vector.message.clone()).collect(),
            signatures: many().map(|vector| vector.signature).collect(),
            keys: many().map(|vector| vector.key).collect(),
        };
        let found = batch.check(engine, &batch_verification);
        assert!(
            found
                .iter()
                .zip(many())
                .all(|(verdict, vector)| verdict.is_valid() == vector.is_valid)
        );
    }
}

/// Messages of 32 bytes as rows, of keys that repeat seldom, often enough for a table, and as one
/// for all.
#[apply(on_every_engine)]
fn columns_have_verdicts_of_single_verification(engine: &Engine) {
    let mut random = Random::new();
    let batch_verification = with_equations(engine);
    for keys in [1, 5, 400] {
        let signers: Vec<_> = (0..keys).map(|_| signer(&mut random)).collect();
        let secret: Vec<SecretKey> = (0..ITEMS)
            .map(|item| SecretKey::from_bytes(signers[item % keys].secret))
            .collect();
        let public: Vec<[u8; 32]> = (0..ITEMS).map(|item| signers[item % keys].x_only).collect();
        let messages: Vec<[u8; 32]> = (0..ITEMS).map(|_| random.bytes()).collect();
        let signed = bip340::sign(engine, &messages, &secret, Auxiliary::zeros()).unwrap();
        let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
        signatures[77][40] ^= 1;
        let mut codes = vec![0; ITEMS];
        let column = if keys == 1 {
            Rows::all(&public[0])
        } else {
            (&public).into()
        };
        bip340::verify_into(
            &batch_verification,
            &messages,
            &signatures,
            PublicKeys::x_only(column),
            &mut codes,
        )
        .unwrap();
        let expected = |item| {
            if item == 77 {
                Rejection::Mismatch.code()
            } else {
                Verdict::VALID_CODE
            }
        };
        assert!(
            codes.into_iter().eq((0..ITEMS).map(expected)),
            "{keys} keys"
        );
    }
}

#[apply(on_every_engine)]
fn large_batches_have_verdicts_of_single_verification(engine: &Engine) {
    let items = large(engine);
    let engines = [timed(engine), with_equations(engine)];
    let (secret, public) = keys::generate(engine, Secp256k1, items).unwrap();
    let public: Vec<[u8; 32]> = public.iter().map(|key| *key.x()).collect();
    let mut random = Random::new();
    let messages: Vec<[u8; 32]> = (0..items).map(|_| random.bytes()).collect();
    let signed = bip340::sign(engine, &messages, &secret, Auxiliary::zeros()).unwrap();
    let signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
    for corrupted in places(items) {
        let mut messages = messages.clone();
        corrupted.iter().for_each(|item| messages[*item][7] ^= 1);
        let verify = |engine: &Engine| -> Vec<Verdict> {
            let verdicts =
                bip340::verify(engine, &messages, &signatures, PublicKeys::x_only(&public));
            verdicts.unwrap().into_iter().collect()
        };
        assert_eq!(
            rejected_of_large(&engines, verify, "gecc_bip340_verify", corrupted.is_empty()),
            corrupted
        );
    }
}
