//! Signing: nonces of RFC 6979, their points by the uniform kernels, and the signatures, all on the device.

use super::Fault;
use super::codes::SignStatus;
use super::columns::Verdicts;
use super::columns::{
    Column, Digests, Prefixes, RecoveryIds, Scalars, SecretKeys as KeyColumn, SignStatuses, Signatures,
};
use super::kernels;
use super::known_answers::{SchemeTests, Test, Tests, with_tables};
use super::lane::Lane;
use super::pipeline::{Chunk, Operation};
use super::plan::{Download, Plan, Upload};
use super::recover::Recovery;
use super::rows::{self, Jacobian, PointRows, Points as Columns, Rows, convert};
use super::secret::{BaseProducts, KeyRows, plan_secret_keys};
use super::verify::{self, CheckBuffers, Equations, Signed, ToEquations};
use crate::cpu::{self, CpuEngine};
use crate::curve::{Curve, EcdsaCurve, Sm2};
use crate::ecdsa::{Check, Policy, RecoverableSignature};
use crate::engine::Engines;
use crate::error::{Rejection, Verdict};
use crate::secret::SecretKeys;
use std::mem::MaybeUninit;
use std::ops::Range;

const FILES: &[&str] = &["layout", "table", "nonces", "fpmul", "normalize", "sign"];
/// What checking the signatures needs besides.
const CHECK_FILES: &[&str] = &["equations", "verify", "key_groups", "key_tables"];
const RECOVERY_FILES: &[&str] = &["recover"];

/// A chunk's signatures, and what they are computed from.
pub struct Signing {
    digests: Upload<Digests>,
    keys: Upload<KeyColumn>,
    nonces: Column<Scalars>,
    sums: Jacobian,
    /// The nonces' points.
    points: Columns,
    signatures: Column<Signatures>,
    recovery_ids: Column<RecoveryIds>,
    status: Column<SignStatuses>,
}

/// From digests, keys and nonces with their points to signatures.
type ToSignatures<'a> = dyn Fn(&mut Lane, &Signing, KeyRows, usize) -> Result<(), Fault> + Sync + 'a;

/// From digests and keys to nonces, with the status of each item.
type ToNonces = fn(&mut Lane, &Signing, KeyRows, usize) -> Result<(), Fault>;

/// One scheme's kernels.
pub struct Scheme<'a> {
    pub curve: &'static str,
    nonces: ToNonces,
    sign: &'a ToSignatures<'a>,
    equations: &'a ToEquations<'a>,
    tests: SchemeTests,
}

pub fn ecdsa_scheme<C: EcdsaCurve>(low_s: bool) -> Scheme<'static> {
    Scheme {
        curve: C::NAME,
        nonces: ecdsa_nonces::<C>,
        sign: if low_s { &ecdsa_sign_low_s::<C> } else { &ecdsa_sign_as_computed::<C> },
        equations: &ecdsa_equations::<C>,
        tests: Tests::<C>::ECDSA,
    }
}

pub fn sm2_scheme() -> Scheme<'static> {
    Scheme {
        curve: Sm2::NAME,
        nonces: sm2_nonces,
        sign: &sm2_sign,
        equations: &verify::sm2_equations,
        tests: Tests::<Sm2>::SM2,
    }
}

pub fn ecdsa<C: EcdsaCurve, T: Send>(
    engines: Engines,
    digests: &[[u8; 32]],
    keys: SecretKeys,
    low_s: bool,
    check: Check,
    result: impl Fn(RecoverableSignature) -> T + Sync,
) -> Result<Vec<Result<T, Rejection>>, Fault> {
    let on_cpu = |cpu: &CpuEngine, items: Range<usize>| {
        let signed = cpu::secret::sign_ecdsa::<C>(cpu, &digests[items.clone()], keys.slice(items), low_s, check);
        signed.into_iter().map(|item| item.map(&result)).collect()
    };
    let result = &|signature: [u8; 64], recovery_id| result(RecoverableSignature { signature, recovery_id });
    engines.run(&Sign { digests, keys, scheme: &ecdsa_scheme::<C>(low_s), check, result, on_cpu: &on_cpu })
}

