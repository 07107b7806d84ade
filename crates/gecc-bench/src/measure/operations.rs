//! The public operations on parts of the inputs, and the comparison of their results.

use super::check_all;
use super::inputs::{BenchInputs, SignedDigests, all_passed};
use crate::schemes;
use clap::ValueEnum;
use gecc::bip340::{self, Auxiliary, SigningKeys};
use gecc::ecdsa::{Policy, SForm, recover_addresses, recover_addresses_with_candidates};
use gecc::ed25519::{self, Rule, Variant};
use gecc::hash_to_curve::{self, Suite};
use gecc::mask::{self, Form, Masked};
use gecc::x25519::{self, AllZero};
use gecc::{
    CurveId, Engine, Error, PageLocked, Point, PublicKeys, Rejection, Rows, SecretKey, SecretKeys,
    SharedPoint, SharedSecret, Verdicts, ristretto255, tweak,
};
use gecc::{ecdh, ecdsa, keys, point};
use gecc_cli::failure::Failure;
use gecc_cli::measure::samples::samples;
use std::ops::Range;

/// The rule for verifying Ed25519 signatures, individually and in groups.
pub const RULE: Rule = Rule::Zip215;

/// The form of masked points.
pub const FORM: Form = Form::Compressed;

/// The public operations that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum PublicCall {
    Add,
    Double,
    MulBase,
    Mul,
    Msm,
    PublicKeys,
    Decompress,
    Verify,
    #[value(name = "verify_1000_keys")]
    Verify1000Keys,
    #[value(name = "verify_100_keys")]
    Verify100Keys,
    /// Verification with recovery ids, in groups.
    BatchVerify,
    Recover,
    RecoverAddresses,
    /// Recovery of addresses in groups, with the keys of nine of ten senders as candidates.
    RecoverAddressesCandidates,
    Sign,
    /// BIP 340, with x-only keys.
    #[value(name = "bip340_verify")]
    Bip340Verify,
    /// BIP 340 verification in groups.
    #[value(name = "bip340_batch_verify")]
    Bip340BatchVerify,
    #[value(name = "bip340_sign")]
    Bip340Sign,
    /// BIP 340 signing with given public keys.
    #[value(name = "bip340_sign_known_keys")]
    Bip340SignKnownKeys,
    /// Outputs of Taproot.
    TaprootTweak,
    Ecdh,
    EcdhOneSecret,
    /// Points of messages of 16 bytes: by SSWU with RO, or on SM2 by try-and-rehash.
    HashToCurve,
    /// The same, masked with one secret and compressed.
    Mask,
    /// Compressed points, masked with one secret and compressed again.
    Remask,
    /// Ed25519 by the rule of ZIP 215, over messages of 32 bytes.
    #[value(name = "ed25519_verify")]
    Ed25519Verify,
    #[value(name = "ed25519_verify_1000_keys")]
    Ed25519Verify1000Keys,
    /// Ed25519 verification in groups.
    #[value(name = "ed25519_batch_verify")]
    Ed25519BatchVerify,
    /// Ed25519 signing from seeds.
    #[value(name = "ed25519_sign")]
    Ed25519Sign,
    /// Ed25519 signing with expanded keys.
    #[value(name = "ed25519_sign_expanded")]
    Ed25519SignExpanded,
    /// X25519 with a private key for each of random u-coordinates.
    #[value(name = "x25519")]
    X25519,
    /// X25519 with one private key for all.
    #[value(name = "x25519_one_secret")]
    X25519OneSecret,
    /// Elements of ristretto255, each multiplied by a private key.
    #[value(name = "ristretto255_mul")]
    Ristretto255Mul,
    /// Elements of ristretto255, multiplied by one private key.
    #[value(name = "ristretto255_mul_one_secret")]
    Ristretto255MulOneSecret,
    /// Elements of ristretto255 of messages of 16 bytes.
    #[value(name = "ristretto255_hash")]
    Ristretto255Hash,
}

impl PublicCall {
    /// Returns whether the operation is measured with `EngineBuilder::batch_verification`.
    pub fn is_batch_verification(self) -> bool {
        matches!(
            self,
            PublicCall::BatchVerify
                | PublicCall::RecoverAddressesCandidates
                | PublicCall::Bip340BatchVerify
                | PublicCall::Ed25519BatchVerify
        )
    }

