//! SQL functions of gecc for DataFusion: verification and recovery of signatures over the rows of a
//! query, and masks for private set intersection.
//!
//! ```
//! use datafusion::prelude::SessionContext;
//! use gecc::Engine;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let context = SessionContext::new();
//! gecc_datafusion::register(&context, &Engine::new()?)?;
//! // context.register_parquet("signed", "signed.parquet", Default::default()).await?;
//! # context.sql("CREATE TABLE signed (id INT, digest TEXT, signature TEXT, public_key TEXT)").await?;
//! let bad = "SELECT id FROM signed WHERE NOT ecdsa_verify('secp256k1', digest, signature, public_key)";
//! assert_eq!(context.sql(bad).await?.count().await?, 0);
//! # Ok(())
//! # }
//! ```
//!
//! # Functions
//!
//! | function | result |
//! |---|---|
//! | `ecdsa_verify(curve, digest, signature, public_key)` | Boolean |
//! | `ecdsa_verify_der(curve, digest, der, public_key)` | Boolean, for signatures in DER |
//! | `ecdsa_recover(curve, digest, signature[, recovery_id])` | the public key, FixedSizeBinary(65): `04 \|\| x \|\| y` |
//! | `ecdsa_verify_form(curve, form, digest, signature, public_key)` | Boolean, for signatures in the given form |
//! | `ecdsa_recover_form(curve, form, digest, signature[, recovery_id])` | the public key, for signatures in the given form |
//! | `eth_address(public_key)` | the Ethereum address of a key on secp256k1, FixedSizeBinary(20) |
//! | `sm2_verify(digest, signature, public_key)` | Boolean; the digest is e, the SM3 of Z_A and the message |
//! | `sm2_verify_der(digest, der, public_key)` | Boolean, for signatures in DER |
//! | `bip340_verify(message, signature, public_key)` | Boolean; the message has any length |
//! | `ed25519_verify(rule, message, signature, public_key)` | Boolean, by the given rule; the message has any length |
//! | `ed25519ctx_verify(rule, context, message, signature, public_key)` | Boolean, for Ed25519ctx |
//! | `ed25519ph_verify(rule, context, message, signature, public_key)` | Boolean, for Ed25519ph, which hashes the message |
//! | `message_digest(hash, message)` | the digest that ECDSA signs for a message, FixedSizeBinary(32) |
//! | `mask(suite, dst, form, message)` | the message, hashed to a point, times the key of [`Functions::with_mask_key`] |
//! | `mask_points(curve, form, public_key)` | the point times that key |
//! | `unmask(curve, form, public_key)` | the point times the inverse of that key |
//!
//! The arguments `curve`, `rule`, `context`, `hash`, `suite`, `dst` and `form` are text constants
//! in the statement:
//!
//! - `curve`: `'secp256k1'`, `'p256'`, `'brainpoolp256r1'`.
//! - `rule`, by which programs differ in the signatures that they accept ([`gecc::ed25519::Rule`]):
//!   `'cofactorless'` is that of OpenSSL and Go, `'strict'` that of Solana, `'zip215'` that of
//!   Zcash and CometBFT; there is no default.
//! - `context`: at most 255 bytes in hexadecimal digits, `''` for Ed25519ph without one.
//! - `hash` ([`gecc::fields::Hash`]): `'sha256'`, `'sha384'`, `'keccak256'`, `'eip191'`,
//!   `'bitcoin-message'`.
//! - `form` ([`gecc::fields::SignatureForm`]): `'header-first'` for Bitcoin's signed messages,
//!   `'eip2098'`, `'der-hash-type'` for DER followed by the byte of Bitcoin's signature hash type.
//! - `suite` and `dst`: how messages become points ([`gecc::hash_to_curve::Suite`]), and the
//!   application's domain separation tag, `''` for suites that take none.
//! - `form` of masks ([`gecc::mask::Form`]): `'compressed'`, `'uncompressed'`, `'raw'`, `'x'`, or
//!   the number of the first bytes of x, such as `'12'`. Results are FixedSizeBinary of that width.
//!
//! The other arguments are columns or values of any type that [`gecc_arrow`] reads: bytes as
//! FixedSizeBinary, Binary, LargeBinary or BinaryView, or hexadecimal text with or without `0x`,
//! also in a dictionary. A message that is itself text has to be cast: `'Hello'::BYTEA`. A
//! signature is `r || s`, or `r || s || v` of 65 bytes, whose last byte is 0 to 3 or 27 to 30, or
//! strict DER; one of BIP 340 or Ed25519 always has 64 bytes. A `recovery_id` is an integer, a
//! boolean or text, in any of the forms of [`gecc_arrow::Field::RecoveryId`], and must agree with
//! that of the signature if it has one. A public key has 33 or 65 bytes (SEC 1), or 64 bytes `x ||
//! y`; for BIP 340, it may also be the 32 bytes of x, and only x is used in all forms. Those of
//! Ed25519 have 32 bytes. Keys may also be PEM, DER, X.509 certificates or JSON Web Keys, which
//! have to state the curve or Ed25519.
//!
//! An unreadable value, such as a digest of 31 bytes, is not valid, and recovers nothing: the
//! result is `false` or null. The same holds for a null: a row is either returned by `WHERE
//! ecdsa_verify(…)` or by `WHERE NOT ecdsa_verify(…)`. Each function has a second one that returns
//! the reason: `ecdsa_verify_reason` with the same arguments returns text, or null for a row that
//! passed (`` `digest` is null ``). To get both verdict and reason, select only the reason, so that
//! nothing is computed twice: the verdict is `reason IS NULL`.
//!
//! A wrong type, or an unknown curve, rule, context or hash, is an error when the statement is
//! planned. Functions of constants are computed at that time.
//!
//! # Batches
//!
//! DataFusion processes 8192 rows at a time, but a GPU needs about 10^5. So all partitions of all
//! queries that use the same [`Functions`] share one [`Coalescer`]. A partition waits for its
//! answers, so at most one batch per partition is in flight. On a thread of tokio's multi-thread
//! runtime, the waiting uses [`tokio::task::block_in_place`], so that other partitions are read
//! meanwhile. With a GPU, use more partitions than cores, or larger batches:
//! `datafusion.execution.target_partitions`, `datafusion.execution.batch_size`.
//!
//! The coalescer supports messages of BIP 340 and Ed25519 that have 32 bytes. If some messages of a
//! batch have another length, or if signatures are of Ed25519ctx or Ed25519ph, the engine computes
//! that batch separately. With a GPU, such batches should be larger
//! (`datafusion.execution.batch_size`).
//!
//! Masks are computed by the engine batch by batch, too.
//!
//! All data here is public, and computed in variable time, except for the key of masks: it is never
//! part of a statement, and is used in constant time. Items to be masked are as secret as
//! [`gecc::mask`] says, but DataFusion does not wipe its memory.

