//! `gecc sign`.

use crate::curve::{Chosen, Scheme};
use crate::flags::SignOptions;
use crate::input::keyfile::Keys;
use crate::job;
use crate::operation::{Operation, ResultForm};
use crate::output::Failure;
use gecc::call;
use gecc::ecdsa::SForm;

pub fn run(mut options: SignOptions) -> Result<u8, Failure> {
    options.stream.engine.check_signatures = options.check_signatures;
    let chosen = Chosen::of(options.curve, options.scheme)?;
    options.stream.read_messages(options.hash);
    options.hash.require(chosen.scheme())?;
    if let Some(reason) = refusal(chosen.scheme(), &options) {
        return Err(reason.to_owned().into());
    }
    let variant = options.variant.of(chosen.scheme())?;
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
    job::run(&Operation { keys, additional: additional_data.or(auxiliary), variant, form, ..call.into() }, &stream)
}

/// Why an option does not go with the scheme.
fn refusal(scheme: Scheme, options: &SignOptions) -> Option<&'static str> {
    let SignOptions { auxiliary, additional_data, recoverable, der, .. } = options;
    match scheme {
        Scheme::Ecdsa | Scheme::Sm2 | Scheme::Ed25519 if auxiliary.is_some() => Some("--auxiliary is for BIP 340"),
        Scheme::Sm2 if *recoverable => Some("--recoverable is for ECDSA; SM2 has no recovery id"),
        Scheme::Bip340 if additional_data.is_some() => {
            Some("--additional-data is for ECDSA and SM2; BIP 340 has --auxiliary")
        }
        Scheme::Bip340 if *recoverable => Some("--recoverable is for ECDSA; BIP 340 has no recovery id"),
        Scheme::Bip340 if *der => Some("--der is for ECDSA and SM2: signatures of BIP 340 have no DER"),
        Scheme::Ed25519 if additional_data.is_some() => {
            Some("--additional-data is for ECDSA and SM2; nonces of Ed25519 follow from seed and message")
        }
        Scheme::Ed25519 if *recoverable => Some("--recoverable is for ECDSA; Ed25519 has no recovery id"),
        Scheme::Ed25519 if *der => Some("--der is for ECDSA and SM2: signatures of Ed25519 have no DER"),
        _ => None,
    }
}
