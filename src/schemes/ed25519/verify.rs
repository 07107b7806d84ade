//! Verification. Variable time: everything here is public.

use super::rule::Rule;
use crate::cpu::CpuEngine;
use crate::cpu::edwards::curves::EdwardsCurve;
use crate::cpu::edwards::decode::{NoPoint, decode_var, encode_all, has_small_order_var};
use crate::cpu::edwards::field::Element;
use crate::cpu::edwards::multiply::product_var;
use crate::cpu::edwards::point::{Extended, Niels, Projective};
use crate::cpu::edwards::scalar::Scalar;
use crate::cpu::edwards::tables::{BaseTables, Comb};
use crate::cpu::tables::key_plan::KeyPlan;
use crate::types::{Place, Rejection, Results, Rows, Verdict};
use std::ops::Range;

/// A batch to verify.
#[derive(Clone, Copy)]
pub struct Verification<'a> {
    pub rule: Rule,
    /// The 64 bytes that k of an item is made of, little-endian: the hash of R, A and the message.
    pub challenge: &'a (dyn Fn(usize) -> [u8; 64] + Sync),
    pub signatures: Rows<'a, 64>,
    pub keys: Rows<'a, 32>,
}

/// Tables of repeated keys that are alive at once, in bytes, where the caller sets no limit.
const KEY_TABLES: usize = 64 << 20;
/// Items that are planned at once where the caller sets no limit, and bytes that planning one takes.
const MOST_PLANNED: usize = 1 << 22;
const PLANNED_BYTES: usize = 64;

/// The window of a table for a key that occurs `uses` times, or `None` where no table pays: counted in field multiplications.
fn best_window<C: EdwardsCurve>(uses: usize) -> Option<u32> {
    // For an entry, a term of a sum, the doublings below a table, and a product without one.
    let [entry, term, doublings, without] = [15, 7, 2000, 2200];
    let cost = |window: u32| {
        let terms = Comb::<C>::windows(window);
        doublings + entry * (terms << (window - 1)) + uses * term * terms
    };
    (3..=10).min_by_key(|&window| cost(window)).filter(|&window| cost(window) < uses * without)
}

/// The codes of all items of a place.
pub fn verify<C: BaseTables>(engine: &CpuEngine, batch: &Verification, out: &mut dyn Place) {
    for (part, mut place) in engine.planned_parts(out, MOST_PLANNED, PLANNED_BYTES) {
        let mut codes = vec![0; part.len()];
        verify_part::<C>(engine, batch, part, &mut codes);
        place.take(Results::new(&codes, [&[], &[]], [0, 0]));
    }
}

fn verify_part<C: BaseTables>(engine: &CpuEngine, batch: &Verification, part: Range<usize>, codes: &mut [u8]) {
    let start = part.start;
    let pays = |uses| best_window::<C>(uses).is_some();
    let plan = KeyPlan::new(engine, part, &|item| batch.keys.get(item), &pays);
    let mut scatter = |items: &[usize], results: Vec<u8>| {
        items.iter().zip(results).for_each(|(item, code)| codes[item - start] = code);
    };
    let singles = engine.map_chunks(plan.singles.len(), 0, |range, out| {
        let product = |k: &_, key: &_| product_var::<C>(k, &Extended::from_affine(key));
        batch.verify_chunk::<C, _>(&plan.singles[range], |_, item| batch.key::<C>(item), product, out);
    });
    scatter(&plan.singles, singles);
    let mut waiting = plan.repeated.as_slice();
    while !waiting.is_empty() {
        let (wave, rest) = waiting.split_at(wave_length::<C>(engine, waiting));
        waiting = rest;
        let (items, results) = batch.verify_wave::<C>(engine, wave);
        scatter(&items, results);
    }
}

/// How many of the keys, whose runs are sorted by length, get their tables at the same time: those of the same window, as
/// many as memory allows.
fn wave_length<C: EdwardsCurve>(engine: &CpuEngine, runs: &[Vec<usize>]) -> usize {
    let window = best_window::<C>(runs[0].len());
    let same_window = runs.partition_point(|run| best_window::<C>(run.len()) == window);
    // Building takes as much again.
    let budget = engine.max_memory.map_or(KEY_TABLES, |limit| KEY_TABLES.min(limit / 8));
    same_window.min(budget / Comb::<C>::bytes(window.expect("a repeated key has a table"))).max(1)
}

/// What is left to check of an item: S B - k A, or that less R.
struct Check {
    place: usize,
    point: Projective,
}