    /// Returns whether the operation is on curve25519 or edwards25519.
    fn is_on_25519(self) -> bool {
        matches!(
            self,
            PublicCall::Ed25519Verify
                | PublicCall::Ed25519Verify1000Keys
                | PublicCall::Ed25519BatchVerify
                | PublicCall::Ed25519Sign
                | PublicCall::Ed25519SignExpanded
                | PublicCall::X25519
                | PublicCall::X25519OneSecret
                | PublicCall::Ristretto255Mul
                | PublicCall::Ristretto255MulOneSecret
                | PublicCall::Ristretto255Hash
        )
    }

    /// Returns whether the operation is measured with a curve's inputs. Ed25519, X25519 and
    /// ristretto255, which need only random bytes, are measured with those of secp256k1.
    pub fn is_on(self, curve: CurveId) -> bool {
        match self {
            PublicCall::Recover | PublicCall::BatchVerify => curve.has_ecdsa(),
            PublicCall::RecoverAddresses
            | PublicCall::RecoverAddressesCandidates
            | PublicCall::Bip340Verify
            | PublicCall::Bip340BatchVerify
            | PublicCall::Bip340Sign
            | PublicCall::Bip340SignKnownKeys
            | PublicCall::TaprootTweak => curve == CurveId::Secp256k1,
            PublicCall::HashToCurve | PublicCall::Mask => suite(curve).is_some(),
            _ => !self.is_on_25519() || curve == CurveId::Secp256k1,
        }
    }

    /// Returns the name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value()
            .expect("none is skipped")
            .get_name()
            .to_owned()
    }
}

/// Returns the suite with which items are hashed to points of a curve, and its domain separation
/// tag.
pub fn suite(curve: CurveId) -> Option<(Suite, &'static [u8])> {
    match curve {
        CurveId::P256 => Some((
            Suite::P256SswuRo,
            b"gecc-V01-CS02-with-P256_XMD:SHA-256_SSWU_RO_",
        )),
        CurveId::Secp256k1 => Some((
            Suite::Secp256k1SswuRo,
            b"gecc-V01-CS02-with-secp256k1_XMD:SHA-256_SSWU_RO_",
        )),
        CurveId::Sm2 => Some((Suite::Sm2Rehash, b"")),
        _ => None,
    }
}

/// The domain separation tag with which messages are hashed to ristretto255.
pub const RISTRETTO255_DST: &[u8] = b"gecc-V01-CS02-with-ristretto255_XMD:SHA-512_R255MAP_RO_";

/// The results of an operation, item by item.
pub enum OperationResults {
    Points(Vec<Result<Point, Rejection>>),
    Verdicts(Verdicts),
    Signatures(Vec<Result<[u8; 64], Rejection>>),
    Secrets(Vec<Result<SharedSecret, Rejection>>),
    SharedPoints(Vec<Result<SharedPoint, Rejection>>),
    Masked(Masked),
    Elements(Vec<Result<[u8; 32], Rejection>>),
    Addresses(Vec<Result<[u8; 20], Rejection>>),
    /// The sum over a range.
    Sum(Result<Point, (usize, Rejection)>),
    /// The terms of sums, and the engine that adds them.
    Terms(CurveId, Vec<Point>, Engine),
}