fn ecdsa_sign_low_s<C: EcdsaCurve>(lane: &mut Lane, signing: &Signing, keys: KeyRows, n: usize) -> Result<(), Fault> {
    ecdsa_sign::<C>(lane, true, signing, keys, n)
}

fn ecdsa_sign_as_computed<C: EcdsaCurve>(
    lane: &mut Lane,
    signing: &Signing,
    keys: KeyRows,
    n: usize,
) -> Result<(), Fault> {
    ecdsa_sign::<C>(lane, false, signing, keys, n)
}

fn ecdsa_sign<C: EcdsaCurve>(
    lane: &mut Lane,
    low_s: bool,
    signing: &Signing,
    keys: KeyRows,
    n: usize,
) -> Result<(), Fault> {
    let Signing { ref digests, nonces, sums, points, signatures, recovery_ids, status, .. } = *signing;
    let (KeyRows { rows: keys, stride: key_stride }, Columns { xy: r_xy, kinds: r_kinds }) = (keys, points);
    kernels::EcdsaSign {
        digests: digests.column,
        keys,
        key_stride,
        nonces,
        r_xy,
        r_kinds,
        low_s: u32::from(low_s),
        signatures,
        recovery_ids,
        status,
        prefixes: sums.prefixes,
        n: n as u64,
    }
    .launch(lane, C::NAME)
}

fn ecdsa_nonces<C: EcdsaCurve>(lane: &mut Lane, signing: &Signing, keys: KeyRows, n: usize) -> Result<(), Fault> {
    let Signing { ref digests, nonces, status, .. } = *signing;
    let (digests, KeyRows { rows: keys, stride: key_stride }) = (digests.column, keys);
    kernels::NoncesSha256 { digests, keys, key_stride, nonces, status, n: n as u64 }.launch(lane, C::NAME)
}

fn ecdsa_equations<C: EcdsaCurve>(
    lane: &mut Lane,
    signed: Signed,
    to: Equations,
    prefixes: Column<Prefixes>,
    n: usize,
) -> Result<(), Fault> {
    verify::ecdsa_equations::<C>(lane, signed, Policy::default(), to, prefixes, n)
}

pub fn sm2(
    engines: Engines,
    digests: &[[u8; 32]],
    keys: SecretKeys,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Fault> {
    let on_cpu = |cpu: &CpuEngine, items: Range<usize>| {
        cpu::secret::sign_sm2::<Sm2>(cpu, &digests[items.clone()], keys.slice(items), engines.check_signatures)
    };
    let check = if engines.check_signatures { Check::Signatures } else { Check::Nothing };
    let result = &|signature, _| signature;
    engines.run(&Sign { digests, keys, scheme: &sm2_scheme(), check, result, on_cpu: &on_cpu })
}

fn sm2_sign(lane: &mut Lane, signing: &Signing, keys: KeyRows, n: usize) -> Result<(), Fault> {
    let Signing { ref digests, nonces, sums, points, signatures, status, .. } = *signing;
    let (KeyRows { rows: keys, stride: key_stride }, Columns { xy: r_xy, kinds: r_kinds }) = (keys, points);
    kernels::Sm2Sign {
        digests: digests.column,
        keys,
        key_stride,
        nonces,
        r_xy,
        r_kinds,
        signatures,
        status,
        prefixes: sums.prefixes,
        n: n as u64,
    }
    .launch(lane, Sm2::NAME)
}

fn sm2_nonces(lane: &mut Lane, signing: &Signing, keys: KeyRows, n: usize) -> Result<(), Fault> {
    let Signing { ref digests, nonces, status, .. } = *signing;
    let (digests, KeyRows { rows: keys, stride: key_stride }) = (digests.column, keys);
    kernels::NoncesSm3 { digests, keys, key_stride, nonces, status, n: n as u64 }.launch(lane, Sm2::NAME)
}

type OnCpu<'a, T> = dyn Fn(&CpuEngine, Range<usize>) -> Vec<Result<T, Rejection>> + Sync + 'a;

/// Signing of a batch by one scheme.
pub struct Sign<'a, T> {
    pub digests: &'a [[u8; 32]],
    pub keys: SecretKeys<'a>,
    pub scheme: &'a Scheme<'a>,
    pub check: Check,
    pub result: &'a (dyn Fn([u8; 64], u8) -> T + Sync),
    pub on_cpu: &'a OnCpu<'a, T>,
}

