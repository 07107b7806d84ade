//! Calls of the operations that the command offers, over columns of random inputs.

use super::samples::samples;
use super::timing::{median, timed};
use crate::failure::Failure;
use gecc::call::{Columns, Contents, Operation, Options};
use gecc::ecdsa::SForm;
use gecc::hash_to_curve::Dst;
use gecc::{CurveId, Engine, Error, Point, PublicKeys, Rows, SecretKey, SecretKeys, Verdict, keys};
use std::ops::Range;
use zeroize::Zeroizing;

/// Random keys, keys of peers, and digests.
pub struct Inputs {
    secret: Vec<SecretKey>,
    public: Vec<Point>,
    peers: Vec<Point>,
    digests: Vec<[u8; 32]>,
}

impl Inputs {
    pub fn random(engine: &Engine, curve: CurveId, items: usize) -> Result<Self, Failure> {
        let (secret, public) = keys::generate(engine, curve, items)?;
        let (_, peers) = keys::generate(engine, curve, items)?;
        let mut digests = vec![[0; 32]; items];
        getrandom::fill(digests.as_flattened_mut())
            .map_err(|problem| Error::Randomness(problem.to_string()))?;
        Ok(Inputs {
            secret,
            public,
            peers,
            digests,
        })
    }
}

/// Signatures of the digests, and keys of 32 bytes, for an operation that reads them; empty for
/// others.
#[derive(Default)]
struct Signed {
    signatures: Vec<u8>,
    recovery_ids: Vec<u8>,
    /// Public keys of 32 bytes, for BIP 340, Ed25519 and X25519.
    keys: Vec<u8>,
}

impl Signed {
    fn for_operation(
        engine: &Engine,
        inputs: &Inputs,
        operation: Operation,
    ) -> Result<Self, Failure> {
        let compute = |operation| -> Result<ResultColumns, Failure> {
            let case = Case {
                operation,
                inputs,
                signed: Signed::default(),
            };
            Ok(case.results(engine, 0..inputs.digests.len())?)
        };
        let sign = match operation {
            Operation::EcdsaVerify(curve, _) => Operation::EcdsaSign(curve, SForm::default()),
            Operation::EcdsaVerifyRecoverable(curve, _) | Operation::EcdsaRecover(curve) => {
                Operation::EcdsaSignRecoverable(curve, SForm::default())
            }
            Operation::EcdsaRecoverAddresses => {
                Operation::EcdsaSignRecoverable(CurveId::Secp256k1, SForm::default())
            }
            Operation::Sm2Verify => Operation::Sm2Sign,
            Operation::Bip340Verify => Operation::Bip340Sign,
            Operation::Ed25519Verify(_) => Operation::Ed25519Sign,
            Operation::X25519(_) => {
                return Ok(Signed {
                    keys: compute(Operation::X25519PublicKeys)?.rows.to_vec(),
                    ..Signed::default()
                });
            }
            _ => return Ok(Signed::default()),
        };
        let keys = match operation {
            Operation::Bip340Verify => inputs.public.iter().flat_map(|key| *key.x()).collect(),
            Operation::Ed25519Verify(_) => compute(Operation::Ed25519PublicKeys)?.rows.to_vec(),
            _ => Vec::new(),
        };
        let ResultColumns {
            rows: signatures,
            second: recovery_ids,
            ..
        } = compute(sign)?;
        Ok(Signed {
            signatures: signatures.to_vec(),
            recovery_ids,
            keys,
        })
    }
}

/// An operation with all its inputs.
pub struct Case<'a> {
    operation: Operation,
    inputs: &'a Inputs,
    signed: Signed,
}

impl<'a> Case<'a> {
    /// Prepares the inputs of an operation, signed by `engine` if it reads signatures.
    pub fn new(engine: &Engine, inputs: &'a Inputs, operation: Operation) -> Result<Self, Failure> {
        Ok(Case {
            operation,
            inputs,
            signed: Signed::for_operation(engine, inputs, operation)?,
        })
    }

    /// Returns the median time of a call for all items in seconds.
    ///
    /// # Errors
    /// Returns an error if a call fails, an item is rejected, samples differ from the results of
    /// `reference`, or results differ between calls.
    pub fn seconds(&self, engine: &Engine, reference: &Engine) -> Result<f64, Failure> {
        let items = self.inputs.digests.len();
        // This call also warms up: it allocates the memory of the batch.
        let expected = self.results(engine, 0..items)?;
        if !expected.have_all_passed() {
            return Err(self.failure("valid items were rejected"));
        }
        for range in samples(items) {
            if self.results(reference, range.clone())? != expected.part(range) {
                return Err(self.failure("other results than the CPU's"));
            }
        }
        let mut results = ResultColumns::new(self.operation, items);
        let runs = median(|| {
            results.clear();
            let (outcome, seconds) = timed(|| self.compute(engine, 0..items, &mut results));
            outcome?;
            if results != expected {
                return Err(self.failure("results differ between calls"));
            }
            Ok((seconds, ()))
        })?;
        Ok(runs.seconds)
    }