impl OperationResults {
    /// Returns whether `part` equals this in a range, and passed.
    pub fn agrees(&self, range: &Range<usize>, part: &OperationResults) -> bool {
        fn same<T: PartialEq>(all: &[Result<T, Rejection>], part: &[Result<T, Rejection>]) -> bool {
            all == part && part.iter().all(Result::is_ok)
        }
        match (self, part) {
            (OperationResults::Points(all), OperationResults::Points(part)) => {
                same(&all[range.clone()], part)
            }
            (OperationResults::Signatures(all), OperationResults::Signatures(part)) => {
                same(&all[range.clone()], part)
            }
            (OperationResults::Addresses(all), OperationResults::Addresses(part)) => {
                same(&all[range.clone()], part)
            }
            (OperationResults::Elements(all), OperationResults::Elements(part)) => {
                same(&all[range.clone()], part)
            }
            (OperationResults::Verdicts(all), OperationResults::Verdicts(part)) => {
                all.as_slice()[range.clone()] == *part.as_slice() && part.all_valid()
            }
            (OperationResults::Secrets(all), OperationResults::Secrets(part)) => {
                let bytes = SharedSecret::expose_bytes;
                same(&exposed(&all[range.clone()], bytes), &exposed(part, bytes))
            }
            (OperationResults::SharedPoints(all), OperationResults::SharedPoints(part)) => {
                let bytes = SharedPoint::expose_bytes;
                same(&exposed(&all[range.clone()], bytes), &exposed(part, bytes))
            }
            (OperationResults::Masked(all), OperationResults::Masked(part)) => {
                let all = all.iter().skip(range.start).take(range.len());
                all.eq(part.iter()) && part.iter().all(|row| row.is_ok())
            }
            (OperationResults::Terms(curve, points, reference), OperationResults::Sum(sum)) => {
                sum.is_ok()
                    && point::sum(reference, *curve, &points[range.clone()])
                        .is_ok_and(|known| known == *sum)
            }
            _ => false,
        }
    }
}

/// Exposes the bytes of secrets, which do not implement comparison.
fn exposed<T, B>(
    secrets: &[Result<T, Rejection>],
    bytes: impl Fn(&T) -> &B,
) -> Vec<Result<&B, Rejection>> {
    secrets
        .iter()
        .map(|secret| secret.as_ref().map(&bytes).map_err(|reason| *reason))
        .collect()
}

/// An operation with all its inputs.
pub struct Case<'a> {
    pub inputs: &'a BenchInputs,
    pub operation: PublicCall,
    pub rest: ExtraInputs,
}

/// Additional inputs of some operations.
pub enum ExtraInputs {
    None,
    Compressed(PageLocked<[u8; 33]>),
    /// Messages.
    Items(PageLocked<[u8; 16]>),
    Signed(SignedDigests),
    /// X-only keys, and signatures.
    Bip340(PageLocked<[u8; 32]>, PageLocked<[u8; 64]>),
    /// Public keys, and signatures.
    Ed25519(PageLocked<[u8; 32]>, PageLocked<[u8; 64]>),
    Expanded(Vec<ed25519::ExpandedKey>),
    /// Private keys, and elements.
    Ristretto255(PageLocked<SecretKey>, PageLocked<[u8; 32]>),
    /// Signatures, and their recovery ids.
    Recoverable(PageLocked<[u8; 64]>, PageLocked<u8>),
    /// The inputs of recovery with candidates for the keys. For every tenth item the candidate is
    /// the identity.
    Candidates(PageLocked<[u8; 64]>, PageLocked<u8>, PageLocked<Point>),
}

impl<'a> Case<'a> {
    /// Prepares the inputs of an operation. Returns `None` if the curve does not support it.
    /// Ed25519 uses the inputs of secp256k1.
    pub fn new(
        inputs: &'a BenchInputs,
        engine: &Engine,
        operation: PublicCall,
    ) -> Result<Option<Self>, Failure> {
        if !operation.is_on(inputs.curve) {
            return Ok(None);
        }
        let rest = match operation {
            PublicCall::Recover | PublicCall::RecoverAddresses | PublicCall::BatchVerify => {
                let (signatures, ids) = inputs.recoverable(engine)?;
                ExtraInputs::Recoverable(signatures, ids)
            }
            PublicCall::RecoverAddressesCandidates => {
                let (signatures, ids) = inputs.recoverable(engine)?;
                let mut candidates = inputs.public.to_vec();
                candidates
                    .iter_mut()
                    .step_by(10)
                    .for_each(|key| *key = Point::IDENTITY);
                ExtraInputs::Candidates(signatures, ids, inputs.place(engine, candidates)?)
            }
            PublicCall::Bip340Verify | PublicCall::Bip340BatchVerify | PublicCall::TaprootTweak => {
                inputs.bip340(engine)?
            }
            PublicCall::Ed25519SignExpanded => {
                ExtraInputs::Expanded(ed25519::expand(engine, &inputs.secret)?)
            }
            PublicCall::Ed25519Verify | PublicCall::Ed25519BatchVerify => {
                inputs.ed25519(engine, usize::MAX)?
            }
            PublicCall::Ed25519Verify1000Keys => inputs.ed25519(engine, 1000)?,
            PublicCall::Verify => ExtraInputs::Signed(inputs.signed(engine, usize::MAX)?),
            PublicCall::Verify1000Keys => ExtraInputs::Signed(inputs.signed(engine, 1000)?),
            PublicCall::Verify100Keys => ExtraInputs::Signed(inputs.signed(engine, 100)?),
            PublicCall::Ristretto255Mul | PublicCall::Ristretto255MulOneSecret => {
                inputs.ristretto255(engine)?
            }
            PublicCall::HashToCurve | PublicCall::Mask | PublicCall::Ristretto255Hash => {
                let items = inputs.digests.iter();
                let items = items.map(|digest| *digest.first_chunk().expect("32 bytes"));
                ExtraInputs::Items(inputs.place(engine, items.collect())?)
            }
            PublicCall::Decompress | PublicCall::Remask => {
                let points = inputs.points.iter();
                let compressed = points.map(|point| {
                    point
                        .to_compressed()
                        .expect("a multiple of G below n is finite")
                });
                ExtraInputs::Compressed(inputs.place(engine, compressed.collect())?)
            }
            _ => ExtraInputs::None,
        };
        Ok(Some(Case {
            inputs,
            operation,
            rest,
        }))
    }

