//! Verification. Variable-time: all inputs are public.

pub mod batch_verification;
#[cfg(test)]
pub mod batch_verification_tests;

use super::rule::Rule;
use crate::cpu::CpuEngine;
use crate::cpu::decode::compute_accepted;
use crate::cpu::edwards::curves::EdwardsCurve;
use crate::cpu::edwards::decode::{
    Encoding, NoPoint, decode_all, encode_all, encodes_small_order_var,
};
use crate::cpu::edwards::field::Element;
use crate::cpu::edwards::halves::Halves;
use crate::cpu::edwards::multiply::{Term, sum_of_products_var};
use crate::cpu::edwards::point::{Extended, Niels, Projective};
use crate::cpu::edwards::scalar::Scalar;
use crate::cpu::edwards::simd::{self, Lanes};
use crate::cpu::edwards::tables::{BaseTables, Comb};
use crate::cpu::tables::key_plan::{self, KeyPlan, Wave};
use crate::schemes::common::verify_cpu::{put_code, scatter};
use crate::types::{PublicKeys, Rejection, ResultSink, Results, ResultsMut, Rows, Verdict};
use std::ops::Range;

/// A batch of signatures to verify.
#[derive(Clone, Copy)]
pub struct Verification<'a> {
    pub rule: Rule,
    /// Returns the 64 bytes from which k of an item is derived, little-endian: the hash of R, A and
    /// the message.
    pub challenge: &'a (dyn Fn(usize) -> [u8; 64] + Sync),
    /// The average number of bytes hashed per item.
    pub bytes: usize,
    pub signatures: Rows<'a, 64>,
    pub keys: PublicKeys<'a>,
    /// True if items may be verified in groups, if the rule allows it.
    pub batch_verification: bool,
}

/// Returns the best window width for a number of uses; costs are in tenths of a field
/// multiplication of the portable code, which builds the tables (see `key_plan::best_window`).
fn best_window(lanes: Option<Lanes>, uses: usize) -> Option<u32> {
    let costs = match lanes {
        Some(_) => [150, 22, 20_000, 3800],
        None => [150, 70, 20_000, 17_000],
    };
    key_plan::best_window(3..=10, costs, uses)
}

/// Returns `true` if a table of a key with this number of uses is faster.
fn has_table(lanes: Option<Lanes>, uses: usize) -> bool {
    best_window(lanes, uses).is_some()
}

/// Writes the codes of all items of a destination.
pub fn verify<C: BaseTables>(engine: &CpuEngine, batch: &Verification, out: &mut ResultSink) {
    for (part, mut results) in key_plan::parts(engine, out) {
        let mut codes = vec![0; part.len()];
        verify_part::<C>(engine, batch, part, &mut codes);
        results.take(Results::codes(&codes));
    }
}

fn verify_part<C: BaseTables>(
    engine: &CpuEngine,
    batch: &Verification,
    part: Range<usize>,
    codes: &mut [u8],
) {
    let start = part.start;
    let mut plan = KeyPlan::new(engine, part, &batch.keys, &|uses| {
        has_table(engine.lanes, uses)
    });
    if batch.batch_verification && batch.rule.is_cofactored() {
        let candidates = plan.with_few_uses(batch_verification::many_uses(engine));
        batch_verification::find_valid::<C>(engine, batch, &candidates, |item| {
            codes[item - start] = Verdict::VALID_CODE
        });
        plan.retain(
            &|item| codes[item - start] != Verdict::VALID_CODE,
            &|uses| has_table(engine.lanes, uses),
        );
    }
    let singles = engine.map_chunks(batch.bytes, plan.singles.len(), 0, |range, out| {
        let items = &plan.singles[range];
        let lanes = engine.lanes_for(out.len());
        let keys = batch.points::<C>(lanes, items).into_iter();
        batch.verify_chunk::<C, _>(
            items,
            keys,
            |equations| batch.codes::<C>(lanes, equations),
            out,
        );
    });
    scatter(codes, start, &plan.singles, &singles);
    for wave in plan.key_groups(
        engine,
        |uses| best_window(engine.lanes, uses),
        Comb::<C>::bytes,
    ) {
        let (items, results) = batch.verify_wave::<C>(engine, wave);
        scatter(codes, start, &items, &results);
    }
}

/// Computes sums of products of two points and of B.
fn sums<C: BaseTables>(lanes: Option<Lanes>, terms: &[Term<C>]) -> Vec<Projective> {
    let comb = C::tables().comb();
    if let Some(lanes) = lanes {
        return simd::products(lanes, terms, comb);
    }
    let sums = terms.iter().map(|Term { numbers, points, s }| {
        let points = points.each_ref().map(Extended::from_affine);
        comb.add_product_var(sum_of_products_var::<C, 2>(numbers.each_ref(), points), s)
            .to_projective()
    });
    sums.collect()
}

