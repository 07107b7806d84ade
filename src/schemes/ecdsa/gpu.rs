//! ECDSA on a GPU: the steps of verification and signing that differ between schemes.

use super::known_answers;
use crate::gpu::columns::{Column, Digests, Prefixes, Signatures};
use crate::gpu::kernels;
use crate::gpu::runtime::{Fault, Stream};
use crate::gpu::transfer::{Equations, Points, PrivateKeys};
use crate::schemes::common::{SchemeOnGpu, SigningColumns};
use crate::types::Policy;

/// Computes the equations of SEC 1, section 4.1.4, steps 1, 3 and 4.
pub fn equations(
    stream: &mut Stream,
    curve: &'static str,
    (digests, signatures): (Column<Digests>, Column<Signatures>),
    policy: Policy,
    Equations {
        u1,
        u2,
        x,
        verdicts,
        ..
    }: Equations,
    prefixes: Column<Prefixes>,
    n: usize,
) -> Result<(), Fault> {
    stream.keep_in_l2(prefixes, n)?;
    let low_s = u32::from(policy.low_s);
    let n = n as u64;
    kernels::EcdsaEquations {
        digests,
        signatures,
        low_s,
        u1,
        u2,
        x,
        verdicts,
        prefixes,
        n,
    }
    .launch(stream, curve)
}

pub const STEPS: SchemeOnGpu = SchemeOnGpu {
    equations,
    nonces,
    sign,
    tests: known_answers::TESTS,
};

fn nonces(
    stream: &mut Stream,
    curve: &'static str,
    SigningColumns {
        digests,
        keys,
        additional,
        nonces,
        status,
        ..
    }: SigningColumns,
    n: usize,
) -> Result<(), Fault> {
    let PrivateKeys {
        rows: keys,
        stride: key_stride,
    } = keys;
    let n = n as u64;
    let Some(PrivateKeys {
        rows: additional,
        stride: additional_stride,
    }) = additional
    else {
        return kernels::NoncesSha256 {
            digests,
            keys,
            key_stride,
            nonces,
            status,
            n,
        }
        .launch(stream, curve);
    };
    kernels::NoncesWithDataSha256 {
        digests,
        keys,
        key_stride,
        additional,
        additional_stride,
        nonces,
        status,
        n,
    }
    .launch(stream, curve)
}

/// Completes signatures after R = kG (SEC 1, section 4.1.3).
pub fn sign(
    stream: &mut Stream,
    curve: &'static str,
    columns: SigningColumns,
    low_s: bool,
    n: usize,
) -> Result<(), Fault> {
    let SigningColumns {
        digests,
        keys,
        nonces,
        points,
        prefixes,
        signatures,
        recovery_ids,
        status,
        ..
    } = columns;
    let Points {
        xy: r_xy,
        kinds: r_kinds,
    } = points;
    kernels::EcdsaSign {
        digests,
        keys: keys.rows,
        key_stride: keys.stride,
        nonces,
        r_xy,
        r_kinds,
        low_s: u32::from(low_s),
        signatures,
        recovery_ids,
        status,
        prefixes,
        n: n as u64,
    }
    .launch(stream, curve)
}

#[cfg(test)]
mod gpu_tests {
    use super::*;
    use crate::cpu::CpuEngine;
    use crate::curve::{CurveId, per_curve};
    use crate::gpu::{GpuEngine, Limits};
    use crate::operation::Computation;
    use crate::schemes::common::{Scheme, SignDigests, Signing, SigningInputs};
    use crate::schemes::ecdsa::{ECDSA, cpu, recoverable_of};
    use crate::types::{Check, RecoverableSignature, ResultsMut, SecretKey};
    use std::sync::OnceLock;

    const ITEMS: usize = 300;
    /// One key and one digest, so that all signatures are equal.
    const KEY: [u8; 32] = [0x5a; 32];
    const DIGEST: [u8; 32] = [0xc3; 32];

