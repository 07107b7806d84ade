//! Verification: u1 G + u2 Q is computed in batches and its x-coordinate compared.
//!
//! Items whose key occurs often are computed from a table of that key; see `key_plan`.

use super::affine::invert_all;
use super::comb::Comb;
use super::field::Field;
use super::jacobian::Jacobian;
use super::key_plan::KeyPlan;
use super::multiply::{mul_add, sum_products};
use super::{CHUNK, CpuCurve, CpuEngine, be_bytes_to_limbs, decode, from_limbs};
use crate::ecdsa::Policy;
use crate::encoding::PublicKeys;
use crate::error::{Rejection, Verdict, Verdicts};

pub(crate) fn ecdsa<C: CpuCurve>(
    engine: &CpuEngine,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    keys: PublicKeys,
    policy: Policy,
) -> Verdicts {
    verify::<C>(engine, digests.len(), keys, |items| ecdsa_equations::<C>(items, digests, signatures, policy))
}

pub(crate) fn sm2<C: CpuCurve>(
    engine: &CpuEngine,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    keys: PublicKeys,
) -> Verdicts {
    verify::<C>(engine, digests.len(), keys, |items| {
        items.iter().map(|&item| sm2_equation::<C>(&digests[item], &signatures[item])).collect()
    })
}

/// What a signature claims: x(u1 G + u2 Q) = x modulo n.
struct Equation<C: CpuCurve> {
    u1: C::Scalar,
    u2: C::Scalar,
    x: C::Scalar,
}

type Equations<C> = Vec<Result<Equation<C>, Rejection>>;

/// SEC 1, section 4.1.4. The inverses of all s are computed together.
fn ecdsa_equations<C: CpuCurve>(
    items: &[usize],
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    policy: Policy,
) -> Equations<C> {
    // 1: r and s in 1..n.
    let parsed = items.iter().map(|&item| {
        let (r, s) = decode::signature::<C>(&signatures[item])?;
        if policy.low_s && is_high::<C>(&s) { Err(Rejection::HighS) } else { Ok((r, s)) }
    });
    let parsed: Vec<_> = parsed.collect();
    let mut inverses: Vec<_> = parsed.iter().map(|parsed| parsed.map_or(C::Scalar::ONE, |(_, s)| s)).collect();
    invert_all(&mut inverses);
    let equation = |((&item, parsed), w): ((&usize, Result<_, _>), &C::Scalar)| {
        let (r, _): (C::Scalar, _) = parsed?;
        // 3: e from the digest, whose 256 bits are those of n. 4: u1 = e / s, u2 = r / s.
        let e = C::Scalar::from_be_bytes_reduced(&digests[item]);
        Ok(Equation { u1: e.mul(w), u2: r.mul(w), x: r })
    };
    items.iter().zip(parsed).zip(&inverses).map(equation).collect()
}

/// GB/T 32918.2, section 7.1.
fn sm2_equation<C: CpuCurve>(digest: &[u8; 32], signature: &[u8; 64]) -> Result<Equation<C>, Rejection> {
    // B1, B2: r and s in 1..n.
    let (r, s) = decode::signature::<C>(signature)?;
    // B5: t = r + s, reject t = 0.
    let t = r.add(&s);
    if t.is_zero() {
        return Err(Rejection::ZeroT);
    }
    // B6, B7: x(s G + t P) must be r - e.
    let e = C::Scalar::from_be_bytes_reduced(digest);
    Ok(Equation { u1: s, u2: t, x: r.sub(&e) })
}

/// s > n / 2, that is s > n - s.
pub(super) fn is_high<C: CpuCurve>(s: &C::Scalar) -> bool {
    // Big-endian bytes compare like the numbers.
    s.to_be_bytes() > s.neg().to_be_bytes()
}

