//! Public key recovery (SEC 1, section 4.1.6).

use super::affine::{Affine, invert_all};
use super::comb::Comb;
use super::field::Field;
use super::lanes::Lanes;
use super::multiply::{mul_add, normalize};
use super::verify::plus_n;
use super::{CpuCurve, CpuEngine, be_bytes_to_limbs, decode, from_limbs};
use crate::ecdsa::Address;
use crate::error::Rejection;
use crate::point::Points;
use sha3::{Digest, Keccak256};
use std::ops::Range;

/// What a signature and its recovery id say of R, before any batch arithmetic.
struct Parsed<C: CpuCurve> {
    r: C::Scalar,
    s: C::Scalar,
    /// The x-coordinate and the parity of y.
    point: (C::Base, bool),
}

/// What the equation takes.
struct Accepted<C: CpuCurve> {
    r: C::Scalar,
    s: C::Scalar,
    e: C::Scalar,
    point: Affine<C::Base>,
}

/// A batch's inputs, one entry per item.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub digests: &'a [[u8; 32]],
    pub signatures: &'a [[u8; 64]],
    pub recovery_ids: &'a [u8],
}

impl Inputs<'_> {
    /// Those of some items.
    pub fn slice(&self, items: Range<usize>) -> Self {
        let Inputs { digests, signatures, recovery_ids } = *self;
        Inputs {
            digests: &digests[items.clone()],
            signatures: &signatures[items.clone()],
            recovery_ids: &recovery_ids[items],
        }
    }
}

pub(crate) fn recover<C: CpuCurve>(engine: &CpuEngine, inputs: Inputs) -> Points {
    recover_each::<C, _>(engine, inputs, decode::encode)
}

/// Ethereum addresses of the keys (yellow paper, appendix F).
pub(crate) fn addresses<C: CpuCurve>(engine: &CpuEngine, inputs: Inputs) -> Vec<Result<Address, Rejection>> {
    recover_each::<C, _>(engine, inputs, |key| {
        let hash = Keccak256::new().chain_update(key.x.to_be_bytes()).chain_update(key.y.to_be_bytes()).finalize();
        hash[12..].try_into().expect("the last 20 of 32 bytes")
    })
}

/// What `result` makes of each key.
fn recover_each<C: CpuCurve, T: Clone + Send>(
    engine: &CpuEngine,
    inputs: Inputs,
    result: impl Fn(&Affine<C::Base>) -> T + Sync,
) -> Vec<Result<T, Rejection>> {
    engine.map_chunks(inputs.digests.len(), Err(Rejection::IdentityResult), |range, out| {
        let base = C::precomputed().table(engine, range.len());
        let Inputs { digests, signatures, recovery_ids } = inputs.slice(range);
        let parsed: Vec<_> = signatures.iter().zip(recovery_ids).map(|(s, id)| parse::<C>(s, *id)).collect();
        let coordinates: Vec<_> = parsed.iter().filter_map(|parsed| Some(parsed.as_ref().ok()?.point)).collect();
        let mut lifted = decode::lift_all::<C>(engine.lanes, &coordinates).into_iter();
        let mut accepted = Vec::with_capacity(out.len());
        let mut places = Vec::with_capacity(out.len());
        for ((digest, parsed), place) in digests.iter().zip(parsed).zip(out) {
            let with_point = parsed.and_then(|parsed| {
                let point = lifted.next().expect("one for each parsed item").ok_or(Rejection::NoSuchR)?;
                Ok(Accepted { r: parsed.r, s: parsed.s, e: C::Scalar::from_be_bytes_reduced(digest), point })
            });
            match with_point {
                Err(rejection) => *place = Err(rejection),
                Ok(item) => {
                    accepted.push(item);
                    places.push(place);
                }
            }
        }
        for (place, key) in places.into_iter().zip(keys(engine.lanes, &accepted, base)) {
            *place = if key.infinity { Err(Rejection::IdentityResult) } else { Ok(result(&key)) };
        }
    })
}

fn parse<C: CpuCurve>(signature: &[u8; 64], recovery_id: u8) -> Result<Parsed<C>, Rejection> {
    let (r, s) = decode::signature::<C>(signature)?;
    if recovery_id > 3 {
        return Err(Rejection::RecoveryIdOutOfRange);
    }
    // 1.1: x = r + j n, which must be a coordinate. 1.3: R from x and the parity of y.
    let r_limbs = be_bytes_to_limbs(&r.to_be_bytes());
    let x =
        if recovery_id & 2 == 0 { from_limbs(&r_limbs) } else { plus_n::<C>(&r_limbs).ok_or(Rejection::NoSuchR)? };
    Ok(Parsed { r, s, point: (x, recovery_id & 1 == 1) })
}

/// 1.6.1: Q = (s R - e G) / r.
fn keys<C: CpuCurve>(lanes: Option<Lanes>, items: &[Accepted<C>], base: &Comb<C>) -> Vec<Affine<C::Base>> {
    let mut inverses: Vec<_> = items.iter().map(|item| item.r).collect();
    invert_all(&mut inverses);
    let u1: Vec<_> = items.iter().zip(&inverses).map(|(item, inverse)| item.e.mul(inverse).neg()).collect();
    let u2: Vec<_> = items.iter().zip(&inverses).map(|(item, inverse)| item.s.mul(inverse)).collect();
    let points: Vec<_> = items.iter().map(|item| item.point).collect();
    normalize(lanes, &mul_add::<C>(lanes, &u2, &points, Some((base, &u1))))
}
