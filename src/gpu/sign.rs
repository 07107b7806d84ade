//! Signing: nonces of RFC 6979, their points by the uniform kernels, and the signatures, all on the device.

use super::Fault;
use super::kernels::{self, window_tables_bytes};
use super::key_tables::Grouping;
use super::lane::Lane;
use super::memory::Address;
use super::pipeline::Footprint;
use super::recover;
use super::rows::{self, JACOBIAN, NUMBER, POINT, POINT_ROW, Points as Columns, Rows, SCALAR, convert};
use super::secret::{self, KeyRows};
use super::verify::{self, EQUATIONS, Equations};
use crate::cpu::{self, CpuEngine};
use crate::curve::{Curve, EcdsaCurve, Sm2};
use crate::ecdsa::{Check, RecoverableSignature};
use crate::engine::Engines;
use crate::error::{Rejection, Verdict};
use crate::secret::SecretKeys;
use std::ops::Range;

const FILES: &[&str] = &["layout", "table", "nonces", "fpmul", "normalize", "sign"];
/// What checking the signatures needs besides.
const CHECK_FILES: &[&str] = &["equations", "verify", "key_groups", "key_tables"];
const RECOVERY_FILES: &[&str] = &["recover"];

/// `SignStatus` of the device code.
const DRAW_AGAIN: u8 = 0;
const SIGNED: u8 = 1;

/// Signatures on the device.
struct Signatures {
    rows: Address,
    recovery_ids: Address,
    status: Address,
}

/// The addresses of a chunk's inputs, and its nonces with their points.
struct Inputs {
    digests: Address,
    keys: KeyRows,
    nonces: Address,
    points: Columns,
    prefixes: Address,
}

/// One scheme's kernels.
#[allow(clippy::type_complexity, reason = "the kernels have as many arguments")]
struct Scheme<'a> {
    curve: &'static str,
    nonces: fn(&mut Lane, &'static str, Address, Address, u64, Address, Address, u64) -> Result<(), Fault>,
    sign: &'a (dyn Fn(&mut Lane, &Inputs, &Signatures, u64) -> Result<(), Fault> + Sync),
    equations: &'a (dyn Fn(&mut Lane, Address, Address, Equations, u64) -> Result<(), Fault> + Sync),
}

pub fn ecdsa<C: EcdsaCurve, T: Send>(
    engines: Engines,
    digests: &[[u8; 32]],
    keys: SecretKeys,
    low_s: bool,
    check: Check,
    result: impl Fn(RecoverableSignature) -> T + Sync,
) -> Result<Vec<Result<T, Rejection>>, Fault> {
    let scheme = Scheme {
        curve: C::NAME,
        nonces: kernels::nonces_sha256,
        sign: &|lane, inputs, out, n| ecdsa_sign::<C>(lane, low_s, inputs, out, n),
        equations: &ecdsa_equations::<C>,
    };
    let on_cpu = |cpu: &CpuEngine, items: Range<usize>| {
        let signed = cpu::secret::sign_ecdsa::<C>(cpu, &digests[items.clone()], keys.slice(items), low_s, check);
        signed.into_iter().map(|item| item.map(&result)).collect()
    };
    let signed = |signature: [u8; 64], recovery_id| result(RecoverableSignature { signature, recovery_id });
    sign(engines, digests, keys, &scheme, check, &signed, &on_cpu)
}

fn ecdsa_sign<C: EcdsaCurve>(
    lane: &mut Lane,
    low_s: bool,
    inputs: &Inputs,
    out: &Signatures,
    n: u64,
) -> Result<(), Fault> {
    let Inputs { digests, keys, nonces, points, prefixes } = *inputs;
    let Signatures { rows, recovery_ids, status } = *out;
    let Columns { xy, kinds } = points;
    let low_s = u32::from(low_s);
    kernels::ecdsa_sign(
        lane,
        C::NAME,
        digests,
        keys.rows,
        keys.stride,
        nonces,
        xy,
        kinds,
        low_s,
        rows,
        recovery_ids,
        status,
        prefixes,
        n,
    )
}

