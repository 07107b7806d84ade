//! `gecc recover`.

use crate::flags::RecoverOptions;
use crate::job;
use crate::output::Failure;
use gecc::CurveId;
use gecc::call::Operation;

pub fn run(options: RecoverOptions) -> Result<u8, Failure> {
    let RecoverOptions { curve, addresses, signatures, hash, mut stream } = options;
    stream.read_messages(hash);
    if addresses && curve != CurveId::Secp256k1 {
        return Err("--addresses is for secp256k1, the curve of Ethereum's accounts".to_owned().into());
    }
    let operation = if addresses { Operation::EcdsaRecoverAddresses } else { Operation::EcdsaRecover(curve) };
    stream.read_signatures(signatures, operation)?;
    job::run(&operation.into(), &stream)
}
