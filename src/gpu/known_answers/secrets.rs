//! Operations on private keys, none of which is anybody's.

use super::{ITEMS, Trial};
use crate::cpu::CpuEngine;
use crate::curve::{EcdsaCurve, SecretCurve};
use crate::ecdsa::Check;
use crate::encoding::PublicKeys;
use crate::gpu::Fault;
use crate::gpu::secret::{Agreement, PublicKeysOf};
use crate::gpu::sign::{Scheme, Sign, ecdsa_scheme, sm2_scheme};
use crate::known_answers::{self, Agreements, PrivateKeys, Signing, repeat};
use crate::secret::SharedPoint;
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
    sign(trial, &ecdsa_scheme::<C>(C::LOW_S_BY_DEFAULT))
}

pub fn sm2_signing(trial: &mut Trial) -> Result<(), Fault> {
    sign(trial, &sm2_scheme())
}

fn sign(trial: &mut Trial, scheme: &Scheme) -> Result<(), Fault> {
    let Signing { keys, digests, signed } = &known_answers::of(scheme.curve).signing;
    let (keys, digests) = (repeat(keys, ITEMS), repeat(digests, ITEMS));
    let on_cpu = &|_: &CpuEngine, _| Vec::new();
    let result = &|signature, recovery_id| (signature, recovery_id);
    let sign = Sign { digests: &digests, keys: (&keys[..]).into(), scheme, check: Check::Nothing, result, on_cpu };
    trial.check(&sign, repeat(signed, ITEMS))
}
