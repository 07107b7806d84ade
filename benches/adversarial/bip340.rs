//! Batch verification of BIP 340: invalid items at every fraction, compared with verification one
//! by one.

use crate::compare::Bench;
use crate::equations::fractions;
use crate::support::random::Random;
use gecc::bip340::{self, Auxiliary};
use gecc::{Engine, PublicKeys, Secp256k1, SecretKey, keys};
use std::cell::LazyCell;

struct Signed {
    messages: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    keys: Vec<[u8; 32]>,
}

/// Messages, and whether they are verified by an engine without batch verification.
struct Batch {
    messages: Vec<[u8; 32]>,
    one_by_one: bool,
}

pub fn compare(bench: &mut Bench) {
    let items = bench.items_together;
    let alone = bench.alone.clone();
    let signed = LazyCell::new(|| signed(items));
    bench.compare_of(
        items,
        "secp256k1: BIP 340, verify together",
        || batches(&signed.messages),
        |engine: &Engine,
         Batch {
             messages,
             one_by_one,
         }| {
            // The engine that results are compared with verifies one by one anyway.
            let engine = if *one_by_one && engine.info().batch_verification {
                &alone
            } else {
                engine
            };
            bip340::verify(
                engine,
                messages,
                &signed.signatures,
                PublicKeys::x_only(&signed.keys),
            )
            .expect("as many")
        },
    );
}

/// Signs random messages, each by a key of its own.
fn signed(items: usize) -> Signed {
    let mut random = Random::new();
    let engine = Engine::new().expect("threads can be started");
    let secrets: Vec<SecretKey> = (0..items)
        .map(|_| SecretKey::from_bytes(random.scalar_bytes::<Secp256k1>()))
        .collect();
    let points = keys::public_keys(&engine, Secp256k1, &secrets).expect("a device works");
    let messages: Vec<[u8; 32]> = (0..items).map(|_| random.bytes()).collect();
    let signed = bip340::sign(&engine, &messages, &secrets, Auxiliary::zeros()).expect("as many");
    Signed {
        messages,
        signatures: signed
            .into_iter()
            .map(|signature| signature.expect("keys in range"))
            .collect(),
        keys: points
            .into_iter()
            .map(|point| *point.expect("keys in range").x())
            .collect(),
    }
}

/// Batches with invalid items at every fraction. The first one is verified one by one.
fn batches(messages: &[[u8; 32]]) -> Vec<(&'static str, Batch)> {
    let mut batches = vec![(
        "one by one",
        Batch {
            messages: messages.to_vec(),
            one_by_one: true,
        },
    )];
    for (name, is_invalid) in fractions(messages.len()) {
        let mut messages = messages.to_vec();
        messages
            .iter_mut()
            .enumerate()
            .filter(|(item, _)| is_invalid(*item))
            .for_each(|(_, message)| message[3] ^= 1);
        batches.push((
            name,
            Batch {
                messages,
                one_by_one: false,
            },
        ));
    }
    batches
}
