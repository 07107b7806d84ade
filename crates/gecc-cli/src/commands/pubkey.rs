//! `gecc pubkey`.

use crate::curve::Chosen;
use crate::flags::PubkeyOptions;
use crate::job;
use crate::operation::{Operation, ResultForm};
use crate::output::Failure;
use gecc::{CurveId, call};

pub fn run(options: PubkeyOptions) -> Result<u8, Failure> {
    let PubkeyOptions { curve, scheme, compressed, stream } = options;
    let call = match Chosen::of(curve, scheme)? {
        Chosen::Ed25519 if compressed => {
            return Err("--compressed is for points: public keys of Ed25519 have 32 bytes".to_owned().into());
        }
        Chosen::Ed25519 => call::Operation::Ed25519PublicKeys,
        Chosen::Ecdsa(curve) => call::Operation::PublicKeys(curve),
        Chosen::Sm2 => call::Operation::PublicKeys(CurveId::Sm2),
        Chosen::Bip340 => call::Operation::PublicKeys(CurveId::Secp256k1),
    };
    let form = if compressed { ResultForm::Compressed } else { ResultForm::Plain };
    job::run(&Operation { form, ..call.into() }, &stream)
}
