//! Known answers for the lanes. A processor or a compiler that errs must not be trusted with eight items at a time only because
//! it has the instructions.

use super::recover::Inputs;
use super::{CpuEngine, agree, point, recover, secret, verify};
use crate::curve::{EcdsaCurve, SecretCurve, types};
use crate::ecdsa::{Check, Policy};
use crate::types::PublicKeys;
use crate::types::{Rejection, Verdict};
use crate::known_answers::{self, Answers, Signatures, Signing, compare, repeat};
use crate::host::once::get_or_compute;
use crate::types::{SecretKey, SharedPoint};
use std::sync::OnceLock;

/// Keys that get tables at the same time, more than the lanes, and their uses.
const KEYS: usize = 9;
const USES: usize = 12;

/// What is wrong with the answers of an engine with lanes, found by the first one of the process, in a few milliseconds.
pub fn problem(engine: &CpuEngine) -> Option<&'static str> {
    static PROBLEM: OnceLock<Option<String>> = OnceLock::new();
    get_or_compute(&PROBLEM, || check(engine).err()).as_deref()
}

/// The curves at the same time, where there are threads enough.
fn check(engine: &CpuEngine) -> Result<(), String> {
    type Check = fn(&CpuEngine) -> Result<(), String>;
    macro_rules! checks {
        ([$check:ident] $($curve:ident $name:ident [$($module:tt)*] [$($reference:tt)*];)*) => {
            &[$($check::<types::$curve>),*]
        };
    }
    const ECDSA: &[Check] = for_each_ecdsa_curve!(checks! of_ecdsa_curve);
    const SM2: &[Check] = for_each_sm2_curve!(checks! of_sm2_curve);
    let curves = [ECDSA, SM2].concat();
    engine.pool.map(1, curves.len(), Ok(()), |curve| curves[curve](engine)).into_iter().collect()
}

fn of_ecdsa_curve<C: EcdsaCurve>(engine: &CpuEngine) -> Result<(), String> {
    let answers = known_answers::of(C::NAME);
    of_curve::<C>(engine, answers)?;
    ecdsa::<C>(engine, answers)
}

fn of_sm2_curve<C: SecretCurve>(engine: &CpuEngine) -> Result<(), String> {
    let answers = known_answers::of(C::NAME);
    of_curve::<C>(engine, answers)?;
    sm2::<C>(engine, answers)
}

fn of_curve<C: SecretCurve>(engine: &CpuEngine, answers: &Answers) -> Result<(), String> {
    let Answers { points, private_keys, agreements, .. } = answers;
    let (scalars, known): (Vec<_>, Vec<_>) = points.base_products.iter().copied().unzip();
    compare("multiplication of G", C::NAME, point::mul_base::<C>(engine, &scalars), known)?;
    let scalars: Vec<_> = points.products.iter().map(|(scalar, ..)| *scalar).collect();
    let factors: Vec<_> = points.products.iter().map(|(_, point, _)| *point).collect();
    let known = points.products.iter().map(|(.., product)| *product);
    compare("multiplication", C::NAME, point::mul::<C>(engine, &scalars, &factors), known)?;
    let (keys, known): (Vec<_>, Vec<_>) = points.keys_of::<33>().into_iter().unzip();
    let decoded = point::decode_keys::<C>(engine, keys.len(), PublicKeys::compressed(&keys));
    compare("decompression", C::NAME, decoded, known)?;
    let public = secret::public_keys::<C>(engine, &private_keys.keys);
    compare("computing public keys", C::NAME, public, private_keys.public.iter().copied())?;
    let (keys, peers) = ((&agreements.keys[..]).into(), PublicKeys::points(&agreements.peers));
    let shared = agree::shared_points::<C>(engine, agreements.keys.len(), keys, peers);
    let shared = shared.iter().map(|point| point.as_ref().map(coordinates).map_err(|rejection| *rejection));
    compare("ECDH", C::NAME, shared, agreements.shared.iter().copied())
}

fn coordinates(point: &SharedPoint) -> [u8; 64] {
    point.expose_bytes()[1..].try_into().expect("64 bytes")
}

