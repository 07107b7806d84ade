//! Calls from columns into columns have the results of calls on slices.

use crate::declare::{apply, on_every_engine};
use crate::support::columns::{
    Batch, Expected, ITEMS, Records, SIZES, UNTOUCHED, check, codes_of, locked, locks, messages,
    raw, rows_of,
};
use crate::support::each::each_ecdsa_curve;
use crate::support::reference::EcdsaReference;
use gecc::ecdsa;
use gecc::ecdsa::{Policy, SForm};
use gecc::{Engine, PublicKeys, Rows, Secp256k1, SecretKeys};

#[apply(on_every_engine)]
fn columns_have_results_of_slices(engine: &Engine) {
    each_ecdsa_curve!(ecdsa_on(engine));
}

fn ecdsa_on<C: EcdsaReference>(engine: &Engine) {
    for items in SIZES {
        let mut batch = Batch::new::<C>(items);
        let secret = batch.secret();
        let signed =
            ecdsa::sign_recoverable(engine, C::ID, &batch.digests, &secret, SForm::AsComputed)
                .unwrap();
        for (item, signed) in signed.into_iter().enumerate() {
            let signed = signed.unwrap();
            (batch.signatures[item], batch.ids[item]) = (signed.signature, signed.recovery_id);
        }
        batch.corrupt();
        let records = Records::new(engine, &batch);
        let secret = batch.secret();
        for form in [SForm::Low, SForm::AsComputed] {
            let expected = ecdsa::sign(engine, C::ID, &batch.digests, &secret, form).unwrap();
            for (digests, keys) in [
                (Rows::from(&batch.digests), (&secret).into()),
                (records.digests(), records.secret()),
            ] {
                check(engine, "sign", &expected, |engine, rows, codes| {
                    ecdsa::sign_into(engine, C::ID, digests, keys, form, rows, codes)
                });
            }
        }
        sign_recoverable::<C>(engine, &batch, &records);
        verify_ecdsa::<C>(engine, &batch, &records);
        ecdsa_messages::<C>(engine, &batch, &records);
        let Batch {
            digests,
            signatures,
            ids,
            ..
        } = &batch;
        let expected = rows_of(ecdsa::recover(engine, C::ID, digests, signatures, ids).unwrap());
        check(engine, "recover", &expected, |engine, rows, codes| {
            ecdsa::recover_into(
                engine,
                C::ID,
                records.digests(),
                records.signatures(),
                records.ids(),
                rows,
                codes,
            )
        });
    }
    one_for_all_signatures::<C>(engine);
}

/// Signs with the recovery ids in memory of their own, and in locked memory.
fn sign_recoverable<C: EcdsaReference>(engine: &Engine, batch: &Batch, records: &Records) {
    let secret = batch.secret();
    for form in [SForm::Low, SForm::AsComputed] {
        let expected =
            ecdsa::sign_recoverable(engine, C::ID, &batch.digests, &secret, form).unwrap();
        let signatures: Expected<64> = expected
            .iter()
            .map(|signed| signed.map(|signed| signed.signature))
            .collect();
        for (digests, keys) in [
            (Rows::from(&batch.digests), (&secret).into()),
            (records.digests(), records.secret()),
        ] {
            check(
                engine,
                "sign recoverable",
                &signatures,
                |engine, rows, codes| {
                    for is_locked in [false, true]
                        .into_iter()
                        .filter(|is_locked| !is_locked || locks(engine))
                    {
                        let ids = vec![UNTOUCHED; expected.len()];
                        let mut ids = if is_locked {
                            locked(engine, ids)
                        } else {
                            ids.into()
                        };
                        ecdsa::sign_recoverable_into(
                            engine,
                            C::ID,
                            digests,
                            keys,
                            form,
                            rows,
                            &mut ids,
                            codes,
                        )?;
                        for (item, signed) in expected.iter().enumerate() {
                            assert!(
                                signed.is_err_and(|_| true)
                                    || signed.unwrap().recovery_id == ids[item],
                                "{item}"
                            );
                        }
                    }
                    Ok(())
                },
            );
        }
    }
}

fn ecdsa_messages<C: EcdsaReference>(engine: &Engine, batch: &Batch, records: &Records) {
    let messages = messages(batch.len());
    let secret = batch.secret();
    let form = SForm::Low;
    let policy = Policy::low_s();
    let signed = ecdsa::sign_messages(engine, C::ID, &messages, &secret, form).unwrap();
    for keys in [SecretKeys::each(&secret), records.secret()] {
        check(engine, "sign messages", &signed, |engine, rows, codes| {
            ecdsa::sign_messages_into(engine, C::ID, &messages, keys, form, rows, codes)
        });
    }
    let signatures: Vec<[u8; 64]> = signed
        .into_iter()
        .map(|signed| signed.unwrap_or([7; 64]))
        .collect();
    let strided: Vec<[u8; 65]> = signatures
        .iter()
        .map(|row| std::array::from_fn(|at| *row.get(at).unwrap_or(&9)))
        .collect();
    let keys = PublicKeys::points(&batch.points);
    let expected = codes_of(
        ecdsa::verify_messages(engine, C::ID, &messages, &signatures, keys, policy).unwrap(),
    );
    assert!(
        batch.len() < ITEMS
            || expected.iter().filter(|verdict| verdict.is_ok()).count() > ITEMS / 2
    );
    for column in [
        Rows::from(&signatures),
        Rows::strided(strided.as_flattened(), 65, batch.len()).unwrap(),
    ] {
        check(engine, "verify messages", &expected, |engine, _, codes| {
            ecdsa::verify_messages_into(engine, C::ID, &messages, column, keys, policy, codes)
        });
    }
}

