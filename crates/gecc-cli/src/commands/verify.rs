//! `gecc verify`.

use crate::curve::Scheme;
use crate::flags::VerifyOptions;
use crate::job;
use crate::output::Failure;
use gecc::call::Operation;
use gecc::ecdsa::Policy;

pub fn run(options: VerifyOptions) -> Result<u8, Failure> {
    let VerifyOptions { curve, scheme, low_s, hash, mut stream } = options;
    stream.read_messages(hash);
    let (curve, scheme) = Scheme::chosen(curve, scheme)?;
    let policy = if low_s { Policy::low_s() } else { Policy::default() };
    hash.require(scheme)?;
    let operation = match scheme {
        Scheme::Ecdsa if stream.engine.batch_equations => Operation::EcdsaVerifyRecoverable(curve, policy),
        Scheme::Ecdsa => Operation::EcdsaVerify(curve, policy),
        Scheme::Sm2 if low_s => return Err("--low-s does not exist for SM2: n - s is no signature".to_owned().into()),
        Scheme::Sm2 => Operation::Sm2Verify,
        Scheme::Bip340 if low_s => return Err("--low-s does not exist for BIP 340".to_owned().into()),
        Scheme::Bip340 => Operation::Bip340Verify,
    };
    job::run(&operation.into(), &stream)
}
