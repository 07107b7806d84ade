//! Columns of different lengths are an error of the call.

use crate::declare::{apply, on_every_engine};
use gecc::ecdsa::{Policy, SForm};
use gecc::{Engine, Error, PublicKeys, Rows, Secp256k1, SecretKey};
use gecc::{ecdh, ecdsa, keys, point, sm2};

/// Asserts that the call failed for a column of this length.
#[track_caller]
fn differs(result: Result<(), Error>, wrong: &str, length: usize) {
    match result {
        Err(Error::LengthMismatch {
            what,
            expected,
            found,
        }) => assert_eq!((what, expected, found), (wrong, 2, length)),
        other => panic!("{other:?} instead of a length mismatch"),
    }
}

/// Batches have as many items as there are codes.
#[apply(on_every_engine)]
fn columns_of_different_lengths_are_errors(engine: &Engine) {
    const C: Secp256k1 = Secp256k1;
    let policy = Policy::default();
    let form = SForm::Low;
    let codes = &mut [0; 2][..];
    let two = [[1; 32]; 2];
    let two_keys = [[1; 64]; 2];
    let out = &mut [[0; 64]; 2][..];
    let key = SecretKey::from_bytes([1; 32]);
    let [keys, all] = [PublicKeys::raw(&two_keys), PublicKeys::all(&[2; 33])];
    for found in [0, 1, 3] {
        let numbers = vec![[1; 32]; found];
        let rows = vec![[1; 64]; found];
        let ids = vec![[0; 1]; found];
        let wrong = PublicKeys::raw(&rows);
        let secret = vec![key.clone(); found];
        let mut rows_out = vec![[0; 64]; found];
        let mut short = vec![[0; 32]; found];
        let mut addresses = vec![[0; 20]; found];
        differs(
            point::mul_base_into(engine, C, &numbers, out, codes),
            "scalars",
            found,
        );
        differs(
            point::mul_base_into(engine, C, &two, &mut rows_out, codes),
            "points",
            found,
        );
        differs(
            point::add_into(engine, C, wrong, all, out, codes),
            "points",
            found,
        );
        differs(
            point::add_into(engine, C, all, wrong, out, codes),
            "second points",
            found,
        );
        differs(
            point::add_into(engine, C, all, all, &mut rows_out, codes),
            "sums",
            found,
        );
        differs(
            point::double_into(engine, C, wrong, out, codes),
            "points",
            found,
        );
        differs(
            point::double_into(engine, C, all, &mut rows_out, codes),
            "doubles",
            found,
        );
        differs(
            point::mul_into(engine, C, &numbers, keys, out, codes),
            "scalars",
            found,
        );
        differs(
            point::mul_into(engine, C, &two, wrong, out, codes),
            "points",
            found,
        );
        differs(
            point::mul_into(engine, C, &two, keys, &mut rows_out, codes),
            "products",
            found,
        );
        differs(
            keys::public_keys_into(engine, C, &secret, out, codes),
            "secret keys",
            found,
        );
        differs(
            keys::public_keys_into(engine, C, &key, &mut rows_out, codes),
            "public keys",
            found,
        );
        differs(
            ecdh::shared_points_into(engine, C, &secret, keys, out, codes),
            "secret keys",
            found,
        );
        differs(
            ecdh::shared_points_into(engine, C, &key, wrong, out, codes),
            "peers",
            found,
        );
        differs(
            ecdh::shared_secrets_into(engine, C, &key, keys, &mut short, codes),
            "shared secrets",
            found,
        );
        differs(
            ecdsa::verify_into(engine, C, &numbers, &two_keys, keys, policy, codes),
            "digests",
            found,
        );
        differs(
            ecdsa::verify_into(engine, C, &two, &rows, keys, policy, codes),
            "signatures",
            found,
        );
        differs(
            ecdsa::verify_into(engine, C, &two, &two_keys, wrong, policy, codes),
            "public keys",
            found,
        );
        differs(
            ecdsa::sign_into(engine, C, &numbers, &key, form, out, codes),
            "digests",
            found,
        );
        differs(
            ecdsa::sign_into(engine, C, &two, &secret, form, out, codes),
            "secret keys",
            found,
        );
        differs(
            ecdsa::sign_into(engine, C, &two, &key, form, &mut rows_out, codes),
            "signatures",
            found,
        );
        let mut ids_out = vec![0; found];
        differs(
            ecdsa::sign_recoverable_into(engine, C, &two, &key, form, out, &mut ids_out, codes),
            "recovery ids",
            found,
        );
        differs(
            ecdsa::sign_recoverable_into(
                engine,
                C,
                &two,
                &key,
                form,
                &mut rows_out,
                &mut [0; 2],
                codes,
            ),
            "signatures",
            found,
        );
        let messages = vec!["a"; found];
        let ids_of = vec![&b"id"[..]; found];
        let id = sm2::UserIds::default();
        let ids_of = sm2::UserIds::each(&ids_of);
        differs(
            ecdsa::sign_messages_into(engine, C, &messages, &key, form, out, codes),
            "messages",
            found,
        );
        differs(
            ecdsa::sign_messages_into(engine, C, &["a"; 2], &secret, form, out, codes),
            "secret keys",
            found,
        );
        differs(
            ecdsa::verify_messages_into(engine, C, &messages, &two_keys, keys, policy, codes),
            "messages",
            found,
        );
        differs(
            ecdsa::verify_messages_into(engine, C, &["a"; 2], &two_keys, wrong, policy, codes),
            "public keys",
            found,
        );
        differs(
            sm2::sign_messages_into(engine, &messages, id, &key, out, codes),
            "messages",
            found,
        );
        differs(
            sm2::sign_messages_into(engine, &["a"; 2], ids_of, &key, out, codes),
            "user ids",
            found,
        );
        differs(
            sm2::sign_messages_into(engine, &["a"; 2], id, &key, &mut rows_out, codes),
            "signatures",
            found,
        );
        differs(
            sm2::verify_messages_into(engine, &["a"; 2], id, &rows, keys, codes),
            "signatures",
            found,
        );
        differs(
            sm2::verify_messages_into(engine, &["a"; 2], ids_of, &two_keys, keys, codes),
            "user ids",
            found,
        );
        differs(
            point::decode_keys_into(engine, C, wrong, out, codes),
            "public keys",
            found,
        );
        differs(
            point::decode_keys_into(engine, C, keys, &mut rows_out, codes),
            "points",
            found,
        );
        differs(
            ecdsa::recover_into(engine, C, &two, &two_keys, &ids, out, codes),
            "recovery ids",
            found,
        );
        differs(
            ecdsa::recover_into(
                engine,
                C,
                &two,
                &two_keys,
                Rows::all(&[0]),
                &mut rows_out,
                codes,
            ),
            "keys",
            found,
        );
        differs(
            ecdsa::recover_addresses_into(
                engine,
                &two,
                &two_keys,
                Rows::all(&[0]),
                &mut addresses,
                codes,
            ),
            "addresses",
            found,
        );
        differs(
            sm2::verify_into(engine, &two, &rows, keys, codes),
            "signatures",
            found,
        );
        differs(
            sm2::sign_into(engine, &two, &key, &mut rows_out, codes),
            "signatures",
            found,
        );
    }
    assert_eq!(codes, [0; 2]);
    assert!(out.iter().all(|row| *row == [0; 64]));
}
