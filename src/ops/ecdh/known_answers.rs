//! Known answers of ECDH. The private keys are for tests only.

use super::Agreement;
use crate::curve::CurveId;
use crate::gpu::schedule::operation::ITEMS;
use crate::gpu::{Fault, SelfTest, SelfTestRun};
use crate::known_answers::{self, Agreements, repeat};
use crate::types::{PublicKeys, bytes_of};

pub fn agreement(curve: CurveId) -> SelfTest {
    SelfTest::new("ECDH", curve.name(), run)
}

/// Tests whole points, and x alone.
fn run(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let curve = trial.curve();
    let Agreements {
        keys,
        peers,
        shared,
    } = &known_answers::of(trial.curve()).agreements;
    let keys = repeat(keys, ITEMS);
    let peers = repeat(peers, ITEMS);
    let known = repeat(shared, ITEMS);
    let secret_keys = (&keys).into();
    let peers = PublicKeys::points(&peers);
    let whole_points = Agreement {
        curve,
        secret_keys,
        peers,
        width: 64,
        items: ITEMS,
    };
    let x_alone = Agreement {
        width: 32,
        ..whole_points
    };
    let x: Vec<_> = known
        .iter()
        .map(|point| point.map(|point| *point.first_chunk::<32>().expect("64 bytes")))
        .collect();
    trial.check(&whole_points, bytes_of::<64>, known)?;
    trial.check(&x_alone, bytes_of::<32>, x)
}
