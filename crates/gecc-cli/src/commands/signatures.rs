//! `gecc verify`, `gecc recover` and `gecc sign`.

use crate::curve::ChosenScheme;
use crate::flags::{GivenOptions, RecoverOptions, SignOptions, VerifyOptions};
use crate::input::keyfile::KeySource;
use crate::job;
use crate::operation::{CommandOperation, ResultForm};
use crate::output::Failure;
use gecc::call::Options;
use gecc::ecdsa::{Policy, SForm};
use gecc::{CurveId, call};

/// Runs `gecc verify`.
pub fn verify(options: VerifyOptions, given: &GivenOptions) -> Result<u8, Failure> {
    let chosen = ChosenScheme::of(options.curve, options.scheme)?;
    given.require_effect_with(chosen.scheme())?;
    let operation = verification(chosen, &options)?;
    let operation_options = Options {
        hash: options.hash.hash,
        variant: options.variant.variant()?,
        ..Options::default()
    };
    let VerifyOptions {
        equations,
        keys,
        signatures,
        hash,
        id,
        mut stream,
        ..
    } = options;
    stream.text_messages = hash.text_messages;
    stream.read_signatures(signatures, operation)?;
    stream.sm2_id = id.sm2_id;
    stream.hybrid_keys = keys.hybrid_keys;
    stream.engine.batch_verification = equations.batch_verification;
    job::run(
        &CommandOperation {
            options: operation_options,
            ..operation.into()
        },
        &stream,
    )
}

/// Returns the verification that the options select.
fn verification(chosen: ChosenScheme, options: &VerifyOptions) -> Result<call::Operation, String> {
    let in_groups = options.equations.batch_verification;
    let policy = if options.low_s {
        Policy::low_s()
    } else {
        Policy::default()
    };
    match (chosen, options.rule) {
        (ChosenScheme::Ed25519, None) => Err(
            "--scheme ed25519 needs --rule, which determines which signatures are valid".to_owned(),
        ),
        (ChosenScheme::Ed25519, Some(rule)) if in_groups && !rule.is_cofactored() => Err(format!(
            "--batch-verification is for rules with the cofactor: {rule} has none"
        )),
        (ChosenScheme::Ed25519, Some(rule)) => Ok(call::Operation::Ed25519Verify(rule)),
        (ChosenScheme::Ecdsa(curve), _) if in_groups => {
            Ok(call::Operation::EcdsaVerifyRecoverable(curve, policy))
        }
        (ChosenScheme::Ecdsa(curve), _) => Ok(call::Operation::EcdsaVerify(curve, policy)),
        (ChosenScheme::Sm2, _) => Ok(call::Operation::Sm2Verify),
        (ChosenScheme::Bip340, _) => Ok(call::Operation::Bip340Verify),
    }
}

/// Runs `gecc recover`.
pub fn recover(options: RecoverOptions) -> Result<u8, Failure> {
    let RecoverOptions {
        curve,
        addresses,
        signatures,
        hash,
        mut stream,
    } = options;
    stream.text_messages = hash.text_messages;
    if addresses && curve != CurveId::Secp256k1 {
        return Err(
            "--addresses is for secp256k1, the curve of Ethereum's accounts"
                .to_owned()
                .into(),
        );
    }
    let operation = match addresses {
        true => call::Operation::EcdsaRecoverAddresses,
        false => call::Operation::EcdsaRecover(curve),
    };
    stream.read_signatures(signatures, operation)?;
    job::run(
        &CommandOperation {
            options: Options {
                hash: hash.hash,
                ..Options::default()
            },
            ..operation.into()
        },
        &stream,
    )
}

/// Runs `gecc sign`.
pub fn sign(mut options: SignOptions, given: &GivenOptions) -> Result<u8, Failure> {
    options.stream.engine.check_signatures = options.check_signatures;
    let chosen = ChosenScheme::of(options.curve, options.scheme)?;
    given.require_effect_with(chosen.scheme())?;
    options.stream.text_messages = options.hash.text_messages;
    options.stream.sm2_id = options.id.sm2_id.take();
    let operation_options = Options {
        hash: options.hash.hash,
        variant: options.variant.variant()?,
        additional: options.additional_data.or(options.auxiliary),
        ..Options::default()
    };
    let SignOptions {
        recoverable,
        der,
        stream,
        key_file,
        ..
    } = options;
    let operation = match chosen {
        ChosenScheme::Ecdsa(curve) if recoverable => {
            call::Operation::EcdsaSignRecoverable(curve, SForm::default())
        }
        ChosenScheme::Ecdsa(curve) => call::Operation::EcdsaSign(curve, SForm::default()),
        ChosenScheme::Sm2 => call::Operation::Sm2Sign,
        ChosenScheme::Bip340 => call::Operation::Bip340Sign,
        ChosenScheme::Ed25519 => call::Operation::Ed25519Sign,
    };
    let keys = KeySource::open(key_file.as_deref(), operation.into(), &stream)?;
    let form = if der {
        ResultForm::Der
    } else {
        ResultForm::Plain
    };
    job::run(
        &CommandOperation {
            keys,
            options: operation_options,
            form,
            ..operation.into()
        },
        &stream,
    )
}
