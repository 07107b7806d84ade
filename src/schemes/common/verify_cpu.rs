//! Verification on the CPU: u1 G + u2 Q is computed in batches and compared with the claim of the
//! signature.
//!
//! Items whose key occurs often are computed with a table for that key; see
//! `cpu::tables::key_plan`.

use super::batch_verification;
use super::final_checks_cpu::{Equation, Equations, FinalCheck, SignatureBatch};
use crate::cpu::multiply::{mul_add, sum_products};
use crate::cpu::point::comb::Comb;
use crate::cpu::point::jacobian::Jacobian;
use crate::cpu::simd::Lanes;
use crate::cpu::tables::BaseTables;
use crate::cpu::tables::key_plan::{self, KeyPlan, Wave};
use crate::cpu::{CpuCurve, CpuEngine, decode};
use crate::types::{PublicKeys, Rejection, ResultSink, Results, ResultsMut, Verdict};

/// Returns the best window width for a number of uses; costs are in field multiplications (see
/// `key_plan::best_window`). With an endomorphism, a product without a table takes half the
/// doublings.
pub fn best_window<C: CpuCurve>(lanes: Option<Lanes>, uses: usize) -> Option<u32> {
    let costs = match (lanes, C::ENDOMORPHISM) {
        (Some(_), None) => [8, 11, 2100, 1500],
        (Some(_), Some(_)) => [8, 11, 2100, 1090],
        (None, None) => [6, 6, 1800, 1300],
        (None, Some(_)) => [6, 6, 1800, 970],
    };
    key_plan::best_window(4..=10, costs, uses)
}

/// Writes the codes of all items of a destination. Items whose key occurs often are verified with a
/// table of the key, the others in groups if that is allowed and faster, or else individually.
pub fn verify<C: BaseTables>(
    engine: &CpuEngine,
    signatures: &impl SignatureBatch<C>,
    out: &mut ResultSink,
) {
    let keys = signatures.keys();
    for (part, mut results) in key_plan::parts(engine, out) {
        let start = part.start;
        let mut codes = vec![0; part.len()];
        let mut plan = KeyPlan::new(engine, part, &keys, &|uses| {
            has_table::<C>(engine.lanes, uses)
        });
        if signatures.allows_batch_verification() {
            accept_groups::<C>(engine, signatures, &mut plan, start, &mut codes);
        }
        // Keys with few uses: u1 G + u2 Q is computed without a table of Q.
        let count = plan.singles.len();
        let singles = engine.map_chunks(signatures.hashed_bytes(), count, 0, |range, out| {
            let base = C::tables().table(engine, range.len());
            let items = &plan.singles[range];
            let points =
                decode::public_keys::<C>(engine.lanes, items.iter().map(|&item| keys.get(item)));
            check_chunk(
                engine.lanes,
                signatures.equations(items),
                |index| points[index],
                out,
                |accepted| {
                    let (u1, (u2, points)): (Vec<_>, (Vec<_>, Vec<_>)) = accepted
                        .iter()
                        .map(|(equation, point)| (equation.u1, (equation.u2, *point)))
                        .unzip();
                    mul_add::<C>(engine.lanes, &u2, &points, Some((base, &u1)))
                },
            );
        });
        scatter(&mut codes, start, &plan.singles, &singles);
        // Keys with many uses, as many at a time as tables fit in memory.
        for wave in plan.key_groups(
            engine,
            |uses| best_window::<C>(engine.lanes, uses),
            Comb::<C>::bytes,
        ) {
            let (items, found) = verify_wave(engine, wave, signatures);
            scatter(&mut codes, start, &items, &found);
        }
        results.take(Results::codes(&codes));
    }
}

/// Accepts the items of groups whose equation holds, and removes them from the plan. The codes are
/// those of the items from `start` on.
fn accept_groups<C: BaseTables>(
    engine: &CpuEngine,
    signatures: &impl SignatureBatch<C>,
    plan: &mut KeyPlan,
    start: usize,
    codes: &mut [u8],
) {
    let candidates = plan.with_few_uses(batch_verification::cpu::many_uses(engine));
    batch_verification::cpu::find_valid(engine, &candidates, signatures, |item, _| {
        codes[item - start] = Verdict::VALID_CODE;
    });
    plan.retain(
        &|item| codes[item - start] != Verdict::VALID_CODE,
        &|uses| has_table::<C>(engine.lanes, uses),
    );
}

