//! Signatures of Ed25519, by a rule that the statement names.

use crate::items::{engine, fixed, some};
use crate::session::{functions, query, row, session, texts};
use arrow_array::RecordBatch;
use gecc::SecretKey;
use gecc::ed25519::{self, Rule, Variant};
use gecc_datafusion::Functions;

/// The identity as key and as R, in its encoding and in one that is not canonical, with S = 0: the equation holds.
#[test]
fn the_rule_decides() {
    let context = session(functions(), 1, 8192);
    let of_y = |first: &str, middle: &str, last: &str| format!("{first}{}{last}", middle.repeat(30));
    // y = 1, and y = p + 1.
    let [canonical, other] = [of_y("01", "00", "00"), of_y("ee", "ff", "7f")];
    let takes_small_order = [Rule::Cofactorless, Rule::Zip215, Rule::Rfc8032, Rule::Rfc8032Cofactored];
    for (key, r, valid_by) in [
        (&canonical, &canonical, &takes_small_order[..]),
        (&other, &canonical, &[Rule::Cofactorless, Rule::Zip215]),
        (&canonical, &other, &[Rule::Zip215]),
    ] {
        for rule in Rule::ALL {
            let items = format!("'{rule}', 'beef', '{r}{}', x'{key}'", "00".repeat(32));
            let sql = format!("SELECT ed25519_verify({items}), ed25519_verify_reason({items}) IS NULL");
            let expected = Some(valid_by.contains(rule).to_string());
            assert_eq!(row(&context, &sql), [expected.clone(), expected], "{rule}: {key} {r}");
        }
    }
}

/// Messages of 32 bytes meet in the coalescer; others go to the engine by themselves.
#[test]
fn messages_of_32_bytes_are_coalesced() {
    let seeds: Vec<SecretKey> = (0..100).map(|item| SecretKey::from_bytes([item; 32])).collect();
    let public = ed25519::public_keys(engine(), &seeds).unwrap();
    for (length, coalesced) in [(32, 100), (33, 0)] {
        let messages = vec![vec![5; length]; 100];
        let signed = ed25519::sign(engine(), &messages, &seeds, Variant::PURE).unwrap();
        let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
        signatures.iter_mut().step_by(3).for_each(|signature| signature[0] ^= 1);
        let functions = Functions::new(engine()).unwrap();
        let context = session(&functions, 1, 8192);
        let (m, s, k) = (fixed(&some(&messages)), fixed(&some(&signatures)), fixed(&some(&public)));
        let table = [("m", m.unwrap()), ("s", s.unwrap()), ("k", k.unwrap())];
        context.register_batch("t", RecordBatch::try_from_iter(table).unwrap()).unwrap();
        let found = query(&context, "SELECT count(*) FROM t WHERE ed25519_verify('strict', m, s, k)");
        assert_eq!(texts(found.column(0)), [Some("66".to_owned())]);
        assert_eq!(functions.stats().items, coalesced);
    }
}