fn ecdsa_equations<C: EcdsaCurve>(
    lane: &mut Lane,
    digests: Address,
    signatures: Address,
    to: Equations,
    n: u64,
) -> Result<(), Fault> {
    let (Equations { u1, u2, x, verdicts }, prefixes) = (to, lane.prefixes(n as usize)?);
    kernels::ecdsa_equations(lane, C::NAME, digests, signatures, 0, u1, u2, x, verdicts, prefixes, n)
}

pub fn sm2(
    engines: Engines,
    digests: &[[u8; 32]],
    keys: SecretKeys,
) -> Result<Vec<Result<[u8; 64], Rejection>>, Fault> {
    let scheme = Scheme {
        curve: Sm2::NAME,
        nonces: kernels::nonces_sm3,
        sign: &|lane, inputs, out, n| {
            let Inputs { digests, keys, nonces, points, prefixes } = *inputs;
            let Columns { xy, kinds } = points;
            let (rows, status) = (out.rows, out.status);
            kernels::sm2_sign(
                lane,
                Sm2::NAME,
                digests,
                keys.rows,
                keys.stride,
                nonces,
                xy,
                kinds,
                rows,
                status,
                prefixes,
                n,
            )
        },
        equations: &|lane, digests, signatures, to, n| {
            let Equations { u1, u2, x, verdicts } = to;
            kernels::sm2_equations(lane, Sm2::NAME, digests, signatures, u1, u2, x, verdicts, n)
        },
    };
    let on_cpu = |cpu: &CpuEngine, items: Range<usize>| {
        cpu::secret::sign_sm2::<Sm2>(cpu, &digests[items.clone()], keys.slice(items), engines.check_signatures)
    };
    let check = if engines.check_signatures { Check::Signatures } else { Check::Nothing };
    sign(engines, digests, keys, &scheme, check, &|signature, _| signature, &on_cpu)
}

type OnCpu<'a, T> = dyn Fn(&CpuEngine, Range<usize>) -> Vec<Result<T, Rejection>> + Sync + 'a;

fn sign<T: Send>(
    engines: Engines,
    digests: &[[u8; 32]],
    keys: SecretKeys,
    scheme: &Scheme,
    check: Check,
    result: &(impl Fn([u8; 64], u8) -> T + Sync),
    on_cpu: &OnCpu<T>,
) -> Result<Vec<Result<T, Rejection>>, Fault> {
    let cpu = engines.cpu;
    let footprint = footprint(check);
    engines.run(
        digests.len(),
        footprint,
        &|lane, range, out| {
            let n = range.len();
            lane.device.clone().prepare(scheme.curve, FILES)?;
            let inputs = [Rows::of(&digests[range.clone()]), Rows::of_secret_keys(keys, range.clone())];
            let [digest_rows, key_rows] = rows::upload(lane, cpu, inputs)?;
            let key_rows = KeyRows::new(keys, key_rows);
            let signatures = sign_chunk(lane, scheme, digest_rows, key_rows, n)?;
            match check {
                Check::Nothing => {}
                Check::Signatures => {
                    let expected = engines.gpu.expected(digests.len() - range.start);
                    check_signatures(lane, scheme, digest_rows, key_rows, &signatures, n, expected)?;
                }
                Check::RecoveryIds => check_recovery_ids(lane, scheme.curve, digest_rows, key_rows, &signatures, n)?,
            }
            let rows = lane.download(signatures.rows, 64 * n)?;
            let recovery_ids = lane.download(signatures.recovery_ids, n)?;
            let status = lane.download(signatures.status, n)?;
            lane.finish()?;
            let (rows, recovery_ids, status) = (lane.read(rows), lane.read(recovery_ids), lane.read(status));
            convert(lane, cpu, out, |i| match status[i] {
                SIGNED => Ok(result(rows[64 * i..64 * i + 64].try_into().expect("64 bytes"), recovery_ids[i])),
                DRAW_AGAIN => {
                    let item = range.start + i;
                    on_cpu(cpu, item..item + 1).pop().unwrap_or(Err(Rejection::SecretKeyOutOfRange))
                }
                _ => Err(Rejection::SecretKeyOutOfRange),
            });
            Ok(())
        },
        &|range| on_cpu(cpu, range),
    )
}

