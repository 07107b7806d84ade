//! Messages of mixed lengths: around the blocks of the hash functions, longer than a GPU takes, and
//! many of them.

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_ecdsa_curve;
use crate::support::random::Random;
use crate::support::reference::{EcdsaReference, public_key};
use gecc::call::{Columns, Contents, Operation};
use gecc::ecdsa::{Policy, SForm};
use gecc::fields::Hash;
use gecc::sm2::{MAX_USER_ID_LEN, UserIds};
use gecc::{
    Engine, Error, Point, PublicKeys, Rejection, SecretKey, Sm2, Verdict, ecdsa, hash, sm2,
};
use sha2::{Digest, Sha256, Sha384};
use sha3::Keccak256;
use sm3::Sm3;

/// Every length to three blocks, and lengths around those at which an engine may treat a message
/// differently.
fn messages(random: &mut Random) -> Vec<Vec<u8>> {
    let long = [1000, 4096, 16 << 10, 64 << 10, 300_000]
        .into_iter()
        .flat_map(|length| length - 2..=length + 2);
    // Short and long ones in turn, each at another offset from a whole word.
    let mut lengths: Vec<usize> = (0..200).chain(long).collect();
    lengths.sort_unstable_by_key(|length| (length % 7, *length));
    lengths
        .into_iter()
        .map(|length| random.vector(length))
        .collect()
}

/// Digests of messages are those of the RustCrypto crates, also of many, and by hashes that no
/// device has.
#[apply(on_every_engine)]
fn digests(engine: &Engine) {
    let mut random = Random::new();
    let few = messages(&mut random);
    let many: Vec<Vec<u8>> = (0..40_000)
        .map(|item| random.vector(item * 7 % 300))
        .collect();
    for messages in [few, many, Vec::new()] {
        let check = |which: Hash, known: fn(&[u8]) -> [u8; 32]| {
            let known: Vec<[u8; 32]> = messages.iter().map(|message| known(message)).collect();
            assert!(
                hash::digests(engine, which, &messages).unwrap() == known,
                "{which:?} of {}",
                messages.len()
            );
        };
        check(Hash::Sha256, |message| Sha256::digest(message).into());
        check(Hash::Sha256d, |message| {
            Sha256::digest(Sha256::digest(message)).into()
        });
        check(Hash::Keccak256, |message| Keccak256::digest(message).into());
        check(Hash::Sha384, |message| {
            *Sha384::digest(message).first_chunk().unwrap()
        });
    }
    assert_eq!(
        hash::digests(engine, Hash::None, &[[1; 32], [2; 32]]).unwrap(),
        [[1; 32], [2; 32]]
    );
    let mut one = [[0; 32]];
    for problem in [
        hash::digests_into(engine, Hash::None, &[&[1; 31]], &mut one),
        hash::digests_into(engine, Hash::Sha256, &["one", "two"], &mut one),
    ] {
        assert!(matches!(problem, Err(Error::LengthMismatch { .. })));
    }
}

/// Signing and verifying messages is signing and verifying their SHA-256, and as an operation
/// another hash of theirs.
#[apply(on_every_engine)]
fn ecdsa_messages(engine: &Engine) {
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
        hash: Hash::Sha384,
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

/// Messages of SM2 with ids of mixed lengths, whose Z_A comes from `sm2::za`.
#[apply(on_every_engine)]
fn sm2_messages(engine: &Engine) {
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
fn bad_items_among_many(engine: &Engine) {
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
