//! Batch verification on the CPU.

use super::groups::{Groups, Step};
use crate::cpu::field::Field;
use crate::cpu::msm::{self, Terms};
use crate::cpu::point::Affine;
use crate::cpu::scalar::SignedScalar;
use crate::cpu::{CpuCurve, CpuEngine, decode, generator};
use crate::schemes::common::final_checks_cpu::{FinalCheck, SignatureBatch};

/// The numbers of items, per thread, of the smallest profitable group and of the largest group.
const SMALLEST: usize = 512;
/// The points of a group of the largest size stay in the L2 cache.
const LARGEST: usize = 1 << 12;
/// The maximum number of items in a group, and the bytes of memory per item.
const MOST_ITEMS: usize = 1 << 18;
const ITEM_BYTES: usize = 1 << 10;

/// A source of `count` random coefficients; `None` if no randomness is available.
pub type Draw<'a> = dyn Fn(usize) -> Option<Vec<u128>> + Sync + 'a;

/// Returns the number of uses of a key above which a key table is faster.
pub fn many_uses(engine: &CpuEngine) -> usize {
    if engine.lanes.is_some() { 128 } else { 32 }
}

/// Calls `valid` with valid items and the keys for which they are valid: those of groups whose
/// equation holds. All invalid items are among the others.
pub fn find_valid<C: CpuCurve>(
    engine: &CpuEngine,
    items: &[usize],
    signatures: &impl SignatureBatch<C>,
    mut valid: impl FnMut(usize, &Affine<C::Base>),
) {
    in_groups(
        engine,
        items,
        |group| verify_group(engine, group, signatures, &fresh_coefficients),
        |GroupMember { item, key }| valid(item, &key),
    );
}

/// Processes items in groups. `verify` returns the members of a group whose equation holds, with
/// which `valid` is called.
pub fn in_groups<M>(
    engine: &CpuEngine,
    items: &[usize],
    verify: impl Fn(&[usize]) -> Option<Vec<M>>,
    mut valid: impl FnMut(M),
) {
    let largest = engine
        .max_memory
        .map_or(MOST_ITEMS, |limit| MOST_ITEMS.min(limit / 8 / ITEM_BYTES));
    let [smallest, largest] =
        [SMALLEST, LARGEST].map(|each| (each * engine.threads()).min(largest).max(SMALLEST));
    let mut groups = Groups::new(items.len(), smallest, largest);
    let mut rest = items;
    while !rest.is_empty() {
        let step = groups.next(rest.len());
        let (Step::Group(count) | Step::OneByOne(count)) = step;
        let (group, after) = rest.split_at(count);
        rest = after;
        if step == Step::OneByOne(count) {
            continue;
        }
        match verify(group) {
            Some(members) => {
                groups.held(members.len(), count - members.len());
                members.into_iter().for_each(&mut valid);
            }
            None => groups.failed(count),
        }
    }
}

/// An item of a group, and its key as used in the equation.
pub struct GroupMember<C: CpuCurve> {
    pub item: usize,
    pub key: Affine<C::Base>,
}

/// Returns the items of a group that are known to be valid, or `None` if its equation does not hold
/// or no coefficients are available.
pub fn verify_group<C: CpuCurve>(
    engine: &CpuEngine,
    group: &[usize],
    signatures: &impl SignatureBatch<C>,
    draw: &Draw,
) -> Option<Vec<GroupMember<C>>> {
    let parts = engine.map_parts(group.len(), |range| {
        GroupPart::<C>::new(engine, &group[range], signatures, draw)
    });
    let mut terms = Terms::with_capacity(2 * group.len() + 1);
    let mut members = Vec::with_capacity(group.len());
    let mut of_base = C::Scalar::ZERO;
    for part in parts {
        let part = part?;
        terms.append(part.terms);
        members.extend(part.members);
        of_base = of_base.add(&part.of_base);
    }
    terms.append(Terms::new(engine.lanes, &[of_base], &[generator::<C>()]));
    msm::sum(&engine.pool, engine.lanes, &terms)
        .infinity
        .then_some(members)
}

