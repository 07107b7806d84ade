//! Random items for every operation, and the results of the engine alone.

use super::answers::Expected;
use super::column::{Column, Table};
use crate::flags::FileOperation;
use crate::measure::inputs::{BenchInputs, Memory, all_passed};
use crate::schemes;
use gecc::ecdsa::SForm;
use gecc::{CurveId, Engine, Error, PageLocked, PublicKeys, Rows, SecretKey, SecretKeys, Verdict};
use gecc::{ecdh, ecdsa, keys};
use gecc_cli::failure::Failure;
use gecc_cli::measure::samples::samples;
use gecc_cli::measure::timing::{median, timed};
use std::fs::File;
use std::io::{self, Write};

/// The period and the index of the first corrupted signature.
const CORRUPTED_EACH: usize = 1000;
const FIRST_CORRUPTED: usize = 7;

pub struct Items {
    curve: CurveId,
    /// The keys and digests from which the following columns are made. Their memory is page-locked
    /// if there is a GPU and the driver allows it.
    inputs: BenchInputs,
    digests: PageLocked<[u8; 32]>,
    public: PageLocked<[u8; 33]>,
    /// The private keys as a column. They are used for this measurement only.
    secret: PageLocked<[u8; 32]>,
    /// Signatures of the digests by the keys, a copy with some corrupted, and recovery ids if the
    /// curve has them.
    signatures: PageLocked<[u8; 64]>,
    corrupted: PageLocked<[u8; 64]>,
    ids: PageLocked<[u8; 1]>,
}

/// The results of the engine when it is called with columns.
pub struct Alone {
    pub expected: Expected,
    /// The duration of a call.
    pub seconds: f64,
    /// True if all columns are in page-locked memory.
    pub page_locked: bool,
}

/// The destination of the engine's results.
struct Results {
    points: PageLocked<[u8; 64]>,
    secrets: PageLocked<[u8; 32]>,
    codes: PageLocked<u8>,
}

impl Results {
    fn is_locked(&self) -> bool {
        self.points.is_locked() && self.secrets.is_locked() && self.codes.is_locked()
    }
}

