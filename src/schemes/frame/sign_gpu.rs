//! Signing: nonces of RFC 6979, their points by the uniform kernels, and the signatures, all on the device.

use super::Fault;
use super::kernels;
use super::known_answers::{SchemeTests, Test, Tests, with_tables};
use super::lane::{Lane, PREFIX};
use super::memory::Address;
use super::pipeline::{Chunk, Operation};
use super::plan::{Download, Plan, Upload};
use super::recover::Recovery;
use super::rows::{self, Jacobian, NUMBER, PointRows, Points as Columns, Rows, convert};
use super::secret::{BaseProducts, KeyRows, plan_secret_keys};
use super::verify::{self, CheckBuffers, Equations, ToEquations};
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

/// `SignStatus` of the device code.
const DRAW_AGAIN: u8 = 0;
const SIGNED: u8 = 1;

/// A chunk's signatures, and what they are computed from.
pub struct Signing {
    digests: Upload,
    keys: Upload,
    nonces: Address,
    sums: Jacobian,
    /// The nonces' points.
    points: Columns,
    rows: Address,
    recovery_ids: Address,
    status: Address,
}

/// From digests, keys and nonces with their points to signatures.
type ToSignatures<'a> = dyn Fn(&mut Lane, &Signing, KeyRows, usize) -> Result<(), Fault> + Sync + 'a;

/// One scheme's kernels.
#[allow(clippy::type_complexity, reason = "the kernel has as many arguments")]
pub struct Scheme<'a> {
    pub curve: &'static str,
    nonces: fn(&mut Lane, &'static str, Address, Address, u64, Address, Address, u64) -> Result<(), Fault>,
    sign: &'a ToSignatures<'a>,
    equations: &'a ToEquations<'a>,
    tests: SchemeTests,
}

pub fn ecdsa_scheme<C: EcdsaCurve>(low_s: bool) -> Scheme<'static> {
    Scheme {
        curve: C::NAME,
        nonces: kernels::nonces_sha256,
        sign: if low_s { &ecdsa_sign_low_s::<C> } else { &ecdsa_sign_as_computed::<C> },
        equations: &ecdsa_equations::<C>,
        tests: Tests::<C>::ECDSA,
    }
}

pub fn sm2_scheme() -> Scheme<'static> {
    Scheme {
        curve: Sm2::NAME,
        nonces: kernels::nonces_sm3,
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
    let Signing { ref digests, nonces, sums, points: Columns { xy, kinds }, rows, recovery_ids, status, .. } = *signing;
    kernels::ecdsa_sign(
        lane,
        C::NAME,
        digests.address,
        keys.rows,
        keys.stride,
        nonces,
        xy,
        kinds,
        u32::from(low_s),
        rows,
        recovery_ids,
        status,
        sums.prefixes,
        n as u64,
    )
}

fn ecdsa_equations<C: EcdsaCurve>(
    lane: &mut Lane,
    rows: [Address; 2],
    to: Equations,
    prefixes: Address,
    n: usize,
) -> Result<(), Fault> {
    verify::ecdsa_equations::<C>(lane, rows, Policy::default(), to, prefixes, n)
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
    let Signing { digests, nonces, sums, points: Columns { xy, kinds }, rows, status, .. } = signing;
    kernels::sm2_sign(
        lane,
        Sm2::NAME,
        digests.address,
        keys.rows,
        keys.stride,
        *nonces,
        *xy,
        *kinds,
        *rows,
        *status,
        sums.prefixes,
        n as u64,
    )
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
        let (digests, keys, nonces) = (plan.rows(32), plan_secret_keys(plan, keys), plan.each(NUMBER));
        let (sums, points, rows) = (Jacobian::new(plan), Columns::new(plan), plan.each(64));
        Signing { digests, keys, nonces, sums, points, rows, recovery_ids: plan.each(1), status: plan.each(1) }
    }

    fn compute(&self, lane: &mut Lane, scheme: &Scheme, keys: KeyRows, n: usize) -> Result<(), Fault> {
        let (Signing { digests, nonces, sums, points, status, .. }, curve) = (self, scheme.curve);
        let table = lane.device.clone().tables().uniform(lane, curve)?;
        (scheme.nonces)(lane, curve, digests.address, keys.rows, keys.stride, *nonces, *status, n as u64)?;
        kernels::fpmul_uniform(lane, curve, *nonces, table, sums.xyz, n as u64)?;
        sums.normalize(lane, curve, *points, false, n)?;
        (scheme.sign)(lane, self, keys, n)
    }
}