    /// Signs all items, on the CPU if no GPU is given.
    fn signed(
        gpu: Option<&GpuEngine>,
        scheme: &'static Scheme,
        check: Check,
    ) -> Result<Vec<RecoverableSignature>, Fault> {
        let cpu = CpuEngine::new(None, None).unwrap();
        let key = SecretKey::from_bytes(KEY);
        let digests = [DIGEST; ITEMS];
        let widths = cpu::widths(true);
        let inputs = SigningInputs {
            digests: (&digests).into(),
            signers: (&key).into(),
        };
        let signing = Signing {
            inputs,
            low_s: true,
            check,
            widths,
        };
        let sign = SignDigests {
            scheme,
            curve: CurveId::Secp256k1,
            signing,
            items: ITEMS,
        };
        let mut codes = vec![0; ITEMS];
        let mut signatures = vec![0; 64 * ITEMS];
        let mut ids = vec![0; ITEMS];
        let mut out = ResultsMut::new(&mut codes, [&mut signatures, &mut ids], widths);
        match gpu {
            Some(gpu) => gpu.run(&cpu, &sign, &mut out.reborrow().into(), false)?,
            None => sign.compute_on_cpu(&cpu, 0..ITEMS, &mut out.reborrow().into()),
        }
        Ok((0..ITEMS)
            .map(|item| recoverable_of(&out.as_results(), item).unwrap())
            .collect())
    }

    fn right() -> RecoverableSignature {
        static RIGHT: OnceLock<RecoverableSignature> = OnceLock::new();
        *RIGHT.get_or_init(|| signed(None, &ECDSA, Check::Nothing).unwrap()[0])
    }

    /// Returns ECDSA with a fault that flips bits of the first recovery id of each chunk.
    fn with_fault<const FLIPPED: u8>() -> &'static Scheme {
        fn sign_wrongly<const FLIPPED: u8>(
            stream: &mut Stream,
            curve: &'static str,
            columns: SigningColumns,
            low_s: bool,
            n: usize,
        ) -> Result<(), Fault> {
            sign(stream, curve, columns, low_s, n)?;
            stream.fill(columns.recovery_ids, right().recovery_id ^ FLIPPED, 1)
        }
        Box::leak(Box::new(Scheme {
            name: ECDSA.name,
            verify_on_cpu: per_curve!(ecdsa cpu::verify),
            sign_on_cpu: per_curve!(ecdsa cpu::sign),
            has_recovery: ECDSA.has_recovery,
            on_gpu: SchemeOnGpu {
                sign: sign_wrongly::<FLIPPED>,
                ..STEPS
            },
            verify_gpu_threshold: ECDSA.verify_gpu_threshold,
            sign_gpu_threshold: ECDSA.sign_gpu_threshold,
        }))
    }

    fn sign_with_fault<const FLIPPED: u8>(gpu: &GpuEngine, check: Check) -> Result<(), Fault> {
        let signed = signed(Some(gpu), with_fault::<FLIPPED>(), check)?;
        assert!(
            signed
                .iter()
                .all(|item| item.signature == right().signature)
        );
        assert_eq!(signed[0].recovery_id, right().recovery_id ^ FLIPPED);
        Ok(())
    }

    fn start() -> GpuEngine {
        GpuEngine::new(Limits::default()).expect("there is a GPU")
    }

    #[test]
    #[ignore = "needs a GPU: --ignored gpu_tests"]
    fn a_wrong_recovery_id_is_a_fault_of_the_device() {
        let gpu = start();
        sign_with_fault::<0>(&gpu, Check::RecoveryIds).unwrap();
        // If ids are not requested, the fault has no effect.
        sign_with_fault::<1>(&gpu, Check::Signatures).unwrap();
        let faulty = [
            sign_with_fault::<1>,
            sign_with_fault::<2>,
            sign_with_fault::<3>,
            sign_with_fault::<4>,
        ];
        for sign in faulty {
            let gpu = start();
            let fault = sign(&gpu, Check::RecoveryIds).unwrap_err();
            assert!(
                fault.problem.contains("does not give the signer's key"),
                "{}",
                fault.problem
            );
            assert!(!gpu.failures().is_empty());
        }
    }
}
