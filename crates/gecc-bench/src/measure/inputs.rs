//! Random inputs, generated in bulk by the measured engine and checked against the CPU engine.

use super::check_all;
use crate::schemes;
use gecc::{CurveId, Engine, Error, PageLocked, Point, Rejection, SecretKey, SecretKeys};
use gecc::{keys, point};
use gecc_cli::failure::Failure;
use gecc_cli::measure::samples::samples;
use rayon::prelude::*;
use std::ops::Range;

/// Two independent sets of points with their discrete logarithms to the base G, and digests.
pub struct BenchInputs {
    pub curve: CurveId,
    pub secret: PageLocked<SecretKey>,
    pub public: PageLocked<Point>,
    pub scalars: PageLocked<[u8; 32]>,
    pub points: PageLocked<Point>,
    pub digests: PageLocked<[u8; 32]>,
    memory: Memory,
}

/// Signatures over the digests of the inputs, by the first keys in turn.
pub struct SignedDigests {
    pub keys: PageLocked<Point>,
    pub signatures: PageLocked<[u8; 64]>,
}

/// The memory that holds inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    Pageable,
    /// Page-locked, or ordinary memory if nothing is measured.
    PageLocked,
}

impl Memory {
    pub fn place<T>(self, engine: &Engine, values: Vec<T>) -> Result<PageLocked<T>, Failure> {
        if self == Memory::Pageable {
            return Ok(values.into());
        }
        let locked = engine.page_lock(values);
        if locked.is_locked() {
            return Ok(locked);
        }
        Err(Failure::Problem(format!(
            "{engine} does not lock {} bytes of memory",
            size_of_val(&*locked)
        )))
    }
}

impl BenchInputs {
    pub fn new(
        engine: &Engine,
        curve: CurveId,
        items: usize,
        memory: Memory,
    ) -> Result<Self, Failure> {
        let (secret, public) = with_points(items, |secret| {
            keys::public_keys(engine, curve, SecretKeys::rows(secret.into()))
        })?;
        let secret = secret.into_iter().map(SecretKey::from_bytes).collect();
        let (scalars, points) =
            with_points(items, |scalars| point::mul_base(engine, curve, scalars))?;
        Ok(BenchInputs {
            curve,
            public: memory.place(engine, public)?,
            points: memory.place(engine, points)?,
            secret: memory.place(engine, secret)?,
            scalars: memory.place(engine, scalars)?,
            digests: memory.place(engine, random_numbers(items)?)?,
            memory,
        })
    }

    pub fn len(&self) -> usize {
        self.digests.len()
    }

    /// Compares samples of the points with the CPU engine's.
    pub fn check(&self, engine: &Engine, reference: &Engine) -> Result<(), Failure> {
        check_all(
            samples(self.len()),
            |range| self.agrees(reference, range),
            || format!("{engine} gives other points on {} than the CPU", self.curve),
        )
    }

    /// Returns whether an engine computes the points in a range too.
    fn agrees(&self, reference: &Engine, range: Range<usize>) -> Result<bool, Error> {
        let public = keys::public_keys(reference, self.curve, &self.secret[range.clone()])?;
        let points = point::mul_base(reference, self.curve, &self.scalars[range.clone()])?;
        Ok(all_passed(public) == self.public[range.clone()]
            && all_passed(points) == self.points[range])
    }

    /// Places further inputs in the same kind of memory.
    pub fn place<T>(&self, engine: &Engine, values: Vec<T>) -> Result<PageLocked<T>, Failure> {
        self.memory.place(engine, values)
    }

    pub fn signed(&self, engine: &Engine, signers: usize) -> Result<SignedDigests, Failure> {
        let keys = self
            .public
            .iter()
            .take(signers)
            .cycle()
            .take(self.len())
            .copied()
            .collect();
        let secret: Vec<SecretKey> = self
            .secret
            .iter()
            .take(signers)
            .cycle()
            .take(self.len())
            .cloned()
            .collect();
        let signatures = all_passed(schemes::sign(engine, self.curve, &self.digests, &secret)?);
        Ok(SignedDigests {
            keys: self.place(engine, keys)?,
            signatures: self.place(engine, signatures)?,
        })
    }
}

/// Returns random numbers with the points that `compute` derives from them. Numbers that it rejects
/// because they are not below the order are drawn again.
fn with_points(
    count: usize,
    compute: impl Fn(&[[u8; 32]]) -> Result<Vec<Result<Point, Rejection>>, Error>,
) -> Result<(Vec<[u8; 32]>, Vec<Point>), Failure> {
    let mut numbers = random_numbers(count)?;
    let mut results = compute(&numbers)?;
    loop {
        let rejected: Vec<usize> = (0..count).filter(|item| results[*item].is_err()).collect();
        if rejected.is_empty() {
            return Ok((numbers, all_passed(results)));
        }
        let others = random_numbers(rejected.len())?;
        for ((item, number), result) in rejected.into_iter().zip(&others).zip(compute(&others)?) {
            numbers[item] = *number;
            results[item] = result;
        }
    }
}

/// Generates random numbers in bulk and in parallel, because the system generates only some hundred
/// MB per second and thread.
fn random_numbers(count: usize) -> Result<Vec<[u8; 32]>, Error> {
    let mut numbers = vec![[0; 32]; count];
    let filled = numbers
        .par_chunks_mut(1 << 12)
        .try_for_each(|part| getrandom::fill(part.as_flattened_mut()));
    filled.map_err(|problem| Error::Randomness(problem.to_string()))?;
    Ok(numbers)
}

pub fn all_passed<T>(results: Vec<Result<T, Rejection>>) -> Vec<T> {
    results
        .into_iter()
        .map(|result| result.expect("the inputs are valid"))
        .collect()
}
