//! `gecc pubkey`.

use crate::curve::Chosen;
use crate::flags::{Given, PubkeyOptions};
use crate::job;
use crate::operation::{Operation, ResultForm};
use crate::output::Failure;
use gecc::{CurveId, call};

pub fn run(options: PubkeyOptions, given: &Given) -> Result<u8, Failure> {
    let PubkeyOptions { curve, scheme, compressed, stream } = options;
    let chosen = Chosen::of(curve, scheme)?;
    given.require_effect_with(chosen.scheme())?;
    let call = match chosen {
        Chosen::Ed25519 => call::Operation::Ed25519PublicKeys,
        Chosen::Ecdsa(curve) => call::Operation::PublicKeys(curve),
        Chosen::Sm2 => call::Operation::PublicKeys(CurveId::Sm2),
        Chosen::Bip340 => call::Operation::PublicKeys(CurveId::Secp256k1),
    };
    let form = if compressed { ResultForm::Compressed } else { ResultForm::Plain };
    job::run(&Operation { form, ..call.into() }, &stream)
}