fn verify_ecdsa<C: EcdsaReference>(engine: &Engine, batch: &Batch, records: &Records) {
    let Batch {
        digests,
        signatures,
        points,
        ..
    } = batch;
    let compressed = batch.compressed();
    let raw = batch.raw();
    for policy in [Policy::default(), Policy::low_s()] {
        for (keys, column) in [
            (PublicKeys::points(points), PublicKeys::points(points)),
            (PublicKeys::compressed(&compressed), records.compressed()),
            (PublicKeys::raw(&raw), records.raw()),
        ] {
            let expected =
                codes_of(ecdsa::verify(engine, C::ID, digests, signatures, keys, policy).unwrap());
            check(engine, "verify", &expected, |engine, _, codes| {
                ecdsa::verify_into(
                    engine,
                    C::ID,
                    records.digests(),
                    records.signatures(),
                    column,
                    policy,
                    codes,
                )
            });
        }
    }
}

/// One digest, one signature and one key for every item.
fn one_for_all_signatures<C: EcdsaReference>(engine: &Engine) {
    let batch = Batch::new::<C>(ITEMS);
    let digest = &batch.digests[0];
    let secret = batch.secret();
    let key = batch.points[0];
    let digests = [*digest; ITEMS];
    let expected = ecdsa::sign(engine, C::ID, &digests, &secret, SForm::Low).unwrap();
    check(
        engine,
        "sign one digest",
        &expected,
        |engine, rows, codes| {
            ecdsa::sign_into(
                engine,
                C::ID,
                Rows::all(digest),
                &secret,
                SForm::Low,
                rows,
                codes,
            )
        },
    );
    let mut signatures: Vec<[u8; 64]> = expected.into_iter().map(Result::unwrap).collect();
    let policy = Policy::default();
    let points = PublicKeys::points(&batch.points);
    let expected =
        codes_of(ecdsa::verify(engine, C::ID, &digests, &signatures, points, policy).unwrap());
    assert!(expected.iter().all(Result::is_ok));
    check(
        engine,
        "verify one digest",
        &expected,
        |engine, _, codes| {
            ecdsa::verify_into(
                engine,
                C::ID,
                Rows::all(digest),
                &signatures,
                points,
                policy,
                codes,
            )
        },
    );
    // The first signature with every key and with one.
    let first = [signatures[0]];
    signatures.fill(first[0]);
    let encoded = raw(&key);
    for (keys, column) in [
        (points, points),
        (
            PublicKeys::all(key.as_sec1()),
            PublicKeys::raw(Rows::all(&encoded)),
        ),
    ] {
        let expected =
            codes_of(ecdsa::verify(engine, C::ID, &digests, &signatures, keys, policy).unwrap());
        assert!(expected[0].is_ok());
        check(
            engine,
            "verify one signature",
            &expected,
            |engine, _, codes| {
                ecdsa::verify_into(
                    engine,
                    C::ID,
                    Rows::all(digest),
                    Rows::all(&first[0]),
                    column,
                    policy,
                    codes,
                )
            },
        );
    }
    for id in [0, 1] {
        let expected =
            rows_of(ecdsa::recover(engine, C::ID, &digests, &signatures, &[id; ITEMS]).unwrap());
        check(
            engine,
            "recover one id",
            &expected,
            |engine, rows, codes| {
                ecdsa::recover_into(
                    engine,
                    C::ID,
                    Rows::all(digest),
                    &signatures,
                    Rows::all(&[id]),
                    rows,
                    codes,
                )
            },
        );
    }
}

#[apply(on_every_engine)]
fn columns_of_addresses_have_results_of_slices(engine: &Engine) {
    for items in SIZES {
        let mut batch = Batch::new::<Secp256k1>(items);
        let signed = ecdsa::sign_recoverable(
            engine,
            Secp256k1,
            &batch.digests,
            &batch.secret(),
            SForm::Low,
        )
        .unwrap();
        for (item, signed) in signed.into_iter().enumerate() {
            let signed = signed.unwrap();
            (batch.signatures[item], batch.ids[item]) = (signed.signature, signed.recovery_id);
        }
        batch.corrupt();
        let records = Records::new(engine, &batch);
        let Batch {
            digests,
            signatures,
            ids,
            ..
        } = &batch;
        let expected = ecdsa::recover_addresses(engine, digests, signatures, ids).unwrap();
        check(engine, "addresses", &expected, |engine, rows, codes| {
            ecdsa::recover_addresses_into(
                engine,
                digests,
                records.signatures(),
                records.ids(),
                rows,
                codes,
            )
        });
    }
}
