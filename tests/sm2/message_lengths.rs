//! Messages of mixed lengths, and many of them.

use crate::declare::{apply, on_every_engine};
use crate::support::messages::messages;
use crate::support::random::Random;
use crate::support::reference::public_key;
use gecc::sm2::{MAX_USER_ID_LEN, UserIds};
use gecc::{Engine, Point, PublicKeys, Rejection, SecretKey, Sm2, Verdict, sm2};
use sha2::Digest;
use sm3::Sm3;

/// Messages of SM2 with ids of mixed lengths, whose Z_A comes from `sm2::za`.
#[apply(on_every_engine)]
fn messages_and_ids_have_results_of_their_digests(engine: &Engine) {
    let mut random = Random::new();
    let messages = messages(&mut random);
    let ids: Vec<Vec<u8>> = (0..messages.len())
        .map(|item| random.vector(item * item % (MAX_USER_ID_LEN + 1)))
        .collect();
    let ids: Vec<&[u8]> = ids.iter().map(Vec::as_slice).collect();
    let secrets: Vec<[u8; 32]> = messages
        .iter()
        .map(|_| random.scalar_bytes::<Sm2>())
        .collect();
    let public: Vec<Point> = secrets
        .iter()
        .map(|secret| public_key::<Sm2>(secret).unwrap())
        .collect();
    let keys: Vec<SecretKey> = secrets.into_iter().map(SecretKey::from_bytes).collect();
    let digest = |item: usize, id: &[u8], key: &Point| -> [u8; 32] {
        let za = sm2::za(id, key).unwrap();
        Sm3::new_with_prefix(za)
            .chain_update(&messages[item])
            .finalize()
            .into()
    };
    let digests: Vec<[u8; 32]> = (0..messages.len())
        .map(|item| digest(item, ids[item], &public[item]))
        .collect();
    let signed = sm2::sign_messages(engine, &messages, UserIds::each(&ids), &keys).unwrap();
    assert_eq!(signed, sm2::sign(engine, &digests, &keys).unwrap());
    let mut signatures: Vec<[u8; 64]> = signed.into_iter().map(Result::unwrap).collect();
    signatures[20][63] ^= 1;
    let compressed: Vec<[u8; 33]> = public
        .iter()
        .map(|key| key.to_compressed().unwrap())
        .collect();
    for keys in [
        PublicKeys::points(&public),
        PublicKeys::compressed(&compressed),
    ] {
        let verdicts =
            sm2::verify_messages(engine, &messages, UserIds::each(&ids), &signatures, keys)
                .unwrap();
        assert_eq!(
            verdicts.rejected().collect::<Vec<_>>(),
            [(20, Rejection::Mismatch)]
        );
    }
    // One id and one key for all.
    let digests: Vec<[u8; 32]> = (0..messages.len())
        .map(|item| digest(item, ids[3], &public[5]))
        .collect();
    let signed = sm2::sign_messages(engine, &messages, UserIds::all(ids[3]), &keys[5]).unwrap();
    assert_eq!(signed, sm2::sign(engine, &digests, &keys[5]).unwrap());
}

/// Keys and ids that cannot be used, long messages and good items in a batch large enough for every
/// engine to hash on its devices: the reasons come in their order, and the others are not
/// disturbed.
#[apply(on_every_engine)]
fn bad_items_among_many_report_the_first_reason(engine: &Engine) {
    const ITEMS: usize = 40_000;
    let mut random = Random::new();
    let secret = random.scalar_bytes::<Sm2>();
    let key = SecretKey::from_bytes(secret);
    let public = public_key::<Sm2>(&secret).unwrap();
    let few = [
        &b"one"[..],
        b"two",
        b"",
        b"a message of more than one block of sixty-four bytes, if only just so",
    ];
    let long_message = random.vector(50_000);
    let signature = |message: &[u8], id: &[u8]| {
        sm2::sign_messages(engine, &[message], UserIds::all(id), &key).unwrap()[0].unwrap()
    };
    let of_few: Vec<[u8; 64]> = few
        .iter()
        .map(|message| signature(message, b"id"))
        .collect();
    let long_id = vec![7; MAX_USER_ID_LEN + 1];
    let off_curve = Point::from_coordinates(&[1; 32], &[1; 32]);
    let mut messages: Vec<&[u8]> = few.iter().copied().cycle().take(ITEMS).collect();
    let mut signatures: Vec<[u8; 64]> = of_few.into_iter().cycle().take(ITEMS).collect();
    let mut ids = vec![&b"id"[..]; ITEMS];
    let mut keys = vec![public; ITEMS];
    let mut expected = vec![Verdict::Valid; ITEMS];
    let reasons = [
        Verdict::Rejected(Rejection::UserIdTooLong),
        Verdict::Rejected(Rejection::NotOnCurve),
        Verdict::Rejected(Rejection::ROutOfRange),
        Verdict::Rejected(Rejection::Mismatch),
        Verdict::Valid,
        Verdict::Rejected(Rejection::IdentityKey),
    ];
    let signature_of_long_message = signature(&long_message, b"id");
    for (kind, item) in (0..ITEMS).step_by(501).enumerate() {
        expected[item] = reasons[kind % reasons.len()];
        match kind % reasons.len() {
            0 => ids[item] = &long_id,
            1 => (ids[item], keys[item]) = (&long_id, off_curve),
            2 => (ids[item], keys[item], signatures[item]) = (&long_id, off_curve, [0; 64]),
            3 => ids[item] = b"another id",
            4 => (messages[item], signatures[item]) = (&long_message, signature_of_long_message),
            _ => keys[item] = Point::IDENTITY,
        }
    }
    let keys = PublicKeys::points(&keys);
    let verdicts =
        sm2::verify_messages(engine, &messages, UserIds::each(&ids), &signatures, keys).unwrap();
    let wrong = verdicts
        .iter()
        .zip(&expected)
        .position(|(verdict, expected)| verdict != expected);
    assert_eq!(
        wrong.map(|item| (item, verdicts[item], expected[item])),
        None
    );
}
