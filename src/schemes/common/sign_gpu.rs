//! Signing on a GPU: nonces of RFC 6979, their points with the constant-time kernels, and the
//! signatures are all computed on the device.

use super::recovery_gpu::{KeyRows, Recovery};
use super::verify_gpu::{CHECK_FILES, CheckBuffers, EquationsOnGpu, X_MODULO_N, check};
use super::{Scheme, SignDigests, SigningInputs, known_answers};
use crate::gpu::columns::{
    Column, Content, Digests, Prefixes, RecoveryIds, Scalars, SignStatuses, Signatures, Verdicts,
};
use crate::gpu::kernels;
use crate::gpu::runtime::{Download, Fault, Plan, Stream};
use crate::gpu::tables::key_tables;
use crate::gpu::transfer::{Equations, EquationsOfChunk, Jacobian, Points, PrivateKeys};
use crate::gpu::{Launch, Running, SelfTest};
use crate::ops::keys::gpu::BaseProducts;
use crate::types::{Check, Policy, Verdict};
use std::ops::Range;

/// The columns of a chunk's signatures and of their inputs.
#[derive(Clone, Copy)]
pub struct SigningColumns {
    pub digests: Column<Digests>,
    pub keys: PrivateKeys,
    /// Additional data of the nonces.
    pub additional: Option<PrivateKeys>,
    pub nonces: Column<Scalars>,
    /// The nonces' points.
    pub points: Points,
    pub prefixes: Column<Prefixes>,
    pub signatures: Column<Signatures>,
    pub recovery_ids: Column<RecoveryIds>,
    pub status: Column<SignStatuses>,
}

/// The steps on a GPU that differ between schemes.
pub struct SchemeOnGpu {
    pub equations: EquationsOnGpu,
    /// Computes nonces from digests, keys and additional data, if any.
    pub nonces: fn(&mut Stream, &'static str, SigningColumns, usize) -> Result<(), Fault>,
    /// Computes signatures from digests, keys and nonces with their points; with low s if
    /// requested.
    pub sign: fn(&mut Stream, &'static str, SigningColumns, bool, usize) -> Result<(), Fault>,
    pub tests: known_answers::SchemeTests,
}

impl SignDigests<'_> {
    pub(super) fn kernel_files(&self) -> (&'static str, Vec<&'static str>) {
        let check: &[&str] = match self.signing.check {
            Check::Nothing => &[],
            Check::Signatures => &[&["equations", "verify"], CHECK_FILES].concat(),
            Check::RecoveryIds => &["recover"],
        };
        (
            self.curve.name(),
            [
                &["layout", "table", "nonces", "fpmul", "normalize", "sign"],
                check,
            ]
            .concat(),
        )
    }

    pub(super) fn gpu_self_tests(&self, items: usize) -> Vec<SelfTest> {
        let with_data = self.signing.inputs.signers.additional.is_some();
        known_answers::of_signing(
            self.scheme,
            self.curve,
            self.signing.check,
            with_data,
            key_tables::may_build(items),
        )
    }

    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let SigningInputs { digests, signers } = self.signing.inputs.slice(items.clone());
        let digests = plan.input(digests.bytes());
        let keys = PrivateKeys::new(plan, signers.keys);
        let additional = signers.additional.map(|data| PrivateKeys::new(plan, data));
        let nonces = plan.column();
        let sums = Jacobian::new(plan);
        let points = Points::new(plan);
        let signatures = plan.column();
        let recovery_ids = plan.column();
        let status = plan.column();
        let prefixes = sums.prefixes;
        let columns = SigningColumns {
            digests,
            keys,
            additional,
            nonces,
            points,
            prefixes,
            signatures,
            recovery_ids,
            status,
        };
        let checking = Checking::new(plan, self.signing.check, status);
        plan.codes(status);
        plan.result(0, signatures, 64);
        if self.signing.widths[1] > 0 {
            plan.result(1, recovery_ids, 1);
        }
        let n = items.len();
        let curve = self.curve.name();
        Box::new(move |running: &mut Running| {
            let slot = &mut *running.slot;
            let table = slot.cache.clone().base_point.uniform(slot, curve)?;
            (self.scheme.on_gpu.nonces)(slot, curve, columns, n)?;
            kernels::FpmulUniform {
                scalars: nonces,
                table,
                xyz: sums.xyz,
                n: n as u64,
            }
            .launch(slot, curve)?;
            sums.normalize(slot, curve, points, false, n)?;
            (self.scheme.on_gpu.sign)(slot, curve, columns, self.signing.low_s, n)?;
            checking.check(running, self.scheme, curve, columns, n)
        })
    }
}

