//! Known answers of silent payments, computed with the RustCrypto crates. The scan keys are for
//! tests only.

use super::{Expected, Receiver, TweakPoints};
use crate::curve::{Curve, Secp256k1};
use crate::gpu::schedule::operation::ITEMS;
use crate::gpu::{Fault, SelfTest, SelfTestRun};
use crate::known_answers::{self, Answer, SilentPayments, repeat};
use crate::ops::point::{self, point_of};
use crate::types::{Point, PublicKeys, SecretKey, bytes_of};

pub fn all() -> Vec<SelfTest> {
    [of_scan(), of_index()].concat()
}

pub fn of_scan() -> Vec<SelfTest> {
    vec![
        point::known_answers::keys(Secp256k1::ID),
        SelfTest::new("silent payments, scan", Secp256k1::NAME, scan),
    ]
}

pub fn of_index() -> Vec<SelfTest> {
    vec![
        point::known_answers::keys(Secp256k1::ID),
        SelfTest::new("silent payments, index", Secp256k1::NAME, index),
    ]
}

/// Tests two receivers, one of them with labels.
fn scan(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let SilentPayments {
        points,
        counters,
        receivers,
        expected,
        ..
    } = known_answers::silent_payments();
    let receivers = receivers.iter().map(|(scan_key, spend_key, labels)| {
        Receiver::new(
            SecretKey::from_bytes(*scan_key),
            spend_key.as_sec1(),
            labels,
        )
        .expect("valid keys")
    });
    let receivers: Vec<Receiver> = receivers.collect();
    let receivers: Vec<&Receiver> = receivers.iter().collect();
    let points = repeat(points, ITEMS);
    let counters = repeat(counters, ITEMS);
    let tweak_points = PublicKeys::points(&points);
    let counters = (&counters).into();
    let operation = Expected {
        tweak_points,
        counters,
        receivers: &receivers,
        items: ITEMS,
    };
    const WIDTH: usize = SilentPayments::WIDTH;
    assert_eq!(
        operation.width(),
        WIDTH,
        "as many labels as the answers are for"
    );
    trial.check(&operation, bytes_of::<WIDTH>, repeat(expected, ITEMS))
}

fn index(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let SilentPayments {
        points,
        outpoints,
        tweak_points,
        ..
    } = known_answers::silent_payments();
    let keys = repeat(points, ITEMS);
    let outpoints = repeat(outpoints, ITEMS);
    let outpoints = (&outpoints).into();
    let input_keys = PublicKeys::points(&keys);
    let known: Vec<Answer<Point>> = repeat(tweak_points, ITEMS);
    trial.check(
        &TweakPoints {
            outpoints,
            input_keys,
            items: ITEMS,
        },
        point_of,
        known,
    )
}