/// Returns `true` if a table of a key with this number of uses is faster.
fn has_table<C: CpuCurve>(lanes: Option<Lanes>, uses: usize) -> bool {
    best_window::<C>(lanes, uses).is_some()
}

/// Writes the codes of some items to their positions in the codes of all items from `start` on.
pub fn scatter(codes: &mut [u8], start: usize, items: &[usize], results: &[u8]) {
    for (item, code) in items.iter().zip(results) {
        codes[item - start] = *code;
    }
}

/// Verifies the items of some keys with tables of these keys. Returns the items and their codes.
fn verify_wave<C: BaseTables>(
    engine: &CpuEngine,
    (window, runs): Wave,
    signatures: &impl SignatureBatch<C>,
) -> (Vec<usize>, Vec<u8>) {
    let tables = key_tables::<C>(engine, runs, &signatures.keys(), window);
    let (items, table_of): (Vec<usize>, Vec<usize>) = runs
        .iter()
        .enumerate()
        .flat_map(|(table, run)| run.iter().map(move |&item| (item, table)))
        .unzip();
    let codes = engine.map_chunks(signatures.hashed_bytes(), items.len(), 0, |range, out| {
        let base = C::tables().table(engine, range.len());
        let table_of = &table_of[range.clone()];
        check_chunk(
            engine.lanes,
            signatures.equations(&items[range]),
            |index| {
                tables[table_of[index]]
                    .as_ref()
                    .map_err(|&rejection| rejection)
            },
            out,
            |accepted| {
                let products = accepted
                    .iter()
                    .map(|(equation, table)| [(base, &equation.u1), (*table, &equation.u2)]);
                sum_products::<C, 2>(engine.lanes, &products.collect::<Vec<_>>())
            },
        );
    });
    (items, codes)
}

/// Returns the tables of the keys, or their rejections.
fn key_tables<C: CpuCurve>(
    engine: &CpuEngine,
    runs: &[Vec<usize>],
    keys: &PublicKeys,
    window: u32,
) -> Vec<Result<Comb<C>, Rejection>> {
    let points = engine.map(runs.len(), Err(Rejection::NotOnCurve), |run| {
        decode::public_key::<C>(keys.get(runs[run][0]))
    });
    let valid: Vec<_> = points.iter().filter_map(|point| point.ok()).collect();
    let mut tables = Comb::new_all(engine.lanes, Some(&engine.pool), &valid, window).into_iter();
    points
        .into_iter()
        .map(|point| point.map(|_| tables.next().expect("one for each valid key")))
        .collect()
}

/// Writes the verdicts of a chunk. An item that fails an early check takes no part in the batch
/// arithmetic.
fn check_chunk<C: CpuCurve, K: FinalCheck<C>, Q>(
    lanes: Option<Lanes>,
    equations: Equations<C, K>,
    key: impl Fn(usize) -> Result<Q, Rejection>,
    out: &mut [u8],
    left_hand_sides: impl FnOnce(&[(Equation<C, K>, Q)]) -> Vec<Jacobian<C::Base>>,
) {
    let items = equations
        .into_iter()
        .enumerate()
        .map(|(index, equation)| Ok((equation?, key(index)?)));
    decode::compute_accepted(items, &mut ResultsMut::codes(out), put_code, |accepted| {
        let points = left_hand_sides(&accepted);
        let held = K::hold_for(
            lanes,
            &points,
            accepted.iter().map(|(equation, _)| equation.final_check),
        );
        let codes =
            points
                .iter()
                .zip(held)
                .map(|(point, holds)| match (point.is_identity(), holds) {
                    (true, _) => Rejection::IdentityResult.code(),
                    (false, true) => Verdict::VALID_CODE,
                    (false, false) => Rejection::Mismatch.code(),
                });
        codes.collect()
    });
}

/// Writes the code of an item.
pub fn put_code(out: &mut ResultsMut, place: usize, code: &u8) {
    out.codes[place] = *code;
}