fn footprint(check: Check) -> Footprint {
    let signing = 32 + SCALAR + POINT + JACOBIAN + 64 + 2;
    let key = SCALAR + POINT + JACOBIAN;
    // What checking takes besides, on the device and pinned.
    let (checking, checked) = match check {
        Check::Nothing => (0, 0),
        Check::Signatures => (key + EQUATIONS + NUMBER + 1 + Grouping::BYTES, 1 + 1),
        Check::RecoveryIds => (key + 2 * NUMBER + POINT + 1 + JACOBIAN + 2 * POINT_ROW, 2 * POINT_ROW + 1),
    };
    Footprint {
        device: signing + checking,
        device_fixed: if check == Check::Nothing { 0 } else { window_tables_bytes(1) },
        most_waves: 6,
        pinned: 32 + 32 + 64 + 2 + checked,
        secret: true,
    }
}

fn sign_chunk(
    lane: &mut Lane,
    scheme: &Scheme,
    digests: Address,
    keys: KeyRows,
    n: usize,
) -> Result<Signatures, Fault> {
    let (curve, count) = (scheme.curve, n as u64);
    let table = lane.device.clone().tables().uniform(lane, curve)?;
    let (nonces, status) = (lane.buffer(NUMBER * n)?, lane.buffer(n)?);
    (scheme.nonces)(lane, curve, digests, keys.rows, keys.stride, nonces, status, count)?;
    let (xyz, points) = (lane.buffer(96 * n)?, Columns { xy: lane.buffer(64 * n)?, kinds: lane.buffer(n)? });
    let prefixes = lane.prefixes(n)?;
    kernels::fpmul_uniform(lane, curve, nonces, table, xyz, count)?;
    kernels::normalize(lane, curve, xyz, points.xy, points.kinds, 0, prefixes, count)?;
    let signatures = Signatures { rows: lane.buffer(64 * n)?, recovery_ids: lane.buffer(n)?, status };
    let inputs = Inputs { digests, keys, nonces, points, prefixes };
    (scheme.sign)(lane, &inputs, &signatures, count)?;
    Ok(signatures)
}

/// The public keys of a chunk's private ones.
fn public_keys(lane: &mut Lane, curve: &'static str, keys: KeyRows, n: usize) -> Result<Columns, Fault> {
    let table = lane.device.clone().tables().uniform(lane, curve)?;
    let (columns, _) = secret::scalars(lane, curve, keys, n)?;
    let (xyz, public) = (lane.buffer(96 * n)?, Columns { xy: lane.buffer(64 * n)?, kinds: lane.buffer(n)? });
    let prefixes = lane.prefixes(n)?;
    kernels::fpmul_uniform(lane, curve, columns, table, xyz, n as u64)?;
    kernels::normalize(lane, curve, xyz, public.xy, public.kinds, 0, prefixes, n as u64)?;
    Ok(public)
}

/// Verifies the signatures of a chunk with public keys computed from the private ones: a fault of the device while it signs
/// could otherwise give a key away (a deterministic signature and a faulty one over the same digest determine it).
fn check_signatures(
    lane: &mut Lane,
    scheme: &Scheme,
    digests: Address,
    keys: KeyRows,
    signatures: &Signatures,
    n: usize,
    expected: usize,
) -> Result<(), Fault> {
    let curve = scheme.curve;
    lane.device.clone().prepare(curve, CHECK_FILES)?;
    let public = public_keys(lane, curve, keys, n)?;
    let equations = Equations::new(lane, n)?;
    (scheme.equations)(lane, digests, signatures.rows, equations, n as u64)?;
    verify::check(lane, curve, equations, public, n, expected)?;
    let verdicts = lane.download(equations.verdicts, n)?;
    let status = lane.download(signatures.status, n)?;
    lane.wait()?;
    let (verdicts, status) = (lane.read(verdicts), lane.read(status));
    let faulty = |i: &usize| status[*i] == SIGNED && verdicts[*i] != Verdict::VALID_CODE;
    match (0..n).find(faulty) {
        None => Ok(()),
        Some(_) => Err(Fault::device("a signature that it computed does not verify".to_owned())),
    }
}

