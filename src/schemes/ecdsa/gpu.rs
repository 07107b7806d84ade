//! ECDSA on a GPU: what verification and signing have of their own.

use super::known_answers;
use crate::gpu::columns::{Column, Digests, Prefixes, Signatures};
use crate::gpu::kernels;
use crate::gpu::runtime::{Fault, Stream};
use crate::gpu::transfer::{Equations, Points};
use crate::schemes::frame::{SchemeOnGpu, SigningColumns};
use crate::types::Policy;

/// SEC 1, section 4.1.4, steps 1, 3 and 4.
pub fn equations(
    stream: &mut Stream,
    curve: &'static str,
    (digests, signatures): (Column<Digests>, Column<Signatures>),
    policy: Policy,
    Equations { u1, u2, x, verdicts }: Equations,
    prefixes: Column<Prefixes>,
    n: usize,
) -> Result<(), Fault> {
    stream.keep_in_l2(prefixes, n)?;
    let (low_s, n) = (u32::from(policy.low_s), n as u64);
    kernels::EcdsaEquations { digests, signatures, low_s, u1, u2, x, verdicts, prefixes, n }.launch(stream, curve)
}

pub const STEPS: SchemeOnGpu = SchemeOnGpu { equations, nonces, sign, tests: known_answers::TESTS };

fn nonces(
    stream: &mut Stream,
    curve: &'static str,
    SigningColumns { digests, keys, nonces, status, .. }: SigningColumns,
    n: usize,
) -> Result<(), Fault> {
    let (keys, key_stride, n) = (keys.rows, keys.stride, n as u64);
    kernels::NoncesSha256 { digests, keys, key_stride, nonces, status, n }.launch(stream, curve)
}

/// SEC 1, section 4.1.3, after R = kG.
pub fn sign(
    stream: &mut Stream,
    curve: &'static str,
    columns: SigningColumns,
    low_s: bool,
    n: usize,
) -> Result<(), Fault> {
    let SigningColumns { digests, keys, nonces, points, prefixes, signatures, recovery_ids, status } = columns;
    let Points { xy: r_xy, kinds: r_kinds } = points;
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
