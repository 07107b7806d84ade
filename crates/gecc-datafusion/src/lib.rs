//! SQL functions of gecc for DataFusion: verification and recovery of signatures over the rows of a query.
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
//! | `ecdsa_verify_form(curve, form, digest, signature, public_key)` | Boolean, for signatures in a form that is named |
//! | `ecdsa_recover_form(curve, form, digest, signature[, recovery_id])` | the public key, for signatures in a form that is named |
//! | `eth_address(public_key)` | the Ethereum address of a key on secp256k1, FixedSizeBinary(20) |
//! | `sm2_verify(digest, signature, public_key)` | Boolean; the digest is e, the SM3 of Z_A and the message |
//! | `sm2_verify_der(digest, der, public_key)` | Boolean, for signatures in DER |
//! | `bip340_verify(message, signature, public_key)` | Boolean; the message has any length |
//! | `ed25519_verify(rule, message, signature, public_key)` | Boolean, by the rule that is named; the message has any length |
//! | `ed25519ctx_verify(rule, context, message, signature, public_key)` | the same of Ed25519ctx |
//! | `ed25519ph_verify(rule, context, message, signature, public_key)` | the same of Ed25519ph, which hashes the message |
//! | `message_digest(hash, message)` | what ECDSA signs of a message, FixedSizeBinary(32) |
//!
//! `curve` is a text in the statement: `'secp256k1'`, `'p256'`, `'brainpoolp256r1'`. So is `rule`,
//! by which programs differ in what they accept ([`gecc::ed25519::Rule`]): `'cofactorless'` is that
//! of OpenSSL and Go, `'strict'` that of Solana, `'zip215'` that of Zcash and CometBFT; there is
//! none that is meant where none is named. So is `context`: at most 255 bytes in hexadecimal
//! digits, `''` for Ed25519ph without one. So is `hash` ([`gecc::fields::Hash`]): `'sha256'`,
//! `'sha384'`, `'keccak256'`, `'eip191'`, `'bitcoin-message'`. So is `form`
//! ([`gecc::fields::SignatureForm`]): `'header-first'` for Bitcoin's signed messages, `'eip2098'`,
//! `'der-hash-type'` for DER with a byte of Bitcoin's signature hash type behind it. The others are
//! columns or values of any type that [`gecc_arrow`] reads: bytes as FixedSizeBinary, Binary,
//! LargeBinary or BinaryView, or hexadecimal text with or without `0x`, also in a dictionary. A
//! message that is a text of its own is cast: `'Hello'::BYTEA`. A signature is `r || s`, or `r || s
//! || v` of 65 bytes, whose last byte is 0 to 3 or 27 to 30, or strict DER; one of BIP 340 or
//! Ed25519 is its 64 bytes alone. A `recovery_id` is an integer, a boolean or a text, in any of the
//! forms of [`gecc_arrow::Field::RecoveryId`], and the same as that of the signature where it has
//! one. A public key has 33 or 65 bytes (SEC 1), or 64 bytes `x || y`; for BIP 340 also 32 bytes x,
//! and of all forms x alone counts. Those of Ed25519 have 32 bytes. It may be PEM, DER, an X.509
//! certificate or a JSON Web Key too, which have to name the curve or Ed25519.
//!
//! A value that cannot be read, such as a digest of 31 bytes, is not valid, and recovers nothing: `false` or null. So
//! is a null: a row is either among `WHERE ecdsa_verify(…)` or among `WHERE NOT ecdsa_verify(…)`. Each function has a
//! second one that says why: `ecdsa_verify_reason` with the same arguments gives a text, or null for a row that passed
//! (`` `digest` is null ``). Who wants both verdict and reason asks for the reason alone, so that nothing is computed
//! twice: the verdict is `reason IS NULL`.
//!
//! A wrong type, or a curve, rule, context or hash that there is not, is an error when the statement is planned.
//! Functions of constants are computed then.
//!
//! # Batches
//!
//! DataFusion hands out 8192 rows at a time, and a GPU wants 10^5. So all partitions of all queries that use the same
//! [`Functions`] share one [`Coalescer`]. A partition waits for its answers, so that there are as many batches under
//! way as partitions. On a thread of tokio's multi-thread runtime the waiting is done with
//! [`tokio::task::block_in_place`], so that other partitions are read meanwhile. With a GPU ask for more partitions
//! than cores, or for larger batches: `datafusion.execution.target_partitions`, `datafusion.execution.batch_size`.
//!
//! The coalescer takes messages of BIP 340 and Ed25519 that have 32 bytes. Where some of a batch have another length,
//! and where signatures are of Ed25519ctx or Ed25519ph, the engine computes that batch by itself. With a GPU such
//! batches should be larger (`datafusion.execution.batch_size`).
//!
//! Everything here is public data, and variable-time.

mod arguments;
mod function;
mod waiting;

use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::SessionContext;
use function::Function;
use gecc::Engine;
use gecc::ecdsa::Policy;
use gecc::service::{Coalescer, Stats};
use gecc_arrow::sql::{FunctionKind, Gives, Service};
use std::fmt;
use std::sync::Arc;

/// Makes all functions known to a session, computed by this engine.
///
/// # Errors
/// As for [`Functions::new`].
pub fn register(context: &SessionContext, engine: &Engine) -> Result<(), gecc::Error> {
    Functions::new(engine)?.register(context);
    Ok(())
}

/// The functions with what they share: an engine and its coalescer. One value may serve any number of sessions. Clones
/// share too.
#[derive(Clone)]
pub struct Functions {
    service: Arc<Service>,
    policy: Policy,
}

impl Functions {
    /// Functions with a coalescer of their own, for batches of 8192 rows and more.
    ///
    /// # Errors
    /// Those of [`gecc::service::CoalescerBuilder::build`].
    pub fn new(engine: &Engine) -> Result<Self, gecc::Error> {
        Ok(Self::of(Service::new(engine)?))
    }

    /// Functions with a coalescer that the caller made of this engine. Longer batches than its largest are cut. It has
    /// to let requests wait where it is full ([`gecc::service::WhenFull`]), or queries end with an error then.
    pub fn through(engine: &Engine, coalescer: Coalescer) -> Self {
        Self::of(Service::through(engine, coalescer))
    }

    fn of(service: Service) -> Self {
        Functions { service: Arc::new(service), policy: Policy::default() }
    }

    /// Functions for which `ecdsa_verify` and `ecdsa_verify_der` ask for more than the standard. They share the
    /// coalescer.
    pub fn with_policy(self, policy: Policy) -> Self {
        Functions { policy, ..self }
    }

    /// Makes all functions known to a session. Others of the same names are replaced.
    pub fn register(&self, context: &SessionContext) {
        self.udfs().for_each(|function| context.register_udf(function));
    }

    /// The functions alone, for registries of other kinds.
    pub fn udfs(&self) -> impl Iterator<Item = ScalarUDF> + '_ {
        let function = |kind, gives| ScalarUDF::from(Function::new(kind, gives, self.policy, self.service.clone()));
        FunctionKind::ALL
            .into_iter()
            .flat_map(move |kind| [function(kind, Gives::Result), function(kind, Gives::Reason)])
    }

    /// Returns statistics of the coalescer so far.
    pub fn stats(&self) -> Stats {
        self.service.stats()
    }
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Functions").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
