//! Known answers of ECDSA.

use super::{ECDSA, Recover, Wanted, recover_cpu};
use crate::curve::CurveId;
use crate::gpu::schedule::operation::ITEMS;
use crate::gpu::{Fault, Test, Trial};
use crate::known_answers::{self, Signatures, repeat};
use crate::schemes::frame::known_answers::{SchemeTests, sign, verify, verify_by_tables, verify_together};
use crate::types::{Point, Policy};
use sha3::{Digest, Keccak256};

pub const TESTS: SchemeTests = SchemeTests {
    verification: ("ECDSA verification", |trial| verify(trial, &ECDSA, Policy::low_s())),
    by_tables: ("ECDSA verification by tables of keys", |trial| verify_by_tables(trial, &ECDSA, Policy::low_s())),
    together: Some(("ECDSA verification together", |trial| verify_together(trial, &ECDSA, Policy::low_s()))),
    signing: ("ECDSA signing", |trial| {
        let low_s = trial.curve().has_low_s_by_default();
        sign(trial, &ECDSA, low_s, true)
    }),
    recovery: Some(|curve| recovery(curve, Wanted::Keys)),
};

pub fn recovery(curve: CurveId, wanted: Wanted) -> Test {
    match wanted {
        Wanted::Keys => Test { operation: "recovery", on: curve.name(), run: run_keys },
        Wanted::Addresses => Test { operation: "recovery of addresses", on: curve.name(), run: run_addresses },
    }
}

fn run_keys(trial: &mut Trial) -> Result<(), Fault> {
    recover::<64>(trial, Wanted::Keys, |key| key.as_bytes()[1..].try_into().expect("64 bytes after the tag"))
}

fn run_addresses(trial: &mut Trial) -> Result<(), Fault> {
    recover::<20>(trial, Wanted::Addresses, |key| {
        Keccak256::digest(&key.as_bytes()[1..])[12..].try_into().expect("the last 20 of 32 bytes")
    })
}

fn recover<const W: usize>(trial: &mut Trial, wanted: Wanted, of_key: impl Fn(&Point) -> [u8; W]) -> Result<(), Fault> {
    let Signatures { digests, signatures, recovery_ids, recovered, .. } = &known_answers::of(trial.curve()).signatures;
    let (digests, signatures) = (repeat(digests, ITEMS), repeat(signatures, ITEMS));
    let recovery_ids: Vec<[u8; 1]> = repeat(recovery_ids, ITEMS).into_iter().map(|id| [id]).collect();
    let inputs = recover_cpu::Inputs {
        digests: (&digests).into(),
        signatures: (&signatures).into(),
        recovery_ids: (&recovery_ids).into(),
    };
    let known =
        repeat(recovered, ITEMS).iter().map(|key| key.as_ref().map(&of_key).map_err(|reason| *reason)).collect();
    let recover = Recover { curve: trial.curve(), inputs, candidates: None, wanted, items: ITEMS };
    trial.check(&recover, |results, item| results.get::<W>(item).copied(), known)
}