impl CpuEngine {
    /// The window of a table for a key that occurs `uses` times, or `None` where no table pays.
    ///
    /// Counted in field multiplications, for a table entry, for a term of a sum, for the doublings below a table, and for a
    /// multiplication without a table.
    pub(super) fn best_window(&self, uses: usize) -> Option<u32> {
        let [entry, term, doublings, without] =
            if self.lanes.is_some() { [8, 11, 2100, 1500] } else { [6, 6, 1800, 1300] };
        let cost = |window: u32| {
            let terms = 256usize.div_ceil(window as usize);
            doublings + entry * (terms << (window - 1)) + uses * term * terms
        };
        (4..=10).min_by_key(|&window| cost(window)).filter(|&window| cost(window) < uses * without)
    }
}

/// Tables of repeated keys that are alive at once, in bytes, where the caller sets no limit.
const KEY_TABLES: usize = 64 << 20;
/// Items that are planned at once where the caller sets no limit, and bytes that planning one takes.
const MOST_PLANNED: usize = 1 << 22;
const PLANNED_BYTES: usize = 64;

fn verify<C: CpuCurve>(
    engine: &CpuEngine,
    items: usize,
    keys: PublicKeys,
    equations: impl Fn(&[usize]) -> Equations<C> + Sync,
) -> Verdicts {
    let mut verdicts = vec![Verdict::Rejected(Rejection::Mismatch); items];
    let most = engine.max_memory.map_or(MOST_PLANNED, |limit| MOST_PLANNED.min(limit / 8 / PLANNED_BYTES)).max(CHUNK);
    for (part, verdicts) in verdicts.chunks_mut(most).enumerate() {
        verify_part::<C>(engine, part * most, &keys, &equations, verdicts);
    }
    Verdicts::new(verdicts)
}

/// Verifies the items from number `start` on.
fn verify_part<C: CpuCurve>(
    engine: &CpuEngine,
    start: usize,
    keys: &PublicKeys,
    equations: &(impl Fn(&[usize]) -> Equations<C> + Sync),
    verdicts: &mut [Verdict],
) {
    let pays = |uses| engine.best_window(uses).is_some();
    let plan = KeyPlan::new(engine, start..start + verdicts.len(), keys, pays);
    let singles = engine.map_chunks(plan.singles.len(), Verdict::Valid, |range, out| {
        let base = C::precomputed().table(engine, range.len());
        let items = &plan.singles[range];
        let points = decode::public_keys::<C>(engine.lanes, items.iter().map(|&item| keys.get(item)));
        let key = |index: usize| points[index];
        check_chunk(equations(items), key, out, |accepted| {
            let (u1, (u2, points)): (Vec<_>, (Vec<_>, Vec<_>)) =
                accepted.iter().map(|(equation, point)| (equation.u1, (equation.u2, *point))).unzip();
            mul_add::<C>(engine.lanes, &u2, &points, Some((base, &u1)))
        });
    });
    let mut scatter = |items: &[usize], results: Vec<Verdict>| {
        items.iter().zip(results).for_each(|(item, verdict)| verdicts[item - start] = verdict);
    };
    scatter(&plan.singles, singles);
    let mut waiting = plan.repeated.as_slice();
    while !waiting.is_empty() {
        let (wave, rest) = waiting.split_at(wave_length::<C>(engine, waiting));
        waiting = rest;
        let (items, results) = verify_wave(engine, wave, keys, equations);
        scatter(&items, results);
    }
}

/// How many of the keys, whose runs are sorted by length, get their tables at the same time: those of the same window, as
/// many as memory allows.
fn wave_length<C: CpuCurve>(engine: &CpuEngine, runs: &[Vec<usize>]) -> usize {
    let window = engine.best_window(runs[0].len());
    let same_window = runs.partition_point(|run| engine.best_window(run.len()) == window);
    // Building takes as much again.
    let budget = engine.max_memory.map_or(KEY_TABLES, |limit| KEY_TABLES.min(limit / 8));
    same_window.min(budget / Comb::<C>::bytes(window.expect("a repeated key has a table"))).max(1)
}

