//! Calls on private keys from columns into columns have the results of calls on slices.

use crate::declare::{apply, on_every_engine};
use crate::support::columns::{Batch, Expected, Records, SIZES, check, raw, rows_of};
use crate::support::each::each_curve;
use crate::support::reference::TestCurve;
use gecc::{Engine, PublicKeys, SecretKey, SecretKeys};
use gecc::{ecdh, keys};

#[apply(on_every_engine)]
fn columns_have_results_of_slices(engine: &Engine) {
    each_curve!(private_keys_on(engine));
}

fn private_keys_on<C: TestCurve>(engine: &Engine) {
    for items in SIZES {
        let mut batch = Batch::new::<C>(items);
        batch.corrupt();
        let records = Records::new(engine, &batch);
        let secret = batch.secret();
        let expected = rows_of(keys::public_keys(engine, C::ID, &secret).unwrap());
        for keys in [SecretKeys::each(&secret), records.secret()] {
            check(engine, "public_keys", &expected, |engine, rows, codes| {
                keys::public_keys_into(engine, C::ID, keys, rows, codes)
            });
        }
        // The peers are in another order than the keys, that no product is a square.
        batch.points.reverse();
        let compressed = batch.compressed();
        let raw = batch.raw();
        let records = Records::new(engine, &batch);
        agree::<C>(
            engine,
            &secret,
            PublicKeys::raw(&raw),
            [records.raw(), PublicKeys::points(&batch.points)],
        );
        agree::<C>(
            engine,
            &secret,
            PublicKeys::compressed(&compressed),
            [records.compressed(); 2],
        );
        if let [key, ..] = &secret[..] {
            let one = vec![key.clone(); items];
            let expected = rows_of(keys::public_keys(engine, C::ID, &one).unwrap());
            check(
                engine,
                "public_keys of one",
                &expected,
                |engine, rows, codes| keys::public_keys_into(engine, C::ID, key, rows, codes),
            );
            agree_by::<C>(
                engine,
                &one,
                SecretKeys::all(key),
                PublicKeys::raw(&raw),
                records.raw(),
            );
            let peer = batch.points[0].as_sec1();
            let peers = vec![peer; items];
            agree_by::<C>(
                engine,
                &secret,
                records.secret(),
                PublicKeys::sec1(&peers),
                PublicKeys::all(peer),
            );
        }
    }
}

fn agree<C: TestCurve>(
    engine: &Engine,
    secret: &[SecretKey],
    peers: PublicKeys,
    columns: [PublicKeys; 2],
) {
    let rows: Vec<[u8; 32]> = secret.iter().map(|key| *key.expose_bytes()).collect();
    for column in columns {
        agree_by::<C>(
            engine,
            secret,
            SecretKeys::rows((&rows).into()),
            peers,
            column,
        );
    }
}

/// Shared points and secrets by keys and peers in slices, and the same in columns.
fn agree_by<C: TestCurve>(
    engine: &Engine,
    secret: &[SecretKey],
    keys: SecretKeys,
    peers: PublicKeys,
    column: PublicKeys,
) {
    let points = ecdh::shared_points(engine, C::ID, secret, peers).unwrap();
    let points: Expected<64> = points
        .into_iter()
        .map(|shared| shared.map(|shared| raw(&shared.into_public())))
        .collect();
    check(engine, "shared points", &points, |engine, rows, codes| {
        ecdh::shared_points_into(engine, C::ID, keys, column, rows, codes)
    });
    let secrets = ecdh::shared_secrets(engine, C::ID, secret, peers).unwrap();
    let secrets: Expected<32> = secrets
        .into_iter()
        .map(|shared| shared.map(|shared| *shared.expose_bytes()))
        .collect();
    check(engine, "shared secrets", &secrets, |engine, rows, codes| {
        ecdh::shared_secrets_into(engine, C::ID, keys, column, rows, codes)
    });
}
