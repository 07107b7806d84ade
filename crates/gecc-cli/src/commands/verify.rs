//! `gecc verify`.

use crate::curve::Scheme;
use crate::flags::VerifyOptions;
use crate::job;
use crate::output::Failure;
use gecc::call::Operation;
use gecc::ecdsa::Policy;

pub fn run(options: VerifyOptions) -> Result<u8, Failure> {
    let VerifyOptions { curve, scheme, rule, low_s, equations, hash, mut stream } = options;
    stream.read_messages(hash);
    stream.engine.batch_equations = equations.batch_equations;
    if let (None, Some(Scheme::Ed25519)) = (curve, scheme) {
        hash.require(Scheme::Ed25519)?;
        let rule = rule.ok_or("--scheme ed25519 needs --rule, which says which signatures are valid".to_owned())?;
        return match (low_s, equations.batch_equations) {
            (true, _) => Err("--low-s does not exist for Ed25519".to_owned().into()),
            (_, true) if !rule.is_cofactored() => {
                Err(format!("--batch-equations is for rules with the cofactor: {rule} has none").into())
            }
            _ => job::run(&Operation::Ed25519Verify(rule).into(), &stream),
        };
    }
    if rule.is_some() {
        return Err("--rule is for --scheme ed25519".to_owned().into());
    }
    let (curve, scheme) = Scheme::chosen(curve, scheme)?;
    let policy = if low_s { Policy::low_s() } else { Policy::default() };
    hash.require(scheme)?;
    let operation = match scheme {
        Scheme::Ecdsa if equations.batch_equations => Operation::EcdsaVerifyRecoverable(curve, policy),
        Scheme::Ecdsa => Operation::EcdsaVerify(curve, policy),
        Scheme::Sm2 if low_s => return Err("--low-s does not exist for SM2: n - s is no signature".to_owned().into()),
        Scheme::Sm2 if equations.batch_equations => {
            return Err("--batch-equations is for ECDSA, BIP 340 and Ed25519: SM2 has none".to_owned().into());
        }
        Scheme::Sm2 => Operation::Sm2Verify,
        Scheme::Bip340 if low_s => return Err("--low-s does not exist for BIP 340".to_owned().into()),
        Scheme::Bip340 => Operation::Bip340Verify,
        Scheme::Ed25519 => unreachable!("no curve has it"),
    };
    job::run(&operation.into(), &stream)
}