/// The items of some keys, with the verdicts that tables of these keys give.
fn verify_wave<C: CpuCurve>(
    engine: &CpuEngine,
    runs: &[Vec<usize>],
    keys: &PublicKeys,
    equations: &(impl Fn(&[usize]) -> Equations<C> + Sync),
) -> (Vec<usize>, Vec<Verdict>) {
    let window = engine.best_window(runs[0].len()).expect("a repeated key has a table");
    let tables = key_tables::<C>(engine, runs, keys, window);
    let (items, table_of): (Vec<usize>, Vec<usize>) =
        runs.iter().enumerate().flat_map(|(table, run)| run.iter().map(move |&item| (item, table))).unzip();
    let verdicts = engine.map_chunks(items.len(), Verdict::Valid, |range, out| {
        let base = C::precomputed().table(engine, range.len());
        let table_of = &table_of[range.clone()];
        let key = |index: usize| tables[table_of[index]].as_ref().map_err(|&rejection| rejection);
        check_chunk(equations(&items[range]), key, out, |accepted| {
            let products = accepted.iter().map(|(equation, table)| [(base, &equation.u1), (*table, &equation.u2)]);
            sum_products::<C, 2>(engine.lanes, &products.collect::<Vec<_>>())
        });
    });
    (items, verdicts)
}

/// The tables of the keys, or what is wrong with them.
fn key_tables<C: CpuCurve>(
    engine: &CpuEngine,
    runs: &[Vec<usize>],
    keys: &PublicKeys,
    window: u32,
) -> Vec<Result<Comb<C>, Rejection>> {
    let points =
        engine.map(runs.len(), Err(Rejection::NotOnCurve), |run| decode::public_key::<C>(keys.get(runs[run][0])));
    let valid: Vec<_> = points.iter().filter_map(|point| point.ok()).collect();
    let mut tables = Comb::new_all(engine.lanes, Some(&engine.pool), &valid, window).into_iter();
    points.into_iter().map(|point| point.map(|_| tables.next().expect("one for each valid key"))).collect()
}

/// The verdicts of a chunk. An item that fails an early check takes no part in the batch arithmetic.
fn check_chunk<C: CpuCurve, K>(
    equations: Equations<C>,
    key: impl Fn(usize) -> Result<K, Rejection>,
    out: &mut [Verdict],
    left_hand_sides: impl FnOnce(&[(Equation<C>, K)]) -> Vec<Jacobian<C::Base>>,
) {
    let mut accepted = Vec::with_capacity(out.len());
    let mut places = Vec::with_capacity(out.len());
    for (index, (place, equation)) in out.iter_mut().zip(equations).enumerate() {
        match equation.and_then(|equation| Ok((equation, key(index)?))) {
            Err(rejection) => *place = Verdict::Rejected(rejection),
            Ok(item) => {
                accepted.push(item);
                places.push(place);
            }
        }
    }
    let points = left_hand_sides(&accepted);
    for ((place, point), (equation, _)) in places.into_iter().zip(&points).zip(&accepted) {
        *place = compare::<C>(point, &equation.x).into();
    }
}

/// Whether the point is not the identity and its x-coordinate is `x` modulo n, without an inversion:
/// x(R) = X / Z^2, and x(R) modulo n is `x` exactly when x(R) is x or x + n.
fn compare<C: CpuCurve>(point: &Jacobian<C::Base>, x: &C::Scalar) -> Result<(), Rejection> {
    if point.is_identity() {
        return Err(Rejection::IdentityResult);
    }
    let x = be_bytes_to_limbs(&x.to_be_bytes());
    let zz = point.z.square();
    let equals = |candidate: C::Base| candidate.mul(&zz) == point.x;
    if equals(from_limbs(&x)) || plus_n::<C>(&x).is_some_and(equals) { Ok(()) } else { Err(Rejection::Mismatch) }
}

/// x + n as a coordinate, where it is below p.
pub(super) fn plus_n<C: CpuCurve>(x: &[u64; 4]) -> Option<C::Base> {
    let mut carry = false;
    let mut sum = [0; 4];
    for i in 0..4 {
        (sum[i], carry) = x[i].carrying_add(C::N[i], carry);
    }
    if carry { None } else { C::Base::from_be_bytes(&super::limbs_to_be_bytes(&sum)) }
}
