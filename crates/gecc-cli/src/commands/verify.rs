//! `gecc verify`.

use crate::curve::Chosen;
use crate::flags::{Given, VerifyOptions};
use crate::job;
use crate::operation::Operation;
use crate::output::Failure;
use gecc::call;
use gecc::ecdsa::Policy;

pub fn run(options: VerifyOptions, given: &Given) -> Result<u8, Failure> {
    let chosen = Chosen::of(options.curve, options.scheme)?;
    given.require_effect_with(chosen.scheme())?;
    let call = call(chosen, &options)?;
    let variant = options.variant.variant()?;
    let VerifyOptions { equations, signatures, hash, id, mut stream, .. } = options;
    stream.read_messages(hash);
    stream.read_signatures(signatures, call)?;
    stream.sm2_id = id.sm2_id;
    stream.engine.batch_equations = equations.batch_equations;
    job::run(&Operation { variant, ..call.into() }, &stream)
}

fn call(chosen: Chosen, options: &VerifyOptions) -> Result<call::Operation, String> {
    let VerifyOptions { rule, low_s, equations, .. } = options;
    let together = equations.batch_equations;
    let policy = if *low_s { Policy::low_s() } else { Policy::default() };
    let refused = |reason: &str| Err(reason.to_owned());
    match (chosen, *rule) {
        (Chosen::Ed25519, None) => refused("--scheme ed25519 needs --rule, which says which signatures are valid"),
        (Chosen::Ed25519, Some(rule)) if together && !rule.is_cofactored() => {
            Err(format!("--batch-equations is for rules with the cofactor: {rule} has none"))
        }
        (Chosen::Ed25519, Some(rule)) => Ok(call::Operation::Ed25519Verify(rule)),
        (Chosen::Ecdsa(curve), _) if together => Ok(call::Operation::EcdsaVerifyRecoverable(curve, policy)),
        (Chosen::Ecdsa(curve), _) => Ok(call::Operation::EcdsaVerify(curve, policy)),
        (Chosen::Sm2, _) => Ok(call::Operation::Sm2Verify),
        (Chosen::Bip340, _) => Ok(call::Operation::Bip340Verify),
    }
}
