//! Calls from columns into columns have the results of calls on slices.

use crate::declare::{apply, on_every_engine};
use crate::support::columns::{Batch, ITEMS, Records, SIZES, check, codes_of, messages};
use gecc::sm2;
use gecc::{Engine, PublicKeys, Rows, SecretKeys, Sm2};

#[apply(on_every_engine)]
fn columns_have_results_of_slices(engine: &Engine) {
    for items in SIZES {
        let mut batch = Batch::new::<Sm2>(items);
        for (item, signed) in sm2::sign(engine, &batch.digests, &batch.secret())
            .unwrap()
            .into_iter()
            .enumerate()
        {
            batch.signatures[item] = signed.unwrap();
        }
        batch.corrupt();
        let records = Records::new(engine, &batch);
        let secret = batch.secret();
        let Batch {
            digests,
            signatures,
            points,
            ..
        } = &batch;
        let expected = sm2::sign(engine, digests, &secret).unwrap();
        for (digests, keys) in [
            (Rows::from(digests), (&secret).into()),
            (records.digests(), records.secret()),
        ] {
            check(engine, "sign", &expected, |engine, rows, codes| {
                sm2::sign_into(engine, digests, keys, rows, codes)
            });
        }
        let keys = PublicKeys::points(points);
        let expected = codes_of(sm2::verify(engine, digests, signatures, keys).unwrap());
        assert!(
            items < ITEMS || expected.iter().filter(|verdict| verdict.is_ok()).count() > ITEMS / 2
        );
        for keys in [keys, records.raw()] {
            check(engine, "verify", &expected, |engine, _, codes| {
                sm2::verify_into(engine, records.digests(), records.signatures(), keys, codes)
            });
        }
        sm2_messages(engine, &batch, &records);
    }
}

/// Signs and verifies messages with one id for all items, and with ids of which some are too long.
fn sm2_messages(engine: &Engine, batch: &Batch, records: &Records) {
    let messages = messages(batch.len());
    let secret = batch.secret();
    let long = vec![b'i'; sm2::MAX_USER_ID_LEN + 1];
    let ids: Vec<&[u8]> = (0..batch.len())
        .map(|item| {
            if item % 11 == 4 {
                &long[..]
            } else {
                &long[..item]
            }
        })
        .collect();
    for ids in [
        sm2::UserIds::default(),
        sm2::UserIds::all(&long),
        sm2::UserIds::each(&ids),
    ] {
        let signed = sm2::sign_messages(engine, &messages, ids, &secret).unwrap();
        for keys in [SecretKeys::each(&secret), records.secret()] {
            check(engine, "sign messages", &signed, |engine, rows, codes| {
                sm2::sign_messages_into(engine, &messages, ids, keys, rows, codes)
            });
        }
        let signatures: Vec<[u8; 64]> = signed
            .into_iter()
            .map(|signed| signed.unwrap_or([7; 64]))
            .collect();
        for keys in [PublicKeys::points(&batch.points), records.raw()] {
            let expected =
                codes_of(sm2::verify_messages(engine, &messages, ids, &signatures, keys).unwrap());
            check(engine, "verify messages", &expected, |engine, _, codes| {
                sm2::verify_messages_into(engine, &messages, ids, &signatures, keys, codes)
            });
        }
    }
}
