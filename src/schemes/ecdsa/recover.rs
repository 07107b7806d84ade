//! Recovery of the public keys or addresses of signers.

use super::recover_cpu::RecoveryInputs;
use super::{ECDSA, candidates_cpu};
use crate::cpu::CpuEngine;
use crate::curve::{Curve, CurveId, EcdsaChoice, PerCurve, Secp256k1, per_curve};
use crate::engine::Engine;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::ops::point::point_of;
use crate::schemes::common::Chunks;
use crate::types::{
    Address, Error, Points, PublicKeys, Rejection, ResultSink, ResultsMut, Rows, bytes_of,
    require_lengths,
};
use std::ops::Range;

/// The form in which recovered keys are returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecoveredForm {
    Keys,
    Addresses,
}

/// The batch size above which a GPU recovers faster.
pub(crate) const GPU_THRESHOLD: GpuThreshold = GpuThreshold {
    portable: 35,
    simd: 50,
};

/// Candidates for the recovered keys. They have no effect on results.
pub(crate) struct Candidates<'a> {
    pub keys: PublicKeys<'a>,
    pub chunks: Chunks,
}

/// The operation that recovers the keys of a batch.
pub(crate) struct Recover<'a> {
    pub curve: CurveId,
    pub inputs: RecoveryInputs<'a>,
    /// The candidates, if items may be verified in groups.
    pub candidates: Option<Candidates<'a>>,
    pub form: RecoveredForm,
    pub items: usize,
}

impl<'a> Recover<'a> {
    pub(super) fn new(
        curve: CurveId,
        inputs: RecoveryInputs<'a>,
        form: RecoveredForm,
        items: usize,
    ) -> Result<Self, Error> {
        ECDSA.require(curve)?;
        let RecoveryInputs {
            digests,
            signatures,
            recovery_ids,
        } = &inputs;
        let lengths = [
            ("digests", digests.len_for(items)),
            ("signatures", signatures.len_for(items)),
            ("recovery ids", recovery_ids.len_for(items)),
        ];
        require_lengths(items, &lengths)?;
        Ok(Recover {
            curve,
            inputs,
            candidates: None,
            form,
            items,
        })
    }
}

impl Computation for Recover<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GPU_THRESHOLD
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        type OnCpu = Option<fn(&CpuEngine, RecoveryInputs, Option<PublicKeys>, &mut ResultSink)>;
        static KEYS: PerCurve<OnCpu> = per_curve!(ecdsa candidates_cpu::recover);
        static ADDRESSES: PerCurve<OnCpu> = per_curve!(ecdsa candidates_cpu::addresses);
        let on_cpu = if self.form == RecoveredForm::Keys {
            &KEYS
        } else {
            &ADDRESSES
        };
        let candidates = self
            .candidates
            .as_ref()
            .map(|candidates| candidates.keys.slice(items.clone()));
        on_cpu.of(self.curve).expect("the curve has ECDSA")(
            engine,
            self.inputs.slice(items),
            candidates,
            out,
        );
    }

    fn most_waves(&self) -> usize {
        // With smaller chunks a batch can afford to try more of them concurrently.
        if self.candidates_of_chunk(self.items).is_some() {
            5
        } else {
            8
        }
    }

    fn most_items(&self) -> usize {
        self.candidates
            .as_ref()
            .map_or(usize::MAX, |candidates| candidates.chunks.largest())
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

/// Recovers the public key that made each signature (SEC 1, section 4.1.6). Variable-time: all
/// inputs are public.
///
/// An item is rejected with the first of these that applies: [`Rejection::ROutOfRange`],
/// [`Rejection::SOutOfRange`], [`Rejection::RecoveryIdOutOfRange`], [`Rejection::NoSuchR`],
/// [`Rejection::IdentityResult`]. High s is accepted; the recovery id must match it.
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, P256, Rejection, ecdsa};
/// let engine = Engine::new()?;
/// let keys = ecdsa::recover(&engine, P256, &[[1; 32]], &[[0; 64]], &[0])?;
/// assert_eq!(keys[0], Err(Rejection::ROutOfRange));
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn recover(
    engine: &Engine,
    curve: impl EcdsaChoice,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    recovery_ids: &[u8],
) -> Result<Points, Error> {
    let inputs = RecoveryInputs::new(digests, signatures, recovery_ids.as_chunks::<1>().0);
    engine.collect(
        &Recover::new(curve.id(), inputs, RecoveredForm::Keys, digests.len())?,
        point_of,
    )
}

/// Recovers public keys from columns into columns: 64 bytes `x || y` per item. See [`recover`].
/// Variable-time: all inputs are public.
///
/// # Errors
/// The errors of [`recover`].
pub fn recover_into<'a>(
    engine: &Engine,
    curve: impl EcdsaChoice,
    digests: impl Into<Rows<'a, 32>>,
    signatures: impl Into<Rows<'a, 64>>,
    recovery_ids: impl Into<Rows<'a, 1>>,
    keys: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    require_lengths(codes.len(), &[("keys", keys.len())])?;
    let inputs = RecoveryInputs::new(digests, signatures, recovery_ids);
    let recover = Recover::new(curve.id(), inputs, RecoveredForm::Keys, codes.len())?;
    engine.run(&recover, ResultsMut::rows(codes, keys))
}

/// Recovers the Ethereum address of the key that made each signature, on secp256k1. Keys are
/// recovered as by [`recover`] and hashed on the same device. Variable-time: all inputs are public.
///
/// Items are rejected as in [`recover`]. EIP-2 also requires low s in transactions, which is not
/// checked here.
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, SecretKey, ecdsa};
/// let engine = Engine::new()?;
/// let mut one = [0; 32];
/// one[31] = 1;
/// let key = SecretKey::from_bytes(one);
/// let signed = ecdsa::sign_recoverable(&engine, gecc::Secp256k1, &[[9; 32]], &key, Default::default())?[0].unwrap();
/// let addresses = ecdsa::recover_addresses(&engine, &[[9; 32]], &[signed.signature], &[signed.recovery_id])?;
/// // The account of the private key 1.
/// assert_eq!(hex::encode(addresses[0].unwrap()), "7e5f4552091a69125d5dfcb7b8c2659029395bdf");
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn recover_addresses(
    engine: &Engine,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    recovery_ids: &[u8],
) -> Result<Vec<Result<Address, Rejection>>, Error> {
    let inputs = RecoveryInputs::new(digests, signatures, recovery_ids.as_chunks::<1>().0);
    let recover = Recover::new(
        Secp256k1::ID,
        inputs,
        RecoveredForm::Addresses,
        digests.len(),
    )?;
    engine.collect(&recover, bytes_of)
}

/// Recovers Ethereum addresses from columns into columns: 20 bytes per item. See
/// [`recover_addresses`]. Variable-time: all inputs are public.
///
/// # Errors
/// The errors of [`recover_addresses`].
pub fn recover_addresses_into<'a>(
    engine: &Engine,
    digests: impl Into<Rows<'a, 32>>,
    signatures: impl Into<Rows<'a, 64>>,
    recovery_ids: impl Into<Rows<'a, 1>>,
    addresses: &mut [Address],
    codes: &mut [u8],
) -> Result<(), Error> {
    require_lengths(codes.len(), &[("addresses", addresses.len())])?;
    let inputs = RecoveryInputs::new(digests, signatures, recovery_ids);
    let recover = Recover::new(Secp256k1::ID, inputs, RecoveredForm::Addresses, codes.len())?;
    engine.run(&recover, ResultsMut::rows(codes, addresses))
}