fn ecdsa<C: EcdsaCurve>(engine: &CpuEngine, Answers { signatures, signing, .. }: &Answers) -> Result<(), String> {
    verification(C::NAME, signatures, |digests, signatures, keys| {
        verify::ecdsa::<C>(engine, digests, signatures, keys, Policy::low_s()).into_iter().collect()
    })?;
    let Signatures { digests, signatures, recovery_ids, recovered, .. } = signatures;
    let inputs = Inputs { digests, signatures, recovery_ids };
    compare("recovery", C::NAME, recover::recover::<C>(engine, inputs), recovered.iter().copied())?;
    signatures_of(C::NAME, signing, |digests, keys| {
        let signed = secret::sign_ecdsa::<C>(engine, digests, keys.into(), C::LOW_S_BY_DEFAULT, Check::Nothing);
        signed.into_iter().map(|item| item.map(|signed| (signed.signature, signed.recovery_id))).collect()
    })
}

fn sm2<C: SecretCurve>(engine: &CpuEngine, Answers { signatures, signing, .. }: &Answers) -> Result<(), String> {
    verification(C::NAME, signatures, |digests, signatures, keys| {
        verify::sm2::<C>(engine, digests, signatures, keys).into_iter().collect()
    })?;
    signatures_of(C::NAME, signing, |digests, keys| {
        let signed = secret::sign_sm2::<C>(engine, digests, keys.into(), false);
        signed.into_iter().map(|item| item.map(|signature| (signature, 0))).collect()
    })
}

/// All items, and some so often that their keys get tables.
fn verification(
    curve: &str,
    Signatures { digests, signatures, keys, verdicts, .. }: &Signatures,
    verify: impl Fn(&[[u8; 32]], &[[u8; 64]], PublicKeys) -> Vec<Verdict>,
) -> Result<(), String> {
    let given = verify(digests, signatures, PublicKeys::points(keys));
    compare("verification", curve, given, verdicts.iter().copied())?;
    let (digests, signatures) = (repeat(&digests[..KEYS], KEYS * USES), repeat(&signatures[..KEYS], KEYS * USES));
    let given = verify(&digests, &signatures, PublicKeys::points(&repeat(&keys[..KEYS], KEYS * USES)));
    compare("verification by tables of keys", curve, given, repeat(&verdicts[..KEYS], KEYS * USES))
}

type Signed = Result<([u8; 64], u8), Rejection>;

/// Twice as many as there are, which is more than the lanes.
fn signatures_of(
    curve: &str,
    Signing { keys, digests, signed }: &Signing,
    sign: impl Fn(&[[u8; 32]], &[SecretKey]) -> Vec<Signed>,
) -> Result<(), String> {
    let items = 2 * keys.len();
    let given = sign(&repeat(digests, items), &repeat(keys, items));
    compare("signing", curve, given, repeat(signed, items))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{Curve, P256};

    /// The portable code knows the answers too.
    #[test]
    fn answers_are_right() {
        check(&CpuEngine::new(Some(1), None).unwrap().portable()).unwrap();
    }

    #[test]
    fn lanes_are_tested_before_they_are_used() {
        let engine = CpuEngine::new(Some(1), None).unwrap();
        assert_eq!((problem(&engine), engine.problem_of_lanes), (None, None));
    }

    /// Whatever answer is not the known one, its operation is told.
    #[test]
    fn wrong_answers_are_noticed() {
        let engine = CpuEngine::new(Some(1), None).unwrap();
        let told = |spoil: &dyn Fn(&mut Answers)| {
            let mut answers = known_answers::new(P256::NAME);
            spoil(&mut answers);
            let problem = of_curve::<P256>(&engine, &answers).and_then(|()| ecdsa::<P256>(&engine, &answers));
            problem.unwrap_err().split(" on p256").next().unwrap().to_owned()
        };
        assert_eq!(
            told(&|answers| answers.points.base_products[1].1 = Err(Rejection::Mismatch)),
            "multiplication of G"
        );
        assert_eq!(
            told(&|answers| answers.points.products.last_mut().unwrap().2 = Ok(another_point())),
            "multiplication"
        );
        assert_eq!(told(&|answers| answers.points.keys[1].1 = Ok(another_point())), "decompression");
        assert_eq!(told(&|answers| answers.private_keys.public[2] = Ok(another_point())), "computing public keys");
        assert_eq!(told(&|answers| answers.agreements.shared[3] = Ok([7; 64])), "ECDH");
        assert_eq!(told(&|answers| answers.signatures.verdicts[8] = Verdict::Valid), "verification");
        assert_eq!(told(&|answers| answers.signatures.recovered[6] = Ok(another_point())), "recovery");
        assert_eq!(told(&|answers| answers.signing.signed[0] = Ok(([1; 64], 0))), "signing");
    }

    /// None of those that are replaced.
    fn another_point() -> crate::types::Point {
        known_answers::of(P256::NAME).points.doubles[4].0
    }
}
