//! The engine operations of Ed25519: verification, signing and public keys.

use super::keys::{Secrets, SigningKeys};
use super::rule::Rule;
use super::sign::{Signing, sign};
use super::variant::Variant;
use super::verify::{Verification, verify};
use crate::cpu::CpuEngine;
use crate::cpu::edwards::curves::Ed25519;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::ops::hash::SizedTexts;
use crate::schemes::common::Chunks;
use crate::types::{PublicKeys, ResultSink, Rows, SecretKeys};
use std::ops::Range;

/// The curve that kernels are compiled for.
pub const CURVE: &str = "ed25519";

/// The batch size above which a GPU verifies faster. On an H100 a batch takes at least a
/// millisecond, as do about 1000 items on 16 threads of its host with AVX-512.
pub(crate) const VERIFY_GPU_THRESHOLD: GpuThreshold = GpuThreshold {
    portable: 25,
    simd: 64,
};

/// The operation that verifies a batch.
pub(crate) struct VerifyEd25519<'a> {
    pub variant: Variant,
    /// The messages that are hashed with the keys, or their hashes for Ed25519ph.
    pub messages: SizedTexts<'a>,
    pub signatures: Rows<'a, 64>,
    pub keys: PublicKeys<'a>,
    pub rule: Rule,
    /// True if items may be verified in groups, if the rule allows it.
    pub batch_verification: bool,
    pub chunks: Chunks,
    pub items: usize,
}

impl Computation for VerifyEd25519<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        VERIFY_GPU_THRESHOLD
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        let signatures = self.signatures.slice(items.clone());
        let keys = self.keys.slice(items.clone());
        let VerifyEd25519 {
            rule,
            batch_verification,
            ..
        } = *self;
        let verification = Verification {
            rule,
            challenge: &|item| {
                // A key of another form is rejected before its challenge is used.
                let Some(key) = keys.get(item).of_32_bytes() else {
                    return [0; 64];
                };
                self.variant.challenge(
                    signatures.get(item),
                    key,
                    self.messages.get(items.start + item),
                )
            },
            bytes: self.messages.average(),
            signatures,
            keys,
            batch_verification,
        };
        verify::<Ed25519>(engine, &verification, out);
    }

    fn most_waves(&self) -> usize {
        5
    }

    fn most_items(&self) -> usize {
        if self.batch_verification && self.rule.is_cofactored() {
            self.chunks.largest()
        } else {
            usize::MAX
        }
    }

    fn data_bytes(&self, items: &Range<usize>) -> usize {
        self.messages.bytes(items)
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

/// The batch size above which a GPU signs or computes public keys faster; both take about as long
/// on the CPU.
pub(crate) const SIGN_GPU_THRESHOLD: GpuThreshold = GpuThreshold {
    portable: 32,
    simd: 80,
};

/// The operation that signs a batch.
pub(crate) struct SignEd25519<'a> {
    pub variant: Variant,
    /// The messages that are hashed with the keys, or their hashes for Ed25519ph.
    pub messages: SizedTexts<'a>,
    /// The keys. A single seed for all items is not allowed: it is expanded in advance.
    pub keys: SigningKeys<'a>,
    /// True if signatures are verified before they are returned.
    pub is_checked: bool,
    pub items: usize,
}

impl Computation for SignEd25519<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        SIGN_GPU_THRESHOLD
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        let SignEd25519 {
            variant,
            is_checked,
            ..
        } = *self;
        let signing = Signing {
            variant,
            message: &|item| self.messages.get(items.start + item),
            bytes: self.messages.average(),
            keys: self.keys.slice(items.clone()),
            is_checked,
        };
        sign(engine, &signing, out);
    }

    fn is_secret(&self) -> bool {
        true
    }

    fn data_bytes(&self, items: &Range<usize>) -> usize {
        self.messages.bytes(items)
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

/// The operation that computes the public keys of seeds.
pub(crate) struct PublicKeysOfSeeds<'a> {
    pub seeds: SecretKeys<'a>,
    pub items: usize,
}

impl Computation for PublicKeysOfSeeds<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        SIGN_GPU_THRESHOLD
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        Secrets::Seeds(self.seeds).public_keys(engine, |item| items.start + item, out);
    }

    fn is_secret(&self) -> bool {
        true
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (CURVE, vec!["ed25519_sign"])
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        self.gpu_self_tests()
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}