/// Recovers the keys of a chunk's signatures and compares them with public keys computed from the private ones. A key comes
/// back only where its signature verifies and the recovery id is right.
fn check_recovery_ids(
    lane: &mut Lane,
    curve: &'static str,
    digests: Address,
    keys: KeyRows,
    signatures: &Signatures,
    n: usize,
) -> Result<(), Fault> {
    lane.device.clone().prepare(curve, RECOVERY_FILES)?;
    let public = public_keys(lane, curve, keys, n)?;
    let (recovered, _) = recover::recover_chunk(lane, curve, [digests, signatures.rows, signatures.recovery_ids], n)?;
    let public = rows::download_points(lane, curve, public, n)?;
    let recovered = rows::download_points(lane, curve, recovered, n)?;
    let status = lane.download(signatures.status, n)?;
    lane.wait()?;
    let comes_back = |i: usize| match (public.row(lane, i), recovered.row(lane, i)) {
        (Ok(Some(public)), Ok(Some(recovered))) => public == recovered,
        _ => false,
    };
    let status = lane.read(status);
    match (0..n).find(|&i| status[i] == SIGNED && !comes_back(i)) {
        None => Ok(()),
        Some(_) => Err(Fault::device("a signature that it computed does not give the signer's key".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Secp256k1;
    use crate::gpu::{GpuEngine, Limits};
    use crate::secret::SecretKey;
    use crate::skip;

    /// Signs with a fault that turns some bits of the first recovery id of each chunk.
    fn sign_with_fault(gpu: &GpuEngine, flipped: u8, check: Check) -> Result<(), Fault> {
        const ITEMS: usize = 300;
        let cpu = CpuEngine::new(None, None).unwrap();
        let engines = Engines { gpu, cpu: &cpu, rescue: false, check_signatures: true };
        // One key and one digest, so that all signatures are the same.
        let (key, digests) = (SecretKey::from_bytes([0x5a; 32]), [[0xc3; 32]; ITEMS]);
        let one = cpu::secret::sign_ecdsa::<Secp256k1>(&cpu, &digests[..1], (&key).into(), true, Check::Nothing);
        let right = one[0].unwrap();
        let scheme = Scheme {
            curve: Secp256k1::NAME,
            nonces: kernels::nonces_sha256,
            sign: &|lane, inputs, out, n| {
                ecdsa_sign::<Secp256k1>(lane, true, inputs, out, n)?;
                lane.fill(out.recovery_ids, right.recovery_id ^ flipped, 1)
            },
            equations: &ecdsa_equations::<Secp256k1>,
        };
        let on_cpu = |_: &CpuEngine, items: Range<usize>| vec![Ok(right); items.len()];
        let signed = |signature, recovery_id| RecoverableSignature { signature, recovery_id };
        let signed = sign(engines, &digests, (&key).into(), &scheme, check, &signed, &on_cpu)?;
        assert!(signed.iter().all(|item| item.unwrap().signature == right.signature));
        Ok(())
    }

    #[test]
    fn a_wrong_recovery_id_is_a_fault_of_the_device() {
        let start = || GpuEngine::new(Limits::default());
        let Some(gpu) = skip::without(start(), "GECC_REQUIRE_GPU") else { return };
        sign_with_fault(&gpu, 0, Check::RecoveryIds).unwrap();
        // Where nobody asks for ids, nothing is wrong.
        sign_with_fault(&gpu, 1, Check::Signatures).unwrap();
        for flipped in [1, 2, 3, 4] {
            let gpu = start().unwrap();
            let fault = sign_with_fault(&gpu, flipped, Check::RecoveryIds).unwrap_err();
            assert!(fault.problem.contains("does not give the signer's key"), "{}", fault.problem);
            assert!(!gpu.failures().is_empty());
        }
    }
}