pub struct SignBuffers {
    signing: Signing,
    checking: Checking,
    rows: Download,
    recovery_ids: Download,
    status: Download,
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
        let rows = plan.download_each(signing.rows, 64);
        let recovery_ids = plan.download_each(signing.recovery_ids, 1);
        SignBuffers { status: plan.download_each(signing.status, 1), signing, checking, rows, recovery_ids }
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
        let SignBuffers { signing, checking, rows, recovery_ids, status } = buffers;
        lane.device.clone().prepare(self.scheme.curve, FILES)?;
        let inputs = [
            (Rows::of(&self.digests[items.clone()]), &signing.digests),
            (Rows::of_secret_keys(self.keys, items.clone()), &signing.keys),
        ];
        rows::upload(lane, cpu, inputs)?;
        let keys = KeyRows::new(self.keys, &signing.keys);
        signing.compute(lane, self.scheme, keys, n)?;
        checking.check(lane, self.scheme, signing, keys, n, expected)?;
        [rows, recovery_ids, status].into_iter().for_each(|from| lane.download(from));
        lane.finish()?;
        let (rows, recovery_ids, status) = (lane.read(rows), lane.read(recovery_ids), lane.read(status));
        convert(lane, cpu, out, |i| match status[i] {
            SIGNED => Ok((self.result)(rows[64 * i..64 * i + 64].try_into().expect("64 bytes"), recovery_ids[i])),
            DRAW_AGAIN => {
                let item = items.start + i;
                (self.on_cpu)(cpu, item..item + 1).pop().unwrap_or(Err(Rejection::SecretKeyOutOfRange))
            }
            _ => Err(Rejection::SecretKeyOutOfRange),
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
        prefixes: Address,
        check: CheckBuffers,
        verdicts: Download,
        status: Download,
    },
    /// The keys recovered from signatures are these public keys: a key comes back only where its signature verifies and the
    /// recovery id is right.
    RecoveryIds {
        public: BaseProducts,
        recovery: Recovery,
        expected: PointRows,
        recovered: PointRows,
        status: Download,
    },
}

impl Checking {
    fn new(plan: &mut Plan, check: Check, status: Address) -> Self {
        match check {
            Check::Nothing => Checking::Nothing,
            Check::Signatures => {
                let (public, equations) = (BaseProducts::new(plan), Equations::new(plan));
                let (prefixes, check) = (plan.each(PREFIX), CheckBuffers::new(plan));
                let verdicts = plan.download_each(equations.verdicts, 1);
                let status = plan.download_each(status, 1);
                Checking::Signatures { public, equations, prefixes, check, verdicts, status }
            }
            Check::RecoveryIds => {
                let (public, recovery) = (BaseProducts::new(plan), Recovery::new(plan));
                let (expected, recovered) = (PointRows::new(plan, public.points), PointRows::new(plan, recovery.keys));
                let status = plan.download_each(status, 1);
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
        let Signing { digests, rows, recovery_ids, .. } = signing;
        match self {
            Checking::Nothing => Ok(()),
            Checking::Signatures { public, equations, prefixes, check, verdicts, status } => {
                lane.device.clone().prepare(curve, CHECK_FILES)?;
                public.compute(lane, curve, keys, n)?;
                (scheme.equations)(lane, [digests.address, *rows], *equations, *prefixes, n)?;
                verify::check(lane, curve, *equations, public.points, check, n, still_to_come)?;
                [verdicts, status].into_iter().for_each(|from| lane.download(from));
                lane.wait()?;
                let verdicts = lane.read(verdicts);
                let verifies = |i: usize| verdicts[i] == Verdict::VALID_CODE;
                all_signed(lane.read(status), verifies, "a signature that it computed does not verify")
            }
            Checking::RecoveryIds { public, recovery, expected, recovered, status } => {
                lane.device.clone().prepare(curve, RECOVERY_FILES)?;
                public.compute(lane, curve, keys, n)?;
                recovery.compute(lane, curve, [digests.address, *rows, *recovery_ids], n)?;
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
    let faulty = (0..status.len()).any(|i| status[i] == SIGNED && !as_it_must_be(i));
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
