//! Operations that write their results into preallocated columns.

use crate::measure::inputs::{BenchInputs, SignedDigests};
use crate::measure::operations::{
    Case, ExtraInputs, FORM, OperationResults, RISTRETTO255_DST, RULE, suite,
};
use crate::measure::{CheckedCall, PublicCall};
use crate::schemes;
use gecc::bip340::{self, Auxiliary, SigningKeys};
use gecc::ecdsa::{self, Policy};
use gecc::ed25519::{self, Variant};
use gecc::x25519::{self, AllZero};
use gecc::{
    Engine, Error, PageLocked, PublicKeys, Rows, SecretKeys, Verdict, ecdh, hash_to_curve, keys,
    mask, point, ristretto255, tweak,
};
use gecc_cli::failure::Failure;
use gecc_cli::measure::timing::timed;
use std::ops::Range;

/// The destination of results: 64 bytes and a code per item.
pub struct ResultRows {
    rows: PageLocked<[u8; 64]>,
    codes: PageLocked<u8>,
}

impl ResultRows {
    pub fn new(inputs: &BenchInputs, engine: &Engine) -> Result<Self, Failure> {
        let rows = vec![[0; 64]; inputs.len()];
        let codes = vec![0; inputs.len()];
        Ok(ResultRows {
            rows: inputs.place(engine, rows)?,
            codes: inputs.place(engine, codes)?,
        })
    }

    /// Returns the seconds of a call that writes into these columns, or `None` if the operation has
    /// no such call.
    ///
    /// # Errors
    /// Returns the errors of [`CheckedCall::run`].
    pub fn run(&mut self, call: &CheckedCall, engine: &Engine) -> Result<Option<f64>, Failure> {
        self.clear();
        let (written, seconds) = timed(|| write(call.case, engine, call.range.clone(), self));
        match written? {
            true => call
                .require(self.agree(&call.range, call.expected), seconds)
                .map(Some),
            false => Ok(None),
        }
    }

    /// Returns whether the first rows equal the outcome of a range, and all items have passed.
    fn agree(&self, range: &Range<usize>, expected: &OperationResults) -> bool {
        let items = range.len();
        let passed = self.codes[..items]
            .iter()
            .all(|code| *code == Verdict::VALID_CODE);
        let rows = self.rows[..items].iter();
        passed
            && match expected {
                OperationResults::Verdicts(verdicts) => verdicts.as_slice()[range.clone()]
                    .iter()
                    .all(|verdict| verdict.is_valid()),
                OperationResults::Points(points) => rows.eq(points[range.clone()]
                    .iter()
                    .flatten()
                    .map(|point| &point.as_bytes()[1..])),
                OperationResults::SharedPoints(points) => rows.eq(points[range.clone()]
                    .iter()
                    .flatten()
                    .map(|point| &point.expose_bytes()[1..])),
                OperationResults::Signatures(signatures) => {
                    rows.eq(signatures[range.clone()].iter().flatten())
                }
                OperationResults::Masked(masked) => {
                    let width = masked.form().width();
                    let known = &masked.rows()[range.start * width..range.end * width];
                    self.rows.as_flattened()[..items * width] == *known
                }
                OperationResults::Elements(elements) => self.rows.as_flattened().as_chunks().0
                    [..items]
                    .iter()
                    .eq(elements[range.clone()].iter().flatten()),
                OperationResults::Secrets(secrets) => self.rows.as_flattened().as_chunks().0
                    [..items]
                    .iter()
                    .eq(secrets[range.clone()]
                        .iter()
                        .flatten()
                        .map(|secret| secret.expose_bytes())),
                OperationResults::Addresses(_)
                | OperationResults::Sum(_)
                | OperationResults::Terms(..) => false,
            }
    }

    /// Clears the columns, so that results of an earlier call cannot agree: every hundredth row,
    /// since rows are large, and all codes.
    fn clear(&mut self) {
        self.rows
            .iter_mut()
            .step_by(100)
            .for_each(|row| *row = [0; 64]);
        self.codes.fill(0);
    }
}

