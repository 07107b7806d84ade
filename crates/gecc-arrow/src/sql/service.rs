//! Calls to the engine and its coalescer for one batch.

use super::kind::Computed;
use super::{FunctionKind, Task};
use crate::answers::Answers;
use crate::calls::{decode_keys_through, message_digests};
use crate::operation::{Key, TableOperation};
use crate::pool::Pool;
use arrow_array::RecordBatch;
use gecc::call::{Columns, Contents, Operation};
use gecc::ed25519::Variant;
use gecc::fields::{Hash, Mapping};
use gecc::service::{Coalescer, Stats};
use gecc::{Backend, CurveId, Engine, SecretKey, Verdict, point};

/// Maximum number of rows of the coalescer's batches on the CPU. It suits a few threads, so that an
/// engine with many cores has enough work for each. For GPUs, the coalescer's default is used.
const CPU_BATCH: usize = 4 * 8192;

/// The engine and coalescer that all functions share.
pub struct Service {
    engine: Engine,
    coalescer: Coalescer,
    pool: Pool,
}

/// An error that ends a statement.
pub type ServiceError = Box<dyn std::error::Error + Send + Sync>;

impl Service {
    /// Makes the service with a coalescer sized for SQL engines, which pass some thousand rows per
    /// thread.
    ///
    /// # Errors
    /// Those of [`gecc::service::CoalescerBuilder::build`].
    pub fn new(engine: &Engine) -> Result<Self, gecc::Error> {
        let builder = Coalescer::builder();
        let coalescer = match engine.info().backend {
            Backend::Cpu => builder.largest_batch(CPU_BATCH).build(engine)?,
            _ => builder.build(engine)?,
        };
        Ok(Self::through(engine, coalescer))
    }

    /// Creates the service with a coalescer that the caller made for this engine. Batches longer
    /// than its maximum are split.
    pub fn through(engine: &Engine, coalescer: Coalescer) -> Self {
        Service {
            engine: engine.clone(),
            coalescer,
            pool: Pool::default(),
        }
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns statistics of the coalescer so far.
    pub fn stats(&self) -> Stats {
        self.coalescer.stats()
    }

    /// Computes the answers to a call, in parts that are no longer than the largest batch. The
    /// columns of the batch have the names of the function's fields. `key` is the private key if
    /// [`FunctionKind::takes_key`]. Blocks until the answers are available.
    ///
    /// # Errors
    /// A missing key, a type that a field cannot have, and errors of the engine and the coalescer.
    pub fn answers(
        &self,
        kind: FunctionKind,
        task: Task,
        key: Option<&SecretKey>,
        batch: &RecordBatch,
    ) -> Result<Vec<Answers>, ServiceError> {
        if kind.takes_key() && key.is_none() {
            return Err("there is no private key".into());
        }
        let most = self.coalescer.largest_batch();
        // A batch without rows is one part, for which the types are checked.
        let starts = (0..batch.num_rows().max(1)).step_by(most);
        let parts = starts.map(|start| batch.slice(start, most.min(batch.num_rows() - start)));
        parts
            .map(|part| self.answers_of_part(kind, task, key, &part))
            .collect()
    }

    fn answers_of_part(
        &self,
        kind: FunctionKind,
        task: Task,
        key: Option<&SecretKey>,
        batch: &RecordBatch,
    ) -> Result<Answers, ServiceError> {
        let mut mapping = kind.mapping(batch.num_columns());
        mapping.signature_form = task.form;
        match task.computed {
            Computed::Operation(operation) => {
                let table_operation = TableOperation {
                    options: task.options,
                    key: key.map_or(Key::Column, |key| Key::All(key.clone())),
                    ..operation.into()
                };
                table_operation.apply_through(
                    batch,
                    &mapping,
                    &self.pool,
                    |operation, columns, rows, _, codes| self.run(operation, columns, rows, codes),
                )
            }
            Computed::EthAddress => self.addresses(batch, &mapping),
            Computed::Digests(hash) => {
                let (digests, codes) = message_digests(batch, &mapping, &self.pool, hash)?;
                Ok(Answers::new(codes).with_rows("digest", 32, digests.into_flattened()))
            }
        }
    }

    fn addresses(&self, batch: &RecordBatch, mapping: &Mapping) -> Result<Answers, ServiceError> {
        const CURVE: CurveId = CurveId::Secp256k1;
        let (points, codes) =
            decode_keys_through(batch, mapping, &self.pool, CURVE, |keys, points, codes| {
                point::decode_keys_into(&self.engine, CURVE, keys, points, codes)
                    .map_err(ServiceError::from)
            })?;
        let addresses = points.iter().map(address).collect::<Vec<_>>();
        Ok(Answers::new(codes).with_rows("address", 20, addresses.into_flattened()))
    }

    /// Runs a call through the coalescer. Each call is a separate caller, so that all threads get
    /// the same share of the queue. The coalescer's batches support neither messages of any length
    /// nor contexts nor masks: these calls go directly to the engine.
    fn run(
        &self,
        operation: Operation,
        columns: &Columns,
        rows: &mut [u8],
        codes: &mut [u8],
    ) -> Result<(), ServiceError> {
        let Columns {
            contents,
            signatures,
            recovery_ids,
            public_keys: keys,
            options,
            ..
        } = *columns;
        let caller = self.coalescer.caller();
        let verdicts = match (operation, contents) {
            (Operation::EcdsaVerify(curve, policy), Contents::Digests(digests)) => caller
                .ecdsa_verify(curve, digests, signatures, keys, policy)
                .wait()?,
            (Operation::Sm2Verify, Contents::Digests(digests)) => {
                caller.sm2_verify(digests, signatures, keys).wait()?
            }
            (Operation::Bip340Verify, Contents::Digests(messages)) => {
                caller.bip340_verify(messages, signatures, keys).wait()?
            }
            (Operation::Ed25519Verify(rule), Contents::Digests(messages))
                if options.variant == Variant::PURE =>
            {
                caller
                    .ed25519_verify(messages, signatures, keys, rule)
                    .wait()?
            }
            (Operation::EcdsaRecover(curve), Contents::Digests(digests)) => {
                let points = caller
                    .ecdsa_recover(curve, digests, signatures, recovery_ids)
                    .wait()?;
                for ((key, code), point) in rows
                    .as_chunks_mut::<64>()
                    .0
                    .iter_mut()
                    .zip(codes)
                    .zip(&points)
                {
                    match point {
                        Ok(point) => {
                            *code = Verdict::VALID_CODE;
                            key.copy_from_slice(&point.as_bytes()[1..]);
                        }
                        Err(rejection) => *code = rejection.code(),
                    }
                }
                return Ok(());
            }
            _ => return Ok(operation.run(&self.engine, columns, rows, &mut [], codes)?),
        };
        for (code, verdict) in codes.iter_mut().zip(verdicts.iter()) {
            *code = verdict.code();
        }
        Ok(())
    }
}

/// Returns the last 20 bytes of Keccak-256 of `x || y` (Ethereum's Yellow Paper, appendix F).
fn address(point: &[u8; 64]) -> [u8; 20] {
    let hash = Hash::Keccak256
        .digest(point)
        .expect("messages of any length");
    *hash.last_chunk().expect("32 bytes")
}
