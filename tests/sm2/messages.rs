//! Messages and user ids.

use crate::declare::{apply, on_every_engine};
use crate::support::numbers::{coefficient_a, coefficient_b, to_bytes};
use crate::support::random::Random;
use crate::support::reference::{Group, encode, public_key, sm2_dsa};
use elliptic_curve::Group as _;
use gecc::sm2::{DEFAULT_USER_ID, MAX_USER_ID_LEN, UserIds};
use gecc::{Engine, Point, PublicKeys, Rejection, SecretKey, Sm2, Verdict, sm2};
use sm3::{Digest, Sm3};

/// Messages with default, common and own user ids, by one key and by many.
#[apply(on_every_engine)]
fn messages_with_any_user_id_match_reference(engine: &Engine) {
    let mut random = Random::new();
    let count = 60;
    let ids: Vec<String> = (0..count)
        .map(|index| "é用户@".repeat(index * index))
        .collect();
    let ids: Vec<&str> = ids
        .iter()
        .map(|id| {
            if id.len() > MAX_USER_ID_LEN {
                "long"
            } else {
                id.as_str()
            }
        })
        .collect();
    let secrets: Vec<[u8; 32]> = (0..count).map(|_| random.scalar_bytes::<Sm2>()).collect();
    let messages: Vec<Vec<u8>> = (0..count).map(|index| random.vector(index * 5)).collect();
    let keys: Vec<SecretKey> = secrets
        .iter()
        .map(|secret| SecretKey::from_bytes(*secret))
        .collect();
    let public: Vec<Point> = secrets
        .iter()
        .map(|secret| public_key::<Sm2>(secret).unwrap())
        .collect();

    let id_bytes: Vec<&[u8]> = ids.iter().map(|id| id.as_bytes()).collect();
    let each = sm2::sign_messages(engine, &messages, UserIds::each(&id_bytes), &keys).unwrap();
    for (index, signed) in each.iter().enumerate() {
        let theirs = sm2_dsa::sign_message(&secrets[index], ids[index], &messages[index]);
        assert_eq!(signed.ok(), theirs, "id {}", ids[index]);
    }
    let signatures: Vec<[u8; 64]> = each.into_iter().map(Result::unwrap).collect();
    verify_messages(engine, &messages, &ids, &signatures, &public);
    // The neighbour's id: valid only where ids agree.
    let mut rotated = ids.clone();
    rotated.rotate_left(1);
    verify_messages(engine, &messages, &rotated, &signatures, &public);

    let one_key = sm2::sign_messages(engine, &messages, UserIds::default(), &keys[0]).unwrap();
    let default_id = std::str::from_utf8(DEFAULT_USER_ID).unwrap();
    for (message, signed) in messages.iter().zip(one_key) {
        assert_eq!(
            signed.ok(),
            sm2_dsa::sign_message(&secrets[0], default_id, message)
        );
    }
}

fn verify_messages(
    engine: &Engine,
    messages: &[Vec<u8>],
    ids: &[&str],
    signatures: &[[u8; 64]],
    keys: &[Point],
) {
    let id_bytes: Vec<&[u8]> = ids.iter().map(|id| id.as_bytes()).collect();
    let compressed: Vec<[u8; 33]> = keys
        .iter()
        .map(|key| key.to_compressed().unwrap())
        .collect();
    let verify = |keys| {
        sm2::verify_messages(engine, messages, UserIds::each(&id_bytes), signatures, keys).unwrap()
    };
    let verdicts = verify(PublicKeys::points(keys));
    assert_eq!(verdicts, verify(PublicKeys::compressed(&compressed)));
    for (index, verdict) in verdicts.iter().enumerate() {
        let key = keys[index].as_sec1();
        let expected =
            sm2_dsa::verifies_message(&messages[index], ids[index], &signatures[index], key);
        assert_eq!(verdict.is_valid(), expected, "{index}: {verdict}");
    }
}

/// Ids of any bytes and of the greatest length; a longer one rejects its item alone.
#[apply(on_every_engine)]
fn user_ids_of_the_greatest_length_are_accepted(engine: &Engine) {
    let mut random = Random::new();
    let secret = random.scalar_bytes::<Sm2>();
    let key = SecretKey::from_bytes(secret);
    let public = public_key::<Sm2>(&secret).unwrap();
    let ids: Vec<Vec<u8>> = [
        0,
        1,
        16,
        MAX_USER_ID_LEN,
        MAX_USER_ID_LEN + 1,
        8193,
        70_000,
        5,
    ]
    .iter()
    .map(|&length| random.vector(length))
    .collect();
    let ids: Vec<&[u8]> = ids.iter().map(Vec::as_slice).collect();
    let messages = vec!["message"; ids.len()];
    let signed = sm2::sign_messages(engine, &messages, UserIds::each(&ids), &key).unwrap();
    let signatures: Vec<[u8; 64]> = signed
        .iter()
        .map(|signed| signed.unwrap_or([1; 64]))
        .collect();
    let keys = vec![public; ids.len()];
    let verdicts = sm2::verify_messages(
        engine,
        &messages,
        UserIds::each(&ids),
        &signatures,
        PublicKeys::points(&keys),
    )
    .unwrap();
    for (index, id) in ids.iter().enumerate() {
        let expected = expected_digest(id, &public, b"message")
            .and_then(|digest| sm2_dsa::sign(&secret, &digest));
        assert_eq!(signed[index].ok(), expected, "an id of {} bytes", id.len());
        assert_eq!(
            verdicts[index].is_valid(),
            expected.is_some(),
            "an id of {} bytes",
            id.len()
        );
        if expected.is_none() {
            assert_eq!(signed[index], Err(Rejection::UserIdTooLong));
            assert_eq!(verdicts[index], Verdict::Rejected(Rejection::UserIdTooLong));
        }
    }
    assert_eq!(
        sm2::za(ids[0], &Point::IDENTITY),
        Err(Rejection::IdentityKey)
    );
}

/// SM3(Z_A || M), from the definition, for ids that are not text, which the reference does not
/// support.
fn expected_digest(id: &[u8], key: &Point, message: &[u8]) -> Option<[u8; 32]> {
    let bits = u16::try_from(8 * id.len()).ok()?;
    let g = encode::<Sm2>(&Group::<Sm2>::generator());
    let mut za = Sm3::new_with_prefix(bits.to_be_bytes());
    za.update(id);
    for field in [coefficient_a::<Sm2>(), coefficient_b::<Sm2>()] {
        za.update(to_bytes(&field).unwrap());
    }
    for field in [g.x(), g.y(), key.x(), key.y()] {
        za.update(field);
    }
    let za: [u8; 32] = za.finalize().into();
    assert_eq!(sm2::za(id, key), Ok(za));
    Some(
        Sm3::new_with_prefix(za)
            .chain_update(message)
            .finalize()
            .into(),
    )
}
