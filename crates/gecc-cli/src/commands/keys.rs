//! `gecc pubkey` and `gecc ecdh`.

use crate::curve::{ChosenScheme, KeyCurve, Scheme};
use crate::flags::{EcdhOptions, GivenOptions, PubkeyOptions};
use crate::input::keyfile::KeySource;
use crate::job;
use crate::operation::{CommandOperation, ResultForm};
use crate::output::Failure;
use gecc::x25519::AllZero;
use gecc::{CurveId, call};

/// Runs `gecc pubkey`.
pub fn pubkey(options: PubkeyOptions, given: &GivenOptions) -> Result<u8, Failure> {
    let PubkeyOptions {
        curve,
        scheme,
        compressed,
        stream,
    } = options;
    let operation = match curve {
        Some(KeyCurve::X25519) => x25519_public_keys(scheme, given)?,
        Some(KeyCurve::Named(curve)) => public_keys(Some(curve), scheme, given)?,
        None => public_keys(None, scheme, given)?,
    };
    let form = if compressed {
        ResultForm::Compressed
    } else {
        ResultForm::Plain
    };
    job::run(
        &CommandOperation {
            form,
            ..operation.into()
        },
        &stream,
    )
}

/// Returns the operation for the public keys of a scheme.
fn public_keys(
    curve: Option<CurveId>,
    scheme: Option<Scheme>,
    given: &GivenOptions,
) -> Result<call::Operation, String> {
    let chosen = ChosenScheme::of(curve, scheme)?;
    given.require_effect_with(chosen.scheme())?;
    Ok(match chosen {
        ChosenScheme::Ed25519 => call::Operation::Ed25519PublicKeys,
        ChosenScheme::Ecdsa(curve) => call::Operation::PublicKeys(curve),
        ChosenScheme::Sm2 => call::Operation::PublicKeys(CurveId::Sm2),
        ChosenScheme::Bip340 => call::Operation::PublicKeys(CurveId::Secp256k1),
    })
}

/// Returns the operation for the public keys of X25519, which is not used for signatures.
fn x25519_public_keys(
    scheme: Option<Scheme>,
    given: &GivenOptions,
) -> Result<call::Operation, String> {
    if let Some(scheme) = scheme {
        let name = KeyCurve::X25519_NAME;
        return Err(format!("there is no {} on {name}", scheme.name()));
    }
    given.require_effect_with_x25519()?;
    Ok(call::Operation::X25519PublicKeys)
}

/// Runs `gecc ecdh`.
pub fn ecdh(options: EcdhOptions) -> Result<u8, Failure> {
    let EcdhOptions {
        curve,
        accept_all_zero,
        key_file,
        keys,
        mut stream,
    } = options;
    stream.hybrid_keys = keys.hybrid_keys;
    let operation = match (curve, accept_all_zero) {
        (KeyCurve::X25519, _) if keys.hybrid_keys => {
            let name = KeyCurve::X25519_NAME;
            let problem = format!("--hybrid-keys has no effect: keys of {name} have no such form");
            return Err(problem.into());
        }
        (KeyCurve::X25519, false) => call::Operation::X25519(AllZero::Reject),
        (KeyCurve::X25519, true) => call::Operation::X25519(AllZero::Accept),
        (KeyCurve::Named(curve), false) => call::Operation::SharedSecrets(curve),
        (KeyCurve::Named(curve), true) => {
            let problem = format!(
                "--accept-all-zero is for --curve {}: on {curve} no shared secret is the identity",
                KeyCurve::X25519_NAME
            );
            return Err(problem.into());
        }
    };
    let operation = CommandOperation {
        keys: KeySource::open(key_file.as_deref(), operation.into(), &stream)?,
        ..operation.into()
    };
    job::run(&operation, &stream)
}
