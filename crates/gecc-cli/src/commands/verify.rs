//! `gecc verify`.

use crate::curve::Chosen;
use crate::flags::VerifyOptions;
use crate::job;
use crate::operation::Operation;
use crate::output::Failure;
use gecc::call;
use gecc::ecdsa::Policy;

pub fn run(options: VerifyOptions) -> Result<u8, Failure> {
    let chosen = Chosen::of(options.curve, options.scheme)?;
    let (call, variant) = (call(chosen, &options)?, options.variant.of(chosen.scheme())?);
    let VerifyOptions { equations, hash, mut stream, .. } = options;
    stream.read_messages(hash);
    stream.engine.batch_equations = equations.batch_equations;
    job::run(&Operation { variant, ..call.into() }, &stream)
}

fn call(chosen: Chosen, options: &VerifyOptions) -> Result<call::Operation, String> {
    let VerifyOptions { rule, low_s, equations, hash, .. } = options;
    hash.require(chosen.scheme())?;
    let (low_s, together) = (*low_s, equations.batch_equations);
    let policy = if low_s { Policy::low_s() } else { Policy::default() };
    let refused = |reason: &str| Err(reason.to_owned());
    match (chosen, *rule) {
        (Chosen::Ed25519, None) => refused("--scheme ed25519 needs --rule, which says which signatures are valid"),
        (Chosen::Ed25519, _) if low_s => refused("--low-s does not exist for Ed25519"),
        (Chosen::Ed25519, Some(rule)) if together && !rule.is_cofactored() => {
            Err(format!("--batch-equations is for rules with the cofactor: {rule} has none"))
        }
        (Chosen::Ed25519, Some(rule)) => Ok(call::Operation::Ed25519Verify(rule)),
        (_, Some(_)) => refused("--rule is for --scheme ed25519"),
        (Chosen::Ecdsa(curve), None) if together => Ok(call::Operation::EcdsaVerifyRecoverable(curve, policy)),
        (Chosen::Ecdsa(curve), None) => Ok(call::Operation::EcdsaVerify(curve, policy)),
        (Chosen::Sm2, None) if low_s => refused("--low-s does not exist for SM2: n - s is no signature"),
        (Chosen::Sm2, None) if together => refused("--batch-equations is for ECDSA, BIP 340 and Ed25519: SM2 has none"),
        (Chosen::Sm2, None) => Ok(call::Operation::Sm2Verify),
        (Chosen::Bip340, None) if low_s => refused("--low-s does not exist for BIP 340"),
        (Chosen::Bip340, None) => Ok(call::Operation::Bip340Verify),
    }
}