    /// Returns the name of the curve.
    pub fn curve(&self) -> &'static str {
        if self.operation.is_on_25519() {
            "ed25519"
        } else {
            self.inputs.curve.name()
        }
    }

    /// Returns the expected outcome, to which results are compared: the results of a call, or the
    /// terms of sums. Samples are compared with the results of the `reference` engine.
    ///
    /// # Errors
    /// Returns an error if a call fails or a sample has other results.
    pub fn expected(
        &self,
        engine: &Engine,
        reference: &Engine,
    ) -> Result<OperationResults, Failure> {
        let BenchInputs {
            curve,
            public,
            scalars,
            ..
        } = self.inputs;
        let expected = match self.operation {
            PublicCall::Msm => {
                let products = all_passed(point::mul(engine, *curve, scalars, public)?);
                OperationResults::Terms(*curve, products, reference.clone())
            }
            _ => self.values(engine, 0..self.inputs.len())?,
        };
        check_sample(self, reference, &expected)?;
        Ok(expected)
    }

    /// Computes the results of a range.
    pub fn values(&self, engine: &Engine, at: Range<usize>) -> Result<OperationResults, Error> {
        let BenchInputs {
            curve,
            secret,
            public,
            scalars,
            points,
            digests,
            ..
        } = self.inputs;
        let curve = *curve;
        let public = &public[at.clone()];
        let points = &points[at.clone()];
        let digests = &digests[at.clone()];
        let secret_keys = SecretKeys::each(&secret[at.clone()]);
        Ok(match (self.operation, &self.rest) {
            (PublicCall::Add, _) => {
                OperationResults::Points(point::add(engine, curve, points, public)?)
            }
            (PublicCall::Double, _) => {
                OperationResults::Points(point::double(engine, curve, points)?)
            }
            (PublicCall::MulBase, _) => {
                OperationResults::Points(point::mul_base(engine, curve, &scalars[at])?)
            }
            (PublicCall::Mul, _) => {
                OperationResults::Points(point::mul(engine, curve, &scalars[at], public)?)
            }
            (PublicCall::Msm, _) => {
                OperationResults::Sum(point::msm(engine, curve, &scalars[at], public)?)
            }
            (PublicCall::PublicKeys, _) => {
                OperationResults::Points(keys::public_keys(engine, curve, secret_keys)?)
            }
            (PublicCall::Sign, _) => {
                OperationResults::Signatures(schemes::sign(engine, curve, digests, &secret[at])?)
            }
            (PublicCall::Bip340Sign, _) => OperationResults::Signatures(bip340::sign(
                engine,
                digests,
                secret_keys,
                Auxiliary::zeros(),
            )?),
            (PublicCall::Bip340SignKnownKeys, _) => {
                let keys = SigningKeys::with_public(secret_keys, public);
                OperationResults::Signatures(bip340::sign(
                    engine,
                    digests,
                    keys,
                    Auxiliary::zeros(),
                )?)
            }
            (PublicCall::TaprootTweak, ExtraInputs::Bip340(keys, _)) => OperationResults::Points(
                tweak::taproot(engine, &keys[at], Some(Rows::from(digests)))?,
            ),
            (_, ExtraInputs::Bip340(keys, signatures)) => {
                let keys = PublicKeys::x_only(&keys[at.clone()]);
                OperationResults::Verdicts(bip340::verify(engine, digests, &signatures[at], keys)?)
            }
            (PublicCall::Ed25519Sign, _) => OperationResults::Signatures(ed25519::sign(
                engine,
                digests,
                secret_keys,
                Variant::PURE,
            )?),
            (_, ExtraInputs::Expanded(keys)) => {
                let keys = ed25519::SigningKeys::expanded(&keys[at]);
                OperationResults::Signatures(ed25519::sign(engine, digests, keys, Variant::PURE)?)
            }
            (_, ExtraInputs::Ed25519(keys, signatures)) => {
                let keys = PublicKeys::ed25519(&keys[at.clone()]);
                let signatures = &signatures[at];
                OperationResults::Verdicts(ed25519::verify(
                    engine,
                    digests,
                    signatures,
                    keys,
                    Variant::PURE,
                    RULE,
                )?)
            }
            (PublicCall::Ecdh, _) => OperationResults::Secrets(ecdh::shared_secrets(
                engine,
                curve,
                secret_keys,
                PublicKeys::points(points),
            )?),
            (PublicCall::X25519 | PublicCall::X25519OneSecret, _) => {
                let keys = match self.operation {
                    PublicCall::X25519 => secret_keys,
                    _ => SecretKeys::all(&secret[0]),
                };
                let peers = PublicKeys::x25519(digests);
                let secrets = x25519::shared_secrets(engine, keys, peers, AllZero::Reject)?;
                OperationResults::Secrets(secrets)
            }
            (PublicCall::EcdhOneSecret, _) => {
                let secret = &secret[0];
                let peers = PublicKeys::points(points);
                OperationResults::SharedPoints(ecdh::shared_points(engine, curve, secret, peers)?)
            }
            (PublicCall::HashToCurve, ExtraInputs::Items(items)) => {
                let (suite, dst) = suite(curve).expect("it is on the curve");
                let points = hash_to_curve::points(engine, suite, dst, &items[at]);
                OperationResults::Points(points?)
            }
            (PublicCall::Ristretto255Hash, ExtraInputs::Items(items)) => {
                let elements = ristretto255::hash(engine, RISTRETTO255_DST, &items[at])?;
                OperationResults::Elements(elements.into_iter().map(Ok).collect())
            }
            (_, ExtraInputs::Ristretto255(keys, elements)) => {
                let keys = match self.operation {
                    PublicCall::Ristretto255Mul => SecretKeys::each(&keys[at.clone()]),
                    _ => SecretKeys::all(&keys[0]),
                };
                OperationResults::Elements(ristretto255::mul(engine, keys, &elements[at])?)
            }
            (_, ExtraInputs::Items(items)) => {
                let (suite, dst) = suite(curve).expect("it is on the curve");
                let masked = mask::items(engine, suite, dst, &secret[0], &items[at], FORM);
                OperationResults::Masked(masked?)
            }
            (PublicCall::Remask, ExtraInputs::Compressed(compressed)) => {
                let received = PublicKeys::compressed(&compressed[at]);
                let masked = mask::points(engine, curve, &secret[0], received, FORM);
                OperationResults::Masked(masked?)
            }
            (_, ExtraInputs::Compressed(compressed)) => {
                let compressed = PublicKeys::compressed(&compressed[at.clone()]);
                OperationResults::Points(point::decode_keys(engine, curve, at.len(), compressed)?)
            }
            (_, ExtraInputs::Signed(SignedDigests { keys, signatures })) => {
                OperationResults::Verdicts(schemes::verify(
                    engine,
                    curve,
                    digests,
                    &signatures[at.clone()],
                    &keys[at],
                )?)
            }
            (PublicCall::RecoverAddresses, ExtraInputs::Recoverable(signatures, ids)) => {
                OperationResults::Addresses(recover_addresses(
                    engine,
                    digests,
                    &signatures[at.clone()],
                    &ids[at],
                )?)
            }
            (_, ExtraInputs::Candidates(signatures, ids, candidates)) => {
                let signatures = &signatures[at.clone()];
                let ids = &ids[at.clone()];
                let keys = &candidates[at];
                OperationResults::Addresses(recover_addresses_with_candidates(
                    engine, digests, signatures, ids, keys,
                )?)
            }
            (PublicCall::BatchVerify, ExtraInputs::Recoverable(signatures, ids)) => {
                let signatures = &signatures[at.clone()];
                let ids = &ids[at];
                let keys = PublicKeys::points(public);
                let policy = Policy::default();
                let verdicts = ecdsa::verify_recoverable(
                    engine, curve, digests, signatures, ids, keys, policy,
                );
                OperationResults::Verdicts(verdicts?)
            }
            (_, ExtraInputs::Recoverable(signatures, ids)) => OperationResults::Points(
                ecdsa::recover(engine, curve, digests, &signatures[at.clone()], &ids[at])?,
            ),
            (_, ExtraInputs::None) => unreachable!("`new` gives every other operation its inputs"),
        })
    }
}

