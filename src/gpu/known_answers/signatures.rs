//! Verification and recovery.

use super::{ITEMS, Trial};
use crate::cpu::CpuEngine;
use crate::cpu::recover::Inputs;
use crate::curve::{Curve, EcdsaCurve, Sm2};
use crate::ecdsa::{Address, Policy};
use crate::types::{Point, PublicKeys};
use crate::types::{Rejection, Verdict, Verdicts};
use crate::gpu::Fault;
use crate::gpu::columns::{Column, Prefixes};
use crate::gpu::key_tables;
use crate::gpu::lane::Lane;
use crate::gpu::recover::{AddressRows, Recover, Wanted};
use crate::gpu::rows::PointRows;
use crate::gpu::verify::{Equations, Signed, ToEquations, Verify, ecdsa_equations, sm2_equations};
use crate::known_answers::{self, Signatures, repeat};
use sha3::{Digest, Keccak256};

/// A batch of so many items.
struct Batch {
    digests: Vec<[u8; 32]>,
    signatures: Vec<[u8; 64]>,
    keys: Vec<Point>,
    verdicts: Vec<Verdict>,
}

impl Batch {
    fn new(curve: &str, items: usize) -> Self {
        let Signatures { digests, signatures, keys, verdicts, .. } = &known_answers::of(curve).signatures;
        Batch {
            digests: repeat(digests, items),
            signatures: repeat(signatures, items),
            keys: repeat(keys, items),
            verdicts: repeat(verdicts, items),
        }
    }

    fn with<R>(&self, curve: &'static str, equations: &ToEquations, then: impl FnOnce(&Verify) -> R) -> R {
        let Batch { digests, signatures, keys, .. } = self;
        let on_cpu = &|_: &CpuEngine, _| Verdicts::new(Vec::new());
        let keys = PublicKeys::points(keys);
        then(&Verify { curve, digests, signatures, keys, equations, on_cpu, tests: [&[], &[]] })
    }
}

fn low_s<C: EcdsaCurve>(
    lane: &mut Lane,
    signed: Signed,
    to: Equations,
    prefixes: Column<Prefixes>,
    n: usize,
) -> Result<(), Fault> {
    ecdsa_equations::<C>(lane, signed, Policy::low_s(), to, prefixes, n)
}

pub fn verification<C: EcdsaCurve>(trial: &mut Trial) -> Result<(), Fault> {
    verify(trial, C::NAME, &low_s::<C>)
}

pub fn sm2_verification(trial: &mut Trial) -> Result<(), Fault> {
    verify(trial, Sm2::NAME, &sm2_equations)
}

fn verify(trial: &mut Trial, curve: &'static str, equations: &ToEquations) -> Result<(), Fault> {
    let batch = Batch::new(curve, ITEMS);
    let verdicts = batch.with(curve, equations, |verify| trial.compute(verify))?;
    trial.compare(verdicts, batch.verdicts)
}

pub fn key_tables<C: EcdsaCurve>(trial: &mut Trial) -> Result<(), Fault> {
    verify_by_tables(trial, C::NAME, &low_s::<C>)
}

pub fn sm2_key_tables(trial: &mut Trial) -> Result<(), Fault> {
    verify_by_tables(trial, Sm2::NAME, &sm2_equations)
}

/// A chunk that is large enough for tables of its keys, which are not kept.
fn verify_by_tables(trial: &mut Trial, curve: &'static str, equations: &ToEquations) -> Result<(), Fault> {
    let (items, expected) = key_tables::FEWEST_WITH_TABLES;
    let batch = Batch::new(curve, items);
    let verdicts = batch.with(curve, equations, |verify| trial.compute_expecting(verify, expected))?;
    trial.lane.device.key_cache().drop_idle();
    trial.compare(verdicts, batch.verdicts)
}

pub fn recovery<C: EcdsaCurve>(trial: &mut Trial) -> Result<(), Fault> {
    recover::<C, PointRows>(trial, |key| *key)
}

pub fn addresses<C: EcdsaCurve>(trial: &mut Trial) -> Result<(), Fault> {
    recover::<C, AddressRows>(trial, |key| -> Address {
        Keccak256::digest(&key.as_bytes()[1..])[12..].try_into().expect("the last 20 of 32 bytes")
    })
}

fn recover<C: EcdsaCurve, W: Wanted<Output: PartialEq> + Sync>(
    trial: &mut Trial,
    of_key: impl Fn(&Point) -> W::Output,
) -> Result<(), Fault> {
    let Signatures { digests, signatures, recovery_ids, recovered, .. } = &known_answers::of(C::NAME).signatures;
    let (digests, signatures) = (repeat(digests, ITEMS), repeat(signatures, ITEMS));
    let recovery_ids = repeat(recovery_ids, ITEMS);
    let inputs = Inputs { digests: &digests, signatures: &signatures, recovery_ids: &recovery_ids };
    let known: Vec<Result<_, Rejection>> =
        repeat(recovered, ITEMS).iter().map(|key| key.as_ref().map(&of_key).map_err(|rejection| *rejection)).collect();
    trial.check(&Recover::<C, W>::new(inputs), known)
}
