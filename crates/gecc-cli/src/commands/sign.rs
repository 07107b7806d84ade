//! `gecc sign`.

use crate::curve::Chosen;
use crate::flags::{Given, SignOptions};
use crate::input::keyfile::Keys;
use crate::job;
use crate::operation::{Operation, ResultForm};
use crate::output::Failure;
use gecc::call;
use gecc::ecdsa::SForm;

pub fn run(mut options: SignOptions, given: &Given) -> Result<u8, Failure> {
    options.stream.engine.check_signatures = options.check_signatures;
    let chosen = Chosen::of(options.curve, options.scheme)?;
    given.require_effect_with(chosen.scheme())?;
    options.stream.read_messages(options.hash);
    options.stream.sm2_id = options.id.sm2_id.take();
    let variant = options.variant.variant()?;
    let hash = options.hash.hash.unwrap_or_default();
    let SignOptions { auxiliary, additional_data, recoverable, der, stream, key_file, .. } = options;
    let call = match chosen {
        Chosen::Ecdsa(curve) if recoverable => call::Operation::EcdsaSignRecoverable(curve, SForm::default()),
        Chosen::Ecdsa(curve) => call::Operation::EcdsaSign(curve, SForm::default()),
        Chosen::Sm2 => call::Operation::Sm2Sign,
        Chosen::Bip340 => call::Operation::Bip340Sign,
        Chosen::Ed25519 => call::Operation::Ed25519Sign,
    };
    let keys = Keys::open(key_file.as_deref(), call.into(), &stream)?;
    let form = if der { ResultForm::Der } else { ResultForm::Plain };
    let additional = additional_data.or(auxiliary);
    job::run(&Operation { keys, additional, variant, hash, form, ..call.into() }, &stream)
}
