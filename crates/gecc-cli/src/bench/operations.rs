//! The public operations on parts of the inputs, and the comparison of what they give.

use super::inputs::{Inputs, Signed, all_passed};
use super::schemes;
use crate::flags::Operation;
use crate::output::Failure;
use gecc::any::{ecdh, ecdsa, keys, point};
use gecc::ecdsa::{SForm, recover_addresses};
use gecc::{
    CurveId, Engine, Error, PageLocked, Point, PublicKeys, Rejection, SecretKeys, SharedPoint, SharedSecret, Verdicts,
};
use std::ops::Range;

/// An operation on a range of its inputs.
pub type Call<'a> = Box<dyn Fn(&Engine, Range<usize>) -> Result<Outcome, Error> + 'a>;

/// What an operation gave, item by item.
pub enum Outcome {
    Points(Vec<Result<Point, Rejection>>),
    Verdicts(Verdicts),
    Signatures(Vec<Result<[u8; 64], Rejection>>),
    Secrets(Vec<Result<SharedSecret, Rejection>>),
    SharedPoints(Vec<Result<SharedPoint, Rejection>>),
    Addresses(Vec<Result<[u8; 20], Rejection>>),
}

impl Outcome {
    /// Whether `part` is what this has in a range, and passed.
    pub fn agrees(&self, range: &Range<usize>, part: &Outcome) -> bool {
        fn same<T: PartialEq>(all: &[Result<T, Rejection>], part: &[Result<T, Rejection>]) -> bool {
            all == part && part.iter().all(Result::is_ok)
        }
        match (self, part) {
            (Outcome::Points(all), Outcome::Points(part)) => same(&all[range.clone()], part),
            (Outcome::Signatures(all), Outcome::Signatures(part)) => same(&all[range.clone()], part),
            (Outcome::Addresses(all), Outcome::Addresses(part)) => same(&all[range.clone()], part),
            (Outcome::Verdicts(all), Outcome::Verdicts(part)) => {
                all.as_slice()[range.clone()] == *part.as_slice() && part.all_valid()
            }
            (Outcome::Secrets(all), Outcome::Secrets(part)) => {
                let bytes = SharedSecret::expose_bytes;
                same(&exposed(&all[range.clone()], bytes), &exposed(part, bytes))
            }
            (Outcome::SharedPoints(all), Outcome::SharedPoints(part)) => {
                let bytes = SharedPoint::expose_bytes;
                same(&exposed(&all[range.clone()], bytes), &exposed(part, bytes))
            }
            _ => false,
        }
    }
}

/// The bytes of secrets, which have no comparison of their own.
fn exposed<T, B>(secrets: &[Result<T, Rejection>], bytes: impl Fn(&T) -> &B) -> Vec<Result<&B, Rejection>> {
    secrets.iter().map(|secret| secret.as_ref().map(&bytes).map_err(|reason| *reason)).collect()
}

