//! Signatures over digests with the default scheme of a curve: as values, and into columns.

use gecc::ecdsa::{Policy, SForm};
use gecc::{
    CurveId, Engine, Error, Point, PublicKeys, Rejection, SecretKey, SecretKeys, Verdicts, ecdsa,
    sm2,
};

pub fn sign(
    engine: &Engine,
    curve: CurveId,
    digests: &[[u8; 32]],
    keys: &[SecretKey],
) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
    match curve.has_sm2() {
        false => ecdsa::sign(engine, curve, digests, keys, SForm::default()),
        true => sm2::sign(engine, digests, keys),
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
    match curve.has_sm2() {
        false => ecdsa::verify(engine, curve, digests, signatures, keys, Policy::default()),
        true => sm2::verify(engine, digests, signatures, keys),
    }
}

pub fn sign_into(
    engine: &Engine,
    curve: CurveId,
    digests: &[[u8; 32]],
    keys: SecretKeys,
    signatures: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    match curve.has_sm2() {
        false => ecdsa::sign_into(
            engine,
            curve,
            digests,
            keys,
            SForm::default(),
            signatures,
            codes,
        ),
        true => sm2::sign_into(engine, digests, keys, signatures, codes),
    }
}

pub fn verify_into(
    engine: &Engine,
    curve: CurveId,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    keys: PublicKeys,
    codes: &mut [u8],
) -> Result<(), Error> {
    let policy = Policy::default();
    match curve.has_sm2() {
        false => ecdsa::verify_into(engine, curve, digests, signatures, keys, policy, codes),
        true => sm2::verify_into(engine, digests, signatures, keys, codes),
    }
}
