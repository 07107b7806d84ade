//! `gecc pubkey` and `gecc ecdh`.

use crate::curve::ChosenScheme;
use crate::flags::{EcdhOptions, GivenOptions, PubkeyOptions};
use crate::input::keyfile::KeySource;
use crate::job;
use crate::operation::{CommandOperation, ResultForm};
use crate::output::Failure;
use gecc::{CurveId, call};

/// Runs `gecc pubkey`.
pub fn pubkey(options: PubkeyOptions, given: &GivenOptions) -> Result<u8, Failure> {
    let PubkeyOptions {
        curve,
        scheme,
        compressed,
        stream,
    } = options;
    let chosen = ChosenScheme::of(curve, scheme)?;
    given.require_effect_with(chosen.scheme())?;
    let operation = match chosen {
        ChosenScheme::Ed25519 => call::Operation::Ed25519PublicKeys,
        ChosenScheme::Ecdsa(curve) => call::Operation::PublicKeys(curve),
        ChosenScheme::Sm2 => call::Operation::PublicKeys(CurveId::Sm2),
        ChosenScheme::Bip340 => call::Operation::PublicKeys(CurveId::Secp256k1),
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

/// Runs `gecc ecdh`.
pub fn ecdh(mut options: EcdhOptions) -> Result<u8, Failure> {
    options.stream.hybrid_keys = options.keys.hybrid_keys;
    let keys = KeySource::open(
        options.key_file.as_deref(),
        options.curve.into(),
        &options.stream,
    )?;
    let operation = CommandOperation {
        keys,
        ..call::Operation::SharedSecrets(options.curve).into()
    };
    job::run(&operation, &options.stream)
}