impl Signing {
    fn new(plan: &mut Plan, keys: SecretKeys) -> Self {
        let (digests, keys, nonces) = (plan.rows(), plan_secret_keys(plan, keys), plan.column());
        let (sums, points, signatures) = (Jacobian::new(plan), Columns::new(plan), plan.column());
        let (recovery_ids, status) = (plan.column(), plan.column());
        Signing { digests, keys, nonces, sums, points, signatures, recovery_ids, status }
    }

    fn signed(&self) -> Signed {
        Signed { digests: self.digests.column, signatures: self.signatures }
    }

    fn compute(&self, lane: &mut Lane, scheme: &Scheme, keys: KeyRows, n: usize) -> Result<(), Fault> {
        let (Signing { nonces, sums, points, .. }, curve) = (self, scheme.curve);
        let table = lane.device.clone().tables().uniform(lane, curve)?;
        (scheme.nonces)(lane, self, keys, n)?;
        kernels::FpmulUniform { scalars: *nonces, table, xyz: sums.xyz, n: n as u64 }.launch(lane, curve)?;
        sums.normalize(lane, curve, *points, false, n)?;
        (scheme.sign)(lane, self, keys, n)
    }
}

pub struct SignBuffers {
    signing: Signing,
    checking: Checking,
    signatures: Download<Signatures>,
    recovery_ids: Download<RecoveryIds>,
    status: Download<SignStatuses>,
}

impl<T: Send> Operation for Sign<'_, T> {
    type Output = Result<T, Rejection>;
    type Buffers = SignBuffers;
    const SECRET: bool = true;
    const MOST_WAVES: usize = 6;

    fn items(&self) -> usize {
        self.digests.len()
    }

    fn plan(&self, plan: &mut Plan, _: &Range<usize>) -> SignBuffers {
        let signing = Signing::new(plan, self.keys);
        let checking = Checking::new(plan, self.check, signing.status);
        let signatures = plan.download_column(signing.signatures);
        let recovery_ids = plan.download_column(signing.recovery_ids);
        SignBuffers { status: plan.download_column(signing.status), signing, checking, signatures, recovery_ids }
    }

    fn tests(&self, items: usize) -> &'static [Test] {
        let tests = &self.scheme.tests;
        match self.check {
            Check::Nothing => tests.sign,
            Check::Signatures => with_tables(tests.sign_and_verify, items),
            Check::RecoveryIds => tests.sign_and_recover,
        }
    }

    fn compute(&self, chunk: Chunk, buffers: &SignBuffers, out: &mut [MaybeUninit<Self::Output>]) -> Result<(), Fault> {
        let (Chunk { lane, cpu, items, expected }, n) = (chunk, out.len());
        let SignBuffers { signing, checking, signatures, recovery_ids, status } = buffers;
        lane.device.clone().prepare(self.scheme.curve, FILES)?;
        let inputs = [
            (Rows::of(&self.digests[items.clone()]), &signing.digests.staging),
            (Rows::of_secret_keys(self.keys, items.clone()), &signing.keys.staging),
        ];
        rows::upload(lane, cpu, inputs)?;
        let keys = KeyRows::new(self.keys, &signing.keys);
        signing.compute(lane, self.scheme, keys, n)?;
        checking.check(lane, self.scheme, signing, keys, n, expected)?;
        lane.download(signatures);
        lane.download(recovery_ids);
        lane.download(status);
        lane.finish()?;
        let (rows, recovery_ids, status) = (lane.read(signatures), lane.read(recovery_ids), lane.read(status));
        convert(lane, cpu, out, |i| match SignStatus::from_code(status[i]) {
            Some(SignStatus::Signed) => {
                Ok((self.result)(rows[64 * i..64 * i + 64].try_into().expect("64 bytes"), recovery_ids[i]))
            }
            Some(SignStatus::DrawAgain) => {
                let item = items.start + i;
                (self.on_cpu)(cpu, item..item + 1).pop().unwrap_or(Err(Rejection::SecretKeyOutOfRange))
            }
            None => Err(Rejection::SecretKeyOutOfRange),
        });
        Ok(())
    }

    fn on_cpu(&self, cpu: &CpuEngine, items: Range<usize>) -> Vec<Self::Output> {
        (self.on_cpu)(cpu, items)
    }
}