/// Computes S B - k A for keys that have tables, all with one window width.
fn by_tables<C: BaseTables>(
    lanes: Option<Lanes>,
    equations: &[Equation<C, &Comb<C>>],
) -> Vec<Projective> {
    let comb = C::tables().comb();
    if let Some(lanes) = lanes {
        let products = equations
            .iter()
            .map(|Equation { k, s, key, .. }| [(*key, k), (comb, s)]);
        return simd::sum_products(lanes, &products.collect::<Vec<_>>());
    }
    let sums = equations.iter().map(|Equation { k, s, key, .. }| {
        comb.add_product_var(key.add_product_var(Extended::IDENTITY, k), s)
            .to_projective()
    });
    sums.collect()
}

/// The final check of an item: S B - k A is R. `key` is -A, or its table.
struct Equation<'a, C: EdwardsCurve, K> {
    item: usize,
    r: &'a [u8; 32],
    s: Scalar<C::Order>,
    k: Scalar<C::Order>,
    key: K,
}

impl<C: EdwardsCurve> Equation<'_, C, [Element; 2]> {
    /// Returns a term that is the identity if and only if the equation holds.
    fn term(&self, minus_r: [Element; 2]) -> Term<C> {
        let Halves { c, d, opposite } = Halves::of_var::<C>(&self.k);
        let [x, y] = self.key;
        let key = [if opposite { x.neg() } else { x }, y];
        Term {
            numbers: [d, c],
            points: [key, minus_r],
            s: self.s.mul(&Scalar::from_limbs(c)),
        }
    }
}

