//! Operations on private keys, none of which is anybody's.

use super::{ITEMS, Trial};
use crate::cpu::CpuEngine;
use crate::curve::{EcdsaCurve, SecretCurve};
use crate::ecdsa::Check;
use crate::types::PublicKeys;
use crate::gpu::Fault;
use crate::gpu::secret::{Agreement, PublicKeysOf};
use crate::gpu::sign::{Scheme, Sign, ecdsa_scheme, sm2_scheme};
use crate::known_answers::{self, Agreements, PrivateKeys, Signing, repeat};
use crate::types::SharedPoint;
use std::marker::PhantomData;

pub fn public_keys<C: SecretCurve>(trial: &mut Trial) -> Result<(), Fault> {
    let PrivateKeys { keys, public } = &known_answers::of(C::NAME).private_keys;
    trial.check(&PublicKeysOf::<C>(&repeat(keys, ITEMS), PhantomData), repeat(public, ITEMS))
}

pub fn agreement<C: SecretCurve>(trial: &mut Trial) -> Result<(), Fault> {
    let Agreements { keys, peers, shared } = &known_answers::of(C::NAME).agreements;
    let (keys, peers) = (repeat(keys, ITEMS), repeat(peers, ITEMS));
    let agreement = Agreement::<C, SharedPoint>::new(ITEMS, (&keys[..]).into(), PublicKeys::points(&peers));
    let points = trial.compute(&agreement)?;
    let given = points.iter().map(|point| match point {
        Ok(point) => Ok(point.expose_bytes()[1..].try_into().expect("64 bytes")),
        Err(rejection) => Err(*rejection),
    });
    trial.compare(given, repeat(shared, ITEMS))
}

pub fn signing<C: EcdsaCurve>(trial: &mut Trial) -> Result<(), Fault> {
    sign(trial, &ecdsa_scheme::<C>(C::LOW_S_BY_DEFAULT), |signature, recovery_id| (signature, recovery_id))
}

pub fn sm2_signing(trial: &mut Trial) -> Result<(), Fault> {
    // There are no recovery ids.
    sign(trial, &sm2_scheme(), |signature, _| (signature, 0))
}

type Signed = ([u8; 64], u8);

fn sign(trial: &mut Trial, scheme: &Scheme, result: fn([u8; 64], u8) -> Signed) -> Result<(), Fault> {
    let Signing { keys, digests, signed } = &known_answers::of(scheme.curve).signing;
    let (keys, digests) = (repeat(keys, ITEMS), repeat(digests, ITEMS));
    let on_cpu = &|_: &CpuEngine, _| Vec::new();
    let keys = (&keys[..]).into();
    let sign = Sign { digests: &digests, keys, scheme, check: Check::Nothing, result: &result, on_cpu };
    trial.check(&sign, repeat(signed, ITEMS))
}