impl Inputs {
    /// The call of an operation; `None` where the curve has none, or it is no public operation.
    pub fn call<'a>(&'a self, engine: &Engine, operation: Operation) -> Result<Option<Call<'a>>, Failure> {
        let curve = self.curve;
        Ok(Some(match operation {
            Operation::Add => {
                points(move |engine, at| point::add(engine, curve, &self.points[at.clone()], &self.public[at]))
            }
            Operation::Double => points(move |engine, at| point::double(engine, curve, &self.points[at])),
            Operation::MulBase => points(move |engine, at| point::mul_base(engine, curve, &self.scalars[at])),
            Operation::Mul => {
                points(move |engine, at| point::mul(engine, curve, &self.scalars[at.clone()], &self.public[at]))
            }
            Operation::PublicKeys => points(move |engine, at| {
                let items = at.len();
                keys::public_keys(engine, curve, SecretKeys::each(&self.secret[at]), items)
            }),
            Operation::Decompress => {
                let compress = |point: &Point| point.to_compressed().expect("a multiple of G below n is finite");
                let compressed = self.place(engine, self.points.iter().map(compress).collect::<Vec<_>>())?;
                points(move |engine, at| {
                    let compressed = &compressed[at];
                    point::decode_keys(engine, curve, compressed.len(), PublicKeys::compressed(compressed))
                })
            }
            Operation::Verify => self.verify(engine, usize::MAX)?,
            Operation::Verify1000Keys => self.verify(engine, 1000)?,
            Operation::Verify100Keys => self.verify(engine, 100)?,
            Operation::Recover => return self.recover(engine),
            Operation::RecoverAddresses if curve != CurveId::Secp256k1 => return Ok(None),
            Operation::RecoverAddresses => {
                let Some((signatures, ids)) = self.recoverable(engine)? else { return Ok(None) };
                Box::new(move |engine, at| {
                    let (digests, signatures) = (&self.digests[at.clone()], &signatures[at.clone()]);
                    Ok(Outcome::Addresses(recover_addresses(engine, digests, signatures, &ids[at])?))
                })
            }
            Operation::Sign => Box::new(move |engine, at| {
                let (digests, secret) = (&self.digests[at.clone()], &self.secret[at]);
                Ok(Outcome::Signatures(schemes::sign(engine, curve, digests, secret)?))
            }),
            Operation::Ecdh => Box::new(move |engine, at| {
                let (secret, peers) = (&self.secret[at.clone()], PublicKeys::points(&self.points[at]));
                Ok(Outcome::Secrets(ecdh::shared_secrets(engine, curve, secret.into(), peers)?))
            }),
            Operation::EcdhOneSecret => Box::new(move |engine, at| {
                let (secret, peers) = (&self.secret[0], PublicKeys::points(&self.points[at]));
                Ok(Outcome::SharedPoints(ecdh::shared_points(engine, curve, secret.into(), peers)?))
            }),
            Operation::FieldMul | Operation::FieldSquare | Operation::ScalarMul | Operation::BatchInverse => {
                return Ok(None);
            }
        }))
    }

    fn verify(&self, engine: &Engine, signers: usize) -> Result<Call<'_>, Failure> {
        let Signed { keys, signatures } = self.signed(engine, signers)?;
        Ok(Box::new(move |engine, at| {
            let (digests, signatures) = (&self.digests[at.clone()], &signatures[at.clone()]);
            Ok(Outcome::Verdicts(schemes::verify(engine, self.curve, digests, signatures, &keys[at])?))
        }))
    }

    fn recoverable(&self, engine: &Engine) -> Result<Option<Recoverable>, Failure> {
        if !self.curve.has_ecdsa() {
            return Ok(None);
        }
        let (curve, secret) = (self.curve, (&self.secret).into());
        let signed = ecdsa::sign_recoverable(engine, curve, &self.digests, secret, SForm::default())?;
        let signed = all_passed(signed).into_iter().map(|signed| (signed.signature, signed.recovery_id));
        let (signatures, ids): (Vec<_>, Vec<_>) = signed.unzip();
        Ok(Some((self.place(engine, signatures)?, self.place(engine, ids)?)))
    }

    fn recover(&self, engine: &Engine) -> Result<Option<Call<'_>>, Failure> {
        let Some((signatures, ids)) = self.recoverable(engine)? else { return Ok(None) };
        Ok(Some(points(move |engine, at| {
            ecdsa::recover(engine, self.curve, &self.digests[at.clone()], &signatures[at.clone()], &ids[at])
        })))
    }
}

/// Signatures, and their recovery ids.
type Recoverable = (PageLocked<[u8; 64]>, PageLocked<u8>);

fn points<'a>(call: impl Fn(&Engine, Range<usize>) -> Result<Vec<Result<Point, Rejection>>, Error> + 'a) -> Call<'a> {
    Box::new(move |engine, at| Ok(Outcome::Points(call(engine, at)?)))
}

/// Ranges of about a thousand items in all, at random places.
pub fn samples(items: usize) -> Vec<Range<usize>> {
    const RANGES: usize = 16;
    const LENGTH: usize = 64;
    if items <= RANGES * LENGTH {
        return std::iter::once(0..items).collect();
    }
    let range = |_| {
        let start = getrandom::u64().map_or(0, |random| (random % (items - LENGTH) as u64) as usize);
        start..start + LENGTH
    };
    (0..RANGES).map(range).collect()
}

/// Fails with `problem` unless `same` holds for every range.
pub fn check_all(
    ranges: Vec<Range<usize>>,
    same: impl Fn(Range<usize>) -> Result<bool, Error>,
    problem: impl Fn() -> String,
) -> Result<(), Failure> {
    for range in ranges {
        if !same(range)? {
            return Err(Failure::Problem(problem()));
        }
    }
    Ok(())
}

/// Compares samples of an outcome with what the CPU engine gives for them.
pub fn check_sample(
    curve: &str,
    operation: Operation,
    call: &Call,
    reference: &Engine,
    outcome: &Outcome,
) -> Result<(), Failure> {
    let items = match outcome {
        Outcome::Points(all) => all.len(),
        Outcome::Verdicts(all) => all.len(),
        Outcome::Signatures(all) => all.len(),
        Outcome::Secrets(all) => all.len(),
        Outcome::SharedPoints(all) => all.len(),
        Outcome::Addresses(all) => all.len(),
    };
    let same = |range: Range<usize>| Ok(outcome.agrees(&range, &call(reference, range.clone())?));
    check_all(samples(items), same, || format!("{} on {curve}: other results than the CPU's", operation.name()))
}
