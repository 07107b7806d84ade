//! Project Wycheproof, X25519: every case of the set as one batch.

use super::{AllZero, row, secret_keys, shared};
use crate::declare::{apply, on_every_engine};
use gecc::{Engine, PublicKeys, Rejection};
use wycheproof::TestResult;
use wycheproof::xdh::{Test, TestFlag, TestName, TestSet};

/// The cases of the set, and those whose shared secret is zero.
const CASES: usize = 518;
const ZERO: usize = 31;

#[apply(on_every_engine)]
fn cases_have_their_results(engine: &Engine) {
    let set = TestSet::load(TestName::X25519).expect("the set is part of the crate");
    let cases: Vec<&Test> = set
        .test_groups
        .iter()
        .flat_map(|group| &group.tests)
        .collect();
    assert_eq!(cases.len(), CASES);
    let [keys, peers, secrets]: [Vec<[u8; 32]>; 3] = [
        |case: &Test| row(&hex::encode(&*case.private_key)),
        |case: &Test| row(&hex::encode(&*case.public_key)),
        |case: &Test| row(&hex::encode(&*case.shared_secret)),
    ]
    .map(|field| cases.iter().map(|case| field(case)).collect());
    let keys = secret_keys(&keys);
    let peers = PublicKeys::x25519(&peers);
    let accepted = shared(engine, &keys, peers, AllZero::Accept);
    let checked = shared(engine, &keys, peers, AllZero::Reject);
    let mut zero = 0;
    for (item, case) in cases.iter().enumerate() {
        let what = format!("{}: {} {:?}", case.tc_id, case.comment, case.flags);
        assert_eq!(accepted[item], Ok(secrets[item]), "{what}");
        if case.flags.contains(&TestFlag::ZeroSharedSecret) {
            assert_eq!(checked[item], Err(Rejection::IdentityResult), "{what}");
            assert_eq!(secrets[item], [0; 32], "{what}");
            zero += 1;
        } else {
            assert_eq!(checked[item], Ok(secrets[item]), "{what}");
        }
        // Results of a valid case must not be rejected.
        assert!(
            case.result != TestResult::Valid || checked[item].is_ok(),
            "{what}"
        );
    }
    assert_eq!(zero, ZERO);
}