mod arguments;
mod function;

use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::SessionContext;
use function::Function;
use gecc::ecdsa::Policy;
use gecc::service::{Coalescer, Stats};
use gecc::{Engine, SecretKey};
use gecc_arrow::sql::{FunctionKind, ResultKind, Service};
use std::fmt;
use std::sync::Arc;

/// Registers all functions with a session, computed by this engine.
///
/// # Errors
/// The same as for [`Functions::new`].
pub fn register(context: &SessionContext, engine: &Engine) -> Result<(), gecc::Error> {
    Functions::new(engine)?.register(context);
    Ok(())
}

/// The functions and the state that they share: an engine and its coalescer. One value can be used
/// by any number of sessions. Clones share the state too.
#[derive(Clone)]
pub struct Functions {
    service: Arc<Service>,
    policy: Policy,
    mask_key: Option<Arc<SecretKey>>,
}

impl Functions {
    /// Creates functions with a coalescer of their own, for batches of 8192 rows and more.
    ///
    /// # Errors
    /// Errors of [`gecc::service::CoalescerBuilder::build`].
    pub fn new(engine: &Engine) -> Result<Self, gecc::Error> {
        Ok(Self::of(Service::new(engine)?))
    }

    /// Creates functions with a coalescer that the caller made for this engine. Batches longer than
    /// its maximum are split. It should make requests wait if it is full
    /// ([`gecc::service::WhenFull`]); otherwise queries end with an error in that case.
    pub fn through(engine: &Engine, coalescer: Coalescer) -> Self {
        Self::of(Service::through(engine, coalescer))
    }

    fn of(service: Service) -> Self {
        Functions {
            service: Arc::new(service),
            policy: Policy::default(),
            mask_key: None,
        }
    }

    /// Returns functions for which `ecdsa_verify` and `ecdsa_verify_der` are stricter than the
    /// standard. They share the coalescer.
    pub fn with_policy(self, policy: Policy) -> Self {
        Functions { policy, ..self }
    }

    /// Returns functions for which `mask`, `mask_points` and `unmask` use this key. They share the
    /// coalescer.
    pub fn with_mask_key(self, key: SecretKey) -> Self {
        Functions {
            mask_key: Some(Arc::new(key)),
            ..self
        }
    }

    /// Registers all functions with a session. Others with the same names are replaced.
    pub fn register(&self, context: &SessionContext) {
        self.udfs()
            .for_each(|function| context.register_udf(function));
    }

    /// Returns the functions, for registries of other kinds.
    pub fn udfs(&self) -> impl Iterator<Item = ScalarUDF> + '_ {
        let kinds = FunctionKind::ALL.into_iter();
        kinds.flat_map(move |kind| {
            [
                self.udf(kind, ResultKind::Result),
                self.udf(kind, ResultKind::Reason),
            ]
        })
    }

    fn udf(&self, kind: FunctionKind, gives: ResultKind) -> ScalarUDF {
        ScalarUDF::from(Function::new(
            kind,
            gives,
            self.policy,
            self.mask_key.clone(),
            self.service.clone(),
        ))
    }

    /// Returns statistics of the coalescer so far.
    pub fn stats(&self) -> Stats {
        self.service.stats()
    }
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Functions")
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}
