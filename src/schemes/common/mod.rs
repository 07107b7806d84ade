//! The common parts of signature schemes: verification, signing and the check of signatures. A
//! `Scheme` defines the steps that differ.

pub mod batch_verification;
pub mod final_checks_cpu;
pub mod known_answers;
mod recovery_gpu;
pub mod sign_cpu;
mod sign_gpu;
pub mod verify_cpu;
mod verify_gpu;

use crate::cpu::CpuEngine;
use crate::curve::{CurveId, PerCurve};
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::types::{
    Check, Error, NonceHash, Policy, PublicKeys, Rejection, ResultSink, Results, Rows, Verdict,
    Widths, require_lengths, result_of,
};
pub use batch_verification::Chunks;
pub use recovery_gpu::{Recovery, SignedRows};
pub use sign_cpu::SigningInputs;
pub use sign_gpu::{SchemeOnGpu, SigningColumns, Verified};
use std::ops::Range;
pub use verify_gpu::{CHECK_FILES, CheckBuffers, FinalCheckOnGpu, WithWindows, check};

/// The steps that differ between schemes.
pub struct Scheme {
    pub name: &'static str,
    pub verify_on_cpu: PerCurve<Option<fn(&CpuEngine, Verification, Policy, &mut ResultSink)>>,
    pub sign_on_cpu: PerCurve<Option<fn(&CpuEngine, Signing, &mut ResultSink)>>,
    /// True if the signer's key can be recovered from a signature with a recovery id.
    pub has_recovery: bool,
    pub on_gpu: SchemeOnGpu,
    pub verify_gpu_threshold: GpuThreshold,
    pub sign_gpu_threshold: GpuThreshold,
}

impl Scheme {
    /// Returns `true` if the scheme is defined on a curve.
    pub fn is_on(&self, curve: CurveId) -> bool {
        self.verify_on_cpu.of(curve).is_some()
    }

    /// # Errors
    /// [`Error::NoScheme`] if the scheme is not defined on the curve.
    pub fn require(&self, curve: CurveId) -> Result<(), Error> {
        if self.is_on(curve) {
            Ok(())
        } else {
            Err(Error::NoScheme {
                scheme: self.name,
                curve: curve.name(),
            })
        }
    }
}

/// A batch of signatures, with digests and keys.
#[derive(Clone, Copy)]
pub struct Verification<'a> {
    pub digests: Rows<'a, 32>,
    pub signatures: Rows<'a, 64>,
    pub keys: PublicKeys<'a>,
    /// Recovery ids, if batch verification is allowed. They have no effect on verdicts.
    pub recovery_ids: Option<Rows<'a, 1>>,
}

impl<'a> Verification<'a> {
    /// Creates a batch whose items are verified individually.
    pub fn new(digests: Rows<'a, 32>, signatures: Rows<'a, 64>, keys: PublicKeys<'a>) -> Self {
        Verification {
            digests,
            signatures,
            keys,
            recovery_ids: None,
        }
    }

    /// Returns the inputs of a range of items.
    fn slice(&self, items: Range<usize>) -> Self {
        Verification {
            digests: self.digests.slice(items.clone()),
            signatures: self.signatures.slice(items.clone()),
            keys: self.keys.slice(items.clone()),
            recovery_ids: self.recovery_ids.map(|ids| ids.slice(items)),
        }
    }
}

/// The operation that verifies a batch.
pub struct VerifyDigests<'a> {
    pub scheme: &'static Scheme,
    pub curve: CurveId,
    pub inputs: Verification<'a>,
    pub policy: Policy,
    /// The chunks that GPUs verify as groups, if there are recovery ids.
    pub chunks: Chunks,
    pub items: usize,
}

impl<'a> VerifyDigests<'a> {
    /// # Errors
    /// [`Error::LengthMismatch`] if the columns differ in length.
    pub fn new(
        scheme: &'static Scheme,
        curve: CurveId,
        inputs: Verification<'a>,
        policy: Policy,
        items: usize,
    ) -> Result<Self, Error> {
        scheme.require(curve)?;
        let Verification {
            digests,
            signatures,
            keys,
            ..
        } = &inputs;
        let lengths = [
            ("digests", digests.len_for(items)),
            ("signatures", signatures.len_for(items)),
            ("public keys", keys.len_for(items)),
        ];
        require_lengths(items, &lengths)?;
        Ok(VerifyDigests {
            scheme,
            curve,
            inputs,
            policy,
            chunks: Chunks::new(items),
            items,
        })
    }
}

impl Computation for VerifyDigests<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        self.scheme.verify_gpu_threshold
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        let verify = self
            .scheme
            .verify_on_cpu
            .of(self.curve)
            .expect("the curve has the scheme");
        verify(engine, self.inputs.slice(items), self.policy, out);
    }

    fn most_waves(&self) -> usize {
        5
    }

    fn most_items(&self) -> usize {
        if self.inputs.recovery_ids.is_some() {
            self.chunks.largest()
        } else {
            usize::MAX
        }
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

/// Returns the verdict of an item.
pub fn verdict_of(results: &Results, item: usize) -> Verdict {
    result_of(results.codes[item]).into()
}

/// Returns the signature of an item, and its recovery id, which is 0 if ids are not computed.
pub fn signature_and_id_of(results: &Results, item: usize) -> Result<([u8; 64], u8), Rejection> {
    let signature = *results.get(item)?;
    Ok((
        signature,
        results.row(1, item).first().copied().unwrap_or(0),
    ))
}

/// The inputs and options of signing a batch.
#[derive(Clone, Copy)]
pub struct Signing<'a> {
    pub inputs: SigningInputs<'a>,
    pub low_s: bool,
    pub check: Check,
    /// The widths of results: r || s, and a byte for the recovery id if requested.
    pub widths: Widths,
}

/// The operation that signs a batch.
pub struct SignDigests<'a> {
    pub scheme: &'static Scheme,
    pub curve: CurveId,
    pub signing: Signing<'a>,
    pub items: usize,
}

impl<'a> SignDigests<'a> {
    /// # Errors
    /// [`Error::LengthMismatch`] if the columns differ in length.
    pub fn new(
        scheme: &'static Scheme,
        curve: CurveId,
        signing: Signing<'a>,
        items: usize,
    ) -> Result<Self, Error> {
        scheme.require(curve)?;
        let SigningInputs { digests, signers } = &signing.inputs;
        require_lengths(items, &[("digests", digests.len_for(items))])?;
        signers.require(items)?;
        Ok(SignDigests {
            scheme,
            curve,
            signing,
            items,
        })
    }
}

impl Computation for SignDigests<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        self.scheme.sign_gpu_threshold
    }

    /// Kernels derive nonces with one hash per scheme.
    fn is_for_cpu_alone(&self) -> bool {
        self.signing.inputs.signers.nonce_hash != NonceHash::OfScheme
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        let signing = Signing {
            inputs: self.signing.inputs.slice(items),
            ..self.signing
        };
        let sign = self
            .scheme
            .sign_on_cpu
            .of(self.curve)
            .expect("the curve has the scheme");
        sign(engine, signing, out);
    }

    fn is_secret(&self) -> bool {
        true
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
