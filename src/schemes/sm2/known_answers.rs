//! Known answers of SM2: signatures and digests of messages.

use super::SM2;
use super::digest::{MessageDigests, za_of_point};
use crate::curve::{Curve, Sm2};
use crate::gpu::schedule::operation::ITEMS;
use crate::gpu::{Fault, SelfTest, SelfTestRun};
use crate::known_answers::{self, repeat};
use crate::ops::hash::SizedTexts;
use crate::ops::hash::known_answers::message;
use crate::ops::point;
use crate::schemes::common::known_answers::{
    SchemeTests, sign, sign_with_data, verify, verify_by_tables,
};
use crate::types::{Policy, PublicKeys, bytes_of};
use sm3::{Digest, Sm3};

pub const TESTS: SchemeTests = SchemeTests {
    verification: ("SM2 verification", |trial| {
        verify(trial, &SM2, Policy::default())
    }),
    by_tables: ("SM2 verification by tables of keys", |trial| {
        verify_by_tables(trial, &SM2, Policy::default())
    }),
    batch_verification: None,
    signing: ("SM2 signing", |trial| sign(trial, &SM2)),
    signing_with_data: ("SM2 signing with additional data", |trial| {
        sign_with_data(trial, &SM2)
    }),
    recovery: None,
};

/// Returns the self-tests of message digests.
pub fn of_digests() -> Vec<SelfTest> {
    vec![
        point::known_answers::keys(Sm2::ID),
        SelfTest {
            operation: "SM3 of messages",
            on: Sm2::NAME,
            run: check_digests,
        },
    ]
}

/// Tests SM3(Z_A || M) with ids of several lengths.
fn check_digests(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let texts: Vec<_> = (0..ITEMS).map(message).collect();
    let ids: Vec<_> = (0..ITEMS).map(|item| message(item / 2)).collect();
    let keys: Vec<_> = known_answers::of(Sm2::ID)
        .private_keys
        .public
        .iter()
        .flatten()
        .copied()
        .collect();
    let keys = repeat(&keys, ITEMS);
    let known = ids.iter().zip(&keys).zip(&texts).map(|((id, key), text)| {
        Ok(Sm3::new_with_prefix(za_of_point(id, key))
            .chain_update(text)
            .finalize()
            .into())
    });
    let known = known.collect();
    let operation = MessageDigests {
        messages: SizedTexts::new(trial.cpu, ITEMS, |item| &texts[item]),
        ids: SizedTexts::new(trial.cpu, ITEMS, |item| &ids[item]),
        keys: PublicKeys::points(&keys),
    };
    trial.check(&operation, bytes_of::<32>, known)
}
