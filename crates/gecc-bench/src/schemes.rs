//! Signatures over digests with the default scheme of a curve: as values, and into columns.

use gecc::ecdsa::{Policy, SForm};
use gecc::{CurveId, Engine, Error, PublicKeys, SecretKeys, ecdsa, sm2};
pub use gecc_cli::measure::schemes::{sign, verify};

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
