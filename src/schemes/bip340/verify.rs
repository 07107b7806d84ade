//! Verification: the public functions and the operation.

use super::messages::{Messages, texts};
use crate::cpu::CpuEngine;
use crate::engine::Engine;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::schemes::common::{Chunks, verdict_of};
#[cfg(doc)]
use crate::types::Rejection;
use crate::types::{Error, PublicKeys, ResultSink, ResultsMut, Rows, Verdicts, require_lengths};
use std::ops::Range;

/// The batch size above which a GPU is faster.
pub(crate) const GPU_THRESHOLD: GpuThreshold = GpuThreshold {
    portable: 35,
    simd: 50,
};

/// Verifies one signature per item over a message of 32 bytes. Variable-time: all inputs are
/// public.
///
/// An item is rejected with the first of these that applies: [`Rejection::ROutOfRange`] (not below
/// p), [`Rejection::SOutOfRange`] (not below n), [`Rejection::MalformedPoint`],
/// [`Rejection::NotOnCurve`], [`Rejection::IdentityKey`], [`Rejection::IdentityResult`],
/// [`Rejection::Mismatch`] (x(R) is not r, or y(R) is odd). With
/// [`crate::EngineBuilder::batch_verification`] many items are verified with one equation, as in
/// the standard's "Batch Verification".
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, PublicKeys, Secp256k1, bip340, keys};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate(&engine, Secp256k1, 2)?;
/// let messages = [[1; 32], [2; 32]];
/// let signed = bip340::sign(&engine, &messages, &secret, Default::default())?;
/// let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
/// signatures[1][40] ^= 1;
/// let x_only: Vec<[u8; 32]> = public.iter().map(|point| *point.x()).collect();
/// let verdicts = bip340::verify(&engine, &messages, &signatures, PublicKeys::x_only(&x_only))?;
/// assert!(verdicts[0].is_valid() && !verdicts[1].is_valid());
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn verify<'k>(
    engine: &Engine,
    messages: &[[u8; 32]],
    signatures: &[[u8; 64]],
    keys: impl Into<PublicKeys<'k>>,
) -> Result<Verdicts, Error> {
    let verify = VerifyBip340::new(
        engine,
        Messages::Rows(messages.into()),
        signatures.into(),
        keys.into(),
        messages.len(),
    )?;
    engine.collect(&verify, verdict_of).map(Verdicts::new)
}

/// Verifies signatures over 32-byte messages from columns and writes one code per item. See
/// [`verify`]. Variable-time: all inputs are public.
///
/// # Errors
/// The errors of [`verify`].
pub fn verify_into<'a, 'k>(
    engine: &Engine,
    messages: impl Into<Rows<'a, 32>>,
    signatures: impl Into<Rows<'a, 64>>,
    keys: impl Into<PublicKeys<'k>>,
    codes: &mut [u8],
) -> Result<(), Error> {
    let verify = VerifyBip340::new(
        engine,
        Messages::Rows(messages.into()),
        signatures.into(),
        keys.into(),
        codes.len(),
    )?;
    engine.run(&verify, ResultsMut::codes(codes))
}

/// Verifies one signature per item over a message of any length. Variable-time. See [`verify`].
///
/// # Errors
/// The errors of [`verify`].
///
/// ```
/// use gecc::{Engine, PublicKeys, Secp256k1, bip340, keys};
/// let engine = Engine::new()?;
/// let (secret, public) = keys::generate(&engine, Secp256k1, 1)?;
/// let signed = bip340::sign_messages(&engine, &["hello"], &secret, Default::default())?;
/// assert!(bip340::verify_messages(&engine, &["hello"], &[signed[0].unwrap()], &public)?.all_valid());
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn verify_messages<'k>(
    engine: &Engine,
    messages: &[impl AsRef<[u8]> + Sync],
    signatures: &[[u8; 64]],
    keys: impl Into<PublicKeys<'k>>,
) -> Result<Verdicts, Error> {
    let verify = VerifyBip340::new(
        engine,
        texts(engine, messages)?,
        signatures.into(),
        keys.into(),
        messages.len(),
    )?;
    engine.collect(&verify, verdict_of).map(Verdicts::new)
}

/// Verifies signatures over messages of any length from columns and writes one code per item. See
/// [`verify_messages`]. Variable-time: all inputs are public.
///
/// # Errors
/// The errors of [`verify`].
pub fn verify_messages_into<'a, 'k>(
    engine: &Engine,
    messages: &'a [impl AsRef<[u8]> + Sync],
    signatures: impl Into<Rows<'a, 64>>,
    keys: impl Into<PublicKeys<'k>>,
    codes: &mut [u8],
) -> Result<(), Error> {
    let verify = VerifyBip340::new(
        engine,
        texts(engine, messages)?,
        signatures.into(),
        keys.into(),
        codes.len(),
    )?;
    engine.run(&verify, ResultsMut::codes(codes))
}

/// The operation that verifies a batch.
pub(crate) struct VerifyBip340<'a> {
    pub messages: Messages<'a>,
    pub signatures: Rows<'a, 64>,
    pub keys: PublicKeys<'a>,
    /// True if items may be verified in groups.
    pub batch_verification: bool,
    /// The chunks that GPUs verify in groups.
    pub chunks: Chunks,
    pub items: usize,
}

impl<'a> VerifyBip340<'a> {
    /// # Errors
    /// [`Error::LengthMismatch`] if the columns differ in length.
    fn new(
        engine: &Engine,
        messages: Messages<'a>,
        signatures: Rows<'a, 64>,
        keys: PublicKeys<'a>,
        items: usize,
    ) -> Result<Self, Error> {
        let lengths = [
            ("messages", messages.len_for(items)),
            ("signatures", signatures.len_for(items)),
            ("public keys", keys.len_for(items)),
        ];
        require_lengths(items, &lengths)?;
        let batch_verification = engine.info().batch_verification;
        let chunks = Chunks::new(items);
        Ok(VerifyBip340 {
            messages,
            signatures,
            keys,
            batch_verification,
            chunks,
            items,
        })
    }
}

impl Computation for VerifyBip340<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GPU_THRESHOLD
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        self.verify_range(engine, items, out);
    }

    fn most_waves(&self) -> usize {
        5
    }

    fn most_items(&self) -> usize {
        if self.batch_verification {
            self.chunks.largest()
        } else {
            usize::MAX
        }
    }

    fn data_bytes(&self, items: &Range<usize>) -> usize {
        self.messages.data_bytes(items)
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        self.kernel_files()
    }

    fn self_tests(&self, items: usize) -> Vec<SelfTest> {
        self.gpu_self_tests(items)
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}
