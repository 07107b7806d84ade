//! Inputs of different lengths are an error of the call, never a silently shortened batch; empty
//! batches are fine.

use crate::declare::{apply, on_every_engine};
use crate::support::lengths::differs;
use gecc::ecdsa::{Policy, SForm};
use gecc::sm2::UserIds;
use gecc::{CurveId, Engine, P256, Point, PublicKeys, SecretKey, ecdh, ecdsa, keys, point, sm2};

const D: [u8; 32] = [1; 32];
const S: [u8; 64] = [1; 64];
const O: Point = Point::IDENTITY;

fn secret() -> SecretKey {
    SecretKey::from_bytes(D)
}

#[apply(on_every_engine)]
fn slices_of_different_lengths_are_errors(engine: &Engine) {
    ecdsa_calls(engine);
    sm2_calls(engine);
    for found in [0, 1, 3] {
        let points = vec![O; found];
        let keys = vec![secret(); found];
        differs(
            point::add(engine, P256, &[O; 2], &points),
            ("second points", 2, found),
        );
        differs(
            point::mul(engine, P256, &[D; 2], &points),
            ("points", 2, found),
        );
        let peers = PublicKeys::points(&[O; 2]);
        differs(
            ecdh::shared_secrets(engine, P256, &keys, peers),
            ("secret keys", 2, found),
        );
        differs(
            ecdh::shared_points(engine, P256, &keys, peers),
            ("secret keys", 2, found),
        );
        let decoded = point::decode_keys(engine, CurveId::P256, 2, PublicKeys::points(&points));
        differs(decoded, ("public keys", 2, found));
    }
}

fn ecdsa_calls(engine: &Engine) {
    let policy = Policy::default();
    for found in [0, 1, 3] {
        let signatures = vec![S; found];
        let points = vec![O; found];
        let keys = vec![secret(); found];
        let two = PublicKeys::points(&[O; 2]);
        let wrong = PublicKeys::points(&points);
        let messages = ["a", "b"];
        differs(
            ecdsa::verify(engine, P256, &[D; 2], &signatures, two, policy),
            ("signatures", 2, found),
        );
        differs(
            ecdsa::verify(engine, P256, &[D; 2], &[S; 2], wrong, policy),
            ("public keys", 2, found),
        );
        differs(
            ecdsa::verify_messages(engine, P256, &messages, &signatures, two, policy),
            ("signatures", 2, found),
        );
        differs(
            ecdsa::verify_messages(engine, P256, &messages, &[S; 2], wrong, policy),
            ("public keys", 2, found),
        );
        differs(
            ecdsa::sign(engine, P256, &[D; 2], &keys, SForm::Low),
            ("secret keys", 2, found),
        );
        differs(
            ecdsa::sign_recoverable(engine, P256, &[D; 2], &keys, SForm::Low),
            ("secret keys", 2, found),
        );
        differs(
            ecdsa::sign_messages(engine, P256, &messages, &keys, SForm::Low),
            ("secret keys", 2, found),
        );
        differs(
            ecdsa::recover(engine, P256, &[D; 2], &signatures, &[0; 2]),
            ("signatures", 2, found),
        );
        differs(
            ecdsa::recover(engine, P256, &[D; 2], &[S; 2], &vec![0; found]),
            ("recovery ids", 2, found),
        );
        differs(
            ecdsa::recover_addresses(engine, &[D; 2], &signatures, &[0; 2]),
            ("signatures", 2, found),
        );
        differs(
            ecdsa::recover_addresses(engine, &[D; 2], &[S; 2], &vec![0; found]),
            ("recovery ids", 2, found),
        );
        // Every encoding counts its keys.
        let encodings = [
            PublicKeys::compressed(&vec![[2; 33]; found]),
            PublicKeys::uncompressed(&vec![[4; 65]; found]),
            PublicKeys::raw(&vec![[4; 64]; found]),
            PublicKeys::sec1(&vec![&D[..]; found]),
        ]
        .map(|keys| ecdsa::verify(engine, P256, &[D; 2], &[S; 2], keys, policy));
        encodings
            .into_iter()
            .for_each(|result| differs(result, ("public keys", 2, found)));
    }
}