impl Verification<'_> {
    /// The items of some keys, with the codes that tables of these keys give.
    fn verify_wave<C: BaseTables>(&self, engine: &CpuEngine, runs: &[Vec<usize>]) -> (Vec<usize>, Vec<u8>) {
        let window = best_window::<C>(runs[0].len()).expect("a repeated key has a table");
        let mut tables: Vec<Option<Result<Comb<C>, Rejection>>> = runs.iter().map(|_| None).collect();
        engine.pool.for_each(runs.iter().zip(&mut tables).collect(), |(run, table)| {
            *table = Some(self.key::<C>(run[0]).map(|point| Comb::new(&point, window)));
        });
        let (items, table_of): (Vec<usize>, Vec<usize>) =
            runs.iter().enumerate().flat_map(|(table, run)| run.iter().map(move |&item| (item, table))).unzip();
        let codes = engine.map_chunks(items.len(), 0, |range, out| {
            let table_of = &table_of[range.clone()];
            let key = |index: usize, _| {
                tables[table_of[index]].as_ref().expect("it was built").as_ref().map_err(|&reason| reason)
            };
            let product = |k: &_, table: &&Comb<C>| table.add_product_var(Extended::IDENTITY, k);
            self.verify_chunk::<C, _>(&items[range], key, product, out);
        });
        (items, codes)
    }

    /// -A of an item.
    fn key<C: EdwardsCurve>(&self, item: usize) -> Result<[Element; 2], Rejection> {
        let key = self.keys.get(item);
        let [x, y] = decode_var::<C>(key, self.rule.encoding()).map_err(|problem| match problem {
            NoPoint::NotCanonical => Rejection::MalformedPoint,
            NoPoint::NotOnCurve => Rejection::NotOnCurve,
        })?;
        if self.rule.rejects_small_order() && has_small_order_var::<C>(key) {
            return Err(Rejection::SmallOrderKey);
        }
        Ok([x.neg(), y])
    }

    /// The codes of some items. `key` gives that of an item, by its number here and in the batch, and `product` its multiple.
    fn verify_chunk<C: BaseTables, K>(
        &self,
        items: &[usize],
        key: impl Fn(usize, usize) -> Result<K, Rejection>,
        product: impl Fn(&Scalar<C::Order>, &K) -> Extended,
        out: &mut [u8],
    ) {
        let mut checks = Vec::with_capacity(items.len());
        for (place, &item) in items.iter().enumerate() {
            match self.left_hand_side::<C, K>(item, || key(place, item), &product) {
                Ok(point) => checks.push(Check { place, point }),
                Err(reason) => out[place] = reason.code(),
            }
        }
        let code = |holds: bool| if holds { Verdict::VALID_CODE } else { Rejection::Mismatch.code() };
        if self.rule.is_cofactored() {
            for Check { place, point } in checks {
                out[place] = code(is_identity_times_cofactor::<C>(point));
            }
            return;
        }
        let points: Vec<Projective> = checks.iter().map(|check| check.point).collect();
        for (Check { place, .. }, encoding) in checks.iter().zip(encode_all(&points)) {
            out[*place] = code(encoding == self.signatures.get(items[*place])[..32]);
        }
    }

    /// Checks that come before the equation, in the order of reasons, and S B - k A, less R where the rule has it decoded.
    fn left_hand_side<C: BaseTables, K>(
        &self,
        item: usize,
        key: impl FnOnce() -> Result<K, Rejection>,
        product: impl Fn(&Scalar<C::Order>, &K) -> Extended,
    ) -> Result<Projective, Rejection> {
        let signature = self.signatures.get(item);
        let (r, s) = signature.split_at(32);
        let [r, s]: [&[u8; 32]; 2] = [r, s].map(|half| half.try_into().expect("32 bytes"));
        let s = Scalar::from_le_bytes(s).ok_or(Rejection::SOutOfRange)?;
        let key = key()?;
        let minus_r = self.minus_r::<C>(r)?;
        let k = Scalar::from_le_bytes_wide(&(self.challenge)(item));
        let sum = C::tables().comb().add_product_var(product(&k, &key), &s);
        Ok(match minus_r {
            None => sum.to_projective(),
            Some(minus_r) => sum.add_affine(&Niels::from_affine::<C>(&minus_r)).to_projective(),
        })
    }

    /// -R, where the rule has it decoded.
    fn minus_r<C: EdwardsCurve>(&self, r: &[u8; 32]) -> Result<Option<[Element; 2]>, Rejection> {
        if self.rule.rejects_small_order() && has_small_order_var::<C>(r) {
            return Err(Rejection::SmallOrderR);
        }
        if !self.rule.is_cofactored() {
            return Ok(None);
        }
        let [x, y] = decode_var::<C>(r, self.rule.encoding()).map_err(|problem| match problem {
            NoPoint::NotCanonical => Rejection::ROutOfRange,
            NoPoint::NotOnCurve => Rejection::NoSuchR,
        })?;
        Ok(Some([x.neg(), y]))
    }
}

fn is_identity_times_cofactor<C: EdwardsCurve>(point: Projective) -> bool {
    (0..C::COFACTOR_DOUBLINGS).fold(point, |point, _| point.double().to_projective()).is_identity_var()
}
