//! Messages of mixed lengths.

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_ecdsa_curve;
use crate::support::messages::messages;
use crate::support::random::Random;
use crate::support::reference::{EcdsaReference, public_key};
use gecc::call::{Columns, Contents, Operation, Options};
use gecc::ecdsa::{Policy, SForm};
use gecc::fields::Hash;
use gecc::sm2::UserIds;
use gecc::{Engine, PublicKeys, Rejection, SecretKey, Verdict, ecdsa};
use sha2::{Digest, Sha256, Sha384};

/// Signing and verifying messages is signing and verifying their SHA-256, and as an operation
/// another hash of theirs.
#[apply(on_every_engine)]
fn messages_have_results_of_their_digests(engine: &Engine) {
    each_ecdsa_curve!(of_curve(engine));
}

fn of_curve<C: EcdsaReference>(engine: &Engine) {
    let mut random = Random::new();
    let messages = messages(&mut random);
    let digests: Vec<[u8; 32]> = messages
        .iter()
        .map(|message| Sha256::digest(message).into())
        .collect();
    let secret = random.scalar_bytes::<C>();
    let key = SecretKey::from_bytes(secret);
    let public = public_key::<C>(&secret).unwrap();
    let signed = ecdsa::sign_messages(engine, C::ID, &messages, &key, SForm::default()).unwrap();
    assert_eq!(
        signed,
        ecdsa::sign(engine, C::ID, &digests, &key, SForm::default()).unwrap(),
        "{}",
        C::NAME
    );
    let texts: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    let columns = Columns {
        contents: Contents::Messages {
            messages: &texts,
            user_ids: UserIds::default(),
        },
        secret_keys: (&key).into(),
        options: Options {
            hash: Some(Hash::Sha384),
            ..Options::default()
        },
        ..Columns::default()
    };
    let mut rows = vec![0; 64 * messages.len()];
    let mut codes = vec![0; messages.len()];
    let sign = Operation::EcdsaSign(C::ID, SForm::default());
    sign.run(engine, &columns, &mut rows, &mut [], &mut codes)
        .unwrap();
    let others: Vec<[u8; 32]> = messages
        .iter()
        .map(|message| *Sha384::digest(message).first_chunk().unwrap())
        .collect();
    // Nonces are derived with the same hash (RFC 6979), also where its digests are given.
    let of_digests = Columns {
        contents: Contents::Digests((&others).into()),
        ..columns
    };
    let mut rows_of_digests = vec![0; rows.len()];
    sign.run(
        engine,
        &of_digests,
        &mut rows_of_digests,
        &mut [],
        &mut codes,
    )
    .unwrap();
    assert!(
        rows == rows_of_digests && codes.iter().all(|code| *code == Verdict::VALID_CODE),
        "{}",
        C::NAME
    );
    let with_sha256 = ecdsa::sign(engine, C::ID, &others, &key, SForm::default()).unwrap();
    assert!(
        rows.as_chunks::<64>()
            .0
            .iter()
            .zip(&with_sha256)
            .all(|(row, other)| Ok(*row) != *other),
        "{}",
        C::NAME
    );
    let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
    signatures[20][63] ^= 1;
    let key = PublicKeys::all(public.as_sec1());
    let verdicts = ecdsa::verify_messages(
        engine,
        C::ID,
        &messages,
        &signatures,
        key,
        Policy::default(),
    )
    .unwrap();
    assert_eq!(
        verdicts.rejected().collect::<Vec<_>>(),
        [(20, Rejection::Mismatch)],
        "{}",
        C::NAME
    );
}
