//! Verification against the reference, on random valid and mutated items.

use crate::declare::{apply, on_every_engine};
use crate::support::keys::bad_keys;
use crate::support::mutation::mutated;
use crate::support::numbers::{number, order, to_bytes};
use crate::support::random::Random;
use crate::support::scheme::{Item, Scheme, Sm2Dsa, halves, signed};
use gecc::sm2::{DEFAULT_USER_ID, MAX_USER_ID_LEN, UserIds};
use gecc::{Engine, PublicKeys, Rejection, Sm2, Verdict, sm2};

const ITEMS: usize = 1500;

/// Random items of many keys, about half of them corrupted in one of many ways, and some with n -
/// s, which ECDSA would accept.
#[apply(on_every_engine)]
fn mutated_items_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let mut items = mutated::<Sm2Dsa>(&mut random, ITEMS);
    items.iter_mut().step_by(10).for_each(negate_s);
    let verdicts = Sm2Dsa::verify(engine, &items);
    let mut valid = 0;
    for (item, verdict) in items.iter().zip(verdicts) {
        let expected = Sm2Dsa::reference_verifies(item);
        assert_eq!(verdict.is_valid(), expected, "{item:02x?}: {verdict}");
        valid += usize::from(expected);
    }
    assert!(
        (ITEMS / 10..ITEMS * 9 / 10).contains(&valid),
        "{valid} of {ITEMS} are valid"
    );
}

fn negate_s(item: &mut Item) {
    let (_, s) = halves(&item.signature);
    let n = order::<Sm2>();
    if let Some(negated) = (number(&s) < n)
        .then(|| to_bytes(&(n - number(&s))))
        .flatten()
    {
        item.signature[32..].copy_from_slice(&negated);
    }
}

/// Messages are rejected in the order of the checks: ranges, key, user id.
#[apply(on_every_engine)]
fn items_with_several_errors_report_the_first(engine: &Engine) {
    let item = signed::<Sm2Dsa>(&mut Random::new(), 1, 1).remove(0).item;
    let mut keys = bad_keys::<Sm2>();
    // The reason that a good key leaves to a long id.
    keys.push(("good key", item.key, Rejection::UserIdTooLong));
    let long = vec![0; MAX_USER_ID_LEN + 1];
    for (name, key, reason) in keys {
        let verify = |signature: [u8; 64], id: &[u8]| {
            let messages = ["m"];
            let keys = [key.as_slice()];
            sm2::verify_messages(
                engine,
                &messages,
                UserIds::all(id),
                &[signature],
                PublicKeys::sec1(&keys),
            )
            .unwrap()[0]
        };
        let with_default_id = if name == "good key" {
            Rejection::Mismatch
        } else {
            reason
        };
        assert_eq!(
            verify([0; 64], &long),
            Verdict::Rejected(Rejection::ROutOfRange),
            "{name}"
        );
        assert_eq!(
            verify(item.signature, &long),
            Verdict::Rejected(reason),
            "{name}"
        );
        assert_eq!(
            verify(item.signature, DEFAULT_USER_ID),
            Verdict::Rejected(with_default_id),
            "{name}"
        );
    }
}
