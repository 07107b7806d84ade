//! Public key recovery on the CPU (SEC 1, section 4.1.6).

use crate::cpu::field::Field;
use crate::cpu::multiply::{mul_add, normalize};
use crate::cpu::point::affine::{Affine, invert_all};
use crate::cpu::point::comb::Comb;
use crate::cpu::simd::Lanes;
use crate::cpu::tables::BaseTables;
use crate::cpu::{CpuCurve, CpuEngine, be_bytes_to_limbs, decode, from_limbs};
use crate::schemes::common::final_checks_cpu::plus_n;
use crate::types::{Rejection, ResultSink, ResultsMut, Rows};
use sha3::{Digest, Keccak256};
use std::ops::Range;

/// The inputs of the recovery equation.
struct Accepted<C: CpuCurve> {
    r: C::Scalar,
    s: C::Scalar,
    e: C::Scalar,
    point: Affine<C::Base>,
}

/// A batch's inputs, one row per item.
#[derive(Clone, Copy)]
pub struct RecoveryInputs<'a> {
    pub digests: Rows<'a, 32>,
    pub signatures: Rows<'a, 64>,
    pub recovery_ids: Rows<'a, 1>,
}

impl<'a> RecoveryInputs<'a> {
    pub fn new(
        digests: impl Into<Rows<'a, 32>>,
        signatures: impl Into<Rows<'a, 64>>,
        recovery_ids: impl Into<Rows<'a, 1>>,
    ) -> Self {
        RecoveryInputs {
            digests: digests.into(),
            signatures: signatures.into(),
            recovery_ids: recovery_ids.into(),
        }
    }

    /// Returns the inputs of some items.
    pub fn slice(&self, items: Range<usize>) -> Self {
        RecoveryInputs {
            digests: self.digests.slice(items.clone()),
            signatures: self.signatures.slice(items.clone()),
            recovery_ids: self.recovery_ids.slice(items),
        }
    }
}

/// Recovers keys.
pub fn recover<C: BaseTables>(engine: &CpuEngine, inputs: RecoveryInputs, out: &mut ResultSink) {
    recover_each::<C>(engine, inputs, 64, decode::put, out);
}

/// Writes the address of a key, which is not the identity, as an item's row.
pub fn put_address<F: Field>(out: &mut ResultsMut, place: usize, key: &Affine<F>) {
    let hash = Keccak256::new()
        .chain_update(key.x.to_be_bytes())
        .chain_update(key.y.to_be_bytes())
        .finalize();
    // The last 20 of 32 bytes.
    out.row(0, place).copy_from_slice(&hash[12..]);
    out.accept(place);
}

/// Writes rows of `width` bytes, which `put` derives from each key.
pub fn recover_each<C: BaseTables>(
    engine: &CpuEngine,
    inputs: RecoveryInputs,
    width: usize,
    put: impl Fn(&mut ResultsMut, usize, &Affine<C::Base>) + Sync,
    out: &mut ResultSink,
) {
    engine.fill(out, [width, 0], |range, out| {
        let base = C::tables().table(engine, range.len());
        let RecoveryInputs {
            digests,
            signatures,
            recovery_ids,
        } = inputs.slice(range.clone());
        let parsed = (0..range.len()).map(|at| {
            let (r, s) = decode::signature::<C>(signatures.get(at))?;
            Ok((r, s, coordinates::<C>(&r, recovery_ids.get(at)[0])?))
        });
        let parsed: Vec<Result<_, Rejection>> = parsed.collect();
        let coordinates: Vec<_> = parsed
            .iter()
            .flatten()
            .map(|(.., coordinates)| *coordinates)
            .collect();
        let mut lifted = decode::lift_all::<C>(engine.lanes, &coordinates).into_iter();
        let accepted = parsed.into_iter().enumerate().map(|(place, parsed)| {
            let (r, s, _) = parsed?;
            let point = lifted
                .next()
                .expect("one for each parsed item")
                .ok_or(Rejection::NoSuchR)?;
            Ok(Accepted {
                r,
                s,
                e: C::Scalar::from_be_bytes_reduced(digests.get(place)),
                point,
            })
        });
        decode::compute_accepted(
            accepted,
            out,
            |out, place, key: &Affine<C::Base>| match key.infinity {
                true => out.reject(place, Rejection::IdentityResult),
                false => put(out, place, key),
            },
            |accepted| keys(engine.lanes, &accepted, base),
        );
    });
}

/// Returns the x-coordinate of R and the parity of its y.
pub fn coordinates<C: CpuCurve>(
    r: &C::Scalar,
    recovery_id: u8,
) -> Result<(C::Base, bool), Rejection> {
    if recovery_id > 3 {
        return Err(Rejection::RecoveryIdOutOfRange);
    }
    // Step 1.1: x = r + j n, which must be a coordinate. Step 1.3: R from x and the parity of y.
    let r = be_bytes_to_limbs(&r.to_be_bytes());
    let x = if recovery_id & 2 == 0 {
        from_limbs(&r)
    } else {
        plus_n::<C>(&r).ok_or(Rejection::NoSuchR)?
    };
    Ok((x, recovery_id & 1 == 1))
}

/// Computes step 1.6.1: Q = (s R - e G) / r.
fn keys<C: CpuCurve>(
    lanes: Option<Lanes>,
    items: &[Accepted<C>],
    base: &Comb<C>,
) -> Vec<Affine<C::Base>> {
    let mut inverses: Vec<_> = items.iter().map(|item| item.r).collect();
    invert_all(&mut inverses);
    let u1: Vec<_> = items
        .iter()
        .zip(&inverses)
        .map(|(item, inverse)| item.e.mul(inverse).neg())
        .collect();
    let u2: Vec<_> = items
        .iter()
        .zip(&inverses)
        .map(|(item, inverse)| item.s.mul(inverse))
        .collect();
    let points: Vec<_> = items.iter().map(|item| item.point).collect();
    normalize(lanes, &mul_add::<C>(lanes, &u2, &points, Some((base, &u1))))
}
