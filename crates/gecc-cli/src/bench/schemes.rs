//! What curves sign with.

use gecc::ecdsa::{self, Policy, RecoverableSignature, SForm};
use gecc::sm2;
use gecc::{EcdsaCurve, Engine, Error, Point, PublicKeys, Rejection, SecretCurve, SecretKey, Verdicts};
use std::marker::PhantomData;

/// Signatures over digests on a curve.
pub trait Scheme {
    type Curve: SecretCurve;

    fn sign(
        engine: &Engine,
        digests: &[[u8; 32]],
        keys: &[SecretKey],
    ) -> Result<Vec<Result<[u8; 64], Rejection>>, Error>;

    fn verify(
        engine: &Engine,
        digests: &[[u8; 32]],
        signatures: &[[u8; 64]],
        keys: &[Point],
    ) -> Result<Verdicts, Error>;

    /// Signatures with recovery ids, where the scheme has them.
    fn sign_recoverable(
        _: &Engine,
        _: &[[u8; 32]],
        _: &[SecretKey],
    ) -> Option<Result<Vec<Result<RecoverableSignature, Rejection>>, Error>> {
        None
    }

    /// Only called with what `sign_recoverable` gave.
    fn recover(_: &Engine, _: &[[u8; 32]], _: &[[u8; 64]], _: &[u8]) -> Result<Vec<Result<Point, Rejection>>, Error> {
        unreachable!("signatures without recovery ids")
    }
}

pub struct Ecdsa<C>(PhantomData<C>);

impl<C: EcdsaCurve> Scheme for Ecdsa<C> {
    type Curve = C;

    fn sign(
        engine: &Engine,
        digests: &[[u8; 32]],
        keys: &[SecretKey],
    ) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
        ecdsa::sign::<C>(engine, digests, keys, SForm::default())
    }

    fn verify(
        engine: &Engine,
        digests: &[[u8; 32]],
        signatures: &[[u8; 64]],
        keys: &[Point],
    ) -> Result<Verdicts, Error> {
        ecdsa::verify::<C>(engine, digests, signatures, PublicKeys::points(keys), Policy::default())
    }

    fn sign_recoverable(
        engine: &Engine,
        digests: &[[u8; 32]],
        keys: &[SecretKey],
    ) -> Option<Result<Vec<Result<RecoverableSignature, Rejection>>, Error>> {
        Some(ecdsa::sign_recoverable::<C>(engine, digests, keys, SForm::default()))
    }

    fn recover(
        engine: &Engine,
        digests: &[[u8; 32]],
        signatures: &[[u8; 64]],
        ids: &[u8],
    ) -> Result<Vec<Result<Point, Rejection>>, Error> {
        ecdsa::recover::<C>(engine, digests, signatures, ids)
    }
}

pub struct Sm2Dsa;

impl Scheme for Sm2Dsa {
    type Curve = gecc::Sm2;

    fn sign(
        engine: &Engine,
        digests: &[[u8; 32]],
        keys: &[SecretKey],
    ) -> Result<Vec<Result<[u8; 64], Rejection>>, Error> {
        sm2::sign(engine, digests, keys)
    }

    fn verify(
        engine: &Engine,
        digests: &[[u8; 32]],
        signatures: &[[u8; 64]],
        keys: &[Point],
    ) -> Result<Verdicts, Error> {
        sm2::verify(engine, digests, signatures, PublicKeys::points(keys))
    }
}