/// What is checked of a chunk's signatures before they leave the device: one that the device computed wrongly could give a key
/// away (a deterministic signature and a faulty one over the same digest determine it).
enum Checking {
    Nothing,
    /// Signatures verify with public keys computed from the private ones.
    Signatures {
        public: BaseProducts,
        equations: Equations,
        prefixes: Column<Prefixes>,
        check: CheckBuffers,
        verdicts: Download<Verdicts>,
        status: Download<SignStatuses>,
    },
    /// The keys recovered from signatures are these public keys: a key comes back only where its signature verifies and the
    /// recovery id is right.
    RecoveryIds {
        public: BaseProducts,
        recovery: Recovery,
        expected: PointRows,
        recovered: PointRows,
        status: Download<SignStatuses>,
    },
}

impl Checking {
    fn new(plan: &mut Plan, check: Check, status: Column<SignStatuses>) -> Self {
        match check {
            Check::Nothing => Checking::Nothing,
            Check::Signatures => {
                let (public, equations) = (BaseProducts::new(plan), Equations::new(plan));
                let (prefixes, check) = (plan.column(), CheckBuffers::new(plan));
                let verdicts = plan.download_column(equations.verdicts);
                let status = plan.download_column(status);
                Checking::Signatures { public, equations, prefixes, check, verdicts, status }
            }
            Check::RecoveryIds => {
                let (public, recovery) = (BaseProducts::new(plan), Recovery::new(plan));
                let (expected, recovered) = (PointRows::new(plan, public.points), PointRows::new(plan, recovery.keys));
                let status = plan.download_column(status);
                Checking::RecoveryIds { public, recovery, expected, recovered, status }
            }
        }
    }

    fn check(
        &self,
        lane: &mut Lane,
        scheme: &Scheme,
        signing: &Signing,
        keys: KeyRows,
        n: usize,
        still_to_come: usize,
    ) -> Result<(), Fault> {
        let curve = scheme.curve;
        match self {
            Checking::Nothing => Ok(()),
            Checking::Signatures { public, equations, prefixes, check, verdicts, status } => {
                lane.device.clone().prepare(curve, CHECK_FILES)?;
                public.compute(lane, curve, keys, n)?;
                (scheme.equations)(lane, signing.signed(), *equations, *prefixes, n)?;
                verify::check(lane, curve, *equations, public.points, check, n, still_to_come)?;
                lane.download(verdicts);
                lane.download(status);
                lane.wait()?;
                let verdicts = lane.read(verdicts);
                let verifies = |i: usize| verdicts[i] == Verdict::VALID_CODE;
                all_signed(lane.read(status), verifies, "a signature that it computed does not verify")
            }
            Checking::RecoveryIds { public, recovery, expected, recovered, status } => {
                lane.device.clone().prepare(curve, RECOVERY_FILES)?;
                public.compute(lane, curve, keys, n)?;
                recovery.compute(lane, curve, signing.signed(), signing.recovery_ids, n)?;
                expected.download(lane, curve, public.points, n)?;
                recovered.download(lane, curve, recovery.keys, n)?;
                lane.download(status);
                lane.wait()?;
                let comes_back = |i: usize| match (expected.row(lane, i), recovered.row(lane, i)) {
                    (Ok(Some(expected)), Ok(Some(recovered))) => expected == recovered,
                    _ => false,
                };
                let problem = "a signature that it computed does not give the signer's key";
                all_signed(lane.read(status), comes_back, problem)
            }
        }
    }
}

