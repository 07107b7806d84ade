//! Known answers of SM2's message digests.

use super::{MessageDigests, za_of_point};
use crate::curve::{Curve, Sm2};
use crate::gpu::schedule::operation::ITEMS;
use crate::gpu::{Fault, Test, Trial};
use crate::known_answers::{self, repeat};
use crate::ops::hash::SizedTexts;
use crate::ops::hash::known_answers::message;
use crate::ops::point;
use crate::types::{PublicKeys, bytes_of};
use sm3::{Digest, Sm3};

pub fn all() -> Vec<Test> {
    vec![point::known_answers::keys(Sm2::ID), Test { operation: "SM3 of messages", on: Sm2::NAME, run: run_digests }]
}

/// Tests SM3(Z_A || M) with ids of several lengths.
fn run_digests(trial: &mut Trial) -> Result<(), Fault> {
    let texts: Vec<_> = (0..ITEMS).map(message).collect();
    let ids: Vec<_> = (0..ITEMS).map(|item| message(item / 2)).collect();
    let keys: Vec<_> = known_answers::of(Sm2::ID).private_keys.public.iter().flatten().copied().collect();
    let keys = repeat(&keys, ITEMS);
    let known =
        ids.iter().zip(&keys).zip(&texts).map(|((id, key), text)| {
            Ok(Sm3::new_with_prefix(za_of_point(id, key)).chain_update(text).finalize().into())
        });
    let known = known.collect();
    let operation = MessageDigests {
        messages: SizedTexts::new(trial.cpu, ITEMS, |item| &texts[item]),
        ids: SizedTexts::new(trial.cpu, ITEMS, |item| &ids[item]),
        keys: PublicKeys::points(&keys),
    };
    trial.check(&operation, bytes_of::<32>, known)
}
