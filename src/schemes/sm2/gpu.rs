//! SM2 signatures on a GPU: the steps of verification and signing that differ between schemes.

use super::known_answers;
use crate::gpu::columns::{Column, Digests, Prefixes, Signatures};
use crate::gpu::kernels;
use crate::gpu::runtime::{Fault, Stream};
use crate::gpu::transfer::{Equations, Points, PrivateKeys};
use crate::schemes::common::{SchemeOnGpu, SigningColumns};
use crate::types::Policy;

/// Computes the equations of GB/T 32918.2, section 7.1. There is no inversion, so prefix products
/// are not used, and there are no policies.
pub fn equations(
    stream: &mut Stream,
    curve: &'static str,
    (digests, signatures): (Column<Digests>, Column<Signatures>),
    _: Policy,
    Equations {
        u1,
        u2,
        x,
        verdicts,
        ..
    }: Equations,
    _: Column<Prefixes>,
    n: usize,
) -> Result<(), Fault> {
    kernels::Sm2Equations {
        digests,
        signatures,
        u1,
        u2,
        x,
        verdicts,
        n: n as u64,
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
        return kernels::NoncesSm3 {
            digests,
            keys,
            key_stride,
            nonces,
            status,
            n,
        }
        .launch(stream, curve);
    };
    kernels::NoncesWithDataSm3 {
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

/// Completes signatures after (x1, y1) = kG (GB/T 32918.2, section 6.1). SM2 has no low s.
fn sign(
    stream: &mut Stream,
    curve: &'static str,
    columns: SigningColumns,
    _: bool,
    n: usize,
) -> Result<(), Fault> {
    let SigningColumns {
        digests,
        keys,
        nonces,
        points,
        prefixes,
        signatures,
        status,
        ..
    } = columns;
    let Points {
        xy: r_xy,
        kinds: r_kinds,
    } = points;
    let key_stride = keys.stride;
    let n = n as u64;
    kernels::Sm2Sign {
        digests,
        keys: keys.rows,
        key_stride,
        nonces,
        r_xy,
        r_kinds,
        signatures,
        status,
        prefixes,
        n,
    }
    .launch(stream, curve)
}
