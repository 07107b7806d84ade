//! Known answers of tweaks: sums of known multiples of G, and hashes by another implementation.

use super::{Tweak, Tweaks};
use crate::curve::{Curve, CurveId, Secp256k1};
use crate::gpu::schedule::operation::ITEMS;
use crate::gpu::{Fault, SelfTest, SelfTestRun};
use crate::known_answers::{self, Answer, repeat};
use crate::ops::point::{self, point_of};
use crate::types::{Point, PublicKeys, Rows};

const CURVE: CurveId = Secp256k1::ID;

pub fn all() -> Vec<SelfTest> {
    vec![
        point::known_answers::keys(CURVE),
        SelfTest::new("tweaks of keys", CURVE.name(), run),
    ]
}

fn check(
    trial: &mut SelfTestRun,
    tweaks: Tweaks,
    keys: PublicKeys,
    known: Vec<Answer<Point>>,
) -> Result<(), Fault> {
    trial.check(
        &Tweak {
            keys,
            tweaks,
            items: ITEMS,
        },
        point_of,
        known,
    )
}

fn run(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let known_answers::Tweaks {
        keys,
        numbers,
        sums,
        roots,
        outputs: [outputs, without_roots],
    } = &known_answers::schnorr().tweaks;
    let keys = repeat(keys, ITEMS);
    let numbers = repeat(numbers, ITEMS);
    let roots = repeat(roots, ITEMS);
    let keys = PublicKeys::points(&keys);
    check(
        trial,
        Tweaks::Given((&numbers).into()),
        keys,
        repeat(sums, ITEMS),
    )?;
    check(
        trial,
        Tweaks::Taproot(Some(Rows::from(&roots))),
        keys,
        repeat(outputs, ITEMS),
    )?;
    check(
        trial,
        Tweaks::Taproot(None),
        keys,
        repeat(without_roots, ITEMS),
    )
}