/// Writes the results of a range to the first rows. Returns `false` if the operation has no such
/// call.
fn write(
    case: &Case,
    engine: &Engine,
    at: Range<usize>,
    to: &mut ResultRows,
) -> Result<bool, Error> {
    let BenchInputs {
        curve,
        secret,
        public,
        scalars,
        points,
        digests,
        ..
    } = case.inputs;
    let curve = *curve;
    let digests = &digests[at.clone()];
    let items = at.len();
    let public = PublicKeys::points(&public[at.clone()]);
    let points = PublicKeys::points(&points[at.clone()]);
    let secret_keys = SecretKeys::each(&secret[at.clone()]);
    let rows = &mut to.rows[..items];
    let codes = &mut to.codes[..items];
    match (case.operation, &case.rest) {
        (PublicCall::Add, _) => point::add_into(engine, curve, points, public, rows, codes)?,
        (PublicCall::Double, _) => point::double_into(engine, curve, points, rows, codes)?,
        (PublicCall::MulBase, _) => point::mul_base_into(engine, curve, &scalars[at], rows, codes)?,
        (PublicCall::Mul, _) => point::mul_into(engine, curve, &scalars[at], public, rows, codes)?,
        (PublicCall::PublicKeys, _) => {
            keys::public_keys_into(engine, curve, secret_keys, rows, codes)?
        }
        (PublicCall::Sign, _) => {
            schemes::sign_into(engine, curve, digests, secret_keys, rows, codes)?
        }
        (PublicCall::Bip340Sign, _) => {
            bip340::sign_into(
                engine,
                digests,
                secret_keys,
                Auxiliary::zeros(),
                rows,
                codes,
            )?;
        }
        (PublicCall::Bip340SignKnownKeys, _) => {
            let keys = SigningKeys::with_public(secret_keys, public);
            bip340::sign_into(engine, digests, keys, Auxiliary::zeros(), rows, codes)?;
        }
        (PublicCall::TaprootTweak, ExtraInputs::Bip340(keys, _)) => {
            let keys = PublicKeys::x_only(&keys[at]);
            tweak::taproot_into(engine, keys, Some(Rows::from(digests)), rows, codes)?;
        }
        (_, ExtraInputs::Bip340(keys, signatures)) => {
            let keys = PublicKeys::x_only(&keys[at.clone()]);
            bip340::verify_into(engine, digests, &signatures[at], keys, codes)?;
        }
        (PublicCall::Ed25519Sign, _) => {
            ed25519::sign_into(engine, digests, secret_keys, Variant::PURE, rows, codes)?;
        }
        (_, ExtraInputs::Expanded(keys)) => {
            let keys = ed25519::SigningKeys::expanded(&keys[at]);
            ed25519::sign_into(engine, digests, keys, Variant::PURE, rows, codes)?;
        }
        (_, ExtraInputs::Ed25519(keys, signatures)) => {
            let keys = PublicKeys::ed25519(&keys[at.clone()]);
            ed25519::verify_into(
                engine,
                digests,
                &signatures[at],
                keys,
                Variant::PURE,
                RULE,
                codes,
            )?;
        }
        (PublicCall::X25519 | PublicCall::X25519OneSecret, _) => {
            let keys = match case.operation {
                PublicCall::X25519 => secret_keys,
                _ => SecretKeys::all(&secret[0]),
            };
            let rows = &mut rows.as_flattened_mut().as_chunks_mut().0[..items];
            let peers = PublicKeys::x25519(digests);
            x25519::shared_secrets_into(engine, keys, peers, AllZero::Reject, rows, codes)?;
        }
        (PublicCall::Ristretto255Hash, ExtraInputs::Items(messages)) => {
            let rows = &mut rows.as_flattened_mut().as_chunks_mut().0[..items];
            ristretto255::hash_into(engine, RISTRETTO255_DST, &messages[at], rows)?;
            codes.fill(Verdict::VALID_CODE);
        }
        (_, ExtraInputs::Ristretto255(keys, elements)) => {
            let keys = match case.operation {
                PublicCall::Ristretto255Mul => SecretKeys::each(&keys[at.clone()]),
                _ => SecretKeys::all(&keys[0]),
            };
            let rows = &mut rows.as_flattened_mut().as_chunks_mut().0[..items];
            ristretto255::mul_into(engine, keys, &elements[at], rows, codes)?;
        }
        (PublicCall::EcdhOneSecret, _) => {
            ecdh::shared_points_into(engine, curve, &secret[0], points, rows, codes)?;
        }
        (PublicCall::HashToCurve, ExtraInputs::Items(messages)) => {
            let (suite, dst) = suite(curve).expect("it is on the curve");
            hash_to_curve::points_into(engine, suite, dst, &messages[at], rows, codes)?;
        }
        (_, ExtraInputs::Items(messages)) => {
            let (suite, dst) = suite(curve).expect("it is on the curve");
            let rows = &mut rows.as_flattened_mut()[..FORM.width() * items];
            let messages = &messages[at];
            mask::items_into(engine, suite, dst, &secret[0], messages, FORM, rows, codes)?;
        }
        (PublicCall::Remask, ExtraInputs::Compressed(compressed)) => {
            let rows = &mut rows.as_flattened_mut()[..FORM.width() * items];
            let received = PublicKeys::compressed(&compressed[at]);
            mask::points_into(engine, curve, &secret[0], received, FORM, rows, codes)?;
        }
        (_, ExtraInputs::Signed(SignedDigests { keys, signatures })) => {
            let keys = PublicKeys::points(&keys[at.clone()]);
            schemes::verify_into(engine, curve, digests, &signatures[at], keys, codes)?;
        }
        (PublicCall::Recover, ExtraInputs::Recoverable(signatures, ids)) => {
            let signatures = &signatures[at.clone()];
            let ids = Rows::new(ids[at].as_chunks().0);
            ecdsa::recover_into(engine, curve, digests, signatures, ids, rows, codes)?;
        }
        (PublicCall::BatchVerify, ExtraInputs::Recoverable(signatures, ids)) => {
            let signatures = &signatures[at.clone()];
            let ids = Rows::new(ids[at].as_chunks().0);
            let policy = Policy::default();
            ecdsa::verify_recoverable_into(
                engine, curve, digests, signatures, ids, public, policy, codes,
            )?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}
