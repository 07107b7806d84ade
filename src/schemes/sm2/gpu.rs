//! SM2 signatures on a GPU: what verification and signing have of their own.

use super::known_answers;
use crate::gpu::columns::{Column, Digests, Prefixes, Signatures};
use crate::gpu::kernels;
use crate::gpu::runtime::{Fault, Stream};
use crate::gpu::transfer::{Equations, Points, PrivateKeys};
use crate::schemes::frame::{SchemeOnGpu, SigningColumns};
use crate::types::Policy;

/// GB/T 32918.2, section 7.1. Nothing is inverted, so that there are no prefix products, and there is no policy.
pub fn equations(
    stream: &mut Stream,
    curve: &'static str,
    (digests, signatures): (Column<Digests>, Column<Signatures>),
    _: Policy,
    Equations { u1, u2, x, verdicts, .. }: Equations,
    _: Column<Prefixes>,
    n: usize,
) -> Result<(), Fault> {
    kernels::Sm2Equations { digests, signatures, u1, u2, x, verdicts, n: n as u64 }.launch(stream, curve)
}

pub const STEPS: SchemeOnGpu = SchemeOnGpu { equations, nonces, sign, tests: known_answers::TESTS };

fn nonces(
    stream: &mut Stream,
    curve: &'static str,
    SigningColumns { digests, keys, additional, nonces, status, .. }: SigningColumns,
    n: usize,
) -> Result<(), Fault> {
    let (keys, key_stride, n) = (keys.rows, keys.stride, n as u64);
    let Some(PrivateKeys { rows: additional, stride: additional_stride }) = additional else {
        return kernels::NoncesSm3 { digests, keys, key_stride, nonces, status, n }.launch(stream, curve);
    };
    kernels::NoncesWithDataSm3 { digests, keys, key_stride, additional, additional_stride, nonces, status, n }
        .launch(stream, curve)
}

/// GB/T 32918.2, section 6.1, after (x1, y1) = kG. There is no low s.
fn sign(stream: &mut Stream, curve: &'static str, columns: SigningColumns, _: bool, n: usize) -> Result<(), Fault> {
    let SigningColumns { digests, keys, nonces, points, prefixes, signatures, status, .. } = columns;
    let (Points { xy: r_xy, kinds: r_kinds }, key_stride, n) = (points, keys.stride, n as u64);
    kernels::Sm2Sign { digests, keys: keys.rows, key_stride, nonces, r_xy, r_kinds, signatures, status, prefixes, n }
        .launch(stream, curve)
}