impl Items {
    pub fn new(engine: &Engine, curve: CurveId, items: usize) -> Result<Self, Failure> {
        let inputs = BenchInputs::new(engine, curve, items, Memory::Pageable)?;
        inputs.check(engine, &Engine::cpu()?)?;
        let (signatures, ids) = sign(engine, &inputs)?;
        let mut corrupted = signatures.clone();
        (0..items)
            .filter(|item| is_corrupted(*item))
            .for_each(|item| corrupted[item][63] ^= 1);
        let public = inputs
            .public
            .iter()
            .map(|point| {
                point
                    .to_compressed()
                    .expect("a multiple of G below n is finite")
            })
            .collect();
        let secret = inputs
            .secret
            .iter()
            .map(|key| *key.expose_bytes())
            .collect();
        Ok(Items {
            curve,
            digests: engine.page_lock(inputs.digests.to_vec()),
            public: engine.page_lock(public),
            secret: engine.page_lock(secret),
            signatures: engine.page_lock(signatures),
            corrupted: engine.page_lock(corrupted),
            ids: engine.page_lock(ids),
            inputs,
        })
    }

    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    /// Returns the contents of the file for an operation.
    pub fn table(&self, operation: FileOperation) -> Table<'_> {
        let digest = Column::new("digest", &self.digests);
        let public_key = Column::new("public_key", &self.public);
        Table(match operation {
            FileOperation::Verify => vec![
                digest,
                public_key,
                Column::new("signature", &self.corrupted),
            ],
            FileOperation::Recover => {
                vec![
                    digest,
                    Column::new("signature", &self.signatures),
                    Column::new("recovery_id", &self.ids),
                ]
            }
            FileOperation::Sign => vec![digest],
            FileOperation::Ecdh => vec![public_key],
            FileOperation::Pubkey => vec![Column::new("secret_key", &self.secret)],
        })
    }

    /// Returns the key used for all items.
    fn key(&self) -> &SecretKey {
        &self.inputs.secret[0]
    }

    pub fn write_key(&self, mut file: File) -> io::Result<()> {
        writeln!(file, "{}", const_hex::encode(self.key().expose_bytes()))
    }

    /// Calls the engine several times.
    pub fn by_the_engine(
        &self,
        engine: &Engine,
        operation: FileOperation,
    ) -> Result<Alone, Failure> {
        let items = self.len();
        let mut results = Results {
            points: engine.page_lock(vec![[0; 64]; items]),
            secrets: engine.page_lock(vec![[0; 32]; items]),
            codes: engine.page_lock(vec![0; items]),
        };
        // This call also builds tables.
        self.compute(engine, operation, &mut results)?;
        let expected = self.expected(operation, &results)?;
        let median = median(|| {
            let (done, seconds) = timed(|| self.compute(engine, operation, &mut results));
            done?;
            Ok((seconds, ()))
        })?;
        let seconds = median.seconds;
        Ok(Alone {
            expected,
            seconds,
            page_locked: self.is_locked() && results.is_locked(),
        })
    }

    fn is_locked(&self) -> bool {
        let ids = self.ids.is_empty() || self.ids.is_locked();
        let signatures = self.signatures.is_locked() && self.corrupted.is_locked() && ids;
        self.digests.is_locked() && self.public.is_locked() && self.secret.is_locked() && signatures
    }

    fn compute(
        &self,
        engine: &Engine,
        operation: FileOperation,
        results: &mut Results,
    ) -> Result<(), Error> {
        let curve = self.curve;
        let digests = &self.digests;
        let key = SecretKeys::all(self.key());
        let public = PublicKeys::compressed(&self.public);
        let Results {
            points,
            secrets,
            codes,
        } = results;
        match operation {
            FileOperation::Verify => {
                schemes::verify_into(engine, curve, digests, &self.corrupted, public, codes)
            }
            FileOperation::Recover => {
                let signatures = &self.signatures[..];
                let ids = &self.ids[..];
                ecdsa::recover_into(engine, curve, digests, signatures, ids, points, codes)
            }
            FileOperation::Sign => schemes::sign_into(engine, curve, digests, key, points, codes),
            FileOperation::Ecdh => {
                ecdh::shared_secrets_into(engine, curve, key, public, secrets, codes)
            }
            FileOperation::Pubkey => {
                let secret = SecretKeys::rows(Rows::from(&self.secret));
                keys::public_keys_into(engine, curve, secret, points, codes)
            }
        }
    }

    /// Returns the answers expected of a command, after checking the engine's results
    /// independently.
    fn expected(&self, operation: FileOperation, results: &Results) -> Result<Expected, Failure> {
        let samples = match operation {
            FileOperation::Sign | FileOperation::Ecdh => {
                self.agrees_with_the_cpu(operation, results)?
            }
            _ => true,
        };
        if !samples || !(0..self.len()).all(|item| self.is_right(operation, results, item)) {
            return Err(format!(
                "{} on {}: the engine returns wrong results",
                operation.name(),
                self.curve
            )
            .into());
        }
        Ok(match operation {
            FileOperation::Verify => {
                Expected::Verdicts((0..self.len()).map(|item| !is_corrupted(item)).collect())
            }
            FileOperation::Recover | FileOperation::Pubkey => {
                Expected::Texts("public_key", hex_rows(&results.points, "04"))
            }
            FileOperation::Sign => Expected::Texts("signature", hex_rows(&results.points, "")),
            FileOperation::Ecdh => Expected::Texts("shared_secret", hex_rows(&results.secrets, "")),
        })
    }

    /// Returns whether the code of an item is right, and its public key if the operation computes
    /// one.
    fn is_right(&self, operation: FileOperation, results: &Results, item: usize) -> bool {
        let passed = results.codes[item] == Verdict::VALID_CODE;
        match operation {
            FileOperation::Verify => passed != is_corrupted(item),
            FileOperation::Recover | FileOperation::Pubkey => {
                passed && self.inputs.public[item].as_bytes()[1..] == results.points[item]
            }
            FileOperation::Sign | FileOperation::Ecdh => passed,
        }
    }

    /// Compares samples of signatures or shared secrets with the CPU engine's results.
    fn agrees_with_the_cpu(
        &self,
        operation: FileOperation,
        results: &Results,
    ) -> Result<bool, Error> {
        let cpu = Engine::cpu()?;
        for range in samples(self.len()) {
            let mut points = vec![[0; 64]; range.len()];
            let mut secrets = vec![[0; 32]; range.len()];
            let mut codes = vec![0; range.len()];
            let key = SecretKeys::all(self.key());
            if operation == FileOperation::Sign {
                schemes::sign_into(
                    &cpu,
                    self.curve,
                    &self.digests[range.clone()],
                    key,
                    &mut points,
                    &mut codes,
                )?;
            } else {
                let public = PublicKeys::compressed(&self.public[range.clone()]);
                ecdh::shared_secrets_into(&cpu, self.curve, key, public, &mut secrets, &mut codes)?;
            }
            let same = match operation {
                FileOperation::Sign => points == results.points[range],
                _ => secrets == results.secrets[range],
            };
            if !same {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn is_corrupted(item: usize) -> bool {
    item % CORRUPTED_EACH == FIRST_CORRUPTED
}

/// Makes a signature of each digest by its key, and recovery ids, which SM2 does not have.
fn sign(engine: &Engine, inputs: &BenchInputs) -> Result<(Vec<[u8; 64]>, Vec<[u8; 1]>), Failure> {
    let curve = inputs.curve;
    if !curve.has_ecdsa() {
        let signatures = all_passed(schemes::sign(
            engine,
            curve,
            &inputs.digests,
            &inputs.secret,
        )?);
        return Ok((signatures, Vec::new()));
    }
    let signed = ecdsa::sign_recoverable(
        engine,
        curve,
        &inputs.digests,
        &inputs.secret[..],
        SForm::default(),
    )?;
    Ok(all_passed(signed)
        .into_iter()
        .map(|signed| (signed.signature, [signed.recovery_id]))
        .unzip())
}

fn hex_rows<const W: usize>(rows: &[[u8; W]], prefix: &str) -> Vec<String> {
    rows.iter()
        .map(|row| format!("{prefix}{}", const_hex::encode(row)))
        .collect()
}
