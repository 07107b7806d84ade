//! Known answers of public keys. The private keys are for tests only.

use super::PublicKeysOf;
use crate::curve::CurveId;
use crate::gpu::schedule::operation::ITEMS;
use crate::gpu::{Fault, SelfTest, SelfTestRun};
use crate::known_answers::{self, PrivateKeys, repeat};
use crate::ops::point::point_of;

pub fn public_keys(curve: CurveId) -> SelfTest {
    SelfTest::new("computing public keys", curve.name(), run)
}

fn run(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let PrivateKeys { keys, public } = &known_answers::of(trial.curve()).private_keys;
    let keys = repeat(keys, ITEMS);
    let known = repeat(public, ITEMS);
    trial.check(
        &PublicKeysOf {
            curve: trial.curve(),
            keys: (&keys).into(),
            items: ITEMS,
        },
        point_of,
        known,
    )
}