impl BenchInputs {
    /// Returns keys below the order of ristretto255, and elements of messages.
    fn ristretto255(&self, engine: &Engine) -> Result<ExtraInputs, Failure> {
        let keys = self.secret.iter().map(|key| {
            let mut bytes = *key.expose_bytes();
            // Below 2^252.
            bytes[31] &= 0x0f;
            SecretKey::from_bytes(bytes)
        });
        let elements = ristretto255::hash(engine, RISTRETTO255_DST, &self.digests)?;
        Ok(ExtraInputs::Ristretto255(
            self.place(engine, keys.collect())?,
            self.place(engine, elements)?,
        ))
    }

    fn bip340(&self, engine: &Engine) -> Result<ExtraInputs, Failure> {
        let keys = self.public.iter().map(|point| *point.x()).collect();
        let signing = SigningKeys::with_public(&self.secret[..], &self.public[..]);
        let signatures = all_passed(bip340::sign(
            engine,
            &self.digests,
            signing,
            Auxiliary::zeros(),
        )?);
        Ok(ExtraInputs::Bip340(
            self.place(engine, keys)?,
            self.place(engine, signatures)?,
        ))
    }

    /// Returns the public keys of the first signers in turn, and signatures made on the CPU.
    fn ed25519(&self, engine: &Engine, signers: usize) -> Result<ExtraInputs, Failure> {
        let cpu = Engine::cpu()?;
        let seeds: Vec<SecretKey> = self
            .secret
            .iter()
            .take(signers)
            .cycle()
            .take(self.len())
            .cloned()
            .collect();
        let signatures = all_passed(ed25519::sign(&cpu, &self.digests, &seeds, Variant::PURE)?);
        let keys = ed25519::public_keys(&cpu, &seeds)?;
        Ok(ExtraInputs::Ed25519(
            self.place(engine, keys)?,
            self.place(engine, signatures)?,
        ))
    }

    /// Returns signatures and their recovery ids.
    fn recoverable(
        &self,
        engine: &Engine,
    ) -> Result<(PageLocked<[u8; 64]>, PageLocked<u8>), Failure> {
        let signed = ecdsa::sign_recoverable(
            engine,
            self.curve,
            &self.digests,
            &self.secret[..],
            SForm::default(),
        )?;
        let signed = all_passed(signed)
            .into_iter()
            .map(|signed| (signed.signature, signed.recovery_id));
        let (signatures, ids) = signed.unzip();
        Ok((self.place(engine, signatures)?, self.place(engine, ids)?))
    }
}

/// Compares samples of an outcome with the results of the reference engine.
fn check_sample(
    case: &Case,
    reference: &Engine,
    outcome: &OperationResults,
) -> Result<(), Failure> {
    let operation = case.operation.name();
    let curve = case.curve();
    check_all(
        samples(case.inputs.len()),
        |range| Ok(outcome.agrees(&range, &case.values(reference, range.clone())?)),
        || format!("{operation} on {curve}: other results than the CPU's"),
    )
}