impl Verification<'_> {
    /// Verifies the items of some keys with tables of these keys. Returns the items and their
    /// codes.
    fn verify_wave<C: BaseTables>(
        &self,
        engine: &CpuEngine,
        (window, runs): Wave,
    ) -> (Vec<usize>, Vec<u8>) {
        let firsts: Vec<usize> = runs.iter().map(|run| run[0]).collect();
        let points = self.points::<C>(engine.lanes_for(runs.len()), &firsts);
        let mut tables: Vec<Option<Result<Comb<C>, Rejection>>> =
            runs.iter().map(|_| None).collect();
        engine.pool.for_each(
            points.into_iter().zip(&mut tables).collect(),
            |(point, table)| {
                *table = Some(point.map(|point| Comb::new(&point, window)));
            },
        );
        let (items, table_of): (Vec<usize>, Vec<usize>) = runs
            .iter()
            .enumerate()
            .flat_map(|(table, run)| run.iter().map(move |&item| (item, table)))
            .unzip();
        let codes = engine.map_chunks(self.bytes, items.len(), 0, |range, out| {
            let keys = table_of[range.clone()].iter().map(|table| {
                let table = tables[*table].as_ref().expect("every table was built");
                table.as_ref().map_err(|&reason| reason)
            });
            let lanes = engine.lanes_for(out.len());
            self.verify_chunk::<C, _>(
                &items[range],
                keys,
                |equations| self.codes_by_tables(lanes, equations),
                out,
            );
        });
        (items, codes)
    }

    /// Returns -A for some items.
    fn points<C: EdwardsCurve>(
        &self,
        lanes: Option<Lanes>,
        items: &[usize],
    ) -> Vec<Result<[Element; 2], Rejection>> {
        // A key of another form is rejected, regardless of the value decoded in its place.
        let keys = items
            .iter()
            .map(|item| self.keys.get(*item).of_32_bytes().unwrap_or(&[0; 32]));
        let decoded = decode_all::<C>(lanes, keys, self.rule.encoding());
        let checked = items.iter().zip(decoded).map(|(item, point)| {
            let key = self
                .keys
                .get(*item)
                .of_32_bytes()
                .ok_or(Rejection::MalformedPoint)?;
            let minus_a = opposite(point, [Rejection::MalformedPoint, Rejection::NotOnCurve])?;
            if self.rule.rejects_small_order() && encodes_small_order_var::<C>(key) {
                return Err(Rejection::SmallOrderKey);
            }
            Ok(minus_a)
        });
        checked.collect()
    }

    /// Writes the codes of some items, given their keys. `codes` computes the codes of equations.
    fn verify_chunk<C: EdwardsCurve, K>(
        &self,
        items: &[usize],
        keys: impl Iterator<Item = Result<K, Rejection>>,
        codes: impl FnOnce(&[Equation<C, K>]) -> Vec<u8>,
        out: &mut [u8],
    ) {
        let equations = items
            .iter()
            .zip(keys)
            .map(|(&item, key)| self.equation::<C, K>(item, key));
        compute_accepted(
            equations,
            &mut ResultsMut::codes(out),
            put_code,
            |equations| codes(&equations),
        );
    }

    /// Checks equations whose keys are used once, with numbers half as long as k, for which R is
    /// decoded.
    fn codes<C: BaseTables>(
        &self,
        lanes: Option<Lanes>,
        equations: &[Equation<C, [Element; 2]>],
    ) -> Vec<u8> {
        let minus_r = self.minus_r::<C>(lanes, equations.iter().map(|equation| equation.r));
        let mut codes: Vec<u8> = minus_r
            .iter()
            .map(|point| Verdict::from(point.map(|_| ())).code())
            .collect();
        let with_r = equations.iter().zip(&minus_r).enumerate();
        let (places, terms): (Vec<usize>, Vec<Term<C>>) = with_r
            .filter_map(|(place, (equation, minus_r))| {
                Some((place, equation.term((*minus_r).ok()?)))
            })
            .unzip();
        for (place, sum) in places.into_iter().zip(sums(lanes, &terms)) {
            codes[place] = code(match self.rule.is_cofactored() {
                true => sum.has_small_order_var::<C>(),
                false => sum.is_identity_var(),
            });
        }
        codes
    }

    /// Checks equations whose keys have tables. For most items that are valid by any rule, R is the
    /// encoding of S B - k A. Otherwise R is decoded if the rule has the cofactor.
    fn codes_by_tables<C: BaseTables>(
        &self,
        lanes: Option<Lanes>,
        equations: &[Equation<C, &Comb<C>>],
    ) -> Vec<u8> {
        let sums = by_tables(lanes, equations);
        let is_encoded = encode_all(&sums)
            .into_iter()
            .zip(equations)
            .map(|(sum, equation)| sum == *equation.r);
        let mut codes: Vec<u8> = is_encoded.map(code).collect();
        if !self.rule.is_cofactored() {
            return codes;
        }
        let open: Vec<usize> = (0..codes.len())
            .filter(|place| codes[*place] != Verdict::VALID_CODE)
            .collect();
        let minus_r = self.minus_r::<C>(lanes, open.iter().map(|place| equations[*place].r));
        for (place, minus_r) in open.into_iter().zip(minus_r) {
            codes[place] = match minus_r {
                Ok(minus_r) => {
                    let difference = sums[place]
                        .to_extended()
                        .add_affine(&Niels::from_affine::<C>(&minus_r));
                    code(difference.to_projective().has_small_order_var::<C>())
                }
                Err(reason) => reason.code(),
            };
        }
        codes
    }

    /// Performs the checks in the order of rejections: S, the key, the order of R.
    fn equation<C: EdwardsCurve, K>(
        &self,
        item: usize,
        key: Result<K, Rejection>,
    ) -> Result<Equation<'_, C, K>, Rejection> {
        let (r, s) = halves(self.signatures.get(item));
        let s = Scalar::from_le_bytes(s).ok_or(Rejection::SOutOfRange)?;
        let key = key?;
        if self.rule.rejects_small_order() && encodes_small_order_var::<C>(r) {
            return Err(Rejection::SmallOrderR);
        }
        let k = Scalar::from_le_bytes_wide(&(self.challenge)(item));
        Ok(Equation { item, r, s, k, key })
    }

    /// Returns -R for encodings of R. Without the cofactor, R has to be the encoding of S B - k A,
    /// which is canonical: a non-canonical R does not match any sum.
    fn minus_r<'r, C: EdwardsCurve>(
        &self,
        lanes: Option<Lanes>,
        encodings: impl Iterator<Item = &'r [u8; 32]>,
    ) -> Vec<Result<[Element; 2], Rejection>> {
        let (taken, reasons) = match self.rule.is_cofactored() {
            true => (
                self.rule.encoding(),
                [Rejection::ROutOfRange, Rejection::NoSuchR],
            ),
            false => (Encoding::Canonical, [Rejection::Mismatch; 2]),
        };
        decode_all::<C>(lanes, encodings, taken)
            .into_iter()
            .map(|point| opposite(point, reasons))
            .collect()
    }
}

/// Returns the negative of a decoded point, or the rejection: one for a non-canonical encoding, or
/// one for an encoding that is not a point.
fn opposite(
    point: Result<[Element; 2], NoPoint>,
    [not_canonical, not_on_curve]: [Rejection; 2],
) -> Result<[Element; 2], Rejection> {
    match point {
        Ok([x, y]) => Ok([x.neg(), y]),
        Err(NoPoint::NotCanonical) => Err(not_canonical),
        Err(NoPoint::NotOnCurve) => Err(not_on_curve),
    }
}

/// Returns the code of an equation that holds or does not.
fn code(holds: bool) -> u8 {
    if holds {
        Verdict::VALID_CODE
    } else {
        Rejection::Mismatch.code()
    }
}

/// Splits a signature into R and S.
fn halves(signature: &[u8; 64]) -> (&[u8; 32], &[u8; 32]) {
    let (r, s) = signature.split_at(32);
    (
        r.try_into().expect("32 bytes"),
        s.try_into().expect("32 bytes"),
    )
}
