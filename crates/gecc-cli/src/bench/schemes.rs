//! Signatures over digests by what a curve signs with.

use crate::curve::Scheme;
use gecc::ecdsa::{Policy, SForm};
use gecc::{CurveId, Engine, Error, Point, PublicKeys, Rejection, SecretKey, Verdicts, any, sm2};

pub fn sign(
    engine: &Engine,
    curve: CurveId,
    digests: &[[u8; 32]],
    keys: &[SecretKey],
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    match Scheme::of(curve) {
        Scheme::Ecdsa => any::ecdsa::sign(engine, curve, digests, keys.into(), SForm::default()),
        Scheme::Sm2 => sm2::sign(engine, digests, keys),
    }
}

pub fn verify(
    engine: &Engine,
    curve: CurveId,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    keys: &[Point],
) -> Result<Verdicts, Error> {
    let keys = PublicKeys::points(keys);
    match Scheme::of(curve) {
        Scheme::Ecdsa => any::ecdsa::verify(engine, curve, digests, signatures, keys, Policy::default()),
        Scheme::Sm2 => sm2::verify(engine, digests, signatures, keys),
    }
}