/// The check of a chunk's signatures before they leave the device. A faulty signature could reveal
/// a key: a correct deterministic signature and a faulty one over the same digest determine it.
enum Checking {
    Nothing,
    /// Signatures verify with public keys computed from the private ones.
    Signatures {
        public: BaseProducts,
        equations: Equations,
        prefixes: Column<Prefixes>,
        buffers: CheckBuffers<'static>,
        verified: Verified<SignStatuses>,
    },
    /// The keys recovered from signatures equal these public keys. This holds only if the signature
    /// verifies and the recovery id is right.
    RecoveryIds {
        public: BaseProducts,
        recovery: Recovery,
        expected: KeyRows,
        recovered: KeyRows,
        status: Download<SignStatuses>,
    },
}

impl Checking {
    fn new(plan: &mut Plan, check: Check, status: Column<SignStatuses>) -> Self {
        match check {
            Check::Nothing => Checking::Nothing,
            Check::Signatures => {
                let public = BaseProducts::new(plan);
                let equations = Equations::new(plan);
                let prefixes = plan.column();
                let buffers = CheckBuffers::new(plan, None);
                let verified = Verified::new(plan, equations.verdicts, status);
                Checking::Signatures {
                    public,
                    equations,
                    prefixes,
                    buffers,
                    verified,
                }
            }
            Check::RecoveryIds => {
                let public = BaseProducts::new(plan);
                let recovery = Recovery::new(plan);
                let expected = KeyRows::new(plan, public.points);
                let recovered = KeyRows::new(plan, recovery.keys);
                let status = plan.download_column(status);
                Checking::RecoveryIds {
                    public,
                    recovery,
                    expected,
                    recovered,
                    status,
                }
            }
        }
    }

    fn check(
        &self,
        running: &mut Running,
        scheme: &Scheme,
        curve: &'static str,
        signed: SigningColumns,
        n: usize,
    ) -> Result<(), Fault> {
        let SigningColumns {
            digests,
            keys,
            signatures,
            recovery_ids,
            ..
        } = signed;
        match self {
            Checking::Nothing => Ok(()),
            Checking::Signatures {
                public,
                equations,
                prefixes,
                buffers,
                verified,
            } => {
                public.compute(running.slot, curve, keys, n)?;
                let rows = (digests, signatures);
                let policy = Policy::default();
                (scheme.on_gpu.equations)(
                    running.slot,
                    curve,
                    rows,
                    policy,
                    *equations,
                    *prefixes,
                    n,
                )?;
                let chunk = EquationsOfChunk {
                    curve,
                    equations: *equations,
                    keys: public.points,
                    n,
                };
                check(running, &X_MODULO_N, chunk, buffers)?;
                verified.require(running.slot)
            }
            Checking::RecoveryIds {
                public,
                recovery,
                expected,
                recovered,
                status,
            } => {
                let slot = &mut *running.slot;
                public.compute(slot, curve, keys, n)?;
                recovery.compute(slot, curve, (digests, signatures, recovery_ids), None, n)?;
                expected.download(slot, curve, public.points, n)?;
                recovered.download(slot, curve, recovery.keys, n)?;
                slot.download(status);
                slot.wait()?;
                let problem = "a signature that it computed does not give the signer's key";
                require_signed(slot.read(status), problem, |i| {
                    let expected = expected.get(slot, i);
                    let recovered = recovered.get(slot, i);
                    expected.is_some() && expected == recovered
                })
            }
        }
    }
}

/// The verdicts of a chunk's signatures for the host, with the status of signing.
pub struct Verified<T> {
    verdicts: Download<Verdicts>,
    status: Download<T>,
}

impl<T: Content> Verified<T> {
    pub fn new(plan: &mut Plan, verdicts: Column<Verdicts>, status: Column<T>) -> Self {
        Verified {
            verdicts: plan.download_column(verdicts),
            status: plan.download_column(status),
        }
    }

    /// Fails with a device fault unless every signature verifies.
    pub fn require(&self, stream: &mut Stream) -> Result<(), Fault> {
        stream.download(&self.verdicts);
        stream.download(&self.status);
        stream.wait()?;
        let verdicts = stream.read(&self.verdicts);
        let problem = "a signature that it computed does not verify";
        require_signed(stream.read(&self.status), problem, |i| {
            verdicts[i] == Verdict::VALID_CODE
        })
    }
}

/// Fails with a device fault unless `is_right` holds for every signed item.
fn require_signed(
    status: &[u8],
    problem: &str,
    is_right: impl Fn(usize) -> bool,
) -> Result<(), Fault> {
    let is_faulty = (0..status.len()).any(|i| status[i] == Verdict::VALID_CODE && !is_right(i));
    if is_faulty {
        Err(Fault::device(problem.to_owned()))
    } else {
        Ok(())
    }
}
