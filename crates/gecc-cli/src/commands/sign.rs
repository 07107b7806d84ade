//! `gecc sign`.

use crate::curve::Scheme;
use crate::flags::SignOptions;
use crate::input::keyfile::Keys;
use crate::job;
use crate::operation::{Operation, ResultForm};
use crate::output::Failure;
use gecc::call;
use gecc::ecdsa::SForm;

pub fn run(mut options: SignOptions) -> Result<u8, Failure> {
    options.stream.engine.check_signatures = options.check_signatures;
    let (curve, scheme) = Scheme::chosen(options.curve, options.scheme)?;
    options.stream.read_messages(options.hash);
    options.hash.require(scheme)?;
    let SignOptions { auxiliary, additional_data, recoverable, der, stream, key_file, .. } = options;
    let call = match scheme {
        Scheme::Ecdsa if recoverable => call::Operation::EcdsaSignRecoverable(curve, SForm::default()),
        Scheme::Ecdsa => call::Operation::EcdsaSign(curve, SForm::default()),
        Scheme::Sm2 => call::Operation::Sm2Sign,
        Scheme::Bip340 => call::Operation::Bip340Sign,
        Scheme::Ed25519 => unreachable!("no curve has it"),
    };
    let refused = match scheme {
        Scheme::Ecdsa | Scheme::Sm2 if auxiliary.is_some() => Some("--auxiliary is for BIP 340"),
        Scheme::Sm2 if recoverable => Some("--recoverable is for ECDSA; SM2 has no recovery id"),
        Scheme::Bip340 if additional_data.is_some() => {
            Some("--additional-data is for ECDSA and SM2; BIP 340 has --auxiliary")
        }
        Scheme::Bip340 if recoverable => Some("--recoverable is for ECDSA; BIP 340 has no recovery id"),
        Scheme::Bip340 if der => Some("--der is for ECDSA and SM2: signatures of BIP 340 have no DER"),
        _ => None,
    };
    if let Some(reason) = refused {
        return Err(reason.to_owned().into());
    }
    let keys = Keys::open(key_file.as_deref(), curve, &stream)?;
    let form = if der { ResultForm::Der } else { ResultForm::Plain };
    job::run(&Operation { keys, additional: additional_data.or(auxiliary), form, ..call.into() }, &stream)
}
