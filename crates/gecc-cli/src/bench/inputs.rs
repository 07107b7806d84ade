//! Random inputs, made in bulk by the engine that is measured and checked with the CPU engine.

use super::operations::{check_all, samples};
use super::schemes::Scheme;
use crate::output::Failure;
use gecc::{Curve, Engine, Error, PageLocked, Point, Rejection, SecretKey};
use gecc::{keys, point};
use std::marker::PhantomData;
use std::ops::Range;

/// Two independent sets of points, with what they are multiples of G by, and digests.
pub struct Inputs<S> {
    pub secret: PageLocked<SecretKey>,
    pub public: PageLocked<Point>,
    pub scalars: PageLocked<[u8; 32]>,
    pub points: PageLocked<Point>,
    pub digests: PageLocked<[u8; 32]>,
    memory: Memory,
    scheme: PhantomData<S>,
}

/// Digests of the inputs, signed by the first keys in turn.
pub struct Signed {
    pub keys: PageLocked<Point>,
    pub signatures: PageLocked<[u8; 64]>,
}

/// Where inputs are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    Pageable,
    /// Page-locked, or no measurement.
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
        Err(Failure::Problem(format!("{engine} does not lock {} bytes of memory", size_of_val(&*locked))))
    }
}

impl<S: Scheme> Inputs<S> {
    pub fn new(engine: &Engine, items: usize, memory: Memory) -> Result<Self, Failure> {
        let secret: Vec<SecretKey> = random_numbers(items)?.into_iter().map(SecretKey::from_bytes).collect();
        let scalars = random_numbers(items)?;
        Ok(Inputs {
            public: memory.place(engine, all_passed(keys::public_keys::<S::Curve>(engine, &secret)?))?,
            points: memory.place(engine, all_passed(point::mul_base::<S::Curve>(engine, &scalars)?))?,
            secret: memory.place(engine, secret)?,
            scalars: memory.place(engine, scalars)?,
            digests: memory.place(engine, random_numbers(items)?)?,
            memory,
            scheme: PhantomData,
        })
    }

    pub fn len(&self) -> usize {
        self.digests.len()
    }

    /// Compares samples of the points with the CPU engine's.
    pub fn check(&self, engine: &Engine, reference: &Engine) -> Result<(), Failure> {
        let same = |range: Range<usize>| {
            let public = keys::public_keys::<S::Curve>(reference, &self.secret[range.clone()])?;
            let points = point::mul_base::<S::Curve>(reference, &self.scalars[range.clone()])?;
            Ok(all_passed(public) == self.public[range.clone()] && all_passed(points) == self.points[range])
        };
        check_all(samples(self.len()), same, || {
            format!("{engine} gives other points on {} than the CPU", S::Curve::NAME)
        })
    }

    /// Inputs besides, in the same kind of memory.
    pub fn place<T>(&self, engine: &Engine, values: Vec<T>) -> Result<PageLocked<T>, Failure> {
        self.memory.place(engine, values)
    }

    pub fn signed(&self, engine: &Engine, signers: usize) -> Result<Signed, Failure> {
        let keys = self.public.iter().take(signers).cycle().take(self.len()).copied().collect();
        let secret: Vec<SecretKey> = self.secret.iter().take(signers).cycle().take(self.len()).cloned().collect();
        let signatures = all_passed(S::sign(engine, &self.digests, &secret)?);
        Ok(Signed { keys: self.place(engine, keys)?, signatures: self.place(engine, signatures)? })
    }
}

/// Random numbers in bulk, below the order of every curve here: those from 0xfffffffe × 2^224 on, one in 2^31, are drawn
/// again.
fn random_numbers(count: usize) -> Result<Vec<[u8; 32]>, Error> {
    let fill = |bytes: &mut [u8]| getrandom::fill(bytes).map_err(|problem| Error::Randomness(problem.to_string()));
    let mut numbers = vec![[0; 32]; count];
    fill(numbers.as_flattened_mut())?;
    for number in &mut numbers {
        while number[..4] >= b"\xff\xff\xff\xfe"[..] {
            fill(number)?;
        }
    }
    Ok(numbers)
}

pub fn all_passed<T>(results: Vec<Result<T, Rejection>>) -> Vec<T> {
    results.into_iter().map(|result| result.expect("the inputs are valid")).collect()
}