/// The contribution of a range of items to the equation of their group.
struct GroupPart<C: CpuCurve> {
    /// The members: items whose keys, scalars and R are valid.
    members: Vec<GroupMember<C>>,
    /// The terms (a_i u2_i) Q_i and -a_i R_i.
    terms: Terms<C>,
    /// The sum of all a_i u1_i.
    of_base: C::Scalar,
}

/// The equation of one item with a known R: u1 G + u2 Q = R.
struct EquationWithR<C: CpuCurve> {
    item: usize,
    scalars: [C::Scalar; 2],
    key: Affine<C::Base>,
    r: Affine<C::Base>,
}

impl<C: CpuCurve> GroupPart<C> {
    /// Returns `None` if no coefficients are available.
    fn new(
        engine: &CpuEngine,
        items: &[usize],
        signatures: &impl SignatureBatch<C>,
        draw: &Draw,
    ) -> Option<Self> {
        let known = known(engine, items, signatures);
        let coefficients = draw(known.len())?;
        let mut of_base = C::Scalar::ZERO;
        let mut of_keys = Vec::with_capacity(known.len());
        for (
            EquationWithR {
                scalars: [u1, u2], ..
            },
            a,
        ) in known.iter().zip(&coefficients)
        {
            let a = scalar::<C>(*a);
            of_base = of_base.add(&a.mul(u1));
            of_keys.push(a.mul(u2));
        }
        let of_r = coefficients.iter().map(|a| SignedScalar {
            negative: true,
            magnitude: [*a as u64, (a >> 64) as u64, 0, 0],
        });
        let [keys, r] = [
            |known: &EquationWithR<C>| known.key,
            |known: &EquationWithR<C>| known.r,
        ]
        .map(|point| known.iter().map(point).collect::<Vec<_>>());
        let mut terms = Terms::new(engine.lanes, &of_keys, &keys);
        terms.append(Terms::whole(engine.lanes, of_r.collect(), &r));
        let members = known
            .into_iter()
            .map(|EquationWithR { item, key, .. }| GroupMember { item, key })
            .collect();
        Some(GroupPart {
            members,
            terms,
            of_base,
        })
    }
}

/// Returns the items that have all values of the equation.
fn known<C: CpuCurve>(
    engine: &CpuEngine,
    items: &[usize],
    signatures: &impl SignatureBatch<C>,
) -> Vec<EquationWithR<C>> {
    let keys = signatures.keys();
    let points = decode::public_keys::<C>(engine.lanes, items.iter().map(|&item| keys.get(item)));
    let good = signatures
        .equations(items)
        .into_iter()
        .zip(points)
        .zip(items)
        .filter_map(|((equation, key), item)| {
            let equation = equation.ok()?;
            Some((
                (*item, [equation.u1, equation.u2], key.ok()?),
                equation.final_check.point()?,
            ))
        });
    let (good, coordinates): (Vec<_>, Vec<_>) = good.unzip();
    let lifted = decode::lift_all::<C>(engine.lanes, &coordinates);
    let with_r = good.into_iter().zip(lifted);
    with_r
        .filter_map(|((item, scalars, key), r)| {
            Some(EquationWithR {
                item,
                scalars,
                key,
                r: r?,
            })
        })
        .collect()
}

/// Returns coefficients from the operating system's random number generator.
pub fn fresh_coefficients(count: usize) -> Option<Vec<u128>> {
    let mut bytes = vec![[0; 16]; count];
    getrandom::fill(bytes.as_flattened_mut()).ok()?;
    Some(bytes.into_iter().map(u128::from_le_bytes).collect())
}

/// Returns a coefficient as a scalar.
pub fn scalar<C: CpuCurve>(a: u128) -> C::Scalar {
    let mut bytes = [0; 32];
    bytes[16..].copy_from_slice(&a.to_be_bytes());
    C::Scalar::from_be_bytes_reduced(&bytes)
}
