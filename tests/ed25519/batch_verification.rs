//! Batch verification: verdicts and reasons are those of verification one by one.

use super::vectors::{cctv, crafted_cases, real_cases, speccheck};
use crate::declare::{apply, on_every_engine};
use crate::support::batch_verification::{large, places, rejected_of_large, timed, with_equations};
use crate::support::ed25519::{Case, of_small_orders, verify};
use crate::support::random::Random;
use gecc::ed25519::{self, Rule, Variant};
use gecc::{Engine, PublicKeys, SecretKey, Verdict};

/// Batch verification gives each item the verdict and the reason that it has alone, by every rule:
/// of all cases, and of those that a rule with the cofactor accepts, whose equations hold.
#[apply(on_every_engine)]
fn cases_keep_verdict_and_reason_by_every_rule(engine: &Engine) {
    let builder = Engine::builder()
        .backend(engine.info().backend)
        .threads(1)
        .batch_verification(true);
    let with_equations = builder.build().expect("as the engine under test");
    let mut cases: Vec<Case> = [
        speccheck(),
        cctv(),
        of_small_orders(),
        crafted_cases(),
        real_cases(),
    ]
    .into_iter()
    .flatten()
    .collect();
    Random::new().shuffle(&mut cases);
    for is_kept in [
        |_: &Case| true,
        |case: &Case| case.is_valid[3],
        |case: &Case| case.is_valid[5],
    ] {
        cases.retain(is_kept);
        // Several groups.
        let cases: Vec<Case> = cases.iter().cycle().take(3000).cloned().collect();
        for &rule in Rule::ALL {
            assert_eq!(
                verify(&with_equations, &cases, rule),
                verify(engine, &cases, rule),
                "{rule}"
            );
        }
    }
}

#[apply(on_every_engine)]
fn large_batches_have_verdicts_of_single_verification(engine: &Engine) {
    let items = large(engine);
    let engines = [timed(engine), with_equations(engine)];
    let mut random = Random::new();
    let seeds: Vec<SecretKey> = (0..items)
        .map(|_| SecretKey::from_bytes(random.bytes()))
        .collect();
    let messages: Vec<[u8; 32]> = (0..items).map(|_| random.bytes()).collect();
    let public = ed25519::public_keys(engine, &seeds).unwrap();
    let with_context = Variant::context(b"of large batches").unwrap();
    let sign = |(rule, variant)| {
        let signed = ed25519::sign(engine, &messages, &seeds, variant).unwrap();
        (
            rule,
            variant,
            signed
                .into_iter()
                .map(Result::unwrap)
                .collect::<Vec<[u8; 64]>>(),
        )
    };
    let signed = [
        (Rule::Zip215, Variant::PURE),
        (Rule::Rfc8032Cofactored, with_context),
    ]
    .map(sign);
    for (corrupted, (rule, variant, signatures)) in
        places(items).into_iter().zip(signed.iter().cycle())
    {
        let mut messages = messages.clone();
        corrupted.iter().for_each(|item| messages[*item][7] ^= 1);
        let verify = |engine: &Engine| -> Vec<Verdict> {
            let keys = PublicKeys::ed25519(&public);
            let verdicts = ed25519::verify(engine, &messages, signatures, keys, *variant, *rule);
            verdicts.unwrap().into_iter().collect()
        };
        assert_eq!(
            rejected_of_large(
                &engines,
                verify,
                "gecc_ed25519_verify",
                corrupted.is_empty()
            ),
            corrupted
        );
    }
}
