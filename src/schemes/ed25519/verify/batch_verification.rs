//! Batch verification: groups of signatures that are verified with a single sum, for cofactored
//! rules.
//!
//! Signature i claims that h (S_i B - k_i A_i - R_i) is the identity, where h is the cofactor. With
//! unpredictable coefficients a_i below 2^128, all signatures of a group are valid, except with
//! probability 2^-128, if this is the identity:
//!
//! h ((sum a_i S_i) B - sum (a_i k_i) A_i - sum a_i R_i)
//!
//! The points times h have prime order n > 2^128. So if an item of the group is invalid, at most
//! one of the 2^128 values of its coefficient makes the equation hold, regardless of the other
//! coefficients. Components of points whose order divides h affect neither the verdict nor the
//! equation, even if a_i k_i is reduced modulo n. Without the cofactor they do: such components of
//! one item cancel those of others with a probability that is not negligible, so rules that depend
//! on them cannot be verified in groups.
//!
//! Equations only find valid items. All other items are verified individually, as in
//! `common::batch_verification`.

use super::{Equation, Verification};
use crate::cpu::CpuEngine;
use crate::cpu::edwards::field::Element;
use crate::cpu::edwards::msm::{self, Terms};
use crate::cpu::edwards::scalar::Scalar;
use crate::cpu::edwards::tables::BaseTables;
use crate::schemes::common::batch_verification::cpu::{Draw, fresh_coefficients, in_groups};

/// Returns the number of uses of a key above which a key table is faster.
pub fn many_uses(engine: &CpuEngine) -> usize {
    if engine.lanes.is_some() { 256 } else { 64 }
}

/// Calls `valid` with valid items: those of groups whose equation holds. All invalid items are
/// among the others.
pub fn find_valid<C: BaseTables>(
    engine: &CpuEngine,
    batch: &Verification,
    items: &[usize],
    valid: impl FnMut(usize),
) {
    in_groups(
        engine,
        items,
        |group| verify_group::<C>(engine, batch, group, &fresh_coefficients),
        valid,
    );
}

/// Returns the items of a group that are known to be valid, or `None` if its equation does not hold
/// or no coefficients are available.
pub fn verify_group<C: BaseTables>(
    engine: &CpuEngine,
    batch: &Verification,
    group: &[usize],
    draw: &Draw,
) -> Option<Vec<usize>> {
    let parts = engine.map_parts(group.len(), |range| {
        GroupPart::<C>::new(engine, batch, &group[range], draw)
    });
    let mut terms = Terms::with_capacity(2 * group.len());
    let mut of_base = Scalar::ZERO;
    let mut members = Vec::with_capacity(group.len());
    for part in parts {
        let part = part?;
        terms.append(part.terms);
        members.extend(part.members);
        of_base = of_base.add(&part.of_base);
    }
    let sum = C::tables()
        .comb()
        .add_product_var(msm::sum::<C>(&engine.pool, engine.lanes, &terms), &of_base);
    sum.to_projective()
        .has_small_order_var::<C>()
        .then_some(members)
}

/// The contribution of a range of items to the equation of their group.
struct GroupPart<C: BaseTables> {
    /// The members: items whose numbers and points are valid.
    members: Vec<usize>,
    /// The terms (a_i k_i) (-A_i) and a_i (-R_i).
    terms: Terms,
    /// The sum of all a_i S_i.
    of_base: Scalar<C::Order>,
}

impl<C: BaseTables> GroupPart<C> {
    /// Returns `None` if no coefficients are available.
    fn new(engine: &CpuEngine, batch: &Verification, items: &[usize], draw: &Draw) -> Option<Self> {
        let lanes = engine.lanes_for(items.len());
        let points = batch.points::<C>(lanes, items).into_iter();
        let equations: Vec<Equation<'_, C, [Element; 2]>> = items
            .iter()
            .zip(points)
            .filter_map(|(&item, key)| batch.equation(item, key).ok())
            .collect();
        let minus_r = batch.minus_r::<C>(lanes, equations.iter().map(|equation| equation.r));
        let with_r = equations
            .iter()
            .zip(minus_r)
            .filter_map(|(equation, minus_r)| Some((equation, minus_r.ok()?)));
        let members: Vec<(&Equation<'_, C, [Element; 2]>, [Element; 2])> = with_r.collect();
        let mut terms = Terms::with_capacity(2 * members.len());
        let mut of_base = Scalar::ZERO;
        for ((Equation { s, k, key, .. }, minus_r), a) in members.iter().zip(draw(members.len())?) {
            let a_scalar = scalar::<C>(a);
            of_base = of_base.add(&a_scalar.mul(s));
            terms.push::<C>(*a_scalar.mul(k).limbs(), key);
            terms.push::<C>([a as u64, (a >> 64) as u64, 0, 0], minus_r);
        }
        Some(GroupPart {
            members: members.iter().map(|(equation, _)| equation.item).collect(),
            terms,
            of_base,
        })
    }
}

/// Returns a coefficient as a scalar.
fn scalar<C: BaseTables>(a: u128) -> Scalar<C::Order> {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(&a.to_le_bytes());
    Scalar::from_le_bytes_reduced(&bytes)
}