    fn failure(&self, problem: &str) -> Failure {
        Failure::Problem(format!("{:?}: {problem}", self.operation))
    }

    /// Returns the name of the curve. Ed25519 and X25519 have curves of their own.
    pub fn curve(&self) -> &'static str {
        match self.operation {
            Operation::X25519(_) => "x25519",
            other => other.curve().map_or("ed25519", CurveId::name),
        }
    }

    fn results(&self, engine: &Engine, range: Range<usize>) -> Result<ResultColumns, Error> {
        let mut results = ResultColumns::new(self.operation, range.len());
        self.compute(engine, range, &mut results)?;
        Ok(results)
    }

    fn compute(
        &self,
        engine: &Engine,
        range: Range<usize>,
        results: &mut ResultColumns,
    ) -> Result<(), Error> {
        let Inputs {
            secret,
            public,
            peers,
            digests,
        } = self.inputs;
        let Signed {
            signatures,
            recovery_ids,
            keys,
        } = &self.signed;
        let keys = part(keys.as_chunks().0, &range);
        let columns = Columns {
            contents: Contents::Digests(Rows::new(&digests[range.clone()])),
            signatures: Rows::new(part(signatures.as_chunks().0, &range)),
            recovery_ids: Rows::new(part(recovery_ids.as_chunks().0, &range)),
            public_keys: match self.operation {
                Operation::Bip340Verify => PublicKeys::x_only(keys),
                Operation::Ed25519Verify(_) => PublicKeys::ed25519(keys),
                Operation::X25519(_) => PublicKeys::x25519(keys),
                Operation::SharedSecrets(_) | Operation::MaskPoints(..) => {
                    PublicKeys::points(&peers[range.clone()])
                }
                _ => PublicKeys::points(&public[range.clone()]),
            },
            secret_keys: match self.operation {
                // As in private set intersection.
                Operation::MaskItems(..) | Operation::MaskPoints(..) => SecretKeys::all(&secret[0]),
                _ => SecretKeys::each(&secret[range]),
            },
            options: Options {
                // Without it BIP 340 takes fresh random data, and signatures could not be compared.
                additional: (self.operation == Operation::Bip340Sign).then_some([0; 32]),
                dst: match self.operation.uses_dst() {
                    true => Dst::new(b"gecc bench"),
                    false => Dst::NONE,
                },
                ..Options::default()
            },
            ..Columns::default()
        };
        let ResultColumns {
            rows,
            second,
            codes,
        } = results;
        self.operation.run(engine, &columns, rows, second, codes)
    }
}

/// Returns the rows in a range; none if the column is not read and therefore empty.
fn part<'a, T>(rows: &'a [T], range: &Range<usize>) -> &'a [T] {
    rows.get(range.clone()).unwrap_or_default()
}

/// The result columns of an operation, and one code per item.
#[derive(PartialEq, Eq)]
struct ResultColumns {
    /// Wiped, because shared secrets are among the results.
    rows: Zeroizing<Vec<u8>>,
    second: Vec<u8>,
    codes: Vec<u8>,
}

impl ResultColumns {
    fn new(operation: Operation, items: usize) -> Self {
        let width = |column: usize| {
            operation
                .results()
                .get(column)
                .map_or(0, |found| found.width)
        };
        ResultColumns {
            rows: Zeroizing::new(vec![0; width(0) * items]),
            second: vec![0; width(1) * items],
            codes: vec![0; items],
        }
    }

    /// Clears the columns, so that results of an earlier call cannot be mistaken for new ones.
    fn clear(&mut self) {
        self.rows.fill(0);
        self.second.fill(0);
        self.codes.fill(0);
    }

    fn have_all_passed(&self) -> bool {
        self.codes.iter().all(|code| *code == Verdict::VALID_CODE)
    }

    /// Copies the results of a range.
    fn part(&self, range: Range<usize>) -> Self {
        let items = self.codes.len();
        let of = |column: &[u8]| {
            let width = column.len() / items;
            column[range.start * width..range.end * width].to_vec()
        };
        ResultColumns {
            rows: Zeroizing::new(of(&self.rows)),
            second: of(&self.second),
            codes: of(&self.codes),
        }
    }
}