fn sm2_calls(engine: &Engine) {
    for found in [0, 1, 3] {
        let signatures = vec![S; found];
        let points = vec![O; found];
        let keys = vec![secret(); found];
        let ids = vec![&b"id"[..]; found];
        let two = PublicKeys::points(&[O; 2]);
        let wrong = PublicKeys::points(&points);
        let any = UserIds::default();
        let messages = ["a", "b"];
        differs(
            sm2::verify(engine, &[D; 2], &signatures, two),
            ("signatures", 2, found),
        );
        differs(
            sm2::verify(engine, &[D; 2], &[S; 2], wrong),
            ("public keys", 2, found),
        );
        differs(
            sm2::verify_messages(engine, &messages, any, &signatures, two),
            ("signatures", 2, found),
        );
        differs(
            sm2::verify_messages(engine, &messages, any, &[S; 2], wrong),
            ("public keys", 2, found),
        );
        let each = UserIds::each(&ids);
        differs(
            sm2::verify_messages(engine, &messages, each, &[S; 2], two),
            ("user ids", 2, found),
        );
        differs(sm2::sign(engine, &[D; 2], &keys), ("secret keys", 2, found));
        differs(
            sm2::sign_messages(engine, &messages, any, &keys),
            ("secret keys", 2, found),
        );
        differs(
            sm2::sign_messages(engine, &messages, each, &[secret(), secret()]),
            ("user ids", 2, found),
        );
    }
}

/// An empty batch has empty results, and all of it is valid.
#[apply(on_every_engine)]
fn empty_batches_have_empty_results(engine: &Engine) {
    let none = PublicKeys::points(&[]);
    let no_keys: [SecretKey; 0] = [];
    let no_messages: [&str; 0] = [];
    let verdicts = [
        ecdsa::verify(engine, P256, &[], &[], none, Policy::default()),
        ecdsa::verify(
            engine,
            P256,
            &[],
            &[],
            PublicKeys::all(&[0]),
            Policy::default(),
        ),
        ecdsa::verify_messages(engine, P256, &no_messages, &[], none, Policy::default()),
        sm2::verify(engine, &[], &[], none),
        sm2::verify_messages(engine, &no_messages, UserIds::default(), &[], none),
    ];
    for verdicts in verdicts.map(Result::unwrap) {
        assert!(
            verdicts.is_empty() && verdicts.all_valid() && verdicts.rejected().next().is_none()
        );
    }
    assert_eq!(
        ecdsa::sign(engine, P256, &[], &no_keys, SForm::Low).unwrap(),
        []
    );
    assert_eq!(
        ecdsa::sign(engine, P256, &[], &secret(), SForm::Low).unwrap(),
        []
    );
    assert_eq!(
        ecdsa::sign_recoverable(engine, P256, &[], &no_keys, SForm::Low).unwrap(),
        []
    );
    assert_eq!(
        ecdsa::sign_messages(engine, P256, &no_messages, &secret(), SForm::Low).unwrap(),
        []
    );
    assert_eq!(ecdsa::recover_addresses(engine, &[], &[], &[]).unwrap(), []);
    assert_eq!(sm2::sign(engine, &[], &no_keys).unwrap(), []);
    assert_eq!(
        sm2::sign_messages(engine, &no_messages, UserIds::default(), &secret()).unwrap(),
        []
    );
    assert_eq!(
        sm2::sign_messages(engine, &no_messages, UserIds::each(&[]), &no_keys).unwrap(),
        []
    );
    assert!(
        ecdh::shared_secrets(engine, P256, &no_keys, none)
            .unwrap()
            .is_empty()
    );
    assert!(
        ecdh::shared_points(engine, P256, &no_keys, none)
            .unwrap()
            .is_empty()
    );
    assert!(
        ecdh::shared_secrets(engine, P256, &no_keys, PublicKeys::all(&[0]))
            .unwrap()
            .is_empty()
    );
    assert_eq!(keys::generate(engine, P256, 0).unwrap().1, []);
    let points = [
        ecdsa::recover(engine, P256, &[], &[], &[]),
        keys::public_keys(engine, P256, &no_keys),
        point::add(engine, P256, &[], &[]),
        point::double(engine, P256, &[]),
        point::mul_base(engine, P256, &[]),
        point::mul(engine, P256, &[], &[]),
        point::decompress(engine, P256, &[]),
    ];
    points
        .into_iter()
        .for_each(|points| assert_eq!(points.unwrap(), []));
}