/// A fault of the device unless all that were signed are as they must be.
fn all_signed(status: &[u8], as_it_must_be: impl Fn(usize) -> bool, problem: &str) -> Result<(), Fault> {
    let is_signed = |i: usize| SignStatus::from_code(status[i]) == Some(SignStatus::Signed);
    let faulty = (0..status.len()).any(|i| is_signed(i) && !as_it_must_be(i));
    if faulty { Err(Fault::device(problem.to_owned())) } else { Ok(()) }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::curve::Secp256k1;
    use crate::gpu::{GpuEngine, Limits};
    use crate::secret::SecretKey;

    /// Signing that is planned and not computed.
    pub fn with_scheme(digests: &[[u8; 32]], keys: SecretKeys, check: Check, then: impl FnOnce(&Sign<[u8; 64]>)) {
        let scheme = ecdsa_scheme::<Secp256k1>(true);
        let (result, on_cpu) = (&|signature, _| signature, &|_: &CpuEngine, _| Vec::new());
        then(&Sign { digests, keys, scheme: &scheme, check, result, on_cpu });
    }

    /// Signs with a fault that turns some bits of the first recovery id of each chunk.
    fn sign_with_fault(gpu: &GpuEngine, flipped: u8, check: Check) -> Result<(), Fault> {
        const ITEMS: usize = 300;
        let cpu = CpuEngine::new(None, None).unwrap();
        let engines = Engines { gpu, cpu: &cpu, rescue: false, check_signatures: true };
        // One key and one digest, so that all signatures are the same.
        let (key, digests) = (SecretKey::from_bytes([0x5a; 32]), [[0xc3; 32]; ITEMS]);
        let one = cpu::secret::sign_ecdsa::<Secp256k1>(&cpu, &digests[..1], (&key).into(), true, Check::Nothing);
        let right = one[0].unwrap();
        let sign = |lane: &mut Lane, signing: &Signing, keys: KeyRows, n: usize| {
            ecdsa_sign_low_s::<Secp256k1>(lane, signing, keys, n)?;
            lane.fill(signing.recovery_ids, right.recovery_id ^ flipped, 1)
        };
        let scheme = Scheme { sign: &sign, ..ecdsa_scheme::<Secp256k1>(true) };
        let on_cpu = |_: &CpuEngine, items: Range<usize>| vec![Ok(right); items.len()];
        let result = &|signature, recovery_id| RecoverableSignature { signature, recovery_id };
        let keys = (&key).into();
        let signed = engines.run(&Sign { digests: &digests, keys, scheme: &scheme, check, result, on_cpu: &on_cpu })?;
        assert!(signed.iter().all(|item| item.unwrap().signature == right.signature));
        Ok(())
    }

    #[test]
    #[cfg_attr(gecc_tests_without_gpu, ignore = "no GPU where this was built; GECC_REQUIRE_GPU=1 makes that a failure")]
    fn a_wrong_recovery_id_is_a_fault_of_the_device() {
        let start = || GpuEngine::new(Limits::default()).expect("there is a GPU");
        let gpu = start();
        sign_with_fault(&gpu, 0, Check::RecoveryIds).unwrap();
        // Where nobody asks for ids, nothing is wrong.
        sign_with_fault(&gpu, 1, Check::Signatures).unwrap();
        for flipped in [1, 2, 3, 4] {
            let gpu = start();
            let fault = sign_with_fault(&gpu, flipped, Check::RecoveryIds).unwrap_err();
            assert!(fault.problem.contains("does not give the signer's key"), "{}", fault.problem);
            assert!(!gpu.failures().is_empty());
        }
    }
}
