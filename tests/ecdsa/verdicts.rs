//! Verdicts as a report.

use crate::declare::{apply, on_every_engine};
use crate::support::random::Random;
use crate::support::scheme::{Ecdsa, columns, signed};
use gecc::ecdsa::Policy;
use gecc::{Engine, P256, PublicKeys, Rejection, Verdict, ecdsa};

/// The report names the rejected items by their index.
#[apply(on_every_engine)]
fn report_lists_rejected_items_by_index(engine: &Engine) {
    let mut random = Random::new();
    let mut items: Vec<_> = signed::<Ecdsa<P256>>(&mut random, 80, 80)
        .into_iter()
        .map(|signed| signed.item)
        .collect();
    items[3].digest[0] ^= 1;
    items[79].key = vec![0];
    let (digests, signatures, keys) = columns(&items);
    let keys = PublicKeys::sec1(&keys);
    let verdicts =
        ecdsa::verify(engine, P256, &digests, &signatures, keys, Policy::default()).unwrap();
    assert_eq!(
        (verdicts.len(), verdicts.is_empty(), verdicts.all_valid()),
        (80, false, false)
    );
    let rejected: Vec<_> = verdicts.rejected().collect();
    assert_eq!(
        rejected,
        [(3, Rejection::Mismatch), (79, Rejection::IdentityKey)]
    );
    assert_eq!(verdicts[2], Verdict::Valid);
    assert!(
        verdicts.iter().eq(verdicts.as_slice())
            && verdicts.clone().into_iter().eq(verdicts.iter().copied())
    );
}
